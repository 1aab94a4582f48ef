"""A module that is imported when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["LateModule"]


class LateModule:
    """A module that is imported when one of its attributes is read.

    Most programs do not need such a module, and importing it takes time. A type checker sees the
    module itself, because the import statement is in the block of ``TYPE_CHECKING``.

    Parameters
    ----------
    name : str
        The full name of the module.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)

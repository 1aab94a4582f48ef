"""The names that a public package offers, to the Tab key and to ``help()``."""

from __future__ import annotations

from collections.abc import Iterable
from traceback import walk_stack


def offered(names: Iterable[str]) -> list[str]:
    """What `dir` of a package lists, and so the Tab key: its public names; nothing for ``help()``.

    pydoc, which is ``help()``, prints every class and function that `dir` lists in full, with all
    that they inherit: 25,000 lines, most of them of pandas. No option prevents that. Without names
    it prints the docstring of the package, which mentions each of them.
    """
    is_help = any(frame.f_code.co_name == "docmodule" for frame, _ in walk_stack(None))
    return [] if is_help else sorted(names)

"""Warnings that point at the line of the caller, even if another thread found their reason."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["collected_warnings", "defer_warning", "noted_warnings"]

_collected: ContextVar[list[Warning] | None] = ContextVar("budgetframe_warnings", default=None)


def defer_warning(warning: Warning) -> None:
    """Leave a warning to the enclosing `collected_warnings`; warn now if there is none."""
    collected = _collected.get()
    if collected is None:
        warnings.warn(warning, stacklevel=2)
    elif str(warning) not in map(str, collected):
        collected.append(warning)


@contextmanager
def collected_warnings() -> Iterator[list[Warning]]:
    """Collect the warnings that `defer_warning` gets in this block and in tasks started in it."""
    collected: list[Warning] = []
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)


@contextmanager
def noted_warnings() -> Iterator[list[Warning]]:
    """Collect the warnings of this block, and leave them to the enclosing block at its end."""
    found: list[Warning] = []
    try:
        with collected_warnings() as found:
            yield found
    finally:
        for warning in found:
            defer_warning(warning)

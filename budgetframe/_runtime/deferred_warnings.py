"""Warnings that show at the line of the person who called, whichever thread found the reason."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["collected_warnings", "defer_warning"]

_box: ContextVar[list[Warning] | None] = ContextVar("budgetframe_notices", default=None)


def defer_warning(notice: Warning) -> None:
    """Warn, or leave the warning for the caller who collects."""
    box = _box.get()
    if box is None:
        warnings.warn(notice, stacklevel=2)
    elif str(notice) not in map(str, box):
        box.append(notice)


@contextmanager
def collected_warnings() -> Iterator[list[Warning]]:
    """The warnings that `defer_warning` is given in this block and in the tasks it starts."""
    box: list[Warning] = []
    before = _box.set(box)
    try:
        yield box
    finally:
        _box.reset(before)

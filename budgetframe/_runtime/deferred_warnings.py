"""Warnings that point at the line of the caller, even if another thread found their reason."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any


class DamagedRows(RuntimeWarning):
    """Some rows of an answer have values that cannot be used: no later answer may build on it."""

    values: Sequence[tuple[Any, Any, str, str]] = ()
    """The rows of the frame, the rows that they are parts of, their fields, and what is wrong."""


_collected: ContextVar[list[Warning] | None] = ContextVar("budgetframe_warnings", default=None)


def defer_warning(reason: Warning | str) -> None:
    """Leave a warning, or the text of a `RuntimeWarning`, to `collected_warnings`, or warn now."""
    warning = reason if isinstance(reason, Warning) else RuntimeWarning(reason)
    collected = _collected.get()
    if collected is None:
        warnings.warn(warning, stacklevel=2)
    elif str(warning) not in map(str, collected):
        collected.append(warning)


@contextmanager
def collected_warnings(*, then_defer: bool = False) -> Iterator[list[Warning]]:
    """Collect the warnings that `defer_warning` gets in this block and in tasks started in it."""
    # With `then_defer`, the enclosing block gets them at the end of this one.
    collected: list[Warning] = []
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)
        for warning in collected if then_defer else ():
            defer_warning(warning)

"""Counting requests for the person who makes them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from budgetframe._runtime.fork_lock import STATE
from budgetframe._runtime.html_table import html_table

__all__ = ["RequestCounter", "RequestUsage"]


@dataclass(frozen=True, repr=False)
class RequestUsage:
    """How many requests of the limit were used.

    Parameters
    ----------
    used, limit : int
        Requests that count now, by all connections with this token as far as is known, and how
        many may.
    next_free : float or None
        Seconds until the next one may be sent; 0.0 when it may be now, None when that is unknown.
    by_resource : dict of str to int
        Requests that this connection has sent since it was made, by what they asked for.
    by_cell : dict of int to int
        The same by cell of the notebook, by the number in ``In [5]``.

    Examples
    --------
    >>> RequestUsage(used=4, limit=200)
    4 of 200 requests used in the last hour, 196 left
    >>> RequestUsage(used=200, limit=200, next_free=90.0)
    200 of 200 requests used in the last hour, 0 left, the next one in 90 s
    """

    used: int
    limit: int
    next_free: float | None = 0.0
    by_resource: Mapping[str, int] = field(default_factory=dict)
    by_cell: Mapping[int, int] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """How many may still be sent now."""
        return max(0, self.limit - self.used)

    def __repr__(self) -> str:
        text = f"{self.used} of {self.limit} requests used in the last hour, {self.left} left"
        return f"{text}, the next one in {self.next_free:.0f} s" if self.next_free else text

    def _repr_html_(self) -> str:
        rows = [("requests", repr(self))]
        rows += [(f"for {name}", str(count)) for name, count in self.by_resource.items()]
        rows += [(f"in cell {cell}", str(count)) for cell, count in self.by_cell.items()]
        return html_table(rows)


class RequestCounter:
    """Counts what a connection sends."""

    def __init__(self) -> None:
        self._by_resource: Counter[str] = Counter()
        self._by_cell: Counter[int] = Counter()

    def count(self, resource: str) -> None:
        """Count one request."""
        cell = _current_cell()
        with STATE:
            self._by_resource[resource] += 1
            if cell is not None:
                self._by_cell[cell] += 1

    def requests(self, used: int, limit: int, next_free: float | None) -> RequestUsage:
        """The count as it stands."""
        with STATE:
            return RequestUsage(
                used, limit, next_free, dict(self._by_resource), dict(self._by_cell)
            )


def _current_cell() -> int | None:
    """Number of the cell that is running; None outside of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    # Not its `execution_count`: when that goes up differs between versions of IPython.
    inputs = getattr(getattr(shell, "history_manager", None), "input_hist_parsed", None)
    return len(inputs) - 1 if inputs else None

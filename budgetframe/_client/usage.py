"""Count requests by resource and by cell of a notebook."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field

from budgetframe._runtime.html_table import html_table
from budgetframe._runtime.processes import STATE
from budgetframe._runtime.text import number_of


@dataclass(frozen=True, repr=False)
class RequestUsage:
    """The requests that count against the limit.

    Parameters
    ----------
    used, limit : int
        Requests that count at this moment, of all known connections with this token, and their
        largest number.
    next_free : float or None
        Seconds until the next request is allowed; 0.0 if it is allowed now, None if the time is
        unknown.
    by_resource : dict of str to int
        Requests that this connection has sent since it was created, by resource.
    by_cell : dict of int to int
        The same requests by cell of the notebook, by the number in ``In [5]``.
    from_cache : dict of str to int
        Reads of this connection that needed no request, by resource: the connection itself, another
        one of this process, or a process with the same ``cache_dir`` had read the answer before.

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
    by_resource: dict[str, int] = field(default_factory=dict)
    by_cell: dict[int, int] = field(default_factory=dict)
    from_cache: dict[str, int] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """Number of requests that are still allowed now."""
        return max(0, self.limit - self.used)

    def __repr__(self) -> str:
        text = f"{self.used} of {self.limit} requests used in the last hour, {self.left} left"
        return f"{text}, the next one in {self.next_free:.0f} s" if self.next_free else text

    def _repr_html_(self) -> str:
        rows = [("requests", repr(self))]
        rows += [(f"for {name}", str(count)) for name, count in self.by_resource.items()]
        rows += [(f"in cell {cell}", str(count)) for cell, count in self.by_cell.items()]
        reads = {name: number_of(count, "read") for name, count in self.from_cache.items()}
        rows += [(f"{name} without a request", text) for name, text in reads.items()]
        return html_table(rows)


class RequestCounter:
    """Counts the requests of a connection."""

    def __init__(self) -> None:
        self._by_resource: Counter[str] = Counter()
        self._by_cell: Counter[int] = Counter()
        self.from_cache: Counter[str] = Counter()  # the reads that needed no request, by resource

    def count(self, resource: str) -> None:
        """Count one request, in a notebook also for the cell that is running."""
        shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
        # Not `execution_count`: versions of IPython increase it at different times.
        inputs = getattr(getattr(shell, "history_manager", None), "input_hist_parsed", None)
        with STATE:
            self._by_resource[resource] += 1
            if inputs:
                self._by_cell[len(inputs) - 1] += 1

    @property
    def total(self) -> int:
        """Number of all requests."""
        with STATE:
            return self._by_resource.total()

    def requests(self, used: int, limit: int, next_free: float | None) -> RequestUsage:
        """Return the counts of this moment."""
        with STATE:
            counts = dict(self._by_resource), dict(self._by_cell), dict(self.from_cache)
        return RequestUsage(used, limit, next_free, *counts)

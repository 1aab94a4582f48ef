"""A budget in a notebook: typed pandas DataFrames from a budgeting web service.

`BudgetFrame.connect` reads your own budget, and `BudgetFrame.sandbox` the budget of the embedded
service, which needs no account and no network. `budgetframe.frames`, `budgetframe.reports` and
`budgetframe.sandbox` explain frames, reports and the embedded service.

Freshness
---------
For `ttl` seconds (default: 300) an answer comes from memory. After that time a read requests what
changed, which is one small request for each list. ``frame.attrs["as_of"]`` states when the data
were requested, and the display of a `BudgetFrame` shows the age of every list. ``ttl=0`` sends a
request for every call. A write through the client removes the affected lists from the cache. While
an `export` is fresh, the lists that it contains are taken from it; later, one small request for its
changes makes all of them fresh.

Restarts
--------
``connect(cache_dir=...)``, or the environment variable ``BUDGETFRAME_CACHE_DIR``, keeps the answers
and the count of requests in a file in that folder. A notebook that is restarted within the time to
live sends no request. After that time, one request of the export refreshes all lists, if at least
three lists and the transactions among them are due, and the transactions or a second list are read.
There is one file for each token and address, with mode 0600. It contains the budget without
encryption, and not the token. With pyarrow, it also contains the frames of the transactions and the
ledger until the next change: the first restart after a change builds them again. A damaged file, or
one of an earlier version, is replaced. A file that is read-only or from a newer version is not
used. Each case has a warning. While another process locks the file, a call continues without it,
and the next call writes the count of requests to it. Delete the file only while no connection is
open.

The limit
---------
The service allows 200 requests in any hour for each token. When no request is left, the client
raises a `ToolError`, which states how many seconds to wait, and sends nothing. Connections with the
same token share the limit within one process, and across processes if they use the same
`cache_dir`. `BudgetFrame.requests` counts: used, left, time of the next free request, requests by
resource and by cell.

If the service does not answer
------------------------------
The limit may be reached, the service may fail, or the network may be down. Then `on_limit` decides:
``"stale"`` (default) returns the last data with a `StaleDataWarning`, ``"raise"`` raises the error,
and ``"wait"`` waits for the limit, with a progress bar. Connections made by `connect` and `sandbox`
try a read up to three times after a status 502, 503 or 504 or a broken connection, and every
attempt is counted. A write is sent once and never waits.

Errors
------
``except BudgetFrameError`` catches both kinds: `ServiceAPIError`, if the service rejected the
request (with ``status_code``, ``error_id``, ``name`` and ``detail``), and `ToolError`, if the
client refused, because of the limit or an invalid argument. Without a network the error is
``httpx.TransportError``. If the environment variable ``BUDGETFRAME_DEBUG`` is set, tracebacks keep
the frames inside this package.

Reconciliation
--------------
`BudgetFrame.reconcile` compares the sums of the transactions with the service's balance of every
account and its activity of every category in every month. If they differ, it reads both again,
because somebody may have edited the budget in between. If they still differ, it reads the
transactions in full and says so. ``connect(verify=True)`` does this whenever transactions are read.
The command ``budgetframe doctor`` compares the service itself with what this package relies on.

Writes
------
``create_transactions`` and ``update_transactions`` send 50 rows in a request: 120 rows cost three
requests. If the limit does not leave enough requests, nothing is sent. If one request fails, a note
of the error states which rows were written.

Changes from a frame
--------------------
``bf.changes(edited, delete=...)`` compares an edited frame with the service and returns `Changes`:
a preview with the number of requests, the effects, the conflicts and warnings. ``apply()`` sends
it, ``undo()`` prepares the reverse changes, and ``undo().apply()`` sends these. ``bf.journal()``
lists what was applied, and continues what was interrupted. ``frame.attrs["version"]`` is the state
of the service that a frame shows: with it, a change that was made elsewhere is a conflict and is
not overwritten. A connection keeps the last eight states of each list; for an older frame, or one
of another connection, a warning says that changes made elsewhere are not found. With a `cache_dir`,
the journal is a file beside the cache, with the changed rows as plain text and without the token.
``bf.import_rows(frame, account=...)`` returns the new rows of a bank's file as `Changes`;
``skipped`` lists the rows that exist already.

Extras
------
``sandbox``: the embedded service. ``arrow``: pyarrow, for text columns in half the memory,
``money="decimal"`` and Parquet. ``plot``: pictures of reports. ``sankey``: the Sankey diagram of
the income. ``page``: ``budgetframe report``, includes ``plot``. ``excel``: `to_excel`.
``keyring``: ``budgetframe login``. ``ofx``: `read_ofx`; its library has another licence, GPL-3.0,
and is never a part of the default installation. ``lake``: `budgetframe.lake`, the budgets of many
people in Delta tables. Install one with ``pip install 'budgetframe[plot]'``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from budgetframe._cache.delta_cache import DeltaCache
from budgetframe._client.client import ServiceClient
from budgetframe._client.limiter import RateLimiter
from budgetframe._client.usage import RequestUsage
from budgetframe._facade.changes import Changes, Journal
from budgetframe._facade.sync import BudgetFrame
from budgetframe.frames.bank_files import read_ofx
from budgetframe.frames.display import show_in_ipython as _show_in_ipython
from budgetframe.frames.reconciliation import Reconciliation

from .errors import BudgetFrameError, ServiceAPIError, StaleDataWarning, ToolError

__all__ = [
    "BudgetFrame",
    "BudgetFrameError",
    "Changes",
    "DeltaCache",
    "Journal",
    "RateLimiter",
    "Reconciliation",
    "RequestUsage",
    "ServiceAPIError",
    "ServiceClient",
    "StaleDataWarning",
    "ToolError",
    "__version__",
    "read_ofx",
    "to_excel",
]

if TYPE_CHECKING:
    from budgetframe.reports.excel.workbook import to_excel

# Tracebacks and pickles contain the public names, so that the source files can move.
for _class in (
    BudgetFrame,
    BudgetFrameError,
    Changes,
    DeltaCache,
    Journal,
    RateLimiter,
    Reconciliation,
    RequestUsage,
    ServiceAPIError,
    ServiceClient,
    StaleDataWarning,
    ToolError,
    read_ofx,
):
    _class.__module__ = __name__
del _class

_show_in_ipython()


def __getattr__(name: str) -> Any:
    # These names are imported when they are used: the imports are slow.
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415

        return version("budgetframe")
    if name == "reports":
        return import_module("budgetframe.reports")
    if name == "to_excel":
        from budgetframe.reports.excel.workbook import to_excel  # noqa: PLC0415

        to_excel.__module__ = __name__
        return to_excel
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "reports"})

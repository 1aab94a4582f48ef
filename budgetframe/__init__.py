"""A budget in a notebook: typed pandas DataFrames from a budgeting web service.

`BudgetFrame.connect` reads your own budget, and `BudgetFrame.sandbox` the budget of the embedded
service, which needs no account and no network. ``help()`` of a name or package below explains it.

============  ==================================================================================
your budget   `BudgetFrame`; its methods return `Changes`, `Checklist`, `Journal`,
              `Reconciliation`, `RequestUsage`, `Review` and `Statement`
files         `read_bank_file`; `rules` reads `Rules`; `to_excel`, `to_page`
errors        `BudgetFrameError`, `ServiceAPIError`, `StaleDataWarning`, `ToolError`
client        `ServiceClient`, `DeltaCache`, `RateLimiter`: requests without frames
packages      ``budgetframe.frames``, ``reports``, ``models``, ``sandbox``, ``lake``
============  ==================================================================================

Freshness
---------
For `ttl` seconds (default: 300) an answer comes from memory, which the connections of a process
with the same address and token share: a cell with `connect` that runs again costs nothing. After
that time a read requests what changed, which is one small request for each list.
``frame.attrs["as_of"]`` is the time that the service stated in its answer (``Date``), and the
display of a `BudgetFrame` shows the age of every list. ``ttl=0`` sends a request for every call. A
write through the client removes the affected lists from the cache. While an `export` is fresh, the
lists that it contains are taken from it; later, one small request for its changes makes all of them
fresh. ``BudgetFrame.from_export(path)`` opens the file that ``save_export(path)`` has written, or
the app's own export, without a token and without requests.

Restarts
--------
``connect(cache_dir=...)``, or the environment variable ``BUDGETFRAME_CACHE_DIR``, keeps the answers
and the count of requests in a file in that folder. A notebook that is restarted within the time to
live sends no request. After that time, one request of the export refreshes all lists, if at least
three lists and the transactions among them are due, and the transactions or a second list are read.
There is one file for each token and address, with mode 0600. It contains the budget without
encryption, and not the token. With pyarrow, it also contains the frames of the transactions and the
ledger, which a restart brings up to date; those of an export are stored when the connection is
closed or the process ends. A damaged file, or one of an earlier version, is replaced. A file that
is read-only or from a newer version is not used. Each case has a warning. An embedded service that
was restarted needs a new folder, or `refresh` without one. Within one process, the first folder
that is given for a token counts its requests. While another process locks the file, a call
continues without it, and the next call writes the count of requests to it. Delete the file only
while no connection is open.

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
attempt is counted. A write is not repeated after an error, and never waits.

Errors
------
``except BudgetFrameError`` catches both kinds: `ServiceAPIError`, if the service rejected the
request (with ``status_code``, ``error_id``, ``name`` and ``detail``), and `ToolError`, if the
client refused, because of the limit, an invalid argument, or a name that nothing or more than one
thing has, or if the service did not apply a write. Without a network the error is
``httpx.TransportError``. If the environment variable ``BUDGETFRAME_DEBUG`` is set, tracebacks keep
the frames inside this package.

Names and keys
--------------
Wherever a method takes the key of an account, a category, a category group or a payee, its name
works as well, also in rows to write: ``bf.transactions_of_payee("Corner Market")``. Names are
exact, and the Tab key of IPython and Jupyter completes those of lists in memory. Write a category
with its group, ``"Home: Insurance"``, if several groups have a category of this name. Closed
accounts and hidden categories have names, deleted rows have none. A name needs the list that it is
in, which costs one request if it is not fresh. A read uses a key, which has the form of a UUID, as
it is; a write looks it up too. If nothing or more than one thing has a name, the error lists the
closest names or the keys, and nothing is written. Transactions, scheduled transactions and places
of payees have keys only.

Reconciliation
--------------
`BudgetFrame.reconcile` compares the sums of the transactions with the service's balance of every
account and its activity of every category in every month. ``connect(verify=True)`` does this
whenever transactions are requested. The command ``budgetframe doctor`` compares the service itself
with what this package relies on.

Writes
------
Every method that writes, except `import_linked`, compares what it is given with the service, sends
what differs, and returns what was written. With ``preview=True`` it sends nothing and returns
`Changes`, whose ``apply()`` sends them. What was sent is in ``bf.journal()``, whose ``undo()``
prepares the reverse changes: they restore values, delete new rows, and create deleted ones with
other keys. New accounts, payees, groups and categories stay, as the preview says.

If a call is interrupted, for example because an answer is lost, a note of the error says how many
changes were made. The same call within a day, or ``bf.journal().resume()``, finds out what has
arrived and sends only the rest: nothing is written twice. With a `cache_dir`, the journal is a file
beside the cache, with the rows as plain text, and both work in a new process too. New rows are
recognized by their content; a row that may be one of them but was edited elsewhere is a conflict. A
call that came to its end writes again if it is repeated.

One request creates or updates 50 transactions; each other row costs one. The present rows and the
lists of names cost nothing while they are fresh, a request if one is not, and one request of the
export if several are not. Previews, ``move``, ``update_transactions``,
``update_scheduled_transactions`` and deletions read the present rows in any case. A write makes the
lists that it changes outdated. If the limit does not leave enough requests, nothing is sent.

In every update, a field that is absent is left alone, and an empty value (None, NaN, NaT, NA)
clears the field. The columns of rows are those of ``create_transactions``, also in updates and in
``changes``. New rows may have the other columns of frames; further columns are refused, as is what
the service would refuse or leave out. Surplus blanks in names of payees are removed. The frequency
of a schedule can only be never, daily, weekly, monthly or yearly in a write: a schedule with
another one can be deleted, but not changed, and ``undo()`` cannot restore it, as the preview says.

The service can accept a write and not apply all of it. So each answer is compared with what was
sent. What differs is sent once more alone, after one request for the present rows. What differs
then is a conflict, whose ``problem`` names the field and both values; for a call without a preview
it is an error, or for a new row a warning. ``undo()`` reverses what was applied of such a row.

Changes from a frame
--------------------
``bf.changes(edited, delete=...)`` compares an edited frame, which may be a table of polars, pyarrow
or DuckDB (``help(budgetframe.frames)``), with the service and returns `Changes`: a preview with the
number of requests, the effects, the conflicts and warnings.

Set ``category_name`` (with ``category_group_name`` if several groups have such a category),
``account_name`` or ``payee_name``; the service creates an unknown payee. Of a name and a key, only
the one that differs counts. Columns that you added are ignored, with a warning if they look like a
misspelt one; a new row must have no value in them. Rows that are not in the frame are not touched.

``frame.attrs["version"]`` is the state of the service that a frame shows. A row that was changed
elsewhere since then is a conflict and is not overwritten, unless only fields differ that have their
edited values already. The process keeps the last eight states of each list for all connections with
the same token. An older frame, a frame of another process, and a frame that has lost its attrs, for
example by ``pd.concat`` or in a CSV file, is compared with the present state, with a warning.

A bank's file
-------------
`read_bank_file` reads the files of banks. ``bf.import_rows(file, account=...)`` returns the new
rows of such a file, or of a frame, as `Changes`; ``skipped`` lists the rows that exist already.
Import ids are those of the service's own import of files,
``YNAB:<milliunits>:<date>:<occurrence>``, where the occurrence counts the rows of the file with the
same amount and day. A row whose ``bank_row_id`` and amount are known from an earlier file is the
same row if the day is equal, or if the payee is equal and the day is at most ten days apart. Some
banks use an id twice, or number the rows of each file: with another amount, or day and payee, it is
another row, and a warning says so. An id that is new does not show then that a row is another one:
amount, day and occurrence decide. The service never accepts an import id
twice, so that an import that was undone leaves its rows out. Days of a frame are datetimes, dates
or texts such as ``"2026-05-17"``; amounts have at most three decimals; payees, memos and ids may be
missing; other columns are ignored. Texts that are longer than the service accepts are shortened,
with a warning.

The service itself merges a row that has an import id with a row of the same amount that has none,
up to ten days apart. New rows near such a row are therefore sent without an import id, with a
warning. Before anything is sent, the rows are compared once more: those that another plan has
imported since, or that have appeared, are in ``conflicts``. The journal notes which rows of the
account the rows of the file are, so that a later file does not take them for other rows. Without a
`cache_dir`, the journal ends with the process: export a few days more than you need then.

``budgetframe.rules(path)`` reads rules that a person writes in a spreadsheet, with conditions on
payee, memo, account and amount: ``bf.import_rows(..., rules=)`` sets payee, category, memo and flag
of new rows with them, and ``bf.changes(rules.apply(bf.ledger()))`` those of rows that exist.

``bf.statement(account, balance, on)`` compares the balance that a bank states with the cleared rows
of a day, and lists the sets of rows and the typing errors that explain the difference; with
``file=`` it also compares the rows of a file, which are recognized in the same way. It chooses
nothing: ``statement.changes(n)`` returns the `Changes` that clear the rows of a set and mark what
the bank has confirmed as reconciled. It is an error if something is missing then.

Plans
-----
``bf.plan(month, rules)`` takes a CSV file like that of `rules`, or a frame. Its columns are
``category`` (a name, ``Group: Name``, a key, or ``Group:`` for each of its categories that is not
hidden), ``kind``, ``value``, and ``up_to``, the available amount that the rule does not exceed.
The kinds ``amount``, ``average``, ``last_month`` and ``percent`` name what is assigned in the month
in all, and the others what is added:

==============  ====================================================================================
``target``      what the target still needs
``amount``      ``value``
``refill``      as much as the available amount lacks to ``value``
``average``     the average spending of the last ``value`` complete months, less refunds; of those
                that the budget has, if they are fewer
``last_month``  what was assigned in the month before; with the value ``spent``, what was spent
``percent``     ``value`` per cent of the income that the month has so far, which is 0 in a new
                month; with ``10 last``, of the income of the month before
``schedule``    scheduled payments until the end of the month that are not covered
``rest``        after all others: what is left, in proportion to ``value``, which is 1 if empty
==============  ====================================================================================

In a month that the budget lacks, targets need what the service would state, with what is available
at the end of the last month. Averages are rounded to the unit of the currency, per cents down.

Extras
------
``sandbox``: the embedded service. ``widget``: `BudgetFrame.review` as a table. ``arrow``: pyarrow,
for text columns in half the memory, ``money="decimal"`` and Parquet. ``plot``: pictures of reports.
``sankey``: the Sankey diagram of the income. ``page``: ``budgetframe report`` and `to_page`,
includes ``plot``. ``excel``: `to_excel`, and Excel files in `read_bank_file`. ``keyring``:
``budgetframe login``. ``lake``: `budgetframe.lake`, the budgets of many people in Delta tables.
Install one with ``pip install 'budgetframe[plot]'``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._runtime.text import names_for_dir as _names_for_dir
from .errors import BudgetFrameError, ServiceAPIError, StaleDataWarning, ToolError

if TYPE_CHECKING:
    from ._cache.delta_cache import DeltaCache
    from ._client.client import ServiceClient
    from ._client.limiter import RateLimiter
    from ._client.usage import RequestUsage
    from ._facade.changes import Changes, Checklist, Journal
    from ._facade.review.review import Review
    from ._facade.rules import Rules, rules
    from ._facade.statement import Statement
    from ._facade.sync import BudgetFrame
    from .frames.bank_files.reader import read_bank_file
    from .frames.reconciliation import Reconciliation
    from .reports.excel.workbook import to_excel
    from .reports.page.own_page import to_page

__all__ = [
    "BudgetFrame", "BudgetFrameError", "Changes", "Checklist", "DeltaCache", "Journal",
    "RateLimiter", "Reconciliation", "RequestUsage", "Review", "Rules", "ServiceAPIError",
    "ServiceClient", "StaleDataWarning", "Statement", "ToolError", "__version__",
    "read_bank_file", "rules", "to_excel", "to_page",
]  # fmt: skip

# These are imported when one of them is used: help of the command needs no pandas.
_MAIN = {
    "BudgetFrame": "_facade.sync", "Changes": "_facade.changes", "Checklist": "_facade.changes",
    "DeltaCache": "_cache.delta_cache", "Journal": "_facade.changes",
    "RateLimiter": "_client.limiter", "Reconciliation": "frames.reconciliation",
    "RequestUsage": "_client.usage", "Review": "_facade.review.review", "Rules": "_facade.rules",
    "ServiceClient": "_client.client", "Statement": "_facade.statement", "rules": "_facade.rules",
}  # fmt: skip
# Each of these is imported when it is used itself: the imports are slow.
_OTHERS = {
    "read_bank_file": "frames.bank_files.reader", "to_excel": "reports.excel.workbook",
    "to_page": "reports.page.own_page",
}  # fmt: skip
_PACKAGES = ("frames", "models", "reports")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - slow and rarely used

        return version("budgetframe")
    if name in _PACKAGES:
        return import_module(f".{name}", __name__)
    if name not in {**_MAIN, **_OTHERS}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for each, module in (_MAIN if name in _MAIN else {name: _OTHERS[name]}).items():
        found = globals()[each] = getattr(import_module(f".{module}", __name__), each)
        found.__module__ = __name__
    return globals()[name]


def __dir__() -> list[str]:
    return _names_for_dir({*__all__, *_PACKAGES, *({"lake", "sandbox"} & globals().keys())})


# Tracebacks and pickles contain the public names, so that the source files can move.
for _class in (BudgetFrameError, ServiceAPIError, StaleDataWarning, ToolError):
    _class.__module__ = __name__
del _class

"""The class `Lake`: sync, frames, reports and maintenance of a lake."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from deltalake import DeltaTable

from budgetframe._client.cache_folder import cache_folder
from budgetframe._runtime.arguments import check_choice
from budgetframe.errors import ToolError
from budgetframe.frames.dates import Day
from budgetframe.frames.money import Money, check_money, in_money

from .changes import changed_rows, state_after
from .columns import FRAMES, OTHERS, RUNS, SYNC, frame_from
from .erasure import Erasure, allow, clean, forget
from .owner_archive import write_archive
from .partitions import chosen_columns, dask_frame, frames_of, id_of
from .reports import compute_report, frames_for
from .sources import Source
from .storage import VIEWS, LakeAddress, Snapshot, check_whole, checked_names
from .sync import checked_sources, sync_lake
from .turn import turn
from .views import script_of, write_elsewhere
from .writer import LEAST_BUCKETS, Writer, create_lake

if TYPE_CHECKING:
    import dask.dataframe as dd
    from distributed import Client


class Lake:
    """The budgets of many people, in Delta tables that many programs can read.

    There is one table for each frame: ``ledger``, ``transactions``, ``subtransactions``,
    ``scheduled_transactions``, ``scheduled_subtransactions``, ``accounts``, ``categories``,
    ``category_groups``, ``payees``, ``payee_locations``, ``months``, ``month_categories`` and
    ``budgets``. It has the columns of the frame, and ``position`` (number of the row in the frame
    of its budget), ``currency`` (ISO code), ``as_of`` (time of the answer with the rows),
    ``budget_id``, ``source`` and ``bucket``, by which it is partitioned. The table ``_sync`` has
    the result of the last attempt for each budget, ``_runs`` one row for each sync, and ``_state``
    what the next sync continues from.

    All methods read the last complete state: the tables of a commit become visible together. So do
    the views of ``lake.sql``, a script for DuckDB in the folder of the lake. Each call reads the
    state of its time; `now` returns a lake of one state for several calls. One thread changes it at
    a time: another one gets a `ToolError` with ``retry_after`` before it sends or writes anything.

    Parameters
    ----------
    uri : str or path
        A local folder, or an address in an object store, such as ``s3://bucket/lake``.
    storage_options : mapping, optional
        Options of the object store, as `deltalake.DeltaTable` takes them. No repr contains them.
    cache_dir : path, optional
        Folder for the results of reports, in clear text, and for the count of requests of each
        token: a sync counts with the connections that have the same `cache_dir`. By default that
        of ``BUDGETFRAME_CACHE_DIR``, if any. Tokens of `httpx.Auth` count in this process alone.

    Raises
    ------
    ToolError
        If the address is empty or has a character that Delta or DuckDB cannot use ("[", "]", "*",
        "?", or "%" before two hexadecimal digits), or an option is not a text.

    Examples
    --------
    A service with two budgets, a lake in a folder, and what is left after one is forgotten:

    >>> from tempfile import TemporaryDirectory
    >>> from budgetframe.reports import net_worth
    >>> from budgetframe.sandbox import Sandbox, serve
    >>> service = Sandbox(years=1)
    >>> with serve(service) as url, TemporaryDirectory() as folder:
    ...     lake = Lake(folder)
    ...     result = lake.sync([Source("Anna", service.token, base_url=url)])
    ...     accounts = lake.frame("accounts", budget="Household")
    ...     worth = lake.report(net_worth, freq="year")
    ...     forgotten = lake.forget("東京の家計")
    ...     names = lake.budgets()["budget_name"].compute().tolist()
    >>> result["budget_name"].tolist()
    ['Household', '東京の家計']
    >>> accounts["account_name"].tolist()[:2]
    ['Car Loan', 'Checking']
    >>> sorted(worth["currency"].unique())
    ['EUR', 'JPY']
    >>> names, forgotten.files_with_id
    (['Household'], 0)
    """

    def __init__(
        self,
        uri: str | os.PathLike[str],
        storage_options: Mapping[str, str] | None = None,
        *,
        cache_dir: str | os.PathLike[str] | None = None,
    ) -> None:
        self._address = LakeAddress.of(uri, storage_options)
        self._cache_dir = cache_folder(cache_dir)
        self._state: Snapshot | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._address.uri!r})"

    def sync(
        self,
        sources: Iterable[Source],
        client: Client | None = None,
        *,
        concurrency: int = 16,
        verify: bool = True,
        buckets: int | None = None,
        full: Iterable[str] = (),
        partial: bool = False,
    ) -> pd.DataFrame:
        """Read what changed in all budgets, and commit it.

        Each budget costs one request: for its changes since the last sync, or for the whole budget
        if there was none. The first sync of a month (UTC) reads whole budgets, because the amounts
        of categories are those of the month. Each source costs one more request, for the list of
        its budgets. A budget that has not changed writes nothing.

        A failure concerns only its budget: the others are committed, and the lake keeps the last
        rows of this one. A sync does not wait for the limit of a token: it reads as many of its
        budgets as the limit allows, and the next sync begins with those that have waited longest.
        If the process ends, at any moment, the next sync continues from the last commit. After the
        lists of budgets, a slow token holds only itself. Results are committed when they have
        64 MB, after ten seconds, and at the end; other budgets are read meanwhile.

        Parameters
        ----------
        sources : iterable of Source
            The tokens and folders. A budget that two sources have is read by the first one. A
            budget can move to another source: it keeps its rows.
        client : distributed.Client, optional
            Its workers read, and this process commits; without it, this process reads too. A token
            is read by one worker at a time. Until it answers, this process keeps six requests for
            each of these budgets free, so that a connection with the same token cannot use them.
        concurrency : int
            Number of reads that a worker has under way at once.
        verify : bool
            Whether a budget is only committed if the sums of its transactions agree with the
            service's own figures, as in `budgetframe.BudgetFrame.reconcile`. If they do not, it is
            read in full before it fails. If only activity of categories then differs, as after the
            deletion of a split, the service counts other rows than it sends: ``reason`` says so,
            and the budget is committed. A `Source` can switch it off for its own budgets.
        buckets : int, optional
            Number of partitions of a lake without rows. By default, one for 10 budgets, at least
            16. A lake with rows keeps its number until `rebuild`; a RuntimeWarning says so.
        full : iterable of str
            Names or ids of budgets to read in full, instead of their changes.
        partial : bool
            Whether other syncs read other sources: no budget of a source that is not here has left.

        Returns
        -------
        DataFrame
            One row for each budget, in the order of the sources and sorted by name; for a source
            whose budgets are unknown, for each row of its list that has no id, and for each file
            that cannot be read, one row without a budget.

            ===========  =====  ==================================================================
            column       dtype  meaning
            ===========  =====  ==================================================================
            source       str    name of the source
            budget_id    str    key of the budget; empty if it is unknown
            budget_name  str    name of the budget
            status       str    see below
            reason       str    why it is not ``ok``, or the warnings about its rows
            requests     int64  number of requests, without that for the list of budgets
            row_count    int64  number of rows in the lake, in all tables
            changed      bool   whether new rows were committed
            ===========  =====  ==================================================================

            The status is ``ok``; ``refused`` (the token is wrong, or its subscription has ended);
            ``limit`` (``next_attempt`` in the table ``_sync`` says when it ends; until then, a sync
            sends no request for this budget); ``invalid`` (the answer is damaged or does not agree
            with its own figures); ``unreachable`` (no complete answer arrived; each has 120 s; this
            sync reads no other budget of the token then, and the next one reads the others first);
            ``missing`` (the source does not list a budget that its `budgets` name, or a file that
            may be its cannot be read); ``left`` (no source reads this budget any more; its rows
            stay until `forget`; only the first sync that finds it has failed for that);
            ``duplicate`` (another source reads it, or has newer rows than a file); ``blocked`` (see
            `forget`; its id is a hash, and its name is not shown); or ``failed``. ``attrs["run"]``
            is the new row of `runs` as a dict; ``attrs["failures"]`` has all rows except ``ok``,
            ``duplicate``, ``blocked``, and ``left`` after the first sync that finds it.

        Raises
        ------
        ToolError
            If the arguments are not valid, the storage cannot be read or written, the lake is that
            of another version of this package, or another process is changing it.
        """
        check_whole(concurrency, "concurrency")
        check_whole(LEAST_BUCKETS if buckets is None else buckets, "buckets")
        options: dict[str, Any] = {"verify": verify, "partial": partial, "buckets": buckets}
        options |= {"concurrency": concurrency, "full": checked_names(full, "full")}
        listed, address = checked_sources(sources, client, self._cache_dir), self._writable()
        with turn(address):
            create_lake(address, buckets or LEAST_BUCKETS)
            return sync_lake(address, listed, client, cache_dir=self._cache_dir, **options)

    def frame(self, name: str, *, budget: str, money: Money = "float") -> pd.DataFrame:
        """Return one table of one budget, equal to the frame that `BudgetFrame` returns.

        Parameters
        ----------
        name : str
            Name of the table, for example ``"ledger"``.
        budget : str
            Name or id of the budget.
        money : {"float", "milliunits", "decimal"}
            The type of the amounts, as in the methods of `BudgetFrame`.

        Returns
        -------
        DataFrame
            With the columns, dtypes, order and ``attrs`` of the frame of the facade, except
            ``attrs["version"]``, which only `BudgetFrame.changes` needs.

        Raises
        ------
        ToolError
            If there is no such table or budget, or several budgets have this name.
        """
        check_choice(name, "name", FRAMES)
        check_money(money)
        snapshot = self._snapshot()
        return in_money(frames_of(snapshot, [name], budget)[name], money)

    def delta(self, name: str) -> DeltaTable:
        """Return a Delta table, for DuckDB, polars, Spark and others.

        Parameters
        ----------
        name : str
            Name of the table; also ``"_sync"`` and ``"_runs"``.

        Returns
        -------
        deltalake.DeltaTable
            At the version of the last complete state. A program that opens the folder itself can
            see a newer one. Sort the rows of a budget by ``position`` for the order of the frame.

        Raises
        ------
        ToolError
            If there is no such table or no lake.
        """
        check_choice(name, "name", [*FRAMES, SYNC, RUNS])
        return self._snapshot().table(name)

    def at(self, when: Day) -> Lake:
        """Return the lake as it was at an earlier time, for reading.

        The tables keep their past until `vacuum` or `forget` deletes it.

        Parameters
        ----------
        when : str, date or Timestamp
            A day or a time, in UTC if it has no time zone. A day means its beginning.

        Raises
        ------
        ToolError
            If the lake has no complete state of that time.
        """
        return self._reader(self._address.past(when))

    def now(self) -> Lake:
        """Return the lake in its present state, for reading.

        ``now = lake.now()``, then ``now.accounts()`` and ``now.transactions()`` are of one state,
        also if another process commits meanwhile: each call on the lake itself reads its last one.

        Raises
        ------
        ToolError
            If there is no lake.
        """
        return self._reader(self._snapshot())

    def report(self, function: Callable[..., pd.DataFrame], **options: Any) -> pd.DataFrame:
        """Compute a report for each budget, and return the rows of all budgets.

        Dask computes it, on the client that is active or in this thread, and all budgets are of one
        state of the lake. For a report, today is the day in ``as_of``: the day of the last sync
        that found a change of the budget, or of the first sync of the month if that was later. The
        rows are exactly those that ``bf.reports`` returned for each budget alone on that day.
        Amounts are in the currency of the budget: never add up two currencies.

        With a `cache_dir`, a report with the same arguments is computed again only for the budgets
        that have changed; a function of your own is computed for all.

        Parameters
        ----------
        function : callable
            A report of `budgetframe.reports`, for example ``budgetframe.reports.spending``; all
            except `money_flow`, because the export of a budget has no money movements. Or a
            function of your own, which takes the ledger of one budget and returns a DataFrame. It
            is first called with a ledger without rows, whose result shows the columns; if that
            fails, the first budget shows them.
        **options
            Arguments of the function, except the frames of the budget. Those of a report, and its
            columns, are in the docstring of its method: ``bf.reports.spending?``.

        Returns
        -------
        DataFrame
            The rows of all budgets, sorted by budget_id, and of each budget in the order of its
            report. The first two columns are ``budget_id`` and ``currency`` (ISO code); the others
            are those of the report, also when there are no budgets. A budget has no rows if its
            report raises an error, for example because it has no account of a given name, or if the
            result is no DataFrame that can be joined: a warning names the first one, and
            ``attrs["refused"]`` has all reasons.

        Raises
        ------
        ToolError
            If the function is no report on one budget or needs a frame that a lake does not have,
            an argument is not valid, no budget has a report, or there is no lake.
        """
        frames = frames_for(function, options)
        return compute_report(self._snapshot(), function, options, frames, self._cache_dir)

    def changes(
        self, table: str = "transactions", *, since: Any, money: Money = "float"
    ) -> pd.DataFrame:
        """Return the rows of a table that differ from those that an earlier sync left.

        ``source``, ``as_of`` and order do not count. Only budgets that have changed are read.

        Parameters
        ----------
        table : str
            Name of a table; all except ``"ledger"``, whose rows have no key.
        since : Series or dict
            A row of `runs`, or ``attrs["run"]`` of the result of a sync. `vacuum` with `keep_hours`
            keeps the state that it left; `forget` deletes it.
        money : {"float", "milliunits", "decimal"}
            The type of the amounts, as in `frame`.

        Returns
        -------
        DataFrame
            ``change`` ("added", "changed" or "removed": then with its last values), the columns of
            the table, ``currency``, ``as_of``, ``budget_id``, ``source``, sorted by budget and key.

        Raises
        ------
        ToolError
            If the table has no key, or `since` is no sync of this lake whose state still exists.
        """
        if table == "ledger":
            raise ToolError("the ledger has no key: use transactions and subtransactions")
        check_choice(table, "table", FRAMES)
        check_money(money)
        snapshot = self._snapshot()
        return in_money(changed_rows(state_after(since, snapshot), snapshot, table), money)

    def accounts(self, columns: Sequence[str] | None = None) -> dd.DataFrame:
        """The accounts of all budgets, as a Dask DataFrame; see `ledger` and `now`."""
        return self._dask("accounts", columns)

    def budgets(self, columns: Sequence[str] | None = None) -> dd.DataFrame:
        """All budgets, one row for each, as a Dask DataFrame; see `ledger`.

        Its column ``has_left`` (bool) and that of the view are computed from ``_sync``: whether no
        source of the last sync has the budget. Other programs join ``_sync`` by ``budget_id``.
        """
        return self._dask("budgets", columns)

    def categories(self, columns: Sequence[str] | None = None) -> dd.DataFrame:
        """The categories of all budgets, as a Dask DataFrame; see `ledger`."""
        return self._dask("categories", columns)

    def category_groups(self, columns: Sequence[str] | None = None) -> dd.DataFrame:
        """The category groups of all budgets, as a Dask DataFrame; see `ledger`."""
        return self._dask("category_groups", columns)

    def ledger(self, columns: Sequence[str] | None = None) -> dd.DataFrame:
        """The ledger of all budgets, as a Dask DataFrame.

        Parameters
        ----------
        columns : sequence of str, optional
            The columns to read, in this order: with few columns a computation takes less time. By
            default all of them.

        Returns
        -------
        dask.dataframe.DataFrame
            The columns and dtypes of the frame of the facade, and ``currency``, ``as_of`` and
            ``budget_id``. The index is the bucket, with known divisions, one partition for each.
            The rows of one budget are in one partition, together and in the order of the frame.
            They are read when Dask computes, from the state of the lake at the time of this call
            (`now` has one state for several calls): if `vacuum` has deleted it then, the
            computation raises `ToolError`. Sum amounts of one currency only, and with
            `budgetframe.frames.milliunits` if the sum must be exact.
        """
        return self._dask("ledger", columns)

    def month_categories(self, columns: Sequence[str] | None = None) -> dd.DataFrame:
        """The categories of all budgets in every month, as a Dask DataFrame; see `ledger`."""
        return self._dask("month_categories", columns)

    def months(self, columns: Sequence[str] | None = None) -> dd.DataFrame:
        """The months of all budgets, as a Dask DataFrame; see `ledger`."""
        return self._dask("months", columns)

    def payee_locations(self, columns: Sequence[str] | None = None) -> dd.DataFrame:
        """The locations of the payees of all budgets, as a Dask DataFrame; see `ledger`."""
        return self._dask("payee_locations", columns)

    def payees(self, columns: Sequence[str] | None = None) -> dd.DataFrame:
        """The payees of all budgets, as a Dask DataFrame; see `ledger`."""
        return self._dask("payees", columns)

    def scheduled_subtransactions(self, columns: Sequence[str] | None = None) -> dd.DataFrame:
        """The parts of scheduled transactions of all budgets, as a Dask DataFrame; see `ledger`."""
        return self._dask("scheduled_subtransactions", columns)

    def scheduled_transactions(self, columns: Sequence[str] | None = None) -> dd.DataFrame:
        """The scheduled transactions of all budgets, as a Dask DataFrame; see `ledger`."""
        return self._dask("scheduled_transactions", columns)

    def subtransactions(self, columns: Sequence[str] | None = None) -> dd.DataFrame:
        """The parts of split transactions of all budgets, as a Dask DataFrame; see `ledger`."""
        return self._dask("subtransactions", columns)

    def transactions(self, columns: Sequence[str] | None = None) -> dd.DataFrame:
        """The transactions of all budgets, as a Dask DataFrame; see `ledger`."""
        return self._dask("transactions", columns)

    def status(self) -> pd.DataFrame:
        """Return the result of the last attempt for each budget, and how fresh its rows are.

        Returns
        -------
        DataFrame
            One row for each source and budget, and for what `sync` reports without a budget,
            sorted by both names.

            =============  ===================  ================================================
            column         dtype                meaning
            =============  ===================  ================================================
            source         str                  name of the source; empty for a forgotten,
                                                blocked budget
            budget_name    str                  name of the budget
            status         str                  result of the last attempt, such as ok or limit
            reason         str                  why it is not ok, or warnings about the rows
            requests       int64                number that the last attempt has sent
            row_count      int64                rows of the budget in all tables
            tried_at       datetime64[us, UTC]  time of the last attempt
            checked_at     datetime64[us, UTC]  last time that it was ok
            next_attempt   datetime64[us, UTC]  when the limit of requests ends
            waiting_since  datetime64[us, UTC]  first of the attempts in a row that the limit
                                                has stopped
            as_of          datetime64[us, UTC]  time of the answer with the rows
            budget_id      str                  key of the budget; empty if it is unknown
            =============  ===================  ================================================

        Raises
        ------
        ToolError
            If there is no lake.
        """
        return self._notes(SYNC, ["source", "budget_name", "budget_id"])

    def runs(self) -> pd.DataFrame:
        """Return one row for each sync that ended, the first one first.

        A sync writes its row also if no budget has changed. A sync that was killed has none.

        Returns
        -------
        DataFrame
            ============  ===================  =================================================
            column        dtype                meaning
            ============  ===================  =================================================
            started_at    datetime64[us, UTC]  start of the sync
            ended_at      datetime64[us, UTC]  end of the sync
            host          str                  name of the machine
            version       str                  version of budgetframe
            status        str                  ok, limit (only the limit stopped budgets) or
                                               failed
            budgets       int64                number in the result of the sync
            changed       int64                with new rows
            limited       int64                that the limit of requests has stopped
            failed        int64                that are not up to date for another reason
            row_count     int64                rows of these budgets in all tables
            requests      int64                number without those for lists of budgets
            next_attempt  datetime64[us, UTC]  when the first limit of requests ends
            ============  ===================  =================================================

        Raises
        ------
        ToolError
            If there is no lake.
        """
        return self._notes(RUNS, ["started_at"])

    def views(self, file: str | os.PathLike[str] | None = None, *, mount: str | None = None) -> str:
        """Write ``lake.sql``, or the same script for readers elsewhere, and return its address.

        The script creates one view in DuckDB for each table of the lake, on the files of the last
        complete state, which its first line has in JSON. Each commit replaces ``lake.sql``: run it
        again. Call this method if the lake was moved or copied: ``lake.sql`` has the former folder.

        Parameters
        ----------
        file : path, optional
            A file on this machine, with `mount`: ``lake.sql`` stays as it is. No commit replaces
            this file: write it again after each commit, and after `vacuum` or `forget`.
        mount : str, optional
            The address of the lake for the readers of `file`, such as ``/mnt/lake``, ``Z:/lake``,
            or a path that is relative to the folder where they start DuckDB.

        Raises
        ------
        ToolError
            If there is no lake, one of `file` and `mount` is missing, DuckDB cannot use `mount`,
            the file is that of the lake or cannot be written, or another process is changing it.
        """
        if file or mount:
            return write_elsewhere(self._snapshot(), file, mount)
        with self._writer(rebuilds=True) as writer:
            self._address.write(VIEWS, script_of(writer.snapshot))
        return f"{self._address.uri}/{VIEWS}"

    def rebuild(self, buckets: int | None = None) -> int:
        """Write all tables again from the stored answers, and return the number of budgets.

        No request is sent. It is needed if another version of this package, whose columns have
        other types, wrote the lake. New columns alone do not need it: they are missing until the
        next sync converts the stored answers again.

        Parameters
        ----------
        buckets : int, optional
            New number of partitions of the lake. By default, it stays.

        Raises
        ------
        ToolError
            If `buckets` is not valid, there is no lake, or another process is changing it.
        """
        check_whole(LEAST_BUCKETS if buckets is None else buckets, "buckets")
        with self._writer(rebuilds=True) as writer:
            return writer.rebuild(buckets)

    def export(self, budget: str, path: str | os.PathLike[str]) -> Path:
        """Write everything about one budget to a zip file, for its owner; return its path.

        It contains one CSV file for each table, the row of `status`, and ``budget.json``, which
        `budgetframe.BudgetFrame.from_export` opens. Only in the CSV files, a text that a
        spreadsheet would take for a formula has an apostrophe before it.

        Parameters
        ----------
        budget : str
            Name or id of the budget.
        path : path
            The new file; its mode is 0600.

        Raises
        ------
        ToolError
            If there is no such budget, several budgets have this name, or the file cannot be
            written.
        """
        snapshot = self._snapshot()
        budget_id = id_of(budget, snapshot)
        return write_archive(snapshot, budget_id, frames_of(snapshot, [*FRAMES], budget_id), path)

    def compact(self) -> None:
        """Join the small files that single syncs leave in each bucket.

        A sync itself joins the files of a bucket that has 8 of them.

        Raises
        ------
        ToolError
            If there is no lake, or another process is changing it.
        """
        with self._writer() as writer:
            writer.compact()

    def vacuum(self, keep_hours: int = 0) -> int:
        """Delete the files that the lake does not need any more, and return their number.

        These are the files and logs of earlier states, and the files of syncs that did not finish.
        By default each file in the folders of the tables is deleted that the last state does not
        name, whatever the clocks say, and the results of reports in the `cache_dir`: `at` then
        knows no earlier state, and a program that still reads one, also with a Dask frame that was
        created before, gets an error. Files of yours outside these folders stay. On Windows, a file
        that a program is reading cannot be deleted: the error names it; call this method again.

        Parameters
        ----------
        keep_hours : int
            Keep the states of the last hours, and with them what `compact` and `rebuild` replaced.
            Their ages are differences of the clocks of this machine, of earlier writers, and of the
            storage: if one of these was ahead, more is kept.

        Raises
        ------
        ToolError
            If `keep_hours` is not valid, there is no lake, or another process is changing it.
        """
        check_whole(keep_hours, "keep_hours", 0)
        with self._writer() as writer:
            return clean(writer, keep_hours, self._cache_dir)

    def forget(self, budget: str, *, block: bool = False) -> Erasure:
        """Remove all rows of a budget, delete all files with it, and prove it.

        It deletes what `vacuum` without `keep_hours` deletes. Then it looks for the id of the
        budget in each file that is left below the address of the lake: of tables with a bucket in
        the column ``budget_id``, of all other files in everything, of those that are no readable
        Parquet in their bytes. Copies and backups elsewhere are yours to delete, and the results of
        reports in any other `cache_dir`. The search takes about 0.5 ms of CPU time for each file,
        of which each bucket has 14 or more, and in an object store three requests.

        If this method is interrupted or fails, call it again, with the id of the budget: it does
        the rest and searches again, also if the lake does not know the id any more.

        Parameters
        ----------
        budget : str
            The id of a budget, or a name that the lake knows, also of a budget that no sync could
            read; or the name of a source whose budgets are unknown.
        block : bool
            By default, a later sync reads the budget again if its source still has it. True: no
            sync reads it until `allow` permits it. The lake keeps a hash of its id for this.

        Returns
        -------
        Erasure
            The id, the number of deleted files, and the result of the search.

        Raises
        ------
        ToolError
            If no budget or several have this name, another process is changing the lake, or a file
            that is left contains the id or cannot be read: the error names it.
        """
        with self._writer() as writer:
            return forget(writer, budget, self._cache_dir, block=block)

    def allow(self, budget_id: str) -> None:
        """Permit that a sync reads a budget that `forget` has blocked.

        Parameters
        ----------
        budget_id : str
            The id of the budget, or the hash that a sync shows: the lake has no name of it.

        Raises
        ------
        ToolError
            If no budget with this id is blocked, or another process is changing the lake.
        """
        with self._writer() as writer:
            allow(writer, budget_id)

    def _notes(self, name: str, order: list[str]) -> pd.DataFrame:
        frame = frame_from(name, self._snapshot().read(name), OTHERS[name])
        return frame.sort_values(order, ignore_index=True)

    def _dask(self, name: str, columns: Sequence[str] | None) -> dd.DataFrame:
        chosen = chosen_columns(name, columns)
        return dask_frame(self._snapshot().of([name, SYNC]), name, chosen)

    def _snapshot(self) -> Snapshot:
        return self._state or self._address.snapshot()

    def _reader(self, state: Snapshot) -> Lake:
        reader = Lake(self._address.uri, self._address.options, cache_dir=self._cache_dir)
        reader._state = state
        return reader

    def _writable(self) -> LakeAddress:
        if self._state is not None:
            raise ToolError("this lake shows one state (at, now): change Lake(uri) itself")
        return self._address

    @contextmanager
    def _writer(self, *, rebuilds: bool = False) -> Iterator[Writer]:
        self._writable().snapshot()  # if there is no lake, an error before the turn writes a file
        with turn(self._address):
            yield Writer(self._address, rebuilds=rebuilds)

"""`BudgetFrame`: connecting, and what belongs to the connection itself."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from datetime import datetime
from functools import partial
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from budgetframe._cache.delta_cache import drop_unused
from budgetframe._client.client import ServiceClient
from budgetframe._client.credentials import Token, TokenFunction
from budgetframe._client.usage import RequestUsage
from budgetframe._resources import BASE_URL
from budgetframe._runtime.deferred_warnings import collected_warnings
from budgetframe._runtime.event_loop import LoopRunner, OnLoop, loop_of_client
from budgetframe._runtime.short_traceback import without_frames
from budgetframe._session.session import Session
from budgetframe.errors import ToolError

from .aio import AsyncBudgetFrame
from .aio.base import naming_its_methods
from .connect import (
    Connection,
    Options,
    connect_client,
    connect_export,
    connect_sandbox,
    connect_service,
)
from .display import budget_as_html, budget_as_text, missing_attribute
from .methods.changes import ChangeMethods
from .methods.frames import FrameMethods
from .methods.models import Models
from .methods.objects import ObjectMethods
from .methods.transactions import TransactionMethods
from .methods.writes import WriteMethods
from .wait_for import WaitFor

if TYPE_CHECKING:
    from budgetframe.sandbox import Sandbox

    from .methods.reports import Reports


@naming_its_methods
class BudgetFrame(FrameMethods, TransactionMethods, ObjectMethods, WriteMethods, ChangeMethods):
    """A budget as typed pandas DataFrames, for synchronous code and notebooks.

    Create a `BudgetFrame` with `connect` or `sandbox`; the constructor is for a client that you
    created yourself. Nothing is sent before the first read.

    Answers are kept for `ttl` seconds: running a cell again costs no request. After that time, a
    read requests what changed, which is one small request for each list. `refresh` drops
    everything. The time that the service stated is in ``frame.attrs["as_of"]``.

    All methods raise `ToolError` if the limit is reached or an argument is not valid,
    `ServiceAPIError` if the service answers with an error, and ``httpx.TransportError`` if it does
    not answer; ``help(budgetframe)`` explains them. The traceback of an expected error ends at the
    call. To see the frames inside this package, set the environment variable ``BUDGETFRAME_DEBUG``
    to ``1``. ``help(budgetframe.frames)`` explains the parameters `money`, `extra` and
    `include_deleted`, which mean the same in all methods.

    Parameters
    ----------
    client : ServiceClient
        Is used and never closed. A client without a cache gets one.
    budget : str, optional
        Name or id of the budget, or ``"last-used"``; not needed when there is only one.
    ttl : float
        Seconds for which an answer is kept; 0 to keep none.
    on_limit : {"stale", "raise", "wait"}
        What a read does when the limit is reached, or when the service fails or does not answer:
        return the answer of the last read, with a `StaleDataWarning`, if there is one; raise the
        error; or wait until the limit allows the request, with a progress bar, and raise other
        errors. Writes never wait.
    verify : bool
        Whether the transactions are compared with the service's own figures each time they are
        requested, as `reconcile` does, with a warning if they do not agree. It costs one more
        request, for the whole budget; the other lists are then taken from its answer without a
        request. If the figures do not agree, it costs six requests in all, once for each
        difference.
    progress : bool
        Whether to show the progress of calls over one second and of waits for the limit.
    read_only : bool
        Whether every method that writes is an error; previews are shown. The environment variable
        ``BUDGETFRAME_READ_ONLY=1`` does the same for all connections.
    loop : {"private", "running"}
        Where coroutines run: on a separate thread, or inside the event loop that is already
        running, for a client that was used with top-level ``await``.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> bf.months()["income"].tail(1).tolist()
    [3231.62]
    >>> bf.requests
    2 of 200 requests used in the last hour, 198 left
    """

    def __init__(
        self,
        client: ServiceClient,
        *,
        budget: str | None = None,
        ttl: float = 300.0,
        on_limit: Literal["stale", "raise", "wait"] = "stale",
        verify: bool = False,
        progress: bool = True,
        read_only: bool = False,
        loop: Literal["private", "running"] = "private",
    ) -> None:
        options = Options(
            budget=budget, ttl=ttl, on_limit=on_limit, verify=verify, progress=progress,
            read_only=read_only,
        )  # fmt: skip
        if not isinstance(client, ServiceClient):
            del client  # it can be a token, and some displays of a traceback show it
            raise ToolError("client must be a ServiceClient; BudgetFrame.connect() takes a token")
        session, runner = connect_client(client, options, loop=loop)
        self._set_up(session, runner, base_url=str(client.base_url), on_loop=loop_of_client(runner))

    @classmethod
    def connect(
        cls,
        token: str | TokenFunction | None = None,
        *,
        budget: str | None = None,
        base_url: str = BASE_URL,
        ttl: float = 300.0,
        timeout: float = 30.0,
        on_limit: Literal["stale", "raise", "wait"] = "stale",
        cache_dir: str | PathLike[str] | None = None,
        verify: bool = False,
        progress: bool = True,
        read_only: bool = False,
    ) -> BudgetFrame:
        """Connect to the service. Nothing is sent yet.

        Connections and lakes of a process with the same token count their requests together, and
        connections without `cache_dir` share their answers: to connect again costs nothing.

        Parameters
        ----------
        token : str or callable, optional
            Access token, or a function that returns it (and shares no answers), called for each
            request, and again after the status 401. By default it comes from ``BUDGETFRAME_TOKEN``,
            the keyring of ``budgetframe login``, or a prompt; do not write a token in a cell.
        budget : str, optional
            Name or id of the budget, or ``"last-used"``; not needed when there is only one.
        base_url : str
            Address of the service; it must be https, except on this machine.
        ttl : float
            Seconds for which an answer is kept; 0 to keep none.
        timeout : float
            Seconds to wait for an answer to begin or to continue; the complete answer may take four
            times as long.
        on_limit : {"stale", "raise", "wait"}
            What a read does when the service does not answer, as for `BudgetFrame`.
        cache_dir : path, optional
            Folder for what outlives a restart and all processes share: the answers, in clear
            text, and the count of requests; by default that of ``BUDGETFRAME_CACHE_DIR``, if any,
            but none with a function as the token. Then use a folder for each person.
        verify, progress, read_only : bool
            Whether the transactions that are requested are compared with the service's own figures,
            progress is shown, and every method that writes is an error, as for `BudgetFrame`.

        Raises
        ------
        ToolError
            When there is no valid token, it is also in another argument, or the address is unsafe.

        Examples
        --------
        >>> bf = BudgetFrame.connect("an-access-token", budget="Household")
        >>> bf.requests
        0 of 200 requests used in the last hour, 200 left
        """
        options = Options(
            budget=budget, ttl=ttl, on_limit=on_limit, verify=verify, progress=progress,
            read_only=read_only,
        )  # fmt: skip
        secret = Token(token)
        token = None  # some displays of a traceback show the local variables
        try:
            connection = connect_service(
                secret, base_url, options, timeout=timeout, cache_dir=cache_dir
            )
        except Exception as error:  # noqa: BLE001 - raised again
            # The frames below hold the token or the environment, which can contain the token.
            error.__cause__ = error.__context__ = None
            raise without_frames(error) from None
        places: dict[str, Any] = {"base_url": connection.base_url, "cache_dir": cache_dir}
        recreate = partial(cls.connect, **options, **places, timeout=timeout)
        return cls._from_connection(connection, recreate)

    @classmethod
    def sandbox(
        cls,
        service: Sandbox | None = None,
        *,
        budget: str | None = "Household",
        ttl: float = 300.0,
        on_limit: Literal["stale", "raise", "wait"] = "stale",
        cache_dir: str | PathLike[str] | None = None,
        verify: bool = False,
        progress: bool = True,
        read_only: bool = False,
    ) -> BudgetFrame:
        """Connect to the embedded service: invented data, no network and no token.

        Parameters
        ----------
        service : budgetframe.sandbox.Sandbox, optional
            An existing service, to change its state besides this connection; by default a new one.
            Its connections do not share their answers, so that one can check another.
        budget, ttl, on_limit, cache_dir, verify, progress, read_only : optional
            As for `connect`, but the stored data belong to this one service instance.

        Raises
        ------
        ToolError
            When the extra ``budgetframe[sandbox]`` is not installed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.budgets()["budget_name"].tolist()
        ['Household', '東京の家計']
        """
        options = Options(
            budget=budget, ttl=ttl, on_limit=on_limit, verify=verify, progress=progress,
            read_only=read_only,
        )  # fmt: skip
        connection = connect_sandbox(service, options, cache_dir=cache_dir)
        return cls._from_connection(connection, partial(cls.sandbox, **options))

    @classmethod
    def from_export(
        cls,
        path: str | PathLike[str],
        *,
        as_of: str | datetime | None = None,
        dates: str | None = None,
    ) -> BudgetFrame:
        """Open the file of a whole budget: without a token, a network or requests.

        Frames, models, reports, plots, pages and workbooks are those of the service's answer in
        the file, which `save_export` writes and other programs too. "Today" is the day of the
        file. Methods that write, and lists that only the service has, such as money movements,
        are errors. Rows that were deleted are only there if the file has them.

        The app's own export is read too. A warning says what it does not state, such as the types
        of accounts, and so does a report that needs it. An account is a budget account if one of
        its rows has a category, or if budget accounts have transfers to it without a category.
        Keys are made from the rows, and that of the budget from its name and first day.

        Parameters
        ----------
        path : path
            JSON, also compressed with gzip: ``{"data": {"budget": ...}}`` as the service answers,
            ``{"budget": ...}``, or the budget alone; ``plan`` is the newer word for ``budget``.
            Or the app's export: its zip, the folder of its CSV files, or the register alone.
        as_of : str or datetime, optional
            The day or time of the answer. By default the time that a file of `save_export` states;
            for other files the time when they were written, or that of the last change of the
            budget if the file is over 31 days younger, or older: a copy. For the app's export the
            day in its name, or else that of its last row.
        dates : {"dd/mm/yyyy", "mm/dd/yyyy", "yyyy/mm/dd"}, optional
            The order of day, month and year in the app's export, if its days do not show it.

        Raises
        ------
        ToolError
            When the file cannot be read, is a link or over 256 MB, or contains no budget.
            Something else than a list is an error of the methods that read it.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = BudgetFrame.sandbox().save_export(pathlib.Path(folder, "budget.json.gz"))
        ...     bf = BudgetFrame.from_export(path)
        >>> bf.reports.net_worth(freq="year")["net"].tolist()
        [14722.1, 25139.89, 34876.14, 40678.18]
        """
        options: dict[str, Any] = {"as_of": as_of, "dates": dates}
        with collected_warnings() as collected:
            connection = connect_export(path, **options)
        for warning in collected:
            warnings.warn(warning, stacklevel=2)
        return cls._from_connection(connection, partial(cls.from_export, path, **options))

    @property
    def aio(self) -> AsyncBudgetFrame:
        """All methods that send requests, as coroutines: ``await bf.aio.accounts()``."""
        return self._aio

    @property
    def models(self) -> Models:
        """Lists as models instead of frames: ``bf.models.transactions()``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.models.accounts()[0].name
        'Checking'
        """
        return Models(self._aio.models, self._wait_for)

    @property
    def reports(self) -> Reports:
        """Reports with pictures: ``bf.reports.net_worth()``, ``bf.reports.spending().plot()``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.reports.net_worth(freq="year")["net"].tolist()
        [14722.1, 25139.89, 34876.14, 40678.18]
        """
        from .aio.reports import AsyncReports  # noqa: PLC0415 - slow, and a first frame does not need it
        from .methods.reports import Reports  # noqa: PLC0415

        return Reports(AsyncReports(self._aio, self.changes), self._wait_for)

    if not TYPE_CHECKING:  # a type checker must not accept every name

        def __getattr__(self, name: str) -> Any:
            return missing_attribute(self, name, "bf")

    @property
    def requests(self) -> RequestUsage:
        """The requests that all connections with this token have used of the limit.

        Returns
        -------
        RequestUsage
            With ``used``, ``limit``, ``left``, ``next_free`` (seconds), the requests of this
            connection, ``by_resource`` and ``by_cell``, and its reads without one, ``from_cache``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> _ = bf.accounts(), bf.transactions()
        >>> bf.requests.by_resource
        {'budgets': 1, 'accounts': 1, 'transactions': 1}
        >>> _ = bf.accounts()
        >>> bf.requests.from_cache
        {'accounts': 1}
        """
        source = self._session.reads.client
        allowed, used, retry_after = source.guard.usage()
        next_free = 0.0 if allowed else retry_after
        return source.counter.requests(used, source.guard.threshold, next_free)

    def with_budget(self, budget: str) -> BudgetFrame:
        """Another budget of the same user, on the same connection.

        Parameters
        ----------
        budget : str
            Name or id of the other budget.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> other = bf.with_budget("東京の家計")
        >>> other.settings().currency_format.iso_code
        'JPY'
        """
        other = object.__new__(type(self))
        session = self._session.sibling(budget)
        other._set_up(session, self._runner, base_url=self._base_url, on_loop=self._on_loop)
        if self._recreate is not None:
            other._recreate = partial(self._recreate, budget=budget)
        return other

    def refresh(self) -> None:
        """Drop all answers, so that the next call requests the complete list again.

        This also holds for the other connections with which this one shares its answers.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> _ = bf.accounts()
        >>> bf.refresh()
        >>> _ = bf.accounts()
        >>> bf.requests.used
        3
        """
        self._session.clear()

    def close(self) -> None:
        """Close the connection. This is optional.

        Its answers stay for connections with the same address and token. If none of these is open,
        those that are older than `ttl` leave memory when the next connection is opened or closed.
        A later call opens the connection again. A client
        that you passed is not closed, but its open network connections belong to the event loop
        that ends here: close the client as well.
        """
        self._session.store_frames()
        self._runner.close()
        drop_unused()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        name, requests = type(self).__name__, self._requests_as_text()
        return budget_as_text(name, self._session, self._base_url, requests)

    def _repr_html_(self) -> str:
        return budget_as_html(self._session, self._base_url, self._requests_as_text())

    def _requests_as_text(self) -> str:
        try:
            return repr(self.requests)
        except ToolError as error:  # a forked child shows what to do, as its calls do
            return str(error)

    def __copy__(self) -> Self:
        return self  # two copies of one connection would behave like one

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[[], BudgetFrame], tuple[()]]:
        # Only the configuration: the process that loads it looks for the token again.
        if self._recreate is None:
            problem = "cannot be pickled: create it in the other process"
            raise TypeError(f"a BudgetFrame on a client that you passed {problem}")
        return self._recreate, ()

    @classmethod
    def _from_connection(
        cls, connection: Connection, recreate: Callable[..., BudgetFrame]
    ) -> BudgetFrame:
        self = object.__new__(cls)
        session, runner, base_url = connection
        self._set_up(session, runner, base_url=base_url, on_loop=runner.on_loop)
        self._recreate = recreate
        return self

    def _set_up(
        self, session: Session, runner: LoopRunner, *, base_url: str, on_loop: OnLoop
    ) -> None:
        super().__init__(AsyncBudgetFrame(session, on_loop), WaitFor(runner))
        if "IPython" in sys.modules:
            from .name_completion import offer_names  # noqa: PLC0415 - only for IPython

            offer_names()
        self._session = session
        self._runner = runner
        self._base_url = base_url
        self._on_loop = on_loop
        self._recreate: Callable[..., BudgetFrame] | None = None  # makes an equal one, for pickle

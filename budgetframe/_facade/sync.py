"""BudgetFrame: a budget in a notebook, without ``await``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Coroutine
from functools import partial
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import httpx

from budgetframe._client.client import ServiceClient
from budgetframe._client.usage import RequestUsage
from budgetframe._runtime.deferred_warnings import collected_warnings
from budgetframe._runtime.event_loop import LoopRunner, OnLoop, loop_of_client
from budgetframe._session.on_limit import OnLimit
from budgetframe._session.session import Session
from budgetframe.errors import BudgetFrameError

from .aio import AsyncBudgetFrame
from .blocking import blocking
from .connect import Connection, Options, connect_client, connect_sandbox, connect_service
from .credentials import BASE_URL
from .display import as_html, as_text
from .sync_models import Models

if TYPE_CHECKING:
    from budgetframe.sandbox import Sandbox

    from .sync_reports import Reports

__all__ = ["BudgetFrame"]

_T = TypeVar("_T")


class BudgetFrame:
    """A budget as typed pandas DataFrames, for synchronous code and notebooks.

    Make one with `connect` or `sandbox`; the constructor is for a client you made yourself.
    Nothing is sent until a frame is asked for.

    What was read is remembered for `ttl` seconds: running a cell again costs no request. After
    that, lists are asked for what changed, which is one small request each. `refresh` forgets
    everything. Each frame says in ``frame.attrs["as_of"]`` when it was asked for.

    Parameters
    ----------
    client : ServiceClient
        Is used, and never closed. One without a cache is given one.
    budget : str, optional
        Name or id of the budget, or ``"last-used"``; not needed when there is only one.
    ttl : float
        Seconds for which an answer is remembered; 0 for none.
    on_limit : {"stale", "raise", "wait"}
        When the limit is reached, or the service fails or cannot be reached: show what was read
        last, with a `StaleDataWarning`, where there is something; raise the error; or wait
        until the limit allows the request, with a progress bar, and raise other errors.
        Writes never wait.
    verify : bool
        Whether to hold the transactions to the service's own figures each time they are read,
        as `reconcile` does, and to warn if they do not agree. It costs one more request, for
        the whole budget, from which the other lists are then shown without any.
    progress : bool
        Whether calls that take over a second, and waits for the limit, show their progress.
    loop : {"private", "running"}
        Where coroutines run: on a thread of their own, or inside the event loop that is running
        already, for a client that was used with top-level ``await``.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> months = bf.months()
    >>> months["budgeted"].dtype.name
    'float64'
    >>> bf.requests
    2 of 200 requests used in the last hour, 198 left
    """

    def __init__(
        self,
        client: ServiceClient,
        *,
        budget: str | None = None,
        ttl: float = 300.0,
        on_limit: OnLimit = "stale",
        verify: bool = False,
        progress: bool = True,
        loop: Literal["private", "running"] = "private",
    ) -> None:
        how = Options(budget=budget, ttl=ttl, on_limit=on_limit, verify=verify, progress=progress)
        session, runner = connect_client(client, how, loop=loop)
        self._set_up(session, runner, where=str(client.base_url), on_loop=loop_of_client(runner))

    @classmethod
    def connect(
        cls,
        token: str | None = None,
        *,
        budget: str | None = None,
        base_url: str = BASE_URL,
        ttl: float = 300.0,
        timeout: float = 30.0,
        on_limit: OnLimit = "stale",
        cache_dir: str | PathLike[str] | None = None,
        verify: bool = False,
        progress: bool = True,
    ) -> BudgetFrame:
        """Connect to the service. Nothing is sent yet.

        Connections with the same token to the same address count their requests together: those
        of one process, and with a `cache_dir` those of all processes that name the same one.

        Parameters
        ----------
        token : str, optional
            Access token. Better not written in a cell: without it the environment variable
            ``BUDGETFRAME_TOKEN`` is used, else it is asked for without echo.
        budget : str, optional
            Name or id of the budget, or ``"last-used"``; not needed when there is only one.
        base_url : str
            Address of the service; https, except on this machine.
        ttl : float
            Seconds for which an answer is remembered; 0 for none.
        timeout : float
            Seconds to wait for an answer.
        on_limit : {"stale", "raise", "wait"}
            When the limit is reached, or the service fails or cannot be reached: show what was read
            last, with a `StaleDataWarning`, where there is something; raise the error; or wait
            until the limit allows the request, with a progress bar, and raise other errors.
            Writes never wait.
        cache_dir : path, optional
            Folder for what should outlive a restart of the kernel and be common to several: what
            was read, and the count of requests. Without it the environment variable
            ``BUDGETFRAME_CACHE_DIR`` says which; without that, nothing is kept. Each token has a
            file of its own there, for the user alone, with the budget in clear and without the
            token. A file that cannot be used is said in a warning and done without. Delete it
            whenever no connection is open; an embedded service that was started anew needs a new
            folder. In one process the first folder that is named for a token counts its requests.
        verify : bool
            Whether to hold the transactions to the service's own figures each time they are read,
            as `reconcile` does, and to warn if they do not agree. It costs one more request, for
            the whole budget, from which the other lists are then shown without any; six in all
            where the figures do not agree, once for each difference.
        progress : bool
            Whether calls that take over a second, and waits for the limit, show their progress.

        Raises
        ------
        ToolError
            When there is no token, or it cannot be one, or the address is not safe.

        Examples
        --------
        >>> bf = BudgetFrame.connect("an-access-token", budget="Household")
        >>> bf
        BudgetFrame(budget='Household', service='https://api.ynab.com/v1')
          0 of 200 requests used in the last hour, 200 left
          nothing loaded yet
        """
        how = Options(budget=budget, ttl=ttl, on_limit=on_limit, verify=verify, progress=progress)
        way = connect_service(token, base_url, how, timeout=timeout, cache_dir=cache_dir)
        recipe = partial(
            cls.connect, **how, base_url=way.where, timeout=timeout, cache_dir=cache_dir
        )
        return cls._own(way, recipe)

    @classmethod
    def sandbox(
        cls,
        service: Sandbox | None = None,
        *,
        budget: str | None = "Household",
        ttl: float = 300.0,
        on_limit: OnLimit = "stale",
        cache_dir: str | PathLike[str] | None = None,
        verify: bool = False,
        progress: bool = True,
    ) -> BudgetFrame:
        """Connect to the embedded service: an invented household, no socket, no token.

        Parameters
        ----------
        service : budgetframe.sandbox.Sandbox, optional
            One that was made before, to change its state beside this connection.
        budget : str, optional
            Name or id of the budget.
        ttl : float
            Seconds for which an answer is remembered; 0 for none.
        on_limit : {"stale", "raise", "wait"}
            When the limit is reached, or the service fails or cannot be reached: show what was read
            last, with a `StaleDataWarning`, where there is something; raise the error; or wait
            until the limit allows the request, with a progress bar, and raise other errors.
            Writes never wait.
        cache_dir : path, optional
            As for `connect`, but for this very service alone: another one is another world.
        verify, progress : bool
            As for `connect`.

        Raises
        ------
        ToolError
            When the extra ``budgetframe[sandbox]`` is not installed.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> len(bf.accounts()) > 5
        True
        """
        how = Options(budget=budget, ttl=ttl, on_limit=on_limit, verify=verify, progress=progress)
        return cls._own(
            connect_sandbox(service, how, cache_dir=cache_dir), partial(cls.sandbox, **how)
        )

    # What to read: the same as on `aio`, without await

    user = blocking(AsyncBudgetFrame.user)
    budgets = blocking(AsyncBudgetFrame.budgets)
    settings = blocking(AsyncBudgetFrame.settings)
    accounts = blocking(AsyncBudgetFrame.accounts)
    account = blocking(AsyncBudgetFrame.account)
    category_groups = blocking(AsyncBudgetFrame.category_groups)
    categories = blocking(AsyncBudgetFrame.categories)
    category = blocking(AsyncBudgetFrame.category)
    payees = blocking(AsyncBudgetFrame.payees)
    payee = blocking(AsyncBudgetFrame.payee)
    payee_locations = blocking(AsyncBudgetFrame.payee_locations)
    payee_location = blocking(AsyncBudgetFrame.payee_location)
    months = blocking(AsyncBudgetFrame.months)
    month = blocking(AsyncBudgetFrame.month)
    transactions = blocking(AsyncBudgetFrame.transactions)
    transaction = blocking(AsyncBudgetFrame.transaction)
    subtransactions = blocking(AsyncBudgetFrame.subtransactions)
    scheduled_transactions = blocking(AsyncBudgetFrame.scheduled_transactions)
    scheduled_transaction = blocking(AsyncBudgetFrame.scheduled_transaction)
    scheduled_subtransactions = blocking(AsyncBudgetFrame.scheduled_subtransactions)
    money_movements = blocking(AsyncBudgetFrame.money_movements)
    money_movement_groups = blocking(AsyncBudgetFrame.money_movement_groups)
    month_categories = blocking(AsyncBudgetFrame.month_categories)
    ledger = blocking(AsyncBudgetFrame.ledger)
    export = blocking(AsyncBudgetFrame.export)

    reconcile = blocking(AsyncBudgetFrame.reconcile)

    @property
    def aio(self) -> AsyncBudgetFrame:
        """The same methods, to await in async code: ``await bf.aio.accounts()``."""
        return self._aio

    @property
    def models(self) -> Models:
        """Lists as models instead of frames: ``bf.models.transactions()``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> len(bf.models.accounts()) == len(bf.accounts())
        True
        """
        return Models(self.aio.models, self._run)

    @property
    def reports(self) -> Reports:
        """Answers and pictures: ``bf.reports.net_worth()``, ``bf.reports.spending().plot()``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.reports.net_worth(freq="year")["net"].tolist()
        [15116.88, 25481.11, 35025.72, 40678.18]
        """
        from .sync_reports import Reports  # noqa: PLC0415 - seldom the first thing asked for

        return Reports(self.aio.reports, self._run)

    # What to write

    create_transactions = blocking(AsyncBudgetFrame.create_transactions)
    update_transactions = blocking(AsyncBudgetFrame.update_transactions)
    create_category_group = blocking(AsyncBudgetFrame.create_category_group)
    rename_category_group = blocking(AsyncBudgetFrame.rename_category_group)

    # The connection

    @property
    def requests(self) -> RequestUsage:
        """How many requests of the limit were used, by all connections with this token.

        Returns
        -------
        Requests
            With ``used``, ``limit``, ``left``, ``next_free`` (seconds), and what this connection
            itself has sent: ``by_resource`` and ``by_cell``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> _ = bf.accounts(), bf.transactions()
        >>> bf.requests.by_resource
        {'budgets': 1, 'accounts': 1, 'transactions': 1}
        """
        limiter, counter = self._session.reads.client.limiter, self._session.reads.client.counter
        allowed, used, retry_after = limiter.usage()
        return counter.requests(used, limiter.threshold, 0.0 if allowed else retry_after)

    def with_budget(self, budget: str) -> BudgetFrame:
        """Another budget of the same user, on the same connection.

        Parameters
        ----------
        budget : str
            Its name or id.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> other = bf.with_budget(bf.budgets()["budget_name"].iloc[-1])
        >>> other.requests == bf.requests
        True
        """
        other = object.__new__(type(self))
        session = self._session.sibling(budget)
        other._set_up(session, self._runner, where=self._where, on_loop=self._on_loop)
        if self._recipe is not None:
            other._recipe = partial(self._recipe, budget=budget)
        return other

    def refresh(self) -> None:
        """Forget what was read, so that the next call asks the service again, in full.

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
        """Close the connection; forgetting it does no harm.

        A later call opens it again. A client of yours stays as it is, but its open connections
        belong to the loop that ends here: close it as well.
        """
        self._runner.close()

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
        return as_text(type(self).__name__, self._session, self._where, self.requests)

    def _repr_html_(self) -> str:
        return as_html(self._session, self._where, self.requests)

    def __copy__(self) -> Self:
        return self  # a connection: there is nothing to be had from two of them

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[[], BudgetFrame], tuple[()]]:
        # Configuration alone: where it is loaded, the token is looked for again.
        if self._recipe is None:
            message = "a BudgetFrame on a client of yours cannot be pickled: make one where it goes"
            raise TypeError(message)
        return self._recipe, ()

    @classmethod
    def _own(cls, way: Connection, recipe: Callable[..., BudgetFrame]) -> BudgetFrame:
        self = object.__new__(cls)
        self._set_up(way.session, way.runner, where=way.where, on_loop=way.runner.on_loop)
        self._recipe = recipe
        return self

    def _set_up(self, session: Session, runner: LoopRunner, *, where: str, on_loop: OnLoop) -> None:
        self._session = session
        self._runner = runner
        self._where = where
        self._on_loop = on_loop
        self._recipe: Callable[..., BudgetFrame] | None = None
        self._aio = AsyncBudgetFrame(session, on_loop)

    def _run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        with collected_warnings() as notices:
            try:
                result = self._runner.run(coroutine)
            except (BudgetFrameError, httpx.RequestError) as error:
                # Expected, and said in full by its message: the frames of the bridge and of the
                # libraries below would bury it.
                raise error.with_traceback(None) from None
        for notice in notices:
            warnings.warn(notice, stacklevel=3)
        return result

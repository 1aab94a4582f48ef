"""The embedded service with generated budgets."""

from __future__ import annotations

import hmac
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Collection, Iterable
from datetime import date, datetime, timedelta

import httpx
from starlette.types import ASGIApp

from budgetframe.sandbox.household.builder import make_budgets
from budgetframe.sandbox.household.size import Size
from budgetframe.sandbox.state.editor import BudgetEditor
from budgetframe.sandbox.state.rows import Budget, noon
from budgetframe.sandbox.transport.in_process import InProcess
from budgetframe.sandbox.web.app import make_app
from budgetframe.sandbox.web.faults import Fault, FaultPlan
from budgetframe.sandbox.web.row_cache import RowCache

from .device import Device
from .errors import ApiError


class Sandbox:
    """The embedded budgeting service: generated budgets with the interface of the real service.

    Parameters
    ----------
    token
        The only access token that is accepted.
    seed
        Seed of the generated budgets; the same seed gives the same bytes everywhere.
    today
        The current date of the service, in UTC: a date, or a text such as ``"2026-06-17"``. Only
        `advance` changes it.
    clock
        A function that returns the seconds for the request limit, such as `time.monotonic`.
    limit
        Number of requests that are answered within any window. Errors count, except 429 and 401.
        On a socket, 421 does not count either: it is the answer to a request for another host name
        than a loopback one.
    window_seconds
        Length of the rolling window in seconds.
    years
        Full years before the current one that every budget contains, also 0. Default: three in the
        first budget, one in the others.
    transactions
        Number of transactions in the first budget, without deleted ones; 100,000 take a few
        seconds. About one in twenty of the additional transactions is a split. Default: about
        1,600 in three years.
    budgets
        Number of budgets, alternately in euro and yen.
    faults
        The faults that the service produces on purpose: a `FaultPlan`, or its rows.
    lenient
        Whether the service follows its documentation where the real service differs from it:

        * writes accept all frequencies of schedules, and not only never, daily, weekly, monthly and
          yearly.
        * deleting a split corrects the activity of its categories at once. The real service leaves
          the amounts there until another transaction of the category is written.
        * ``goal_target`` of a category without a target is null, and not 0.
        * a target with a date has the older code ``TBD``, and not ``TB``.
        * ``type=uncategorized`` leaves out transfers and starting balances.
    movement_totals
        Whether money movements under ``/budgets`` are totals, one for each category, and not one
        record for each move.
    spellings
        The first parts of paths that the service knows: ``budgets``, ``plans`` or both.

    Attributes
    ----------
    app
        The ASGI app; its paths begin with ``/v1``.
    base_url
        The base address for use with `transport`.
    budgets
        The editors of the budgets. Every access to them happens under `lock`.
    device
        A second device, which edits the budgets without requests.
    requests_served
        Number of requests that arrived, with the refused ones.

    Raises
    ------
    ValueError
        If a size is not possible; the message contains the possible sizes. If `today` is no day.

    Notes
    -----
    The sandbox does not model these parts of the real service:

    * several users and tokens, OAuth, the alias ``default`` and a default budget. The errors 403,
      500 and 503 and HTML pages only occur as `faults`.
    * the refusal of large batches, and the limit of 30 seconds for an answer.
    * irregular answers: splits that do not add up, rows that occur twice, rows of accounts that
      are not listed, and the older answers that lack newer fields.
    * connections to banks that fail: ``direct_import_in_error`` is always false.
    * the time of the day: every change happens at noon, UTC.

    Where the behaviour of the real service is not known, the sandbox has made a choice: all lists
    of a budget share one ``server_knowledge``; a renamed payee, category or account does not send
    its transactions again; and the changes since a ``server_knowledge`` lack the categories whose
    amounts only a new month changed. ``budgetframe doctor`` shows what a real account does.

    Examples
    --------
    >>> import asyncio, httpx
    >>> from budgetframe.sandbox import Sandbox
    >>> sandbox = Sandbox()
    >>> async def names() -> list[str]:
    ...     headers = {"Authorization": f"Bearer {sandbox.token}"}
    ...     async with httpx.AsyncClient(
    ...         transport=sandbox.transport(), base_url=sandbox.base_url, headers=headers
    ...     ) as http:
    ...         answer = await http.get("/budgets")
    ...     return [budget["name"] for budget in answer.json()["data"]["budgets"]]
    >>> asyncio.run(names())
    ['Household', '東京の家計']
    """

    base_url = "http://sandbox.invalid/v1"

    def __init__(
        self,
        *,
        token: str = "sandbox-token",  # noqa: S107 - it only opens this sandbox
        seed: int = 1,
        today: date | str = date(2026, 6, 17),
        clock: Callable[[], float] = time.monotonic,
        limit: int = 200,
        window_seconds: float = 3600.0,
        years: int | None = None,
        transactions: int | None = None,
        budgets: int = 2,
        faults: FaultPlan | Iterable[Fault | str] = (),
        lenient: bool = False,
        movement_totals: bool = False,
        spellings: Collection[str] = ("budgets", "plans"),
    ) -> None:
        today = _day(today)
        size = Size(years=years, transactions=transactions, budgets=budgets)
        editors = make_budgets(seed=seed, today=today, size=size)
        for editor in editors:
            editor.budget.is_lenient = lenient
            editor.budget.has_movement_totals = movement_totals
        self.token = token
        self.user_id = editors[0].budget.user_id
        self.movement_totals = movement_totals
        self.spellings = spellings
        self.limit = limit
        self.window_seconds = window_seconds
        self.clock = clock
        self.lock = threading.RLock()
        self.faults = faults
        self.today = today
        self._arrivals: deque[float] = deque()
        self.requests_served = 0
        self.budgets = editors
        self._row_caches = {each.budget.id: RowCache(each.budget) for each in editors}
        # Sandboxes with the same seed have the same ids; `instance` distinguishes them.
        self.instance = uuid.uuid4().hex
        self.device = Device(self.budgets, self.lock)
        self.app: ASGIApp = make_app(self)

    def transport(self) -> httpx.AsyncBaseTransport:
        """Return a transport for an `httpx.AsyncClient` that needs no socket.

        It works on every event loop.
        """
        return InProcess(self.app)

    def now(self) -> datetime:
        """Return noon of `today`, in UTC."""
        return noon(self.today)

    def advance(self, days: int) -> None:
        """Move `today` forward by a number of days.

        Scheduled transactions that become due are entered, unapproved. In a new month every
        category has new amounts.
        """
        if days < 0:
            raise ValueError(f"days is {days}: it must be 0 or more, time only moves forward")
        with self.lock:
            self.today += timedelta(days=days)
            for editor in self.budgets:
                editor.advance_to(self.today, self.now())

    def admit(self, authorization: str) -> ApiError | None:
        """Count a request and return the error that refuses it, or None if it is admitted."""
        with self.lock:
            self.requests_served += 1
            scheme, _, token = authorization.partition(" ")
            is_known = hmac.compare_digest(token.strip().encode(), self.token.encode())
            if scheme.lower() != "bearer" or not is_known:
                return ApiError("401")
            now = self.clock()
            while self._arrivals and now - self._arrivals[0] >= self.window_seconds:
                self._arrivals.popleft()
            if len(self._arrivals) >= self.limit:
                return ApiError("429")
            self._arrivals.append(now)
            return None

    @property
    def faults(self) -> FaultPlan:
        """The plan of the faults that the service produces on purpose.

        It can be replaced at any time, also by the rows of a plan. Faults only hit admitted
        requests, and these count against the limit.
        """
        return self._faults

    @faults.setter
    def faults(self, faults: FaultPlan | Iterable[Fault | str]) -> None:
        self._faults = faults if isinstance(faults, FaultPlan) else FaultPlan(faults)

    def find(self, budget_id: str) -> BudgetEditor | None:
        """Return the editor of the budget with this id; `last-used` is the first budget."""
        if budget_id == "last-used":
            return self.budgets[0]
        return next((each for each in self.budgets if each.budget.id == budget_id), None)

    def rows_of(self, budget: Budget) -> RowCache:
        """Return the cache of the serialized transactions of a budget."""
        return self._row_caches[budget.id]


def _day(today: date | str) -> date:
    """The current date of the service, which can be a text."""
    if isinstance(today, datetime):
        return today.date()
    if isinstance(today, date):
        return today
    try:
        return date.fromisoformat(today)
    except (TypeError, ValueError):
        raise ValueError(f"today={today!r}: it must be a day such as '2026-06-17'") from None

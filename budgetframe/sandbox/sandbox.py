"""The service and its state."""

from __future__ import annotations

import hmac
import random
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time as time_of_day, timedelta
from typing import Any

import httpx
from starlette.types import ASGIApp

from budgetframe.sandbox.household.builder import make_budgets
from budgetframe.sandbox.household.size import Size
from budgetframe.sandbox.state.editor import BudgetEditor
from budgetframe.sandbox.state.rows import Budget
from budgetframe.sandbox.transport.in_process import InProcess
from budgetframe.sandbox.web.app import make_app
from budgetframe.sandbox.web.faults import Fault, FaultPlan
from budgetframe.sandbox.web.row_cache import RowCache
from budgetframe.sandbox.web.serializers import Serializer

from .device import Device
from .errors import ApiError

_NOON = time_of_day(12, tzinfo=UTC)


class Sandbox:
    """The budgeting service, embedded: made-up budgets behind the real interface.

    Parameters
    ----------
    token
        The only access token that is accepted.
    seed
        What the budgets are made from; the same seed gives the same bytes everywhere.
    today
        The date on which the service lives, in UTC. Only `advance` moves it.
    clock
        Seconds for the limit, as `time.monotonic` gives them.
    limit
        Requests that are answered in any window. Errors count, except 429 and 401.
    window_seconds
        Length of the rolling window in seconds.
    years
        Full years that every budget reaches back before the current one. Not stated: three in
        the first budget, one in the others.
    transactions
        Rows of the first budget that are not deleted, up to 100,000 in seconds; about one in
        twenty of those added is a split. Not stated: some 1,600 in three years.
    budgets
        Number of budgets, in euro and yen by turns.
    faults
        What goes wrong on purpose: a `FaultPlan`, or rows for one.

    Raises
    ------
    ValueError
        If a size cannot be; the message says what can.

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

    def __init__(
        self,
        *,
        token: str = "sandbox-token",  # noqa: S107 - it opens nothing but this sandbox
        seed: int = 1,
        today: date = date(2026, 6, 17),
        clock: Callable[[], float] = time.monotonic,
        limit: int = 200,
        window_seconds: float = 3600.0,
        years: int | None = None,
        transactions: int | None = None,
        budgets: int = 2,
        faults: FaultPlan | Iterable[Fault | str] = (),
    ) -> None:
        self.token = token
        self.limit = limit
        self.window_seconds = window_seconds
        self.lock = threading.RLock()
        self._clock = clock
        self._today = today
        self._arrivals: deque[float] = deque()
        self._requests_served = 0
        self.faults = faults
        ids = random.Random(f"{seed} ids")  # noqa: S311 - made-up data, not a secret
        self.instance = uuid.uuid4().hex  # tells this service from one that was made the same
        self.user_id = str(uuid.UUID(int=ids.getrandbits(128), version=4))
        size = Size(years=years, transactions=transactions, budgets=budgets)
        self._budgets = make_budgets(seed=seed, ids=ids, today=today, now=self.now(), size=size)
        for entries in self._budgets:
            entries.budget.user_id = self.user_id
        self._rows = {each.budget.id: RowCache(each.budget) for each in self._budgets}
        self._app = make_app(self)
        self.device = Device(self._budgets, self.lock)

    # -- how to reach it -----------------------------------------------------------------------

    @property
    def app(self) -> ASGIApp:
        """The ASGI app; it answers below `/v1`."""
        return self._app

    @property
    def base_url(self) -> str:
        """The base address for use with `transport`."""
        return "http://sandbox.invalid/v1"

    def transport(self) -> httpx.AsyncBaseTransport:
        """Give a transport for an `httpx.AsyncClient` that needs no socket.

        It is bound to no event loop.
        """
        return InProcess(self._app)

    # -- time ----------------------------------------------------------------------------------

    @property
    def clock(self) -> Callable[[], float]:
        """Gives the seconds that the limit is counted in."""
        return self._clock

    @property
    def today(self) -> date:
        """The date on which the service lives."""
        return self._today

    def now(self) -> datetime:
        """Noon of `today`, in UTC."""
        return datetime.combine(self._today, _NOON)

    def advance(self, days: int) -> None:
        """Move `today` on.

        Scheduled transactions that fall due are entered, not yet approved; a new month comes
        with new amounts in every category.
        """
        if days < 0:
            raise ValueError(f"days is {days}: time goes forward only")
        with self.lock:
            self._today += timedelta(days=days)
            for entries in self._budgets:
                entries.live_on(self._today, self.now())

    # -- who may ask, and how often ------------------------------------------------------------

    @property
    def requests_served(self) -> int:
        """Number of requests that arrived, refused ones included."""
        return self._requests_served

    def admit(self, authorization: str) -> ApiError | None:
        """Count a request and tell why it is refused, if it is."""
        with self.lock:
            self._requests_served += 1
            scheme, _, token = authorization.partition(" ")
            known = hmac.compare_digest(token.strip().encode(), self.token.encode())
            if scheme.lower() != "bearer" or not known:
                return ApiError("401")
            now = self._clock()
            while self._arrivals and now - self._arrivals[0] >= self.window_seconds:
                self._arrivals.popleft()
            if len(self._arrivals) >= self.limit:
                return ApiError("429")
            self._arrivals.append(now)
            return None

    # -- what goes wrong on purpose -------------------------------------------------------------

    @property
    def faults(self) -> FaultPlan:
        """What goes wrong on purpose; it can be replaced at any time, by rows too.

        Only requests that were let through are hit, and they count against the limit.
        """
        return self._faults

    @faults.setter
    def faults(self, faults: FaultPlan | Iterable[Fault | str]) -> None:
        self._faults = faults if isinstance(faults, FaultPlan) else FaultPlan(faults)

    # -- budgets -------------------------------------------------------------------------------

    @property
    def budgets(self) -> tuple[BudgetEditor, ...]:
        """The budgets, each with what can be done to it."""
        return self._budgets

    def find(self, budget_id: str) -> BudgetEditor | None:
        """Give the budget of that id; `last-used` is the first one."""
        if budget_id == "last-used":
            return self._budgets[0]
        return next((each for each in self._budgets if each.budget.id == budget_id), None)

    def rows_of(self, budget: Budget) -> RowCache:
        """Give the transactions of a budget as bytes."""
        return self._rows[budget.id]

    def summaries(self, *, published: bool, with_accounts: bool) -> list[dict[str, Any]]:
        """Write the list of budgets."""
        rows = []
        for entries in self._budgets:
            serializer = Serializer(entries.budget, published)
            row = serializer.summary()
            if with_accounts:
                row["accounts"] = [
                    serializer.account(each) for each in entries.budget.accounts.live()
                ]
            rows.append(row)
        return rows

"""The state of the embedded service, and the admission of requests."""

from __future__ import annotations

import hmac
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, time as time_of_day, timedelta
from typing import Any

from budgetframe.sandbox.state.editor import BudgetEditor
from budgetframe.sandbox.state.rows import Budget
from budgetframe.sandbox.web.faults import Fault, FaultPlan
from budgetframe.sandbox.web.row_cache import RowCache
from budgetframe.sandbox.web.serializers import Serializer

from .errors import ApiError

_NOON = time_of_day(12, tzinfo=UTC)


def noon(day: date) -> datetime:
    """Return noon of a day, in UTC."""
    return datetime.combine(day, _NOON)


class Service:
    """Budgets, the current date, the token, the request limit and the fault plan.

    Every access to the budgets happens under `lock`.
    """

    def __init__(
        self,
        budgets: Sequence[BudgetEditor],
        *,
        token: str,
        user_id: str,
        today: date,
        clock: Callable[[], float],
        limit: int,
        window_seconds: float,
        faults: FaultPlan | Iterable[Fault | str] = (),
    ) -> None:
        self.token = token
        self.user_id = user_id
        self.limit = limit
        self.window_seconds = window_seconds
        self.lock = threading.RLock()
        self.faults = faults
        self._clock = clock
        self._today = today
        self._arrivals: deque[float] = deque()
        self._requests_served = 0
        self._budgets = tuple(budgets)
        self._row_caches = {each.budget.id: RowCache(each.budget) for each in budgets}

    # -- time ----------------------------------------------------------------------------------

    @property
    def clock(self) -> Callable[[], float]:
        """The clock of the request limit: a function that returns seconds."""
        return self._clock

    @property
    def today(self) -> date:
        """The current date of the service."""
        return self._today

    def now(self) -> datetime:
        """Return noon of `today`, in UTC."""
        return noon(self._today)

    def advance(self, days: int) -> None:
        """Move `today` forward by a number of days.

        Scheduled transactions that become due are entered, unapproved. In a new month every
        category has new amounts.
        """
        if days < 0:
            raise ValueError(f"days is {days}: it must be 0 or more, time only moves forward")
        with self.lock:
            self._today += timedelta(days=days)
            for editor in self._budgets:
                editor.advance_to(self._today, self.now())

    # -- token and request limit ---------------------------------------------------------------

    @property
    def requests_served(self) -> int:
        """Number of requests that arrived, with the refused ones."""
        return self._requests_served

    def admit(self, authorization: str) -> ApiError | None:
        """Count a request and return the error that refuses it, or None if it is admitted."""
        with self.lock:
            self._requests_served += 1
            scheme, _, token = authorization.partition(" ")
            is_known = hmac.compare_digest(token.strip().encode(), self.token.encode())
            if scheme.lower() != "bearer" or not is_known:
                return ApiError("401")
            now = self._clock()
            while self._arrivals and now - self._arrivals[0] >= self.window_seconds:
                self._arrivals.popleft()
            if len(self._arrivals) >= self.limit:
                return ApiError("429")
            self._arrivals.append(now)
            return None

    # -- faults --------------------------------------------------------------------------------

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

    # -- budgets -------------------------------------------------------------------------------

    @property
    def budgets(self) -> tuple[BudgetEditor, ...]:
        """The editors of the budgets."""
        return self._budgets

    def find(self, budget_id: str) -> BudgetEditor | None:
        """Return the editor of the budget with this id; `last-used` is the first budget."""
        if budget_id == "last-used":
            return self._budgets[0]
        return next((each for each in self._budgets if each.budget.id == budget_id), None)

    def rows_of(self, budget: Budget) -> RowCache:
        """Return the cache of the serialized transactions of a budget."""
        return self._row_caches[budget.id]

    def summaries(self, *, published: bool, with_accounts: bool) -> list[dict[str, Any]]:
        """Return the list of budgets as JSON objects."""
        rows = []
        for editor in self._budgets:
            serializer = Serializer(editor.budget, published)
            row = serializer.summary()
            if with_accounts:
                row["accounts"] = [
                    serializer.account(each) for each in editor.budget.accounts.live()
                ]
            rows.append(row)
        return rows

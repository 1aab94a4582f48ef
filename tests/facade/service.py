"""A `BudgetFrame` on the embedded service, with access to all parts of the connection."""

from collections.abc import Callable, Coroutine
from datetime import date
from functools import cache
from typing import Any, Protocol

import httpx

from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient
from budgetframe._client.retry import Retries
from budgetframe._session.client_source import OwnClient
from budgetframe.frames import TABLES
from budgetframe.sandbox import Fault, FaultPlan, Sandbox
from tests.clock import Clock
from tests.sandbox.ask import Ids, http_client

TOKEN = "mF9Qx2LrT7wZk4Vb1NcY8sHd3GjP6aEu"
BASE_URL = "https://service.test/v1"
JUNE_1 = date(2026, 6, 1)

# Keys of a service that a test has written by hand: a text of another form would be a name.
ACCOUNT_ID = "00000000-0000-4000-8000-0000000000a1"
CATEGORY_ID = "00000000-0000-4000-8000-0000000000c1"

LISTS = tuple(
    name
    for name in TABLES
    if name not in {"budgets", "month", "month_categories"} and not name.endswith("_records")
)
"""The frames of a budget that have a method of their own and one list as their source."""
WITH_DELTAS = (
    *("accounts", "category_groups", "categories", "payees", "months", "transactions"),
    *("subtransactions", "scheduled_transactions", "scheduled_subtransactions"),
    *("money_movements", "money_movement_groups"),
)

EMPTY_EXPORT: dict[str, list[dict[str, Any]]] = {
    **{name: [] for name in ("accounts", "payees", "category_groups", "categories", "months")},
    **{name: [] for name in ("transactions", "subtransactions", "scheduled_transactions")},
}
"""An export without rows, with the lists that an export must have."""


class Connect(Protocol):
    """Creates a connection to an address."""

    def __call__(self, base_url: str, token: str | None = TOKEN, **more: object) -> BudgetFrame: ...


class Recorder(httpx.AsyncBaseTransport):
    """Records requests and passes them on."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.inner = inner
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return await self.inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self.inner.aclose()

    @property
    def paths(self) -> list[str]:
        """Method and path as sent, with percent-encoding."""
        return [
            f"{request.method} {request.url.raw_path.decode().partition('?')[0]}"
            for request in self.requests
        ]

    @property
    def writes(self) -> list[str]:
        """The paths of the requests that write."""
        return [path for path in self.paths if not path.startswith("GET ")]

    @property
    def lists(self) -> list[str]:
        """The last part of each path."""
        return [path.rpartition("/")[2] for path in self.paths]

    @property
    def queries(self) -> list[dict[str, str]]:
        return [dict(request.url.params.multi_items()) for request in self.requests]


class AnsweredWrites(httpx.AsyncBaseTransport):
    """A service whose writes a function answers, from their number and the request.

    None leaves the answer to the service, which else does not receive the write.
    """

    def __init__(
        self, inner: httpx.AsyncBaseTransport,
        answer: Callable[[int, httpx.Request], httpx.Response | None],
    ) -> None:  # fmt: skip
        self.inner = inner
        self.answer = answer
        self.writes = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method != "GET":
            self.writes += 1
            answer = self.answer(self.writes, request)
            if answer is not None:
                return answer
        return await self.inner.handle_async_request(request)


async def _no_pause(_seconds: float) -> None:
    pass


def without_pauses(bf: BudgetFrame) -> BudgetFrame:
    """The same connection, which now repeats a failed read at once."""
    source = bf._session.reads.client
    assert isinstance(source, OwnClient)
    source._retries = Retries(sleep=_no_pause)
    return bf


@cache
def untouched(years: int | None = None) -> Sandbox:
    """A service that no test changes; it is created once, because that takes time."""
    return Sandbox(token=TOKEN, limit=1_000_000, years=years)


class ServiceWithFacade:
    """A `BudgetFrame` on a new client of the embedded service.

    Time does not pass, except on `clock`, which the time to live and the limit use. The service is
    shared with other tests and must only be read, unless a `limit` is given: then it has only the
    budget of the household. With `years=None` it has the history of the default sandbox; the short
    one takes less time to read.
    """

    def __init__(
        self, *, budget: str | None = "Household", ttl: float = 300.0, threshold: int = 200,
        limit: int = 0, cached: bool = True, verify: bool = False, token: str = TOKEN,
        years: int | None = 1,
    ) -> None:  # fmt: skip
        self.clock = Clock()
        self.service = (
            Sandbox(token=TOKEN, limit=limit, years=years, budgets=1) if limit else untouched(years)
        )
        self._served_before = self.service.requests_served
        self.wire = Recorder(self.service.transport())
        self.http = http_client(self.service, self.wire, token)
        self.limiter = RateLimiter(threshold, clock=self.clock)
        memory = DeltaCache(clock=self.clock, wall_clock=lambda: self.service.now().timestamp())
        self.client = ServiceClient(self.http, self.limiter, memory if cached else None)
        self.bf = BudgetFrame(self.client, budget=budget, ttl=ttl, verify=verify)

    @property
    def path(self) -> str:
        """The path of the budget of the household."""
        return f"/v1/budgets/{self.service.device.state().id}"

    @property
    def served(self) -> int:
        """The number of requests of this connection that reached the service."""
        return self.service.requests_served - self._served_before


@cache
def read_only(budget: str = "Household", years: int | None = 1) -> BudgetFrame:
    """A connection for tests that only read and count no requests: it reads each list once.

    Its frames have the present time in their attrs, and not the day of the service.
    """
    return ServiceWithFacade(budget=budget, years=years).bf


class Changing(ServiceWithFacade):
    """A connection whose service the test and another device may change."""

    def __init__(self) -> None:
        super().__init__(limit=1_000_000)
        self.device = self.service.device
        self.ids = Ids(self.service)

    def add(self, amount: int = -3_000, **more: Any) -> str:
        """Add a transaction on the other device; return its key."""
        place: dict[str, Any] = {"account_id": self.ids.account("Checking"), "date": JUNE_1}
        return self.device.add_transaction(amount=amount, **place | more)


class Home:
    """A connection to a new service that a test lets fail; a wait advances its clock."""

    def __init__(self, *, limit: int = 1_000_000, **settings: Any) -> None:
        self.clock = Clock()
        self.waits: list[float] = []
        self.service = Sandbox(clock=self.clock, limit=limit, years=1, budgets=1)
        self.settings = settings
        self.bf = BudgetFrame.sandbox(self.service, **settings)
        self.fail()

    async def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.clock.advance(seconds)

    def fail(self, *faults: Fault | str) -> None:
        self.service.faults = FaultPlan(faults, wait=self.wait)

    def use_up(self) -> None:
        """Send requests until none is left of the limit."""
        for _ in range(self.bf.requests.left):
            self.bf.user()


class ScriptedSandbox(Sandbox):
    """An embedded service whose answers are those of a coroutine."""

    def __init__(
        self, handler: Callable[[httpx.Request], Coroutine[None, None, httpx.Response]]
    ) -> None:
        super().__init__(years=1, budgets=1)
        self.handler = handler

    def transport(self) -> httpx.AsyncBaseTransport:
        return httpx.MockTransport(self.handler)


Handler = Callable[[httpx.Request], httpx.Response]


def scripted(handler: Any, *, budget: str | None = "Home", **options: Any) -> BudgetFrame:
    """A `BudgetFrame` whose service is a function."""
    http = httpx.AsyncClient(
        transport=httpx.MockTransport(handler), base_url=BASE_URL,
        headers={"Authorization": f"Bearer {TOKEN}"},
    )  # fmt: skip
    return BudgetFrame(ServiceClient(http, RateLimiter(), DeltaCache()), budget=budget, **options)


def one_budget(rest: Handler, *, name: str = "Home", **fields: object) -> Handler:
    """A service with one budget; `rest` gives all other answers."""

    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/budgets":
            return data({"budgets": [{"id": "b1", "name": name, **fields}]})
        return rest(request)

    return handler


def data(content: dict[str, Any]) -> httpx.Response:
    return httpx.Response(200, json={"data": content})

"""The faults as a client sees them: in process and over a socket they are the same."""

import asyncio
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import httpx
import pytest

from budgetframe.sandbox import Fault, FaultPlan, Sandbox, serve
from tests.sandbox.ask import BASE, TLS, Ids, http_client, refused
from tests.sandbox.audit import check_books

HEADERS = {"Authorization": "Bearer sandbox-token"}
USER = ("GET", "/user")


class Waits:
    """A replacement for `asyncio.sleep` that returns immediately and records the seconds."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


class Service:
    """A sandbox and a way to send requests to it."""

    def __init__(self, sandbox: Sandbox, url: str | None = None) -> None:
        self.sandbox = sandbox
        self._url = url
        self._transactions_before = self._transactions()

    def client(self, **more: Any) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=None if self._url else self.sandbox.transport(),
            base_url=self._url or self.sandbox.base_url, headers=HEADERS, verify=TLS, **more,
        )  # fmt: skip

    def send(self, *requests: tuple[Any, ...], **more: Any) -> list[httpx.Response]:
        """Send requests one after the other: method, path and perhaps a body."""

        async def send_all() -> list[httpx.Response]:
            async with self.client(**more) as http:
                return [
                    await http.request(method, path, json=body[0] if body else None)
                    for method, path, *body in requests
                ]

        return asyncio.run(send_all())

    def _transactions(self) -> int:
        return sum(1 for _ in self.sandbox.device.state().transactions.live())

    def added(self) -> int:
        """Return the number of transactions that were added."""
        return self._transactions() - self._transactions_before


@pytest.fixture(scope="module", params=["in process", "over a socket"])
def _served(request: pytest.FixtureRequest) -> Iterator[tuple[Sandbox, str | None]]:
    sandbox = Sandbox(budgets=1, years=1, limit=100_000)
    with serve(sandbox) if request.param == "over a socket" else nullcontext(None) as url:
        yield sandbox, url
    check_books(sandbox)


@pytest.fixture
def service(_served: tuple[Sandbox, str | None]) -> Iterator[Service]:
    sandbox, url = _served
    yield Service(sandbox, url)
    sandbox.faults = ()


def in_process(**more: Any) -> Service:
    return Service(Sandbox(budgets=1, years=1, **more))


def purchase(service: Service, **more: Any) -> tuple[str, str, dict[str, Any]]:
    account_id = Ids(service.sandbox).account("Checking")
    row = {"account_id": account_id, "date": "2026-06-15", "amount": -77_010, **more}
    return "POST", f"{BASE}/transactions", {"transaction": row}


# -- connections -------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "added"), [("reset-before", 0), ("reset-after", 1)])
def test_a_reset_is_before_or_after_the_write(service: Service, kind: str, added: int) -> None:
    service.sandbox.faults = [f"{kind}:POST:*/transactions@1"]
    with pytest.raises(httpx.ReadError) as caught:
        service.send(purchase(service))
    request = caught.value.request
    assert (request.method, request.url.path) == ("POST", "/v1/budgets/last-used/transactions")
    assert service.added() == added


def test_a_cut_body_is_an_error_and_the_write_is_kept(service: Service) -> None:
    service.sandbox.faults = ["cut:POST"]
    with pytest.raises(
        httpx.RemoteProtocolError,
        match=r"^peer closed connection without sending complete message body "
        r"\(received \d+ bytes, expected \d+\)$",
    ) as caught:
        service.send(purchase(service))
    assert caught.value.request.method == "POST"
    assert service.added() == 1


def test_half_of_a_cut_body_can_be_read(service: Service) -> None:
    whole = service.send(USER)[0].content
    service.sandbox.faults = ["cut"]

    async def read() -> tuple[int, str, bytes]:
        received = b""
        async with service.client() as http, http.stream("GET", "/user") as response:
            try:
                async for piece in response.aiter_raw():
                    received += piece
            except httpx.RemoteProtocolError:
                return response.status_code, response.headers["content-length"], received
        raise AssertionError("the body is complete")

    assert asyncio.run(read()) == (200, str(len(whole)), whole[: len(whole) // 2])


@pytest.mark.parametrize(("kind", "error"), [
    ("reset-before", httpx.ReadError), ("reset-after", httpx.ReadError),
    ("cut", httpx.RemoteProtocolError),
])  # fmt: skip
def test_clients_continue_after_faults(service: Service, kind: str, error: type[Exception]) -> None:
    async def send_three() -> list[int]:
        async with service.client() as http:
            first = await http.get("/user")
            with pytest.raises(error):
                await http.get("/user")
            return [first.status_code, (await http.get("/user")).status_code]

    service.sandbox.faults = [f"{kind}@2"]
    assert asyncio.run(send_three()) == [200, 200]


def test_a_large_request_can_be_reset_or_answered_with_a_page(service: Service) -> None:
    service.sandbox.faults = ["reset-before@1", "html@2"]
    large = purchase(service, memo="x" * 3_000_000)
    with pytest.raises(httpx.ReadError):
        service.send(large)
    assert [response.status_code for response in service.send(large, USER)] == [502, 200]


# -- responses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "answered", "stored"), [
    ("drop-field:memo", ["one", None], ["one", None]), ("drop-row", ["one"], ["one"]),
    ("drop-row-after", ["one"], ["one", "two"]), ("drop-first-row", ["two"], ["two"]),
    ("drop-half-after", ["two"], ["one", "two"]),
    ("repeat-rows", ["one", "one", "two", "two"], ["one", "two"]),
])  # fmt: skip
def test_a_write_that_is_not_applied_as_a_whole(
    service: Service, kind: str, answered: list[str | None], stored: list[str | None]
) -> None:
    method, path, body = purchase(service)
    row = body["transaction"]
    rows = [{**row, "memo": memo} for memo in ("one", "two")]
    before = {each.id for each in service.sandbox.device.state().transactions.live()}
    service.sandbox.faults = [kind]
    (answer,) = service.send((method, path, {"transactions": rows}))
    assert answer.status_code == 201
    assert [each["memo"] for each in answer.json()["data"]["transactions"]] == answered
    live = service.sandbox.device.state().transactions.live()
    assert [each.memo for each in live if each.id not in before] == stored


@pytest.mark.parametrize(("kind", "status", "title"), [
    ("html", 502, "502 Bad Gateway"), ("html-502", 502, "502 Bad Gateway"),
    ("html-503", 503, "503 Service Temporarily Unavailable"),
])  # fmt: skip
def test_html_pages(service: Service, kind: str, status: int, title: str) -> None:
    service.sandbox.faults = [kind]
    (response,) = service.send(purchase(service))
    assert response.status_code == status
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert f"<title>{title}</title>" in response.text
    assert service.added() == 0


@pytest.mark.parametrize(("kind", "status", "error"), [
    ("400", 400, ("400", "bad_request", "Bad request")),
    ("401", 401, ("401", "not_authorized", "Unauthorized")),
    ("403.1", 403, ("403.1", "subscription_lapsed", "Subscription for account has lapsed.")),
    ("trial_expired", 403, ("403.2", "trial_expired", "Trial for account has expired.")),
    ("403.3", 403, ("403.3", "unauthorized_scope", "Unauthorized scope")),
    ("data_limit_reached", 403, ("403.4", "data_limit_reached", "Data limit reached")),
    ("404.1", 404, ("404.1", "not_found", "URI does not exist")),
    ("resource_not_found", 404, ("404.2", "resource_not_found", "Resource not found")),
    ("409", 409, ("409", "conflict", "Conflict")),
    ("429", 429, ("429", "too_many_requests", "Too many requests")),
    ("500", 500, ("500", "internal_server_error", "Internal server error")),
    ("service_unavailable", 503, ("503", "service_unavailable", "Service unavailable")),
])  # fmt: skip
def test_documented_errors(
    sandbox: Sandbox, kind: str, status: int, error: tuple[str, str, str]
) -> None:
    sandbox.faults = [kind]
    expected = dict(zip(("id", "name", "detail"), error, strict=True))
    assert refused(sandbox, "GET", "/user") == (status, expected)


def test_an_error_after_the_write_keeps_the_write(service: Service) -> None:
    service.sandbox.faults = ["503-after@1", "html-after@2"]
    answers = service.send(purchase(service), purchase(service))
    assert [response.status_code for response in answers] == [503, 502]
    assert service.added() == 2


# -- time --------------------------------------------------------------------------------------


def test_latency_uses_the_wait_function_of_the_plan(service: Service) -> None:
    waits = Waits()
    service.sandbox.faults = FaultPlan(["latency=2.5@2", "503=1@3"], wait=waits)
    assert [response.status_code for response in service.send(USER, USER, USER)] == [200, 200, 503]
    assert waits.seconds == [2.5, 1.0]


def test_a_read_timeout_below_the_latency_keeps_the_write() -> None:
    waits = Waits()
    service = in_process(faults=FaultPlan(["latency=60:POST"], wait=waits))
    with pytest.raises(httpx.ReadTimeout) as caught:
        service.send(purchase(service), timeout=5.0)
    assert caught.value.request.method == "POST"
    assert waits.seconds == [5.0]
    assert service.added() == 1


def test_a_client_without_a_timeout_waits_for_the_whole_latency() -> None:
    waits = Waits()
    (response,) = in_process(faults=FaultPlan(["latency=600"], wait=waits)).send(USER, timeout=None)
    assert response.status_code == 200
    assert waits.seconds == [600.0]


def test_latency_over_a_socket() -> None:
    sandbox = Sandbox(budgets=1, years=1, faults=["latency=0.3"])
    with serve(sandbox) as url, pytest.raises(httpx.ReadTimeout):
        httpx.get(f"{url}/user", headers=HEADERS, timeout=0.05, verify=TLS)


# -- limit, token and record -------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["500", "html", "429", "503-after"])
def test_a_request_with_a_fault_counts_against_the_limit(kind: str) -> None:
    service = in_process(limit=3, faults=[f"{kind}:*@1-2"])
    answers = service.send(USER, USER, USER, USER)
    assert [response.status_code for response in answers[2:]] == [200, 429]
    assert [each.turn for each in service.sandbox.faults.injected] == [1, 2]


def test_a_reset_request_counts_against_the_limit() -> None:
    service = in_process(limit=1, faults=["reset-before"])
    with pytest.raises(httpx.ReadError):
        service.send(USER)
    (response,) = service.send(USER)
    assert response.json()["error"]["name"] == "too_many_requests"
    assert service.sandbox.requests_served == 2


def test_a_request_without_the_token_has_no_fault() -> None:
    service = in_process(faults=["500"], token="another")
    (response,) = service.send(USER)
    assert response.status_code == 401
    assert service.sandbox.faults.injected == []


def test_the_recorded_path_is_encoded_and_has_no_query() -> None:
    service = in_process(faults=["500"])
    service.send(("GET", "/budgets/a%2Fb/months?since_date=2020-01-01"))
    assert [each.path for each in service.sandbox.faults.injected] == ["/budgets/a%2Fb/months"]


def test_one_pattern_can_match_both_path_spellings(service: Service) -> None:
    service.sandbox.faults = FaultPlan([Fault("500", "*/last-used/months")])
    paths = [
        f"/{word}/last-used/{what}"
        for word in ("budgets", "plans")
        for what in ("months", "payees")
    ]
    answers = service.send(*(("GET", path) for path in paths))
    assert [response.status_code for response in answers] == [500, 200, 500, 200]


def test_on_another_server_a_reset_is_an_error_of_the_app() -> None:
    sandbox = Sandbox(budgets=1, years=1, faults=["reset-after"])

    async def ask() -> None:
        async with http_client(sandbox, httpx.ASGITransport(app=sandbox.app)) as http:
            await http.get("/user")

    with pytest.raises(ConnectionResetError, match="fault on request"):
        asyncio.run(ask())

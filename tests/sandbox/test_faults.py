"""What a client goes through, in process and over a socket: the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import httpx
import pytest

from budgetframe.sandbox import Fault, FaultPlan, Sandbox, check_books, serve
from tests.sandbox.ask import Ids
from tests.sandbox.waits import Waits

HEADERS = {"Authorization": "Bearer sandbox-token"}


class Reach:
    """Sends requests to one sandbox over one client, whichever way."""

    def __init__(self, sandbox: Sandbox, url: str | None) -> None:
        self.sandbox = sandbox
        self._url = url

    def send(self, *requests: tuple[Any, ...], **more: Any) -> list[httpx.Response]:
        """Send requests one after the other: method, path and perhaps a body."""

        async def all_of_them() -> list[httpx.Response]:
            transport = None if self._url else self.sandbox.transport()
            async with httpx.AsyncClient(
                transport=transport,
                base_url=self._url or self.sandbox.base_url,
                headers=HEADERS,
                **more,
            ) as http:
                return [
                    await http.request(method, path, json=body[0] if body else None)
                    for method, path, *body in requests
                ]

        return asyncio.run(all_of_them())


@pytest.fixture(params=["in process", "over a socket"])
def reach(request: pytest.FixtureRequest) -> Iterator[Reach]:
    sandbox = Sandbox(budgets=1, years=1)
    over = serve(sandbox) if request.param == "over a socket" else nullcontext(None)
    with over as url:
        yield Reach(sandbox, url)
    check_books(sandbox)


def purchase(sandbox: Sandbox, amount: int) -> tuple[str, str, dict[str, Any]]:
    row = {"account_id": Ids(sandbox).account("Checking"), "date": "2026-06-15", "amount": amount}
    return "POST", "/budgets/last-used/transactions", {"transaction": row}


def entered(sandbox: Sandbox, amount: int) -> int:
    rows = sandbox.device.state().transactions.live()
    return sum(row.amount == amount for row in rows)


USER = ("GET", "/user")


# -- connections -------------------------------------------------------------------------------


def test_a_reset_before_the_write_leaves_nothing_behind(reach: Reach) -> None:
    reach.sandbox.faults = ["reset-before:POST"]
    with pytest.raises(httpx.ReadError) as caught:
        reach.send(purchase(reach.sandbox, -77_010))
    assert caught.value.request.method == "POST"
    assert entered(reach.sandbox, -77_010) == 0


def test_a_reset_after_the_write_leaves_it_done(reach: Reach) -> None:
    reach.sandbox.faults = ["reset-after:POST:*/transactions@1"]
    with pytest.raises(httpx.ReadError) as caught:
        reach.send(purchase(reach.sandbox, -77_010))
    assert caught.value.request.url.path == "/v1/budgets/last-used/transactions"
    assert entered(reach.sandbox, -77_010) == 1


def test_a_cut_body_is_announced_whole_and_comes_by_half(reach: Reach) -> None:
    reach.sandbox.faults = ["cut:POST"]
    with pytest.raises(
        httpx.RemoteProtocolError,
        match=r"^peer closed connection without sending complete message body "
        r"\(received \d+ bytes, expected \d+\)$",
    ) as caught:
        reach.send(purchase(reach.sandbox, -77_010))
    assert caught.value.request.method == "POST"
    assert entered(reach.sandbox, -77_010) == 1


def test_a_cut_body_can_be_read_up_to_its_half(reach: Reach) -> None:
    whole = reach.send(USER)[0].content
    reach.sandbox.faults = ["cut"]

    async def read() -> tuple[int, str, bytes]:
        transport = None if reach._url else reach.sandbox.transport()
        base = reach._url or reach.sandbox.base_url
        got = b""
        async with (
            httpx.AsyncClient(transport=transport, base_url=base, headers=HEADERS) as http,
            http.stream("GET", "/user") as response,
        ):
            try:
                async for piece in response.aiter_raw():
                    got += piece
            except httpx.RemoteProtocolError:
                return response.status_code, response.headers["content-length"], got
        raise AssertionError("the body came whole")

    assert asyncio.run(read()) == (200, str(len(whole)), whole[: len(whole) // 2])


@pytest.mark.parametrize("kind", ["reset-before", "reset-after", "cut"])
def test_the_same_client_goes_on_afterwards(reach: Reach, kind: str) -> None:
    reach.sandbox.faults = [f"{kind}@2"]

    async def three() -> list[int | type[Exception]]:
        transport = None if reach._url else reach.sandbox.transport()
        base = reach._url or reach.sandbox.base_url
        seen: list[int | type[Exception]] = []
        async with httpx.AsyncClient(transport=transport, base_url=base, headers=HEADERS) as http:
            for _ in range(3):
                try:
                    seen.append((await http.get("/user")).status_code)
                except httpx.TransportError as error:
                    seen.append(type(error))
        return seen

    expected = httpx.RemoteProtocolError if kind == "cut" else httpx.ReadError
    assert asyncio.run(three()) == [200, expected, 200]


def test_a_connection_is_reset_under_a_large_request(reach: Reach) -> None:
    reach.sandbox.faults = ["reset-before"]
    method, path, body = purchase(reach.sandbox, -1)
    body["transaction"]["memo"] = "x" * 3_000_000
    with pytest.raises(httpx.ReadError):
        reach.send((method, path, body))


def test_a_page_comes_in_answer_to_a_large_request(reach: Reach) -> None:
    reach.sandbox.faults = ["html@1"]
    method, path, body = purchase(reach.sandbox, -1)
    body["transaction"]["memo"] = "x" * 3_000_000
    answers = reach.send((method, path, body), USER)
    assert [response.status_code for response in answers] == [502, 200]


# -- answers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "status", "title"),
    [
        ("html", 502, "502 Bad Gateway"),
        ("html-502", 502, "502 Bad Gateway"),
        ("html-503", 503, "503 Service Temporarily Unavailable"),
    ],
)
def test_a_page_from_the_edge(reach: Reach, kind: str, status: int, title: str) -> None:
    reach.sandbox.faults = [kind]
    (response,) = reach.send(purchase(reach.sandbox, -77_010))
    assert response.status_code == status
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert f"<title>{title}</title>" in response.text
    assert entered(reach.sandbox, -77_010) == 0


@pytest.mark.parametrize(
    ("kind", "status", "error"),
    [
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
    ],
)
def test_any_documented_error(kind: str, status: int, error: tuple[str, str, str]) -> None:
    reach = Reach(Sandbox(budgets=1, years=1, faults=[kind]), None)
    (response,) = reach.send(USER)
    assert response.status_code == status
    assert response.json() == {"error": dict(zip(("id", "name", "detail"), error, strict=True))}


@pytest.mark.parametrize(("kind", "status"), [("503-after", 503), ("html-after", 502)])
def test_an_error_after_the_write_leaves_it_done(reach: Reach, kind: str, status: int) -> None:
    reach.sandbox.faults = [kind]
    (response,) = reach.send(purchase(reach.sandbox, -77_010))
    assert response.status_code == status
    assert entered(reach.sandbox, -77_010) == 1


# -- time --------------------------------------------------------------------------------------


def test_latency_is_waited_for_with_the_wait_that_was_handed_in(reach: Reach) -> None:
    waits = Waits()
    reach.sandbox.faults = FaultPlan(["latency=2.5@2", "503=1@3"], wait=waits)
    answers = reach.send(USER, USER, USER)
    assert [response.status_code for response in answers] == [200, 200, 503]
    assert waits.seconds == [2.5, 1.0]


def test_a_client_with_less_patience_gives_up_and_the_write_is_done_all_the_same() -> None:
    waits = Waits()
    sandbox = Sandbox(budgets=1, years=1, faults=FaultPlan(["latency=60:POST"], wait=waits))
    with pytest.raises(httpx.ReadTimeout) as caught:
        Reach(sandbox, None).send(purchase(sandbox, -77_010), timeout=5.0)
    assert caught.value.request.method == "POST"
    assert waits.seconds == [5.0]
    assert entered(sandbox, -77_010) == 1


def test_a_client_without_a_timeout_waits_it_out() -> None:
    waits = Waits()
    sandbox = Sandbox(budgets=1, years=1, faults=FaultPlan(["latency=600"], wait=waits))
    (response,) = Reach(sandbox, None).send(USER, timeout=None)
    assert response.status_code == 200
    assert waits.seconds == [600.0]


def test_over_a_socket_time_really_passes() -> None:
    sandbox = Sandbox(budgets=1, years=1, faults=["latency=0.3"])
    with serve(sandbox) as url, pytest.raises(httpx.ReadTimeout):
        httpx.get(f"{url}/user", headers=HEADERS, timeout=0.05)


# -- the limit, the token, the record ----------------------------------------------------------


@pytest.mark.parametrize("kind", ["500", "html", "429", "503-after"])
def test_a_faulty_request_counts_against_the_limit(kind: str) -> None:
    sandbox = Sandbox(budgets=1, years=1, limit=3, faults=[f"{kind}:*@1-2"])
    answers = Reach(sandbox, None).send(USER, USER, USER, USER)
    assert [response.status_code for response in answers[2:]] == [200, 429]
    assert [each.turn for each in sandbox.faults.injected] == [1, 2]


def test_a_reset_request_counts_against_the_limit() -> None:
    sandbox = Sandbox(budgets=1, years=1, limit=1, faults=["reset-before"])
    reach = Reach(sandbox, None)
    with pytest.raises(httpx.ReadError):
        reach.send(USER)
    (response,) = reach.send(USER)
    assert response.json()["error"]["name"] == "too_many_requests"
    assert sandbox.requests_served == 2


def test_a_request_without_the_token_is_refused_and_hit_by_nothing() -> None:
    sandbox = Sandbox(budgets=1, years=1, faults=["500"], token="another")
    (response,) = Reach(sandbox, None).send(USER)
    assert response.status_code == 401
    assert sandbox.faults.injected == []


def test_the_path_is_the_one_on_the_wire() -> None:
    sandbox = Sandbox(budgets=1, years=1, faults=["500"])
    Reach(sandbox, None).send(("GET", "/budgets/a%2Fb/months?since_date=2020-01-01"))
    assert [each.path for each in sandbox.faults.injected] == ["/budgets/a%2Fb/months"]


def test_both_spellings_are_hit_by_one_pattern(reach: Reach) -> None:
    reach.sandbox.faults = FaultPlan([Fault("500", "*/last-used/months")])
    answers = reach.send(
        *(
            ("GET", f"/{word}/last-used/{what}")
            for word in ("budgets", "plans")
            for what in ("months", "payees")
        )
    )
    assert [response.status_code for response in answers] == [500, 200, 500, 200]


def test_under_a_server_that_knows_no_faults_a_reset_is_an_error_of_the_app() -> None:
    sandbox = Sandbox(budgets=1, years=1, faults=["reset-after"])

    async def ask() -> None:
        transport = httpx.ASGITransport(app=sandbox.app)
        async with httpx.AsyncClient(
            transport=transport, base_url=sandbox.base_url, headers=HEADERS
        ) as http:
            await http.get("/user")

    with pytest.raises(ConnectionResetError, match="fault on request"):
        asyncio.run(ask())

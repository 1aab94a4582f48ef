"""Connections on a client that the caller created."""

import asyncio
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import httpx2
import pytest

from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient, ToolError
from budgetframe.sandbox import FaultPlan, Sandbox, serve
from tests.facade.service import TOKEN, ServiceWithFacade


@contextmanager
def given(token: str = TOKEN) -> Iterator[BudgetFrame]:
    """A `BudgetFrame` on a client of the test over a socket, closed on the loop that used it."""
    with serve(Sandbox(token=TOKEN, years=1)) as url:
        http = httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {token}"})
        bf = BudgetFrame(ServiceClient(http, RateLimiter(), DeltaCache()), budget="Household")
        yield bf
        bf._runner.run(http.aclose())
        bf.close()


def test_a_given_client_that_was_used_without_await_can_be_awaited_after() -> None:
    with given() as bf:
        assert len(bf.accounts()) == 7
        assert len(asyncio.run(bf.aio.accounts())) == 7
        assert asyncio.run(bf.aio.payees())["payee_id"].is_unique


def test_an_unknown_loop_option_is_refused(home: ServiceWithFacade) -> None:
    with pytest.raises(ToolError, match="loop='other': it must be 'private' or 'running'"):
        BudgetFrame(home.client, loop="other")  # type: ignore[arg-type]


def test_an_awaited_client_stays_on_its_loop() -> None:
    async def main(url: str) -> int:
        async with httpx.AsyncClient(
            base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}
        ) as http:
            client = ServiceClient(http, RateLimiter(), DeltaCache())
            await client.validate_token()
            return len(await BudgetFrame(client, budget="Household").aio.accounts())

    with serve(Sandbox(token=TOKEN, years=1)) as url:
        assert asyncio.run(main(url)) == 7


@pytest.mark.parametrize("end", ["\n", "\x00"])
def test_the_error_of_an_invalid_header_shows_no_token(end: str) -> None:
    with given(token=f"{TOKEN}{end}") as bf, pytest.raises(httpx.LocalProtocolError) as refused:
        bf.accounts()
    shown = f"{refused.value!r} {refused.value.args} {getattr(refused.value, '__notes__', '')}"
    assert TOKEN not in shown
    assert "try again" not in shown


def test_two_times_to_live_on_one_client_are_both_kept() -> None:
    home = ServiceWithFacade(ttl=3600.0)
    home.bf.accounts()
    home.clock.advance(10.0)
    served = home.served
    BudgetFrame(home.client, budget="Household", ttl=5.0).accounts()
    assert home.served == served + 1  # the budget is already known


@pytest.mark.parametrize(
    ("fault", "name"), [("reset-before", "ReadError"), ("cut", "RemoteProtocolError")]
)
def test_errors_of_httpx2_are_of_both_libraries_without_token(fault: str, name: str) -> None:
    service = Sandbox(token=TOKEN, years=1, faults=FaultPlan([f"{fault}:GET:*/accounts@1"]))
    with serve(service) as url:
        http: Any = httpx2.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {TOKEN}"})
        bf = BudgetFrame(ServiceClient(http, RateLimiter(), DeltaCache()), budget="Household")
        with pytest.raises(getattr(httpx, name)) as failed:
            bf.accounts()
        pickled = pickle.dumps(failed.value)  # a process sends it to its parent
        for error in (failed.value, pickle.loads(pickled)):  # noqa: S301 - our own
            assert isinstance(error, getattr(httpx2, name))
            assert isinstance(error, getattr(httpx, name))
            assert error.__notes__[-1].startswith(f"GET {url}/budgets/")
            assert (error.args, error.request.method) == (failed.value.args, "GET")
        assert TOKEN.encode() not in pickled
        assert repr(failed.value).startswith(f"{name}(")
        assert TOKEN not in f"{failed.value.request.headers.multi_items()}"
        assert (len(bf.accounts()), bf.requests.used) == (7, 3)
        assert set(bf.transactions(since="2026-06-01")["date"].dt.month) == {6}
        bf._runner.run(http.aclose())
        bf.close()


def test_a_hook_of_a_client_of_httpx2_can_refuse_an_answer() -> None:
    async def refuse(response: httpx2.Response) -> None:
        response.raise_for_status()

    http: Any = httpx2.AsyncClient(
        base_url="https://service.test/v1", headers={"Authorization": f"Bearer {TOKEN}"},
        transport=httpx2.MockTransport(lambda _request: httpx2.Response(500)),
        event_hooks={"response": [refuse]},
    )  # fmt: skip
    client = ServiceClient(http, RateLimiter())
    with pytest.raises(httpx.HTTPStatusError) as failed:
        asyncio.run(client.get("/user"))
    assert isinstance(failed.value, httpx2.HTTPStatusError)
    assert TOKEN not in f"{failed.value.response.request.headers.multi_items()}"
    assert client.guard.usage() == (True, 1, None)

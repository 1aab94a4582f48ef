"""Connections on a client that the caller created."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient, ToolError
from budgetframe.sandbox import Sandbox, serve
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
    with (
        given(token=f"{TOKEN}{end}") as bf,
        pytest.raises(httpx.LocalProtocolError) as refused,
    ):
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

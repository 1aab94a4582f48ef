"""In a web server, synchronous and async handlers share a connection."""

import asyncio
import sys
from collections.abc import Callable

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from budgetframe import BudgetFrame
from tests.facade.service import untouched

Loop = Callable[[], asyncio.AbstractEventLoop]
LOOPS: dict[str, Loop] = {"asyncio": asyncio.new_event_loop}
if sys.platform != "win32":  # uvloop has no wheels for Windows
    import uvloop

    LOOPS["uvloop"] = uvloop.new_event_loop


def app(bf: BudgetFrame) -> Starlette:
    def waiting(_request: Request) -> PlainTextResponse:
        return PlainTextResponse(str(bf.reports.net_worth()["net"].iloc[-1]))

    async def awaiting(_request: Request) -> PlainTextResponse:
        return PlainTextResponse(str((await bf.aio.reports.net_worth())["net"].iloc[-1]))

    return Starlette(routes=[Route("/waiting", waiting), Route("/awaiting", awaiting)])


async def answers(bf: BudgetFrame, paths: list[str]) -> set[str]:
    """The different answers to simultaneous requests."""
    transport = httpx.ASGITransport(app(bf))
    async with httpx.AsyncClient(transport=transport, base_url="http://app") as http:
        return {each.text for each in await asyncio.gather(*map(http.get, paths))}


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_twenty_concurrent_handlers_share_the_requests_of_one(loop: Loop) -> None:
    with BudgetFrame.sandbox(untouched()) as bf, asyncio.Runner(loop_factory=loop) as runner:
        used = bf.requests.used
        assert runner.run(answers(bf, ["/waiting", "/awaiting"] * 10)) == {"40678.18"}
        assert bf.requests.used - used == 5

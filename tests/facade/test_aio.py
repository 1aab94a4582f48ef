"""The async methods return the same as the synchronous methods."""

import ast
import asyncio
import warnings
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

import httpx
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame
from tests.docs.docstrings import OBJECTS
from tests.docs.refresh_docstrings import METHODS, methods_in
from tests.facade.service import LISTS, ScriptedSandbox, ServiceWithFacade, data

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(coroutine, timeout=60))


def test_an_awaited_result_equals_that_of_a_call(bf: BudgetFrame) -> None:
    aio = ServiceWithFacade().bf.aio
    for name in [*LISTS, "budgets", "month", "ledger"]:
        assert_frame_equal(run(getattr(aio, name)()), getattr(bf, name)())
    for name in ("user", "settings"):
        assert run(getattr(aio, name)()) == getattr(bf, name)()


NAMES = {path: {name for name in dir(kind) if name[0] != "_"} for path, kind in OBJECTS.items()}
"""The public names of each class of the facade."""


def test_only_the_methods_of_the_connection_itself_are_missing() -> None:
    assert NAMES["bf"] - NAMES["bf.aio"] == {
        "aio", "close", "connect", "from_export", "refresh", "requests", "sandbox", "with_budget",
    }  # fmt: skip
    assert NAMES["bf.aio.models"] == NAMES["bf.models"]
    assert NAMES["bf.aio.reports"] == NAMES["bf.reports"]


def test_a_synchronous_method_passes_each_of_its_arguments_on() -> None:
    checked = set()
    for path in METHODS.glob("*.py"):
        for method in methods_in(path.read_text(encoding="utf-8")):
            if any(ast.unparse(each) == "overload" for each in method.decorator_list):
                continue
            calls = [
                ast.unparse(node)
                for node in ast.walk(method)
                if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("self._")
            ]
            arguments = method.args
            by_keyword = [f"{each.arg}={each.arg}" for each in arguments.kwonlyargs]
            more = [] if arguments.kwarg is None else [f"**{arguments.kwarg.arg}"]
            given = [*(each.arg for each in arguments.args[1:]), *by_keyword, *more]
            own = ["**passed(locals())", ", ".join(given)]  # all arguments, or each by its name
            if "given = {'preview': preview, **fields}" in ast.unparse(method):
                own.append(f"{arguments.args[1].arg}, **given")
            known = {f"self._aio.{method.name}({each})" for each in own}
            assert {*known, f"self._report(reports.{method.name}, locals())"} & {*calls}, calls
            checked.add(method.name)
    every = NAMES["bf.aio"] | NAMES["bf.aio.models"] | NAMES["bf.aio.reports"]
    assert checked == every - {"models", "reports"}


def test_gathered_reads_share_their_requests(home: ServiceWithFacade) -> None:

    async def many() -> None:
        aio = home.bf.aio
        await asyncio.gather(
            *(aio.accounts() for _ in range(20)),
            *(aio.transactions(since="2026-01-01") for _ in range(20)),
            *(aio.subtransactions() for _ in range(20)),
        )

    run(many())
    assert sorted(home.wire.paths) == [
        "GET /v1/budgets", f"GET {home.path}/accounts", f"GET {home.path}/transactions",
    ]  # fmt: skip


def test_reads_begun_at_any_moment_of_a_request_share_it(home: ServiceWithFacade) -> None:

    async def one_at_every_turn_of_the_loop() -> None:
        reads = []
        for _ in range(300):
            reads.append(asyncio.create_task(home.bf.aio.user()))
            await asyncio.sleep(0)
        await asyncio.gather(*reads)

    run(one_at_every_turn_of_the_loop())
    assert home.wire.paths == ["GET /v1/user"]


def test_awaiting_gives_no_warning() -> None:
    with BudgetFrame.sandbox() as bf, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(bf.aio.accounts())
    assert caught == []


class Waiting:
    """A service that answers the request for the user when the test says so."""

    def __init__(self) -> None:
        self.asked: Future[None] = Future()
        self.answered: Future[None] = Future()
        self.cancelled: Future[None] = Future()

    async def __call__(self, _request: httpx.Request) -> httpx.Response:
        self.asked.set_result(None)
        try:
            await asyncio.wrap_future(self.answered)
        except asyncio.CancelledError:
            self.cancelled.set_result(None)
            raise
        return data({"user": {"id": "u1"}})


def test_the_loop_of_the_caller_keeps_running_during_a_call() -> None:
    service = Waiting()

    async def answer_it_oneself() -> str:
        reading = asyncio.create_task(BudgetFrame.sandbox(ScriptedSandbox(service)).aio.user())
        await asyncio.wrap_future(service.asked)
        service.answered.set_result(None)
        return (await reading).id

    assert run(answer_it_oneself()) == "u1"


def test_cancelling_an_awaited_call_cancels_its_request() -> None:
    service = Waiting()
    bf = BudgetFrame.sandbox(ScriptedSandbox(service))

    async def give_up() -> None:
        reading = asyncio.create_task(bf.aio.user())
        await asyncio.wrap_future(service.asked)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

    run(give_up())
    assert service.cancelled.result(timeout=60) is None
    bf.close()


def test_a_connection_uses_one_loop_for_callers_on_different_loops() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def note(_request: httpx.Request) -> httpx.Response:
        loops.append(asyncio.get_running_loop())
        return data({"user": {"id": "u1"}})

    with BudgetFrame.sandbox(ScriptedSandbox(note), ttl=0) as bf:
        bf.user()
        run(bf.aio.user())
        run(bf.aio.user())
    assert len(loops) == 3
    assert len(set(map(id, loops))) == 1

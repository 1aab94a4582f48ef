"""Random programs of own writes and unusable amounts: the next read of every frame is right.

One or two processes share a cache. They write, lose answers of writes, end and start again; answers
have rows without a usable amount; another device edits. Unlike the state machine, a program knows
exactly what each frame must show, names included: nothing but own writes changes names.
"""

import asyncio
import json
import random
import tempfile
import warnings
from collections import Counter
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from budgetframe import ServiceAPIError, ToolError
from tests.programs import programs

from . import other_device
from .calls import Call
from .counts import COUNTS
from .expected import Json
from .expected_frames import EXPECTED_FRAMES, EXPORT_FRAMES, lists_of_export
from .notebook import Notebook
from .package_internals import NO_LIMIT
from .service import Service
from .transport import CURRENT_TRACE, CallTrace
from .versions import ARGUMENTS, LISTS
from .writes import client_write, facade_write, random_numbers

pytestmark = pytest.mark.posix  # steps interrupt a thread with a signal

_STEPS = 25
_TTL = 300.0
_LISTS = {name: path for name, path in LISTS.items() if name not in ARGUMENTS}
"""The frames, and the requests that read them."""
_AMOUNTS = {
    "accounts": "cleared_balance", "categories": "activity", "months": "to_be_budgeted",
    "transactions": "amount", "subtransactions": "amount", "scheduled_transactions": "amount",
}  # fmt: skip
_LOST = ("reset-before", "reset-after", "503-after", "html-after")
_SITUATIONS = ("own writes", "lost writes", "kept", "damaged", "restarts", "edits", "new months")


class _Damaging(httpx.AsyncBaseTransport):
    """Removes or replaces one amount of the next answer that has one; answers come in any order."""

    def __init__(self, inner: httpx.AsyncBaseTransport, rng: random.Random) -> None:
        self._inner, self._rng = inner, rng
        self.is_armed = self.has_damaged = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await self._let_others_run()
        response = await self._inner.handle_async_request(request)
        await self._let_others_run()
        if not self.is_armed or request.method != "GET":
            return response
        body = json.loads(await response.aread())
        rows = list(_rows_with_amounts(body.get("data", {})))
        if not rows:
            return response
        self.is_armed, self.has_damaged = False, True
        row, field = self._rng.choice(rows)
        kind = self._rng.randrange(4)
        if kind:
            row[field] = (None, "-12.5", -12.5)[kind - 1]
        else:
            del row[field]
        return httpx.Response(response.status_code, json=body)

    async def _let_others_run(self) -> None:
        for _ in range(self._rng.choice([0, 0, 5, 20])):
            await asyncio.sleep(0)


def _rows_with_amounts(node: Any) -> Iterator[tuple[Json, str]]:
    for name, value in node.items():
        if isinstance(value, dict):
            yield from _rows_with_amounts(value)
        for row in value if isinstance(value, list) else ():
            if isinstance(row, dict) and not row.get("deleted"):
                if name in _AMOUNTS:
                    yield row, _AMOUNTS[name]
                yield from _rows_with_amounts(row)


class _Program:
    """One random program."""

    def __init__(self, seed: int, folder: Path | None, counts: Counter[str]) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - a test
        self.counts = counts
        self.service = Service(seed % 2, 1)
        self.ttl = self.rng.choice([0.0, _TTL])
        self.notebook = Notebook(
            self.service,
            threshold=NO_LIMIT,
            ttl=self.ttl,
            on_limit=self.rng.choice(["stale", "raise"]),
            has_retries=False,
            folder=folder,
        )
        transport = self.notebook.transport
        self.damaging = transport._inner = _Damaging(transport._inner, self.rng)
        self.is_shared = folder is not None

    async def run(self) -> None:
        steps = (self._read, self._read, self._read, self._write, self._write, self._elsewhere)
        for _ in range(_STEPS):
            self.notebook.select_process(self.rng.randrange(2))
            step = self.rng.choice([*steps, self._damaged_read, self._both, self._wait])
            if self.is_shared and self.rng.random() < 0.05:
                self.counts["restarts"] += 1
                self.notebook.restart()
            await step()
        for name in _LISTS:
            await self._check(name)

    async def _call(
        self, coroutine: Awaitable[Any], fault: str | None = None, write: Call | None = None
    ) -> Any:
        trace = CallTrace("a step of a program", fault=fault, drops=self.notebook.drops)
        CURRENT_TRACE.set(trace)
        try:
            return await self._result_of(coroutine)
        finally:
            if write is not None and any(method != "GET" for method, _, _ in trace.requests):
                assert write.on_write_end is not None
                write.on_write_end()

    async def _result_of(self, coroutine: Awaitable[Any]) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the calls that a program disturbs have warnings
            result = await coroutine
        assert self.notebook.transport.problem is None, self.notebook.transport.problem
        return result

    async def _read(self) -> None:
        if self.rng.random() < 0.05:
            await self._check_export()
        else:
            await self._check(self.rng.choice(list(_LISTS)))

    async def _check(self, name: str) -> None:
        frame = await self._call(getattr(self.notebook.process.async_facades[0].aio, name)())
        answer = self.service.answer(f"/budgets/{self.service.ids[0]}/{_LISTS[name]}")
        expected = EXPECTED_FRAMES[name]
        assert expected.actual_rows(frame) == expected.expected_rows(answer.raw), name

    async def _check_export(self) -> None:
        frames = await self._call(self.notebook.process.async_facades[0].aio.export())
        lists = lists_of_export(self.service.answer(f"/budgets/{self.service.ids[0]}").raw)
        for name in EXPORT_FRAMES:
            expected = EXPECTED_FRAMES[name]
            assert expected.actual_rows(frames[name]) == expected.expected_rows(lists), name

    async def _damaged_read(self) -> None:
        """Read a frame that has a row without a usable amount: any later read must be right."""
        self.service.clock.advance(self.ttl)
        self.damaging.is_armed = True
        aio = self.notebook.process.async_facades[0].aio
        name = self.rng.choice([*_LISTS, "export"])
        try:
            await self._call(getattr(aio, name)())
        except ServiceAPIError as error:
            assert "is not float64" in str(error), error  # noqa: PT017
        self.counts["damaged"] += self.damaging.has_damaged
        self.damaging.is_armed = self.damaging.has_damaged = False

    async def _write(self) -> None:
        """Write with a frame, or with the client; sometimes, the answer is lost."""
        fault = self.rng.choice([None, None, None, *_LOST]) if self.rng.random() < 0.4 else None
        numbers = random_numbers(self.rng)
        kind, is_own = self.rng.randrange(2**16), self.rng.random() < 0.8
        call = (
            facade_write(self.notebook, numbers, kind)
            if is_own
            else client_write(self.notebook, numbers, kind, "budgets")
        )
        self.counts["own writes" if is_own else "writes of the client"] += 1
        try:
            await self._call(call.run_async(), fault, call)
        except (ServiceAPIError, ToolError, httpx.RequestError):
            self.counts["lost writes" if fault else "refused writes"] += 1

    async def _both(self) -> None:
        """Read changes and write at the same time: the next read must be right."""
        name = self.rng.choice(list(_LISTS))
        await self._check(name)
        self.service.clock.advance(self.ttl)
        read = getattr(self.notebook.process.async_facades[0].aio, name)()
        numbers = self.rng.randrange(2**16), self.rng.randrange(2**16), -7000
        call = facade_write(self.notebook, numbers, self.rng.randrange(6))  # none renames
        both = [read, call.run_async()]
        self.rng.shuffle(both)
        await self._call(asyncio.gather(*both, return_exceptions=True), write=call)
        await self._check(name)

    async def _elsewhere(self) -> None:
        """Edit on another device, and let all answers be outdated."""
        other_device.edit_no_name(self.service, self.rng)
        self.counts["edits"] += 1
        self.service.clock.advance(self.ttl)

    async def _wait(self) -> None:
        self.service.clock.advance(self.rng.choice([1.0, _TTL, 4000.0]))
        if self.rng.random() < 0.6:
            month = self.service.today.month
            self.service.sandbox.advance(self.rng.choice([1, 20]))
            self.service.record_changes()
            self.service.clock.advance(_TTL)
            self.counts["new months"] += self.service.today.month != month


@pytest.mark.slow  # each program is a budget with 25 steps
def test_the_reads_after_own_writes_and_unusable_amounts_are_right() -> None:
    counts, before = Counter[str](), Counter(_kept())
    for seed in programs(6):
        with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
            program = _Program(seed, Path(folder) if seed % 3 else None, counts)
            try:
                runner.run(program.run())
            except BaseException as error:
                error.add_note(f"program {seed}")
                raise
            finally:
                program.service.on_change.clear()
                program.notebook.close()
    counts.update({name: number - before[name] for name, number in _kept().items()})
    print(dict(counts))  # noqa: T201 - pytest -s shows what occurred
    assert [name for name in _SITUATIONS if not counts[name]] == []


def _kept() -> dict[str, int]:
    return {name: COUNTS[name] for name in ("kept", "not kept")}

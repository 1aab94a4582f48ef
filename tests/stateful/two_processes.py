"""Random programs of two processes with one cache file: no read is older than an own write.

The reads and writes of both processes overlap in all orders, and a process can end at any of its
requests: from that moment on, nothing that its code does reaches the file. Answers get lost or
damaged, another device edits, and the clocks move. `tests/cache/test_killed.py` kills real ones.

A read may show the content of any version of the service that is not older than the last write that
had ended before the read began. A write has ended when its answer or an error arrives, and when the
service has carried it out for a process that was killed.
"""

import asyncio
import random
import tempfile
import warnings
from collections import deque
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from budgetframe import BudgetFrame, BudgetFrameError

from . import other_device
from .client_process import ClientProcess
from .counts import COUNTS
from .expected import rows_by_key
from .expected_frames import EXPECTED_FRAMES
from .package_internals import NO_LIMIT
from .service import Service
from .transport import FaultyTransport
from .versions import ARGUMENTS, DAMAGES, LISTS, TABLES, Versions, damaged
from .writes import client_write, facade_write, random_numbers

_TTL = 300.0
_PAUSES = (0, 0, 1, 3, 10, 40, 200)
_STEPS_OF_LOOP = (0, 1, 2, 5, 20, 100)
_FAULTS = ("refused", "lost", *DAMAGES)
"""All but the first one come after the service has carried out the request."""


class _Wire(FaultyTransport):
    """The way of one process to the service, on which requests and answers take any time."""

    def __init__(self, program: "Program") -> None:
        super().__init__(program.service, NO_LIMIT)
        self._program = program

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        rng, is_write = self._program.rng, request.method != "GET"
        COUNTS["requests"] += 1
        fault = rng.choice(_FAULTS) if rng.random() < (0.3 if is_write else 0.05) else ""
        self._program.log.append(f"{request.method} {request.url.raw_path.decode()} {fault}")
        try:
            await _pause(rng.choice(_PAUSES))
        except asyncio.CancelledError:  # the process is killed after it has sent the request
            if is_write and rng.random() < 0.5:
                self._program.start_late(self._carry_out(request))
            raise
        if fault:
            COUNTS[f"fault {fault}"] += 1
        if fault == "refused":
            raise httpx.ConnectError("refused", request=request)
        response = await self._carry_out(request)
        if fault == "lost":
            raise httpx.ReadError("lost", request=request)
        if not fault:
            return response
        status, content = damaged(fault, await response.aread())
        return httpx.Response(status, content=content)

    async def _carry_out(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        self.service.record_changes()
        version = self.service.version
        self._program.log.append(f"carried out: {request.url.path}, version {version}")
        try:
            await _pause(self._program.rng.choice(_PAUSES))
        finally:
            if request.method != "GET":
                self._program.versions.outdate(request.url.path, version)
        return response


async def _pause(steps: int) -> None:
    for _ in range(steps):
        await asyncio.sleep(0)


class _Process:
    """One process, with a connection that has a time to live and one that has none."""

    def __init__(self, program: "Program") -> None:
        self.service = program.service
        self.process = ClientProcess(
            _Wire(program), ttl=_TTL, on_limit="stale" if program.rng.random() < 0.5 else "raise",
            has_retries=program.rng.random() < 0.3, folder=program.folder, wall=program.wall,
        )  # fmt: skip
        self.kept = self.process.async_facades[0]
        self.new = BudgetFrame(self.process.client, budget=self.service.budgets[0].name, ttl=0)
        self.tasks: set[asyncio.Task[None]] = set()
        self.writes = 0
        """The number of writes that are under way."""

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.add(asyncio.ensure_future(work))

    async def end(self) -> None:
        """Let all calls end."""
        await asyncio.gather(*self.tasks)
        self.tasks.clear()

    async def kill(self, folder: Path) -> None:
        """End the process now: what its code still does concerns a file in another folder."""
        self.process.cut_off(folder)
        await self.close()

    async def close(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.new.close()
        self.process.close()


class Program:
    """One random program."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - a test
        self.folder = folder
        self.service = Service(seed % 2, 1)
        self.versions = Versions(self.service)
        self.log = deque[str](maxlen=40)
        self._wall_ahead = 0.0
        self._late = list[asyncio.Future[None]]()
        self._killed = 0
        self._processes = [_Process(self), _Process(self)]

    def wall(self) -> float:
        """The wall clock of the machine."""
        return self.service.clock() + self._wall_ahead

    def start_late(self, work: Coroutine[Any, Any, object]) -> None:
        """Let the service carry out a write whose process has been killed."""

        async def late() -> None:
            await _pause(self.rng.choice(_STEPS_OF_LOOP))
            await work

        COUNTS["late writes"] += 1
        self._late.append(asyncio.ensure_future(late()))

    async def run(self, steps: int) -> None:
        """Do random steps, and read all lists at the end."""
        try:
            for _ in range(steps):
                COUNTS["steps"] += 1
                await self._step()
                await _pause(self.rng.choice(_STEPS_OF_LOOP))
                self._raise_errors()
            for process in self._processes:
                await process.end()
            await asyncio.gather(*self._late)
            for name in LISTS:
                await self._read(self.rng.choice(self._processes), name, "kept")
        finally:
            self.service.on_change.clear()
            for process in self._processes:
                await process.close()

    def _raise_errors(self) -> None:
        for process in self._processes:
            for task in [task for task in process.tasks if task.done()]:
                process.tasks.remove(task)
                task.result()

    async def _step(self) -> None:
        process = self.rng.choice(self._processes)
        writing = [each for each in self._processes if each.writes]
        kind = self.rng.random()
        if writing and kind < 0.1:
            await self._kill(writing[0])
        elif kind < 0.6:
            name = self.rng.choice([*LISTS, "export"])
            how = self.rng.choice(["kept", "kept", "kept", "new", "client"])
            process.start(self._read(process, name, how))
        elif kind < 0.8:
            process.start(self._write(process))
        elif kind < 0.84:
            await process.end()
        elif kind < 0.9:
            self._edit_elsewhere()
        elif kind < 0.96:
            self._move_clocks()
        else:
            await self._kill(process)

    async def _read(self, process: _Process, name: str, how: str) -> None:
        least = self.versions.least.copy()
        self.log.append(f"read {name} ({how}), {dict(least)}")
        try:
            if how == "client" and name not in {"month", "export"}:
                path = f"/budgets/{self.service.ids[0]}/{LISTS[name]}"
                data = await process.process.client.get(path)
                if data:  # else, the answer was damaged, and is no list
                    self.versions.check(name, rows_by_key(data), least, is_raw=True)
                return
            facade = process.kept if how == "kept" else process.new
            shown = await getattr(facade.aio, name)(*ARGUMENTS.get(name, ()))
        except (BudgetFrameError, httpx.RequestError):
            COUNTS["calls failed after a fault"] += 1
            return
        COUNTS["reads"] += 1
        for table in TABLES if name == "export" else [name]:
            frame = shown[table] if name == "export" else shown
            COUNTS["frames compared"] += 1
            COUNTS["stale"] += "stale" in frame.attrs
            self.versions.check(table, EXPECTED_FRAMES[table].actual_rows(frame), least)

    async def _write(self, process: _Process) -> None:
        numbers = random_numbers(self.rng)
        write = facade_write if self.rng.random() < 0.7 else partial(client_write, prefix="budgets")
        notebook: Any = process  # it has what a write needs: the service and the process
        process.writes += 1
        try:
            await write(notebook, numbers, self.rng.randrange(2**16)).run_async()
        except (BudgetFrameError, httpx.RequestError):
            COUNTS["writes lost"] += 1
        else:
            COUNTS["writes ok"] += 1
        finally:
            process.writes -= 1

    def _edit_elsewhere(self) -> None:
        other_device.edit_no_name(self.service, self.rng)
        COUNTS["edits"] += 1

    def _move_clocks(self) -> None:
        """Let time pass; a write is not under way for longer than the package permits."""
        self.service.clock.advance(self.rng.choice([1.0, 20.0, 100.0]))
        self._wall_ahead += self.rng.choice([0.0, 0.0, 0.0, 50.0, -100.0])
        if self.rng.random() < 0.1:
            self.service.sandbox.advance(self.rng.choice([1, 20]))
            self.service.record_changes()

    async def _kill(self, process: _Process) -> None:
        COUNTS["kills"] += 1
        COUNTS["kills in a write"] += bool(process.writes)
        self._killed += 1
        self.log.append("kill")
        at = self._processes.index(process)
        await process.kill(self.folder / f"killed {self._killed}")
        self._processes[at] = _Process(self)


def run_program(seed: int, steps: int) -> None:
    """Run one program; a failure has a note with its seed and the last steps."""
    COUNTS["programs"] += 1
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the calls that a program disturbs have warnings
        with asyncio.Runner() as runner:
            program = None
            try:
                program = Program(seed, Path(folder))
                runner.run(program.run(steps))
            except BaseException as error:
                error.add_note("\n".join([f"program {seed}", *(program.log if program else ())]))
                raise

"""Two real processes with one cache file, killed at any moment: no read is older than a write.

The service runs on a socket of this process, which knows when it carried out each write. The child
processes send the beginning of each read and its rows; both have the same monotonic clock.
"""

import asyncio
import base64
import pickle
import random
import tempfile
import threading
import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx

from budgetframe import BudgetFrame, BudgetFrameError
from budgetframe.sandbox.transport.server import serve
from tests.cache.child import Child, Send

from . import other_device
from .counts import COUNTS
from .expected_frames import EXPECTED_FRAMES
from .package_internals import set_limit
from .service import Service
from .versions import ARGUMENTS, DAMAGES, LISTS, TABLES, Least, Versions, damaged
from .writes import facade_write, random_numbers

_SECONDS_OF_CHILD = 1.5  # at most, until it is killed


class _Served:
    """The service on a socket: it delays, damages and counts, and remembers when it wrote what."""

    def __init__(self, seed: int) -> None:
        self.service = Service(seed % 2, 1)
        self.versions = Versions(self.service)
        self.lock = threading.Lock()
        self._rng = random.Random(seed)  # noqa: S311 - a test
        self._app: Any = self.service.sandbox.app
        self._least: list[tuple[float, Least]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, as an ASGI application."""
        rng, body, has_more = self._rng, b"", True
        while has_more:
            message = await receive()
            body += message.get("body", b"")
            has_more = message.get("more_body", False)
        await asyncio.sleep(rng.choice([0.0, 0.001, 0.02]))
        messages: list[Any] = []

        async def receive_all() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def collect(sent: Any) -> None:
            messages.append(sent)

        is_write = scope["method"] != "GET"
        with self.lock:
            if rng.random() < 0.05:
                other_device.edit_no_name(self.service, rng)
                COUNTS["edits"] += 1
            await self._app(scope, receive_all, collect)
            self.service.record_changes()
            if is_write:
                self.versions.outdate(scope["path"], self.service.version)
                self._least.append((time.monotonic(), self.versions.least.copy()))
        COUNTS["requests"] += 1
        COUNTS["writes ok"] += is_write
        await asyncio.sleep(rng.choice([0.0, 0.05, 0.3] if is_write else [0.0, 0.001, 0.02]))
        if rng.random() < (0.3 if is_write else 0.03):
            fault = rng.choice([*DAMAGES])
            COUNTS[f"fault {fault}"] += 1
            whole = b"".join(message.get("body", b"") for message in messages[1:])
            status, content = damaged(fault, whole)
            await send({"type": "http.response.start", "status": status, "headers": []})
            await send({"type": "http.response.body", "body": content})
            return
        for message in messages:
            await send(message)

    def check(self, line: str) -> None:
        """Check one read of a process."""
        begun, rows_by_table = pickle.loads(base64.b64decode(line))  # noqa: S301 - of a child
        with self.lock:
            least = [each for ended, each in self._least if ended < begun]
            for table, rows in rows_by_table.items():
                COUNTS["frames compared"] += 1
                COUNTS["steps"] += 1
                self.versions.check(table, rows, least[-1] if least else Least())
        COUNTS["reads"] += 1


def _work(served: _Served, url: str, folder: Path, seed: int, send: Send) -> None:
    """Read and write until the process is killed."""
    warnings.simplefilter("ignore")
    rng, service = random.Random(seed), served.service  # noqa: S311 - a test
    connections = [
        BudgetFrame.connect(
            service.sandbox.token, base_url=url, budget=service.budgets[0].name, ttl=ttl,
            cache_dir=folder, on_limit="raise", progress=False,
        )
        for ttl in (300.0, 0.0)
    ]  # fmt: skip
    set_limit(connections[0])  # both have the same limiter
    process: Any = SimpleNamespace(async_facades=connections, blocking_facades=connections)
    notebook: Any = SimpleNamespace(service=service, process=process)
    while True:
        try:
            if rng.random() < 0.25:
                write = facade_write(
                    notebook, random_numbers(rng), rng.randrange(2**16)
                ).run_blocking
                assert write is not None
                write()
                continue
            name = rng.choice([*LISTS, "export"])
            begun = time.monotonic()
            shown = getattr(rng.choice([*connections, connections[0]]), name)(
                *ARGUMENTS.get(name, ())
            )
            frames = (
                {table: shown[table] for table in TABLES} if name == "export" else {name: shown}
            )
            rows = {
                table: EXPECTED_FRAMES[table].actual_rows(each) for table, each in frames.items()
            }
            send(base64.b64encode(pickle.dumps((begun, rows))).decode())
        except (BudgetFrameError, httpx.RequestError):
            continue


class _Process:
    """A child process, and a thread that checks what it sends."""

    def __init__(self, served: _Served, url: str, folder: Path, seed: int) -> None:
        self._served = served
        self.problem: AssertionError | None = None
        with served.lock:  # the child has a copy of the service, whose keys it writes to
            self._child = Child(lambda send: _work(served, url, folder, seed, send))
        self._thread = threading.Thread(target=self._check)
        self._thread.start()

    def _check(self) -> None:
        for line in self._child.lines:
            try:
                self._served.check(line)
            except AssertionError as error:
                self.problem = self.problem or error

    def kill(self) -> None:
        """Send SIGKILL, and check the reads that ended before it."""
        COUNTS["kills"] += 1
        self._child.kill()
        self._thread.join()
        self._child.wait()
        if self.problem is not None:
            raise self.problem


def run_real_processes(seed: int, seconds: float) -> None:
    """Let two processes read and write, and kill one of them again and again."""
    COUNTS["programs"] += 1
    COUNTS["real programs"] += 1
    rng = random.Random(seed)  # noqa: S311 - a test
    served = _Served(seed)
    with tempfile.TemporaryDirectory() as folder, serve(SimpleNamespace(app=served)) as url:  # type: ignore[arg-type]
        number = seed * 10_000
        processes = [_Process(served, url, Path(folder), number + at) for at in range(2)]
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end:
                time.sleep(rng.uniform(0.0, _SECONDS_OF_CHILD))
                number += 2
                processes.append(_Process(served, url, Path(folder), number))
                processes.pop(rng.randrange(2)).kill()
        except AssertionError as error:
            error.add_note(f"real processes {seed}")
            raise
        finally:
            for process in processes:
                process.kill()

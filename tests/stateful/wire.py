"""The connection between the program of changes and the service: it counts writes and fails."""

import errno
import json
import math
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from typing import Any

import httpx

from budgetframe.sandbox import Fault, FaultPlan

from .service import Service
from .transport import no_wait

FAULTS_OF_WRITES = (
    *("reset-before", "reset-after", "cut", "html", "html-after", "500", "500-after"),
    *("503", "503-after", "409", "409-after", "429", "429-after", "kill-before", "kill-after"),
)
"""The faults of `Fault`, and the end of the process before or after the service gets a request."""
NOT_APPLIED = (
    *("drop-row", "drop-row-after", "drop-first-row", "drop-first-row-after", "drop-half"),
    *("drop-half-after", "repeat-rows", "repeat-answer"),
    *(f"drop-field:{number}" for number in range(6)),
)
"""Faults of writes that the service accepts, and does not apply, or does not show as they are.

The number chooses one of the fields of a body. A repeated answer is that of the last write.
"""


_OF_TRANSFER = ("account_id", "payee_id", "payee_name")


class Disk:
    """A disk with room for some more writes of the journal; of the next one, a part fits on it."""

    left: float = math.inf
    """The number of writes."""
    part = 0.5
    """The part of the next write that fits."""
    keeps_part = False
    """Whether that part stays, as after the end of the process."""

    def open_file(self, path: Path, mode: str) -> FileIO:
        """Open a file on this disk."""
        return _FileOnDisk(self, path, mode)


class _FileOnDisk(FileIO):
    def __init__(self, disk: Disk, path: Path, mode: str) -> None:
        super().__init__(path, mode)
        self._disk = disk

    def write(self, content: Any) -> int:
        self._disk.left -= 1
        if self._disk.left >= 0:
            return super().write(content)
        super().write(content[: int(len(content) * self._disk.part)])
        raise OSError(errno.ENOSPC, "no space left on this disk")

    def truncate(self, size: int | None = None) -> int:
        if self._disk.keeps_part:
            raise OSError(errno.EROFS, "this disk can only be read now")
        return super().truncate(size)


class ProcessKilledError(BaseException):
    """The process ends here: no code of the package runs after this."""


class Wire(httpx.AsyncBaseTransport):
    """The transport of all processes: the sandbox of the service gives it out from now on."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.writes = self._reads = 0
        """The number of writes and of reads since `plan`."""
        self.faults = list[str]()
        """The faults that have occurred since then."""
        self._plan: Mapping[int, str] = {}
        self._answer: httpx.Response | None = None
        self._inner = type(service.sandbox).transport(service.sandbox)
        service.sandbox.transport = lambda: self  # type: ignore[method-assign]

    def plan(self, faults: Mapping[int, str]) -> None:
        """Set the faults of the next writes, by their number from 1; of reads, 0 and below."""
        self.writes, self._reads, self.faults, self._plan = 0, 0, [], faults

    def end_plan(self) -> None:
        """Let all further requests succeed; the counts stay."""
        self._plan = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request, or fail."""
        is_read = request.method == "GET"
        kind = self._plan.get(-self._reads if is_read else self.writes + 1, "")
        self.writes, self._reads = self.writes + (not is_read), self._reads + is_read
        if kind.startswith("drop-field"):
            kind = _with_field(kind, request)
        if kind:
            self.faults.append(kind)
        if kind == "kill-before":
            raise ProcessKilledError
        sandbox = self.service.sandbox
        if kind and kind not in ("kill-after", "repeat-answer"):
            sandbox.faults = FaultPlan([Fault(kind)], wait=no_wait)
        try:
            response = await self._inner.handle_async_request(request)
        finally:
            sandbox.faults = ()
        if kind == "kill-after":
            raise ProcessKilledError
        if is_read or response.status_code not in (200, 201):
            return response
        await response.aread()
        earlier, self._answer = self._answer, response
        if kind == "repeat-answer" and earlier is not None:
            return httpx.Response(earlier.status_code, content=earlier.content)
        return httpx.Response(response.status_code, content=response.content)


def _with_field(kind: str, request: httpx.Request) -> str:
    """A fault with the name of a field of the last row of a body, instead of a number."""
    prefix, _, number = kind.partition(":")
    body = json.loads(request.content or b"{}")
    names = [name for row in (body.get("transactions") or [*body.values()])[-1:] for name in row]
    if {"id", "account_id", "payee_id"} <= {*names}:
        # One of them alone makes another transfer, whose other side loses its category, before the
        # rest is sent. What is announced does not state this.
        names = [name for name in names if name not in _OF_TRANSFER]
    names = [name for name in names if name != "id"]
    return f"{prefix}:{names[int(number) % len(names)]}" if names else ""

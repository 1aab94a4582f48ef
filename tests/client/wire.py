"""A service that answers from a script, and a client that sends its requests to it."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx

from budgetframe import DeltaCache, RateLimiter, ServiceClient
from tests.clock import Clock

BASE_URL = "https://service.test/v1"
TOKEN = "mF9Qx2LrT7wZk4Vb1NcY8sHd3GjP6aEu"
MIDDLE_OF_MAY_2026 = 1_778_846_400.0  # 2026-05-15T12:00:00Z
ANY_TEXT = r"\S"  # an error has a message; its text is not specified

T = TypeVar("T")
Json = dict[str, Any]


@dataclass
class HeldAnswer:
    """An answer or a failure that arrives only after `release_answer`."""

    answer: httpx.Response | Exception
    released: asyncio.Event = field(default_factory=asyncio.Event)

    def release_answer(self) -> None:
        self.released.set()


Answer = httpx.Response | Exception | HeldAnswer | Callable[[httpx.Request], httpx.Response]


class Wire:
    """A transport that answers in the order of its script and keeps the requests."""

    def __init__(self, *script: Answer) -> None:
        self.script = list(script)
        self.requests: list[httpx.Request] = []

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if not self.script:
            raise AssertionError(f"unexpected request: {request.method} {request.url}")
        answer = self.script.pop(0)
        if isinstance(answer, HeldAnswer):
            await answer.released.wait()
            answer = answer.answer
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx.Response):
            return answer
        return answer(request)

    async def arrived(self, count: int) -> None:
        """Wait until that many requests have arrived."""
        for _ in range(1_000):
            if len(self.requests) >= count:
                return
            await asyncio.sleep(0)
        raise AssertionError(f"{len(self.requests)} of {count} requests arrived")

    @property
    def calls(self) -> list[str]:
        return [
            f"{request.method} {request.url.path.removeprefix('/v1').rstrip('/')}"
            for request in self.requests
        ]

    @property
    def queries(self) -> list[dict[str, str]]:
        return [dict(request.url.params.multi_items()) for request in self.requests]

    @property
    def cursors(self) -> list[str | None]:
        return [request.url.params.get("last_knowledge_of_server") for request in self.requests]


class ClientUnderTest:
    """A client with its transport, limiter, cache and clocks; only tests move the clocks."""

    def __init__(
        self, *script: Answer, threshold: int = 200, window_seconds: float = 3600.0,
        cached: bool = True, follow_redirects: bool = False,
    ) -> None:  # fmt: skip
        self.clock = Clock()
        self.wall = Clock(MIDDLE_OF_MAY_2026)
        self.wire = Wire(*script)
        self.http = httpx.AsyncClient(
            transport=httpx.MockTransport(self.wire), base_url=BASE_URL,
            headers={"Authorization": f"Bearer {TOKEN}"}, follow_redirects=follow_redirects,
        )  # fmt: skip
        self.limiter = RateLimiter(threshold, window_seconds, clock=self.clock)
        self.cache = DeltaCache(clock=self.clock, wall_clock=self.wall)
        self.client = ServiceClient(self.http, self.limiter, self.cache if cached else None)
        self.guard = self.client.guard

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in a new event loop and check that the loop reported no errors."""
        errors: list[dict[str, Any]] = []
        with asyncio.Runner() as runner:
            runner.get_loop().set_exception_handler(lambda _, context: errors.append(context))
            result = runner.run(asyncio.wait_for(coroutine, timeout=30))
        assert errors == []
        return result

    async def begin(self, request: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin a request, and wait until it has arrived."""
        before, task = len(self.wire.requests), asyncio.create_task(request)
        await self.wire.arrived(before + 1)
        return task

    async def cancel(self, request: Coroutine[Any, Any, Any]) -> bool:
        """Begin a request and cancel it; whether the caller sees that it was cancelled."""
        task = await self.begin(request)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return task.cancelled()

    def call(self, method: str, *arguments: Any, **keywords: Any) -> Any:
        """Run the method of the client that has this name."""
        return self.run(getattr(self.client, method)(*arguments, **keywords))

    def get(self, path: str, **keywords: Any) -> Any:
        return self.run(self.client.get(path, **keywords))

    def post(self, path: str, **keywords: Any) -> Any:
        return self.run(self.client.post(path, **keywords))

    def request(self, method: str, path: str, **keywords: Any) -> Any:
        return self.run(self.client.request(method, path, **keywords))

    def validate_token(self) -> str:
        return self.run(self.client.validate_token())


async def run_pending_tasks() -> None:
    """Let all tasks run until they wait for something."""
    for _ in range(50):
        await asyncio.sleep(0)


def answer(data: object, status: int = 200) -> httpx.Response:
    return httpx.Response(status, json={"data": data})


def error_answer(
    status: int = 404, error_id: str = "404.2", name: str = "resource_not_found",
    detail: str = "Resource not found",
) -> httpx.Response:  # fmt: skip
    return httpx.Response(status, json={"error": {"id": error_id, "name": name, "detail": detail}})


def accounts(knowledge: int, *rows: Json) -> httpx.Response:
    return answer({"accounts": list(rows), "server_knowledge": knowledge})


def account(account_id: str, milliunits: int, **members: Any) -> Json:
    return {"id": account_id, "balance": milliunits, "deleted": False, **members}


def by_id(rows: list[Json]) -> dict[str, Json]:
    """Return rows by their ids, which must be unique."""
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["id"]: row for row in rows}

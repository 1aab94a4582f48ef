"""The single point of contact with the service: every request passes through it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import httpx

from ._cache import DeltaCache, Params, Reading
from ._limiter import RateLimiter
from ._merge import copy_json, is_mergeable
from ._milliunits import convert_in_place
from ._resources import BUDGET_ALIASES, EXPORT, RESOURCES, linked
from ._responses import data_of, invalid_response, without_credentials
from .errors import ToolError

__all__ = ["ServiceClient"]

_METHODS = frozenset({"DELETE", "GET", "PATCH", "POST", "PUT"})
_ROOTS = frozenset({"budgets", "plans"})  # two spellings of the same paths
_CURSOR = "last_knowledge_of_server"
_WITH_CURSOR = frozenset({"since_date"})  # a row that leaves any other filter shows in no delta
_NO_DELAY = 60
_LIST = 3  # segments of a list's path: budgets / {budget_id} / {resource}


class ServiceClient:
    """Sends requests to the budgeting service, within its limit, and converts what it answers.

    Each request goes through the same steps: the limiter is asked, the request is sent, its time
    is recorded once the response is there, an error response becomes a `ServiceAPIError`, the
    ``data`` object is taken out of its envelope, milliunits become currency units, and after a
    write the cached answers it made stale are dropped.

    Parameters
    ----------
    http : httpx.AsyncClient
        Carries the base address and the authorization header. It is never closed here.
    limiter : RateLimiter
        Shared by all clients of one token.
    cache : DeltaCache, optional
        With it, lists are read as deltas of what is cached.

    Notes
    -----
    The client itself belongs to no event loop; the HTTP client it was given may.

    Redirects are never followed: the token would go along.

    Examples
    --------
    >>> import asyncio, httpx
    >>> from budgetframe.sandbox import Sandbox
    >>> sandbox = Sandbox()
    >>> async def main():
    ...     headers = {"Authorization": f"Bearer {sandbox.token}"}
    ...     async with httpx.AsyncClient(
    ...         base_url=sandbox.base_url, headers=headers, transport=sandbox.transport()
    ...     ) as http:
    ...         client = ServiceClient(http, RateLimiter(), DeltaCache())
    ...         return await client.get("/budgets")
    >>> [budget["name"] for budget in asyncio.run(main())["budgets"]][0]
    'Household'
    """

    def __init__(
        self, http: httpx.AsyncClient, limiter: RateLimiter, cache: DeltaCache | None = None
    ) -> None:
        self._http = http
        self.limiter = limiter
        self.cache = cache
        self._flights: dict[Any, _Flight] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.base_url)!r}, {self.limiter!r})"

    @property
    def base_url(self) -> httpx.URL:
        """Address of the service."""
        return self._http.base_url

    async def request(self, method: str, path: str, **kwargs: Any) -> dict[str, Any]:
        """Send one request and give the converted data object of its answer, whole.

        Parameters
        ----------
        method : str
            GET, POST, PUT, PATCH or DELETE, in any case.
        path : str
            Relative to the base address. A query in it counts as parameters.
        **kwargs
            Handed on to ``httpx.AsyncClient.request``. Amounts in a body are milliunits: it is
            sent as it is given.

        Raises
        ------
        ToolError
            When the limit is reached. Nothing was sent.
        ServiceAPIError
            When the service answers with an error, or with something unusable.
        httpx.RequestError
            When no complete answer arrived: no connection, a timeout, a broken body. It carries
            no credentials.
        ValueError
            For another method, or a path that is not a plain relative one. Nothing was sent.
        """
        target = _Target.of(path, kwargs.pop("params", None))
        return await self._exchange(method, target, target.params, kwargs)

    async def get(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """GET as `request` does it, and give the data object without its server knowledge.

        With a cache, the lists the service can tell the changes of are asked for as deltas and
        merged. What is returned is the caller's own.
        """
        target = _Target.of(path, kwargs.pop("params", None))
        if self.cache is not None and target.is_delta_capable:
            return copy_json(await self._list(self.cache, target, kwargs))
        return await self._whole(target, kwargs)

    async def get_shared(self, path: str, *, params: Any = None) -> dict[str, Any]:
        """Like `get`, without the copy.

        What it returns may be the cache's own, or another reader's too: it is read only.
        """
        target = _Target.of(path, params)
        if self.cache is None:
            return await self._whole(target, {})
        if target.is_delta_capable:
            return await self._list(self.cache, target, {})
        reading = self.cache.begin(target.key, target.normal_params)
        return await self._fly((target.path, reading), lambda: self._whole(target, {}))

    async def post(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """`request` with POST."""
        return await self.request("POST", path, **kwargs)

    async def put(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """`request` with PUT."""
        return await self.request("PUT", path, **kwargs)

    async def patch(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """`request` with PATCH."""
        return await self.request("PATCH", path, **kwargs)

    async def delete(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """`request` with DELETE."""
        return await self.request("DELETE", path, **kwargs)

    async def validate_token(self) -> str:
        """Check the token and give the id of the user it belongs to.

        Raises
        ------
        ServiceAPIError
            With status 401 when the service does not know the token.
        """
        user = (await self.request("GET", "/user")).get("user")
        user_id = user.get("id") if isinstance(user, dict) else None
        if not isinstance(user_id, str):
            raise invalid_response(httpx.codes.OK, "no user id in it")
        return user_id

    async def _exchange(
        self, method: str, target: _Target, params: httpx.QueryParams, kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        """Send one request through all the steps but the reading of deltas."""
        method = method.upper()
        if method not in _METHODS:
            message = f"method {method!r}: the service knows {', '.join(sorted(_METHODS))}"
            raise ValueError(message)
        self._take_slot()
        try:
            response = await self._send(method, target.path, params, kwargs)
        finally:
            # However it ended: the service may have carried it out.
            if method != "GET":
                self._invalidate(target)
        data = data_of(response)
        convert_in_place(data)
        return data

    def _take_slot(self) -> None:
        allowed, count, retry_after = self.limiter.reserve()
        if not allowed:
            seconds = _NO_DELAY if retry_after is None else int(retry_after)
            raise ToolError(
                f"rate limit reached ({count} requests this hour), try again in {seconds} seconds"
            )

    async def _send(
        self, method: str, path: str, params: httpx.QueryParams, kwargs: dict[str, Any]
    ) -> httpx.Response:
        answered = False
        try:
            response = await self._http.request(
                method, path, **{**kwargs, "params": params or None, "follow_redirects": False}
            )
            answered = True
        except httpx.RequestError as error:
            raise without_credentials(error) from None
        finally:
            self.limiter.settle(answered=answered)
        return response

    def _invalidate(self, target: _Target) -> None:
        if self.cache is None or target.resource is None:
            return
        if target.budget_id in BUDGET_ALIASES:
            self.cache.clear()  # which budget it was is known to the service alone
            return
        for name in linked(target.resource):
            self.cache.invalidate(f"{target.budget_id}:{name}")

    async def _whole(self, target: _Target, kwargs: dict[str, Any]) -> dict[str, Any]:
        data = await self._exchange("GET", target, target.params, kwargs)
        data.pop("server_knowledge", None)
        return data

    async def _list(
        self, cache: DeltaCache, target: _Target, kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        reading = cache.begin(target.key, target.normal_params)
        if kwargs:  # a timeout or a header of its own: not the same request as another's
            return await self._read_list(cache, reading, target, kwargs)
        return await self._fly(
            (target.path, reading), lambda: self._read_list(cache, reading, target, {})
        )

    async def _read_list(
        self, cache: DeltaCache, reading: Reading, target: _Target, kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        if reading.cursor is not None:
            params = target.params.set(_CURSOR, reading.cursor)
            delta = await self._exchange("GET", target, params, kwargs)
            knowledge = _pop_knowledge(delta)
            if knowledge is None or not is_mergeable(delta):
                cache.discard(reading)
            elif (merged := cache.apply(reading, delta, knowledge)) is not None:
                return merged
            # The delta belongs to nothing that is still there: read the list in full.
            reading = cache.begin(reading.key, reading.params)
        data = await self._exchange("GET", target, target.params, kwargs)
        knowledge = _pop_knowledge(data)
        if knowledge is not None and is_mergeable(data):
            cache.store(reading, data, knowledge)
        return data

    async def _fly(
        self,
        asked: tuple[str, Reading],
        read: Callable[[], Coroutine[Any, Any, dict[str, Any]]],
    ) -> dict[str, Any]:
        """Await a read, together with all who ask for the same while it is under way."""
        path, reading = asked
        # The epoch keeps a read begun after a write from joining a request begun before it.
        what = (asyncio.get_running_loop(), path, reading.params, reading.epoch)
        flight = self._flights.get(what)
        if flight is None:
            flight = self._flights[what] = _Flight(asyncio.ensure_future(read()))
            flight.task.add_done_callback(lambda task: task.cancelled() or task.exception())
        flight.waiting += 1
        try:
            # Shielded: who gives up waiting must not end the read of the others.
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and self._flights.get(what) is flight:
                del self._flights[what]
            if not flight.waiting and not flight.task.done():
                flight.task.cancel()
                await asyncio.wait({flight.task})


@dataclass(slots=True)
class _Flight:
    """A read that is under way, and how many wait for it."""

    task: asyncio.Future[dict[str, Any]]
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class _Target:
    """What a request is about: its path in pieces, and all of its parameters."""

    path: str
    segments: tuple[str, ...]
    params: httpx.QueryParams

    @classmethod
    def of(cls, path: str, params: Any) -> _Target:
        bare, _, query = path.partition("?")
        segments = tuple(bare.removeprefix("/").removesuffix("/").split("/"))
        if "#" in path or any(unquote(part).strip(".") == "" for part in segments):
            message = (
                f"path {path!r}: give a plain path like '/budgets/<id>/accounts', relative to the"
                " base address, without empty or dot segments and without a fragment"
            )
            raise ValueError(message)
        return cls("/" + "/".join(segments), segments, httpx.QueryParams(query).merge(params))

    @property
    def budget_id(self) -> str:
        return self.segments[1]

    @property
    def resource(self) -> str | None:
        """The third segment of a path under a budget."""
        under_budget = len(self.segments) >= _LIST and self.segments[0] in _ROOTS
        return self.segments[2] if under_budget else None

    @property
    def key(self) -> str:
        """What the answer is called in the cache."""
        if self.resource is not None:
            return f"{self.budget_id}:{self.resource}"
        if self.segments[0] in _ROOTS and len(self.segments) > 1:
            return f"{self.budget_id}:{EXPORT}"
        return f":{self.segments[0]}"

    @property
    def normal_params(self) -> Params:
        return tuple(sorted(self.params.multi_items()))

    @property
    def is_delta_capable(self) -> bool:
        resource = RESOURCES.get(self.resource or "")
        return (
            resource is not None
            and resource.delta
            and len(self.segments) == _LIST
            and self.budget_id not in BUDGET_ALIASES
            and self.params.keys() <= _WITH_CURSOR
        )


def _pop_knowledge(data: dict[str, Any]) -> int | None:
    knowledge = data.pop("server_knowledge", None)
    return knowledge if type(knowledge) is int else None

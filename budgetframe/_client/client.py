"""The single point of contact with the service: every request passes through it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import httpx

from budgetframe._cache.delta_cache import DeltaCache, ReadToken
from budgetframe._cache.merge import is_mergeable
from budgetframe._milliunits import convert_in_place
from budgetframe._resources import BUDGET_ALIASES, copy_json, linked
from budgetframe._runtime.gc_pause import paused_gc
from budgetframe.errors import ToolError

from .limiter import RateLimiter, RequestOutcome
from .responses import data_of, invalid_response, without_credentials
from .retry import Retries
from .single_flight import SingleFlight
from .target import Target
from .usage import RequestCounter

__all__ = ["ServiceClient"]

_METHODS = frozenset({"DELETE", "GET", "PATCH", "POST", "PUT"})
_CURSOR = "last_knowledge_of_server"
_NO_DELAY = 60.0


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
    retries : Retries, optional
        With it, `get` tries again after a failure that passes. Every try takes its place in the
        limit. `request` and writes are sent once.
    meter : Meter, optional
        Counts what is sent.

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
        self,
        http: httpx.AsyncClient,
        limiter: RateLimiter,
        cache: DeltaCache | None = None,
        *,
        retries: Retries | None = None,
        counter: RequestCounter | None = None,
    ) -> None:
        self._http = http
        self.limiter = limiter
        self.cache = cache
        self.retries = retries
        self.counter = counter or RequestCounter()
        self._reads: SingleFlight[tuple[dict[str, Any], datetime | None]] = SingleFlight()

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

        Returns
        -------
        dict
            The data object, its milliunits converted, with the server knowledge where there is
            one.

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
        target = Target.of(path, kwargs.pop("params", None))
        return await self._send_and_parse(method, target, target.params, kwargs)

    async def get(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """GET as `request` does it, and give the data object without its server knowledge.

        With a cache, the lists the service can tell the changes of are asked for as deltas and
        merged, and reads of the same list at the same time share one request. A caller that gives
        ``last_knowledge_of_server`` itself gets the service's own answer, and nothing is cached.

        Parameters
        ----------
        path : str
            As for `request`.
        **kwargs
            As for `request`; ``params`` are the query parameters.

        Returns
        -------
        dict
            The data object, the caller's own.

        Raises
        ------
        ToolError, ServiceAPIError, httpx.RequestError, ValueError
            As for `request`.
        """
        target = Target.of(path, kwargs.pop("params", None))
        if self.cache is None or not target.is_delta_capable:
            return await self._get_uncached(target, kwargs)
        token = self.cache.look_up(target.key, target.normal_params)
        if kwargs:  # a timeout or a header: not the same request as that of another caller
            return copy_json(await self._read(target, token, kwargs))
        return copy_json(await self.read(path, token, params=target.params))

    async def read(
        self,
        path: str,
        token: ReadToken,
        *,
        params: Any = None,
        as_of: datetime | None = None,
        ttl: float = 0.0,
    ) -> dict[str, Any]:
        """GET for a session: like `get`, but without a copy, and the cache stores every answer.

        Reads of the same path at the same time share one request. Needs a cache.

        Parameters
        ----------
        path : str
            As for `request`.
        token : ReadToken
            What the cache knew of it when the read began.
        params : optional
            Query parameters.
        as_of : datetime, optional
            The time now, which the cache stores with the answer.
        ttl : float
            Seconds for which the answer is fresh.

        Returns
        -------
        dict
            The data object, which must not be changed.
        """
        target = Target.of(path, params)

        async def read() -> tuple[dict[str, Any], datetime | None]:
            return await self._read(target, token, {}, as_of, ttl), as_of

        # The generation keeps a read begun after a write from joining a request begun before it.
        key = (target.path, token.key, token.params, token.generation, token.month)
        data, stamp = await self._reads.run(key, read)
        if as_of is not None and stamp is None and self.cache is not None:
            self.cache.stamp(token, data, as_of, ttl)  # `get` has sent the request
        return data

    async def post(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """`request` with POST: the same parameters, return value and errors."""
        return await self.request("POST", path, **kwargs)

    async def put(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """`request` with PUT: the same parameters, return value and errors."""
        return await self.request("PUT", path, **kwargs)

    async def patch(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """`request` with PATCH: the same parameters, return value and errors."""
        return await self.request("PATCH", path, **kwargs)

    async def delete(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """`request` with DELETE: the same parameters, return value and errors."""
        return await self.request("DELETE", path, **kwargs)

    async def validate_token(self) -> str:
        """Check the token.

        Returns
        -------
        str
            Id of the user it belongs to.

        Raises
        ------
        ServiceAPIError
            With status 401 when the service does not know the token.
        ToolError, httpx.RequestError
            As for `request`.
        """
        user = (await self.request("GET", "/user")).get("user")
        user_id = user.get("id") if isinstance(user, dict) else None
        if not isinstance(user_id, str):
            raise invalid_response(httpx.codes.OK, "no user id in it")
        return user_id

    async def _send_and_parse(
        self, method: str, target: Target, params: httpx.QueryParams, kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        """Send one request through all the steps but the reading of deltas."""
        method = method.upper()
        if method not in _METHODS:
            message = f"method {method!r}: the service knows {', '.join(sorted(_METHODS))}"
            raise ValueError(message)
        self._reserve()
        self.counter.count(target.key.partition(":")[2])
        if method != "GET" and self.cache is not None and self.cache.persistent:
            # Before the write too: if this process ends now, the next one must not use the file.
            self._invalidate_linked(target)
        try:
            response = await self._send(method, target.path, params, kwargs)
        finally:
            # However it ended: the service may have carried it out.
            if method != "GET":
                self._invalidate_linked(target)
        with paused_gc():
            data = data_of(response)
            try:
                convert_in_place(data)
            except OverflowError:
                problem = "an amount in it that no float can hold"
                raise invalid_response(response.status_code, problem) from None
        return data

    def _reserve(self) -> None:
        allowed, count, retry_after = self.limiter.reserve()
        if not allowed:
            seconds = _NO_DELAY if retry_after is None else retry_after
            raise ToolError(
                f"rate limit reached ({count} requests this hour),"
                f" try again in {int(seconds)} seconds",
                retry_after=retry_after,
            )

    async def _send(
        self, method: str, path: str, params: httpx.QueryParams, kwargs: dict[str, Any]
    ) -> httpx.Response:
        outcome = RequestOutcome.UNANSWERED
        try:
            response = await self._http.request(
                method, path, **{**kwargs, "params": params or None, "follow_redirects": False}
            )
            outcome = RequestOutcome.ANSWERED
        except httpx.RequestError as error:
            raise without_credentials(error) from None
        except (TypeError, ValueError, httpx.InvalidURL):
            outcome = (
                RequestOutcome.UNSENT
            )  # there was no request that could be made of the arguments
            raise
        finally:
            self.limiter.release(outcome)
        return response

    def _invalidate_linked(self, target: Target) -> None:
        """Drop everything that a write to this target makes outdated."""
        if self.cache is None or target.resource is None:
            return
        if target.budget_id in BUDGET_ALIASES:
            self.cache.clear()  # only the service knows which budget it was
            return
        with self.cache.transaction(write=True):
            for name in linked(target.resource):
                self.cache.invalidate(f"{target.budget_id}:{name}")

    async def _get_with_retries(
        self, target: Target, params: httpx.QueryParams, kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        if self.retries is None:
            return await self._send_and_parse("GET", target, params, kwargs)
        return await self.retries.run(lambda: self._send_and_parse("GET", target, params, kwargs))

    async def _get_uncached(self, target: Target, kwargs: dict[str, Any]) -> dict[str, Any]:
        data = await self._get_with_retries(target, target.params, kwargs)
        data.pop("server_knowledge", None)
        return data

    async def _read(
        self,
        target: Target,
        token: ReadToken,
        kwargs: dict[str, Any],
        as_of: datetime | None = None,
        ttl: float = 0.0,
    ) -> dict[str, Any]:
        """Read by a delta if the list is stored, else in full, and store the result."""
        cache = self.cache
        if cache is None:
            raise ValueError("a read with a token needs a client with a cache")
        if target.is_delta_capable and token.cursor is not None:
            params = target.params.set(_CURSOR, token.cursor)
            delta = await self._get_with_retries(target, params, kwargs)
            knowledge = _pop_knowledge(delta)
            if knowledge is None or not is_mergeable(delta, target.data_key):
                cache.discard(token)
            elif record := cache.apply(token, delta, knowledge, as_of=as_of, ttl=ttl):
                merged: dict[str, Any] = record.data
                return merged
            # The list that the delta belongs to is not stored any more: read it in full.
            token = cache.look_up(token.key, token.params)
        data = await self._get_with_retries(target, target.params, kwargs)
        knowledge = _pop_knowledge(data)
        if not (target.is_delta_capable and is_mergeable(data, target.data_key)):
            knowledge = None
        if knowledge is not None or as_of is not None:
            cache.store(token, data, knowledge, as_of=as_of, ttl=ttl)
        return data


def _pop_knowledge(data: dict[str, Any]) -> int | None:
    knowledge = data.pop("server_knowledge", None)
    return knowledge if type(knowledge) is int else None

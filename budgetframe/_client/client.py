"""The client of the service: all requests are sent here."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import Any

import httpx

from budgetframe._cache.answers import Read, ReadToken
from budgetframe._cache.deleted_splits import drop_deleted_splits
from budgetframe._cache.delta_cache import DeltaCache
from budgetframe._cache.deltas import Meaning, Payload, meaning_of
from budgetframe._cache.merge import has_amounts, is_mergeable
from budgetframe._milliunits import convert_in_place
from budgetframe._resources import BUDGET_ALIASES, RESOURCES, copy_json, linked
from budgetframe._runtime.gc_pause import paused_gc
from budgetframe.errors import ServiceAPIError, ToolError

from .credentials import Token, TokenFunction
from .limit_guard import Limiter, LimitGuard, RequestOutcome
from .other_library import add_class_of_httpx
from .responses import Received, data_of, invalid_response, strip_credentials, with_first_keys
from .retry import Retries
from .service_clock import ServiceClock
from .single_flight import SingleFlight
from .target import Target
from .usage import RequestCounter

_METHODS = frozenset({"DELETE", "GET", "PATCH", "POST", "PUT"})
_CURSOR = "last_knowledge_of_server"
_KNOWLEDGE = "server_knowledge"
_DIGITS = re.compile(r"[0-9]{1,19}")
_UNKNOWN_WAIT = 60.0  # seconds that a message shows if no recorded request could leave the window

SendTo = Callable[[str], Awaitable[Received]]  # sends a request to a path


class ServiceClient:
    """Sends requests to the budgeting service within its limit, and converts the answers.

    All requests pass through the same steps: the limiter allows the request, the request is sent,
    its time is recorded when the response has arrived, an error response becomes a
    `ServiceAPIError`, the ``data`` object is taken out of the answer, milliunits become currency
    units, and after a write the cached answers that it made outdated are dropped. Only `write`,
    which a `BudgetFrame` calls, keeps lists for the next deltas; nothing shows them before.

    Each call of `request` sends one request, to the path that it gets; only `token` can cause a
    second one. The connections of `BudgetFrame.connect` and `BudgetFrame.sandbox` also try the
    paths under ``/plans`` if the service does not know those under ``/budgets``.

    Parameters
    ----------
    http : httpx.AsyncClient
        Contains the base address and the authorization header. This class never closes it. A client
        of httpx2 will do too: its errors are then errors of both libraries.
    limiter : RateLimiter
        Shared by all clients of one token. Any object with the methods `check` and `record` of a
        `RateLimiter` will do: `check` is called before a request is sent, and `record` once when
        its response has arrived.
    cache : DeltaCache, optional
        Stores lists, which are then read as deltas.
    retries : Retries, optional
        With it, `get` repeats a request after a temporary failure. Each attempt counts against the
        limit. `request` and writes are sent once.
    counter : RequestCounter, optional
        Counts the requests for the user.
    token : callable, optional
        A function without arguments, also an asynchronous one, that returns the access token. It is
        called for each request. After the status 401 it is called once more, and the request is
        sent once more, also a write, because the service has not carried it out. Without a
        function, the HTTP client must contain the authorization header.
    clock : ServiceClock, optional
        Is set by each response that states its time.

    Notes
    -----
    The client itself belongs to no event loop; its HTTP client may belong to one.

    Redirects are never followed, because the token would be sent to the new address.

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
        limiter: Limiter,
        cache: DeltaCache | None = None,
        *,
        retries: Retries | None = None,
        counter: RequestCounter | None = None,
        token: TokenFunction | Token | None = None,
        clock: ServiceClock | None = None,
    ) -> None:
        self._http = http
        self._token = token if token is None or isinstance(token, Token) else Token(token)
        self.guard = LimitGuard(limiter)
        """Counts the requests for the limit, also those that the limiter does not know."""
        self.cache = cache
        self.retries = retries
        self.counter = counter or RequestCounter()
        self.clock = clock or ServiceClock()
        self._reads: SingleFlight[Read] = SingleFlight()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.base_url)!r}, {self.limiter!r})"

    @property
    def limiter(self) -> Limiter:
        """The limiter."""
        return self.guard.limiter

    @property
    def base_url(self) -> httpx.URL:
        """Address of the service."""
        return self._http.base_url

    async def request(self, method: str, path: str, **kwargs: Any) -> dict[str, Any]:
        """Send one request and return the converted data object of its answer.

        Parameters
        ----------
        method : str
            GET, POST, PUT, PATCH or DELETE, in any case.
        path : str
            Path relative to the base address. A query in it counts as parameters.
        **kwargs
            Arguments of ``httpx.AsyncClient.request``. A body is sent without conversion: amounts
            in it are milliunits.

        Returns
        -------
        dict
            The data object with currency units instead of milliunits, and with the server
            knowledge if the answer has one.

        Raises
        ------
        ToolError
            If the limit is reached. Nothing was sent.
        ServiceAPIError
            If the service answers with an error, or if its answer is unusable.
        httpx.RequestError
            If no complete answer arrived: no connection, a timeout, a broken body. The error
            contains no credentials.
        ValueError
            If the method is another one, or if the path is not a plain relative path. Nothing was
            sent.
        """
        target = Target.of(path, kwargs.pop("params", None))
        return (await self._send_and_parse(method, target, target.params, kwargs)).data

    async def get(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """Read with GET and return the data object without its server knowledge.

        With a cache, lists are requested as deltas if the service can send their changes, and are
        merged; simultaneous reads of the same list share one request. A delta is not used if its
        server knowledge is lower than the one that was sent: the service was set back, and the
        list is read in full. If the caller passes ``last_knowledge_of_server``, the service's
        answer is returned and nothing is cached.

        Parameters
        ----------
        path : str
            As in `request`.
        **kwargs
            As in `request`; ``params`` are the query parameters.

        Returns
        -------
        dict
            The data object; the caller may change it.

        Raises
        ------
        ToolError, ServiceAPIError, httpx.RequestError, ValueError
            As in `request`.
        """
        target = Target.of(path, kwargs.pop("params", None))
        if self.cache is None or not target.is_delta_capable:
            return (await self.fetch(target, kwargs)).data
        token = self.cache.answers.look_up(target.key, target.normal_params)
        if kwargs:  # a timeout or a header: the request must not be shared with other callers
            data = (await self._read(target, token, kwargs)).data
        else:
            data = (await self.read(path, token, params=target.params)).data
        data = copy_json(drop_deleted_splits(data))
        data.pop(_KNOWLEDGE, None)  # the user may have stored it with `DeltaCache.update`
        return data

    async def fetch(
        self, target: Target, options: dict[str, Any], *, cursor: int | None = None
    ) -> Payload:
        """Read with GET and retries, without the cache.

        Parameters
        ----------
        target : Target
            What to read.
        options : dict
            Arguments of ``httpx.AsyncClient.request``.
        cursor : int, optional
            Only the changes since this server knowledge are requested.

        Returns
        -------
        Payload
            The data object.

        Raises
        ------
        ToolError, ServiceAPIError, httpx.RequestError
            As in `request`.
        """
        params = target.params if cursor is None else target.params.set(_CURSOR, cursor)
        send = partial(self._send_and_parse, "GET", target, params, options)
        received = await (send() if self.retries is None else self.retries.run(send))
        if received.date is not None and self.cache is not None:
            self.cache.answers.observe(received.date)
        knowledge = received.data.pop(_KNOWLEDGE, None)
        if isinstance(knowledge, str) and _DIGITS.fullmatch(knowledge):
            knowledge = int(knowledge)
        if type(knowledge) is not int:
            knowledge = None
        return Payload(received.data, knowledge, received.has_amounts, received.date)

    async def download(self, path: str) -> tuple[bytes, datetime | None]:
        """Read with GET and retries, without the cache: the answer as the service sent it.

        The result is the body of the response, which is as in `request`, and the time that it
        states.
        """
        target = Target.of(path, None)
        send = partial(self._send_and_parse, "GET", target, target.params, {})
        received = await (send() if self.retries is None else self.retries.run(send))
        return received.content, received.date

    async def read(
        self,
        path: str,
        token: ReadToken,
        *,
        params: Any = None,
        as_of: datetime | None = None,
        ttl: float = 0.0,
    ) -> Read:
        """Read with GET for a session: without a copy, and the cache stores every answer.

        No later answer is merged into an answer whose rows do not all have usable amounts: the next
        request is one of the whole list.

        Simultaneous reads of the same path share one request. The client must have a cache.

        Parameters
        ----------
        path : str
            As in `request`.
        token : ReadToken
            The state of the cache when the read began.
        params : optional
            Query parameters.
        as_of : datetime, optional
            The current time, which the cache stores with an answer that states no time.
        ttl : float
            Seconds for which the answer is fresh.

        Returns
        -------
        Read
            The data object and the time of its answer, also if another read has sent the request.
        """
        target = Target.of(path, params)
        stored = token.record
        if as_of is not None and stored is not None and stored.as_of is None:
            # `get` may have stored the list; it does not need amounts.
            token = token if has_amounts(stored.data, float) else token._replace(cursor=None)
        # Because of the generation, a read that begins after a write does not join a request that
        # began before the write. During a write of another process, a read joins none: the service
        # may carry out the write between them.
        flight = object() if token.generation.is_written else None
        key = (target.path, token.key, token.params, token.generation, token.month, flight)
        read = await self._reads.run(key, lambda: self._read(target, token, {}, as_of, ttl))
        if as_of is None:
            return read
        if self.cache is not None and read.as_of is None:  # `get` has sent the request
            self.cache.answers.stamp(token, read.data, as_of, ttl)
            if not read.has_amounts:
                self.cache.answers.forget_knowledge(token.key, read.data)
        return read._replace(as_of=read.as_of or as_of)

    async def write(self, method: str, path: str, **kwargs: Any) -> dict[str, Any]:
        """Write for a session: as `request`, but the cache keeps the lists that it had.

        None of them is shown any more: the next read of each asks for the changes since then, which
        contain those of the write. After a write that can change names, nothing is kept.

        Parameters
        ----------
        method : str
            POST, PUT, PATCH or DELETE.
        path : str
            As in `request`.
        **kwargs
            As in `request`.

        Returns
        -------
        dict
            As in `request`.

        Raises
        ------
        ToolError, ServiceAPIError, httpx.RequestError, ValueError
            As in `request`.
        """
        target = Target.of(path, kwargs.pop("params", None))
        known, params = RESOURCES.get(target.resource or ""), target.params
        keeps = known is not None and known.is_in_deltas
        return (await self._send_and_parse(method, target, params, kwargs, keeps_lists=keeps)).data

    async def post(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """Call `request` with POST: the same parameters, return value and errors."""
        return await self.request("POST", path, **kwargs)

    async def put(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """Call `request` with PUT: the same parameters, return value and errors."""
        return await self.request("PUT", path, **kwargs)

    async def patch(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """Call `request` with PATCH: the same parameters, return value and errors."""
        return await self.request("PATCH", path, **kwargs)

    async def delete(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """Call `request` with DELETE: the same parameters, return value and errors."""
        return await self.request("DELETE", path, **kwargs)

    async def validate_token(self) -> str:
        """Check the token.

        Returns
        -------
        str
            Id of the user that the token belongs to.

        Raises
        ------
        ServiceAPIError
            If the service does not know the token: the status is then 401.
        ToolError, httpx.RequestError
            As in `request`.
        """
        user = (await self.request("GET", "/user")).get("user")
        user_id = user.get("id") if isinstance(user, dict) else None
        if not isinstance(user_id, str):
            raise invalid_response(httpx.codes.OK, "has no user id")
        return user_id

    async def _send_and_parse(
        self,
        method: str,
        target: Target,
        params: httpx.QueryParams,
        kwargs: dict[str, Any],
        *,
        keeps_lists: bool = False,
    ) -> Received:
        """Send a request as `_send_once`, and once more if the token has expired."""
        if self._http.is_closed:
            raise RuntimeError("the HTTP client of this ServiceClient is closed: create a new one")
        once = partial(self._send_once, method, target, params, kwargs, keeps_lists=keeps_lists)
        try:
            return await self._send_to(target, once)
        except ServiceAPIError as error:
            if self._token is None or error.status_code != httpx.codes.UNAUTHORIZED:
                raise
        return await self._send_to(target, once)

    async def _send_to(self, target: Target, send: SendTo) -> Received:
        """Send a request to the path of a target."""
        return await send(target.path)

    async def _send_once(
        self,
        method: str,
        target: Target,
        params: httpx.QueryParams,
        kwargs: dict[str, Any],
        path: str,
        *,
        keeps_lists: bool,
    ) -> Received:
        """Send one request, convert its answer, and invalidate the cache after a write."""
        # With `keeps_lists`, the next deltas start from the outdated lists.
        method = method.upper()
        if method not in _METHODS:
            raise ValueError(f"method {method!r}: use one of {', '.join(sorted(_METHODS))}")
        given = {**kwargs, "params": params.multi_items() or None}
        given.pop("follow_redirects", None)  # the token would be sent to the new address
        auth = {"auth": given.pop("auth")} if "auth" in given else {}
        # All errors of the arguments appear here, before the request counts.
        request = self._http.build_request(method, path, **given)
        if self._token is not None:
            request.headers.update(await self._token.present_headers())
        allowed, count, retry_after = self.guard.reserve()
        if not allowed:
            seconds = _UNKNOWN_WAIT if retry_after is None else retry_after
            raise ToolError(
                f"rate limit reached ({count} requests this hour),"
                f" try again in {int(seconds)} seconds",
                retry_after=retry_after,
            )
        outcome = RequestOutcome.UNSENT
        end_write: Callable[[], None] | None = None
        try:
            self.counter.count(target.key.partition(":")[2])
            if method != "GET" and self.cache is not None and target.resource is not None:
                # Without keys, everything is dropped: only the service knows an alias's budget.
                is_alias = target.budget_id in BUDGET_ALIASES
                names = () if is_alias else linked(target.resource)
                keys = [f"{target.budget_id}:{name}" for name in names]
                end_write = self.cache.answers.begin_write(keys, keeps_lists=keeps_lists)
            outcome = RequestOutcome.UNANSWERED
            response = await self._http.send(request, follow_redirects=False, **auth)
            outcome = RequestOutcome.ANSWERED
        except Exception as error:
            add_class_of_httpx(error, self._http)
            if not isinstance(error, httpx.HTTPError):
                raise
            if isinstance(error, httpx.HTTPStatusError):  # a hook of the client does not accept it
                outcome = RequestOutcome.ANSWERED
            raise strip_credentials(error) from None
        finally:
            self.guard.release(outcome)
            if end_write is not None:  # also after an error: the service may have executed it
                end_write()
        date = self.clock.observe(response)
        with paused_gc():
            data = data_of(response)
            if target.has_spellings:
                data = with_first_keys(data)
            # A float is no number of milliunits: it may be shown, but not be merged with others.
            kinds = (int,) if target.is_delta_capable or target.is_export else (int, float)
            is_complete = has_amounts(data, *kinds)
            convert_in_place(data)
        return Received(data, is_complete, date, response.content)

    async def _read(
        self,
        target: Target,
        token: ReadToken,
        kwargs: dict[str, Any],
        as_of: datetime | None = None,
        ttl: float = 0.0,
    ) -> Read:
        """Read by a delta if the list is stored, else in full; store and return the data."""
        if self.cache is None:
            raise ValueError("a read with a token needs a client with a cache")
        answers = self.cache.answers
        # Only a session reads exports with a time, and the cache under its own key.
        is_timed = as_of is not None
        has_deltas = target.is_delta_capable or (target.is_export and is_timed)
        record = token.record
        if has_deltas and record is not None and token.cursor is not None:
            payload = await self.fetch(target, kwargs, cursor=token.cursor)
            as_of = (payload.date or as_of) if is_timed else None
            key, stored = target.data_key, record.data
            meaning = meaning_of(payload, cursor=token.cursor, data_key=key, stored=stored)
            # A frame may show the list: no later delta would repair an amount that is missing.
            is_last = meaning is Meaning.MERGE_LAST and (is_timed or record.as_of is not None)
            if meaning is Meaning.READ_IN_FULL:
                answers.discard(token)
            elif stored := answers.apply(
                token, payload.data, None if is_last else payload.knowledge, as_of=as_of, ttl=ttl
            ):
                return Read(stored.data, as_of, stored.knowledge, payload.has_amounts)
            # The delta cannot be used, or the list that it belongs to is no longer stored.
            token = answers.look_up(token.key, token.params)
        data, knowledge, is_complete, date = await self.fetch(target, kwargs)
        as_of = (date or as_of) if is_timed else None
        is_shown = is_timed or (token.record is not None and token.record.as_of is not None)
        can_change = has_deltas and is_mergeable(data, target.data_key)
        if not can_change or (is_shown and not is_complete):
            knowledge = None
        if knowledge is not None or as_of is not None:
            answers.store(token, data, knowledge, as_of=as_of, ttl=ttl)
        return Read(data, as_of, knowledge, is_complete)

"""The embedded service with generated budgets."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable
from datetime import date

import httpx
from starlette.types import ASGIApp

from budgetframe.sandbox.household.builder import make_budgets
from budgetframe.sandbox.household.size import Size
from budgetframe.sandbox.transport.in_process import InProcess
from budgetframe.sandbox.web.app import make_app
from budgetframe.sandbox.web.faults import Fault, FaultPlan

from .device import Device
from .service import Service, noon


class Sandbox(Service):
    """The embedded budgeting service: generated budgets with the interface of the real service.

    Parameters
    ----------
    token
        The only access token that is accepted.
    seed
        Seed of the generated budgets; the same seed gives the same bytes everywhere.
    today
        The current date of the service, in UTC. Only `advance` changes it.
    clock
        A function that returns the seconds for the request limit, such as `time.monotonic`.
    limit
        Number of requests that are answered within any window. Errors count, except 429 and 401.
        On a socket, 421 does not count either: it is the answer to a request for another host name
        than a loopback one.
    window_seconds
        Length of the rolling window in seconds.
    years
        Full years before the current one that every budget contains. Default: three years in
        the first budget, one year in the others.
    transactions
        Number of transactions in the first budget, without deleted ones; 100,000 take a few
        seconds. About one in twenty of the additional transactions is a split. Default: about
        1,600 in three years.
    budgets
        Number of budgets, alternately in euro and yen.
    faults
        The faults that the service produces on purpose: a `FaultPlan`, or its rows.

    Raises
    ------
    ValueError
        If a size is not possible; the message contains the possible sizes.

    Notes
    -----
    The sandbox does not model these parts of the real service:

    * several users and tokens, OAuth, the alias ``default`` and a default budget. The errors 403,
      500 and 503 and HTML pages only occur as `faults`.
    * the refusal of large batches, and the limit of 30 seconds for an answer.
    * irregular answers: splits that do not add up, rows that occur twice, rows of accounts that
      are not listed, and the older answers that lack newer fields.
    * connections to banks that fail: ``direct_import_in_error`` is always false.
    * the time of the day: every change happens at noon, UTC.

    Where the behaviour of the real service is not known, the sandbox has made a choice: all lists
    of a budget share one ``server_knowledge``, and a renamed payee, category or account does not
    send its transactions again. ``budgetframe doctor`` shows what a real account does.

    Examples
    --------
    >>> import asyncio, httpx
    >>> from budgetframe.sandbox import Sandbox
    >>> sandbox = Sandbox()
    >>> async def names() -> list[str]:
    ...     headers = {"Authorization": f"Bearer {sandbox.token}"}
    ...     async with httpx.AsyncClient(
    ...         transport=sandbox.transport(), base_url=sandbox.base_url, headers=headers
    ...     ) as http:
    ...         answer = await http.get("/budgets")
    ...     return [budget["name"] for budget in answer.json()["data"]["budgets"]]
    >>> asyncio.run(names())
    ['Household', '東京の家計']
    """

    def __init__(
        self,
        *,
        token: str = "sandbox-token",  # noqa: S107 - it only opens this sandbox
        seed: int = 1,
        today: date = date(2026, 6, 17),
        clock: Callable[[], float] = time.monotonic,
        limit: int = 200,
        window_seconds: float = 3600.0,
        years: int | None = None,
        transactions: int | None = None,
        budgets: int = 2,
        faults: FaultPlan | Iterable[Fault | str] = (),
    ) -> None:
        size = Size(years=years, transactions=transactions, budgets=budgets)
        editors = make_budgets(seed=seed, today=today, now=noon(today), size=size)
        super().__init__(
            editors,
            token=token,
            user_id=editors[0].budget.user_id,
            today=today,
            clock=clock,
            limit=limit,
            window_seconds=window_seconds,
            faults=faults,
        )
        # Sandboxes with the same seed have the same ids; `instance` distinguishes them.
        self.instance = uuid.uuid4().hex
        self.device = Device(self.budgets, self.lock)
        self._app = make_app(self)

    @property
    def app(self) -> ASGIApp:
        """The ASGI app; its paths begin with `/v1`."""
        return self._app

    @property
    def base_url(self) -> str:
        """The base address for use with `transport`."""
        return "http://sandbox.invalid/v1"

    def transport(self) -> httpx.AsyncBaseTransport:
        """Return a transport for an `httpx.AsyncClient` that needs no socket.

        It works on every event loop.
        """
        return InProcess(self._app)

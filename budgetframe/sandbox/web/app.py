"""The ASGI app: routes, access token and request limit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from email.utils import format_datetime
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.routing import Route

from budgetframe.sandbox.errors import ApiError

from . import reads, writes
from .fault_middleware import FaultMiddleware
from .request import BudgetRequest
from .responses import Json, answer, refuse
from .serializers import Serializer

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from budgetframe.sandbox.sandbox import Sandbox

Handler = Callable[["Request"], Awaitable["Response"]]


class Endpoint(NamedTuple):
    """One operation on a budget."""

    method: str
    path: str
    answer: Callable[[BudgetRequest], Json]
    status: int | Callable[[Json], int] = 200
    """HTTP status, or a function that returns it for the data of the answer."""


_LOCATION = "/payee_locations/{payee_location_id}"
_MONTH = "/months/{month}"
_SCHEDULED = "/scheduled_transactions/{scheduled_transaction_id}"
ENDPOINTS = (
    Endpoint("GET", "", reads.export),
    Endpoint("GET", "/settings", reads.settings),
    Endpoint("GET", "/accounts", reads.list_of("account", "accounts")),
    Endpoint("POST", "/accounts", writes.create_account, 201),
    Endpoint("GET", "/accounts/{account_id}", reads.one_of("account", "accounts")),
    Endpoint("GET", "/accounts/{account_id}/transactions", reads.transactions_of_account),
    Endpoint("GET", "/categories", reads.categories),
    Endpoint("POST", "/categories", writes.create_category, 201),
    Endpoint("GET", "/categories/{category_id}", reads.category),
    Endpoint("PATCH", "/categories/{category_id}", writes.update_category),
    Endpoint("GET", "/categories/{category_id}/transactions", reads.transactions_of_category),
    Endpoint("POST", "/category_groups", writes.create_group, 201),
    Endpoint("PATCH", "/category_groups/{category_group_id}", writes.update_group),
    Endpoint("GET", "/payees", reads.list_of("payee", "payees")),
    Endpoint("POST", "/payees", writes.create_payee, 201),
    Endpoint("GET", "/payees/{payee_id}", reads.one_of("payee", "payees")),
    Endpoint("PATCH", "/payees/{payee_id}", writes.update_payee),
    Endpoint("GET", "/payees/{payee_id}/payee_locations", reads.locations),
    Endpoint("GET", "/payees/{payee_id}/transactions", reads.transactions_of_payee),
    Endpoint("GET", "/payee_locations", reads.locations),
    Endpoint("GET", _LOCATION, reads.one_of("payee_location", "locations")),
    Endpoint("GET", "/months", reads.months),
    Endpoint("GET", _MONTH, reads.month),
    Endpoint("GET", _MONTH + "/categories/{category_id}", reads.category),
    Endpoint("PATCH", _MONTH + "/categories/{category_id}", writes.assign),
    Endpoint("GET", _MONTH + "/transactions", reads.transactions_of_month),
    Endpoint("GET", _MONTH + "/money_movements", reads.movements),
    Endpoint("GET", _MONTH + "/money_movement_groups", reads.movement_groups),
    Endpoint("GET", "/money_movements", reads.movements),
    Endpoint("GET", "/money_movement_groups", reads.movement_groups),
    Endpoint("GET", "/transactions", reads.transactions),
    Endpoint("POST", "/transactions", writes.create_transactions, 201),
    Endpoint("PATCH", "/transactions", writes.update_transactions),
    Endpoint("POST", "/transactions/import", writes.import_transactions, writes.status_of_import),
    Endpoint("GET", "/transactions/{transaction_id}", reads.transaction),
    Endpoint("PUT", "/transactions/{transaction_id}", writes.update_transaction),
    Endpoint("DELETE", "/transactions/{transaction_id}", writes.delete_transaction),
    Endpoint("GET", "/scheduled_transactions", reads.scheduled),
    Endpoint("POST", "/scheduled_transactions", writes.create_scheduled, 201),
    Endpoint("GET", _SCHEDULED, reads.one_of("scheduled_transaction", "scheduled")),
    Endpoint("PUT", _SCHEDULED, writes.update_scheduled),
    Endpoint("DELETE", _SCHEDULED, writes.delete_scheduled),
)
SPELLINGS = {"budgets": False, "plans": True}
_SERVICE = "budgetframe.sandbox"  # the entry of a request's scope with the service that answers it


def _with_admission(app: ASGIApp, service: Sandbox) -> ASGIApp:
    """Admit requests with the access token, within the request limit."""
    # Every request with the token counts, also one that is answered with an error, but not one that
    # is refused with 429: the limit ends with the window even for a client that keeps sending.

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            authorization = dict(scope["headers"]).get(b"authorization", b"")
            refusal = service.admit(authorization.decode("latin-1"))
            if refusal is not None:
                await refuse(refusal)(scope, receive, send)
                return
            # The path is routed undecoded: an encoded slash is part of an id, not a separator.
            raw = scope.get("raw_path") or scope["path"].encode()
            path = raw.partition(b"?")[0].decode("ascii", "replace")
            scope = {**scope, "path": path, _SERVICE: service}
            spelling = path.removeprefix("/v1/").partition("/")[0]
            if spelling in SPELLINGS and spelling not in service.spellings:
                await refuse(ApiError("404.1"))(scope, receive, send)
                return
        await app(scope, receive, send)

    return serve


def _with_date(app: ASGIApp, service: Sandbox) -> ASGIApp:
    """Add the time of the service to every response: clients take the current day from it."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_date(message: Message) -> None:
            if message["type"] == "http.response.start":
                date = format_datetime(service.now(), usegmt=True)
                message = {**message, "headers": [*message["headers"], (b"date", date.encode())]}
            await send(message)

        await app(scope, receive, send_with_date)

    return serve


def _service_of(request: Request) -> Sandbox:
    service: Sandbox = request.scope[_SERVICE]
    return service


async def _user(request: Request) -> Response:
    return answer({"user": {"id": _service_of(request).user_id}})


def _on_budget(endpoint: Endpoint, *, published: bool) -> Handler:
    async def handle(request: Request) -> Response:
        service = _service_of(request)
        content = await request.body()
        path = {name: unquote(value) for name, value in request.path_params.items()}
        with service.lock:
            editor = service.find(path["budget_id"])
            if editor is None:
                raise ApiError("404.2")
            rows = service.rows_of(editor.budget)
            call = BudgetRequest(editor, published, path, request.query_params, content, rows)
            data = endpoint.answer(call)
            status = endpoint.status
            return answer(data, status if isinstance(status, int) else status(data))

    return handle


def _summaries(*, published: bool) -> Handler:
    names = ("plans", "default_plan") if published else ("budgets", "default_budget")

    async def handle(request: Request) -> Response:
        service = _service_of(request)
        with_accounts = request.query_params.get("include_accounts") == "true"
        rows = []
        with service.lock:
            for budget in (editor.budget for editor in service.budgets):
                serializer = Serializer(budget, published)
                accounts = [serializer.account(each) for each in budget.accounts.live()]
                more = {"accounts": accounts} if with_accounts else {}
                rows.append(serializer.summary() | more)
        return answer(dict(zip(names, (rows, None), strict=True)))

    return handle


async def _error_response(_request: Request, error: Exception) -> Response:
    if not isinstance(error, ApiError):
        raise error
    return refuse(error)


async def _unknown_path(_request: Request, _error: Exception) -> Response:
    return refuse(ApiError("404.1"))


@cache
def _routes() -> Starlette:
    """Build the routes once for all services: compiling them takes a third of the time of one."""
    routes = [Route("/v1/user", _user, methods=["GET"])]
    for spelling, published in SPELLINGS.items():
        base = f"/v1/{spelling}"
        routes.append(Route(base, _summaries(published=published), methods=["GET"]))
        for endpoint in ENDPOINTS:
            path = f"{base}/{{budget_id}}{endpoint.path}"
            answer = _on_budget(endpoint, published=published)
            routes.append(Route(path, answer, methods=[endpoint.method]))
    app = Starlette(
        routes=routes,
        exception_handlers={ApiError: _error_response, 404: _unknown_path, 405: _unknown_path},
    )
    app.router.redirect_slashes = False
    return app


def make_app(service: Sandbox) -> ASGIApp:
    """Build the ASGI app of a service."""
    app = FaultMiddleware(_routes(), lambda: service.faults)
    return _with_date(_with_admission(app, service), service)

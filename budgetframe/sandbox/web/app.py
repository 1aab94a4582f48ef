"""The HTTP side: routes, the token and the limit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.routing import Route

from budgetframe.sandbox.errors import ApiError, no_such_resource

from . import (
    reads as _reads,
    writes as _writes_rows,
    writes_accounts as _writes_accounts,
    writes_plan as _writes_plan,
    writes_scheduled as _writes_scheduled,
)
from .fault_middleware import FaultMiddleware
from .request import BudgetRequest
from .responses import Json, answer, refuse

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from budgetframe.sandbox.sandbox import Sandbox

Handler = Callable[["Request"], Awaitable["Response"]]


class Endpoint(NamedTuple):
    """One operation on a budget."""

    method: str
    path: str
    answer: Callable[[BudgetRequest], Json]
    status: int | Callable[[Json], int] = 200
    """HTTP status, where that depends on the answer by way of it."""


_MONTH = "/months/{month}"
_SCHEDULED = "/scheduled_transactions/{scheduled_transaction_id}"
ENDPOINTS = (
    Endpoint("GET", "", _reads.export),
    Endpoint("GET", "/settings", _reads.settings),
    Endpoint("GET", "/accounts", _reads.accounts),
    Endpoint("POST", "/accounts", _writes_accounts.create_account, 201),
    Endpoint("GET", "/accounts/{account_id}", _reads.account),
    Endpoint("GET", "/accounts/{account_id}/transactions", _reads.transactions_of_account),
    Endpoint("GET", "/categories", _reads.categories),
    Endpoint("POST", "/categories", _writes_plan.create_category, 201),
    Endpoint("GET", "/categories/{category_id}", _reads.category),
    Endpoint("PATCH", "/categories/{category_id}", _writes_plan.update_category),
    Endpoint("GET", "/categories/{category_id}/transactions", _reads.transactions_of_category),
    Endpoint("POST", "/category_groups", _writes_plan.create_group, 201),
    Endpoint("PATCH", "/category_groups/{category_group_id}", _writes_plan.update_group),
    Endpoint("GET", "/payees", _reads.payees),
    Endpoint("POST", "/payees", _writes_accounts.create_payee, 201),
    Endpoint("GET", "/payees/{payee_id}", _reads.payee),
    Endpoint("PATCH", "/payees/{payee_id}", _writes_accounts.update_payee),
    Endpoint("GET", "/payees/{payee_id}/payee_locations", _reads.locations_of_payee),
    Endpoint("GET", "/payees/{payee_id}/transactions", _reads.transactions_of_payee),
    Endpoint("GET", "/payee_locations", _reads.locations),
    Endpoint("GET", "/payee_locations/{payee_location_id}", _reads.location),
    Endpoint("GET", "/months", _reads.months),
    Endpoint("GET", _MONTH, _reads.month),
    Endpoint("GET", _MONTH + "/categories/{category_id}", _reads.category_in_month),
    Endpoint("PATCH", _MONTH + "/categories/{category_id}", _writes_plan.assign),
    Endpoint("GET", _MONTH + "/transactions", _reads.transactions_of_month),
    Endpoint("GET", _MONTH + "/money_movements", _reads.movements),
    Endpoint("GET", _MONTH + "/money_movement_groups", _reads.movement_groups),
    Endpoint("GET", "/money_movements", _reads.movements),
    Endpoint("GET", "/money_movement_groups", _reads.movement_groups),
    Endpoint("GET", "/transactions", _reads.transactions),
    Endpoint("POST", "/transactions", _writes_rows.create, 201),
    Endpoint("PATCH", "/transactions", _writes_rows.update_many),
    Endpoint(
        "POST",
        "/transactions/import",
        _writes_rows.import_linked,
        _writes_rows.status_of_import,
    ),
    Endpoint("GET", "/transactions/{transaction_id}", _reads.transaction),
    Endpoint("PUT", "/transactions/{transaction_id}", _writes_rows.update),
    Endpoint("DELETE", "/transactions/{transaction_id}", _writes_rows.delete),
    Endpoint("GET", "/scheduled_transactions", _reads.scheduled),
    Endpoint("POST", "/scheduled_transactions", _writes_scheduled.create, 201),
    Endpoint("GET", _SCHEDULED, _reads.scheduled_one),
    Endpoint("PUT", _SCHEDULED, _writes_scheduled.update),
    Endpoint("DELETE", _SCHEDULED, _writes_scheduled.delete),
)
SPELLINGS = {"budgets": False, "plans": True}


class AuthAndLimitMiddleware:
    """Lets a request through that carries the token and is within the limit.

    Every request that carries the token counts, whatever its answer, except one that is
    refused with 429: waiting out the window helps even those who keep trying.
    """

    def __init__(self, app: ASGIApp, sandbox: Sandbox) -> None:
        self.app = app
        self.sandbox = sandbox

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "http":
            refusal = self.sandbox.admit(_authorization(scope))
            if refusal is not None:
                await refuse(refusal)(scope, receive, send)
                return
            # Routed undecoded: an encoded slash is a part of an id and makes no other path.
            raw = scope.get("raw_path") or scope["path"].encode()
            scope = dict(scope, path=raw.partition(b"?")[0].decode("ascii", "replace"))
        await self.app(scope, receive, send)


def _authorization(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"authorization":
            return str(value, "latin-1")
    return ""


def _on_budget(sandbox: Sandbox, endpoint: Endpoint, *, published: bool) -> Handler:
    async def handle(request: Request) -> Response:
        content = await request.body()
        path = {name: unquote(value) for name, value in request.path_params.items()}
        with sandbox.lock:
            entries = sandbox.find(path["budget_id"])
            if entries is None:
                raise no_such_resource()
            rows = sandbox.rows_of(entries.budget)
            call = BudgetRequest(entries, published, path, request.query_params, content, rows)
            data = endpoint.answer(call)
            status = endpoint.status
            return answer(data, status if isinstance(status, int) else status(data))

    return handle


def _summaries(sandbox: Sandbox, *, published: bool) -> Handler:
    names = ("plans", "default_plan") if published else ("budgets", "default_budget")

    async def handle(request: Request) -> Response:
        with_accounts = request.query_params.get("include_accounts") == "true"
        with sandbox.lock:
            rows = sandbox.summaries(published=published, with_accounts=with_accounts)
        return answer(dict(zip(names, (rows, None), strict=True)))

    return handle


async def _refused(_request: Request, error: Exception) -> Response:
    if not isinstance(error, ApiError):
        raise error
    return refuse(error)


async def _unknown(_request: Request, _error: Exception) -> Response:
    return refuse(ApiError("404.1"))


def make_app(sandbox: Sandbox) -> ASGIApp:
    """Build the ASGI app over the state of a sandbox."""

    async def user(_request: Request) -> Response:
        return answer({"user": {"id": sandbox.user_id}})

    routes = [Route("/v1/user", user, methods=["GET"])]
    for spelling, published in SPELLINGS.items():
        base = f"/v1/{spelling}"
        routes.append(Route(base, _summaries(sandbox, published=published), methods=["GET"]))
        routes += [
            Route(
                f"{base}/{{budget_id}}{endpoint.path}",
                _on_budget(sandbox, endpoint, published=published),
                methods=[endpoint.method],
            )
            for endpoint in ENDPOINTS
        ]
    app = Starlette(
        routes=routes, exception_handlers={ApiError: _refused, 404: _unknown, 405: _unknown}
    )
    app.router.redirect_slashes = False
    return AuthAndLimitMiddleware(FaultMiddleware(app, lambda: sandbox.faults), sandbox)

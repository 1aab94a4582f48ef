"""The official client of the service; its models check the responses of the sandbox."""

import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pydantic import BaseModel

from budgetframe.sandbox import Sandbox
from tests.sandbox.audit import check_books

if TYPE_CHECKING:
    import ynab as ynab  # noqa: PLC0414 - other modules import it from here
else:

    class _Client:
        """The official client; it is imported when a test uses it, which takes a while."""

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):  # pytest asks each object of a module for such names
                raise AttributeError(name)
            return getattr(import_module("ynab"), name)

    ynab = _Client()

Json = dict[str, Any]

# Fields that a response does not contain, each with the reason.
ABSENT = {
    # The response has accounts only with include_accounts=true.
    ("PlanSummary", "accounts"),
    # The export of a whole budget has no names of other rows.
    ("CategoryBase", "category_group_name"),
    ("SubTransactionBase", "payee_name"),
    ("SubTransactionBase", "category_name"),
    ("ScheduledSubTransactionBase", "payee_name"),
    ("ScheduledSubTransactionBase", "category_name"),
    # The fields depend on whether the request has one transaction or several.
    ("SaveTransactionsResponseData", "transaction"),
    ("SaveTransactionsResponseData", "transactions"),
    ("SaveTransactionsResponseData", "duplicate_import_ids"),
}


def operations() -> dict[str, type[Any]]:
    """Return all operations of the client by name, each with its class."""
    return {
        name: kind
        for kind_name, kind in vars(import_module("ynab")).items()
        if kind_name.endswith("Api")
        for name, _ in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
        and not name.endswith(("_with_http_info", "_without_preload_content"))
    }


def differences(received: Any, model: Any, where: str = "") -> Iterator[str]:
    """Iterate over the differences between a response and the model parsed from it."""
    if isinstance(model, BaseModel):
        yield from _field_differences(received, model, where)
    elif isinstance(model, list):
        if len(received) != len(model):
            yield f"{where} has {len(model)} rows, not {len(received)}"
        for index, (one, other) in enumerate(zip(received, model, strict=False)):
            yield from differences(one, other, f"{where}[{index}]")
    elif as_json(model) != received:
        yield f"{where} is {model!r}, not {received!r}"


def _field_differences(received: Json, model: BaseModel, where: str) -> Iterator[str]:
    model_type = type(model)
    known = {field.alias or name: name for name, field in model_type.model_fields.items()}
    for name in received.keys() - known.keys():
        yield f"{where}.{name} is not a field of {model_type.__name__}"
    for name in known.keys() - received.keys():
        if (model_type.__name__, name) not in ABSENT:
            yield f"{where}.{name} of {model_type.__name__} is missing"
    for name in known.keys() & received.keys():
        yield from differences(received[name], getattr(model, known[name]), f"{where}.{name}")


def as_json(value: Any) -> Any:
    """Return a value of a model as the response has it."""
    if isinstance(value, date):
        return value.isoformat().replace("+00:00", "Z")
    return str(value) if isinstance(value, UUID) else value


@dataclass
class Sdk:
    """The official client, connected to a sandbox on a socket."""

    sandbox: Sandbox
    client: "ynab.ApiClient"

    def ask(self, name: str, *args: Any, **more: Any) -> Any:
        """Return the model of a response, after comparing the model with the response."""
        return self.response(name, *args, **more).data

    def response(self, name: str, *args: Any, **more: Any) -> "ynab.api_response.ApiResponse[Any]":
        """Return a response, after comparing its model with it."""
        operation = getattr(operations()[name](self.client), f"{name}_with_http_info")
        response: ynab.api_response.ApiResponse[Any] = operation(*args, **more)
        assert list(differences(json.loads(response.raw_data), response.data)) == []
        return response

    def write(self, status: int, name: str, *args: Any) -> Any:
        """Return the data of the response to a write, and check its status and the books."""
        response = self.response(name, self.plan, *args)
        check_books(self.sandbox)
        assert response.status_code == status
        return response.data.data

    @property
    def plan(self) -> str:
        """Id of the first plan."""
        return self.sandbox.device.state().id

    def key(self, table: str, name: str) -> str:
        """Return the id of the row with a name in a table of the first plan."""
        rows = getattr(self.sandbox.device.state(), table).live()
        return next(str(row.id) for row in rows if row.name == name)

    def account(self, name: str) -> str:
        return self.key("accounts", name)

    def category(self, name: str) -> str:
        return self.key("categories", name)

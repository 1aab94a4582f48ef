"""The vendor's client, and what its models say about an answer."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar
from uuid import UUID

import ynab
from pydantic import BaseModel
from ynab.api_response import ApiResponse

from budgetframe.sandbox import Sandbox, check_books

T = TypeVar("T")
Json = dict[str, Any]

# Fields that the service leaves out, each with the reason.
ABSENT = {
    # Only with include_accounts=true.
    ("PlanSummary", "accounts"),
    # The whole export has no names of other rows.
    ("CategoryBase", "category_group_name"),
    ("SubTransactionBase", "payee_name"),
    ("SubTransactionBase", "category_name"),
    ("ScheduledSubTransactionBase", "payee_name"),
    ("ScheduledSubTransactionBase", "category_name"),
    # One transaction was sent, or several.
    ("SaveTransactionsResponseData", "transaction"),
    ("SaveTransactionsResponseData", "transactions"),
    ("SaveTransactionsResponseData", "duplicate_import_ids"),
}


def operations() -> set[str]:
    """Names of all operations that the client offers."""
    return {
        name
        for kind_name, kind in vars(ynab).items()
        if kind_name.endswith("Api")
        for name, _ in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
        and not name.endswith(("_with_http_info", "_without_preload_content"))
    }


def differences(shown: Any, model: Any, where: str = "") -> Iterator[str]:
    """Tell where an answer and the models made from it are not the same."""
    if isinstance(model, BaseModel):
        yield from _of_fields(shown, model, where)
    elif isinstance(model, list):
        if len(shown) != len(model):
            yield f"{where} has {len(model)} rows, not {len(shown)}"
        for index, (one, other) in enumerate(zip(shown, model, strict=False)):
            yield from differences(one, other, f"{where}[{index}]")
    elif as_json(model) != shown:
        yield f"{where} is {model!r}, not {shown!r}"


def _of_fields(shown: Json, model: BaseModel, where: str) -> Iterator[str]:
    kind = type(model)
    known = {field.alias or name: name for name, field in kind.model_fields.items()}
    for name in shown.keys() - known.keys():
        yield f"{where}.{name} is no field of {kind.__name__}"
    for name in known.keys() - shown.keys():
        if (kind.__name__, name) not in ABSENT:
            yield f"{where}.{name} of {kind.__name__} is missing"
    for name in known.keys() & shown.keys():
        yield from differences(shown[name], getattr(model, known[name]), f"{where}.{name}")


def as_json(value: Any) -> Any:
    """Write a value of a model as the wire has it."""
    if isinstance(value, date):
        return value.isoformat().replace("+00:00", "Z")
    return str(value) if isinstance(value, UUID) else value


@dataclass
class Sdk:
    """The client, connected to an embedded service on a real socket."""

    sandbox: Sandbox
    client: ynab.ApiClient

    def ask(self, operation: Callable[..., ApiResponse[T]], *args: Any, **more: Any) -> T:
        """Give the model of an answer that says exactly what the models say."""
        response = operation(*args, **more)
        assert list(differences(json.loads(response.raw_data), response.data)) == []
        return response.data

    def write(
        self, status: int, operation: Callable[..., ApiResponse[T]], *args: Any, **more: Any
    ) -> T:
        """Do the same with a write that is answered with `status`, and check the books."""
        response = operation(*args, **more)
        check_books(self.sandbox)
        assert response.status_code == status
        assert list(differences(json.loads(response.raw_data), response.data)) == []
        return response.data

    @property
    def plan(self) -> str:
        """Id of the first plan."""
        return self.sandbox.device.state().id

    def account(self, name: str) -> str:
        rows = self.sandbox.device.state().accounts.live()
        return next(row.id for row in rows if row.name == name)

    def payee(self, name: str) -> str:
        rows = self.sandbox.device.state().payees.live()
        return next(row.id for row in rows if row.name == name)

    def category(self, name: str) -> str:
        rows = self.sandbox.device.state().categories.live()
        return next(row.id for row in rows if row.name == name)

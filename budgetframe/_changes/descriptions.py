"""Changes with what identifies their rows for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .plan import Change
from .state import Names, wire_row

__all__ = ["described", "shown_of", "without_missing"]


def described(
    names: Names, raw: Mapping[str, Any], action: Any, resource: Any, **values: Any
) -> Change:
    """A change with the names of its keys and what identifies its row for a person."""
    before, after = values.get("before", {}), values.get("after", {})
    row = {**(wire_row(raw, resource) if raw else {}), **(after if action == "create" else {})}
    if action == "create" and after.get("payee_name"):
        row["payee_id"] = after["payee_name"]
    shown = shown_of(names, {**row, "other_side": raw.get("transfer_transaction_id")})
    return Change(
        action=action, resource=resource, shown=shown, names=names.of(before, after), **values
    )


def shown_of(names: Names, row: Mapping[str, Any]) -> dict[str, Any]:
    """What identifies a row for a person."""
    shown = {
        "date": row.get("date"),
        "account_name": names.name("account", row.get("account_id")),
        "payee_name": names.name("payee", row.get("payee_id")),
        "category_name": row.get("name") or names.name("category", row.get("category_id")),
        "other_side": row.get("other_side"),
    }
    return {name: value for name, value in shown.items() if value is not None}


def without_missing(body: Mapping[str, Any]) -> dict[str, Any]:
    """A body without its empty fields, also in the parts of a split."""
    found = {name: value for name, value in body.items() if value is not None}
    if "subtransactions" in found:
        found["subtransactions"] = [without_missing(part) for part in found["subtransactions"]]
    return found

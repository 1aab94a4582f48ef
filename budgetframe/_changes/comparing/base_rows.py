"""The rows as the user read them, in the fields of the service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from budgetframe._changes.collector import BaseRows
from budgetframe._changes.state import FIELDS, PART_FIELDS, known_target
from budgetframe._milliunits import to_milliunits

from .frame_kinds import MONTH_KEY, Kind


def with_key(kind: Kind, frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the keys of its rows as a column; assigned amounts have none."""
    if kind.table != "month_categories":
        return frame
    months = frame["month"].dt.strftime("%Y-%m-%d")
    return frame.assign(**{MONTH_KEY: months + " " + frame["category_id"].astype(object)})


_COLUMNS: Mapping[tuple[str, str], str] = {
    ("scheduled_transactions", "date"): "date_next",
    ("categories", "name"): "category_name",
}
"""The columns of fields, where they have other names."""


def base_rows_of(kind: Kind, base: Mapping[str, pd.DataFrame], keys: Iterable[str]) -> BaseRows:
    """A function that returns the fields of the rows with these keys, as the user read them."""
    tables = {
        "transactions": ("transactions",), "scheduled_transactions": ("scheduled_transactions",),
        "categories": ("categories",), "month_categories": ("month_categories", "month"),
    }[kind.resource]  # fmt: skip
    frame = next((base[name] for name in tables if name in base), None)
    wanted = set(keys)
    found: dict[str, dict[str, Any]] = {}
    if frame is not None:
        fields = [*FIELDS[kind.resource], *(["budgeted"] if kind.resource == "categories" else [])]
        names = [(field, _COLUMNS.get((kind.resource, field), field)) for field in fields]
        frame = with_key(kind, frame)
        key_column = kind.keys[-1]
        chosen = frame[frame[key_column].isin(wanted).to_numpy(bool)]
        for row in chosen.to_dict("records"):
            cells = found[row[key_column]] = {field: _field(row[name]) for field, name in names}
            if row.get("is_split"):
                cells["category_id"] = None
            elif kind.resource == "transactions":
                cells["subtransactions"] = None
            if kind.resource == "categories":
                budgeted, goal_type = cells.pop("budgeted"), _field(row["goal_type"])
                cells["goal_target"] = known_target(cells["goal_target"], goal_type)
                found[f"{_CURRENT} {row[key_column]}"] = {"budgeted": budgeted}
    parts = base.get("subtransactions") if kind.resource == "transactions" else None
    if parts is not None:
        chosen = parts[parts["transaction_id"].isin(wanted).to_numpy(bool)]
        for row in chosen.to_dict("records"):
            key = row["transaction_id"]
            split = found.setdefault(key, {name: _field(row[name]) for name in _OF_PARENT})
            part = {name: _field(row[name]) for name in PART_FIELDS}
            split.setdefault("subtransactions", []).append(part)

    def row_of(key: str) -> Mapping[str, Any] | None:
        month, _, category = key.partition(" ")
        if kind.resource == "categories" and category and month:
            return found.get(f"{_CURRENT} {category}")
        return found.get(key)

    return row_of


_CURRENT = "current"
_OF_PARENT = ("date", "account_id")


def _field(value: Any) -> Any:
    """A cell as the service writes it, amounts in milliunits."""
    if pd.isna(value):
        return None
    if isinstance(value, pd.Timestamp):
        return value.strftime("%Y-%m-%d")
    if isinstance(value, float):
        return to_milliunits(value)
    return bool(value) if type(value).__name__ in ("bool", "bool_") else value

"""The expected rows of every frame, computed from the service's rows field by field."""

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from .expected import Json, Rows, currency_units

_NAMES = frozenset({"account_name", "payee_name", "category_name"})


@dataclass(frozen=True, slots=True)
class ExpectedFrame:
    """The columns of a frame by type of their values, as words ``column`` or ``column=field``.

    The field of the service's row has the name of the column if none is given. `rows` returns the
    rows of a raw data object, and `key` has the columns that identify a row, if there are any.
    """

    rows: Callable[[Json], Iterable[Json]]
    key: str
    text: str = ""
    money: str = ""
    days: str = ""
    times: str = ""
    numbers: str = ""

    def expected_rows(self, raw: Json) -> Rows:
        """The expected rows as tuples, by key."""
        read = [
            *((field, _unchanged) for _, field in _columns(f"{self.key} {self.text} {self.days}")),
            *((field, _money) for _, field in _columns(self.money)),
            *((field, _second) for _, field in _columns(self.times)),
            *((field, _number) for _, field in _columns(self.numbers)),
        ]
        rows = (
            tuple(convert(row.get(field)) for field, convert in read)
            for row in self.rows(raw)
            if not row.get("deleted")
        )
        return _by_key(rows, len(self.key.split()))

    def actual_rows(self, frame: pd.DataFrame) -> Rows:
        """The rows of a frame as tuples in the same order, by key."""
        columns = [
            *(_values(frame, column) for column, _ in _columns(f"{self.key} {self.text}")),
            *(_days(frame, column) for column, _ in _columns(self.days)),
            *(_values(frame, column) for column, _ in _columns(self.money)),
            *(_days(frame, column) for column, _ in _columns(self.times)),
            *(_values(frame, column) for column, _ in _columns(self.numbers)),
        ]
        return _by_key(zip(*columns, strict=True), len(self.key.split()))

    def reduce(self, rows: Rows, *, names: bool) -> Rows:
        """Remove the columns that may differ: names."""
        order = [column for column, _ in _columns(f"{self.key} {self.text} {self.days}")]
        removed = {index for index, column in enumerate(order) if names and column in _NAMES}
        if not removed:
            return rows
        return {
            key: tuple(value for index, value in enumerate(row) if index not in removed)
            for key, row in rows.items()
        }


def _columns(text: str) -> list[tuple[str, str]]:
    return [(name, field or name) for name, _, field in (w.partition("=") for w in text.split())]


def _by_key(rows: Iterable[tuple[Any, ...]], length: int) -> Rows:
    if not length:
        return {index: row for index, row in enumerate(sorted(rows, key=repr))}  # noqa: C416
    by_key: Rows = {}
    for row in rows:
        assert row[:length] not in by_key, f"a key occurs twice in one frame: {row}"
        by_key[row[:length]] = row
    return by_key


def _values(frame: pd.DataFrame, column: str) -> list[Any]:
    values = frame[column].astype(object).tolist()
    return [None if value is pd.NA or value != value else value for value in values]  # noqa: PLR0124


def _days(frame: pd.DataFrame, column: str) -> list[Any]:
    unit = "datetime64[D]" if str(frame[column].dtype) == "datetime64[us]" else "datetime64[s]"
    values = frame[column].dt.tz_localize(None) if unit.endswith("[s]") else frame[column]
    texts = values.to_numpy().astype(unit).astype(str).tolist()
    return [None if text == "NaT" else text for text in texts]


def _unchanged(value: Any) -> Any:
    return value


def _money(value: Any) -> float | None:
    return None if value is None else currency_units(value)


def _second(value: str | None) -> str | None:
    return None if value is None else value.removesuffix("Z")


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, str) else value


def _list(name: str) -> Callable[[Json], Iterable[Json]]:
    return lambda raw: raw[name]


def _categories_of_groups(raw: Json) -> Iterable[Json]:
    for group in raw["category_groups"]:
        if not group["deleted"]:
            for row in group["categories"]:
                yield row | {"category_group_name": group["name"]}


def _categories_of_month(raw: Json) -> Iterable[Json]:
    return (row | {"month": raw["month"]["month"]} for row in raw["month"]["categories"])


def _categories_of_months(lists: Json) -> Iterable[Json]:
    names = {group["id"]: group["name"] for group in lists["category_groups"]}
    for month in lists["months"]:
        for row in month["categories"]:
            group = {"category_group_name": names[row["category_group_id"]]}
            yield row | group | {"month": month["month"]}


def _with_is_split(name: str) -> Callable[[Json], Iterable[Json]]:
    return lambda raw: (row | {"is_split": bool(row["subtransactions"])} for row in raw[name])


def _parts(name: str, *inherited: str) -> Callable[[Json], Iterable[Json]]:
    def rows(raw: Json) -> Iterable[Json]:
        for row in raw[name]:
            if not row["deleted"]:
                for part in row["subtransactions"]:
                    yield {field: row[field] for field in inherited} | part

    return rows


_CATEGORY_TEXT = (
    "category_name=name category_group_id category_group_name hidden note goal_type"
    " goal_percentage_complete goal_months_to_budget"
)
_CATEGORY_MONEY = (
    "budgeted activity balance goal_target goal_under_funded goal_overall_funded goal_overall_left"
)
_COMMON_TEXT = (
    "account_id account_name payee_id payee_name category_id category_name memo transfer_account_id"
)

EXPECTED_FRAMES = {
    "budgets": ExpectedFrame(_list("budgets"), "budget_id=id", "budget_name=name",
        days="first_month last_month", times="last_modified_on"),
    "accounts": ExpectedFrame(_list("accounts"), "account_id=id",
        "account_name=name account_type=type on_budget closed note transfer_payee_id",
        "balance cleared_balance uncleared_balance"),
    "category_groups": ExpectedFrame(_list("category_groups"), "category_group_id=id",
        "category_group_name=name hidden"),
    "categories": ExpectedFrame(_categories_of_groups, "category_id=id", _CATEGORY_TEXT,
        _CATEGORY_MONEY, "goal_target_date"),
    "payees": ExpectedFrame(_list("payees"), "payee_id=id", "payee_name=name transfer_account_id"),
    "payee_locations": ExpectedFrame(_list("payee_locations"), "payee_location_id=id", "payee_id",
        numbers="latitude longitude"),
    "months": ExpectedFrame(_list("months"), "", "age_of_money note",
        "income budgeted activity to_be_budgeted", "month"),
    "month": ExpectedFrame(_categories_of_month, "category_id=id", _CATEGORY_TEXT, _CATEGORY_MONEY,
        "month goal_target_date"),
    "money_movements": ExpectedFrame(_list("money_movements"), "",
        "category_name category_group_name", "allocation spent income"),
    "money_movement_groups": ExpectedFrame(_list("money_movement_groups"), "",
        "category_group_name", "allocation spent income"),
    "transactions": ExpectedFrame(_with_is_split("transactions"), "transaction_id=id",
        f"{_COMMON_TEXT} cleared approved flag_color flag_name is_split transfer_transaction_id"
            " matched_transaction_id import_id import_payee_name import_payee_name_original"
            " debt_transaction_type",
        "amount", "date"),
    "subtransactions": ExpectedFrame(_parts("transactions", "date", "account_id", "account_name"),
        "subtransaction_id=id", f"{_COMMON_TEXT} transaction_id transfer_transaction_id", "amount",
        "date"),
    "scheduled_transactions": ExpectedFrame(_with_is_split("scheduled_transactions"),
        "scheduled_transaction_id=id", f"{_COMMON_TEXT} frequency flag_color flag_name is_split",
        "amount", "date_first date_next"),
    "scheduled_subtransactions": ExpectedFrame(
        _parts("scheduled_transactions", "date_next", "account_id", "account_name"),
        "scheduled_subtransaction_id=id", f"{_COMMON_TEXT} scheduled_transaction_id", "amount",
        "date_next"),
}  # fmt: skip
"""The frames that are built from one list, by name of the facade's method."""

MOVEMENT_RECORDS = {
    "money_movements": ExpectedFrame(_list("money_movements"), "money_movement_id=id",
        "note from_category_id to_category_id money_movement_group_id performed_by_user_id",
        "amount", "month", "moved_at"),
    "money_movement_groups": ExpectedFrame(_list("money_movement_groups"),
        "money_movement_group_id=id", "note performed_by_user_id", days="month",
        times="group_created_at"),
}  # fmt: skip
"""The same frames for the answers under ``/plans``, which have a row for each move.

The cache stores one list for both spellings of a path, so that a frame shows the rows that the
client has read under the other spelling.
"""

MONTH_CATEGORIES = ExpectedFrame(
    _categories_of_months, "", f"category_id=id {_CATEGORY_TEXT}", _CATEGORY_MONEY,
    "month goal_target_date",
)  # fmt: skip
"""The frame that only the export has, from the lists of an export."""

SOURCE_LISTS = {
    "subtransactions": "transactions", "scheduled_subtransactions": "scheduled_transactions",
    "category_groups": "categories",
}  # fmt: skip
"""The list from which a frame is built, if it has another name than the frame."""

EXPORT_FRAMES = (
    *("accounts", "payees", "payee_locations", "category_groups", "categories", "months"),
    *("transactions", "subtransactions", "scheduled_transactions", "scheduled_subtransactions"),
)
"""The frames that the facade can also build from the whole export."""


def expected_frame(name: str, fields: Container[str]) -> ExpectedFrame:
    """The columns of a frame, if these are the fields of the rows or the columns of the frame."""
    has_records = name in MOVEMENT_RECORDS and "note" in fields
    return (MOVEMENT_RECORDS if has_records else EXPECTED_FRAMES)[name]


def lists_of_export(raw: Json) -> Json:
    """The lists of a whole export, in the form in which the single requests return them."""
    budget: Json = raw["budget"]
    names = {
        f"{label}_name": {row["id"]: row["name"] for row in budget[table]}
        for label, table in (("account", "accounts"), ("payee", "payees"),
            ("category", "categories"))
    }  # fmt: skip
    plain = ("accounts", "payees", "payee_locations", "months")
    lists: Json = {name: budget[name] for name in plain}
    lists["category_groups"] = [
        group
        | {
            "categories": [
                row for row in budget["categories"] if row["category_group_id"] == group["id"]
            ]
        }
        for group in budget["category_groups"]
    ]
    for rows, parts, parent in (
        ("transactions", "subtransactions", "transaction_id"),
        ("scheduled_transactions", "scheduled_subtransactions", "scheduled_transaction_id"),
    ):
        lists[rows] = [
            _with_names(row, names)
            | {
                "subtransactions": [
                    _with_names(part, names) for part in budget[parts] if part[parent] == row["id"]
                ]
            }
            for row in budget[rows]
        ]
        for row in lists[rows]:
            if row["subtransactions"]:
                row["category_name"] = "Split"
    return lists


def _with_names(row: Json, names: dict[str, dict[str, str]]) -> Json:
    return row | {
        name: known.get(row[name.replace("_name", "_id")])
        for name, known in names.items()
        if name.replace("_name", "_id") in row
    }

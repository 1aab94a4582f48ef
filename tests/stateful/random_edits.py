"""Random edits of frames, as a user could make them, and what each edit means at the service."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pandas as pd

from tests.changes.forms import in_other_dtypes

from .service import Service
from .writes import FREQUENCIES

TABLES = (
    *("transactions",) * 5, "ledger", "ledger", "subtransactions",
    *("scheduled_transactions", "month_categories", "month", "categories", "categories"),
)  # fmt: skip
"""The frames that are edited; frequent ones occur more than once."""

_KEYS = {
    "scheduled_transactions": "scheduled_transaction_id", "month_categories": "category_id",
    "month": "category_id", "categories": "category_id",
}  # fmt: skip
_OF_PARENT = ("flag_color", "approved", "cleared", "account_id", "account_name", "date")
"""Columns of which a split has one value, in all of its rows of a ledger."""
_COLORS = (None, "red", "blue", "green")
_AMOUNTS = ("amount", "budgeted", "goal_target")

Cells = tuple[dict[str, Any], dict[str, Any]]
"""New values of cells by column, and what they mean as fields of the service."""


@dataclass
class Wish:
    """What the user wants, in fields of the service; amounts in milliunits."""

    rows: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    """The new fields of rows, by list and key; `payee_name` is the name of a new payee."""
    parts: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    """The new fields of parts of splits, by the keys of the transaction and the part."""
    created: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    deleted: set[tuple[str, str]] = field(default_factory=set)


@dataclass
class Edit:
    """The arguments of `BudgetFrame.changes`, and what they mean."""

    table: str
    frame: pd.DataFrame | None
    delete: Any
    splits: str
    wish: Wish
    is_plain: bool
    """Whether the frame still knows the state in which it was read."""

    def arguments(self) -> dict[str, Any]:
        """The keyword arguments."""
        return {"edited": self.frame, "delete": self.delete, "splits": self.splits}


class Values:
    """Random values of cells, with their meaning; they name rows of the service."""

    def __init__(self, rng: random.Random, service: Service, table: str) -> None:
        self.rng = rng
        self.table = table
        self.budget: Any = service.budgets[0]
        self.today = service.today
        self._plain: dict[str, Callable[[], Any]] = {
            "frequency": lambda: rng.choice(FREQUENCIES),
            "memo": lambda: rng.choice([None, "x", f"memo {rng.randrange(99)}"]),
            "flag_color": lambda: rng.choice(_COLORS),
            "approved": lambda: rng.random() < 0.5,
            "cleared": lambda: rng.choice(["cleared", "uncleared", "reconciled"]),
            "account_id": lambda: self.one("accounts").id,
            "payee_id": lambda: None if rng.random() < 0.15 else self.payee().id,
            "note": lambda: rng.choice([None, f"note {rng.randrange(99)}"]),
            "goal_target_date": lambda: rng.choice(
                [None, f"{self.today.year + 1}-0{rng.randint(1, 9)}-01"]
            ),
        }
        """Columns whose values are the same in the frame and at the service."""
        if table == "categories":
            self._plain["category_group_id"] = lambda: self.group().id

    def day(self) -> str:
        return (
            self.today - timedelta(self.rng.choice([*range(9), self.rng.randrange(400)]))
        ).isoformat()

    def later_day(self) -> str:
        return (self.today + timedelta(1 + self.rng.randrange(60))).isoformat()

    def amount(self) -> int:
        return self.rng.choice([-10_000, self.rng.randint(-90_000, 20_000)])

    def one(self, table: str) -> Any:
        return self.rng.choice(list(getattr(self.budget, table).live()))

    def category(self) -> Any:
        """A category that transactions can have."""
        rows = [row for row in self.budget.categories.live() if row.payment_account_id is None]
        ordinary = [row for row in rows if not row.internal]
        return self.rng.choice([*ordinary, *ordinary, *rows])

    def is_unique(self, table: str, name: str) -> bool:
        return [row.name for row in getattr(self.budget, table).live()].count(name) == 1

    # Cells of transactions and schedules

    def cells(self, column: str) -> Cells | None:
        """A new value of a column, and its fields; None if there is no suitable value."""
        if column in _AMOUNTS:
            amount = self._amount_of(column)
            return {column: None if amount is None else amount / 1000}, {column: amount}
        choose_plain = self._plain.get(column)
        if choose_plain is not None:
            value = choose_plain()
            return {column: value}, {column: value}
        choose: Callable[[], Cells | None] | None = getattr(self, f"_{column}", None)
        return None if choose is None else choose()

    def _amount_of(self, column: str) -> int | None:
        if column == "amount":
            return self.amount()
        if column == "budgeted":
            return self.rng.choice([0, self.rng.randint(-50_000, 90_000)])
        return self.rng.choice([None, self.rng.randrange(1, 90_000)])

    def _date(self) -> Cells:
        day = self.day()
        return {"date": self.rng.choice([day, pd.Timestamp(day)])}, {"date": day}

    def _date_next(self) -> Cells:
        day = self.later_day()
        return {"date_next": pd.Timestamp(day)}, {"date": day}

    def _account_name(self) -> Cells | None:
        row = self.one("accounts")
        if not self.is_unique("accounts", row.name):
            return None
        return {"account_name": row.name}, {"account_id": row.id}

    def _category_id(self) -> Cells | None:
        if self.table == "categories":
            return None
        if self.rng.random() < 0.15:
            return {"category_id": None}, {"category_id": None}
        key = self.category().id
        meaning = None if key == self.budget.uncategorized_id else key
        return {"category_id": key}, {"category_id": meaning}

    def _category_name(self) -> Cells | None:
        if self.table == "categories":
            name = f"Category {self.rng.randrange(10**6)}"
            return {"category_name": name}, {"name": name}
        row = self.category()
        if not self.is_unique("categories", row.name):
            return None
        meaning = None if row.id == self.budget.uncategorized_id else row.id
        return {"category_name": row.name}, {"category_id": meaning}

    def payee(self) -> Any:
        rows = list(self.budget.payees.live())
        transfers = [row for row in rows if row.transfer_account_id is not None]
        return self.rng.choice(transfers if self.rng.random() < 0.4 else rows)

    def _payee_name(self) -> Cells | None:
        if self.rng.random() < 0.3:
            name = f"New {self.rng.randrange(10**6)}"
            return {"payee_name": name}, {"payee_name": name}
        row = self.payee()
        if not self.is_unique("payees", row.name):
            return None
        return {"payee_name": row.name}, {"payee_id": row.id}

    # Cells of categories

    def _category_group_name(self) -> Cells | None:
        row = self.group()
        if self.table != "categories" or not self.is_unique("groups", row.name):
            return None
        return {"category_group_name": row.name}, {"category_group_id": row.id}

    def group(self) -> Any:
        rows = [row for row in self.budget.groups.live() if not row.internal]
        return self.rng.choice([row for row in rows if row.id != self.budget.cards_group_id])

    # New rows

    def parts(self, amount: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Two parts of a new split, as cells and as fields."""
        first = self.rng.randint(-9_000, 9_000)
        cells, fields = list[dict[str, Any]](), list[dict[str, Any]]()
        for share in (first, amount - first):
            cells.append({"amount": share / 1000})
            fields.append({"amount": share})
            for name in self.rng.sample(["category_id", "payee_id", "memo", "payee_name"], 2):
                given = self.cells(name)
                payee = {"payee_id", "payee_name"} & fields[-1].keys()
                if given is not None and not payee & given[1].keys():
                    cells[-1] |= given[0]
                    fields[-1] |= given[1]
        return cells, fields

    def new_row(self, other: Mapping[str, Any]) -> Cells:
        """A new transaction; some have the account, day and amount of the other new one."""
        if not other or "import_id" in other or self.rng.random() < 0.5:
            account = self.one("accounts")
            other = {"date": self.day(), "amount": self.amount(), "account_id": account.id}
        fields = {name: other[name] for name in ("date", "amount", "account_id")}
        amount = fields["amount"]
        cells = {**fields, "amount": amount / 1000}
        for name in self.rng.sample(["category_id", "payee_id", "memo", "cleared", "approved"], 2):
            given = self.cells(name)
            if given is not None:
                cells, fields = cells | given[0], fields | given[1]
        if self.rng.random() < 0.15:
            cells["payee_id"] = fields["payee_id"] = None
            cells["payee_name"] = fields["payee_name"] = f"New {self.rng.randrange(10**6)}"
        if self.rng.random() < 0.2:
            cells["subtransactions"], fields["subtransactions"] = self.parts(amount)
            cells["category_id"] = fields["category_id"] = None
        if "subtransactions" not in cells and self.rng.random() < 0.1:
            # An amount of its own: the service matches such a row with an equal one.
            fields["amount"] = -1_000_000 - self.rng.randrange(10**6)
            cells["amount"] = fields["amount"] / 1000
            cells["import_id"] = fields["import_id"] = f"id {self.rng.randrange(10**4)}"
        return cells, fields

    def new_schedule(self) -> Cells:
        cells, fields = dict[str, Any](), dict[str, Any]()
        for name in ("date_next", "frequency", "amount", "account_id", "category_id", "memo"):
            given = self.cells(name)
            if given is not None:
                cells, fields = cells | given[0], fields | given[1]
        return cells, fields


def random_edit(rng: random.Random, service: Service, table: str, frame: pd.DataFrame) -> Edit:
    """Edit up to four rows of a frame, add up to three rows, and delete up to three."""
    values, wish = Values(rng, service, table), Wish()
    attrs = frame.attrs
    edited = frame.sample(
        min(len(frame), rng.choice([1, 4, len(frame)])), random_state=rng.randrange(10**6)
    )
    rows = _new_rows(rng, values, wish, table)
    if not rows:  # a column that only new rows have would be empty in the others
        edited = _with_fewer_columns(rng, edited).copy()
    if rng.random() < 0.9:
        _edit_cells(rng, values, wish, table, edited)
    if "transaction_id" in edited and rng.random() < 0.15:
        edited = _with_new_split(rng, values, wish, edited)
    is_plain = True
    if rows:
        edited = pd.concat([edited.astype(object), pd.DataFrame(rows).astype(object)])
        edited, is_plain = edited.reset_index(drop=True), rng.random() < 0.7
        edited.attrs = attrs if is_plain else {}
    if rng.random() < 0.3:
        edited = in_other_dtypes(rng, edited)
    delete = _deletion(rng, wish, table, frame)
    return Edit(table, edited, delete, "replace" if rng.random() < 0.6 else "error", wish, is_plain)


def _edit_cells(
    rng: random.Random, values: Values, wish: Wish, table: str, frame: pd.DataFrame
) -> None:
    for row in rng.sample(list(frame.index), min(len(frame), rng.randint(1, 4))):
        for column in rng.sample(list(frame.columns), len(frame.columns))[: rng.choice([4, 9])]:
            if table in ("month_categories", "month") and column != "budgeted":
                continue
            given = values.cells(column)
            if given is None:
                continue
            cells, fields = given
            if all(_is_same(frame.loc[row, name], cell) for name, cell in cells.items()):
                continue
            known = _known(wish, table, frame, row, fields)
            names = {"payee_id" if name == "payee_name" else name for name in (*known, *fields)}
            if len(names) < len(known) + len(fields):  # a name and a key, or a second edit
                continue
            known |= fields
            rows = [row]
            if column in _OF_PARENT and "subtransaction_id" in frame:
                rows = list(frame.index[frame["transaction_id"] == frame["transaction_id"][row]])
            for name, value in cells.items():
                frame[name] = frame[name].astype(object)
                for each in rows:
                    frame.at[each, name] = value  # noqa: PD008 - one cell


def _is_same(old: Any, new: Any) -> bool:
    return bool(pd.isna(old)) if new is None else bool(pd.notna(old)) and bool(old == new)


def _known(
    wish: Wish, table: str, frame: pd.DataFrame, row: Any, fields: Mapping[str, Any]
) -> dict[str, Any]:
    """The edited fields of the row of the service that the row of the frame means."""
    cells = frame.loc[row]
    part = cells.get("subtransaction_id")
    if isinstance(part, str) and not fields.keys() & set(_OF_PARENT):
        return wish.parts.setdefault((cells["transaction_id"], part), {})
    if table in ("month_categories", "month"):
        place = "month_categories", f"{cells['month']:%Y-%m-%d} {cells['category_id']}"
    elif "budgeted" in fields:  # of categories(): the month in which it was read
        place = "month_categories", f"{frame.attrs['as_of'][:7]}-01 {cells['category_id']}"
    elif table in ("categories", "scheduled_transactions"):
        place = table, cells[_KEYS[table]]
    else:
        place = "transactions", cells["transaction_id"]
    return wish.rows.setdefault(place, {})


def _with_new_split(
    rng: random.Random, values: Values, wish: Wish, frame: pd.DataFrame
) -> pd.DataFrame:
    """Turn one row into a split, or give a split other parts."""
    row = rng.choice(list(frame.index))
    key = frame["transaction_id"][row]
    is_part = "subtransaction_id" in frame and isinstance(frame["subtransaction_id"][row], str)
    if is_part or "cleared" not in frame:
        return frame
    place = ("transactions", key)
    if wish.rows.get(place, {}).keys() & {"amount", "category_id"}:
        return frame
    parts, fields = values.parts(round(float(frame["amount"][row]) * 1000))
    cells = [parts if each == row else None for each in frame.index]
    frame = frame.assign(
        subtransactions=pd.Series(cells, frame.index, dtype=object),
        category_id=frame["category_id"].astype(object),
    )
    frame.loc[row, "category_id"] = None
    wish.rows.setdefault(place, {}).update({"subtransactions": fields, "category_id": None})
    return frame


def _new_rows(rng: random.Random, values: Values, wish: Wish, table: str) -> list[dict[str, Any]]:
    rows = []
    for _ in range(rng.choice([0, 0, 1, 3])):
        if table in ("transactions", "ledger"):
            other = wish.created[-1][1] if wish.created else {}
            resource, given = "transactions", values.new_row(other)
        elif table == "scheduled_transactions":
            resource, given = "scheduled_transactions", values.new_schedule()
        else:
            return []
        times = rng.choice([1, 1, 2]) if "import_id" not in given[0] else 1
        rows += [given[0]] * times
        wish.created += [(resource, given[1])] * times
    return rows


def _with_fewer_columns(rng: random.Random, frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its keys and some of its columns, or with all of them."""
    if rng.random() < 0.3:
        return frame
    others = [name for name in frame if name not in _KEPT]
    chosen = {*_KEPT, *rng.sample(others, min(len(others), 8))}
    return frame[[name for name in frame if name in chosen]]


_KEPT = (
    *("transaction_id", "subtransaction_id", "scheduled_transaction_id", "category_id", "month"),
    *("account_id", "is_remainder", "amount", "cleared"),
)


def _deletion(
    rng: random.Random, wish: Wish, table: str, frame: pd.DataFrame
) -> list[str] | pd.Series[Any] | None:
    """None, or the keys of up to three rows that are not edited."""
    if rng.random() < 0.7 or table not in (*_DELETABLE, "scheduled_transactions"):
        return None
    name = _KEYS.get(table, "transaction_id")
    resource = "scheduled_transactions" if table == "scheduled_transactions" else "transactions"
    keys = [key for key in dict.fromkeys(frame[name]) if (resource, key) not in wish.rows]
    chosen = rng.sample(keys, min(len(keys), rng.randint(1, 3)))
    wish.deleted |= {(resource, key) for key in chosen}
    return pd.Series(chosen, name=name, dtype=object)


_DELETABLE = ("transactions", "ledger")

"""The doors of one change: direct writes, frames, and previews, each in a service of its own."""

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

import pandas as pd
from pydantic_core import from_json, to_json

from budgetframe import BudgetFrame, ToolError
from budgetframe.sandbox import Sandbox
from tests.changes.budget import connect, rows_with, small_sandbox
from tests.facade.service import Recorder
from tests.sandbox.ask import BASE, Ids, send

Door = Callable[[BudgetFrame], Any]
Key = tuple[str, str, bytes]
Rows = dict[Key, Any]
End = list[list[int]] | str
"""The rows of the journal, or a text of the error."""

SERVICE = small_sandbox(budgets=1)
"""A service that no test changes; all others have the same keys."""
IDS, CONTENT = Ids(SERVICE), SERVICE.device.state()
RENT, FUEL = IDS.category("Home", "Rent"), IDS.category("Car", "Fuel")
MARKET, WALLET = IDS.payee("Weekly Market"), IDS.account("Wallet")
PLAN = next(row.id for row in CONTENT.scheduled.live() if row.category_id == RENT)
PLAN_ROW = {"scheduled_transaction_id": PLAN}
ROWS = [row for row in CONTENT.transactions.live() if not (row.parts or row.transfer_account_id)]
KEYS = [row.id for row in ROWS[-3:]]
UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

COUNTS = ["created", "updated", "deleted", "left", "conflicts"]
CREATED, UPDATED, DELETED = [[1, 0, 0, 0, 0]], [[0, 1, 0, 0, 0]], [[0, 0, 1, 0, 0]]
ROW = {"date": "2026-06-16", "amount": -4.5, "account_name": "Wallet"}
SCHEDULE = {"date_next": "2026-07-01", "amount": -4.5, "account_name": "Wallet"}
PLAIN = {"account_name": "Checking", "transfer_account_id": None, "is_split": False}
SPLIT, TRACKING = {"is_split": True}, PLAIN | {"account_name": "Index Fund"}

CALLS: dict[str, tuple[End, list[Any], dict[str, Any]]] = {
    "create_transactions": (CREATED, [[ROW]], {}),
    "update_transactions": (UPDATED, [[{"transaction_id": KEYS[0], "memo": "x"}]], {}),
    "update_transaction": (UPDATED, [KEYS[0]], {"memo": "x"}),
    "delete_transactions": (DELETED, [KEYS[:1]], {}),
    "create_scheduled_transactions": (CREATED, [[SCHEDULE]], {}),
    "update_scheduled_transactions": (UPDATED, [[PLAN_ROW | {"memo": "x"}]], {}),
    "delete_scheduled_transactions": (DELETED, [PLAN], {}),
    "create_account": (CREATED, ["Travel", "cash", 50.0], {}),
    "create_payee": (CREATED, ["Baker"], {}),
    "rename_payee": (UPDATED, ["Weekly Market", "Market"], {}),
    "create_category_group": (CREATED, ["Garden"], {}),
    "rename_category_group": (UPDATED, ["Car", "Cars"], {}),
    "create_category": (CREATED, ["Tools", "Home"], {"goal_target": 5.0}),
    "update_category": (UPDATED, ["Fuel"], {"note": "x"}),
    "assign": (UPDATED, ["2026-06", "Rent", 5.0], {}),
    "move": ([[0, 2, 0, 0, 0]], ["2026-06", "Rent", "Fuel", 5.0], {}),
}
"""The journal after each write, and the arguments of the write."""


def call(name: str, /, *args: Any, **fields: Any) -> Door:
    """A direct write, by default with the arguments of the table."""
    _, given, more = CALLS[name]
    return lambda bf: getattr(bf, name)(*(args or given), **({} if args else more), **fields)


def previewed(name: str) -> Door:
    return lambda bf: call(name, preview=True)(bf).apply()


def frame(edited: Callable[[BudgetFrame], pd.DataFrame]) -> Door:
    return lambda bf: bf.changes(edited(bf)).apply()


class Case(NamedTuple):
    """The doors of one change, how it ends, and a text that the state does not have before."""

    doors: list[Door]
    end: End
    shows: str = ""


def new(end: End, *rows: dict[str, Any], shows: str = "", name: str = "transactions") -> Case:
    """New rows, as a list and as a frame."""
    method, given = f"create_{name}", pd.DataFrame(list(rows))
    return Case([call(method, list(rows)), call(method, given), frame(lambda _: given)], end, shows)


def row(end: End, shows: str = "", **cells: Any) -> Case:
    return new(end, ROW | cells, shows=shows)


def schedule(end: End, **cells: Any) -> Case:
    return new(end, {"frequency": "monthly"} | SCHEDULE | cells, name="scheduled_transactions")


def copied(query: str, end: End) -> Case:
    """A new row with all columns of the ledger except the keys."""
    keys = ["transaction_id", "subtransaction_id"]

    def row_of(bf: BudgetFrame) -> pd.DataFrame:
        return bf.ledger().query(query).tail(1).drop(columns=keys)

    return Case([lambda bf: bf.create_transactions(row_of(bf)), frame(row_of)], end)


def with_cells(rows: pd.DataFrame, cells: dict[str, Any]) -> pd.DataFrame:
    """The row with these cells, which can be lists."""
    columns = {name: pd.Series([cell], rows.index, dtype=object) for name, cell in cells.items()}
    return rows.assign(**columns)


def edit(end: End, where: dict[str, Any] = PLAIN, **cells: Any) -> Case:
    """The last transaction that has some cells gets others."""

    def last(bf: BudgetFrame) -> pd.DataFrame:
        return rows_with(bf.transactions(), **where).tail(1)

    def given(bf: BudgetFrame) -> dict[str, Any]:
        return {"transaction_id": last(bf)["transaction_id"].iloc[0], **cells}

    direct: list[Door] = [
        lambda bf: bf.update_transaction(**given(bf)),
        lambda bf: bf.update_transactions([given(bf)]),
    ]
    return Case([*direct, frame(lambda bf: with_cells(last(bf), cells))], end)


def edit_plan(end: End, **cells: Any) -> Case:
    """The edited schedule of the rent."""

    def edited(bf: BudgetFrame) -> pd.DataFrame:
        return with_cells(rows_with(bf.scheduled_transactions(), **PLAN_ROW), cells)

    return Case([call("update_scheduled_transactions", [PLAN_ROW | cells]), frame(edited)], end)


def delete(end: End, *keys: str, name: str = "transaction") -> Case:
    column = pd.Series(keys, name=f"{name}_id")
    direct = call(f"delete_{name}s", list(keys))
    return Case([direct, lambda bf: bf.changes(delete=column).apply()], end)


def assigned(direct: Door, month: str, *, end: End = UPDATED, **amounts: float) -> Case:
    """The assigned amounts of categories in a month."""
    cells = {"category_name": list(amounts), "budgeted": list(amounts.values())}
    return Case([direct, frame(lambda _: pd.DataFrame(cells).assign(month=month))], end)


def category(end: End, cells: dict[str, Any], of: str = "Fuel", **fields: Any) -> Case:
    """An edited category: cells of the frame, and fields of the method."""

    def edited(bf: BudgetFrame) -> pd.DataFrame:
        return with_cells(rows_with(bf.categories(), category_name=of), cells)

    return Case([call("update_category", of, **fields), frame(edited)], end)


class Home:
    """A new service, and a connection whose writes are counted."""

    def __init__(self, **options: Any) -> None:
        self.sandbox = small_sandbox(budgets=1)
        self.wire = Recorder(self.sandbox.transport())
        self.sandbox.transport = lambda: self.wire  # type: ignore[method-assign]
        self.bf = connect(self.sandbox, **options)

    @property
    def writes(self) -> int:
        return sum(request.method != "GET" for request in self.wire.requests)

    @property
    def journal(self) -> Any:
        return self.bf.journal().frame[COUNTS].to_numpy().tolist()

    @property
    def state(self) -> str:
        """The lines of the export that differ; the keys of new rows are replaced by their order."""
        self.sandbox.faults = []
        now, (before, known) = rows_of(self.sandbox), rows_before()
        lost, new = lines(before, before.keys() - now), lines(now, now.keys() - before)
        new.sort(key=lambda line: UUID.sub(lambda k: k[0] * (k[0] in known), line))
        text = "\n".join([*(f"- {line}" for line in sorted(lost)), *new])
        for number, key in enumerate(
            k for k in dict.fromkeys(UUID.findall(text)) if k not in known
        ):
            text = text.replace(key, f"new {number}")
        return text


def rows_of(sandbox: Sandbox) -> Rows:
    """The rows of the export by list, month and JSON; months have a row for each category."""
    found: Rows = {}
    for name, rows in from_json(send(sandbox, "GET", BASE).content)["data"]["budget"].items():
        for row in rows if isinstance(rows, list) else [rows]:
            parts = row.pop("categories", []) if name == "months" else []
            month = row["month"] if parts else ""
            found |= {(name, month, to_json(part)): part for part in [row, *parts]}
    return found


@cache
def rows_before() -> tuple[Rows, set[str]]:
    """The rows of a new service, and the keys in them."""
    rows = rows_of(SERVICE)
    return rows, {key for *_, text in rows for key in UUID.findall(text.decode())}


def lines(rows: Rows, chosen: Iterable[Key]) -> list[str]:
    return [f"{name} {month} {json.dumps(rows[name, month, text])}" for name, month, text in chosen]


def behind(doors: list[Door]) -> list[tuple[Home, str]]:
    """The service behind each door, and the error of the call."""
    found = []
    for door in doors:
        home, error = Home(), ""
        try:
            door(home.bf)
        except ToolError as caught:
            error = str(caught)
        found.append((home, error))
    return found

"""Random calls that write, with their effects on the content of a budget."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any

from budgetframe import BudgetFrame

from .changes_program import DEFAULTS
from .content import PART_FIELDS, Content, Place, Row, first_day
from .random_edits import Cells, Values
from .service import Service
from .single_model import Change, legs, new_place, row_at, transfer_target

Effect = Callable[[Content], list[Change]]


@dataclass
class Entry:
    """An entry of the journal, and what it has done."""

    position: int
    is_move: bool
    changes: list[Change]
    is_undone: bool = False


@dataclass
class Call:
    """A call that writes, its effect on a content, and what has happened to it."""

    name: str
    arguments: Sequence[Any]
    effect: Effect
    fields: Row = field(default_factory=dict)
    undoes: Entry | None = None
    is_disturbed: bool = False
    """Whether somebody else has changed the same rows, so that it may be a conflict."""
    is_lost: bool = False
    """Whether somebody else has changed a new row so that nobody can know it again."""
    touched: set[Place] = field(default_factory=set)
    """The rows that it changes or deletes, with the other sides of transfers."""
    faults: list[str] = field(default_factory=list)

    @property
    def is_refused(self) -> bool:
        """Whether it must be refused before anything is sent."""
        return self.effect is _nothing

    def run(self, bf: BudgetFrame) -> None:
        """Call a method of a connection."""
        if self.undoes is not None:
            bf.journal().undo(self.undoes.position).apply()
        else:
            getattr(bf, self.name)(*self.arguments, **self.fields)

    def __str__(self) -> str:
        return f"{self.name} {self.arguments} {self.fields or ''}"


def _nothing(_: Content) -> list[Change]:
    return []


class UniqueValues(Values):
    """Amounts, memos and names that nothing else has; another device has multiples of 1000."""

    def __init__(self, rng: random.Random, service: Service) -> None:
        super().__init__(rng, service, "transactions")
        self._names = count(1)

    def name(self, kind: str) -> str:
        return f"{kind} {next(self._names)}"

    def amount(self) -> int:
        return self.rng.randrange(-300, 300) * 1000 + self.rng.randrange(1, 99) * 10

    def day(self) -> str:
        return f"{self.today - timedelta(self.rng.randrange(41))}"

    def cells(self, column: str) -> Cells | None:
        if column in ("payee_id", "category_id") and self.rng.random() < 0.4:
            column = column.replace("id", "name")
        if column == "memo":
            memo = self.name("memo")
            return {column: memo}, {column: memo}
        return super().cells(column)

    def _payee_name(self) -> Cells:
        name = self.name("New")  # nobody renames these payees
        return {"payee_name": name}, {"payee_name": name}


class RandomCalls:
    """Random calls for a content."""

    def __init__(self, rng: random.Random, service: Service) -> None:
        self.rng, self.today = rng, service.today
        self.values = UniqueValues(rng, service)
        self.content: Content = {}
        self.ordinary = [
            row.id
            for row in self.values.budget.categories.live()
            if not row.internal and row.payment_account_id is None
            and (row.goal is None or row.goal.type != "DEBT")
        ]  # fmt: skip
        """The categories that can be changed."""

    def call(self) -> Call:
        """A random call."""
        (name,) = self.rng.choices([*_CALLS], [*_CALLS.values()])
        call: Call = getattr(self, f"_{name}")(name)
        return call

    # Choices

    def _chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def _keys(self, table: str, **fields: Any) -> list[str]:
        """The keys of the rows with these fields."""
        return sorted(
            key
            for (name, key), row in self.content.items()
            if name == table and all(row[field] == value for field, value in fields.items())
        )

    def payee(self) -> str:
        """A payee that can be renamed."""
        payees = self._keys("payees", transfer_account_id=None)
        names = {key: self.content["payees", key]["name"] for key in payees}
        return self.rng.choice([key for key in payees if not names[key].startswith("New ")])

    def group(self) -> str:
        """A group that can be renamed, and can have new categories."""
        groups = {self.content["categories", key]["category_group_id"] for key in self.ordinary}
        return str(self.rng.choice(sorted(groups)))

    def month(self) -> str:
        """One of the months around the current one."""
        number = self.today.year * 12 + self.today.month - 1 + self.rng.choice([-1, 0, 0])
        return first_day(number)[:7]

    def _plain_rows(self) -> list[str]:
        """Transactions that are neither splits, nor transfers, nor sides of these."""
        rows = {key: self.content["transactions", key] for key in self._keys("transactions")}
        plain = {key: row for key, row in rows.items() if row["sides"] == [None]}
        return [key for key, row in plain.items() if not transfer_target(self.content, row)]

    def _rows_to_change(self) -> list[str]:
        """Plain rows; in some cases, the sides of transfers that are no parts, or the splits."""
        rows = {key: self.content["transactions", key] for key in self._keys("transactions")}
        kind, keys = self.rng.random(), list[str]()
        if kind < 0.2:
            sides = {key: rows.get(row["sides"][0], {}).get("sides") for key, row in rows.items()}
            keys = [key for key in rows if sides[key] == [key]]
        elif kind < 0.35:
            keys = [key for key, row in rows.items() if row["subtransactions"]]
        return keys or self._plain_rows()

    # Rows

    def _is_possible(self, row: Row) -> bool:
        """Whether the package and the service accept the categories and transfers of a row."""
        account = self.content["accounts", row["account_id"]]
        for leg in legs(row):
            target, category = transfer_target(self.content, leg), leg.get("category_id")
            other = self.content["accounts", target] if target else {"closed": False}
            has_category = account["on_budget"] and not other.get("on_budget")
            is_possible = category in self.ordinary if has_category and category else not category
            has_two_payees = bool(leg.get("payee_id") and leg.get("payee_name"))
            if not is_possible or other["closed"] or target == row["account_id"] or has_two_payees:
                return False
        is_split = bool(row["subtransactions"])
        is_possible = account["on_budget"] and not transfer_target(self.content, row)
        return not account["closed"] and (is_possible or not is_split)

    def _new_row(self, table: str) -> Cells:
        """A possible new row, as a call gets it and as the content has it."""
        values, is_transaction = self.values, table == "transactions"
        while True:
            body, fields = values.new_row({}) if is_transaction else values.new_schedule()
            more = ("flag_color",) if is_transaction else ("flag_color", "payee_id")
            for cells in filter(None, map(values.cells, more)):
                body, fields = body | cells[0], fields | cells[1]
            row = {**DEFAULTS[table], **fields}
            parts = [{**dict.fromkeys(PART_FIELDS), **part} for part in row["subtransactions"]]
            row["subtransactions"] = parts
            import_ids = self._keys("transactions", import_id=row.get("import_id", ""))
            if self._is_possible(row) and (not import_ids or not row["import_id"]):
                break
        if parts:
            body.pop("category_name", None)
        name = self.content["accounts", row["account_id"]]["name"]
        if self._chance(0.5) and len(self._keys("accounts", name=name)) == 1:
            body["account_name"] = name
            del body["account_id"]
        return body, row

    def _edited(self) -> tuple[str, Row, Row]:
        """A transaction, with new values as the content and as a call has them."""
        key = self.rng.choice(self._rows_to_change())
        row = self.content["transactions", key]
        columns = ["memo", "flag_color", "approved", "cleared"]
        if not row["subtransactions"]:
            columns += ["amount", "date"]
        if row["sides"] == [None] and not transfer_target(self.content, row):
            is_on_budget = self.content["accounts", row["account_id"]]["on_budget"]
            columns += ["payee_id", "category_id"][: 1 + is_on_budget]
        while True:
            body, fields = dict[str, Any](), dict[str, Any]()
            for column in self.rng.sample(columns, self.rng.choice([1, 1, 2, 3])):
                cells = self.values.cells(column) or ({}, {})
                body, fields = body | cells[0], fields | cells[1]
            is_possible = fields.get("category_id") in (None, *self.ordinary)
            if body and is_possible and not transfer_target(self.content, fields):
                return key, fields, body

    # Calls

    def _create_transactions(self, name: str) -> Call:
        table = name.removeprefix("create_")
        rows = [self._new_row(table) for _ in range(self.rng.choice([1, 1, 2, 3]))]
        if self._chance(0.1):
            rows.append(rows[0])  # the same twice is two rows
        if any(row.get("import_id") for _, row in rows):
            del rows[1:]
        new = [row for _, row in rows]

        def effect(content: Content) -> list[Change]:
            changes: list[Change] = []
            for row in new:
                changes.append(Change("new", new_place(table), _with_payees(content, row, changes)))
            return changes

        return Call(name, [[body for body, _ in rows]], effect)

    _create_scheduled_transactions = _create_transactions

    def _update_transaction(self, name: str) -> Call:
        key, fields, body = self._edited()
        return Call(name, [key], lambda content: _sets(content, {key: fields}), body)

    def _update_transactions(self, name: str) -> Call:
        edited = {key: (fields, body) for key, fields, body in (self._edited() for _ in range(3))}
        sides = {self.content["transactions", key]["sides"][0] for key in edited}
        edited = {key: each for key, each in edited.items() if key not in sides}
        rows = [{"transaction_id": key, **body} for key, (_, body) in edited.items()]
        new = {key: fields for key, (fields, _) in edited.items()}
        return Call(name, [rows], lambda content: _sets(content, new))

    def _delete_transactions(self, name: str) -> Call:
        rows = {key: self.content["transactions", key] for key in self._rows_to_change()}
        tracking = self._keys("accounts", on_budget=False)
        is_plain = {key: row["sides"] == [None] for key, row in rows.items()}
        # In a tracking account, the side of a transfer does not have the category.
        keys = [key for key in rows if is_plain[key] or rows[key]["account_id"] not in tracking]
        chosen = self.rng.sample(keys, min(len(keys), self.rng.choice([1, 1, 2])))
        if rows[chosen[0]]["sides"][0]:
            del chosen[1:]  # it may be the other side

        def effect(content: Content) -> list[Change]:
            places = [("transactions", key) for key in chosen if ("transactions", key) in content]
            return [Change("gone", place, before=content[place]) for place in places]

        return Call(name, [chosen], effect)

    def _assign(self, name: str) -> Call:
        month, amount = self.month(), self.rng.randrange(90_000) * 10
        key = self.rng.choice(self.ordinary)
        category = self.content["categories", key]["name"]
        if self._chance(0.5) or len(self._keys("categories", name=category)) > 1:
            category = key
        place = "month_categories", f"{month}-01 {key}"
        return Call(name, [month, category, amount / 1000], _set(place, budgeted=amount))

    def _move(self, name: str) -> Call:
        month, amount = self.month(), self.rng.randrange(1, 9_000) * 10
        ends: list[str | None] = [*self.rng.sample(self.ordinary, 2)]
        if self._chance(0.2):
            ends[self.rng.randrange(2)] = None

        def effect(content: Content) -> list[Change]:
            changes: list[Change] = []
            for key, change in zip(ends, (-amount, amount), strict=True):
                if key is not None:
                    place = "month_categories", f"{month}-01 {key}"
                    now = (row_at(content, place) or {})["budgeted"]
                    changes += _set(place, budgeted=now + change)(content)
            return changes

        return Call(name, [month, *ends, amount / 1000], effect)

    def _update_category(self, name: str) -> Call:
        place = "categories", self.rng.choice(self.ordinary)
        new = self.values.name("Category")
        bodies: list[Row] = [{"name": new}, {"note": new}, {"note": None}, {"goal_target": None}]
        body = self.rng.choice([*bodies, {"goal_target": self.rng.randrange(1, 900)}])
        after = dict(body)
        if "goal_target" in body:
            target = body["goal_target"]
            after = {"goal_target": target * 1000} if target else {**body, "goal_target_date": None}
        return Call(name, [place[1]], _set(place, **after), body)

    def _rename_payee(self, name: str) -> Call:
        is_payee, new = name == "rename_payee", self.values.name("Renamed")
        place = ("payees", self.payee()) if is_payee else ("groups", self.group())
        return Call(name, [place[1], new], _set(place, name=new))

    _rename_category_group = _rename_payee

    def _create_payee(self, name: str) -> Call:
        new, is_payee = self.values.name("Created"), name == "create_payee"
        more = {"transfer_account_id": None} if is_payee else {}
        return Call(name, [new], _new("payees" if is_payee else "groups", {"name": new, **more}))

    _create_category_group = _create_payee

    def _create_category(self, name: str) -> Call:
        new, group = self.values.name("New category"), self.group()
        target, note = self.rng.choice([None, 50]), self.rng.choice([None, "new"])
        row: Row = {"name": new, "category_group_id": group, "goal_target_date": None, "note": note}
        row["goal_target"] = target and target * 1000
        body = {"goal_target": target, "note": note}
        return Call(name, [new, group], _new("categories", row), body)

    def _create_account(self, name: str) -> Call:
        """Create an account without a balance: a balance would be a transaction of its own."""
        new, kind = self.values.name("Account"), self.rng.choice(["checking", "cash", "otherAsset"])

        def effect(content: Content) -> list[Change]:
            row: Row = {"name": new, "type": kind, "on_budget": kind != "otherAsset"}
            (payee,) = _new("payees", {"name": f"Transfer : {new}"})(content)
            row |= {"closed": False, "transfer_payee_id": payee.place[1]}
            (account,) = _new("accounts", row)(content)
            payee.after["transfer_account_id"] = account.place[1]
            return [account, payee]

        return Call(name, [new, kind, 0.0], effect)

    def _refused(self, _: str) -> Call:
        """A call that is refused before anything is sent."""
        category, choose = self.rng.choice(self.ordinary), self.rng.choice
        accounts = self._keys("accounts", closed=False, on_budget=True)
        row: Row = {"account_id": choose(accounts), "date": f"{self.today}", "amount": -1.25}
        other = choose([key for key in accounts if key != row["account_id"]])
        payee = self.content["accounts", other]["transfer_payee_id"]
        tracking = choose(self._keys("accounts", closed=False, on_budget=False))
        late = f"{self.today + timedelta(self.rng.randint(2, 3))}"
        wrong: list[Row] = [
            {"memmo": "a typing error"}, {"amount": -1.2345}, {"account_id": "no-such-row"},
            {"date": late}, {"date": "1990-01-01"}, {"payee_id": payee, "category_id": category},
            {"account_id": tracking, "category_id": category}, {"category_name": "No such name"},
        ]  # fmt: skip
        bad = row | choose(wrong)
        single: list[tuple[str, list[Any], Row]] = [
            ("update_transaction", [choose(self._plain_rows())], {"memmo": "a typing error"}),
            ("update_transaction", ["no-such-row"], {"memo": "nowhere"}),
            ("rename_payee", [self.payee(), " "], {}),
            ("assign", [self.month(), "No such category", 1.0], {}),
            ("move", [self.month(), category, category, 1.0], {}),
            *[("create_transactions", [[*rows, bad]], {}) for rows in ([], [], [row])],
        ]  # fmt: skip
        name, arguments, fields = choose(single)
        return Call(name, arguments, _nothing, fields)


_CALLS = {
    "create_transactions": 8, "update_transaction": 6, "update_transactions": 2, "assign": 3,
    "move": 3, "update_category": 2, "create_scheduled_transactions": 2, "delete_transactions": 2,
    "rename_payee": 1, "rename_category_group": 1, "create_payee": 1, "create_category_group": 1,
    "create_category": 1, "create_account": 1, "refused": 2,
}  # fmt: skip
"""The calls, and how often they are made."""


def _set(place: Place, **fields: Any) -> Effect:
    def effect(content: Content) -> list[Change]:
        row = row_at(content, place) or {}
        return [Change("set", place, fields, {name: row.get(name) for name in fields})]

    return effect


def _new(table: str, row: Row) -> Effect:
    return lambda _: [Change("new", new_place(table), dict(row))]


def _sets(content: Content, rows: dict[str, Row]) -> list[Change]:
    """The new values of transactions that they do not have yet."""
    changes: list[Change] = []
    for key, row in rows.items():
        now = content.get(("transactions", key))
        if now is not None:
            new = _with_payees(content, row, changes)
            fields = {name: value for name, value in new.items() if now[name] != value}
            changes += _set(("transactions", key), **fields)(content) if fields else []
    return changes


def _with_payees(content: Content, row: Row, changes: list[Change]) -> Row:
    """A row with the keys of the payees that it names; the payees that do not exist are created."""
    found = dict(row)
    if "subtransactions" in row:
        parts = [_with_payees(content, part, changes) for part in row["subtransactions"]]
        found["subtransactions"] = parts
    name = found.pop("payee_name", None)
    if name is not None:
        rows = (content | {change.place: change.after for change in changes}).items()
        payees = {each["name"]: key for (table, key), each in rows if table == "payees"}
        if name not in payees:
            changes += _new("payees", {"name": name, "transfer_account_id": None})(content)
            payees[name] = changes[-1].place[1]
        found["payee_id"] = payees[name]
    return found

"""Random calls that write, with their effects on the content of `single_model`."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, ClassVar

from budgetframe import BudgetFrame

from .expected import currency_units
from .single_model import Change, Content, Place, Row, new_place, row_at
from .writes import FREQUENCIES

Effect = Callable[[Content], list[Change]]


@dataclass
class Call:
    """A call that writes, its effect on a content, and what has happened to it."""

    name: str
    arguments: Sequence[Any]
    effect: Effect
    fields: Row = field(default_factory=dict)
    is_refused: bool = False
    """Whether it must be refused before anything is sent."""
    undoes: int | None = None
    """The entry of the journal that it undoes."""
    is_disturbed: bool = False
    """Whether somebody else has changed the same rows, so that it may be a conflict."""
    is_lost: bool = False
    """Whether somebody else has changed a new row so that nobody can know it again."""
    touched: set[Place] = field(default_factory=set)
    """The rows that it changes or deletes, with the other sides of transfers."""
    before: dict[tuple[Place, str], list[Any]] = field(default_factory=dict)
    """The values before, by place and field, that the lists showed when it was sent."""
    applied: int = 0
    """The number of its requests that the service has carried out."""
    faults: list[str] = field(default_factory=list)

    def run(self, bf: BudgetFrame) -> None:
        """Call a method of a connection."""
        if self.undoes is not None:
            bf.journal().undo(self.undoes).apply()
        else:
            getattr(bf, self.name)(*self.arguments, **self.fields)

    def __str__(self) -> str:
        return f"{self.name} {self.arguments} {self.fields or ''}"


class RandomCalls:
    """Random calls for a content; names and memos are never used twice."""

    def __init__(self, rng: random.Random, today: date, content: Content) -> None:
        self.rng, self.today, self.content = rng, today, content
        self.named = set[str]()
        """The names of the payees that rows have created: nobody renames these."""
        self._names = 0
        self.ordinary: list[str] = []
        """The categories that can be changed."""

    # Choices

    def name(self, kind: str) -> str:
        """A new name."""
        self._names += 1
        return f"{kind} {self._names}"

    def keys(self, table: str, **fields: Any) -> list[str]:
        """The keys of the rows with these fields."""
        return sorted(
            key
            for (name, key), row in self.content.items()
            if name == table and all(row[field] == value for field, value in fields.items())
        )

    def payee(self) -> str:
        """A payee that can be renamed."""
        payees = self.keys("payees", transfer_account_id=None)
        names = {key: self.content["payees", key]["name"] for key in payees}
        return self.rng.choice([key for key in payees if names[key] not in self.named])

    def group(self) -> str:
        """A group that can be renamed, and can have new categories."""
        groups = {self.content["categories", key]["category_group_id"] for key in self.ordinary}
        return str(self.rng.choice(sorted(groups)))

    def month(self) -> str:
        """The first day of one of the months around the current one."""
        number = self.today.year * 12 + self.today.month - 1 + self.rng.choice([-1, 0, 0])
        return f"{number // 12}-{number % 12 + 1:02}-01"

    def _chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def _amount(self) -> int:
        """An amount that no row of another device has: these are multiples of 1000."""
        return self.rng.randrange(-300, 300) * 1000 + self.rng.randrange(1, 99) * 10

    def _day(self, first: int, last: int) -> str:
        """A day with this distance from today, at least and at most."""
        return f"{self.today + timedelta(days=self.rng.randint(first, last))}"

    def _key_or_name(self, body: Row, entity: str, table: str, key: str) -> None:
        """Name an account or a category in a body, by its key or by its name."""
        name = self.content[table, key]["name"]
        is_unique = len(self.keys(table, name=name)) == 1
        by_name = is_unique and self._chance(0.5)
        body[f"{entity}_name" if by_name else f"{entity}_id"] = name if by_name else key

    # Rows

    def _payee_of(self, leg: Row, body: Row) -> None:
        kind = self.rng.random()
        if kind < 0.5:
            payees = self.keys("payees", transfer_account_id=None)
            leg["payee_id"] = body["payee_id"] = self.rng.choice(payees)
        elif kind < 0.7:
            leg["payee_name"] = body["payee_name"] = self.name("Shop")
            self.named.add(leg["payee_name"])

    def _transfer_of(self, leg: Row, body: Row, account: str) -> None:
        accounts = [key for key in self.keys("accounts", closed=False) if key != account]
        target = self.content["accounts", self.rng.choice(accounts)]
        leg["payee_id"] = body["payee_id"] = target["transfer_payee_id"]
        if target["on_budget"]:
            leg["category_id"] = None
            for each in ("category_id", "category_name"):
                body.pop(each, None)

    def _category_of(self, leg: Row, body: Row) -> None:
        leg["category_id"] = self.rng.choice(self.ordinary)
        self._key_or_name(body, "category", "categories", leg["category_id"])

    def _new_row(self, table: str) -> tuple[Row, Row]:
        """A new row of the content, and what the call gets for it."""
        account = self.rng.choice(self.keys("accounts", closed=False))
        row: Row = {"account_id": account, "amount": self._amount()}
        row |= {"payee_id": None, "category_id": None}
        row |= {"memo": self.name("note") if self._chance(0.7) else None}
        row |= {"flag_color": self.rng.choice([None, None, "red", "blue"])}
        body: Row = {"amount": currency_units(row["amount"])}
        body |= {name: row[name] for name in ("memo", "flag_color") if row[name] is not None}
        self._key_or_name(body, "account", "accounts", account)
        self._payee_of(row, body)
        if self._is_on_budget(row) and self._chance(0.7):
            self._category_of(row, body)
        if table == "scheduled_transactions":
            row |= {"date": self._day(1, 40), "frequency": self.rng.choice(FREQUENCIES)}
            return row, body | {"date_next": row["date"], "frequency": row["frequency"]}
        row |= {"date": self._day(-40, 0), "parts": [], "import_id": None, **self._state()}
        body |= {name: row[name] for name in ("date", "cleared", "approved")}
        kind = self.rng.random()
        if kind < 0.2 and self._is_on_budget(row):
            self._split(row, body)
        elif kind < 0.4:
            for each in ("payee_name", "payee_id"):
                row.pop(each, None), body.pop(each, None)
            self._transfer_of(row, body, account)
        elif kind < 0.55:
            # The service matches an imported row with another one of the same amount.
            self._names += 1
            row["amount"] = -900_000_000 - self._names * 10
            body["amount"] = currency_units(row["amount"])
            row["import_id"] = body["import_id"] = self.name("import")
        return row, body

    def _state(self) -> Row:
        cleared = self.rng.choice(["cleared", "uncleared"])
        return {"cleared": cleared, "approved": self._chance(0.5)}

    def _split(self, row: Row, body: Row) -> None:
        row["category_id"] = None
        for each in ("category_id", "category_name"):
            body.pop(each, None)
        first = self._amount()
        body["subtransactions"] = []
        for amount in (first, row["amount"] - first):
            leg: Row = {"amount": amount, "payee_id": None, "category_id": None, "memo": None}
            part: Row = {"amount": currency_units(amount)}
            if self._chance(0.7):
                self._category_of(leg, part)
            if self._chance(0.2):
                self._transfer_of(leg, part, row["account_id"])
            elif self._chance(0.5):
                leg["memo"] = part["memo"] = self.name("part")
            row["parts"].append(leg)
            body["subtransactions"].append(part)

    # Calls

    def create_transactions(self) -> Call:
        return self._create("transactions")

    def create_scheduled_transactions(self) -> Call:
        return self._create("scheduled_transactions")

    def _create(self, table: str) -> Call:
        rows = [self._new_row(table) for _ in range(self.rng.choice([1, 1, 2, 3]))]
        if self._chance(0.1):
            rows.append(rows[0])  # the same twice is two rows
        if any(row.get("import_id") for row, _ in rows):
            del rows[1:]
        new = [row for row, _ in rows]
        return Call(
            f"create_{table}",
            [[body for _, body in rows]],
            lambda content: _rows(content, table, new),
        )

    def _plain_rows(self) -> list[str]:
        """Transactions that are neither splits, nor transfers, nor sides of these."""
        payees = {None, *self.keys("payees", transfer_account_id=None)}
        keys = self.keys("transactions", side=None, parts=[])
        return [key for key in keys if self.content["transactions", key]["payee_id"] in payees]

    def _transfers(self) -> list[str]:
        """Sides of transfers that are no parts of splits."""
        rows = {key: self.content["transactions", key] for key in self.keys("transactions")}
        sides = {key: rows.get(row["side"], {}).get("side") for key, row in rows.items()}
        return [key for key, other in sides.items() if other == key]

    def _splits(self) -> list[str]:
        keys = self.keys("transactions", category_id=None)
        return [key for key in keys if self.content["transactions", key]["parts"]]

    def _linked_rows(self) -> list[str]:
        """In some cases, the sides of transfers or the splits."""
        kind = self.rng.random()
        return self._transfers() if kind < 0.2 else self._splits() if kind < 0.35 else []

    def _is_on_budget(self, row: Row) -> bool:
        return bool(self.content["accounts", row["account_id"]]["on_budget"])

    def _edited(self) -> tuple[str, Row, Row]:
        """A transaction, with new values as the content and as a call has them."""
        keys = self._linked_rows()
        is_plain = not keys
        key = self.rng.choice(keys or self._plain_rows())
        row = self.content["transactions", key]
        fields: Row = {
            "memo": self.name("memo"),
            "flag_color": self.rng.choice(["green", "red", None]),
        }
        fields |= self._state()
        if not row["parts"]:
            fields |= {"amount": self._amount(), "date": self._day(-40, 0)}
        names = self.rng.sample(sorted(fields), self.rng.choice([1, 1, 2, 3]))
        fields = {name: fields[name] for name in names}
        body = {
            name: currency_units(value) if name == "amount" else value
            for name, value in fields.items()
        }
        if is_plain and self._chance(0.3):
            self._payee_of(fields, body)
        if is_plain and self._is_on_budget(row) and self._chance(0.3):
            self._category_of(fields, body)
        return key, fields, body

    def update_transaction(self) -> Call:
        key, fields, body = self._edited()
        return Call(
            "update_transaction", [key], lambda content: _sets(content, {key: fields}), body
        )

    def update_transactions(self) -> Call:
        edited = {key: (fields, body) for key, fields, body in (self._edited() for _ in range(3))}
        sides = {self.content["transactions", key]["side"] for key in edited}
        edited = {key: each for key, each in edited.items() if key not in sides}
        rows = [{"transaction_id": key, **body} for key, (_, body) in edited.items()]
        new = {key: fields for key, (fields, _) in edited.items()}
        return Call(
            "update_transactions", [rows], lambda content: _sets(content, new, only_other=True)
        )

    def delete_transactions(self) -> Call:
        rows = self.content
        linked = [
            key for key in self._linked_rows() if self._is_on_budget(rows["transactions", key])
        ]
        keys = linked or self._plain_rows()
        chosen = self.rng.sample(keys, min(len(keys), self.rng.choice([1, 1, 2])))
        if rows["transactions", chosen[0]]["side"]:
            del chosen[1:]  # it may be the other side

        def effect(content: Content) -> list[Change]:
            places = [("transactions", key) for key in chosen if ("transactions", key) in content]
            return [Change("gone", place, before=content[place]) for place in places]

        return Call("delete_transactions", [chosen], effect)

    def assign(self) -> Call:
        month, amount = self.month(), self.rng.randrange(90_000) * 10
        category = self.rng.choice(self.ordinary)
        body: Row = {}
        self._key_or_name(body, "category", "categories", category)
        place = "months", f"{month} {category}"
        return Call(
            "assign", [month[:7], *body.values(), currency_units(amount)],
            lambda content: [_set(content, place, {"budgeted": amount})],
        )  # fmt: skip

    def move(self) -> Call:
        month, amount = self.month(), self.rng.randrange(1, 9_000) * 10
        ends: list[str | None] = [*self.rng.sample(self.ordinary, 2)]
        if self._chance(0.2):
            ends[self.rng.randrange(2)] = None

        def effect(content: Content) -> list[Change]:
            places = [("months", f"{month} {key}") if key else None for key in ends]
            return [
                _set(
                    content,
                    place,
                    {"budgeted": (row_at(content, place) or {})["budgeted"] + change},
                )
                for place, change in zip(places, (-amount, amount), strict=True)
                if place is not None
            ]

        return Call("move", [month[:7], *ends, currency_units(amount)], effect)

    def update_category(self) -> Call:
        place = "categories", self.rng.choice(self.ordinary)
        target = self.rng.choice([None, self.rng.randrange(1, 900) * 1000])
        choices: list[Row] = [
            {"name": self.name("Category")}, {"note": self.name("note")}, {"note": None},
            {"goal_target": target} if target else {"goal_target": None, "goal_target_date": None},
        ]  # fmt: skip
        after = self.rng.choice(choices)
        body = {name: value for name, value in after.items() if name != "goal_target_date"}
        if target and "goal_target" in body:
            body["goal_target"] = currency_units(target)
        return Call(
            "update_category", [place[1]], lambda content: [_set(content, place, after)], body
        )

    def rename_payee(self) -> Call:
        return self._rename("rename_payee", ("payees", self.payee()))

    def rename_category_group(self) -> Call:
        return self._rename("rename_category_group", ("groups", self.group()))

    def _rename(self, method: str, place: Place) -> Call:
        name = self.name("Renamed")
        return Call(
            method, [place[1], name], lambda content: [_set(content, place, {"name": name})]
        )

    def create_payee(self) -> Call:
        return self._create_name("create_payee", "payees", {"transfer_account_id": None})

    def create_category_group(self) -> Call:
        return self._create_name("create_category_group", "groups", {})

    def _create_name(self, method: str, table: str, more: Row) -> Call:
        row = {"name": self.name("New"), **more}
        return Call(method, [row["name"]], lambda _: [Change("new", new_place(table), row)])

    def create_category(self) -> Call:
        name, group = self.name("New category"), self.group()
        target = self.rng.choice([None, 50_000])
        fields: Row = {"note": self.rng.choice([None, "new"]), "goal_target": target}
        row = {"name": name, "category_group_id": group, "goal_target_date": None, **fields}
        body = {name: value for name, value in fields.items() if value is not None}
        if target:
            body["goal_target"] = currency_units(target)
        return Call(
            "create_category", [name, group],
            lambda _: [Change("new", new_place("categories"), row)], body,
        )  # fmt: skip

    def create_account(self) -> Call:
        """Create an account without a balance: a balance would be a transaction of its own."""
        name, kind = self.name("New account"), self.rng.choice(["checking", "cash", "otherAsset"])

        def effect(_: Content) -> list[Change]:
            account, payee = new_place("accounts"), new_place("payees")
            row: Row = {"name": name, "type": kind, "on_budget": kind != "otherAsset", "rest": 0}
            row |= {"closed": False, "transfer_payee_id": payee[1]}
            of_transfers = {"name": f"Transfer : {name}", "transfer_account_id": account[1]}
            return [Change("new", account, row), Change("new", payee, of_transfers)]

        return Call("create_account", [name, kind, 0.0], effect)

    def refused(self) -> Call:
        """A call that is refused before anything is sent."""
        accounts = self.keys("accounts", closed=False, on_budget=True)
        row: Row = {"account_id": self.rng.choice(accounts)}
        row |= {"date": f"{self.today}", "amount": -1.25}
        category = self.rng.choice(self.ordinary)
        accounts = self.keys("accounts", closed=False)
        tracking = [key for key in accounts if not self.content["accounts", key]["on_budget"]]
        inside = [
            self.content["accounts", key]["transfer_payee_id"]
            for key in accounts if key not in (*tracking, row["account_id"])
        ]  # fmt: skip
        more: list[Row] = [
            {"memmo": "a typing error"}, {"amount": -1.2345}, {"account_id": "no-such-row"},
            {"date": self._day(2, 3)}, {"date": "1990-01-01"},
            {"account_id": self.rng.choice(tracking), "category_id": category},
            {"payee_id": self.rng.choice(inside), "category_id": category},
            {"category_name": "No such category"},
        ]  # fmt: skip
        single: list[tuple[str, list[Any], Row]] = [
            (
                "update_transaction",
                [self.rng.choice(self._plain_rows())],
                {"memmo": "a typing error"},
            ),
            ("update_transaction", ["no-such-row"], {"memo": "nowhere"}),
            ("rename_payee", [self.payee(), " "], {}),
            ("assign", [self.month()[:7], "No such category", 1.0], {}),
            ("move", [self.month()[:7], category, category, 1.0], {}),
            ("create_transactions", [[row | self.rng.choice(more)]], {}),
            ("create_transactions", [[row, row | self.rng.choice(more)]], {}),
            ("create_transactions", [[row | self.rng.choice(more)]], {}),
        ]
        name, arguments, fields = self.rng.choice(single)
        return Call(name, arguments, lambda _: [], fields, is_refused=True)

    CALLS: ClassVar = {
        create_transactions: 8, update_transaction: 6, update_transactions: 2, assign: 3, move: 3,
        update_category: 2, create_scheduled_transactions: 2, delete_transactions: 2,
        rename_payee: 1, rename_category_group: 1, create_payee: 1, create_category_group: 1,
        create_category: 1, create_account: 1, refused: 2,
    }  # fmt: skip
    """The calls, and how often they are made."""

    def call(self) -> Call:
        """A random call."""
        (make,) = self.rng.choices([*self.CALLS], [*self.CALLS.values()])
        return make(self)


# -- effects ---------------------------------------------------------------------------------------


def _set(content: Content, place: Place, fields: Row) -> Change:
    row = row_at(content, place) or {}
    return Change("set", place, fields, {name: [row.get(name)] for name in fields})


def _payee(content: Content, name: str, changes: list[Change]) -> str:
    """The payee with a name, which is created if there is none."""
    new = {change.place: change.after for change in changes}
    for (table, key), row in {**content, **new}.items():
        if table == "payees" and row["name"] == name:
            return key
    changes.append(Change("new", new_place("payees"), {"name": name, "transfer_account_id": None}))
    return changes[-1].place[1]


def _rows(content: Content, table: str, rows: Sequence[Row]) -> list[Change]:
    changes: list[Change] = []
    for row in rows:
        fields = {name: value for name, value in row.items() if name != "payee_name"}
        if "payee_name" in row:
            fields["payee_id"] = _payee(content, row["payee_name"], changes)
        changes.append(Change("new", new_place(table), fields))
    return changes


def _sets(content: Content, rows: dict[str, Row], *, only_other: bool = False) -> list[Change]:
    """The new values of transactions; with `only_other`, those that they do not have yet."""
    changes: list[Change] = []
    for key, row in rows.items():
        place, now = ("transactions", key), content.get(("transactions", key))
        fields = {name: value for name, value in row.items() if name != "payee_name"}
        if "payee_name" in row:
            fields["payee_id"] = _payee(content, row["payee_name"], changes)
        if only_other:
            fields = {name: value for name, value in fields.items() if now and now[name] != value}
        if now is not None and fields:
            changes.append(_set(content, place, fields))
    return changes

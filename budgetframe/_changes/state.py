"""The current rows of a budget, with the names and the rules that changes of them follow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from budgetframe._resources import (
    CARD_GROUP,
    COUNTED,
    INTERNAL_GROUP,
    TRANSFER_PREFIX,
    UNCATEGORIZED,
    is_deleted,
    is_income,
    is_uncategorized,
)
from budgetframe._runtime.arguments import nothing_sent, refused
from budgetframe._session.names import KeysOfNames, check_text
from budgetframe._session.written import DAMAGE, parts_of, wire_value
from budgetframe.frames.number_text import Currency

Row = Mapping[str, Any]

FIELDS: Mapping[str, Sequence[str]] = {
    "transactions": (
        "date", "amount", "account_id", "payee_id", "category_id", "memo", "cleared", "approved",
        "flag_color",
    ),
    "scheduled_transactions": (
        "date", "frequency", "amount", "account_id", "payee_id", "category_id", "memo",
        "flag_color",
    ),
    "categories": ("name", "category_group_id", "note", "goal_target", "goal_target_date"),
    "month_categories": ("budgeted",),
    "accounts": ("name", "type", "balance"),
    "category_groups": ("name",),
    "payees": ("name",),
}  # fmt: skip
"""The fields that can be changed, as the service names them."""

FIXED_IN_SPLITS: Mapping[str, Sequence[str]] = {
    "transactions": ("date", "amount", "category_id", "subtransactions"),
    "scheduled_transactions": ("amount", "category_id"),
}
"""The fields of an existing split that the service does not change."""

NEVER_EMPTY = ("goal_frequency", "goal_needs_whole_amount")
"""The fields of a category that no write can clear: they end with the target."""

_FIVE_YEARS = 5
_FREQUENCIES = {1: "monthly", 2: "weekly", 13: "yearly"}
"""The frequencies of targets that can be written, by the cadences that rows state."""

PART_FIELDS = ("amount", "payee_id", "category_id", "memo")  # the fields of a part of a split


def wire_row(row: Row, resource: str) -> dict[str, Any]:
    """The fields of a row that can be changed, also the parts of a split; amounts in milliunits."""
    found = {name: wire_value(name, row.get(name)) for name in FIELDS[resource]}
    if resource == "scheduled_transactions":
        found["date"] = row.get("date_next")
    if resource == "categories" and found["goal_target_date"] is None:
        found["goal_target_date"] = row.get("goal_target_month")
    if resource == "categories":
        found["goal_target"] = known_target(found["goal_target"], row.get("goal_type"))
        found["goal_frequency"] = _FREQUENCIES.get(row.get("goal_cadence") or 0)
        found["goal_needs_whole_amount"] = row.get("goal_needs_whole_amount")
    parts = parts_of(row)
    if parts:
        found["category_id"] = None
        found["subtransactions"] = [
            {name: wire_value(name, part.get(name)) for name in PART_FIELDS} for part in parts
        ]
    return found


def known_target(target: Any, goal_type: Any) -> Any:
    """The target of a category; None if it has no goal, for which the service states 0."""
    return None if target == 0 and goal_type is None else target


class Names:
    """Accounts, categories (in their groups) and payees by their keys, and the keys of names."""

    def __init__(
        self,
        accounts: Iterable[Row] = (),
        categories: Iterable[Row] = (),
        payees: Iterable[Row] = (),
    ) -> None:
        self.accounts = {row["id"]: row for row in accounts if not is_deleted(row)}
        live = [group for group in categories if not is_deleted(group)]
        self.groups = {group["id"]: group for group in live}
        self.categories: dict[str, Row] = {
            row["id"]: {**row, "group_name": group.get("name")}
            for group in live
            for row in group.get("categories") or ()
            if not is_deleted(row)
        }
        self.payees = {row["id"]: row for row in payees if not is_deleted(row)}
        self._tables: Mapping[str, Mapping[str, Row]] = {
            "account": self.accounts, "category": self.categories, "payee": self.payees,
            "category_group": self.groups,
        }  # fmt: skip
        for table in (self.accounts, self.groups, self.categories, self.payees):
            table.pop(None, None)  # type: ignore[call-overload] # a key that cannot be used
        self._keys = {}
        for entity, listed in self._tables.items():
            rows = ((key, row.get("name"), row.get("group_name")) for key, row in listed.items())
            self._keys[entity] = KeysOfNames(entity, rows)
        self.has_new_payees = True  # whether no device can have renamed a payee since the read
        self._targets = {
            row["transfer_payee_id"]: key
            for key, row in self.accounts.items()
            if row.get("transfer_payee_id")
        }

    @staticmethod
    def stated_by(rows: Iterable[Row]) -> dict[str, list[Row]]:
        """The lists of the names that transactions or schedules state, as for `Names`."""
        found: dict[str, dict[str, Row]] = {"account": {}, "payee": {}, "category": {}}
        for row in rows:
            for each in (row, *parts_of(row)):
                for entity, table in found.items():
                    key = each.get(f"{entity}_id")
                    if key is not None:
                        table[key] = {"id": key, "name": each.get(f"{entity}_name")}
        group = {"id": "", "categories": list(found["category"].values())}
        return {
            "accounts": list(found["account"].values()),
            "categories": [group],
            "payees": list(found["payee"].values()),
        }

    def name(self, entity: str, key: str | None) -> str | None:
        """The name of a key; the key if it is not listed."""
        if key is None:
            return None
        name: str | None = self._tables[entity].get(key, {}).get("name")
        return name or key

    def full_name(self, entity: str, key: str) -> str:
        """The name of a key, with the group of a category; the key if it is not listed."""
        return self._keys[entity].name_of(key) or key

    def without_surplus_blanks(self, payee_name: Any) -> Any:
        """The name of a payee with single blanks, as in an imported file, unless it is listed."""
        if not isinstance(payee_name, str) or payee_name in self._keys["payee"]:
            return payee_name
        return " ".join(payee_name.split())

    def of(self, *rows: Row) -> dict[str, str]:
        """The names of all keys in rows."""
        found: dict[str, str] = {}
        for row in rows:
            for entity in self._tables:
                key = row.get(f"{entity}_id")
                if key is not None:
                    found[key] = self.name(entity, key) or key
            for part in row.get("subtransactions") or ():
                found |= self.of(part)
        return found

    def has(self, entity: str, given: object) -> bool:
        """Whether a key or a name is listed."""
        return given in self._keys[entity]

    def has_name(self, entity: str, key: str, name: str) -> bool:
        """Whether the row with a key has a name, alone or with its group."""
        return self._keys[entity].has_name(key, name)

    def missing(self, row: Row) -> str:
        """What a row has in a key, as key or name, and no list has: account ...; empty if none."""
        for entity, listed in self._keys.items():
            key = row.get(f"{entity}_id")
            if key is not None and key not in listed:
                return entity.replace("_", " ")
        return ""

    def target(self, payee_id: str | None) -> str | None:
        """The account that a payee means a transfer to."""
        if payee_id is None:
            return None
        stated: str | None = self.payees.get(payee_id, {}).get("transfer_account_id")
        return stated or self._targets.get(payee_id)

    def on_budget(self, account_id: str | None) -> bool:
        """Whether an account is a budget account; an account that is not listed counts as one."""
        return self.accounts.get(account_id or "", {}).get("on_budget") is not False

    def allows_category(self, account_id: str | None, target: str | None) -> bool:
        """Whether a row of an account, with the target of its transfer, can have a category."""
        return self.on_budget(account_id) and (target is None or not self.on_budget(target))

    def _group_and_name(self, category_id: str | None) -> tuple[str | None, str | None]:
        category = self.categories.get(category_id or "", {})
        return category.get("group_name"), category.get("name")

    def is_payment(self, category_id: str | None) -> bool:
        """Whether a category is that of the payments of a card."""
        return self._group_and_name(category_id)[0] == CARD_GROUP

    def is_internal(self, category_id: str | None) -> bool:
        """Whether a category belongs to the service."""
        return self._group_and_name(category_id)[0] == INTERNAL_GROUP

    def is_uncategorized(self, category_id: str | None) -> bool:
        """Whether a category means that a row has none."""
        return is_uncategorized(*self._group_and_name(category_id))

    def is_income(self, category_id: str | None) -> bool:
        """Whether a category is that of the income."""
        return is_income(*self._group_and_name(category_id))

    def key_of(self, entity: str, given: Any, where: str, *, group: str | None = None) -> str:
        """Return the key that a key or a name means; both must be listed, and in the group."""
        with nothing_sent():
            given = check_text(given, f"{where}: {entity}_id")
            return self._keys[entity].key_of(given, where, group=group)

    def key(
        self,
        entity: str,
        name: Any,
        where: str,
        *,
        group: str | None = None,
        near: str | None = None,
    ) -> str | None:
        """The key of a name; None for an uncertain payee, which the service finds or creates."""
        if not isinstance(name, str):
            raise refused(f"{where}: {entity}_name={name!r} is not a text")
        if name == UNCATEGORIZED:  # the category of the service means that a row has none
            near = INTERNAL_GROUP
        names = self._keys[entity]
        with nothing_sent():
            if entity == "payee" and not name.startswith(TRANSFER_PREFIX):
                found = names.keys_named(name)
                return found[0] if len(found) == 1 and self.has_new_payees else None
            if entity == "payee":
                return names.find(name, where)
            return names.key(name, where, group=group, near=near)


@dataclass(frozen=True, slots=True)
class State:
    """The current rows of one resource."""

    rows: Mapping[Any, Row]  # the rows as the service sends them, by `Change.place`
    names: Names
    today: date
    currency: Currency  # the format of amounts in the budget, for messages
    other_sides_of_parts: Mapping[str, str] = field(default_factory=dict)
    """Keys of the transactions that are the other side of a part of a split, with the split."""
    _wire_rows: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False, compare=False)

    def transaction(self, key: str) -> dict[str, Any] | None:
        """The `wire_row` of a transaction, which nobody may change; None without such a row."""
        if key not in self._wire_rows and key in self.rows:
            self._wire_rows[key] = wire_row(self.rows[key], "transactions")
        return self._wire_rows.get(key)

    def problem_of(self, keys: Iterable[str | None]) -> str:
        """Why the rows, accounts or payees with these keys cannot be used; empty if they can."""
        tables = (self.rows, self.names.accounts, self.names.payees)
        known = (table[key] for key in keys if key for table in tables if key in table)
        problem = next((row[DAMAGE] for row in known if DAMAGE in row), "")
        advice = "correct the row in the app of the service, then read it again"
        return problem and f"{problem}, which cannot be used: {advice}"

    def check_account(self, account_id: str) -> None:
        """Refuse a damaged account, and one of which a transaction has no usable day or amount."""
        unknown = (
            key
            for key, row in self.rows.items()
            if row.get("account_id") in (None, account_id)
            and None in (row.get("account_id"), row.get("date"), row.get("amount"))
        )
        if problem := self.problem_of([account_id, *unknown]):
            raise refused(problem)

    def sides(self, key: str) -> list[str]:
        """The keys of the other sides of the transfers of a transaction and its parts."""
        raw = self.rows.get(key, {})
        found = [row.get("transfer_transaction_id") for row in (raw, *parts_of(raw))]
        return [each for each in (self.other_sides_of_parts.get(key), *found) if each is not None]

    def sum_until(self, account_id: str, day: str, among: Collection[str | None] = ()) -> int:
        """The sum of the transactions of an account up to a day, in milliunits."""
        # With keys in `among`, only these transactions and those that are cleared count.
        return sum(
            wire_value("amount", row.get("amount")) or 0
            for key, row in self.rows.items()
            if row.get("account_id") == account_id
            and row["date"] <= day
            and (not among or key in among or row.get("cleared") in COUNTED)
        )

    @classmethod
    def of(cls, rows: Iterable[Row], names: Names, today: date, currency: Currency) -> State:
        """The state of a list of transactions or schedules."""
        live, sides = dict[str, Row](), dict[str, str]()
        for position, row in enumerate(rows):
            if not is_deleted(row):
                key = row.get("id") or f"row {position} without a key"
                live[key] = row
                for part in parts_of(row) if row.get("subtransactions") else ():
                    if part.get("transfer_transaction_id"):
                        sides[part["transfer_transaction_id"]] = key
        return cls(live, names, today, currency, sides)


def five_years_before(today: date) -> str:
    """The first day that the service accepts."""
    return f"{today.year - _FIVE_YEARS:04}{today.isoformat()[4:]}"

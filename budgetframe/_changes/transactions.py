"""Comparison of an edited frame of transactions, or of parts of splits, with the current rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pandas as pd

from budgetframe._runtime.text import number_of
from budgetframe.frames.request_bodies import BODIES

from .collector import BaseRows, Collector, changed_since, differences, known_fields
from .descriptions import described, without_missing
from .edits import EditedRow, Edits, is_missing
from .frame_kinds import WRITABLE
from .plan import Change
from .refusals import five_years_before
from .state import FIXED_IN_SPLITS, PART_FIELDS, Names, State, parts_of, refused, wire_row

__all__ = [
    "Comparison",
    "unknown_keys",
]

_TRANSFER_PREFIX = "Transfer : "
_CANNOT_BE_EMPTY = ("date", "amount", "cleared", "approved")
_IF_EMPTY = {"account": "give the name of an account"}  # a row cannot be without an account
_OF_PART = (*PART_FIELDS, "payee_name")
_OF_SIDE = ("date", "amount", "account_id", "payee_id", "payee_name", "category_id")
_CONVERT: Mapping[str, Callable[[Any, str], Any]] = BODIES["create_transactions"].fields


@dataclass(slots=True)
class _Group:
    """What the user changes in one transaction."""

    fields: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    rows: int = 0
    of_parent: Counter[str] = field(default_factory=Counter)


class Comparison:
    """The changes of transactions, or of schedules, that an edited frame means.

    Parameters
    ----------
    state : State
        The current rows.
    base_rows : callable
        The fields of a row when the user read it.
    replace_splits : bool
        Whether splits are deleted and created again where the service cannot change them.
    """

    def __init__(self, state: State, base_rows: BaseRows, *, replace_splits: bool = False) -> None:
        self._state = state
        self._names = state.names
        self._base_rows = base_rows
        self._replace_splits = replace_splits
        self._found = Collector(state, base_rows, "transactions")
        self.changes, self.conflicts = self._found.changes, self._found.conflicts
        self._fixed_splits: list[str] = []

    # Rows that exist

    def edit(self, edits: Edits, edited: pd.DataFrame) -> None:
        """Add the changes of rows that exist."""
        groups: dict[str, _Group] = {}
        parts = _parents_of_parts(edited)
        for row in edits.changed:
            key = parts.get(row.key, row.key)
            group = groups.setdefault(key, _Group())
            self._add_to(group, row, is_part=row.key in parts)
        _require_agreement(groups, edited)
        for key, group in groups.items():
            self._change(key, group)
        if self._fixed_splits:
            raise refused(
                f"{number_of(len(self._fixed_splits), 'existing split')} (first:"
                f" {self._fixed_splits[0]!r}): the service ignores a new date, amount or category"
                " of an existing split and cannot change its parts. With changes(...,"
                " replace_splits=True), the split is deleted and created again, with a new key"
            )

    def _add_to(self, group: _Group, row: EditedRow, *, is_part: bool) -> None:
        where = f"transaction {row.key!r}" if not is_part else f"part {row.key!r}"
        fields = self.fields_of(row.cells, row.row, where)
        if row.row.get("is_remainder") is True:
            raise refused(f"{where}: the remainder of a split is no row of the service")
        own = {name: value for name, value in fields.items() if is_part and name in _OF_PART}
        rest = {name: value for name, value in fields.items() if name not in own}
        for name, value in rest.items():
            if name in group.fields and group.fields[name] != value:
                raise refused(
                    f"{where}: two rows of one transaction have different values of {name}:"
                    f" {group.fields[name]!r} and {value!r}"
                )
        group.fields |= rest
        group.of_parent.update(list(rest))
        if own:
            known = group.parts.setdefault(row.key, own)
            if known != own:
                raise refused(f"{where}: two rows with this key have different values")
        group.rows += 1

    def _change(self, key: str, group: _Group) -> None:
        raw, base = self._state.rows.get(key), self._base_rows(key)
        if raw is None:
            fields = dict(group.fields)
            for part in group.parts.values():
                fields |= part
            before = {name: (base or {}).get(name) for name in known_fields(group.fields)}
            self._found.add_missing("update", key, before, fields)
            return
        current = wire_row(raw, "transactions")
        after = differences(current, group.fields)
        parts = self._part_differences(raw, group.parts)
        if not after and not parts:
            return
        where = f"transaction {key!r}"
        is_split = "subtransactions" in current
        if is_split and (parts or any(name in after for name in FIXED_IN_SPLITS["transactions"])):
            if not self._replace_splits:
                self._fixed_splits.append(key)
                return
            changes = self._replaced(key, raw, after, parts)
        else:
            if "subtransactions" in after:
                _require_sum({**current, **after}, where)
            self._check(where, current, after, key)
            before = {name: current.get(name) for name in known_fields(after)}
            changes = [self._described(raw, "update", key=key, before=before, after=after)]
        problem = changed_since(base, current, group.fields)
        self._found.add(*changes, problem=problem)

    def _part_differences(
        self, raw: Mapping[str, Any], parts: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, dict[str, Any]]:
        current = {
            part["id"]: sent
            for part, sent in zip(
                parts_of(raw), wire_row(raw, "transactions").get("subtransactions", ()), strict=True
            )
        }
        found = {}
        for key, fields in parts.items():
            if key not in current:
                raise refused(
                    f"part {key!r} is no longer a part of its split: read the frame again"
                )
            different = differences(current[key], fields)
            if different:
                found[key] = different
        return found

    def _replaced(
        self,
        key: str,
        raw: Mapping[str, Any],
        after: Mapping[str, Any],
        parts: Mapping[str, Mapping[str, Any]],
    ) -> list[Change]:
        """The deletion of a split and its creation with other values."""
        before = wire_row(raw, "transactions")
        body = {**wire_row(raw, "transactions"), **after}
        if "payee_name" in after:
            del body["payee_id"]  # of both, the service takes the key
        where = f"transaction {key!r}"
        if after.get("category_id") is not None:
            del body["subtransactions"]
        elif "subtransactions" in after:
            _require_sum(body, where)
        else:
            body["subtransactions"] = [
                self._changed_part(sent, parts.get(part["id"], {}))
                for part, sent in zip(parts_of(raw), body["subtransactions"], strict=True)
            ]
            total = sum(part["amount"] for part in body["subtransactions"])
            if "amount" in after and after["amount"] != total:
                raise refused(
                    f"{where}: the amount of a split is the sum of its parts: change the parts, in"
                    " a frame of ledger() or subtransactions()"
                )
            body["amount"] = total
        self._check(where, {}, body, None)
        return [
            self._described(raw, "delete", key=key, before=before),
            self._described(raw, "create", after=without_missing(body), replaces=key),
        ]

    def _changed_part(self, part: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
        found = {**part, **after}
        if "payee_name" in after:
            del found["payee_id"]
        target = self._names.target(found.get("payee_id"))
        if target is not None and self._names.on_budget(target) and "category_id" not in after:
            found["category_id"] = None
        return found

    # New rows

    def create(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add the creation of rows."""
        for number, row in enumerate(rows):
            where = f"new row {number}"
            given = {name: value for name, value in row.items() if value is not None}
            cells = {name: value for name, value in given.items() if name in WRITABLE}
            body = self.fields_of(cells, given, where)
            for name in ("date", "amount", "account_id"):
                if body.get(name) is None:
                    column = "account_id or account_name" if name == "account_id" else name
                    raise refused(f"{where} has no {column}")
            if "import_id" in given:
                body["import_id"] = _CONVERT["import_id"](given["import_id"], f"{where}: import_id")
            if "subtransactions" in body:
                _require_sum(body, where)
            self._check(where, {}, body, None)
            self.changes.append(self._described({}, "create", after=without_missing(body)))

    def _new_parts(self, parts: Any, where: str) -> list[dict[str, Any]]:
        if (
            not isinstance(parts, Sequence)
            or isinstance(parts, str)
            or not all(isinstance(part, Mapping) for part in parts)
        ):
            raise refused(f"{where}: subtransactions={parts!r} is not a list of parts")
        found = []
        for number, part in enumerate(parts):
            place = f"{where}: subtransactions[{number}]"
            unknown = [
                name
                for name in part
                if name not in (*_OF_PART, "category_name", "category_group_name")
            ]
            if unknown:
                raise refused(f"{place}: {', '.join(map(str, unknown))} cannot be written")
            fields = self.fields_of(
                {name: value for name, value in part.items() if not is_missing(value)}, part, place
            )
            if "amount" not in fields:
                raise refused(f"{place} has no amount")
            found.append(without_missing(fields))
        return found

    # Deletions

    def delete(self, keys: Iterable[str]) -> None:
        """Add the deletion of rows."""
        # The other sides of its transfers are deleted with a row.
        unknown = self._found.delete(keys, self._state.sides)
        if unknown:
            parts = {part["id"] for raw in self._state.rows.values() for part in parts_of(raw)}
            if unknown[0] in parts:
                raise refused(
                    f"{unknown[0]!r} is the part of a split, which cannot be deleted alone: delete"
                    " the whole transaction, or change the amounts with replace_splits=True"
                )
            raise unknown_keys(
                unknown,
                advice=". delete_scheduled_transactions() deletes schedules",
            )

    # Fields

    def fields_of(
        self, cells: Mapping[str, Any], row: Mapping[str, Any], where: str
    ) -> dict[str, Any]:
        """The fields of the service for the changed cells of a row."""
        found: dict[str, Any] = {}
        for name in ("date", "amount", "memo", "cleared", "approved", "flag_color"):
            if name not in cells:
                continue
            value = cells[name]
            if value is None and name in _CANNOT_BE_EMPTY:
                raise refused(f"{where}: {name} cannot be empty")
            found[name] = None if value is None else _CONVERT[name](value, f"{where}: {name}")
            if name in ("memo", "flag_color") and found[name] == "":
                found[name] = None
        if cells.get("subtransactions") is not None:
            found["subtransactions"] = self._new_parts(cells["subtransactions"], where)
        found |= self._reference("account", cells, row, where)
        found |= self._reference("payee", cells, row, where)
        found |= self._reference("category", cells, row, where)
        if "subtransactions" in found and found.get("category_id") is None:
            found["category_id"] = None
        return found

    def _reference(
        self, entity: str, cells: Mapping[str, Any], row: Mapping[str, Any], where: str
    ) -> dict[str, Any]:
        """The key of an account, a payee or a category, from a changed key or name."""
        names, column = self._names, f"{entity}_id"
        has_name = f"{entity}_name" in cells or (
            entity == "category" and "category_group_name" in cells and column not in cells
        )
        if column not in cells and not has_name:
            return {}
        key, name = cells.get(column), cells.get(f"{entity}_name")
        if has_name and f"{entity}_name" not in cells:
            name = row.get("category_name")
        group = cells.get("category_group_name") if entity == "category" else None
        if isinstance(name, str) and not name.strip():
            advice = _IF_EMPTY.get(entity, f"use None to remove the {entity}")
            raise refused(f"{where}: {entity}_name is empty: {advice}")
        if key is not None:
            key = names.key_of(entity, key, where)
            if name is not None and name != names.name(entity, key):
                raise refused(
                    f"{where}: {column} is that of {names.name(entity, key)!r}, but"
                    f" {entity}_name={name!r}: change only one of them"
                )
        elif name is not None:
            name = names.without_surplus_blanks(name) if entity == "payee" else name
            near = row.get("category_group_name") if entity == "category" else None
            key = names.key(entity, name, where, group=group, near=near)
            if key is None:  # a payee
                return {"payee_name": self._new_payee(name, where)}
        elif entity == "account":
            raise refused(f"{where}: the account cannot be empty")
        if entity == "category" and names.is_uncategorized(key):
            key = None
        return {column: key}

    def _new_payee(self, name: str, where: str) -> str:
        if name.startswith(_TRANSFER_PREFIX):
            raise refused(
                f"{where}: the budget has no payee {name!r}; the payee of a transfer is in"
                " bf.payees()"
            )
        converted: str = _CONVERT["payee_name"](name, f"{where}: payee_name")
        return converted

    def _check(
        self, where: str, current: Mapping[str, Any], after: dict[str, Any], key: str | None
    ) -> None:
        """Check the rules of transfers, tracking accounts, splits and days."""
        names = self._names
        row = {**current, **after}
        if "payee_name" in after:
            row["payee_id"] = None
        split = self._state.other_sides_of_parts.get(key or "")
        if split is not None and any(name in after for name in _OF_SIDE):
            raise refused(
                f"{where} is the other side of a part of the split {split!r}: only the split"
                " determines its date, amount, account, payee and category"
            )
        if "date" in after:
            check_day(after["date"], self._state.today, where)
        target, account = names.target(row.get("payee_id")), row.get("account_id")
        if {"payee_id", "account_id"} & after.keys() and target is not None and target == account:
            raise refused(f"{where}: a transfer to its own account")
        if row.get("subtransactions"):
            if row.get("category_id") is not None:
                raise refused(f"{where}: a split has no category; give each part a category")
            self._check_parts(where, row, target)
        if after.get("category_id") is not None:
            self._check_category(where, after, account, target)

    def _check_parts(self, where: str, row: Mapping[str, Any], target: str | None) -> None:
        names, account = self._names, row.get("account_id")
        if target is not None:
            raise refused(f"{where}: a split cannot have the payee of a transfer")
        if not names.on_budget(account):
            raise refused(f"{where}: a row of a tracking account cannot be a split")
        for part in row["subtransactions"]:
            if names.is_payment(part.get("category_id")):
                raise _payment_category(names, part, where)
            to = names.target(part.get("payee_id"))
            if to is not None and to == account:
                raise refused(f"{where}: a part is a transfer to its own account")
            if to is not None and names.on_budget(to) and part.get("category_id") is not None:
                raise refused(
                    f"{where}: a part that is a transfer between two accounts of the budget has no"
                    " category"
                )

    def _check_category(
        self, where: str, after: Mapping[str, Any], account: str | None, target: str | None
    ) -> None:
        names = self._names
        if names.is_payment(after["category_id"]):
            raise _payment_category(names, after, where)
        if target is not None and names.on_budget(target) and names.on_budget(account):
            raise refused(f"{where}: a transfer between two accounts of the budget has no category")
        if not names.on_budget(account):
            raise refused(
                f"{where}: a row of the tracking account {names.name('account', account)!r} has no"
                " category; a transfer has it on the side of the budget account"
            )

    # Descriptions

    def _described(self, raw: Mapping[str, Any], action: Any, **values: Any) -> Change:
        return described(self._names, raw, action, "transactions", **values)


def _require_sum(body: Mapping[str, Any], where: str) -> None:
    if sum(part["amount"] for part in body["subtransactions"]) != body["amount"]:
        raise refused(f"{where}: the amounts of the parts do not add up to the amount")


def unknown_keys(
    keys: Sequence[str], name: str = "transaction_id", *, advice: str = ""
) -> Exception:
    """The error for keys that the budget does not have."""
    return refused(
        f"{number_of(len(keys), 'row has', 'rows have')} a {name} that the budget does not have"
        f" (first: {keys[0]!r}){advice}"
    )


def check_day(day: str, today: date, where: str) -> None:
    """Check that the service accepts a day."""
    if day > today.isoformat():
        raise refused(
            f"{where}: date={day} is in the future; create a scheduled transaction instead"
        )
    if day < five_years_before(today):
        raise refused(f"{where}: date={day} is over five years old, which the service refuses")


def _payment_category(names: Names, row: Mapping[str, Any], where: str) -> Exception:
    name = names.name("category", row["category_id"])
    return refused(
        f"{where}: {name!r} is the category of the payments of a card, which no transaction can"
        " have; a payment is a transfer to the account"
    )


def _parents_of_parts(edited: pd.DataFrame) -> dict[str, str]:
    """The transaction of each part of a split in the frame."""
    if "subtransaction_id" not in edited:
        return {}
    parts = edited[edited["subtransaction_id"].notna().to_numpy(bool)]
    return dict(zip(parts["subtransaction_id"], parts["transaction_id"], strict=True))


def _require_agreement(groups: Mapping[str, _Group], edited: pd.DataFrame) -> None:
    """Check that all rows of a split have the same date, account and state."""
    if "subtransaction_id" not in edited or not groups:
        return
    rows = edited.loc[edited["transaction_id"].isin(list(groups)).to_numpy(bool), "transaction_id"]
    counts = rows.value_counts()
    for key, group in groups.items():
        for name, count in group.of_parent.items():
            if count != counts.get(key, count):
                raise refused(
                    f"transaction {key!r}: {name} was changed in {count} of its"
                    f" {counts[key]} rows: a split has one {name}, so change it in all of them"
                )

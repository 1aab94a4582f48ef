"""Comparison of edited, new and deleted transactions or schedules with the current rows."""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from budgetframe._changes.collector import BaseRows, Collector, changed_since, differences
from budgetframe._changes.plan import KEYS, Change, Resource, creation_of, deletion_of
from budgetframe._changes.refusals import check, check_sides, split_without_parts
from budgetframe._changes.state import FIXED_IN_SPLITS, Row, State, wire_row
from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import NAME_OF_SPLIT
from budgetframe._runtime.arguments import refused
from budgetframe._runtime.text import number_of
from budgetframe._session.written import parts_of
from budgetframe.frames.number_text import in_currency
from budgetframe.frames.request_bodies import BODIES, check_cells

from .edits import EditedRow
from .fields import OF_PART, fields_of, new_body
from .splits import FixedSplit, SplitRule, fixed_splits_error

NOUNS: Mapping[str, str] = {"transactions": "transaction", "scheduled_transactions": "schedule"}
"""What a message calls a row of a list."""


@dataclass(slots=True)
class _Group:
    """What the user changes in one row of the service."""

    fields: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    rows: list[str] = field(default_factory=list)  # the keys of the edited rows
    has_remainder: bool = False
    of_parent: Counter[str] = field(default_factory=Counter)


class Comparison:
    """The changes of transactions or schedules that edited, new and deleted rows mean."""

    def __init__(
        self,
        state: State,
        base_rows: BaseRows = lambda _: None,
        resource: Resource = "transactions",
        *,
        splits: SplitRule = "error",
        sends_all: bool = False,
    ) -> None:
        self._state = state
        self._names = state.names
        self._resource: Resource = resource
        self._noun = NOUNS[resource]
        self._splits: SplitRule = splits
        self._found = Collector(state, base_rows, resource, sends_all=sends_all)
        self.changes, self.conflicts = self._found.changes, self._found.conflicts
        self.fixed_splits: list[FixedSplit] = []  # the edited splits that are left out

    # Rows that exist

    def edit(self, rows: Iterable[EditedRow], edited: pd.DataFrame | None = None) -> None:
        """Add the changes of rows that exist, which are rows of the frame if it is given."""
        groups: dict[str, _Group] = {}
        parts = {} if edited is None else _parents_of_parts(edited)
        for row in rows:
            key = parts.get(row.key, row.key)
            group = groups.setdefault(key, _Group())
            self._add_to(group, row, is_part=row.key in parts)
        if parts and edited is not None:
            _require_agreement(groups, edited)
        for key, group in groups.items():
            self._change(key, group)
        if self.fixed_splits and self._splits != "skip":
            raise fixed_splits_error(
                self.fixed_splits,
                self._state,
                self._resource,
                changed_rows=sum(len(group.rows) for group in groups.values()),
            )

    def _add_to(self, group: _Group, row: EditedRow, *, is_part: bool) -> None:
        where = f"{'part' if is_part else self._noun} {row.key!r}"
        group.rows.append(row.key)
        if row.row.get("is_remainder") is True:
            group.has_remainder = True
            if self._splits == "skip":
                return
            raise refused(
                f'{where}: the remainder of a split is no row of the service. splits="skip" leaves'
                " the split out"
            )
        fields = fields_of(self._names, row.cells, row.row, where)
        own = {name: value for name, value in fields.items() if is_part and name in OF_PART}
        rest = {name: value for name, value in fields.items() if name not in own}
        _merge(group.fields, rest, f"{where}: two rows of one {self._noun}")
        group.of_parent.update(list(rest))
        if own:
            _merge(group.parts.setdefault(row.key, {}), own, f"{where}: two rows with this key")

    def _change(self, key: str, group: _Group) -> None:
        raw, where, fields = self._state.rows.get(key), f"{self._noun} {key!r}", group.fields
        current = {} if raw is None else wire_row(raw, self._resource)
        parts = {} if raw is None else self._part_differences(raw, group.parts)
        if raw is None:  # a conflict, which has the fields of the parts too
            fields = dict(ChainMap(*reversed(group.parts.values()), fields))
        after = differences(current, fields)
        fixed = [name for name in FIXED_IN_SPLITS[self._resource] if name in after]
        fixed += [name for part in parts.values() for name in part]
        fixed += ["remainder"] if group.has_remainder else []
        if fixed and (group.has_remainder or "subtransactions" in current):
            if self._splits != "replace" or self._resource != "transactions":
                is_of_parts = group.has_remainder or group.rows != [key]
                names = tuple(dict.fromkeys(fixed))
                self.fixed_splits.append(FixedSplit(key, group.rows, names, is_of_parts))
                return
            changes = self._replaced(key, after, parts)
            check(changes[-1], self._state, where)
            sides = self._state.sides(key)
            problem = changed_since(self._found.base_rows(key), current, fields)
            self._found.add(*changes, problem=problem or self._found.problem_of_deletion(*sides))
            return
        change = self._found.update(key, fields)
        if change is not None:
            check(change, self._state, where)

    def _part_differences(self, raw: Row, parts: Mapping[str, Row]) -> dict[str, dict[str, Any]]:
        values = wire_row(raw, self._resource).get("subtransactions", ())
        current = dict(zip((part["id"] for part in parts_of(raw)), values, strict=True))
        found = {}
        for key, fields in parts.items():
            if key not in current:
                raise refused(
                    f"part {key!r} is no longer a part of its split: read the frame again"
                )
            if different := differences(current[key], fields):
                found[key] = different
        return found

    def _replaced(self, key: str, after: Row, parts: Mapping[str, Row]) -> list[Change]:
        """The deletion of a split and its creation with other values."""
        raw = self._state.rows[key]
        body = {**wire_row(raw, "transactions"), **after}
        if "payee_name" in after:
            del body["payee_id"]  # of both, the service takes the key
        if after.get("category_id") is not None:
            del body["subtransactions"]
        elif "subtransactions" not in after:
            body["subtransactions"] = [
                self._changed_part(sent, parts.get(part["id"], {}))
                for part, sent in zip(parts_of(raw), body["subtransactions"], strict=True)
            ]
            total = sum(part["amount"] for part in body["subtransactions"])
            if "amount" in after and after["amount"] != total:
                raise refused(
                    f"transaction {key!r}: the amount of a split is the sum of its parts: change"
                    " the parts, in a frame of ledger() or subtransactions()"
                )
            body["amount"] = total
        return [
            deletion_of(self._state, "transactions", key),
            creation_of(self._names, "transactions", body, replaces=key),
        ]

    def _changed_part(self, part: Row, after: Row) -> dict[str, Any]:
        found = {**part, **after}
        if "payee_name" in after:
            del found["payee_id"]
        target = self._names.target(found.get("payee_id"))
        if target is not None and self._names.on_budget(target) and "category_id" not in after:
            found["category_id"] = None
        return found

    # New rows

    def create(self, rows: Iterable[Row]) -> None:
        """Add the creation of rows."""
        created = []
        for number, row in enumerate(rows):
            where = f"row {number}"
            check_cells(row, BODIES[f"create_{self._resource}"], where)
            body = self._new_body(row, where)
            created.append(creation_of(self._names, self._resource, body))
            check(created[-1], self._state, where)
        if self._resource == "transactions":
            check_sides(created, self._state)
        self.changes += created

    def _new_body(self, row: Row, where: str) -> dict[str, Any]:
        """The fields of a new row; a copied split has no category, and needs parts."""
        categories = self._names.categories.values()
        is_split = row.get("category_name") == NAME_OF_SPLIT and row.get("category_id") is None
        if not is_split or any(each["name"] == NAME_OF_SPLIT for each in categories):
            return new_body(self._names, self._resource, row, where)
        left = {name: value for name, value in row.items() if not name.startswith("category_")}
        body = new_body(self._names, self._resource, left, where)
        if not body.get("subtransactions"):
            amount = in_currency(body["amount"] / MILLIUNITS, self._state.currency, exact=True)
            cells = (body["date"], row.get("payee_name"), amount)
            raise split_without_parts(self._resource, where, cells)
        return body

    # Deletions

    def delete(self, keys: Iterable[str], kept: Mapping[str, Row]) -> None:
        """Add the deletion of rows, some of which have duplicates that are kept."""
        unknown = self._found.delete(keys, kept)
        if not unknown:
            return
        parts = {part["id"] for raw in self._state.rows.values() for part in parts_of(raw)}
        if unknown[0] in parts:
            raise refused(
                f"{unknown[0]!r} is the part of a split, which cannot be deleted alone: delete the"
                ' whole transaction, or change the amounts with splits="replace"'
            )
        is_transaction = self._noun == "transaction"
        advice = ". delete_scheduled_transactions() deletes schedules" if is_transaction else ""
        raise unknown_keys(unknown, KEYS[self._resource], advice=advice)


def _merge(known: dict[str, Any], fields: Row, rows: str) -> None:
    """Add fields of a row to those of others, which must have the same values."""
    for name, value in fields.items():
        if known.setdefault(name, value) != value:
            raise refused(f"{rows} have different values of {name}: {known[name]!r} and {value!r}")


def unknown_keys(keys: Sequence[str], name: str, *, advice: str = "") -> Exception:
    """The error for keys that the budget does not have."""
    found = number_of(len(keys), "row has", "rows have")
    return refused(f"{found} a {name} that the budget does not have (first: {keys[0]!r}){advice}")


def _parents_of_parts(edited: pd.DataFrame) -> dict[str, str]:
    """The transaction of each part of a split in the frame."""
    if "subtransaction_id" not in edited:
        return {}
    parts = edited[edited["subtransaction_id"].notna().to_numpy(bool)]
    return dict(zip(parts["subtransaction_id"], parts["transaction_id"], strict=True))


def _require_agreement(groups: Mapping[str, _Group], edited: pd.DataFrame) -> None:
    """Check that all rows of a split have the same date, account and state."""
    rows = edited.loc[edited["transaction_id"].isin(list(groups)).to_numpy(bool), "transaction_id"]
    counts = rows.value_counts()
    for key, group in groups.items():
        for name, count in group.of_parent.items():
            if count != counts.get(key, count):
                raise refused(
                    f"transaction {key!r}: {name} was changed in {count} of its"
                    f" {counts[key]} rows: a split has one {name}, so change it in all of them"
                )

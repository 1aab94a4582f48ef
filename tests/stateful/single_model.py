"""The content of a budget and the effects of single writes, in plain Python and in milliunits.

The content is read from the export of the service. The rules of the service that single writes meet
are stated here once more: the other sides of transfers, and the categories that these lose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

Row = dict[str, Any]
Place = tuple[str, str]
"""The list of a row, and its key."""
Content = dict[Place, Row]

_TABLES = ("payees", "groups", "accounts", "categories", "transactions", "scheduled_transactions")
_OF_ROW = ("amount", "account_id", "payee_id", "category_id", "memo", "flag_color")
_OF_TRANSACTION = ("date", *_OF_ROW, "cleared", "approved", "import_id")
_NAMED = {
    "accounts": ("accounts", ("name", "type", "on_budget", "closed", "transfer_payee_id")),
    "payees": ("payees", ("name", "transfer_account_id")),
    "groups": ("category_groups", ("name",)),
    "categories": (
        "categories",
        ("name", "category_group_id", "note", "goal_target", "goal_target_date"),
    ),
}
"""The lists of names in an export, and their fields here; an empty text is None."""
_NUMBERS = count()
_NEW = "new "
NOTHING: Row = {"budgeted": 0}
"""What is assigned in a month in which nothing is assigned."""


@dataclass(frozen=True)
class Change:
    """One row that a write creates (``new``), changes (``set``) or deletes (``gone``)."""

    action: str
    place: Place
    after: Row = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)
    """The values of `after` before; a list has several, each of which a list has shown."""


def new_place(table: str) -> Place:
    """A place for a row whose key only the service knows."""
    return table, f"{_NEW}{next(_NUMBERS)}"


def content_in(export: Row) -> Content:
    """The rows of an export; accounts have what is left of their balance without their rows."""
    found: Content = {}
    rows = export["transactions"]
    assert not any(row["deleted"] for row in rows), "an export without a cursor has no deleted rows"
    for row in rows:
        found["transactions", row["id"]] = {
            **{name: row[name] for name in _OF_TRANSACTION},
            "side": row["transfer_transaction_id"],
            "parts": [],
        }
    for part in export["subtransactions"]:
        parent = found["transactions", part["transaction_id"]]
        leg = {name: part[name] for name in ("amount", "payee_id", "category_id", "memo")}
        leg["side"] = part["transfer_transaction_id"]
        parent |= {"category_id": None, "parts": sorted([*parent["parts"], leg], key=_order)}
    for row in export["scheduled_transactions"]:
        found["scheduled_transactions", row["id"]] = {
            **{name: row[name] for name in (*_OF_ROW, "frequency")},
            "date": row["date_next"],
        }
    for table, (name, fields) in _NAMED.items():
        for row in export[name]:
            found[table, row["id"]] = {at: None if row[at] == "" else row[at] for at in fields}
    for row in export["categories"]:
        target = row["goal_target"] if row["goal_type"] else None
        found["categories", row["id"]]["goal_target"] = target
    for row in export["accounts"]:
        rest = row["balance"] - sum(e["amount"] for e in rows if e["account_id"] == row["id"])
        found["accounts", row["id"]]["rest"] = rest
    for month in export["months"]:
        found |= {
            ("months", f"{month['month']} {row['id']}"): {"budgeted": row["budgeted"]}
            for row in month["categories"]
            if row["budgeted"]
        }
    return found


def _order(leg: Row) -> str:
    return repr([value for name, value in leg.items() if name != "side"])


def legs(row: Row) -> list[Row]:
    """A row and its parts."""
    return [row, *row.get("parts", ())]


def with_sides(content: Content, place: Place) -> list[Place]:
    """The place of a row, and those of the other sides of its transfers."""
    sides = (leg.get("side") for leg in legs(content.get(place, {})))
    return [place, *((place[0], side) for side in sides if side is not None)]


def row_at(content: Content, place: Place) -> Row | None:
    """The row at a place; a month and category without a row has nothing assigned."""
    return content.get(place, NOTHING if place[0] == "months" else None)


def carried_out(content: Content, changes: Iterable[Change]) -> Content:
    """The content after changes; the values before that can be several are decided already."""
    after = deepcopy(content)
    for change in changes:
        place, row = change.place, after.get(change.place, dict(NOTHING))
        if change.action == "gone":
            for each in with_sides(after, place):
                after.pop(each, None)
            continue
        after[place] = row = (row if change.action == "set" else {}) | deepcopy(change.after)
        if change.action == "new" and place[0] == "transactions":
            after |= _other_sides(after, place, row)
        elif place[0] == "transactions" and row["side"]:
            copied = {"date": row["date"], "memo": row["memo"], "amount": -row["amount"]}
            after["transactions", row["side"]] |= copied
        if row == NOTHING:
            del after[place]
    return after


def _other_sides(content: Content, place: Place, row: Row) -> Content:
    """The other sides of the transfers of a new row, which refers to them then."""
    found: Content = {}
    own = content["accounts", row["account_id"]]
    for leg in legs(row):
        target = content.get(("payees", leg["payee_id"] or ""), {}).get("transfer_account_id")
        leg["side"] = None
        if target is not None:
            side = new_place("transactions")
            leg["side"] = side[1]
            found[side] = {
                **{name: row[name] for name in ("date", "cleared", "approved")},
                "memo": leg["memo"], "amount": -leg["amount"], "account_id": target,
                "payee_id": own["transfer_payee_id"], "category_id": None, "flag_color": None,
                "import_id": None, "side": place[1], "parts": [],
            }  # fmt: skip
        if not own["on_budget"] or (target and content["accounts", target]["on_budget"]):
            leg["category_id"] = None
    row["parts"].sort(key=_order)
    return found


def reversed_changes(
    content: Content, done: Iterable[Change], *, is_move: bool
) -> tuple[list[Change], int]:
    """The changes that undo others, and the number of conflicts: their rows have other values now.

    Both halves of a move are undone, or none.
    """
    found: list[Change] = []
    count_of_conflicts = 0
    for change in done:
        now = row_at(content, change.place)
        if change.action == "gone":
            again = {**change.before, "import_id": None}
            if change.place[0] != "transactions":
                del again["import_id"]
            found.append(Change("new", new_place(change.place[0]), again))
        elif change.action == "new" and not change.place[0].endswith("transactions"):
            continue  # an account, a payee, a group or a category stays
        elif now is None:
            count_of_conflicts += change.action == "set"
        elif any(now[name] != value for name, value in change.after.items()):
            count_of_conflicts += 1
        elif change.action == "new":
            found.append(Change("gone", change.place, before=now))
        else:
            before = {name: [value] for name, value in change.after.items()}
            found.append(Change("set", change.place, dict(change.before), before))
    if is_move and count_of_conflicts:
        return [], count_of_conflicts + len(found)
    return found, count_of_conflicts


def decided(change: Change, actual: Content) -> Change:
    """A change with one value where several are right: that of the service, if it is one of them.

    This is the change that undoes another one, whose former values came from several lists.
    """
    if change.action != "set":
        return change
    now = row_at(actual, change.place) or {}
    after = {
        name: (now.get(name) if now.get(name) in values else values[0])
        if isinstance(values, list)
        else values
        for name, values in change.after.items()
    }
    return replace(change, after=after)


def with_keys(expected: Content, actual: Content) -> tuple[Content, dict[str, str]]:
    """The expected content with the keys of the service, where a new row is like an expected one.

    The second result has the keys of the service by the ones that stood for them.
    """
    keys: dict[str, str] = {}
    new = {place[1] for place in expected.keys() ^ actual.keys()}
    for table in _TABLES:
        free = [place for place in actual.keys() - expected.keys() if place[0] == table]
        for place in [each for each in expected if each[0] == table and each[1].startswith(_NEW)]:
            wanted = _shape(expected, place, new)
            like = [each for each in free if _shape(actual, each, new) == wanted]
            if place[1] in keys or not like:
                continue  # it is the other side of an earlier row, or does not exist
            pairs = zip(with_sides(expected, place), with_sides(actual, like[0]), strict=True)
            keys |= {mine[1]: other[1] for mine, other in pairs}
            free = [each for each in free if each[1] not in keys.values()]
        expected = {
            (name, keys.get(key, key)): renamed(row, keys) for (name, key), row in expected.items()
        }
    return expected, keys


def _shape(content: Content, place: Place, new: set[str]) -> list[Row]:
    """A row and the other sides of its transfers, without the keys of new rows."""
    keys = dict.fromkeys(new, "new")
    return [renamed(content.get(each, {}), keys) for each in with_sides(content, place)]


def renamed(row: Row, keys: Mapping[str, str]) -> Row:
    """A row with other keys in it."""
    found = {
        name: keys.get(value, value) if isinstance(value, str) else value
        for name, value in row.items()
    }
    if row.get("parts"):
        found["parts"] = sorted((renamed(part, keys) for part in row["parts"]), key=_order)
    return found


def differences(expected: Content, actual: Content) -> list[str]:
    """The rows that differ, as texts."""
    return [
        f"{place} is {actual.get(place)}, expected {expected.get(place)}"
        for place in {**expected, **actual}
        if expected.get(place) != actual.get(place)
    ]

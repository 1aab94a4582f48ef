"""The effects of single writes on the content of a budget, in plain Python and in milliunits.

The rules of the service that single writes meet are stated here once more: the other sides of
transfers, and the categories that these lose.
"""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from .content import Content, Place, Row, in_order

_TABLES = ("payees", "groups", "accounts", "categories", "transactions", "scheduled_transactions")
_NUMBERS = count()
_NEW = "new "
_NOTHING: Row = {"budgeted": 0}


@dataclass(frozen=True)
class Change:
    """One row that a write creates (``new``), changes (``set``) or deletes (``gone``)."""

    action: str
    place: Place
    after: Row = field(default_factory=dict)
    before: Row = field(default_factory=dict)


def new_place(table: str) -> Place:
    """A place for a row whose key only the service knows."""
    return table, f"{_NEW}{next(_NUMBERS)}"


def legs(row: Row) -> list[Row]:
    """A row and its parts."""
    return [row, *row.get("subtransactions", ())]


def with_sides(content: Content, place: Place) -> list[Place]:
    """The place of a row, and those of the other sides of its transfers."""
    sides = content.get(place, {}).get("sides", ())
    return [place, *((place[0], side) for side in sides if side is not None)]


def row_at(content: Content, place: Place) -> Row | None:
    """The row at a place; a month and category without a row has nothing assigned."""
    return content.get(place, _NOTHING if place[0] == "month_categories" else None)


def transfer_target(content: Content, leg: Row) -> str | None:
    """The account at the other side of a transfer."""
    payee = content.get(("payees", leg.get("payee_id") or ""), {})
    target: str | None = payee.get("transfer_account_id")
    return target


def carried_out(content: Content, changes: Iterable[Change]) -> Content:
    """The content after changes."""
    after = deepcopy(content)
    for change in changes:
        place = change.place
        if change.action == "gone":
            for each in with_sides(after, place):
                after.pop(each, None)
            continue
        old = row_at(after, place) if change.action == "set" else None
        after[place] = row = (old or {}) | deepcopy(change.after)
        if change.action == "new" and place[0] == "transactions":
            after |= _other_sides(after, place, row)
        elif place[0] == "transactions" and row["sides"][0]:
            copied = {"date": row["date"], "memo": row["memo"], "amount": -row["amount"]}
            after["transactions", row["sides"][0]] |= copied
        if row == _NOTHING:
            del after[place]
    return after


def _other_sides(content: Content, place: Place, row: Row) -> Content:
    """The other sides of the transfers of a new row, which refers to them then."""
    found: Content = {}
    own, row["sides"] = content["accounts", row["account_id"]], []
    for leg in legs(row):
        target, side = transfer_target(content, leg), new_place("transactions")
        row["sides"].append(side[1] if target else None)
        if target:
            found[side] = {
                **{name: row[name] for name in ("date", "cleared", "approved")},
                "memo": leg["memo"], "amount": -leg["amount"], "account_id": target,
                "payee_id": own["transfer_payee_id"], "category_id": None, "flag_color": None,
                "import_id": None, "sides": [place[1]], "subtransactions": [],
            }  # fmt: skip
        if not own["on_budget"] or (target and content["accounts", target]["on_budget"]):
            leg["category_id"] = None
    row["subtransactions"] = in_order(row["subtransactions"])
    return found


def reversed_changes(
    content: Content, done: Iterable[Change], *, is_move: bool
) -> tuple[list[Change], int]:
    """The changes that undo others, and the number of conflicts: their rows have other values now.

    Both halves of a move are undone, or none.
    """
    found: list[Change] = []
    conflicts = 0
    for change in done:
        now = row_at(content, change.place)
        if change.action == "gone":
            again = change.before | ({"import_id": None} if "import_id" in change.before else {})
            found.append(Change("new", new_place(change.place[0]), again))
        elif change.action == "new" and not change.place[0].endswith("transactions"):
            continue  # an account, a payee, a group or a category stays
        elif now is None:
            conflicts += change.action == "set"
        elif any(now[name] != value for name, value in change.after.items()):
            conflicts += 1
        elif change.action == "new":
            found.append(Change("gone", change.place, before=now))
        else:
            found.append(Change("set", change.place, change.before, change.after))
    if is_move and conflicts:
        return [], conflicts + len(found)
    return found, conflicts


def with_keys(expected: Content, actual: Content) -> tuple[Content, dict[str, str]]:
    """The expected content with the keys of the service, where a new row is like an expected one.

    The second result has the keys of the service by the ones that stood for them.
    """
    keys: dict[str, str] = {}
    new = dict.fromkeys((place[1] for place in expected.keys() ^ actual.keys()), "new")
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


def _shape(content: Content, place: Place, new: Mapping[str, str]) -> list[Row]:
    """A row and the other sides of its transfers, without the keys of new rows."""
    return [renamed(content.get(each, {}), new) for each in with_sides(content, place)]


def renamed(value: Any, keys: Mapping[str, str]) -> Any:
    """A row, or a value in it, with other keys."""
    if isinstance(value, dict):
        found = {name: renamed(each, keys) for name, each in value.items()}
        parts = found.get("subtransactions")
        return found | {"subtransactions": in_order(parts)} if parts else found
    if isinstance(value, list):
        return [renamed(each, keys) for each in value]
    return keys.get(value, value) if isinstance(value, str) else value

"""Comparison of what was sent with what the service has made of it, field by field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from budgetframe._milliunits import MILLIUNITS, to_milliunits
from budgetframe._resources import is_deleted
from budgetframe.frames.number_text import Currency, in_currency

Row = Mapping[str, Any]
Field = tuple[str, Any, Any]  # the name of a field, what was sent and what the service has

AMOUNTS = frozenset({"amount", "balance", "budgeted", "goal_target"})
"""The fields of bodies with amounts, which are in milliunits."""
_TEXTS = frozenset({"memo", "name", "note"})  # fields of bodies with texts, which the service trims
_OTHER_NAMES = {"date": "date_next", "goal_target_date": "goal_target_month"}
"""The fields in which some rows have what other rows have under the first name."""


def wire_value(name: str, value: Any) -> Any:
    """A field of an answer as it is sent: amounts in milliunits, and no flag is None."""
    if name in AMOUNTS and isinstance(value, int | float):
        return to_milliunits(value)
    return None if value == "" and name == "flag_color" else value


DAMAGE = "(damage)"  # the field that `usable` adds to damaged rows, and to the wholes of such parts


def usable(value: Any, found: Iterable[Warning]) -> Any:
    """A list or a row of an answer with None in place of values that cannot be used."""
    more = defaultdict[int, dict[str, Any]](dict)
    for warning in found:
        for row, parent, field, problem in getattr(warning, "values", ()):
            more[id(row)] |= {field or DAMAGE: None, DAMAGE: problem}
            more[id(parent)][DAMAGE] = problem

    def copy(value: Any) -> Any:
        if isinstance(value, list):
            return list(map(copy, value))
        if not isinstance(value, dict):
            return value
        return {name: copy(each) for name, each in value.items()} | more[id(value)]

    return copy(value)


def parts_of(row: Row) -> list[Row]:
    """The parts of a split; an empty list for another row."""
    return [part for part in row.get("subtransactions") or () if not is_deleted(part)]


def differences_of(
    sent: Row, row: Row, payee_name: Callable[[Row], str | None], *, is_wire: bool = False
) -> list[Field]:
    """The fields of a body that a row of the service does not have."""
    # A field that no answer states is not compared. With `is_wire`, its amounts are in milliunits.
    found: list[Field] = []
    for name, value in sent.items():
        now: Any
        if name == "payee_id" and value is None and sent.get("payee_name") is not None:
            continue  # then the name decides
        if name == "payee_name":
            now = payee_name(row)
            is_same = sent.get("payee_id") is not None or _plain(now) == _plain(value)
        elif name == "subtransactions":
            now = parts_of(row)
            is_same = _are_same_parts(value or (), now, payee_name, is_wire=is_wire)
        else:
            key = next((each for each in _keys(name) if row.get(each) is not None), name)
            now = row.get(key) if is_wire else wire_value(name, row.get(key))
            is_known = name != "id" and is_stated(name, row)
            is_same = not is_known or _normal(name, now) == _normal(name, value)
        if not is_same:
            found.append((name, value, now))
    return found


def is_stated(name: str, row: Row) -> bool:
    """Whether a row states a field of a body."""
    keys = ("payee_name", "payee_id") if name == "payee_name" else _keys(name)
    return not row.keys().isdisjoint(keys)


def _keys(name: str) -> list[str]:
    return [name, *([_OTHER_NAMES[name]] if name in _OTHER_NAMES else [])]


def _normal(name: str, value: Any) -> Any:
    """A value without what the service changes by itself."""
    if name in _TEXTS:
        return str(value or "").strip()
    if name == "goal_target":  # the service states 0 for a category without a target
        return value or 0
    return wire_value(name, value) if name == "flag_color" else value


def _plain(name: Any) -> str:
    """The name of a payee without surplus blanks and without capitals."""
    return " ".join(str(name or "").split()).casefold()


def _are_same_parts(
    parts: Iterable[Row],
    rows: Iterable[Row],
    payee_name: Callable[[Row], str | None],
    *,
    is_wire: bool,
) -> bool:
    left = list(rows)
    for part in parts:
        body = {name: part.get(name) for name in ("payee_id", "category_id", "memo")} | {**part}
        if "payee_name" in part:
            del body["payee_id"]
        same = (row for row in left if not differences_of(body, row, payee_name, is_wire=is_wire))
        found = next(same, None)
        if found is None:
            return False
        left.remove(found)
    return not left


def unapplied_fields(
    differences: Iterable[Field], names: Mapping[str, str], currency: Currency
) -> str:
    """What was sent and what the service has, for each of these fields; `names` are by key."""
    texts = [
        f"{_label(name)}: {_shown(name, sent, names, currency)} was sent, and the service has"
        f" {_shown(name, now, names, currency)}"
        for name, sent, now in differences
    ]
    return "; ".join(texts)


def changed_fields(before: Row, after: Row, names: Mapping[str, str], currency: Currency) -> str:
    """The former and the new value of each field of an update."""
    former = {**before, "payee_name": before.get("payee_id")}
    return "; ".join(
        f"{_label(name)} from {_shown(name, former.get(name), names, currency)}"
        f" to {_shown(name, value, names, currency)}"
        for name, value in after.items()
    )


def _label(name: str) -> str:
    is_key = name.endswith("_id") and name != "import_id"
    return f"{name.removesuffix('_id')}_name" if is_key else name


def _shown(name: str, value: Any, names: Mapping[str, str], currency: Currency) -> str:
    if name == "subtransactions":
        return f"a split with {len(value)} parts" if value else "no split"
    if value is None:
        return "nothing"
    if name in AMOUNTS and isinstance(value, int | float):
        return in_currency(value / MILLIUNITS, currency, exact=True)
    return repr(names.get(value, value)) if isinstance(value, str) else str(value)


def names_in(row: Row) -> dict[str, str]:
    """The names that a row and its parts state for their keys."""
    entities = ("account", "payee", "category", "category_group")
    rows = (row, *parts_of(row))
    found = {
        each.get(f"{entity}_id"): each.get(f"{entity}_name") for each in rows for entity in entities
    }
    return {key: name for key, name in found.items() if key is not None and name is not None}

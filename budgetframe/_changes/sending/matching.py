"""What the service has made of changes: which rows a sent change has changed or created."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import Any

from budgetframe._changes.plan import Change, is_fixed, known_fields
from budgetframe._changes.state import FIELDS, Names, State, wire_row
from budgetframe._resources import UNCATEGORIZED
from budgetframe._session.written import differences_of, is_stated, names_in

ID_IN_USE = (
    "the import id is already in use, by a row or by a deleted one: the service created nothing;"
    " import_rows() of the same file says in .skipped which rows were deleted"
)
MERGED = (
    "the service has merged it with a row of the same amount that had no import id: it created"
    " nothing"
)

CATEGORY_DELETED = "its category was deleted"
CHANGED_SINCE = "changed since the comparison"
DELETED_SINCE = "deleted since the comparison"
_NO_ROW = "the category or the month does not exist any more"
COUNTERPART_IS_CONFLICT = "the other half of the move is a conflict"
ONLY_COUNTERPART = (
    "Only the other half of the move was made: the money is {} Ready to Assign, and"
    " .undo().apply() restores it"
)

_DEFAULTS = {"cleared": "uncleared", "approved": False, "frequency": "never"}
"""The values that the service gives to fields that a new row lacks."""
_MORE_FIELDS = ("payee_id", "category_id", "memo", "subtransactions")


_MAY_EXIST = (
    "it may exist already, edited elsewhere: compare it with the row {}, which has appeared with"
    " the same account, date and amount (or name), and if that is another one, create it again"
)

DONE = "done"  # the answer of `problem_of` for a change that was made


def problem_of(change: Change, state: State) -> str:
    """`DONE` if a change was made, an empty text if it was not, or why it is a conflict."""
    raw = state.rows.get(change.place)
    if problem := state.problem_of([change.place, *state.sides(change.key or "")]):
        return problem
    if raw is None:
        if change.resource == "month_categories":
            if state.names.categories and change.key not in state.names.categories:
                return CATEGORY_DELETED
            # The names may be older than the rows, and then list a deleted category.
            return "" if change.before["budgeted"] == 0 else _NO_ROW
        return DONE if change.action == "delete" else DELETED_SINCE
    row, names = wire_row(raw, change.resource), state.names
    if change.action == "update" and has_values(row, change.after, names):
        return DONE
    applied = [name for name in change.after if has_values(row, {name: change.after[name]}, names)]
    as_sent = known_fields(applied)
    others = {name: value for name, value in change.before.items() if name not in as_sent}
    changed = [name for name, value in others.items() if row.get(name) != value]
    if not changed and is_fixed(change, row):
        changed = ["subtransactions"]
    return f"{CHANGED_SINCE}: {', '.join(changed)}" if changed else ""


def changed_row(change: Change, older: State, state: State) -> str:
    """Why the row of a change is a conflict, although the fields of the change are as before."""
    before, now = older.rows.get(change.place), state.rows.get(change.place)
    if before is None or now is None:
        return ""
    rows = wire_row(before, change.resource), wire_row(now, change.resource)
    fields = (*FIELDS[change.resource], "subtransactions")
    names = [name for name in fields if rows[0].get(name) != rows[1].get(name)]
    return f"{CHANGED_SINCE}: {', '.join(names)}" if names else ""


def has_values(row: Mapping[str, Any], after: Mapping[str, Any], names: Names) -> bool:
    """Whether a row, as `wire_row` returns it, has the values of a body."""
    return not differences_of(
        after, row, lambda each: names.name("payee", each.get("payee_id")), is_wire=True
    )


def complete(body: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any]:
    """A body with the values that the service gives to the fields it lacks."""
    found = {name: _DEFAULTS.get(name) for name in (*fields, *_MORE_FIELDS)}
    if "payee_name" in body:
        del found["payee_id"]
    return {**found, **body}


_OF_LIKENESS: Mapping[str, Sequence[str]] = {
    "transactions": ("account_id", "date", "amount"),
    "scheduled_transactions": ("account_id", "date", "amount"),
    "categories": ("name", "category_group_id"),
}


def likeness(body: Mapping[str, Any], resource: str) -> tuple[Any, ...]:
    """The resource, and account, date and amount or the name: rows equal in these may be one."""
    return resource, *(body.get(name) for name in _OF_LIKENESS.get(resource, ("name",)))


def likeness_of_row(raw: Mapping[str, Any], resource: str) -> tuple[Any, ...]:
    """The `likeness` of a row of the service; empty for a row of another resource."""
    is_of_resource = _OF_LIKENESS.get(resource, ("name",))[0] in raw
    return likeness(wire_row(raw, resource), resource) if is_of_resource else ()


def may_be(found: tuple[Any, ...], wanted: Collection[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The likenesses that a row may have: what cannot be used in it may have any value."""
    if None not in found:
        return [found] if found in wanted else []
    known = [at for at, value in enumerate(found) if value is not None]
    return [each for each in wanted if all(each[at] == found[at] for at in known)]


def is_like(change: Change, raw: Mapping[str, Any]) -> bool:
    """Whether a row has the `likeness` of a creation."""
    return likeness(change.after, change.resource) == likeness_of_row(raw, change.resource)


def has_id_of(change: Change, raw: Mapping[str, Any]) -> bool:
    """Whether a row has the account and the import id of a creation that has one."""
    sent = {name: change.after.get(name) for name in ("account_id", "import_id")}
    return "import_id" in change.after and all(raw.get(name) == sent[name] for name in sent)


def is_merged(raw: Mapping[str, Any]) -> bool:
    """Whether the service has merged an imported row with this one."""
    return raw.get("matched_transaction_id") is not None


def is_renamed(change: Change, raw: Mapping[str, Any]) -> bool:
    """Whether a rule of the service has renamed the payee of an imported row."""
    names = change.after.get("payee_name"), raw.get("payee_name")
    return change.after.get("import_id") is not None and None not in names and names[0] != names[1]


def is_created(change: Change, raw: Mapping[str, Any], names: Names | None = None) -> bool:
    """Whether a row has all fields of a creation, and the service's values in the other fields."""
    # A rule of the service may have renamed its payee, and the balance of an account is the sum of
    # transactions that anyone may add. `names` has the payees, if a row may lack their names.
    if not is_like(change, raw):
        return False
    stated = names_in(raw)

    def payee_name(row: Mapping[str, Any]) -> str | None:
        key = row.get("payee_id")
        return stated.get(key or "") or (names.name("payee", key) if names else None)

    body = complete(change.after, FIELDS[change.resource])
    if is_renamed(change, raw):
        del body["payee_name"]
    if body["category_id"] is None and raw.get("category_name") == UNCATEGORIZED:
        del body["category_id"]
    different = differences_of(body, wire_row(raw, change.resource), payee_name, is_wire=True)
    return not any(name != "balance" and is_stated(name, raw) for name, _, _ in different)


def created_rows_in(
    state: State, changes: Mapping[int, Change], twins: Container[str], taken: set[str]
) -> dict[int, tuple[str | None, str]]:
    """The keys of the rows that sent creations made, or why that is not certain, by position."""
    # An import id decides, then all fields. Only a row that no creation has made may be one of them
    # that was edited elsewhere. The keys that are found are added to `taken`.
    if not changes:
        return {}
    found: dict[int, tuple[str | None, str]] = {}
    kinds = {at: likeness(each.after, each.resource) for at, each in changes.items()}
    alike: dict[Any, list[str]] = {kind: [] for kind in kinds.values()}
    for resource in {change.resource for change in changes.values()}:
        for key, raw in state.rows.items():
            if key not in twins and key not in taken:
                for kind in may_be(likeness_of_row(raw, resource), alike):
                    alike[kind].append(key)
    for at in sorted(changes, key=lambda at: changes[at].after.get("import_id") is None):
        key, problem = _row_made_by(changes[at], state, alike[kinds[at]], twins, taken)
        if key is not None or problem:
            found[at] = key, problem
            taken |= set() if key is None else {key}
    for at, kind in kinds.items():
        left = [key for key in alike[kind] if key not in taken]
        found.setdefault(at, (None, _MAY_EXIST.format(left[-1]) if left else ""))
    return found


def _row_made_by(
    change: Change, state: State, alike: Iterable[str], twins: Container[str], taken: Container[str]
) -> tuple[str | None, str]:
    """The key of the row with the import id or all fields of a creation, or why it made none."""
    if change.after.get("import_id") is None:
        free = (key for key in alike if key not in taken)
        rows = (key for key in free if is_created(change, state.rows[key], state.names))
        return next(rows, None), ""
    key = next((key for key, raw in state.rows.items() if has_id_of(change, raw)), None)
    if key is None:
        return None, ""
    if key in taken:
        return None, ID_IN_USE
    return (None, MERGED) if key in twins or is_merged(state.rows[key]) else (key, "")

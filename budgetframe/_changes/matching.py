"""What the service has made of changes: which rows a sent change has changed or created."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from budgetframe._session.written import differences_of

from .plan import Change, is_fixed, known_fields
from .state import FIELDS, Names, State, wire_row

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
HALF_OF_MOVE = "the other half of the move is a conflict"
HALF_WAS_MADE = (
    "Only the other half of the move was made: the money is {} Ready to Assign, and undo() restores"
    " it"
)

_DEFAULTS = {"cleared": "uncleared", "approved": False, "frequency": "never"}
"""The values that the service gives to fields that a new row lacks."""


DONE = "done"
"""The answer of `problem_of` for a change that was made."""


def problem_of(change: Change, state: State) -> str:
    """`DONE` if a change was made, an empty text if it was not, or why it is a conflict."""
    raw = state.rows.get(change.place)
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
    changed = [
        name
        for name, value in change.before.items()
        if row.get(name) != value and name not in as_sent
    ]
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
    found = {name: _DEFAULTS.get(name) for name in (*fields, "payee_id", "category_id", "memo")}
    if "payee_name" in body:
        del found["payee_id"]
    return {**found, **body}


def likeness(body: Mapping[str, Any], resource: str) -> tuple[Any, ...]:
    """The resource, the account, the date and the amount of a body: equal ones may be one row."""
    return resource, body.get("account_id"), body.get("date"), body.get("amount")


def likeness_of_row(raw: Mapping[str, Any], resource: str) -> tuple[Any, ...]:
    """The `likeness` of a row of the service; empty for a row without an account."""
    return likeness(wire_row(raw, resource), resource) if "account_id" in raw else ()


def is_like(change: Change, raw: Mapping[str, Any]) -> bool:
    """Whether a row has the account, the date and the amount of a creation."""
    return likeness(change.after, change.resource) == likeness_of_row(raw, change.resource)


def has_id_of(change: Change, raw: Mapping[str, Any]) -> bool:
    """Whether a row has the account and the import id of a creation."""
    return all(raw.get(name) == change.after.get(name) for name in ("account_id", "import_id"))


def is_merged(raw: Mapping[str, Any]) -> bool:
    """Whether the service has merged an imported row with this one."""
    return raw.get("matched_transaction_id") is not None


def is_renamed(change: Change, raw: Mapping[str, Any]) -> bool:
    """Whether a rule of the service has renamed the payee of an imported row."""
    names = change.after.get("payee_name"), raw.get("payee_name")
    return change.after.get("import_id") is not None and None not in names and names[0] != names[1]


def created_row(
    change: Change, state: State, twins: Container[str], taken: Container[str]
) -> tuple[str | None, str]:
    """The key of the row that a sent creation made, or why that is not certain."""
    import_id = change.after.get("import_id")
    if import_id is not None:
        for key, raw in state.rows.items():
            if has_id_of(change, raw) and key in taken:
                return None, ID_IN_USE
            if has_id_of(change, raw):
                return (None, MERGED) if key in twins or is_merged(raw) else (key, "")
    body = complete(change.after, FIELDS[change.resource])
    problem = ""
    for key, raw in state.rows.items():
        if key in twins or key in taken or "account_id" not in raw:
            continue
        if not is_like(change, raw):
            continue
        if import_id is None and has_values(wire_row(raw, change.resource), body, state.names):
            return key, ""
        problem = (
            "it may exist already, edited elsewhere: compare it with the row"
            f" {key}, which has appeared with the same account, date and amount, and if that is"
            " another one, create it with bf.changes()"
        )
    return None, problem

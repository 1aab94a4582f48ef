"""Completion of a plan: what the service changes in addition, and the warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.number_of import number_of
from budgetframe.frames.money import exact_amount

from .plan import Change, Plan, is_fixed
from .simulation import Simulation
from .state import AMOUNTS, FIELDS, Names, State, refused, wire_row

__all__ = [
    "UNDO",
    "amount_warnings",
    "described",
    "finished_plan",
    "five_years_before",
    "payee_warnings",
    "shown_of",
    "with_lost_category",
    "without_missing",
]

UNDO = ".undo().apply()"
"""What sends the reverse changes; `.undo()` alone prepares them."""
_FIVE_YEARS = 5
_SHOWN = 3
_DECIMALS = 3  # of an amount of the service


def described(
    names: Names, raw: Mapping[str, Any], action: Any, resource: Any, **values: Any
) -> Change:
    """A change with the names of its keys and what identifies its row for a person."""
    before, after = values.get("before", {}), values.get("after", {})
    row = {**(wire_row(raw, resource) if raw else {}), **(after if action == "create" else {})}
    if action == "create" and after.get("payee_name"):
        row["payee_id"] = after["payee_name"]
    shown = shown_of(names, {**row, "other_side": raw.get("transfer_transaction_id")})
    return Change(
        action=action, resource=resource, shown=shown, names=names.of(before, after), **values
    )


def shown_of(names: Names, row: Mapping[str, Any]) -> dict[str, Any]:
    """What identifies a row for a person."""
    shown = {
        "date": row.get("date"),
        "account_name": names.name("account", row.get("account_id")),
        "payee_name": names.name("payee", row.get("payee_id")),
        "category_name": row.get("name") or names.name("category", row.get("category_id")),
        "other_side": row.get("other_side"),
    }
    return {name: value for name, value in shown.items() if value is not None}


def finished_plan(
    state: State,
    changes: Sequence[Change],
    conflicts: Sequence[Change] = (),
    warnings: Sequence[str] = (),
) -> Plan:
    """The plan with everything that the service changes in addition, and with warnings.

    Parameters
    ----------
    state : State
        The current rows.
    changes, conflicts : sequence of Change
        The changes, and those that are not made.
    warnings : sequence of str
        Warnings that are known already.

    Raises
    ------
    ToolError
        If the two sides of a transfer contradict each other.
    """
    changes = _with_main_sides(changes, state)
    simulation = Simulation(state, Plan(changes).in_order())
    by_key = {change.key: change for change in changes if change.key is not None}
    created = {key: number for number, key in enumerate(simulation.created)}
    found: list[Change] = []
    for change in changes:
        cause = simulation.causes.get(change.key or "")
        if change.action == "update":
            found.append(_with_effects(change, simulation, state))
        else:  # the deletion of one side of a transfer deletes the other side
            is_caused = change.action == "delete" and cause is not None
            found.append(replace(change, cause=cause) if is_caused else change)
    for key in simulation.rows:
        if key not in created and key not in by_key:
            found += _caused(key, simulation, state)
    return Plan(found, conflicts, [*warnings, *_warnings(found, state)])


def _caused(key: str, simulation: Simulation, state: State) -> list[Change]:
    """What the service does to a row that no change names."""
    names, raw = state.names, state.rows.get(key)
    before, row = simulation.before(key), simulation.rows[key]
    cause = simulation.causes.get(key, "")
    if raw is None or before is None:
        body = {name: value for name, value in (row or {}).items() if name != "other_side"}
        change = described(
            names, {}, "create", "transactions", after=without_missing(body), cause=cause
        )
        return [change] if body else []
    if row is None:
        return [
            described(names, raw, "delete", "transactions", key=key, before=before, cause=cause)
        ]
    after = {name: row[name] for name in FIELDS["transactions"] if row[name] != before[name]}
    known = {name: before[name] for name in after}
    change = described(
        names, raw, "update", "transactions", key=key, before=known, after=after, cause=cause
    )
    return [change] if after else []


def _with_main_sides(changes: Sequence[Change], state: State) -> list[Change]:
    """The changes, with the deletion of the side of a transfer that can be restored completely.

    A part of a split can only be restored with its split, and a category only on its own side.
    """
    found: dict[Any, Change] = {}
    for number, given in enumerate(changes):
        change, key, main = given, given.key or "", None
        if change.action == "delete":
            other = state.rows[key].get("transfer_transaction_id") or ""
            main = state.other_sides_of_parts.get(key)
            if main is None and (state.rows.get(other) or {}).get("category_id") is not None:
                main = other
        if main is not None and main in state.rows:
            raw = state.rows[main]
            change = described(
                state.names,
                raw,
                "delete",
                "transactions",
                key=main,
                before=wire_row(raw, "transactions"),
            )
        found.setdefault((change.action, change.key) if change.key else number, change)
    return list(found.values())


def _with_effects(change: Change, simulation: Simulation, state: State) -> Change:
    """An update with the fields of its row that the service changes too."""
    row, before = simulation.rows.get(change.key or ""), simulation.before(change.key or "")
    if row is None or before is None:
        raise refused(
            f"transaction {change.key!r} is changed, but it is deleted with the other side of its"
            " transfer"
        )
    for name, value in change.after.items():
        if name not in ("payee_name", "subtransactions") and row.get(name) != value:
            raise refused(
                f"transaction {change.key!r}: the two sides of a transfer contradict each other:"
                f" {name} is {value!r} here, and would be {row.get(name)!r} because of the other"
                " side"
            )
    if "payee_name" in change.after:
        before = {**before, "payee_id": None}
    more = {
        name: row[name]
        for name in FIELDS["transactions"]
        if row[name] != before[name] and name not in change.after
    }
    if not more:
        return change
    after = {**change.after, **more}
    known = {name: before[name] for name in more}
    return replace(
        change,
        before={**change.before, **known},
        after=after,
        names={**change.names, **state.names.of(known, after)},
    )


def with_lost_category(change: Change, state: State) -> Change:
    """An update of a schedule, with the category that the service removes.

    A transfer between two budget accounts and a row of a tracking account have no category.
    """
    raw = state.rows.get(change.place)
    if raw is None or change.action != "update" or change.resource != "scheduled_transactions":
        return change
    category_id = raw.get("category_id")
    if (
        category_id is None
        or "category_id" in change.after
        or state.names.allows_category(*_place_of(change, state))
    ):
        return change
    before = {**change.before, "category_id": category_id}
    after = {**change.after, "category_id": None}
    names = {**change.names, **state.names.of(before)}
    return replace(change, before=before, after=after, names=names)


def _place_of(change: Change, state: State) -> tuple[str | None, str | None]:
    """The account of a row after the change, and the other account if it is a transfer."""
    raw = state.rows.get(change.place)
    row = {**(wire_row(raw, change.resource) if raw else {}), **change.after}
    payee_id = None if "payee_name" in change.after else row.get("payee_id")
    return row.get("account_id"), state.names.target(payee_id)


def refusal_of(change: Change, state: State) -> str:
    """Why the service would refuse a change; empty if it would not."""
    return next(_refusals(change, state), "")


def _refusals(change: Change, state: State) -> Iterator[str]:
    after, parts = change.after, change.after.get("subtransactions") or ()
    raw = state.rows.get(change.place)
    if raw is not None and is_fixed(change, wire_row(raw, change.resource)):
        yield "it is a split now, whose date, amount and category the service does not change"
    day = after.get("date")
    if change.resource == "scheduled_transactions":
        if parts:
            yield "the service creates no parts of schedules"
        if day and day <= state.today.isoformat():
            yield "its next date has passed"
    elif day and day < five_years_before(state.today):
        yield "the service accepts no date that is over five years ago"
    account, target = _place_of(change, state)
    if target is not None and target == account:
        yield "it would be a transfer to its own account"
    if after.get("category_id") is not None and not state.names.allows_category(account, target):
        yield "a transfer or a row of a tracking account has no category"
    if parts and not state.names.on_budget(after.get("account_id")):
        yield "a row of a tracking account cannot be a split"
    missing = filter(None, map(state.names.missing, (after, *parts)))
    yield from (f"its {entity} was deleted" for entity in missing)


def _warnings(changes: Sequence[Change], state: State) -> list[str]:
    """What the user should know before the changes are sent."""
    return [
        text
        for texts in (
            _of_state(changes, state),
            payee_warnings(changes),
            _of_transfers(changes),
            _of_undo(changes, state),
        )
        for text in texts
    ]


def _accounts_of(change: Change, state: State) -> list[Mapping[str, Any]]:
    """The accounts of a row before and after a change."""
    keys = (state.rows.get(change.key) or {}).get("account_id"), change.after.get("account_id")
    return [state.names.accounts.get(key or "", {}) for key in keys]


def _of_state(changes: Sequence[Change], state: State) -> Iterator[str]:
    existing = [change for change in changes if change.key in state.rows]
    reconciled = [c for c in existing if state.rows[c.key].get("cleared") == "reconciled"]
    if reconciled:
        rows = number_of(len(reconciled), "reconciled row is", "reconciled rows are")
        yield f"{rows} changed or deleted"
    closed = [c for c in changes if any(row.get("closed") for row in _accounts_of(c, state))]
    if closed:
        yield f"{number_of(len(closed), 'row is', 'rows are')} in closed accounts"
    approved = [c for c in existing if c.after.get("approved") is True]
    if approved:
        rows = number_of(len(approved), "unapproved row becomes", "unapproved rows become")
        yield f"{rows} approved"
    new = [c for c in changes if c.action == "create" and c.cause is None]
    unapproved = [c for c in new if not c.after.get("approved")]
    if unapproved:
        yield f"{number_of(len(unapproved), 'new row is', 'new rows are')} not approved"
    loans = [
        c for c in changes if any(row.get("debt_interest_rates") for row in _accounts_of(c, state))
    ]
    if loans:
        yield (
            f"{number_of(len(loans), 'row is', 'rows are')} in loan accounts: the effects do not"
            " include the interest that the service books"
        )


def payee_warnings(changes: Sequence[Change]) -> Iterator[str]:
    """The warning of payees that the service creates."""
    payees = dict.fromkeys(
        name
        for change in changes
        for row in (change.after, *(change.after.get("subtransactions") or ()))
        if (name := row.get("payee_name"))
    )
    if payees:
        shown = ", ".join(map(repr, list(payees)[:_SHOWN]))
        more = f" and {len(payees) - _SHOWN:,} more" if len(payees) > _SHOWN else ""
        noun = "payee" if len(payees) == 1 else "payees"
        yield f"creates the {noun} {shown}{more}; {UNDO} does not remove payees"


def amount_warnings(changes: Sequence[Change], decimals: int) -> Iterator[str]:
    """The warning of new amounts that have more decimals than the currency."""
    step = 10 ** (_DECIMALS - decimals)
    amounts = [
        row[name]
        for change in changes
        if change.cause is None
        for row in (change.after, *(change.after.get("subtransactions") or ()))
        for name in AMOUNTS & row.keys()
        if (row[name] or 0) % step
    ]
    if amounts:
        number = number_of(len(amounts), "amount has", "amounts have")
        first = exact_amount(amounts[0] / MILLIUNITS, decimals)
        yield f"{number} more decimals than the currency (first: {first})"


def _of_transfers(changes: Sequence[Change]) -> Iterator[str]:
    caused = Counter(change.action for change in changes if change.cause is not None)
    created = [change for change in changes if change.action == "create"]
    own = {_side(change) for change in created if change.cause is None}
    both = sum(change.cause is not None and _side(change) in own for change in created)
    if both:
        yield (
            f"the service also creates {number_of(both, 'new row')} as the other side of a new"
            " transfer: leave out one side, or the transfer is made twice"
        )
    deleted, updated = caused["delete"], caused["update"]
    if deleted:
        side = "side" if deleted == 1 else "sides"
        yield f"the other {side} of {number_of(deleted, 'transfer')} will be deleted too"
    if updated:
        side, verb = ("side", "changes") if updated == 1 else ("sides", "change")
        yield f"the other {side} of {number_of(updated, 'transfer')} {verb} too"


def _side(change: Change) -> tuple[Any, ...]:
    """What distinguishes a side of a new transfer."""
    return tuple(change.after.get(name) for name in ("account_id", "date", "amount", "payee_id"))


def _of_undo(changes: Sequence[Change], state: State) -> Iterator[str]:
    """What the reverse changes do, or cannot do."""
    deleted = [c for c in changes if c.action == "delete" and c.cause is None]
    old = [c for c in deleted if c.before.get("date", "9") < five_years_before(state.today)]
    deleted = [c for c in deleted if c not in old]
    if deleted:
        yield (
            f"{UNDO} restores {number_of(len(deleted), 'deleted row')} under another key and"
            " without import_payee_name and import_id"
        )
    split = [c for c in changes if c.action == "update" and "subtransactions" in c.after]
    if split:
        them = "it again as one row" if len(split) == 1 else "them again as one row each"
        yield (
            f"{UNDO} deletes {number_of(len(split), 'new split')} and creates {them}, because the"
            " service cannot remove parts"
        )
    imported = [c for c in changes if c.action == "create" and "import_id" in c.after]
    if imported:
        ids, them = ("import id", "it") if len(imported) == 1 else ("import ids", "them")
        yield (
            f"{UNDO} deletes {number_of(len(imported), 'imported row')}, but the service keeps the"
            f" {ids}: a second import leaves {them} out"
        )
    if old:
        yield (
            f"{UNDO} cannot restore {number_of(len(old), 'deleted row')}: the service creates no"
            " rows that are over five years old"
        )


def without_missing(body: Mapping[str, Any]) -> dict[str, Any]:
    """A body without its empty fields, also in the parts of a split."""
    found = {name: value for name, value in body.items() if value is not None}
    if "subtransactions" in found:
        found["subtransactions"] = [without_missing(part) for part in found["subtransactions"]]
    return found


def five_years_before(today: date) -> str:
    """The first day that the service accepts."""
    return f"{today.year - _FIVE_YEARS:04}{today.isoformat()[4:]}"

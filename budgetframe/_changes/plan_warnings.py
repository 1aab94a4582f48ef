"""The warnings of a plan: what the user should know before the changes are sent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import WRITABLE_FREQUENCIES
from budgetframe._runtime.arguments import refused
from budgetframe._runtime.text import number_of
from budgetframe._session.written import AMOUNTS
from budgetframe.frames.money import decimals_of
from budgetframe.frames.number_text import Currency, in_currency

from .bank_rows import MATCHING_DAYS
from .plan import Change, Plan, Resource
from .refusals import damage_of, with_lost_category
from .state import State, five_years_before, wire_row
from .transfers import END_OF_TRANSFER, completed

_UNDO = ".undo().apply()"  # what sends the reverse changes; `.undo()` alone prepares them
NOT_DELETED: Mapping[Resource, str] = {
    "accounts": "account", "category_groups": "category group", "categories": "category",
    "payees": "payee",
}  # fmt: skip
"""The resources of which the service deletes no rows: `undo` does not remove new ones."""
_LOST_FIELDS = ("debt_transaction_type", "matched_transaction_id")
"""The fields of a deleted row that no creation can set, besides those of its import."""
_WITHOUT_INTEREST = "the effects do not include the interest that the service books"
_SHOWN = 3  # names in a list
_DECIMALS = 3  # of an amount of the service


def finished_plan(
    state: State,
    changes: Sequence[Change],
    conflicts: Sequence[Change] = (),
    warnings: Iterable[str] = (),
) -> Plan:
    """The plan with the side effects of changes, and with further warnings."""
    # A change of a damaged row is an error, unless it is a conflict for this reason.
    for change in (*changes, *conflicts):
        problem = damage_of(change, state)
        if problem and problem != change.problem:
            raise refused(problem)
    booked = completed(changes, state)
    others = [with_lost_category(c, state) for c in changes if c.resource != "transactions"]
    conflicts = [with_lost_category(change, state) for change in conflicts]
    every = [*booked, *others]
    not_undone = [
        *_warn_of_lost_rows(booked, state), *_warn_of_lost_schedules(others),
        *_warn_of_kept_rows(others), *_warn_of_payees(every, state),
        *_warn_of_merged_rows(booked, state), *_warn_of_restored_rows(booked, state),
        *_warn_of_new_rows(booked), *_warn_of_ended_transfers(booked),
        *_warn_of_restored_schedules(others), *_warn_of_targets(others),
    ]  # fmt: skip

    def warnings_of(left: Sequence[Change], done: set[str | None]) -> list[str]:
        rows = (each for each in left if each.resource == "transactions")
        booked = [c for c in rows if c.cause is None or done.isdisjoint(state.sides(c.key or ""))]
        return [
            *warnings, *_warn_of_decimals(left, state.currency), *_warn_of_states(booked, state),
            *_warn_of_other_sides(booked), *_warn_of_deleted_parts(booked, state),
        ]  # fmt: skip

    return Plan(every, conflicts, warnings_of(every, set()), not_undone, warnings_of=warnings_of)


def _listed(names: Sequence[str]) -> str:
    """The first names of a list, and the number of the others."""
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _warn_of_decimals(changes: Sequence[Change], currency: Currency) -> Iterator[str]:
    """The warning of new amounts that have more decimals than the currency."""
    step = 10 ** (_DECIMALS - (_DECIMALS if currency is None else decimals_of(currency)))
    amounts = [
        row[name]
        for change in changes
        if not change.is_side_effect
        for row in change.written
        for name in AMOUNTS & row.keys()
        if (row[name] or 0) % step
    ]
    if amounts:
        number = number_of(len(amounts), "amount has", "amounts have")
        first = in_currency(amounts[0] / MILLIUNITS, currency, exact=True)
        yield f"{number} more decimals than the currency (first: {first})"


def _accounts_of(change: Change, state: State) -> list[Mapping[str, Any]]:
    """The accounts of a row before and after a change."""
    keys = (state.rows.get(change.key) or {}).get("account_id"), change.after.get("account_id")
    return [state.names.accounts.get(key or "", {}) for key in keys]


def _warn_of_states(changes: Sequence[Change], state: State) -> Iterator[str]:
    """Warnings of the states of rows and of their accounts."""
    existing = [change for change in changes if change.key in state.rows]
    new = [c for c in changes if c.action == "create" and not c.is_side_effect]
    accounts = [_accounts_of(change, state) for change in changes]
    reconciled = sum(state.rows[c.key].get("cleared") == "reconciled" for c in existing)
    closed = sum(any(account.get("closed") for account in each) for each in accounts)
    approved = sum(change.after.get("approved") is True for change in existing)
    unapproved = sum(not change.after.get("approved") for change in new)
    loans = sum(any(account.get("debt_interest_rates") for account in each) for each in accounts)
    for number, one, many, what in (
        (reconciled, "reconciled row is", "reconciled rows are", "changed or deleted"),
        (closed, "row is", "rows are", "in closed accounts"),
        (approved, "unapproved row becomes", "unapproved rows become", "approved"),
        (unapproved, "new row is", "new rows are", "not approved"),
        (loans, "row is", "rows are", f"in loan accounts: {_WITHOUT_INTEREST}"),
    ):
        if number:
            yield f"{number_of(number, one, many)} {what}"


def _warn_of_other_sides(changes: Sequence[Change]) -> Iterator[str]:
    """Warnings of changes that the service makes in the other sides of transfers."""
    caused = Counter(change.action for change in changes if change.is_side_effect)
    deleted, updated = caused["delete"], caused["update"]
    if deleted:
        side = "side" if deleted == 1 else "sides"
        yield f"the other {side} of {number_of(deleted, 'transfer')} will be deleted too"
    if updated:
        side, verb = ("side", "changes") if updated == 1 else ("sides", "change")
        yield f"the other {side} of {number_of(updated, 'transfer')} {verb} too"


def _warn_of_deleted_parts(changes: Sequence[Change], state: State) -> Iterator[str]:
    """The warning of categories of deleted parts that no row is written into after the deletion."""
    deleted = [change for change in changes if change.action == "delete"]
    parts = [part for change in deleted for part in change.before.get("subtransactions") or ()]
    again = [change for change in changes if change.replaces is not None]
    written = {row.get("category_id") for change in again for row in change.written}
    kept = dict.fromkeys(part.get("category_id") for part in parts)
    names = [str(state.names.name("category", key)) for key in kept if key not in {None, *written}]
    if names:
        yield (
            f"the service keeps the amounts of deleted parts in the activity of {_listed(names)}"
            f" until another transaction of the {'category' if len(names) == 1 else 'categories'}"
            " is written"
        )


# What `undo` cannot restore, or not in full


def _own_deletions(changes: Sequence[Change], state: State, *, are_old: bool) -> list[Change]:
    """The deletions that are no side effects, of rows that the service creates again or not."""
    oldest = five_years_before(state.today)
    return [
        change
        for change in changes
        if change.action == "delete"
        and not change.is_side_effect
        and (change.before.get("date", "9") < oldest) == are_old
    ]


def _warn_of_lost_rows(changes: Sequence[Change], state: State) -> Iterator[str]:
    old = _own_deletions(changes, state, are_old=True)
    if old:
        rule = "the service creates no rows that are over five years old"
        yield f"{_UNDO} cannot restore {number_of(len(old), 'deleted row')}: {rule}"


def _deleted_schedules(changes: Sequence[Change]) -> list[Change]:
    resource = "scheduled_transactions"
    return [c for c in changes if c.action == "delete" and c.resource == resource]


def _warn_of_lost_schedules(changes: Sequence[Change]) -> Iterator[str]:
    deleted = _deleted_schedules(changes)
    splits = sum("subtransactions" in change.before for change in deleted)
    if splits:
        schedules = number_of(splits, "split schedule")
        yield f"{_UNDO} cannot restore {schedules}: the service creates no parts of schedules"
    frequencies = [str(change.before["frequency"]) for change in deleted]
    lost = [frequency for frequency in frequencies if frequency not in WRITABLE_FREQUENCIES]
    if lost:
        yield (
            f"{_UNDO} cannot restore {number_of(len(lost), 'deleted schedule')} with the frequency"
            f" {', '.join(dict.fromkeys(lost))}: the service creates only schedules with"
            f" {', '.join(WRITABLE_FREQUENCIES)}"
        )


def _warn_of_kept_rows(changes: Iterable[Change]) -> Iterator[str]:
    """The warning of new rows that `undo` does not remove."""
    for resource, noun in NOT_DELETED.items():
        created = [c for c in changes if c.action == "create" and c.resource == resource]
        if created:
            shown = ", ".join(repr(change.after["name"]) for change in created)
            nouns = resource.replace("_", " ")
            yield f"creates the {noun} {shown}; {_UNDO} does not remove {nouns}"


def _warn_of_payees(changes: Sequence[Change], state: State) -> Iterator[str]:
    """The warning of payees that the service creates."""
    rows = (row for change in changes for row in change.written)
    names = (name for row in rows if (name := row.get("payee_name")))
    payees = dict.fromkeys(name for name in names if not state.names.has("payee", name))
    if payees:
        noun = "payee" if len(payees) == 1 else "payees"
        shown = _listed(list(map(repr, payees)))
        yield f"creates the {noun} {shown}; {_UNDO} does not remove payees"


def _warn_of_merged_rows(changes: Sequence[Change], state: State) -> Iterator[str]:
    """The warning of new rows that the service would merge with present ones."""
    new = [c.after for c in changes if c.action == "create" and c.after.get("import_id")]
    if not new:
        return
    present = defaultdict(list)
    for raw in state.rows.values():
        if raw.get("import_id") is None and raw.get("matched_transaction_id") is None:
            row = wire_row(raw, "transactions")
            if row["date"] is not None:
                present[row["account_id"], row["amount"]].append(date.fromisoformat(row["date"]))
    merged = [
        row
        for row in new
        for day in present[row["account_id"], row["amount"]]
        if abs(date.fromisoformat(row["date"]) - day).days <= MATCHING_DAYS
    ]
    if merged:
        rows = number_of(len(merged), "new row", "new rows")
        yield (
            f"the service merges {rows} with a row of the same amount that is up to"
            f" {MATCHING_DAYS} days apart and has no import_id; {_UNDO} does not separate them"
        )


def _warn_of_restored_rows(changes: Sequence[Change], state: State) -> Iterator[str]:
    """Warnings of what deleted rows lose if the reverse changes create them again."""
    deleted = _own_deletions(changes, state, are_old=False)
    if deleted:
        how = "under another key and without import_payee_name and import_id"
        yield f"{_UNDO} restores {number_of(len(deleted), 'deleted row')} {how}"
    for name in _LOST_FIELDS:
        lost = sum(state.rows[change.key].get(name) is not None for change in deleted)
        if lost:
            yield f"{_UNDO} does not restore the {name} of {number_of(lost, 'deleted row')}"
    taken = sum(state.rows[change.key].get("import_id") is not None for change in deleted)
    if taken:
        ids, them = ("import id", "this row") if taken == 1 else ("import ids", "these rows")
        effect = f"a later import leaves {them} out, also after {_UNDO}"
        yield f"the service keeps the {ids} of {number_of(taken, 'deleted row')}: {effect}"


def _warn_of_new_rows(changes: Sequence[Change]) -> Iterator[str]:
    """Warnings of new splits and imported rows, which the reverse changes delete."""
    splits = sum(c.action == "update" and "subtransactions" in c.after for c in changes)
    if splits:
        them = "it again as one row" if splits == 1 else "them again as one row each"
        reason = "because the service cannot remove parts"
        yield f"{_UNDO} deletes {number_of(splits, 'new split')} and creates {them}, {reason}"
    imported = sum(c.action == "create" and "import_id" in c.after for c in changes)
    if imported:
        ids, them = ("import id", "it") if imported == 1 else ("import ids", "them")
        kept = f"the service keeps the {ids}: a second import leaves {them} out"
        yield f"{_UNDO} deletes {number_of(imported, 'imported row')}, but {kept}"


def _warn_of_ended_transfers(changes: Sequence[Change]) -> Iterator[str]:
    ended = sum(change.cause == END_OF_TRANSFER for change in changes)
    if ended:
        yield (
            f"{_UNDO} creates {number_of(ended, 'other side')} of a transfer under another key,"
            " without its flag and with the state of the row"
        )


def _warn_of_restored_schedules(changes: Sequence[Change]) -> Iterator[str]:
    restored = sum(
        "subtransactions" not in change.before
        and change.before["frequency"] in WRITABLE_FREQUENCIES
        for change in _deleted_schedules(changes)
    )
    if restored:
        yield f"{_UNDO} restores {number_of(restored, 'deleted schedule')} under another key"


def _warn_of_targets(changes: Sequence[Change]) -> Iterator[str]:
    if any(
        c.after.get("goal_target", 0) is None
        or "goal_frequency" in c.after
        or (c.after.get("goal_target_date") and not c.before.get("goal_target_date"))
        for c in changes
        if c.action == "update"
    ):
        fields = "its type, its frequency, its goal_needs_whole_amount and its first month"
        yield f"{_UNDO} creates a removed or replaced target anew: {fields} may be others"

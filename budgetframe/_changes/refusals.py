"""Why the service would refuse a change, and what it removes from one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from .plan import Change, is_fixed
from .state import State, wire_row

__all__ = ["five_years_before", "refusal_of", "with_lost_category"]

_FIVE_YEARS = 5


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


def five_years_before(today: date) -> str:
    """The first day that the service accepts."""
    return f"{today.year - _FIVE_YEARS:04}{today.isoformat()[4:]}"

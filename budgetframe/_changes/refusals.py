"""The rules of the service for a row: why it would refuse a change, and what it removes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import WRITABLE_FREQUENCIES
from budgetframe._runtime.arguments import refused
from budgetframe._runtime.text import number_of, printable
from budgetframe.errors import ToolError
from budgetframe.frames.number_text import in_currency

from .plan import Change, is_fixed, with_fields
from .state import Names, Row, State, five_years_before, wire_row

_OF_SIDE = ("date", "amount", "account_id", "payee_id", "payee_name", "category_id")
_SHOWN = 10  # rows that a message names
_WAYS_TO_COPY: Mapping[str, str] = {
    "transactions": (
        "Give its parts too, for example from its rows of bf.ledger(): row.assign(subtransactions="
        '[parts[["amount", "category_name", "payee_name", "memo"]].to_dict("records")])'
    ),
    "scheduled_transactions": "The service cannot create a scheduled split",
}
OF_TRANSFER = frozenset({"account_id", "payee_id"})  # these make a row a transfer, or end one


def split_without_parts(resource: str, where: str, cells: Iterable[str | None]) -> ToolError:
    """The error for a new row that is a split without parts; cells identify it for a person."""
    shown = printable(", ".join(cell for cell in cells if cell))
    return refused(f"{where} ({shown}) is a split without parts. {_WAYS_TO_COPY[resource]}")


def check_sides(created: Sequence[Change], state: State) -> None:
    """Refuse new rows that are both sides of a transfer: the service creates the other sides."""
    names, pairs = state.names, list[tuple[Any, Any]]()
    single = defaultdict[Any, list[tuple[Any, ...]]](list)
    for position, change in enumerate(created):
        body = change.after
        for leg in body.get("subtransactions") or [body]:
            target = names.target(leg.get("payee_id"))
            if target is None:
                continue
            # Of two sides, the first one is left out that has no other parts and no category.
            loss = (leg is not body, leg.get("category_id") is not None, -position)
            side = (loss, position, body, leg)
            others = single[body["date"], target, body["account_id"], -leg["amount"]]
            if others:
                pairs.append((others.pop(0), side))
            else:
                single[body["date"], body["account_id"], target, leg["amount"]].append(side)
    if not pairs:
        return
    first, second = pairs[0]
    shown = [
        f"{names.name('account', body['account_id'])}"
        f" {in_currency(leg['amount'] / MILLIUNITS, state.currency, exact=True)}"
        for _, _, body, leg in pairs[0]
    ]
    more = f", and {number_of(len(pairs) - 1, 'more pair')}" if len(pairs) > 1 else ""
    left_out = sorted({min(pair, key=itemgetter(0))[1] for pair in pairs})
    numbers = ", ".join(map(str, left_out[:_SHOWN])) + (", ..." if len(left_out) > _SHOWN else "")
    raise refused(
        f"rows {first[1]} and {second[1]} are the two sides of one transfer"
        f" ({printable(', '.join((first[2]['date'], *shown)))}){more}: the service creates the"
        " other side itself, and the transfer would be made twice. Give one side only: leave out"
        f" {'row' if len(left_out) == 1 else 'rows'} {numbers}"
    )


def check(change: Change, state: State, where: str) -> None:
    """Refuse a change that breaks a rule."""
    for problem in _broken_rules(change, state):
        raise refused(f"{where}: {problem}")


def refusal_of(change: Change, state: State) -> str:
    """Why the service would refuse a change that was prepared earlier; empty if it would not."""
    if damage := damage_of(change, state):
        return damage
    entities = filter(None, map(state.names.missing, change.written))
    deleted = (f"its {entity} was deleted" for entity in entities)
    return next(chain(_broken_rules(change, state), deleted), "")


def damage_of(change: Change, state: State) -> str:
    """Why a change is not sent, because of values that cannot be used; empty if it is."""
    used = (row.get(f"{name}_id") for row in change.written for name in ("account", "payee"))
    return state.problem_of([change.place, *state.sides(change.key or ""), *used])


def with_lost_category(change: Change, state: State) -> Change:
    """An update of a schedule, without a category that its row cannot have, as the service does."""
    row = _row_after(change, state)
    if (
        change.action != "update"
        or change.resource != "scheduled_transactions"
        or change.key not in state.rows
        or row.get("category_id") is None
        or "category_id" in change.after
        or state.names.allows_category(row["account_id"], state.names.target(row["payee_id"]))
    ):
        return change
    return with_fields(change, state, {"category_id": None})


def _row_after(change: Change, state: State) -> dict[str, Any]:
    raw = state.rows.get(change.place)
    row = {**(wire_row(raw, change.resource) if raw else {}), **change.after}
    if "payee_name" in change.after:
        row["payee_id"] = None
    return row


def _broken_rules(change: Change, state: State) -> Iterator[str]:
    if change.resource == "categories":
        yield from _broken_rules_of_category(change, state)
    elif change.action != "delete" and change.resource != "month_categories":
        yield from _broken_rules_of_row(change, state)


def _broken_rules_of_category(change: Change, state: State) -> Iterator[str]:
    names, after, row = state.names, change.after, _row_after(change, state)
    if any(after.get(name, "") is None for name in ("name", "category_group_id")):
        yield "its name and its group cannot be empty"
    if names.is_internal(change.key):
        yield "it belongs to the service and cannot be changed"
    if names.is_payment(change.key) and {"name", "category_group_id"} & after.keys():
        yield "it is the payment category of a card: its name and group cannot be changed"
    if row.get("goal_target") is None and after.get("goal_target_date") is not None:
        yield "goal_target_date is the day of a target, but goal_target is empty"


def _broken_rules_of_row(change: Change, state: State) -> Iterator[str]:
    """The broken rules of transfers, tracking accounts, splits and days."""
    names, after, row = state.names, change.after, _row_after(change, state)
    raw = state.rows.get(change.place)
    if raw is not None and is_fixed(change, wire_row(raw, change.resource)):
        yield "it is a split, whose date, amount, category and parts the service does not change"
    split = state.other_sides_of_parts.get(change.key or "")
    if split is not None and any(name in after for name in _OF_SIDE):
        rule = "only the split determines its date, amount, account, payee and category"
        yield f"it is the other side of a part of the split {split!r}: {rule}"
    is_schedule = change.resource == "scheduled_transactions"
    if is_schedule:
        yield from _broken_rules_of_frequency(change, raw)
    if "subtransactions" in after and is_schedule:
        yield "the service creates no parts of schedules"
    if "date" in after:
        yield from _broken_rules_of_day(after["date"], state, is_schedule=is_schedule)
    elif is_schedule and row.get("date") is None:
        yield "it is completed: it can only be changed with a date_next"
    target, account = names.target(row.get("payee_id")), row.get("account_id")
    if OF_TRANSFER & after.keys() and target is not None and target == account:
        yield "it would be a transfer to its own account"
    is_other_split = {"subtransactions", "category_id", *OF_TRANSFER} & after.keys()
    if row.get("subtransactions") and is_other_split:
        yield from _broken_rules_of_split(names, row, target)
    if after.get("category_id") is not None:
        yield from _broken_rules_of_row_category(names, after, account, target)


def _broken_rules_of_frequency(change: Change, raw: Row | None) -> Iterator[str]:
    present = None if raw is None else raw.get("frequency")
    if present is not None and present not in WRITABLE_FREQUENCIES:
        rule = "the service changes no schedule with this frequency, but it can be deleted"
        yield f"its frequency is {present}: {rule}"
    elif change.after.get("frequency", "never") not in WRITABLE_FREQUENCIES:
        writable = ", ".join(WRITABLE_FREQUENCIES)
        yield f"its frequency is {change.after['frequency']}: the service accepts only {writable}"


def _broken_rules_of_day(day: str, state: State, *, is_schedule: bool) -> Iterator[str]:
    is_future = day > state.today.isoformat()
    if is_schedule and not is_future:
        yield f"date_next={day} is not in the future"
    elif not is_schedule and is_future:
        yield f"date={day} is in the future; create a scheduled transaction instead"
    elif day < five_years_before(state.today):
        yield f"date={day} is over five years old, which the service refuses"


def _broken_rules_of_split(names: Names, row: Row, target: str | None) -> Iterator[str]:
    account, parts = row.get("account_id"), row["subtransactions"]
    if sum(part["amount"] for part in parts) != row["amount"]:
        yield "the amounts of the parts do not add up to the amount"
    if row.get("category_id") is not None:
        yield "a split has no category; give each part a category"
    if target is not None:
        yield "a split cannot have the payee of a transfer"
    if not names.on_budget(account):
        yield "a row of a tracking account cannot be a split"
    for part in parts:
        if names.is_payment(part.get("category_id")):
            yield _payment_category(names, part)
        to = names.target(part.get("payee_id"))
        if to is not None and to == account:
            yield "a part would be a transfer to its own account"
        if to is not None and names.on_budget(to) and part.get("category_id") is not None:
            yield ("a part that is a transfer between two accounts of the budget has no category")


def _broken_rules_of_row_category(
    names: Names, after: Row, account: str | None, target: str | None
) -> Iterator[str]:
    if names.is_payment(after["category_id"]):
        yield _payment_category(names, after)
    if not names.on_budget(account):
        problem = "has no category; a transfer has it on the side of the budget account"
        yield f"a row of the tracking account {names.name('account', account)!r} {problem}"
    elif not names.allows_category(account, target):
        yield "a transfer between two accounts of the budget has no category"


def _payment_category(names: Names, row: Row) -> str:
    name = names.name("category", row["category_id"])
    advice = "a payment is a transfer to the account"
    return f"{name!r} is the category of the payments of a card, which no row can have; {advice}"

"""The fields of request bodies and their valid values."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Any

from budgetframe.sandbox.errors import bad_request
from budgetframe.sandbox.state.rows import Budget
from budgetframe.sandbox.state.schedule_dates import FREQUENCIES

from .responses import Json

Check = Callable[[Budget, str, Any], Any]
Fields = dict[str, Check]

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_LARGEST = 2**63
_WRITABLE_FREQUENCIES = frozenset({"never", "daily", "weekly", "monthly", "yearly"})
_FIVE_YEARS = 5


def parse_date(text: object, name: str) -> date:
    """Return the date of a text `YYYY-MM-DD`; other formats are errors."""
    if isinstance(text, str) and _DATE.fullmatch(text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            pass
    raise bad_request(f"{name} is not a valid date (YYYY-MM-DD)")


# -- checks of one field -----------------------------------------------------------------------


def integer(_budget: Budget, name: str, value: Any) -> int:
    """Accept a 64 bit integer."""
    if isinstance(value, bool) or not isinstance(value, int) or not -_LARGEST <= value < _LARGEST:
        raise bad_request(f"{name} must be an integer")
    return value


def boolean(_budget: Budget, name: str, value: Any) -> bool:
    """Accept true or false."""
    if not isinstance(value, bool):
        raise bad_request(f"{name} must be true or false")
    return value


def text(longest: int | None = None, *, required: bool = False) -> Check:
    """Accept text up to a length; required text must not be blank."""

    def check(_budget: Budget, name: str, value: Any) -> str:
        if not isinstance(value, str) or (required and not value.strip()):
            raise bad_request(f"{name} must be text")
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise bad_request(f"{name} is not valid text")
        if longest is not None and len(value) > longest:
            raise bad_request(f"{name} is too long (maximum is {longest} characters)")
        return value

    return check


def one_of(*values: str) -> Check:
    """Accept one of the given values."""

    def check(_budget: Budget, name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in values:
            raise bad_request(f"{name} must be one of {', '.join(values)}")
        return value

    return check


def nullable(check: Check) -> Check:
    """Accept null in addition."""

    def checked(budget: Budget, name: str, value: Any) -> Any:
        return None if value is None else check(budget, name, value)

    return checked


_COLOR = one_of("red", "orange", "yellow", "green", "blue", "purple")


def flag(budget: Budget, name: str, value: Any) -> str | None:
    """Accept the color of a flag; `""` and null mean that the row has no flag."""
    return None if value in (None, "") else _COLOR(budget, name, value)


def id_of(table: str, what: str) -> Check:
    """Accept the id of a row in a table of the budget that is not deleted."""

    def check(budget: Budget, name: str, value: Any) -> Any:
        if getattr(budget, table).find(value) is None:
            raise bad_request(f"{name} is not the id of {what}")
        return value

    return check


account = id_of("accounts", "an account")
payee = id_of("payees", "a payee")
category = id_of("categories", "a category")
_group = id_of("groups", "a category group")


def spending_category(budget: Budget, name: str, value: Any) -> str:
    """Accept the id of a category that is not the payment category of a card."""
    if budget.categories[category(budget, name, value)].payment_account_id is not None:
        raise bad_request(f"{name} must not be a Credit Card Payment category")
    return str(value)


def group(budget: Budget, name: str, value: Any) -> str:
    """Accept the id of a group that can contain new categories."""
    row = budget.groups[_group(budget, name, value)]
    if row.internal or row.id == budget.cards_group_id:
        raise bad_request(f"{name} must not be an internal category group")
    return row.id


def frequency(budget: Budget, name: str, value: Any) -> str:
    """Accept a frequency; the real service writes only five of them."""
    text = one_of(*FREQUENCIES)(budget, name, value)
    if not budget.is_lenient and text not in _WRITABLE_FREQUENCIES:
        raise bad_request(f"{text} is not a valid frequency")
    return str(text)


def _is_over_five_years(earlier: date, later: date) -> bool:
    """Whether there are more than five years between two dates."""
    last = (earlier.year + _FIVE_YEARS, earlier.month, earlier.day)
    return last < (later.year, later.month, later.day)


def past_date(budget: Budget, name: str, value: Any) -> date:
    """Accept a date that is not in the future and not over five years old."""
    when = parse_date(value, name)
    if when > budget.today:
        raise bad_request(f"{name} must not be in the future")
    if _is_over_five_years(when, budget.today):
        raise bad_request(f"{name} must not be over five years old")
    return when


def future_date(budget: Budget, name: str, value: Any) -> date:
    """Accept a future date within five years."""
    when = parse_date(value, name)
    if when <= budget.today:
        raise bad_request(f"{name} must be in the future")
    if _is_over_five_years(budget.today, when):
        raise bad_request(f"{name} must not be over five years in the future")
    return when


# -- fields of each body -----------------------------------------------------------------------

PART: Fields = {
    "amount": integer, "payee_id": nullable(payee), "payee_name": nullable(text(200)),
    "category_id": nullable(category), "memo": nullable(text(500)),
}  # fmt: skip

TRANSACTION: Fields = PART | {
    "account_id": account, "date": past_date,
    "cleared": one_of("cleared", "uncleared", "reconciled"), "approved": boolean,
    "flag_color": flag, "import_id": nullable(text(36)),
}  # fmt: skip

_FIXED_IN_SPLITS = {"date", "amount", "category_id"}

SPLIT: Fields = {name: check for name, check in TRANSACTION.items() if name not in _FIXED_IN_SPLITS}

SCHEDULED: Fields = PART | {
    "category_id": nullable(spending_category), "account_id": account, "date": future_date,
    "flag_color": flag, "frequency": frequency,
}  # fmt: skip

SCHEDULED_SPLIT: Fields = {
    name: check for name, check in SCHEDULED.items() if name not in {"amount", "category_id"}
}

ACCOUNT: Fields = {
    "name": text(required=True),
    "type": one_of("checking", "savings", "cash", "creditCard", "otherAsset", "otherLiability"),
    "balance": integer,
}

PAYEE: Fields = {"name": text(500, required=True)}

CATEGORY: Fields = {
    "name": text(required=True),
    "note": nullable(text()),
    "category_group_id": group,
    "goal_target": nullable(integer),
    "goal_target_date": nullable(lambda _budget, name, value: parse_date(value, name)),
    "goal_needs_whole_amount": nullable(boolean),
    "goal_frequency": one_of("monthly", "weekly", "yearly"),
}

GROUP: Fields = {"name": text(50, required=True)}
MONTH_CATEGORY: Fields = {"budgeted": integer}

_NULL_IS_ABSENT = frozenset({
    "account_id", "amount", "approved", "category_group_id", "cleared", "date", "frequency",
    "goal_frequency", "name",
})  # fmt: skip
"""Fields in which null means the same as a missing field."""


def read(budget: Budget, raw: Any, fields: Fields, required: tuple[str, ...] = ()) -> Json:
    """Return the checked known fields of an object; unknown fields are ignored."""
    if not isinstance(raw, dict):
        raise bad_request("must be an object")
    for name in required:
        if raw.get(name) is None:
            raise bad_request(f"{name} is missing")
    return {
        name: check(budget, name, raw[name])
        for name, check in fields.items()
        if name in raw and not (raw[name] is None and name in _NULL_IS_ABSENT)
    }

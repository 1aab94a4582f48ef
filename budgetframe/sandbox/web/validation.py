"""The fields of request bodies and their valid values."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any

from budgetframe.sandbox.errors import ApiError, bad_request

from .request import parse_date

if TYPE_CHECKING:
    from budgetframe.sandbox.state.rows import Budget

Json = dict[str, Any]
Check = Callable[["Budget", str, Any], Any]
Fields = dict[str, Check]

_LARGEST = 2**63
_FIVE_YEARS = 5


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


def account(budget: Budget, name: str, value: Any) -> str:
    """Accept the id of an account."""
    row = budget.accounts.find(value)
    if row is None:
        raise bad_request(f"{name} is not the id of an account")
    return row.id


def payee(budget: Budget, name: str, value: Any) -> str:
    """Accept the id of a payee."""
    row = budget.payees.find(value)
    if row is None:
        raise bad_request(f"{name} is not the id of a payee")
    return row.id


def category(budget: Budget, name: str, value: Any) -> str:
    """Accept the id of a category."""
    row = budget.categories.find(value)
    if row is None:
        raise bad_request(f"{name} is not the id of a category")
    return row.id


def spending_category(budget: Budget, name: str, value: Any) -> str:
    """Accept the id of a category that is not the payment category of a card."""
    key = category(budget, name, value)
    if budget.categories[key].payment_account_id is not None:
        raise bad_request(f"{name} must not be a Credit Card Payment category")
    return key


def group(budget: Budget, name: str, value: Any) -> str:
    """Accept the id of a group that can contain new categories."""
    row = budget.groups.find(value)
    if row is None:
        raise bad_request(f"{name} is not the id of a category group")
    if row.internal or row.id == budget.cards_group_id:
        raise bad_request(f"{name} must not be an internal category group")
    return row.id


def any_date(_budget: Budget, name: str, value: Any) -> date:
    """Accept a date."""
    return parse_date(value, name)


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
    "amount": integer,
    "payee_id": nullable(payee),
    "payee_name": nullable(text(200)),
    "category_id": nullable(category),
    "memo": nullable(text(500)),
}

TRANSACTION: Fields = PART | {
    "account_id": account,
    "date": past_date,
    "cleared": one_of("cleared", "uncleared", "reconciled"),
    "approved": boolean,
    "flag_color": flag,
    "import_id": nullable(text(36)),
}

_FIXED_IN_SPLITS = {"date", "amount", "category_id"}

SPLIT: Fields = {name: check for name, check in TRANSACTION.items() if name not in _FIXED_IN_SPLITS}

SCHEDULED: Fields = PART | {
    "category_id": nullable(spending_category),
    "account_id": account,
    "date": future_date,
    "flag_color": flag,
    "frequency": one_of(
        "never",
        "daily",
        "weekly",
        "everyOtherWeek",
        "twiceAMonth",
        "every4Weeks",
        "monthly",
        "everyOtherMonth",
        "every3Months",
        "every4Months",
        "twiceAYear",
        "yearly",
        "everyOtherYear",
    ),
}

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
    "goal_target_date": nullable(any_date),
    "goal_needs_whole_amount": nullable(boolean),
    "goal_frequency": one_of("monthly", "weekly", "yearly"),
}

GROUP: Fields = {"name": text(50, required=True)}
MONTH_CATEGORY: Fields = {"budgeted": integer}

_NULL_IS_ABSENT = frozenset(
    {
        "account_id",
        "amount",
        "approved",
        "category_group_id",
        "cleared",
        "date",
        "frequency",
        "goal_frequency",
        "name",
    }
)
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


def at_index(index: int, error: ApiError) -> ApiError:
    """Return the error of one row of a batch, with the index of the row."""
    return ApiError(error.error_id, f"{error.detail} (index: {index})")

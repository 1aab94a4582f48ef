"""Fields of request bodies: which there are, and what may stand in them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any

from budgetframe.sandbox._call import parse_date
from budgetframe.sandbox._refusals import Refusal, bad_request

if TYPE_CHECKING:
    from budgetframe.sandbox._state import Budget

Json = dict[str, Any]
Check = Callable[["Budget", str, Any], Any]

FLAGS = ("red", "orange", "yellow", "green", "blue", "purple")
_LARGEST = 2**63
_FIVE_YEARS = 5


def integer(_budget: Budget, name: str, value: Any) -> int:
    """Take a 64 bit integer."""
    if isinstance(value, bool) or not isinstance(value, int) or not -_LARGEST <= value < _LARGEST:
        raise bad_request(f"{name} must be an integer")
    return value


def boolean(_budget: Budget, name: str, value: Any) -> bool:
    """Take true or false."""
    if not isinstance(value, bool):
        raise bad_request(f"{name} must be true or false")
    return value


def text(longest: int, *, required: bool = False) -> Check:
    """Take text up to a length; null and blank only where they are allowed."""

    def check(_budget: Budget, name: str, value: Any) -> str | None:
        if value is None and not required:
            return None
        if not isinstance(value, str) or (required and not value.strip()):
            raise bad_request(f"{name} must be text")
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise bad_request(f"{name} is not valid text")
        if len(value) > longest:
            raise bad_request(f"{name} is too long (maximum is {longest} characters)")
        return value

    return check


def one_of(*values: str | None, default: str | None = None) -> Check:
    """Take one of a few words; null and `""` mean the default."""

    def check(_budget: Budget, name: str, value: Any) -> str | None:
        if value is None or value == "":
            return default
        if not isinstance(value, str) or value not in values:
            raise bad_request(f"{name} must be one of {', '.join(map(str, values))}")
        return value

    return check


def account(budget: Budget, name: str, value: Any) -> str:
    """Take the id of an account."""
    row = budget.accounts.find(value)
    if row is None:
        raise bad_request(f"{name} is not the id of an account")
    return row.id


def payee(budget: Budget, name: str, value: Any) -> str | None:
    """Take the id of a payee, or null."""
    row = budget.payees.find(value)
    if row is None and value is not None:
        raise bad_request(f"{name} is not the id of a payee")
    return None if row is None else row.id


def category(budget: Budget, name: str, value: Any) -> str | None:
    """Take the id of a category, or null."""
    row = budget.categories.find(value)
    if row is None and value is not None:
        raise bad_request(f"{name} is not the id of a category")
    return None if row is None else row.id


def past_date(budget: Budget, name: str, value: Any) -> date:
    """Take a date that is not to come and not over five years old."""
    when = parse_date(value, name)
    if when > budget.today:
        raise bad_request(f"{name} must not be in the future")
    if (when.year + _FIVE_YEARS, when.month, when.day) < (
        budget.today.year,
        budget.today.month,
        budget.today.day,
    ):
        raise bad_request(f"{name} must not be over five years old")
    return when


PART: dict[str, Check] = {
    "amount": integer,
    "payee_id": payee,
    "payee_name": text(200),
    "category_id": category,
    "memo": text(500),
}

TRANSACTION: dict[str, Check] = PART | {
    "account_id": account,
    "date": past_date,
    "cleared": one_of("cleared", "uncleared", "reconciled", default="uncleared"),
    "approved": boolean,
    "flag_color": one_of(*FLAGS),
    "import_id": text(36),
}

# Null under these means the same as nothing.
_NEVER_NULL = frozenset({"account_id", "date", "amount", "cleared", "approved"})

GROUP: dict[str, Check] = {"name": text(50, required=True)}
MONTH_CATEGORY: dict[str, Check] = {"budgeted": integer}


def read(
    budget: Budget, raw: Any, fields: dict[str, Check], required: tuple[str, ...] = ()
) -> Json:
    """Check the known fields of an object; unknown ones are ignored."""
    if not isinstance(raw, dict):
        raise bad_request("must be an object")
    for name in required:
        if raw.get(name) is None:
            raise bad_request(f"{name} is missing")
    return {
        name: check(budget, name, raw[name])
        for name, check in fields.items()
        if name in raw and not (raw[name] is None and name in _NEVER_NULL)
    }


def at(index: int, refusal: Refusal) -> Refusal:
    """Tell which row of a batch is refused."""
    return Refusal(refusal.error_id, f"{refusal.detail} (index: {index})")

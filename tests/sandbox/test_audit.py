"""`check_books` finds differences in every part of the books."""

from collections.abc import Callable
from typing import Any

import pytest

from budgetframe.sandbox import Sandbox
from budgetframe.sandbox.state.rows import Budget
from tests.sandbox.audit import check_books


def account(budget: Budget) -> Any:
    return next(iter(budget.accounts.live()))


def other_side(budget: Budget) -> Any:
    transfer = next(row for row in budget.transactions.live() if row.transfer_transaction_id)
    return budget.transactions[str(transfer.transfer_transaction_id)]


def part(budget: Budget) -> Any:
    return next(row.parts[0] for row in budget.transactions.live() if row.parts)


def groceries(budget: Budget) -> Any:
    category = next(row for row in budget.categories.live() if row.name == "Groceries")
    return budget.category_months[category.id][budget.current_month]


def month(budget: Budget) -> Any:
    return budget.month(budget.current_month)


@pytest.mark.parametrize(
    ("row", "field", "message"),
    [
        (account, "cleared_balance", "^cleared Checking is .*: off by 1000$"),
        (other_side, "transfer_transaction_id", "^the other side of transfer .* is missing$"),
        (part, "amount", "^parts of .*: off by 1000$"),
        (groceries, "activity", "^activity of Groceries in month 24317 is .*: off by 1000$"),
        (groceries, "balance", "^balance of Groceries in month 24317 is .*: off by 1000$"),
        (month, "to_be_budgeted", "^Ready to Assign in month 24317 is .*: off by 1000$"),
    ],
)
def test_wrong_amounts_are_found(
    sandbox: Sandbox, row: Callable[[Budget], Any], field: str, message: str
) -> None:
    check_books(sandbox)
    damaged = row(sandbox.device.state())
    value = getattr(damaged, field)
    setattr(damaged, field, value + 1_000 if isinstance(value, int) else None)
    with pytest.raises(AssertionError, match=message):
        check_books(sandbox)

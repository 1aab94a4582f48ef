"""`check_books` finds differences in every part of the books."""

from collections.abc import Callable

import pytest

from budgetframe.sandbox import Sandbox
from budgetframe.sandbox.state.rows import Budget, CategoryMonth
from tests.sandbox.audit import check_books


def wrong_account(budget: Budget) -> None:
    next(iter(budget.accounts.live())).cleared_balance += 1_000


def missing_other_side(budget: Budget) -> None:
    transfer = next(row for row in budget.transactions.live() if row.transfer_transaction_id)
    budget.transactions[str(transfer.transfer_transaction_id)].transfer_transaction_id = None


def wrong_part(budget: Budget) -> None:
    split = next(row for row in budget.transactions.live() if row.parts)
    split.parts[0].amount += 1_000


def groceries(budget: Budget) -> CategoryMonth:
    category = next(row for row in budget.categories.live() if row.name == "Groceries")
    return budget.category_months[category.id][budget.current_month]


def wrong_activity(budget: Budget) -> None:
    groceries(budget).activity += 1_000


def wrong_balance(budget: Budget) -> None:
    groceries(budget).balance += 1_000


def wrong_month(budget: Budget) -> None:
    budget.month(budget.current_month).to_be_budgeted += 1_000


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (wrong_account, "^cleared Checking is .*: off by 1000$"),
        (missing_other_side, "^the other side of transfer .* is missing$"),
        (wrong_part, "^parts of .*: off by 1000$"),
        (wrong_activity, "^activity of Groceries in month 24317 is .*: off by 1000$"),
        (wrong_balance, "^balance of Groceries in month 24317 is .*: off by 1000$"),
        (wrong_month, "^Ready to Assign in month 24317 is .*: off by 1000$"),
    ],
)
def test_wrong_amounts_are_found(
    sandbox: Sandbox, damage: Callable[[Budget], None], message: str
) -> None:
    check_books(sandbox)
    damage(sandbox.device.state())
    with pytest.raises(AssertionError, match=message):
        check_books(sandbox)

"""A check of the books that recomputes every amount without the code of the books."""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

from budgetframe.sandbox.state.rows import (
    CARD_TYPES,
    Account,
    Budget,
    CategoryMonth,
    Transaction,
    month_number,
)

if TYPE_CHECKING:
    from .sandbox import Sandbox


def check_books(sandbox: Sandbox) -> None:
    """Check the balance equations of every budget.

    Parameters
    ----------
    sandbox
        The service to check.

    Raises
    ------
    AssertionError
        If an equation does not hold; the message contains the equation and the difference.
    """
    with sandbox.lock:
        for editor in sandbox.budgets:
            budget = editor.budget
            _check_accounts(budget)
            _check_transfers(budget)
            _check_categories(budget)
            _check_months(budget)
            _check_cash(budget)


def _equal(label: str, found: int, expected: int) -> None:
    if found != expected:
        raise AssertionError(f"{label} is {found}, not {expected}: off by {found - expected}")


def _check_accounts(budget: Budget) -> None:
    sums: dict[tuple[str, bool], int] = defaultdict(int)
    for row in budget.transactions.live():
        sums[row.account_id, row.cleared != "uncleared"] += row.amount
    for account in budget.accounts.every():
        _equal(f"cleared {account.name}", account.cleared_balance, sums[account.id, True])
        _equal(f"uncleared {account.name}", account.uncleared_balance, sums[account.id, False])
        costs = 0 if account.interest_in_rows else _costs(budget, account)
        _equal(f"interest and escrow of {account.name}", account.loan_costs, costs)


def _costs(budget: Budget, account: Account) -> int:
    """Add up the interest and escrow of a loan, day by day."""
    rates, escrows = account.debt_interest_rates or {}, account.debt_escrow_amounts or {}
    if not rates and not escrows:
        return 0
    rows = [row for row in budget.transactions.live() if row.account_id == account.id]
    recorded = {(row.debt_transaction_type, month_number(row.date)) for row in rows}
    costs, owed, done = Fraction(0), Fraction(0), set()
    for day in sorted({row.date for row in rows}):
        splits = [(split.amount, row) for row in rows if row.date == day for split in row.splits]
        paid = sum(
            amount
            for amount, row in splits
            if amount > 0
            and row.debt_transaction_type in {None, "payment"}
            and (row.transfer_account_id or not _is_start(budget, row))
        )
        owed += paid - sum(amount for amount, _ in splits)
        month = month_number(day)
        if paid and month not in done:
            done.add(month)
            added = Fraction(0)
            if ("interest", month) not in recorded:
                yearly = Fraction(_newest(rates, day), 100_000)
                units = max(owed, Fraction(0)) * yearly / 12 / budget.smallest_amount
                added += floor(units + Fraction(1, 2)) * budget.smallest_amount
            if ("escrow", month) not in recorded:
                added += _newest(escrows, day)
            costs += added
            owed += added
        owed -= paid
    return int(costs)


def _newest(values: dict[str, int], day: date) -> int:
    known = [(key, value) for key, value in values.items() if key[:7] <= day.isoformat()[:7]]
    return max(known)[1] if known else 0


def _is_start(budget: Budget, row: Transaction) -> bool:
    return row.payee_id is not None and budget.payees[row.payee_id].name == "Starting Balance"


def _check_transfers(budget: Budget) -> None:
    for row in budget.transactions.live():
        if row.parts:
            _equal(f"parts of {row.id}", sum(part.amount for part in row.parts), row.amount)
        for leg in row.legs:
            if leg.transfer_transaction_id is None:
                continue
            other = budget.transactions[leg.transfer_transaction_id]
            if other.deleted or row.id not in _other_sides(other):
                raise AssertionError(f"the other side of transfer {leg.id} is missing")
            amounts = [
                part.amount for part in other.parts if part.transfer_transaction_id == row.id
            ]
            _equal(f"transfer {leg.id}", leg.amount, -sum(amounts or [other.amount]))


def _other_sides(row: Transaction) -> set[str | None]:
    return {leg.transfer_transaction_id for leg in row.legs}


def _spending(budget: Budget) -> dict[tuple[str, int], dict[str | None, int]]:
    """Sum the transactions by category and month, and within these by card."""
    sums: dict[tuple[str, int], dict[str | None, int]] = defaultdict(lambda: defaultdict(int))
    for row in budget.transactions.live():
        account = budget.accounts[row.account_id]
        if not account.on_budget:
            continue
        card = account.id if account.type in CARD_TYPES else None
        month = month_number(row.date)
        for split in row.splits:
            target = split.transfer_account_id
            if target is None or not budget.accounts[target].on_budget:
                category_id = split.category_id or budget.uncategorized_id
                charged_card = None if category_id == budget.inflow_id else card
                sums[category_id, month][charged_card] += split.amount
            elif account.payment_category_id is not None:
                sums[account.payment_category_id, month][None] -= split.amount
    for category_id, postings in budget.leftovers.items():
        for posting in postings:
            sums[category_id, posting.month][posting.card_id] += posting.amount
    return sums


def _check_categories(budget: Budget) -> None:
    spending = _spending(budget)
    funded: dict[tuple[str, int], int] = defaultdict(int)
    months = range(budget.first_month, budget.last_month + 1)
    for is_payment in (False, True):
        for category in budget.categories.every():
            if (category.payment_account_id is not None) is not is_payment:
                continue
            carried = 0
            for number in months:
                category_month = budget.category_months[category.id][number]
                spent = spending.get((category.id, number), {})
                activity = sum(spent.values()) + funded[category.id, number]
                label = f"{category.name} in month {number}"
                _equal(f"activity of {label}", category_month.activity, activity)
                _equal(
                    f"balance of {label}",
                    category_month.balance,
                    carried + category_month.assigned + activity,
                )
                if not is_payment and (spent or category_month.credit_overspent):
                    _fund_cards(budget, number, category_month, spent, funded)
                keeps_negative = category.id == budget.inflow_id
                balance = category_month.balance
                carried = balance if keeps_negative else max(0, balance)


def _fund_cards(
    budget: Budget,
    number: int,
    category_month: CategoryMonth,
    spent: dict[str | None, int],
    funded: dict[tuple[str, int], int],
) -> None:
    on_cards = {card: -amount for card, amount in spent.items() if card is not None}
    uncovered = min(max(0, -category_month.balance), max(0, sum(on_cards.values())))
    _equal(f"overspent on cards in month {number}", category_month.credit_overspent, uncovered)
    for card in sorted(on_cards):
        short = min(uncovered, max(0, on_cards[card]))
        uncovered -= short
        payment_id = budget.accounts[card].payment_category_id
        if payment_id is not None:
            funded[payment_id, number] += on_cards[card] - short


def _check_months(budget: Budget) -> None:
    ready = 0
    for number in range(budget.first_month, budget.last_month + 1):
        month = budget.month(number)
        rows = [(row, budget.category_months[row.id][number]) for row in budget.categories.every()]
        spending = [
            category_month.activity
            for row, category_month in rows
            if row.id != budget.inflow_id and row.payment_account_id is None
        ]
        ready += budget.category_months[budget.inflow_id][number].activity
        ready -= sum(category_month.assigned for _, category_month in rows)
        _equal(f"assigned in month {number}", month.budgeted, sum(c.assigned for _, c in rows))
        _equal(f"activity of month {number}", month.activity, sum(spending))
        income = budget.category_months[budget.inflow_id][number].activity
        _equal(f"income of month {number}", month.income, income)
        _equal(f"Ready to Assign in month {number}", month.to_be_budgeted, ready)
        ready -= sum(
            max(0, -category_month.balance) - category_month.credit_overspent
            for row, category_month in rows
            if row.id != budget.inflow_id
        )


def _check_cash(budget: Budget) -> None:
    """Check that all money in accounts on budget is in a category or ready to assign."""
    last = budget.last_month
    cash = sum(
        row.balance
        for row in budget.accounts.every()
        if row.on_budget and row.type not in CARD_TYPES
    )
    income_on_cards = sum(
        split.amount
        for row in budget.transactions.live()
        if budget.accounts[row.account_id].type in CARD_TYPES
        for split in row.splits
        if split.category_id == budget.inflow_id
    )
    left_over = sum(
        posting.amount
        for postings in budget.leftovers.values()
        for posting in postings
        if posting.card_id is None
    )
    category_months = [
        budget.category_months[row.id][last]
        for row in budget.categories.every()
        if row.id != budget.inflow_id
    ]
    held = sum(
        category_month.balance + category_month.credit_overspent
        for category_month in category_months
    )
    _equal("cash", cash + income_on_cards + left_over, budget.month(last).to_be_budgeted + held)

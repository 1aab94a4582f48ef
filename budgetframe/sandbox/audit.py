"""A check of the books that shares no arithmetic with them: everything is added up anew."""

from __future__ import annotations

from collections import defaultdict

from budgetframe.sandbox.state.rows import (
    CARD_TYPES,
    Budget,
    CategoryMonth,
    Transaction,
    month_number,
)

from .sandbox import Sandbox


def check_books(sandbox: Sandbox) -> None:
    """Check the balance equations of every budget.

    Parameters
    ----------
    sandbox
        The service whose state is checked.

    Raises
    ------
    AssertionError
        If an equation does not hold; the message says which, and by how much.
    """
    with sandbox.lock:
        for entries in sandbox.budgets:
            budget = entries.budget
            _check_accounts(budget)
            _check_transfers(budget)
            _check_categories(budget)
            _check_months(budget)
            _check_cash(budget)


def _equal(what: str, found: int, expected: int) -> None:
    if found != expected:
        raise AssertionError(f"{what} is {found}, not {expected}: off by {found - expected}")


def _check_accounts(budget: Budget) -> None:
    sums: dict[tuple[str, bool], int] = defaultdict(int)
    for row in budget.transactions.live():
        sums[row.account_id, row.cleared != "uncleared"] += row.amount
    for account in budget.accounts.every():
        _equal(f"cleared {account.name}", account.cleared_balance, sums[account.id, True])
        _equal(f"uncleared {account.name}", account.uncleared_balance, sums[account.id, False])


def _check_transfers(budget: Budget) -> None:
    for row in budget.transactions.live():
        if row.parts:
            _equal(f"parts of {row.id}", sum(part.amount for part in row.parts), row.amount)
        for side in row.sides:
            if side.transfer_transaction_id is None:
                continue
            other = budget.transactions[side.transfer_transaction_id]
            if other.deleted or row.id not in _far_ends(other):
                raise AssertionError(f"transfer {side.id} has lost its other side")
            ends = [part.amount for part in other.parts if part.transfer_transaction_id == row.id]
            _equal(f"transfer {side.id}", side.amount, -sum(ends or [other.amount]))


def _far_ends(row: Transaction) -> set[str | None]:
    return {side.transfer_transaction_id for side in row.sides}


def _spending(budget: Budget) -> dict[tuple[str, int], dict[str | None, int]]:
    """Add up categories by month and card, straight from the rows."""
    sums: dict[tuple[str, int], dict[str | None, int]] = defaultdict(lambda: defaultdict(int))
    for row in budget.transactions.live():
        account = budget.accounts[row.account_id]
        if not account.on_budget:
            continue
        card = account.id if account.type in CARD_TYPES else None
        for side in row.shares:
            target = side.transfer_account_id
            if target is None or not budget.accounts[target].on_budget:
                key = side.category_id or budget.uncategorized_id
                where = None if key == budget.inflow_id else card
                sums[key, month_number(row.date)][where] += side.amount
            elif account.payment_category_id is not None:
                sums[account.payment_category_id, month_number(row.date)][None] -= side.amount
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
                what = f"{category.name} in month {number}"
                _equal(f"activity of {what}", category_month.activity, activity)
                _equal(
                    f"balance of {what}",
                    category_month.balance,
                    carried + category_month.assigned + activity,
                )
                if not is_payment and (spent or category_month.credit_overspent):
                    _fund(budget, number, category_month, spent, funded)
                keeps_debt = category.id == budget.inflow_id
                carried = category_month.balance if keeps_debt else max(0, category_month.balance)


def _fund(
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
    """Every coin in an account on budget is in a category or ready to assign."""
    last = budget.last_month
    cash = sum(
        row.balance
        for row in budget.accounts.every()
        if row.on_budget and row.type not in CARD_TYPES
    )
    income_on_cards = sum(
        side.amount
        for row in budget.transactions.live()
        if budget.accounts[row.account_id].type in CARD_TYPES
        for side in row.shares
        if side.category_id == budget.inflow_id
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
    _equal("cash", cash + income_on_cards, budget.month(last).to_be_budgeted + held)

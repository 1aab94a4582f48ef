"""A check of the books that recomputes every amount without the code of the books.

Only the interest of loans is computed by the rule of the service, which `test_loans` checks with
amounts by hand: here, it is compared with that of all rows.
"""

from collections import defaultdict

from budgetframe.sandbox import Sandbox
from budgetframe.sandbox.state.loans import loan_costs
from budgetframe.sandbox.state.rows import CARD_TYPES, DEBT_TYPES, Budget, month_number

ByCard = dict[str | None, int]
ByCategory = dict[tuple[str, int], int]


def check_books(sandbox: Sandbox) -> None:
    """Check the equations of all amounts of every budget."""
    with sandbox.lock:
        for editor in sandbox.budgets:
            budget = editor.budget
            _check_accounts(budget)
            _check_transfers(budget)
            _check_categories(budget)
            _check_months(budget)


def _equal(label: str, found: int, expected: int) -> None:
    if found != expected:
        raise AssertionError(f"{label} is {found}, not {expected}: off by {found - expected}")


def _check_accounts(budget: Budget) -> None:
    rows = defaultdict(list)
    for row in budget.transactions.live():
        rows[row.account_id].append(row)
    start_id = budget.payees_by_name.get("Starting Balance")
    for account in budget.accounts.every():
        own = rows[account.id]
        cleared = sum(row.amount for row in own if row.cleared != "uncleared")
        _equal(f"cleared {account.name}", account.cleared_balance, cleared)
        uncleared = sum(row.amount for row in own) - cleared
        _equal(f"uncleared {account.name}", account.uncleared_balance, uncleared)
        loan = own if account.type in DEBT_TYPES else []
        costs = loan_costs(account, loan, smallest_amount=budget.smallest_amount, start_id=start_id)
        _equal(f"interest and escrow of {account.name}", account.loan_costs, costs)


def _check_transfers(budget: Budget) -> None:
    for row in budget.transactions.live():
        if row.parts:
            _equal(f"parts of {row.id}", sum(part.amount for part in row.parts), row.amount)
        for leg in row.legs:
            if leg.transfer_transaction_id is None:
                continue
            other = budget.transactions[leg.transfer_transaction_id]
            other_sides = {leg.transfer_transaction_id for leg in other.legs}
            if other.deleted or row.id not in other_sides:
                raise AssertionError(f"the other side of transfer {leg.id} is missing")
            amounts = [one.amount for one in other.parts if one.transfer_transaction_id == row.id]
            _equal(f"transfer {leg.id}", leg.amount, -sum(amounts or [other.amount]))


def _spending(budget: Budget) -> dict[tuple[str, int], ByCard]:
    """Sum the transactions by category and month, and within these by card."""
    sums: dict[tuple[str, int], ByCard] = defaultdict(lambda: defaultdict(int))
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
    funded: ByCategory = defaultdict(int)
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
                balance = carried + category_month.assigned + activity
                label = f"{category.name} in month {number}"
                _equal(f"activity of {label}", category_month.activity, activity)
                _equal(f"balance of {label}", category_month.balance, balance)
                uncovered = 0 if is_payment else _fund_cards(budget, number, balance, spent, funded)
                _equal(f"overspent on cards: {label}", category_month.credit_overspent, uncovered)
                carried = balance if category.id == budget.inflow_id else max(0, balance)


def _fund_cards(
    budget: Budget, number: int, balance: int, spent: ByCard, funded: ByCategory
) -> int:
    """Add the covered spending to the payment categories; return what is not covered."""
    on_cards = {card: -amount for card, amount in spent.items() if card is not None}
    overspent = uncovered = min(max(0, -balance), max(0, sum(on_cards.values())))
    for card in sorted(on_cards):
        short = min(uncovered, max(0, on_cards[card]))
        uncovered -= short
        payment_id = budget.accounts[card].payment_category_id
        if payment_id is not None:
            funded[payment_id, number] += on_cards[card] - short
    return overspent


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

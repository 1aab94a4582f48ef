"""The books: the amounts of accounts, categories and months, derived from the transactions.

Rules of the service
--------------------
* A transaction in an account on budget counts in its category and month. A transfer between two
  such accounts counts in no category. A transaction without a category counts in `Uncategorized`.
* Category balance = balance of the month before (0 if negative) + assigned + activity.
* Spending on a card moves the money that covers it to the payment category of the card, and a
  transfer to the card takes the money from there. Spending that no money covers stays a debt.
* Ready to Assign = Ready to Assign of the month before + income - assigned - cash overspending of
  the month before.
* The balance of a loan contains interest and escrow that no transaction records: see `loans`.
* A deleted split stays in the activity of its categories until another transaction of the category
  is written. A lenient service corrects the activity at once.

Each change marks the categories and months that it touches. `Books.settle` then recomputes each
touched category from its first touched month on, until nothing changes any more.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from . import rows
from .loans import loan_costs


class _Write(AbstractContextManager[None]):
    """One write of a budget, as a reentrant context manager."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._depth = 0

    def __enter__(self) -> None:
        if self._depth == 0:
            budget = self._books.budget
            budget.knowledge += 1
            budget.last_modified_on = budget.now
        self._depth += 1

    def __exit__(self, *_error: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._books.settle()


class Books:
    """The derived amounts of one budget."""

    def __init__(self, budget: rows.Budget) -> None:
        self.budget = budget
        self._touched: dict[str, tuple[int, int]] = {}
        self._touched_month: int | None = None
        self._touched_loans: set[str] = set()
        self._write = _Write(self)

    def write(self) -> AbstractContextManager[None]:
        """Combine the changes in a `with` block to one write."""
        # When the outermost one ends, the knowledge increases by one and amounts are derived anew.
        return self._write

    # -- changes ---------------------------------------------------------------------------

    def postings(self, row: rows.Transaction) -> Iterator[rows.Posting]:
        """Iterate over the amounts that a transaction adds to categories."""
        budget = self.budget
        account = budget.accounts[row.account_id]
        if row.deleted or not account.on_budget:
            return
        month = rows.month_number(row.date)
        is_card = account.type in rows.CARD_TYPES
        for part in row.splits:
            other = part.transfer_account_id
            if other is not None and budget.accounts[other].on_budget:
                of_payments = account.payment_category_id
                if is_card and of_payments is not None:
                    yield rows.Posting(of_payments, month, -part.amount, None, counts=False)
                continue
            category_id = part.category_id or budget.uncategorized_id
            # Income on a card goes to Ready to Assign; it does not cover spending.
            card_id = account.id if is_card and category_id != budget.inflow_id else None
            yield rows.Posting(category_id, month, part.amount, card_id, counts=True)

    def post(self, row: rows.Transaction, sign: int = 1, *, keeps_activity: bool = False) -> None:
        """Add a transaction to its account and categories; `sign` -1 removes it."""
        # With `keeps_activity`, its amounts stay in the categories until the next `post` to them.
        budget = self.budget
        if row.deleted:
            return
        account = budget.accounts[row.account_id]
        if row.cleared == "uncleared":
            account.uncleared_balance += sign * row.amount
        else:
            account.cleared_balance += sign * row.amount
        budget.accounts.put(account, budget.knowledge)
        if account.type in rows.DEBT_TYPES:
            self._post_to_loan(row, sign)
        same_amount = budget.by_amount.setdefault((row.account_id, row.amount), {})
        if sign > 0:
            same_amount[row.id] = None
        else:
            del same_amount[row.id]
        for posting in self.postings(row):
            if keeps_activity and posting.counts:
                budget.leftovers.setdefault(posting.category_id, []).append(posting)
                continue
            self.remove_leftovers(posting.category_id)
            self._add(posting, sign)

    def remove_leftovers(self, category_id: str) -> None:
        """Remove the amounts that deleted splits have left in a category."""
        for posting in self.budget.leftovers.pop(category_id, ()):
            self._add(posting, -1)

    def _add(self, posting: rows.Posting, sign: int) -> None:
        amount = sign * posting.amount
        self.extend_to(posting.month)
        category_month = self.budget.category_months[posting.category_id][posting.month]
        if posting.card_id is None:
            category_month.cash += amount
        else:
            credit = category_month.credit
            credit[posting.card_id] = credit.get(posting.card_id, 0) + amount
        if posting.counts and posting.amount < 0:
            category_month.outflow -= amount
        elif posting.counts:
            category_month.inflow += amount
        self.touch(posting.category_id, posting.month)

    def _post_to_loan(self, row: rows.Transaction, sign: int) -> None:
        of_loan = self.budget.loan_rows.setdefault(row.account_id, {})
        if sign > 0:
            of_loan[row.id] = row
        else:
            del of_loan[row.id]
        self._touched_loans.add(row.account_id)

    def assign(self, category_id: str, month: int, amount: int) -> None:
        """Set the assigned amount of a category in a month."""
        self.extend_to(month)
        category_month = self.budget.category_months[category_id][month]
        self.budget.month(month).budgeted += amount - category_month.assigned
        category_month.assigned = amount
        self.touch(category_id, month)
        self._touch_month(month)

    # -- new months and categories -----------------------------------------------------------

    def open_category(self, category: rows.Category) -> None:
        """Add empty months for a new category."""
        months = range(self.budget.first_month, self.budget.last_month + 1)
        stamp = self.budget.knowledge
        empty = {number: rows.CategoryMonth(stamp=stamp) for number in months}
        self.budget.category_months[category.id] = empty

    def extend_to(self, month: int) -> None:
        """Add the missing months between the known months and `month`."""
        budget = self.budget
        while budget.last_month < month:
            budget.last_month += 1
            self._open_month(budget.last_month)
        while budget.first_month > month:
            budget.first_month -= 1
            self._open_month(budget.first_month)

    def _open_month(self, number: int) -> None:
        budget = self.budget
        budget.months.put(rows.Month(id=str(number), number=number), budget.knowledge)
        for category_id, category_months in budget.category_months.items():
            category_months[number] = rows.CategoryMonth(stamp=budget.knowledge)
            self.touch(category_id, number)
        self._touch_month(number)

    # -- settling ----------------------------------------------------------------------------

    def touch(self, category_id: str, month: int) -> None:
        """Mark a category to be recomputed from `month` on."""
        first, last = self._touched.get(category_id, (month, month))
        self._touched[category_id] = (min(first, month), max(last, month))

    def _touch_month(self, month: int) -> None:
        if self._touched_month is None or month < self._touched_month:
            self._touched_month = month

    def settle(self) -> None:
        """Update all derived amounts."""
        categories = self.budget.categories
        # Payment categories come last: the other categories decide which money moves to them.
        for is_payment in (False, True):
            for category_id in sorted(self._touched):
                category = categories[category_id]
                if (category.payment_account_id is not None) is is_payment:
                    self._settle_category(category, *self._touched.pop(category_id))
        self._settle_months()
        self._settle_loans()

    def _settle_loans(self) -> None:
        budget = self.budget
        for account_id in self._touched_loans:
            account = budget.accounts[account_id]
            account.loan_costs = loan_costs(
                account,
                budget.loan_rows[account_id].values(),
                smallest_amount=budget.smallest_amount,
                start_id=budget.payees_by_name.get("Starting Balance"),
            )
        self._touched_loans.clear()

    def _settle_category(self, category: rows.Category, first: int, last: int) -> None:
        budget = self.budget
        category_months = budget.category_months[category.id]
        is_inflow = category.id == budget.inflow_id
        before = category_months.get(first - 1)
        carried = 0 if before is None else before.balance
        for number in range(first, budget.last_month + 1):
            category_month = category_months[number]
            was_active, on_cards = category_month.activity, sum(category_month.credit.values())
            category_month.activity = category_month.cash + on_cards + category_month.funding
            carried = carried if is_inflow else max(carried, 0)
            category_month.balance = carried + category_month.assigned + category_month.activity
            carried = category_month.balance
            over = 0 if is_inflow else max(0, -category_month.balance)
            category_month.credit_overspent = min(over, max(0, -on_cards))
            was_overspent = category_month.cash_overspent
            category_month.cash_overspent = over - category_month.credit_overspent
            self._move_to_cards(category_month, number)

            month = budget.month(number)
            if category_month.cash_overspent != was_overspent:
                month.cash_overspent += category_month.cash_overspent - was_overspent
                self._touch_month(number)
            if is_inflow:
                month.income += category_month.activity - was_active
            elif category.payment_account_id is None:
                month.activity += category_month.activity - was_active
            amounts = (category_month.assigned, category_month.activity, category_month.balance)
            if amounts != category_month.settled:
                if not is_inflow:
                    month.held += category_month.balance - category_month.settled[2]
                category_month.settled = amounts
                category_month.stamp = budget.knowledge
                self._touch_month(number)
                if number == budget.current_month:
                    budget.categories.put(category, budget.knowledge)
            elif number > last:
                break

    def _move_to_cards(self, category_month: rows.CategoryMonth, number: int) -> None:
        """Move the money that covers spending on cards to the payment categories."""
        uncovered_left = category_month.credit_overspent
        moved = {}
        for card_id in sorted(category_month.credit):
            spent = -category_month.credit[card_id]
            uncovered = min(uncovered_left, max(0, spent))
            uncovered_left -= uncovered
            moved[card_id] = spent - uncovered
        for card_id, amount in moved.items():
            change = amount - category_month.moved_to_cards.get(card_id, 0)
            payment_id = self.budget.accounts[card_id].payment_category_id
            if change and payment_id is not None:
                self.budget.category_months[payment_id][number].funding += change
                self.touch(payment_id, number)
        category_month.moved_to_cards = moved

    def _settle_months(self) -> None:
        if self._touched_month is None:
            return
        budget = self.budget
        for number in range(self._touched_month, budget.last_month + 1):
            month = budget.month(number)
            carried = 0
            if number > budget.first_month:
                before = budget.month(number - 1)
                carried = before.to_be_budgeted - before.cash_overspent
            month.to_be_budgeted = carried + month.income - month.budgeted
            month.age_of_money = _age_of_money(month, is_first=number == budget.first_month)
            amounts = month.income, month.budgeted, month.activity, month.to_be_budgeted
            totals = (*amounts, month.age_of_money)
            if totals != month.settled:
                month.settled = totals
                budget.months.put(month, budget.knowledge)
        self._touched_month = None


@dataclass(frozen=True)
class Editor:
    """Changes rows of one budget."""

    _books: Books

    @property
    def _budget(self) -> rows.Budget:
        return self._books.budget


def _age_of_money(month: rows.Month, *, is_first: bool) -> int | None:
    """The days that the money lasts at the rate of this month; the service is more exact."""
    available = month.to_be_budgeted + month.held
    if is_first or month.activity >= 0 or available <= 0:
        return None
    start = rows.month_start(month.number)
    return available * calendar.monthrange(start.year, start.month)[1] // -month.activity

"""Changes to accounts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .books import Editor
from .categories import CategoryEditor
from .payees import PayeeEditor
from .rows import CARD_TYPES, OFF_BUDGET_TYPES, Account, Payee
from .transactions import TransactionEditor


@dataclass(frozen=True)
class AccountEditor(Editor):
    """Adds and changes accounts of one budget, with their payees, and the categories of cards."""

    _categories: CategoryEditor
    _transactions: TransactionEditor
    _payees: PayeeEditor

    def add(self, name: str, account_type: str, **more: Any) -> Account:
        """Add an account without transactions, its transfer payee and its payment category."""
        budget = self._budget
        with self._books.write():
            more["on_budget"] = account_type not in OFF_BUDGET_TYPES
            account = Account(id=budget.new_id(), name=name, type=account_type, **more)
            transfer = f"Transfer : {name}"
            payee = Payee(id=budget.new_id(), name=transfer, transfer_account_id=account.id)
            account.transfer_payee_id = payee.id
            budget.payees.put(payee, budget.knowledge)
            if account_type in CARD_TYPES:
                group_id = budget.cards_group_id
                category = self._categories.add(name, group_id, payment_account_id=account.id)
                account.payment_category_id = category.id
            return budget.accounts.put(account, budget.knowledge)

    def open(self, name: str, account_type: str, balance: int) -> Account:
        """Add an account with a starting balance of today; a debt is negative."""
        # A balance on budget goes to Ready to Assign, except the debt on a card: it has no
        # category.
        budget = self._budget
        with self._books.write():
            account = self.add(name, account_type)
            if balance:
                is_income = account.on_budget and (balance > 0 or account_type not in CARD_TYPES)
                self._transactions.add(
                    account_id=account.id, date=budget.today, amount=balance,
                    payee_id=self._payees.get_or_add("Starting Balance").id,
                    category_id=budget.inflow_id if is_income else None, cleared="cleared",
                    approved=True,
                )  # fmt: skip
            return account

    def rename(self, account: Account, name: str) -> None:
        """Rename an account, its transfer payee and its payment category."""
        budget = self._budget
        with self._books.write():
            account.name = name
            budget.accounts.put(account, budget.knowledge)
            payee = budget.payees[account.transfer_payee_id]
            payee.name = f"Transfer : {name}"
            budget.payees.put(payee, budget.knowledge)
            if account.payment_category_id is not None:
                self._categories.edit(budget.categories[account.payment_category_id], name=name)

    def close(self, account: Account) -> None:
        """Close an account; its balance does not change."""
        with self._books.write():
            account.closed = True
            self._budget.accounts.put(account, self._budget.knowledge)

    def delete(self, account: Account) -> None:
        """Delete an account that has no transactions, and its transfer payee."""
        budget = self._budget
        with self._books.write():
            payee = budget.payees[account.transfer_payee_id]
            account.deleted = payee.deleted = True
            budget.accounts.put(account, budget.knowledge)
            budget.payees.put(payee, budget.knowledge)

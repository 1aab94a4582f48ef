"""Entries about accounts and payees."""

from __future__ import annotations

from typing import Any

from .categories import PlanEntries
from .rows import CARD_TYPES, OFF_BUDGET_TYPES, Account, Payee


class AccountEntries(PlanEntries):
    """Changes where money is and whom it goes to."""

    def add_account(self, name: str, kind: str, **more: Any) -> Account:
        """Open an account, its transfer payee, and for a card its payment category."""
        budget = self.budget
        with self.one_write():
            account = Account(
                id=budget.new_id(),
                name=name,
                type=kind,
                on_budget=kind not in OFF_BUDGET_TYPES,
                **more,
            )
            payee = Payee(
                id=budget.new_id(), name=f"Transfer : {name}", transfer_account_id=account.id
            )
            account.transfer_payee_id = payee.id
            budget.payees.put(payee, budget.knowledge)
            if kind in CARD_TYPES:
                category = self.add_category(
                    name, budget.cards_group_id, payment_account_id=account.id
                )
                account.payment_category_id = category.id
            return budget.accounts.put(account, budget.knowledge)

    def rename_account(self, account: Account, name: str) -> None:
        """Rename an account together with what is named after it."""
        budget = self.budget
        with self.one_write():
            account.name = name
            budget.accounts.put(account, budget.knowledge)
            payee = budget.payees[account.transfer_payee_id]
            payee.name = f"Transfer : {name}"
            budget.payees.put(payee, budget.knowledge)
            if account.payment_category_id is not None:
                self.edit_category(budget.categories[account.payment_category_id], name=name)

    def close_account(self, account: Account) -> None:
        """Close an account; what is in it stays."""
        with self.one_write():
            account.closed = True
            self.budget.accounts.put(account, self.budget.knowledge)

    def delete_account(self, account: Account) -> None:
        """Delete an account that has no transactions."""
        with self.one_write():
            for row in (account, payee := self.budget.payees[account.transfer_payee_id]):
                row.deleted = True
            self.budget.accounts.put(account, self.budget.knowledge)
            self.budget.payees.put(payee, self.budget.knowledge)

    def add_payee(self, name: str) -> Payee:
        """Make a payee."""
        budget = self.budget
        with self.one_write():
            payee = budget.payees.put(Payee(id=budget.new_id(), name=name), budget.knowledge)
            budget.payees_by_name.setdefault(name, payee.id)
            return payee

    def payee_named(self, name: str) -> Payee:
        """Give the payee of that name, made on demand."""
        known = self.budget.payees.find(self.budget.payees_by_name.get(name))
        return known or self.add_payee(name)

    def rename_payee(self, payee: Payee, name: str) -> None:
        """Rename a payee. Its transactions do not count as changed."""
        budget = self.budget
        with self.one_write():
            if budget.payees_by_name.get(payee.name) == payee.id:
                del budget.payees_by_name[payee.name]
            payee.name = name
            budget.payees_by_name.setdefault(name, payee.id)
            budget.payees.put(payee, budget.knowledge)

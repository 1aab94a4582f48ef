"""A budget that is being generated, with its names and amounts in the terms of the generator."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from budgetframe.sandbox.state.editor import BudgetEditor
from budgetframe.sandbox.state.rows import Account, Budget, Category, Transaction

from .japanese import JAPANESE
from .tables import JPY

_RECONCILED_AFTER = timedelta(days=45)
_CLEARED_AFTER = timedelta(days=4)
_MONTHLY_INFLATION = 0.0035  # monthly price increase, as a share of the prices of the first month


@dataclass(slots=True)
class Household:
    """A budget that is being generated."""

    editor: BudgetEditor
    rng: random.Random
    scale: int  # milliunits of the currency that equal one thousandth of a euro
    accounts: dict[str, Account]  # accounts by English name
    categories: dict[tuple[str, str], Category]  # categories by English names of group and category

    @property
    def budget(self) -> Budget:
        """The rows."""
        return self.editor.budget

    def money(self, euros: float) -> int:
        """Convert euros to milliunits of the budget, rounded to the smallest amount."""
        smallest = self.budget.smallest_amount
        return round(euros * 1000 * self.scale / smallest) * smallest

    def cleared(self, day: date) -> str:
        """Return the status of a transaction of that day."""
        age = self.budget.today - day
        if age > _RECONCILED_AFTER:
            return "reconciled"
        return "cleared" if age > _CLEARED_AFTER else "uncleared"

    def translate(self, text: str) -> str:
        """Translate a text to the language of the budget."""
        return JAPANESE.get(text, text) if self.budget.currency is JPY else text

    def price_level(self, number: int) -> float:
        """Return the price level of a month; the first month has 1."""
        return 1.0 + _MONTHLY_INFLATION * (number - self.budget.first_month)

    def planned(self, euros: float, number: int) -> int:
        """Return an amount at the prices of a month, rounded to five euros."""
        return self.money(round(euros * self.price_level(number) / 5) * 5)

    def payee(self, name: str) -> str:
        """Return the id of the payee with an English name; add the payee if it is new."""
        return self.editor.payees.get_or_add(self.translate(name)).id

    def transfer(self, account: str) -> str:
        """Return the id of the transfer payee of an account."""
        return self.accounts[account].transfer_payee_id

    def category(self, group: str, name: str) -> str:
        """Return the id of a category."""
        return self.categories[group, name].id

    def add(self, account: str, day: date, amount: int, **fields: Any) -> Transaction:
        """Add a transaction to an account, by default approved and with the status of its day."""
        fields = {"approved": True, "cleared": self.cleared(day), **fields}
        key = self.accounts[account].id
        return self.editor.transactions.add(account_id=key, date=day, amount=amount, **fields)

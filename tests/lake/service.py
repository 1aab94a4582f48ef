"""The embedded service of the tests of the lake."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from budgetframe import BudgetFrame
from budgetframe.lake import Source
from budgetframe.sandbox import Sandbox
from budgetframe.sandbox.state.rows import Budget

EURO, YEN = "Household", "東京の家計"


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame as an ordinary one; pandas 2 has two kinds of missing texts, here only one."""
    texts = [
        name for name, dtype in frame.dtypes.items() if dtype.kind == "O" and dtype.name == "object"
    ]
    filled = {str(name): frame[name].where(frame[name].notna(), None) for name in texts}
    return pd.DataFrame(frame).assign(**filled)


@dataclass
class Service:
    """An embedded service on a socket."""

    sandbox: Sandbox
    url: str

    def source(self, name: str = "A", **options: Any) -> Source:
        """A source with the token of the service."""
        return Source(name, **{"token": self.sandbox.token, "base_url": self.url, **options})

    def facade(self, budget: str = EURO) -> BudgetFrame:
        """A connection to one budget, which sees the state of this moment."""
        return BudgetFrame.sandbox(self.sandbox, budget=budget)

    def spend(self, amount: float, budget: str = EURO) -> None:
        """Add a transaction."""
        bf = self.facade(budget)
        row = bf.accounts().iloc[0]
        new = {"account_id": row["account_id"], "date": "2026-06-16", "amount": amount}
        bf.create_transactions([{**new, "payee_name": "Kiosk of Mrs Zimmermann"}])

    def unbalance(self, amount: int) -> str:
        """Add milliunits to the cleared balance of the first account of `EURO`; its name."""
        with self.sandbox.device.edit(EURO) as editor:
            account = next(iter(editor.budget.accounts.live()))
            account.cleared_balance += amount
            editor.budget.accounts.put(account, editor.budget.knowledge)
        return account.name

    def budget(self, name: str) -> Budget:
        """The rows of a budget, as the service has them."""
        return next(each.budget for each in self.sandbox.budgets if each.budget.name == name)

    def id_of(self, budget: str) -> str:
        """The id of a budget."""
        return self.budget(budget).id

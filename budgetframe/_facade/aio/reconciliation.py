"""What a budget is worth believing."""

from __future__ import annotations

from budgetframe._facade.docstrings import reads
from budgetframe._session.verify import compare_with_service
from budgetframe.reports.reconciliation import COLUMNS, Reconciliation

from .base import Base

__all__ = ["Proof"]


class Proof(Base):
    """What compares both sides."""

    @reads(
        source="GET /budgets/{budget_id}`` and ``GET /budgets/{budget_id}/transactions",
        cost="proof",
        columns=COLUMNS,
    )
    async def reconcile(self) -> Reconciliation:
        """Compare the sums of the transactions with the service's own figures.

        Both are asked for now, past the time to live: the transactions as the delta they are kept
        up to date by, and the balances of all accounts and the activity of all categories in all
        months, which the service adds up itself. Where they differ, both are read once more, for
        somebody may have edited in between. Where they still do, the transactions are read anew in
        full, and a `RuntimeWarning` and ``.attrs["reread"]`` say so.

        Returns
        -------
        Reconciliation
            A DataFrame with one row per account and one per category and month; ``.ok`` and
            ``.summary`` say what was found.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> found = bf.reconcile()
        >>> found.ok
        True
        >>> int(found["difference_milliunits"][found["reason"].isna()].abs().max())
        0
        """
        result, _ = await self._on_loop(compare_with_service(self._session))
        return result

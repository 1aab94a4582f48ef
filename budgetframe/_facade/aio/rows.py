"""Transactions, schedules and months, as frames: what there are many rows of."""

from __future__ import annotations

import pandas as pd

from budgetframe._facade.docstrings import reads
from budgetframe._session.ledger import ledger_of
from budgetframe.frames import LEDGER, in_money
from budgetframe.frames.dates import Day, period
from budgetframe.frames.money import Money, check_money

from .base import Base, between, left_out

__all__ = ["Rows"]


class Rows(Base):
    """What has a day or a month, as a frame."""

    @reads("transactions", source="GET /budgets/{budget_id}/transactions", cost="delta")
    async def transactions(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """Transactions of all years, one row per transaction; a split is one row.

        The service's own answer would be the last year alone; here it is everything, whatever is
        asked for, so that all periods are served by one list and its deltas. Names are those of
        when the service last sent the row: after a renaming, join on the keys.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last day, both included.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> may = bf.transactions(since="2026-05-01", until="2026-05-31")
        >>> may["date"].dt.month.unique().tolist()
        [5]
        """
        first, last = period(since, until)
        rows = await self._list(
            "transactions", include_deleted=include_deleted, money=money, extra=extra
        )
        return between(rows, "date", first, last)

    @reads("subtransactions", source="GET /budgets/{budget_id}/transactions", cost="delta")
    async def subtransactions(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """Parts of split transactions, one row per part, with day and account of the whole.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last day, both included.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> parts = bf.subtransactions()
        >>> splits = bf.transactions().query("is_split")
        >>> set(parts["transaction_id"]) == set(splits["transaction_id"])
        True
        """
        first, last = period(since, until)
        rows = await self._list(
            "subtransactions", include_deleted=include_deleted, money=money, extra=extra
        )
        return between(rows, "date", first, last)

    @reads(
        "scheduled_transactions",
        source="GET /budgets/{budget_id}/scheduled_transactions",
        cost="delta",
    )
    async def scheduled_transactions(
        self, *, include_deleted: bool = False, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Schedules of transactions to come, one row per schedule.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> "monthly" in set(bf.scheduled_transactions()["frequency"])
        True
        """
        return await self._list(
            "scheduled_transactions", include_deleted=include_deleted, money=money, extra=extra
        )

    @reads(
        "scheduled_subtransactions",
        source="GET /budgets/{budget_id}/scheduled_transactions",
        cost="delta",
    )
    async def scheduled_subtransactions(
        self, *, include_deleted: bool = False, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Parts of split schedules, one row per part.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.scheduled_subtransactions()["amount"].dtype.name
        'float64'
        """
        return await self._list(
            "scheduled_subtransactions", include_deleted=include_deleted, money=money, extra=extra
        )

    @reads("month_categories", source="GET /budgets/{budget_id}")
    async def month_categories(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        include_hidden: bool = True,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """All categories in all months, one row per month and category, in one request.

        It is tidy: ``pivot(index="month", columns="category_id", values="activity")``. Two groups
        may each have a category of the same name: the key of a row is ``month`` and
        ``category_id``.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last month, both included: ``"2026-05"``, or a day in it.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> plan = bf.month_categories(since="2026-01", until="2026-06")
        >>> plan.pivot(index="month", columns="category_id", values="activity").shape[0]
        6
        """
        first, last = period(since, until, months=True)
        check_money(money)
        frame = await self._on_loop(self._session.frame_of("month_categories", extra=extra))
        frame = frame if include_hidden else left_out(frame, "hidden")
        return in_money(between(frame, "month", first, last), money)

    @reads(
        source="GET /budgets/{budget_id}/{transactions, accounts, categories, payees}",
        cost="ledger",
        columns=LEDGER,
    )
    async def ledger(
        self, *, since: Day | None = None, until: Day | None = None, money: Money = "float"
    ) -> pd.DataFrame:
        """Every leaf of every transaction, one row per leaf: the frame to add up.

        A leaf is a transaction that is no split, or a part of one that is, in place of the whole.
        Nothing is left out: rows without a category, of tracking accounts, not approved ones. The
        amounts of an account add up to its balance. Names are the current ones, joined by key,
        also where the service sent the row before a renaming.

        The flags follow these rules; where a rule does not suit, the columns are there for another:

        * ``is_transfer``: money goes to or comes from another account of the budget.
        * ``is_income``: an account on budget, in the category ``Inflow: Ready to Assign``, and no
          starting balance. Corrections below zero count, as they do in the service's own figure.
        * ``is_spending``: an account on budget, in any other category, and no starting balance.
          Refunds are in it, positive, so that sums are net. A transfer between two accounts on
          budget is none; one to a tracking account is, by the category it has.
        * ``is_uncategorized``: an account on budget, without a category, no starting balance, and
          no transfer between two such accounts. It is neither income nor spending yet. Its
          ``category_id`` is missing, or that of the service's own category ``Uncategorized``; the
          names are those of the latter, so that grouping by name keeps it.
        * ``is_starting_balance``: the payee is called ``Starting Balance`` now, and it is no
          transfer. The service counts those of accounts on budget in the income of their month.
        * ``is_split_part``: the row is a part of a split; ``transaction_id`` is that of the whole.
          Where it has no payee or memo of its own, it shows those of the whole.
        * ``is_scheduled``: it was entered from a schedule, as its key says.

        A category that the service does not list is in the group ``Not listed``. An account that it
        does not list counts as on budget; what went to one such, or came from it, counts if it has
        a category.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last day, both included.

        Returns
        -------
        DataFrame
            Rows sorted by date, transaction_id, subtransaction_id and numbered from 0; the same
            columns and dtypes when there are none.

        Examples
        --------
        >>> from budgetframe.frames import totals
        >>> bf = BudgetFrame.sandbox()
        >>> ledger = bf.ledger()
        >>> balances = bf.accounts().set_index("account_id")["balance"]
        >>> bool((totals(ledger, "account_id")["amount"] == balances.sort_index()).all())
        True
        """
        first, last = period(since, until)
        check_money(money)
        frame = await self._on_loop(ledger_of(self._session))
        return in_money(between(frame, "date", first, last), money)

    @reads(source="GET /budgets/{budget_id}")
    async def export(self) -> dict[str, pd.DataFrame]:
        """Everything in the budget in one request: a frame for each list, by its name.

        Returns
        -------
        dict of str to DataFrame
            The frames have the columns of the methods of the same names; ``month_categories`` has
            one row per month and category, and the columns of `month`.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> frames = bf.export()
        >>> list(frames)[:5]
        ['accounts', 'payees', 'payee_locations', 'category_groups', 'categories']
        >>> len(frames["transactions"]) == len(bf.transactions())
        True
        """
        return await self._on_loop(self._session.export_frames())

"""The lists of a budget as frames, the ledger, the export and the reconciliation."""

from __future__ import annotations

from functools import partial

import pandas as pd

from budgetframe._facade.docstrings import complete_docstring
from budgetframe._session.ledger import ledger_of
from budgetframe._session.verify import compare_with_service
from budgetframe.frames.dates import Day, month_of, period
from budgetframe.frames.ledger import LEDGER
from budgetframe.frames.money import Money, in_money
from budgetframe.frames.reconciliation import RECONCILIATION, Reconciliation
from budgetframe.frames.tables import TABLES

from .base import Base, checked_methods

__all__ = ["Frames"]


@checked_methods
class Frames(Base):
    """Async methods that return frames."""

    @complete_docstring("budgets", source="GET /budgets")
    async def budgets(self, *, extra: bool = False) -> pd.DataFrame:
        """The budgets of the user, one row per budget.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.budgets()["budget_name"].tolist()[0]
        'Household'
        """
        return await self._on_loop(self._session.frame_of("budgets", extra=extra))

    @complete_docstring("accounts", source="GET /budgets/{budget_id}/accounts", cost="delta")
    async def accounts(
        self,
        *,
        include_closed: bool = True,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """Accounts with their balances, one row per account; closed accounts come last.

        If there are loans, ``attrs["loans"]`` has the terms of each one: its key, name and balance,
        and its interest rates, escrow amounts and minimum payments by month, as the service sends
        them. Amounts are in milliunits there, rates in thousandths of a per cent a year.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> accounts = bf.accounts()
        >>> int(accounts["closed"].sum()) > 0
        True
        """
        return await self._list(
            "accounts",
            exclude=None if include_closed else "closed",
            include_deleted=include_deleted,
            money=money,
            extra=extra,
        )

    @complete_docstring("categories", source="GET /budgets/{budget_id}/categories", cost="delta")
    async def categories(
        self,
        *,
        include_hidden: bool = True,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """Categories with the amounts of the current month (UTC), one row per category.

        Two groups may each have a category of the same name: join on ``category_id``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.categories()["category_id"].is_unique
        True
        """
        return await self._list(
            "categories",
            exclude=None if include_hidden else "hidden",
            include_deleted=include_deleted,
            money=money,
            extra=extra,
        )

    @complete_docstring(
        "category_groups", source="GET /budgets/{budget_id}/categories", cost="delta"
    )
    async def category_groups(
        self, *, include_hidden: bool = True, include_deleted: bool = False, extra: bool = False
    ) -> pd.DataFrame:
        """Category groups, one row per group, including groups without a category.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> groups = bf.category_groups()
        >>> "Internal Master Category" in set(groups["category_group_name"])
        True
        """
        return await self._list(
            "category_groups",
            exclude=None if include_hidden else "hidden",
            include_deleted=include_deleted,
            extra=extra,
        )

    @complete_docstring("payees", source="GET /budgets/{budget_id}/payees", cost="delta")
    async def payees(self, *, include_deleted: bool = False, extra: bool = False) -> pd.DataFrame:
        """Payees, one row per payee; each account has one payee for transfers to it.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> payees = bf.payees()
        >>> int(payees["transfer_account_id"].notna().sum()) == len(bf.accounts())
        True
        """
        return await self._list("payees", include_deleted=include_deleted, extra=extra)

    @complete_docstring(
        "payee_locations", source="GET /budgets/{budget_id}[/payees/{payee_id}]/payee_locations"
    )
    async def payee_locations(
        self, payee_id: str | None = None, *, extra: bool = False
    ) -> pd.DataFrame:
        """Places where payees were paid, one row per location.

        Parameters
        ----------
        payee_id : str, optional
            A key in ``payees()["payee_id"]``: only the places of this payee.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.payee_locations()[["latitude", "longitude"]].dtypes.astype(str).tolist()
        ['float64', 'float64']
        """
        if payee_id is None:
            return await self._list("payee_locations", extra=extra)
        build = partial(TABLES["payee_locations"].frame, extra=extra)
        return await self._on_loop(
            self._session.part_of("payee_locations", build, ("payees", payee_id))
        )

    @complete_docstring("months", source="GET /budgets/{budget_id}/months", cost="delta")
    async def months(self, *, money: Money = "float", extra: bool = False) -> pd.DataFrame:
        """Totals of each month, one row per month.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.months()["month"].is_monotonic_increasing
        True
        """
        return await self._list("months", money=money, extra=extra)

    @complete_docstring("month", source="GET /budgets/{budget_id}/months/{month}")
    async def month(
        self,
        month: Day = "current",
        *,
        include_hidden: bool = True,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """The categories of one month, one row per category.

        Parameters
        ----------
        month : str or date
            ``"2026-05"``; by default the current month (UTC).

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> may = bf.month("2026-05")
        >>> may["month"].dt.strftime("%Y-%m").unique().tolist()
        ['2026-05']
        """
        day = month_of(month)
        frame = await self._on_loop(self._session.frame_of("month", month=day, extra=extra))
        return in_money(frame if include_hidden else _without(frame, "hidden"), money)

    @complete_docstring("month_categories", source="GET /budgets/{budget_id}", cost="delta")
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

        The frame is tidy: ``pivot(index="month", columns="category_id", values="activity")``. Two
        groups may each have a category of the same name, so the key of a row is ``month`` and
        ``category_id``.

        Parameters
        ----------
        since, until : str, date or Timestamp, optional
            First and last month, both included. ``"2026-05"`` and ``"2026"`` mean the first or the
            last day of that month or year.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> plan = bf.month_categories(since="2026-01", until="2026-06")
        >>> plan.pivot(index="month", columns="category_id", values="activity").shape[0]
        6
        """
        first, last = period(since, until, months=True)
        frame = await self._on_loop(self._session.frame_of("month_categories", extra=extra))
        frame = frame if include_hidden else _without(frame, "hidden")
        return in_money(_in_period(frame, "month", first, last), money)

    @complete_docstring(
        "transactions", source="GET /budgets/{budget_id}/transactions", cost="delta"
    )
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

        The service by itself would answer with the last year only. This method always reads all
        years, whatever period is given, so that one list and its deltas serve all periods. Names
        are those of the time when the service last sent the row: after a renaming, join on the
        keys.

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
        return _in_period(rows, "date", first, last)

    @complete_docstring(
        "subtransactions", source="GET /budgets/{budget_id}/transactions", cost="delta"
    )
    async def subtransactions(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        """Parts of split transactions, one row per part, with date and account of the split.

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
        return _in_period(rows, "date", first, last)

    @complete_docstring(
        "scheduled_transactions",
        source="GET /budgets/{budget_id}/scheduled_transactions",
        cost="delta",
    )
    async def scheduled_transactions(
        self, *, include_deleted: bool = False, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Schedules of future transactions, one row per schedule.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> "monthly" in set(bf.scheduled_transactions()["frequency"])
        True
        """
        return await self._list(
            "scheduled_transactions", include_deleted=include_deleted, money=money, extra=extra
        )

    @complete_docstring(
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

    @complete_docstring(
        "money_movements",
        "money_movement_records",
        source="GET /budgets/{budget_id}[/months/{month}]/money_movements",
        cost="movements",
    )
    async def money_movements(
        self, month: Day | None = None, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Money movements, one row per category or one per move, as the service keeps them.

        A month before the service began to keep movements is unknown, not zero.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> list(bf.money_movements().columns)[2:]
        ['allocation', 'spent', 'income']
        """
        return await self._list("money_movements", month=month, money=money, extra=extra)

    @complete_docstring(
        "money_movement_groups",
        "money_movement_group_records",
        source="GET /budgets/{budget_id}[/months/{month}]/money_movement_groups",
        cost="movements",
    )
    async def money_movement_groups(
        self, month: Day | None = None, *, money: Money = "float", extra: bool = False
    ) -> pd.DataFrame:
        """Money movements, one row per category group or one per set of simultaneous moves.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> list(bf.money_movement_groups().columns)
        ['category_group_name', 'allocation', 'spent', 'income']
        """
        return await self._list("money_movement_groups", month=month, money=money, extra=extra)

    @complete_docstring(
        source="GET /budgets/{budget_id}/{transactions, accounts, categories, payees}",
        cost="ledger",
        columns=LEDGER,
    )
    async def ledger(
        self, *, since: Day | None = None, until: Day | None = None, money: Money = "float"
    ) -> pd.DataFrame:
        """Every leaf of every transaction, one row per leaf: the frame to add up.

        A leaf is a transaction that is not split, or one part of a split; the split itself is not
        a row. The ledger is complete: it has rows without a category, rows of tracking accounts
        and rows that are not approved. The amounts of an account add up to its balance, except
        for a loan (``mortgage``, ``autoLoan``, ``studentLoan``, ``personalLoan``, ``medicalDebt``,
        ``otherDebt``): its balance also contains interest and escrow, which the service adds
        without a transaction. The reports calculate them from the terms in ``attrs["loans"]``. If
        the service states another balance for any other account, ``attrs["differences"]`` has the
        account with its balance and the sum of its rows (``rows_total``), both in milliunits. It is
        left out if accounts and transactions show different states of the service.
        Names are the current ones, joined by key, even if the service sent the row before a
        renaming.

        The flags follow these rules; the other columns allow other rules:

        * ``is_transfer``: the money goes to or comes from another account of the budget.
        * ``is_income``: the account is on budget, the category is ``Inflow: Ready to Assign``, and
          the row is not a starting balance. Corrections below zero count, as they do in the
          service's own figure.
        * ``is_spending``: the account is on budget, the category is any other one, and the row is
          not a starting balance. Refunds are included as positive amounts, so that sums are net. A
          transfer between two accounts on budget is not spending; a transfer to a tracking account
          counts by its category.
        * ``is_uncategorized``: the account is on budget, the row has no category, is not a starting
          balance and is not a transfer between two accounts on budget. It is neither income nor
          spending yet. Its ``category_id`` is missing, or is that of the service's own category
          ``Uncategorized``; the names are those of that category, so that grouping by name keeps
          the row.
        * ``is_starting_balance``: the current name of the payee is ``Starting Balance``, and the
          row is not a transfer. The service counts the starting balances of accounts on budget in
          the income of their month.
        * ``is_split_part``: the row is a part of a split; ``transaction_id`` is that of the split.
          A part without a payee or memo shows those of the split.
        * ``is_scheduled``: the transaction was entered from a schedule, as its key shows.
        * ``is_remainder``: the parts of the split do not add up to its amount, and the row has the
          difference, without a category. Such a row also has ``is_split_part`` and no
          ``subtransaction_id``. A `RuntimeWarning` names the split.

        An account, a payee or a category that the service does not list has the name in the row. A
        category that the service does not list is in the group ``Not listed``; an account, a
        payee or a category without any name has the name ``Not listed``. An account that the
        service does not list counts as on budget, and a `RuntimeWarning` names the first one; a
        transfer to or from such an account counts if it has a category.

        ``attrs["rows"]`` is the number of rows. A selection of rows keeps it, so that a report
        states that the ledger was filtered.

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
        frame = await self._on_loop(ledger_of(self._session))
        rows = in_money(_in_period(frame, "date", first, last), money)
        rows.attrs["rows"] = len(rows)
        return rows

    @complete_docstring(source="GET /budgets/{budget_id}", cost="delta")
    async def export(self) -> dict[str, pd.DataFrame]:
        """The whole budget in one request: a dictionary with one frame for each list.

        Returns
        -------
        dict of str to DataFrame
            The frames have the columns of the methods with the same names; ``month_categories`` has
            one row per month and category, and the columns of `month`. If rows of a list refer to
            an account, a payee, a category or a group that the export does not list, only the list
            itself has the names: it is read with one more request.

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

    @complete_docstring(
        source="GET /budgets/{budget_id}`` and ``GET /budgets/{budget_id}/transactions",
        cost="reconcile",
        columns=RECONCILIATION,
    )
    async def reconcile(self) -> Reconciliation:
        """Compare the sums of the transactions with the service's own figures.

        Both are requested now, even within the time to live: the transactions as a delta, and the
        balances of all accounts and the activity of all categories in all months, which the service
        adds up itself. The balance of a loan also contains interest and escrow without a
        transaction; a difference that they explain to the milliunit is expected and counts as
        agreement. If they differ, both are read once more, because somebody may have edited
        the budget in between. If they still differ, the transactions are reloaded in full; a
        `RuntimeWarning` and ``.attrs["reread"]`` report this.

        Returns
        -------
        Reconciliation
            A DataFrame with one row per account and one per category and month; ``.ok`` and
            ``.summary`` give the result.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> comparison = bf.reconcile()
        >>> comparison.ok
        True
        >>> int(comparison["difference_milliunits"][comparison["reason"].isna()].abs().max())
        0
        """
        result, _ = await self._on_loop(compare_with_service(self._session))
        return result

    async def _list(
        self,
        table: str,
        *,
        month: Day | None = None,
        exclude: str | None = None,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        if include_deleted:
            frame = await self._on_loop(self._session.frame_with_deleted(table, extra=extra))
        else:
            of_month = None if month is None else month_of(month)
            frame = await self._on_loop(self._session.frame_of(table, month=of_month, extra=extra))
        frame = frame if exclude is None else _without(frame, exclude)
        return frame if money == "float" else in_money(frame, money)


def _without(frame: pd.DataFrame, flag: str) -> pd.DataFrame:
    """The rows whose flag is not set."""
    return frame[~frame[flag]].reset_index(drop=True)


def _in_period(
    frame: pd.DataFrame, column: str, first: pd.Timestamp | None, last: pd.Timestamp | None
) -> pd.DataFrame:
    """The rows of a period, both ends included.

    ``attrs["since"]`` and ``attrs["until"]`` are set if rows before or after the period were
    removed.
    """
    if first is last is None:
        return frame
    days = frame[column]
    is_in = (days >= (first or days.min())) & (days <= (last or days.max()))
    rows = frame[is_in].reset_index(drop=True)
    if first is not None and (days < first).any():
        rows.attrs["since"] = f"{first:%Y-%m-%d}"
    if last is not None and (days > last).any():
        rows.attrs["until"] = f"{last:%Y-%m-%d}"
    return rows

"""Comparison of the service's own figures with the sums of the ledger, to the milliunit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.number_of import number_of
from budgetframe._runtime.printable import printable, visible
from budgetframe.frames.ledger import (
    CARD_GROUP,
    INTERNAL_GROUP,
    UNCATEGORIZED,
    counted,
    is_starting_balance,
    leaves,
)
from budgetframe.frames.one_line import Layout, one_line_html, one_line_text
from budgetframe.frames.schema import CURRENCY, Column

from .loan_rule import LoanHistory, loan_histories
from .sums import exact

__all__ = [
    "CARD_PAYMENTS",
    "COLUMNS",
    "LOAN_COSTS",
    "NO_UNCATEGORIZED",
    "Reconciliation",
    "reconcile",
]

CARD_PAYMENTS = (
    "credit-card payment category: the service moves money here when spending on the card is"
    " covered, without a transaction"
)
"""Reason for differences in the group ``Credit Card Payments``."""

NO_UNCATEGORIZED = (
    "transactions without a category: the service states no figure for them in this budget"
)
"""Reason for differences without a category, if the service has no category for them."""

LOAN_COSTS = "loan: interest and escrow are part of the balance, without a transaction"
"""Reason for differences of a loan that interest and escrow explain to the milliunit."""

_ACCOUNT, _CATEGORY_MONTH = "account", "category month"
_KINDS = {
    CARD_PAYMENTS: "card payment",
    NO_UNCATEGORIZED: "uncategorized",
    LOAN_COSTS: "loan",
}
_MAX_NAMED = 3  # number of differing rows that a summary names

COLUMNS = (
    Column("subject", "category", "", "kind of the row", vocabulary=(_ACCOUNT, _CATEGORY_MONTH)),
    Column("month", "datetime64[us]", "", "first day of the month; missing for accounts"),
    Column("account_name", "str", "", "name of the account"),
    Column("category_group_name", "str", "", "name of its group"),
    Column("category_name", "str", "", "name of the category"),
    Column("service", "float64", "currency", "balance or activity; missing: the service has none"),
    Column("ledger", "float64", "currency", "sum of the transactions"),
    Column("difference_milliunits", "int64", "milliunits", "ledger minus service"),
    Column("interest_milliunits", "int64", "milliunits", "part of it: interest of a loan"),
    Column("escrow_milliunits", "int64", "milliunits", "part of it: escrow of a loan"),
    Column("unexplained_milliunits", "int64", "milliunits", "part of it without a known reason"),
    Column("reason", "str", "", "reason of an expected difference; otherwise missing"),
    Column("account_id", "str", "", "key of the account; missing for category months"),
    Column("category_id", "str", "", "key of the category; missing for accounts"),
)
"""Columns of a reconciliation."""

_MONEY = {column.name for column in COLUMNS if column.unit == CURRENCY}


class Reconciliation(pd.DataFrame):
    """One row per account and per category and month, with both figures and their difference.

    `ok` and `summary` state the result. A selection of rows is an ordinary DataFrame, because the
    result for a part would say nothing about the whole.

    Notes
    -----
    ::

        column                  dtype           unit        meaning
        ----------------------  --------------  ----------  ---------------------------------------------------
        subject                 category                    kind of the row
        month                   datetime64[us]              first day of the month; missing for accounts
        account_name            str                         name of the account
        category_group_name     str                         name of its group
        category_name           str                         name of the category
        service                 float64         currency    balance or activity; missing: the service has none
        ledger                  float64         currency    sum of the transactions
        difference_milliunits   int64           milliunits  ledger minus service
        interest_milliunits     int64           milliunits  part of it: interest of a loan
        escrow_milliunits       int64           milliunits  part of it: escrow of a loan
        unexplained_milliunits  int64           milliunits  part of it without a known reason
        reason                  str                         reason of an expected difference; otherwise missing
        account_id              str                         key of the account; missing for category months
        category_id             str                         key of the category; missing for accounts

    Accounts come first, sorted by name; then the months, each sorted by group and category.
    """  # noqa: E501 - a table is not wrapped

    @property
    def _constructor(self) -> Callable[..., pd.DataFrame]:
        return pd.DataFrame

    @property
    def ok(self) -> bool:
        """Whether every row agrees to the milliunit or has a reason for its difference."""
        return not self._unexplained().any()

    @property
    def summary(self) -> str:
        """The result in one line."""
        wrong = self[self._unexplained()]
        if len(wrong):
            named = [*map(_difference_text, wrong.head(_MAX_NAMED).to_dict("records"))]
            if len(wrong) > _MAX_NAMED:
                named.append(f"{len(wrong) - _MAX_NAMED:,} more")
            verb = "differs" if len(wrong) == 1 else "differ"
            return f"{len(wrong):,} of {number_of(len(self), 'row')} {verb}: {', '.join(named)}"
        agree = self["difference_milliunits"] == 0
        subjects = self["subject"]
        accounts = number_of(int((agree & (subjects == _ACCOUNT)).sum()), _ACCOUNT)
        months = number_of(int((agree & (subjects == _CATEGORY_MONTH)).sum()), _CATEGORY_MONTH)
        return "; ".join([f"{accounts} and {months} agree", *self._expected_differences()])

    def __repr__(self) -> str:
        text = one_line_text(self, Layout(_MONEY))
        return super().__repr__() if text is None else text

    def _repr_html_(self) -> str | None:
        table = one_line_html(self, Layout(_MONEY))
        if table is None:
            table = super()._repr_html_()  # type: ignore[misc]  # not in pandas-stubs
        verdict = "agrees" if self.ok else "does not agree"
        return (
            table and f"<p><strong>{verdict}</strong>: {escape(visible(self.summary))}</p>{table}"
        )

    def _unexplained(self) -> Any:
        if "unexplained_milliunits" not in self:  # loaded from a pickle of an earlier version
            return (self["difference_milliunits"] != 0) & self["reason"].isna()
        return self["unexplained_milliunits"] != 0

    def _expected_differences(self) -> Iterator[str]:
        differ = self["difference_milliunits"] != 0
        for reason, kind in _KINDS.items():
            count = int((differ & (self["reason"] == reason)).sum())
            if count:
                verb = "differs" if count == 1 else "differ"
                yield f"{number_of(count, f'{kind} row')} {verb} as expected"


def reconcile(
    accounts: pd.DataFrame,
    month_categories: pd.DataFrame,
    transactions: pd.DataFrame,
    subtransactions: pd.DataFrame,
) -> Reconciliation:
    """Compare the service's own figures with the sums of the transactions.

    The balance of an account is the sum of its transactions; that of a loan also contains interest
    and escrow, which are calculated with the service's rule. The activity of a category in a
    month is the sum of its rows in that month in budget accounts; a split counts with its parts.
    A transfer between two budget accounts counts in no category. Any other row without a category
    counts in ``Uncategorized``.

    Parameters
    ----------
    accounts, month_categories : DataFrame
        The service's figures: the frames of these names from one export. ``attrs["loans"]`` of the
        accounts has the terms of the loans.
    transactions, subtransactions : DataFrame
        The complete ledger: all years, unfiltered.

    Returns
    -------
    Reconciliation
        A row for each account, and for each category and month, that either side has. A row that
        is missing on one side counts as zero there.

    Notes
    -----
    Three kinds of rows are expected to differ. If they do, ``reason`` states it:

    * categories of the group ``Credit Card Payments``: their activity is the money that the
      service moves to them when spending on the card is covered, and out of them when the card
      is paid. No transaction has one of these categories.
    * rows without a category, if the service has no category ``Uncategorized`` to compare with.
    * loans, if interest and escrow explain the difference to the milliunit. Otherwise the rest is
      in ``unexplained_milliunits``, and the row does not agree.

    All sums are sums of integer milliunits. ``n / 1000`` is the float nearest to the quotient.
    Multiplied by 1000 it differs from ``n`` by less than one half for every ``n`` below 2**51 (two
    trillion currency units), so that rounding restores ``n``.
    """
    frame = pd.concat(
        [
            _accounts(accounts, transactions, subtransactions),
            _category_months(accounts, month_categories, transactions, subtransactions),
        ],
        ignore_index=True,
    )
    return Reconciliation(frame)


def _accounts(
    accounts: pd.DataFrame, transactions: pd.DataFrame, subtransactions: pd.DataFrame
) -> pd.DataFrame:
    key = ["account_id"]
    rows = _compared(accounts, "balance", transactions, key)
    rows["account_name"] = _names(rows, "account", accounts, transactions)
    rows = rows.sort_values(["account_name", "account_id"], kind="stable", ignore_index=True)
    loans = {loan.account_id: loan for loan in _loans(accounts, transactions, subtransactions)}
    for name in ("interest", "escrow"):
        sums = {key: sum(getattr(each, name) for each in loan.costs) for key, loan in loans.items()}
        rows[f"{name}_milliunits"] = [sums.get(key, 0) for key in rows["account_id"]]
    explained = rows["interest_milliunits"] + rows["escrow_milliunits"]
    rows["unexplained_milliunits"] = rows["difference_milliunits"] - explained
    is_loan = (explained != 0) & (rows["unexplained_milliunits"] == 0)
    return _typed(rows, _ACCOUNT, [LOAN_COSTS if each else None for each in is_loan])


def _loans(
    accounts: pd.DataFrame, transactions: pd.DataFrame, subtransactions: pd.DataFrame
) -> list[LoanHistory]:
    """The loans among the accounts, with the interest and escrow that the rows do not record."""
    keys = [each["account_id"] for each in accounts.attrs.get("loans", ())]
    if not keys:
        return []
    of_loans = transactions[transactions["account_id"].isin(keys).to_numpy(bool)]
    is_part = subtransactions["transaction_id"].isin(of_loans["transaction_id"]).to_numpy(bool)
    rows = leaves(of_loans.reset_index(drop=True), subtransactions[is_part])
    rows["is_starting_balance"] = is_starting_balance(rows)
    rows.attrs = dict(accounts.attrs)
    return loan_histories(rows)


def _category_months(
    accounts: pd.DataFrame,
    month_categories: pd.DataFrame,
    transactions: pd.DataFrame,
    subtransactions: pd.DataFrame,
) -> pd.DataFrame:
    group, name = month_categories["category_group_name"], month_categories["category_name"]
    is_uncategorized = (group == INTERNAL_GROUP) & (name == UNCATEGORIZED)
    uncategorized = month_categories.loc[is_uncategorized, "category_id"]
    no_category = "" if uncategorized.empty else str(uncategorized.iloc[0])

    booked = leaves(transactions, subtransactions)
    booked = booked[counted(booked, accounts)].copy()
    booked["category_id"] = booked["category_id"].fillna(no_category)
    booked["category_name"] = booked["category_name"].fillna(UNCATEGORIZED)
    booked["month"] = _first_days(booked["date"])
    service = month_categories.assign(month=_first_days(month_categories["month"]))
    rows = _compared(service, "activity", booked, ["month", "category_id"])

    rows["category_group_name"] = _looked_up(rows["category_id"], service, "category_group_name")
    rows["category_name"] = _names(rows, "category", service, booked)
    order = ["month", "category_group_name", "category_name", "category_id"]
    rows = rows.sort_values(order, kind="stable", ignore_index=True)

    differs = rows["difference_milliunits"] != 0
    is_card, has_none = rows["category_group_name"] == CARD_GROUP, rows["category_id"] == ""
    reasons = np.full(len(rows), None, dtype=object)
    reasons[(differs & is_card).to_numpy(bool)] = CARD_PAYMENTS
    reasons[(differs & has_none).to_numpy(bool)] = NO_UNCATEGORIZED
    rows["category_id"] = rows["category_id"].mask(has_none)
    has_reason = pd.Series(reasons, index=rows.index).notna()
    rows["unexplained_milliunits"] = rows["difference_milliunits"].mask(has_reason, 0)
    return _typed(rows, _CATEGORY_MONTH, reasons.tolist())


def _compared(
    service: pd.DataFrame, figure: str, ledger: pd.DataFrame, key: list[str]
) -> pd.DataFrame:
    """The figures of both sides by key, and their difference."""
    stated = service[key].assign(of_service=exact(service, figure), of_ledger=0, known=True)
    booked = ledger[key].assign(of_service=0, of_ledger=exact(ledger), known=False)
    # A sum over both sides: a join would turn the integers into floats if a side is missing.
    rows = pd.concat([stated, booked], ignore_index=True).groupby(key, sort=False)
    sums = rows[["of_service", "of_ledger"]].sum().assign(known=rows["known"].any()).reset_index()
    sums["service"] = (sums["of_service"] / MILLIUNITS).where(sums["known"])
    sums["ledger"] = sums["of_ledger"] / MILLIUNITS
    sums["difference_milliunits"] = sums["of_ledger"] - sums["of_service"]
    return sums.assign(interest_milliunits=0, escrow_milliunits=0)


def _first_days(days: pd.Series[Any]) -> Any:
    return days.to_numpy().astype("datetime64[M]").astype("datetime64[us]")


def _names(
    rows: pd.DataFrame, entity: str, service: pd.DataFrame, ledger: pd.DataFrame
) -> pd.Series[str]:
    """The names that the service states, otherwise the newest names in the ledger."""
    key, name = f"{entity}_id", f"{entity}_name"
    names = _looked_up(rows[key], service, name)
    if names.isna().any():
        newest_last = ledger[ledger[key].isin(rows.loc[names.isna(), key])]
        newest_last = newest_last.sort_values(["date", name])
        names = names.fillna(_looked_up(rows[key], newest_last, name))
    return names


def _looked_up(keys: pd.Series[str], rows: pd.DataFrame, column: str) -> pd.Series[str]:
    """A column of the last row of each key; missing for keys without a row."""
    by_key = rows.drop_duplicates(str(keys.name), keep="last").set_index(str(keys.name))
    # As objects: the result of a look-up in an empty frame would be floats.
    return keys.map(by_key[column].astype(object)).astype(object)


def _typed(rows: pd.DataFrame, subject: str, reasons: list[str | None]) -> pd.DataFrame:
    """All columns with their dtypes, including the columns that the subject does not have."""
    given: dict[str, list[Any]] = {"subject": [subject] * len(rows), "reason": reasons}
    typed = {}
    for column in COLUMNS:
        if column.name in given:
            typed[column.name] = column.array(given[column.name])
        elif column.name not in rows:
            typed[column.name] = column.array([None] * len(rows))
        elif column.dtype == "str":
            texts = rows[column.name].astype(object)
            typed[column.name] = column.array(texts.where(texts.notna(), None).tolist())
        else:
            typed[column.name] = rows[column.name].to_numpy(column.dtype)
    return pd.DataFrame(typed)


def _difference_text(row: dict[Any, Any]) -> str:
    difference = row.get("unexplained_milliunits", row["difference_milliunits"])
    by = _amount_text(difference)
    if row["subject"] == _ACCOUNT:
        costs = row.get("interest_milliunits", 0) + row.get("escrow_milliunits", 0)
        beyond = f", beyond {_amount_text(costs)} of interest and escrow" if costs else ""
        return f"{printable(row['account_name'])} by {by}{beyond}"
    return f"{printable(row['category_name'])} {row['month']:%Y-%m} by {by}"


def _amount_text(amount: int) -> str:
    """An amount in milliunits as text, with two decimals, or with three if it has them."""
    units, thousandths = divmod(abs(amount), MILLIUNITS)
    decimals = f"{thousandths:03d}"
    sign = "-" if amount < 0 else ""
    return f"{sign}{units:,}.{decimals[:2]}{decimals[2].rstrip('0')}"

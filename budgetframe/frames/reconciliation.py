"""The frame of a reconciliation: the service's own figures beside the sums of the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any

import pandas as pd

from budgetframe._milliunits import to_currency
from budgetframe._runtime.text import number_of, printable, visible

from .display import Layout
from .number_text import in_currency
from .schema import Column

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

DELETED_SPLITS = (
    "deleted split: the service leaves its amounts in the activity until another transaction of the"
    " category is written"
)
"""Reason for differences of a category in a month that the parts of deleted splits explain."""

_SUBJECTS = ACCOUNT, CATEGORY_MONTH, AVAILABLE = "account", "category month", "available amount"
"""The kinds of rows; the last one is only in the app's own export."""

PARTS = ("cleared", "uncleared")  # the parts of a balance that are compared too

_KINDS = {
    CARD_PAYMENTS: "card payment",
    NO_UNCATEGORIZED: "uncategorized",
    LOAN_COSTS: "loan",
    DELETED_SPLITS: "deleted split",
}
_MAX_NAMED = 3  # number of differing rows that a summary names

RECONCILIATION = (
    Column("subject", "category", "", "kind of the row", vocabulary=_SUBJECTS),
    Column("month", "datetime64[us]", "", "first day of the month; missing for accounts"),
    Column("account_name", "str", "", "name of the account"),
    Column("category_group_name", "str", "", "name of its group"),
    Column("category_name", "str", "", "name of the category"),
    Column("service", "float64", "currency", "its figure; missing: the service has none"),
    Column("ledger", "float64", "currency", "figure that the transactions make"),
    Column("difference_milliunits", "int64", "milliunits", "ledger minus service"),
    Column("interest_milliunits", "int64", "milliunits", "part of it: interest of a loan"),
    Column("escrow_milliunits", "int64", "milliunits", "part of it: escrow of a loan"),
    Column("unexplained_milliunits", "int64", "milliunits", "part of it without a known reason"),
    *(
        Column(f"{name}_milliunits", "int64", "milliunits", f"the same of the {name} balance")
        for name in PARTS
    ),
    Column("reason", "str", "", "reason of an expected difference; otherwise missing"),
    Column("account_id", "str", "", "key of the account; missing for category months"),
    Column("category_id", "str", "", "key of the category; missing for accounts"),
)
"""Columns of a reconciliation."""

_UNEXPLAINED = tuple(f"{name}_milliunits" for name in ("unexplained", *PARTS))
_LAYOUT = Layout.of(RECONCILIATION)


class Reconciliation(pd.DataFrame):
    """One row per account and per category and month, with both figures and their difference.

    `ok` and `summary` state the result. A selection of rows is an ordinary DataFrame, because the
    result for a part would say nothing about the whole.

    `BudgetFrame.reconcile` explains the columns. Accounts come first, sorted by name; then the
    months, each sorted by group and category.
    """

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
            form = self.attrs.get("currency_format")
            rows = wrong.head(_MAX_NAMED).to_dict("records")
            named = [_difference_text(row, form) for row in rows]
            if len(wrong) > _MAX_NAMED:
                named.append(f"{len(wrong) - _MAX_NAMED:,} more")
            verb = "differs" if len(wrong) == 1 else "differ"
            return f"{len(wrong):,} of {number_of(len(self), 'row')} {verb}: {', '.join(named)}"
        agree = self["difference_milliunits"] == 0
        subjects = self["subject"]
        kinds = [kind for kind in _SUBJECTS if kind != AVAILABLE or (subjects == kind).any()]
        *others, last = (number_of(int((agree & (subjects == kind)).sum()), kind) for kind in kinds)
        agreed = f"{', '.join(others)} and {last} agree"
        return "; ".join([agreed, *self._expected_differences()])

    def _repr_html_(self) -> str | None:
        table: str | None = super()._repr_html_()  # type: ignore[misc]  # not in pandas-stubs
        verdict, summary = "agrees" if self.ok else "does not agree", escape(visible(self.summary))
        return table and f"<p><strong>{verdict}</strong>: {summary}</p>{table}"

    def _layout(self) -> Layout:
        return _LAYOUT

    def _unexplained(self) -> Any:
        return (self[[*_UNEXPLAINED]] != 0).any(axis=1)

    def _expected_differences(self) -> Iterator[str]:
        differ = self["difference_milliunits"] != 0
        for reason, kind in _KINDS.items():
            count = int((differ & (self["reason"] == reason)).sum())
            if count:
                verb = "differs" if count == 1 else "differ"
                yield f"{number_of(count, f'{kind} row')} {verb} as expected"


def unexplained_differences(result: Reconciliation) -> frozenset[tuple[Any, ...]]:
    """The rows that do not agree: key, month, and the differences in milliunits."""
    # The month of an account is empty. The summary also counts the rows that agree; this stays the
    # same while a difference does.
    wrong = result[result._unexplained().to_numpy(bool)]  # noqa: SLF001 - of the same module
    keys = wrong["account_id"].fillna(wrong["category_id"])
    months = wrong["month"].dt.strftime("%Y-%m").fillna("")
    amounts = (wrong[name].tolist() for name in _UNEXPLAINED)
    return frozenset(zip(keys, months, *amounts, strict=True))


def _difference_text(row: dict[Any, Any], form: Mapping[str, Any] | None) -> str:
    figure = next(name for name in _UNEXPLAINED if row[name])
    by = in_currency(to_currency(row[figure]), form, exact=True)
    if figure != _UNEXPLAINED[0]:
        part = figure.removesuffix("_milliunits")
        return f"{printable(row['account_name'])} ({part} balance) by {by}"
    if row["subject"] == ACCOUNT:
        costs = row["interest_milliunits"] + row["escrow_milliunits"]
        amount = in_currency(to_currency(costs), form, exact=True)
        beyond = f", beyond {amount} of interest and escrow" if costs else ""
        return f"{printable(row['account_name'])} by {by}{beyond}"
    of = " (available)" if row["subject"] == AVAILABLE else ""
    return f"{printable(row['category_name'])} {row['month']:%Y-%m}{of} by {by}"

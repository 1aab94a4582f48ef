"""What comes in and goes out: income against spending, spending by whatever it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from budgetframe.frames import LEDGER, Column
from budgetframe.frames.dates import Day
from budgetframe.frames.schema import CURRENCY

from .ledger_rows import (
    TRANSFERS,
    By,
    Grouped,
    Transfers,
    disambiguated,
    grouped,
    spent_rows,
    spread,
    transfer_mask,
)
from .periods import Freq, Span, check_choice, first_days, months_between, span_of
from .report import Report, make_report, on_canvas, register
from .sums import currency, divide_rounded, grid, require_columns

__all__ = ["income_expense", "spending"]

if TYPE_CHECKING:
    from budgetframe.reports.plotting.canvas import Canvas

_LEDGER = [column.name for column in LEDGER]
_KINDS = ("is_income", "is_spending", "is_uncategorized", "is_starting_balance")
_MOST_BARS = 15
_SPENT_RULE = (
    "Spent: what has a category on budget, net of refunds; below zero where these are more."
)


def income_expense(
    ledger: pd.DataFrame,
    *,
    freq: Freq = "month",
    transfers: Literal["to_tracking", "none"] = "to_tracking",
    since: Day | None = None,
    until: Day | None = None,
) -> Report:
    """Income, spending and what is left, by month, quarter or year.

    Income is what arrives in ``Inflow: Ready to Assign`` in accounts on budget; spending is
    everything that has a category, net of refunds. Starting balances are neither, and have their
    own column, as has what nobody gave a category yet. All of it together, and the transfers
    within the budget, is how the balance of the accounts on budget changed.

    Parameters
    ----------
    ledger : DataFrame
        ``bf.ledger()``.
    freq : {"month", "quarter", "year", "all"}
        What the rows are. Those without any transactions are there, with zeros.
    transfers : {"to_tracking", "none"}
        Which transfers count: those to tracking accounts, as payments of loans and savings that
        leave the budget, by their category; or none at all. Those within the budget cancel out.
    since, until : str, date or Timestamp, optional
        First and last day; by default that of the first transaction, and the day that the ledger
        was asked for, or that of its last transaction where that is later.

    Returns
    -------
    Report
        Rows sorted by period; the same columns and dtypes when there are none.

    Raises
    ------
    ToolError
        When the frame is not a ledger, or an argument cannot be right.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> yearly = bf.reports.income_expense(freq="year", until="2025-12-31")
    >>> yearly["savings_rate"].round(2).tolist()
    [0.12, 0.13, 0.11]
    """
    require_columns(ledger, _LEDGER, "ledger")
    check_choice(freq, "freq", Freq)
    span = span_of(ledger, "date", since, until)
    check_choice(transfers, "transfers", ("to_tracking", "none"))
    may_count = transfer_mask(ledger, transfers)
    on_budget = ledger["on_budget"].to_numpy(bool)
    kinds = [ledger[kind].to_numpy(bool) & on_budget & may_count for kind in _KINDS]
    rows = ledger[["date", "amount"]].assign(label=np.select(kinds, range(len(kinds)), -1))
    values: dict[str, Any] = {}
    if span is not None:
        rows = _within(rows[rows["label"] >= 0], span, freq)
        starts = span.starts(freq)
        income, spent, unnamed, opening = grid(rows, len(_KINDS), starts)
        net = income + spent + unnamed
        values = {
            "period": starts,
            "income": currency(income),
            "spent": currency(-spent),
            "uncategorized": currency(-unnamed),
            "net": currency(net),
            "savings_rate": np.where(income > 0, net / np.where(income > 0, income, 1), np.nan),
            "starting_balances": currency(opening),
        }
    return make_report(
        _INCOME_EXPENSE,
        values,
        of=[ledger],
        freq=freq,
        rules=[
            "Income: what arrives in Inflow: Ready to Assign on budget, corrections included.",
            _SPENT_RULE,
            TRANSFERS[transfers],
            "Starting balances are neither; what has no category yet has its own column.",
            "Net = income - spent - uncategorized; savings rate = net / income.",
            "" if span is None else span.rule,
        ],
    )


def spending(
    ledger: pd.DataFrame,
    by: By = "category",
    *,
    freq: Freq = "all",
    transfers: Transfers = "to_tracking",
    uncategorized: bool = True,
    average: Literal["all", "active"] = "all",
    since: Day | None = None,
    until: Day | None = None,
) -> Report:
    """Spending by category, group, payee, account, flag, hashtag, or names of your own.

    Spending is positive and net of refunds: where more came back than went out, it is below zero
    and stays there. Sums by category are the service's own activity, with the sign turned.

    Parameters
    ----------
    ledger : DataFrame
        ``bf.ledger()``.
    by : {"category", "group", "payee", "account", "flag", "hashtag"} or mapping
        What the rows are. A category of the same name in two groups is two rows. A hashtag is a
        word after ``#`` in the memo; a row with two of them counts for both. A mapping gives names
        of your own to groups, categories, flags and hashtags, ``{"Home": "fixed", "Groceries":
        "daily", "#holiday": "fun"}``: a group by its name, a category by name or key, a flag by
        colour or name. Of several that fit, the one later in this order decides. What it does not
        name is one row, whose label is missing.
    freq : {"all", "month", "quarter", "year"}
        Whether to give one row for the whole time or one for each period; a period without any
        spending is a row with zero.
    transfers : {"to_tracking", "none", "all"}
        Which transfers count: those to tracking accounts, as payments of loans, by their category;
        none at all; or also those between two accounts of the budget, which have no category.
    uncategorized : bool
        Whether to show what nobody gave a category yet, as ``Uncategorized``.
    average : {"all", "active"}
        What ``average`` divides by: all calendar months of the period, from the first day that
        counts to the last one, or those with a row.
    since, until : str, date or Timestamp, optional
        First and last day; by default that of the first transaction, and the day that the ledger
        was asked for, or that of its last transaction where that is later.

    Returns
    -------
    Report
        First the columns that name a row, by what was asked for: ``category_id``,
        ``category_group_name`` and ``category_name``; ``category_group_id`` and
        ``category_group_name``; ``payee_id`` and ``payee_name``; ``account_id`` and
        ``account_name``; ``flag_color`` and ``flag_name``; ``hashtag``; or ``label``. Rows sorted
        by period, then by the spending of the whole time, the largest first; the same columns and
        dtypes when there are none.

    Raises
    ------
    ToolError
        When the frame is not a ledger, or an argument cannot be right.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> spent = bf.reports.spending(since="2026-05-01", until="2026-05-31")
    >>> may = bf.month("2026-05").set_index("category_id")["activity"]
    >>> named = spent.dropna(subset="category_id").set_index("category_id")["spent"]
    >>> bool((named == -may[named.index]).all())
    True
    """
    require_columns(ledger, _LEDGER, "ledger")
    check_choice(freq, "freq", Freq)
    check_choice(average, "average", ("all", "active"))
    span = span_of(ledger, "date", since, until)
    rows = _within(spent_rows(ledger, transfers, uncategorized=uncategorized), span, freq)
    found = grouped(rows, by, ledger)
    values: dict[str, Any] = {}
    if span is not None:
        every = -grid(rows.assign(label=0), 1, span.starts(freq))[0]
        values = _spent(found, every, span, freq, average)
    over = "all months" if average == "all" else "the months with a row"
    return make_report(
        _SPENDING,
        values,
        of=[ledger],
        keys=found.keys,
        freq=freq,
        by="own" if not isinstance(by, str) else by,
        rules=[
            _SPENT_RULE,
            TRANSFERS[transfers],
            "What has no category yet is shown as Uncategorized."
            if uncategorized
            else "What has no category yet is left out.",
            "A row with several hashtags counts for each of them." if by == "hashtag" else "",
            f"Average: a month, over {over} of the period, rounded to the thousandth.",
            "" if span is None else span.rule,
        ],
    )


def _spent(found: Grouped, every: Any, span: Span, freq: Freq, average: str) -> dict[str, Any]:
    starts, ends = span.starts(freq), span.ends(freq)
    table = -grid(found.rows, len(found.labels), starts)
    order = np.argsort(-table.sum(axis=1), kind="stable")
    labels, table = found.labels.take(order), table[order]
    firsts = np.maximum(starts, np.datetime64(span.first, "us"))
    counts = np.broadcast_to(months_between(firsts, ends), table.shape)
    if average == "active":
        months = first_days(found.rows["date"], "month", span)
        active = found.rows[["label", "period"]].assign(month=months).drop_duplicates()
        counts = np.zeros_like(table)
        at = np.searchsorted(starts, active["period"].to_numpy())
        np.add.at(counts, (active["label"].to_numpy("int64"), at), 1)
        counts = counts[order]
    return spread(labels, len(starts)) | {
        "period": np.repeat(starts, len(labels)),
        "spent": currency(table.T.reshape(-1)),
        "share": np.where(every > 0, table / np.where(every > 0, every, 1), np.nan).T.reshape(-1),
        "months": counts.T.reshape(-1),
        "average": currency(divide_rounded(table, counts).T.reshape(-1)),
    }


def _within(rows: pd.DataFrame, span: Span | None, freq: Freq) -> pd.DataFrame:
    """The rows of a span, with their periods."""
    if span is None:
        return rows.iloc[:0].assign(period=rows["date"].iloc[:0])
    kept = rows.loc[span.holds(rows["date"])]
    return (
        pd.DataFrame(kept)
        .assign(period=first_days(kept["date"], freq, span))
        .reset_index(drop=True)
    )


def _draw_income_expense(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table = frame.set_index("period")[["income", "spent"]]
    canvas.bars(table, [canvas.theme.plus, canvas.theme.minus])
    canvas.over(frame["net"], "net")
    return canvas.title("Income and spending")


def _draw_spending(frame: pd.DataFrame, canvas: Canvas) -> Any:
    own = {column.name for column in _SPENDING.columns}
    names = [name for name in frame.columns if name not in own]
    key = pd.factorize(pd.MultiIndex.from_frame(frame[names]))[0]
    shown = frame[names[-1]]
    if "category_name" in names:
        shown = disambiguated(frame, "category_group_name", "category_name")
    by_key = frame.assign(key=key, shown=shown)
    table = by_key.pivot(index="period", columns="key", values="spent")
    labels = by_key.drop_duplicates("key").set_index("key")["shown"]
    largest = table.sum().sort_values(ascending=False, kind="stable").index
    if len(table) == 1:
        sums = table.iloc[0][largest]
        canvas.lying(sums.set_axis(labels[largest]), most=_MOST_BARS)
        text = f"Spending: {canvas.amount(sums.sum())}"
        if canvas.by == "hashtag":  # a row with two of them is in both: it has no sum
            text = "Spending by hashtag"
        return canvas.title(text, legend=False)
    most = canvas.most_lines - 1
    parts = table[largest[:most]].rename(columns=dict(labels))
    if len(largest) > most:
        others = table[largest[most:]].sum(axis=1).rename("others")
        parts = pd.concat([parts, others], axis=1)  # beside one that may be called so
    canvas.bars(parts, canvas.theme.series[: len(parts.columns)], stacked=True)
    return canvas.title("Spending over time")


_PERIOD = Column("period", "datetime64[us]", "", "first day of the period")
_SPENT = Column("spent", "float64", CURRENCY, "outflow net of refunds; below zero: more came back")

_INCOME_EXPENSE = register(
    income_expense,
    (
        _PERIOD,
        Column("income", "float64", CURRENCY, "received to be assigned"),
        _SPENT,
        Column("uncategorized", "float64", CURRENCY, "outflow without a category, net"),
        Column("net", "float64", CURRENCY, "income less both"),
        Column("savings_rate", "float64", "share", "net of income; missing without income"),
        Column("starting_balances", "float64", CURRENCY, "what accounts on budget began with"),
    ),
    on_canvas(_draw_income_expense),
)
_SPENDING = register(
    spending,
    (
        _PERIOD,
        _SPENT,
        Column("share", "float64", "share", "of all spending of the period; missing without any"),
        Column("months", "int64", "months", "that the average is taken over"),
        Column("average", "float64", CURRENCY, "spent a month"),
    ),
    on_canvas(_draw_spending),
)

"""The number of days that the money of the budget accounts lasts."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import pandas as pd

from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.money import currency, exact
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.ledger_rows import (
    LEDGER_COLUMNS,
    TRANSFER_RULES,
    Transfers,
    left_out_rows,
    spending_rows,
    uncategorized_rule,
)
from ._shared.loan_rule import cost_rows, loan_histories
from ._shared.periods import DAY, CalendarFreq, WeekDay, freq_of, require_full_history, span_of
from ._shared.recurring_rows import recurring_income
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import OVER_TIME, InCurrency, register
from ._shared.row_filters import RowFilters, row_filter
from ._shared.row_source import CountedRows, RowSource, numbered
from ._shared.sentences import days_sentence
from ._shared.stated_balances import STATE_DATE, balance_rules, stated_differences
from ._shared.sums import divide_rounded, required_frame


@report_function
def runway(
    ledger: pd.DataFrame | ArrowTable,
    *,
    window: int = 90,
    freq: CalendarFreq = "month",
    week_starts: WeekDay = "monday",
    transfers: Transfers = "to_tracking",
    uncategorized: bool = True,
    interest: bool = True,
    since: Day | None = None,
    until: Day | None = None,
    **filters: Unpack[RowFilters],
) -> Report:
    """Number of days that the money of the budget accounts lasts, at the recent rate of spending.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.runway`.

    The ledger must be complete: without its first rows, the balances would be wrong.

    Payments to tracking accounts are spending. An account that does not count has neither balance
    nor spending; the balance does not depend on the categories, so that `exclude_categories` can
    leave out spending that would stop without income. The service keeps loans in tracking accounts,
    so that `interest` only matters for a loan on budget.

    The number of days is zero if no money is left.
    """
    ledger = required_frame(ledger, LEDGER_COLUMNS, "ledger")
    freq = freq_of(freq, week_starts)
    require_full_history(ledger)
    on_budget = numbered(ledger)[ledger["on_budget"].to_numpy(bool)]
    differences = stated_differences(ledger, interest=interest)
    known = [ledger, differences]
    kept = row_filter(known, filters, on_budget=True)
    in_accounts = kept.rows(on_budget, "accounts")
    differences = kept.rows(differences[differences["on_budget"].to_numpy(bool)], "accounts")
    spent = spending_rows(kept.rows(on_budget), transfers, uncategorized=uncategorized)
    span = span_of(ledger, "date", since, until, to_today=True)
    histories = loan_histories(in_accounts, interest=interest)
    values: dict[str, Any] = {}
    starts = ends = np.zeros(0, dtype="datetime64[us]")
    if span is not None and len(ledger):
        ends = span.ends(freq)
        starts = ends - (window - 1) * DAY
        costs = cost_rows(histories, differences, ledger)
        sums = costs["unexplained"] - costs["interest"] - costs["escrow"]
        costs["amount"] = currency(sums.to_numpy())
        balance = _sum_until(in_accounts, ends) + _sum_until(costs, ends)
        outflow = -(_sum_until(spent, ends) - _sum_until(spent, starts - DAY))
        is_known = starts >= np.datetime64(ledger["date"].min(), "us")
        has_spending = is_known & (outflow > 0)
        expected = [each.next_day for each in recurring_income(in_accounts, span.last)]
        payday: Any = max(pd.Timestamp(min(expected)), span.last) if expected else pd.NaT
        is_last = (ends == ends[-1]) & bool(expected)
        ahead = (payday - span.last).days if expected else 0
        needed = divide_rounded(outflow * ahead, window)
        days = np.maximum(balance, 0) * window / np.where(has_spending, outflow, 1)
        values = {
            "date": ends,
            "balance": currency(balance),
            "spent": np.where(is_known, currency(outflow), np.nan),
            "per_day": np.where(is_known, currency(divide_rounded(outflow, window)), np.nan),
            "days": np.where(has_spending, days, np.nan),
            "payday": np.where(is_last, payday.to_datetime64(), np.datetime64("NaT", "us")),
            "until_payday": np.where(is_known & is_last, currency(needed), np.nan),
        }
    behind = {"spent": CountedRows(spent).behind(first=starts, last=ends)}
    behind["balance"] = CountedRows(in_accounts).behind(last=ends)
    return make_report(
        _RUNWAY, values, of=[ledger], freq=freq, filters=kept.given or None,
        left_out=left_out_rows(kept.rows(on_budget), span, transfers, uncategorized=uncategorized),
        rows=RowSource(ledger, ("date",), behind),
        rules=[
            "Balance: all budget accounts of the ledger that count, minus the debts on cards.",
            f"Spending: the last {window} days, net of refunds.",
            TRANSFER_RULES[transfers],
            uncategorized_rule(counts=uncategorized),
            *kept.rules,
            "Days are missing if the window begins before the first transaction or lacks spending.",
            _PAYDAY_RULE,
            *balance_rules(histories, differences, ledger, span, interest=interest),
        ],
    )  # fmt: skip


_PAYDAY_RULE = (
    "Payday: in the last row, the next expected day of recurring income in these accounts, as in"
    " recurring(income=True); it is the day of the row if the income is late. Until payday: the"
    " spending of the window, times the days until then, divided by the window, with one rounding"
    " to a thousandth, halves away from zero."
)


def _sum_until(rows: pd.DataFrame, days: Any) -> Any:
    """The sum of all rows up to each day, in milliunits."""
    ordered = rows.sort_values("date", kind="stable")
    sums = np.append(0, np.cumsum(exact(ordered)))
    return sums[np.searchsorted(ordered["date"].to_numpy(), days, side="right")]


def _draw_runway(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table = frame.set_index("date")[["days"]]
    trends = canvas.trends(table, unit="days")
    canvas.lines(table, [canvas.theme.plus], unit="days")
    canvas.draw_trends(trends, at_days=True)
    canvas.ax.set_ylim(bottom=min(0, frame["days"].min()) if frame["days"].notna().any() else 0)
    last = frame["days"].iloc[-1]
    text = "unknown" if pd.isna(last) else f"{canvas.number(last)} days"
    return canvas.title(f"{canvas.heading('Runway', frame)}: {text}", legend=False)


def _sentence(frame: pd.DataFrame, _money: InCurrency) -> str:
    days = frame.set_index("date")["days"]
    return days_sentence(days, "The money of the budget accounts lasts {}", frame)


_COLUMNS = (
    STATE_DATE,
    Column("balance", "float64", CURRENCY, "balance of the accounts that count"),
    Column("spent", "float64", CURRENCY, "spending in the window"),
    Column("per_day", "float64", CURRENCY, "mean spending per day"),
    Column("days", "float64", "days", "number of days the balance lasts; missing: unknown"),
    Column("payday", "datetime64[us]", "", "next expected income, in the last row; else missing"),
    Column("until_payday", "float64", CURRENCY, "spending expected until then; else missing"),
)
_RUNWAY = register(
    runway, _COLUMNS, on_canvas(_draw_runway), main="balance", sentence=_sentence, kinds=OVER_TIME
)

"""How long the money lasts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames import LEDGER, Column
from budgetframe.frames.dates import Day
from budgetframe.frames.schema import CURRENCY

from .ledger_rows import TRANSFERS, Transfers, left_out, spent_rows
from .periods import Often, check_choice, require_full_history, span_of
from .report import Report, make_report, on_canvas, register
from .sums import currency, divide_rounded, exact, require_columns

__all__ = ["runway"]

if TYPE_CHECKING:
    from budgetframe.reports.plotting.canvas import Canvas

_DAY = np.timedelta64(1, "D")


def runway(
    ledger: pd.DataFrame,
    *,
    window: int = 90,
    freq: Often = "month",
    exclude_accounts: Sequence[str] = (),
    exclude_categories: Sequence[str] = (),
    transfers: Transfers = "to_tracking",
    uncategorized: bool = True,
    since: Day | None = None,
    until: Day | None = None,
) -> Report:
    """For how many days the money on budget lasts, at the pace of the days before.

    The balance of the accounts on budget over the mean daily spending of the last `window` days.
    What is owed on credit cards counts against the balance; payments to tracking accounts are
    spending; refunds make it less.

    Parameters
    ----------
    ledger : DataFrame
        All of ``bf.ledger()``: without its beginning, the balance begins at a wrong zero.
    window : int
        Days over which spending is averaged, the day of the row included.
    freq : {"month", "quarter", "year"}
        How often. The last row is of the last day, whatever day that is.
    exclude_accounts : sequence of str
        Names or keys of accounts on budget that do not count, neither their balance nor what is
        spent from them.
    exclude_categories : sequence of str
        Names or keys of categories, or names of groups, whose spending does not count: what would
        not be paid if there were nothing coming in.
    transfers : {"to_tracking", "none", "all"}
        Which transfers are spending, as for `spending`.
    uncategorized : bool
        Whether what nobody gave a category yet is spending.
    since, until : str, date or Timestamp, optional
        First and last day to show; by default that of the first transaction, and the day (UTC)
        that the ledger was asked for.

    Returns
    -------
    Report
        Rows sorted by date; the same columns and dtypes when there are none. Where the window
        begins before the first transaction, or nothing was spent in it, the days are missing;
        where nothing is left, they are zero.

    Raises
    ------
    ToolError
        When the frame is not a ledger, or an argument cannot be right.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> bf.reports.runway(exclude_categories=["Savings"])["days"].tail(1).round(1).tolist()
    [280.6]
    """
    require_columns(ledger, [column.name for column in LEDGER], "ledger")
    check_choice(freq, "freq", Often)
    require_full_history(ledger)
    if window < 1:
        raise ToolError(f"window={window}: average over at least one day")
    on_budget = ledger[ledger["on_budget"].to_numpy(bool)]
    in_account = ~left_out(on_budget, exclude_accounts, "account")
    in_category = ~left_out(on_budget, exclude_categories, "category")
    kept = on_budget[in_account]
    spent = spent_rows(on_budget[in_account & in_category], transfers, uncategorized=uncategorized)
    span = span_of(ledger, "date", since, until, to_today=True)
    values: dict[str, Any] = {}
    if span is not None and len(ledger):
        ends = span.ends(freq)
        begins = ends - (window - 1) * _DAY
        balance = _until(kept, ends)
        outflow = -(_until(spent, ends) - _until(spent, begins - _DAY))
        is_known = begins >= np.datetime64(ledger["date"].min(), "us")
        is_running = is_known & (outflow > 0)
        days = np.maximum(balance, 0) * window / np.where(is_running, outflow, 1)
        values = {
            "date": ends,
            "balance": currency(balance),
            "spent": np.where(is_known, currency(outflow), np.nan),
            "per_day": np.where(is_known, currency(divide_rounded(outflow, window)), np.nan),
            "days": np.where(is_running, days, np.nan),
        }
    return make_report(
        _RUNWAY,
        values,
        of=[ledger],
        freq=freq,
        rules=[
            "Balance: all accounts on budget, what is owed on cards taken off.",
            f"Spending: the last {window} days, net of refunds.",
            TRANSFERS[transfers],
            f"What has no category yet {'counts' if uncategorized else 'is left out'}.",
            _without("accounts", exclude_accounts),
            _without("categories", exclude_categories),
            "Missing where the window begins before the first transaction, or nothing was spent.",
            "" if span is None else span.rule,
        ],
    )


def _until(rows: pd.DataFrame, days: Any) -> Any:
    """The sum of the rows up to each day, in milliunits."""
    ordered = rows.sort_values("date", kind="stable")
    sums = np.append(0, np.cumsum(exact(ordered)))
    return sums[np.searchsorted(ordered["date"].to_numpy(), days, side="right")]


def _without(what: str, names: Sequence[str]) -> str:
    named = [names] if isinstance(names, str) else list(names)
    return f"Without the {what} {', '.join(named)}." if named else ""


def _draw_runway(frame: pd.DataFrame, canvas: Canvas) -> Any:
    canvas.lines(frame.set_index("date")[["days"]], [canvas.theme.plus])
    canvas.days()
    canvas.ax.set_ylim(bottom=min(0, frame["days"].min()) if frame["days"].notna().any() else 0)
    last = frame["days"].iloc[-1]
    text = "unknown" if pd.isna(last) else f"{last:,.0f} days"
    return canvas.title(f"The money on budget lasts {text}", legend=False)


_RUNWAY = register(
    runway,
    (
        Column("date", "datetime64[us]", "", "day that it is the state of, to its end"),
        Column("balance", "float64", CURRENCY, "of the accounts that count"),
        Column("spent", "float64", CURRENCY, "in the window"),
        Column("per_day", "float64", CURRENCY, "spent a day, on average"),
        Column("days", "float64", "days", "that the balance lasts; missing: not known"),
    ),
    on_canvas(_draw_runway),
)

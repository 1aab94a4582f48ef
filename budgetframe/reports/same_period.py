"""This month so far against the same days of earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames import LEDGER, Column
from budgetframe.frames.dates import Day, day_of
from budgetframe.frames.schema import CURRENCY

from .ledger_rows import TRANSFERS, By, Transfers, grouped, spent_rows, spread
from .periods import MONTHS, Often, Span, check_choice, months_later, require_full_history, span_of
from .report import Report, make_report, on_canvas, register
from .sums import currency, grid, require_columns

__all__ = ["same_period"]

if TYPE_CHECKING:
    from budgetframe.reports.plotting.canvas import Canvas

_US = "datetime64[us]"


def same_period(
    ledger: pd.DataFrame,
    by: By | None = None,
    *,
    of: Often = "month",
    every: Literal["period", "year"] = "period",
    count: int = 12,
    transfers: Transfers = "to_tracking",
    uncategorized: bool = True,
    today: Day | None = None,
) -> Report:
    """Spending so far this month, quarter or year, against the same days of earlier ones.

    On the 17th of June the first 17 days of each month are compared; where a month is shorter, all
    of it is. Of a year, or a quarter, it is everything up to the same day of the same month.

    Parameters
    ----------
    ledger : DataFrame
        ``bf.ledger()``.
    by : {"category", "group", "payee", "account", "flag", "hashtag"} or mapping, optional
        What the rows are besides, as for `spending`; by default all of it together.
    of : {"month", "quarter", "year"}
        What is under way.
    every : {"period", "year"}
        Whether to compare with each earlier one, or with the same one of each earlier year: this
        June with the Junes before.
    count : int
        How many earlier ones at the most; none from before the first transaction.
    transfers : {"to_tracking", "none", "all"}
        Which transfers count, as for `spending`.
    uncategorized : bool
        Whether what nobody gave a category yet counts.
    today : str, date or Timestamp, optional
        The last day that counts; by default the day (UTC) that the ledger was asked for.

    Returns
    -------
    Report
        With `by`, first the columns that name a row, as for `spending`. Rows sorted by period,
        then by the spending of the whole time, the largest first; the period under way is the
        last. The same columns and dtypes when there are none.

    Raises
    ------
    ToolError
        When the frame is not a ledger, or an argument cannot be right.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> so_far = bf.reports.same_period(count=2, today="2026-05-31")
    >>> so_far["date"].dt.strftime("%d %b").tolist()
    ['31 Mar', '30 Apr', '31 May']
    """
    require_columns(ledger, [column.name for column in LEDGER], "ledger")
    check_choice(of, "of", Often)
    check_choice(every, "every", ("period", "year"))
    if count < 1:
        raise ToolError(f"count={count}: compare with at least one earlier period")
    last = None if today is None else day_of(today, "today")
    span = span_of(ledger, "date", None, None, to_today=True, today=last)
    rows = spent_rows(ledger, transfers, uncategorized=uncategorized)
    found = None if by is None else grouped(rows, by, ledger)
    labelled = rows.assign(label=0) if found is None else found.rows
    labels = pd.DataFrame(index=range(1)) if found is None else found.labels
    values: dict[str, Any] = {}
    if span is not None:
        step = 12 if every == "year" else MONTHS[of]
        starts = _earlier(span, of, step, count, is_cut="since" in ledger.attrs)
        if not len(starts):
            require_full_history(ledger)
        ends = _same_days(starts, span.last, MONTHS[of])
        wholes = months_later(starts, MONTHS[of])
        spent = _sums(labelled, len(labels), starts, ends + np.timedelta64(1, "D"))
        full = _sums(labelled, len(labels), starts, wholes)
        is_there = spent.any(axis=1) | full[:, :-1].any(axis=1) | (found is None)
        spent, full, labels = spent[is_there], full[is_there], labels[is_there]
        order = np.argsort(-spent.sum(axis=1), kind="stable")
        spent, full, labels = spent[order], currency(full[order]), labels.take(order)
        full[:, -1] = np.nan
        change = currency(np.diff(spent, axis=1))
        first = np.full((len(labels), 1), np.nan)
        values = spread(labels, len(starts)) | {
            "period": np.repeat(starts, len(labels)),
            "date": np.repeat(ends, len(labels)),
            "spent": currency(spent).T.reshape(-1),
            "change": np.concatenate([first, change], axis=1).T.reshape(-1),
            "whole": full.T.reshape(-1),
        }
    return make_report(
        _SAME_PERIOD,
        values,
        of=[ledger],
        keys=() if found is None else found.keys,
        freq=of,
        by=by if isinstance(by, str) else None,
        rules=[
            "" if span is None else f"Each {of} up to the day that is like {span.last:%Y-%m-%d}.",
            "Where a month is too short for that day, all of it counts.",
            f"Against the same {of} of earlier years." if every == "year" else "",
            "Spending is net of refunds; change is against the row before.",
            TRANSFERS[transfers],
            f"What has no category yet {'counts' if uncategorized else 'is left out'}.",
            "Periods from before the first transaction are not there.",
        ],
    )


def _earlier(span: Span, of: Often, step: int, count: int, *, is_cut: bool) -> Any:
    """First days of the periods: the earlier ones, all of them known, and the one under way."""
    months = np.array(span, dtype="datetime64[M]").astype("int64")
    oldest, current = months // MONTHS[of] * MONTHS[of]
    if is_cut and np.datetime64(span.first, "us") > oldest.astype("datetime64[M]"):
        oldest += MONTHS[of]
    back = min(count, (current - oldest) // step)
    numbers = current - step * np.arange(back, -1, -1)
    return numbers.astype("datetime64[M]").astype(_US)


def _same_days(starts: Any, today: pd.Timestamp, length: int) -> Any:
    """The day in each period that is as far in it as today is."""
    into = (today.year * 12 + today.month - 1) % length
    months = (starts.astype("datetime64[M]") + into).astype(_US)
    lengths = (months_later(months, 1) - months).astype("timedelta64[D]").astype("int64")
    return months + np.minimum(today.day, lengths).astype("timedelta64[D]") - np.timedelta64(1, "D")


def _sums(rows: pd.DataFrame, labels: int, starts: Any, stops: Any) -> Any:
    """What was spent by label from each start to before its stop: milliunits."""
    days = rows["date"].to_numpy()
    at = np.searchsorted(starts, days, side="right") - 1
    is_in = (at >= 0) & (days < stops[at])
    return -grid(rows[is_in].assign(period=starts[at[is_in]]), labels, starts)


def _draw_same_period(frame: pd.DataFrame, canvas: Canvas) -> Any:
    by_period = frame.groupby("period")[["spent", "whole"]].sum(min_count=1)
    colours = [canvas.theme.faint] * (len(by_period) - 1) + [canvas.theme.plus]
    spent = by_period["spent"]
    canvas.bars(spent.to_frame("spent"), [canvas.theme.plus])
    for patch, colour in zip(canvas.ax.containers[-1], colours, strict=True):
        patch.set_facecolor(colour)
    earlier, now = spent.iloc[:-1], spent.iloc[-1]
    text = f"{canvas.amount(now)} so far"
    if len(earlier):
        mean = earlier.mean()
        canvas.ax.axhline(mean, color=canvas.theme.ink, linewidth=1, linestyle=(0, (4, 3)))
        text += f", {canvas.amount(mean)} on average by the same day"
    if canvas.by == "hashtag":  # a row with two of them is in both: it has no sum
        text = "Spending so far, by hashtag"
    return canvas.title(text, legend=False)


_SAME_PERIOD = register(
    same_period,
    (
        Column("period", "datetime64[us]", "", "first day of the period"),
        Column("date", "datetime64[us]", "", "last day that counts"),
        Column("spent", "float64", CURRENCY, "up to that day, net of refunds"),
        Column("change", "float64", CURRENCY, "since the row before; missing for the first"),
        Column(
            "whole",
            "float64",
            CURRENCY,
            "in the whole period; missing while it is under way",
        ),
    ),
    on_canvas(_draw_same_period),
)

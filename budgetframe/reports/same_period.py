"""Spending of the current period so far, against the same days of earlier periods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day, day_of
from budgetframe.frames.money import currency
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.currency import escape_math
from ._shared.group_pictures import SPENDING_WORDS, group_text, spent_by_group
from ._shared.grouping import By, by_name
from ._shared.ledger_rows import (
    LABEL_COLUMNS,
    LEDGER_COLUMNS,
    PERIOD,
    TRANSFER_RULES,
    Transfers,
    group_rows,
    left_out_rows,
    repeat_labels,
    spending_rows,
    uncategorized_rule,
)
from ._shared.periods import (
    DAY,
    MONTHS,
    Span,
    WeekDay,
    freq_of,
    last_days,
    months_later,
    period_numbers,
    period_starts,
    require_full_history,
    span_of,
)
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import OVER_TIME, InCurrency, register
from ._shared.row_filters import RowFilters, row_filter
from ._shared.row_source import CountedRows, RowSource, numbered
from ._shared.sentences import UNCATEGORIZED, exact_sum, spent_text, without_category
from ._shared.sums import grid, required_frame
from .plotting.period_names import days_name, is_short

_US = "datetime64[us]"
_MAX_GROUPS = 10


@report_function
def same_period(
    ledger: pd.DataFrame | ArrowTable,
    by: By | None = None,
    *,
    freq: Literal["week", "month", "quarter", "year"] = "month",
    week_starts: WeekDay = "monday",
    every: Literal["period", "year"] = "period",
    count: int = 12,
    transfers: Transfers = "to_tracking",
    uncategorized: bool = True,
    today: Day | None = None,
    **filters: Unpack[RowFilters],
) -> Report:
    """Spending so far this week, month, quarter or year, against the same days of earlier ones.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.same_period`.

    For a quarter or a year the days up to the same day of the same month are compared. Periods
    before the first transaction do not count. Weeks are compared with the weeks before: a year has
    no whole number of them.
    """
    ledger = required_frame(ledger, LEDGER_COLUMNS, "ledger")
    last = None if today is None else day_of(today, "today")
    span = span_of(ledger, "date", None, None, to_today=True, today=last)
    length = freq_of(freq, week_starts)
    kept = row_filter([ledger], filters, on_budget=True)
    rows = spending_rows(kept.rows(numbered(ledger)), transfers, uncategorized=uncategorized)
    groups = None if by is None else group_rows(rows, by, ledger)
    labelled = rows.assign(label=0) if groups is None else groups.rows
    labels = pd.DataFrame(index=range(1)) if groups is None else groups.labels
    counted = CountedRows(labelled, labelled["label"])
    behind = dict.fromkeys(("spent", "whole"), counted.behind())
    values: dict[str, Any] = {}
    shown_span: Span | None = None
    before = 0  # the number of periods that are not shown
    if span is not None:
        step = 12 // MONTHS[freq] if every == "year" else 1
        starts = _period_starts(span, length, step, is_cut="since" in ledger.attrs)
        before = max(0, len(starts) - 1 - count)
        starts = starts[before:]
        if not len(starts):
            require_full_history(ledger)
        shown_span = Span(pd.Timestamp(starts[0]), span.last)
        ends, ends_of_periods = _same_days(starts, span.last, freq), last_days(starts, length)
        spent = _sums(labelled, len(labels), starts, ends + DAY)
        full = _sums(labelled, len(labels), starts, ends_of_periods + DAY)
        has_amounts = spent.any(axis=1) | full[:, :-1].any(axis=1) | (groups is None)
        totals = spent.sum(axis=1)
        order = np.zeros(1, int) if groups is None else groups.largest_first(totals)
        order = order[has_amounts[order]]
        spent, full, labels = spent[order], currency(full[order]), labels.take(order)
        shown = np.tile(order, len(starts))
        full[:, -1] = np.nan
        change, earlier = np.diff(spent, axis=1), spent[:, :-1]
        rate = np.where(earlier > 0, change / np.where(earlier > 0, earlier, 1), np.nan)
        first = np.full((len(labels), 1), np.nan)
        values = repeat_labels(labels, len(starts)) | {
            "period": np.repeat(starts, len(labels)),
            "date": np.repeat(ends, len(labels)),
            "spent": currency(spent).T.reshape(-1),
            "change": np.concatenate([first, currency(change)], axis=1).T.reshape(-1),
            "change_rate": np.concatenate([first, rate], axis=1).T.reshape(-1),
            "whole": full.T.reshape(-1),
        }
        for name, last in (("spent", ends), ("whole", ends_of_periods)):
            days = np.repeat(last, len(labels))
            behind[name] = counted.behind(shown, first=values["period"], last=days)
    return make_report(
        _SAME_PERIOD, values, of=[ledger], keys=() if groups is None else groups.keys,
        rows=RowSource(ledger, (*labels.columns, "period"), behind),
        freq=length, by=None if by is None else by_name(by), filters=kept.given or None,
        left_out={
            f"count={count + before}": (before, f"earlier {freq}", f"earlier {freq}s"),
            **left_out_rows(kept.rows(ledger), shown_span, transfers, uncategorized=uncategorized),
        },
        rules=[
            ""
            if span is None
            else f"Each {freq} counts up to the day that corresponds to {span.last:%Y-%m-%d}.",
            "" if freq == "week" else "A month that is too short for that day counts in full.",
            f"Earlier periods are the same {freq} of earlier years." if every == "year" else "",
            "Spending is net of refunds; change is the difference from the row before.",
            "Change rate: the change as a part of the spending before; missing if there was none.",
            TRANSFER_RULES[transfers],
            uncategorized_rule(counts=uncategorized),
            *kept.rules,
            "Periods before the first transaction are left out.",
        ],
    )  # fmt: skip


def _period_starts(span: Span, freq: str, step: int, *, is_cut: bool) -> Any:
    """First days of the earlier periods with complete data, and of the current period."""
    oldest, current = period_numbers(np.array(span, dtype=_US), freq)
    if is_cut and np.datetime64(span.first, "us") > period_starts(oldest, freq):
        oldest += 1
    return period_starts(current - step * np.arange((current - oldest) // step, -1, -1), freq)


def _same_days(starts: Any, today: pd.Timestamp, freq: str) -> Any:
    """The day in each period that corresponds to today."""
    if freq == "week":
        return starts + (np.datetime64(today, "us") - starts[-1])
    months_passed = (today.year * 12 + today.month - 1) % MONTHS[freq]
    months = months_later(starts, months_passed)
    lengths = (months_later(months, 1) - months).astype("timedelta64[D]").astype("int64")
    return months + (np.minimum(today.day, lengths) - 1) * DAY


def _sums(rows: pd.DataFrame, labels: int, starts: Any, stops: Any) -> Any:
    """The spending by label from each start to the day before its stop, in milliunits."""
    days = rows["date"].to_numpy()
    at = np.searchsorted(starts, days, side="right") - 1
    is_in = (at >= 0) & (days < stops[at])
    return -grid(rows[is_in].assign(period=starts[at[is_in]]), labels, starts)


def _draw_same_period(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table, names = spent_by_group(frame, canvas.by)
    last_days = frame.drop_duplicates("period")[["period", "date"]]
    days = [days_name(*row) for row in last_days.itertuples(index=False)]
    what = f"Spending{group_text(canvas, names)}"
    title = canvas.heading(what, frame, time=days[-1], words=SPENDING_WORDS)
    if len(names) > 1 and not canvas.is_line:
        return _draw_groups(table.rename(columns=dict(names)), days, title, canvas)
    largest = table.sum().sort_values(ascending=False, kind="stable").index[: canvas.max_series]
    shown = [str(names[key]) if len(names) > 1 else "spent" for key in largest]
    table = table[largest].set_axis(shown, axis=1)
    # One month of each year, as with every="year": the trend is per year.
    is_yearly = len(set(frame["period"].dt.month)) == 1 and not is_short(canvas.time.freq)
    freq = "year" if is_yearly else ""
    trends = canvas.trends(table, np.ones(len(table), dtype=bool), freq=freq)
    if canvas.is_line:
        canvas.period_lines(table, canvas.theme.series)
        canvas.draw_trends(trends, canvas.theme.series)
        time = f"up to the same day, {canvas.time.name_of(frame)}"
        title = canvas.heading(what, frame, time=time, words=SPENDING_WORDS, end="")
        return canvas.title(title, legend=len(shown) > 1)
    spent = table.iloc[:, 0]
    canvas.bars(table, [canvas.theme.plus], wide=True)
    bars = canvas.ax.containers[-1]
    bars.set_label("_spent")
    for bar in bars[:-1]:
        bar.set_facecolor(canvas.theme.faint)
    if len(spent) > 1:
        mean = spent.iloc[:-1].mean()
        text = f"average, same days: {canvas.amount(mean)}"
        style = {"color": canvas.theme.ink, "linewidth": 1, "linestyle": (0, (4, 3))}
        canvas.ax.axhline(mean, label=escape_math(text), **style)
    canvas.draw_trends(trends)
    return canvas.title(f"{title}: {canvas.amount(spent.iloc[-1])}")


def _draw_groups(table: pd.DataFrame, days: Sequence[str], title: str, canvas: Canvas) -> Any:
    """Draw the current period of each group, and the period before."""
    if canvas.trend is not None:
        problem = "have no axis of time; select one group, or draw lines with kind='line'"
        raise ToolError(f"trend={canvas.trend!r}: the bars of several groups {problem}")
    pairs = table.iloc[:-3:-1].T.set_axis([*days[:-3:-1]], axis=1)
    has_amount = (pairs != 0).any(axis=1)
    pairs = pairs[has_amount] if has_amount.any() else pairs
    pairs = pairs.sort_values(days[-1], ascending=False, kind="stable")
    canvas.paired_bars(pairs, [canvas.theme.plus, canvas.theme.faint], max_bars=_MAX_GROUPS)
    return canvas.title(title)


def _sentence(frame: pd.DataFrame, money: InCurrency) -> str:
    now, rests = frame.iloc[-1], pd.Series(frame.attrs.get(UNCATEGORIZED, 0.0), frame.index)
    rest = without_category(rests.iloc[-1], money)
    text = f"{spent_text(now['spent'], money)} this month up to {now['date']:%d %b}{rest}"
    all_spent = frame["spent"] + rests
    if len(frame) == 1:
        return f"{text}."
    mean = round(float(all_spent.iloc[:-1].mean()), 3)
    difference = exact_sum([all_spent.iloc[-1], -mean])
    together = ": together" if rest else ","
    if not difference:
        return f"{text}{together} as much as on average by the same day of earlier months."
    more = "more" if difference > 0 else "less"
    amount = money(abs(difference))
    return f"{text}{together} {amount} {more} than on average by the same day of earlier months."


_COLUMNS = (
    PERIOD,
    Column("date", "datetime64[us]", "", "last day that counts"),
    Column("spent", "float64", CURRENCY, "spending up to that day, net of refunds"),
    Column("change", "float64", CURRENCY, "since the row before; missing in the first row"),
    Column("change_rate", "float64", "share", "change / spent before; missing: no spending"),
    Column("whole", "float64", CURRENCY, "in the whole period; missing if it has not ended"),
)
_SAME_PERIOD = register(
    same_period, _COLUMNS, on_canvas(_draw_same_period), main="spent", sentence=_sentence,
    labels=LABEL_COLUMNS, kinds=OVER_TIME, has_wide=True,
)  # fmt: skip

"""Spending by category, group, payee, account, flag, hashtag or labels of your own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.money import currency
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.group_pictures import (
    SPENDING_WORDS,
    draw_over_time,
    group_text,
    largest_columns,
    spent_by_group,
)
from ._shared.grouping import By, by_name, groups_overlap
from ._shared.ledger_rows import (
    IS_COMPLETE,
    LABEL_COLUMNS,
    LEDGER_COLUMNS,
    PERIOD,
    SPENT,
    SPENT_RULE,
    TRANSFER_RULES,
    Grouped,
    Transfers,
    columns_for,
    group_rows,
    left_out_rows,
    repeat_labels,
    rows_in_span,
    spending_mask,
    uncategorized_rule,
)
from ._shared.periods import (
    Freq,
    Span,
    WeekDay,
    complete_periods,
    first_days,
    first_months,
    freq_of,
    span_of,
)
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import InCurrency, register
from ._shared.row_filters import RowFilters, row_filter, rule_of_mapping
from ._shared.row_source import CountedRows, RowSource, numbered
from ._shared.sentences import UNCATEGORIZED, exact_sum, name_text, without_category
from ._shared.sums import divide_rounded, grid, required_frame
from .plotting.period_names import is_short

Average = Literal["all", "active", "median", "trimmed"]

_MAX_BARS = 15
_MIN_TRIMMED = 5  # months of which the smallest and the largest one are left out
_UNCATEGORIZED_RULE = "Transactions without a category are shown as Uncategorized."
_HASHTAG_RULE = "A transaction with several hashtags counts for each of them."
_AVERAGES: Mapping[str, str] = {
    "all": "over all {unit}s of the {whole}",
    "active": "over the {unit}s with a transaction of the {whole}",
    "median": "the median of all {unit}s of the {whole}, or the mean of the two in the middle",
    "trimmed": "over all {unit}s of the {whole} without the smallest tenth and the largest tenth"
    " (each is rounded down, but has at least one {unit} if there are five or more)",
}
_WINDOW_RULE = (
    "Mean, median, low (the lowest) and high (the highest) are those of the last complete {}s, up"
    " to {}: as many as the name says; missing if there are fewer."
)


@report_function
def spending(
    ledger: pd.DataFrame | ArrowTable,
    by: By = "category",
    *,
    freq: Freq = "all",
    week_starts: WeekDay = "monday",
    transfers: Transfers = "to_tracking",
    uncategorized: bool = True,
    average: Average = "all",
    window: int | tuple[int, ...] | list[int] | None = None,
    since: Day | None = None,
    until: Day | None = None,
    **filters: Unpack[RowFilters],
) -> Report:
    """Spending by category, group, payee, account, flag, hashtag, or labels of your own.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.spending`.

    Sums by category equal the activity that the service states, with the opposite sign.
    Transactions without a category are ``Uncategorized``; transfers between two budget accounts
    have no category.

    Two categories of the same name in two groups are two rows. A hashtag is a word after ``#`` in
    the memo; a transaction with two hashtags counts for both. A mapping names a group, a category,
    a flag by its colour or name, and a hashtag, as the filters do. If several entries match, the
    later kind in this order wins, and of a category the key before the full name before the name.
    All transactions without a match are one row with a missing label. An unknown name is an error.

    The columns that name the group are those of the ledger, or ``hashtag`` or ``label``, and the
    last one is its key, such as ``payee_id``.

    With two properties, rows are sorted by the spending of the first one, then of both. A month
    without a transaction is zero in the median, the mean without tenths, and a `window`.
    """
    ledger = required_frame(ledger, LEDGER_COLUMNS, "ledger")
    freq = freq_of(freq, week_starts)
    span = span_of(ledger, "date", since, until)
    kept = row_filter([ledger], filters, on_budget=True)
    counts = kept.mask(ledger) & spending_mask(ledger, transfers, uncategorized=uncategorized)
    rows = rows_in_span(numbered(ledger)[columns_for(by)][counts], span, freq)
    groups = group_rows(rows, by, ledger)
    unit: Freq = freq if is_short(freq) else "month"  # of the average
    of_window: Freq = "month" if freq == "all" else freq
    lengths = [*dict.fromkeys(np.atleast_1d(window or []).astype(int).tolist())]
    counted = CountedRows(groups.rows, groups.rows["label"])
    values: dict[str, Any] = {}
    behind = counted.behind()
    if span is not None:
        starts = span.starts(freq)
        # Not the sum over the groups: by hashtag, one row can be in several groups.
        in_period = -grid(rows.assign(label=0), 1, starts)[0]
        table = -grid(groups.rows, len(groups.labels), starts)
        order = groups.largest_first(table.sum(axis=1))
        share = np.where(in_period > 0, table[order] / np.maximum(in_period, 1), np.nan)
        values = repeat_labels(groups.labels.take(order), len(starts)) | {
            "period": np.repeat(starts, len(order)),
            "spent": currency(table[order].T.reshape(-1)),
            "share": share.T.reshape(-1),
        }
        firsts = [0] if freq == unit else first_months(span, freq)
        is_complete = complete_periods(span, unit, ledger, since)
        found = _averages(groups, order, span, unit, firsts, is_complete, average)
        values |= {name: np.resize(each, share.size) for name, each in found.items()}
        if lengths:
            is_whole = complete_periods(span, of_window, ledger, since)
            ends = np.cumsum(is_whole)[-1 if freq == "all" else 0 :]
            values |= _windows(_table(groups, span, of_window)[order], is_whole, lengths, ends)
        values["is_complete"] = np.repeat(complete_periods(span, freq, ledger, since), len(order))
        first, last = (np.repeat(days, len(order)) for days in (starts, span.ends(freq)))
        behind = counted.behind(np.tile(order, len(starts)), first=first, last=last)
    word = unit.partition(" ")[0]  # "week" also for weeks from Sunday
    whole = "report" if freq in (unit, "all") else "period"
    text = _AVERAGES[average].format(unit=word, whole=whole)
    end = "the last one of the report" if freq == "all" else "that of the row"
    return make_report(
        _SPENDING, values, of=[ledger], keys=groups.keys,
        rows=RowSource(ledger, (*groups.labels.columns, "period"), {"spent": behind}),
        freq=freq, span=None if span is None else span.days, by=by_name(by), window=lengths or None,
        filters=kept.given or None,
        left_out=left_out_rows(kept.rows(ledger), span, transfers, uncategorized=uncategorized),
        rules=[
            SPENT_RULE,
            TRANSFER_RULES[transfers],
            _UNCATEGORIZED_RULE if uncategorized else uncategorized_rule(counts=False),
            *kept.rules,
            rule_of_mapping(by, ledger),
            _HASHTAG_RULE if groups_overlap(by_name(by)) else "",
            f"Average: per {word}, {text}, rounded to the thousandth.",
            f"Incomplete {word}s do not count in the average, unless the {whole} has no others.",
            _WINDOW_RULE.format(of_window.partition(" ")[0], end) if lengths else "",
            "" if span is None else span.rule,
        ],
    )  # fmt: skip


def _averages(  # noqa: PLR0917 - what `spending` knows
    groups: Grouped, order: Any, span: Span, unit: Freq, firsts: Any, is_complete: Any, average: Any
) -> dict[str, Any]:
    """The average of the units of each period, and their number, by group in this order."""
    units, table = span.starts(unit), _table(groups, span, unit)[order]
    counts = np.full(table.shape, average != "active")
    if average == "active":
        at = np.searchsorted(units, first_days(groups.rows["date"], unit, span))
        counts[np.argsort(order)[groups.rows["label"].to_numpy("int64")], at] = True
    months, means = list[Any](), list[Any]()
    for at in np.split(np.arange(len(units)), firsts[1:]):
        kept = counts[:, at] & is_complete[at]
        kept = np.where(kept.any(axis=1, keepdims=True), kept, counts[:, at])
        amounts = table[:, at] * kept
        months.append(kept.sum(axis=1))
        means.append(divide_rounded(amounts.sum(axis=1), months[-1]))
        if average in ("median", "trimmed"):
            means[-1] = _middle_mean(amounts[:, kept.all(axis=0)], average)
    return {"months": np.concatenate(months), "average": currency(np.concatenate(means))}


def _table(groups: Grouped, span: Span, freq: Freq) -> Any:
    """The spending of the groups by period of this length, shape (groups, periods)."""
    rows = groups.rows.assign(period=first_days(groups.rows["date"], freq, span))
    return -grid(rows, len(groups.labels), span.starts(freq))


def _middle_mean(amounts: Any, average: str) -> Any:
    """The median of each row of amounts, or its mean without its smallest and largest tenth."""
    count = amounts.shape[1]
    cut = (count - 1) // 2 if average == "median" else max(count // 10, int(count >= _MIN_TRIMMED))
    middle = np.sort(amounts)[:, cut : count - cut]
    return divide_rounded(middle.sum(axis=1), middle.shape[1])


def _windows(table: Any, is_complete: Any, lengths: Sequence[int], ends: Any) -> dict[str, Any]:
    """The statistics of the last complete periods, of which there are so many at each end."""
    amounts, values = table[:, is_complete], dict[str, Any]()
    for length in lengths:
        sums = np.zeros((len(_STATISTICS), len(ends), len(table)), "int64")
        for place in np.flatnonzero(ends >= length):
            last = np.sort(amounts[:, ends[place] - length : ends[place]])
            middle = last[:, (length - 1) // 2] + last[:, length // 2]
            sums[:, place] = last.sum(axis=1), middle, last[:, 0], last[:, -1]
        found = currency(divide_rounded(sums, np.array([length, 2, 1, 1])[:, None, None]))
        found[:, ends < length] = np.nan
        names = (f"{name}_{length}" for name in _STATISTICS)
        values |= dict(zip(names, found.reshape(len(_STATISTICS), -1), strict=True))
    return values


_STATISTICS = {"mean": "mean", "median": "median", "low": "lowest", "high": "highest"}


def _window_columns(attrs: Mapping[Any, Any]) -> tuple[Column, ...]:
    """The columns of each window of a report."""
    return tuple(
        Column(f"{name}_{length}", "float64", CURRENCY, f"{word} of the last {length} periods")
        for length in attrs.get("window") or ()
        for name, word in _STATISTICS.items()
    )


def _draw_spending(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table, names = spent_by_group(frame, canvas.by)
    is_complete = frame.groupby("period")["is_complete"].first()
    largest = table.sum().sort_values(ascending=False, kind="stable").index
    what = f"Spending{group_text(canvas, names)}"
    title = canvas.heading(what, frame, words=SPENDING_WORDS)
    has_sum = not groups_overlap(canvas.by) or len(names) == 1  # a row with two hashtags is in both
    if has_sum:
        title += f": {canvas.amount(table.to_numpy().sum())}"
    if canvas.kind == "calendar":
        from .plotting.squares import draw_calendar  # noqa: PLC0415 - matplotlib is an extra

        if not has_sum:
            advice = "a row with two hashtags counts for both; select one hashtag"
            raise ToolError(f"kind='calendar': {advice}")
        what = f"Spending{group_text(canvas, names) if len(names) == 1 else ''} by day"
        days = (table * MILLIUNITS).round().sum(axis=1) / MILLIUNITS
        return draw_calendar(canvas, days, what)
    if len(table) == 1:
        sums = table.iloc[0][largest]
        canvas.horizontal_bars(sums.set_axis(names[largest]), max_bars=_MAX_BARS)
        return canvas.title(title, legend=False)
    parts = largest_columns(table, largest, canvas.max_series)
    shown = [names.get(key, key) for key in parts.columns]
    draw_over_time(canvas, parts.set_axis(shown, axis=1), is_complete, has_sum=has_sum)
    return canvas.title(title, legend=len(shown) > 1)


def _sentence(frame: pd.DataFrame, money: InCurrency) -> str:
    total = money(exact_sum(frame["spent"]))
    rest = without_category(exact_sum(frame.attrs.get(UNCATEGORIZED, ())), money)
    largest = frame[frame["spent"] > 0].nlargest(3, "spent")
    if largest.empty:  # there are refunds only
        return f"Spending was {total}{rest}."
    first, *others = (
        f"{name_text(row['category_name'])} with {money(row['spent'])}"
        for _, row in largest.iterrows()
    )
    others_text = f", followed by {' and '.join(others)}" if others else ""
    return f"Spending was {total}{rest}; most was spent on {first}{others_text}."


_REPORT_COLUMNS = (
    PERIOD,
    SPENT,
    Column("share", "float64", "share", "share of the period's spending; missing if it has none"),
    Column("months", "int64", "months", "number of months (days, weeks) in the average"),
    Column("average", "float64", CURRENCY, "spending per month; per day or week if by these"),
    IS_COMPLETE,
)
_SPENDING = register(
    spending, _REPORT_COLUMNS, on_canvas(_draw_spending), main="spent", sentence=_sentence,
    labels=LABEL_COLUMNS, further=_window_columns, kinds=("line", "trend", "calendar"),
    has_wide=True,
)  # fmt: skip

"""Assigned, spent and available amounts of each category."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import CARD_GROUP, INTERNAL_GROUP
from budgetframe._runtime.text import number_of
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.internal_categories import income_rows
from budgetframe.frames.money import currency, exact
from budgetframe.frames.schema import CURRENCY, Column
from budgetframe.frames.tables import TABLES

from ._shared.arguments import report_function
from ._shared.group_pictures import SPENDING_WORDS, disambiguated, draw_parts
from ._shared.ledger_rows import IS_COMPLETE, PERIOD
from ._shared.periods import MonthsFreq, complete_periods, first_days, span_of
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import OVER_TIME, InCurrency, register
from ._shared.row_filters import CategoryFilters, category_filter
from ._shared.row_source import CountedRows, RowSource, numbered
from ._shared.sentences import UNCATEGORIZED, exact_sum, name_text, spent_text, without_category
from ._shared.sums import required_frame

_MONTH_CATEGORIES = {column.name: column for column in TABLES["month_categories"].columns}
_CATEGORY = ("category_id", "category_group_name", "category_name", "hidden")
_MAX_BARS = 12


@report_function
def budget_vs_actual(
    month_categories: pd.DataFrame | ArrowTable,
    *,
    freq: MonthsFreq = "month",
    include_hidden: bool = True,
    include_cards: bool = False,
    since: Day | None = None,
    until: Day | None = None,
    **filters: Unpack[CategoryFilters],
) -> Report:
    """Assigned, spent and available amounts by category and period, as the service states them.

    The function takes ``bf.month_categories()``; the other parameters and the columns are those of
    `bf.reports.budget_vs_actual`.

    By default the last month is that in which the frame was read. The activity of the group
    ``Credit Card Payments`` is the money that the service moves there when spending on a card is
    covered.
    """
    month_categories = required_frame(month_categories, list(_MONTH_CATEGORIES), "month_categories")
    frame = numbered(month_categories)
    span = span_of(frame, "month", since, until, months=True, to_today=True)
    chosen = category_filter([frame], filters)
    in_scope = ~income_rows(frame) & chosen.mask(frame)
    is_card = (frame["category_group_name"] == CARD_GROUP).to_numpy(bool)
    is_hidden = frame["hidden"].to_numpy(bool)
    in_scope &= span.holds(frame["month"]) if span is not None else False
    left_out = is_hidden & (not include_hidden), is_card & (not include_cards)
    hidden, cards = (frame["category_id"][in_scope & each].nunique() for each in left_out)
    values: dict[str, Any] = {}
    rows = frame.iloc[:0].assign(period=frame["month"].iloc[:0])
    if span is not None:
        rows = frame[in_scope & (include_cards | ~is_card) & (include_hidden | ~is_hidden)]
        rows = rows.assign(period=first_days(rows["month"], freq, span))
        values = _by_period(rows)
    keys = ["period", "category_id"]
    shown = pd.DataFrame({name: values.get(name, ()) for name in keys})
    label = pd.MultiIndex.from_frame(shown).get_indexer(pd.MultiIndex.from_frame(rows[keys]))
    counted = CountedRows(rows.rename(columns={"month": "date"}), label)
    behind = counted.behind(range(len(shown)))
    if values and span is not None:
        is_complete = complete_periods(span, freq, frame, since, months=True)
        at = np.searchsorted(span.starts(freq), values["period"].to_numpy())
        values["is_complete"] = is_complete[at]
    return make_report(
        _BUDGET_VS_ACTUAL, values, of=[month_categories], freq=freq, filters=chosen.given or None,
        left_out={
            "include_hidden=True": (hidden, "hidden category", "hidden categories"),
            "include_cards=True": (cards, "card payment category", "card payment categories"),
        },
        rows=RowSource(month_categories, (*keys,), {"assigned": behind, "spent": behind}),
        span=None if span is None else span.whole_months.days,
        rules=[
            "All figures are the service's own: assigned, activity, available, target.",
            "Spent is activity with the opposite sign; difference = assigned - spent.",
            "Available, target and under-funded are the values of the last month of the period.",
            f"Hidden categories are {'included' if include_hidden else 'left out'}.",
            f"Card payments are {'included' if include_cards else 'left out'}.",
            "The activity of card payments is not spending.",
            *chosen.rules,
            "" if span is None else f"Months from {span.first:%Y-%m} to {span.last:%Y-%m}.",
        ],
    )  # fmt: skip


def _by_period(rows: pd.DataFrame) -> dict[str, Any]:
    if rows.empty:
        return {}
    assigned, spent = exact(rows, "budgeted"), -exact(rows, "activity")
    amounts = rows[["period", "category_id"]].assign(assigned=assigned, spent=spent)
    keys = ["period", "category_id"]
    sums = amounts.groupby(keys, as_index=False)[["assigned", "spent"]].sum()
    last = rows.sort_values("month", kind="stable").drop_duplicates(keys, keep="last")
    state = ["balance", "goal_type", "goal_target", "goal_under_funded"]
    table = sums.merge(last[[*keys, *_CATEGORY[1:], *state]], on=keys)
    order = ["period", "category_group_name", "category_name", "category_id"]
    table = table.sort_values(order, kind="stable", ignore_index=True)
    # The service states a target of 0 for a category without a goal.
    has_none = (table["goal_target"] == 0) & table["goal_type"].isna()
    return {name: table[name] for name in ("period", *_CATEGORY)} | {
        "assigned": currency(table["assigned"].to_numpy()),
        "spent": currency(table["spent"].to_numpy()),
        "difference": currency((table["assigned"] - table["spent"]).to_numpy()),
        "available": table["balance"],
        "target": table["goal_target"].mask(has_none),
        "under_funded": table["goal_under_funded"],
    }


def _draw_budget_vs_actual(frame: pd.DataFrame, canvas: Canvas) -> Any:
    if canvas.kind == "heatmap":
        from .plotting.squares import draw_heatmap  # noqa: PLC0415 - matplotlib is an extra

        groups = frame["category_group_name"].astype(object)  # one is named as its only category
        groups = groups.mask(groups == INTERNAL_GROUP, frame["category_name"].astype(object))
        is_used = (frame["assigned"] != 0) | (frame["spent"] != 0)
        frame = frame[groups.isin(groups[is_used | (not is_used.any())])].assign(group=groups)
        frame = frame.assign(sum=exact(frame, "difference"))
        sums = frame.groupby(["group", "period"], sort=False)["sum"].sum()
        cells = sums.unstack(fill_value=0).sort_index(axis=1) / MILLIUNITS
        is_complete = frame.groupby("period")["is_complete"].first()
        return draw_heatmap(canvas, cells, is_complete)
    names = frame.drop_duplicates("category_id")["category_name"]
    what = "Assigned and spent"
    if len(names) == 1:
        what += f" on {canvas.name(names.iloc[0])}"
    title = canvas.heading(what, frame, words=SPENDING_WORDS)
    if len(frame["period"].unique()) > 1:
        by_period = frame.groupby("period")
        table = by_period[["assigned", "spent"]].sum()
        is_complete = by_period["is_complete"].first()
        trends = canvas.trends(table[["spent"]], is_complete)
        draw = canvas.period_lines if canvas.is_line else canvas.bars
        draw(table, [canvas.theme.faint, canvas.theme.plus], is_complete=is_complete)
        canvas.draw_trends(trends)
        return canvas.title(title)
    rows = frame[(frame["assigned"] != 0) | (frame["spent"] != 0)]
    shown = disambiguated(rows, "category_group_name", "category_name")
    table = rows[["assigned", "spent"]].set_axis(shown)
    table = table.iloc[np.argsort(-table.max(axis=1).to_numpy(), kind="stable")]
    draw_parts(canvas, table, max_bars=_MAX_BARS, marked="spent, more than assigned", is_more=True)
    return canvas.title(title)


def _sentence(frame: pd.DataFrame, money: InCurrency) -> str:
    spent = spent_text(exact_sum(frame["spent"]), money)
    assigned = money(exact_sum(frame["assigned"]))
    rest = without_category(exact_sum(frame.attrs.get(UNCATEGORIZED, ())), money)
    text = f"This month {assigned} was assigned and {spent}{rest}"
    over = frame[frame["difference"] < 0]
    if over.empty:
        return f"{text}; no category has more spending than was assigned to it."
    most = over.nsmallest(1, "difference").iloc[0]
    count = number_of(len(over), "category", "categories")
    name, amount = name_text(most["category_name"]), money(-most["difference"])
    return f"{text}; {count} had more spending than assigned, most of all {name} by {amount}."


_COLUMNS = (
    PERIOD,
    *(_MONTH_CATEGORIES[name] for name in _CATEGORY if name != "hidden"),
    Column("assigned", "float64", CURRENCY, "assigned in the period"),
    Column("spent", "float64", CURRENCY, "activity, outflow positive, net of refunds"),
    Column("difference", "float64", CURRENCY, "assigned minus spent"),
    Column("available", "float64", CURRENCY, "at the end of the period"),
    Column("target", "float64", CURRENCY, "amount of the goal; missing: no goal"),
    Column("under_funded", "float64", CURRENCY, "still missing for the goal, positive"),
    IS_COMPLETE,
    _MONTH_CATEGORIES["hidden"],
)
_BUDGET_VS_ACTUAL = register(
    budget_vs_actual, _COLUMNS, on_canvas(_draw_budget_vs_actual), main="spent", sentence=_sentence,
    kinds=(*OVER_TIME, "heatmap"), has_wide=True,
    groups=("category_group_name", "category_name", "category_id"),
)  # fmt: skip

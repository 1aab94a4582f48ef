"""What each target costs a month, and whether it is on track."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.money import decimals_of, exact, milliunits
from budgetframe.frames.schema import CURRENCY, SHARE, Column, deleted_rows
from budgetframe.frames.tables import TABLES

from ._shared.arguments import report_function
from ._shared.group_pictures import disambiguated, draw_parts
from ._shared.periods import MONTH, today_of
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import register
from ._shared.row_filters import CategoryFilters, category_filter
from ._shared.sums import required_frame
from ._shared.target_rule import BALANCES, UNKNOWN, Target

_CATEGORIES = {column.name: column for column in TABLES["categories"].columns}
_NAMES = ("category_group_name", "category_name", "goal_type", "category_id")
_MONTHLY = ("month", "category_id", "budgeted", "activity", "balance")
_INCOME_MONTHS = 12
_PACE_MONTHS = 6
_MAX_MONTHS = 1_200
_MAX_BARS = 15


@report_function
def targets(
    month_categories: pd.DataFrame | ArrowTable,
    listed_categories: pd.DataFrame | ArrowTable,
    months: pd.DataFrame | ArrowTable,
    *,
    include_hidden: bool = False,
    **filters: Unpack[CategoryFilters],
) -> Report:
    """Each target with its monthly cost, what it needs this month, and whether it is on track.

    The function takes ``bf.month_categories()``, ``bf.categories()`` and ``bf.months()``; the other
    parameters and the columns are those of `bf.reports.targets`.

    The month of the targets is the one in which the categories were read. The first frame is for
    the pace of balances, and the months are for the mean income.
    """
    month_categories = required_frame(month_categories, _MONTHLY, "month_categories")
    listed_categories = required_frame(listed_categories, list(_CATEGORIES), "categories")
    months = required_frame(months, ["month", "income"], "months")
    today = today_of(listed_categories)
    if today is None:
        advice = "so that its month is unknown: keep its attrs, as in both.attrs = categories.attrs"
        raise ToolError(f"targets: the frame of categories does not say when it was read, {advice}")
    chosen = category_filter([listed_categories], filters)
    rows = listed_categories[chosen.mask(listed_categories)]
    rows = rows[rows["goal_type"].notna().to_numpy(bool) & ~deleted_rows(rows)]
    is_hidden = rows["hidden"].to_numpy(bool) & (not include_hidden)
    rows = rows[~is_hidden].sort_values([*_NAMES[:2], "category_id"], kind="stable")
    unit = 10 ** (3 - decimals_of(listed_categories.attrs.get("currency_format")))
    stated = [*_targets(rows)]
    plans = [target.plan(today, unit) for target in stated]
    costs = pd.Series([plan.cost for plan in plans], rows.index, dtype="float64") / MILLIUNITS
    cost = sum(plan.cost or 0 for plan in plans)
    mean, number = _mean_income(months, today)
    needs = [target.needs(plan) for target, plan in zip(stated, plans, strict=True)]
    needed = pd.Series(needs, rows.index, dtype="float64") / MILLIUNITS
    of_plans = zip(rows["category_name"], plans, strict=True)
    unknown = ", ".join(str(name) for name, plan in of_plans if plan.words == UNKNOWN)
    amounts = rows["goal_target"]
    funded = rows["goal_overall_funded"] / amounts.where(amounts != 0)
    return make_report(
        _TARGETS,
        {
            **{name: rows[name] for name in _NAMES}, "target": amounts,
            "cadence": [plan.words for plan in plans], "monthly": costs,
            "assigned": rows["budgeted"], "available": rows["balance"], "needed": needed,
            "funded": funded.mask(amounts == 0, 1.0),  # of a target of zero all is funded
            "due": pd.Series([plan.due for plan in plans], dtype="datetime64[us]"),
            "reached_on": _reached_on(rows, month_categories, today.replace(day=1)),
            "on_track": (needed <= 0).astype("boolean").mask(needed.isna()),
            "snoozed": rows["goal_snoozed_at"].notna(),
        },
        of=[listed_categories, months, month_categories],
        filters=chosen.given or None,
        left_out={"include_hidden=True": (int(is_hidden.sum()), "hidden target", "hidden targets")},
        monthly_cost=cost / MILLIUNITS, income_share=cost / mean if mean else None,
        rules=[
            *_RULES,
            f"Hidden categories are {'included' if include_hidden else 'left out'}.",
            *chosen.rules,
            "The income share is the monthly cost of all targets here among the mean income of"
            f" {number_of(number, 'complete month')}."
            if mean
            else "The income share is unknown: no complete month has an income.",
            f"The cadence of {unknown} is unknown, so that the monthly cost is missing."
            if unknown
            else "",
        ],
    )  # fmt: skip


_RULES = (
    ("Monthly cost: a weekly target as often as its weekday is in the month, a target of several"
     " months or years by their number, any other repeated target once."),
    ("A target with a day and without repetition: what it lacks without the money that was"
     " assigned this month, by the months left, this month included."),
    "If the day of such a target is over, all that it lacks is needed now.",
    "A monthly cost is rounded up to the smallest unit of the currency.",
    "A balance without a day has no monthly cost: it is missing, and not in the sum.",
    "A weekly target without a weekday is due on Saturdays; every n weeks from its stated day on.",
    "A day of an earlier period is moved to the next one.",
    "Needed, available and assigned are otherwise the service's own figures of the month.",
    "On track: nothing is needed this month. A snoozed target is marked, and it can need money.",
    "Funded is the funded part of the target in its period; it is above 1 if more was assigned.",
    ("Reached on: the month in which what is available reaches the target of a balance, if from"
     " next month on it grows by the mean of assigned + activity of the last six complete months."
     " It is this month if enough is available."),
    "Months before the first amount do not count. It is missing without growth or after 100 years.",
)  # fmt: skip


def _targets(rows: pd.DataFrame) -> Iterator[Target]:
    columns = []
    for name in Target._fields:
        column = milliunits(rows[name]) if _CATEGORIES[name].unit == CURRENCY else rows[name]
        values = column.astype(object)
        columns.append(values.where(values.notna(), None).tolist())
    return map(Target._make, zip(*columns, strict=True))


def _mean_income(months: pd.DataFrame, today: pd.Timestamp) -> tuple[float, int]:
    """The mean income of the last complete months in milliunits, and their number."""
    end = today.replace(day=1)
    begin = end - pd.DateOffset(months=_INCOME_MONTHS)
    last = months[((months["month"] >= begin) & (months["month"] < end)).to_numpy(bool)]
    total = int(exact(last, "income").sum())
    return (total / len(last), len(last)) if total > 0 else (0.0, 0)


def _reached_on(
    rows: pd.DataFrame, month_categories: pd.DataFrame, first: pd.Timestamp
) -> pd.Series[Any]:
    """The month in which each balance reaches its target at the pace of the last months."""
    is_past = (month_categories["month"] < first).to_numpy(bool)
    past = month_categories[is_past].sort_values("month")
    amounts: Any = np.array([exact(past, name) for name in ("budgeted", "activity", "balance")])
    found = past[["month", "category_id"]].assign(grown=amounts[:2].sum(axis=0))
    has_amount = pd.Series(amounts.any(axis=0).astype("int64"), past.index)
    found["number"] = has_amount.groupby(past["category_id"]).cummax()
    last = found[(found.pop("month") >= first - pd.DateOffset(months=_PACE_MONTHS)).to_numpy(bool)]
    paces = last.groupby("category_id").sum().reindex(rows["category_id"], fill_value=0)
    missing = exact(rows, "goal_target") - exact(rows, "balance")
    is_balance = (rows["goal_type"].isin(BALANCES) & rows["goal_target"].notna()).to_numpy(bool)
    grown, number = (paces[name].to_numpy("int64") for name in ("grown", "number"))
    months = np.where(missing > 0, -(-missing * number // np.maximum(grown, 1)), 0)
    is_known = is_balance & ((missing <= 0) | (grown > 0)) & (months <= _MAX_MONTHS)
    day = np.datetime64(first, "M") + np.where(is_known, months, 0) * MONTH
    return pd.Series(day.astype("datetime64[us]")).where(is_known)


def _draw_targets(frame: pd.DataFrame, canvas: Canvas) -> Any:
    names = disambiguated(frame, "category_group_name", "category_name")
    asked = (exact(frame, "assigned") + exact(frame, "needed")) / MILLIUNITS
    table = pd.DataFrame({"asked": asked, "assigned": frame["assigned"].to_numpy()})
    table = table.set_axis(names.to_numpy()).iloc[np.argsort(-asked, kind="stable")]
    on_track = frame["on_track"].fillna(value=False).to_numpy(bool)
    draw_parts(canvas, table, max_bars=_MAX_BARS, marked="assigned, more is needed", is_more=False)
    title = f"Targets of the month: {on_track.sum():,} of {len(frame):,} on track"
    return canvas.title(title)


_COLUMNS = (
    *(_CATEGORIES[name] for name in _NAMES if name != "goal_type"),
    Column("target", "float64", CURRENCY, "amount of the target"),
    Column("cadence", "str", "", "how often it repeats"),
    Column("monthly", "float64", CURRENCY, "what it costs this month; missing: not known"),
    Column("needed", "float64", CURRENCY, "still missing this month, positive"),
    Column("assigned", "float64", CURRENCY, "assigned this month"),
    Column("available", "float64", CURRENCY, "available now"),
    Column("funded", "float64", SHARE, "funded part of the target"),
    Column("due", "datetime64[us]", "", "due day; if monthly, in this month", display="always"),
    Column("reached_on", "datetime64[us]", "", "month that reaches it; missing: none, unknown"),
    Column("on_track", "boolean", "", "whether nothing is needed this month", display="always"),
    Column("snoozed", "bool", "", "whether the target is snoozed"),
    _CATEGORIES["goal_type"],
)
_STATED = "the service states its figures; bf.categories() has them"
_TARGETS = register(targets, _COLUMNS, on_canvas(_draw_targets), main="needed", no_rows=_STATED)

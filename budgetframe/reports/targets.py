"""What each target costs a month, and whether it is on track."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.money import currency, decimals_of, exact, milliunits
from budgetframe.frames.schema import CURRENCY, SHARE, Column, deleted_rows
from budgetframe.frames.tables import TABLES

from ._shared.arguments import report_function
from ._shared.group_pictures import disambiguated, draw_parts
from ._shared.periods import today_of
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import register
from ._shared.row_filters import CategoryFilters, category_filter
from ._shared.sums import required_frame

_CATEGORIES = {column.name: column for column in TABLES["categories"].columns}
_NAMES = ("category_group_name", "category_name", "goal_type", "category_id")
_INCOME_MONTHS = 12
_SATURDAY = 6
_WEEK = 7
_MAX_BARS = 15


@report_function
def targets(
    listed_categories: pd.DataFrame | ArrowTable,
    months: pd.DataFrame | ArrowTable,
    *,
    include_hidden: bool = False,
    **filters: Unpack[CategoryFilters],
) -> Report:
    """Each target with its monthly cost, what it needs this month, and whether it is on track.

    The function takes ``bf.categories()`` and ``bf.months()``; the other parameters and the columns
    are those of `bf.reports.targets`.

    The month of the targets is the one in which the categories were read. The months are for the
    mean income.
    """
    listed_categories = required_frame(listed_categories, list(_CATEGORIES), "categories")
    months = required_frame(months, ["month", "income"], "months")
    today = today_of(listed_categories)
    if today is None:
        raise ToolError(
            "targets: the frame of categories does not say when it was read, so that its month is"
            " unknown: keep its attrs, as in both.attrs = categories.attrs"
        )
    chosen = category_filter([listed_categories], filters)
    rows = listed_categories[chosen.mask(listed_categories)]
    rows = rows[rows["goal_type"].notna().to_numpy(bool) & ~deleted_rows(rows)]
    is_hidden = rows["hidden"].to_numpy(bool) & (not include_hidden)
    rows = rows[~is_hidden]
    rows = rows.sort_values([*_NAMES[:2], "category_id"], kind="stable")
    unit = 10 ** (3 - decimals_of(listed_categories.attrs.get("currency_format")))
    plans = [target.plan(today, unit) for target in _targets(rows)]
    costs = pd.Series([plan.cost for plan in plans], dtype="Int64")
    cost = int(costs.sum())
    mean, number = _mean_income(months, today)
    overdue = pd.Series([plan.overdue for plan in plans], rows.index, dtype="Int64") / MILLIUNITS
    needed = pd.concat([rows["goal_under_funded"], overdue.astype("float64")], axis=1).max(axis=1)
    is_over = np.array([plan.is_over for plan in plans], bool)
    needed = needed.mask(is_over & overdue.isna().to_numpy(bool))
    amounts = rows["goal_target"]
    funded = rows["goal_overall_funded"] / amounts.where(amounts != 0)
    return make_report(
        _TARGETS,
        {
            **{name: rows[name] for name in _NAMES},
            "target": amounts,
            "cadence": [plan.words for plan in plans],
            "monthly": (costs / MILLIUNITS).astype("Float64").to_numpy("float64", na_value=np.nan),
            "assigned": rows["budgeted"],
            "available": rows["balance"],
            "needed": needed,
            "funded": funded.mask(amounts == 0, 1.0),  # of a target of zero all is funded
            "due": pd.Series([plan.due for plan in plans], dtype="datetime64[us]"),
            "on_track": (needed <= 0).astype("boolean").mask(needed.isna()),
            "snoozed": rows["goal_snoozed_at"].notna(),
        },
        of=[listed_categories, months],
        filters=chosen.given or None,
        left_out={"include_hidden=True": (int(is_hidden.sum()), "hidden target", "hidden targets")},
        monthly_cost=float(currency(np.array([cost]))[0]),
        income_share=cost / mean if mean else None,
        rules=[
            *_RULES,
            f"Hidden categories are {'included' if include_hidden else 'left out'}.",
            *chosen.rules,
            "The income share is the monthly cost of all targets here among the mean income of"
            f" {number_of(number, 'complete month')}."
            if mean
            else "The income share is unknown: no complete month has an income.",
            _unknown_rule(rows, plans),
        ],
    )


_RULES = (
    (
        "Monthly cost: a weekly target as often as its weekday is in the month, a target of several"
        " months or years by their number, any other repeated target once."
    ),
    (
        "A target with a day and without repetition: what it lacks without the money that was"
        " assigned this month, by the months left, this month included."
    ),
    ("If the day of such a target is over, all that it lacks is needed now."),
    "A monthly cost is rounded up to the smallest unit of the currency.",
    "A balance without a day has no monthly cost: it is missing, and not in the sum.",
    "A weekly target without a weekday is due on Saturdays; every n weeks from its stated day on.",
    "A day of an earlier period is moved to the next one.",
    "Needed, available and assigned are otherwise the service's own figures of the month.",
    "On track: nothing is needed this month. A snoozed target is marked, and it can need money.",
    "Funded is the funded part of the target in its period; it is above 1 if more was assigned.",
)


class _Plan(NamedTuple):
    """How a target repeats."""

    words: str
    cost: int | None  # of the month, in milliunits; missing: none, or unknown
    due: pd.Timestamp | None  # the next day
    overdue: int | None = None  # what is needed because the day is over, in milliunits
    is_over: bool = False  # whether it is: `overdue` is then known, or nothing is


class _Target(NamedTuple):
    """What the service states of a target; amounts in milliunits."""

    goal_type: str
    goal_target: int | None
    goal_target_date: pd.Timestamp | None
    goal_months_to_budget: int | None
    goal_overall_funded: int | None
    goal_overall_left: int | None
    goal_cadence: int | None
    goal_cadence_frequency: int | None
    goal_day: int | None
    budgeted: int | None

    def plan(self, today: pd.Timestamp, unit: int) -> _Plan:
        """How the target repeats, with its cost as a multiple of the smallest unit of money."""
        cadence, times = self.goal_cadence, self.goal_cadence_frequency or 1
        due, day = self.goal_target_date, self.goal_day
        last_day = _WEEK - 1 if cadence == _WEEKLY else _LONGEST_MONTH
        if times < 1 or not (day is None or 0 <= day <= last_day):
            return _Plan(_UNKNOWN, None, due)
        if not cadence:
            if due is not None:
                cost = _rounded_up(self._left(self.budgeted), self._months(today), unit)
                left = self._left() if self._left() is not None else self.goal_overall_left
                return _Plan("once", cost, due, left if due < today else None, due < today)
            if cadence == 0 or self.goal_type in _BALANCES:
                return _Plan("no date", None, None)
            cadence = _MONTHLY
        if cadence == _WEEKLY:
            return self._weekly(today, times, unit)
        if cadence not in _MONTHS:
            return _Plan(_UNKNOWN, None, due)
        number, noun = _MONTHS[cadence]
        number *= times if cadence in _MULTIPLIED else 1
        words = _every(number // 12, "year") if noun == "year" else _every(number, "month")
        if due is not None:  # a date of an earlier period
            before = 12 * (today.year - due.year) + today.month - due.month
            due += pd.DateOffset(months=number * max(0, -(-before // number)))
        elif number == 1:
            last = monthrange(today.year, today.month)[1]
            due = today.replace(day=min(day or last, last))
        return _Plan(words, _rounded_up(self.goal_target, number, unit), due)

    def _weekly(self, today: pd.Timestamp, times: int, unit: int) -> _Plan:
        """A target of each week, or of every n weeks from its day on."""
        first, days = today.replace(day=1), monthrange(today.year, today.month)[1]
        stated, step, parts = self.goal_target_date, _WEEK * times, 1
        if stated is not None and (times > 1 or self.goal_day is None):
            day = stated
        else:  # the service counts from Sunday, pandas from Monday
            weekday = ((_SATURDAY if self.goal_day is None else self.goal_day) - 1) % _WEEK
            day = today + pd.Timedelta(days=(weekday - today.weekday()) % _WEEK)
            step, parts = _WEEK, times  # of several weeks, it is not known which
        count = sum((first - day).days % step == -offset % step for offset in range(days))
        cost = None if self.goal_target is None else self.goal_target * count
        due = None if parts > 1 else day
        if due is not None:
            due += pd.Timedelta(days=step * max(0, -(-(today - due).days // step)))
        return _Plan(_every(times, "week"), _rounded_up(cost, parts, unit), due)

    def _months(self, today: pd.Timestamp) -> int:
        """The number of months until the target is due, with this month among them."""
        due = self.goal_target_date
        if self.goal_months_to_budget is None and due is not None:
            return max(1, 12 * (due.year - today.year) + due.month - today.month + 1)
        return max(1, self.goal_months_to_budget or 1)

    def _left(self, without: int | None = None) -> int | None:
        """What the target lacks, also if an amount that was assigned to it had not been."""
        if self.goal_target is None or self.goal_overall_funded is None:
            return None
        return max(0, self.goal_target - max(0, self.goal_overall_funded - (without or 0)))


_MONTHLY, _WEEKLY = 1, 2
_MONTHS = {
    _MONTHLY: (1, "month"),
    **{cadence: (cadence - 1, "month") for cadence in range(3, 13)},
    13: (12, "year"),
    14: (24, "year"),
}
"""The number of months of each cadence, and its unit in words."""
_MULTIPLIED = (_MONTHLY, 13)
_BALANCES = ("TB", "TBD")
_UNKNOWN = "unknown"
_LONGEST_MONTH = 31


def _targets(rows: pd.DataFrame) -> Iterator[_Target]:
    columns = []
    for name in _Target._fields:
        column = milliunits(rows[name]) if _CATEGORIES[name].unit == CURRENCY else rows[name]
        values = column.astype(object)
        columns.append(values.where(values.notna(), None).tolist())
    return map(_Target._make, zip(*columns, strict=True))


def _every(number: int, noun: str) -> str:
    return f"{noun}ly" if number == 1 else f"every {number} {noun}s"


def _rounded_up(amount: int | None, parts: int, unit: int) -> int | None:
    """A part of an amount, so that the parts are together at least the amount."""
    return None if amount is None else -(-amount // (parts * unit)) * unit


def _mean_income(months: pd.DataFrame, today: pd.Timestamp) -> tuple[float, int]:
    """The mean income of the last complete months in milliunits, and their number."""
    end = today.replace(day=1)
    begin = end - pd.DateOffset(months=_INCOME_MONTHS)
    last = months[((months["month"] >= begin) & (months["month"] < end)).to_numpy(bool)]
    total = int(exact(last, "income").sum())
    return (total / len(last), len(last)) if total > 0 else (0.0, 0)


def _unknown_rule(rows: pd.DataFrame, plans: Sequence[_Plan]) -> str:
    """The rule about cadences and days that the service did not have when this was written."""
    is_unknown = np.array([plan.words == _UNKNOWN for plan in plans], dtype=bool)
    names = ", ".join(rows["category_name"][is_unknown].astype(str))
    return f"The cadence of {names} is unknown, so that the monthly cost is missing." * bool(names)


def _draw_targets(frame: pd.DataFrame, canvas: Canvas) -> Any:
    names = disambiguated(frame, "category_group_name", "category_name")
    asked = (exact(frame, "assigned") + exact(frame, "needed")) / MILLIUNITS
    table = pd.DataFrame({"asked": asked, "assigned": frame["assigned"].to_numpy()})
    table = table.set_axis(names.to_numpy()).iloc[np.argsort(-asked, kind="stable")]
    on_track = frame["on_track"].fillna(value=False).to_numpy(bool)
    draw_parts(canvas, table, max_bars=_MAX_BARS, marked="assigned, more is needed", is_more=False)
    title = f"Targets of the month: {on_track.sum():,} of {len(frame):,} on track"
    return canvas.title(title)


_TARGETS = register(
    targets,
    (
        *(_CATEGORIES[name] for name in _NAMES if name != "goal_type"),
        Column("target", "float64", CURRENCY, "amount of the target"),
        Column("cadence", "str", "", "how often it repeats"),
        Column("monthly", "float64", CURRENCY, "what it costs this month; missing: not known"),
        Column("needed", "float64", CURRENCY, "still missing this month, positive"),
        Column("assigned", "float64", CURRENCY, "assigned this month"),
        Column("available", "float64", CURRENCY, "available now"),
        Column("funded", "float64", SHARE, "funded part of the target"),
        Column("due", "datetime64[us]", "", "due day; if monthly, in this month", display="always"),
        Column("on_track", "boolean", "", "whether nothing is needed this month", display="always"),
        Column("snoozed", "bool", "", "whether the target is snoozed"),
        _CATEGORIES["goal_type"],
    ),
    on_canvas(_draw_targets),
    main="needed",
    no_rows="the service states its figures; bf.categories() has them",
)

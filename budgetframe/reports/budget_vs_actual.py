"""The plan: what was assigned and what became of it, and how old money is when it is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from budgetframe.frames import TABLES, Column
from budgetframe.frames.dates import Day
from budgetframe.frames.ledger import CARD_GROUP, INTERNAL_GROUP, UNCATEGORIZED
from budgetframe.frames.schema import CURRENCY

from .ledger_rows import disambiguated
from .periods import Freq, check_choice, first_days, span_of
from .report import Report, make_report, on_canvas, register
from .sums import currency, exact, require_columns

__all__ = ["age_of_money", "budget_vs_actual"]

if TYPE_CHECKING:
    from budgetframe.reports.plotting.canvas import Canvas

_PLAN = {column.name: column for column in TABLES["month_categories"].columns}
_NAMES = ("category_id", "category_group_name", "category_name", "hidden")
_MOST_BARS = 12


def budget_vs_actual(
    month_categories: pd.DataFrame,
    *,
    freq: Freq = "month",
    include_hidden: bool = True,
    include_cards: bool = False,
    since: Day | None = None,
    until: Day | None = None,
) -> Report:
    """Assigned, spent and available by category, over time, as the service states them.

    The sum of what was assigned, hidden categories and card payments included, is the service's
    own total of the month. A category of the same name in two groups is two rows; one without any
    activity is a row with zeros.

    Parameters
    ----------
    month_categories : DataFrame
        ``bf.month_categories()``.
    freq : {"month", "quarter", "year", "all"}
        What the rows are. Assigned and activity are added up; available, target and what is
        missing are those of the last month.
    include_hidden : bool
        Whether hidden categories are there.
    include_cards : bool
        Whether the categories of the group ``Credit Card Payments`` are there: their activity is
        what the service moves to them as spending on a card is covered, and no spending.
    since, until : str, date or Timestamp, optional
        First and last month; by default that of the first row, and the month that the frame was
        asked for in. The plan knows months to come as well: those from a later `since` on.

    Returns
    -------
    Report
        Rows sorted by period, category_group_name, category_name, category_id; the same columns
        and dtypes when there are none.

    Raises
    ------
    ToolError
        When the frame is not that of the months' categories, or an argument cannot be right.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> plan = bf.reports.budget_vs_actual(since="2026-05", until="2026-05")
    >>> from budgetframe.frames import milliunits
    >>> months = bf.months().set_index("month")
    >>> every = bf.reports.budget_vs_actual(include_cards=True, since="2026-05", until="2026-05")
    >>> bool(milliunits(every["assigned"]).sum() / 1000 == months.loc["2026-05-01", "budgeted"])
    True
    """
    require_columns(month_categories, list(_PLAN), "month_categories")
    check_choice(freq, "freq", Freq)
    frame = month_categories
    span = span_of(frame, "month", since, until, months=True, to_today=True)
    is_internal = (frame["category_group_name"] == INTERNAL_GROUP).to_numpy(bool)
    is_kept = ~is_internal | (frame["category_name"] == UNCATEGORIZED).to_numpy(bool)
    if not include_cards:
        is_kept &= (frame["category_group_name"] != CARD_GROUP).to_numpy(bool)
    if not include_hidden:
        is_kept &= ~frame["hidden"].to_numpy(bool)
    values: dict[str, Any] = {}
    if span is not None:
        rows = frame[is_kept & span.holds(frame["month"])]
        values = _planned(rows.assign(period=first_days(rows["month"], freq, span)))
    return make_report(
        _BUDGET_VS_ACTUAL,
        values,
        of=[month_categories],
        freq=freq,
        rules=[
            "All figures are the service's own: assigned, activity, available, target.",
            "Spent is activity with the sign turned; difference = assigned - spent.",
            "Available, target and what is missing are those of the last month of the period.",
            "Hidden categories are there." if include_hidden else "Hidden categories are left out.",
            "Card payments are there; their activity is no spending."
            if include_cards
            else "Card payments are left out: their activity is no spending.",
            "" if span is None else f"Months from {span.first:%Y-%m} to {span.last:%Y-%m}.",
        ],
    )


def age_of_money(
    months: pd.DataFrame, *, since: Day | None = None, until: Day | None = None
) -> Report:
    """How many days money lay there before it was spent, as the service states it each month.

    Parameters
    ----------
    months : DataFrame
        ``bf.months()``.
    since, until : str, date or Timestamp, optional
        First and last month; by default the first there is, and the month that the frame was
        asked for in.

    Returns
    -------
    Report
        Rows sorted by month; the same columns and dtypes when there are none. Where the service
        does not know the age, it is missing: unknown, not zero.

    Raises
    ------
    ToolError
        When the frame is not that of the months, or an argument cannot be right.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> age = bf.reports.age_of_money(since="2026-04")
    >>> list(age.columns)
    ['month', 'age_of_money', 'change']
    """
    require_columns(months, ["month", "age_of_money"], "months")
    span = span_of(months, "month", since, until, months=True, to_today=True)
    ages = months.sort_values("month", kind="stable")
    before = ages.set_index(ages["month"] + pd.DateOffset(months=1))["age_of_money"]
    ages = ages.assign(change=ages["age_of_money"] - before.reindex(ages["month"]).array)
    if span is not None:
        ages = ages[span.holds(ages["month"])]
    return make_report(
        _AGE_OF_MONEY,
        {name: ages[name] for name in ("month", "age_of_money", "change")} if span else {},
        of=[months],
        freq="month",
        rules=[
            "The service's own figure: days between receiving money and spending it.",
            "Missing where the service does not state it: unknown, not zero.",
        ],
    )


def _planned(rows: pd.DataFrame) -> dict[str, Any]:
    if rows.empty:
        return {}
    amounts = rows[["period", "category_id"]].assign(
        assigned=exact(rows, "budgeted"), spent=-exact(rows, "activity")
    )
    keys = ["period", "category_id"]
    sums = amounts.groupby(keys, as_index=False)[["assigned", "spent"]].sum()
    last = rows.sort_values("month", kind="stable").drop_duplicates(keys, keep="last")
    state = ["balance", "goal_target", "goal_under_funded"]
    table = sums.merge(last[[*keys, *_NAMES[1:], *state]], on=keys)
    order = ["period", "category_group_name", "category_name", "category_id"]
    table = table.sort_values(order, kind="stable", ignore_index=True)
    return {name: table[name] for name in ("period", *_NAMES)} | {
        "assigned": currency(table["assigned"].to_numpy()),
        "spent": currency(table["spent"].to_numpy()),
        "difference": currency((table["assigned"] - table["spent"]).to_numpy()),
        "available": table["balance"],
        "target": table["goal_target"],
        "under_funded": table["goal_under_funded"],
    }


def _draw_budget_vs_actual(frame: pd.DataFrame, canvas: Canvas) -> Any:
    if len(frame["period"].unique()) > 1:
        table = frame.groupby("period")[["assigned", "spent"]].sum()
        canvas.bars(table, [canvas.theme.faint, canvas.theme.plus])
        return canvas.title("Assigned and spent")
    rows = frame[(frame["assigned"] != 0) | (frame["spent"] != 0)]
    rows = rows.assign(shown=disambiguated(rows, "category_group_name", "category_name"))
    rows = rows.assign(most=rows[["assigned", "spent"]].max(axis=1))
    rows = rows.sort_values("most", ascending=False, kind="stable")
    rest = rows.iloc[_MOST_BARS:]
    if len(rest):
        more = {"shown": f"{len(rest)} more", "assigned": rest["assigned"].sum()}
        more |= {"spent": rest["spent"].sum()}
        rows = pd.concat([rows.iloc[:_MOST_BARS], pd.DataFrame([more])])
    rows = rows.iloc[::-1]
    is_over = (rows["spent"] > rows["assigned"]).to_numpy(bool)
    places = np.arange(len(rows))
    canvas.ax.barh(
        places, rows["assigned"], height=0.75, color=canvas.theme.faint, alpha=0.4, label="assigned"
    )
    for label, mask, colour in (
        ("spent", ~is_over, canvas.theme.plus),
        ("spent, more than assigned", is_over, canvas.theme.minus),
    ):
        if mask.any():
            canvas.ax.barh(places[mask], rows["spent"][mask], height=0.4, color=colour, label=label)
    canvas.ax.set_yticks(places, [canvas.short(name) for name in rows["shown"]])
    canvas.money("x")
    canvas.zero("x")
    canvas.tall(len(rows))
    return canvas.title("Assigned and spent")


def _draw_age_of_money(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table = frame.set_index("month")[["age_of_money"]].astype("float64")
    canvas.lines(table.rename(columns={"age_of_money": "days"}), [canvas.theme.plus])
    canvas.days()
    canvas.ax.set_ylim(bottom=0)
    known = table["age_of_money"].dropna()
    shown = "unknown" if known.empty else f"{known.iloc[-1]:.0f} days"
    return canvas.title(f"Age of money: {shown}", legend=False)


_BUDGET_VS_ACTUAL = register(
    budget_vs_actual,
    (
        Column("period", "datetime64[us]", "", "first day of the period"),
        *(_PLAN[name] for name in _NAMES),
        Column("assigned", "float64", CURRENCY, "assigned in the period"),
        Column("spent", "float64", CURRENCY, "activity, outflow positive, net of refunds"),
        Column("difference", "float64", CURRENCY, "assigned less spent"),
        Column("available", "float64", CURRENCY, "at the end of the period"),
        Column("target", "float64", CURRENCY, "amount aimed for; missing: no goal"),
        Column("under_funded", "float64", CURRENCY, "missing for the goal, positive"),
    ),
    on_canvas(_draw_budget_vs_actual),
)
_AGE_OF_MONEY = register(
    age_of_money,
    (
        Column("month", "datetime64[us]", "", "first day of the month"),
        Column("age_of_money", "Int64", "days", "between earning and spending"),
        Column("change", "Int64", "days", "since the month before"),
    ),
    on_canvas(_draw_age_of_money),
)

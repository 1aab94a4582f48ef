"""The age of money, month by month."""

from __future__ import annotations

from typing import Any

import pandas as pd

from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.schema import Column

from ._shared.arguments import report_function
from ._shared.periods import span_of
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import InCurrency, register
from ._shared.sentences import days_sentence
from ._shared.sums import required_frame


@report_function
def age_of_money(
    months: pd.DataFrame | ArrowTable, *, since: Day | None = None, until: Day | None = None
) -> Report:
    """Number of days between receiving money and spending it, as the service states each month.

    The function takes ``bf.months()``; the other parameters and the columns are those of
    `bf.reports.age_of_money`.

    By default the last month is that in which the frame was read.
    """
    months = required_frame(months, ["month", "age_of_money"], "months")
    span = span_of(months, "month", since, until, months=True, to_today=True)
    ages = months.dropna(subset="month").sort_values("month", kind="stable")
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
            "The figure is the service's own: days between receiving money and spending it.",
            "A missing value means that the service does not state the age: unknown, not zero.",
        ],
    )


def _draw_age_of_money(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table = frame.set_index("month")[["age_of_money"]].astype("float64")
    last_days, today = pd.DatetimeIndex(table.index) + pd.offsets.MonthEnd(1), canvas.time.today
    is_over = last_days <= (last_days.max() if today is None else today)
    trends = canvas.trends(table, is_over, unit="days")
    canvas.lines(table.rename(columns={"age_of_money": "days"}), [canvas.theme.plus], unit="days")
    canvas.draw_trends(trends, at_days=True)
    canvas.ax.set_ylim(bottom=0)
    known = table["age_of_money"].dropna()
    shown = "unknown" if known.empty else f"{known.iloc[-1]:.0f} days"
    return canvas.title(f"{canvas.heading('Age of money', frame)}: {shown}", legend=False)


def _sentence(frame: pd.DataFrame, _money: InCurrency) -> str:
    return days_sentence(frame.set_index("month")["age_of_money"], "Money is spent after {}", frame)


_COLUMNS = (
    Column("month", "datetime64[us]", "", "first day of the month"),
    Column("age_of_money", "Int64", "days", "days between receiving money and spending it"),
    Column("change", "Int64", "days", "change since the month before"),
)
_AGE_OF_MONEY = register(
    age_of_money, _COLUMNS, on_canvas(_draw_age_of_money), sentence=_sentence,
    no_rows="the service states its figures; bf.ledger() has all transactions",
    kinds=("line", "trend"),
)  # fmt: skip

"""Income against spending, by period."""

from __future__ import annotations

from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.money import currency
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.flow_rows import FLOWS, flow_rows
from ._shared.ledger_rows import IS_COMPLETE, PERIOD, SPENT
from ._shared.periods import Freq, WeekDay, complete_periods, freq_of
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import OVER_TIME, InCurrency, register
from ._shared.row_filters import RowFilters
from ._shared.row_source import CountedRows, RowSource
from ._shared.sentences import exact_sum, without_category
from ._shared.sums import grid

# The labels of the rows behind each column: positions in `FLOWS`.
_LABELS = {
    "net": (0, 1, 2), "income": (0,), "spent": (1,), "uncategorized": (2,),
    "starting_balances": (3,),
}  # fmt: skip
_MAX_PHONE_PERIODS = 24  # periods with two bars each, one below the other


@report_function
def income_expense(
    ledger: pd.DataFrame | ArrowTable,
    *,
    freq: Freq = "month",
    week_starts: WeekDay = "monday",
    transfers: Literal["to_tracking", "none"] = "to_tracking",
    since: Day | None = None,
    until: Day | None = None,
    **filters: Unpack[RowFilters],
) -> Report:
    """Income, spending and the difference, by period.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.income_expense`.
    """
    freq = freq_of(freq, week_starts)
    days = since, until
    ledger, rows, span, stated, rules = flow_rows(ledger, (), freq, transfers, days, filters)
    values: dict[str, Any] = {}
    starts = ends = np.zeros(0, dtype="datetime64[us]")
    if span is not None:
        starts, ends = span.starts(freq), span.ends(freq)
        income, spent, uncategorized, starting = grid(rows, len(FLOWS), starts)
        net = income + spent + uncategorized
        values = {
            "period": starts, "income": currency(income), "spent": currency(-spent),
            "uncategorized": currency(-uncategorized), "net": currency(net),
            "savings_rate": np.where(income > 0, net / np.where(income > 0, income, 1), np.nan),
            "starting_balances": currency(starting),
            "is_complete": complete_periods(span, freq, ledger, since),
        }  # fmt: skip
    counted = CountedRows(rows, rows["label"])
    behind = {
        name: counted.behind([labels] * len(starts), first=starts, last=ends)
        for name, labels in _LABELS.items()
    }
    return make_report(
        _INCOME_EXPENSE, values, of=[ledger], **stated, rows=RowSource(ledger, ("period",), behind),
        rules=[
            *rules,
            "Transactions without a category have their own column.",
            "Net = income - spent - uncategorized.",
            "Savings rate = net / income; missing without income.",
            "" if span is None else span.rule,
        ],
    )  # fmt: skip


def _draw_bars(frame: pd.DataFrame, canvas: Canvas) -> Any:
    if canvas.kind == "calendar":
        from .plotting.squares import draw_calendar  # noqa: PLC0415 - matplotlib is an extra

        return draw_calendar(canvas, frame.set_index("period")["net"], "Income less spending")
    if canvas.for_phone and len(frame) <= _MAX_PHONE_PERIODS:
        return _draw_for_phone(frame, canvas)
    table = frame.set_index("period")
    flows, is_complete = table[["income", "spent"]], table["is_complete"]
    colours = [canvas.theme.plus, canvas.theme.minus]
    trends = canvas.trends(flows, is_complete)
    if canvas.is_line:
        columns = ["income", "spent", "net"]
        canvas.period_lines(table[columns], [*colours, canvas.theme.ink], is_complete)
    else:
        canvas.bars(flows, colours, is_complete=is_complete)
        canvas.line_over_bars(table["net"], "net")
    canvas.draw_trends(trends, colours)
    return canvas.title(canvas.heading("Income and spending", frame))


def _draw_for_phone(frame: pd.DataFrame, canvas: Canvas) -> Any:
    """Draw horizontal bars, because vertical ones leave no room for amounts; the last on top."""
    latest = frame.iloc[::-1]
    flows = latest[["income", "spent"]]
    days = zip(latest["period"], latest["is_complete"], strict=True)
    names = [canvas.time.label(day, is_complete=is_complete) for day, is_complete in days]
    amounts = zip(flows["income"], flows["spent"], strict=True)
    texts = [f"{canvas.amount(income)} / {canvas.amount(spent)}" for income, spent in amounts]
    colours = [canvas.theme.plus, canvas.theme.minus]
    canvas.paired_bars(flows.set_axis(names), colours, max_bars=len(flows), texts=texts)
    return canvas.title(canvas.heading("Income and spending", frame))


def _sentence(frame: pd.DataFrame, money: InCurrency) -> str:
    income, left = exact_sum(frame["income"]), exact_sum(frame["net"])
    outcome = f"{money(left)} was left" if left >= 0 else f"{money(-left)} was missing"
    since = f"Since {frame['period'].iloc[0]:%b %Y}" if len(frame) > 1 else "This month"
    rest = without_category(exact_sum(frame["uncategorized"]), money)
    spent = f"spending was {money(exact_sum(frame['spent']))}"
    parts = f", {spent}{rest}" if rest else f" and {spent}"
    return f"{since}, income was {money(income)}{parts}: {outcome}."


_COLUMNS = (
    PERIOD,
    Column("income", "float64", CURRENCY, "income, before it is assigned"),
    SPENT,
    Column("uncategorized", "float64", CURRENCY, "outflow without a category, net"),
    Column("net", "float64", CURRENCY, "income minus spent minus uncategorized"),
    Column("savings_rate", "float64", "share", "net / income; missing without income"),
    Column("starting_balances", "float64", CURRENCY, "starting balances of budget accounts"),
    IS_COMPLETE,
)
_INCOME_EXPENSE = register(
    income_expense, _COLUMNS, on_canvas(_draw_bars), main="net", sentence=_sentence,
    kinds=(*OVER_TIME, "calendar"),
)  # fmt: skip

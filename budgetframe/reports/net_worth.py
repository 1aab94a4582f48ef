"""Assets, debts and net worth over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from budgetframe.frames.arrow_tables import ArrowTable, in_pandas
from budgetframe.frames.dates import Day
from budgetframe.frames.loan_terms import DEBT_TYPES
from budgetframe.frames.money import currency
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.loan_rule import LOAN_COLUMNS, UNEXPLAINED
from ._shared.periods import CalendarFreq, WeekDay, freq_of
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import OVER_TIME, InCurrency, register
from ._shared.row_filters import AccountFilters
from ._shared.row_source import Columns, CountedRows, RowSource
from ._shared.sentences import exact_sum
from ._shared.stated_balances import STATE_DATE, account_balances

_DEBT_RULES = {
    "balance": "A debt is a balance below zero on that day, for every type of account.",
    "type": "Debts are the balances of cards, loans, mortgages and other liabilities.",
}


@report_function
def net_worth(
    ledger: pd.DataFrame | ArrowTable,
    *,
    freq: CalendarFreq = "month",
    week_starts: WeekDay = "monday",
    debts: Literal["balance", "type"] = "balance",
    interest: bool = True,
    currencies: Mapping[str, str] | None = None,
    rates: pd.DataFrame | ArrowTable | None = None,
    since: Day | None = None,
    until: Day | None = None,
    **filters: Unpack[AccountFilters],
) -> Report:
    """Assets, debts and net worth at the end of each period, by default of each month.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.net_worth`.

    The ledger must be complete: without its first rows, the balances would be wrong.
    """
    ledger, freq = in_pandas(ledger), freq_of(freq, week_starts)
    kept, starts, ends, listed, table, opening, costs, rules = account_balances(
        ledger, freq, filters, since, until, interest=interest, currencies=currencies, rates=rates
    )
    is_of_debt = listed["account_type"].isin(DEBT_TYPES).to_numpy(bool)[:, np.newaxis]
    is_debt = table < 0 if debts == "balance" else np.broadcast_to(is_of_debt, table.shape)
    owed = np.where(is_debt, table, 0).sum(axis=0)
    net = table.sum(axis=0)
    account_ids = pd.Index(listed["account_id"])

    def behind(rows: pd.DataFrame) -> Columns:
        labels = account_ids.get_indexer(rows["account_id"])
        counted = CountedRows(rows[labels >= 0], labels[labels >= 0])
        return {
            "net": counted.behind(last=ends),
            "change": counted.behind(first=starts, last=ends),
            "assets": counted.behind([*map(np.flatnonzero, ~is_debt.T)], last=ends),
            "debts": counted.behind([*map(np.flatnonzero, is_debt.T)], last=ends),
        }

    values = {
        "date": ends, "assets": currency(net - owed), "debts": currency(owed), "net": currency(net),
        "change": currency(np.diff(net, prepend=opening.sum())),
        **{name: currency(amounts.sum(axis=0)) for name, amounts in costs.items()},
    }  # fmt: skip
    other = "other " if kept.excluded else ""
    kinds = "including tracking accounts and closed accounts"
    all_rule = f"Every {other}account of the ledger counts, {kinds}."
    return make_report(
        _NET_WORTH, values, of=[ledger], freq=freq, filters=kept.given or None,
        rows=RowSource(ledger, ("date",), behind),
        rules=[
            *kept.rules,
            "" if "accounts" in kept.selected else all_rule,
            _DEBT_RULES[debts],
            "Debts are negative: net = assets + debts.",
            "Change is the difference from the end of the period before, also in the first row.",
            "Change contains the change of the rates." if currencies else "",
            *rules,
        ],
    )  # fmt: skip


def _draw_net_worth(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table = frame.set_index("date")
    colours = [canvas.theme.plus, canvas.theme.minus]
    trends = canvas.trends(table[["net"]])
    if canvas.is_line:
        canvas.lines(table[["assets", "debts", "net"]], [*colours, canvas.theme.ink])
    else:
        canvas.bars(table[["assets", "debts"]], colours, stacked=True)
        canvas.line_over_bars(table["net"], "net", steps=table[UNEXPLAINED.name])
    canvas.draw_trends(trends, at_days=canvas.is_line)
    last = canvas.amount(table["net"].iloc[-1])
    return canvas.title(f"{canvas.heading('Net worth', frame)}: {last}")


def _sentence(frame: pd.DataFrame, money: InCurrency) -> str:
    first, last = frame.iloc[0], frame.iloc[-1]
    change = exact_sum([last["net"], -first["net"]])
    now, since = money(last["net"]), f"{first['date']:%b %Y}"
    if len(frame) == 1:
        return f"Net worth is {now}."
    if not change:
        return f"Net worth is {now}, the same as at the end of {since}."
    direction = "rose" if change > 0 else "fell"
    return f"Net worth {direction} by {money(abs(change))} to {now} since the end of {since}."


_COLUMNS = (
    STATE_DATE,
    Column("assets", "float64", CURRENCY, "sum of the balances that are not debts"),
    Column("debts", "float64", CURRENCY, "sum of the debts, negative"),
    Column("net", "float64", CURRENCY, "assets plus debts"),
    Column("change", "float64", CURRENCY, "change of net since the end of the previous period"),
    *LOAN_COLUMNS,
)
_NET_WORTH = register(
    net_worth, _COLUMNS, on_canvas(_draw_net_worth), main="net", sentence=_sentence, kinds=OVER_TIME
)

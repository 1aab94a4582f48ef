"""The balance of each account over time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Unpack

import numpy as np
import pandas as pd

from budgetframe.frames.arrow_tables import ArrowTable, in_pandas
from budgetframe.frames.dates import Day
from budgetframe.frames.money import currency
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.group_pictures import largest_columns
from ._shared.loan_rule import LOAN_COLUMNS, UNEXPLAINED
from ._shared.periods import CalendarFreq, WeekDay, freq_of
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import OVER_TIME, register
from ._shared.row_filters import AccountFilters
from ._shared.row_source import Columns, CountedRows, RowSource
from ._shared.stated_balances import ACCOUNT, STATE_DATE, account_balances, with_steps

_ACCOUNT = [column.name for column in ACCOUNT]


@report_function
def balances(
    ledger: pd.DataFrame | ArrowTable,
    *,
    freq: CalendarFreq = "month",
    week_starts: WeekDay = "monday",
    interest: bool = True,
    currencies: Mapping[str, str] | None = None,
    rates: pd.DataFrame | ArrowTable | None = None,
    since: Day | None = None,
    until: Day | None = None,
    **filters: Unpack[AccountFilters],
) -> Report:
    """Balance of each account at the end of each period, by default of each month.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.balances`.

    The ledger must be complete: without its first rows, the balances would be wrong.
    """
    freq = freq_of(freq, week_starts)
    ledger = in_pandas(ledger)
    found = account_balances(
        ledger, freq, filters, since, until, interest=interest, currencies=currencies, rates=rates
    )
    listed = found.accounts
    shown = np.tile(np.arange(len(listed)), len(found.ends))
    of_rows = listed.take(shown)
    values: dict[str, Any] = {name: of_rows[name] for name in _ACCOUNT}
    values["date"] = np.repeat(found.ends, len(listed))
    for name, amounts in {"balance": found.table, **found.loans}.items():
        values[name] = currency(amounts.T.reshape(-1))
    account_ids, days = pd.Index(listed["account_id"]), values["date"]

    def behind(rows: pd.DataFrame) -> Columns:
        counted = CountedRows(rows, account_ids.get_indexer(rows["account_id"]))
        return {"balance": counted.behind(shown, last=days)}

    return make_report(
        _BALANCES, values, of=[ledger], freq=freq, filters=found.kept.given or None,
        rows=RowSource(ledger, ("account_id", "date"), behind),
        rules=[
            "Each balance is the sum of all rows in the ledger up to that day, with split parts.",
            *found.kept.rules,
            "Before its first transaction an account has the balance zero.",
            "After it was closed an account keeps its last balance.",
            *found.rules,
        ],
    )  # fmt: skip


def _draw_balances(frame: pd.DataFrame, canvas: Canvas) -> Any:
    pivoted = partial(frame.pivot, index="date", columns="account_id")
    table, steps = pivoted(values="balance"), pivoted(values=UNEXPLAINED.name)
    names = frame.drop_duplicates("account_id").set_index("account_id")["account_name"]
    largest = table.abs().max().sort_values(ascending=False).index

    def shown(each: pd.DataFrame) -> pd.DataFrame:
        return largest_columns(each, largest, canvas.max_series).rename(columns=dict(names))

    trends = canvas.trends(shown(table))
    canvas.lines(shown(with_steps(table, steps.fillna(0))), canvas.theme.series)
    canvas.draw_trends(trends, canvas.theme.series, at_days=True)
    if len(names) > 1:
        return canvas.title(canvas.heading("Balance by account", frame))
    last = canvas.amount(table[names.index[0]].iloc[-1])
    title = canvas.heading(f"Balance of {canvas.name(names.iloc[0])}", frame)
    return canvas.title(f"{title}: {last}", legend=False)


_BALANCE = Column("balance", "float64", CURRENCY, "cleared plus uncleared balance")
_COLUMNS = (STATE_DATE, *ACCOUNT, _BALANCE, *LOAN_COLUMNS)
_BALANCES = register(
    balances, _COLUMNS, on_canvas(_draw_balances), main="balance", kinds=OVER_TIME, has_wide=True,
    groups=("account_name", "account_id"),
)  # fmt: skip

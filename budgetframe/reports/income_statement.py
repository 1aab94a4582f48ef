"""Income by payee and spending by category, line by line, with the periods as columns."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from budgetframe._resources import UNCATEGORIZED
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.money import currency
from budgetframe.frames.schema import CURRENCY, LEVEL, LINE, LINES, Column
from budgetframe.frames.tables import LEDGER

from ._shared.arguments import report_function
from ._shared.flow_rows import flow_rows
from ._shared.group_numbers import group_numbers
from ._shared.periods import Freq, WeekDay, complete_periods, freq_of
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import InCurrency, register
from ._shared.row_filters import RowFilters
from ._shared.row_source import CountedRows, RowSource
from ._shared.sentences import exact_sum
from ._shared.sums import divide_rounded, grid
from ._shared.wide import WIDE, period_label

_INCOME, _SPENT, _INFLOW = range(3)  # the parts; 3: outflow without a category, also spending
_SECTIONS = ("income", "spending", "net")
_GROUP = ["category_group_name", "category_group_id"]
_NAMES = [*_GROUP, "category_name", "category_id", "payee_name", "payee_id"]
_MAX_BARS = 15


@report_function
def income_statement(
    ledger: pd.DataFrame | ArrowTable,
    *,
    freq: Freq = "month",
    week_starts: WeekDay = "monday",
    transfers: Literal["to_tracking", "none"] = "to_tracking",
    since: Day | None = None,
    until: Day | None = None,
    **filters: Unpack[RowFilters],
) -> Report:
    """Income by payee, spending by group and category, and net, with the periods as columns.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.income_statement`.

    ``All income sources`` is ``income`` of `income_expense`, the line of a category is ``spent`` of
    `spending`, and ``Net`` is ``net``. The two lines ``Uncategorized`` are the inflows and the
    outflows without a category.
    """
    freq = freq_of(freq, week_starts)
    unit: Freq = "month" if freq == "all" else freq  # of the average
    rows, span, stated, rules = flow_rows(ledger, _NAMES, unit, transfers, (since, until), filters)
    frame: pd.DataFrame = stated["of"][0]
    rows = rows[rows["label"] <= _INFLOW]
    is_outflow = (rows["label"] == _INFLOW) & (rows["amount"] < 0)
    rows = rows.assign(part=rows["label"] + is_outflow.to_numpy("int64"))
    numbers, firsts = np.zeros(len(rows), "int64"), 0
    for part, names in enumerate((_NAMES[4:], _NAMES[:4], [], [])):
        own = (rows["part"] == part).to_numpy()
        numbers[own] = firsts + group_numbers(rows.loc[own, names], names)
        firsts = numbers[own].max(initial=firsts - 1) + 1
    leaves = rows.take(np.unique(numbers, return_index=True)[1]).reset_index(drop=True)
    for name in _NAMES:
        part = _INCOME if name.startswith("payee") else _SPENT
        leaves[name] = leaves[name].astype(object).where(leaves["part"] == part, None)
    counted, values, incomplete = CountedRows(rows, numbers), dict[str, Any](), list[str]()
    behind = {"total": counted.behind()}
    if span is not None:
        days, is_complete = span.starts(unit), complete_periods(span, unit, frame, since)
        table = grid(rows.assign(label=numbers), len(leaves), days)
        lines, sums = _lines(leaves, table.sum(axis=1))
        table = np.stack([table[each].sum(axis=0) for each in sums])
        table[lines["section"] == "spending"] *= -1
        averaged = is_complete if is_complete.any() else ~is_complete
        mean = divide_rounded(table[:, averaged].sum(axis=1), averaged.sum())
        values = {**lines, "average": currency(mean), "total": currency(table.sum(axis=1))}
        behind["total"] = counted.behind(sums)
        for at, day in enumerate(days if freq != "all" else ()):
            name = period_label(pd.Timestamp(day), freq, "")
            first, last = [day] * len(sums), [span.ends(unit)[at]] * len(sums)
            values[name] = currency(table[:, at])
            behind[name] = counted.behind(sums, first=first, last=last)
            incomplete += [] if is_complete[at] else [name]
    word = unit.partition(" ")[0]  # "week" also for weeks from Sunday
    return make_report(
        _STATEMENT,
        values,
        **stated | {"freq": freq, WIDE: "amount"},
        keys=(_LINE, *(Column(name, "float64", CURRENCY, "") for name in [*behind][1:])),
        rows=RowSource(frame, ("section", LEVEL, *_NAMES), behind),
        rules=[
            *rules[:-1],
            "Without a category, inflows are a line of Income, and outflows one of Spending.",
            "Spending is positive, as income is: net = income - spending.",
            f"Average: per {word}, over all complete {word}s or, without any, over all; rounded.",
            f"Not complete: {', '.join(incomplete)}." if incomplete else "",
            rules[-1],
        ],
    )


def _lines(leaves: pd.DataFrame, totals: Any) -> tuple[pd.DataFrame, list[list[int]]]:
    """What names the lines, in their order with the largest first, and the sums in each line."""
    part, names = leaves["part"].to_numpy(), leaves[_NAMES].to_dict("records")
    totals = np.where(part % 2, -totals, totals)
    group, of_group = group_numbers(leaves, ["part", *_GROUP]), np.zeros(len(leaves), "int64")
    np.add.at(of_group, group, totals)
    order = np.lexsort((-totals, group, -of_group[group], part > _SPENT, part % 2)).tolist()
    none = dict.fromkeys(("category_group_name", "category_name"), UNCATEGORIZED)
    lines, sums = list[dict[str, Any]](), list[list[int]]()

    def add(level: int, text: Any, members: list[int], **named: Any) -> None:
        line = "(none)" if pd.isna(text) else text
        lines.append({"section": section, LEVEL: level, LINE: line, **named})
        sums.append(members)

    for at, section in enumerate(_SECTIONS[:2]):
        add(0, section.capitalize(), [each for each in order if part[each] % 2 == at])
        for _, each in groupby(sums[-1], group.__getitem__):
            members = [*each]
            if part[members[0]] > _SPENT:
                add(1, UNCATEGORIZED, members, **none)
                continue
            of_all = {name: names[members[0]][name] for name in _GROUP}
            add(1, of_all[_GROUP[0]] if at else "All income sources", members, **of_all)
            for leaf in members:
                own = names[leaf]
                add(LINES, own["category_name" if at else "payee_name"], [leaf], **own)
    section = "net"
    add(0, "Net", order)
    return pd.DataFrame(lines, columns=["section", LEVEL, LINE, *_NAMES]), sums


def _draw(frame: pd.DataFrame, canvas: Canvas) -> Any:
    is_spent = (frame["section"] == "spending").to_numpy(bool)
    kept = frame[(frame[LEVEL] == is_spent).to_numpy(bool)]  # Income, groups of spending, and Net
    if kept.empty:
        raise ToolError("nothing to draw: select Income, Net or groups of spending (level < 2)")
    amounts = kept["total"].where(kept["section"] != "spending", -kept["total"])
    canvas.horizontal_bars(amounts.set_axis(kept["line"]), max_bars=_MAX_BARS)
    return canvas.title(canvas.heading("Income and spending by group", kept), legend=False)


def _sentence(frame: pd.DataFrame, money: InCurrency) -> str:
    whole = frame[frame[LEVEL] == 0].set_index("section")["total"]
    income, spent, net = (exact_sum(whole[whole.index == name]) for name in _SECTIONS)
    outcome = f"{money(net)} was left" if net >= 0 else f"{money(-net)} was missing"
    return f"Income was {money(income)}, and spending was {money(spent)}: {outcome}."


_LINE = Column(LINE, "str", "", "text of the line", display="always")
_STATEMENT = register(
    income_statement,
    (
        _LINE,
        Column("average", "float64", CURRENCY, "mean of complete periods", display="always"),
        Column("total", "float64", CURRENCY, "sum of all periods"),
        Column(LEVEL, "int64", "", "0 total, 1 subtotal, 2 payee or category", display="hidden"),
        Column("section", "str", "", "income, spending or net", display="hidden"),
        *(replace(each, display="hidden") for each in LEDGER if each.name in _NAMES),
    ),
    on_canvas(_draw),
    main="total",
    sentence=_sentence,
)

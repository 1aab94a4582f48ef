"""Income by payee and spending by category, line by line, with the periods as columns."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from budgetframe._resources import UNCATEGORIZED
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.money import currency, exact
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

_INCOME, _SPENT, _UNCATEGORIZED = range(3)  # the labels of `flow_rows`
_SECTIONS = ("income", "spending", "net")
_GROUP = ["category_group_name", "category_group_id"]
_CATEGORY = [*_GROUP, "category_name", "category_id"]
_PAYEE = ["payee_name", "payee_id"]
_NAMES = [*_CATEGORY, *_PAYEE]
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
    `spending`, and ``Net`` is ``net``. The two groups ``Uncategorized`` are the inflows and the
    outflows without a category.
    """
    freq = freq_of(freq, week_starts)
    unit: Freq = "month" if freq == "all" else freq  # of the average
    days = since, until
    ledger, rows, span, stated, rules = flow_rows(ledger, _NAMES, unit, transfers, days, filters)
    is_known = rows["label"] < _UNCATEGORIZED
    rows = rows[is_known | ((rows["label"] == _UNCATEGORIZED) & (exact(rows) != 0))]
    label = rows["label"].to_numpy()
    section = np.where(label == _UNCATEGORIZED, exact(rows) < 0, label)
    leaf = np.choose(label, [*(group_numbers(rows, each) for each in (_PAYEE, _CATEGORY)), 0])
    rows = rows.assign(section=section, leaf=leaf)
    numbers = group_numbers(rows, ["section", "label", "leaf"])
    leaves = rows.take(np.unique(numbers, return_index=True)[1]).reset_index(drop=True)
    counted, values, incomplete = CountedRows(rows, numbers), dict[str, Any](), list[str]()
    behind = {"total": counted.behind()}
    if span is not None:
        starts, is_complete = span.starts(unit), complete_periods(span, unit, ledger, since)
        table = grid(rows.assign(label=numbers), len(leaves), starts)
        lines, sums = _lines(leaves, table.sum(axis=1))
        table = np.stack([table[each].sum(axis=0) for each in sums])
        table[lines["section"] == "spending"] *= -1
        averaged = is_complete if is_complete.any() else ~is_complete
        mean = divide_rounded(table[:, averaged].sum(axis=1), averaged.sum())
        values = {**lines, "average": currency(mean), "total": currency(table.sum(axis=1))}
        behind["total"] = counted.behind(sums)
        if freq != "all":
            names = [period_label(day, freq, "") for day in pd.DatetimeIndex(starts)]
            incomplete = [*compress(names, ~is_complete)]
            values |= dict(zip(names, currency(table).T, strict=True))
            for name, *ends in zip(names, starts, span.ends(unit), strict=True):
                first, last = ([day] * len(sums) for day in ends)
                behind[name] = counted.behind(sums, first=first, last=last)
    word = unit.partition(" ")[0]  # "week" also for weeks from Sunday
    return make_report(
        _REPORT, values, of=[ledger], **stated | {"freq": freq, WIDE: "amount"},
        keys=(_LINE, *(Column(name, "float64", CURRENCY, "") for name in [*behind][1:])),
        rows=RowSource(ledger, ("section", LEVEL, *_NAMES), behind),
        rules=[
            *rules,
            "Without a category, inflows are a group of Income, and outflows one of Spending.",
            "Spending is positive, as income is: net = income - spending.",
            f"Average: per {word}, over all complete {word}s or, without any, over all; rounded.",
            f"Not complete: {', '.join(incomplete)}." if incomplete else "",
            "" if span is None else span.rule,
        ],
    )  # fmt: skip


def _lines(leaves: pd.DataFrame, totals: Any) -> tuple[pd.DataFrame, list[list[int]]]:
    """What names the lines, in their order with the largest first, and the leaves in each line."""
    section, label = leaves["section"].to_numpy(), leaves["label"].to_numpy()
    named = leaves.astype(dict.fromkeys(_NAMES, object))
    named.loc[label != _INCOME, _PAYEE] = named.loc[label != _SPENT, _CATEGORY] = None
    named.loc[label == _UNCATEGORIZED, ["category_group_name", "category_name"]] = UNCATEGORIZED
    named["group"] = named["category_group_name"].mask(label == _INCOME, "All income sources")
    named["leaf"] = named["payee_name"].where(label == _INCOME, named["category_name"])
    named[["group", "leaf"]] = named[["group", "leaf"]].fillna("(none)")
    totals = totals * (1 - 2 * section)
    group, of_group = group_numbers(named, ["section", "label", *_GROUP]), np.zeros_like(totals)
    np.add.at(of_group, group, totals)
    order = np.lexsort((-totals, group, -of_group[group], label == _UNCATEGORIZED, section))
    members: dict[tuple[int, ...], list[int]] = {(0,): [], (1,): [], (2,): order.tolist()}
    places = dict[int, int]()  # of groups
    for at, leaf in enumerate(order.tolist()):
        path = (section[leaf], places.setdefault(group[leaf], at), at)
        for level in range(LINES + 1):
            members.setdefault(path[: level + 1], []).append(leaf)
    lines, records = list[dict[str, Any]](), named.to_dict("records")
    for (place, *rest), found in sorted(members.items()):
        own = records[found[0]] if rest else {"": _SECTIONS[place].capitalize()}
        text, *names = (("",), ("group", *_GROUP), ("leaf", *_NAMES))[len(rest)]
        line = {"section": _SECTIONS[place], LEVEL: len(rest), LINE: own[text]}
        lines.append(line | {name: own[name] for name in names})
    sums = [found for _, found in sorted(members.items())]
    return pd.DataFrame(lines, columns=["section", LEVEL, LINE, *_NAMES]), sums


def _draw(frame: pd.DataFrame, canvas: Canvas) -> Any:
    is_spent = (frame["section"] == "spending").to_numpy(bool)
    kept = frame[(frame[LEVEL] == is_spent).to_numpy(bool)]  # Income, groups of spending, and Net
    kept = frame if kept.empty else kept
    amounts = kept["total"].where(kept["section"] != "spending", -kept["total"])
    canvas.horizontal_bars(amounts.set_axis(kept["line"]), max_bars=_MAX_BARS)
    return canvas.title(canvas.heading("Income and spending by group", kept), legend=False)


def _sentence(frame: pd.DataFrame, money: InCurrency) -> str:
    whole = frame[frame[LEVEL] == 0].set_index("section")["total"]
    income, spent, net = (exact_sum(whole[whole.index == name]) for name in _SECTIONS)
    outcome = f"{money(net)} was left" if net >= 0 else f"{money(-net)} was missing"
    return f"Income was {money(income)}, and spending was {money(spent)}: {outcome}."


_LINE = Column(LINE, "str", "", "text of the line", display="always")
_COLUMNS = (
    _LINE,
    Column("average", "float64", CURRENCY, "mean of complete periods", display="always"),
    Column("total", "float64", CURRENCY, "sum of all periods"),
    Column(LEVEL, "int64", "", "0 total, 1 subtotal, 2 payee or category", display="hidden"),
    Column("section", "str", "", "income, spending or net", display="hidden"),
    *(replace(each, display="hidden") for each in LEDGER if each.name in _NAMES),
)
_REPORT = register(income_statement, _COLUMNS, on_canvas(_draw), main="total", sentence=_sentence)

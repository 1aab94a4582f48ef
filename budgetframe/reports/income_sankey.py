"""Sources and uses of income: the links of a Sankey diagram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, Unpack

import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.money import currency
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.ledger_rows import (
    LEDGER_COLUMNS,
    TRANSFER_RULES,
    Grouped,
    group_rows,
    left_out_rows,
    spending_rows,
    transfer_mask,
)
from ._shared.periods import span_of
from ._shared.report import Report, make_report, on_canvas
from ._shared.report_types import register
from ._shared.row_filters import RowFilters, row_filter
from ._shared.row_source import CountedRows, RowSource, numbered
from ._shared.sums import required_frame, summed
from .plotting.options import PlotOptions
from .plotting.still_sankey import draw_still

_INCOME = "Income"
_LEFT_OVER = "Left over"
_FROM_BEFORE = "From before"
_OTHERS = "Others"


@report_function
def income_sankey(
    ledger: pd.DataFrame | ArrowTable,
    *,
    most: int = 8,
    transfers: Literal["to_tracking", "none"] = "to_tracking",
    uncategorized: bool = True,
    since: Day | None = None,
    until: Day | None = None,
    **filters: Unpack[RowFilters],
) -> Report:
    """Flows from payers to income, to groups, to categories: the links of a Sankey diagram.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.income_sankey`.

    The picture contains the plotly library, about 5 MB, so that it also works offline and in an
    exported page. `Report.rows` returns all rows of income and spending for ``Left over`` and
    ``From before``.
    """
    ledger = required_frame(ledger, LEDGER_COLUMNS, "ledger")
    span = span_of(ledger, "date", since, until)
    kept = row_filter([ledger], filters, on_budget=True)
    may_count = transfer_mask(ledger, transfers) & kept.mask(ledger)
    is_in = may_count & (span.holds(ledger["date"]) if span is not None else False)
    rows = numbered(ledger)
    income = group_rows(rows[is_in & ledger["is_income"].to_numpy(bool)], "payee", ledger)
    paid = spending_rows(rows[is_in], transfers, uncategorized=uncategorized)
    spent = group_rows(paid, "category", ledger)
    count = len(income.labels)  # the labels of categories follow those of payers
    spent = spent._replace(rows=spent.rows.assign(label=spent.rows["label"] + count))
    payers = _sums(income, 0)
    keys = ("level", "source", "target", "category_group_name", "amount")
    found = _links(payers, _sums(spent, count), most)
    links = pd.DataFrame([*found], columns=[*keys, "labels"])
    links = links.sort_values(["level", "amount"], ascending=[True, False], kind="stable")
    others = max(0, int((payers["amount"] > 0).sum()) - most)
    counted = pd.concat([groups.rows[["date", "label"]] for groups in (income, spent)])
    behind = CountedRows(counted, counted["label"]).behind(links["labels"].tolist())
    return make_report(
        _INCOME_SANKEY,
        {**links, "amount": currency(links["amount"].to_numpy("int64"))},
        of=[ledger],
        filters=kept.given or None,
        left_out={
            f"most={most + others}": (others, f"payer in {_OTHERS}", f"payers in {_OTHERS}"),
            **left_out_rows(kept.rows(ledger), span, transfers, uncategorized=uncategorized),
        },
        rows=RowSource(ledger, keys, {"amount": behind}),
        rules=[
            "Income: inflow of budget accounts in Inflow: Ready to Assign, by payee.",
            "Spending is net of refunds.",
            "A category whose refunds exceed its spending flows into the income.",
            TRANSFER_RULES[transfers],
            *kept.rules,
            f"Income that is not spent is {_LEFT_OVER}.",
            f"Spending beyond the income is {_FROM_BEFORE}.",
            "" if span is None else span.rule,
        ],
    )


def _links(payers: pd.DataFrame, categories: pd.DataFrame, most: int) -> Iterator[tuple[Any, ...]]:
    """Level, source, target, group, milliunits and labels of the rows of each link."""
    inflows, returned = _by_sign(payers)
    refunds, paid = _by_sign(categories)
    for name, *flow in [*_flows(inflows[:most], "payee_name"), *_flows(refunds)]:
        yield 0, name, _INCOME, None, *flow
    others = inflows[most:]
    if len(others):
        yield 0, _OTHERS, _INCOME, None, *_joined(others)
    has_category = paid["category_id"].notna()
    for name, *flow in [*_flows(returned, "payee_name"), *_flows(paid[~has_category])]:
        yield 1, _INCOME, name, None, *flow
    for group, rows in paid[has_category].groupby("category_group_name", dropna=False):
        yield 1, _INCOME, group, group, *_joined(rows)
        for name, *flow in _flows(rows):
            yield 2, group, name, group, *flow
    every = pd.concat([payers[["amount", "label"]], categories[["amount", "label"]]])
    rest, labels = int(every["amount"].sum()), every["label"].tolist()
    if rest > 0:
        yield 1, _INCOME, _LEFT_OVER, None, rest, labels
    elif rest < 0:
        yield 0, _FROM_BEFORE, _INCOME, None, -rest, labels


def _by_sign(sums: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The positive sums, the largest first, and the negative sums."""
    positive = sums[sums["amount"] > 0].sort_values("amount", ascending=False, kind="stable")
    return positive, sums[sums["amount"] < 0]


def _flows(sums: pd.DataFrame, name: str = "category_name") -> Iterator[tuple[Any, int, list[int]]]:
    """Name, absolute amount and label of each sum."""
    labels = [[label] for label in sums["label"]]
    return zip(sums[name], sums["amount"].abs(), labels, strict=True)


def _joined(sums: pd.DataFrame) -> tuple[int, list[int]]:
    """The absolute amount of several sums together, and their labels."""
    return abs(int(sums["amount"].sum())), sums["label"].tolist()


def _sums(groups: Grouped, first: int) -> pd.DataFrame:
    """The sums of groups whose labels start with a number, with their names and labels."""
    sums = summed(groups.rows, ["label"])
    named = groups.labels.take(sums["label"].to_numpy() - first)
    return named.assign(amount=sums["amount"].to_numpy(), label=sums["label"].to_numpy())


def _draw(frame: pd.DataFrame, attrs: Mapping[Any, Any], options: PlotOptions) -> Any:
    from .plotting.sankey import sankey  # noqa: PLC0415 - plotly is an extra, and slow to import

    if options.ax is not None:
        raise ToolError("ax: plotly cannot draw on axes of matplotlib; call plot() without ax")
    return sankey(frame, attrs, options)


_COLUMNS = (
    Column("level", "int64", "", "0: to the income; 1: to the groups; 2: to the categories"),
    Column("source", "str", "", "name of the node that the link starts at"),
    Column("target", "str", "", "name of the node that the link ends at"),
    Column("category_group_name", "str", "", "group of the target; missing: none"),
    Column("amount", "float64", CURRENCY, "amount of the flow, positive"),
)
_INCOME_SANKEY = register(income_sankey, _COLUMNS, _draw, still=on_canvas(draw_still))

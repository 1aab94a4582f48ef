"""Where income comes from and where it goes: the links of a Sankey diagram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames import LEDGER, Column
from budgetframe.frames.dates import Day
from budgetframe.frames.schema import CURRENCY

from .ledger_rows import TRANSFERS, grouped, spent_rows, transfer_mask
from .periods import check_choice, span_of
from .report import PlotOptions, Report, make_report, register
from .sums import currency, require_columns, summed

__all__ = ["income_sankey"]

_INCOME = "Income"
_LEFT_OVER = "Left over"
_FROM_BEFORE = "From before"
_OTHERS = "Others"


def income_sankey(
    ledger: pd.DataFrame,
    *,
    most: int = 8,
    transfers: Literal["to_tracking", "none"] = "to_tracking",
    uncategorized: bool = True,
    since: Day | None = None,
    until: Day | None = None,
) -> Report:
    """What flows from payers to income, to groups, to categories: the links of a Sankey diagram.

    What flows into a place flows out of it: what is not spent is ``Left over``, and what is spent
    beyond the income comes ``From before``. A category to which more came back than went out gives
    to the income, since a flow has no sign.

    ``report.plot()`` draws it with plotly, which has to be installed: ``budgetframe[sankey]``. The
    picture has the library inside, some 5 MB, so that it shows in an exported page and offline.

    Parameters
    ----------
    ledger : DataFrame
        ``bf.ledger()``.
    most : int
        How many payers are shown by name, the largest; the rest of them is ``SharedRequests``.
    transfers : {"to_tracking", "none"}
        Which transfers count, as for `spending`.
    uncategorized : bool
        Whether to show what nobody gave a category yet.
    since, until : str, date or Timestamp, optional
        First and last day; by default that of the first transaction, and the day that the ledger
        was asked for, or that of its last transaction where that is later.

    Returns
    -------
    Report
        One row per link, sorted by level, then by amount, the largest first; the same columns and
        dtypes when there are none.

    Raises
    ------
    ToolError
        When the frame is not a ledger, or an argument cannot be right.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> links = bf.reports.income_sankey(since="2026-05-01", until="2026-05-31")
    >>> print(links[links["level"] == 0][["source", "target", "amount"]].to_string(index=False))
               source target  amount
    Brightside Studio Income 3231.62
    """
    require_columns(ledger, [column.name for column in LEDGER], "ledger")
    if most < 1:
        raise ToolError(f"most={most}: show at least one payer by name")
    check_choice(transfers, "transfers", ("to_tracking", "none"))
    span = span_of(ledger, "date", since, until)
    may_count = transfer_mask(ledger, transfers)
    is_in = may_count & (span.holds(ledger["date"]) if span is not None else False)
    income = ledger[is_in & ledger["is_income"].to_numpy(bool)]
    spent = spent_rows(ledger[is_in], transfers, uncategorized=uncategorized)
    links = pd.DataFrame(
        [*_links(income, spent, most)],
        columns=["level", "source", "target", "category_group_name", "amount"],
    )
    links = links.sort_values(["level", "amount"], ascending=[True, False], kind="stable")
    return make_report(
        _INCOME_SANKEY,
        {**links, "amount": currency(links["amount"].to_numpy("int64"))},
        of=[ledger],
        rules=[
            "Income: what arrives in Inflow: Ready to Assign on budget, by payee.",
            "Spending is net of refunds; a category with more refunds gives to the income.",
            TRANSFERS[transfers],
            f"What is not spent is {_LEFT_OVER}; what is spent beyond income is {_FROM_BEFORE}.",
            "" if span is None else span.rule,
        ],
    )


def _links(income: pd.DataFrame, spent: pd.DataFrame, most: int) -> Iterator[tuple[Any, ...]]:
    """Level, source, target, group and milliunits of each link."""
    payers, categories = _summed(income, "payee"), _summed(spent, "category")
    given, taken = _by_sign(payers)
    back, paid = _by_sign(categories)
    for name, amount in [*_named(given[:most], "payee_name"), *_named(back, "category_name")]:
        yield 0, name, _INCOME, None, amount
    others = int(given["amount"][most:].sum())
    if others:
        yield 0, _OTHERS, _INCOME, None, others
    has_category = paid["category_id"].notna()
    for name, amount in [
        *_named(taken, "payee_name"),
        *_named(paid[~has_category], "category_name"),
    ]:
        yield 1, _INCOME, name, None, amount
    for group, rows in paid[has_category].groupby("category_group_name", dropna=False):
        yield 1, _INCOME, group, group, -int(rows["amount"].sum())
        for name, amount in _named(rows, "category_name"):
            yield 2, group, name, group, amount
    rest = int(payers["amount"].sum() + categories["amount"].sum())
    if rest > 0:
        yield 1, _INCOME, _LEFT_OVER, None, rest
    elif rest < 0:
        yield 0, _FROM_BEFORE, _INCOME, None, -rest


def _by_sign(sums: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What came, the largest first, and what went."""
    came = sums[sums["amount"] > 0].sort_values("amount", ascending=False, kind="stable")
    return came, sums[sums["amount"] < 0]


def _named(rows: pd.DataFrame, column: str) -> Iterator[tuple[Any, int]]:
    return zip(rows[column], rows["amount"].abs(), strict=True)


def _summed(rows: pd.DataFrame, by: Any) -> pd.DataFrame:
    """The sums by payee or category, each with its name."""
    found = grouped(rows, by, rows)
    sums = summed(found.rows, ["label"])
    return found.labels.take(sums["label"].to_numpy()).assign(amount=sums["amount"].to_numpy())


def _draw(frame: pd.DataFrame, attrs: Mapping[Any, Any], look: PlotOptions) -> Any:
    from budgetframe.reports.plotting.sankey import sankey  # noqa: PLC0415 - plotly is an extra, and slow to import

    if look.ax is not None:
        raise ToolError("ax: plotly draws on a page of its own, not on matplotlib's axes")
    return sankey(frame, attrs, look)


_INCOME_SANKEY = register(
    income_sankey,
    (
        Column("level", "int64", "", "0: into the income; 1: to the groups; 2: to the categories"),
        Column("source", "str", "", "where it comes from"),
        Column("target", "str", "", "where it goes"),
        Column("category_group_name", "str", "", "group that it goes to; missing: none"),
        Column("amount", "float64", CURRENCY, "how much, positive"),
    ),
    _draw,
)

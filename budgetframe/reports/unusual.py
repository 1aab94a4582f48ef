"""Rows whose amount is far from the usual amounts of their payee and category."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Unpack

import numpy as np
import pandas as pd

from budgetframe._runtime.text import number_of
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.money import currency, exact
from budgetframe.frames.number_text import in_currency, number_text
from budgetframe.frames.schema import CURRENCY, Column
from budgetframe.frames.tables import LEDGER

from ._shared.arguments import report_function
from ._shared.ledger_rows import LEDGER_COLUMNS, payee_numbers
from ._shared.periods import span_of
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import InCurrency, register
from ._shared.row_filters import RowFilters, row_filter
from ._shared.row_source import RowSource, numbered
from ._shared.sentences import name_text
from ._shared.sums import divide_rounded, required_frame
from .plotting.period_names import periods_name

_MAX_BARS = 15
_SCALE = 20  # parts of a milliunit, so that 5 % are exact
_LEVELS = ("", " for the payee", " for the category")


@report_function
def unusual(
    ledger: pd.DataFrame | ArrowTable,
    *,
    least: int = 8,
    factor: int = 8,
    since: Day | None = None,
    until: Day | None = None,
    **filters: Unpack[RowFilters],
) -> Report:
    """Rows whose amount is far from the usual amounts of their payee and category.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.unusual`.

    The ledger can start on any day. Filters and days choose the rows that are judged, and all rows
    of the ledger are compared, also later ones.
    """
    ledger = required_frame(ledger, LEDGER_COLUMNS, "ledger")
    span = span_of(ledger, "date", since, until)
    kept = row_filter([ledger], filters, on_budget=True)
    is_judged = kept.mask(ledger) & (False if span is None else span.holds(ledger["date"]))
    flags = ledger["is_spending"] | ledger["is_uncategorized"] | ledger["is_income"]
    rows = numbered(ledger)[(flags & ledger["on_budget"]).to_numpy(bool)]
    statistics, groups = _compared(rows, least, factor)
    found = rows.join(statistics)[statistics["is_far"] & is_judged[rows.index]]
    found = found.sort_values("times", ascending=False, kind="stable")
    usual, deviation = ((2 * found[n]).to_numpy("int64") for n in ("usual", "deviation"))
    values = {str(name): found[name] for name in found} | {
        "payee_name": found["payee_name"].fillna(found["transfer_account_name"]),
        "usual": currency(np.sign(exact(found)) * divide_rounded(usual, 2 * _SCALE)),
        "deviation": currency(divide_rounded(deviation, 2 * _SCALE)),
    }
    money = partial(in_currency, currency_format=ledger.attrs.get("currency_format"))
    reasons = (_reason(row, money) for row in pd.DataFrame(values).to_dict("records"))
    places, level, positions = found.index.to_numpy(), found["level"].to_numpy(), rows.index

    def compared(number: int) -> Any:
        of_level = groups[level[number]]
        return positions[of_level == of_level[places[number]]].to_numpy()

    behind = {"amount": lambda number: places[[number]], "usual": compared}
    return make_report(
        _UNUSUAL,
        values | {"reason": [*reasons]},
        of=[ledger],
        span=None if span is None else span.days,
        filters=kept.given or None,
        rows=RowSource(ledger, ("transaction_id", "subtransaction_id"), behind),
        rules=[
            *_RULES,
            f"At least {least} rows are needed; more than {factor} deviations are unusual.",
            *kept.rules,
            "" if span is None else span.rule,
        ],
    )


_RULES = (
    "Rows of budget accounts count, and parts of splits; transfers between such accounts do not.",
    "Usual is the median of all rows of the payee and category; outflows and inflows are apart.",
    (
        "If they are too few, it is that of the payee, or else of the category; then the row must"
        " also be far from the median of these few, unless it is the only one."
    ),
    "A deviation is the median distance of these rows from the usual amount, at least 5 % of it.",
)


def _compared(rows: pd.DataFrame, least: int, factor: int) -> tuple[pd.DataFrame, list[Any]]:
    """The statistics of the rows that are compared with each row, and their groups by level."""
    amounts = exact(rows)
    payee = payee_numbers(rows)
    category = rows["category_id"].mask(rows["is_uncategorized"]).factorize()[0]
    ids = {"sign": np.sign(amounts), "payee": payee, "category": category}
    keys = pd.DataFrame(ids, rows.index)
    sizes = pd.Series(np.abs(amounts) * _SCALE, rows.index, dtype="float64")
    start = {"level": -1, "row_count": 0, "usual": 0.0, "deviation": 0.0, "times": 0.0}
    found = pd.DataFrame(start | {"is_far": False}, rows.index)
    groups: list[Any] = []
    may_be_far: Any = True
    for level, names in enumerate((["payee", "category"], ["payee"], ["category"])):
        numbers = keys.groupby(["sign", *names]).ngroup()
        same = sizes.groupby(numbers)
        usual, count = same.transform("median"), same.transform("size")
        distance = (sizes - usual).abs()
        deviation = distance.groupby(numbers).transform("median").clip(lower=usual / 20)
        is_far = distance > factor * deviation
        has_group = (keys[names] >= 0).all(axis=1)
        is_first = has_group & (found["level"] < 0) & (count >= least)
        columns = {"level": level, "row_count": count, "usual": usual, "deviation": deviation}
        columns |= {"times": distance / deviation, "is_far": is_far & may_be_far}
        found = found.assign(**{n: found[n].mask(is_first, each) for n, each in columns.items()})
        groups.append(numbers)
        if not level:
            may_be_far = is_far | (count == 1) | ~has_group
    return found, groups


def _reason(row: Mapping[Any, Any], money: InCurrency) -> str:
    """What is unusual about a row."""
    way = "to" if row["amount"] < 0 else "from"
    place = "" if pd.isna(row["category_name"]) else f" in {row['category_name']}"
    count, times = number_of(row["row_count"], "row", "rows"), number_text(row["times"])
    return (
        f"{money(row['amount'])} {way} {name_text(row['payee_name'])}{place}: usual"
        f"{_LEVELS[row['level']]} is {money(row['usual'])}, {count}, {times} deviations"
    )


def _draw_unusual(frame: pd.DataFrame, canvas: Canvas) -> Any:
    rows = frame.nlargest(_MAX_BARS, "times")
    names = rows["date"].dt.strftime("%Y-%m-%d ") + rows["payee_name"].fillna("").astype(object)
    pairs = zip(rows["amount"], rows["usual"], strict=True)
    texts = [f"{canvas.amount(amount)} / {canvas.amount(usual)}" for amount, usual in pairs]
    table, colours = rows[["amount", "usual"]].abs(), [canvas.theme.plus, canvas.theme.faint]
    canvas.paired_bars(table.set_axis(names), colours, max_bars=_MAX_BARS, texts=texts)
    end = f": {len(rows)} of {len(frame)}" if len(frame) > len(rows) else ""
    when = periods_name(frame["date"].min(), frame["date"].max(), "day")
    return canvas.title(canvas.heading("Unusual amounts", frame, time=when, end=end) + end)


def _sentence(frame: pd.DataFrame, money: InCurrency) -> str:
    most = frame.nlargest(1, "times").iloc[0]
    count = number_of(len(frame), "amount is unusual", "amounts are unusual")
    what = f"{money(most['amount'])} at {name_text(most['payee_name'])}"
    return f"{count}, most of all {what}: usual is {money(most['usual'])}."


_LEDGER = {column.name: column for column in LEDGER}
_UNUSUAL = register(
    unusual,
    (
        *(_LEDGER[n] for n in ("date", "account_name", "payee_name", "category_name", "amount")),
        Column("usual", "float64", CURRENCY, "median of the rows that are compared"),
        Column("times", "float64", "deviations", "distance from the usual amount in deviations"),
        Column("reason", "str", "", "what is unusual, as a text"),
        Column("deviation", "float64", CURRENCY, "median distance of these rows, at least 5 %"),
        Column("row_count", "int64", "rows", "number of these rows"),
        *(_LEDGER[n] for n in ("category_group_name", "transaction_id", "subtransaction_id")),
    ),
    on_canvas(_draw_unusual),
    main="amount",
    sentence=_sentence,
)

"""Rows whose amount is far from the usual amounts of their payee and category."""

from __future__ import annotations

from functools import partial
from typing import Any, Unpack

import numpy as np
import pandas as pd

from budgetframe._runtime.text import number_of
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.money import currency, exact
from budgetframe.frames.number_text import in_currency
from budgetframe.frames.schema import CURRENCY, Column
from budgetframe.frames.tables import LEDGER

from ._shared.arguments import report_function
from ._shared.group_numbers import group_numbers
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
_PAYEE = ["payee_id", "payee_name", "transfer_account_id"]
_LEVELS = (["payee", "category"], ["payee"], ["category"])  # what rows that are compared share


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
    rows = numbered(ledger)[["amount", "category_id", "is_uncategorized", *_PAYEE]]
    rows = rows[(flags & ledger["on_budget"]).to_numpy(bool)]
    amounts, payee = exact(rows), payee_numbers(rows)
    category = np.where(rows["is_uncategorized"], -1, rows["category_id"].factorize()[0])
    keys = pd.DataFrame({"sign": np.sign(amounts), "payee": payee, "category": category})
    groups = [group_numbers(keys, ["sign", *names]) for names in _LEVELS]
    statistics = np.stack([_statistics(np.abs(amounts), group) for group in groups])
    counts, _, distances, deviations = statistics.swapaxes(0, 1)
    has_group = np.stack([(keys[names] >= 0).all(axis=1).to_numpy() for names in _LEVELS])
    is_enough, is_far = has_group & (counts >= least), (distances - 1) // factor >= deviations
    levels, may_be_far = is_enough.argmax(axis=0), is_far[0] | (counts[0] == 1) | ~has_group[0]
    is_found = (is_enough & is_far)[levels, np.arange(len(rows))] & may_be_far
    at = np.flatnonzero(is_found & is_judged[rows.index])
    times = distances[levels[at], at] / deviations[levels[at], at]
    at = at[np.argsort(-times, kind="stable")]
    level, positions = levels[at], rows.index.to_numpy()
    count, usual, distance, deviation = statistics[level, :, at].T
    found = numbered(ledger).take(positions[at])
    money = partial(in_currency, currency_format=ledger.attrs.get("currency_format"))
    values = {str(name): found[name] for name in found} | {
        "payee_name": found["payee_name"].fillna(found["transfer_account_name"]),
        "usual": currency(np.sign(amounts[at]) * divide_rounded(usual, 2)),
        "times": distance / deviation,
        "deviation": currency(divide_rounded(deviation, 40)),
        "row_count": count,
    }
    of = ("", " of the payee", " of the category")
    values["reason"] = [
        f"usual is {money(size)} in {number_of(number, 'row')}{of[which]}"
        for size, number, which in zip(values["usual"], count, level, strict=True)
    ]

    def compared(number: int) -> Any:
        group = groups[level[number]]
        return positions[group == group[at[number]]]

    behind = {"amount": lambda number: positions[at[[number]]], "usual": compared}
    return make_report(
        _UNUSUAL, values, of=[ledger], span=None if span is None else span.days,
        filters=kept.given or None,
        rows=RowSource(ledger, ("transaction_id", "subtransaction_id"), behind),
        rules=[
            "Rows of budget accounts and parts of splits count.",
            "Starting balances and transfers between budget accounts do not count.",
            "Usual is the median of all inflows, or of all outflows, of the payee and category.",
            f"With fewer than {least} rows, it is that of the payee, or else of the category.",
            "Then the row must also be far from the median of the few, unless it is the only one.",
            "A deviation is the median distance of these rows from usual, at least 5 % of usual.",
            f"More than {factor} deviations are unusual.",
            *kept.rules,
            "" if span is None else span.rule,
        ],
    )  # fmt: skip


def _statistics(sizes: Any, group: Any) -> Any:
    """The rows in the group of each row, twice their median, and 40 distances and deviations."""

    def twice_the_median(numbers: Any) -> Any:  # it is an integer
        return (2 * pd.Series(numbers).groupby(group).transform("median")).to_numpy("int64")

    usual = twice_the_median(sizes)
    distance = np.abs(2 * sizes - usual)
    deviation = np.maximum(10 * twice_the_median(distance), usual)  # at least 40 / 20 halves of it
    return np.stack([np.bincount(group)[group], usual, 20 * distance, deviation])


def _draw_unusual(frame: pd.DataFrame, canvas: Canvas) -> Any:
    rows = frame.nlargest(_MAX_BARS, "times")
    names = rows["date"].dt.strftime("%Y-%m-%d ") + rows["payee_name"].fillna("").astype(object)
    pairs = zip(rows["amount"], rows["usual"], strict=True)
    texts = [f"{canvas.amount(amount)} / {canvas.amount(usual)}" for amount, usual in pairs]
    table = rows[["times"]].set_axis(names).set_axis(["deviations (amount / usual)"], axis=1)
    canvas.paired_bars(table, [canvas.theme.plus], max_bars=_MAX_BARS, texts=texts)
    canvas.ax.xaxis.set_major_formatter(lambda value, _place: canvas.number(value, 1))
    end = f": {len(rows)} of {len(frame)}" if len(frame) > len(rows) else ""
    when = periods_name(frame["date"].min(), frame["date"].max(), "day")
    return canvas.title(canvas.heading("Unusual amounts", frame, time=when, end=end) + end)


def _sentence(frame: pd.DataFrame, money: InCurrency) -> str:
    most = frame.nlargest(1, "times").iloc[0]
    count = number_of(len(frame), "amount is unusual", "amounts are unusual")
    what = f"{money(most['amount'])} at {name_text(most['payee_name'])}"
    return f"{count}, most of all {what}: usual is {money(most['usual'])}."


_LEDGER = {column.name: column for column in LEDGER}
_COLUMNS = (
    *(_LEDGER[n] for n in ("date", "account_name", "payee_name", "category_name", "amount")),
    Column("usual", "float64", CURRENCY, "median of the rows that are compared"),
    Column("times", "float64", "deviations", "distance from the usual amount"),
    Column("reason", "str", "", "which rows the usual amount is that of", display="whole"),
    Column("deviation", "float64", CURRENCY, "median distance of these rows, at least 5 %"),
    Column("row_count", "int64", "rows", "number of these rows"),
    *(_LEDGER[n] for n in ("category_group_name", "transaction_id", "subtransaction_id")),
)
_UNUSUAL = register(unusual, _COLUMNS, on_canvas(_draw_unusual), main="amount", sentence=_sentence)

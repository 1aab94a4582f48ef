"""Moves of money between categories, and assignments."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import pandas as pd

from budgetframe._resources import current_month
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable, in_pandas
from budgetframe.frames.dates import Day, day_of, month_of
from budgetframe.frames.money import currency, exact
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.group_pictures import disambiguated
from ._shared.periods import today_of
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import register
from ._shared.row_filters import CategoryFilters, category_filter
from ._shared.sums import required_frame, summed

# The name of the side of a move that is not a category: money that is not assigned.
_READY = "Ready to Assign"
_RECORD_COLUMNS = ("month", "from_category_id", "to_category_id", "amount")
_TOTAL_COLUMNS = ("category_name", "category_group_name", "allocation")
_NAMES = ["category_name", "category_group_name", "category_group_id"]
_MAX_BARS = 15


@report_function
def money_flow(
    money_movements: pd.DataFrame | ArrowTable,
    listed_categories: pd.DataFrame | ArrowTable,
    *,
    month: Day | None = None,
    **filters: Unpack[CategoryFilters],
) -> Report:
    """Amounts moved between categories, and amounts assigned to them.

    The function takes ``bf.money_movements()`` and ``bf.categories()``; the other parameters and
    the columns are those of `bf.reports.money_flow`.

    The movements can be those of all months or of one month. The categories are for the names.
    """
    names = ["category_id", "category_name", "category_group_name"]
    listed_categories = required_frame(listed_categories, names, "categories")
    money_movements = in_pandas(money_movements)
    day = None if month is None else _first_day(month, money_movements)
    has_records = "from_category_id" in money_movements.columns
    if has_records:
        required_frame(money_movements, _RECORD_COLUMNS, "money_movements")
        moves, since = _moves_of_records(money_movements, day)
    else:
        required_frame(money_movements, _TOTAL_COLUMNS, "money_movements")
        moves, since = _moves_of_totals(money_movements, listed_categories, day), None
    moves, keys = moves[exact(moves) != 0], ["month", "from_category_id", "to_category_id"]
    counts = moves.groupby(keys, dropna=False)["moves"].sum(min_count=1).reset_index()
    rows = summed(moves, keys).assign(moves=counts["moves"].astype("Int64"))
    for side in ("from", "to"):
        rows = _with_names(rows, side, listed_categories)
    kept = category_filter([listed_categories, rows], filters)
    rows = rows[kept.mask(rows)]
    by = ["month", "amount", "from_category_name", "to_category_name"]
    ascending = [True, False, True, True]
    rows = rows.sort_values(by, ascending=ascending, kind="stable", na_position="first")
    return make_report(
        _MONEY_FLOW,
        {column.name: rows[column.name] for column in _COLUMNS}
        | {"amount": currency(rows["amount"].to_numpy("int64"))},
        of=[money_movements, listed_categories],
        freq="month",
        filters=kept.given or None,
        rules=[
            "Each record is one move."
            if has_records
            else "The amounts are the assigned amounts of each category.",
            f"A side without a category is {_READY}.",
            "Moves in the same month with the same source and target are added up.",
            *kept.rules,
            "Months before the first record are unknown, not zero"
            + (f": the records start with {since:%Y-%m}." if since is not None else "."),
        ],
        known_since=None if since is None else f"{since:%Y-%m-%d}",
    )


def _first_day(month: Day, moves: pd.DataFrame) -> pd.Timestamp:
    if month == "current":
        today = today_of(moves)
        if today is None:
            advice = "pass a month like '2026-05'"
            raise ToolError(f"month='current': the frame does not say when it was read; {advice}")
        month = current_month(today)
    return day_of(month_of(month), "month")


def _moves_of_records(moves: pd.DataFrame, day: pd.Timestamp | None) -> tuple[pd.DataFrame, Any]:
    """The moves, and the first month of the records if it is known."""
    months = moves["month"].dropna()
    # The records of the requested month alone do not show when all records start.
    since = None if (months == day).all() else months.min()
    rows = moves[list(_RECORD_COLUMNS)].assign(moves=1)
    is_negative = exact(rows) < 0  # a negative amount is a move in the opposite direction
    sides = ["from_category_id", "to_category_id"]
    rows.loc[is_negative, sides] = rows.loc[is_negative, sides[::-1]].to_numpy()
    rows["amount"] = rows["amount"].abs()
    return (rows if day is None else rows[(rows["month"] == day).to_numpy(bool)]), since


def _moves_of_totals(
    totals: pd.DataFrame, categories: pd.DataFrame, day: pd.Timestamp | None
) -> pd.DataFrame:
    """Totals as moves: assigned amounts come from `_READY`, negative amounts return to it."""
    names = ["category_group_name", "category_name"]
    keys = categories.drop_duplicates(names)[[*names, "category_id"]]
    rows = totals.merge(keys, on=names, how="left")
    # The key of a category that is no longer listed is unknown: use its name.
    key = rows["category_id"].astype(object).where(rows["category_id"].notna(), rows[names[1]])
    is_negative = (exact(rows, "allocation") < 0).astype(bool)
    return pd.DataFrame(
        {
            "month": np.full(len(rows), np.datetime64("NaT" if day is None else day, "us")),
            "from_category_id": key.where(is_negative, None),
            "to_category_id": key.where(~is_negative, None),
            "amount": rows["allocation"].abs(),
            "moves": pd.array([None] * len(rows), dtype="Int64"),
        }
    )


def _with_names(rows: pd.DataFrame, side: str, categories: pd.DataFrame) -> pd.DataFrame:
    key = rows[f"{side}_category_id"]
    by_key = categories.drop_duplicates("category_id").set_index("category_id")
    added = {}
    for name in by_key.columns.intersection(_NAMES):
        found = key.map(by_key[name].astype(object)).astype(object)
        if name == "category_name":
            found = found.where(found.notna(), key).where(key.notna(), _READY)
        added[f"{side}_{name}"] = found.where(found.notna(), None)
    return rows.assign(**added)


def _draw_money_flow(frame: pd.DataFrame, canvas: Canvas) -> Any:
    sides = [
        disambiguated(frame, f"{side}_category_group_name", f"{side}_category_name")
        for side in ("from", "to")
    ]
    sums = frame.groupby(sides, dropna=False)["amount"].sum()
    sums = sums.sort_values(ascending=False, kind="stable")
    names = [f"{canvas.short(source)} → {canvas.short(target)}" for source, target in sums.index]
    canvas.horizontal_bars(sums.set_axis(names), max_bars=_MAX_BARS, has_labels=True)
    return canvas.title(canvas.heading("Money moved between categories", frame), legend=False)


_COLUMNS = (
    Column("month", "datetime64[us]", "", "first day of the month; missing: totals of all months"),
    Column("from_category_id", "str", "", "key of the source; missing: Ready to Assign"),
    Column("from_category_name", "str", "", "name of the source"),
    Column("to_category_id", "str", "", "key of the target; missing: Ready to Assign"),
    Column("to_category_name", "str", "", "name of the target"),
    Column("amount", "float64", CURRENCY, "amount that was moved, positive"),
    Column("moves", "Int64", "moves", "number of moves; missing: totals do not state it"),
    Column("to_category_group_name", "str", "", "name of the group of the target"),
    Column("from_category_group_name", "str", "", "name of the group of the source"),
)
_MONEY_FLOW = register(
    money_flow, _COLUMNS, on_canvas(_draw_money_flow), passed_on=("month",),
    no_rows="it adds up moves between categories; bf.money_movements() has them",
)  # fmt: skip

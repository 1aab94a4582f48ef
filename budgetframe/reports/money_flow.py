"""How money was moved about in the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames import Column
from budgetframe.frames.dates import Day, day_of, month_of
from budgetframe.frames.schema import CURRENCY

from .ledger_rows import disambiguated
from .periods import today_of
from .report import Report, make_report, on_canvas, register
from .sums import currency, exact, require_columns, summed

__all__ = ["READY", "money_flow"]

if TYPE_CHECKING:
    from budgetframe.reports.plotting.canvas import Canvas

READY = "Ready to Assign"
"""Where money comes from that no category had, and goes to that none has any more."""

_RECORDS = ("month", "from_category_id", "to_category_id", "amount")
_TOTALS = ("category_name", "category_group_name", "allocation")
_MOST_BARS = 15


def money_flow(
    money_movements: pd.DataFrame,
    categories: pd.DataFrame,
    *,
    month: Day | None = None,
) -> Report:
    """How much was moved from where to where: between categories, and what was assigned.

    The service keeps one record for each move, or totals by category, which only tell what was
    assigned: these are then moves from what was ready to assign, and where a category is not listed
    its name stands for its key. The record begins with some
    month: one before that is unknown, not zero, and has no rows.

    Parameters
    ----------
    money_movements : DataFrame
        ``bf.money_movements()``, or that of one month.
    categories : DataFrame
        ``bf.categories()``, for the names.
    month : str or date, optional
        Only this month, ``"2026-05"`` or ``"current"``. Totals do not tell their month: it is that
        which they were asked for with.

    Returns
    -------
    Report
        Rows sorted by month, then by amount, the largest first; the same columns and dtypes when
        there are none. ``attrs["known_since"]`` is the first month on record, where records tell.

    Raises
    ------
    ToolError
        When the frame is not that of money movements, or the month cannot be right.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> flow = bf.reports.money_flow(month="2026-05")
    >>> names = ["from_category_name", "to_category_name", "amount"]
    >>> print(flow[names].head(1).to_string(index=False))
    from_category_name to_category_name  amount
       Ready to Assign             Rent  1294.9
    """
    require_columns(
        categories, ["category_id", "category_name", "category_group_name"], "categories"
    )
    day = None if month is None else _first_of(month, money_movements)
    has_records = "from_category_id" in money_movements.columns
    if has_records:
        require_columns(money_movements, _RECORDS, "money_movements")
        moves, since = _recorded(money_movements, day)
    else:
        require_columns(money_movements, _TOTALS, "money_movements")
        moves, since = _assigned(money_movements, categories, day), None
    rows = _between(moves)
    for side in ("from", "to"):
        rows = _named(rows, side, categories)
    rows = rows.sort_values(
        ["month", "amount", "from_category_name", "to_category_name"],
        ascending=[True, False, True, True],
        kind="stable",
        na_position="first",
    )
    return make_report(
        _MONEY_FLOW,
        {column.name: rows[column.name] for column in _COLUMNS}
        | {"amount": currency(rows["amount"].to_numpy("int64"))},
        of=[money_movements, categories],
        freq="month",
        rules=[
            "Each record is one move." if has_records else "What was assigned to each category.",
            f"Where no category is named, it is {READY}.",
            "Moves of the same month from the same place to the same are added up.",
            "A month before the record begins is unknown, not zero"
            + (f": it begins with {since:%Y-%m}." if since is not None else "."),
        ],
        known_since=None if since is None else f"{since:%Y-%m-%d}",
    )


def _first_of(month: Day, moves: pd.DataFrame) -> pd.Timestamp:
    if month != "current":
        return day_of(month_of(month), "month")
    today = today_of(moves)
    if today is None:
        raise ToolError("month='current': the frame does not say when it was asked for")
    return today.replace(day=1)


def _recorded(moves: pd.DataFrame, day: pd.Timestamp | None) -> tuple[pd.DataFrame, Any]:
    months = moves["month"].dropna()
    # Of one month alone nothing follows for the record.
    since = None if (months == day).all() else months.min()
    rows = moves[list(_RECORDS)].assign(moves=1)
    is_back = exact(rows) < 0  # from there to here, then
    sides = ["from_category_id", "to_category_id"]
    rows.loc[is_back, sides] = rows.loc[is_back, sides[::-1]].to_numpy()
    rows["amount"] = rows["amount"].abs()
    return (rows if day is None else rows[(rows["month"] == day).to_numpy(bool)]), since


def _assigned(
    totals: pd.DataFrame, categories: pd.DataFrame, day: pd.Timestamp | None
) -> pd.DataFrame:
    """Totals as moves: what was assigned came from what was ready, or went back there."""
    names = ["category_group_name", "category_name"]
    keys = categories.drop_duplicates(names)[[*names, "category_id"]]
    rows = totals.merge(keys, on=names, how="left")
    # A category that is not listed any more has no key: its name has to do.
    key = rows["category_id"].astype(object).where(rows["category_id"].notna(), rows[names[1]])
    is_back = (exact(rows, "allocation") < 0).astype(bool)
    return pd.DataFrame(
        {
            "month": np.full(len(rows), np.datetime64("NaT" if day is None else day, "us")),
            "from_category_id": key.where(is_back, None),
            "to_category_id": key.where(~is_back, None),
            "amount": rows["allocation"].abs(),
            "moves": pd.array([None] * len(rows), dtype="Int64"),
        }
    )


def _between(moves: pd.DataFrame) -> pd.DataFrame:
    """The sums of moves from one place to another, and how many there were."""
    keys = ["month", "from_category_id", "to_category_id"]
    is_move = exact(moves) != 0
    moves = moves[is_move]
    counts = moves.groupby(keys, dropna=False)["moves"].sum(min_count=1).reset_index()
    return summed(moves, keys).assign(moves=counts["moves"].astype("Int64"))


def _named(rows: pd.DataFrame, side: str, categories: pd.DataFrame) -> pd.DataFrame:
    key = rows[f"{side}_category_id"]
    named = categories.drop_duplicates("category_id").set_index("category_id")
    added = {}
    for name in ("category_name", "category_group_name"):
        found = key.map(named[name].astype(object)).astype(object)
        if name == "category_name":
            found = found.where(found.notna(), key).where(key.notna(), READY)
        added[f"{side}_{name}"] = found.where(found.notna(), None)
    return rows.assign(**added)


def _draw_money_flow(frame: pd.DataFrame, canvas: Canvas) -> Any:
    named = {
        side: disambiguated(frame, f"{side}_category_group_name", f"{side}_category_name")
        for side in ("from", "to")
    }
    sums = frame.assign(**named).groupby(list(named), dropna=False)["amount"].sum()
    sums = sums.sort_values(ascending=False, kind="stable")
    names = [f"{canvas.short(source)} → {canvas.short(target)}" for source, target in sums.index]
    canvas.lying(sums.set_axis(names), most=_MOST_BARS, named=True)
    return canvas.title("Moved in the plan", legend=False)


_COLUMNS = (
    Column("month", "datetime64[us]", "", "first day of the month; missing: totals of all months"),
    Column(
        "from_category_id",
        "str",
        "",
        "key of where from; missing: ready to assign",
    ),
    Column("from_category_name", "str", "", "name of where from"),
    Column("from_category_group_name", "str", "", "name of its group"),
    Column(
        "to_category_id",
        "str",
        "",
        "key of where to; missing: ready to assign",
    ),
    Column("to_category_name", "str", "", "name of where to"),
    Column("to_category_group_name", "str", "", "name of its group"),
    Column("amount", "float64", CURRENCY, "moved, positive"),
    Column("moves", "Int64", "moves", "how many; missing: totals do not tell"),
)
_MONEY_FLOW = register(money_flow, _COLUMNS, on_canvas(_draw_money_flow))

"""Suggested categories for transactions that have none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Unpack

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.text import number_of
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.builder import NOT_LISTED
from budgetframe.frames.money import exact
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.group_pictures import disambiguated
from ._shared.ledger_rows import LEDGER_COLUMNS, payee_keys
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import register
from ._shared.row_filters import PartFilters, row_filter
from ._shared.row_source import CountedRows, RowSource, numbered, rows_at
from ._shared.sums import required_frame

_SIMILAR = 4  # an amount is similar if it differs by at most one part in this number
_MIN_SIMILAR = 2  # rows with a similar amount that decide together
_NONE = -1
_MAX_BARS = 15
_OWN_COLUMNS = (
    "date", "account_name", "payee_name", "memo", "amount", "transaction_id", "subtransaction_id",
)  # fmt: skip
_CATEGORY_COLUMNS = ("category_name", "category_group_name", "category_id")


@report_function
def suggestions(ledger: pd.DataFrame | ArrowTable, **filters: Unpack[PartFilters]) -> Report:
    """The category that the payee usually has, for each transaction without a category.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.suggestions`.

    The ledger can start on any day; earlier rows do not count.
    """
    ledger = required_frame(ledger, LEDGER_COLUMNS, "ledger")
    kept = row_filter([ledger], filters, on_budget=True)
    rows = numbered(ledger)
    rows = rows.assign(payee=payee_keys(rows))
    needs_category = (rows["is_uncategorized"] & ~rows["is_remainder"]).to_numpy(bool)
    # A deleted category is not listed: the service would refuse it.
    is_known = (rows["is_spending"] | rows["is_income"]) & rows["payee"].notna()
    is_known &= rows["category_group_name"].astype(object) != NOT_LISTED
    todo = kept.rows(rows[needs_category]).sort_values("date", kind="stable")
    known = _Known.of(rows[is_known.to_numpy(bool)].sort_values("date", kind="stable"))
    suggestions = [*map(known.suggestion, todo["payee"], exact(todo))]
    found = pd.DataFrame(suggestions, columns=_Suggestion._fields, dtype="int64")
    names = known.rows[[*_CATEGORY_COLUMNS]].astype(object).reset_index(drop=True)
    suggested = names.reindex(found["last"])  # missing at the position -1
    since = ledger.attrs.get("since")
    return make_report(
        _SUGGESTIONS,
        {
            **{name: todo[name] for name in _OWN_COLUMNS},
            **{name: suggested[name] for name in _CATEGORY_COLUMNS},
            "row_count": found["same"],
            "share": found["same"] / found["number"].where(found["number"] > 0),
        },
        of=[ledger],
        filters=kept.given or None,
        rows=RowSource(
            ledger,
            ("transaction_id", "subtransaction_id"),
            {"row_count": CountedRows(known.rows, known.pairs).behind(found["pair"])},
        ),
        rules=[
            *_RULES,
            *kept.rules,
            _FILTER_RULE if kept.given else "",
            f"The ledger starts on {pd.Timestamp(since):%Y-%m-%d}; earlier rows do not count."
            if since
            else "",
        ],
    )


_RULES = (
    "The suggestion is the category of most rows of the payee; of equal counts, the latest one.",
    (
        "If at least two rows of the payee have a similar amount, and all of these have the same"
        " category, it is this category."
    ),
    "A similar amount differs by at most a quarter of the amount of the row.",
    "Row count and share: the rows of the payee with this category, among all its rows that count.",
    "Income and spending in budget accounts count, parts of splits as rows of their own.",
    "A category of income is suggested only for an inflow.",
    "A category that is not listed any more is not suggested.",
    "A transfer to a tracking account has the other account as its payee.",
    "What the parts of a split lack has no row here: correct the split.",
)
_FILTER_RULE = (
    "The filters choose the rows that get a suggestion; the rows of all accounts count for it."
)


class _Suggestion(NamedTuple):
    """The suggestion for one row; positions are -1 without one."""

    last: int  # the position of the last known row of the payee with the category
    pair: int  # the number of the payee and category
    same: int  # how many known rows have the category
    number: int  # how many known rows count


class _Known(NamedTuple):
    """Rows with a payee and a category, sorted by date."""

    rows: pd.DataFrame
    pairs: Any  # the number of the payee and category of each row
    amounts: Any  # milliunits
    is_income: Any  # whether the category is one of income
    of_payee: Any  # the positions of the rows of each payee

    @classmethod
    def of(cls, rows: pd.DataFrame) -> _Known:
        pairs = rows.groupby(["payee", "category_id"], sort=False).ngroup().to_numpy()
        is_income = rows["is_income"].to_numpy(bool)
        return cls(rows, pairs, exact(rows), is_income, rows.groupby("payee").indices)

    def suggestion(self, payee: Any, amount: int) -> _Suggestion:
        """The suggestion for a row of this payee with this amount."""
        at = self.of_payee.get(payee, np.zeros(0, "int64"))
        if amount <= 0:
            at = at[~self.is_income[at]]
        if not len(at):
            return _Suggestion(_NONE, _NONE, 0, 0)
        pair = _usual(self.pairs[at], self.amounts[at], amount)
        same = at[self.pairs[at] == pair]
        return _Suggestion(same[-1], pair, len(same), len(at))


def _usual(pairs: Any, amounts: Any, amount: int) -> int:
    """The number of the category that rows of a payee usually have, for a row of this amount."""
    similar = pairs[np.abs(amounts - amount) * _SIMILAR <= abs(amount)]
    if len(similar) >= _MIN_SIMILAR and (similar == similar[0]).all():
        return int(similar[0])
    values, positions, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    most = np.flatnonzero(counts[positions] == counts.max())
    return int(values[positions[most[-1]]])


def _edited(report: Report, chosen: Any) -> Mapping[str, Any]:
    if chosen is None:
        return {"edited": report[report["category_id"].notna()]}
    return {"edited": rows_at(report, "suggestions", "changes", chosen)}


def _draw_suggestions(frame: pd.DataFrame, canvas: Canvas) -> Any:
    names = disambiguated(frame, "category_group_name", "category_name").fillna("no suggestion")
    spent = pd.Series(-exact(frame)).groupby(names.to_numpy()).sum() / MILLIUNITS
    largest = spent.sort_values(ascending=False, kind="stable")
    canvas.horizontal_bars(largest, max_bars=_MAX_BARS)
    rows, suggested = number_of(len(frame), "row"), int(frame["category_id"].notna().sum())
    title = f"Without a category: {rows}, {suggested:,} with a suggestion"
    return canvas.title(title, legend=False)


_COLUMNS = (
    Column("date", "datetime64[us]", "", "day of the transaction"),
    Column("account_name", "str", "", "name of the account"),
    Column("payee_name", "str", "", "name of the payee"),
    Column("memo", "str", "", "note of the user"),
    Column("amount", "float64", CURRENCY, "negative: outflow"),
    Column("category_name", "str", "", "suggested category; missing: none", display="always"),
    Column("row_count", "int64", "rows", "rows of the payee with that category"),
    Column("share", "float64", "share", "these among all rows of the payee that count"),
    Column("category_group_name", "str", "", "name of the group of that category"),
    Column("transaction_id", "str", "", "key of the transaction"),
    Column("subtransaction_id", "str", "", "key of the split part; missing for other rows"),
    Column("category_id", "str", "", "key of the suggested category; missing: none"),
)
_SUGGESTIONS = register(suggestions, _COLUMNS, on_canvas(_draw_suggestions), edits=_edited)

"""Pairs of transactions that are probably one payment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, cached_property
from itertools import product, starmap
from typing import Any, NamedTuple, Unpack

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import OWN_PAYEES
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.money import exact
from budgetframe.frames.schema import CURRENCY, Column, deleted_rows
from budgetframe.frames.tables import TABLES

from ._shared.arguments import report_function
from ._shared.group_numbers import group_numbers
from ._shared.ledger_rows import payee_numbers
from ._shared.merchants import are_alike
from ._shared.periods import DAY
from ._shared.recurring_series import FREQUENCIES, Series, find_series
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import register
from ._shared.row_filters import RowFilters, row_filter
from ._shared.row_source import CountedRows, RowSource, budget_rows, numbered, rows_at
from ._shared.sums import required_frame

IMPORTED_AND_ENTERED = "imported and entered"
FROM_TWO_SOURCES = "imported from two sources"
TRANSFER_TWICE = "transfer recorded twice"
TRANSFER_AND_PAYMENT = "transfer and payment"
OTHER_PAYEE = "imported and entered, other payee"
ENTERED_TWICE = "entered twice"
REASONS = (
    IMPORTED_AND_ENTERED, FROM_TWO_SOURCES, TRANSFER_TWICE, OTHER_PAYEE, TRANSFER_AND_PAYMENT,
    ENTERED_TWICE,
)  # fmt: skip
"""The reasons, the strongest first."""

_MOST_NEIGHBOURS = 12  # following rows of the same amount that a row is compared with
_HABIT = 2  # pairs of one payee and amount that can be a habit
_SOURCE = re.compile(r"([^:]+):|(?![0-9a-fA-F]{8}-)([A-Za-z]{2,})[-_.#/|]")
"""The beginning of an import id, which names its source; a number, a hash and a UUID have none."""
_COLUMNS = tuple(column.name for column in TABLES["transactions"].columns)
_MAX_BARS = 15


@report_function
def duplicates(
    transactions: pd.DataFrame | ArrowTable, *, days: int = 3, **filters: Unpack[RowFilters]
) -> Report:
    """Pairs of transactions of one account and amount that are probably one payment.

    The function takes ``bf.transactions()``; the other parameters and the columns are those of
    `bf.reports.duplicates`.

    The transactions can start on any day. The report does not take the ledger, which has no import
    ids.

    A row is imported if it has an import id, or if the service has matched it with an imported row;
    otherwise it was entered. The source of an import id is what comes before the first colon, as
    ``YNAB`` in ``YNAB:-12340:2026-06-12:1``, or its first word. Names of payees are compared as in
    `payees`; those of an imported row are also the names in its import.
    """
    transactions = required_frame(transactions, _COLUMNS, "transactions")
    kept = row_filter([transactions], filters)
    payments = _payments(transactions)
    rows, first, second = _candidates(payments, days)
    pairs = _chosen(_pairs(rows, payments, first, second, days), rows)
    passes = kept.mask(rows.frame)
    pairs = pairs.take(passes[pairs.deleted] | passes[pairs.kept])
    pairs = pairs.take(np.lexsort((rows.frame.index[pairs.deleted], rows.days[pairs.deleted])))
    deleted, others = (rows.frame.iloc[each] for each in (pairs.deleted, pairs.kept))
    # The rows of a pair have the position of one of them as their label.
    label = np.arange(len(rows.frame))
    label[pairs.kept] = pairs.deleted
    return make_report(
        _DUPLICATES,
        {
            **{name: deleted[name] for name in _OWN_COLUMNS},
            **{f"kept_{name}": others[name] for name in _KEPT_COLUMNS},
            "reason": [REASONS[each] for each in pairs.reason.tolist()],
            "days": pairs.days,
        },
        of=[transactions],
        filters=kept.given or None,
        rows=RowSource(
            transactions, _KEYS, {"days": CountedRows(rows.frame, label).behind(pairs.deleted)}
        ),
        rules=[
            (
                "A pair has the same account and the same amount, to the thousandth, at most"
                f" {number_of(days, 'day')} apart."
            ),
            *_RULES,
            *kept.rules,
            _FILTER_RULE if kept.given else "",
        ],
    )


_RULES = (
    "Each row is in at most one pair: the strongest reason first, then the nearest days.",
    ("Imported and entered: the names of the payees are alike, or one row has none; with another"
     " payee, the entered row is not cleared."),
    "Imported from two sources: the beginnings of the import ids differ, and the payees are alike.",
    ("Transfer recorded twice: both rows are transfers to or from the same account; the other"
     " sides are deleted and kept with them."),
    ("Transfer and payment: one row is a transfer, the other is none; one is imported, the other"
     " is not cleared. The payment is deleted, because a transfer has another side."),
    ("Entered twice: the payee is the same, and so are categories and memos if both rows have"
     " them. The parts of splits are not compared."),
    ("Rows that were entered on different days are a pair only if no other row of the payee has"
     " this amount, or if the others are a recurring series without the later one."),
    ("Rows entered twice are no pair if more than half of the rows of the payee with this amount"
     " are such pairs, at least two: then it is a habit."),
    ("An entered row is no pair with an import of another day if most imports of the payee with"
     " this amount are as near to each other: its own import is still to come."),
    "Two reconciled rows are two payments, and so are two import ids of one source.",
    ("No pair: rows that the service has matched, the two sides of one transfer, transfers that"
     " are parts of splits, amounts of zero, starting balances, and two payments of a recurring"
     " series, one interval apart."),
    ("The row to delete is never a reconciled one; of two others it is the entered one beside an"
     " imported one, otherwise the later one."),
)  # fmt: skip
_FILTER_RULE = "The filters choose the pairs: at least one of the two rows passes them."

_OWN_COLUMNS = (
    "date", "account_name", "payee_name", "memo", "amount", "transaction_id", "account_id",
)  # fmt: skip
_KEYS = ("transaction_id", "kept_transaction_id")
_KEPT_COLUMNS = ("date", "payee_name", "transaction_id")


class _Pairs(NamedTuple):
    """Pairs of rows that are probably one payment, as arrays of the same length."""

    deleted: Any  # the positions of the rows to delete
    kept: Any  # the positions of the other rows
    reason: Any  # the positions of the reasons in `REASONS`
    days: Any  # the numbers of days between the two rows

    def take(self, chosen: Any) -> _Pairs:
        """Some of the pairs: a mask, or their positions in order."""
        return _Pairs(*(each[chosen] for each in self))


class _Rows(NamedTuple):
    """Some transactions, and what the rules compare, as arrays."""

    frame: pd.DataFrame  # with the positions in the frame of all transactions as index
    days: Any  # datetime64[D]
    amounts: Any  # milliunits
    keys: Any  # the keys of the transactions
    payee: Any  # the number of the payee, or of the other account of a transfer; -1: none
    category: Any  # the number of the category; -1: none
    memo: Any  # the number of the memo; -1: none
    source: Any  # the number of the source of the import; -1: the row was entered
    is_transfer: Any
    is_reconciled: Any
    is_uncleared: Any
    other_side: Any  # the position of the other side of a transfer; -1: none
    matched: Any  # the position of the row that the service has matched; -1: none

    @classmethod
    def of(cls, frame: pd.DataFrame) -> _Rows:
        positions = pd.Index(frame["transaction_id"].astype(object))

        def position(name: str) -> Any:
            if not positions.is_unique:  # a key that two rows have does not name one of them
                return np.full(len(frame), -1)
            found = positions.get_indexer(frame[name].astype(object))
            return np.where(frame[name].notna().to_numpy(bool), found, -1)

        return cls(
            frame,
            frame["date"].to_numpy().astype("datetime64[D]"),
            exact(frame),
            positions.to_numpy(),
            payee_numbers(frame),
            _numbers(frame["category_id"]),
            _numbers(frame["memo"]),
            _sources(frame),
            frame["transfer_account_id"].notna().to_numpy(bool),
            (frame["cleared"] == "reconciled").to_numpy(bool),
            (frame["cleared"] == "uncleared").to_numpy(bool),
            position("transfer_transaction_id"),
            position("matched_transaction_id"),
        )


def _payments(transactions: pd.DataFrame) -> pd.DataFrame:
    """The transactions that are payments, with their positions as index."""
    frame = numbered(transactions)
    is_payment = ~deleted_rows(frame) & (exact(frame) != 0)
    is_payment &= ~frame["payee_name"].isin(OWN_PAYEES).to_numpy(bool)
    # To delete one side of a transfer that is a part of a split deletes the whole split.
    splits = frame.loc[frame["is_split"].fillna(value=False).to_numpy(bool), "transaction_id"]
    sides = frame["transfer_transaction_id"]
    is_part = sides.isin(splits.dropna())
    is_part |= frame["transaction_id"].isin(sides[is_part])
    is_payment &= ~is_part.to_numpy(bool)
    return pd.DataFrame(frame[is_payment])


def _numbers(values: pd.Series[Any]) -> Any:
    """A number for each distinct value; -1 for a missing one."""
    return pd.factorize(values)[0]


def _is_imported(frame: pd.DataFrame) -> pd.Series[bool]:
    return frame["import_id"].notna() | frame["matched_transaction_id"].notna()


def _source(import_id: str) -> str:
    found = _SOURCE.match(import_id)
    return "" if found is None else found[1] or found[2]


def _sources(frame: pd.DataFrame) -> Any:
    """The number of the source of each imported row; -1 for a row that was entered."""
    ids = frame["import_id"].astype(object)
    source = ids.map(_source, na_action="ignore")
    # The import of a matched row can be unknown.
    is_matched = ids.isna() & _is_imported(frame)
    return _numbers(source.mask(is_matched, "matched"))


def _candidates(payments: pd.DataFrame, days: int) -> tuple[_Rows, Any, Any]:
    """The rows with an equal one within some days, and the positions in them of all such pairs."""
    # The payments are sorted by account, amount and day, and each is compared with the following
    # ones: the time does not grow with the square of the number of equal amounts.
    account, amounts = pd.factorize(payments["account_id"])[0], exact(payments)
    dates = payments["date"].to_numpy().astype("datetime64[D]")
    order = np.lexsort((dates, amounts, account))
    account, amounts, dates = account[order], amounts[order], dates[order]
    found: list[Any] = [np.zeros((2, 0), "int64")]
    for step in range(1, min(_MOST_NEIGHBOURS, len(order) - 1) + 1):
        is_near = (account[step:] == account[:-step]) & (amounts[step:] == amounts[:-step])
        is_near &= dates[step:] - dates[:-step] <= days * DAY
        at = np.flatnonzero(is_near)
        if not len(at):
            break
        found.append(order[[at, at + step]])
    first, second = np.concatenate(found, axis=1)
    involved = np.unique([first, second])
    sides = payments["transfer_transaction_id"].iloc[involved].dropna()
    if len(sides):
        others = np.flatnonzero(payments["transaction_id"].isin(sides).to_numpy(bool))
        involved = np.union1d(involved, others)
    rows = _Rows.of(payments.iloc[involved])
    return rows, np.searchsorted(involved, first), np.searchsorted(involved, second)


def _are_two_payments(rows: _Rows, first: Any, second: Any) -> Any:
    """Which pairs are certainly two payments, or are counted once already."""
    reconciled = rows.is_reconciled[first] & rows.is_reconciled[second]
    one_source = (rows.source[first] == rows.source[second]) & (rows.source[first] >= 0)
    is_known = (rows.matched[first] == second) | (rows.matched[second] == first)
    return reconciled | one_source | is_known


def _pairs(rows: _Rows, payments: pd.DataFrame, first: Any, second: Any, days: int) -> _Pairs:
    """All pairs with a reason; a row can be in several of them."""
    is_other = _are_two_payments(rows, first, second)
    sides = rows.other_side[first], rows.other_side[second]
    has_sides = (sides[0] >= 0) & (sides[1] >= 0)
    # What is true for the other sides of two transfers is true for the transfers.
    is_other |= has_sides & _are_two_payments(rows, *sides)
    are_transfers = rows.is_transfer[first] & rows.is_transfer[second]
    is_other |= are_transfers & (rows.payee[first] != rows.payee[second])
    first, second = first[~is_other], second[~is_other]
    reason = _reasons(rows, first, second)
    has_reason = reason >= 0
    pairs = _ordered(rows, first[has_reason], second[has_reason], reason[has_reason])
    history = _History(payments, rows, days)
    pairs = pairs.take(~history.are_of_series(pairs))
    pairs = pairs.take(~history.are_still_to_come(pairs))
    return pairs.take(~history.are_habits(pairs))


def _reasons(rows: _Rows, first: Any, second: Any) -> Any:
    """Why two rows are probably one payment, as positions in `REASONS`; -1: they are not."""
    is_imported = rows.source >= 0
    imported = is_imported[first].astype("int64") + is_imported[second]
    transfers = rows.is_transfer[first].astype("int64") + rows.is_transfer[second]
    is_uncleared = rows.is_uncleared[np.where(is_imported[first], second, first)]
    alike = _are_alike(rows.frame, first, second)

    def differ(numbers: Any) -> Any:
        one, other = numbers[first], numbers[second]
        return (one != other) & (one >= 0) & (other >= 0)

    has_payees = (rows.payee[first] >= 0) & (rows.payee[second] >= 0)
    is_same_payee = (rows.payee[first] == rows.payee[second]) | (has_payees & alike)
    is_equal = is_same_payee & ~differ(rows.category) & ~differ(rows.memo)
    both, none = 2, 0
    conditions = {
        TRANSFER_TWICE: transfers == both,
        TRANSFER_AND_PAYMENT: (transfers == 1) & (imported == 1) & is_uncleared,
        ENTERED_TWICE: (transfers == none) & (imported == none) & is_equal,
        IMPORTED_AND_ENTERED: (transfers == none) & (imported == 1) & alike,
        OTHER_PAYEE: (transfers == none) & (imported == 1) & ~alike & is_uncleared,
        FROM_TWO_SOURCES: (transfers == none) & (imported == both) & alike,
    }
    places = [REASONS.index(reason) for reason in conditions]
    return np.select([*conditions.values()], places, default=-1)


def _are_alike(frame: pd.DataFrame, first: Any, second: Any) -> Any:
    """Whether the names of two rows, also those of an import, are alike, or one has none."""
    columns = ("payee_name", "import_payee_name", "import_payee_name_original")
    texts = frame[[*columns]].astype(object)
    rows = zip(*(texts[name].tolist() for name in columns), strict=True)
    names = [tuple(dict.fromkeys(name for name in row if isinstance(name, str))) for row in rows]

    @cache  # many rows have the same names
    def alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
        return not one or not other or any(starmap(are_alike, product(one, other)))

    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return np.array([alike(names[one], names[other]) for one, other in pairs], dtype=bool)


def _ordered(rows: _Rows, first: Any, second: Any, reason: Any) -> _Pairs:
    """The pairs, of which the row that is less worth keeping is the one to delete."""
    is_imported = rows.source >= 0
    of_sides = is_imported.astype("int64") + (is_imported[rows.other_side] & (rows.other_side >= 0))
    by_key = np.argsort(np.argsort(rows.keys.astype(str), kind="stable"), kind="stable")
    # The last one counts first; two rows of one day have no order but that of their keys.
    days = rows.days.astype("int64")
    order = np.lexsort((-by_key, -days, of_sides, rows.is_reconciled, rows.is_transfer))
    worth = np.empty(len(order), dtype="int64")
    worth[order] = np.arange(len(order))
    is_first = worth[first] < worth[second]
    deleted, kept = np.where(is_first, first, second), np.where(is_first, second, first)
    found = _Pairs(deleted, kept, reason, np.abs(rows.days[second] - rows.days[first]) // DAY)
    # A statement has confirmed a reconciled row: it is never the one to delete.
    return found.take(~rows.is_reconciled[found.deleted])


class _History:
    """All payments to the payees of some rows."""

    def __init__(self, payments: pd.DataFrame, rows: _Rows, days: int) -> None:
        self._payments = payments
        self._rows = rows
        self._days = days

    @cached_property
    def _frame(self) -> pd.DataFrame:
        """The payments that have the payees of the rows, sorted by day, with what is compared."""
        # ``equal`` numbers the groups of one account, payee and amount, and ``kind`` those of one
        # account, payee, category and sign.
        payments, rows = self._payments, self._rows.frame
        names = ["payee_id", "payee_name", "transfer_account_id"]
        is_of_payee = np.zeros(len(payments), bool)
        for name in names:
            is_of_payee |= payments[name].isin(rows[name].dropna().unique()).to_numpy(bool)
        if (self._rows.payee < 0).any():
            is_of_payee |= payments[names].isna().all(axis=1).to_numpy(bool)
        found = payments[is_of_payee].sort_values("date", kind="stable")
        frame = pd.DataFrame(
            {
                "account": _numbers(found["account_id"]),
                "payee": payee_numbers(found),
                "category": _numbers(found["category_id"]),
                "amount": exact(found),
                "day": found["date"].to_numpy().astype("datetime64[D]"),
                "is_imported": _is_imported(found).to_numpy(bool),
            },
            index=found.index,
        )
        frame["is_inflow"] = frame["amount"] > 0
        frame["equal"] = group_numbers(frame, ["account", "payee", "amount"])
        frame["kind"] = group_numbers(frame, ["account", "payee", "category", "is_inflow"])
        return frame

    def _places(self, positions: Any) -> Any:
        """The places of some of the rows in the frame."""
        return self._frame.index.get_indexer(self._rows.frame.index[positions])

    def are_of_series(self, pairs: _Pairs) -> Any:
        """Which pairs are payments of a series, at least one interval apart."""
        found = np.zeros(len(pairs.deleted), dtype=bool)
        payee = self._rows.payee
        is_far = (pairs.days >= _SHORTEST) & (payee[pairs.deleted] == payee[pairs.kept])
        if not is_far.any():
            return found
        groups = self._frame.groupby("kind").indices
        places = np.array([self._places(each) for each in (pairs.deleted, pairs.kept)])
        kinds = self._frame["kind"].to_numpy()[places[0]].tolist()
        known: dict[int, list[tuple[set[int], int]]] = {}
        for at in np.flatnonzero(is_far).tolist():
            kind, both = kinds[at], {*places[:, at].tolist()}
            if kind not in known:
                known[kind] = [
                    ({*groups[kind][series.rows].tolist()}, _least_days(series.frequency))
                    for series in self._series(groups[kind])
                ]
            found[at] = any(both <= rows and pairs.days[at] >= days for rows, days in known[kind])
        return found

    def are_still_to_come(self, pairs: _Pairs) -> Any:
        """Which entered rows are probably the next one of purchases that are imported."""
        found = (pairs.reason == REASONS.index(IMPORTED_AND_ENTERED)) & (pairs.days > 0)
        if not found.any():
            return found
        imports = self._frame[self._frame["is_imported"]]
        is_near = imports.groupby("equal")["day"].diff() <= self._days * DAY
        near = is_near.groupby(imports["equal"]).agg(["sum", "size"])
        usual = near.index[(near["sum"] >= _HABIT) & (2 * near["sum"] > near["size"])]
        equal = self._frame["equal"].to_numpy()[self._places(pairs.kept[found])]
        found[found] = np.isin(equal, usual)
        return found

    def are_habits(self, pairs: _Pairs) -> Any:
        """Which pairs of rows that were entered are a habit or usual purchases."""
        source = self._rows.source
        found = (source[pairs.deleted] < 0) & (source[pairs.kept] < 0)
        if not found.any():
            return found
        entered = pairs.take(found)
        places = self._places(entered.deleted)
        group = self._frame["equal"].to_numpy()[places]
        size = np.bincount(self._frame["equal"])
        count = np.bincount(group, minlength=len(size))
        rows = len(source)
        members = np.unique(np.tile(group, 2) * rows + np.append(entered.deleted, entered.kept))
        paired = np.bincount(members // rows, minlength=len(size))
        is_habit = ((count >= _HABIT) & (2 * paired > size))[group]
        alone = 2  # rows of the payee with the amount
        is_open = ~is_habit & (entered.days > 0) & (size[group] != alone)
        if is_open.any():
            groups = self._frame.groupby("equal").indices
            for at in np.flatnonzero(is_open).tolist():
                others = groups[group[at]]
                is_habit[at] = not self._series(others[others != places[at]])
        found[found] = is_habit
        return found

    def _series(self, places: Any) -> list[Series]:
        days, amounts = (self._frame[name].to_numpy()[places] for name in ("day", "amount"))
        return find_series(days.astype("datetime64[D]"), np.abs(amounts))


def _least_days(name: str) -> int:
    """The smallest number of days between two payments of a frequency."""
    frequency = FREQUENCIES[name]
    return (frequency.days or _SHORTEST_MONTH * frequency.months) - frequency.tolerance


_SHORTEST_MONTH = 28  # days
_SHORTEST = min(map(_least_days, FREQUENCIES))


def _chosen(pairs: _Pairs, rows: _Rows) -> _Pairs:
    """The pairs that are shown, so that each row and each other side is in at most one."""
    is_imported = rows.source >= 0
    # Of the two sides of a transfer, that which shows which row was imported, then the outflow.
    imported = is_imported[pairs.deleted].astype("int64") + is_imported[pairs.kept]
    is_inflow = rows.amounts[pairs.kept] > 0
    place = rows.frame.index.to_numpy()
    both = np.sort([place[pairs.deleted], place[pairs.kept]], axis=0)
    order = np.lexsort((both[1], both[0], is_inflow, -imported, pairs.days, pairs.reason))
    used = np.zeros(len(rows.frame) + 1, dtype=bool).tolist()  # the last: no other side
    chosen = []
    others = [rows.other_side[pairs.deleted], rows.other_side[pairs.kept]]
    involved = np.array([pairs.deleted, pairs.kept, *others]).T.tolist()
    for at in order.tolist():
        if not any(used[each] for each in involved[at]):
            chosen.append(at)
            for each in involved[at]:
                used[each] = each >= 0
    return pairs.take(np.array(chosen, dtype="int64"))


def _deletions(report: Report, chosen: Any) -> Mapping[str, Any]:
    if chosen is None:
        choose = "choose those whose row is deleted, such as changes([0, 2])"
        raise ToolError(f"changes: look at the pairs and {choose}")
    rows = rows_at(report, "duplicates", "changes", chosen)
    # With the other row, a row is not deleted if that one does not exist or has changed.
    columns = (*_KEYS, "kept_date", "amount", "account_id")
    return {"delete": budget_rows({name: rows[name] for name in columns}, report)}


def _draw_duplicates(frame: pd.DataFrame, canvas: Canvas) -> Any:
    counts = frame.groupby(frame["reason"].astype(object))["amount"].size()
    amounts = pd.Series(np.abs(exact(frame))).groupby(frame["reason"].astype(object).to_numpy())
    sums = (amounts.sum() / MILLIUNITS).sort_values(ascending=False, kind="stable")
    names = [f"{name} ({counts[name]:,})" for name in sums.index]
    canvas.horizontal_bars(sums.set_axis(names), max_bars=_MAX_BARS)
    total = canvas.amount(np.abs(exact(frame)).sum() / MILLIUNITS)
    count = number_of(len(frame), "pair")
    return canvas.title(f"Probably the same payment twice: {count}, {total}", legend=False)


_REPORT_COLUMNS = (
    Column("date", "datetime64[us]", "", "day of the row to delete"),
    Column("account_name", "str", "", "name of the account"),
    Column("payee_name", "str", "", "name of the payee of the row to delete"),
    Column("memo", "str", "", "note on the row to delete"),
    Column("amount", "float64", CURRENCY, "of each of the two rows; outflow negative"),
    Column("reason", "category", "", "why it is probably one payment", vocabulary=REASONS),
    Column("kept_date", "datetime64[us]", "", "day of the other row"),
    Column("kept_payee_name", "str", "", "name of the payee of the other row"),
    Column("days", "int64", "days", "number of days between the two rows"),
    Column("transaction_id", "str", "", "key of the row to delete"),
    Column("kept_transaction_id", "str", "", "key of the other row"),
    Column("account_id", "str", "", "key of the account"),
)
_DUPLICATES = register(duplicates, _REPORT_COLUMNS, on_canvas(_draw_duplicates), edits=_deletions)

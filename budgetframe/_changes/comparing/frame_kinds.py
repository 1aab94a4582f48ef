"""The frames that can be edited: their kinds, their origin, and columns without a meaning."""

from __future__ import annotations

from collections.abc import Container, Iterable
from datetime import date
from typing import Any, NamedTuple

import pandas as pd

from budgetframe._changes.plan import WRITABLE, Resource
from budgetframe._resources import current_month
from budgetframe._runtime.arguments import refused
from budgetframe._session.frame_states import FrameStates
from budgetframe.frames.request_bodies import meant_column, month_to_write

from .edits import normal_frame

MONTH_KEY = "month and category_id"
_ALL_KEYS = ("transaction_id", "subtransaction_id", "scheduled_transaction_id", "category_id")
_OF_CHANGES = {"action", "field", "before", "after"}
_WITH_ROWS_OF_THE_BUDGET = (None, "suggestions")
"""The reports whose rows are transactions; None for a frame that is no report."""


class Kind(NamedTuple):
    """A kind of frame that can be edited."""

    table: str
    resource: Resource
    keys: tuple[str, ...]

    @property
    def writable(self) -> frozenset[str]:
        """The columns that can be changed."""
        return WRITABLE[self.resource]

    @property
    def can_create_and_delete(self) -> bool:
        """Whether rows can be created, as rows without a key, and deleted."""
        return self.resource in ("transactions", "scheduled_transactions")


TRANSACTIONS = Kind("transactions", "transactions", ("transaction_id",))
KINDS = {
    kind.table: kind
    for kind in (
        TRANSACTIONS,
        Kind("ledger", "transactions", ("subtransaction_id", "transaction_id")),
        Kind("subtransactions", "transactions", ("subtransaction_id", "transaction_id")),
        Kind("scheduled_transactions", "scheduled_transactions", ("scheduled_transaction_id",)),
        Kind("categories", "categories", ("category_id",)),
        Kind("month_categories", "month_categories", (MONTH_KEY,)),
    )
}


def recognised_frame(
    frame: pd.DataFrame, today: date, states: FrameStates
) -> tuple[pd.DataFrame, Kind]:
    """The frame with its keys as columns and the first days of its months, and its kind."""
    frame = normal_frame(frame, (*_ALL_KEYS, "month"))
    kind = _kind_of(frame, states)
    if kind.table == "month_categories":
        cells = (None if pd.isna(cell) else cell for cell in frame["month"].astype(object))
        months = [None if cell is None else _first_day(cell, today) for cell in cells]
        texts = pd.Series(months, index=frame.index, dtype=object)
        frame = frame.assign(month=pd.to_datetime(texts, format="%Y-%m-%d"))
    elif kind is TRANSACTIONS and "transaction_id" not in frame:
        frame = frame.assign(transaction_id=None)
    elif kind.resource == "scheduled_transactions" and kind.keys[0] not in frame:
        frame = frame.assign(scheduled_transaction_id=None)
    return frame, kind


def _first_day(month: Any, today: date) -> str:
    day = month_to_write(month)
    return current_month(today) if day == "current" else day


def _kind_of(frame: pd.DataFrame, states: FrameStates) -> Kind:
    columns = set(frame.columns)
    if "scheduled_subtransaction_id" in columns:
        raise refused("the service cannot change the parts of schedules")
    for needed, excluded, table in _RECOGNITION:
        if needed <= columns and not excluded & columns:
            return KINDS[table if table != "ledger" else _split_rows_of(frame, states)]
    raise refused(
        "the columns are not those of a frame that can be changed: pass one from transactions(),"
        " ledger(), subtransactions(), scheduled_transactions(), month_categories(), month() or"
        " categories(), or new rows with date, amount and account_name"
    )


_RECOGNITION: tuple[tuple[set[str], set[str], str], ...] = (
    ({"scheduled_transaction_id"}, set(), "scheduled_transactions"),
    ({"subtransaction_id"}, set(), "ledger"),
    ({"transaction_id"}, set(), "transactions"),
    ({"month", "category_id"}, set(), "month_categories"),
    ({"month", "category_name", "budgeted"}, {"date"}, "month_categories"),
    ({"category_id"}, {"date", "date_next"}, "categories"),
    ({"frequency", "amount"}, set(), "scheduled_transactions"),
    ({"date", "amount"}, set(), "transactions"),
)
"""Columns that a kind of frame has, columns that it does not have, and the kind."""


def _split_rows_of(frame: pd.DataFrame, states: FrameStates) -> str:
    """The kind of a frame with parts of splits."""
    if "transaction_id" not in frame:
        raise refused("the frame has a subtransaction_id, but no transaction_id: keep both")
    if "matched_transaction_id" in frame:
        named = "transactions_of_category() or transactions_of_payee()"
        raise refused(f"rows of {named} cannot be compared: pass rows of ledger()")
    base = states.of(frame.attrs)
    if base:
        return "ledger" if "ledger" in base else "subtransactions"
    has_state = "cleared" in frame or bool(frame["subtransaction_id"].isna().any())
    return "ledger" if has_state else "subtransactions"


def checked_frame(edited: Any) -> pd.DataFrame:
    """Return an edited frame."""
    if isinstance(edited, pd.DataFrame):
        return edited
    name = type(edited).__name__
    if isinstance(edited, pd.Series):
        advice = "pass a DataFrame: rows are frame[mask], and one row is frame.loc[[label]]"
    elif hasattr(edited, "collect"):  # a LazyFrame of polars
        advice = "call its collect()"
    elif name in ("Changes", "AsyncChanges"):
        advice = "call its .apply() to send the changes"
    elif isinstance(edited, str):
        advice = "pass a DataFrame; to delete rows, pass their keys as delete="
    else:
        advice = "pass a DataFrame: pd.DataFrame(rows) makes one from a list of mappings"
    raise refused(f"edited is {name}: {advice}")


def check_origin(frame: pd.DataFrame, budget: str) -> None:
    """Check that a frame contains rows of this budget, as far as its attrs and columns say so."""
    if set(frame.columns) >= _OF_CHANGES:
        advice = "call .apply() of the Changes, or edit the frame that they were made from"
        raise refused(f"the frame lists changes: {advice}")
    report, other = frame.attrs.get("report"), frame.attrs.get("budget")
    if report not in _WITH_ROWS_OF_THE_BUDGET:
        raise refused(
            f"the frame comes from the report {report}(), whose rows are not rows of the budget:"
            " pass a frame of the budget, or the rows behind a figure, with .rows()"
        )
    if other is not None and budget and other != budget:
        advice = f"this is the budget {budget!r}: use bf.with_budget({other!r}).changes()"
        raise refused(f"the frame was read from the budget {other!r}, but {advice}")


def ignored_columns(
    frame: pd.DataFrame, known: Container[str], writable: Iterable[str]
) -> list[str]:
    """Warnings of columns that are ignored, but look like a column that can be changed."""
    columns = tuple(writable)
    return [
        f"the column {name!r} is ignored; {found!r} can be changed"
        for name in map(str, frame.columns)
        if name not in known and (found := meant_column(name, columns)) is not None
    ]

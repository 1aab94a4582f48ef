"""The class of the frames of a budget: a DataFrame that shows each row on one line."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import Any, ClassVar

import pandas as pd

from .checked_frame import CheckedFrame
from .money import MONEY
from .one_line import Layout, one_line_html, one_line_text
from .schema import CURRENCY, DELETED, MILLIUNITS_SUFFIX, Column
from .split_rows import SPLIT_ROWS
from .tables import LEDGER, TABLES

__all__ = ["ReadableFrame", "readable"]


class ReadableFrame(CheckedFrame):
    """A DataFrame whose display shows each row on one line, with the columns that people read.

    The display leaves out keys, fields added by ``extra=True``, columns without any value, and
    columns that do not fit; its last line names them. A missing value is blank, long texts end in
    ``…``, and amounts have the decimals of the budget's currency. The frame itself has all columns
    and exact values, and everything else is as in pandas: ``to_string()``, ``to_html()``,
    ``info()``, ``style``.

    Rows of such a frame are such a frame. A frame with other columns, or without the columns up to
    its first amount (the memo may be missing), is an ordinary DataFrame, for example after
    ``groupby``, ``pivot``, ``assign``, ``merge`` or ``concat`` with another frame. After a column
    was added in place, pandas displays the frame, and the next operation returns an ordinary one.

    Parameters
    ----------
    data, *args, **kwargs
        As for a DataFrame.

    Notes
    -----
    The width of a line is ``display.width`` of pandas if it was changed, else the width of the
    terminal, else 120 characters. ``display.max_rows`` and ``display.min_rows`` apply as in pandas.
    After ``pd.set_option("display.max_columns", None)`` pandas displays all columns.

    A pickle contains an ordinary DataFrame, so that it can be read where this package is not
    installed. ``plain.compare(frame)`` of pandas compares only frames of one class: write
    ``frame.compare(plain)``, or convert the frame with ``pd.DataFrame(frame)``.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> bf.accounts()[["account_name", "account_type", "balance", "account_id"]].head(2)
      account_name account_type    balance
    0     Car Loan     autoLoan  -1,468.00
    1     Checking     checking   8,062.99
    2 rows × 4 columns; not shown: account_id
    """

    # pandas passes the attributes with these names on to the results of operations.
    _metadata: ClassVar[list[str]] = ["_extra"]
    _extra: frozenset[str] = frozenset()
    """The fields without a column that were added with ``extra=True``."""

    def _fits(self, frame: pd.DataFrame) -> bool:
        return _is_readable(tuple(frame.columns.tolist()), self._extra)

    def _layout(self) -> Layout:
        """How the columns are shown."""
        return Layout(MONEY, self._extra)

    def __reduce_ex__(self, protocol: Any) -> Any:
        # As an ordinary DataFrame: pickle refuses the result of its method for another class.
        state = self._plain().__reduce_ex__(protocol)[2]
        return object.__new__, (pd.DataFrame,), state

    def __repr__(self) -> str:
        text = one_line_text(self, self._layout()) if self._fits(self) else None
        return super().__repr__() if text is None else text

    def _repr_html_(self) -> str | None:
        html = one_line_html(self, self._layout()) if self._fits(self) else None
        return super()._repr_html_() if html is None else html  # type: ignore[misc]


# Pickles and messages name the public module, so that the file of the class can move.
ReadableFrame.__module__ = "budgetframe.frames"


def readable(frame: pd.DataFrame, extra: Iterable[str] = ()) -> pd.DataFrame:
    """The same frame as a `ReadableFrame`, otherwise, with other columns, as a DataFrame.

    Parameters
    ----------
    frame : DataFrame
        The frame.
    extra : iterable of str
        The columns with fields that have no column in the table.
    """
    same = ReadableFrame(frame)
    same.attrs = frame.attrs
    same._extra = frozenset(extra)  # noqa: SLF001 - only set here
    return same._checked()  # noqa: SLF001 - of the base


def _shapes(columns: tuple[Column, ...]) -> list[tuple[frozenset[str], frozenset[str]]]:
    """The columns that a frame of a table has, and those that it can have, for each unit."""
    read = [column for column in columns if not column.name.endswith("_id")]
    amounts = [n for n, column in enumerate(read, start=1) if column.unit == CURRENCY]
    first = [column for column in read[: amounts[0] if amounts else None] if column.name != "memo"]
    shapes = []
    for suffix in ("", MILLIUNITS_SUFFIX):
        needed, known = (
            frozenset(each.name + (suffix if each.unit == CURRENCY else "") for each in part)
            for part in (first, (*columns, DELETED))
        )
        shapes.append((needed, known))
    return shapes


_SHAPES = [
    shape for columns in (*(table.columns for table in (*TABLES.values(), SPLIT_ROWS)), LEDGER)
    for shape in _shapes(columns)
]  # fmt: skip


@lru_cache(maxsize=512)
def _is_readable(columns: tuple[Hashable, ...], extra: frozenset[str]) -> bool:
    """Whether a frame with these columns is one of the frames of a budget."""
    names = set(columns) - extra
    return any(first <= names <= known for first, known in _SHAPES)

"""The class of the frames of a budget: a DataFrame that shows each row on one line."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from typing import Any

import pandas as pd

from .builder import DELETED
from .money import MILLIUNITS_SUFFIX, MONEY
from .one_line import one_line_html, one_line_text
from .schema import CURRENCY, Column
from .tables import LEDGER, TABLES

__all__ = ["ReadableFrame", "readable"]


def _checked(method: Any) -> Any:
    """The same method, with an ordinary DataFrame as its result if the columns have changed."""

    @wraps(method)
    def checked(self: ReadableFrame, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        return readable(result) if type(result) is ReadableFrame else result

    checked.__doc__ = f"As ``DataFrame.{method.__name__}``."  # the examples of pandas are not ours
    return checked


class _AnyFrame(type):
    """The class of `ReadableFrame`: every DataFrame counts as an instance.

    `pandas.testing.assert_frame_equal` checks ``isinstance(left, type(right))``. Without this, an
    ordinary DataFrame on the left would be an error without a message.
    """

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, pd.DataFrame)


class _CheckedFrame(pd.DataFrame):
    """The methods for which `_constructor` is not enough."""

    # These change the columns of a copy in place.
    assign = _checked(pd.DataFrame.assign)
    eval = _checked(pd.DataFrame.eval)
    rename = _checked(pd.DataFrame.rename)
    reset_index = _checked(pd.DataFrame.reset_index)
    set_index = _checked(pd.DataFrame.set_index)

    def compare(  # type: ignore[override]  # the return type of pandas is the class itself
        self, other: pd.DataFrame, *args: Any, **kwargs: Any
    ) -> pd.DataFrame:
        """As ``DataFrame.compare``, which compares only frames of the same class."""
        return pd.DataFrame(self).compare(pd.DataFrame(other), *args, **kwargs)


class ReadableFrame(_CheckedFrame, metaclass=_AnyFrame):
    """A DataFrame whose display shows each row on one line, with the columns that people read.

    The display leaves out keys, columns without any value, and columns that do not fit; its last
    line names them. A missing value is blank, long texts end in ``…``, and amounts have the
    decimals of the budget's currency. The frame itself has all columns and exact values, and
    everything else is as in pandas: ``to_string()``, ``to_html()``, ``info()``, ``style``.

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

    @property
    def _constructor(self) -> Callable[..., pd.DataFrame]:
        return _from_data

    def _constructor_from_mgr(self, mgr: Any, axes: Any) -> pd.DataFrame:
        # pandas calls this method for most results. The method that it replaces creates an
        # ordinary DataFrame first and then one more frame from it.
        kind = ReadableFrame if _is_readable(tuple(axes[0].tolist())) else pd.DataFrame
        frame: pd.DataFrame = kind._from_mgr(mgr, axes=axes)  # type: ignore[attr-defined]  # noqa: SLF001
        return frame

    def __reduce_ex__(self, protocol: Any) -> Any:
        # As an ordinary DataFrame: pickle refuses the result of its method for another class.
        plain = pd.DataFrame(self)
        plain.attrs = self.attrs
        state = plain.__reduce_ex__(protocol)[2]
        return object.__new__, (pd.DataFrame,), state

    def __repr__(self) -> str:
        text = one_line_text(self, MONEY) if self._has_table() else None
        return super().__repr__() if text is None else text

    def _repr_html_(self) -> str | None:
        html = one_line_html(self, MONEY) if self._has_table() else None
        return super()._repr_html_() if html is None else html  # type: ignore[misc]

    def _has_table(self) -> bool:
        """Whether the frame still has the columns of a table."""
        return _is_readable(tuple(self.columns.tolist()))


# Pickles and messages name the public module, so that the file of the class can move.
ReadableFrame.__module__ = "budgetframe.frames"


def readable(frame: pd.DataFrame) -> pd.DataFrame:
    """The same frame as a `ReadableFrame`, otherwise, with other columns, as a DataFrame."""
    kind = ReadableFrame if _is_readable(tuple(frame.columns.tolist())) else pd.DataFrame
    same = kind(frame)
    same.attrs = frame.attrs
    return same


def _from_data(data: Any = None, *args: Any, **kwargs: Any) -> pd.DataFrame:
    return readable(pd.DataFrame(data, *args, **kwargs))


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
    shape for columns in (*(table.columns for table in TABLES.values()), LEDGER)
    for shape in _shapes(columns)
]  # fmt: skip


@lru_cache(maxsize=512)
def _is_readable(columns: tuple[Hashable, ...]) -> bool:
    """Whether a frame with these columns is one of the frames of a budget."""
    names = set(columns)
    return any(first <= names <= known for first, known in _SHAPES)

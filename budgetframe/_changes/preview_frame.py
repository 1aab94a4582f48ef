"""The class of the frames of changes, effects and the journal: each row on one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from budgetframe.frames.one_line import Layout
from budgetframe.frames.readable_frame import ReadableFrame

__all__ = ["PreviewFrame", "layout_of", "preview_frame"]

_KINDS = (
    frozenset({"action", "field", "before", "after"}),
    frozenset({"kind", "quantity", "before", "after", "difference"}),
    frozenset({"applied_at", "created", "updated", "deleted"}),
    frozenset({"date", "amount", "reason"}),
)
"""The columns by which the frames are recognised: changes, effects, the journal, skipped rows."""

_LAYOUT = Layout(
    money=("before", "after", "difference", "amount"),
    hidden=("key",),
    first=9,
    optional=("category_name", "account_name"),
    whole=("action", "field", "kind", "quantity"),
    kept=("before", "after"),
)

_SKIPPED = _LAYOUT._replace(
    hidden=("account_name", "existing_transaction_id"), optional=("memo",), whole=("reason",)
)


class PreviewFrame(ReadableFrame):
    """A DataFrame that shows each row on one line, with amounts in the currency of the budget.

    Parameters
    ----------
    data, *args, **kwargs
        As for a DataFrame.
    """

    def _fits(self, frame: pd.DataFrame) -> bool:
        names = set(frame.columns.tolist())
        return any(needed <= names for needed in _KINDS)

    def _layout(self) -> Layout:
        return layout_of(self)


def layout_of(frame: pd.DataFrame) -> Layout:
    """How the columns of a frame of changes, effects, the journal or skipped rows are shown."""
    if "reason" in frame:
        return _SKIPPED
    if not {"problem", "payee_name"} <= set(frame):
        return _LAYOUT
    return _LAYOUT._replace(hidden=("key", "account_name", "category_name"))


def preview_frame(frame: pd.DataFrame, attrs: Mapping[Any, Any]) -> pd.DataFrame:
    """The same frame with these attrs and with the display of a `PreviewFrame`.

    Parameters
    ----------
    frame : DataFrame
        A frame of changes, effects, the journal or skipped rows.
    attrs : mapping
        The name and the currency of the budget.
    """
    same = PreviewFrame(frame)
    same.attrs.update(attrs)
    return same

"""How the frames of changes, effects, the journal and skipped rows are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from budgetframe.frames.display import LAYOUTS, Layout

__all__ = ["layout_of", "preview_frame"]

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


def layout_of(frame: pd.DataFrame) -> Layout:
    """How the columns of a frame of changes, effects, the journal or skipped rows are shown."""
    if "reason" in frame:
        return _SKIPPED
    if not {"problem", "payee_name"} <= set(frame):
        return _LAYOUT
    return _LAYOUT._replace(hidden=("key", "account_name", "category_name"))


def _layout_if_known(frame: pd.DataFrame) -> Layout | None:
    names = set(frame.columns.tolist())
    return layout_of(frame) if any(needed <= names for needed in _KINDS) else None


LAYOUTS.append(_layout_if_known)


def preview_frame(frame: pd.DataFrame, attrs: Mapping[Any, Any]) -> pd.DataFrame:
    """The same frame with these attrs, the name and the currency of the budget."""
    same = frame.copy(deep=False)
    same.attrs = dict(attrs)
    return same

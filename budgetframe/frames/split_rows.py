"""Frames of the transactions of one category or payee, in which a part of a split is a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from .builder import unexpected
from .tables import SPLIT_ROWS


def split_rows_frame(data: Mapping[str, Any], *, extra: bool = False) -> pd.DataFrame:
    """Build the frame of an answer with the transactions of one category or payee."""
    rows = data.get("transactions")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise unexpected("transactions", "the answer has no list of transactions")
    return SPLIT_ROWS.frame({"transactions": list(map(_add_both_keys, rows))}, extra=extra)


def _add_both_keys(row: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in row.items() if name not in _REPLACED}
    split = row.get("parent_transaction_id")
    own = row.get("id")
    return fields | {
        "transaction_id": own if split is None else split,
        "subtransaction_id": None if split is None else own,
        "is_split_part": split is not None,
    }


_REPLACED = frozenset({"id", "type", "parent_transaction_id"})

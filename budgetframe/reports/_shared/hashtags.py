"""Hashtags in memos."""

from __future__ import annotations

from typing import Any

import pandas as pd

__all__ = ["hashtags_of"]

_HASHTAG = r"#([^\W\d]\w*)"  # no digit first: "#42" is usually the number of an order


def hashtags_of(rows: pd.DataFrame) -> pd.Series[Any]:
    """The hashtags in each memo, without duplicates, in lower case."""
    words = rows["memo"].astype(object).str.lower().str.findall(_HASHTAG)
    return words.map(lambda found: [*dict.fromkeys(found)] if isinstance(found, list) else [])

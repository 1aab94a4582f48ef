"""Hashtags in memos, and the comparison of texts without regard to case."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

_HASHTAG = re.compile(r"#([^\W\d]\w*)")  # no digit first: "#42" is usually the number of an order


def folded(text: str) -> str:
    """The form of a text that is equal for texts that differ in their case alone."""
    return text.casefold()


def hashtags_of(rows: pd.DataFrame) -> pd.Series[Any]:
    """The hashtags in each memo, without duplicates, in the form that is compared."""
    return rows["memo"].astype(object).map(_found)


def _found(memo: object) -> list[str]:
    """The hashtags in one memo; none if it is missing."""
    return [*dict.fromkeys(_HASHTAG.findall(folded(memo)))] if isinstance(memo, str) else []

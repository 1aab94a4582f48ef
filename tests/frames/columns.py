"""Columns of expected frames, written out by hand."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import pandas as pd

Json = dict[str, Any]

TEXT = pd.Series(["text"]).dtype  # `str` on pandas 3, `object` on pandas 2

ACCOUNT_TYPES = (
    "checking savings cash creditCard lineOfCredit otherAsset otherLiability mortgage autoLoan "
    "studentLoan personalLoan medicalDebt otherDebt"
)
FREQUENCIES = (
    "never daily weekly everyOtherWeek twiceAMonth every4Weeks monthly everyOtherMonth "
    "every3Months every4Months twiceAYear yearly everyOtherYear"
)
FLAG_COLORS = "red orange yellow green blue purple"
CLEARED = "uncleared cleared reconciled"
DEBT_TYPES = "payment refund fee interest escrow balanceAdjustment credit charge"
GOAL_TYPES = "TB TBD MF NEED DEBT"


def text(*values: str | None) -> "pd.Series[Any]":
    return pd.Series(list(values), dtype=TEXT)


def days(*values: str | None) -> "pd.Series[Any]":
    return pd.Series([pd.Timestamp(v) if v else pd.NaT for v in values], dtype="datetime64[us]")


def moments(*values: str | None) -> "pd.Series[Any]":
    stamps = [pd.Timestamp(v, tz="UTC") if v else pd.NaT for v in values]
    return pd.Series(stamps, dtype="datetime64[us, UTC]")


def money(*values: float | None) -> "pd.Series[Any]":
    return pd.Series(list(values), dtype="float64")


def flags(letters: str) -> "pd.Series[Any]":
    """Booleans from a text: T is true, F is false."""
    return pd.Series([letter == "T" for letter in letters], dtype="bool")


def counts(*values: int | None) -> "pd.Series[Any]":
    return pd.Series(list(values), dtype="Int64")


def choices(vocabulary: str, *values: str | None) -> "pd.Series[Any]":
    return pd.Series(pd.Categorical(list(values), categories=vocabulary.split()))


@dataclass(frozen=True)
class Example:
    """A small answer of the service, as the client returns it, and the expected frame.

    `path` has the key of the list, and of the parts of its items if these are the rows. `required`
    and `nullable` name the fields of a row as the specification has them.
    """

    payload: Json
    columns: dict[str, "pd.Series[Any]"]
    path: tuple[str, ...]
    required: tuple[str, ...]
    nullable: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.columns)

    def fresh(self) -> Json:
        return deepcopy(self.payload)

    def rows(self, payload: Json) -> list[Json]:
        """The rows of the frame in an answer."""
        name, *parts = self.path
        items = [payload[name]] if isinstance(payload[name], dict) else payload[name]
        return [row for item in items for row in item[parts[0]]] if parts else list(items)

    @property
    def empty(self) -> Json:
        """An answer without rows."""
        name, *parts = self.path
        is_one = isinstance(self.payload[name], dict)
        return {name: {**self.payload[name], parts[0]: []} if is_one else []}

"""The sentence that says what a report shows, and words that several sentences have in common."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe.frames.money import milliunits
from budgetframe.frames.number_text import in_currency, number_text

from .report_types import InCurrency, type_named

UNCATEGORIZED = "uncategorized"
"""The key in ``attrs`` of the spending without a category that a report leaves out, by period."""


def sentence_of(report: pd.DataFrame) -> str:
    """What a report shows, as a sentence; its name if it has no sentence, or shows nothing."""
    name = str(report.attrs.get("report", ""))
    kind = type_named(name)
    is_nothing = report.empty and not any(report.attrs.get(UNCATEGORIZED, ()))
    if is_nothing or kind is None or kind.sentence is None:
        return name.replace("_", " ").capitalize()
    money = partial(in_currency, currency_format=report.attrs.get("currency_format"))
    frame = pd.DataFrame(report)
    frame.attrs = report.attrs  # pandas does not copy them
    return kind.sentence(frame, money)


def amount_text(milliunits: int, frame: pd.DataFrame) -> str:
    """An amount in milliunits, in the format of a frame, as in rules."""
    return in_currency(milliunits / MILLIUNITS, frame.attrs.get("currency_format"))


def spent_text(amount: float, money: InCurrency) -> str:
    if amount < 0:
        return f"{money(-amount)} more was refunded than spent"
    return f"{money(amount)} was spent"


def without_category(uncategorized: float, money: InCurrency) -> str:
    """The end of a sentence about spending: what has no category, if there is something."""
    if not uncategorized:
        return ""
    kind = "" if uncategorized > 0 else " of inflow"
    return f", and {money(abs(uncategorized))}{kind} has no category"


def exact_sum(amounts: Any) -> float:
    """The sum of the amounts that are known, as a sum of integers."""
    return int(milliunits(pd.Series(amounts, dtype="float64")).sum()) / MILLIUNITS


def name_text(name: Any) -> str:
    return "no name" if pd.isna(name) else str(name)


def days_sentence(days: pd.Series[Any], text: str, frame: pd.DataFrame) -> str:
    """A sentence about the last number of days of a report, and its difference from the first."""
    number = partial(number_text, currency_format=frame.attrs.get("currency_format"))
    known = days.dropna().astype("float64").round()
    if known.empty or pd.isna(days.iloc[-1]):
        return f"{text.format('an unknown number of days')}."
    last, change = known.iloc[-1], known.iloc[-1] - known.iloc[0]
    said = text.format(f"{number(last)} day{'' if last == 1 else 's'}")
    if not change:
        return f"{said}."
    more = "more" if change > 0 else "fewer"
    return f"{said}, {number(abs(change))} {more} than in {known.index[0]:%b %Y}."

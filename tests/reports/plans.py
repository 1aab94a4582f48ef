"""Frames of month categories by hand, and budgets of the sandbox."""

from functools import cache
from typing import Any

import pandas as pd

from budgetframe import BudgetFrame, reports
from budgetframe.frames import TABLES
from budgetframe.reports import Report
from budgetframe.sandbox import Sandbox
from tests.frames.columns import Json

TOKYO = "東京の家計"
"""The other budget of the sandbox, in yen."""

EURO = {
    "iso_code": "EUR", "decimal_digits": 2, "decimal_separator": ",", "group_separator": ".",
} | {"currency_symbol": "€", "symbol_first": False, "display_symbol": True}  # fmt: skip
YEN = {"iso_code": "JPY", "decimal_digits": 0, "decimal_separator": ".", "group_separator": ","} | {
    "currency_symbol": "¥", "symbol_first": True, "display_symbol": True,
}  # fmt: skip

PLACES = {
    "card": ("Credit Card Payments", "Visa"), "food": ("Daily", "Food"),
    "office": ("Office", "Food"), "gym": ("Old Plans", "Gym"),
    "none": ("Internal Master Category", "Uncategorized"),
    "ready": ("Internal Master Category", "Inflow: Ready to Assign"),
}  # fmt: skip
"""Group and name of each category by its key."""


def household(seed: int = 1, budget: str = "Household") -> BudgetFrame:
    """A connection to a sandbox budget; tests only read from it."""
    return _household(seed, budget)


@cache
def _household(seed: int, budget: str) -> BudgetFrame:
    return BudgetFrame.sandbox(_service(seed), budget=budget, progress=False)


def report_of(name: str, budget: str = "Household") -> Report:
    """A report on a sandbox budget, with default parameters."""
    return _report_of(name, budget).copy()


@cache
def _report_of(name: str, budget: str) -> Report:
    bf = household(1, budget)
    if name == "duplicates":
        report = reports.duplicates(with_copies(bf.transactions()))
    else:
        report = getattr(bf.reports, name)()
    assert isinstance(report, Report)
    return report


def with_copies(transactions: pd.DataFrame) -> pd.DataFrame:
    """Transactions and copies of the last ones, because the sandbox has no payment twice."""
    last = transactions.tail(30)
    copies = last.assign(transaction_id="x" + last["transaction_id"], cleared="uncleared")
    found = pd.concat([transactions, copies], ignore_index=True).astype(transactions.dtypes)
    found.attrs = transactions.attrs
    return found


@cache
def _service(seed: int) -> Sandbox:
    return Sandbox(seed=seed, limit=1_000_000)


def told(frame: pd.DataFrame, as_of: str | None = "2026-06-17", **more: Any) -> pd.DataFrame:
    """The frame with the time at which it was read, as a connection returns it."""
    said = {"as_of": as_of and f"{as_of}T12:00:00+00:00", "currency_format": EURO, **more}
    frame.attrs = {name: value for name, value in said.items() if value}
    return frame


def cell(key: str, assigned: float, activity: float, available: float = 0.0, **more: Any) -> Json:
    """A category of a month, as the service states it."""
    group, name = PLACES.get(key, ("Daily", key))
    return (
        {"id": key, "name": name, "hidden": key == "gym"}
        | {"category_group_id": group, "category_group_name": group}
        | {"budgeted": assigned, "activity": activity, "balance": available, **more}
    )


def in_month(month: str, *cells: Json) -> Json:
    """A month with its categories."""
    return {"month": f"{month}-01", "categories": list(cells)}


def plan(*months: Json, as_of: str | None = "2026-06-17") -> pd.DataFrame:
    """The frame ``month_categories`` for these months."""
    return told(TABLES["month_categories"].frame({"months": list(months)}), as_of)


def categories(*keys: str) -> pd.DataFrame:
    """The frame ``categories`` of these keys."""
    return categories_of(*(cell(key, 0.0, 0.0) for key in keys))


def categories_of(*cells: Json) -> pd.DataFrame:
    """The frame ``categories`` of categories with their amounts."""
    groups: dict[str, list[Json]] = {}
    for each in cells:
        groups.setdefault(each["category_group_name"], []).append(each)
    answer = [
        {"id": name, "name": name, "hidden": False, "categories": rows}
        for name, rows in groups.items()
    ]
    return told(TABLES["categories"].frame({"category_groups": answer}))

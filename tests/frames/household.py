"""A budget of two months, small enough to be added up by hand."""

from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import pandas as pd

from budgetframe.frames import TABLES
from budgetframe.frames.reconciliation import Reconciliation
from budgetframe.reports.reconciliation import reconcile
from tests.frames.columns import Json

_PAYEE = dict.fromkeys(("payee_id", "payee_name", "memo"))
_CATEGORY_NAMES = {"ready": "Inflow: Ready to Assign", "food": "Food", "invest": "Investing"}


@dataclass(frozen=True)
class Sides:
    """The two sides of a comparison: the service's figures and the ledger."""

    accounts: pd.DataFrame
    month_categories: pd.DataFrame
    transactions: pd.DataFrame
    subtransactions: pd.DataFrame

    def reconciled(self) -> Reconciliation:
        return reconcile(
            self.accounts, self.month_categories, self.transactions, self.subtransactions
        )

    def off(self, frame: str, row: int, column: str, by: float) -> "Sides":
        """A copy with one figure changed."""
        changed = getattr(self, frame).copy()
        changed.loc[row, column] = round(changed.loc[row, column] + by, 3)
        return replace(self, **{frame: changed})

    def without(self, frame: str, key: str, value: str) -> "Sides":
        """A copy without some rows."""
        rows = getattr(self, frame)
        return replace(self, **{frame: rows[rows[key] != value].reset_index(drop=True)})


def account(key: str, name: str, kind: str, balance: float, **more: Any) -> Json:
    return (
        {"id": key, "name": name, "type": kind, "on_budget": True, "closed": False}
        | {"balance": balance, "cleared_balance": balance, "uncleared_balance": 0.0}
        | more
    )


def transaction(key: str, date: str, account_id: str, amount: float, **more: Any) -> Json:
    category = str(more.get("category_id"))
    return {
        "id": key, "date": date, "amount": amount, "account_id": account_id,
        "account_name": account_id.title(),
        **_PAYEE,
        "category_name": _CATEGORY_NAMES.get(category),
        "cleared": "cleared", "approved": True, **more,
        "subtransactions": [
            {"transaction_id": key, **row} for row in more.get("subtransactions", ())],
    }  # fmt: skip


def part(key: str, amount: float, **more: Any) -> Json:
    return {"id": key, "amount": amount, **_PAYEE, **more}


def category(key: str, group: str, name: str, activity: float) -> Json:
    return (
        {"id": key, "name": name, "hidden": False}
        | {"category_group_id": group, "category_group_name": group}
        | {"budgeted": 0.0, "activity": activity, "balance": 0.0}
    )


def sides(accounts: list[Json], months: dict[str, list[Json]], ledger: list[Json]) -> Sides:
    """The frames of rows in the shape that the client returns."""
    dated = [{"month": month, "categories": rows} for month, rows in months.items()]
    return Sides(
        TABLES["accounts"].frame({"accounts": accounts}),
        TABLES["month_categories"].frame({"months": dated}),
        TABLES["transactions"].frame({"transactions": ledger}),
        TABLES["subtransactions"].frame({"transactions": ledger}),
    )


def _month(**activity: float) -> list[Json]:
    return [
        category("visa payment", "Credit Card Payments", "Visa", activity["visa"]),
        category("food", "Daily", "Food", activity["food"]),
        category("fun", "Daily", "Fun", activity["fun"]),
        category("ready", "Internal Master Category", "Inflow: Ready to Assign", activity["ready"]),
        category("none", "Internal Master Category", "Uncategorized", activity["none"]),
        category("invest", "Later", "Investing", activity["invest"]),
    ]


def household() -> Sides:
    """A new copy of the budget that a test may change."""
    made = _household()
    return Sides(**{frame.name: getattr(made, frame.name).copy() for frame in fields(made)})


@cache
def _household() -> Sides:
    """Three accounts on budget, one of them closed and one a card, and a tracking account."""
    return sides(
        [account("checking", "Checking", "checking", 2752.38),
         account("fund", "Fund", "otherAsset", 103.33, on_budget=False),
         account("old", "Old", "savings", 0.0, closed=True),
         account("visa", "Visa", "creditCard", -15.0)],
        {"2026-04-01": _month(visa=0.0, food=-110.15, fun=-19.95, ready=3000.0, none=0.0,
             invest=0.0),
         "2026-05-01": _month(visa=15.0, food=-24.75, fun=0.0, ready=0.0, none=-7.77,
             invest=-100.0)},
        [transaction("01 pay", "2026-04-01", "checking", 3000.0, category_id="ready"),
         transaction("02 food", "2026-04-03", "checking", -80.1, category_id="food"),
         transaction("03 split", "2026-04-10", "checking", -50.0,
             subtransactions=[part("p1", -30.05, category_id="food", category_name="Food"),
                 part("p2", -19.95, category_id="fun", category_name="Fun")]),
         transaction("04 out", "2026-04-30", "checking", -200.0, transfer_account_id="old"),
         transaction("05 in", "2026-04-30", "old", 200.0, transfer_account_id="checking"),
         transaction("06 out", "2026-05-01", "old", -200.0, transfer_account_id="checking"),
         transaction("07 in", "2026-05-01", "checking", 200.0, transfer_account_id="old"),
         transaction("08 refund", "2026-05-03", "checking", 15.25, category_id="food"),
         transaction("09 open", "2026-05-04", "checking", -7.77),
         transaction("10 invest", "2026-05-05", "checking", -100.0, category_id="invest",
             transfer_account_id="fund"),
         transaction("11 in", "2026-05-05", "fund", 100.0, transfer_account_id="checking"),
         transaction("12 card", "2026-05-06", "visa", -40.0, category_id="food"),
         transaction("13 pay card", "2026-05-20", "checking", -25.0, transfer_account_id="visa"),
         transaction("14 in", "2026-05-20", "visa", 25.0, transfer_account_id="checking"),
         transaction("15 market", "2026-05-31", "fund", 3.33)],
    )  # fmt: skip

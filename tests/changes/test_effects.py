"""The predicted effects of changes on a small budget; `tests.stateful` compares random ones.

The random ones must be those that the embedded service then states.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame
from budgetframe._changes.effects import Figures, Posting, effects_of
from budgetframe.sandbox import Sandbox

CHECKING, CARD, FUND, SECOND = "checking", "card", "fund", "second"
MAY, JUNE = 2026 * 12 + 4, 2026 * 12 + 5


def figures(food_in_june: tuple[float, float, float] = (0.0, 0.0, 30.0)) -> Figures:
    """Two months of a budget: 100 left in May, 40 of it assigned to food, and two cards."""
    names = {CHECKING: "Checking", CARD: "Card", FUND: "Fund", SECOND: "Second"}
    accounts = pd.DataFrame({"account_id": list(names), "account_name": list(names.values())})
    accounts = accounts.assign(on_budget=[True, True, False, True], balance=[100.0, -10, 500, 0])
    categories = {
        "ready": ("Internal Master Category", "Inflow: Ready to Assign"),
        "none": ("Internal Master Category", "Uncategorized"),
        "payment": ("Credit Card Payments", "Card"),
        "payment of second": ("Credit Card Payments", "Second"),
        "food": ("Daily", "Food"),
    }
    stated = {  # assigned, activity, available in May and in June
        "ready": [(0.0, 100.0, 100.0), (0.0, 0.0, 100.0)],
        "none": [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)],
        "payment of second": [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)],
        "payment": [(0.0, 10.0, 10.0), (0.0, 0.0, 10.0)],
        "food": [(40.0, -10.0, 30.0), food_in_june],
    }
    month_categories = pd.DataFrame(
        [
            (pd.Timestamp(month), key, name, group, *stated[key][number])
            for number, month in enumerate(("2026-05-01", "2026-06-01"))
            for key, (group, name) in categories.items()
        ],
        columns=[
            "month", "category_id", "category_name", "category_group_name", "budgeted", "activity",
            "balance",
        ],
    )  # fmt: skip
    months = pd.DataFrame(
        {"month": pd.to_datetime(["2026-05-01", "2026-06-01"]), "to_be_budgeted": [60.0, 60.0]}
    )
    ledger = pd.DataFrame({
        "account_id": [CHECKING, CARD], "on_budget": [True, True], "amount": [100.0, -10.0],
        "date": pd.to_datetime(["2026-05-02", "2026-05-03"]), "category_id": ["ready", "food"],
        "is_uncategorized": [False, False],
        "transfer_on_budget": pd.array([None, None], dtype="boolean"),
    })  # fmt: skip
    return Figures(accounts, month_categories, months, ledger)


def row(
    account: str, month: int, amount: int, category: str | None, other: str | None = None
) -> Posting:
    return Posting(account, month, amount * 1000, category, other)


def lines(effects: pd.DataFrame) -> list[str]:
    """Each effect as a line of text."""
    months = effects["month"].dt.strftime(" %Y-%m").fillna("")
    names = effects["name"].astype(object).fillna("budget")
    quantities = zip(names, months, effects["quantity"], strict=True)
    amounts = zip(effects["before"], effects["after"], strict=True)
    return [
        f"{name}{month} {quantity}: {before:g} to {after:g}"
        for (name, month, quantity), (before, after) in zip(quantities, amounts, strict=True)
    ]


BOTH_SIDES = [row(CHECKING, JUNE, -10, None, CARD), row(CARD, JUNE, 10, None, CHECKING)]
TO_FUND = [row(CHECKING, JUNE, -5, "food", FUND), row(FUND, JUNE, 5, None, CHECKING)]
ROWS = {
    # Of 20 that are overspent, 10 were spent on the card, whose money is then missing.
    "cash spending beyond the available amount reduces what is left in the next month": (
        [row(CHECKING, MAY, -50, "food")],
        ["Checking balance: 100 to 50", "Card 2026-05 activity: 10 to 0",
         "Card 2026-05 available: 10 to 0", "Card 2026-06 available: 10 to 0",
         "Food 2026-05 activity: -10 to -60", "Food 2026-05 available: 30 to -20",
         "Food 2026-06 available: 30 to 0", "budget 2026-06 to_be_budgeted: 60 to 50"]),
    "spending on a card moves only the money that is available": (
        [row(CARD, MAY, -50, "food")],
        ["Card balance: -10 to -60", "Card 2026-05 activity: 10 to 40",
         "Card 2026-05 available: 10 to 40", "Card 2026-06 available: 10 to 40",
         "Food 2026-05 activity: -10 to -60", "Food 2026-05 available: 30 to -20",
         "Food 2026-06 available: 30 to 0"]),
    # Of the 80 on the second card, 50 are covered; 20 move back from the category of the first.
    "a refund on one card covers nothing of the spending on another one": (
        [row(CARD, MAY, 20, "food"), row(SECOND, MAY, -80, "food")],
        ["Card balance: -10 to 10", "Second balance: 0 to -80", "Card 2026-05 activity: 10 to -10",
         "Card 2026-05 available: 10 to -10", "Card 2026-06 available: 10 to 0",
         "Food 2026-05 activity: -10 to -70", "Food 2026-05 available: 30 to -30",
         "Food 2026-06 available: 30 to 0", "Second 2026-05 activity: 0 to 50",
         "Second 2026-05 available: 0 to 50", "Second 2026-06 available: 0 to 50",
         "budget 2026-06 to_be_budgeted: 60 to 50"]),
    "the category of a card changes from the first of several months on": (
        [row(CARD, JUNE, -5, "food"), row(CARD, MAY, 5, None)],
        ["Card 2026-05 activity: 10 to 5", "Card 2026-05 available: 10 to 5",
         "Card 2026-06 activity: 0 to 5", "Food 2026-06 activity: 0 to -5",
         "Food 2026-06 available: 30 to 25", "Uncategorized 2026-05 activity: 0 to 5",
         "Uncategorized 2026-05 available: 0 to 5", "Uncategorized 2026-06 available: 0 to 5"]),
    "a payment of the card takes the money from its payment category": (
        BOTH_SIDES,
        ["Checking balance: 100 to 90", "Card balance: -10 to 0",
         "Card 2026-06 activity: 0 to -10", "Card 2026-06 available: 10 to 0"]),
    "a transfer to a tracking account counts in its category on the side of the budget": (
        TO_FUND,
        ["Checking balance: 100 to 95", "Fund balance: 500 to 505",
         "Food 2026-06 activity: 0 to -5", "Food 2026-06 available: 30 to 25"]),
    "a row of a tracking account counts in no category": (
        [row(FUND, JUNE, -5, None)], ["Fund balance: 500 to 495"]),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "expected"), ROWS.values(), ids=ROWS)
def test_the_effects_of_new_rows(rows: list[Posting], expected: list[str]) -> None:
    assert lines(effects_of(figures(), [], rows, {})) == expected


def test_a_changed_row_is_removed_and_added() -> None:
    old, new = [row(CHECKING, MAY, 100, "ready")], [row(CHECKING, MAY, 90, None)]
    assert lines(effects_of(figures(), old, new, {})) == [
        "Checking balance: 100 to 90",
        "Inflow: Ready to Assign 2026-05 activity: 100 to 0",
        "Inflow: Ready to Assign 2026-05 available: 100 to 0",
        "Inflow: Ready to Assign 2026-06 available: 100 to 0",
        "Uncategorized 2026-05 activity: 0 to 90", "Uncategorized 2026-05 available: 0 to 90",
        "Uncategorized 2026-06 available: 0 to 90",
        "budget 2026-05 to_be_budgeted: 60 to -40", "budget 2026-06 to_be_budgeted: 60 to -40",
    ]  # fmt: skip


OVERSPENT_IN_JUNE = (0.0, -50.0, -20.0)
ASSIGNED = {
    "an amount changes the category and what is left in all later months": (
        figures(), {("food", MAY): 15_000},
        ["Food 2026-05 available: 30 to 5", "Food 2026-06 available: 30 to 5",
         "budget 2026-05 to_be_budgeted: 60 to 85", "budget 2026-06 to_be_budgeted: 60 to 85"]),
    # 60 are left in June, in which 20 were overspent on food.
    "a month that is new starts without the overspending of the last month": (
        figures(food_in_june=OVERSPENT_IN_JUNE), {("food", JUNE + 1): 5_000},
        ["Food 2026-07 available: 0 to 5", "budget 2026-07 to_be_budgeted: 40 to 35"]),
    # 30 are available for food in June, and 60 are left to assign.
    "a new month that does not follow the last one continues it too": (
        figures(), {("food", JUNE + 3): 5_000},
        ["Food 2026-09 available: 30 to 35", "budget 2026-09 to_be_budgeted: 60 to 55"]),
}  # fmt: skip


@pytest.mark.parametrize(("known", "assigned", "expected"), ASSIGNED.values(), ids=ASSIGNED)
def test_the_effects_of_assigned_amounts(
    known: Figures, assigned: dict[tuple[str, int], int], expected: list[str]
) -> None:
    assert lines(effects_of(known, [], [], assigned)) == expected


def test_without_changes_there_are_no_effects_and_the_columns_are_the_same() -> None:
    effects = effects_of(figures(), [], [], {})
    assert len(effects) == 0
    assert list(effects.columns) == [
        "kind", "name", "month", "quantity", "before", "after", "difference", "key",
    ]  # fmt: skip


# Against the embedded service


def test_the_figures_before_the_changes_are_not_older_than_the_comparison() -> None:
    """An export that is still fresh is read again if a transaction was changed since then."""
    sandbox = Sandbox(years=1)
    bf = BudgetFrame.sandbox(sandbox)
    row = pd.DataFrame([{"date": "2026-06-16", "amount": -1.0, "account_name": "Wallet"}])
    wallet = on_account(bf.changes(row).effects)
    sandbox.device.add_transaction(account_id=wallet["key"], date=date(2026, 6, 1), amount=-5_000)
    assert on_account(bf.changes(row).effects)["before"] == wallet["before"] - 5.0


def test_the_balance_that_a_card_had_at_its_opening_is_uncategorized_spending_on_it() -> None:
    """Income without a category covers some of it: money moves to the category of the card."""
    sandbox = Sandbox(years=1)
    sandbox.device.open_account("New Card", "creditCard", -30_000)
    bf = BudgetFrame.sandbox(sandbox)
    row = {"date": "2026-06-16", "amount": 20.0, "account_name": "Wallet"}
    changes = bf.changes(pd.DataFrame([row]))

    def available() -> float:
        balance: float = bf.month("2026-06").set_index("category_name")["balance"]["New Card"]
        return balance

    before, effects = available(), changes.effects.set_index(["name", "quantity"])
    predicted = effects["difference"]["New Card", "available"]
    changes.apply()
    assert (predicted, round(available() - before, 3)) == (2.2, 2.2)


def on_account(effects: pd.DataFrame) -> pd.Series[Any]:
    """The first effect on an account."""
    return effects[effects["kind"] == "account"].iloc[0]

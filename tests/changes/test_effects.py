"""The predicted effects of changes on a small budget; `tests.stateful` compares random ones.

The random ones must be those that the embedded service then states.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd

from budgetframe import BudgetFrame
from budgetframe._changes.effects import Figures, Posting, effects_of
from budgetframe.sandbox import Sandbox

CHECKING, CARD, FUND, SECOND = "checking", "card", "fund", "second"
MAY, JUNE = 2026 * 12 + 4, 2026 * 12 + 5


def figures(food_in_june: tuple[float, float, float] = (0.0, 0.0, 30.0)) -> Figures:
    """Two months of a budget: 100 left in May, 40 of it assigned to food, and two cards."""
    names = {CHECKING: "Checking", CARD: "Card", FUND: "Fund", SECOND: "Second"}
    accounts = pd.DataFrame(
        {
            "account_id": list(names),
            "account_name": list(names.values()),
            "on_budget": [True, True, False, True],
            "balance": [100.0, -10.0, 500.0, 0.0],
        }
    )
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
    ledger = pd.DataFrame(
        {
            "account_id": [CHECKING, CARD],
            "on_budget": [True, True],
            "date": pd.to_datetime(["2026-05-02", "2026-05-03"]),
            "category_id": ["ready", "food"],
            "is_uncategorized": [False, False],
            "transfer_on_budget": pd.array([None, None], dtype="boolean"),
            "amount": [100.0, -10.0],
        }
    )
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


def test_cash_spending_beyond_the_available_amount_reduces_what_is_left_in_the_next_month() -> None:
    """Of 20 that are overspent, 10 were spent on the card, whose money is then missing."""
    effects = effects_of(figures(), [], [row(CHECKING, MAY, -50, "food")], {})
    assert lines(effects) == [
        "Checking balance: 100 to 50",
        "Card 2026-05 activity: 10 to 0",
        "Card 2026-05 available: 10 to 0",
        "Card 2026-06 available: 10 to 0",
        "Food 2026-05 activity: -10 to -60",
        "Food 2026-05 available: 30 to -20",
        "Food 2026-06 available: 30 to 0",
        "budget 2026-06 to_be_budgeted: 60 to 50",
    ]


def test_spending_on_a_card_moves_only_the_money_that_is_available() -> None:
    effects = effects_of(figures(), [], [row(CARD, MAY, -50, "food")], {})
    assert lines(effects) == [
        "Card balance: -10 to -60", "Card 2026-05 activity: 10 to 40",
        "Card 2026-05 available: 10 to 40", "Card 2026-06 available: 10 to 40",
        "Food 2026-05 activity: -10 to -60", "Food 2026-05 available: 30 to -20",
        "Food 2026-06 available: 30 to 0",
    ]  # fmt: skip


def test_a_refund_on_one_card_covers_nothing_of_the_spending_on_another_one() -> None:
    """Of the 80 on the second card, 50 are covered; 20 move back from the category of the first."""
    rows = [row(CARD, MAY, 20, "food"), row(SECOND, MAY, -80, "food")]
    assert lines(effects_of(figures(), [], rows, {})) == [
        "Card balance: -10 to 10",
        "Second balance: 0 to -80",
        "Card 2026-05 activity: 10 to -10",
        "Card 2026-05 available: 10 to -10",
        "Card 2026-06 available: 10 to 0",
        "Food 2026-05 activity: -10 to -70",
        "Food 2026-05 available: 30 to -30",
        "Food 2026-06 available: 30 to 0",
        "Second 2026-05 activity: 0 to 50",
        "Second 2026-05 available: 0 to 50",
        "Second 2026-06 available: 0 to 50",
        "budget 2026-06 to_be_budgeted: 60 to 50",
    ]


def test_the_category_of_a_card_changes_from_the_first_of_several_months_on() -> None:
    rows = [row(CARD, JUNE, -5, "food"), row(CARD, MAY, 5, None)]
    assert lines(effects_of(figures(), [], rows, {})) == [
        "Card 2026-05 activity: 10 to 5",
        "Card 2026-05 available: 10 to 5",
        "Card 2026-06 activity: 0 to 5",
        "Food 2026-06 activity: 0 to -5",
        "Food 2026-06 available: 30 to 25",
        "Uncategorized 2026-05 activity: 0 to 5",
        "Uncategorized 2026-05 available: 0 to 5",
        "Uncategorized 2026-06 available: 0 to 5",
    ]


def test_a_payment_of_the_card_takes_the_money_from_its_payment_category() -> None:
    both_sides = [row(CHECKING, JUNE, -10, None, CARD), row(CARD, JUNE, 10, None, CHECKING)]
    assert lines(effects_of(figures(), [], both_sides, {})) == [
        "Checking balance: 100 to 90", "Card balance: -10 to 0",
        "Card 2026-06 activity: 0 to -10", "Card 2026-06 available: 10 to 0",
    ]  # fmt: skip


def test_a_transfer_to_a_tracking_account_counts_in_its_category_on_the_side_of_the_budget() -> (
    None
):
    both_sides = [row(CHECKING, JUNE, -5, "food", FUND), row(FUND, JUNE, 5, None, CHECKING)]
    assert lines(effects_of(figures(), [], both_sides, {})) == [
        "Checking balance: 100 to 95", "Fund balance: 500 to 505",
        "Food 2026-06 activity: 0 to -5", "Food 2026-06 available: 30 to 25",
    ]  # fmt: skip


def test_a_row_of_a_tracking_account_counts_in_no_category() -> None:
    effects = effects_of(figures(), [], [row(FUND, JUNE, -5, None)], {})
    assert lines(effects) == ["Fund balance: 500 to 495"]


def test_a_changed_row_is_removed_and_added() -> None:
    effects = effects_of(
        figures(), [row(CHECKING, MAY, 100, "ready")], [row(CHECKING, MAY, 90, None)], {}
    )
    assert lines(effects) == [
        "Checking balance: 100 to 90",
        "Inflow: Ready to Assign 2026-05 activity: 100 to 0",
        "Inflow: Ready to Assign 2026-05 available: 100 to 0",
        "Inflow: Ready to Assign 2026-06 available: 100 to 0",
        "Uncategorized 2026-05 activity: 0 to 90",
        "Uncategorized 2026-05 available: 0 to 90",
        "Uncategorized 2026-06 available: 0 to 90",
        "budget 2026-05 to_be_budgeted: 60 to -40",
        "budget 2026-06 to_be_budgeted: 60 to -40",
    ]


def test_an_assigned_amount_changes_the_category_and_what_is_left_in_all_later_months() -> None:
    assert lines(effects_of(figures(), [], [], {("food", MAY): 15_000})) == [
        "Food 2026-05 available: 30 to 5",
        "Food 2026-06 available: 30 to 5",
        "budget 2026-05 to_be_budgeted: 60 to 85",
        "budget 2026-06 to_be_budgeted: 60 to 85",
    ]


def test_a_month_that_is_new_starts_without_the_overspending_of_the_last_month() -> None:
    """60 are left in June, in which 20 were overspent on food."""
    known = figures(food_in_june=(0.0, -50.0, -20.0))
    assert lines(effects_of(known, [], [], {("food", JUNE + 1): 5_000})) == [
        "Food 2026-07 available: 0 to 5",
        "budget 2026-07 to_be_budgeted: 40 to 35",
    ]


def test_a_new_month_that_does_not_follow_the_last_one_continues_it_too() -> None:
    """30 are available for food in June, and 60 are left to assign."""
    assert lines(effects_of(figures(), [], [], {("food", JUNE + 3): 5_000})) == [
        "Food 2026-09 available: 30 to 35",
        "budget 2026-09 to_be_budgeted: 60 to 55",
    ]


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
    later = on_account(bf.changes(row).effects)
    assert later["before"] == wallet["before"] - 5.0


def test_the_balance_that_a_card_had_at_its_opening_is_uncategorized_spending_on_it() -> None:
    """Income without a category covers some of it: money moves to the category of the card."""
    sandbox = Sandbox(years=1)
    sandbox.device.open_account("New Card", "creditCard", -30_000)
    bf = BudgetFrame.sandbox(sandbox)
    row = {"date": "2026-06-16", "amount": 20.0, "account_name": "Wallet"}
    changes = bf.changes(pd.DataFrame([row]))

    def available() -> float:
        month = bf.month("2026-06").set_index("category_name")
        balance: float = month["balance"]["New Card"]
        return balance

    before, effects = available(), changes.effects.set_index(["name", "quantity"])
    predicted = effects["difference"]["New Card", "available"]
    changes.apply()
    assert (predicted, round(available() - before, 3)) == (2.2, 2.2)


def on_account(effects: pd.DataFrame) -> pd.Series[Any]:
    """The first effect on an account."""
    return effects[effects["kind"] == "account"].iloc[0]

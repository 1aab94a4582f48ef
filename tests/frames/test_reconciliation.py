"""The service's figures against the sums of the ledger, to the milliunit."""

import pickle
import re
from collections.abc import Callable
from dataclasses import fields

import pandas as pd
import pytest

from budgetframe.frames.reconciliation import (
    CARD_PAYMENTS,
    NO_UNCATEGORIZED,
    Reconciliation,
    unexplained_differences,
)
from tests.frames.columns import days, money, text
from tests.frames.household import Sides, account, category, household, sides, transaction


def unexplained(frame: pd.DataFrame) -> dict[str, int]:
    """Unexplained differences by name and month."""
    wrong = frame[(frame["unexplained_milliunits"] != 0) & frame["reason"].isna()]
    names = wrong["account_name"].fillna(wrong["category_name"])
    months = wrong["month"].dt.strftime(" %m").fillna("")
    return dict(zip(names + months, wrong["difference_milliunits"], strict=True))


# A budget added up by hand


def test_a_reconciliation_has_both_figures_of_every_account_and_category_month() -> None:
    nowhere = [None] * 12
    groups = ["Credit Card Payments", "Daily", "Daily"]
    groups += ["Internal Master Category", "Internal Master Category", "Later"]
    names = ["Visa", "Food", "Fun", "Inflow: Ready to Assign", "Uncategorized", "Investing"]
    expected = pd.DataFrame({
        "subject": pd.Categorical(["account"] * 4 + ["category month"] * 12,
            ["account", "category month", "available amount"]),
        "month": days(*[None] * 4, *["2026-04-01"] * 6, *["2026-05-01"] * 6),
        "account_name": text("Checking", "Fund", "Old", "Visa", *nowhere),
        "category_group_name": text(*[None] * 4, *groups, *groups),
        "category_name": text(*[None] * 4, *names, *names),
        "service": money(*[2752.38, 103.33, 0.0, -15.0], *[0.0, -110.15, -19.95, 3000.0, 0.0, 0.0],
            *[15.0, -24.75, 0.0, 0.0, -7.77, -100.0]),
        "ledger": money(*[2752.38, 103.33, 0.0, -15.0], *[0.0, -110.15, -19.95, 3000.0, 0.0, 0.0],
            *[0.0, -24.75, 0.0, 0.0, -7.77, -100.0]),
        "difference_milliunits": pd.Series([0] * 10 + [-15_000] + [0] * 5, dtype="int64"),
        **{f"{name}_milliunits": pd.Series([0] * 16, dtype="int64")
           for name in ("interest", "escrow", "unexplained", "cleared", "uncleared")},
        "reason": text(*[None] * 10, CARD_PAYMENTS, *[None] * 5),
        "account_id": text("checking", "fund", "old", "visa", *nowhere),
        "category_id": text(*[None] * 4,
            *["visa payment", "food", "fun", "ready", "none", "invest"] * 2),
    })  # fmt: skip
    found = household().reconciled()
    pd.testing.assert_frame_equal(pd.DataFrame(found), expected)
    assert found.ok  # although the card payments differ


@pytest.mark.parametrize(("frame", "row", "column"), [
    *(("accounts", row, f"{part}balance")
      for row in range(4) for part in ("", "cleared_", "uncleared_")),
    # Rows 0 and 6 are the payment category of the card.
    *(("month_categories", row, "activity") for row in (1, 3, 4, 11)),
    *(("transactions", row, "amount") for row in (0, 4, 12)),  # the test below has others
    ("subtransactions", 0, "amount"),
])  # fmt: skip
def test_a_difference_of_one_milliunit_is_not_ok(frame: str, row: int, column: str) -> None:
    assert not household().off(frame, row, column, 0.001).reconciled().ok


def test_a_row_that_the_service_counts_as_cleared_differs_in_both_parts_of_the_balance() -> None:
    budget = household()
    budget.transactions.loc[7, "cleared"] = "uncleared"  # the refund of 15.25
    found = budget.reconciled()
    parts = found[["difference_milliunits", "cleared_milliunits", "uncleared_milliunits"]]
    assert parts.head(1).to_numpy().tolist() == [[0, -15_250, 15_250]]
    assert found.summary == "1 of 16 rows differs: Checking (cleared balance) by -15.25"
    assert unexplained_differences(found) == {("checking", "", 0, -15_250, 15_250)}
    # A file of another program can lack both figures.
    budget.accounts[["cleared_balance", "uncleared_balance"]] = float("nan")
    assert budget.reconciled().ok


@pytest.mark.parametrize(("row", "differences"), [
    (1, {"Checking": 1, "Food 04": 1}),
    (2, {"Checking": 1}),  # a split counts in its account, its parts in categories
    (3, {"Checking": 1}),  # a transfer between accounts on budget
    (5, {"Old": 1}),  # of a closed account
    (7, {"Checking": 1, "Food 05": 1}),  # a refund
    (8, {"Checking": 1, "Uncategorized 05": 1}),
    (9, {"Checking": 1, "Investing 05": 1}),  # a transfer out of the budget
    (10, {"Fund": 1}),  # its other side
    (11, {"Visa": 1, "Food 05": 1}), (14, {"Fund": 1}),  # a tracking account has no categories
])  # fmt: skip
def test_an_amount_counts_where_its_row_belongs(row: int, differences: dict[str, int]) -> None:
    found = household().off("transactions", row, "amount", 0.001).reconciled()
    assert (unexplained(found), found.ok) == (differences, False)


def test_a_split_part_counts_only_in_its_category() -> None:
    found = household().off("subtransactions", 1, "amount", -0.001).reconciled()
    assert unexplained(found) == {"Fun 04": -1}


def test_the_last_day_of_a_month_counts_in_it() -> None:
    budget = household()
    budget.transactions.loc[7, "date"] = pd.Timestamp("2026-04-30")  # the refund
    found = budget.reconciled()
    assert unexplained(found) == {"Food 04": 15_250, "Food 05": -15_250}


# Rows that one side does not have


@pytest.mark.parametrize(("table", "key", "differences"), [
    ("transactions", "08 refund", {"Checking": -15_250, "Food 05": -15_250}),
    ("subtransactions", "03 split", {"Food 04": 30_050, "Fun 04": 19_950}),
])  # fmt: skip
def test_missing_rows_are_a_difference(table: str, key: str, differences: dict[str, int]) -> None:
    found = household().without(table, "transaction_id", key).reconciled()
    assert unexplained(found) == differences


def test_a_month_that_the_service_does_not_have_counts_as_zero_there() -> None:
    late = transaction("99", "2026-07-01", "checking", -1.5, category_id="food")
    found = sides([account("checking", "Checking", "checking", -1.5)], {}, [late]).reconciled()
    assert found["service"].isna().tolist() == [False, True]
    assert found["month"].tolist()[1] == pd.Timestamp("2026-07-01")
    assert unexplained(found) == {"Food 07": -1500}


def test_an_account_missing_at_the_service_has_the_name_in_the_ledger() -> None:
    found = household().without("accounts", "account_id", "old").reconciled()
    assert found["account_name"].tolist()[:4] == ["Checking", "Fund", "Old", "Visa"]
    assert found["service"].isna().tolist()[:4] == [False, False, True, False]
    assert unexplained(found) == {}  # a transfer to it without a category counts in no category


def test_the_newest_name_in_the_ledger_is_used() -> None:
    names = {"2026-05-01": "Zebra", "2026-05-02": "Mole", "2026-05-03": "Newt"}
    rows = [
        transaction(day, day, "a", -1.0, account_name=name, category_id="x", category_name=name)
        for day, name in names.items()
    ]
    found = sides([], {}, rows).reconciled()
    assert found["account_name"].tolist()[0] == "Newt"
    assert found["category_name"].tolist()[1] == "Newt"


def test_an_account_and_a_category_without_a_name_are_named_as_not_listed() -> None:
    month = {"2026-05-01": [category("x", "Daily", "X", -1.0)]}
    found = sides([account("a", "A", "cash", -1.0)], month, [])
    found.accounts["account_name"] = found.month_categories["category_name"] = text(None)
    expected = "2 of 2 rows differ: Not listed by 1.00, Not listed 2026-05 by 1.00"
    assert found.reconciled().summary == expected


def test_a_row_without_transactions_is_zero_in_the_ledger() -> None:
    found = sides([account("a", "Empty", "cash", 0.01)], {}, []).reconciled()
    assert found["ledger"].tolist() == [0.0]
    assert unexplained(found) == {"Empty": -10}


def test_a_renamed_category_has_the_name_of_the_service() -> None:
    budget = household()
    budget.transactions["category_name"] = "an old name"
    assert set(budget.reconciled()["category_name"].dropna()) == {
        *("Visa", "Food", "Fun", "Inflow: Ready to Assign", "Uncategorized", "Investing")
    }


def test_an_empty_reconciliation_is_ok_and_has_all_dtypes() -> None:
    found = sides([], {}, []).reconciled()
    empty = household().reconciled().iloc[:0].copy()
    pd.testing.assert_frame_equal(pd.DataFrame(found), empty)
    assert found.ok
    assert found.summary == "0 accounts and 0 category months agree"


# Reasons


def test_a_card_payment_that_agrees_has_no_reason() -> None:
    april = household().reconciled().iloc[4]
    assert april["category_name"] == "Visa"
    assert pd.isna(april["reason"])


def test_a_category_named_like_a_card_must_agree() -> None:
    budget = household()
    named_so = budget.month_categories["category_name"] == "Visa"
    budget.month_categories.loc[named_so, "category_group_name"] = "Daily"
    assert unexplained(budget.reconciled()) == {"Visa 05": -15_000}


def test_rows_without_a_category_have_a_reason_if_the_service_has_no_category_for_them() -> None:
    found = household().without("month_categories", "category_id", "none").reconciled()
    row = found[found["category_id"].isna() & found["month"].notna()].iloc[0]
    assert row["category_name"] == "Uncategorized"
    assert row["difference_milliunits"] == -7_770
    assert row["reason"] == NO_UNCATEGORIZED
    assert found.ok
    assert found.summary == (
        "4 accounts and 9 category months agree; 1 card payment row differs as expected;"
        " 1 uncategorized row differs as expected"
    )


def test_a_user_category_named_uncategorized_is_an_ordinary_category() -> None:
    budget = household()
    own = budget.month_categories["category_id"] == "food"
    budget.month_categories.loc[own, "category_name"] = "Uncategorized"
    assert budget.reconciled().ok


# ok and summary


def test_the_summary_counts_the_rows_that_agree_or_names_three_that_differ() -> None:
    assert household().reconciled().summary == (
        "4 accounts and 11 category months agree; 1 card payment row differs as expected"
    )
    assert household().off("transactions", 8, "amount", -12.34).reconciled().summary == (
        "2 of 16 rows differ: Checking by -12.34, Uncategorized 2026-05 by -12.34"
    )
    budget = household().off("accounts", 0, "balance", -1000.0)
    for row in range(1, 4):
        budget = budget.off("accounts", row, "balance", 0.005)
    assert budget.off("month_categories", 1, "activity", 1.0).reconciled().summary == (
        "5 of 16 rows differ: Checking by 1,000.00, Fund by -0.005, Old by -0.005, 2 more"
    )
    one = sides([account("a", "Purse", "cash", 0.07)], {}, []).reconciled()
    assert one.summary == "1 of 1 row differs: Purse by -0.07"


@pytest.mark.parametrize("cut", [
    lambda found: found[found["month"].isna()], lambda found: found.head(3), pd.DataFrame.copy,
])  # fmt: skip
def test_parts_of_a_reconciliation_are_plain(cut: Callable[[Reconciliation], pd.DataFrame]) -> None:
    assert type(cut(household().reconciled())) is pd.DataFrame


def test_a_reconciliation_survives_pickling() -> None:
    found = pickle.loads(pickle.dumps(household().reconciled()))  # noqa: S301 - our own
    assert found.summary == household().reconciled().summary


def test_reconciling_does_not_change_its_frames() -> None:
    budget, untouched = household(), household()
    budget.reconciled()
    pd.testing.assert_frame_equal(budget.month_categories, untouched.month_categories)
    pd.testing.assert_frame_equal(budget.transactions, untouched.transactions)
    pd.testing.assert_frame_equal(budget.subtransactions, untouched.subtransactions)


@pytest.mark.parametrize(("amounts", "stated"), [
    ([1.001, 1.001], 2.001), ([10.0**12, 0.007, -0.005], 1_000_000_000_000.001),
])  # fmt: skip
def test_a_milliunit_is_not_lost_in_sums_of_floats(amounts: list[float], stated: float) -> None:
    rows = [
        transaction(f"{n}", "2026-05-01", "a", each, category_id="food")
        for n, each in enumerate(amounts)
    ]
    months = {"2026-05-01": [category("food", "Daily", "Food", stated)]}
    found = sides([account("a", "A", "cash", stated)], months, rows).reconciled()
    assert found["difference_milliunits"].tolist() == [1, 1]


def test_the_order_of_the_rows_makes_no_difference() -> None:
    budget = household()
    turned = {each.name: getattr(budget, each.name)[::-1] for each in fields(budget)}
    pd.testing.assert_frame_equal(Sides(**turned).reconciled(), budget.reconciled())


# HTML


def test_a_reconciliation_that_agrees_says_so_above_its_table() -> None:
    html = household().reconciled()._repr_html_()
    assert html is not None
    assert re.match(r"<p><strong>agrees</strong>: \d+ accounts and \d+ category months agree", html)
    assert "<table" in html


def test_a_reconciliation_that_does_not_agree_says_by_how_much() -> None:
    shown = household().off("accounts", 0, "balance", 1.0).reconciled()._repr_html_()
    assert shown is not None
    assert shown.startswith("<p><strong>does not agree</strong>: 1 of ")


def test_a_reconciliation_is_escaped() -> None:
    sides = household().off("accounts", 0, "balance", 1.0)
    sides.accounts["account_name"] = "<script>alert(1)</script>"
    shown = sides.reconciled()._repr_html_()
    assert shown is not None
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown

"""Reads of the transactions of one account, category, payee or month, and of other parts."""

from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ServiceAPIError, ToolError
from budgetframe.frames.split_rows import split_rows_frame

from .service import CATEGORY_ID, ServiceWithFacade, data, one_budget, read_only, scripted

NAMES = ["date", "transaction_id", "subtransaction_id", "amount", "category_id", "is_split_part"]


@pytest.fixture(scope="module")
def bf() -> BudgetFrame:
    """A connection to three years: the service alone would send the last year only."""
    return read_only(years=None)


def sorted_rows(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[NAMES].reset_index(drop=True)


def test_parts_of_splits_have_the_ledger_s_keys(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    ledger = bf.ledger()
    counts = ledger.loc[ledger["is_split_part"], "category_id"].value_counts()
    for category_id in counts.index[:2]:
        with subtests.test(category_id=category_id):
            rows = bf.transactions_of_category(category_id)
            expected = ledger[ledger["category_id"] == category_id]
            pd.testing.assert_frame_equal(sorted_rows(rows), sorted_rows(expected))
            assert rows["is_split_part"].sum() == counts[category_id]
            assert rows["date"].dt.year.min() == 2023


def test_the_rows_of_an_account_and_a_month_are_those_of_all_transactions(bf: BudgetFrame) -> None:
    rows = bf.transactions()
    account_id, days = rows["account_id"].iloc[-1], rows["date"].dt.strftime("%Y-%m")
    for part, expected in [
        (bf.transactions_of_account(account_id), rows[rows["account_id"] == account_id]),
        (bf.transactions_of_month("2024-02"), rows[days == "2024-02"]),
        (bf.transactions_of_month(), rows[days == "2026-06"]),
    ]:
        pd.testing.assert_frame_equal(part, expected.reset_index(drop=True))


def test_the_rows_of_a_payee_are_its_transactions_and_parts(bf: BudgetFrame) -> None:
    rows, parts = bf.transactions(), bf.subtransactions()
    payee_id = rows["payee_id"].value_counts().index[0]
    found = bf.transactions_of_payee(payee_id)
    assert found.dtypes.equals(bf.transactions_of_category(rows["category_id"].iloc[0]).dtypes)
    whole = found[~found["is_split_part"]]
    expected = rows.loc[rows["payee_id"] == payee_id, "transaction_id"]
    assert sorted(whole["transaction_id"]) == sorted(expected)
    assert set(found["subtransaction_id"].dropna()) <= set(parts["subtransaction_id"])


def test_a_part_of_a_split_has_its_own_key_and_that_of_the_split() -> None:
    row = {"date": "2026-06-16", "amount": -4.5, "account_id": "a1", "account_name": "Checking"}
    row |= {"cleared": "cleared", "approved": True, "deleted": False}
    part = row | {"id": "s1", "type": "subtransaction", "parent_transaction_id": "t1"}
    other = row | {"id": "t0", "type": "transaction", "parent_transaction_id": None}
    frame = split_rows_frame({"transactions": [part, other, part | {"id": "x", "deleted": True}]})
    assert frame["transaction_id"].tolist() == ["t0", "t1"]
    assert frame["subtransaction_id"].fillna("none").tolist() == ["none", "s1"]
    assert frame["is_split_part"].tolist() == [False, True]
    pd.testing.assert_series_equal(split_rows_frame({"transactions": []}).dtypes, frame.dtypes)


@pytest.mark.parametrize("rows", [None, {"a": 1}, [5], "x"])
def test_rows_that_are_no_list_are_an_error(rows: Any) -> None:
    bf = scripted(one_budget(lambda _: data({"transactions": rows})))
    for call in (bf.transactions_of_category, bf.transactions_of_account):
        with pytest.raises(ServiceAPIError):
            call(CATEGORY_ID)


def test_the_locations_of_a_payee_are_its_part_of_all_locations(bf: BudgetFrame) -> None:
    locations = bf.payee_locations()
    payee_id = locations["payee_id"].iloc[0]
    expected = locations[locations["payee_id"] == payee_id].reset_index(drop=True)
    pd.testing.assert_frame_equal(bf.payee_locations(payee_id), expected)


def test_amounts_may_be_milliunits_and_further_fields_are_kept(bf: BudgetFrame) -> None:
    category_id = bf.categories().set_index("category_name")["category_id"]["Groceries"]
    exact = bf.transactions_of_category(category_id, money="milliunits")
    amounts = bf.transactions_of_category(category_id)["amount"]
    assert (exact["amount_milliunits"] / 1000 == amounts).all()
    extra = bf.transactions_of_category(category_id, extra=True)
    assert extra.columns[: len(exact.columns)].tolist() == [
        name.removesuffix("_milliunits") for name in exact.columns
    ]


def test_a_category_has_amounts_of_the_month(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    for month in ("2026-05", "2024-02", "current"):
        rows = bf.month(month).set_index("category_id")
        for category_id in rows.index[:3]:
            with subtests.test(month=month, category_id=category_id):
                category = bf.category(category_id, month)
                found = (category.budgeted, category.activity, category.balance)
                row = rows.loc[category_id]
                assert found == (row["budgeted"], row["activity"], row["balance"])


def test_a_part_is_requested_once_within_the_time_to_live(home: ServiceWithFacade) -> None:
    bf = home.bf
    account_id = bf.accounts()["account_id"].iloc[0]
    category_id = bf.categories()["category_id"].iloc[0]
    for call in (
        lambda: bf.transactions_of_account(account_id),
        lambda: bf.transactions_of_category(category_id), bf.transactions_of_month,
        lambda: bf.category(category_id, "2026-05"),
    ):  # fmt: skip
        served = home.served
        call()
        call()
        assert home.served == served + 1
        home.clock.advance(300.0)
        call()
        assert home.served == served + 2


def test_the_category_of_the_current_month_ends_with_the_month() -> None:
    home = ServiceWithFacade(limit=1_000, ttl=1e9)
    bf = home.bf
    category_id = bf.categories().set_index("category_name")["category_id"]["Groceries"]
    june = bf.category(category_id, "current")
    home.service.advance(days=30)
    assert bf.category(category_id, "current").budgeted != june.budgeted


def test_an_unknown_key_is_an_error_that_says_what_to_do() -> None:
    bf = read_only()
    with pytest.raises(ServiceAPIError, match=r"bf.categories\(\) lists the keys"):
        bf.transactions_of_category(CATEGORY_ID)
    with pytest.raises(ToolError):
        bf.transactions_of_month("May")

"""The options that methods share: the same option has the same effect everywhere."""

import inspect
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame
from budgetframe.frames import TABLES
from tests.facade.service import LISTS, ServiceWithFacade, read_only

Options = dict[str, Any]

FRAMES = (*LISTS, "budgets", "month", "month_categories", "ledger")
DEFAULTS: Options = {
    "include_closed": True, "include_hidden": True, "include_deleted": False, "money": "float",
    "extra": False,
}  # fmt: skip
PLAN = ["budgeted", "activity", "balance", "goal_target", "goal_under_funded"]
PLAN += ["goal_overall_funded", "goal_overall_left"]
AMOUNTS = {
    "accounts": ["balance", "cleared_balance", "uncleared_balance"], "categories": PLAN,
    "months": ["income", "budgeted", "activity", "to_be_budgeted"],
    "month": PLAN, "month_categories": PLAN, "money_movements": ["amount"],
    "money_movement_groups": [], "transactions": ["amount"], "subtransactions": ["amount"],
    "scheduled_transactions": ["amount"], "scheduled_subtransactions": ["amount"],
    "ledger": ["amount"],
}  # fmt: skip
NULLABLE = {"goal_target", "goal_under_funded", "goal_overall_funded", "goal_overall_left"}


@pytest.fixture(scope="module")
def home() -> ServiceWithFacade:
    """One connection for all tests of this file: each list is read once."""
    return ServiceWithFacade()


def options_of(name: str) -> dict[str, inspect.Parameter]:
    """The parameters of a method that other methods have too."""
    parameters = inspect.signature(getattr(BudgetFrame, name)).parameters
    return {option: parameters[option] for option in DEFAULTS if option in parameters}


def having(option: str) -> list[str]:
    """The methods that have the option."""
    return [name for name in FRAMES if option in options_of(name)]


def read(bf: BudgetFrame, name: str, **options: Any) -> pd.DataFrame:
    frame: pd.DataFrame = getattr(bf, name)(**options)
    return frame


# Defaults


def test_the_frames_above_are_those_of_every_table() -> None:
    assert {*FRAMES} == {name for name in TABLES if hasattr(BudgetFrame, name)} | {"ledger"}


def test_an_option_has_the_same_default_everywhere_and_is_given_by_keyword() -> None:
    found = [each for name in FRAMES for each in options_of(name).values()]
    assert {(each.name, each.default) for each in found} == {*DEFAULTS.items()}
    assert {each.kind for each in found} == {inspect.Parameter.KEYWORD_ONLY}
    assert {*having("money")} == {*AMOUNTS}


# Closed accounts and hidden categories


def test_closed_accounts_can_be_left_out(home: ServiceWithFacade) -> None:
    every, found = (home.bf.accounts(), home.bf.accounts(include_closed=False))
    assert set(every["account_name"]) - set(found["account_name"]) == {"Old Savings"}
    assert_frame_equal(found, every[~every["closed"]].reset_index(drop=True))
    assert found.attrs == every.attrs


@pytest.mark.parametrize(("name", "left_out"), [
    ("categories", {"Gym", "Piano Lessons"}), ("month", {"Gym", "Piano Lessons"}),
    ("month_categories", {"Gym", "Piano Lessons"}), ("category_groups", {"Old Plans"}),
])  # fmt: skip
def test_hidden_rows_can_be_left_out(home: ServiceWithFacade, name: str, left_out: Any) -> None:
    every = read(home.bf, name)
    served, found = home.served, read(home.bf, name, include_hidden=False)
    column = "category_group_name" if name == "category_groups" else "category_name"
    assert set(every[column]) - set(found[column]) == left_out
    assert_frame_equal(found, every[~every["hidden"]].reset_index(drop=True))
    assert (found.attrs, home.served) == (every.attrs, served)


# Other fields

PLANNING = ["internal", "original_category_group_id"]
OTHERS = {
    "budgets": ["date_format", "currency_format"],
    "accounts": [*("direct_import_linked", "direct_import_in_error"),
        *("last_reconciled_at", "debt_original_balance", "debt_interest_rates"),
        *("debt_minimum_payments", "debt_escrow_amounts")],
    "category_groups": ["internal"],
    **dict.fromkeys(("categories", "month", "month_categories"), PLANNING),
}  # fmt: skip


def test_other_fields_come_after_the_columns_and_cost_nothing(
    home: ServiceWithFacade, subtests: pytest.Subtests
) -> None:
    for name in having("extra"):
        with subtests.test(name=name):
            without, served = read(home.bf, name), home.served
            found, others = read(home.bf, name, extra=True), OTHERS.get(name, [])
            assert list(found.columns) == [*without.columns, *others]
            assert_frame_equal(found[without.columns], without)
            assert found.attrs == without.attrs | ({"extra": others} if others else {})
            assert home.served == served


def test_other_fields_are_not_converted_and_belong_to_the_caller() -> None:
    bf = read_only(years=None)
    for _ in range(2):
        loan = bf.accounts(extra=True).set_index("account_name").loc["Car Loan"]
        assert loan["debt_interest_rates"] == {"2023-01-01": 4500}
        assert loan["debt_escrow_amounts"] == {}
        loan["debt_interest_rates"].clear()


def test_options_can_be_combined() -> None:
    options: dict[str, Any] = {"include_closed": False, "include_deleted": True, "extra": True}
    found = read_only().accounts(money="milliunits", **options)
    assert found["account_name"].tolist()[:2] == ["Car Loan", "Checking"]
    assert found.loc[found["deleted"], "account_name"].tolist() == ["Gift Card"]
    assert list(found.columns)[-2:] == ["debt_escrow_amounts", "deleted"]
    assert found["balance_milliunits"].dtype.name == "int64"
    assert "Old Savings" not in set(found["account_name"])


# Money


def test_milliunits_are_named_integers(home: ServiceWithFacade, subtests: pytest.Subtests) -> None:
    for name in having("money"):
        with subtests.test(name=name):
            units = read(home.bf, name)
            served, found = home.served, read(home.bf, name, money="milliunits")
            amounts = {f"{each}_milliunits": each for each in AMOUNTS[name]}
            assert [amounts.get(each, each) for each in map(str, found)] == list(units.columns)
            kinds = {each: "Int64" if amounts[each] in NULLABLE else "int64" for each in amounts}
            assert found[list(amounts)].dtypes.astype(str).to_dict() == kinds
            for thousandths, amount in amounts.items():
                assert (found[thousandths].astype("Float64") / 1000 == units[amount]).all()
                assert found[thousandths].isna().equals(units[amount].isna())
            rest = [each for each in units if each not in AMOUNTS[name]]
            assert_frame_equal(found[rest], units[rest])
            assert (found.attrs, home.served) == (units.attrs, served)


def test_three_places_under_the_same_names(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    for name in having("money"):
        with subtests.test(name=name):
            thousandths, found = read(bf, name, money="milliunits"), read(bf, name, money="decimal")
            assert list(found.columns) == list(read(bf, name).columns)
            for amount in AMOUNTS[name]:
                assert found[amount].dtype == pd.ArrowDtype(pa.decimal128(18, 3))
                exact = thousandths[f"{amount}_milliunits"].dropna()
                assert found[amount].dropna().tolist() == [
                    Decimal(n) / 1000 for n in exact.tolist()
                ]
                assert found[amount].count() == len(exact)
            assert found.attrs == thousandths.attrs


def test_an_empty_frame_has_the_dtypes_of_money(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    money: Any
    for money in ["float", "milliunits", "decimal"]:
        with subtests.test(money=money):
            none, some = bf.ledger(until="1999-12-31", money=money), bf.ledger(money=money)
            assert len(none) == 0
            assert none.dtypes.equals(some.dtypes)

"""The options that methods share: the same option has the same effect everywhere."""

import inspect
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, ToolError
from tests.facade.service import ServiceWithFacade

Options = dict[str, Any]

FLOAT: Options = {"money": "float"}
EXTRA: Options = {"extra": False}
WITH_DELETED: Options = {"include_deleted": False}
DEFAULTS: dict[str, Options] = {
    "budgets": EXTRA,
    "accounts": {"include_closed": True} | WITH_DELETED | FLOAT | EXTRA,
    "categories": {"include_hidden": True} | WITH_DELETED | FLOAT | EXTRA,
    "category_groups": {"include_hidden": True} | WITH_DELETED | EXTRA,
    "payees": WITH_DELETED | EXTRA,
    "payee_locations": EXTRA,
    "months": FLOAT | EXTRA,
    "month": {"include_hidden": True} | FLOAT | EXTRA,
    "month_categories": {"include_hidden": True} | FLOAT | EXTRA,
    "money_movements": FLOAT | EXTRA,
    "money_movement_groups": FLOAT | EXTRA,
    "transactions": WITH_DELETED | FLOAT | EXTRA,
    "subtransactions": WITH_DELETED | FLOAT | EXTRA,
    "scheduled_transactions": WITH_DELETED | FLOAT | EXTRA,
    "scheduled_subtransactions": WITH_DELETED | FLOAT | EXTRA,
    "ledger": FLOAT,
}
PLAN = ["budgeted", "activity", "balance", "goal_target", "goal_under_funded"]
PLAN += ["goal_overall_funded", "goal_overall_left"]
MOVED = ["allocation", "spent", "income"]
AMOUNTS = {
    "accounts": ["balance", "cleared_balance", "uncleared_balance"],
    "categories": PLAN,
    "months": ["income", "budgeted", "activity", "to_be_budgeted"],
    "month": PLAN,
    "month_categories": PLAN,
    "money_movements": MOVED,
    "money_movement_groups": MOVED,
    "transactions": ["amount"],
    "subtransactions": ["amount"],
    "scheduled_transactions": ["amount"],
    "scheduled_subtransactions": ["amount"],
    "ledger": ["amount"],
}
NULLABLE = {"goal_target", "goal_under_funded", "goal_overall_funded", "goal_overall_left"}


def having(option: str) -> list[str]:
    """The methods that have the option."""
    return [name for name, options in DEFAULTS.items() if option in options]


def read(bf: BudgetFrame, name: str, **options: Any) -> pd.DataFrame:
    frame: pd.DataFrame = getattr(bf, name)(**options)
    return frame


# Defaults


@pytest.mark.parametrize(("name", "defaults"), DEFAULTS.items())
def test_a_method_has_its_options_with_their_defaults_by_keyword_alone(
    name: str, defaults: Options
) -> None:
    known = ("include_", "money", "extra")
    parameters = inspect.signature(getattr(BudgetFrame, name)).parameters.values()
    found = [each for each in parameters if each.name.startswith(known)]
    assert {each.name: each.default for each in found} == defaults
    assert {each.kind for each in found} == {inspect.Parameter.KEYWORD_ONLY}


def test_an_explicit_default_changes_nothing(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    for name, defaults in DEFAULTS.items():
        with subtests.test(name=name):
            assert_frame_equal(read(bf, name, **defaults), read(bf, name))


# Closed accounts and hidden categories


def test_closed_accounts_can_be_left_out(home: ServiceWithFacade) -> None:
    every, found = (home.bf.accounts(), home.bf.accounts(include_closed=False))
    assert set(every["account_name"]) - set(found["account_name"]) == {"Old Savings"}
    assert_frame_equal(found, every[~every["closed"]].reset_index(drop=True))
    assert found.attrs == every.attrs


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("categories", {"Gym", "Piano Lessons"}),
        ("month", {"Gym", "Piano Lessons"}),
        ("month_categories", {"Gym", "Piano Lessons"}),
        ("category_groups", {"Old Plans"}),
    ],
)
def test_hidden_rows_can_be_left_out(home: ServiceWithFacade, name: str, left_out: Any) -> None:
    every = read(home.bf, name)
    served = home.served
    found = read(home.bf, name, include_hidden=False)
    column = "category_group_name" if name == "category_groups" else "category_name"
    assert set(every[column]) - set(found[column]) == left_out
    assert_frame_equal(found, every[~every["hidden"]].reset_index(drop=True))
    assert (found.attrs, home.served) == (every.attrs, served)


# Other fields

PLANNING = ["internal", "original_category_group_id", "goal_needs_whole_amount", "goal_day"]
PLANNING += ["goal_cadence", "goal_cadence_frequency", "goal_creation_month"]
PLANNING += ["goal_snoozed_at"]
OTHERS = {
    "budgets": ["date_format", "currency_format"],
    "accounts": [
        "direct_import_linked",
        "direct_import_in_error",
        "last_reconciled_at",
        "debt_original_balance",
        "debt_interest_rates",
        "debt_minimum_payments",
        "debt_escrow_amounts",
    ],
    "category_groups": ["internal"],
    **dict.fromkeys(("categories", "month", "month_categories"), PLANNING),
}


def test_other_fields_come_after_the_columns_and_cost_nothing(
    home: ServiceWithFacade, subtests: pytest.Subtests
) -> None:
    for name in having("extra"):
        with subtests.test(name=name):
            without = read(home.bf, name)
            served = home.served
            found = read(home.bf, name, extra=True)
            others = OTHERS.get(name, [])
            assert list(found.columns) == [*without.columns, *others]
            assert_frame_equal(found[without.columns], without)
            assert found.attrs == without.attrs | ({"extra": others} if others else {})
            assert home.served == served


def test_other_fields_are_not_converted() -> None:
    bf = ServiceWithFacade(years=None).bf
    loan = bf.accounts(extra=True).set_index("account_name").loc["Car Loan"]
    assert loan["debt_interest_rates"] == {"2023-01-01": 4500}
    assert loan["debt_escrow_amounts"] == {}


def test_changing_what_is_in_another_field_does_not_change_the_next_frame() -> None:
    bf = ServiceWithFacade(years=None).bf
    for rates in bf.accounts(extra=True)["debt_interest_rates"].dropna():
        rates.clear()
    again = bf.accounts(extra=True).set_index("account_name")
    assert again.loc["Car Loan", "debt_interest_rates"] == {"2023-01-01": 4500}


def test_options_can_be_combined() -> None:
    options: dict[str, Any] = {"include_closed": False, "include_deleted": True, "extra": True}
    found = ServiceWithFacade().bf.accounts(money="milliunits", **options)
    assert found["account_name"].tolist()[:2] == ["Car Loan", "Checking"]
    assert found.loc[found["deleted"], "account_name"].tolist() == ["Gift Card"]
    assert list(found.columns)[-2:] == ["debt_escrow_amounts", "deleted"]
    assert found["balance_milliunits"].dtype.name == "int64"
    assert "Old Savings" not in set(found["account_name"])


# Money


def test_milliunits_are_integers_under_names_that_say_so(
    home: ServiceWithFacade, subtests: pytest.Subtests
) -> None:
    for name in having("money"):
        with subtests.test(name=name):
            units = read(home.bf, name)
            served = home.served
            found = read(home.bf, name, money="milliunits")
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


def test_decimals_have_three_places_under_the_same_names(
    bf: BudgetFrame, subtests: pytest.Subtests
) -> None:
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


def test_an_empty_frame_has_the_dtypes_of_the_money_option(
    bf: BudgetFrame, subtests: pytest.Subtests
) -> None:
    money: Any
    for money in ["milliunits", "decimal"]:
        with subtests.test(money=money):
            none, some = bf.ledger(until="1999-12-31", money=money), bf.ledger(money=money)
            assert len(none) == 0
            assert none.dtypes.equals(some.dtypes)


def test_exact_amounts_add_up_to_the_balance_in_every_form() -> None:
    bf = ServiceWithFacade(budget="東京の家計").bf
    key = bf.accounts()["account_id"].iloc[0]
    sums: list[Callable[[pd.DataFrame], Any]] = [
        lambda rows: Decimal(int(rows["amount_milliunits"].sum())) / 1000,
        lambda rows: rows["amount"].sum(),
    ]
    balance = bf.accounts(money="decimal").set_index("account_id").loc[key, "balance"]
    for money, total in zip(("milliunits", "decimal"), sums, strict=True):
        rows = read(bf, "ledger", money=money)
        assert total(rows[rows["account_id"] == key]) == balance


def test_an_invalid_money_option_is_refused_before_any_request(
    home: ServiceWithFacade, subtests: pytest.Subtests
) -> None:
    for money in ["cents", "Float", "", None, True]:
        for name in having("money"):
            with subtests.test(money=money, name=name):
                with pytest.raises(ToolError) as caught:
                    read(home.bf, name, money=money)
                known = "'float', 'milliunits', 'decimal'"
                assert str(caught.value) == f"money={money!r}: it must be one of {known}"
                assert home.served == 0

"""The client converts amounts in milliunits to floats in currency units."""

from decimal import Decimal, localcontext
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from budgetframe.models import Category

from .wire import ClientUnderTest, Json, answer


def read(data: Json) -> Json:
    """Return the data object that the client returns for that of an answer."""
    under_test = ClientUnderTest(answer(data))
    return under_test.run(under_test.client.request("GET", "/budgets/b1/settings"))


def exact_quotient(milliunits: int) -> float:
    with localcontext() as context:
        context.prec = 400
        return float(Decimal(milliunits) / Decimal(1000))


@pytest.mark.parametrize(
    "name",
    [
        "balance",
        "cleared_balance",
        "uncleared_balance",
        "budgeted",
        "activity",
        "amount",
        "goal_target",
        "goal_overall_left",
        "goal_under_funded",
        "allocation",
        "spent",
        "income",
        "to_be_budgeted",
    ],
)
def test_every_name_of_the_exact_set_is_converted(name: str) -> None:
    assert read({name: 123_930}) == {name: 123.93}


@pytest.mark.parametrize(
    "name", ["starting_balance", "last_reconciled_balance", "total_amount", "a_amount"]
)
def test_name_that_ends_in_a_money_suffix_is_converted(name: str) -> None:
    assert read({name: -5_001}) == {name: -5.001}


@pytest.mark.parametrize(
    "name",
    [
        "goal_overall_funded",
        "goal_percentage_complete",
        "goal_months_to_budget",
        "age_of_money",
        "server_knowledge",
        "balances",
        "amounts",
        "mybalance",
        "subamount",
        "balance_formatted",
        "amount_currency",
        "income_total",
        "total_income",
        "net_activity",
        "Amount",
        "BALANCE",
        "total_Balance",
        "goal_targets",
        "debt_minimum_payment",
    ],
)
def test_any_other_name_keeps_its_integer(name: str) -> None:
    assert read({name: 250_000}) == {name: 250_000}


@pytest.mark.parametrize(
    "name",
    ["goal_overall_funded", "age_of_money", "server_knowledge"],
)
def test_integer_that_is_not_money_stays_an_integer(name: str) -> None:
    assert type(read({name: 250_000})[name]) is int


@pytest.mark.parametrize(
    ("milliunits", "dollars"),
    [
        (0, 0.0),
        (1, 0.001),
        (-1, -0.001),
        (10, 0.01),
        (100, 0.1),
        (999, 0.999),
        (1_000, 1.0),
        (-294_230, -294.23),
        (300, 0.3),
        (1_100, 1.1),
        (123_456_789, 123_456.789),
        (9_007_199_254_740_993, 9_007_199_254_740.993),
        (-999_999_999_999, -999_999_999.999),
    ],
)
def test_milliunits_become_the_nearest_float_in_dollars(milliunits: int, dollars: float) -> None:
    assert read({"amount": milliunits}) == {"amount": dollars}


@pytest.mark.parametrize("milliunits", [0, 1_000, -5_000])
def test_whole_dollars_are_floats_too(milliunits: int) -> None:
    assert type(read({"amount": milliunits})["amount"]) is float


def test_money_name_with_anything_but_an_integer_keeps_it(subtests: pytest.Subtests) -> None:
    for name, value in product(
        ["amount", "goal_target", "goal_needs_whole_amount"],
        [None, True, False, 12.5, 0.0, "12500", ""],
    ):
        with subtests.test(value=(name, value)):
            assert read({name: value}) == {name: value}


def test_money_name_with_anything_but_an_integer_keeps_its_type(subtests: pytest.Subtests) -> None:
    for name, value in product(["amount", "goal_needs_whole_amount"], [True, False, 12.0, "12500"]):
        with subtests.test(value=(name, value)):
            assert type(read({name: value})[name]) is type(value)


def test_money_in_nested_objects_is_converted() -> None:
    assert read({"account": {"detail": {"balance": 2_500}}}) == {
        "account": {"detail": {"balance": 2.5}}
    }


def test_money_in_lists_of_objects_is_converted() -> None:
    assert read({"rows": [{"amount": 1_500}, {"amount": None}]}) == {
        "rows": [{"amount": 1.5}, {"amount": None}]
    }


def test_money_in_lists_inside_lists_is_converted() -> None:
    assert read({"rows": [[{"amount": 1_500}], []]}) == {"rows": [[{"amount": 1.5}], []]}


def test_money_in_subtransactions_is_converted() -> None:
    row = {"id": "t1", "amount": -3_000, "subtransactions": [{"id": "s1", "amount": -1_250}]}
    assert read({"transactions": [row]}) == {
        "transactions": [
            {"id": "t1", "amount": -3.0, "subtransactions": [{"id": "s1", "amount": -1.25}]}
        ]
    }


def test_money_in_categories_of_a_group_is_converted() -> None:
    group = {"id": "g1", "categories": [{"id": "c1", "budgeted": 40_000, "activity": -12_340}]}
    assert read({"category_groups": [group]}) == {
        "category_groups": [
            {"id": "g1", "categories": [{"id": "c1", "budgeted": 40.0, "activity": -12.34}]}
        ]
    }


def test_money_inside_an_object_with_a_money_name_is_converted() -> None:
    assert read({"income": {"amount": 1_000, "count": 3}}) == {
        "income": {"amount": 1.0, "count": 3}
    }


def test_map_whose_name_is_not_in_the_set_keeps_its_integers() -> None:
    payments = {"debt_minimum_payments": {"2026-01-01": 200_000}}
    assert read(payments) == {"debt_minimum_payments": {"2026-01-01": 200_000}}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_answer_to_a_write_is_converted(method: str) -> None:
    under_test = ClientUnderTest(answer({"transaction": {"id": "t1", "amount": -7_770}}))
    data = under_test.request(method, "/budgets/b1/transactions")
    assert data == {"transaction": {"id": "t1", "amount": -7.77}}


@pytest.mark.parametrize("verb", ["get", "post", "put", "patch", "delete"])
def test_every_verb_converts(verb: str) -> None:
    under_test = ClientUnderTest(answer({"budgeted": 1_230}))
    data = under_test.call(verb, "/budgets/b1/months/2026-05-01")
    assert data == {"budgeted": 1.23}


def test_amounts_of_cached_lists_are_converted_once() -> None:
    under_test = ClientUnderTest(
        answer({"accounts": [{"id": "a1", "balance": 5_000_000}], "server_knowledge": 1}),
        answer({"accounts": [{"id": "a2", "balance": 7_000_000}], "server_knowledge": 2}),
    )
    under_test.get("/budgets/b1/accounts")
    data = under_test.get("/budgets/b1/accounts")
    balances = {row["id"]: row["balance"] for row in data["accounts"]}
    assert balances == {"a1": 5_000.0, "a2": 7_000.0}


def test_overall_funding_is_raw_in_the_answer_and_dollars_in_the_model() -> None:
    row: dict[str, Any] = {
        "id": "c1",
        "category_group_id": "g1",
        "name": "Rent",
        "hidden": False,
        "budgeted": 250_000,
        "activity": 0,
        "balance": 250_000,
        "deleted": False,
        "goal_overall_funded": 250_000,
    }
    raw = read({"category": row})["category"]
    assert (raw["goal_overall_funded"], Category.model_validate(raw).goal_overall_funded) == (
        250_000,
        250.0,
    )


@given(st.lists(st.integers(), min_size=1))
def test_every_integer_becomes_the_float_of_its_exact_quotient(values: list[int]) -> None:
    rows = read({"rows": [{"amount": value} for value in values]})["rows"]
    assert [row["amount"] for row in rows] == [exact_quotient(value) for value in values]


@given(st.integers(-(2**53) + 1, 2**53 - 1))
def test_division_by_a_thousand_is_exact_for_python_integers(value: int) -> None:
    assert value / 1000 == exact_quotient(value)


@given(st.lists(st.integers(-(2**53) + 1, 2**53 - 1), min_size=1))
def test_division_by_a_thousand_is_exact_for_int64_arrays_below_two_to_the_53(
    values: list[int],
) -> None:
    quotients = np.array(values, dtype=np.int64) / 1000
    assert quotients.tolist() == [exact_quotient(value) for value in values]

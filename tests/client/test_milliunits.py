"""The client converts amounts in milliunits to floats in currency units."""

from decimal import Decimal, localcontext
from itertools import product
from typing import Any

import pytest
from hypothesis import given, strategies as st

from budgetframe._milliunits import is_money
from budgetframe._resources import AMOUNTS, RECORD_AMOUNTS
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


def test_every_amount_of_a_resource_is_converted() -> None:
    for fields in (*AMOUNTS.values(), *RECORD_AMOUNTS.values()):
        assert [field for field in fields if not is_money(field)] == []


@pytest.mark.parametrize("name", [
    *("balance", "cleared_balance", "uncleared_balance", "budgeted", "activity", "amount"),
    *("goal_target", "goal_overall_left", "goal_under_funded", "allocation", "spent"),
    *("income", "to_be_budgeted"),
    # names that end in a money suffix
    *("starting_balance", "last_reconciled_balance", "total_amount", "a_amount"),
])  # fmt: skip
def test_name_of_money_is_converted(name: str) -> None:
    assert read({name: -5_001}) == {name: -5.001}


@pytest.mark.parametrize("name", [
    *("goal_overall_funded", "goal_percentage_complete", "goal_months_to_budget"),
    *("age_of_money", "server_knowledge", "balances", "amounts", "mybalance", "subamount"),
    *("balance_formatted", "amount_currency", "income_total", "total_income", "net_activity"),
    *("Amount", "BALANCE", "total_Balance", "goal_targets", "debt_minimum_payment"),
])  # fmt: skip
def test_any_other_name_keeps_its_integer(name: str) -> None:
    value = read({name: 250_000})[name]
    assert (type(value), value) == (int, 250_000)


@pytest.mark.parametrize(("milliunits", "dollars"), [
    (0, "0.0"), (1, "0.001"), (-1, "-0.001"), (10, "0.01"), (100, "0.1"), (999, "0.999"),
    (1_000, "1.0"), (-5_000, "-5.0"), (-294_230, "-294.23"), (300, "0.3"), (1_100, "1.1"),
    (123_456_789, "123456.789"), (9_007_199_254_740_993, "9007199254740.992"),
    (-999_999_999_999, "-999999999.999"),
])  # fmt: skip
def test_milliunits_become_the_nearest_float_in_dollars(milliunits: int, dollars: str) -> None:
    assert repr(read({"amount": milliunits})["amount"]) == dollars


def test_money_name_with_anything_but_an_integer_keeps_it(subtests: pytest.Subtests) -> None:
    for name, value in product(
        ["amount", "goal_target", "goal_needs_whole_amount"],
        [None, True, False, 12.5, 0.0, "12500", ""],
    ):
        with subtests.test(value=(name, value)):
            assert repr(read({name: value})) == repr({name: value})


NESTED: dict[str, tuple[Json, Json]] = {
    "objects": ({"account": {"detail": {"balance": 2_500}}},
        {"account": {"detail": {"balance": 2.5}}}),
    "lists of objects": ({"rows": [{"amount": 1_500}, {"amount": None}]},
        {"rows": [{"amount": 1.5}, {"amount": None}]}),
    "lists in lists": ({"rows": [[{"amount": 1_500}], []]}, {"rows": [[{"amount": 1.5}], []]}),
    "subtransactions": (
        {"transactions": [{"amount": -3_000, "subtransactions": [{"amount": -1_250}]}]},
        {"transactions": [{"amount": -3.0, "subtransactions": [{"amount": -1.25}]}]}),
    "an object with the name of money": ({"income": {"amount": 1_000, "count": 3}},
        {"income": {"amount": 1.0, "count": 3}}),
    "a map whose name is not one of money": ({"debt_minimum_payments": {"2026-01-01": 200_000}},
        {"debt_minimum_payments": {"2026-01-01": 200_000}}),
}  # fmt: skip


@pytest.mark.parametrize(("sent", "returned"), NESTED.values(), ids=NESTED)
def test_money_is_converted_at_every_depth(sent: Json, returned: Json) -> None:
    assert read(sent) == returned


@pytest.mark.parametrize("verb", ["get", "post", "put", "patch", "delete"])
def test_every_verb_converts(verb: str) -> None:
    under_test = ClientUnderTest(answer({"budgeted": 1_230}))
    assert under_test.call(verb, "/budgets/b1/months/2026-05-01") == {"budgeted": 1.23}


def test_amounts_of_cached_lists_are_converted_once() -> None:
    under_test = ClientUnderTest(
        answer({"accounts": [{"id": "a1", "balance": 5_000_000}], "server_knowledge": 1}),
        answer({"accounts": [{"id": "a2", "balance": 7_000_000}], "server_knowledge": 2}),
    )
    under_test.get("/budgets/b1/accounts")
    data = under_test.get("/budgets/b1/accounts")
    assert {row["id"]: row["balance"] for row in data["accounts"]} == {"a1": 5_000.0, "a2": 7_000.0}


def test_overall_funding_is_raw_in_the_answer_and_dollars_in_the_model() -> None:
    row: dict[str, Any] = {
        "id": "c1", "category_group_id": "g1", "name": "Rent", "hidden": False, "deleted": False,
        "budgeted": 250_000, "activity": 0, "balance": 250_000, "goal_overall_funded": 250_000,
    }  # fmt: skip
    raw = read({"category": row})["category"]
    assert (raw["goal_overall_funded"], Category.model_validate(raw).goal_overall_funded) == (
        250_000, 250.0,
    )  # fmt: skip


@given(st.lists(st.integers(), min_size=1))
def test_every_integer_becomes_the_float_of_its_exact_quotient(values: list[int]) -> None:
    rows = read({"rows": [{"amount": value} for value in values]})["rows"]
    assert [row["amount"] for row in rows] == [exact_quotient(value) for value in values]

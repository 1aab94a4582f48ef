"""The request bodies that are built from rows of users."""

import json
from typing import Any

import httpx
import numpy as np
import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError
from tests.facade.service import ACCOUNT_ID, CATEGORY_ID, data, one_budget, scripted

NEW = {"account_id": ACCOUNT_ID, "date": "2026-06-16", "amount": -4.5}


class ClientUnderTest:
    """Records the rows that are sent."""

    def __init__(self) -> None:
        self.sent: list[list[dict[str, Any]]] = []
        self.bf: BudgetFrame = scripted(one_budget(self.take))

    def take(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(json.loads(request.content)["transactions"])
        return data({"transactions": [], "transaction_ids": []})


MISSING: list[object] = [float("nan"), np.nan, pd.NA, pd.NaT]


@pytest.mark.parametrize("missing", MISSING)
def test_a_missing_value_in_a_mapping_is_left_out(missing: object) -> None:
    client_under_test = ClientUnderTest()
    client_under_test.bf.create_transactions([{**NEW, "memo": missing, "payee_id": missing}])
    assert client_under_test.sent == [[{**NEW, "amount": -4500}]]


def test_a_missing_value_in_a_part_is_left_out() -> None:
    client_under_test = ClientUnderTest()
    parts = [{"amount": -4.5, "memo": float("nan"), "category_id": CATEGORY_ID}]
    client_under_test.bf.create_transactions([{**NEW, "subtransactions": parts}])
    assert client_under_test.sent[0][0]["subtransactions"] == [
        {"amount": -4500, "category_id": CATEGORY_ID}
    ]


def test_a_missing_value_in_a_frame_is_left_out() -> None:
    client_under_test = ClientUnderTest()
    rows = pd.DataFrame([{**NEW, "memo": "rye"}, {**NEW, "memo": None}])
    client_under_test.bf.create_transactions(rows)
    assert ["memo" in row for row in client_under_test.sent[0]] == [True, False]


@pytest.mark.parametrize("memo", [5, 1.5, True, ["x"]])
def test_a_value_of_another_type_is_refused_in_a_text_field(memo: Any) -> None:
    client_under_test = ClientUnderTest()
    with pytest.raises(ToolError, match="memo"):
        client_under_test.bf.create_transactions([{**NEW, "memo": memo}])
    assert client_under_test.sent == []


def test_an_update_without_a_key_is_refused(subtests: pytest.Subtests) -> None:
    key: Any
    for key in [{}, {"transaction_id": None}, {"import_id": float("nan")}]:
        with subtests.test(key=key):
            client_under_test = ClientUnderTest()
            with pytest.raises(ToolError, match="transaction_id or import_id"):
                client_under_test.bf.update_transactions([{**key, "memo": "x"}])
            assert client_under_test.sent == []


@pytest.mark.parametrize(
    ("amount", "milliunits"), [(0.1 + 0.2, 300), (-1234.567, -1234567), (7, 7000), (0.0, 0)]
)
def test_an_amount_becomes_milliunits(amount: float, milliunits: int) -> None:
    client_under_test = ClientUnderTest()
    client_under_test.bf.create_transactions([{**NEW, "amount": amount}])
    assert client_under_test.sent[0][0]["amount"] == milliunits


@pytest.mark.parametrize("amount", [10.0005, 1e-4, float("inf"), "12,50"])
def test_an_amount_with_more_than_three_decimals_is_refused(amount: Any) -> None:
    client_under_test = ClientUnderTest()
    with pytest.raises(ToolError, match="at most three decimals"):
        client_under_test.bf.create_transactions([{**NEW, "amount": amount}])
    assert client_under_test.sent == []


@pytest.mark.parametrize(
    ("amount", "message"),
    [
        (600_000_000.0005, "at most three decimals"),
        (1e300, "is too large: an amount is below 9,007,199,254,740"),
    ],
)
def test_a_large_amount_is_not_rounded_silently(amount: float, message: str) -> None:
    client_under_test = ClientUnderTest()
    with pytest.raises(ToolError, match=message):
        client_under_test.bf.create_transactions([{**NEW, "amount": amount}])
    assert client_under_test.sent == []


@pytest.mark.parametrize("field", ["memo", "subtransactions"])
def test_an_array_in_a_field_is_refused(field: str) -> None:
    client_under_test = ClientUnderTest()
    with pytest.raises(ToolError, match=field):
        client_under_test.bf.create_transactions([{**NEW, field: np.array([1, 2])}])
    assert client_under_test.sent == []


def test_a_text_that_cannot_be_sent_is_refused() -> None:
    client_under_test = ClientUnderTest()
    with pytest.raises(ToolError, match="cannot be sent"):
        client_under_test.bf.create_transactions([{**NEW, "memo": "\ud800"}])
    assert client_under_test.sent == []

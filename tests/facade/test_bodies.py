"""The request bodies that are built from rows of users."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from budgetframe import ToolError
from tests.facade.service import ServiceWithFacade
from tests.sandbox.ask import Ids


class ClientUnderTest(ServiceWithFacade):
    """A service that the test may change, and a new row of its first account."""

    def __init__(self) -> None:
        super().__init__(limit=1_000)
        self.ids = Ids(self.service)
        account_id = self.ids.account("Checking")
        self.new = {"account_id": account_id, "date": "2026-06-16", "amount": -4.5}

    @property
    def sent(self) -> list[list[dict[str, Any]]]:
        """The rows of each write."""
        writes = [each for each in self.wire.requests if each.method != "GET"]
        return [json.loads(each.content)["transactions"] for each in writes]


@pytest.fixture
def client() -> ClientUnderTest:
    return ClientUnderTest()


@pytest.mark.parametrize("missing", [float("nan"), np.nan, pd.NA, pd.NaT], ids=repr)
def test_a_missing_value_is_left_out(client: ClientUnderTest, missing: object) -> None:
    category_id = client.ids.category("Everyday", "Groceries")
    parts = [{"amount": -4.5, "memo": missing, "category_id": category_id}]
    more = {"memo": missing, "payee_id": missing, "subtransactions": parts}
    client.bf.create_transactions([{**client.new, **more}])
    part = {"amount": -4500, "category_id": category_id}
    assert client.sent == [[{**client.new, "amount": -4500, "subtransactions": [part]}]]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [*(("memo", each, "memo") for each in (5, 1.5, True, ["x"], np.array([1, 2]))),
     ("subtransactions", np.array([1, 2]), "subtransactions"), ("memo", "\ud800", "cannot be sent"),
     *(("amount", each, "at most three decimals")
       for each in (10.0005, 1e-4, 600_000_000.0005, float("inf"), "12,50", "", True, [1])),
     ("amount", float("nan"), "has no amount"),
     ("amount", 1e300, "is too large: an amount is below 9,007,199,254,740")],
    ids=ascii,
)  # fmt: skip
def test_a_value_that_a_field_cannot_have_is_refused(
    client: ClientUnderTest, field: str, value: object, message: str
) -> None:
    with pytest.raises(ToolError, match=message):
        client.bf.create_transactions([{**client.new, field: value}])
    assert client.wire.paths == []


def test_an_update_without_a_key_is_refused(subtests: pytest.Subtests) -> None:
    key: Any
    for key in [{}, {"transaction_id": None}, {"import_id": float("nan")}]:
        with subtests.test(key=key):
            client = ClientUnderTest()
            with pytest.raises(ToolError, match="transaction_id or import_id"):
                client.bf.update_transactions([{**key, "memo": "x"}])
            assert client.wire.paths == []


def test_a_new_row_has_its_amount_once(client: ClientUnderTest) -> None:
    with pytest.raises(ToolError, match="row 0 has amount and amount_milliunits: keep one of them"):
        client.bf.create_transactions([{**client.new, "amount_milliunits": -4510}])


def test_the_parts_of_a_new_split_may_be_a_tuple(client: ClientUnderTest) -> None:
    client.bf.create_transactions([{**client.new, "subtransactions": ({"amount": -4.5},)}])
    assert client.sent[0][0]["subtransactions"] == [{"amount": -4500}]


@pytest.mark.parametrize(("row", "message"), [
    ({"transaction_id": "t1"}, "row 0 has a transaction_id, as a row that exists"),
    ({"category": "Fuel"}, r"category cannot be written \(write category_name for category\)"),
    ({"categry_name": "Fuel"}, r"\(write category_name for categry_name\); these can: account"),
    ({"note": "rye"}, r"\(write memo for note\)"),
    ({"my_column": 1}, "row 0: my_column cannot be written; these can: account_id"),
])  # fmt: skip
def test_a_column_that_may_be_meant_for_another_is_an_error(
    client: ClientUnderTest, row: dict[str, Any], message: str
) -> None:
    with pytest.raises(ToolError, match=message):
        client.bf.create_transactions([{**client.new, **row}])
    assert client.wire.paths == []

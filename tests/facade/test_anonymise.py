"""The copy of an export in which nobody recognises the budget: rows by hand."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from budgetframe._session.anonymise import anonymise
from budgetframe._session.export_file import read_export
from budgetframe.errors import ToolError
from tests.facade.service import EMPTY_EXPORT


class Factor(Random):
    """Chooses this factor."""

    def __init__(self, factor: int) -> None:
        super().__init__(1)
        self.factor = factor

    def choice(self, _: Any) -> Any:
        return self.factor


def copy_of(folder: Path, budget: dict[str, Any], random: Random | None = None) -> dict[str, Any]:
    path = folder / "budget.json"
    path.write_text(json.dumps({"budget": {**EMPTY_EXPORT, **budget}}), "utf-8")
    document = anonymise(read_export(path, as_of="2026-04-20"), random or Factor(7))
    copy: dict[str, Any] = json.loads(document)["data"]["budget"]
    return copy


def fields(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row.get(name) for name in names) for row in rows]


def row(key: str, amount: int, **more: Any) -> dict[str, Any]:
    return {"id": key, "date": "2026-04-02", "amount": amount, "account_id": "a1", **more}


INCOME = {"id": "c1", "category_group_id": "g1", "name": "Inflow: Ready to Assign"}
FOOD = {"id": "c2", "category_group_id": "g2", "name": "Food"}
CARD_GROUP = {"id": "g3", "name": "Credit Card Payments"}
CARD = {"id": "c3", "category_group_id": "g3", "name": "Visa"}
IN_APRIL = [
    {**INCOME, "budgeted": 0, "activity": 100_000, "balance": 100_000},
    {**FOOD, "budgeted": 30_000, "activity": -20, "balance": 29_980},
]
BUDGET: dict[str, Any] = {
    "id": "b1",
    "name": "The Millers",
    "accounts": [
        {"id": "a1", "name": "Joint", "type": "checking", "on_budget": True, "note": "of Ann",
            "balance": 96_650, "cleared_balance": 96_670, "uncleared_balance": -20},
        {"id": "a2", "name": "Nest Egg", "type": "savings", "on_budget": True, "note": "",
            "balance": 3_330, "cleared_balance": 3_330, "uncleared_balance": 0},
    ],
    "payees": [{"id": "p1", "name": "Starting Balance"},
        {"id": "p2", "name": "Transfer : Nest Egg", "transfer_account_id": "a2"},
        {"id": "p3", "name": "Dr Who"}],
    "category_groups": [{"id": "g1", "name": "Internal Master Category"},
        {"id": "g2", "name": "Home"}],
    "categories": IN_APRIL,
    "months": [
        {"month": "2026-04-01", "note": "of Ann", "categories": IN_APRIL, "income": 100_000,
            "budgeted": 30_000, "activity": -20, "to_be_budgeted": 70_000}
    ],
    "transactions": [
        row("t1", 100_000, payee_id="p1", category_id="c1", cleared="cleared", memo="for Ann"),
        row("t2_2026-04-02", -20, payee_id="p3", cleared="uncleared", memo="for Ann"),
        row("t3", -3_330, payee_id="p2", transfer_account_id="a2", cleared="reconciled"),
        row("t4", 3_330, account_id="a2", transfer_account_id="a1", cleared="cleared"),
    ],
    "subtransactions": [
        {"id": "s1", "transaction_id": "t2_2026-04-02", "amount": -10, "category_id": "c2"},
        {"id": "s2", "transaction_id": "t2_2026-04-02", "amount": -10, "category_id": "c2"},
    ],
}  # fmt: skip


def test_all_amounts_are_multiplied_by_one_whole_number(tmp_path: Path) -> None:
    copy = copy_of(tmp_path, BUDGET)
    assert fields(copy["subtransactions"], "amount") == [(-70,), (-70,)]
    assert fields(copy["transactions"], "amount") == [(700_000,), (-140,), (-23_310,), (23_310,)]
    balances = ("balance", "cleared_balance", "uncleared_balance")
    expected = [(676_550, 676_690, -140), (23_310, 23_310, 0)]
    assert fields(copy["accounts"], *balances) == expected
    figures = ("budgeted", "activity", "balance")
    expected = [(0, 700_000, 700_000), (210_000, -140, 209_860)]
    assert fields(copy["months"][0]["categories"], *figures) == expected
    assert fields(copy["categories"], *figures) == expected
    of_month = ("income", "budgeted", "activity", "to_be_budgeted")
    assert fields(copy["months"], *of_month) == [(700_000, 210_000, -140, 490_000)]


@pytest.mark.parametrize(("before", "after"), [(-977_450, -16_616_710), (-970_010, -16_490_170)])
def test_a_loan_bears_the_interest_of_its_new_rows(before: int, after: int, tmp_path: Path) -> None:
    """1,000.01 owed at 3 %, and three payments of 10: interest of 2.50, 2.48 and 2.46.

    With the factor 17 these are 42.50, 42.18 and 41.86; 17 times the balance is 16,616.65.
    The second balance is the sum of the rows, which then bear no other interest.
    """
    loan = {
        "id": "a1", "name": "Car", "type": "autoLoan", "on_budget": False,
        "balance": before, "cleared_balance": before, "uncleared_balance": 0,
        "debt_interest_rates": {"2026-01-01": 3000}, "debt_escrow_amounts": {},
        "debt_minimum_payments": {"2026-01-01": 10_000},
    }  # fmt: skip
    rows = [
        row("t0", -1_000_010, payee_id="p1", cleared="cleared", date="2026-01-01"),
        *(row(f"t{n}", 10_000, cleared="cleared", date=f"2026-0{n}-05") for n in (2, 3, 4)),
    ]
    budget = {"accounts": [loan], "transactions": rows, "payees": BUDGET["payees"]}
    (copy,) = copy_of(tmp_path, budget, Factor(17))["accounts"]
    assert (copy["balance"], copy["cleared_balance"]) == (after, after)
    assert copy["debt_minimum_payments"] == {"2026-01-01": 170_000}
    assert copy["debt_interest_rates"] == {"2026-01-01": 3000}


def test_equal_texts_and_keys_stay_equal(tmp_path: Path) -> None:
    copy = copy_of(tmp_path, BUDGET)
    assert copy["name"] == "Budget 1"
    assert fields(copy["accounts"], "name", "note") == [("Account 1", "note 1"), ("Account 2", "")]
    assert fields(copy["payees"], "name") == [
        ("Starting Balance",), ("Transfer : Account 2",), ("Payee 1",),
    ]  # fmt: skip
    assert fields(copy["category_groups"], "name") == [("Internal Master Category",), ("Group 1",)]
    assert fields(copy["categories"], "name") == [("Inflow: Ready to Assign",), ("Category 1",)]
    assert fields(copy["months"], "note") == [("note 1",)]
    assert fields(copy["transactions"], "memo") == [("memo 1",), ("memo 1",), (None,), (None,)]
    keys = [each["id"] for each in copy["transactions"]]
    assert keys[1].endswith("_2026-04-02")
    assert {each["transaction_id"] for each in copy["subtransactions"]} == {keys[1]}
    assert copy["payees"][1]["transfer_account_id"] == copy["accounts"][1]["id"]
    assert copy["transactions"][3]["account_id"] == copy["accounts"][1]["id"]


def test_the_category_of_a_card_has_the_name_of_its_account(tmp_path: Path) -> None:
    budget = {
        "accounts": [{"id": "a1", "name": "Gold Card", "type": "creditCard"}],
        "category_groups": [CARD_GROUP], "categories": [FOOD, {**CARD, "name": "Gold Card"}],
        "transactions": [row("t1", -10, account_name="Gold Card", category_name="Gold Card")],
    }  # fmt: skip
    copy = copy_of(tmp_path, budget)
    assert fields(copy["categories"], "name") == [("Category 1",), ("Account 1",)]
    names = fields(copy["transactions"], "account_name", "category_name")
    assert names == [("Account 1", "Account 1")]


def test_unknown_fields_are_left_out(tmp_path: Path) -> None:
    odd = {
        "id": 7, "name": 5, "type": "Ann's own",  # no choice
        "balance": "1,234.56", "balance_formatted": "$1.23", "balance_currency": 1.23,
        "new_balance": 1_000, "owner": "Ann", "history": [{"name": "Ann"}],
        "debt_escrow_amounts": {"Ann": 5, "2026-01-01": 100, "2026-02-01": "Ann"},
        "on_budget": None,
    }  # fmt: skip
    place = {"id": "l1", "latitude": "52.52", "longitude": 13.405}
    budget = {
        "accounts": [odd, "Ann"], "people": [{"name": "Ann"}], "payee_locations": [place],
        "currency_format": {"iso_code": "EUR", "owner": "Ann", "decimal_digits": 2},
        "date_format": {"format": ["Ann"]},
    }  # fmt: skip
    copy = copy_of(tmp_path, budget)
    (account,) = copy["accounts"]
    assert {key: value for key, value in account.items() if key != "id"} == {
        "name": "Account 1", "new_balance": 7_000, "debt_escrow_amounts": {"2026-01-01": 700},
        "on_budget": None,
    }  # fmt: skip
    assert "people" not in copy
    assert copy["currency_format"] == {"iso_code": "EUR", "decimal_digits": 2}
    assert copy["date_format"] == {}
    (location,) = copy["payee_locations"]
    assert [type(location[name]) for name in ("latitude", "longitude")] == [str, float]
    assert {location["latitude"], location["longitude"]}.isdisjoint({"52.52", 13.405})


@pytest.mark.parametrize(
    ("amount", "most"), [(1_000_000, 99), (-250_000_000_000_000, 9), (750_599_937_895_082, 3)]
)
def test_the_factor_keeps_every_amount_exact(amount: int, most: int, tmp_path: Path) -> None:
    """Amounts are exact up to 2,251,799,813,685.248."""
    rows = [row("t1", amount)]
    copies = [copy_of(tmp_path, {"transactions": rows}, Random(seed)) for seed in range(200)]  # noqa: S311
    factors = {copy["transactions"][0]["amount"] / amount for copy in copies}
    assert max(factors) == most
    assert min(factors) == 3
    assert all(factor % 2 and factor % 5 for factor in factors)


def test_an_amount_without_an_exact_multiple_is_refused(tmp_path: Path) -> None:
    rows = [row("t1", 750_599_937_895_083)]
    with pytest.raises(ToolError, match=r"has an amount of 750,599,937,895\. .* up to 750,599,9"):
        copy_of(tmp_path, {"transactions": rows})

"""The copy of an export in which nobody recognises the budget: rows by hand."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from budgetframe._session.anonymise import anonymise
from budgetframe._session.export_file import read_export
from tests.facade.service import EMPTY_EXPORT


class Factor(Random):
    """Chooses this factor, in millionths."""

    def __init__(self, millionths: int) -> None:
        super().__init__(1)
        self.millionths = millionths

    def randrange(self, *_: Any, **__: Any) -> int:
        return self.millionths


def copy_of(folder: Path, budget: dict[str, Any], random: Random | None = None) -> dict[str, Any]:
    path = folder / "budget.json"
    path.write_text(json.dumps({"budget": {**EMPTY_EXPORT, **budget}}), "utf-8")
    document = anonymise(read_export(path, as_of="2026-04-20"), random or Factor(1_500_000))
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
        {
            "id": "a1", "name": "Joint", "type": "checking", "on_budget": True, "note": "of Ann",
            "balance": 96_650, "cleared_balance": 96_670, "uncleared_balance": -20,
        },
        {
            "id": "a2", "name": "Nest Egg", "type": "savings", "on_budget": True, "note": "",
            "balance": 3_330, "cleared_balance": 3_330, "uncleared_balance": 0,
        },
    ],
    "payees": [
        {"id": "p1", "name": "Starting Balance"},
        {"id": "p2", "name": "Transfer : Nest Egg", "transfer_account_id": "a2"},
        {"id": "p3", "name": "Dr Who"},
    ],
    "category_groups": [
        {"id": "g1", "name": "Internal Master Category"},
        {"id": "g2", "name": "Home"},
    ],
    "categories": IN_APRIL,
    "months": [
        {
            "month": "2026-04-01", "note": "of Ann", "categories": IN_APRIL, "income": 100_000,
            "budgeted": 30_000, "activity": -20, "to_be_budgeted": 70_000,
        }
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


def test_rows_are_scaled_one_by_one_and_totals_add_up(tmp_path: Path) -> None:
    copy = copy_of(tmp_path, BUDGET)
    # 10 x 1.5 is half a cent too much: each part becomes 20, so that the whole is 40 and not 30.
    assert fields(copy["subtransactions"], "amount") == [(-20,), (-20,)]
    amounts = fields(copy["transactions"], "amount")
    assert amounts == [(150_000,), (-40,), (-5_000,), (5_000,)]
    balances = ("balance", "cleared_balance", "uncleared_balance")
    assert fields(copy["accounts"], *balances) == [(144_960, 145_000, -40), (5_000, 5_000, 0)]
    figures = ("budgeted", "activity", "balance")
    expected = [(0, 150_000, 150_000), (45_010, -40, 44_970)]
    assert fields(copy["months"][0]["categories"], *figures) == expected
    assert fields(copy["categories"], *figures) == expected
    of_month = ("income", "budgeted", "activity", "to_be_budgeted")
    assert fields(copy["months"], *of_month) == [(150_000, 45_010, -40, 104_990)]


def test_cards_and_overspending_follow_the_rows(tmp_path: Path) -> None:
    def month(
        name: str, food: tuple[int, ...], card: tuple[int, ...], ready: int
    ) -> dict[str, Any]:
        figures = ("budgeted", "activity", "balance")
        return {
            "month": name,
            "categories": [
                {**FOOD, **dict(zip(figures, food, strict=True))},
                {**CARD, **dict(zip(figures, card, strict=True))},
            ],
            "to_be_budgeted": ready,
            "budgeted": food[0],
            "income": 0,
        }

    on_card = [
        row(f"t{n}", -10, category_id="c2", date=f"2026-0{n // 2}-03") for n in (8, 9, 10, 11)
    ]
    budget = {
        "accounts": [
            {"id": "a1", "name": "Visa", "on_budget": True},
            {"id": "a2", "on_budget": True},
        ],
        "category_groups": [{"id": "g2", "name": "Home"}, CARD_GROUP],
        "categories": [{**FOOD, "budgeted": 20, "activity": -20, "balance": 0}, CARD],
        "months": [
            month("2026-06-01", (0, 0, 0), (0, 0, 20), -40),
            month("2026-05-01", (0, -20, -20), (0, 0, 20), -20),
            month("2026-04-01", (20, -20, 0), (0, 20, 20), -20),
        ],
        "transactions": [*on_card, row("t1", 20, transfer_account_id="a2", date="2026-05-09")],
    }
    copy = copy_of(tmp_path, budget)
    june, may, april = copy["months"]
    figures = ("budgeted", "activity", "balance")
    assert fields(april["categories"], *figures) == [(40, -40, 0), (0, 40, 40)]
    # Two purchases of 20 and a payment of 30: the service moved nothing, which stays so.
    assert fields(may["categories"], *figures) == [(0, -40, -40), (0, 0, 40)]
    assert fields(june["categories"], *figures) == [(0, 0, 0), (0, 0, 40)]
    assert fields([april, may, june], "to_be_budgeted") == [(-40,), (-40,), (-80,)]
    assert fields(copy["categories"][:1], *figures) == [(40, -40, 0)]  # those of April, as of then


def test_a_transfer_within_the_budget_counts_in_no_category(tmp_path: Path) -> None:
    none = {"id": "c0", "category_group_id": "g1", "name": "Uncategorized", "activity": -20}
    budget = {
        "accounts": BUDGET["accounts"],
        "category_groups": BUDGET["category_groups"],
        "categories": [none],
        "months": [{"month": "2026-04-01", "categories": [none]}],
        "transactions": [
            *(row(key, -10, category_id=None) for key in ("t1", "t2")),
            *(row(key, -10, transfer_account_id="unlisted") for key in ("t3", "t4")),
        ],
    }
    assert copy_of(tmp_path, budget)["months"][0]["categories"][0]["activity"] == -40


def test_what_does_not_agree_differs_by_the_scaled_amount(tmp_path: Path) -> None:
    accounts = [{**BUDGET["accounts"][0], "balance": 96_750, "cleared_balance": 96_770}]
    rows = [{**BUDGET["transactions"][0], "amount": 100_100}, *BUDGET["transactions"][1:]]
    copy = copy_of(tmp_path, {**BUDGET, "accounts": accounts, "transactions": rows})
    assert fields(copy["accounts"], "balance") == [(145_110,)]  # all rows agree
    assert fields(copy["months"][0]["categories"][:1], "activity") == [(150_000,)]  # -100 before
    assert copy["transactions"][0]["amount"] == 150_150
    one_cent_off = [{**BUDGET["subtransactions"][0], "amount": -2_010}]
    copy = copy_of(tmp_path, {**BUDGET, "subtransactions": one_cent_off})
    assert copy["transactions"][1]["amount"] - copy["subtransactions"][0]["amount"] == 2_990


@pytest.mark.parametrize(("before", "after"), [(-977_450, -1_661_680), (-970_010, -1_649_020)])
def test_a_loan_bears_the_interest_of_its_new_rows(before: int, after: int, tmp_path: Path) -> None:
    """1,000.01 owed at 3 %, and three payments of 10: interest of 2.50, 2.48 and 2.46.

    With the factor 1.7 these are 4.25, 4.22 and 4.19; 1.7 times the balance would be 1,661.67.
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
    (copy,) = copy_of(tmp_path, budget, Factor(1_700_000))["accounts"]
    assert (copy["balance"], copy["cleared_balance"]) == (after, after)
    assert copy["debt_minimum_payments"] == {"2026-01-01": 17_000}
    assert copy["debt_interest_rates"] == {"2026-01-01": 3000}


def test_equal_texts_and_keys_stay_equal(tmp_path: Path) -> None:
    copy = copy_of(tmp_path, BUDGET)
    assert copy["name"] == "Budget 1"
    assert fields(copy["accounts"], "name", "note") == [("Account 1", "note 1"), ("Account 2", "")]
    assert fields(copy["payees"], "name") == [
        ("Starting Balance",),
        ("Transfer : Account 2",),
        ("Payee 1",),
    ]
    assert fields(copy["category_groups"], "name") == [("Internal Master Category",), ("Group 1",)]
    assert fields(copy["categories"], "name") == [("Inflow: Ready to Assign",), ("Category 1",)]
    assert fields(copy["months"], "note") == [("note 1",)]
    memos = fields(copy["transactions"], "memo")
    assert memos == [("memo 1",), ("memo 1",), (None,), (None,)]
    keys = [each["id"] for each in copy["transactions"]]
    assert keys[1].endswith("_2026-04-02")
    assert {each["transaction_id"] for each in copy["subtransactions"]} == {keys[1]}
    assert copy["payees"][1]["transfer_account_id"] == copy["accounts"][1]["id"]
    assert copy["transactions"][3]["account_id"] == copy["accounts"][1]["id"]


def test_the_category_of_a_card_has_the_name_of_its_account(tmp_path: Path) -> None:
    budget = {
        "accounts": [{"id": "a1", "name": "Gold Card", "type": "creditCard"}],
        "category_groups": [CARD_GROUP],
        "categories": [FOOD, {**CARD, "name": "Gold Card"}],
        "transactions": [row("t1", -10, account_name="Gold Card", category_name="Gold Card")],
    }
    copy = copy_of(tmp_path, budget)
    assert fields(copy["categories"], "name") == [("Category 1",), ("Account 1",)]
    names = fields(copy["transactions"], "account_name", "category_name")
    assert names == [("Account 1", "Account 1")]


def test_unknown_fields_are_left_out(tmp_path: Path) -> None:
    odd = {
        "id": 7,
        "name": 5,
        "type": "Ann's own",  # no choice
        "balance": "1,234.56",
        "balance_formatted": "$1.23",
        "balance_currency": 1.23,
        "new_balance": 1_000,
        "owner": "Ann",
        "history": [{"name": "Ann"}],
        "debt_escrow_amounts": {"Ann": 5, "2026-01-01": 100, "2026-02-01": "Ann"},
        "on_budget": None,
    }
    place = {"id": "l1", "latitude": "52.52", "longitude": 13.405}
    budget = {
        "accounts": [odd, "Ann"],
        "people": [{"name": "Ann"}],
        "payee_locations": [place],
        "currency_format": {"iso_code": "EUR", "owner": "Ann", "decimal_digits": 2},
        "date_format": {"format": ["Ann"]},
    }
    copy = copy_of(tmp_path, budget)
    (account,) = copy["accounts"]
    assert {key: value for key, value in account.items() if key != "id"} == {
        "name": "Account 1",
        "new_balance": 1_500,
        "debt_escrow_amounts": {"2026-01-01": 150},
        "on_budget": None,
    }
    assert "people" not in copy
    assert copy["currency_format"] == {"iso_code": "EUR", "decimal_digits": 2}
    assert copy["date_format"] == {}
    (location,) = copy["payee_locations"]
    assert [type(location[name]) for name in ("latitude", "longitude")] == [str, float]
    assert {location["latitude"], location["longitude"]}.isdisjoint({"52.52", 13.405})


@pytest.mark.parametrize("seed", range(20))
def test_the_factor_is_not_near_one(seed: int, tmp_path: Path) -> None:
    copy = copy_of(tmp_path, {"transactions": [row("t1", 1_000_000_000)]}, Random(seed))  # noqa: S311
    amount = copy["transactions"][0]["amount"]
    assert 500_000_000 <= amount < 800_000_000 or 1_250_000_000 <= amount < 2_000_000_000

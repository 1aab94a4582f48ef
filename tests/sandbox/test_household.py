from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from datetime import date

import pytest

from budgetframe.sandbox import Sandbox, check_books
from tests.sandbox.ask import Ids, get, send

_DIGEST = """
import asyncio, hashlib, httpx
from budgetframe.sandbox import Sandbox
sandbox = Sandbox(seed=7)
async def main():
    headers = {"Authorization": "Bearer sandbox-token"}
    async with httpx.AsyncClient(
        transport=sandbox.transport(), base_url=sandbox.base_url, headers=headers
    ) as http:
        digest = hashlib.sha256()
        for path in ("budgets", "budgets/last-used", "plans/last-used/categories"):
            digest.update((await http.get(path)).content)
        print(digest.hexdigest())
asyncio.run(main())
"""


def test_same_seed_gives_the_same_bytes_whatever_the_hash_seed() -> None:
    digests = {
        subprocess.run(  # noqa: S603 - this interpreter, a constant program
            [sys.executable, "-c", _DIGEST],
            env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.getcwd()},  # noqa: PTH109
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1", "31337")
    }
    assert len(digests) == 1


def test_another_seed_gives_other_ids() -> None:
    one, two = Sandbox(seed=1), Sandbox(seed=2)
    assert one.device.state().id != two.device.state().id


@pytest.mark.parametrize(
    "today", [date(2026, 6, 17), date(2024, 2, 29), date(2021, 1, 1), date(2026, 12, 31)]
)
def test_books_balance_whatever_the_day(today: date) -> None:
    check_books(Sandbox(today=today))


def test_two_budgets_in_euro_and_yen(shared: Sandbox) -> None:
    budgets = get(shared, "/budgets")["budgets"]
    assert [(row["name"], row["currency_format"]["iso_code"]) for row in budgets] == [
        ("Household", "EUR"),
        ("東京の家計", "JPY"),
    ]
    assert [(row["first_month"], row["last_month"]) for row in budgets] == [
        ("2023-01-01", "2026-06-01"),
        ("2025-01-01", "2026-06-01"),
    ]


def test_yen_have_no_decimals(shared: Sandbox) -> None:
    yen = get(shared, "/budgets")["budgets"][1]["id"]
    rows = get(shared, f"/budgets/{yen}/transactions", since_date="2020-01-01")["transactions"]
    assert rows
    assert all(row["amount"] % 1000 == 0 for row in rows)


def test_the_household_is_small_but_has_everything(shared: Sandbox) -> None:
    whole = get(shared, "/budgets/last-used")["budget"]
    rows = whole["transactions"]
    assert 1_000 <= len(rows) <= 1_800
    assert any(row["import_id"] for row in rows)
    assert any(row["matched_transaction_id"] for row in rows)
    assert any("_" in row["id"] for row in rows)
    assert any(row["debt_transaction_type"] == "payment" for row in rows)
    assert {row["flag_color"] for row in rows} == {None, "red", "blue"}
    assert {row["cleared"] for row in rows} == {"cleared", "uncleared", "reconciled"}
    assert any(not row["approved"] for row in rows)
    assert any("#" in (row["memo"] or "") for row in rows)
    assert any(row["transfer_transaction_id"] for row in whole["subtransactions"])
    assert any(row["closed"] for row in whole["accounts"])
    assert any(row["debt_minimum_payments"] for row in whole["accounts"])
    assert {row["type"] for row in whole["accounts"]} == {
        "checking",
        "savings",
        "cash",
        "creditCard",
        "autoLoan",
        "otherAsset",
    }
    assert {row["goal_type"] for row in whole["categories"]} == {
        None,
        "TB",
        "TBD",
        "MF",
        "NEED",
        "DEBT",
    }
    assert any(row["hidden"] for row in whole["categories"])
    names = Counter(row["name"] for row in whole["categories"])
    assert (names["Insurance"], names["Repairs"]) == (2, 2)
    schedules = whole["scheduled_transactions"]
    assert {row["frequency"] for row in schedules} >= {"monthly", "weekly", "never"}
    assert any(row["transfer_account_id"] for row in schedules)
    assert whole["scheduled_subtransactions"]


def test_a_card_payment_category_holds_what_the_card_owes_but_for_overspending(
    shared: Sandbox,
) -> None:
    budget = shared.device.state()
    card = next(row for row in budget.accounts.live() if row.name == "Credit Card")
    payment = budget.category_months[str(card.payment_category_id)][budget.current_month]
    assert card.balance < 0 < payment.balance


def test_the_household_gives_away_only_what_it_has(shared: Sandbox) -> None:
    for budget in get(shared, "/budgets")["budgets"]:
        months = get(shared, f"/budgets/{budget['id']}/months")["months"]
        assert all(month["to_be_budgeted"] >= 0 for month in months)
        assert max(month["to_be_budgeted"] for month in months) < 0.2 * months[1]["income"]


def test_the_car_repair_was_more_than_was_set_aside(shared: Sandbox) -> None:
    repairs = Ids(shared).category("Car", "Repairs")
    path = f"/budgets/last-used/months/2025-11-01/categories/{repairs}"
    november = get(shared, path)["category"]
    assert (november["activity"], november["balance"] < 0) == (-1_184_600, True)


def test_prices_rise_and_the_year_has_seasons(shared: Sandbox) -> None:
    def spent(group: str, name: str, year: int, *months: int) -> int:
        key = Ids(shared).category(group, name)
        category_months = shared.device.state().category_months[key]
        return -sum(category_months[year * 12 + month - 1].activity for month in months)

    every = range(1, 13)
    years = [spent("Home", "Rent", year, *every) for year in (2023, 2024, 2025)]
    assert years[0] < years[1] < years[2]
    for year in (2023, 2024, 2025):
        winter = spent("Home", "Electricity", year, 1, 2, 12)
        assert winter > 1.5 * spent("Home", "Electricity", year, 6, 7, 8)
        assert spent("Everyday", "Groceries", year, 12) > spent("Everyday", "Groceries", year, 8)
        holiday = spent("Health & Fun", "Holiday", year, *every)
        assert spent("Health & Fun", "Holiday", year, 8) > 0.7 * holiday > 0


def test_the_household_in_yen_speaks_japanese(shared: Sandbox) -> None:
    yen = get(shared, "/budgets")["budgets"][1]["id"]
    whole = get(shared, f"/budgets/{yen}")["budget"]

    def names(key: str) -> Counter[str]:
        return Counter(row["name"] for row in whole[key])

    assert names("category_groups").keys() == {
        "Internal Master Category",
        "Credit Card Payments",
        "住まい",
        "日常",
        "車",
        "健康と趣味",
        "貯蓄",
        "昔の計画",
    }
    assert (names("categories")["保険"], names("categories")["修理"]) == (2, 2)
    assert names("accounts").keys() >= {"財布", "クレジットカード"}
    in_english = {name for name in names("payees") if name.isascii()}
    assert in_english == {"Starting Balance"}


def test_today_moves_only_by_advance() -> None:
    sandbox = Sandbox(today=date(2026, 6, 17))
    sandbox.advance(14)
    assert sandbox.now().isoformat() == "2026-07-01T12:00:00+00:00"
    check_books(sandbox)
    assert get(sandbox, "/budgets")["budgets"][0]["last_month"] == "2026-07-01"
    current = get(sandbox, "/budgets/last-used/months/current")["month"]
    # The rent was scheduled for the first.
    assert (current["month"], current["activity"]) == ("2026-07-01", -1_150_000)
    with pytest.raises(ValueError, match="forward"):
        sandbox.advance(-1)


def test_a_new_month_puts_every_category_into_the_delta() -> None:
    sandbox = Sandbox()
    before = get(sandbox, "/budgets/last-used/categories")
    sandbox.advance(14)
    after = get(
        sandbox,
        "/budgets/last-used/categories",
        last_knowledge_of_server=before["server_knowledge"],
    )

    def ids(groups: list[dict[str, list[dict[str, str]]]]) -> set[str]:
        return {row["id"] for group in groups for row in group["categories"]}

    assert ids(after["category_groups"]) == ids(before["category_groups"])


def test_requests_served_counts_what_arrived() -> None:
    sandbox = Sandbox()
    get(sandbox, "/user")
    send(sandbox, "GET", "/user", token="wrong")
    assert sandbox.requests_served == 2

"""The generated budgets: deterministic, balanced, and with every case that a client must handle."""

import os
from collections import Counter
from datetime import date

import pytest

from budgetframe.sandbox import Sandbox

from .ask import WITHOUT_THE_REST, Ids, cursor, delta, digest, get, read, send, start_python
from .audit import check_books

_DIGEST = (
    WITHOUT_THE_REST
    + """
from tests.sandbox.ask import Sandbox, digest
print(digest(Sandbox(seed=7, years=1)), end="")
"""
)


def test_the_same_seed_gives_the_same_bytes_for_every_hash_seed() -> None:
    hash_seed = "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0"
    with start_python(_DIGEST, PYTHONHASHSEED=hash_seed) as other:
        assert other.communicate() == (digest(Sandbox(seed=7, years=1)), "")


def test_equal_arguments_give_the_same_bytes_and_later_ids_again() -> None:
    expected = digest(Sandbox(limit=100_000, years=1))
    added = []
    for _ in range(2):
        sandbox = Sandbox(limit=100_000, years=1)
        assert digest(sandbox) == expected
        device = sandbox.device
        added.append([device.add_payee("New", budget=name) for name in (None, "東京の家計", None)])
        assert digest(sandbox) != expected
    assert added[0] == added[1]


def test_another_seed_gives_other_ids(shared: Sandbox) -> None:
    assert Sandbox(seed=2, budgets=1, years=1).device.state().id != shared.device.state().id


def test_the_books_balance_on_any_day(shared: Sandbox) -> None:
    check_books(shared)
    for today in (date(2024, 2, 29), date(2021, 1, 1), date(2026, 12, 31)):
        check_books(Sandbox(today=today, years=1))


def test_two_budgets_in_euro_and_yen(shared: Sandbox) -> None:
    assert [
        (row["name"], row["currency_format"]["iso_code"], row["first_month"], row["last_month"])
        for row in get(shared, "/budgets")["budgets"]
    ] == [
        ("Household", "EUR", "2023-01-01", "2026-06-01"),
        ("東京の家計", "JPY", "2025-01-01", "2026-06-01"),
    ]


def test_amounts_in_yen_have_no_decimals(shared: Sandbox) -> None:
    rows = list(shared.device.state("東京の家計").transactions.live())
    assert {row.amount % 1000 for row in rows} == {0}


def test_the_household_is_small_and_has_every_case(shared: Sandbox) -> None:
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
    types = {row["type"] for row in whole["accounts"]}
    assert types == {"checking", "savings", "cash", "creditCard", "autoLoan", "otherAsset"}
    assert {row["goal_type"] for row in whole["categories"]} == {None, "TB", "MF", "NEED", "DEBT"}
    assert any(row["hidden"] for row in whole["categories"])
    names = Counter(row["name"] for row in whole["categories"])
    assert (names["Insurance"], names["Repairs"]) == (2, 2)
    schedules = whole["scheduled_transactions"]
    assert {row["frequency"] for row in schedules} >= {"monthly", "weekly", "never"}
    assert any(row["transfer_account_id"] for row in schedules)
    assert whole["scheduled_subtransactions"]


def test_the_payment_category_of_the_card_covers_a_part_of_its_debt(shared: Sandbox) -> None:
    budget = shared.device.state()
    card = next(row for row in budget.accounts.live() if row.name == "Credit Card")
    payment = budget.category_months[str(card.payment_category_id)][budget.current_month]
    assert card.balance < 0 < payment.balance


def test_the_household_never_assigns_more_than_it_has(shared: Sandbox) -> None:
    for budget in get(shared, "/budgets")["budgets"]:
        months = get(shared, f"/budgets/{budget['id']}/months")["months"]
        assert all(month["to_be_budgeted"] >= 0 for month in months)
        assert max(month["to_be_budgeted"] for month in months) < 0.2 * months[1]["income"]


def test_the_car_repair_is_overspent(shared: Sandbox) -> None:
    repairs = Ids(shared).category("Car", "Repairs")
    november = read(shared, f"months/2025-11-01/categories/{repairs}")
    assert (november["activity"], november["balance"] < 0) == (-1_184_600, True)


def test_prices_rise_and_spending_depends_on_the_season(shared: Sandbox) -> None:
    def spent(group: str, name: str, year: int, *months: int) -> int:
        category_months = shared.device.state().category_months[Ids(shared).category(group, name)]
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


def test_the_names_of_the_budget_in_yen_are_japanese(shared: Sandbox) -> None:
    yen = get(shared, "/budgets")["budgets"][1]["id"]
    whole = get(shared, f"/budgets/{yen}")["budget"]

    def names(key: str) -> Counter[str]:
        return Counter(row["name"] for row in whole[key])

    english = {"Internal Master Category", "Credit Card Payments"}
    assert names("category_groups").keys() == english | {
        "住まい", "日常", "車", "健康と趣味", "貯蓄", "昔の計画",
    }  # fmt: skip
    assert (names("categories")["保険"], names("categories")["修理"]) == (2, 2)
    assert names("accounts").keys() >= {"財布", "クレジットカード"}
    assert {name for name in names("payees") if name.isascii()} == {"Starting Balance"}
    memos = [row["memo"] for k in ("transactions", "scheduled_transactions") for row in whole[k]]
    assert {memo for memo in memos if memo and memo.isascii()} == {"?"}


@pytest.mark.parametrize(("seed", "years", "today", "bills", "summer"), [
    (1, 3, "2026-06-17", ["2026-06-29", "2026-07-01", "2026-07-15"], "2026-08-01"),
    (2, 1, "2026-11-27", ["2026-11-29", "2026-12-01", "2027-01-15"], "2027-08-01"),
    (3, 1, "2026-01-03", ["2026-01-15", "2026-01-29", "2026-02-01"], "2026-08-01"),
    (1, 4, "2025-02-10", ["2025-02-28", "2025-03-01", "2025-04-15"], "2025-08-01"),
])  # fmt: skip
def test_the_household_agrees_with_itself(
    seed: int, years: int, today: str, bills: list[str], summer: str
) -> None:
    sandbox = Sandbox(seed=seed, years=years, today=today)
    for budget, unit in zip(get(sandbox, "/budgets")["budgets"], (10, 1000), strict=True):
        whole = get(sandbox, f"/budgets/{budget['id']}")["budget"]
        rows, categories = whole["transactions"], whole["categories"]
        repeated = [
            row for row in whole["scheduled_transactions"] if "month" in row["frequency"].lower()
        ]
        assert sorted(row["date_next"] for row in repeated) == bills
        for schedule in repeated:
            same = [
                row
                for row in rows
                if all(
                    row[key] == schedule[key] for key in ("account_id", "payee_id", "category_id")
                )
            ]
            assert schedule["amount"] == max(same, key=lambda row: row["date"])["amount"]
            assert schedule["date_first"][8:] == max(row["date"][8:] for row in same)
        targets = {row["goal_target_date"] for row in categories}
        assert targets == {None, summer, f"{int(today[:4]) + 1}-06-01"}
        assert {(row["goal_under_funded"] or 0) % unit for row in categories} == {0}
        reconciled = {row["account_id"] for row in rows if row["cleared"] == "reconciled"}
        assert all(
            row["last_reconciled_at"] for row in whole["accounts"] if row["id"] in reconciled
        )


def test_the_interest_follows_from_the_debt_and_the_payments_end_with_it() -> None:
    # 4.5 % a year on 12,116.31 are 45.4362 a month; on 11,881.75, 44.5566.
    whole = get(Sandbox(years=4, budgets=1), "/budgets/last-used")["budget"]
    loan = next(row for row in whole["accounts"] if row["type"] == "autoLoan")
    rows = [row for row in whole["transactions"] if row["account_id"] == loan["id"]]
    assert (loan["balance"], loan["debt_interest_rates"]) == (0, {"2022-01-01": 4500})
    dated = [(row["date"], row["amount"]) for row in sorted(rows, key=lambda row: row["date"])]
    assert sorted(dated[:5]) == [
        ("2022-01-01", -12_116_310), ("2022-01-10", -45_440), ("2022-01-10", 280_000),
        ("2022-02-10", -44_560), ("2022-02-10", 280_000),
    ]  # fmt: skip
    assert sorted(dated[-4:]) == [
        ("2025-11-10", -1_360), ("2025-11-10", 280_000),
        ("2025-12-10", -320), ("2025-12-10", 85_520),
    ]  # fmt: skip
    assert all(row["goal_type"] != "DEBT" for row in whole["categories"])


def test_advance_moves_today_and_enters_what_is_due(sandbox: Sandbox) -> None:
    sandbox.advance(14)
    assert sandbox.now().isoformat() == "2026-07-01T12:00:00+00:00"
    check_books(sandbox)
    current = read(sandbox, "months/current")
    # The rent is scheduled for the first of July.
    assert (current["month"], current["activity"]) == ("2026-07-01", -1_198_300)
    with pytest.raises(ValueError, match="forward"):
        sandbox.advance(-1)


def test_the_delta_lacks_categories_that_only_a_new_month_changed(sandbox: Sandbox) -> None:
    sandbox.advance(13)
    known = cursor(sandbox)
    sandbox.advance(1)  # the rent is entered on the first of July
    changed = delta(sandbox, "categories", known)
    assert [row["name"] for group in changed for row in group["categories"]] == ["Rent"]


def test_requests_served_counts_every_request(sandbox: Sandbox) -> None:
    get(sandbox, "/user")
    send(sandbox, "GET", "/user", token="wrong")
    assert sandbox.requests_served == 2

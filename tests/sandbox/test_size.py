from __future__ import annotations

import hashlib
import json
from datetime import date

import pytest

from budgetframe.sandbox import Sandbox, check_books
from tests.sandbox.ask import get, send


def live(sandbox: Sandbox, index: int = 0) -> int:
    return sum(1 for _ in sandbox.budgets[index].budget.transactions.live())


def first_months(sandbox: Sandbox) -> list[str]:
    return [row["first_month"] for row in get(sandbox, "/budgets")["budgets"]]


def digest(sandbox: Sandbox) -> str:
    found = hashlib.sha256()
    for row in get(sandbox, "/budgets")["budgets"]:
        found.update(send(sandbox, "GET", f"/budgets/{row['id']}").content)
    return found.hexdigest()


@pytest.fixture(scope="module")
def large() -> Sandbox:
    return Sandbox(years=2, transactions=20_000, budgets=1)


def test_years_reach_back_in_every_budget() -> None:
    assert first_months(Sandbox(years=5)) == ["2021-01-01", "2021-01-01"]


def test_without_years_there_are_three_and_one() -> None:
    assert first_months(Sandbox()) == ["2023-01-01", "2025-01-01"]


@pytest.mark.parametrize("wanted", [1_700, 5_000, 20_000])
def test_there_are_exactly_as_many_rows_as_asked_for(wanted: int) -> None:
    sandbox = Sandbox(years=2, transactions=wanted)
    assert live(sandbox) == wanted
    check_books(sandbox)


def test_one_row_more_than_the_household_has_is_one_row_more() -> None:
    alone = live(Sandbox())
    for more in (0, 1, 2, 73):
        sandbox = Sandbox(transactions=alone + more)
        assert live(sandbox) == alone + more
        check_books(sandbox)


def test_only_the_first_budget_is_made_larger() -> None:
    assert live(Sandbox(transactions=4_000), 1) == live(Sandbox(), 1)


def test_about_one_in_twenty_is_a_split(large: Sandbox) -> None:
    splits = [row for row in large.device.state().transactions.live() if row.parts]
    assert 800 <= len(splits) <= 1_200
    assert {len(row.parts) for row in splits} == {2, 3, 4}
    assert all(sum(part.amount for part in row.parts) == row.amount for row in splits)


def test_the_rows_spread_over_the_years(large: Sandbox) -> None:
    by_year = dict.fromkeys((2024, 2025, 2026), 0)
    for row in large.device.state().transactions.live():
        by_year[row.date.year] += 1
    assert 7_500 <= by_year[2024] <= 8_500
    assert 7_500 <= by_year[2025] <= 8_500
    assert max(row.date for row in large.device.state().transactions.live()) <= date(2026, 6, 17)


def test_what_is_bought_is_earned_and_assigned(large: Sandbox) -> None:
    small = Sandbox(years=2)
    for sandbox in (large, small):
        budget = sandbox.device.state()
        groceries = next(row for row in budget.categories.live() if row.name == "Groceries")
        assert budget.category_months[groceries.id][budget.current_month].balance >= 0
    checking = next(row for row in large.device.state().accounts.live() if row.name == "Checking")
    assert checking.balance > 0


def test_the_books_of_a_large_one_balance(large: Sandbox) -> None:
    check_books(large)


def test_size_and_seed_give_the_same_bytes() -> None:
    assert digest(Sandbox(transactions=3_000)) == digest(Sandbox(transactions=3_000))
    assert digest(Sandbox(transactions=3_000)) != digest(Sandbox(transactions=3_000, seed=2))


def test_the_default_is_what_it_is_without_any_size() -> None:
    assert digest(Sandbox()) == digest(Sandbox(years=None, transactions=None, budgets=2))


def test_more_budgets_are_more_of_the_same_after_the_two() -> None:
    sandbox = Sandbox(budgets=5)
    rows = get(sandbox, "/budgets")["budgets"]
    assert [(row["name"], row["currency_format"]["iso_code"]) for row in rows] == [
        ("Household", "EUR"),
        ("東京の家計", "JPY"),
        ("Household 2", "EUR"),
        ("東京の家計 2", "JPY"),
        ("Household 3", "EUR"),
    ]
    assert len({row["id"] for row in rows}) == 5
    check_books(sandbox)
    two = get(Sandbox(), "/budgets")["budgets"]
    assert rows[:2] == two


def test_one_budget_is_enough() -> None:
    assert [row["name"] for row in get(Sandbox(budgets=1), "/budgets")["budgets"]] == ["Household"]


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ({"years": 0}, "years is 0: it must be 1 to 50"),
        ({"years": 51}, "years is 51: it must be 1 to 50"),
        ({"budgets": 0}, "budgets is 0: it must be 1 to 50"),
        ({"transactions": 0}, "transactions is 0: it must be at least 1"),
        ({"transactions": -5}, "transactions is -5: it must be at least 1"),
    ],
)
def test_a_size_that_cannot_be_is_refused(size: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Sandbox(**size)  # type: ignore[arg-type]


def test_fewer_rows_than_the_household_has_are_refused() -> None:
    alone = live(Sandbox())
    with pytest.raises(
        ValueError,
        match=f"transactions is {alone - 1}: .* the household has at least {alone}; ask for more",
    ):
        Sandbox(transactions=alone - 1)


def test_a_full_list_of_a_large_one_has_every_row(large: Sandbox) -> None:
    rows = get(large, "/budgets/last-used/transactions", since_date="2000-01-01")["transactions"]
    assert len(rows) == 20_000
    assert len({row["id"] for row in rows}) == 20_000
    assert json.dumps(rows[0], ensure_ascii=False).count("account_name") == 1

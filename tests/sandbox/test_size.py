"""The size parameters of a sandbox: years, transactions, budgets."""

from datetime import date
from typing import Any

import pytest

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import digest, get, read
from tests.sandbox.audit import check_books


def live(sandbox: Sandbox, index: int = 0) -> int:
    return sum(1 for _ in sandbox.budgets[index].budget.transactions.live())


@pytest.fixture(scope="module")
def large() -> Sandbox:
    return Sandbox(years=2, transactions=4_000, budgets=1)


def test_years_apply_to_every_budget() -> None:
    months = [row["first_month"] for row in get(Sandbox(years=2), "/budgets")["budgets"]]
    assert months == ["2024-01-01", "2024-01-01"]
    assert live(Sandbox(years=0)) == 240
    check_books(Sandbox(years=0, today="2026-01-01"))  # before the first payment of the quarter


def test_the_number_of_transactions_is_exact(large: Sandbox) -> None:
    assert live(large) == 4_000
    check_books(large)


def test_a_few_more_transactions_than_the_habits_produce() -> None:
    base = live(Sandbox(years=1, budgets=1))
    for more in (0, 1, 73):
        sandbox = Sandbox(years=1, budgets=1, transactions=base + more)
        assert live(sandbox) == base + more, more
        check_books(sandbox)


def test_only_the_first_budget_becomes_larger() -> None:
    sandbox = Sandbox(years=1, transactions=1_000)
    assert [live(sandbox, 0), live(sandbox, 1)] == [1_000, live(Sandbox(years=1), 1)]


def test_about_one_in_twenty_purchases_is_a_split(large: Sandbox) -> None:
    splits = [row for row in large.device.state().transactions.live() if row.parts]
    assert 120 <= len(splits) <= 175
    assert {len(row.parts) for row in splits} == {2, 3, 4}
    assert all(sum(part.amount for part in row.parts) == row.amount for row in splits)


def test_the_transactions_are_spread_over_the_years(large: Sandbox) -> None:
    by_year = dict.fromkeys((2024, 2025, 2026), 0)
    for row in large.device.state().transactions.live():
        by_year[row.date.year] += 1
    assert all(1_500 <= by_year[year] <= 1_700 for year in (2024, 2025))
    assert max(row.date for row in large.device.state().transactions.live()) <= date(2026, 6, 17)


def test_the_household_earns_and_assigns_the_money_for_purchases(large: Sandbox) -> None:
    for sandbox in (large, Sandbox(years=2, budgets=1)):
        budget = sandbox.device.state()
        groceries = next(row for row in budget.categories.live() if row.name == "Groceries")
        assert budget.category_months[groceries.id][budget.current_month].balance >= 0
    checking = next(row for row in large.device.state().accounts.live() if row.name == "Checking")
    assert checking.balance > 0


def test_size_and_seed_determine_the_bytes() -> None:
    size: dict[str, Any] = {"years": 1, "budgets": 1, "transactions": 1_000}
    expected = digest(Sandbox(**size))
    assert digest(Sandbox(**size)) == expected
    assert digest(Sandbox(**size, seed=2)) != expected


def test_more_budgets_alternate_between_the_two_currencies() -> None:
    sandbox = Sandbox(budgets=5, years=1)
    rows = get(sandbox, "/budgets")["budgets"]
    assert [(row["name"], row["currency_format"]["iso_code"]) for row in rows] == [
        ("Household", "EUR"), ("東京の家計", "JPY"), ("Household 2", "EUR"),
        ("東京の家計 2", "JPY"), ("Household 3", "EUR"),
    ]  # fmt: skip
    assert len({row["id"] for row in rows}) == 5
    check_books(sandbox)
    assert rows[:2] == get(Sandbox(years=1), "/budgets")["budgets"]


@pytest.mark.parametrize(("size", "message"), [
    ({"years": -1}, "years is -1: it must be 0 to 50"),
    ({"years": 51}, "years is 51: it must be 0 to 50"),
    ({"budgets": 0}, "budgets is 0: it must be 1 to 50"),
    ({"transactions": 0}, "transactions is 0: it must be at least 1"),
])  # fmt: skip
def test_an_impossible_size_is_refused(size: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Sandbox(**size)


def test_fewer_transactions_than_the_habits_produce_are_refused() -> None:
    base = live(Sandbox(years=1, budgets=1))
    with pytest.raises(
        ValueError,
        match=f"transactions is {base - 1}: in 1 years and the current one the household has at "
        f"least {base}; ask for more, or for fewer years",
    ):
        Sandbox(years=1, budgets=1, transactions=base - 1)


def test_a_full_list_of_a_large_budget_has_every_transaction(large: Sandbox) -> None:
    rows = read(large, "transactions", since_date="2000-01-01")
    assert len(rows) == len({row["id"] for row in rows}) == 4_000

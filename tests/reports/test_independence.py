"""The report independence."""

from datetime import date, timedelta
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from budgetframe import ToolError
from budgetframe.reports import Report, independence
from tests.programs import programs
from tests.reports.rows import began, ledger_frame, lines, moved, row, values
from tests.reports.test_investments import price

FUND = (
    began("2025-04-01", "fund", 1000.0),
    began("2025-04-01", "savings", 500.0),
    *moved("2025-05-31", 70.0, "checking", "fund", "invest"),  # before the twelve months
    *moved("2025-06-01", 40.0, "checking", "fund", "invest"),
    *moved("2026-05-31", 15.0, "fund", "checking", "invest"),
    *moved("2026-05-30", 200.0, "checking", "loan", "rent"),
    *moved("2026-05-30", 7.0, "checking", "savings"),
    row("2025-05-31", -1.0, "food"),
    row("2025-06-01", -2.0, "food", "savings"),
    row("2026-05-31", -4.5),
    row("2026-05-31", 0.25, "food"),
    row("2026-06-01", -8.0, "food"),
    row("2026-06-18", 99.0, at="fund"),  # after today
)


def path(*rows: Any, as_of: str = "2026-06-17", **options: Any) -> Report:
    """The years of a fund of 1,000 without a contribution, for 60 a year: 1,500 are needed."""
    start = rows or (began("2026-01-01", "fund", 1000.0),)
    given = {"spending": 60.0, "contribution": 0.0, **options}
    return independence(ledger_frame(*start, as_of=as_of), **given)


def rule(report: Report, word: str) -> str:
    return next(str(each) for each in report.attrs["rules"] if each.startswith(word))


def test_the_value_grows_until_it_pays_for_the_spending_and_ten_years_more() -> None:
    found = path(return_=0.1, contribution=100)
    assert lines(found.head(4), "date", "value", "contributed", "gain", "is_reached") == [
        ("2026-06-17", 1000.0, 0.0, 0.0, False), ("2027-06-17", 1200.0, 100.0, 100.0, False),
        ("2028-06-17", 1420.0, 100.0, 120.0, False), ("2029-06-17", 1662.0, 100.0, 142.0, True),
    ]  # fmt: skip
    assert set(lines(found, "spending", "needed")) == {(60.0, 1500.0)}
    assert values(found, "date")[-1] == "2039-06-17"
    assert "Independence is reached in 2029." in found.attrs["rules"]


@pytest.mark.parametrize(("options", "year", "last"), [
    ({"return_": 0, "contribution": 100}, 5, (2000.0 + 500.0, 1500.0)),
    ({"withdrawal": 0.06}, 0, (1628.895, 1000.0)),  # 1000 * 1.05 ** 10
    ({"return_": 0.1, "inflation": 0.1}, None, (304_481.64, 456_722.459)),  # both times 1.1 ** 60
    ({"return_": -0.5, "contribution": -100}, None, (-200.0, 1500.0)),
    ({"return_": 0, "inflation": 0.1, "withdrawal": 0.06}, 0, (1000.0, 2593.742)),
])  # fmt: skip
def test_when_it_is_reached(options: Any, year: int | None, last: tuple[float, float]) -> None:
    found = path(**options)
    assert len(found) == (61 if year is None else year + 11)
    assert lines(found, "value", "needed")[-1] == last
    if year is None:
        assert not found["is_reached"].any()
        assert "Independence is not reached by 2086." in found.attrs["rules"]
    else:
        assert found["is_reached"].tolist().index(True) == year


def test_spending_and_contribution_are_those_of_the_last_twelve_complete_months() -> None:
    found = independence(ledger_frame(*FUND))
    assert lines(found, "value", "spending", "needed")[0] == (1095.0, 206.25, 5156.25)
    assert lines(found, "value", "contributed", "gain")[1] == (1174.75, 25.0, 54.75)
    assert rule(found, "Spending: 206.25 a year, rows in").endswith(
        "from 2025-06-01 to 2026-05-31."
    )
    found = independence(ledger_frame(*FUND), accounts=["Savings", "Fund"], return_=0)
    assert lines(found, "value", "contributed", "spending")[1] == (1632.0, 32.0, 206.25)
    assert "Only the accounts Savings and Fund count." in found.attrs["rules"]
    assert found.rows(0)["amount"].sum() == 1600 == found["value"].iloc[0]
    assert sorted(found.rows(0, column="spending")["amount"]) == [-200.0, -4.5, -2.0, 0.25]
    assert len(found.rows(1)) == 0


def test_the_amounts_of_fewer_months_are_scaled_to_twelve() -> None:
    found = independence(ledger_frame(*FUND, as_of="2025-07-15"), return_=0)
    assert lines(found, "contributed", "spending")[1] == (440.0, 12.0)  # 110 and 3, times 12/3
    assert ", from 2025-04-01 to 2025-06-30, times 12/3." in rule(found, "Spending")


def test_the_band_is_that_of_the_lowest_and_the_highest_own_return() -> None:
    rows = [began("2021-12-31", "fund", 1000.0)]  # 10 %, -5 %, and 0 % in a leap year
    rows += [price("2022-12-31", 100.0), price("2023-06-30", -55.0)]
    found = path(*rows, as_of="2025-06-17", contribution=10)
    assert lines(found, "low", "high")[:3] == [
        (1045.0, 1045.0), (1002.75, 1159.5), (962.613, 1285.45),  # 962.6125
    ]  # fmt: skip
    assert rule(found, "Low") == "Low: with your return of 2023, -5.0%, it is not reached by 2042."
    assert rule(found, "High") == "High: with your return of 2022, 10.0%, it is reached in 2029."
    assert path(*rows, as_of="2023-12-31")["high"].iloc[1] == 1149.5
    alone = path(*rows, as_of="2023-12-30")
    assert set(lines(alone, "low", "high")) == {(None, None)}
    assert rule(alone, "Low").startswith("Low and high are missing: they need two complete calen")
    earned = [row(f"202{year}-05-01", 9.0, "ready", "savings") for year in (2, 3)]
    began_with = began("2021-12-31", "savings", 9.0)
    wages = path(began_with, *earned, as_of="2025-06-17", accounts="Savings")
    assert set(lines(wages, "low", "high")) == {(None, None)}
    assert found.assign(value=float("nan"), needed=float("nan")).plot()


def test_a_year_after_29_february_ends_on_28_february() -> None:
    found = path(began("2024-01-01", "fund", 1000.0), as_of="2024-02-29")
    assert values(found, "date")[:5:3] == ["2024-02-29", "2027-02-28"]


def test_amounts_that_are_too_large_are_missing() -> None:
    steep = (began("2021-12-31", "fund", 1.0), price("2022-12-31", 90.0), price("2023-12-31", 5.0))
    found = path(*steep, as_of="2024-06-17", return_=0)
    assert found["high"].notna().sum() == 6  # 96 * 91 ** 6 = 5e13
    assert rule(found, "High").endswith(", it is reached in 2025.")
    found = path(return_=1, spending=8e10)  # 1000 * 2 ** 31 pay for it, and the next is too large
    assert (len(found), values(found, "value")[30:33]) == (42, [1000 * 2**30, 1000 * 2**31, None])
    assert values(found, "is_reached")[30:] == [False] + [True] * 11


def test_without_an_account_there_are_no_rows_and_a_named_loan_is_a_debt() -> None:
    found = path(row("2026-01-01", 5.0, "ready"), row("2026-01-01", -30.0, at="loan"))
    assert (len(found), found.dtypes.tolist()) == (0, path().dtypes.tolist())
    found = independence(ledger_frame(*FUND), accounts=["Fund", "Car Loan"])
    assert lines(found, "value", "spending")[0] == (1295.0, 6.25)  # a credit of 200


@pytest.mark.parametrize(("options", "message"), [
    ({"return_": 5}, r"^return_=5: it must be a number from -0.99 to 1; write 4 % as 0.04$"),
    ({"spending": 0}, r"spending=0: it must be a number from 0.001 to 2,251,799,813,685"),
    ({"exclude_accounts": "Fond"}, "the closest name is 'Fund'"),
])  # fmt: skip
def test_wrong_arguments_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolError, match=message):
        independence(ledger_frame(*FUND), **options)


def test_a_ledger_without_a_complete_month_or_spending_needs_the_amounts() -> None:
    young = ledger_frame(began("2026-06-01", "fund", 5.0))
    with pytest.raises(ToolError, match=r"^spending: .* no complete month .*; pass spending=$"):
        independence(young)
    with pytest.raises(ToolError, match=r"^contribution: .*; pass contribution=$"):
        independence(young, 60.0)
    refunded = ledger_frame(began("2026-05-02", "fund", 5.0), row("2026-05-01", 3.0, "food"))
    with pytest.raises(ToolError, match="there was none from 2026-05-01 to 2026-05-31; pass spend"):
        independence(refunded)


def rounded(amount: Fraction) -> float:
    """Milliunits in currency units, halves away from zero."""
    whole = (2 * abs(amount.numerator) + amount.denominator) // (2 * amount.denominator)
    return (whole if amount >= 0 else -whole) / 1000


@pytest.mark.parametrize("seed", programs(6))
def test_random_budgets_follow_the_closed_formula(seed: int) -> None:
    draw = Random(seed)  # noqa: S311 - no secrets
    sums = {"value": draw.randint(1, 9_999_999), "spent": 0, "paid": 0}
    rows = [began("2025-03-01", "fund", sums["value"] / 1000)]
    for _ in range(draw.randint(1, 40)):
        amount, kind = draw.randint(1, 999_999), draw.choice(["spent", "paid", "gain"])
        day = str(date(2025, 3, 2) + timedelta(draw.randrange(450)))
        rows += {
            "spent": [row(day, -amount / 1000, draw.choice(["food", None]))],
            "paid": moved(day, amount / 1000, "checking", "fund", "invest"),
            "gain": [price(day, amount / 1000)],
        }[kind]
        sums["value"] += amount * (kind != "spent")
        if kind != "gain" and "2025-06-01" <= day <= "2026-05-31":
            sums[kind] += amount
    r, i, w = (Fraction(draw.randint(low, 120), 1000) for low in (-60, 0, 20))
    r *= draw.choice([0, 1])
    given: Any = {"return_": float(r), "inflation": float(i), "withdrawal": float(w)}
    value, spent, paid = sums.values()
    if not spent:  # then it must be given
        spent, given["spending"] = 7_777_000, 7_777
    found = independence(ledger_frame(*rows), **given)
    for n, (shown, needed, is_reached) in enumerate(lines(found, "value", "needed", "is_reached")):
        grown = (1 + r) ** n
        expected = value * grown + (paid * (grown - 1) / r if r else paid * n)
        assert (shown, needed) == (rounded(expected), rounded(spent * (1 + i) ** n / w))
        assert is_reached == (shown >= needed)

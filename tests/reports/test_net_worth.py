"""The reports net_worth and balances."""

from fractions import Fraction
from random import Random
from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.reports import balances, net_worth
from tests.frames.household import account
from tests.programs import programs
from tests.reports.rows import began, ledger_frame, lines, moved, row, values


def worth_of_spring() -> pd.DataFrame:
    """Checking, a card and a fund from January on; no rows in March; read in mid-April."""
    return ledger_frame(
        began("2026-01-05", "checking", 1000.0), row("2026-01-20", -100.1, "food"),
        row("2026-02-10", -50.2, "food", "visa"),
        *moved("2026-02-11", 300.0, "checking", "fund", "invest"),
        row("2026-04-02", 12.345, None, "fund"), as_of="2026-04-15",
    )  # fmt: skip


# Net worth


def test_net_worth_states_assets_debts_and_net_at_the_end_of_each_month() -> None:
    assert lines(net_worth(worth_of_spring()), "date", "assets", "debts", "net", "change") == [
        ("2026-01-31", 899.9, 0.0, 899.9, 899.9), ("2026-02-28", 899.9, -50.2, 849.7, -50.2),
        ("2026-03-31", 899.9, -50.2, 849.7, 0.0), ("2026-04-15", 912.245, -50.2, 862.045, 12.345),
    ]  # fmt: skip


def owing() -> pd.DataFrame:
    """An overdrawn account, a card with the smallest credit, and a loan."""
    return ledger_frame(
        row("2026-06-01", -0.5, "food", "checking"), row("2026-06-01", 0.001, "food", "visa"),
        began("2026-06-01", "loan", -100.0),
    )  # fmt: skip


@pytest.mark.parametrize(("by", "expected"), [
    ("balance", (0.001, -100.5, -100.499)), ("type", (-0.5, -99.999, -100.499)),
])  # fmt: skip
def test_debts_are_negative_balances_or_account_types(by: Any, expected: tuple[float, ...]) -> None:
    assert lines(net_worth(owing(), debts=by), "assets", "debts", "net") == [expected]


def test_an_account_is_a_debt_in_those_months_in_which_it_is_below_zero() -> None:
    found = net_worth(ledger_frame(
        row("2026-04-30", -10.0, "food"), row("2026-05-31", 30.0, "ready"), as_of="2026-05-31"
    ))  # fmt: skip
    assert lines(found, "assets", "debts") == [(0.0, -10.0), (20.0, 0.0)]


def test_cards_loans_mortgages_and_liabilities_are_debts_by_type() -> None:
    debts = "creditCard lineOfCredit otherLiability mortgage autoLoan studentLoan personalLoan"
    debts += " medicalDebt otherDebt"
    for kind in ("checking savings cash otherAsset " + debts).split():
        one = (account("one", "One", kind, 0.0),)
        ledger = ledger_frame(row("2026-06-01", -7.0, "food", "one"), accounts=one)
        found = net_worth(ledger, debts="type", interest=False)
        expected = (0.0, -7.0) if kind in debts.split() else (-7.0, 0.0)
        assert lines(found, "assets", "debts") == [expected], kind


def test_rows_before_since_count_in_the_first_net_but_not_in_its_change() -> None:
    found = net_worth(worth_of_spring(), since="2026-02-15", until="2026-03-31")
    assert lines(found, "date", "net", "change") == [
        ("2026-02-28", 849.7, -50.2), ("2026-03-31", 849.7, 0.0),
    ]  # fmt: skip


# Balances


def test_balances_are_those_of_each_account_at_the_end_of_each_month_by_name() -> None:
    found = balances(worth_of_spring(), until="2026-02-28")
    names = ("date", "account_id", "account_name", "account_type", "on_budget", "balance")
    assert lines(found, *names) == [
        ("2026-01-31", "checking", "Checking", "checking", True, 899.9),
        ("2026-01-31", "fund", "Fund", "otherAsset", False, 0.0),
        ("2026-01-31", "visa", "Visa", "creditCard", True, 0.0),
        ("2026-02-28", "checking", "Checking", "checking", True, 599.9),
        ("2026-02-28", "fund", "Fund", "otherAsset", False, 300.0),
        ("2026-02-28", "visa", "Visa", "creditCard", True, -50.2),
    ]


def test_balances_of_days_have_every_day() -> None:
    found = balances(
        ledger_frame(
            row("2024-02-28", 1.5, "ready"), row("2024-03-01", -0.5, "food"), as_of="2024-03-02"
        ),
        freq="day",
    )
    assert lines(found, "date", "balance") == [
        ("2024-02-28", 1.5), ("2024-02-29", 1.5), ("2024-03-01", 1.0), ("2024-03-02", 1.0),
    ]  # fmt: skip


@pytest.mark.parametrize(("freq", "days"), [
    ("quarter", ["2023-12-31", "2024-03-31", "2024-05-02"]), ("year", ["2023-12-31", "2024-05-02"]),
])  # fmt: skip
def test_balances_of_quarters_and_years_are_of_their_last_days(freq: Any, days: list[str]) -> None:
    found = balances(ledger_frame(row("2023-11-30", 1.0, "ready"), as_of="2024-05-02"), freq=freq)
    assert lines(found, "date", "balance") == [(day, 1.0) for day in days]


def test_a_closed_account_keeps_its_earlier_balances() -> None:
    closed = ledger_frame(
        began("2026-01-01", "old", 200.0), *moved("2026-03-31", 200.0, "old", "checking"),
        as_of="2026-04-01",
    )  # fmt: skip
    of_old = balances(closed).query("account_id == 'old'")
    assert values(of_old, "balance") == [200.0, 200.0, 0.0, 0.0]
    assert values(net_worth(closed), "net") == [200.0, 200.0, 200.0, 200.0]


def test_two_accounts_of_the_same_name_are_two_rows_by_key() -> None:
    found = balances(ledger_frame(
        row("2026-06-01", 1.0, "ready", "b"), row("2026-06-02", 2.0, "ready", "a"),
        accounts=tuple(account(key, "Wallet", "cash", 0.0) for key in ("b", "a")),
    ))  # fmt: skip
    assert lines(found, "account_id", "balance") == [("a", 2.0), ("b", 1.0)]


# Last day


@pytest.mark.parametrize(("as_of", "last"), [
    pytest.param("2026-05-20", "2026-05-20", id="the day it was asked for"),
    pytest.param("2026-05-02", "2026-05-10", id="a later row"),
    pytest.param(None, "2026-05-10", id="no such day known"),
])  # fmt: skip
def test_the_last_day_is_that_of_the_read_or_of_a_later_row(as_of: str | None, last: str) -> None:
    found = balances(ledger_frame(row("2026-05-10", 1.0, "ready"), as_of=as_of))
    assert values(found, "date") == [last]


def test_balances_have_no_rows_for_future_days() -> None:
    found = balances(ledger_frame(row("2026-05-10", 1.0, "ready")), until="2026-08-03")
    assert values(found, "date") == ["2026-05-31", "2026-06-17"]


def test_since_can_be_before_the_first_row() -> None:
    found = net_worth(
        ledger_frame(row("2026-05-10", 1.0, "ready")), since="2026-03-20", until="2026-05-31"
    )
    assert lines(found, "date", "net", "change") == [
        ("2026-03-31", 0.0, 0.0), ("2026-04-30", 0.0, 0.0), ("2026-05-31", 1.0, 1.0),
    ]  # fmt: skip


# Accounts in another currency


RATES = pd.DataFrame({"currency": "USD", "rate": ["0.9", "0.8", "0.85"],
                      "date": ["2026-03-31", "2026-04-30", "2026-05-20"]})  # fmt: skip
IN_USD: dict[str, Any] = {"currencies": {"Fund": "USD"}, "rates": RATES}


def abroad() -> pd.DataFrame:
    """Checking in the currency of the budget, EUR, and a fund in USD from the end of March on."""
    return ledger_frame(
        began("2026-02-10", "checking", 100.0), began("2026-03-31", "fund", 200.0),
        row("2026-05-20", -49.999, at="fund"),
    )  # fmt: skip


def test_a_balance_in_another_currency_is_converted_at_the_end_of_a_period() -> None:
    found = balances(abroad(), accounts="Fund", **IN_USD)
    assert values(found, "balance") == [0.0, 180.0, 160.0, 127.501, 127.501]  # 150.001 * 0.85
    assert found.rows(-1)["amount"].tolist() == [200.0, -49.999]
    assert (
        "Rates of USD: from 0.9 EUR of 2026-03-31 to 0.85 EUR of 2026-05-20."
        in found.attrs["rules"]
    )
    rule = (
        "Fund: its rows are in USD. What they add up to at the end of a period is converted to EUR"
    )
    assert any(each.startswith(rule) for each in found.attrs["rules"])
    found = net_worth(abroad(), freq="quarter", **IN_USD)
    assert lines(found, "net", "change") == [(280.0, 280.0), (227.501, -52.499)]
    assert "Change contains the change of the rates." in found.attrs["rules"]


def test_the_first_change_needs_a_rate_of_the_day_before() -> None:
    found = net_worth(abroad(), since="2026-05", **IN_USD)
    assert lines(found, "net", "change") == [(227.501, -32.499), (227.501, 0.0)]
    with pytest.raises(ToolError, match="no rate of USD on or before 2026-04-30; the first one"):
        net_worth(abroad(), since="2026-05", currencies={"Fund": "USD"}, rates=RATES.tail(1))


def test_the_difference_from_the_service_s_balance_is_converted_too() -> None:
    stated = account("fund", "Fund", "otherAsset", 160.001, on_budget=False)
    ledger = ledger_frame(
        began("2026-02-10", "checking", 100.0), began("2026-03-31", "fund", 150.0),
        accounts=(account("checking", "Checking", "checking", 100.0), stated), differences=True,
    )  # fmt: skip
    with pytest.warns(RuntimeWarning, match="^Fund: the service's balance differs by 10.00"):
        found = balances(ledger, freq="year", **IN_USD)
    assert lines(found, "balance", "unexplained") == [(100.0, 0.0), (136.001, 8.501)]


def test_a_key_counts_before_a_name_and_the_currency_of_the_budget_changes_nothing() -> None:
    given = {"Fund": "CHF", "fund": "USD", "Checking": "EUR"}
    assert balances(abroad(), currencies=given, rates=RATES).equals(balances(abroad(), **IN_USD))


@pytest.mark.parametrize(("options", "message"), [
    ({"currencies": {"Fund": "USD"}}, "^pass rates= too, as in currencies={'Depot': 'USD'}, "),
    ({"rates": RATES}, "^pass currencies= too"),
    ({**IN_USD, "currencies": {"Fond": "USD"}}, "^currencies: .* rows of 'Fond'; .* is 'Fund'$"),
    ({**IN_USD, "currencies": {"Fund": 3}}, "currencies: {'Fund': 3}: the names and values"),
    ({**IN_USD, "currencies": {"Fund": "CHF"}}, "rates: no rate of CHF to EUR; the frame has USD"),
    ({**IN_USD, "rates": RATES.assign(rate=0)}, "the rate of USD is 0; it must be a positive"),
    ({**IN_USD, "rates": RATES.assign(rate=1e300)}, "in USD is too large in EUR to be exact"),
    ({**IN_USD, "rates": [1]}, "rates: pass a DataFrame, not list"),
])  # fmt: skip
def test_wrong_rates_and_currencies_are_refused(options: dict[str, Any], message: str) -> None:
    for report in (balances, net_worth):
        with pytest.raises(ToolError, match=message):
            report(abroad(), **options)
    unknown = abroad()
    del unknown.attrs["currency_format"]
    with pytest.raises(ToolError, match="the ledger does not state the budget's currency"):
        balances(unknown, **IN_USD)


@pytest.mark.parametrize("seed", programs(6))
def test_random_balances_are_converted_as_fractions_are(seed: int) -> None:
    draw = Random(seed)  # noqa: S311 - no secrets
    days = pd.date_range("2026-01-01", "2026-06-17").strftime("%Y-%m-%d").tolist()
    rows = [(draw.choice(days), draw.randint(-99_999, 99_999)) for _ in range(draw.randint(1, 30))]
    dated = {days[0], *draw.sample(days, 6)}
    known = {day: f"{draw.randint(1, 3_000_000) / 1_000_000:.6f}" for day in sorted(dated)}
    rates = pd.DataFrame({"currency": "USD", "rate": [*known.values()], "date": [*known]})
    ledger = ledger_frame(*(row(day, amount / 1000, at="fund") for day, amount in rows))
    found = net_worth(ledger, freq="week", currencies={"Fund": "USD"}, rates=rates)
    for day, net in lines(found, "date", "net"):
        rate = Fraction(known[max(each for each in known if each <= day)])
        exact = sum(amount for when, amount in rows if when <= day) * rate
        assert net == (int(abs(exact) + Fraction(1, 2)) * (1 if exact > 0 else -1)) / 1000

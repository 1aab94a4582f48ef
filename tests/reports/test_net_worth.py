"""The reports net_worth and balances."""

from typing import Any

import pandas as pd
import pytest

from budgetframe.reports import balances, net_worth
from tests.frames.household import account
from tests.reports.rows import began, ledger_frame, lines, moved, row, values


def worth_of_spring() -> pd.DataFrame:
    """Checking, a card and a fund from January on; no rows in March; read in mid-April."""
    return ledger_frame(
        began("2026-01-05", "checking", 1000.0),
        row("2026-01-20", -100.1, "food"),
        row("2026-02-10", -50.2, "food", "visa"),
        *moved("2026-02-11", 300.0, "checking", "fund", "invest"),
        row("2026-04-02", 12.345, None, "fund"),
        as_of="2026-04-15",
    )


# Net worth


def test_net_worth_states_assets_debts_and_net_at_the_end_of_each_month() -> None:
    found = net_worth(worth_of_spring())
    assert lines(found, "date", "assets", "debts", "net", "change") == [
        ("2026-01-31", 899.9, 0.0, 899.9, 899.9),
        ("2026-02-28", 899.9, -50.2, 849.7, -50.2),
        ("2026-03-31", 899.9, -50.2, 849.7, 0.0),
        ("2026-04-15", 912.245, -50.2, 862.045, 12.345),
    ]


def owing() -> pd.DataFrame:
    """An overdrawn account, a card with the smallest credit, and a loan."""
    return ledger_frame(
        row("2026-06-01", -0.5, "food", "checking"),
        row("2026-06-01", 0.001, "food", "visa"),
        began("2026-06-01", "loan", -100.0),
    )


@pytest.mark.parametrize(
    ("by", "expected"),
    [("balance", (0.001, -100.5, -100.499)), ("type", (-0.5, -99.999, -100.499))],
)
def test_a_debt_is_a_negative_balance_or_a_type_of_account(
    by: Any, expected: tuple[float, ...]
) -> None:
    assert lines(net_worth(owing(), debts=by), "assets", "debts", "net") == [expected]


def test_an_account_is_a_debt_in_those_months_in_which_it_is_below_zero() -> None:
    found = net_worth(
        ledger_frame(
            row("2026-04-30", -10.0, "food"), row("2026-05-31", 30.0, "ready"), as_of="2026-05-31"
        )
    )
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
        ("2026-02-28", 849.7, -50.2),
        ("2026-03-31", 849.7, 0.0),
    ]


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


@pytest.mark.parametrize(
    ("freq", "days"),
    [
        ("quarter", ["2023-12-31", "2024-03-31", "2024-05-02"]),
        ("year", ["2023-12-31", "2024-05-02"]),
    ],
)
def test_balances_of_quarters_and_years_are_the_balances_of_their_last_days(
    freq: Any, days: list[str]
) -> None:
    found = balances(ledger_frame(row("2023-11-30", 1.0, "ready"), as_of="2024-05-02"), freq=freq)
    assert lines(found, "date", "balance") == [(day, 1.0) for day in days]


def test_a_closed_account_keeps_its_earlier_balances() -> None:
    closed = ledger_frame(
        began("2026-01-01", "old", 200.0),
        *moved("2026-03-31", 200.0, "old", "checking"),
        as_of="2026-04-01",
    )
    of_old = balances(closed).query("account_id == 'old'")
    assert values(of_old, "balance") == [200.0, 200.0, 0.0, 0.0]
    assert values(net_worth(closed), "net") == [200.0, 200.0, 200.0, 200.0]


def test_two_accounts_of_the_same_name_are_two_rows_by_key() -> None:
    twins = tuple(account(key, "Wallet", "cash", 0.0) for key in ("b", "a"))
    found = balances(
        ledger_frame(
            row("2026-06-01", 1.0, "ready", "b"),
            row("2026-06-02", 2.0, "ready", "a"),
            accounts=twins,
        )
    )
    assert lines(found, "account_id", "balance") == [("a", 2.0), ("b", 1.0)]


# Last day


@pytest.mark.parametrize(
    ("as_of", "last"),
    [
        pytest.param("2026-05-20", "2026-05-20", id="the day it was asked for"),
        pytest.param("2026-05-02", "2026-05-10", id="a later row"),
        pytest.param(None, "2026-05-10", id="no such day known"),
    ],
)
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

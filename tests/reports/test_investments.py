"""The report investments."""

from datetime import date
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.reports import investments
from budgetframe.sandbox import Sandbox
from tests.frames.columns import Json
from tests.frames.household import account
from tests.questions.books import Books
from tests.reports.rows import ACCOUNTS, began, ledger_frame, lines, moved, row, values

TWO_FUNDS = (*ACCOUNTS, account("depot", "Depot", "otherAsset", 0.0, on_budget=False))
SUMS = ("date", "contributed", "value", "gain", "period_contributed", "period_gain")


def price(day: str, amount: float, at: str = "fund", **more: Any) -> Json:
    """A row of a tracking account that is neither a transfer nor a starting balance."""
    return row(day, amount, at=at, **{"payee_name": "Market Value", **more})


def last_return(*rows: Json, as_of: str, **options: Any) -> Any:
    """The yearly return of the last row of a report on one account."""
    return values(investments(ledger_frame(*rows, as_of=as_of), **options), "yearly_return")[-1]


# Amounts

FUND = (
    began("2025-01-01", "fund", 1000.0), *moved("2025-03-15", 500.0, "checking", "fund", "invest"),
    price("2025-06-30", 60.1), *moved("2025-08-01", 200.0, "fund", "checking", "invest"),
    price("2025-09-30", -20.05),
)  # fmt: skip


def test_starting_balances_and_transfers_are_contributions_and_other_rows_are_gains() -> None:
    assert lines(investments(ledger_frame(*FUND), freq="quarter", until="2025-10-15"), *SUMS) == [
        ("2025-03-31", 1500.0, 1500.0, 0.0, 1500.0, 0.0),
        ("2025-06-30", 1500.0, 1560.1, 60.1, 0.0, 60.1),
        ("2025-09-30", 1300.0, 1340.05, 40.05, -200.0, -20.05),
        ("2025-10-15", 1300.0, 1340.05, 40.05, 0.0, 0.0),
    ]


def test_rows_before_the_first_day_count_in_all_sums_but_those_of_the_period() -> None:
    found = investments(ledger_frame(*FUND), freq="year", since="2025-07", until="2025-12")
    assert lines(found, *SUMS) == [("2025-12-31", 1300.0, 1340.05, 40.05, 1300.0, 40.05)]
    found = investments(ledger_frame(*FUND), since="2025-08", until="2025-09")
    assert lines(found, *SUMS) == [
        ("2025-08-31", 1300.0, 1360.1, 60.1, -200.0, 0.0),
        ("2025-09-30", 1300.0, 1340.05, 40.05, 0.0, -20.05),
    ]


def test_rows_of_chosen_payees_are_contributions(subtests: pytest.Subtests) -> None:
    ledger = ledger_frame(
        began("2026-05-01", "fund", 100.0),
        price("2026-05-02", 30.0, payee_id="market", payee_name=None),
        price("2026-05-03", 4.0, payee_name="Employer"), price("2026-05-04", 0.5),
    )  # fmt: skip
    cases: dict[Any, tuple[float, float]] = {
        (): (100.0, 34.5), "Employer": (104.0, 30.5), ("Employer", "Market"): (134.0, 0.5),
        "market": (130.0, 4.5),
    }  # fmt: skip
    for payees, expected in cases.items():
        with subtests.test(payees=payees):
            found = investments(ledger, contributions=payees)
            assert lines(found, "contributed", "gain")[-1] == expected
    rules = investments(ledger, contributions=["market", "Employer"]).attrs["rules"]
    assert (
        "Contributed: starting balances, transfers in both directions, and rows of the payees"
        " Market, Employer." in rules
    )


def test_a_transfer_between_two_investments_is_a_contribution_to_both() -> None:
    out, into = moved("2026-05-10", 300.0, "fund", "depot")
    ledger = ledger_frame(
        began("2026-05-01", "fund", 1000.0), {**out, "category_id": None},
        {**into, "category_id": None}, price("2026-05-20", 7.0, at="depot"), accounts=TWO_FUNDS,
    )  # fmt: skip
    found = investments(ledger, until="2026-05")
    assert lines(found, "account_name", "contributed", "value", "gain") == [
        ("Depot", 300.0, 307.0, 7.0), ("Fund", 700.0, 700.0, 0.0),
    ]  # fmt: skip


def test_budget_accounts_and_loans_are_no_investments() -> None:
    ledger = ledger_frame(
        began("2026-05-01", "checking", 1000.0), began("2026-05-01", "loan", -500.0),
        *moved("2026-05-02", 80.0, "checking", "loan", "rent"),
    )  # fmt: skip
    found = investments(ledger)
    assert len(found) == 0
    assert found.columns.tolist() == investments(ledger_frame(*FUND)).columns.tolist()
    assert found.dtypes.tolist() == investments(ledger_frame(*FUND)).dtypes.tolist()


def test_without_any_of_the_accounts_there_are_no_rows() -> None:
    found = investments(ledger_frame(*FUND), exclude_accounts="Fund")
    assert len(found) == 0
    assert found.dtypes.tolist() == investments(ledger_frame(*FUND)).dtypes.tolist()


def test_an_account_has_rows_from_its_first_row_on() -> None:
    ledger = ledger_frame(
        began("2026-03-31", "fund", 5.0), began("2026-05-01", "depot", 8.0), accounts=TWO_FUNDS
    )
    assert lines(investments(ledger), "account_name", "date", "value") == [
        ("Depot", "2026-05-31", 8.0), ("Depot", "2026-06-17", 8.0), ("Fund", "2026-03-31", 5.0),
        ("Fund", "2026-04-30", 5.0), ("Fund", "2026-05-31", 5.0), ("Fund", "2026-06-17", 5.0),
    ]  # fmt: skip


def test_a_closed_account_ends_with_its_last_row() -> None:
    sold = (
        began("2026-01-10", "fund", 100.0), price("2026-02-01", 10.0),
        *moved("2026-03-05", 110.0, "fund", "checking", "invest"),
    )  # fmt: skip
    found = investments(ledger_frame(*sold, row("2026-06-01", 1.0, "ready")))
    assert lines(found, "date", "contributed", "value", "gain") == [
        ("2026-01-31", 100.0, 100.0, 0.0), ("2026-02-28", 100.0, 110.0, 10.0),
        ("2026-03-31", -10.0, 0.0, 10.0),
    ]  # fmt: skip
    assert len(investments(ledger_frame(*sold), since="2026-04")) == 0


def test_the_order_of_the_ledger_does_not_matter() -> None:
    ledger = ledger_frame(*FUND)
    assert investments(ledger.iloc[::-1]).equals(investments(ledger))


def test_the_value_ends_at_the_service_s_balance() -> None:
    stated = account("fund", "Fund", "otherAsset", 1350.05, on_budget=False)
    ledger = ledger_frame(*FUND, accounts=(*ACCOUNTS[:4], stated), differences=True)
    with pytest.warns(RuntimeWarning, match="^Fund: the service's balance differs by 10.00"):
        found = investments(ledger, freq="year")
    assert lines(found, "date", "contributed", "value", "gain", "unexplained") == [
        ("2025-12-31", 1300.0, 1340.05, 40.05, 0.0), ("2026-06-17", 1300.0, 1350.05, 50.05, 10.0),
    ]  # fmt: skip
    assert values(investments(ledger, until="2026-06-16"), "unexplained") == [0.0] * 18


# The yearly return


def test_the_yearly_return_is_that_of_worked_examples(subtests: pytest.Subtests) -> None:
    spreadsheet = (
        began("2008-01-01", "fund", 10_000.0),
        *moved("2008-03-01", 2_750.0, "fund", "checking", "invest"),
        *moved("2008-10-30", 4_250.0, "fund", "checking", "invest"),
        price("2009-01-15", 3_000.0),
        *moved("2009-02-15", 3_250.0, "fund", "checking", "invest"),
    )
    office = (
        began("2008-02-05", "fund", 2_750.0),
        *moved("2008-07-05", 1_000.0, "fund", "checking", "invest"), price("2008-12-05", 250.0),
    )  # fmt: skip
    pump = (  # the value is zero after each transfer to checking and at the end
        began("2021-01-01", "fund", 1_600.0),
        price("2021-12-31", 8_400.0),
        *moved("2022-01-01", 10_000.0, "fund", "checking", "invest"),
        *moved("2023-01-01", 10_000.0, "checking", "fund", "invest"),
        price("2023-01-01", -10_000.0),
    )
    cases: dict[str, tuple[tuple[Json, ...], str, float, float]] = {
        "Microsoft's documentation of XIRR": (spreadsheet, "2009-04-01", 0.373362535, 1e-8),
        "Apache OpenOffice's documentation of XIRR": (office, "2009-01-05", 0.124, 0.0005),
        "the oil pump of Lorie and Savage, 25 % and 400 %": (pump, "2023-01-01", 0.25, 0.0),
    }
    for name, (rows, as_of, expected, tolerance) in cases.items():
        with subtests.test(name=name):
            assert last_return(*rows, as_of=as_of) == pytest.approx(expected, abs=tolerance)


def test_the_yearly_return_has_365_days_a_year(subtests: pytest.Subtests) -> None:
    start = began("2025-01-01", "fund", 1000.0)
    cases: dict[str, tuple[float, str, float]] = {
        "a year": (100.0, "2026-01-01", 0.1),
        "two years": (1000.0, "2027-01-01", 0.4142135624),  # the square root of 2, minus 1
        "a loss": (-190.0, "2027-01-01", -0.1),  # 0.9 * 0.9 = 0.81
        "nothing": (0.0, "2026-01-01", 0.0),
        "half a year": (210.0, "2025-07-02", 0.4656342498),  # 1.21 ** (365 / 182) - 1
    }
    for name, (gain, as_of, expected) in cases.items():
        with subtests.test(name=name):
            assert last_return(start, price("2025-02-01", gain), as_of=as_of) == expected


def test_of_several_yearly_returns_the_closest_to_zero_is_shown(subtests: pytest.Subtests) -> None:
    # 1000 * (g - 0.8) * (g - 1.6) and 1000 * (g - 0.4) * (g - 1.25), for the yearly factor g
    for expected, (taken_out, paid_in) in {-0.2: (2400.0, 1280.0), 0.25: (1650.0, 500.0)}.items():
        with subtests.test(expected=expected):
            rows = (
                began("2021-01-01", "fund", 1000.0),
                *moved("2022-01-01", taken_out, "fund", "checking", "invest"),
                *moved("2023-01-01", paid_in, "checking", "fund", "invest"),
                price("2023-01-01", taken_out - paid_in - 1000.0),
            )
            assert last_return(*rows, as_of="2023-01-01") == expected


def test_the_last_day_of_the_running_month_is_today() -> None:
    ledger = ledger_frame(
        began("2025-06-17", "fund", 1000.0), price("2026-06-01", 100.0), as_of="2026-06-17"
    )
    assert lines(investments(ledger), "date", "yearly_return")[-2:] == [
        ("2026-05-31", 0.0), ("2026-06-17", 0.1),
    ]  # fmt: skip


def test_the_yearly_return_is_missing_where_it_has_no_meaning(subtests: pytest.Subtests) -> None:
    start = began("2025-01-01", "fund", 1000.0)
    cases: dict[str, tuple[tuple[Json, ...], str, Any]] = {
        "89 days old": ((start, price("2025-02-01", 1.0)), "2025-03-31", None),
        "90 days old": ((start, price("2025-02-01", 0.0)), "2025-04-01", 0.0),
        "nothing is left": ((start, price("2026-01-01", -1000.0)), "2026-01-01", None),
        "nothing was paid in": ((price("2025-01-01", 5.0),), "2026-01-01", None),
        "a debt": ((start, price("2025-02-01", -1100.0)), "2026-01-01", None),
        "a debt, although a rate exists": (
            (start, *moved("2025-07-01", 1500.0, "fund", "checking", "invest"),
             price("2025-08-01", 400.0)),
            "2026-01-01", None),
        "taken out on the day on which it was paid in": (
            (start, *moved("2025-01-01", 1000.0, "fund", "checking", "invest"),
             price("2025-02-01", 5.0), price("2025-06-01", -5.0)),
            "2026-01-01", None),
        "a larger rate than 10,000 %": ((start, price("2025-02-01", 1e6)), "2026-01-01", None),
        "a smaller rate than -99.99 %": ((start, price("2025-02-01", -999.99)), "2025-07-01", None),
    }  # fmt: skip
    for name, (rows, as_of, expected) in cases.items():
        with subtests.test(name=name):
            assert last_return(*rows, as_of=as_of) == expected


# Refusals


@pytest.mark.parametrize(("options", "message"), [
    ({"accounts": "Checking"}, "no rows of a tracking account without a loan 'Checking'"),
    ({"accounts": "Fond"}, "the closest name is 'Fund'"),
    ({"contributions": "Market"},
     "no tracking account has rows of 'Market'; the closest name is 'Market Value'"),
    ({"contributions": [3]}, "contributions=.*must be a name or a key"),
    ({"freq": "week"}, "freq='week': it must be one of 'month', 'quarter', 'year'"),
])  # fmt: skip
def test_wrong_arguments_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolError, match=message):
        investments(ledger_frame(*FUND), **options)


def test_a_ledger_without_its_first_rows_is_refused() -> None:
    ledger = ledger_frame(*FUND)
    ledger.attrs["since"] = "2025-02-01"
    with pytest.raises(ToolError, match="balances need all transactions"):
        investments(ledger)


# The rows behind the figures


def test_the_rows_behind_each_figure(subtests: pytest.Subtests) -> None:
    found = investments(ledger_frame(*FUND), freq="quarter")
    at = values(found, "date").index("2025-09-30")
    for name in ("value", "contributed", "gain", "period_contributed", "period_gain"):
        with subtests.test(column=name):
            assert round(found.rows(at, column=name)["amount"].sum(), 2) == found[name].iloc[at]
    assert values(found.rows(at, column="period_gain"), "date") == ["2025-09-30"]


# The sandbox's own books


def test_the_fund_of_the_embedded_service_has_the_same_figures_in_its_books() -> None:
    service = Sandbox()
    books, found = Books(service), investments(BudgetFrame.sandbox(service).ledger())
    assert found["account_name"].unique().tolist() == ["Index Fund"]
    leaves = [leaf for leaf in books.leaves if leaf.account == "Index Fund"]
    for each in found.to_dict("records"):
        day = f"{each['date']:%Y-%m-%d}"
        paid = [
            leaf
            for leaf in leaves
            if leaf.date <= day and (leaf.is_transfer or leaf.payee == "Starting Balance")
        ]
        value = sum(leaf.amount for leaf in leaves if leaf.date <= day)
        assert each["value"] == value / 1000
        assert each["contributed"] == sum(leaf.amount for leaf in paid) / 1000
        assert each["gain"] == (value - sum(leaf.amount for leaf in paid)) / 1000
        age = (date.fromisoformat(day) - date(2023, 1, 1)).days
        assert pd.isna(each["yearly_return"]) == (age < 90)
        if age >= 90:
            factor = 1 + each["yearly_return"]
            years = [
                (date.fromisoformat(day) - date.fromisoformat(leaf.date)).days / 365
                for leaf in paid
            ]
            worth = sum(leaf.amount * factor**held for leaf, held in zip(paid, years, strict=True))
            assert worth == pytest.approx(value, abs=1)  # a milliunit
    (fund,) = (row for row in books.accounts if row["name"] == "Index Fund")
    assert found["value"].iloc[-1] == fund["balance"] / 1000


def test_a_return_needs_ninety_days_since_the_first_amount_and_ignores_later_rows() -> None:
    found = investments(ledger_frame(
        began("2026-01-02", "fund", 0.0),
        *moved("2026-06-16", 1000.0, "checking", "fund", "invest"),
        row("2026-06-17", 5.0, at="fund"), row("2026-06-20", 9.0, at="fund"),
    ))  # fmt: skip
    last = lines(found, "date", "contributed", "value", "gain", "yearly_return")[-1]
    assert last == ("2026-06-17", 1000.0, 1005.0, 5.0, None)

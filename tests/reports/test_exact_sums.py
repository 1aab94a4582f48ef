"""Every sum of a report is exact to the milliunit, also where sums of floats are not.

A float near 10**12 has steps of about 0.0001, so that each addition of 1.001 to it loses a part of
a milliunit; and 1.001 * 1000 is not 1001 as a float.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError, reports
from budgetframe.frames import TABLES
from budgetframe.frames.schema import CURRENCY
from tests.docs.docstrings import REPORTS
from tests.frames.household import account, part
from tests.reports.plans import categories, cell, in_month, plan, report_of, told
from tests.reports.rows import OF_LEDGER, began, ledger_frame, lines, moved, row, split
from tests.reports.test_forecast import coming, schedule
from tests.reports.test_money_flow import move, records

OPENING = 1_500_000_000_000.0
LARGE = 500_000_000_000.0
SMALL = [1.001] * 2_000  # together 2,002.00


def ledger() -> pd.DataFrame:
    """Food for a large amount and for many small ones, from a large balance."""
    return ledger_frame(
        began("2026-06-01", "checking", OPENING), row("2026-06-02", -LARGE, "food"),
        *(row("2026-06-03", -each, "food") for each in SMALL), row("2026-06-04", LARGE, "ready"),
        *(row("2026-06-05", each, "ready") for each in SMALL), as_of="2026-06-30",
    )  # fmt: skip


def at_one_payee() -> pd.DataFrame:
    """Purchases of one payee."""
    return ledger_frame(*(row("2026-06-02", -each, payee_id="market") for each in [LARGE, *SMALL]))


def invested() -> pd.DataFrame:
    """A fund that begins with a large amount, with many small payments and losses."""
    paid = (moved("2026-06-02", each, "checking", "fund", "invest") for each in SMALL)
    return ledger_frame(
        began("2026-06-01", "fund", LARGE), *(side for both in paid for side in both),
        *(row("2026-06-03", -2 * each, at="fund") for each in SMALL), as_of="2026-06-30",
    )  # fmt: skip


def owed() -> pd.DataFrame:
    """A loan that many small payments reduce; its rows record all interest."""
    paid = (moved("2026-06-02", each, "checking", "loan", "rent") for each in SMALL)
    return ledger_frame(
        began("2026-06-01", "loan", -LARGE), *(side for both in paid for side in both)
    )


def in_parts() -> pd.DataFrame:
    """Three payments with many parts each."""
    parts = [part(f"p{n}", -each, category_id="fun") for n, each in enumerate(SMALL[:500])]
    days = ("2026-04-03", "2026-05-03", "2026-06-03")
    return ledger_frame(*(split(day, -500.5, *parts, payee_id="cafe") for day in days))


def typical() -> reports.Report:
    """The forecast for a ledger of three months with many small payments each."""
    days = ("2026-03-10", "2026-04-10", "2026-05-10")
    past = ledger_frame(
        began("2026-02-28", "checking", 0.0),
        *(row(day, -each, "food") for day in days for each in SMALL),
    )
    none: dict[str, Any] = {"scheduled_transactions": []}
    listed = {"accounts": [account("checking", "Checking", "checking", OPENING)]}
    dinar = {"iso_code": "KWD", "decimal_digits": 3}
    return reports.forecast(
        TABLES["scheduled_transactions"].frame(none),
        TABLES["scheduled_subtransactions"].frame(none),
        told(TABLES["accounts"].frame(listed), currency_format=dinar), past, typical=3,
        until="2026-07-10",
    )  # fmt: skip


CASES: dict[str, tuple[Callable[[], pd.DataFrame], tuple[Any, ...]]] = {
    "balances": (lambda: reports.balances(ledger(), until="2026-06-03")[["balance"]],
        (999_999_997_998.0,)),
    "net_worth": (lambda: reports.net_worth(ledger(), until="2026-06-03")[["net", "change"]],
        (999_999_997_998.0, 999_999_997_998.0)),
    "income_expense": (lambda: reports.income_expense(ledger())[["income", "spent", "net"]],
        (500_000_002_002.0, 500_000_002_002.0, 0.0)),
    "spending": (lambda: reports.spending(ledger())[["spent", "average"]],
        (500_000_002_002.0, 500_000_002_002.0)),
    "same_period": (lambda: reports.same_period(ledger())[["spent"]], (500_000_002_002.0,)),
    "income_sankey": (lambda: reports.income_sankey(ledger()).query("level == 2")[["amount"]],
        (500_000_002_002.0,)),
    "cards": (
        lambda: reports.cards(
            ledger_frame(*(row("2026-06-01", -each, "food", "visa") for each in [LARGE, *SMALL])),
            plan(in_month("2026-06", cell("card", 0.0, 0.0, 1.0))),
        )[["spent", "balance"]],
        (500_000_002_002.0, -500_000_002_002.0),
    ),
    "investments": (lambda: reports.investments(invested())[["contributed", "value", "gain"]],
        (500_000_002_002.0, 499_999_997_998.0, -4_004.0)),
    "runway": (lambda: reports.runway(ledger(), window=3, until="2026-06-03")[["balance", "spent"]],
        (999_999_997_998.0, 500_000_002_002.0)),
    "recurring": (lambda: reports.recurring(in_parts())[["last_amount"]], (500.5,)),
    "payees": (lambda: reports.payees(at_one_payee())[["total"]], (-500_000_002_002.0,)),
    "loans": (lambda: reports.loans(owed()).query("not is_projected")[["payment", "owed"]],
        (2_002.0, 499_999_997_998.0)),
    "budget_vs_actual": (
        lambda: reports.budget_vs_actual(
            plan(*(in_month(f"2026-0{n}", cell("food", 1.001, -1.001)) for n in (4, 5, 6))),
            freq="quarter",
        )[["assigned", "spent", "difference"]],
        (3.003, 3.003, 0.0),
    ),
    "money_flow": (
        lambda: reports.money_flow(
            records(*(move(each, "food", "tea") for each in [LARGE, *SMALL])),
            categories("food", "tea"),
        )[["amount"]],
        (500_000_002_002.0,),
    ),
    "forecast": (
        lambda: coming(
            *(schedule(-each, "2026-06-20") for each in [LARGE, *SMALL]),
            accounts=(account("checking", "Checking", "checking", OPENING),),
        ).iloc[[3]][["change", "balance"]],
        (-500_000_002_002.0, 999_999_997_998.0),
    ),
    "forecast with typical amounts": (lambda: typical().tail(1)[["typical", "balance"]],
        (-2_002.0, 1_499_999_997_998.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", REPORTS)
def test_an_amount_of_a_report_is_the_float_of_whole_milliunits(name: str) -> None:
    """A sum of floats, such as 0.1 + 0.2, is another float; a mean is rounded to milliunits."""
    report = report_of(name)
    for column in report.report_type.columns if report.report_type else ():
        if column.unit == CURRENCY:
            amounts = report[column.name].dropna()
            assert amounts.tolist() == [round(each * 1000) / 1000 for each in amounts], column.name


@pytest.mark.parametrize(("report", "expected"), CASES.values(), ids=CASES)
def test_the_sums_of_a_report_are_sums_of_integers(
    report: Callable[[], pd.DataFrame], expected: tuple[Any, ...]
) -> None:
    found = report()
    assert lines(found, *found.columns) == [expected]


@pytest.mark.parametrize("report", OF_LEDGER)
def test_sums_larger_than_an_integer_are_refused(report: Callable[..., reports.Report]) -> None:
    """The sum of the rows is 2**64 milliunits, which an integer of 64 bits shows as zero."""
    rows = ledger_frame(row("2026-06-02", -(2**51) / 1000, "food")).take([0] * 2**13)
    with pytest.raises(ToolError, match=r"^an amount of 18,446,744,073,709,552 is too large to be"):
        report(rows)

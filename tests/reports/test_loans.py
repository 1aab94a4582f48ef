"""Loans: interest and escrow that no row records, in all reports that show balances."""

from fractions import Fraction
from math import floor
from random import Random
from typing import Any, NamedTuple

import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.reports import balances, loans, net_worth, runway
from budgetframe.reports._shared.loan_rule import Costs, LoanRow, loan_costs, monthly_interest
from tests.frames.columns import Json
from tests.frames.household import account
from tests.programs import programs
from tests.reports.rows import ACCOUNTS, began, ledger_frame, lines, loan_terms, moved, row, values

PAYMENTS = ("2025-10-15", "2025-11-15", "2025-12-15")
RULE = (
    "Loans: in each month with a payment, on the day of its first payment, the debt increases by"
    " interest on the amount owed, at one twelfth of the yearly rate and rounded to the smallest"
    " unit of the currency, and by the escrow amount of the month."
)


def owing(
    *rows: Json, balance: int, start: float = -30_000.0, as_of: str = "2025-12-31", **more: Any
) -> pd.DataFrame:
    """A ledger with a loan that began in September, with the given rows."""
    found = ledger_frame(began("2025-09-01", "loan", start), *rows, as_of=as_of)
    found.attrs["loans"] = [loan_terms(balance, **more)]
    return found


def paid(*days: str, amount: float = 539.0) -> list[Json]:
    """Payments of the loan."""
    return [side for day in days for side in moved(day, amount, "checking", "loan", "rent")]


def known_case(balance: int = -28_604_520) -> pd.DataFrame:
    """30,000 owed at 3 %, and three payments of 539, as users reported it."""
    return owing(*paid(*PAYMENTS), balance=balance)


def of_loan(report: pd.DataFrame, *names: str) -> list[tuple[Any, ...]]:
    return lines(report[report["account_name"] == "Car Loan"], *names)


# The rule


def test_three_payments_of_539_at_three_per_cent() -> None:
    rows = [LoanRow("2025-09-01", -30_000_000, is_start=True)]
    rows += [LoanRow(day, 539_000) for day in PAYMENTS]
    assert loan_costs(rows, loan_terms(0)) == [
        Costs("2025-10-15", 75_000, 0), Costs("2025-11-15", 73_840, 0),
        Costs("2025-12-15", 72_680, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(("owed", "rate", "unit", "expected"), [
    (30_000_000, 3250, 10, 81_250),  # 3250 is 3.25 %
    (29_070_840, 3000, 10, 72_680),  # 72.6771
    (2_000, 3000, 10, 10),  # 0.005 is rounded up
    (1_990, 3000, 10, 0),  # 0.004975
    (200_000_000, 3000, 1000, 500_000),
    (200_200_000, 3000, 1000, 501_000),  # 500.5
    (2_000, 3000, 1, 5), (30_000_000, 0, 10, 0), (0, 3000, 10, 0), (-5_000_000, 3000, 10, 0),
])  # fmt: skip
def test_halves_of_interest_are_rounded_up(owed: int, rate: int, unit: int, expected: int) -> None:
    assert monthly_interest(owed, rate, unit) == expected


def test_a_rate_holds_until_the_month_of_the_next_one() -> None:
    rows = [LoanRow("2025-09-01", -12_000_000, is_start=True)]
    rows += [LoanRow(f"2025-{month}-28", 1_000) for month in ("09", "10", "11", "12")]
    rates = {"2025-10-01": 1000, "2025-12-01": 2000}
    assert loan_costs(rows, loan_terms(0, interest_rates=rates)) == [
        Costs("2025-10-28", 10_000, 0), Costs("2025-11-28", 10_010, 0),
        Costs("2025-12-28", 20_030, 0),
    ]  # fmt: skip


def test_escrow_holds_until_the_next_amount_and_bears_interest() -> None:
    rows = [LoanRow("2025-09-01", -12_000_000, is_start=True)]
    rows += [LoanRow(f"2025-{month}-28", 1_000) for month in ("09", "10", "11", "12")]
    escrow = {"2025-10-01": 200_000, "2025-12-01": 0}
    found = loan_costs(
        rows, loan_terms(0, interest_rates={"2025-01-01": 1000}, escrow_amounts=escrow)
    )
    assert found == [
        Costs("2025-09-28", 10_000, 0), Costs("2025-10-28", 10_010, 200_000),
        Costs("2025-11-28", 10_180, 200_000), Costs("2025-12-28", 10_360, 0),
    ]  # fmt: skip


def test_a_mortgage_whose_escrow_changes_differs_by_a_cent() -> None:
    days = ("2025-10-15", "2025-11-15", "2025-12-15")
    payments = dict(zip(days, (1_891.67, 1_941.67, 1_891.67), strict=True))
    terms: dict[str, Any] = {
        "interest_rates": {"2025-01-01": 5000},
        "escrow_amounts": {"2025-10-01": 200_000, "2025-11-01": 250_000, "2025-12-01": 200_000},
    }
    rows = [each for day, amount in payments.items() for each in paid(day, amount=amount)]
    ledger = owing(*rows, start=-10_000.0, balance=-5_029_330, **terms)
    assert of_loan(balances(ledger), "balance", "interest", "escrow", "unexplained")[-3:] == [
        (-8_350.0, 41.67, 200.0, 0.0),
        (-6_693.12, 34.79, 250.0, 0.0),
        (-5_029.33, 27.89, 200.0, 0.01),  # 5,029.34 by the rule
    ]
    assert values(net_worth(ledger), "unexplained") == [0.0, 0.0, 0.0, 0.01]
    assert lines(loans(ledger), "month", "interest", "escrow", "unexplained", "owed")[1:4] == [
        ("2025-10-01", 41.67, 200.0, 0.0, 8_350.0), ("2025-11-01", 34.79, 250.0, 0.0, 6_693.12),
        ("2025-12-01", 27.89, 200.0, -0.01, 5_029.33),
    ]  # fmt: skip


ROWS_AND_COSTS: dict[str, tuple[list[LoanRow], list[Costs]]] = {
    "only the first payment of a month adds interest": (
        [LoanRow("2025-09-01", -12_000_000, is_start=True), LoanRow("2025-10-20", 6_000_000),
         LoanRow("2025-10-05", 1_000), LoanRow("2025-10-05", 2_000)],
        [Costs("2025-10-05", 30_000, 0)]),
    "other rows of the day come before its payments": (
        [LoanRow("2025-10-01", 1_000), LoanRow("2025-10-01", -12_000_000, is_start=True),
         LoanRow("2025-10-01", -4_000_000, "fee")],
        [Costs("2025-10-01", 40_000, 0)]),
    "a negative row and a starting balance are no payments": (
        [LoanRow("2025-09-01", -12_000_000), LoanRow("2025-10-05", 1_000, is_start=True),
         LoanRow("2025-11-05", -1_000, "payment")],
        []),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "costs"), ROWS_AND_COSTS.values(), ids=ROWS_AND_COSTS)
def test_the_rows_that_add_costs(rows: list[LoanRow], costs: list[Costs]) -> None:
    assert loan_costs(rows, loan_terms(0)) == costs


def test_a_positive_row_is_a_payment_unless_its_kind_differs(subtests: pytest.Subtests) -> None:
    costs = [Costs("2025-10-05", 30_000, 0)]
    others = ["balanceAdjustment", "refund", "credit", "interest", "escrow", "fee", "charge"]
    for kind in ("payment", None, "newKind", *others):
        rows = [LoanRow("2025-09-01", -12_000_000, is_start=True)]
        rows.append(LoanRow("2025-10-05", 1_000, kind))
        with subtests.test(kind=kind):
            assert loan_costs(rows, loan_terms(0)) == ([] if kind in others else costs)


def test_a_month_with_recorded_interest_has_only_the_escrow_and_the_other_way_round() -> None:
    rows = [
        LoanRow("2025-09-01", -12_000_000, is_start=True), LoanRow("2025-10-05", 1_000),
        LoanRow("2025-10-31", -30_000, "interest"), LoanRow("2025-11-05", 1_000),
        LoanRow("2025-11-05", -5_000, "escrow"),
    ]  # fmt: skip
    assert loan_costs(rows, loan_terms(0, escrow_amounts={"2025-01-01": 7_000})) == [
        Costs("2025-10-05", 0, 7_000),
        Costs("2025-11-05", 30_100, 0),  # on 12,040.00: 12,000 + 7 - 1 + 30 - 1 + 5
    ]


# Balances and net worth


def test_the_balance_of_a_loan_is_the_service_s_balance() -> None:
    found = balances(known_case())
    assert of_loan(found, "date", "balance", "interest", "escrow", "unexplained") == [
        ("2025-09-30", -30_000.0, 0.0, 0.0, 0.0), ("2025-10-31", -29_536.0, 75.0, 0.0, 0.0),
        ("2025-11-30", -29_070.84, 73.84, 0.0, 0.0), ("2025-12-31", -28_604.52, 72.68, 0.0, 0.0),
    ]  # fmt: skip
    assert found.attrs["rules"][-2:] == [RULE, "From 2025-09-01 to 2025-12-31."]


def test_without_interest_a_balance_is_the_sum_of_the_rows() -> None:
    found = balances(known_case(), interest=False)
    assert of_loan(found, "balance", "interest", "unexplained") == [
        (-30_000.0, 0.0, 0.0), (-29_461.0, 0.0, 0.0), (-28_922.0, 0.0, 0.0), (-28_383.0, 0.0, 0.0),
    ]  # fmt: skip
    assert found.attrs["rules"][-2] == (
        "Loans: the balance is the sum of the rows, without the interest and escrow that no row"
        " records."
    )


def test_net_worth_has_the_interest_and_escrow_of_each_month() -> None:
    ledger = owing(*paid(*PAYMENTS), balance=-28_754_900, escrow_amounts={"2025-11-01": 75_000})
    found = net_worth(ledger, since="2025-10-01")
    assert lines(found, "date", "debts", "change", "interest", "escrow", "unexplained") == [
        ("2025-10-31", -30_075.0, -75.0, 75.0, 0.0, 0.0),
        ("2025-11-30", -30_223.84, -148.84, 73.84, 75.0, 0.0),
        ("2025-12-31", -30_371.9, -148.06, 72.86, 75.0, -0.2),
    ]
    plain = net_worth(ledger, since="2025-10-01", interest=False)
    assert (
        lines(plain, "debts", "change", "interest", "escrow", "unexplained")
        == [(-30_000.0, 0.0, 0.0, 0.0, 0.0)] * 3
    )


def test_periods_before_the_first_one_count_in_the_opening_balance() -> None:
    found = balances(known_case(), since="2025-12-01", freq="day")
    assert of_loan(found, "date", "balance", "interest")[13:16] == [
        ("2025-12-14", -29_070.84, 0.0), ("2025-12-15", -28_604.52, 72.68),
        ("2025-12-16", -28_604.52, 0.0),
    ]  # fmt: skip


def test_an_unexplained_difference_is_in_the_last_row_and_in_the_rules() -> None:
    found = balances(known_case(balance=-28_616_865))
    assert of_loan(found, "balance", "interest", "unexplained")[-2:] == [
        (-29_070.84, 73.84, 0.0), (-28_616.865, 72.68, -12.345),
    ]  # fmt: skip
    assert found.attrs["rules"][-3:] == [
        RULE,
        (
            "Car Loan: the service's balance differs by -12.35 from the calculated one. The"
            " balance of the last day contains the difference."
        ),
        "From 2025-09-01 to 2025-12-31.",
    ]
    worth = net_worth(known_case(balance=-28_616_865))
    assert values(worth, "unexplained") == [0.0, 0.0, 0.0, -12.345]
    assert values(worth, "net")[-1] == -30_233.865


def test_a_span_that_ends_earlier_has_no_unexplained_difference() -> None:
    found = balances(known_case(balance=-28_616_865), until="2025-12-30")
    assert of_loan(found, "date", "balance", "unexplained")[-1] == ("2025-12-30", -28_604.52, 0.0)
    assert found.attrs["rules"][-2] == RULE
    earlier = net_worth(known_case(), until="2025-12-14")
    assert lines(earlier, "debts", "interest")[-1] == (-30_148.84, 0.0)


def test_rows_that_add_up_to_the_balance_record_all_interest() -> None:
    ledger = owing(*paid("2025-10-15"), row("2025-11-01", -3.0, None, "loan"), balance=-29_464_000)
    found = balances(ledger)
    assert of_loan(found, "balance", "interest", "unexplained")[-1] == (-29_464.0, 0.0, 0.0)
    assert RULE not in found.attrs["rules"]


def test_a_part_of_the_ledger_of_such_a_loan_has_no_computed_interest_either() -> None:
    rows = [*paid(*PAYMENTS), row("2025-12-31", -90.0, None, "loan")]
    ledger = owing(*rows, balance=-28_473_000, rows_total=-28_473_000)
    found = balances(ledger[ledger["date"] < "2025-12-01"])
    assert of_loan(found, "balance", "interest", "unexplained")[-1] == (-28_922.0, 0.0, 0.0)


def test_a_part_of_the_rows_of_a_loan_has_no_unexplained_difference() -> None:
    ledger = known_case()
    ledger.attrs["loans"][0]["rows_total"] = -28_383_000
    found = balances(ledger[ledger["date"] < "2025-12-01"])
    assert of_loan(found, "balance", "unexplained")[-1] == (-29_070.84, 0.0)


def test_interest_is_rounded_to_the_decimals_of_the_currency() -> None:
    for digits, interest in ((0, 501.0), (2, 500.5), (3, 500.503)):
        ledger = owing(*paid("2025-10-15"), balance=0, start=-200_201.2)
        ledger.attrs["currency_format"] = {"decimal_digits": digits}
        assert of_loan(balances(ledger), "interest")[1] == (interest,), digits


def test_a_loan_without_rows_and_other_accounts_are_not_affected() -> None:
    ledger = ledger_frame(began("2025-09-01", "checking", 10.0), as_of="2025-09-30")
    plain = balances(ledger)
    ledger.attrs["loans"] = [loan_terms(-5_000)]
    assert lines(balances(ledger), *plain.columns) == lines(plain, *plain.columns)
    assert lines(plain, "balance", "interest", "escrow", "unexplained") == [(10.0, 0.0, 0.0, 0.0)]


def test_loans_of_an_account_on_budget_change_the_runway() -> None:
    accounts = tuple(each for each in ACCOUNTS if each["id"] != "loan")
    accounts += (account("loan", "Car Loan", "autoLoan", 0.0, on_budget=True),)
    ledger = ledger_frame(
        began("2025-09-01", "checking", 50_000.0), began("2025-09-01", "loan", -30_000.0),
        *moved("2025-10-15", 539.0, "checking", "loan"), row("2025-10-20", -90.0, "food"),
        as_of="2025-12-31", accounts=accounts,
    )  # fmt: skip
    ledger.attrs["loans"] = [loan_terms(-29_537_000)]
    assert values(runway(ledger), "balance")[1:] == [19_835.0, 19_835.0, 19_834.0]
    assert values(runway(ledger, interest=False), "balance")[-1] == 19_910.0


# The picture


def test_the_unexplained_difference_is_a_step_in_the_line_of_balances() -> None:
    axes = balances(known_case(balance=-28_704_520)).plot()
    line = next(each for each in axes.get_lines() if each.get_label() == "Car Loan")
    assert [round(y, 2) for y in line.get_ydata()[-2:]] == [-28_604.52, -28_704.52]
    assert line.get_xdata()[-1] == line.get_xdata()[-2]
    assert len(line.get_xdata()) == 5


def test_the_unexplained_difference_is_a_step_in_the_line_of_net_worth() -> None:
    axes = net_worth(known_case(balance=-28_704_520)).plot()
    line = next(each for each in axes.get_lines() if each.get_label() == "net")
    months = [20347.0, 20377.5, 20408.0, 20438.5]  # the middles of September to December
    assert list(line.get_xdata()) == [*months, months[-1]]
    assert [round(y, 2) for y in line.get_ydata()] == [
        *(-30_000.0, -30_075.0, -30_148.84, -30_221.52, -30_321.52)
    ]
    plain = net_worth(known_case()).plot()
    line = next(each for each in plain.get_lines() if each.get_label() == "net")
    assert list(line.get_xdata()) == months


# Loans by month


def test_loans_show_each_month_until_the_loan_is_paid_off() -> None:
    found = loans(known_case())
    names = ("month", "payment", "interest", "principal", "other", "owed", "is_projected")
    assert lines(found, *names)[:6] == [
        ("2025-09-01", 0.0, 0.0, 0.0, 30_000.0, 30_000.0, False),
        ("2025-10-01", 539.0, 75.0, 464.0, 0.0, 29_536.0, False),
        ("2025-11-01", 539.0, 73.84, 465.16, 0.0, 29_070.84, False),
        ("2025-12-01", 539.0, 72.68, 466.32, 0.0, 28_604.52, False),
        ("2026-01-01", 539.0, 71.51, 467.49, 0.0, 28_137.03, True),
        ("2026-02-01", 539.0, 70.34, 468.66, 0.0, 27_668.37, True),
    ]
    assert lines(found, *names)[-2:] == [
        ("2030-09-01", 539.0, 1.35, 537.65, 0.0, 3.93, True),
        ("2030-10-01", 3.94, 0.01, 3.93, 0.0, 0.0, True),
    ]
    assert found.attrs["rules"][-1] == "Car Loan: paid off in 2030-10 with 539.00 a month."


def test_the_last_month_of_the_history_owes_what_the_service_says() -> None:
    found = loans(known_case(balance=-28_616_865))
    assert lines(found[~found["is_projected"]], "owed", "unexplained")[-1] == (28_616.865, 12.345)
    assert "differs by -12.35" in found.attrs["rules"][1]


def test_recorded_interest_and_escrow_are_shown_as_such() -> None:
    ledger = owing(
        *paid("2025-10-15"),
        row("2025-10-15", -80.0, None, "loan", debt_transaction_type="interest"),
        row("2025-10-15", -20.0, None, "loan", debt_transaction_type="escrow"),
        row("2025-10-16", -5.0, None, "loan", debt_transaction_type="fee"),
        balance=-29_566_000,
    )
    assert lines(loans(ledger), "payment", "interest", "escrow", "principal", "other", "owed")[
        1
    ] == (539.0, 80.0, 20.0, 439.0, 5.0, 29_566.0)


def test_a_payment_that_does_not_exceed_the_costs_never_pays_off() -> None:
    ledger = owing(*paid("2025-10-15", amount=75.0), balance=-30_000_000, as_of="2025-10-31")
    found = loans(ledger)
    assert values(found, "is_projected") == [False, False]
    assert found.attrs["rules"][-1] == (
        "Car Loan: never paid off with 75.00 a month, because the payment does not exceed interest"
        " and escrow."
    )
    assert len(loans(ledger, payment=100)) == 2 + 556  # ln(4) / ln(1.0025)


def test_a_projection_of_more_than_a_hundred_years_is_not_shown() -> None:
    ledger = owing(*paid("2025-10-15", amount=1.0), balance=0, interest_rates={}, start=-1_202.0)
    ledger.attrs["loans"][0]["balance"] = -1_201_000
    found = loans(ledger)
    assert not found["is_projected"].any()
    assert found.attrs["rules"][-1] == (
        "Car Loan: never paid off with 1.00 a month, because it would take more than 100 years."
    )
    ledger.attrs["loans"][0]["balance"] = -1_200_000
    assert loans(ledger)["is_projected"].sum() == 1_200


@pytest.mark.parametrize(("payments", "expected"), [
    ({"2025-11-15": 500.0, "2025-12-15": 600.0}, "600.00"),
    ({"2025-11-15": 500.0, "2025-12-15": 400.0}, "500.00"),  # December can have more
    ({"2025-10-01": 100.0, "2025-10-15": 150.0}, "250.00"),
    ({"2025-10-15": 700.0, "2025-11-15": 400.0, "2025-12-15": 410.0}, "410.00"),
    ({"2025-10-15": 539.0, "2025-11-15": 539.0, "2025-12-15": 5_929.0}, "539.00"),
    ({f"2025-{month:02}-15": 100.0 * month for month in range(4, 13)}, "1,000.00"),
    ({}, "321.00"),  # the minimum payment
])  # fmt: skip
def test_the_present_payment(payments: dict[str, float], expected: str) -> None:
    rows = [side for day, each in payments.items() for side in paid(day, amount=each)]
    found = loans(owing(*rows, balance=-29_000_000, minimum_payments={"2025-01-01": 321_000}))
    assert f"with {expected} a month" in found.attrs["rules"][-1]
    rule = (
        "The projected payment is the median of the last six months with payments, the larger of"
        " two middle ones, or the minimum payment if there are none."
    )
    assert rule in found.attrs["rules"]
    for payment in (500, {"Car Loan": 500}):
        assert rule not in loans(known_case(), payment=payment).attrs["rules"]


def test_a_projection_begins_with_this_month_if_its_payment_is_still_to_come() -> None:
    names = ("month", "payment", "interest", "owed", "is_projected")
    ledger = owing(*paid(*PAYMENTS), balance=-28_604_520, as_of="2026-01-10")
    assert lines(loans(ledger), *names)[3:6] == [
        ("2025-12-01", 539.0, 72.68, 28_604.52, False),
        ("2026-01-01", 539.0, 71.51, 28_137.03, True),
        ("2026-02-01", 539.0, 70.34, 27_668.37, True),
    ]
    differs = owing(*paid(*PAYMENTS), balance=-28_604_530, as_of="2026-01-10")
    assert lines(loans(differs), *names)[4:6] == [
        ("2026-01-01", 0.0, 0.0, 28_604.53, False), ("2026-02-01", 539.0, 71.51, 28_137.04, True),
    ]  # fmt: skip
    never = loans(ledger, payment=1)
    assert lines(never, "month", "owed", "is_projected")[4:] == [("2026-01-01", 28_604.52, False)]


def test_a_projection_uses_later_rates_and_escrow_amounts() -> None:
    later = known_case()
    later.attrs["loans"][0]["interest_rates"]["2026-02-01"] = 6000
    later.attrs["loans"][0]["escrow_amounts"] = {"2026-02-01": 10_000}
    assert lines(loans(later), "interest", "escrow", "owed")[4:6] == [
        (71.51, 0.0, 28_137.03), (140.69, 10.0, 27_748.72),
    ]  # fmt: skip


def test_a_payment_that_is_too_small_for_the_present_rate_only_is_projected() -> None:
    ledger = owing(
        *paid("2025-10-15", amount=75.0), balance=-30_000_000, as_of="2025-10-31",
        interest_rates={"2025-01-01": 3000, "2025-12-01": 0},
    )  # fmt: skip
    found = loans(ledger)
    assert lines(found, "interest", "owed")[2:4] == [(75.0, 30_000.0), (0.0, 29_925.0)]
    assert found.attrs["rules"][-1] == "Car Loan: paid off in 2059-03 with 75.00 a month."


def test_a_loan_that_is_paid_off_has_no_projection() -> None:
    found = loans(owing(*paid("2025-10-15", amount=30_075.0), balance=0))
    assert lines(found, "owed", "is_projected")[-1] == (0.0, False)
    assert found.attrs["rules"][-1] == "Car Loan: nothing is owed."


def test_accounts_select_and_exclude_loans() -> None:
    for name in ("loan", "Car Loan", ["Car Loan"]):
        assert len(loans(known_case(), accounts=name)) == 62, name
    assert len(loans(ledger_frame(as_of="2026-06-17"))) == 0
    excluded = loans(known_case(), exclude_accounts=["loan"])
    assert len(excluded) == 0
    assert excluded.attrs["rules"][0] == "Excluded accounts: Car Loan."
    without = ledger_frame(row("2026-05-01", -1.0, "food"))
    for ledger, name in ((known_case(), "Checking"), (without, "Car Loan")):
        with pytest.raises(ToolError, match=f"^accounts: there is no loan '{name}' with trans"):
            loans(ledger, accounts=name)


def test_a_payment_that_is_no_amount_is_rejected(subtests: pytest.Subtests) -> None:
    wrong: tuple[Any, ...] = (
        *(0, -1.0, float("nan"), float("inf"), float("-inf"), "5", True, 1e-5, 0.009),
    )
    number = "it must be a number from 0"
    cases: list[tuple[Any, str]] = [
        *(({"payment": each}, f"payment={each!r}: {number}.0") for each in wrong),
        ({"payment": {"Car Loan": 0}}, rf"payment\['Car Loan'\]=0: {number}.0"),
        ({"payment": {"Kar Loan": 1}}, "payment: there is no loan 'Kar .*closest .* 'Car Loan'"),
        ({"payment": {5: 1}}, "it must be a name or a key"),
        ({"payment": {"": 5}}, "there is no loan ''"),
        ({"payment": {"Car Loan": 5, "loan": 6}}, "the loan 'Car Loan' has several payments"),
        ({"extra": 0.001}, r"extra=0.001: it must be a number from 0\.01"),
        ({"extra": -1}, f"extra=-1: {number}"),
        ({"order": "smallest"}, "order='smallest': it must be one of 'avalanche', 'snowball'"),
    ]
    for more, message in cases:
        with subtests.test(**more), pytest.raises(ToolError, match=message):
            loans(known_case(), **more)
    assert loans(known_case(), payment=0.01)["is_projected"].sum() == 0


# Several loans, an extra amount and an order


class Debt(NamedTuple):
    """A loan in June 2026; rates, escrow and its beginning are in numbered months of that year."""

    name: str
    owed: int
    payment: int
    rates: dict[int, int]
    escrow: dict[int, int]
    month: int = 4


def projected(*debts: Debt, rows: str = "is_projected", **more: Any) -> Any:
    """The projected months of loans with these payments; a key is the name in capitals."""
    starts = (began(f"2026-0{one.month}-01", one.name.upper(), -one.owed / 1000) for one in debts)
    listed = (account(one.name.upper(), one.name, "otherDebt", 0.0) for one in debts)
    ledger, terms = ledger_frame(*starts, accounts=(*ACCOUNTS, *listed)), list[Json]()
    for name, owed, _, *maps, _ in debts:
        rates, escrow = ({f"2026-{at:02}-01": each[at] for at in each} for each in maps)
        more_of_loan = {"account_id": name.upper(), "account_name": name}
        terms.append(loan_terms(-owed, interest_rates=rates, escrow_amounts=escrow) | more_of_loan)
    ledger.attrs["loans"] = terms
    payment = {one.name: one.payment / 1000 for one in debts}
    return loans(ledger, **{"payment": payment} | more).query(rows)


KITCHEN = Debt("Kitchen", 1_000_000, 500_000, {1: 12_000}, {1: 0})
CAR = Debt("Car", 2_000_000, 300_000, {1: 6_000}, {1: 0})
SMALL = KITCHEN._replace(payment=5_000)  # less than its interest of 10
SHOWN = ("payment", "interest", "escrow", "owed", "owed_without", "interest_saved")


def test_what_is_left_goes_on_to_the_next_loan_in_order() -> None:
    found = projected(KITCHEN, CAR, extra=200)
    assert lines(found, "account_name", *SHOWN) == [
        ("Car", 300.0, 10.0, 0.0, 1_710.0, 1_710.0, 0.0),
        ("Car", 686.9, 8.55, 0.0, 1_031.65, 1_418.55, 0.0),
        ("Car", 1_000.0, 5.16, 0.0, 36.81, 1_125.64, 1.93),
        ("Car", 36.99, 0.18, 0.0, 0.0, 831.27, 5.45),
        ("Car", 0.0, 0.0, 0.0, 0.0, 535.43, 4.16), ("Car", 0.0, 0.0, 0.0, 0.0, 238.11, 2.68),
        ("Car", 0.0, 0.0, 0.0, 0.0, 0.0, 1.19),
        ("Kitchen", 700.0, 10.0, 0.0, 310.0, 510.0, 0.0),
        ("Kitchen", 313.1, 3.1, 0.0, 0.0, 15.1, 2.0), ("Kitchen", 0.0, 0.0, 0.0, 0.0, 0.0, 0.15),
    ]  # fmt: skip
    assert found.attrs["order"] == ["Kitchen", "Car"]
    rule = "With own payments only, the end is in 2026-12: 3 months later and 17.56 more of"
    assert found.attrs["rules"][-1] == f"{rule} interest."
    assert values(found.compare(), "paid_off_on_without")[:2] == ["2026-12-01", "2026-08-01"]
    assert values(found.compare(), "interest_saved") == [15.41, 2.15, 17.56]
    assert values(pd.concat([found, found]).compare(), "interest_saved") == [15.41, 2.15, 17.56]
    early = found[found["month"] < "2026-09-01"].compare()
    assert values(early, "paid_off_on") == [None, "2026-07-01", None]
    debts = (KITCHEN._replace(rates={1: 600_000}), CAR)  # 500.00 of interest a month, and more
    never = projected(*debts, rows="owed >= 0", order="snowball", payment=400).compare()
    assert lines(never, "account_name", "paid_off_on", "interest") == [
        ("Car", "2026-11-01", 30.55), ("Kitchen", None, None), ("Total", None, None)
    ]  # fmt: skip
    dashed = [line for line in found.plot().get_lines() if line.get_linestyle() == "--"]
    assert [line.get_label() for line in dashed] == ["each loan alone", "_"]
    assert found.plot().get_title(loc="left").startswith("Owed by loan, Jun – Sep 2026")
    alone = projected(KITCHEN, CAR, payment={"Car": 300, "KITCHEN": 500})  # by name and by key
    assert lines(alone, "payment", "owed_without")[6:8] == [(239.3, None), (500.0, None)]


@pytest.mark.parametrize(("debts", "more", "car", "kitchen"), [
    ((KITCHEN, CAR), {"order": "snowball", "extra": 200}, "2026-09", "2026-07"),
    ((KITCHEN, CAR), {"order": "avalanche"}, "2026-09", "2026-08"),  # 484.75 are left in August
    # The rate of Car is the highest from July on. If it were not, Kitchen would end in September.
    ((KITCHEN._replace(payment=100_000), CAR._replace(rates={1: 6_000, 7: 24_000})),
        {"extra": 200}, "2026-10", "2026-11"),
    ((SMALL, CAR), {"order": "snowball"}, "2026-12", "2027-04"),  # 1,036.07 - 60.70 in December
    # Both grow in June, but then Car is smaller than Kitchen, which has ten per cent a month.
    ((SMALL._replace(rates={1: 120_000}), CAR._replace(owed=1_004_000, payment=5_000)),
        {"order": "snowball", "extra": 90}, "2027-05", None),
    ((SMALL,), {"extra": 5}, None, None), ((SMALL,), {"extra": 1_005}, None, "2026-06"),
    ((SMALL._replace(month=6), CAR), {"extra": 1_005}, "2026-09", "2026-07"),  # both from July on
])  # fmt: skip
def test_loans_are_paid_off_in_an_order(debts: Any, more: Any, car: Any, kitchen: Any) -> None:
    found = projected(*debts, **more)
    ends = found[found["payment"] > 0].groupby("account_name")["month"].max().dt.strftime("%Y-%m")
    assert (ends.get("Car"), ends.get("Kitchen")) == (car, kitchen)
    without = "not all loans are" if kitchen else "never paid off with 5.00 a month and"
    assert len(debts) > 1 or without in " ".join(found.attrs["rules"][-2:])


def by_hand(debts: list[Debt], extra: int, order: str) -> dict[tuple[str, int], list[int]]:
    """Payment, interest, escrow and debt by name and number of the month, in plain integers."""
    rows, left = dict[tuple[str, int], list[int]](), 0
    owed = {one.name: one.owed for one in debts}
    first = {one.name: 7 if one.month == 6 else 6 for one in debts}  # June is still to come
    for month in range(6, max(first.values()) + 1_200):
        pot, due = left + extra * (month >= max(first.values())), list[Any]()
        for one in debts:
            if owed[one.name] and first[one.name] <= month:
                rate, escrow = (each[max(at for at in each if at <= month)] for each in one[3:5])
                due.append((-rate if order == "avalanche" else owed[one.name], one.name, one))
                interest = 10 * floor(Fraction(owed[one.name] * rate, 12_000_000) + Fraction(1, 2))
                owed[one.name] += interest + escrow
                paid = min(one.payment, owed[one.name])
                rows[one.name, month] = [paid, interest, escrow, owed[one.name] - paid]
                pot += one.payment - paid
        for _, name, one in sorted(due):
            more = min(pot, rows[name, month][3])
            rows[name, month][0] += more
            rows[name, month][3] -= more
            pot, owed[name] = pot - more, rows[name, month][3]
            left += 0 if owed[name] else one.payment
    return {key: row for key, row in rows.items() if not owed[key[0]]}


@pytest.mark.parametrize("program", programs(5))
def test_loans_are_those_of_a_schedule_by_hand(program: int) -> None:
    draw, rates = Random(program), (0, 900, 3_000, 9_990, 24_000)  # noqa: S311 - no secret
    debts = [
        Debt(
            name, 10 * draw.randint(1, 2_000_000), 10 * draw.randint(1, 40_000),
            {1: draw.choice(rates), draw.choice((7, 11)): draw.choice(rates)},
            draw.choice([{1: 0}, {1: 0}, {1: 9_990, 12: 0}]), draw.choice([4, 6]),
        )
        for name in draw.sample("ABCD", draw.randint(1, 4))
    ]  # fmt: skip
    extra, order = draw.choice((0, 10, 50_000, 333_330)), draw.choice(("avalanche", "snowball"))
    found = projected(*debts, extra=extra / 1000, order=order)
    months = 12 * (found["month"].dt.year - 2026) + found["month"].dt.month
    rows = [[each and round(1000 * each) for each in line] for line in lines(found, *SHOWN)]
    shown = dict(zip(zip(found["account_name"], months, strict=True), rows, strict=True))
    planned = by_hand(debts, extra, order)
    assert {key: row[:4] for key, row in shown.items() if row[0]} == planned
    alone = {key: row for one in debts for key, row in by_hand([one], 0, order).items()}
    assert {key: row[4:] for key, row in shown.items() if row[4] is not None} == {
        key: [row[3], row[1] - planned.get(key, [0, 0])[1]] for key, row in alone.items()
    }


def test_a_ledger_without_its_first_rows_is_rejected() -> None:
    ledger = known_case()
    ledger.attrs["since"] = "2025-10-01"
    with pytest.raises(ToolError, match="starts at 2025-10-01"):
        loans(ledger)


def test_the_picture_of_loans_has_a_point_where_the_projection_begins() -> None:
    axes = loans(known_case(balance=-28_704_520)).plot()
    line, _, point = axes.get_lines()
    drawn = [round(y, 2) for y in line.get_ydata()]
    assert drawn[:5] == [30_000.0, 29_536.0, 29_070.84, 28_604.52, 28_704.52]
    assert (drawn[-1], [*point.get_ydata()]) == (0.0, [28_704.52])
    assert axes.get_title(loc="left") == "Owed on Car Loan, Sep 2025 – Oct 2030: 28,704.52 now"


def test_rows_without_an_amount_count_as_zero_and_the_rules_state_their_number() -> None:
    ledger = known_case()
    assert not any("no amount" in rule for rule in balances(ledger).attrs["rules"])
    last = ledger.index[-1]
    ledger.loc[last, "amount"] = float("nan")
    rules = balances(ledger).attrs["rules"]
    assert rules[-1] == "Missing amounts: 1 row has no amount and counts as 0."
    ledger.loc[last - 1, "amount"] = float("nan")
    assert net_worth(ledger).attrs["rules"][-1] == (
        "Missing amounts: 2 rows have no amount and count as 0."
    )


# Without the terms


def test_without_terms_the_balance_is_the_stated_sum_of_rows(subtests: pytest.Subtests) -> None:
    ledger = known_case()
    ledger.attrs = {}
    rule = "Loans: the frame has no terms of Car Loan, so its balance is the sum of its rows."
    for report in (balances, net_worth, loans):
        with subtests.test(name=report.__name__):
            with pytest.warns(RuntimeWarning, match="no terms of Car Loan") as warned:
                found = report(ledger)
            assert len(warned) == 1
            assert rule in found.attrs["rules"]
            assert RULE not in found.attrs["rules"]
    assert rule not in balances(ledger, interest=False).attrs["rules"]
    with pytest.warns(RuntimeWarning, match="attrs"):
        assert of_loan(balances(ledger), "balance", "interest")[-1] == (-28_383.0, 0.0)


def test_several_loans_without_terms_are_named_in_one_warning() -> None:
    ledger = ledger_frame(
        began("2025-09-01", "loan", -30_000.0), began("2025-09-01", "house", -90_000.0),
        accounts=(*ACCOUNTS, account("house", "A House", "mortgage", 0.0, on_budget=False)),
    )  # fmt: skip
    ledger.attrs = {}
    with pytest.warns(RuntimeWarning, match="no terms of A House, Car Loan, so their") as warned:
        rules = net_worth(ledger).attrs["rules"]
    assert len(warned) == 1
    assert rules[-2] == (
        "Loans: the frame has no terms of A House, Car Loan, so their balances are the sums of"
        " their rows."
    )


def test_the_history_of_a_loan_without_terms_is_shown_but_not_projected() -> None:
    ledger = known_case()
    ledger.attrs = {"as_of": "2025-12-31T12:00:00+00:00"}
    with pytest.warns(RuntimeWarning, match="no terms of Car Loan"):
        found = loans(ledger)
    assert lines(found, "month", "owed", "is_projected") == [
        ("2025-09-01", 30_000.0, False), ("2025-10-01", 29_461.0, False),
        ("2025-11-01", 28_922.0, False), ("2025-12-01", 28_383.0, False),
    ]  # fmt: skip
    assert found.attrs["rules"][-1] == "Car Loan: not projected, because its terms are unknown."


def test_the_runway_needs_the_terms_of_loans_on_budget_only() -> None:
    ledger = known_case()
    ledger.attrs = {"as_of": "2025-12-31T12:00:00+00:00"}
    assert not any("no terms" in rule for rule in runway(ledger).attrs["rules"])
    ledger.loc[ledger["account_id"] == "loan", "on_budget"] = True
    with pytest.warns(RuntimeWarning, match="no terms of Car Loan"):
        found = runway(ledger)
    assert any("no terms of Car Loan" in rule for rule in found.attrs["rules"])


def test_some_rows_of_a_loan_are_not_compared_with_the_service(subtests: pytest.Subtests) -> None:
    ledger = known_case()
    ledger.attrs["loans"][0]["rows_total"] = -28_383_000
    rule = (
        "Car Loan: the frame lacks rows of the account, so its balance is not compared with the"
        " service's."
    )
    part = ledger[ledger["date"] < "2025-12-01"]
    for report in (balances, net_worth, loans):
        with subtests.test(name=report.__name__):
            assert rule in report(part).attrs["rules"]
            assert rule not in report(ledger).attrs["rules"]
    assert rule not in balances(part, until="2025-11-30").attrs["rules"]

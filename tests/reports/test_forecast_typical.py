"""The report forecast with typical income and spending, and its band."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.frames import TABLES
from budgetframe.reports import Report, forecast
from tests.facade.service import ServiceWithFacade
from tests.frames.columns import Json
from tests.reports.plans import YEN, household, told
from tests.reports.rows import ACCOUNTS, began, ledger_frame, lines, loan_terms, moved, row, values

TODAY = "2026-06-17"
OPENING = (began("2025-12-31", "checking", 0.0), began("2025-12-31", "visa", 0.0))


def monthly(day: int, *amounts: float, at: str = "checking", of: str = "food") -> list[Json]:
    """One row a month, the last in May 2026."""
    months = pd.period_range(end="2026-05", periods=len(amounts), freq="M")
    return [
        row(f"{month}-{day:02}", each, of, at) for month, each in zip(months, amounts, strict=True)
    ]


def monthly_moves(
    day: int, amount: float, origin: str, target: str, category_id: str | None = None
) -> list[Json]:
    """Both sides of a transfer in March, April and May 2026."""
    months = ("2026-03", "2026-04", "2026-05")
    both = (moved(f"{month}-{day:02}", amount, origin, target, category_id) for month in months)
    return [side for sides in both for side in sides]


def schedule(amount: float, upcoming: str, of: str | None = "food", **more: Any) -> Json:
    """A schedule of the checking account that happens once."""
    parts = [
        {"id": f"p{place}", "scheduled_transaction_id": "s", "amount": each, "category_id": name}
        for place, (each, name) in enumerate(more.pop("parts", ()))
    ]
    at = more.pop("at", "checking")
    return (
        {"id": "s", "date_first": upcoming, "date_next": upcoming, "frequency": "never"}
        | {"amount": amount, "account_id": at, "account_name": at, "category_id": of}
        | {"transfer_account_id": None, "subtransactions": parts, **more}
    )


def coming(
    *rows: Json, scheduled: Sequence[Json] = (), typical: Any = 3, until: str = "2026-07-31",
    accounts: Sequence[Json] = ACCOUNTS, shown: Sequence[str] | None = None,
    ledger_attrs: dict[str, Any] | None = None, **more: Any,
) -> Report:  # fmt: skip
    """The forecast from 17 June for a ledger of these rows."""
    answer = {"scheduled_transactions": list(scheduled)}
    attrs = {name: more.pop(name) for name in ("currency_format", "loans") if name in more}
    ledger = ledger_frame(*(OPENING if more.pop("opening", True) else ()), *rows)
    ledger.attrs |= ledger_attrs or {}
    return forecast(
        TABLES["scheduled_transactions"].frame(answer),
        TABLES["scheduled_subtransactions"].frame(answer),
        told(TABLES["accounts"].frame({"accounts": list(accounts)}), TODAY, **attrs),
        ledger, typical=typical, until=until, accounts=shown, **more,
    )  # fmt: skip


def typical_days(report: pd.DataFrame, account_id: str = "checking") -> dict[str, float]:
    """The typical amounts of an account that are not zero, by day."""
    own = report[report["account_id"] == account_id]
    return {day: amount for day, amount in lines(own, "date", "typical") if amount}


# Amounts and days


def test_a_typical_amount_is_the_median_of_the_last_complete_months() -> None:
    rows = monthly(10, -999.0, -70.0, -20.0, -30.0)  # the oldest of four months does not count
    assert typical_days(coming(*rows)) == {"2026-07-10": -30.0}
    assert typical_days(coming(*rows, typical=4)) == {"2026-07-10": -50.0}
    now = row("2026-06-10", -500.0, "food")  # the current month does not count either
    assert typical_days(coming(*rows, now)) == {"2026-07-10": -30.0}
    stated = coming(*rows, ledger_attrs={"rows": 99, "source": "GET /ledger"}).attrs
    assert stated["source"].endswith("GET /ledger")
    assert "The ledger was filtered before: it has 6 of its 99 rows." in stated["rules"]
    # A month without transactions is zero.
    assert typical_days(coming(*monthly(10, -70.0))) == {}
    assert typical_days(coming(*monthly(10, -70.0, 0.0, -20.0))) == {"2026-07-10": -20.0}


def test_the_median_of_two_amounts_is_rounded_to_the_smallest_unit() -> None:
    rows = monthly(10, -10.01, -10.04)  # the mean is 10.025
    assert typical_days(coming(*rows, typical=2)) == {"2026-07-10": -10.03}
    rows = monthly(10, -1001.0, -1004.0)
    assert typical_days(coming(*rows, typical=2, currency_format=YEN)) == {"2026-07-10": -1003.0}


def test_a_category_with_one_day_a_month_falls_on_the_median_day() -> None:
    rows = [
        row("2026-03-29", 100.0, "ready"), row("2026-04-30", 100.0, "ready"),
        row("2026-05-31", 100.0, "ready"),
    ]  # fmt: skip
    assert typical_days(coming(*rows)) == {"2026-06-30": 100.0, "2026-07-30": 100.0}
    rows = monthly(31, 100.0, of="ready")  # the last day of a shorter month
    assert typical_days(coming(*rows, typical=1))["2026-06-30"] == 100.0


def test_other_categories_are_spread_evenly_without_drift() -> None:
    rows = [*monthly(3, -20.0, -20.0, -20.0), *monthly(20, -11.0, -11.0, -11.0)]
    found = typical_days(coming(*rows))
    assert {day: found[day] for day in found if day > "2026-07"} == {
        f"2026-07-{day:02}": -1.0 for day in range(1, 32)
    }
    # 17 of 30 days of June have passed: 31 - 17.56 = 13.44 remain for 13 days.
    assert list(found.values())[:13] == [
        *(-1.03, -1.03, -1.04, -1.03, -1.03, -1.04),
        *(-1.03, -1.04, -1.03, -1.03, -1.04, -1.03, -1.04),
    ]


@pytest.mark.parametrize("amount", [-0.01, -0.31, -7.77, -100.01])
def test_every_whole_month_has_the_median_of_each_category(amount: float) -> None:
    rows = [*monthly(3, *[amount] * 3), *monthly(4, *[amount] * 3, at="visa")]
    found = coming(*rows, until="2026-09-30")
    by_month = found.groupby(found["date"].dt.strftime("%Y-%m"))["typical"].sum().round(3)
    assert by_month.tolist()[1:] == [round(2 * amount, 3)] * 3


def test_a_balance_contains_the_typical_amounts_and_today_has_none() -> None:
    rows = monthly(17, -30.0, -30.0, -30.0)
    accounts = [{**ACCOUNTS[0], "balance": 100.0}]
    found = coming(*rows, accounts=accounts, scheduled=[schedule(-5.0, TODAY, "fun")])
    assert lines(found, "date", "change", "typical", "balance")[::30] == [
        (TODAY, -5.0, 0.0, 95.0), ("2026-07-17", 0.0, -30.0, 65.0),
    ]  # fmt: skip


# Accounts


def test_a_category_falls_on_its_accounts_in_the_shares_of_the_months() -> None:
    rows = [*monthly(10, -10.0, -10.0, -10.0), *monthly(10, -20.01, -20.01, -20.01, at="visa")]
    found = coming(*rows)
    assert typical_days(found, "visa") == {"2026-07-10": -20.01}
    assert typical_days(found) == {"2026-07-10": -10.0}


def test_a_refund_in_another_account_does_not_change_the_shares() -> None:
    found = coming(*[*monthly(10, -30.0, -30.0, -30.0), row("2026-05-10", 10.0, "food", "visa")])
    assert (typical_days(found), typical_days(found, "visa")) == ({"2026-07-10": -30.0}, {})


def test_a_closed_account_has_no_typical_amounts() -> None:
    rows = [*monthly(10, -10.0, -10.0, -10.0), *monthly(10, -20.0, -20.0, -20.0, at="old")]
    found = coming(*rows, shown=["Checking", "Old"])
    assert typical_days(found) == {"2026-07-10": -30.0}
    assert typical_days(found, "old") == {}
    assert set(values(coming(*monthly(10, -20.0, -20.0, -20.0, at="old")), "typical")) == {0.0}
    paid_off = [{**each, "closed": each["name"] in {"Old", "Car Loan"}} for each in ACCOUNTS]
    to_loan = monthly_moves(10, 20.0, "checking", "loan", "rent")
    assert set(values(coming(*to_loan, accounts=paid_off), "typical")) == {0.0}


def test_transfers_between_budget_accounts_change_both() -> None:
    payments = [
        side
        for month, amount in (("03", 40.0), ("04", 50.0), ("05", 60.0))
        for side in moved(f"2026-{month}-25", amount, "checking", "visa")
    ]
    found = coming(*payments, accounts=[ACCOUNTS[0], {**ACCOUNTS[3], "balance": -100.0}])
    assert typical_days(found) == {"2026-06-25": -50.0, "2026-07-25": -50.0}
    assert typical_days(found, "visa") == {"2026-06-25": 50.0, "2026-07-25": 50.0}


def test_a_typical_payment_of_a_card_is_at_most_what_is_owed() -> None:
    rows = [
        *monthly(10, -30.0, -30.0, -30.0, at="visa"),
        *monthly_moves(25, 50.0, "checking", "visa"),
        *monthly(27, 5.0, 5.0, 5.0, at="visa", of="ready"),  # an inflow that is no payment
    ]
    found = coming(*rows, accounts=[ACCOUNTS[0], {**ACCOUNTS[3], "balance": -40.0}])
    assert typical_days(found, "visa") == {
        "2026-06-25": 40.0, "2026-06-27": 5.0, "2026-07-10": -30.0, "2026-07-25": 25.0,
        "2026-07-27": 5.0,
    }  # fmt: skip
    assert typical_days(found) == {"2026-06-25": -40.0, "2026-07-25": -25.0}
    rule = "Visa: a payment is at most what is owed on its day, from 2026-06-25 on."
    assert rule in found.attrs["rules"]


def test_a_transfer_to_a_tracking_account_changes_both_by_its_category() -> None:
    found = coming(*monthly_moves(25, 50.0, "checking", "fund", "invest"), until="2026-06-30")
    assert typical_days(found) == {"2026-06-25": -50.0}
    assert typical_days(found, "fund") == {"2026-06-25": 50.0}


def test_starting_balances_and_rows_of_tracking_accounts_are_not_typical() -> None:
    rows = [began("2026-05-01", "savings", 70.0), *monthly(10, 5.0, 5.0, 5.0, at="fund", of="")]
    assert set(values(coming(*rows, typical=1), "typical")) == {0.0}


# Schedules replace typical amounts


def test_what_a_schedule_does_in_the_month_does_not_count_twice(subtests: pytest.Subtests) -> None:
    rows = monthly(5, -100.0, -100.0, -100.0)
    cases: list[tuple[float, str, dict[str, float]]] = [
        (-60.0, "2026-07-01", {"2026-07-05": -40.0, "2026-08-05": -100.0}),
        (-120.0, "2026-07-31", {"2026-08-05": -100.0}),
        (-60.0, "2026-06-20", {"2026-07-05": -100.0, "2026-08-05": -100.0}),
        # A scheduled refund does not increase the typical spending.
        (30.0, "2026-07-01", {"2026-07-05": -100.0, "2026-08-05": -100.0}),
        # The schedule of 31 August counts also if the forecast ends before it.
        (-60.0, "2026-08-31", {"2026-07-05": -100.0, "2026-08-05": -40.0}),
    ]
    for amount, day, expected in cases:
        with subtests.test(amount=amount, day=day):
            found = coming(*rows, scheduled=[schedule(amount, day)], until="2026-08-10")
            assert typical_days(found) == expected


def test_only_schedules_of_a_category_replace_its_typical_amount(subtests: pytest.Subtests) -> None:
    rows = monthly(5, -100.0, -100.0, -100.0)
    cases: list[tuple[Json, float]] = [
        (schedule(-60.0, "2026-07-01", "fun"), -100.0),
        (schedule(-80.0, "2026-07-01", None, parts=[(-30.0, "food"), (-50.0, "fun")]), -70.0),
        (schedule(-60.0, "2026-07-01", at="visa"), -40.0),
    ]
    for scheduled, expected in cases:
        with subtests.test(scheduled=scheduled):
            assert typical_days(coming(*rows, scheduled=[scheduled])) == {"2026-07-05": expected}


def test_a_scheduled_transfer_replaces_a_typical_one_from_either_side(
    subtests: pytest.Subtests,
) -> None:
    payments = monthly_moves(5, 50.0, "checking", "savings")
    into_fund = monthly_moves(5, 50.0, "checking", "fund", "invest")
    to = "transfer_account_id"
    cases: list[tuple[list[Json], Json]] = [
        (payments, schedule(-20.0, "2026-07-01", None, **{to: "savings"})),
        (payments, schedule(20.0, "2026-07-01", None, at="savings", **{to: "checking"})),
        (into_fund, schedule(-20.0, "2026-07-01", "invest", **{to: "fund"})),
        (into_fund, schedule(20.0, "2026-07-01", "invest", at="fund", **{to: "checking"})),
    ]
    for rows, scheduled in cases:
        with subtests.test(scheduled=scheduled):
            assert typical_days(coming(*rows, scheduled=[scheduled])) == {"2026-07-05": -30.0}


# Loans


def test_a_typical_payment_of_a_loan_adds_the_interest_of_its_month() -> None:
    accounts = [ACCOUNTS[0], {**ACCOUNTS[-1], "balance": -30_000.0}]
    rows = monthly_moves(20, 500.0, "checking", "loan", "rent")

    def interest(*more: Json) -> list[Any]:
        found = coming(
            *rows, *more, accounts=accounts, loans=[loan_terms(-30_000_000)], until="2026-07-20"
        )
        return lines(found[found["interest"] != 0], "date", "interest", "low")

    # 3 % of 30,000 for a month is 75.00; of 29,575 it is 73.94, rounded from 73.9375.
    assert interest() == [("2026-06-20", 75.0, None), ("2026-07-20", 73.94, None)]
    # June has its interest if the loan had a payment in it: 3 % of 29,500 is 73.75.
    paid = moved("2026-06-16", 500.0, "checking", "loan", "rent")
    assert interest(*paid) == [("2026-07-20", 73.75, None)]


def test_typical_payments_end_with_the_debt_before_scheduled_ones() -> None:
    # 700 at 3 %: 701.75 - 500 = 201.75, then 201.75 + 0.50 = 202.25.
    accounts = [ACCOUNTS[0], {**ACCOUNTS[-1], "balance": -700.0}]
    rows = monthly_moves(20, 500.0, "checking", "loan", "rent")
    also = schedule(-300.0, "2026-07-20", "rent", transfer_account_id="loan")
    cases: tuple[tuple[list[Json], dict[str, float]], ...] = (
        ([], {"2026-06-20": -500.0, "2026-07-20": -202.25}),
        ([also], {"2026-06-20": -500.0}),  # of 300 that are scheduled, 202.25 are owed
    )
    for scheduled, expected in cases:
        found = coming(
            *rows, scheduled=scheduled, accounts=accounts, loans=[loan_terms(-700_000)],
            until="2026-08-31",
        )  # fmt: skip
        assert typical_days(found) == expected
        last = found[found["date"] == "2026-08-31"]
        assert lines(last, "account_id", "balance") == [("loan", 0.0), ("checking", -702.25)]


# The band


def thirteen_months(*more: Json) -> list[Json]:
    """Food for 10 on the 10th of each month from May 2025 on, and for 13 in January 2026."""
    months = pd.period_range("2025-05", "2026-06", freq="M").astype(str)
    rows = [row(f"{month}-10", -13.0 if month == "2026-01" else -10.0, "food") for month in months]
    return [began("2025-05-01", "checking", 0.0), *rows, *more]


def test_the_band_has_the_lowest_and_the_highest_error_of_twelve_forecasts() -> None:
    # With the median of one month, the forecast of 17 December for 10 January, after 24 days, was
    # 10, and the balance was lower by 3. The forecast of 17 February for 10 March, after 21 days,
    # was 13, and the balance was higher by 3. All other forecasts were right.
    found = coming(*thirteen_months(), opening=False, typical=1, until="2026-07-17")
    own = found[found["account_id"] == "checking"]
    assert lines(own, "date", "balance", "low", "high")[20:25] == [
        ("2026-07-07", 0.0, 0.0, 0.0), ("2026-07-08", 0.0, 0.0, 3.0), ("2026-07-09", 0.0, 0.0, 3.0),
        ("2026-07-10", -10.0, -10.0, -7.0), ("2026-07-11", -10.0, -13.0, -7.0),
    ]  # fmt: skip
    assert lines(own, "low", "high")[0] == (0.0, 0.0)
    assert any("12 forecasts from 2025-06-17 to 2026-05-17" in rule for rule in rules(found))


@pytest.mark.parametrize(
    ("step", "expected"), [(1, (-13.0, -15.0, -13.0)), (-1, (-17.0, -17.0, -15.0))]
)
def test_the_band_contains_the_forecast_itself(step: int, expected: tuple[float, ...]) -> None:
    start = -float(0 if step > 0 else 30)
    rows = monthly(10, *(start - step * number for number in range(14)))
    now = row("2026-06-10", start - step * 14, "food")
    found = coming(*rows, now, typical=1, until="2026-07-17")
    assert lines(found[found["account_id"] == "checking"], "balance", "low", "high")[-1] == expected


def test_a_loan_has_no_band() -> None:
    found = coming(*thirteen_months(began("2025-05-01", "loan", -9.0)), opening=False, typical=1)
    last = found[found["date"] == "2026-07-17"].set_index("account_id")
    assert last["low"].notna()[["checking", "loan"]].tolist() == [True, False]


def rules(report: Report) -> list[str]:
    return [rule for rule in report.attrs["rules"] if rule.startswith("Band")]


def test_without_enough_months_the_band_is_missing() -> None:
    short = [each for each in thirteen_months() if each["date"] >= "2025-06"]
    found = coming(began("2025-06-01", "checking", 0.0), *short, opening=False, typical=1)
    assert set(values(found, "low")) == set(values(found, "high")) == {None}
    assert rules(found) == ["Band: none; it needs 13 complete months, and the ledger has 12."]
    # The latest forecast is 31 days old, so that nothing is known about later days.
    found = coming(*thirteen_months(), opening=False, typical=1, until="2026-07-31")
    own = found[found["account_id"] == "checking"]
    assert lines(own, "date", "low")[31:33] == [("2026-07-18", -13.0), ("2026-07-19", None)]


def test_an_account_that_is_younger_than_the_first_forecast_has_no_band() -> None:
    rows = thirteen_months(began("2025-06-17", "savings", 5.0), began("2025-06-18", "visa", 5.0))
    found = coming(*rows, opening=False, typical=1, until="2026-07-17")
    last = found[found["date"] == "2026-07-17"].set_index("account_id")
    assert last["low"].notna()[["checking", "savings", "visa"]].tolist() == [True, True, False]


def test_without_typical_the_forecast_has_no_band_and_no_typical_amounts() -> None:
    found = coming(*monthly(10, -1.0, -1.0, -1.0), typical=None, income=False)
    assert set(lines(found, "typical", "low", "high")) == {(0.0, None, None)}
    assert found.attrs["rules"][0] == (
        "Only what is scheduled counts: a salary or groceries without a schedule are missing;"
        " typical=6 adds what was typical in 6 months."
    )


def test_the_rules_state_what_is_typical() -> None:
    stated = coming(*monthly(10, -1.0, -1.0, -1.0)).attrs["rules"]
    assert stated[0] == "Scheduled and typical amounts count."
    assert (
        "Typical: the median of the monthly sums of each category in the 3 complete months before"
        " 2026-06; a month without transactions is zero."
    ) in stated


# Rejected arguments


@pytest.mark.parametrize(("how", "message"), [
    ({"typical": 61}, "typical=61: it is a number of complete months, from 1 to 60"),
    ({"typical": 4}, "typical=4: the ledger has 2 complete months before 2026-06"),
    ({"ledger_attrs": {"since": "2026-03-01"}, "typical": 4}, "has 3 complete months"),
    ({"ledger_attrs": {"until": "2026-06-16"}}, "the ledger ends on 2026-06-16"),
])  # fmt: skip
def test_an_invalid_typical_is_rejected(how: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolError, match=message):
        coming(*monthly(10, -1.0, -1.0, -1.0), **({"opening": False} | how))


def test_typical_needs_a_ledger() -> None:
    answer: Json = {"scheduled_transactions": [], "accounts": []}
    names = ("scheduled_transactions", "scheduled_subtransactions", "accounts")
    schedules, parts, accounts = (TABLES[name].frame(answer) for name in names)
    with pytest.raises(ToolError, match=r"typical=3 needs ledger=, the frame of bf\.ledger"):
        forecast(schedules, parts, accounts, typical=3, today=TODAY)
    with pytest.raises(ToolError, match=r"this report needs the frame of bf\.ledger\(\)"):
        forecast(schedules, parts, accounts, pd.DataFrame(), typical=3, today=TODAY)


# The sandbox


def test_the_ledger_costs_three_more_requests_unless_only_schedules_count() -> None:
    service = ServiceWithFacade()
    service.bf.settings()  # finds the budget
    before = service.served
    service.bf.reports.forecast(income=False)
    assert service.served - before == 2
    service.bf.reports.forecast()
    service.bf.reports.forecast(typical=6)
    assert service.served - before == 5


def test_a_shorter_forecast_is_the_beginning_of_a_longer_one() -> None:
    short, long = (household().reports.forecast(typical=6, days=days) for days in (20, 50))
    names = ["date", "account_id", "change", "typical", "interest", "balance"]
    pd.testing.assert_frame_equal(
        pd.DataFrame(short)[names], pd.DataFrame(long)[names].iloc[: len(short)]
    )


def test_a_budget_without_transactions_has_no_typical_amounts() -> None:
    bf = household()
    frames = bf.scheduled_transactions(), bf.scheduled_subtransactions(), bf.accounts()
    found = forecast(*frames, bf.ledger().iloc[:0], typical=1)
    assert set(lines(found, "typical", "low", "high")) == {(0.0, None, None)}

"""The report forecast."""

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from budgetframe import BudgetFrame, ToolError
from budgetframe.frames import TABLES, milliunits
from budgetframe.reports import Report, forecast, recurring
from budgetframe.sandbox import NewPart, Sandbox
from tests.frames.columns import FREQUENCIES, Json
from tests.frames.household import account
from tests.programs import programs
from tests.reports.plans import told
from tests.reports.rows import ledger_frame, lines, loan_terms, moved, values
from tests.reports.test_recurring import FIRSTS, salary
from tests.sandbox.ask import Ids

TODAY = date(2026, 6, 17)
CHECKING = account("checking", "Checking", "checking", 100.0)
SAVINGS = account("savings", "Savings", "savings", 50.0)
FUND = account("fund", "Fund", "otherAsset", 10.0, on_budget=False)
OLD = account("old", "Old", "savings", 5.0, closed=True)


def schedule(amount: float, upcoming: str | None = "2026-06-20", **more: Any) -> Json:
    """A schedule of the checking account; by default it happens once."""
    at = more.pop("at", "checking")
    parts = [
        {"amount": each, "transfer_account_id": to, **dict.fromkeys(("payee_id", "memo"))}
        for each, to in more.pop("parts", ())
    ]
    return {
        "date_first": more.pop("first", upcoming or "2026-01-01"),
        "date_next": upcoming, "frequency": "never", "amount": amount, "account_id": at,
        "account_name": at, "payee_id": None, "payee_name": None, "memo": None,
        "transfer_account_id": more.pop("to", None), "subtransactions": parts, **more,
    }  # fmt: skip


def coming(
    *schedules: Json, accounts: tuple[Json, ...] = (CHECKING,), as_of: str | None = None,
    shown: Any = None, loans: Sequence[Json] = (), ledger: pd.DataFrame | None = None, **how: Any,
) -> Report:  # fmt: skip
    """The forecast for some schedules; by default for five days from 17 June."""
    keyed = [{"id": f"s{number}", **row} for number, row in enumerate(schedules)]
    for row in keyed:
        row["subtransactions"] = [
            {"id": f"{row['id']} {number}", "scheduled_transaction_id": row["id"], **each}
            for number, each in enumerate(row["subtransactions"])
        ]
    answer = {"scheduled_transactions": keyed}
    return forecast(
        TABLES["scheduled_transactions"].frame(answer),
        TABLES["scheduled_subtransactions"].frame(answer),
        told(
            TABLES["accounts"].frame({"accounts": list(accounts)}), as_of or str(TODAY),
            loans=[*loans],
        ),
        ledger,
        **({"days": 4, "accounts": shown} | how),
    )  # fmt: skip


def of(report: pd.DataFrame, account_id: str, *names: str) -> list[tuple[Any, ...]]:
    return lines(report[report["account_id"] == account_id], *names)


# Columns


def test_each_day_of_a_forecast_has_its_change_and_its_final_balance() -> None:
    found = coming(schedule(-30.5, "2026-06-18"), schedule(10.25, "2026-06-20"))
    assert of(found, "checking", "date", "change", "balance") == [
        ("2026-06-17", 0.0, 100.0), ("2026-06-18", -30.5, 69.5), ("2026-06-19", 0.0, 69.5),
        ("2026-06-20", 10.25, 79.75), ("2026-06-21", 0.0, 79.75),
    ]  # fmt: skip


@pytest.mark.parametrize(("more", "changes"), [
    pytest.param({"upcoming": "2026-06-17"}, [-1.0, 0.0], id="today"),
    pytest.param({"upcoming": "2026-06-15", "frequency": "daily"}, [-3.0, -1.0], id="overdue"),
    pytest.param({"upcoming": None}, [0.0, 0.0], id="completed"),
    pytest.param({"upcoming": "2026-06-19"}, [0.0, 0.0], id="after the last day"),
])  # fmt: skip
def test_the_day_on_which_a_schedule_counts(more: dict[str, Any], changes: list[float]) -> None:
    assert values(coming(schedule(-1.0, **more), days=1), "change") == changes


def test_the_day_of_the_month_is_the_day_of_the_first_date() -> None:
    row = schedule(-1.0, "2026-06-30", first="2026-01-31", frequency="monthly")
    found = coming(row, until="2026-08-01")
    assert [day for day, change in lines(found, "date", "change") if change] == [
        "2026-06-30", "2026-07-31",
    ]  # fmt: skip


def test_a_transfer_changes_both_accounts() -> None:
    found = coming(schedule(-7.5, "2026-06-17", to="savings"), accounts=(CHECKING, SAVINGS), days=0)
    assert lines(found, "account_id", "change", "balance") == [
        ("checking", -7.5, 92.5), ("savings", 7.5, 57.5),
    ]  # fmt: skip
    alone = coming(schedule(-7.5, "2026-06-17", to="savings"), days=0)
    assert lines(alone, "account_id", "change") == [("checking", -7.5)]


def test_a_part_of_a_split_can_be_a_transfer() -> None:
    parts = [(-30.0, None), (-50.0, "savings")]
    found = coming(schedule(-80.0, "2026-06-17", parts=parts), accounts=(CHECKING, SAVINGS), days=0)
    assert lines(found, "account_id", "change") == [("checking", -80.0), ("savings", 50.0)]


# Recurring income

SALARY = salary(FIRSTS[1:3], 900.0) + salary(FIRSTS[3:], 1000.0)
ENDS = ("2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31")
MONTHLY = {"frequency": "monthly", "category_id": "ready", "category_name": "Ready"}
EMPLOYER = {"payee_id": "cafe", "payee_name": "Café"}


@pytest.mark.parametrize(("rows", "schedules", "how", "changes"), [
    (SALARY, [], {}, {"2026-07-01": 1000.0, "2026-08-01": 1000.0}),
    (salary(ENDS, 1000.0), [], {}, {"2026-06-30": 1000.0, "2026-07-31": 1000.0}),
    (SALARY, [], {"income": False}, {}), (SALARY, [], {"typical": 3}, {}),
    (SALARY[:-1], [], {}, {}),  # that of 1 June is too late
    (SALARY, [], {"today": "2026-07-05"}, {"2026-07-05": 1000.0, "2026-08-01": 1000.0}),
    (SALARY, [schedule(9.0, **MONTHLY | EMPLOYER)], {}, {"2026-06-20": 9.0, "2026-07-20": 9.0}),
    (SALARY, [schedule(9.0, **MONTHLY)], {}, {"2026-06-20": 9.0, "2026-07-20": 9.0}),
    # Another employer has this schedule, and one that occurs once replaces one payment.
    (SALARY + salary(FIRSTS[2:], 9.0, "market"), [schedule(9.0, **MONTHLY, payee_id="market")], {},
     {"2026-06-20": 9.0, "2026-07-01": 1000.0, "2026-07-20": 9.0, "2026-08-01": 1000.0}),
    (SALARY, [schedule(500.0, "2026-07-03", **MONTHLY | EMPLOYER | {"frequency": "never"})], {},
     {"2026-07-03": 500.0, "2026-08-01": 1000.0}),
])  # fmt: skip
def test_recurring_income_counts_unless_a_schedule_replaces_it(
    rows: list[Json], schedules: list[Json], how: Any, changes: dict[str, float]
) -> None:
    found = coming(*schedules, ledger=ledger_frame(*rows), until="2026-08-01", **how)
    assert {day: each for day, each in lines(found, "date", "change") if each} == changes
    assert ("Recurring income: Café." in found.attrs["rules"]) is (1000.0 in changes.values())
    assert coming(*schedules).attrs["rules"][0].startswith("Only what is scheduled counts: a")


# Days and months between two payments, and the days after which a series has ended.
INTERVALS = {"weekly": (7, 0, 7), "every4Weeks": (28, 0, 14), "monthly": (0, 1, 15)}


def test_random_salaries_are_found_and_change_the_balance_of_each_day() -> None:
    for seed in programs(3):
        random, rows, found, coming_in = Random(seed), [], set(), []  # noqa: S311 - no secrets
        for payee in ("cafe", "market"):
            frequency, count = random.choice([*INTERVALS]), random.randint(11, 16)
            step, months, grace = INTERVALS[frequency]
            start = pd.Timestamp(TODAY) - pd.DateOffset(months=months * count)
            start -= timedelta(days=step * count + random.randint(0, 60))
            ahead = [pd.DateOffset(days=step * at, months=months * at) for at in range(99)]
            days = [(start + each).date() for each in ahead]
            past = [day for day in days[:count] if day <= TODAY]
            cents = random.randint(50_000, 60_000)
            rows += salary(map(str, past), cents / 100, payee)
            bonus = [str(past[6] + timedelta(days=12))] * months
            rows += salary(bonus, random.randint(10_000, 25_000) / 100, payee)
            upcoming = days[len(past)]
            has_ended = upcoming + timedelta(days=grace) < TODAY
            coming_in += [] if has_ended else [(cents, str(day)) for day in days[len(past) :]]
            dates = (None, str(upcoming)) if has_ended else (str(upcoming), None)
            found.add((payee, frequency, cents / 100, str(past[-1]), *dates))
        ledger = ledger_frame(*rows)
        names = "payee_id", "frequency", "last_amount", "last_date", "next_date", "ended_on"
        assert {*lines(recurring(ledger, income=True, include_ended=True), *names)} == found, seed
        for day, balance in lines(coming(ledger=ledger, until="2027-06-30"), "date", "balance"):
            sums = sum(each for each, due in coming_in if due <= day)
            assert balance == (10_000 + sums) / 100, (seed, day)


# The lowest point


def test_the_lowest_point_is_the_first_day_with_the_lowest_balance() -> None:
    found = coming(schedule(-5.0, "2026-06-18"), schedule(5.0, "2026-06-20"))
    assert [day for day, is_it in lines(found, "date", "is_lowest") if is_it] == ["2026-06-18"]


# Accounts and days


@pytest.mark.parametrize(("how", "expected"), [
    ({}, [("Checking", True, 100.0), ("Fund", False, 10.0), ("Savings", True, 50.0)]),
    ({"shown": ["Savings"]}, [("Savings", True, 50.0)]),
    ({"shown": ("savings", "Savings")}, [("Savings", True, 50.0)]),
    ({"shown": "Old"}, [("Old", True, 5.0)]),
    ({"exclude_accounts": "Savings"}, [("Checking", True, 100.0), ("Fund", False, 10.0)]),
])  # fmt: skip
def test_open_accounts_are_included_and_a_closed_one_if_it_is_selected(
    how: dict[str, Any], expected: list[tuple[Any, ...]]
) -> None:
    found = coming(accounts=(SAVINGS, CHECKING, FUND, OLD), days=0, **how)
    assert lines(found, "account_name", "on_budget", "balance") == expected
    has_all = "shown" in how
    assert found.attrs.get("left_out") == (
        None if has_all else ["1 closed account: accounts='Old'"]
    )
    assert ("Excluded accounts: Savings." in found.attrs["rules"]) is ("exclude_accounts" in how)


@pytest.mark.parametrize(("how", "first", "last"), [
    ({"days": 0}, "2026-06-17", "2026-06-17"), ({"days": 90}, "2026-06-17", "2026-09-15"),
    ({"until": "2026-06-19"}, "2026-06-17", "2026-06-19"),
    ({"until": TODAY}, "2026-06-17", "2026-06-17"),
    ({"today": "2026-06-20", "days": 1}, "2026-06-20", "2026-06-21"),
])  # fmt: skip
def test_the_days_of_a_forecast(how: dict[str, Any], first: str, last: str) -> None:
    days = values(coming(**how), "date")
    assert (days[0], days[-1]) == (first, last)


def test_rows_are_sorted_by_day_then_name() -> None:
    assert lines(coming(accounts=(SAVINGS, CHECKING), days=1), "date", "account_name") == [
        ("2026-06-17", "Checking"), ("2026-06-17", "Savings"),
        ("2026-06-18", "Checking"), ("2026-06-18", "Savings"),
    ]  # fmt: skip


# Empty frames and rejected arguments


@pytest.mark.parametrize(("how", "message"), [
    ({"until": "2026-06-16"}, "until=2026-06-16 is before today, 2026-06-17"),
    ({"until": "2026-05"}, "until=2026-05-31 is before today, 2026-06-17"),
    ({"days": -1}, "days=-1: it is a number of days, from 0 to 36,525"),
])  # fmt: skip
def test_a_last_day_before_today_raises_an_error(how: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolError, match=f"^{message}$"):
        coming(**how)


def test_an_unknown_account_raises_an_error() -> None:
    message = r"^accounts: there is no account 'Chequing'; the closest name is 'Checking'$"
    with pytest.raises(ToolError, match=message):
        coming(accounts=(CHECKING, SAVINGS), shown=["Savings", "Chequing"])


def test_an_unknown_today_raises_an_error() -> None:
    empty = TABLES["scheduled_transactions"].frame({"scheduled_transactions": []})
    parts = TABLES["scheduled_subtransactions"].frame({"scheduled_transactions": []})
    accounts = TABLES["accounts"].frame({"accounts": [CHECKING]})
    with pytest.raises(ToolError, match="today is unknown"):
        forecast(empty, parts, accounts)


@pytest.mark.parametrize("frequency", [5, None, "sometimes"])
def test_a_schedule_with_an_unknown_frequency_is_left_out_and_named(frequency: Any) -> None:
    with pytest.warns(RuntimeWarning, match="frequency") as warned:
        found = coming(schedule(-1.0, frequency=frequency), schedule(-2.0))
    shown = None if frequency == 5 else frequency  # the frame has no number there
    rule = f"Schedules with an unknown frequency are left out: s0 (frequency={shown!r})."
    assert [str(each.message) for each in warned].count(rule) == 1
    assert rule in found.attrs["rules"]
    assert values(found, "balance")[-1] == 98.0
    if shown is not None:  # a completed schedule has no days, so that nothing is left out
        completed = coming(schedule(-1.0, None, frequency=frequency))
        assert not [rule for rule in completed.attrs["rules"] if "unknown" in rule]


# Properties for random rows

amounts = st.integers(-(10**7), 10**7).map(lambda number: number / 1000)
schedules = st.builds(
    lambda amount, ahead, frequency, at, to: schedule(amount, str(TODAY + timedelta(ahead)),
        frequency=frequency, at=at, to=None if to == at else to),
    amounts, st.integers(-20, 120),
    st.sampled_from(FREQUENCIES.split()),
    st.sampled_from(["checking", "savings", "old"]),
    st.sampled_from(["checking", "savings", "fund", None]),
)  # fmt: skip


@settings(max_examples=settings().max_examples // 6, deadline=None)
@given(st.lists(schedules, max_size=6), st.integers(0, 100))
def test_a_balance_is_that_of_the_day_before_plus_the_change(rows: list[Json], days: int) -> None:
    found = coming(*rows, accounts=(CHECKING, SAVINGS, FUND), days=days)
    for key, began in (("checking", 100_000), ("savings", 50_000), ("fund", 10_000)):
        own = found[found["account_id"] == key]
        changes = milliunits(own["change"]).to_numpy("int64")
        assert milliunits(own["balance"]).tolist() == (began + np.cumsum(changes)).tolist()


# Comparison with the sandbox, which enters due transactions


def busy() -> Sandbox:
    """A household with schedules of every frequency, transfers and splits."""
    service = Sandbox(years=1, budgets=1)
    ids, device = Ids(service), service.device
    checking, savings = ids.account("Checking"), ids.account("Savings")
    for place, frequency in enumerate(FREQUENCIES.split()):
        first = TODAY + timedelta(days=place - 3)
        device.schedule(account_id=savings, date=first, amount=-1000 - place, frequency=frequency)
    device.schedule(
        account_id=checking, date=date(2026, 6, 30), amount=-75_250,
        payee_id=ids.transfer_to("Index Fund"), category_id=ids.category("Savings", "Investing"),
    )  # fmt: skip
    device.schedule(
        account_id=ids.account("Credit Card"), date=date(2026, 7, 31), amount=-80_000,
        parts=[
            NewPart(amount=-30_000, category_id=ids.category("Everyday", "Groceries")),
            NewPart(amount=-50_000, payee_id=ids.transfer_to("Wallet")),
        ],
    )  # fmt: skip
    return service


@pytest.mark.parametrize("days", [0, 1, 44, 400])
def test_the_last_balances_equal_those_of_the_service_on_that_day(days: int) -> None:
    service = busy()
    found = BudgetFrame.sandbox(service).reports.forecast(days=days, income=False)
    service.advance(days=days)
    accounts = BudgetFrame.sandbox(service).accounts()
    last = found[found["date"] == found["date"].max()]
    expected = accounts[~accounts["closed"]].set_index("account_id")["balance"]
    assert last.set_index("account_id")["balance"].to_dict() == expected.to_dict()
    assert len(last) == 6


# Loans


LOAN = account("loan", "Loan", "autoLoan", -30_000.0, on_budget=False)
TERMS = loan_terms(-30_000_000, account_name="Loan", escrow_amounts={"2026-01-01": 10_000})


def repaying(*schedules: Json, **how: Any) -> Report:
    """The forecast of a loan of 30,000 at 3 %, with an escrow of 10 a month, from 17 June."""
    return coming(*schedules, **{"accounts": (CHECKING, LOAN), "loans": (TERMS,)} | how)


def test_the_first_payment_of_a_month_adds_interest_and_escrow(subtests: pytest.Subtests) -> None:
    monthly, weekly = {"frequency": "monthly"}, {"frequency": "weekly"}
    cases: tuple[tuple[Json, list[tuple[Any, ...]]], ...] = (
        (monthly, [("2026-06-20", 75.0, 10.0, -29_546.0), ("2026-07-20", 73.87, 10.0, -29_090.87)]),
        # An earlier payment of the schedule was on 13 June: June has its interest already.
        (weekly | {"first": "2026-05-02"}, [("2026-07-04", 72.31, 10.0, -28_465.31)]),
        # The schedule begins with this payment: June has no interest yet.
        (weekly, [("2026-06-20", 75.0, 10.0, -29_546.0), ("2026-07-04", 72.52, 10.0, -28_550.52)]),
        # The payment of 10 June is overdue and counts today.
        (
            monthly | {"upcoming": "2026-06-10", "first": "2026-01-10"},
            [("2026-06-17", 75.0, 10.0, -29_546.0), ("2026-07-10", 73.87, 10.0, -29_090.87)],
        ),
    )
    for more, expected in cases:
        found = repaying(schedule(-539.0, to="loan", **more), until="2026-07-31")
        with_costs = found[found["interest"] != 0]
        with subtests.test(more=more):
            assert of(with_costs, "loan", "date", "interest", "escrow", "balance") == expected


def test_a_payment_that_is_a_row_of_the_loan_counts_as_well() -> None:
    found = repaying(schedule(539.0, at="loan"), until="2026-06-20")
    assert of(found, "loan", "balance")[-1] == (-29_546.0,)
    paid = ledger_frame(*moved("2026-06-10", 10.0, "checking", "loan"))  # June has its interest
    again = repaying(schedule(539.0, at="loan"), until="2026-06-20", ledger=paid)
    assert of(again, "loan", "balance")[-1] == (-29_461.0,)


TO_LOAN = {
    "a transfer": schedule(-539.0, to="loan", frequency="monthly"),
    "a row of the loan": schedule(539.0, at="loan", to="checking", frequency="monthly"),
    "a part of a split": schedule(-539.0, parts=[(-539.0, "loan")], frequency="monthly"),
}


@pytest.mark.parametrize("kind", TO_LOAN)
def test_payments_end_with_the_debt_and_the_last_one_is_the_rest(kind: str) -> None:
    # 1,000 at 3 % and 10 of escrow: 1,012.50 - 539 = 473.50, then 473.50 + 1.18 + 10 = 484.68.
    accounts = (CHECKING, {**LOAN, "balance": -1000.0})
    found = coming(TO_LOAN[kind], accounts=accounts, until="2026-09-30", loans=[TERMS])
    paid = found[(found["change"] != 0) | (found["escrow"] != 0)]
    assert of(paid, "loan", "date", "change", "balance") == [
        ("2026-06-20", 539.0, -473.5), ("2026-07-20", 484.68, 0.0),
    ]  # fmt: skip
    assert of(paid, "checking", "change", "balance") == [(-539.0, -439.0), (-484.68, -923.68)]
    rule = "Loan: payments end with the debt, on 2026-07-20; the last one is at most the rest."
    assert rule in found.attrs["rules"]
    alone = coming(
        TO_LOAN[kind], accounts=accounts, until="2026-09-30", loans=[TERMS], shown="Checking"
    )
    assert values(alone, "balance")[-1] == -923.68


DEBT = account("debt", "To a friend", "otherLiability", -500.0, on_budget=False)
CARD = account("card", "Card", "creditCard", -100.0)


def limits(report: Report) -> list[str]:
    """The rules about payments that a debt limits."""
    words = ("payments end with", "no payment is made", "a payment is at most")
    return [rule for rule in report.attrs["rules"] if any(map(rule.__contains__, words))]


def test_payments_of_known_debts_end_with_the_debt() -> None:
    done = account("done", "Done", "personalLoan", 0.0, on_budget=False)
    lost = account("lost", "Lost", "otherDebt", float("nan"), on_budget=False)
    keys = ("debt", "card", "done", "lost")
    found = coming(
        *(schedule(-60.0, to=key, frequency="daily") for key in keys),
        accounts=(CHECKING, {**DEBT, "balance": -100.0}, CARD, done, lost), until="2026-06-22",
        interest=False,
    )  # fmt: skip
    last = {key: of(found, key, "balance")[-1] for key in keys}
    assert last == {"debt": (0.0,), "card": (0.0,), "done": (0.0,), "lost": (180.0,)}
    assert of(found, "checking", "balance")[-1] == (-280.0,)  # 100 - 100 - 100 - 180
    assert limits(found) == [
        "Card: payments end with the debt, on 2026-06-21; the last one is at most the rest.",
        "Done: no payment is made, because nothing is owed on the days of the payments.",
        "To a friend: payments end with the debt, on 2026-06-21; the last one is at most the rest.",
    ]


def test_the_rule_names_the_day_of_the_last_payment_also_if_it_fits_the_debt() -> None:
    # 500 - 200 on 20 June, and - 150 on 5 and on 12 July.
    found = coming(
        schedule(-200.0, to="debt", frequency="monthly"),
        schedule(-150.0, "2026-07-05", to="debt", frequency="weekly"), accounts=(CHECKING, DEBT),
        until="2026-08-31",
    )  # fmt: skip
    paid = found[(found["change"] != 0)]
    assert of(paid, "debt", "date", "change")[-1] == ("2026-07-12", 150.0)
    assert of(paid, "checking", "balance")[-1] == (-400.0,)
    assert limits(found) == [
        "To a friend: payments end with the debt, on 2026-07-12; the last one is at most the rest."
    ]


def test_payments_of_a_card_go_on_with_its_spending_and_refunds_are_no_payments() -> None:
    weekly = {"frequency": "weekly"}
    parts = [(60.0, "checking"), (40.0, None)]  # a payment and a refund
    found = coming(
        schedule(-80.0, "2026-06-18", to="card", **weekly),
        schedule(-30.0, "2026-06-25", at="card", **weekly),
        schedule(100.0, "2026-07-04", at="card", parts=parts),
        accounts=(CHECKING, CARD),
        until="2026-07-09",
    )
    # 100 - 80 = 20; 20 + 30 - 50 = 0; 30 - 30 = 0; a refund of 40; 40 - 30 = 10.
    changing = found[found["change"] != 0]
    assert of(changing, "card", "date", "change", "balance") == [
        ("2026-06-18", 80.0, -20.0), ("2026-06-25", 20.0, 0.0),
        ("2026-07-04", 40.0, 40.0), ("2026-07-09", -30.0, 10.0),
    ]  # fmt: skip
    assert of(changing, "checking", "change") == [(-80.0,), (-50.0,), (-30.0,)]
    rule = "Card: a payment is at most what is owed on its day, from 2026-06-25 on."
    assert limits(found) == [rule]


def test_a_limited_payment_of_one_debt_by_another_limits_its_own_payments() -> None:
    # Of 80, the friend is owed 50, so that 150 and not 180 are owed on the card.
    found = coming(
        schedule(-80.0, "2026-06-18", at="card", to="debt"), schedule(-200.0, to="card"),
        accounts=(CHECKING, CARD, {**DEBT, "balance": -50.0}),
    )  # fmt: skip
    last = {key: of(found, key, "balance")[-1][0] for key in ("card", "debt", "checking")}
    assert last == {"card": 0.0, "debt": 0.0, "checking": -50.0}


def test_without_interest_only_schedules_change_a_loan() -> None:
    found = repaying(schedule(-539.0, to="loan"), until="2026-06-20", interest=False)
    assert of(found, "loan", "interest", "escrow", "balance")[-1] == (0.0, 0.0, -29_461.0)
    assert found["is_lowest"].sum() == 2


def test_a_forecast_of_other_accounts_has_no_rule_for_loans() -> None:
    found = repaying(schedule(-539.0, to="loan"), until="2026-06-20", shown="Checking")
    assert not any(rule.startswith("Loans") for rule in found.attrs["rules"])
    assert any(rule.startswith("Loans") for rule in repaying(until="2026-06-20").attrs["rules"])


def test_a_loan_with_scheduled_payments_but_without_terms_is_named() -> None:
    rule = (
        "Loans: the frame has no terms of Loan, so payments add no interest and no escrow to the"
        " debt."
    )
    with pytest.warns(RuntimeWarning, match="no terms of Loan") as warned:
        found = repaying(schedule(-539.0, to="loan"), until="2026-06-20", loans=())
    assert len(warned) == 1
    assert found.attrs["rules"][-1] == rule
    assert of(found, "loan", "interest", "balance")[-1] == (0.0, -29_461.0)
    for how in ({"interest": False}, {"shown": "Checking"}):
        found = repaying(schedule(-539.0, to="loan"), until="2026-06-20", loans=(), **how)
        assert rule not in found.attrs["rules"], how
    assert rule not in repaying(until="2026-06-20", loans=()).attrs["rules"]

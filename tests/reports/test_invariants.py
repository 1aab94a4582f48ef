"""Properties of reports for random rows, checked with sums of Python integers."""

import re
from collections import Counter
from datetime import date, timedelta
from functools import cache
from itertools import chain, cycle, permutations, product
from operator import itemgetter
from typing import Any

import pandas as pd
from hypothesis import given, settings, strategies as st
from pandas.testing import assert_frame_equal

from budgetframe.reports import (
    Report,
    balances,
    cards,
    income_expense,
    income_sankey,
    investments,
    loans,
    net_worth,
    recurring,
    runway,
    same_period,
    spending,
)
from tests.frames.columns import Json
from tests.frames.household import part
from tests.reports.plans import cell, in_month, plan
from tests.reports.rows import began, ledger_frame, lines, moved, recorded_terms, row, split

FIRST = date(2023, 11, 15)
LAST = "2025-03-31"
DAYS = 500  # to the end of March of 2025, over a leap day
OWN = {"Home": "home", "#rome": "trip"}  # every ledger has these names
GROUPINGS: list[Any] = ["category", "group", "payee", "account", "flag", OWN]
ACCOUNTS = ["checking", "savings", "visa", "fund", "loan"]
CATEGORIES = ["rent", "food", "office food", "fun", "ready", "none", "gone", None]
SAID: list[Json] = [
    {"memo": "#rome", "flag_color": "red", "payee_id": "market"},
    {"memo": "#Rome #anna", "flag_color": "blue", "flag_name": "tax"},
    {"memo": "no. #42", "payee_id": "cafe"},
]


@cache
def kinds() -> pd.DataFrame:
    """One row of each kind; its classification depends on neither day nor amount."""
    day = str(FIRST)
    parts = [part(f"p{n}", -1.0, category_id=category) for n, category in enumerate(CATEGORIES)]
    plain = zip(product(ACCOUNTS, CATEGORIES), cycle(SAID), strict=False)
    return ledger_frame(
        *(row(day, -1.0, category, at, **said) for (at, category), said in plain),
        *(began(day, at, -1.0) for at in ACCOUNTS),
        *chain.from_iterable(
            moved(day, 1.0, *ends, category)
            for ends in permutations(ACCOUNTS, 2)
            for category in ("invest", "ready", None)
        ),
        *(split(day, -8.0, *parts, at=at) for at in ACCOUNTS),
    )


def a_ledger(drawn: list[tuple[int, int, int]]) -> pd.DataFrame:
    """Random rows (kind, days after the first, milliunits), after rent on the first day."""
    numbers, ahead, thousandths = zip((0, 0, -1), *sorted(drawn, key=itemgetter(1)), strict=True)
    made = kinds().take(list(numbers)).reset_index(drop=True)
    made["date"] = pd.to_datetime([FIRST + timedelta(n) for n in ahead]).as_unit("us")
    made["amount"] = [n / 1000 for n in thousandths]
    made.attrs = {"as_of": LAST, "loans": recorded_terms(made)}
    return made


ledgers = st.lists(
    st.tuples(st.integers(0, 204), st.integers(0, DAYS), st.integers(-99_999, 99_999)), max_size=40
).map(a_ledger)
some_days = st.integers(-40, DAYS + 40).map(lambda ahead: str(FIRST + timedelta(ahead)))
known_days = some_days.filter(lambda day: day <= LAST)  # reports have no rows for later days
few = settings(max_examples=settings().max_examples // 6, deadline=None)


def exact(amounts: Any) -> list[int]:
    return [round(amount * 1000) for amount in amounts]


def total(amounts: Any) -> int:
    return sum(exact(amounts))


def by_key(report: pd.DataFrame, key: str, amount: str) -> dict[Any, int]:
    """Sums of Python integers by key, without zero sums."""
    sums: Counter[Any] = Counter()
    for name, value in zip(report[key].astype(object), exact(report[amount]), strict=True):
        sums[None if pd.isna(name) else name] += value
    return {name: value for name, value in sums.items() if value}


# Balances


@few
@given(ledger=ledgers, since=some_days, freq=st.sampled_from(["month", "quarter", "year"]))
def test_net_worth_is_the_sum_of_the_balances(ledger: pd.DataFrame, since: str, freq: Any) -> None:
    worth = net_worth(ledger, freq=freq, since=since)
    owned = balances(ledger, freq=freq, since=since)
    assert by_key(worth, "date", "net") == by_key(owned, "date", "balance")
    above, below = owned[owned["balance"] > 0], owned[owned["balance"] < 0]
    assert by_key(worth, "date", "assets") == by_key(above, "date", "balance")
    assert by_key(worth, "date", "debts") == by_key(below, "date", "balance")


@few
@given(ledger=ledgers, day=known_days)
def test_a_balance_is_the_sum_of_the_rows_up_to_its_day(ledger: pd.DataFrame, day: str) -> None:
    found = balances(ledger, freq="day", since=day, until=day)
    before = ledger[ledger["date"] <= day]
    assert by_key(found, "account_id", "balance") == by_key(before, "account_id", "amount")


# Income and spending


@few
@given(ledger=ledgers, freq=st.sampled_from(["month", "quarter", "year", "all"]))
def test_income_and_expense_are_the_change_of_the_balance(ledger: pd.DataFrame, freq: Any) -> None:
    found = income_expense(ledger, freq=freq)
    inside = ledger["is_transfer"] & ledger["on_budget"]
    inside &= ~(ledger["is_spending"] | ledger["is_uncategorized"] | ledger["is_income"])
    assert (
        total(found["income"])
        - total(found["spent"])
        - total(found["uncategorized"])
        + total(found["starting_balances"])
        + total(ledger["amount"][inside])
    ) == total(ledger["amount"][ledger["on_budget"]])
    assert total(found["net"]) == total(found["income"]) - total(found["spent"]) - total(
        found["uncategorized"]
    )


@few
@given(ledger=ledgers)
def test_spending_equals_spent_of_income_and_expense(ledger: pd.DataFrame) -> None:
    flows = income_expense(ledger)
    named = spending(ledger, freq="month", uncategorized=False)
    every, spent = spending(ledger, freq="month"), by_key(flows, "period", "spent")
    assert by_key(named, "period", "spent") == spent
    both = Counter(spent)
    both.update(by_key(flows, "period", "uncategorized"))
    assert by_key(every, "period", "spent") == {day: n for day, n in both.items() if n}


@few
@given(
    ledger=ledgers, kept=st.sampled_from(["to_tracking", "none", "all"]),
    freq=st.sampled_from(["month", "year", "all"]),
)  # fmt: skip
def test_each_grouping_but_hashtags_has_one_sum(ledger: pd.DataFrame, kept: Any, freq: Any) -> None:
    sums = [
        by_key(spending(ledger, by, freq=freq, transfers=kept), "period", "spent")
        for by in GROUPINGS
    ]
    assert sums == sums[:1] * len(GROUPINGS)


@few
@given(ledger=ledgers, by=st.sampled_from(["category", "payee", "hashtag"]))
def test_months_add_up_to_quarters_years_and_all(ledger: pd.DataFrame, by: Any) -> None:
    key = {"category": "category_id", "payee": "payee_id"}.get(by, by)
    freqs: list[Any] = ["month", "quarter", "year", "all"]
    found = [spending(ledger, by, freq=freq) for freq in freqs]
    sums = [by_key(each, key, "spent") for each in found]
    assert sums == sums[:1] * len(freqs)
    monthly, whole = (each.drop_duplicates("period") for each in (found[0], found[-1]))
    assert whole["months"].tolist() == [monthly["is_complete"].sum() or len(monthly)] * len(whole)


@few
@given(ledger=ledgers, cut=some_days)
def test_spending_before_and_after_a_day_is_all_of_it(ledger: pd.DataFrame, cut: str) -> None:
    day = pd.Timestamp(cut)
    sides: list[dict[str, Any]] = [{"until": day}, {"since": day + pd.Timedelta(1, "D")}]
    parts: Counter[Any] = Counter()
    for side in sides:
        parts.update(by_key(spending(ledger, **side), "category_name", "spent"))
    whole = by_key(spending(ledger), "category_name", "spent")
    assert {name: n for name, n in parts.items() if n} == whole
    flows = [income_expense(ledger, freq="all", **side) for side in sides]
    for name in ("income", "spent", "uncategorized", "net", "starting_balances"):
        assert sum(total(each[name]) for each in flows) == total(income_expense(ledger)[name])


@few
@given(ledger=ledgers, random=st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(ledger: pd.DataFrame, random: Any) -> None:
    mixed = ledger.take(random.sample(range(len(ledger)), len(ledger)))
    mixed.attrs = dict(ledger.attrs)
    for report in (net_worth, balances, income_expense, runway, same_period):
        assert_frame_equal(report(mixed), report(ledger))
    assert by_key(spending(mixed), "category_name", "spent") == by_key(
        spending(ledger), "category_name", "spent"
    )


# Comparison of periods, and runway


@few
@given(ledger=ledgers, every=st.sampled_from(["period", "year"]))
def test_same_period_compares_whole_months_on_last_days(ledger: pd.DataFrame, every: Any) -> None:
    found = same_period(ledger, every=every, today=LAST, count=99)
    spent = by_key(spending(ledger, freq="month"), "period", "spent")
    assert by_key(found, "period", "spent") == {
        day: n for day, n in spent.items() if every == "period" or day.month == 3
    }
    assert exact(found["spent"][:-1]) == exact(found["whole"][:-1])


@few
@given(ledger=ledgers, by=st.sampled_from(GROUPINGS), freq=st.sampled_from(["month", "quarter"]))
def test_groups_of_same_period_sum_to_its_total(ledger: pd.DataFrame, by: Any, freq: Any) -> None:
    each = same_period(ledger, by, freq=freq, today="2025-01-30")
    every = same_period(ledger, freq=freq, today="2025-01-30")
    assert by_key(each, "period", "spent") == by_key(every, "period", "spent")
    wholes = [found[found["whole"].notna()] for found in (each, every)]
    assert by_key(wholes[0], "period", "whole") == by_key(wholes[1], "period", "whole")


@few
@given(ledger=ledgers, window=st.integers(1, 120), day=known_days)
def test_runway_days_are_balance_by_spending(ledger: pd.DataFrame, window: int, day: str) -> None:
    found = runway(ledger, window=window, since=day, until=day)
    first, last = pd.Timestamp(day) - pd.Timedelta(window - 1, "D"), pd.Timestamp(day)
    kept = ledger[ledger["on_budget"]]
    counts = kept["is_spending"] | kept["is_uncategorized"]
    balance = total(kept["amount"][kept["date"] <= last])
    spent = -total(kept["amount"][counts & kept["date"].between(first, last)])
    is_known = first >= pd.Timestamp(FIRST)
    assert lines(found, "balance", "spent", "days") == [
        (balance / 1000, spent / 1000 if is_known else None,
            max(balance, 0) * window / spent if is_known and spent > 0 else None)
    ]  # fmt: skip


# Rows behind the figures


REPORTS: list[tuple[Any, dict[str, int]]] = [
    *((lambda ledger, by=by: spending(ledger, by), {"spent": -1})
      for by in [*GROUPINGS, "hashtag"]),
    (lambda ledger: spending(ledger, "group", freq="month", transfers="all"), {"spent": -1}),
    (lambda ledger: income_expense(ledger, freq="quarter"),
     {"net": 1, "income": 1, "spent": -1, "uncategorized": -1, "starting_balances": 1}),
    (lambda ledger: same_period(ledger, "payee", today=LAST), {"spent": -1, "whole": -1}),
    (lambda ledger: same_period(ledger, freq="quarter", today=LAST), {"spent": -1, "whole": -1}),
    (net_worth, {"net": 1, "change": 1, "assets": 1, "debts": 1}),
    (lambda ledger: net_worth(ledger, debts="type", freq="year"), {"assets": 1, "debts": 1}),
    (balances, {"balance": 1}),
    (investments,
     {"value": 1, "contributed": 1, "gain": 1, "period_contributed": 1, "period_gain": 1}),
    (runway, {"spent": -1, "balance": 1}),
    (recurring, {"last_amount": -1}),
    (lambda ledger: cards(ledger, plan(in_month("2025-03", cell("card", 0.0, 0.0)))),
     {"spent": -1, "refunded": 1, "paid": 1, "other": 1, "balance": 1}),
    (loans, {"owed": -1, "payment": 1, "interest": -1, "escrow": -1, "other": -1}),
]  # fmt: skip


@few
@given(ledger=ledgers, made=st.sampled_from(REPORTS), number=st.integers(0, 999))
def test_a_figure_is_the_sum_of_its_rows(ledger: pd.DataFrame, made: Any, number: int) -> None:
    function, signs = made
    report: Report = function(ledger)
    if "is_projected" in report:
        report = report[~report["is_projected"]]
    if len(report):
        at = number % len(report)
        for column, sign in signs.items():
            value = report[column].iloc[at]
            if pd.notna(value):
                found = sign * total(report.rows(at, column=column)["amount"])
                assert found == round(value * 1000), column


def test_the_docstring_names_the_columns_whose_sign_is_the_opposite_of_that_of_the_rows() -> None:
    signs = {(column, sign) for _, of_report in REPORTS for column, sign in of_report.items()}
    both = {column for column, sign in signs if (column, -sign) in signs}
    assert both == {"other"}
    sentence = re.split(r"``amount`` is|with the", Report.rows.__doc__ or "")[1]
    named = {*re.findall(r"``(\w+)``(?! of)", sentence)}
    assert named == {column for column, sign in signs if sign < 0} - both
    assert "``other`` of `loans`" in sentence


@few
@given(ledger=ledgers)
def test_the_rows_of_all_groups_are_all_rows_of_spending(ledger: pd.DataFrame) -> None:
    every = ledger[ledger["is_spending"] | ledger["is_uncategorized"]]
    for by in GROUPINGS:
        report = spending(ledger, by)
        assert_frame_equal(report.rows(), every)
        assert sum(len(report.rows(at)) for at in range(len(report))) == len(every)


@few
@given(ledger=ledgers)
def test_a_link_of_a_sankey_is_the_sum_of_the_rows_behind_it(ledger: pd.DataFrame) -> None:
    report = income_sankey(ledger)
    for at, amount in enumerate(report["amount"]):
        assert abs(total(report.rows(at)["amount"])) == round(amount * 1000)

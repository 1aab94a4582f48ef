"""Cases in which a report could be wrong silently: filtered ledgers, future days, old names."""

from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, ToolError
from budgetframe.frames import TABLES, totals
from budgetframe.reports import (
    balances,
    budget_vs_actual,
    in_currency,
    income_expense,
    loans,
    money_flow,
    net_worth,
    runway,
    same_period,
    scheduled_dates,
    spending,
)
from tests.facade.service import untouched
from tests.facade.test_export_file import ROWS, written
from tests.reports.rows import began, ledger_frame, lines, row, values

HALF = "x\ud83d"


def test_half_a_character_of_the_user_is_shown_as_a_replacement() -> None:
    ledger = ledger_frame(row("2026-01-05", -10, "food"), row("2026-01-06", -5, "food"))
    ledger["payee_name"] = pd.Series([HALF, "Cafe"], dtype=object)
    assert spending(ledger, {"Food": HALF})["label"].tolist() == ["x\ufffd"]
    assert spending(ledger, "payee")["spent"].tolist() == [10.0, 5.0]  # pandas 2 keeps the half
    assert totals(ledger, "payee_name").index.tolist() == ["Cafe", "x\ufffd"]


CUT: dict[str, Any] = {"since": "2026-01-01", "until": "2026-02-28"}


@pytest.fixture(scope="module")
def bf() -> BudgetFrame:
    return BudgetFrame.sandbox(untouched())


@pytest.fixture(scope="module")
def cut(bf: BudgetFrame) -> pd.DataFrame:
    return bf.ledger(**CUT)


# Filtered ledgers


def test_attrs_state_the_period_if_it_excludes_rows(bf: BudgetFrame, cut: pd.DataFrame) -> None:
    assert (cut.attrs["since"], cut.attrs["until"]) == ("2026-01-01", "2026-02-28")
    whole = bf.ledger(since="2000-01-01", until="2099-01-01")
    assert "since" not in whole.attrs
    assert_frame_equal(net_worth(whole), bf.reports.net_worth())


def test_months_outside_a_filtered_ledger_are_not_empty(bf: BudgetFrame, cut: pd.DataFrame) -> None:
    assert lines(spending(cut), "spent", "months", "average") == lines(
        bf.reports.spending(**CUT), "spent", "months", "average"
    )
    assert values(income_expense(cut), "period") == ["2026-01-01", "2026-02-01"]


def test_periods_outside_a_filtered_ledger_have_no_rows(cut: pd.DataFrame) -> None:
    found = income_expense(cut, since="2025-11-01", until="2026-05-31")
    assert values(found, "period") == ["2026-01-01", "2026-02-01"]


@pytest.mark.parametrize("report", [net_worth, balances, runway])
def test_balances_of_a_ledger_need_its_first_rows(report: Any, cut: pd.DataFrame) -> None:
    with pytest.raises(ToolError, match=r"starts at 2026-01-01.*since='2026-01-01'"):
        report(cut)


def test_balances_accept_a_ledger_without_its_last_rows(bf: BudgetFrame) -> None:
    found = net_worth(bf.ledger(until="2026-05-31"))
    assert lines(found, "date", "net")[-1] == ("2026-05-31", 39416.64)


def test_a_ledger_without_any_later_row_ends_on_its_last_day_too(tmp_path: Path) -> None:
    bf = BudgetFrame.from_export(written(tmp_path, ROWS), as_of="2023-12-31")
    ledger = bf.ledger(since="2023-05", until="2023-07")  # its only row is of May: 12.34
    assert lines(spending(ledger, "group"), "spent", "months", "average") == [(12.34, 3, 4.113)]
    assert lines(net_worth(ledger), "date")[-1] == ("2023-07-31",)


def test_a_ledger_begins_with_its_first_day_and_not_with_its_first_row() -> None:
    ledger = ledger_frame(row("2026-05-20", -60.0, "food"))
    ledger.attrs["since"] = "2026-04-01"
    assert lines(spending(ledger), "months", "average") == [(2, 30.0)]  # April and May
    assert values(same_period(ledger), "period") == ["2026-04-01", "2026-05-01", "2026-06-01"]
    assert lines(income_expense(ledger.iloc[:0], freq="quarter"), "spent") == [(0.0,)]


def test_a_loan_has_no_month_after_the_last_day_of_its_ledger() -> None:
    ledger = ledger_frame(began("2026-02-01", "loan", -100.0))
    ledger.attrs["until"] = "2026-03-31"
    assert values(loans(ledger), "month") == ["2026-02-01", "2026-03-01"]


# Future days


def test_a_future_row_does_not_change_the_current_day() -> None:
    now = ledger_frame(row("2026-05-20", -60.0), row("2026-06-01", -30.0))
    later = ledger_frame(
        row("2026-05-20", -60.0), row("2026-06-01", -30.0), row("2026-09-03", -1.0)
    )
    assert lines(runway(later, window=20), "date", "spent")[-1] == ("2026-06-17", 30.0)
    assert same_period(later).equals(same_period(now))


def test_a_future_row_counts_in_balances() -> None:
    later = ledger_frame(row("2026-06-01", -30.0), row("2026-07-03", -1.0))
    assert lines(net_worth(later), "date", "net")[-1] == ("2026-07-03", -31.0)


# Names and rules


def test_a_mapping_names_flags_and_hashtags_too() -> None:
    rows = ledger_frame(
        row("2026-06-01", -1.0, "food"),
        row("2026-06-02", -2.0, "food", memo="#trip"),
        row("2026-06-03", -4.0, "food", flag_color="red", flag_name="Check"),
        row("2026-06-04", -8.0, "food", memo="#Trip", flag_color="red", flag_name="Check"),
    )
    found = spending(rows, {"Food": "eat", "red": "look", "#TRIP": "away"})
    assert lines(found, "label", "spent") == [("away", 10.0), ("look", 4.0), ("eat", 1.0)]


def test_runway_counts_spending_without_a_category_like_spending() -> None:
    rows = ledger_frame(row("2026-06-17", 100.0, "ready"), row("2026-06-17", -10.0))
    assert values(runway(rows, window=1), "days") == [9.0]
    assert values(runway(rows, window=1, uncategorized=False), "days") == [None]


def test_a_negative_move_is_a_move_in_the_opposite_direction() -> None:
    record = {"id": "m", "month": "2026-05-01", "moved_at": None, "amount": -5.0}
    ends = {"from_category_id": "food", "to_category_id": None}
    frame = TABLES["money_movement_records"].frame({"money_movements": [record | ends]})
    listed = BudgetFrame.sandbox(untouched()).categories().iloc[:0]
    assert lines(money_flow(frame, listed), "from_category_name", "to_category_name", "amount") == [
        ("Ready to Assign", "food", 5.0)
    ]


def test_the_current_month_is_that_of_the_frame(bf: BudgetFrame) -> None:
    assert set(values(bf.reports.money_flow(month="current"), "month")) == {"2026-06-01"}


@pytest.mark.parametrize("days", [("2026-01-31",) * 2, (pd.Timestamp("2026-01-31"),) * 2])
def test_scheduled_dates_accepts_every_type_of_day(days: tuple[Any, Any]) -> None:
    found = list(scheduled_dates("monthly", *days, until="2026-03-31"))
    assert found == [date(2026, 1, 31), date(2026, 2, 28), date(2026, 3, 31)]


def test_an_infinite_amount_has_a_text() -> None:
    assert in_currency(float("-inf")) == "-inf"


# Further cases


@pytest.mark.parametrize(("since", "first", "spent"), [
    ("2026-03-15", "2026-04-01", 2710.78), ("2026-03-01", "2026-03-01", 2121.54),
])  # fmt: skip
def test_an_incomplete_first_period_is_not_compared(
    since: str, first: str, spent: float, bf: BudgetFrame
) -> None:
    assert lines(same_period(bf.ledger(since=since)), "period", "spent")[0] == (first, spent)


def test_an_incomplete_current_period_raises_an_error(bf: BudgetFrame) -> None:
    with pytest.raises(ToolError, match="starts at 2026-06-10"):
        same_period(bf.ledger(since="2026-06-10"))


def test_a_frame_of_future_months_only_has_rows(bf: BudgetFrame) -> None:
    plan = bf.month_categories(since="2026-06")
    plan.attrs["as_of"] = "2026-05-17T12:00:00+00:00"
    assert set(values(budget_vs_actual(plan), "period")) == {"2026-06-01"}


def test_runway_has_no_rows_for_future_days() -> None:
    rows = ledger_frame(row("2026-06-16", 100.0, "ready"), row("2026-06-16", -10.0, "food"))
    assert values(runway(rows, window=1, until="2026-08-03"), "date") == ["2026-06-17"]
    assert len(runway(rows, window=1, since="2026-07-01", until="2026-08-03")) == 0

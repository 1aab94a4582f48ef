"""Reports with their periods as columns."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError, to_excel, to_page
from budgetframe.frames.display import layout_of, one_line_html, one_line_text
from budgetframe.reports import balances, budget_vs_actual, net_worth, same_period, spending
from tests.frames.household import account
from tests.reports.plans import cell, in_month, plan
from tests.reports.rows import ledger_frame, lines, row
from tests.reports.test_to_page import rows as cells


def spring() -> pd.DataFrame:
    return ledger_frame(
        row("2026-04-02", -1.1, "food", memo="#a #b"),
        row("2026-04-03", -2.2, "rent"),
        row("2026-06-04", -4.4, "rent", "visa"),
        row("2026-06-05", -0.3),
    )


def shown(frame: pd.DataFrame, width: int = 120) -> list[list[str]]:
    """The words in each line of the display, in a budget with three decimals."""
    frame.attrs |= {"budget": "B", "currency_format": {"decimal_digits": 3}}
    layout = layout_of(frame)
    assert layout is not None
    with pd.option_context("display.width", width):
        return [line.split() for line in (one_line_text(frame, layout) or "").splitlines()]


def test_spending_has_a_row_for_each_group_and_a_column_for_each_month() -> None:
    found = spending(spring(), freq="month").wide(total=True)
    assert found.columns.tolist() == [
        "category_group_name", "category_name", "2026-04", "2026-05", "2026-06", "category_id",
    ]  # fmt: skip
    assert lines(found, "category_name", "2026-04", "2026-05", "2026-06") == [
        ("Rent", 2.2, 0.0, 4.4), ("Food", 1.1, 0.0, 0.0),
        ("Uncategorized", 0.0, 0.0, 0.3), (None, 3.3, 0.0, 4.7),
    ]  # fmt: skip
    assert found["category_group_name"].tolist()[-1] == "Total"


@pytest.mark.parametrize(
    ("freq", "first"),
    [("day", "2026-04-02"), ("week", "2026-03-30"), ("quarter", "2026-Q2"), ("year", "2026"),
     ("all", "spent")],
)  # fmt: skip
def test_the_columns_have_the_names_of_the_periods(freq: Any, first: str) -> None:
    found = spending(spring(), "group", freq=freq).wide()
    assert found.columns[1] == first
    assert len(found) == 3


def test_each_account_has_its_balance_at_the_end_of_each_month() -> None:
    found = balances(spring()).wide(total=True)
    assert lines(found, "account_name", "2026-04", "2026-05", "2026-06") == [
        ("Checking", -3.3, -3.3, -3.6), ("Visa", 0.0, 0.0, -4.4), ("Total", -3.3, -3.3, -8.0),
    ]  # fmt: skip


def test_a_total_of_unknown_amounts_is_unknown() -> None:
    report = spending(spring(), freq="month")
    report.loc[
        (report["period"] == "2026-04-01") & (report["category_name"] == "Food"), "spent"
    ] = float("nan")
    found = report.wide(total=True).tail(1)
    assert lines(found, "2026-04", "2026-05", "2026-06") == [(None, 0.0, 4.7)]


def test_a_group_with_the_name_of_another_column_has_a_number() -> None:
    both = (account("a", "date", "checking", 0.0), account("b", "Total", "checking", 0.0))
    rows = row("2026-06-01", -1.0, at="a"), row("2026-06-01", -2.0, at="b")
    found = balances(ledger_frame(*rows, accounts=both)).wide(columns="group", total=True)
    assert lines(found, "date", "Total (2)", "date (2)", "Total") == [("2026-06-17", -2, -1, -3)]
    by_rows = balances(ledger_frame(*rows, accounts=both)).wide(total=True)
    assert lines(by_rows, "account_name", "2026-06") == [
        ("Total (2)", -2.0), ("date", -1.0), ("Total", -3.0),
    ]  # fmt: skip


@pytest.mark.parametrize(("by", "expected"), [
    ("hashtag", ["period", "(none)", "period (2)"]),
    ({"Food": "Total", "month": "(none)"}, ["period", "Total (2)", "(none) (2)", "(none)"]),
    ("category", ["period", "Food", "amount_id", "month (2)"]),
])  # fmt: skip
def test_any_name_of_a_group_is_shown_everywhere(by: Any, expected: Any, tmp_path: Path) -> None:
    named = ("Daily", "food", "Food"), ("Home", "rent", "month"), ("Home", "fun", "amount_id")
    spent = [("food", 1.25, "#Period"), ("rent", 2.25, None), ("fun", 4.25, None)]
    rows = (row("2026-06-01", -amount, key, memo=memo) for key, amount, memo in spent)
    found = spending(ledger_frame(*rows, categories=named), by).wide(columns="group")
    assert sorted(found.columns.tolist()) == sorted(expected)
    to_excel(tmp_path / "wide.xlsx", found)
    assert {*pd.read_excel(tmp_path / "wide.xlsx")} == {*expected}
    to_page(tmp_path / "wide.html", {"Wide": found})
    (heading, _) = cells((tmp_path / "wide.html").read_text("utf-8"))
    assert sorted(heading[1:]) == sorted(expected[1:])


def test_accounts_can_be_the_columns_of_month_ends() -> None:
    found = balances(spring()).wide(columns="group", total=True)
    assert lines(found, "date", "Checking", "Visa", "Total") == [
        ("2026-04-30", -3.3, 0.0, -3.3), ("2026-05-31", -3.3, 0.0, -3.3),
        ("2026-06-17", -3.6, -4.4, -8.0),
    ]  # fmt: skip
    assert shown(found)[1][1:] == ["2026-04-30", "-3.300", "0.000", "-3.300"]


@pytest.mark.parametrize(("rows", "by", "expected"), [
    ([("food", {}), ("rent", {})], "category", ["Food", "Rent"]),
    ([("food", {}), ("office food", {})], "category", ["Daily: Food", "Office: Food"]),
    ([("food", {}), ("food", {"flag_color": "red"})], "flag", ["red", "(none)"]),
])  # fmt: skip
def test_columns_of_groups_have_short_unique_names(rows: Any, by: Any, expected: Any) -> None:
    ledger = ledger_frame(*(row("2026-06-01", -1.0, name, **more) for name, more in rows))
    found = spending(ledger, by).wide(columns="group")
    assert sorted(found.columns[1:]) == sorted(expected)
    assert found["period"].tolist() == [pd.Timestamp("2026-06-01")]


def test_columns_of_another_kind_are_refused() -> None:
    wide: Any = balances(spring()).wide
    with pytest.raises(ToolError, match=r"^columns='account': it must be one of 'period', 'group'"):
        wide(columns="account")


def test_the_total_of_flags_has_a_name_and_a_row_without_a_flag_has_none() -> None:
    rows = row("2026-06-01", -1.0, "food", flag_color="red"), row("2026-06-02", -2.0, "food")
    found = spending(ledger_frame(*rows), "flag", freq="month").wide(total=True)
    assert lines(found, "flag_color", "2026-06") == [(None, 2.0), ("red", 1.0), ("Total", 3.0)]


def test_the_same_days_of_two_months_are_two_columns() -> None:
    found = same_period(spring(), "category", count=1).wide()
    assert lines(found, "category_name", "2026-05", "2026-06") == [
        ("Rent", 0.0, 4.4), ("Uncategorized", 0.0, 0.3),
    ]  # fmt: skip


def test_a_plan_shows_the_amounts_that_are_chosen() -> None:
    month = in_month("2026-05", cell("food", 5.0, -2.0)), in_month("2026-06", cell("food", 4.0, -1))
    report = budget_vs_actual(plan(*month))
    for values, expected in (
        ("activity", (-2.0, -1.0)), ("assigned", (5.0, 4.0)), (None, (2.0, 1.0)),
    ):  # fmt: skip
        assert lines(report.wide(values), "2026-05", "2026-06") == [expected]


def test_a_wide_frame_is_shown_with_the_decimals_of_the_budget() -> None:
    assert shown(spending(spring(), "group", freq="year").wide())[1] == ["0", "Home", "6.600"]


def test_the_newest_periods_are_shown_and_the_last_line_says_where_the_others_are() -> None:
    rows = [row(f"{year}-{month:02}-01", -1.0) for year in (2024, 2025) for month in range(1, 13)]
    found = spending(ledger_frame(*rows), "group", freq="month").wide()
    header, _, *last = shown(found, 79)
    assert header[1:] == ["2025-12", *(f"2026-0{month}" for month in range(1, 7))]
    assert [" ".join(line) for line in last] == [
        "1 row × 32 columns; not shown: 2024-01 to 2025-11, category_group_id",
        '.wide(columns="group") has a row for each period',
    ]
    layout = layout_of(found)
    assert layout is not None
    assert "category_group_id<br>.wide(columns=" in (one_line_html(found, layout) or "")


def test_the_total_is_shown_before_the_groups_that_do_not_fit() -> None:
    found = spending(spring(), freq="month").wide(columns="group", total=True)
    header, *_, not_shown, advice = shown(found, 30)
    assert (header, not_shown[-2:]) == (["period", "Rent", "Total"], ["2", "more"])
    assert " ".join(advice) == ".wide() has a row for each group"


def test_the_period_can_be_the_index_of_groups_as_columns() -> None:
    months = spending(spring(), freq="month")
    found = months.wide(columns="group", total=True, index=True)
    assert found.rolling(2).sum()["Total"].tolist()[1:] == [3.3, 4.7]
    assert shown(found)[2] == ["2026-04-01", "2.200", "1.100", "0.000", "3.300"]
    with pytest.raises(ToolError, match=r'^index=True needs columns="group": then each row is a p'):
        months.wide(index=True)


def test_what_cannot_be_shown_wide_is_an_error() -> None:
    with pytest.raises(
        ToolError,
        match="net_worth has no groups; the reports that do: balances, budget_vs_actual, c",
    ):
        net_worth(spring()).wide()
    with pytest.raises(
        ToolError, match=r"^wide: this same_period has no groups; calculate it with by=$"
    ):
        same_period(spring()).wide()
    report = spending(spring(), "hashtag")
    with pytest.raises(ToolError, match=r"^values='share': it must be one of average, spent$"):
        report.wide("share")
    with pytest.raises(ToolError, match="a row with two hashtags would count for both"):
        report.wide(total=True)
    with pytest.raises(ToolError, match="several rows of one group and period"):
        pd.concat([report, report]).wide()

"""The rows of the ledger behind the rows of a report."""

import copy
import pickle
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import ToolError
from budgetframe.frames import in_money, milliunits
from budgetframe.reports import (
    Report,
    balances,
    budget_vs_actual,
    income_expense,
    income_sankey,
    loans,
    net_worth,
    recurring,
    runway,
    same_period,
    spending,
    unusual,
)
from tests.frames.household import part
from tests.reports.plans import cell, in_month, plan, report_of

from .rows import OF_LEDGER, REPORT_TYPES, began, ledger_frame, lines, moved, row, split

WITHOUT_ROWS = [each.name for each in REPORT_TYPES if each.no_rows and each.inputs]
OWN = {"Daily": "eat", "#rome": "trip"}


@cache
def _books() -> pd.DataFrame:
    return ledger_frame(
        began("2026-03-31", "checking", 500.0),  # t000
        row("2026-04-02", 100.0, "ready", payee_id="market"),  # t001
        row("2026-04-03", -1.0, "food", payee_id="market", memo="#rome"),  # t002
        row("2026-05-04", -2.0, "food", "visa", payee_id="cafe", flag_color="red"),  # t003
        split(  # t004
            "2026-05-05",
            -7.0,
            part("p1", -3.0, category_id="food"),
            part("p2", -4.0, category_id="fun", memo="#rome #anna"),
        ),
        row("2026-05-06", 0.5, "food", payee_id="market"),  # t005, a refund
        row("2026-05-07", -8.0),  # t006, no category
        row("2026-06-01", -16.0, "office food", memo="#anna"),  # t007
        *moved("2026-06-02", 32.0, "checking", "loan", "invest"),  # t008, t009
        *moved("2026-06-03", 64.0, "checking", "savings"),  # t010, t011
        row("2026-06-16", 200.0, "ready", payee_id="cafe"),  # t012
    )


def books() -> pd.DataFrame:
    """A ledger of ten transactions, a split and two transfers; a new copy for each caller."""
    return _books().copy()


def keys(rows: pd.DataFrame) -> list[str]:
    """The keys of ledger rows: that of the part of a split, otherwise that of the transaction."""
    return [str(each) for each in rows["subtransaction_id"].fillna(rows["transaction_id"])]


# The rows of each report


def test_rows_are_the_ledger_rows_behind_a_row_of_spending() -> None:
    report = spending(books(), freq="month")
    assert lines(report.head(2), "category_id", "period", "spent") == [
        ("invest", "2026-03-01", 0.0), ("office food", "2026-03-01", 0.0),
    ]  # fmt: skip
    rows = report.rows(category_name="Food", category_group_name="Daily", period="2026-05")
    assert keys(rows) == ["t003", "p1", "t005"]
    assert keys(report.rows(category_id=None, period="2026-05")) == ["t006"]


@pytest.mark.parametrize(("by", "values", "expected"), [
    ("category", {"category_name": "Fun"}, ["p2"]),
    ("category", {"category_name": "Food"}, ["t002", "t003", "p1", "t005", "t007"]),
    ("group", {"category_group_name": "Daily"}, ["t002", "t003", "p1", "p2", "t005"]),
    ("payee", {"payee_name": "Market"}, ["t002", "t005"]),
    ("account", {"account_name": "Visa"}, ["t003"]), ("flag", {"flag_color": "red"}, ["t003"]),
    ("hashtag", {"hashtag": "anna"}, ["p2", "t007"]),
    ("hashtag", {"hashtag": None}, ["t003", "p1", "t005", "t006", "t008"]),
    (OWN, {"label": "trip"}, ["t002", "p2"]), (OWN, {"label": None}, ["t006", "t007", "t008"]),
])  # fmt: skip
def test_rows_of_each_way_of_grouping(by: Any, values: dict[str, Any], expected: list[str]) -> None:
    assert keys(spending(books(), by).rows(**values)) == expected
    whole_year = same_period(books(), by, freq="year", today="2026-06-17")
    assert keys(whole_year.rows(**values)) == expected


def test_a_row_with_two_hashtags_counts_once_in_the_rows_of_both() -> None:
    assert keys(spending(books(), "hashtag").rows(period="2026")) == [
        "t002", "t003", "p1", "p2", "t005", "t006", "t007", "t008",
    ]  # fmt: skip


def test_rows_of_the_columns_of_income_and_spending(subtests: pytest.Subtests) -> None:
    report = income_expense(books(), freq="quarter")
    cases = {
        None: ["t001", "t002", "t003", "p1", "p2", "t005", "t006", "t007", "t008", "t012"],
        "income": ["t001", "t012"], "spent": ["t002", "t003", "p1", "p2", "t005", "t007", "t008"],
        "uncategorized": ["t006"], "starting_balances": [],
    }  # fmt: skip
    for column, expected in cases.items():
        with subtests.test(column=column):
            assert keys(report.rows(period="2026-04-01", column=column)) == expected
    assert keys(report.rows(0, column="starting_balances")) == ["t000"]
    assert keys(report.rows(0)) == []


def test_rows_of_the_same_days_and_of_the_whole_period() -> None:
    report = same_period(books(), today="2026-06-05")
    assert lines(report, "period", "spent", "whole") == [
        ("2026-03-01", 0.0, 0.0), ("2026-04-01", 1.0, 1.0),
        ("2026-05-01", 9.0, 16.5), ("2026-06-01", 48.0, None),
    ]  # fmt: skip
    assert keys(report.rows(2)) == ["t003", "p1", "p2"]
    assert keys(report.rows(2, column="whole")) == ["t003", "p1", "p2", "t005", "t006"]


def test_rows_of_the_same_days_of_groups_if_other_groups_are_left_out() -> None:
    report = same_period(books(), "payee", every="year", today="2026-06-05")
    assert lines(report, "payee_name", "spent") == [(None, 48.0)]
    assert keys(report.rows(0)) == ["t007", "t008"]


def test_rows_of_a_balance_are_all_rows_up_to_its_day() -> None:
    report = balances(books())
    assert keys(report.rows(account_name="Savings", date="2026-06")) == ["t011"]
    assert keys(report.rows(account_name="Checking", date="2026-04-30")) == ["t000", "t001", "t002"]


def test_rows_of_net_worth_and_of_its_change_assets_and_debts() -> None:
    report = net_worth(books(), since="2026-05-05", until="2026-05-31")
    assert lines(report, "date", "net", "assets", "debts", "change") == [
        ("2026-05-31", 582.5, 584.5, -2.0, -16.5)
    ]
    assert keys(report.rows(0))[:3] == ["t000", "t001", "t002"]
    assert keys(report.rows(0, column="change")) == ["t003", "p1", "p2", "t005", "t006"]
    assert keys(report.rows(0, column="debts")) == ["t003"]
    assert keys(report.rows(0, column="assets")) == [
        "t000", "t001", "t002", "p1", "p2", "t005", "t006",
    ]  # fmt: skip


def test_debts_by_type_have_the_rows_of_accounts_of_debt() -> None:
    assert keys(net_worth(books(), debts="type").rows(-1, column="debts")) == ["t003", "t009"]


def test_rows_of_runway_are_those_of_its_window() -> None:
    report = runway(books(), window=30, exclude_accounts=["Visa"])
    assert lines(report.tail(1), "date", "spent") == [("2026-06-17", 48.0)]
    assert keys(report.rows(-1)) == ["t007", "t008"]
    assert keys(report.rows(date="2026-05", column="balance")) == [
        "t000", "t001", "t002", "p1", "p2", "t005", "t006",
    ]  # fmt: skip


def test_rows_of_the_links_of_a_sankey(subtests: pytest.Subtests) -> None:
    report = income_sankey(books(), most=1)
    cases: list[tuple[str, str, float, list[str]]] = [
        ("Café", "Income", 200.0, ["t012"]),
        ("Others", "Income", 100.0, ["t001"]),
        ("Income", "Daily", 9.5, ["t002", "t003", "p1", "p2", "t005"]),
        ("Daily", "Food", 5.5, ["t002", "t003", "p1", "t005"]),
        ("Income", "Uncategorized", 8.0, ["t006"]),
        ("Income", "Left over", 234.5,
         ["t001", "t002", "t003", "p1", "p2", "t005", "t006", "t007", "t008", "t012"]),
    ]  # fmt: skip
    for source, target, amount, expected in cases:
        with subtests.test(source=source, target=target):
            rows = report.rows(source=source, target=target)
            assert keys(rows) == expected
            assert abs(int(milliunits(rows["amount"]).fillna(0).sum())) == round(amount * 1000)


def test_rows_of_a_series_are_its_payments_with_all_their_parts() -> None:
    paid = [row(f"2026-0{month}-03", -30.0, "fun", payee_id="cafe") for month in (1, 2, 3, 4)]
    parts = [part("p1", -20.0, category_id="fun"), part("p2", -10.0, category_id="fun")]
    last = split("2026-05-03", -31.0, *parts, part("p3", -1.0, category_id="food"), payee_id="cafe")
    report = recurring(ledger_frame(*paid, row("2026-02-20", -3.0, "food", payee_id="cafe"), last))
    assert lines(report, "payee_name", "payments", "last_amount") == [("Café", 5, 30.0)]
    assert keys(report.rows(0)) == ["t000", "t001", "t002", "t003", "p1", "p2"]
    assert keys(report.rows(0, column="last_amount")) == ["p1", "p2"]


def test_rows_of_a_loan_are_split_by_kind(subtests: pytest.Subtests) -> None:
    ledger = ledger_frame(
        began("2026-04-01", "loan", -100.0),
        *moved("2026-05-02", 20.0, "checking", "loan", "invest"),
        *(
            row("2026-05-03", amount, at="loan", debt_transaction_type=kind)
            for kind, amount in {"interest": -3.0, "escrow": -2.0, "fee": -1.0}.items()
        ),
        *moved("2026-06-02", 20.0, "checking", "loan", "invest"),
    )
    report = loans(ledger)
    assert lines(report.iloc[1:2], "month", "owed") == [("2026-05-01", 86.0)]
    cases = {
        "owed": ["t000", "t002", "t003", "t004", "t005"], "payment": ["t002"], "interest": ["t003"],
        "escrow": ["t004"], "other": ["t005"],
    }  # fmt: skip
    for column, expected in cases.items():
        with subtests.test(column=column):
            assert keys(report.rows(month="2026-05", column=column)) == expected


def test_projected_months_of_a_loan_have_no_rows() -> None:
    assert len(report_of("loans").rows(-1)) == 0


def test_rows_of_a_plan_are_those_of_month_categories() -> None:
    frame = plan(
        in_month("2026-04", cell("food", 1.0, -1.0), cell("fun", 8.0, -8.0)),
        in_month("2026-05", cell("food", 2.0, -4.0)),
    )
    rows = budget_vs_actual(frame, freq="quarter").rows(category_name="Food")
    assert lines(rows, "month", "category_id", "budgeted", "activity") == [
        ("2026-04-01", "food", 1.0, -1.0), ("2026-05-01", "food", 2.0, -4.0),
    ]  # fmt: skip


def test_rows_that_a_filter_excludes_are_not_behind_a_figure(subtests: pytest.Subtests) -> None:
    filtered: dict[str, Any] = {"exclude_accounts": ["Visa"], "exclude_categories": ["Office"]}
    accounts: dict[str, Any] = {"accounts": ["Visa"], "until": "2026-05-31"}
    cases: list[tuple[Report, list[str]]] = [
        (spending(books(), "payee", **filtered), ["t002", "p1", "p2", "t005", "t006", "t008"]),
        (income_expense(books(), freq="all", flags=["red"]), ["t003"]),
        (same_period(books(), freq="year", categories=["Fun"]), ["p2"]),
        (net_worth(books(), **accounts), ["t003"]),
        (balances(books(), **accounts), ["t003"]),
        (runway(books(), window=45, **filtered).tail(1), ["p1", "p2", "t005", "t006", "t008"]),
        (income_sankey(books(), accounts=["Visa"]), ["t003"]),
    ]
    for report, expected in cases:
        with subtests.test(report=report.attrs["report"]):
            assert set(expected) == set(keys(report.rows()))


# Which rows of the report


def test_a_position_is_that_in_the_report_as_it_is_now(subtests: pytest.Subtests) -> None:
    report = spending(books(), "payee", until="2026-05-31")
    expected = {"Market": ["t002", "t005"], "Café": ["t003"], None: ["p1", "p2", "t006"]}
    changes: dict[str, Callable[[Report], pd.DataFrame]] = {
        "sorted": lambda report: report.sort_values("spent"),
        "filtered": lambda report: report[report["payee_name"] == "Market"],
        "numbered again": lambda report: report.sort_values("spent").reset_index(drop=True),
        "with an index of texts": lambda report: report.set_axis([*"abc"]),
        "with an index of other numbers": lambda report: report.set_axis([2, 1, 0]),
        "joined": lambda report: pd.concat([report.tail(1), report.head(1)]),
        "with more columns": lambda report: report.assign(name="a", spent=0.0),
        "copied": copy.deepcopy,
        "a report of a report": Report,
    }
    for label, change in changes.items():
        changed = change(report)
        assert isinstance(changed, Report)
        for at, payee in enumerate(changed["payee_name"].astype(object)):
            with subtests.test(label=label, at=at, payee=payee):
                assert keys(changed.rows(at)) == expected[payee if pd.notna(payee) else None]


def test_days_months_and_years_select_rows_of_the_report(subtests: pytest.Subtests) -> None:
    report = net_worth(books())
    days: list[Any] = ["2026-05-31", "2026-05", pd.Timestamp("2026-05-31"), report["date"].iloc[2]]
    days += [pd.Timestamp("2026-05-31").date(), report["date"].to_numpy()[2], pd.Period("2026-05")]
    for day in days:
        with subtests.test(day=day):
            assert keys(report.rows(date=day, column="change")) == [
                "t003", "p1", "p2", "t005", "t006",
            ]  # fmt: skip
    assert len(report.rows(date="2026")) == len(books())


def test_without_a_selection_the_rows_are_those_of_the_whole_report() -> None:
    report = spending(books(), "payee")
    assert keys(report[report["payee_name"].notna()].rows()) == ["t002", "t003", "t005"]
    assert keys(report.head(0).rows()) == []


# The frame of the rows


def test_rows_have_the_columns_index_attrs_and_order_of_the_ledger() -> None:
    ledger = books().iloc[::-1].set_axis([f"row {number}" for number in range(14)])
    rows = spending(ledger, "payee").rows(payee_name="Market")
    assert type(rows) is type(ledger)
    assert_frame_equal(rows, ledger.loc[["row 7", "row 11"]])
    assert rows.attrs == ledger.attrs


def test_rows_of_a_ledger_in_decimals_are_in_decimals() -> None:
    rows = spending(in_money(books(), "decimal"), "payee").rows(payee_name="Market")
    assert [str(amount) for amount in rows["amount"]] == ["-1.000", "0.500"]


def test_rows_do_not_change_after_the_ledger_changed() -> None:
    ledger = books()
    report = spending(ledger, "payee")
    expected = report.rows(payee_name="Market")
    ledger["payee_name"] = "x"
    ledger["more"] = 1
    del ledger["memo"]
    assert_frame_equal(report.rows(payee_name="Market"), expected)


# Errors


def test_a_wrong_selection_raises_an_error_that_says_what_exists(subtests: pytest.Subtests) -> None:
    report = spending(books(), freq="month", since="2026-05-01")
    cases: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        ((10,), {}, r"rows\(10\): the report spending has positions 0 to 9$"),
        ((-11,), {}, r"rows\(-11\): the report spending has positions 0 to 9$"),
        (("Food",), {}, r"rows\('Food'\): pass the position of a row, .* rows\(category_group_na"),
        ((True,), {}, r"rows\(True\): pass the position of a row"),
        ((0,), {"period": "2026"}, "rows: pass a position or values of columns, not both$"),
        ((), {"category_nam": "Food"}, "no column category_nam; the closest: category_name, "),
        ((), {"category_name": "food"}, "has this value; the closest: 'Food'$"),
        ((), {"category_name": "zzz"}, "no row of the report spending has this value$"),
        ((), {"zzz": 1}, "has no column zzz; it has category_group_name, category_name, period, "),
        ((), {"category_name": ["Food"]}, r"category_name=\['Food'\]: pass one value, or select"),
        ((), {"period": "2025-04"}, "period='2025-04': .* the closest is 2026-05$"),
        ((), {"period": "2026-05-02"}, "no row of the report .* the closest is 2026-05-01$"),
        ((), {"period": "May"}, "'May' is not a day, month or year: write it as '2026-05-17', "),
        ((), {"period": "2026-13"}, "'2026-13' is not a day, month or year"),
        ((), {"period": None}, "period=None: no row of the report spending has this value$"),
        ((), {"category_name": "Fun", "spent": 16.0},
            "the report spending has all the values category_name='Fun', spent=16.0: pass few"),
        ((0,), {"column": "share"}, "column='share': rows.. knows the rows behind 'spent'; other"),
    ]  # fmt: skip
    for at, values, said in cases:
        with subtests.test(at=at, values=values), pytest.raises(ToolError, match=said):
            report.rows(*at, **values)


def test_an_empty_report_has_no_position() -> None:
    report = spending(books().iloc[:0])
    assert keys(report.rows()) == []
    with pytest.raises(ToolError, match=r"rows\(0\): the report spending has no rows$"):
        report.rows(0)


def test_every_report_without_ledger_rows_can_be_asked_for_rows(subtests: pytest.Subtests) -> None:
    empty = books().iloc[:0]
    for report in (*(of_ledger(empty) for of_ledger in OF_LEDGER), budget_vs_actual(plan())):
        with subtests.test(report=report.attrs["report"]):
            assert len(report.rows()) == 0


@pytest.mark.parametrize("name", WITHOUT_ROWS)
def test_a_report_of_other_figures_says_what_to_use(name: str) -> None:
    said = rf"^{name} has no rows of the ledger behind it: .*; bf\.\w+\(\) "
    with pytest.raises(ToolError, match=said):
        report_of(name).rows(0)


def test_a_report_that_lost_a_key_column_says_so() -> None:
    with pytest.raises(ToolError, match="the report has no column payee_id any more"):
        spending(books(), "payee").drop(columns="payee_id").rows(0)


def test_a_report_whose_columns_were_removed_in_place_has_no_rows() -> None:
    report = spending(books(), "payee")
    del report["share"]
    with pytest.raises(ToolError, match="this frame lacks columns of the report that it was"):
        report.rows(0)


def test_a_row_that_was_not_calculated_has_no_rows() -> None:
    report = spending(books(), "payee").assign(payee_id="other")
    with pytest.raises(ToolError, match="was calculated without the row payee_id='other', payee"):
        report.rows(0)


# Files, pickles and memory


def test_rows_of_a_report_whose_rows_pandas_moved_or_repeated() -> None:
    report = income_expense(books())
    assert pd.concat([report, report.head(1)]).rows().equals(report.rows())
    for changed in (report.shift(1), report.reindex(range(len(report) + 1))):
        with pytest.raises(ToolError, match="without the row period=NaT: remove this row, or use"):
            changed.rows()


def test_a_pickle_of_a_report_does_not_contain_its_ledger() -> None:
    report = spending(ledger_frame(row("2026-05-05", -1.0, "food", memo="a secret")))
    assert keys(report.rows()) == ["t000"]
    pickled = pickle.dumps(report)
    assert b"a secret" not in pickled
    again = pickle.loads(pickled)  # noqa: S301 - written by this test
    with pytest.raises(
        ToolError, match=r"the report spending does not know its ledger any more, .*: calc"
    ):
        again.rows()


def test_a_report_read_from_a_file_does_not_know_its_ledger(tmp_path: Path) -> None:
    spending(books()).to_parquet(tmp_path / "report.parquet")
    again = Report(pd.read_parquet(tmp_path / "report.parquet"))
    with pytest.raises(ToolError, match="calculate the report again"):
        again.rows()


def test_a_report_holds_no_copy_of_its_ledger(subtests: pytest.Subtests) -> None:
    ledger = pd.concat([books(), ledger_frame(began("2026-05-01", "fund", 1.0))] * 500)
    ledger = ledger.reset_index(drop=True)
    ledger.attrs = books().attrs
    size = ledger.memory_usage(deep=True).sum()
    for function in OF_LEDGER:
        tracemalloc.start()
        report = function(ledger)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        with subtests.test(function=function, held=held, size=size):
            assert len(report) or function in {recurring, unusual}  # no row is either
            assert held < size / 5

"""Common properties of reports: columns, rejected arguments, attrs."""

from ast import literal_eval
from collections.abc import Callable
from functools import cache
from inspect import signature
from itertools import chain, product
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import ToolError, reports
from budgetframe.frames import LEDGER, TABLES, in_money
from budgetframe.frames.reconciliation import RECONCILIATION, Reconciliation
from budgetframe.lake.columns import OTHERS, RUNS, SYNC
from budgetframe.reports import (
    Report,
    balances,
    income_expense,
    net_worth,
    runway,
    same_period,
    spending,
    unusual,
)
from budgetframe.reports._shared.inputs import INPUTS
from tests.reports.plans import household, with_copies
from tests.reports.rows import OF_LEDGER, REPORT_TYPES, began, ledger_frame, moved, row, values

Function = Callable[..., Report]

WITH_SPAN = [report for report in OF_LEDGER if "since" in signature(report).parameters]
OWN = {"Food": "eat"}
GROUPINGS: list[tuple[Any, list[str], list[str]]] = [
    ("category", ["category_group_name", "category_name"], ["category_id"]),
    ("group", ["category_group_name"], ["category_group_id"]),
    ("payee", ["payee_name", "is_transfer"], ["payee_id"]),
    ("account", ["account_name"], ["account_id"]), ("flag", ["flag_color", "flag_name"], []),
    ("hashtag", ["hashtag"], []), (OWN, ["label"], []),
]  # fmt: skip
"""A value of by=, and the columns before and after the others."""


@cache
def some() -> pd.DataFrame:
    """A year with a row of every kind, and with payments that recur."""
    return ledger_frame(
        began("2025-06-01", "checking", 1000.0),
        began("2025-06-01", "fund", 16.0),
        row("2025-06-02", 100.0, "ready"),
        row("2025-07-01", -1.0, "food", memo="#rome", flag_color="red", payee_id="market"),
        *(row(f"2026-0{n}-01", -2.0, "fun", "visa", payee_id="cafe") for n in (3, 4, 5, 6)),
        row("2026-06-01", -4.0),
        *moved("2026-06-02", 8.0, "checking", "fund", "invest"),
        began("2026-06-03", "loan", -9.0),
    )


def frames(name: str) -> list[pd.DataFrame]:
    """The frames that a report takes, of a budget with copies of some transactions."""
    taken = [each.frame for each in INPUTS[name] if not each.needed_with]
    given = {frame: getattr(household(), frame)() for frame in taken}
    if "transactions" in given:
        given["transactions"] = with_copies(given["transactions"])
    return [*given.values()]


WITH_CATEGORIES = [
    name
    for name, inputs in INPUTS.items()
    if {each.frame for each in inputs} & {"categories", "month_categories"}
]
"""The reports that take a frame with balances of categories."""


def test_no_report_uses_the_balance_of_the_income_category(subtests: pytest.Subtests) -> None:
    assert WITH_CATEGORIES
    for name in WITH_CATEGORIES:
        given = frames(name)
        changed = [frame.copy() for frame in given]
        frame = next(each for each in changed if "balance" in each)
        is_income = frame["category_name"] == "Inflow: Ready to Assign"
        assert (frame.loc[is_income, "balance"] > 100_000).any()  # all income of some years
        frame.loc[is_income, "balance"] = -7_000_000.0
        report: Function = getattr(reports, name)
        with subtests.test(name):
            assert_frame_equal(report(*given), report(*changed))


# Columns


def without_periods(found: Report) -> Any:
    """The dtypes of the columns that a report has in any case."""
    return found.dtypes[[not str(name)[0].isdigit() for name in found]]


@pytest.mark.parametrize("name", INPUTS)
def test_a_report_without_rows_has_the_same_columns_and_dtypes(name: str) -> None:
    report: Function = getattr(reports, name)
    found = report(*frames(name))
    empty = report(*(frame.iloc[:0] for frame in frames(name)))
    assert len(found) > len(empty) == 0
    assert list(empty.dtypes.items()) == list(without_periods(found).items())


def test_no_column_has_the_name_of_a_method_or_attribute() -> None:
    """So that in ``found.row_count >= 5`` it is the column."""
    tables = [LEDGER, RECONCILIATION, OTHERS[SYNC], OTHERS[RUNS]]
    tables += [table.columns for table in TABLES.values()] + [each.columns for each in REPORT_TYPES]
    names = {column.name for column in chain(*tables)}
    assert names.isdisjoint({*dir(Report), *dir(Reconciliation)})
    assert {"row_count", "total", "category_name"} <= names


@pytest.mark.parametrize(("by", "names", "keys"), GROUPINGS)
def test_the_columns_that_name_a_group_come_first_and_its_key_last(
    by: Any, names: list[str], keys: list[str]
) -> None:
    for report, own in (
        (spending, ["period", "spent", "share", "months", "average", "is_complete"]),
        (same_period, ["period", "date", "spent", "change", "change_rate", "whole"]),
    ):
        found = report(some(), by)
        assert list(found.columns) == [*names, *own, *keys]
        assert list(report(ledger_frame(), by).dtypes.items()) == list(found.dtypes.items())


def test_a_span_without_ledger_days_has_no_rows_and_same_dtypes(subtests: pytest.Subtests) -> None:
    spans: list[dict[str, Any]] = [{"until": "2025-05-31"}, {"since": "2026-06-18"}]
    for report, span in [*product(WITH_SPAN, spans), (same_period, {"today": "2025-05-31"})]:
        with subtests.test(name=report.__name__, span=span):
            found = report(some(), **span)
            assert len(found) == 0
            assert found.dtypes.equals(without_periods(report(some())))


def test_since_and_until_can_be_the_same_day(subtests: pytest.Subtests) -> None:
    for report in WITH_SPAN:
        with subtests.test(name=report.__name__):
            found = report(some(), since="2025-07-01", until="2025-07-01")
            assert found.attrs["rules"][-1] == "From 2025-07-01 to 2025-07-01."
            for column in {"date", "period"} & {*found}:
                days = {"2025-07-01"} if len(found) or report is not unusual else set()
                assert set(values(found, column)) == days


# Rejected arguments


WORDS: list[tuple[Function, dict[str, Any], str]] = [
    (net_worth, {"freq": "all"},
     "freq='all': it must be one of 'day', 'week', 'month', 'quarter', 'year'$"),
    (spending, {"by": "memo"},
     "by='memo': it must be one of 'category', 'group', 'payee', 'account', 'flag', 'hashtag'$"),
    (spending, {"by": "own"}, "by='own': it must be one of 'category'"),
    (same_period, {"today": "yesterday"}, "today='yesterday' is not a day"),
]  # fmt: skip


@pytest.mark.parametrize(("report", "arguments", "said"), WORDS)
def test_an_unknown_choice_raises_an_error_with_the_known_choices(
    report: Function, arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(ToolError, match=said):
        report(some(), **arguments)


def test_an_argument_that_a_report_does_not_have_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'by'"):
        net_worth(ledger_frame(), by="type")  # type: ignore[call-arg]


def test_a_day_that_is_none_raises_an_error() -> None:
    with pytest.raises(ToolError, match="until='2026-02-29' is not a day"):
        net_worth(some(), until="2026-02-29")


@pytest.mark.parametrize("report", OF_LEDGER)
def test_a_ledger_in_milliunits_raises_an_error_with_the_right_frame(report: Function) -> None:
    expected = r"^the frame has no column amount: .* bf\.ledger\(\), with amounts in currency"
    with pytest.raises(ToolError, match=expected + " units"):
        report(in_money(some(), "milliunits"))


@pytest.mark.parametrize("name", INPUTS)
def test_another_frame_raises_an_error_with_the_frame_that_is_needed(name: str) -> None:
    report: Function = getattr(reports, name)
    given = frames(name)
    for place, (needed, *_) in enumerate(INPUTS[name][: len(given)]):
        others = [*given[:place], pd.DataFrame({"id": []}), *given[place + 1 :]]
        with pytest.raises(ToolError, match=rf"this report needs the frame of bf\.{needed}\(\)"):
            report(*others)


# Inputs


@pytest.mark.parametrize("report", OF_LEDGER)
def test_neither_decimals_nor_the_index_of_the_ledger_change_a_report(report: Function) -> None:
    expected = report(some())
    assert_frame_equal(report(in_money(some(), "decimal")), expected)
    assert_frame_equal(report(some().set_axis([7] * len(some()))), expected)


@pytest.mark.parametrize("report", OF_LEDGER)
def test_a_report_does_not_change_its_ledger(report: Function) -> None:
    given = some().copy(deep=True)
    report(given)
    assert_frame_equal(given, some())
    assert given.attrs == some().attrs


# attrs and rules


def test_the_rules_of_a_comparison_state_its_day() -> None:
    rules = same_period(some(), freq="quarter", today="2026-06-03").attrs["rules"]
    assert rules[0] == "Each quarter counts up to the day that corresponds to 2026-06-03."


CHANGES: list[tuple[Function, dict[str, Any], str]] = [
    (net_worth, {"debts": "type"}, "Debts are the balances of cards, loans, mortgages and other"),
    (income_expense, {"transfers": "none"},
     "No transfer counts, not even a transfer to a tracking"),
    (spending, {"transfers": "none"}, "No transfer counts, not even a transfer to a tracking"),
    (spending, {"uncategorized": False}, "Transactions without a category do not count."),
    (spending, {"average": "active"}, "Average: per month, over the months with a transaction"),
    (spending, {"by": "hashtag"}, "A transaction with several hashtags counts for each of them."),
    (same_period, {"transfers": "all"}, "All transfers count. Transfers between two budget"),
    (same_period, {"uncategorized": False}, "Transactions without a category do not count."),
    (same_period, {"freq": "quarter"},
     "Each quarter counts up to the day that corresponds to 2026-06-17."),
    (same_period, {"every": "year"}, "Earlier periods are the same month of earlier years."),
    (runway, {"window": 30}, "Spending: the last 30 days, net of refunds"),
]  # fmt: skip


@pytest.mark.parametrize(("report", "arguments", "rule"), CHANGES)
def test_rules_fit_the_parameters(report: Function, arguments: dict[str, Any], rule: str) -> None:
    changed, default = report(some(), **arguments), report(some())
    assert [each for each in changed.attrs["rules"] if each.startswith(rule)]
    assert not [each for each in default.attrs["rules"] if each.startswith(rule)]


WITHOUT_CATEGORY = "1 row without a category: uncategorized=True"
TO_TRACKING = "1 transfer to a tracking account: transfers='to_tracking'"
LEFT_OUT: list[tuple[Function, dict[str, Any], list[str]]] = [
    (spending, {}, []),
    (spending, {"transfers": "none"}, [TO_TRACKING]),
    (spending, {"transfers": "none", "categories": "Fun"}, []),
    (spending, {"uncategorized": False, "since": "2026"}, [WITHOUT_CATEGORY]),
    (spending, {"uncategorized": False, "until": "2025"}, []),
    (income_expense, {"transfers": "none"}, [TO_TRACKING]),
    (reports.income_sankey, {"uncategorized": False}, [WITHOUT_CATEGORY]),
    (reports.income_sankey, {"most": 1}, []),
    (runway, {"uncategorized": False}, [WITHOUT_CATEGORY]),
    (same_period, {"count": 2}, ["10 earlier months: count=12"]),
    (same_period, {"count": 12, "uncategorized": False}, [WITHOUT_CATEGORY]),
    (reports.recurring, {"uncategorized": False}, [WITHOUT_CATEGORY]),
    (reports.payees, {}, ["2 transfers: transfers='all'"]),
    (reports.payees, {"transfers": "all"}, []),
]


@pytest.mark.parametrize(("report", "arguments", "left_out"), LEFT_OUT)
def test_a_report_names_the_options_that_show_what_it_leaves_out(
    report: Function, arguments: dict[str, Any], left_out: list[str]
) -> None:
    assert report(some(), **arguments).attrs.get("left_out", []) == left_out


NARROW = {"transfers": "none", "uncategorized": False, "count": 2, "most": 1}


@pytest.mark.parametrize("name", INPUTS)
def test_an_option_that_shows_what_is_left_out_can_be_copied(name: str) -> None:
    report: Function = getattr(reports, name)
    known, given = signature(report).parameters, frames(name)
    arguments = {option: NARROW[option] for option in NARROW if option in known}
    for text in report(*given, **arguments).attrs.get("left_out", ()):
        option, _, value = text.partition(": ")[2].partition("=")
        again = report(*given, **(arguments | {option: literal_eval(value)}))
        assert text not in again.attrs.get("left_out", [])


@pytest.mark.parametrize(("report", "arguments", "said"), [
    (net_worth, {"freq": "year"}, {"freq": "year"}),
    (balances, {"freq": "day"}, {"freq": "day"}),
    (income_expense, {"freq": "all"}, {"freq": "all"}),
    (spending, {"by": "payee", "freq": "month"}, {"freq": "month", "by": "payee"}),
    (spending, {"by": OWN}, {"freq": "all", "by": "own"}),
    (same_period, {"freq": "quarter"}, {"freq": "quarter"}),
    (runway, {"freq": "quarter"}, {"freq": "quarter"}),
])  # fmt: skip
def test_attrs_state_the_parameters(report: Function, arguments: Any, said: dict[str, str]) -> None:
    attrs = report(some(), **arguments).attrs
    assert {name: attrs[name] for name in said} == said

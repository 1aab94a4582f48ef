"""Common properties of reports: columns, rejected arguments, attrs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import product
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import ToolError
from budgetframe.frames import TABLES, in_money
from budgetframe.reports import (
    Report,
    balances,
    income_expense,
    net_worth,
    runway,
    same_period,
    spending,
)
from tests.frames.columns import ACCOUNT_TYPES, FLAG_COLORS, TEXT
from tests.reports.rows import began, ledger_frame, moved, row, values

Function = Callable[..., Report]

DAY = "datetime64[us]"
LOAN_COLUMNS = ("interest", "escrow", "unexplained")
OWN: Mapping[str, str] = {"Food": "eat"}
GROUPINGS: dict[str, tuple[Any, dict[str, Any]]] = {
    "category": (
        "category",
        dict.fromkeys(["category_id", "category_group_name", "category_name"], TEXT),
    ),
    "group": ("group", dict.fromkeys(["category_group_id", "category_group_name"], TEXT)),
    "payee": ("payee", dict.fromkeys(["payee_id", "payee_name"], TEXT)),
    "account": ("account", dict.fromkeys(["account_id", "account_name"], TEXT)),
    "flag": ("flag", {"flag_color": pd.CategoricalDtype(FLAG_COLORS.split()), "flag_name": TEXT}),
    "hashtag": ("hashtag", {"hashtag": TEXT}),
    "own": (OWN, {"label": TEXT}),
}
SPENDING = {
    "period": DAY,
    "spent": "float64",
    "share": "float64",
    "months": "int64",
    "average": "float64",
    "is_complete": "bool",
}
SAME_PERIOD = {"period": DAY, "date": DAY, **dict.fromkeys(["spent", "change", "whole"], "float64")}


def form(group: dict[str, Any], columns: dict[str, Any]) -> dict[str, Any]:
    """The names of a group come before the other columns, and its key comes after them."""
    names = {name: kind for name, kind in group.items() if not name.endswith("_id")}
    return {**names, **columns, **group}


FORMS: dict[str, tuple[Function, dict[str, Any], dict[str, Any]]] = {
    "net_worth": (
        net_worth,
        {},
        {
            "date": DAY,
            **dict.fromkeys(["assets", "debts", "net", "change", *LOAN_COLUMNS], "float64"),
        },
    ),
    "balances": (
        balances,
        {},
        {
            "date": DAY,
            "account_name": TEXT,
            "account_type": pd.CategoricalDtype(ACCOUNT_TYPES.split()),
            "on_budget": "bool",
            **dict.fromkeys(["balance", *LOAN_COLUMNS], "float64"),
            "account_id": TEXT,
        },
    ),
    "income_expense": (
        income_expense,
        {},
        {
            "period": DAY,
            **dict.fromkeys(["income", "spent", "uncategorized", "net"], "float64"),
            **dict.fromkeys(["savings_rate", "starting_balances"], "float64"),
            "is_complete": "bool",
        },
    ),
    "runway": (
        runway,
        {},
        {"date": DAY, **dict.fromkeys(["balance", "spent", "per_day", "days"], "float64")},
    ),
    "same_period": (same_period, {}, SAME_PERIOD),
    **{
        f"spending by {name}": (spending, {"by": by}, form(group, SPENDING))
        for name, (by, group) in GROUPINGS.items()
    },
    **{
        f"same_period by {name}": (same_period, {"by": by}, form(group, SAME_PERIOD))
        for name, (by, group) in GROUPINGS.items()
    },
}
ALL: dict[str, Function] = {
    "net_worth": net_worth,
    "balances": balances,
    "income_expense": income_expense,
    "spending": spending,
    "same_period": same_period,
    "runway": runway,
}
WITH_SPAN = [name for name in ALL if name != "same_period"]


@cache
def some() -> pd.DataFrame:
    """A year with a row of every kind."""
    return ledger_frame(
        began("2025-06-01", "checking", 1000.0),
        row("2025-06-02", 100.0, "ready"),
        row("2025-07-01", -1.0, "food", memo="#rome", flag_color="red", payee_id="market"),
        row("2026-05-01", -2.0, "fun", "visa"),
        row("2026-06-01", -4.0),
        *moved("2026-06-02", 8.0, "checking", "fund", "invest"),
    )


# Columns


def test_columns_and_dtypes_are_always_the_same(subtests: pytest.Subtests) -> None:
    ledgers: dict[str, Callable[[], pd.DataFrame]] = {"some": some, "none": ledger_frame}
    for (label, (report, arguments, types)), (ledger_label, rows) in product(
        FORMS.items(), ledgers.items()
    ):
        with subtests.test(label=label, ledger_label=ledger_label):
            found = report(rows(), **arguments)
            expected = {name: pd.api.types.pandas_dtype(kind) for name, kind in types.items()}
            assert list(found.dtypes.items()) == list(expected.items())
            assert found.empty is (ledger_label == "none")


def test_a_span_without_ledger_days_gives_no_rows_and_the_same_dtypes(
    subtests: pytest.Subtests,
) -> None:
    spans: dict[str, dict[str, str]] = {
        "before": {"until": "2025-05-31"},
        "after": {"since": "2026-06-18"},
    }
    for name, (label, span) in product(WITH_SPAN, spans.items()):
        with subtests.test(name=name, label=label):
            found = ALL[name](some(), **span)
            assert len(found) == 0
            assert found.dtypes.equals(ALL[name](some()).dtypes)


def test_a_day_before_the_first_transaction_gives_an_empty_comparison() -> None:
    found = same_period(some(), "category", today="2025-05-31")
    assert len(found) == 0
    assert found.dtypes.equals(same_period(some(), "category").dtypes)


def test_since_and_until_can_be_the_same_day(subtests: pytest.Subtests) -> None:
    for name in WITH_SPAN:
        with subtests.test(name=name):
            found = ALL[name](some(), since="2025-07-01", until="2025-07-01")
            assert set(values(found, "date" if "date" in found else "period")) == {"2025-07-01"}


# Rejected arguments

WORDS: list[tuple[Function, dict[str, Any], str]] = [
    (
        net_worth,
        {"freq": "all"},
        "freq='all': it must be one of 'day', 'week', 'month', 'quarter', 'year'$",
    ),
    (income_expense, {"freq": None}, "'quarter', 'year', 'all'$"),
    (
        spending,
        {"by": "memo"},
        "by='memo': it must be one of 'category', 'group', 'payee', 'account', 'flag', 'hashtag'$",
    ),
    (spending, {"by": "own"}, "by='own': it must be one of 'category'"),
    (spending, {"by": None}, "by=None: it must be one of 'category'"),
    (spending, {"by": ["category"]}, r"by=\['category'\]: it must be one of 'category'"),
    (same_period, {"today": "yesterday"}, "today='yesterday' is not a day"),
]


@pytest.mark.parametrize(("report", "arguments", "said"), WORDS)
def test_an_unknown_choice_raises_an_error_with_the_known_choices(
    report: Function, arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(ToolError, match=said):
        report(some(), **arguments)


def test_an_argument_that_a_report_does_not_have_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'by'"):
        net_worth(ledger_frame(), by="type")  # type: ignore[call-arg]


def test_invalid_days_raise_an_error(subtests: pytest.Subtests) -> None:
    arguments_and_errors: list[tuple[Any, str]] = [
        ({"since": "2026-05-02", "until": "2026-05-01"}, "since=2026-05-02 is after until=2026"),
        ({"since": "17.05.2026"}, "since='17.05.2026' is not a day"),
        ({"until": "2026-02-29"}, "until='2026-02-29' is not a day"),
    ]
    for name, (arguments, said) in product(WITH_SPAN, arguments_and_errors):
        with (
            subtests.test(name=name, arguments=arguments, said=said),
            pytest.raises(ToolError, match=said),
        ):
            ALL[name](some(), **arguments)


@pytest.mark.parametrize("report", ALL.values(), ids=ALL)
def test_a_ledger_in_milliunits_raises_an_error_with_the_right_frame(report: Function) -> None:
    expected = r"^the frame has no column amount: .* bf\.ledger\(\), with amounts in currency"
    with pytest.raises(ToolError, match=expected + " units"):
        report(in_money(some(), "milliunits"))


@pytest.mark.parametrize("report", ALL.values(), ids=ALL)
def test_another_frame_raises_an_error_with_the_missing_columns(report: Function) -> None:
    other = TABLES["transactions"].frame({"transactions": []})
    with pytest.raises(
        ToolError, match=r"the frame has no column .*on_budget.*: .* bf\.ledger\(\)"
    ):
        report(other)


# Inputs


@pytest.mark.parametrize("report", ALL.values(), ids=ALL)
def test_a_ledger_in_decimals_gives_the_same_report(report: Function) -> None:
    assert_frame_equal(report(in_money(some(), "decimal")), report(some()))


@pytest.mark.parametrize("report", ALL.values(), ids=ALL)
def test_a_report_does_not_change_its_ledger(report: Function) -> None:
    given = some().copy(deep=True)
    report(given)
    assert_frame_equal(given, some())
    assert given.attrs == some().attrs


@pytest.mark.parametrize("report", ALL.values(), ids=ALL)
def test_the_index_of_the_ledger_does_not_matter(report: Function) -> None:
    assert_frame_equal(report(some().set_axis([7] * len(some()))), report(some()))


# attrs and rules


def test_the_rules_state_the_days_of_the_report(subtests: pytest.Subtests) -> None:
    for name in WITH_SPAN:
        with subtests.test(name=name):
            rules = ALL[name](some(), since="2026-01-05").attrs["rules"]
            assert rules[-1] == "From 2026-01-05 to 2026-06-17."


def test_the_rules_of_a_comparison_state_its_day() -> None:
    rules = same_period(some(), of="quarter", today="2026-06-03").attrs["rules"]
    assert rules[0] == "Each quarter counts up to the day that corresponds to 2026-06-03."


CHANGES: list[tuple[Function, dict[str, Any], str]] = [
    (net_worth, {"debts": "type"}, "Debts are the balances of cards, loans, mortgages and other"),
    (
        income_expense,
        {"transfers": "none"},
        "No transfer counts, not even a transfer to a tracking",
    ),
    (spending, {"transfers": "none"}, "No transfer counts, not even a transfer to a tracking"),
    (spending, {"uncategorized": False}, "Transactions without a category do not count."),
    (spending, {"average": "active"}, "Average: per month, over the months with a transaction"),
    (spending, {"by": "hashtag"}, "A transaction with several hashtags counts for each of them."),
    (same_period, {"transfers": "all"}, "All transfers count. Transfers between two budget"),
    (same_period, {"uncategorized": False}, "Transactions without a category do not count."),
    (
        same_period,
        {"of": "quarter"},
        "Each quarter counts up to the day that corresponds to 2026-06-17.",
    ),
    (same_period, {"every": "year"}, "Earlier periods are the same month of earlier years."),
    (runway, {"window": 30}, "Spending: the last 30 days, net of refunds"),
    (runway, {"exclude_accounts": ["Visa"]}, "Excluded accounts: Visa."),
    (runway, {"exclude_categories": ["Food", "Fun"]}, "Excluded categories: Food, Fun."),
    (runway, {"exclude_categories": "Food"}, "Excluded categories: Food."),
]


@pytest.mark.parametrize(("report", "arguments", "rule"), CHANGES)
def test_rules_change_with_the_parameters(
    report: Function, arguments: dict[str, Any], rule: str
) -> None:
    changed, default = report(some(), **arguments), report(some())
    assert [each for each in changed.attrs["rules"] if each.startswith(rule)]
    assert not [each for each in default.attrs["rules"] if each.startswith(rule)]


@pytest.mark.parametrize(
    ("report", "arguments", "said"),
    [
        (net_worth, {"freq": "year"}, {"freq": "year"}),
        (balances, {"freq": "day"}, {"freq": "day"}),
        (income_expense, {"freq": "all"}, {"freq": "all"}),
        (spending, {"by": "payee", "freq": "month"}, {"freq": "month", "by": "payee"}),
        (spending, {"by": OWN}, {"freq": "all", "by": "own"}),
        (same_period, {"of": "quarter"}, {"freq": "quarter"}),
        (runway, {"freq": "quarter"}, {"freq": "quarter"}),
    ],
)
def test_attrs_state_the_parameters_of_the_rows(
    report: Function, arguments: Any, said: dict[str, str]
) -> None:
    attrs = report(some(), **arguments).attrs
    assert {name: attrs[name] for name in said} == said

"""Docstrings of reports say what is so, of the functions and of the methods made of them."""

from __future__ import annotations

import inspect
import re
import sys
import typing
from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, reports
from budgetframe._facade.aio.reports import AsyncReports
from budgetframe._facade.sync_methods import Reports
from budgetframe.reports import Report
from tests.docs.docstrings import examples
from tests.docs.test_docstrings import Line, tables_in
from tests.facade.service import ServiceWithFacade

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(reports, name)
    for name in reports.__all__
    if inspect.signature(getattr(reports, name)).return_annotation == "Report"
}
METHODS = {name: getattr(Reports, name) for name in FUNCTIONS}
DOCSTRINGS = {f"reports.{name}": inspect.getdoc(each) or "" for name, each in FUNCTIONS.items()}
DOCSTRINGS |= {f"bf.reports.{name}": inspect.getdoc(each) or "" for name, each in METHODS.items()}
COSTS = {
    "age_of_money": "one request; none within the time to live, after it a delta",
    "balances": "four requests, or none while an export is fresh; none within the time to live",
    "budget_vs_actual": "one request; none within the time to live",
    "forecast": "two requests, or none while an export is fresh; none within the time to live",
    "income_expense": "four requests, or none while an export is fresh",
    "income_sankey": "four requests, or none while an export is fresh",
    "money_flow": "two requests; none within the time to live",
    "net_worth": "four requests, or none while an export is fresh",
    "runway": "four requests, or none while an export is fresh",
    "same_period": "four requests, or none while an export is fresh",
    "spending": "four requests, or none while an export is fresh",
}
NUMBERS = {"one": 1, "two": 2, "four": 4}
SOURCES = {
    "age_of_money": ["/months"],
    "budget_vs_actual": [""],
    "forecast": ["/accounts", "/scheduled_transactions"],
    "money_flow": ["/categories", "/money_movements"],
}
LEDGER = ["/accounts", "/categories", "/payees", "/transactions"]

every_report = pytest.mark.parametrize("name", FUNCTIONS)
every_docstring = pytest.mark.parametrize("name", DOCSTRINGS)


@cache
def result(name: str) -> pd.DataFrame:
    report: pd.DataFrame = getattr(ServiceWithFacade().bf.reports, name)()
    return report


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters, without ``self``."""
    given = dict(inspect.signature(function).parameters)
    given.pop("self", None)
    return given


def documented(docstring: str) -> set[str]:
    section = docstring.partition("Parameters\n----------\n")[2].partition("\nReturns\n")[0]
    found = re.findall(r"^([\w, ]+) :", section, re.MULTILINE)
    return {each.strip() for names in found for each in names.split(",")}


# What there is


def test_these_are_the_reports() -> None:
    assert sorted(FUNCTIONS) == sorted(COSTS)


def test_the_synchronous_and_the_awaitable_reports_are_the_same() -> None:
    def public(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    assert public(Reports) == public(AsyncReports) == set(FUNCTIONS)


@every_report
def test_the_awaitable_twin_has_the_same_docstring(name: str) -> None:
    assert inspect.getdoc(getattr(AsyncReports, name)) == DOCSTRINGS[f"bf.reports.{name}"]


@every_report
def test_the_awaitable_twin_has_the_same_signature(name: str) -> None:
    twin = getattr(AsyncReports, name)
    assert inspect.iscoroutinefunction(twin)
    assert inspect.signature(METHODS[name]).parameters == inspect.signature(twin).parameters


@every_report
def test_a_method_has_the_parameters_of_the_function_that_are_no_frames(name: str) -> None:
    taken = parameters(FUNCTIONS[name])
    frames = [each for each, what in taken.items() if what.annotation == "pd.DataFrame"]
    assert frames
    own = parameters(METHODS[name])
    assert list(own) == [each for each in taken if each not in frames]
    assert {each: (what.default, what.kind) for each, what in own.items()} == {
        each: (taken[each].default, taken[each].kind) for each in own
    }


@every_report
def test_a_method_has_the_name_of_its_function(name: str) -> None:
    assert METHODS[name].__name__ == getattr(AsyncReports, name).__name__ == name


@pytest.mark.parametrize("kind", [Reports, AsyncReports])
@every_report
def test_the_types_of_a_method_can_be_told(name: str, kind: type) -> None:
    names = vars(sys.modules[FUNCTIONS[name].__module__])
    hints = typing.get_type_hints(getattr(kind, name), globalns={**names, "pd": pd})
    assert set(hints) == {*parameters(METHODS[name]), "return"}
    assert hints["return"] is Report


# Columns


@every_docstring
def test_the_columns_in_a_docstring_are_those_of_the_report(name: str) -> None:
    text = str(pd.Series(["text"]).dtype)
    (table,) = tables_in(DOCSTRINGS[name])
    found = result(name.rpartition(".")[2])
    named = len(found.columns) - len(table)  # what spending is grouped by is said in words
    told = {line.column: text if line.dtype == "str" else line.dtype for line in table}
    assert dict(found.iloc[:, named:].dtypes.astype(str)) == told


@every_report
def test_only_what_depends_on_a_parameter_is_not_in_the_table(name: str) -> None:
    (table,) = tables_in(DOCSTRINGS[f"reports.{name}"])
    found = result(name)
    named = list(found.columns)[: len(found.columns) - len(table)]
    expected = ["category_id", "category_group_name", "category_name"] if name == "spending" else []
    assert named == expected
    assert all(f"``{column}``" in DOCSTRINGS[f"reports.{name}"] for column in named)


@every_report
def test_the_table_of_a_method_is_that_of_its_function(name: str) -> None:
    method, function = DOCSTRINGS[f"bf.reports.{name}"], DOCSTRINGS[f"reports.{name}"]
    assert tables_in(method) == tables_in(function)


def lines(name: str) -> list[Line]:
    (table,) = tables_in(DOCSTRINGS[name])
    return table


@every_docstring
def test_every_column_has_a_meaning(name: str) -> None:
    assert [line.column for line in lines(name) if not line.meaning] == []


@every_docstring
def test_every_number_has_a_unit(name: str) -> None:
    numbers = [line for line in lines(name) if line.dtype in {"float64", "Int64"}]
    assert [line.column for line in numbers if not line.unit and line.column != "level"] == []


@every_docstring
def test_no_line_is_longer_than_a_notebook_is_wide(name: str) -> None:
    assert [line for line in DOCSTRINGS[name].splitlines() if len(line) > 110] == []


# Sections


@every_docstring
def test_a_docstring_begins_with_one_sentence(name: str) -> None:
    first, second, *_ = DOCSTRINGS[name].splitlines()
    assert first.endswith(".")
    assert len(first) <= 100
    assert second == ""


@every_report
def test_every_parameter_of_a_function_is_documented(name: str) -> None:
    assert documented(DOCSTRINGS[f"reports.{name}"]) == set(parameters(FUNCTIONS[name]))


@every_report
def test_every_parameter_of_a_method_is_documented_and_no_frame(name: str) -> None:
    assert documented(DOCSTRINGS[f"bf.reports.{name}"]) == set(parameters(METHODS[name]))


@every_docstring
def test_sections_are_there_once_and_in_order(name: str) -> None:
    text = DOCSTRINGS[name]
    found = re.findall(r"^(\w+)\n-+$", text, re.MULTILINE)
    expected = ["Parameters", "Returns", "Raises", "Examples"]
    if name.startswith("bf."):
        expected.insert(3, "Notes")
    assert found == expected


@every_docstring
def test_a_docstring_says_its_order_and_what_an_empty_answer_is(name: str) -> None:
    text = " ".join(DOCSTRINGS[name].lower().split())
    assert "sorted by" in text
    assert "the same columns and dtypes when there are none" in text


@every_report
def test_a_function_says_what_it_raises(name: str) -> None:
    text = DOCSTRINGS[f"reports.{name}"]
    raises = text.partition("\nRaises\n------\n")[2].partition("\n\n")[0]
    assert raises.startswith("ToolError\n")


@every_report
@pytest.mark.parametrize("error", ["ToolError", "ServiceAPIError", "httpx.TransportError"])
def test_a_method_says_what_it_raises(name: str, error: str) -> None:
    text = DOCSTRINGS[f"bf.reports.{name}"]
    raises = text.partition("\nRaises\n------\n")[2].partition("\nNotes\n")[0]
    assert f"{error}\n" in raises


@every_report
def test_a_method_says_what_it_costs(name: str) -> None:
    assert f"Cost: {COSTS[name]}" in " ".join(DOCSTRINGS[f"bf.reports.{name}"].split())


@every_report
def test_a_method_costs_what_it_says(name: str) -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.user()
    service_with_facade.bf.settings()  # finds the budget
    before = service_with_facade.served
    getattr(service_with_facade.bf.reports, name)()
    assert service_with_facade.served - before == NUMBERS[COSTS[name].split()[0]]


@every_report
def test_a_second_report_of_the_same_frames_costs_nothing(name: str) -> None:
    service_with_facade = ServiceWithFacade()
    getattr(service_with_facade.bf.reports, name)()
    before = service_with_facade.served
    getattr(service_with_facade.bf.reports, name)()
    assert service_with_facade.served == before


@every_report
def test_a_method_names_its_sources(name: str) -> None:
    notes = DOCSTRINGS[f"bf.reports.{name}"].partition("\nNotes\n-----\n")[2]
    source = " ".join(notes.partition("Cost:")[0].split())
    assert source.startswith("Source: ``GET /budgets/{budget_id}")
    told = sorted(
        {f"/{path}" for path in re.findall(r"/(\w+)``|``(\w+)``", source) for path in path if path}
    )
    assert told == [path for path in SOURCES.get(name, LEDGER) if path]


@every_report
def test_a_method_reads_the_sources_it_names(name: str) -> None:
    service_with_facade = ServiceWithFacade()
    getattr(service_with_facade.bf.reports, name)()
    read = sorted(
        {
            path.removeprefix(f"GET {service_with_facade.path}")
            for path in service_with_facade.wire.paths[1:]
        }
    )
    assert read == SOURCES.get(name, LEDGER)


# Examples


@every_report
def test_the_examples_of_a_method_are_those_of_its_function(name: str) -> None:
    method, function = DOCSTRINGS[f"bf.reports.{name}"], DOCSTRINGS[f"reports.{name}"]
    assert (
        function.partition("Examples\n---")[2].strip()
        == method.partition("Examples\n---")[2].strip()
    )


@every_report
def test_the_examples_of_a_report_are_among_those_that_run(name: str) -> None:
    running = {test.docstring for test in examples().values()}
    assert FUNCTIONS[name].__doc__ in running


def test_the_examples_of_what_reports_are_made_with_are_among_those_that_run() -> None:
    names = {name.rpartition(".")[2] for name in examples()}
    assert {"Report", "in_currency", "scheduled_dates", "money_axis"} <= names


def test_reports_of_a_connection_are_given_with_an_example() -> None:
    assert "bf.reports.net_worth" in (inspect.getdoc(BudgetFrame.reports) or "")

"""The docstrings of reports are correct, for the functions and for the methods that call them."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

from budgetframe import reports
from budgetframe._facade.aio.reports import AsyncReports
from budgetframe._facade.sync_reports import Reports
from budgetframe.reports import Report
from tests.docs.docstrings import code_in, parameters_in, section, tables_in
from tests.facade.service import ServiceWithFacade

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(reports, name)
    for name in reports.__all__
    if inspect.signature(getattr(reports, name)).return_annotation == "Report"
    and name != "side_by_side"  # its reports come from several budgets
}
METHODS: dict[str, Callable[..., Any]] = {name: getattr(Reports, name) for name in FUNCTIONS}
DOCSTRINGS = {f"reports.{name}": inspect.getdoc(each) or "" for name, each in FUNCTIONS.items()}
DOCSTRINGS |= {f"bf.reports.{name}": inspect.getdoc(each) or "" for name, each in METHODS.items()}
COSTS = {
    "age_of_money": "one request; none within the time to live, after it a delta",
    "balances": "four requests, or none while an export is fresh; none within the time to live",
    "budget_vs_actual": "one request; none within the time to live",
    "forecast": "two requests, or none while an export is fresh; none within the time to live",
    "income_expense": "four requests, or none while an export is fresh",
    "income_sankey": "four requests, or none while an export is fresh",
    "loans": "four requests, or none while an export is fresh",
    "money_flow": "two requests; none within the time to live",
    "net_worth": "four requests, or none while an export is fresh",
    "recurring": "four requests, or none while an export is fresh",
    "runway": "four requests, or none while an export is fresh",
    "same_period": "four requests, or none while an export is fresh",
    "spending": "four requests, or none while an export is fresh",
    "suggestions": "four requests, or none while an export is fresh",
}
NUMBERS = {"one": 1, "two": 2, "four": 4}
SOURCES = {
    "age_of_money": ["/months"],
    "budget_vs_actual": [""],
    "forecast": ["/accounts", "/scheduled_transactions"],
    "money_flow": ["/categories", "/money_movements"],
}
LEDGER = ["/accounts", "/categories", "/payees", "/transactions"]


class Run(NamedTuple):
    """One report on a new connection: the frame, and the requests of two equal calls."""

    frame: pd.DataFrame
    paths: list[str]
    repeated: int


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    found = {}
    for name in FUNCTIONS:
        service_with_facade = ServiceWithFacade()
        service_with_facade.bf.settings()  # finds the budget
        before = service_with_facade.served
        frame = getattr(service_with_facade.bf.reports, name)()
        sent = service_with_facade.served - before
        getattr(service_with_facade.bf.reports, name)()
        prefix = f"GET {service_with_facade.path}"
        paths = [path.removeprefix(prefix) for path in service_with_facade.wire.paths[before:]]
        found[name] = Run(frame, paths[:sent], len(paths) - sent)
    return found


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters without ``self``."""
    found = dict(inspect.signature(function).parameters)
    found.pop("self", None)
    return found


# Signatures


def test_every_report_function_is_a_method() -> None:
    def public(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    assert set(COSTS) == public(Reports) == public(AsyncReports) == set(FUNCTIONS)


def test_a_method_has_the_parameters_of_the_function_except_the_frames() -> None:
    for name, function in FUNCTIONS.items():
        expected = {
            parameter: (each.default, each.kind)
            for parameter, each in parameters(function).items()
            if each.annotation not in {"pd.DataFrame", "pd.DataFrame | None"}
        }
        for method in (METHODS[name], getattr(AsyncReports, name)):
            found = {key: (each.default, each.kind) for key, each in parameters(method).items()}
            assert found == expected, method
            assert list(found) == list(expected), method
        assert len(expected) < len(parameters(function)), name


def test_the_types_of_a_method_are_those_of_the_function() -> None:
    for name, function in FUNCTIONS.items():
        expected = typing.get_type_hints(function)
        for kind in (Reports, AsyncReports):
            hints = typing.get_type_hints(getattr(kind, name))
            assert set(hints) == {*parameters(METHODS[name]), "return"}, name
            assert hints["return"] is Report, name
            assert {key: expected[key] for key in hints} == hints, name
    assert all(inspect.iscoroutinefunction(getattr(AsyncReports, name)) for name in FUNCTIONS)


# Columns


def test_the_columns_in_a_docstring_are_those_of_the_report(runs: dict[str, Run]) -> None:
    text = str(pd.Series(["text"]).dtype)
    for name, docstring in DOCSTRINGS.items():
        (table,) = tables_in(docstring)
        frame = runs[name.rpartition(".")[2]].frame
        documented = {line.column: text if line.dtype == "str" else line.dtype for line in table}
        grouping = [column for column in frame.columns if column not in documented]
        found = dict(frame.drop(columns=grouping).dtypes.astype(str))
        assert list(found.items()) == list(documented.items()), name
        # The columns that a parameter chooses are in the text instead.
        of_spending = ["category_group_name", "category_name", "category_id"]
        assert grouping == (of_spending if name.endswith("spending") else []), name
        assert all(f"``{column}``" in docstring for column in grouping), name


def test_every_column_has_a_meaning_and_every_number_a_unit() -> None:
    for name, docstring in DOCSTRINGS.items():
        for line in tables_in(docstring)[0]:
            assert line.meaning, (name, line)
            is_number = line.dtype in {"float64", "Int64"} and line.column != "level"
            assert line.unit or not is_number, (name, line)


def test_the_table_and_the_examples_of_a_method_are_those_of_its_function() -> None:
    for name in FUNCTIONS:
        method, function = DOCSTRINGS[f"bf.reports.{name}"], DOCSTRINGS[f"reports.{name}"]
        assert tables_in(method) == tables_in(function), name
        assert code_in(method) == code_in(function) != (), name


# Sections


def test_a_docstring_begins_with_one_sentence_and_has_no_wide_line() -> None:
    for name, docstring in DOCSTRINGS.items():
        first, second, *_ = docstring.splitlines()
        assert first.endswith("."), name
        assert len(first) <= 100, name
        assert second == "", name
        assert max(map(len, docstring.splitlines())) <= 110, name


def test_every_parameter_is_documented() -> None:
    signatures = {f"reports.{name}": parameters(each) for name, each in FUNCTIONS.items()}
    signatures |= {f"bf.reports.{name}": parameters(each) for name, each in METHODS.items()}
    for name, docstring in DOCSTRINGS.items():
        assert parameters_in(docstring) == set(signatures[name]), name


def test_every_section_appears_once_and_in_order() -> None:
    for name, docstring in DOCSTRINGS.items():
        found = re.findall(r"^(\w+)\n-+$", docstring, re.MULTILINE)
        notes = ["Notes"] if name.startswith("bf.") else []
        assert found == ["Parameters", "Returns", "Raises", *notes, "Examples"], name


def test_a_docstring_states_the_order_and_the_form_of_an_empty_report() -> None:
    for name, docstring in DOCSTRINGS.items():
        text = " ".join(docstring.lower().split())
        assert "sorted by" in text, name
        assert "the same columns and dtypes when there are none" in text, name


def test_a_docstring_lists_the_errors() -> None:
    for name, docstring in DOCSTRINGS.items():
        errors = re.findall(r"^\S+$", section(docstring, "Raises"), re.MULTILINE)
        assert errors[0] == "ToolError", name
        if name.startswith("bf."):
            assert errors == ["ToolError", "ServiceAPIError", "httpx.TransportError"], name


# Requests


def test_a_method_costs_what_its_docstring_states(runs: dict[str, Run]) -> None:
    for name, cost in COSTS.items():
        notes = " ".join(section(DOCSTRINGS[f"bf.reports.{name}"], "Notes").split())
        assert f"Cost: {cost}" in notes, name
        assert len(runs[name].paths) == NUMBERS[cost.split()[0]], name


def test_a_second_report_of_the_same_frames_costs_nothing(runs: dict[str, Run]) -> None:
    assert {name: run.repeated for name, run in runs.items()} == dict.fromkeys(FUNCTIONS, 0)


def test_a_method_reads_the_sources_that_its_docstring_states(runs: dict[str, Run]) -> None:
    for name in FUNCTIONS:
        expected = SOURCES.get(name, LEDGER)
        notes = section(DOCSTRINGS[f"bf.reports.{name}"], "Notes")
        source = " ".join(notes.partition("Cost:")[0].split()).partition("; with `typical`")[0]
        assert source.startswith("Source: ``GET /budgets/{budget_id}"), name
        stated = {"/" + (a or b) for a, b in re.findall(r"/(\w+)``|``(\w+)``", source)}
        assert sorted(stated) == [path for path in expected if path], name
        assert sorted(runs[name].paths) == expected, name


def test_the_readme_names_the_reports_without_rows_and_all_filters(runs: dict[str, Run]) -> None:
    text = " ".join((Path(__file__).parents[2] / "README.md").read_text("utf-8").split())
    kinds = [run.frame.kind for run in runs.values() if isinstance(run.frame, Report)]
    without = {kind.name for kind in kinds if kind is not None and kind.no_rows}
    assert without == {"forecast", "age_of_money", "money_flow"}
    assert "only `forecast`, `age_of_money` and `money_flow` have none." in text
    filters = {
        name
        for each in METHODS.values()
        for name in inspect.signature(each).parameters
        if name.removeprefix("exclude_") in {"accounts", "categories", "flags"}
    }
    assert filters == {
        "accounts", "categories", "flags", "exclude_accounts", "exclude_categories",
    }  # fmt: skip
    assert all(f"`{name}=`" in text for name in filters)

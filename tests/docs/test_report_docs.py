"""The functions of reports: their docstrings, and the methods that call them."""

import inspect
import re
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame
from budgetframe.frames import ArrowTable
from budgetframe.reports import Report
from budgetframe.reports._shared.inputs import INPUTS
from budgetframe.reports._shared.row_filters import FILTERS
from tests.docs.docstrings import OBJECTS, REPORTS, tables_in
from tests.facade.service import ServiceWithFacade

METHODS = {name: getattr(OBJECTS["bf.reports"], name) for name in REPORTS}
DOCSTRINGS = {name: inspect.getdoc(each) or "" for name, each in REPORTS.items()}


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    """Every report of one budget."""
    bf = ServiceWithFacade().bf
    return {name: getattr(bf.reports, name)() for name in REPORTS}


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters without ``self``."""
    found = dict(inspect.signature(function).parameters)
    found.pop("self", None)
    return found


# Signatures


def test_a_notebook_shows_the_choices_of_arguments_of_a_function(subtests: pytest.Subtests) -> None:
    for name, function in REPORTS.items():
        with subtests.test(name=name):
            shown = str(inspect.signature(function))
            assert not re.search(r"\b(By|\w*Freq|Key|Names|Transfers|WeekDay)\b", shown)
    weeks = str(inspect.signature(REPORTS["net_worth"]).parameters["freq"])
    assert weeks == "freq: Literal['day', 'week', 'month', 'quarter', 'year'] = 'month'"
    connected = str(inspect.signature(BudgetFrame.connect).parameters["on_limit"])
    assert "Literal['stale', 'raise', 'wait']" in connected


def test_every_report_function_is_a_method() -> None:
    methods = {name for name in dir(OBJECTS["bf.reports"]) if not name.startswith("_")}
    assert set(INPUTS) == methods == set(REPORTS)


def test_a_method_has_the_parameters_of_the_function_except_the_frames() -> None:
    frames = pd.DataFrame | ArrowTable
    for name, function in REPORTS.items():
        expected = {
            parameter: (each.default, each.kind)
            for parameter, each in parameters(function).items()
            if each.kind is each.KEYWORD_ONLY or each.annotation not in (frames, frames | None)
        }
        found = {key: (each.default, each.kind) for key, each in parameters(METHODS[name]).items()}
        assert found == expected, name  # a function has its filters at the end
        assert len(expected) == len(parameters(function)) - len(INPUTS[name]), name


def test_the_types_of_a_method_are_those_of_the_function() -> None:
    for name, function in REPORTS.items():
        expected = typing.get_type_hints(function)
        hints = typing.get_type_hints(METHODS[name])
        assert set(hints) == {*parameters(METHODS[name]), "return"}, name
        assert hints["return"] is Report, name
        assert {key: expected[key] for key in hints} == hints, name


# Columns


def test_the_columns_of_a_docstring_are_those_of_a_report(frames: dict[str, pd.DataFrame]) -> None:
    text = str(pd.Series(["text"]).dtype)
    for name, method in METHODS.items():
        docstring = inspect.getdoc(method) or ""
        (table,) = tables_in(docstring)
        frame = frames[name]
        documented = {line.column: text if line.dtype == "str" else line.dtype for line in table}
        grouping = [column for column in frame.columns if column not in documented]
        found = dict(frame.drop(columns=grouping).dtypes.astype(str))
        grouping = [column for column in grouping if not column[0].isdigit()]  # no periods
        assert list(found.items()) == list(documented.items()), name
        # The columns that a parameter chooses are in the text instead.
        of_spending = ["category_group_name", "category_name", "category_id"]
        assert grouping == (of_spending if name == "spending" else []), name
        assert all(f"``{column}``" in docstring for column in grouping), name


# Docstrings of the functions


def test_a_function_names_its_frames_and_refers_to_the_method_for_the_rest() -> None:
    for name, docstring in DOCSTRINGS.items():
        summary, sentence, *rules = docstring.split("\n\n")
        assert summary == (inspect.getdoc(METHODS[name]) or "").splitlines()[0], name
        taken, _, rest = " ".join(sentence.split()).partition("; ")
        assert re.findall(r"``bf\.(\w+)\(\)``", taken) == [each.frame for each in INPUTS[name]], (
            name
        )
        assert rest == f"the other parameters and the columns are those of `bf.reports.{name}`."
        assert not re.search(r"^-{3,}$|^>>>", "\n".join(rules), re.MULTILINE), name


def test_the_site_names_reports_without_rows_and_filters(frames: dict[str, pd.DataFrame]) -> None:
    page = Path(__file__).parents[2] / ".github" / "site" / "methods" / "index.md"
    text = " ".join(page.read_text("utf-8").split())
    kinds = [frame.report_type for frame in frames.values() if isinstance(frame, Report)]
    without = {kind.name for kind in kinds if kind is not None and kind.no_rows}
    named = re.search(r"only ((?:`\w+`(?:, | and )?)+) have none\.", text)
    assert named
    assert without == {*re.findall(r"\w+", named[1].replace(" and ", ", "))}
    filters = {
        name for each in METHODS.values() for name in inspect.signature(each).parameters
        if name.removeprefix("exclude_") in ("memo", *FILTERS)
    }  # fmt: skip
    assert filters == {"memo", *FILTERS}
    assert all(f"`{name}=`" in text for name in filters)

"""The docstrings are correct: their examples run, and they describe what the methods do."""

import doctest
import inspect
import re
import typing
from collections.abc import Callable
from functools import cache
from io import StringIO
from itertools import chain
from typing import Any

import pandas as pd
import pytest
from pydantic import BaseModel

from budgetframe import BudgetFrame, Changes, Checklist, Journal, Rules, Statement, models
from budgetframe.frames import TABLES
from budgetframe.sandbox.web.app import ENDPOINTS
from tests.docs.docstrings import (
    OBJECTS,
    REPORTS,
    code_in,
    docstrings_of as of,
    examples,
    parameters_in,
    section,
    tables_in,
    without_tables,
)
from tests.docs.refresh_docstrings import COLUMNS, COMMAND, METHODS, refreshed
from tests.facade.service import ServiceWithFacade

KINDS = [
    ("", BudgetFrame, OBJECTS["bf.aio"]),
    ("models.", OBJECTS["bf.models"], OBJECTS["bf.aio.models"]),
    ("reports.", OBJECTS["bf.reports"], OBJECTS["bf.aio.reports"]),
]
"""The prefix of the calls on a `BudgetFrame`, the synchronous class and the async one."""
DOCSTRINGS = {
    f"{prefix}{name}": text for prefix, kind, _ in KINDS for name, text in of(kind).items()
}
ALL = DOCSTRINGS | {f"{name}()": inspect.getdoc(each) or "" for name, each in REPORTS.items()}
"""The docstrings of the methods and of the functions of reports."""
CONNECTION = {"connect", "from_export", "sandbox", "with_budget", "refresh", "close"}
"""Methods that send no request."""
RECEIVE_OBJECTS = {
    *("changes", "checklist", "cover", "import_rows", "journal", "plan", "review"),
    *("set_balance", "statement"),
}
"""Methods that return an object with further methods, and compare a frame first."""
NOTES = {
    name: section(text, "Notes") for name, text in DOCSTRINGS.items() if name not in CONNECTION
}
READS = [
    name
    for name, notes in NOTES.items()
    if notes.startswith("Source: ``GET") and name not in {*RECEIVE_OBJECTS, "save_export"}
]
LISTS_OF_KEYS = {
    "account_id": "accounts", "category_id": "categories", "payee_id": "payees",
    "payee_location_id": "payee_locations", "scheduled_transaction_id": "scheduled_transactions",
    "transaction_id": "transactions",
}  # fmt: skip
NUMBERS = {"one": 1, "two": 2, "four": 4, "five": 5}


def paths_in(notes: str) -> list[str]:
    """Regular expressions for the documented requests, one for each of ``{accounts, payees}``."""
    found = []
    for path in re.findall(r"``([A-Z]+ /[^`]*)``", notes):
        choice = re.search(r"\{(\w+(?:, \w+)+)\}", path)
        names = choice[1].split(", ") if choice else [""]
        found += [path.replace(choice[0], name) if choice else path for name in names]
    return [
        re.sub(r"\{\w+\}", "[^/]+", path.replace("[", "(?:").replace("]", ")?")) for path in found
    ]


@cache
def connection() -> BudgetFrame:
    """A connection for tests that count no requests."""
    return ServiceWithFacade().bf


def read(bf: BudgetFrame, name: str) -> Callable[[], Any]:
    """The call of a method with a key for each required parameter."""
    method: Any = bf
    for part in name.split("."):
        method = getattr(method, part)
    arguments = [
        getattr(connection(), LISTS_OF_KEYS[each])()[each].iloc[0]
        for each, parameter in inspect.signature(method).parameters.items()
        if parameter.default is parameter.empty
    ]
    if name == "ready_to_assign":  # the months of the service end before today
        arguments = ["2026-05"]
    return lambda: method(*arguments)


# Examples


@pytest.mark.slow  # the examples of 87 docstrings, most of them with a new sandbox
def test_the_examples_of_a_docstring_run(subtests: pytest.Subtests) -> None:
    runner = doctest.DocTestRunner(verbose=False)
    for name, example in examples().items():
        output = StringIO()
        with subtests.test(name=name):
            result = runner.run(example, out=output.write, clear_globs=False)
            assert result.failed == 0, output.getvalue()


def test_the_main_names_have_examples() -> None:
    with_examples = {name.rpartition(".")[2] for name in examples()}
    classes = {"ServiceClient", "RateLimiter", "DeltaCache", "ServiceAPIError", "BudgetFrame"}
    assert classes | {"Report", "in_currency", "scheduled_dates", "money_axis"} <= with_examples


def test_every_public_method_has_examples_that_run() -> None:
    running = {code_in(test.docstring or "") for test in examples().values()}
    assert [name for name, text in DOCSTRINGS.items() if code_in(text) not in running] == ["close"]


# Parameters


def test_the_words_that_a_docstring_lists_are_those_of_the_annotation(
    subtests: pytest.Subtests,
) -> None:
    for prefix, kind, _ in KINDS:
        for name, text in of(kind).items():
            method = inspect.unwrap(getattr(kind, name))
            listed = re.findall(r"^(\w+) : (\{[^}]+\})", section(text, "Parameters"), re.MULTILINE)
            for parameter, words in listed:
                annotation = eval(method.__annotations__[parameter], method.__globals__)  # noqa: S307
                allowed = [*dict.fromkeys(re.findall(r"'(\w+)'", str(annotation)))]
                with subtests.test(name=f"{prefix}{name}", parameter=parameter):
                    assert re.findall(r'"(\w+)"', words) == allowed


# Columns


def test_the_tables_of_columns_are_those_of_the_schema() -> None:
    for path in METHODS.glob("*.py"):
        source = path.read_text(encoding="utf-8")
        assert refreshed(source) == source, f"{path.name} is not up to date, run: {COMMAND}"


@pytest.mark.parametrize("name", [name for name in READS if name in COLUMNS and "." not in name])
def test_the_columns_in_a_docstring_are_those_of_the_frame(name: str) -> None:
    text = str(pd.Series(["text"]).dtype)
    documented = {
        line.column: text if line.dtype == "str" else line.dtype
        for line in tables_in(DOCSTRINGS[name])[0]
    }
    assert dict(read(connection(), name)().dtypes.astype(str)) == documented


def test_every_column_has_a_meaning_and_every_number_a_unit() -> None:
    lines = chain.from_iterable(tables_in(text) for text in DOCSTRINGS.values())
    for line in chain.from_iterable(lines):
        assert line.meaning, line
        is_number = line.dtype in {"float64", "Int64"} and line.column != "level"
        assert line.unit or not is_number, line


def test_a_docstring_states_the_order_and_the_form_of_an_empty_frame() -> None:
    for name, text in DOCSTRINGS.items():
        words, tables = " ".join(text.split()), len(tables_in(text))
        assert words.count("the same columns and dtypes when there are none") == tables or (
            name == "reconcile"
        ), name
        if name in TABLES:
            assert f"sorted by {', '.join(TABLES[name].order)}" in words, name
        assert "sorted by" in words or not name.startswith("reports."), name


# Models


def test_a_docstring_names_the_model_whose_help_shows_the_fields() -> None:
    documented = 0
    for name in of(OBJECTS["bf.aio"]):
        returned = typing.get_type_hints(getattr(BudgetFrame, name))["return"]
        model = next(iter(typing.get_args(returned)), returned)  # a preview returns `Changes`
        if inspect.isclass(model) and issubclass(model, BaseModel):
            reference = f"The fields are those of `budgetframe.models.{model.__name__}`."
            returns = section(DOCSTRINGS[name], "Returns")
            assert returns.startswith(f"{model.__name__}\n    {reference}"), name
            parameters = inspect.signature(getattr(models, model.__name__)).parameters
            assert [*parameters] == [*model.model_fields]
            documented += 1
    assert documented == 17


# Requests


@pytest.mark.parametrize("name", READS)
def test_a_read_sends_the_requests_that_its_docstring_states(name: str) -> None:
    service = ServiceWithFacade()
    call, cost = read(service.bf, name), " ".join(NOTES[name].partition("Cost: ")[2].split())
    if name not in {"budgets", "models.budgets"}:  # first find the budget
        service.bf.payees() if name == "settings" else service.bf.settings()
    before = len(service.wire.paths)
    call()
    sent = [path.replace("/v1", "") for path in service.wire.paths[before:]]
    assert len(sent) == NUMBERS[cost.split()[0]]
    patterns = paths_in(NOTES[name])
    assert all(any(re.fullmatch(each, path) for path in sent) for each in patterns), sent
    assert all(any(re.fullmatch(each, path) for each in patterns) for path in sent), patterns
    if name == "reconcile":
        return
    call()
    assert "none" in cost
    assert len(service.wire.paths) == before + len(sent)
    service.clock.advance(301)
    call()
    queries = service.wire.queries[before + len(sent) :]
    if "where the service keeps records" not in cost:
        assert any("last_knowledge_of_server" in each for each in queries) == ("delta" in cost)


def test_a_write_names_an_endpoint_of_the_service() -> None:
    known = {f"{each.method} /budgets/{{budget_id}}{each.path}" for each in ENDPOINTS}
    writes = [name for name in NOTES if name not in [*READS, *RECEIVE_OBJECTS, "save_export"]]
    assert len(writes) == 17
    for name in writes:
        source = re.match(r"Source: ``([^`]+)``\.\n\nCost: one request", NOTES[name])
        assert source, name
        assert source[1].split()[0] != "GET", name
        assert source[1] in known, name


def test_an_object_that_is_compared_first_states_its_source_and_cost() -> None:
    for name in RECEIVE_OBJECTS:
        assert re.match(r"Source: ``GET /budgets.*\n\nCost: (one|two|none)\b", NOTES[name]), name


# Sections


def test_a_docstring_begins_with_one_sentence_and_has_no_wide_line() -> None:
    for name, text in ALL.items():
        first, *rest = text.splitlines()
        assert first.endswith("."), name
        assert rest[:1] in ([], [""]), name
        assert max(map(len, without_tables(text))) <= 96, name


def test_a_docstring_is_short_enough_to_read_in_a_notebook() -> None:
    objects = (of(kind).items() for kind in (Changes, Checklist, Journal, Rules, Statement))
    for name, text in chain(DOCSTRINGS.items(), *objects):
        assert len(without_tables(text)) <= 40, name


def test_the_sections_are_in_order() -> None:
    order = ["Parameters", "Returns", "Raises", "Notes", "Examples"]
    for name, text in ALL.items():
        found = re.findall(r"^(\w+)\n-+$", text, re.MULTILINE)
        assert found == [each for each in order if each in found], name


def test_the_documented_parameters_are_those_of_the_signature() -> None:
    for prefix, kind, _ in KINDS:
        for name, text in of(kind).items():
            parameters = set(inspect.signature(getattr(kind, name)).parameters) - {"self"}
            assert parameters_in(text) == parameters, prefix + name


# Async methods


def test_an_async_method_names_the_synchronous_one_and_has_its_signature() -> None:
    for prefix, kind, aio in KINDS:
        assert aio is not None
        assert set(of(aio)) == set(of(kind)) - (CONNECTION if kind is BudgetFrame else set())
        for name, text in of(aio).items():
            assert text == f"As `BudgetFrame.{prefix}{name}`, awaited."
            found, expected = (
                inspect.signature(inspect.unwrap(getattr(each, name)), eval_str=True)
                for each in (aio, kind)
            )
            assert inspect.iscoroutinefunction(getattr(aio, name)), name
            assert list(found.parameters.values()) == list(expected.parameters.values()), name
            found, expected = map(inspect.signature, (getattr(aio, name), getattr(kind, name)))
            returned = str(expected.return_annotation)
            assert re.sub(r"\bAsync", "", str(found.return_annotation)) == returned, name

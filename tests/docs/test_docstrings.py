"""Docstrings say what is so: their examples run, their tables are the frames."""

import doctest
import inspect
import re
import typing
from io import StringIO
from itertools import pairwise
from typing import NamedTuple

import pandas as pd
import pytest
from pydantic import BaseModel

from budgetframe import BudgetFrame
from budgetframe.frames import LEDGER, TABLES
from budgetframe.reports.reconciliation import COLUMNS
from tests.docs.docstrings import METHODS, examples

EXAMPLES = examples()

# The frames that a method can return; money movements come in two shapes.
FRAMES = {
    "budgets": ["budgets"],
    "accounts": ["accounts"],
    "category_groups": ["category_groups"],
    "categories": ["categories"],
    "payees": ["payees"],
    "payee_locations": ["payee_locations"],
    "months": ["months"],
    "month": ["month"],
    "month_categories": ["month_categories"],
    "transactions": ["transactions"],
    "subtransactions": ["subtransactions"],
    "scheduled_transactions": ["scheduled_transactions"],
    "scheduled_subtransactions": ["scheduled_subtransactions"],
    "money_movements": ["money_movements", "money_movement_records"],
    "money_movement_groups": ["money_movement_groups", "money_movement_group_records"],
    "create_transactions": ["transactions"],
    "update_transactions": ["transactions"],
}
SOURCES = {
    "user": "GET /user",
    "budgets": "GET /budgets",
    "export": "GET /budgets/{budget_id}",
    "month_categories": "GET /budgets/{budget_id}",
    "settings": "GET /budgets/{budget_id}/settings",
    "accounts": "GET /budgets/{budget_id}/accounts",
    "account": "GET /budgets/{budget_id}/accounts/{account_id}",
    "transactions": "GET /budgets/{budget_id}/transactions",
    "transaction": "GET /budgets/{budget_id}/transactions/{transaction_id}",
    "subtransactions": "GET /budgets/{budget_id}/transactions",
    "categories": "GET /budgets/{budget_id}/categories",
    "category_groups": "GET /budgets/{budget_id}/categories",
    "category": "GET /budgets/{budget_id}/categories/{category_id}",
    "payees": "GET /budgets/{budget_id}/payees",
    "payee": "GET /budgets/{budget_id}/payees/{payee_id}",
    "payee_locations": "GET /budgets/{budget_id}/payee_locations",
    "payee_location": "GET /budgets/{budget_id}/payee_locations/{payee_location_id}",
    "months": "GET /budgets/{budget_id}/months",
    "month": "GET /budgets/{budget_id}/months/{month}",
    "money_movements": "GET /budgets/{budget_id}[/months/{month}]/money_movements",
    "money_movement_groups": "GET /budgets/{budget_id}[/months/{month}]/money_movement_groups",
    "scheduled_transactions": "GET /budgets/{budget_id}/scheduled_transactions",
    "scheduled_subtransactions": "GET /budgets/{budget_id}/scheduled_transactions",
    "scheduled_transaction": (
        "GET /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}"
    ),
    "create_transactions": "POST /budgets/{budget_id}/transactions",
    "update_transactions": "PATCH /budgets/{budget_id}/transactions",
    "create_category_group": "POST /budgets/{budget_id}/category_groups",
    "rename_category_group": "PATCH /budgets/{budget_id}/category_groups/{category_group_id}",
}
# What is put together here, of several answers: its columns, and the beginning of its cost.
JOINED = {
    "reconcile": (COLUMNS, "two requests, a delta and the whole budget; four"),
    "ledger": (LEDGER, "four requests, or none while an export is fresh"),
}
# What costs no request of its own.
CONNECTION = {"connect", "sandbox", "with_budget", "refresh", "close"}
# What tells no cursor and is therefore read in full.
IN_FULL = {
    *(
        "user",
        "budgets",
        "export",
        "month_categories",
        "settings",
        "account",
        "transaction",
        "category",
        "payee",
    ),
    *("payee_locations", "payee_location", "month", "scheduled_transaction"),
}


class Line(NamedTuple):
    """One line of a table of columns."""

    column: str
    dtype: str
    unit: str
    meaning: str


def tables_in(docstring: str) -> list[list[Line]]:
    """The tables of columns that a person reads there, cut where the dashes are."""
    tables: list[list[Line]] = []
    lines = docstring.splitlines()
    for number, line in enumerate(lines):
        if not re.fullmatch(r"\s*column\s+dtype\s+unit\s+meaning", line):
            continue
        starts = [each.start() for each in re.finditer(r"-+", lines[number + 1])]
        edges = [*starts, None]
        rows = []
        for row in lines[number + 2 :]:
            if not row.strip():
                break
            cells = [row[start:end].strip() for start, end in pairwise(edges)]
            rows.append(Line(*cells))
        tables.append(rows)
    return tables


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_a_docstring_run(name: str) -> None:
    test = EXAMPLES[name]
    said = StringIO()
    result = doctest.DocTestRunner(verbose=False).run(test, out=said.write, clear_globs=False)
    assert result.failed == 0, said.getvalue()


def test_there_are_examples_of_the_main_names() -> None:
    named = {name.rpartition(".")[2] for name in EXAMPLES}
    wanted = {"ServiceClient", "RateLimiter", "DeltaCache", "ServiceAPIError", "BudgetFrame"}
    assert wanted <= named


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"close"}))
def test_every_public_method_has_an_example(name: str) -> None:
    assert "\nExamples\n--------\n" in METHODS[name]


# Columns


@pytest.mark.parametrize("method", FRAMES)
def test_the_columns_in_a_docstring_are_those_of_the_schema(method: str) -> None:
    expected = [
        [Line(each.name, each.dtype, each.unit, each.meaning) for each in TABLES[name].columns]
        for name in FRAMES[method]
    ]
    assert tables_in(METHODS[method]) == expected


@pytest.fixture(scope="module")
def budget() -> BudgetFrame:
    return BudgetFrame.sandbox()


@pytest.mark.parametrize("method", [name for name in FRAMES if not name.endswith("_transactions")])
def test_the_columns_in_a_docstring_are_those_of_the_frame(
    budget: BudgetFrame, method: str
) -> None:
    frame = getattr(budget, method)()
    text = str(pd.Series(["text"]).dtype)
    documented = {
        line.column: text if line.dtype == "str" else line.dtype
        for line in tables_in(METHODS[method])[0]
    }
    assert dict(frame.dtypes.astype(str)) == documented


@pytest.mark.parametrize("method", FRAMES)
def test_every_column_has_a_meaning(method: str) -> None:
    lines = [line for table in tables_in(METHODS[method]) for line in table]
    assert [line.column for line in lines if not line.meaning] == []


@pytest.mark.parametrize("method", FRAMES)
def test_every_number_that_is_no_coordinate_or_flag_has_a_unit(method: str) -> None:
    lines = [line for table in tables_in(METHODS[method]) for line in table]
    numbers = [line for line in lines if line.dtype in {"float64", "Int64"}]
    assert [line.column for line in numbers if not line.unit] == []


@pytest.mark.parametrize("method", FRAMES)
def test_a_docstring_says_the_order_and_what_an_empty_answer_is(method: str) -> None:
    text = " ".join(METHODS[method].split())
    for name in FRAMES[method]:
        assert f"sorted by {', '.join(TABLES[name].order)}" in text
    assert "the same columns and dtypes when there are none" in text


@pytest.mark.parametrize("method", JOINED)
def test_the_columns_of_what_is_joined_are_those_of_its_docstring(
    budget: BudgetFrame, method: str
) -> None:
    text = str(pd.Series(["text"]).dtype)
    (table,) = tables_in(METHODS[method])
    documented = {line.column: text if line.dtype == "str" else line.dtype for line in table}
    assert dict(getattr(budget, method)().dtypes.astype(str)) == documented
    columns, _ = JOINED[method]
    assert table == [Line(each.name, each.dtype, each.unit, each.meaning) for each in columns]


# Models

MODELS = {
    name: typing.get_type_hints(getattr(BudgetFrame, name)).get("return")
    for name in sorted(set(SOURCES) - set(FRAMES) - {"export"})
}


@pytest.mark.parametrize("method", MODELS)
def test_the_fields_in_a_docstring_are_those_of_the_model(method: str) -> None:
    model = MODELS[method]
    assert model is not None
    assert issubclass(model, BaseModel)
    text = " ".join(METHODS[method].split())
    assert f"------- {model.__name__} Fields: {', '.join(model.model_fields)}." in text


# Sections


def test_every_public_method_is_in_the_tables_of_this_file() -> None:
    assert set(METHODS) == set(SOURCES) | CONNECTION | set(JOINED)


@pytest.mark.parametrize("method", SOURCES)
def test_a_method_names_its_source(method: str) -> None:
    assert f"Source: ``{SOURCES[method]}``." in METHODS[method]


@pytest.mark.parametrize("method", SOURCES)
def test_a_method_says_what_it_costs(method: str) -> None:
    notes = METHODS[method].partition("\nNotes\n-----\n")[2]
    assert "Cost: one request" in notes


@pytest.mark.parametrize("method", JOINED)
def test_what_is_joined_says_what_it_costs(method: str) -> None:
    _, cost = JOINED[method]
    assert f"Cost: {cost}" in " ".join(METHODS[method].split())


@pytest.mark.parametrize("method", [name for name in SOURCES if SOURCES[name].startswith("GET")])
def test_a_read_says_that_it_costs_nothing_within_the_time_to_live(method: str) -> None:
    assert "none within the time to live" in " ".join(METHODS[method].split())


@pytest.mark.parametrize(
    "method", [name for name in SOURCES if SOURCES[name].startswith("GET") and name not in IN_FULL]
)
def test_a_list_with_deltas_says_so(method: str) -> None:
    assert "delta" in METHODS[method].partition("Cost:")[2]


@pytest.mark.parametrize("method", sorted(IN_FULL))
def test_what_has_no_deltas_does_not_promise_any(method: str) -> None:
    assert "delta" not in METHODS[method].partition("Cost:")[2]


@pytest.mark.parametrize("method", SOURCES)
@pytest.mark.parametrize("error", ["ToolError", "ServiceAPIError", "httpx.TransportError"])
def test_a_method_says_what_it_raises(method: str, error: str) -> None:
    raises = METHODS[method].partition("\nRaises\n------\n")[2].partition("\nNotes\n")[0]
    assert f"{error}\n" in raises


@pytest.mark.parametrize("method", METHODS)
def test_a_docstring_begins_with_one_sentence(method: str) -> None:
    first = METHODS[method].splitlines()[0]
    assert first.endswith(".")
    assert len(first) <= 100


@pytest.mark.parametrize("method", METHODS)
def test_every_parameter_is_documented(method: str) -> None:
    given = inspect.signature(getattr(BudgetFrame, method)).parameters
    section = METHODS[method].partition("Parameters\n----------\n")[2]
    documented = {
        each.strip()
        for names in re.findall(r"^([\w, ]+) :", section, re.MULTILINE)
        for each in names.split(",")
    }
    single_ids = {name for name in given if name.endswith("_id") or name == "name"}
    assert set(given) - {"self"} - single_ids <= documented


def test_the_awaitable_twin_has_the_same_methods_and_docstrings() -> None:
    twin = typing.get_type_hints(inspect.getattr_static(BudgetFrame, "aio").fget)["return"]
    twins = {name: inspect.getdoc(getattr(twin, name)) for name in SOURCES}
    assert twins == {name: METHODS[name] for name in SOURCES}

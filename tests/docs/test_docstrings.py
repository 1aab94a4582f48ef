"""The docstrings are correct: their examples run, and their tables describe the frames."""

import doctest
import inspect
import re
import typing
from collections.abc import Iterable
from io import StringIO

import pandas as pd
import pytest
from pydantic import BaseModel

from budgetframe import BudgetFrame
from budgetframe._facade.aio import AsyncBudgetFrame, AsyncModels
from budgetframe._facade.aio.reports import AsyncReports
from budgetframe._facade.sync_methods import Models
from budgetframe._facade.sync_reports import Reports
from budgetframe.frames import LEDGER, TABLES, Column
from budgetframe.frames.reconciliation import RECONCILIATION
from budgetframe.frames.split_rows import SPLIT_ROWS
from tests.case import case
from tests.docs.docstrings import (
    METHODS,
    Line,
    code_in,
    code_of,
    examples,
    parameters_in,
    section,
    tables_in,
)

EXAMPLES = examples()

# The frames that a method can return; money movements have two possible forms.
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
    "delete_transactions": ["transactions"],
    "import_linked": ["transactions"],
    "create_scheduled_transactions": ["scheduled_transactions"],
    "update_scheduled_transactions": ["scheduled_transactions"],
    "delete_scheduled_transactions": ["scheduled_transactions"],
    "move": ["month"],
    "transactions_of_account": ["transactions"],
    "transactions_of_month": ["transactions"],
}
# The frames of the transactions of one category or payee have a table of their own.
SPLIT = ["transactions_of_category", "transactions_of_payee"]
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
    "category": "GET /budgets/{budget_id}[/months/{month}]/categories/{category_id}",
    "payees": "GET /budgets/{budget_id}/payees",
    "payee": "GET /budgets/{budget_id}/payees/{payee_id}",
    "payee_locations": "GET /budgets/{budget_id}[/payees/{payee_id}]/payee_locations",
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
    "transactions_of_account": "GET /budgets/{budget_id}/accounts/{account_id}/transactions",
    "transactions_of_category": "GET /budgets/{budget_id}/categories/{category_id}/transactions",
    "transactions_of_payee": "GET /budgets/{budget_id}/payees/{payee_id}/transactions",
    "transactions_of_month": "GET /budgets/{budget_id}/months/{month}/transactions",
    "create_transactions": "POST /budgets/{budget_id}/transactions",
    "update_transactions": "PATCH /budgets/{budget_id}/transactions",
    "create_category_group": "POST /budgets/{budget_id}/category_groups",
    "rename_category_group": "PATCH /budgets/{budget_id}/category_groups/{category_group_id}",
    "update_transaction": "PUT /budgets/{budget_id}/transactions/{transaction_id}",
    "delete_transactions": "DELETE /budgets/{budget_id}/transactions/{transaction_id}",
    "import_linked": "POST /budgets/{budget_id}/transactions/import",
    "create_scheduled_transactions": "POST /budgets/{budget_id}/scheduled_transactions",
    "update_scheduled_transactions": (
        "PUT /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}"
    ),
    "delete_scheduled_transactions": (
        "DELETE /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}"
    ),
    "create_account": "POST /budgets/{budget_id}/accounts",
    "create_payee": "POST /budgets/{budget_id}/payees",
    "rename_payee": "PATCH /budgets/{budget_id}/payees/{payee_id}",
    "create_category": "POST /budgets/{budget_id}/categories",
    "update_category": "PATCH /budgets/{budget_id}/categories/{category_id}",
    "assign": "PATCH /budgets/{budget_id}/months/{month}/categories/{category_id}",
    "move": "PATCH /budgets/{budget_id}/months/{month}/categories/{category_id}",
}
# Frames that are joined from several answers: columns, and the beginning of the cost.
JOINED = {
    "reconcile": (RECONCILIATION, "two requests, a delta and the whole budget; four"),
    "ledger": (LEDGER, "four requests, or none while an export is fresh"),
}
# Methods that return an object with further methods, with their cost.
PLANS = {
    "changes": "one request for the present rows, a delta where the list is known",
    "import_rows": "one request for the present rows, a delta where the list is known",
    "journal": "none, if the budget is known already",
}
# Methods that send no request.
CONNECTION = {"connect", "sandbox", "with_budget", "refresh", "close"}
# Reads for which the service has no delta.
IN_FULL = {
    "account",
    "budgets",
    "category",
    "month",
    "payee",
    "payee_location",
    "payee_locations",
    "scheduled_transaction",
    "settings",
    "transaction",
    "transactions_of_account",
    "transactions_of_category",
    "transactions_of_month",
    "transactions_of_payee",
    "user",
}
READS = [name for name, source in SOURCES.items() if source.startswith("GET")]


def docstrings_of(kind: type, prefix: str = "") -> dict[str, str]:
    """The docstrings of the public methods of a class, by name."""
    return {
        f"{prefix}{name}": inspect.getdoc(member) or ""
        for name, member in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


def lines_of(columns: Iterable[Column]) -> list[Line]:
    return [Line(each.name, each.dtype, each.unit, each.meaning) for each in columns]


@pytest.fixture(scope="module")
def budget() -> BudgetFrame:
    return BudgetFrame.sandbox()


# Examples


@pytest.mark.slow  # the examples of 87 docstrings, most of them with a new sandbox
def test_the_examples_of_a_docstring_run() -> None:
    runner = doctest.DocTestRunner(verbose=False)
    for name, example in EXAMPLES.items():
        output = StringIO()
        with case(name):
            result = runner.run(example, out=output.write, clear_globs=False)
            assert result.failed == 0, output.getvalue()


def test_the_main_names_have_examples() -> None:
    with_examples = {name.rpartition(".")[2] for name in EXAMPLES}
    classes = {"ServiceClient", "RateLimiter", "DeltaCache", "ServiceAPIError", "BudgetFrame"}
    reports = {"Report", "in_currency", "scheduled_dates", "money_axis"}
    assert classes | reports <= with_examples


def test_every_public_method_has_examples_that_run() -> None:
    running = {code_of(test) for test in EXAMPLES.values()}
    methods = {**METHODS, **docstrings_of(Models, "models."), **docstrings_of(Reports, "reports.")}
    assert [name for name, text in methods.items() if code_in(text) not in running] == ["close"]


def test_the_reports_property_has_an_example() -> None:
    assert "bf.reports.net_worth" in (inspect.getdoc(BudgetFrame.reports) or "")


# Columns


def test_the_columns_in_a_docstring_are_those_of_the_schema() -> None:
    for method, names in FRAMES.items():
        tables = tables_in(METHODS[method])
        assert tables == [lines_of(TABLES[name].columns) for name in names], method
    for method, (columns, _) in JOINED.items():
        assert tables_in(METHODS[method]) == [lines_of(columns)], method
    for method in SPLIT:
        assert tables_in(METHODS[method]) == [lines_of(SPLIT_ROWS.columns)], method


def test_the_columns_in_a_docstring_are_those_of_the_frame(budget: BudgetFrame) -> None:
    text = str(pd.Series(["text"]).dtype)
    reads = [name for name in FRAMES if SOURCES[name].startswith("GET")]
    for method in [*reads, *SPLIT, *JOINED]:
        documented = {
            line.column: text if line.dtype == "str" else line.dtype
            for line in tables_in(METHODS[method])[0]
        }
        _, _, entity = method.partition("transactions_of_")
        keys = {"account": "accounts", "category": "categories", "payee": "payees"}
        lists = [getattr(budget, keys[entity])()] if entity in keys else []
        arguments = [rows[f"{entity}_id"].iloc[0] for rows in lists]
        assert dict(getattr(budget, method)(*arguments).dtypes.astype(str)) == documented, method


def test_every_column_has_a_meaning_and_every_number_a_unit() -> None:
    for method in FRAMES:
        for line in [line for table in tables_in(METHODS[method]) for line in table]:
            assert line.meaning, (method, line)
            assert line.unit or line.dtype not in {"float64", "Int64"}, (method, line)


def test_a_docstring_states_the_order_and_the_form_of_an_empty_frame() -> None:
    for method, names in FRAMES.items():
        text = " ".join(METHODS[method].split())
        assert "the same columns and dtypes when there are none" in text, method
        for name in names:
            assert f"sorted by {', '.join(TABLES[name].order)}" in text, method


# Models


def test_the_fields_in_a_docstring_are_those_of_the_model() -> None:
    methods = sorted(set(SOURCES) - set(FRAMES) - set(SPLIT) - {"export"})
    assert len(methods) == 17
    for method in methods:
        model = typing.get_type_hints(getattr(BudgetFrame, method))["return"]
        assert issubclass(model, BaseModel), method
        text = " ".join(METHODS[method].split())
        fields = ", ".join(model.model_fields)
        assert f"------- {model.__name__} Fields: {fields}." in text, method


# Sections


def test_every_public_method_is_in_the_tables_of_this_file() -> None:
    assert set(METHODS) == set(SOURCES) | CONNECTION | set(JOINED) | set(PLANS)


def test_a_method_names_its_source() -> None:
    for method, source in SOURCES.items():
        assert f"Source: ``{source}``." in section(METHODS[method], "Notes"), method


def test_a_method_states_its_cost() -> None:
    for method in SOURCES:
        assert "Cost: one request" in section(METHODS[method], "Notes"), method
    for method, (_, cost) in JOINED.items():
        assert f"Cost: {cost}" in " ".join(METHODS[method].split()), method
    for method, cost in PLANS.items():
        assert f"Cost: {cost}" in " ".join(METHODS[method].split()), method


def test_a_read_states_that_it_costs_nothing_within_the_time_to_live() -> None:
    for method in READS:
        notes = " ".join(section(METHODS[method], "Notes").split())
        assert "none within the time to live" in notes, method


def test_a_method_mentions_a_delta_exactly_if_the_service_has_one() -> None:
    with_delta = {name for name in READS if "delta" in METHODS[name].partition("Cost:")[2]}
    assert with_delta == set(READS) - IN_FULL


def test_a_method_lists_the_errors_that_it_raises() -> None:
    for method in SOURCES:
        errors = re.findall(r"^\S+$", section(METHODS[method], "Raises"), re.MULTILINE)
        assert errors == ["ToolError", "ServiceAPIError", "httpx.TransportError"], method


def test_a_docstring_begins_with_one_sentence() -> None:
    for method, text in METHODS.items():
        first = text.splitlines()[0]
        assert first.endswith("."), method
        assert len(first) <= 100, method


def test_the_documented_parameters_are_those_of_the_signature() -> None:
    for method, text in METHODS.items():
        parameters = set(inspect.signature(getattr(BudgetFrame, method)).parameters) - {"self"}
        assert parameters_in(text) == parameters, method


def test_an_async_method_has_the_docstring_of_the_synchronous_one() -> None:
    names = {*SOURCES, *JOINED, *PLANS}
    assert docstrings_of(AsyncBudgetFrame) == {name: METHODS[name] for name in names}
    assert docstrings_of(AsyncModels) == docstrings_of(Models)
    assert docstrings_of(AsyncReports) == docstrings_of(Reports)

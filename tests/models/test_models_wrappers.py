"""Data objects of the endpoints, and their envelopes."""

from typing import Any

import pytest
from pydantic import ValidationError

from budgetframe import models
from tests.client.wire import ClientUnderTest, answer

from .shapes import DATA, ID, LISTS_WITH_KNOWLEDGE, dumped, full, model, resembles

Json = dict[str, Any]


ENVELOPES = [name for name in DATA if name != "UserResponseData"]


@pytest.mark.parametrize("name", ENVELOPES)
def test_envelope_contains_the_records_under_the_key_of_the_service(name: str) -> None:
    key, content = DATA[name]
    data = {key: content, "brand_new": 1}
    envelope: Any = model(name.removesuffix("Data")).model_validate({"data": data})
    assert resembles(dumped(getattr(envelope.data, key)), content)
    assert "brand_new" not in envelope.data.model_dump()


@pytest.mark.parametrize("name", ENVELOPES)
def test_envelope_and_data_object_may_not_be_empty(name: str) -> None:
    empty: list[Json] = [{}, {"data": {}}]
    for given in empty:
        with pytest.raises(ValidationError):
            model(name.removesuffix("Data")).model_validate(given)


@pytest.mark.parametrize("name", LISTS_WITH_KNOWLEDGE)
def test_list_may_be_empty_and_may_have_server_knowledge(name: str) -> None:
    key, _ = DATA[name]
    for more, knowledge in (({}, None), ({"server_knowledge": 7}, 7)):
        data: Any = model(name).model_validate({key: [], **more})
        assert (getattr(data, key), data.server_knowledge) == ([], knowledge)


def test_user_data_contains_the_user_id() -> None:
    assert models.UserResponseData.model_validate({"user": {"id": ID}}).user.id == ID


def test_error_envelope_wraps_the_error_detail() -> None:
    envelope = models.ErrorResponse.model_validate(
        {"error": {"id": "404.2", "name": "resource_not_found", "detail": "Resource not found"}}
    )
    found = envelope.error.id, envelope.error.name, envelope.error.detail
    assert found == ("404.2", "resource_not_found", "Resource not found")


@pytest.mark.parametrize("settings", [
    {"date_format": None, "currency_format": None},
    {"date_format": {"format": "DD.MM.YYYY"}, "currency_format": None},
    {"date_format": {"format": "MM/DD/YYYY"},
     "currency_format": {"iso_code": "USD", "example_format": "123,456.78", "decimal_digits": 2,
         "decimal_separator": ".", "symbol_first": True, "group_separator": ",",
         "currency_symbol": "$", "display_symbol": True}},
])  # fmt: skip
def test_settings_may_have_either_format_or_none(settings: Json) -> None:
    data = models.SettingsResponseData.model_validate({"settings": settings})
    assert resembles(data.settings.model_dump(), settings)


def test_batch_answer_has_one_or_several_transactions_and_duplicates() -> None:
    row, duplicates = full("TransactionDetail"), ["YNAB:-1:2026-05-14:1"]
    given: Json = {"transaction_ids": [ID], "server_knowledge": 9}
    several = {"transactions": [row], "duplicate_import_ids": duplicates}
    for more, expected in ((several, duplicates), ({"transaction": row}, [])):
        data = models.BatchTransactionResponseData.model_validate(given | more)
        assert (data.transaction_ids, data.server_knowledge) == ([ID], 9)
        assert data.duplicate_import_ids == expected


def without_names(row: Json) -> Json:
    """A row as in an export: without names and without its parts."""
    return {
        key: value
        for key, value in row.items()
        if not key.endswith("_name") and key != "subtransactions"
    }


EXPORT: Json = {
    **full("BudgetSummary"), "accounts": [full("Account")], "payees": [full("Payee")],
    "payee_locations": [{**full("PayeeLocation"), "latitude": "52.5", "longitude": "-4.5"}],
    "category_groups": [full("CategoryGroup")], "categories": [without_names(full("Category"))],
    "months": [{**full("MonthDetail"), "categories": [without_names(full("Category"))]}],
    "transactions": [without_names(full("TransactionDetail"))],
    "subtransactions": [without_names(full("SubTransaction"))],
    "scheduled_transactions": [without_names(full("ScheduledTransactionDetail"))],
    "scheduled_subtransactions": [without_names(full("ScheduledSubTransaction"))],
}  # fmt: skip


@pytest.mark.parametrize(("key", "field", "value"), [
    ("accounts", "name", "Everyday"), ("payees", "name", "Grocer"),
    ("payee_locations", "latitude", 52.5), ("category_groups", "name", "Home"),
    ("categories", "balance", 0.125), ("months", "income", 3000.0),
    ("transactions", "amount", -24.68), ("subtransactions", "transaction_id", ID),
    ("scheduled_transactions", "frequency", "monthly"),
    ("scheduled_subtransactions", "amount", -12.34),
])  # fmt: skip
def test_export_is_valid_without_names_in_its_rows(key: str, field: str, value: object) -> None:
    budget: Any = models.BudgetResponseData.model_validate({"budget": EXPORT}).budget
    assert getattr(getattr(budget, key)[0], field) == value


@pytest.mark.parametrize(("name", "key"), [
    ("MoneyMovementRecord", "money_movements"),
    ("MoneyMovementGroupRecord", "money_movement_groups"),
])  # fmt: skip
def test_published_shape_of_a_money_movement_is_accepted_too(name: str, key: str) -> None:
    data: Any = model(f"{name.removesuffix('Record')}sResponseData").model_validate(
        {key: [full(name)]}
    )
    assert resembles(dumped(getattr(data, key)), [full(name)])


def test_converted_answer_of_the_client_is_valid() -> None:
    row = {**full("Account"), "balance": 1_234_560, "cleared_balance": 0, "uncleared_balance": -1}
    client_under_test = ClientUnderTest(answer({"accounts": [row], "server_knowledge": 3}))
    data = client_under_test.run(client_under_test.client.get("/budgets/b1/accounts"))
    assert models.AccountsResponseData.model_validate(data).accounts[0].balance == 1234.56

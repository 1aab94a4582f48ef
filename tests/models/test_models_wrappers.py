"""Data objects of the endpoints, and their envelopes."""

from typing import Any

import pytest
from pydantic import ValidationError

from budgetframe import models
from tests.client.wire import ClientUnderTest, answer

from .shapes import DATA, ID, LISTS_WITH_KNOWLEDGE, OTHER, dumped, full, model, resembles

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
    assert (envelope.error.id, envelope.error.name, envelope.error.detail) == (
        "404.2",
        "resource_not_found",
        "Resource not found",
    )


@pytest.mark.parametrize(
    "settings",
    [
        {"date_format": None, "currency_format": None},
        {"date_format": {"format": "DD.MM.YYYY"}, "currency_format": None},
        {
            "date_format": {"format": "MM/DD/YYYY"},
            "currency_format": {
                "iso_code": "USD",
                "example_format": "123,456.78",
                "decimal_digits": 2,
                "decimal_separator": ".",
                "symbol_first": True,
                "group_separator": ",",
                "currency_symbol": "$",
                "display_symbol": True,
            },
        },
    ],
)
def test_settings_may_have_either_format_or_none(settings: Json) -> None:
    data = models.SettingsResponseData.model_validate({"settings": settings})
    assert resembles(data.settings.model_dump(), settings)


def test_batch_answer_contains_new_transactions_and_duplicates() -> None:
    data = models.BatchTransactionResponseData.model_validate(
        {
            "transaction_ids": [ID],
            "transactions": [full("TransactionDetail")],
            "duplicate_import_ids": ["YNAB:-1:2026-05-14:1"],
            "server_knowledge": 9,
        }
    )
    assert (data.transaction_ids, data.duplicate_import_ids, data.server_knowledge) == (
        [ID],
        ["YNAB:-1:2026-05-14:1"],
        9,
    )


def test_batch_answer_about_one_transaction_is_valid() -> None:
    data = models.BatchTransactionResponseData.model_validate(
        {"transaction_ids": [ID], "transaction": full("TransactionDetail"), "server_knowledge": 9}
    )
    assert data.transaction_ids == [ID]


def test_category_group_answer_needs_no_categories() -> None:
    data = models.CategoryGroupResponseData.model_validate(
        {"category_group": {"id": ID, "name": "Home", "hidden": False, "deleted": False}}
    )
    assert data.category_group.name == "Home"


def without_names(row: Json) -> Json:
    return {key: value for key, value in row.items() if not key.endswith("_name")}


EXPORT: Json = {
    **full("BudgetSummary"),
    "accounts": [full("Account")],
    "payees": [full("Payee")],
    "payee_locations": [{**full("PayeeLocation"), "latitude": "52.5", "longitude": "-4.5"}],
    "category_groups": [full("CategoryGroup")],
    "categories": [without_names(full("Category"))],
    "months": [{**full("MonthDetail"), "categories": [without_names(full("Category"))]}],
    "transactions": [
        {
            key: value
            for key, value in without_names(full("TransactionDetail")).items()
            if key != "subtransactions"
        }
    ],
    "subtransactions": [without_names(full("SubTransaction"))],
    "scheduled_transactions": [
        {
            key: value
            for key, value in without_names(full("ScheduledTransactionDetail")).items()
            if key != "subtransactions"
        }
    ],
    "scheduled_subtransactions": [without_names(full("ScheduledSubTransaction"))],
}


@pytest.mark.parametrize(
    ("key", "field", "value"),
    [
        ("accounts", "name", "Everyday"),
        ("payees", "name", "Grocer"),
        ("payee_locations", "latitude", 52.5),
        ("category_groups", "name", "Home"),
        ("categories", "balance", 0.125),
        ("months", "income", 3000.0),
        ("transactions", "amount", -24.68),
        ("subtransactions", "transaction_id", ID),
        ("scheduled_transactions", "frequency", "monthly"),
        ("scheduled_subtransactions", "amount", -12.34),
    ],
)
def test_export_is_valid_without_names_in_its_rows(key: str, field: str, value: object) -> None:
    budget: Any = models.BudgetResponseData.model_validate({"budget": EXPORT}).budget
    assert getattr(getattr(budget, key)[0], field) == value


PUBLISHED_MOVEMENT = {
    "id": ID,
    "month": "2026-05-01",
    "moved_at": "2026-05-14T08:30:00Z",
    "note": None,
    "money_movement_group_id": None,
    "performed_by_user_id": None,
    "from_category_id": None,
    "to_category_id": OTHER,
    "amount": 25.5,
}


def test_published_shape_of_a_money_movement_is_accepted_too() -> None:
    data = models.MoneyMovementsResponseData.model_validate(
        {"money_movements": [PUBLISHED_MOVEMENT]}
    )
    assert resembles(data.model_dump()["money_movements"][0]["amount"], 25.5)


def test_published_shape_of_a_money_movement_group_is_accepted_too() -> None:
    row = {
        "id": ID,
        "group_created_at": "2026-05-14T08:30:00Z",
        "month": "2026-05-01",
        "note": None,
        "performed_by_user_id": None,
    }
    data = models.MoneyMovementGroupsResponseData.model_validate({"money_movement_groups": [row]})
    assert data.model_dump()["money_movement_groups"][0]["month"] == "2026-05-01"


def test_converted_answer_of_the_client_is_valid() -> None:
    row = {**full("Account"), "balance": 1_234_560, "cleared_balance": 0, "uncleared_balance": -1}
    client_under_test = ClientUnderTest(answer({"accounts": [row], "server_knowledge": 3}))
    data = client_under_test.run(client_under_test.client.get("/budgets/b1/accounts"))
    assert models.AccountsResponseData.model_validate(data).accounts[0].balance == 1234.56

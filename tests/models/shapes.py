"""An example of each record of the service, and its nullable fields, written by hand."""

from typing import Any, NamedTuple

from pydantic import BaseModel

from budgetframe import models
from budgetframe._resources import RESOURCES

Json = dict[str, Any]

ID = "8f1c6f1e-2f5e-4b8e-9f0a-0d9d3c7a1b2c"
OTHER = "5b0f4a52-9a59-4f0b-8a3f-7e2d1c6b9a10"


class Shape(NamedTuple):
    """Required fields, and fields that may be null or missing."""

    required: Json
    nullable: Json

    @property
    def full(self) -> Json:
        return {**self.required, **self.nullable}


CATEGORY = Shape(
    {"id": ID, "category_group_id": OTHER, "name": "Rent", "hidden": False}
    | {"budgeted": 900.0, "activity": -900.0, "balance": 0.125, "deleted": False},
    {"category_group_name": "Home", "note": "due on the 1st"}
    | {"goal_type": "NEED", "goal_target": 900.0, "goal_target_month": "2026-12-01"}
    | {"goal_target_date": "2026-12-24", "goal_percentage_complete": 75}
    | {"goal_months_to_budget": 3, "goal_under_funded": 225.0}
    | {"goal_overall_funded": 675.0, "goal_overall_left": 225.0},
)
SUBTRANSACTION = Shape(
    {"id": ID, "transaction_id": ID, "amount": -12.34, "deleted": False},
    {"payee_id": ID, "payee_name": "Grocer", "category_id": OTHER, "category_name": "Food"}
    | {"memo": "half", "transfer_account_id": ID, "transfer_transaction_id": OTHER},
)
SCHEDULED_SUBTRANSACTION = Shape(
    {"id": ID, "scheduled_transaction_id": ID, "amount": -12.34, "deleted": False},
    {
        name: value
        for name, value in SUBTRANSACTION.nullable.items()
        if name != "transfer_transaction_id"
    },
)
CATEGORY_GROUP = Shape({"id": ID, "name": "Home", "hidden": True, "deleted": False}, {})

SHAPES: dict[str, Shape] = {
    "ErrorDetail": Shape(
        {"id": "404.2", "name": "resource_not_found", "detail": "Resource not found"}, {}),
    "BudgetSummary": Shape(
        {"id": ID, "name": "Household", "last_modified_on": "2026-05-14T08:30:00+00:00"}
         | {"first_month": "2021-01-01", "last_month": "2026-06-01"},
        {}),
    "Account": Shape({"id": ID, "name": "Everyday", "type": "checking", "on_budget": True}
         | {"balance": 1234.56, "cleared_balance": 1200.0, "uncleared_balance": 34.56}
         | {"closed": False, "deleted": False},
        {"note": "joint", "transfer_payee_id": OTHER}),
    "Category": CATEGORY, "CategoryGroup": CATEGORY_GROUP,
    "CategoryGroupWithCategories": Shape({**CATEGORY_GROUP.required, "categories": [CATEGORY.full]},
        {}),
    "SubTransaction": SUBTRANSACTION,
    "TransactionDetail": Shape(
        {"id": ID, "date": "2026-05-14", "amount": -24.68, "approved": True, "cleared": "cleared"}
         | {"account_id": OTHER, "account_name": "Everyday", "deleted": False}
         | {"subtransactions": [SUBTRANSACTION.full]},
        {"payee_id": ID, "payee_name": "Grocer", "category_id": OTHER, "category_name": "Food"}
         | {"memo": "weekly", "transfer_account_id": ID, "transfer_transaction_id": OTHER}
         | {"matched_transaction_id": ID, "import_id": "YNAB:-24680:2026-05-14:1"}
         | {"import_payee_name": "GROCER 12", "import_payee_name_original": "GROCER 12 *X"}
         | {"flag_color": "red", "flag_name": "Check", "debt_transaction_type": "payment"}),
    "ScheduledSubTransaction": SCHEDULED_SUBTRANSACTION,
    "ScheduledTransactionDetail": Shape(
        {"id": ID, "date_first": "2025-01-01", "frequency": "monthly", "amount": -900.0}
         | {"account_id": OTHER, "account_name": "Everyday", "deleted": False}
         | {"subtransactions": [SCHEDULED_SUBTRANSACTION.full]},
        {"date_next": "2026-06-01", "payee_id": ID, "payee_name": "Landlord"}
         | {"category_id": OTHER, "category_name": "Rent", "memo": "standing order"}
         | {"flag_color": "blue", "flag_name": "Fixed", "transfer_account_id": ID}),
    "Payee": Shape({"id": ID, "name": "Grocer", "deleted": False}, {"transfer_account_id": OTHER}),
    "PayeeLocation": Shape({"id": ID, "payee_id": OTHER, "deleted": False},
        {"latitude": 52.379189, "longitude": -4.899431}),
    "MonthSummary": Shape({"month": "2026-05-01", "income": 3000.0, "budgeted": 2900.0}
         | {"activity": -2800.5, "to_be_budgeted": 100.0, "deleted": False},
        {"age_of_money": 42, "note": "holidays"}),
    "MonthDetail": Shape({"month": "2026-05-01", "income": 3000.0, "budgeted": 2900.0}
         | {"activity": -2800.5, "to_be_budgeted": 100.0, "categories": [CATEGORY.full]},
        {"age_of_money": 42, "note": "holidays"}),
    "MoneyMovement": Shape(
        {"category_name": "Rent", "allocation": 900.0, "spent": -900.0, "income": 0.0},
        {"category_group_name": "Home"}),
    "MoneyMovementGroup": Shape(
        {"category_group_name": "Home", "allocation": 900.0, "spent": -900.0, "income": 0.0}, {}),
    # The same lists as the service's description publishes them: one record for each move.
    "MoneyMovementRecord": Shape({"id": ID, "amount": 25.5},
        {"month": "2026-05-01", "moved_at": "2026-05-14T08:30:00Z", "note": "lunch"}
         | {"money_movement_group_id": ID, "performed_by_user_id": OTHER}
         | {"from_category_id": ID, "to_category_id": OTHER}),
    "MoneyMovementGroupRecord": Shape(
        {"id": ID, "group_created_at": "2026-05-14T08:30:00Z", "month": "2026-05-01"},
        {"note": "lunch", "performed_by_user_id": OTHER}),
    "UserResponse": Shape({"id": ID}, {}),
}  # fmt: skip


def full(name: str) -> Json:
    return SHAPES[name].full


# Key of each data object, and the models of its value: a list or one record.
DATA: dict[str, tuple[str, Any]] = {
    "UserResponseData": ("user", full("UserResponse")),
    "BudgetsResponseData": ("budgets", [full("BudgetSummary")]),
    "BudgetResponseData": ("budget", full("BudgetSummary")),
    "SettingsResponseData": ("settings", {"date_format": None, "currency_format": None}),
    "AccountsResponseData": ("accounts", [full("Account")]),
    "AccountResponseData": ("account", full("Account")),
    "TransactionsResponseData": ("transactions", [full("TransactionDetail")]),
    "TransactionResponseData": ("transaction", full("TransactionDetail")),
    "CategoriesResponseData": ("category_groups", [full("CategoryGroupWithCategories")]),
    "CategoryResponseData": ("category", full("Category")),
    "PayeesResponseData": ("payees", [full("Payee")]),
    "PayeeResponseData": ("payee", full("Payee")),
    "PayeeLocationsResponseData": ("payee_locations", [full("PayeeLocation")]),
    "PayeeLocationResponseData": ("payee_location", full("PayeeLocation")),
    "MonthsResponseData": ("months", [full("MonthSummary")]),
    "MonthResponseData": ("month", full("MonthDetail")),
    "MoneyMovementsResponseData": ("money_movements", [full("MoneyMovement")]),
    "MoneyMovementGroupsResponseData": ("money_movement_groups", [full("MoneyMovementGroup")]),
    "ScheduledTransactionsResponseData": ("scheduled_transactions",
        [full("ScheduledTransactionDetail")]),
    "ScheduledTransactionResponseData": ("scheduled_transaction",
        full("ScheduledTransactionDetail")),
    "CategoryGroupResponseData": ("category_group", full("CategoryGroup")),
}  # fmt: skip

LISTS_WITH_KNOWLEDGE = [
    f"{name.title().replace('_', '')}ResponseData"
    for name, resource in RESOURCES.items()
    if resource.delta
]


def model(name: str) -> type[BaseModel]:
    found: type[BaseModel] = getattr(models, name)
    return found


def dumped(value: Any) -> Any:
    """A model, or a list of them, as plain data."""
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, list):
        return [dumped(one) for one in value]
    return value


def resembles(value: Any, expected: Any) -> bool:
    """Check the value and type of each specified field; further fields are ignored."""
    if isinstance(expected, dict):
        return all(resembles(value[name], one) for name, one in expected.items())
    if isinstance(expected, list):
        return len(value) == len(expected) and all(map(resembles, value, expected))
    return type(value) is type(expected) and value == expected

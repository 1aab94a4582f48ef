"""Models of the data objects in the answers of the service, and of their envelopes."""

from __future__ import annotations

from typing import Generic, TypeVar

from pydantic import AliasChoices, Field

from .records import (
    Account,
    BudgetDetail,
    BudgetSummary,
    Category,
    CategoryGroup,
    CategoryGroupWithCategories,
    ErrorDetail,
    Model,
    MoneyMovement,
    MoneyMovementGroup,
    MoneyMovementGroupRecord,
    MoneyMovementRecord,
    MonthDetail,
    MonthSummary,
    Payee,
    PayeeLocation,
    ScheduledTransactionDetail,
    Settings,
    TransactionDetail,
)

_T = TypeVar("_T")


class Response(Model, Generic[_T]):
    """The envelope of a successful answer."""

    data: _T


class ErrorResponse(Model):
    """The envelope of an error."""

    error: ErrorDetail


class _WithKnowledge(Model):
    server_knowledge: int | None = None


class UserResponse(Model):
    """The user that a token belongs to."""

    id: str


class UserResponseData(Model):
    """Data of ``GET /user``."""

    user: UserResponse


class BudgetsResponseData(Model):
    """Data of ``GET /budgets``."""

    budgets: list[BudgetSummary] = Field(validation_alias=AliasChoices("budgets", "plans"))
    default_budget: BudgetSummary | None = Field(
        default=None, validation_alias=AliasChoices("default_budget", "default_plan")
    )


class BudgetResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}``."""

    budget: BudgetDetail = Field(validation_alias=AliasChoices("budget", "plan"))


class SettingsResponseData(Model):
    """Data of ``GET /budgets/{budget_id}/settings``."""

    settings: Settings


class AccountsResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/accounts``."""

    accounts: list[Account]


class AccountResponseData(Model):
    """Data of ``GET /budgets/{budget_id}/accounts/{account_id}``."""

    account: Account


class TransactionsResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/transactions``."""

    transactions: list[TransactionDetail]


class TransactionResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/transactions/{transaction_id}``."""

    transaction: TransactionDetail


class BatchTransactionResponseData(_WithKnowledge):
    """Data of creating or updating several transactions."""

    transaction_ids: list[str]
    transaction: TransactionDetail | None = None
    transactions: list[TransactionDetail] = Field(default_factory=list)
    duplicate_import_ids: list[str] = Field(default_factory=list)


class CategoriesResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/categories``."""

    category_groups: list[CategoryGroupWithCategories]


class CategoryResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/categories/{category_id}``."""

    category: Category


class CategoryGroupResponseData(_WithKnowledge):
    """Data of creating or updating a category group."""

    category_group: CategoryGroup


class PayeesResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/payees``."""

    payees: list[Payee]


class PayeeResponseData(Model):
    """Data of ``GET /budgets/{budget_id}/payees/{payee_id}``."""

    payee: Payee


class PayeeLocationsResponseData(Model):
    """Data of ``GET /budgets/{budget_id}/payee_locations``."""

    payee_locations: list[PayeeLocation]


class PayeeLocationResponseData(Model):
    """Data of ``GET /budgets/{budget_id}/payee_locations/{payee_location_id}``."""

    payee_location: PayeeLocation


class MonthsResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/months``."""

    months: list[MonthSummary]


class MonthResponseData(Model):
    """Data of ``GET /budgets/{budget_id}/months/{month}``."""

    month: MonthDetail


class MoneyMovementsResponseData(_WithKnowledge):
    """Data of ``GET .../money_movements``."""

    money_movements: list[MoneyMovement | MoneyMovementRecord]


class MoneyMovementGroupsResponseData(_WithKnowledge):
    """Data of ``GET .../money_movement_groups``."""

    money_movement_groups: list[MoneyMovementGroup | MoneyMovementGroupRecord]


class ScheduledTransactionsResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/scheduled_transactions``."""

    scheduled_transactions: list[ScheduledTransactionDetail]


class ScheduledTransactionResponseData(Model):
    """Data of ``GET /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}``."""

    scheduled_transaction: ScheduledTransactionDetail


BudgetsResponse = Response[BudgetsResponseData]
BudgetResponse = Response[BudgetResponseData]
SettingsResponse = Response[SettingsResponseData]
AccountsResponse = Response[AccountsResponseData]
AccountResponse = Response[AccountResponseData]
TransactionsResponse = Response[TransactionsResponseData]
TransactionResponse = Response[TransactionResponseData]
BatchTransactionResponse = Response[BatchTransactionResponseData]
CategoriesResponse = Response[CategoriesResponseData]
CategoryResponse = Response[CategoryResponseData]
CategoryGroupResponse = Response[CategoryGroupResponseData]
PayeesResponse = Response[PayeesResponseData]
PayeeResponse = Response[PayeeResponseData]
PayeeLocationsResponse = Response[PayeeLocationsResponseData]
PayeeLocationResponse = Response[PayeeLocationResponseData]
MonthsResponse = Response[MonthsResponseData]
MonthResponse = Response[MonthResponseData]
MoneyMovementsResponse = Response[MoneyMovementsResponseData]
MoneyMovementGroupsResponse = Response[MoneyMovementGroupsResponseData]
ScheduledTransactionsResponse = Response[ScheduledTransactionsResponseData]
ScheduledTransactionResponse = Response[ScheduledTransactionResponseData]

"""Models of the data objects in the answers of the service, and of their envelopes."""

from __future__ import annotations

from typing import Generic, TypeVar

from pydantic import AliasChoices, Field

from . import records

_T = TypeVar("_T")


class Response(records.Model, Generic[_T]):
    """The envelope of a successful answer."""

    data: _T


class ErrorResponse(records.Model):
    """The envelope of an error."""

    error: records.ErrorDetail


class _WithKnowledge(records.Model):
    server_knowledge: int | None = None


class UserResponse(records.Model):
    """The user that a token belongs to."""

    id: str


class UserResponseData(records.Model):
    """Data of ``GET /user``."""

    user: UserResponse


class BudgetsResponseData(records.Model):
    """Data of ``GET /budgets``."""

    budgets: list[records.BudgetSummary] = Field(validation_alias=AliasChoices("budgets", "plans"))
    default_budget: records.BudgetSummary | None = Field(
        default=None, validation_alias=AliasChoices("default_budget", "default_plan")
    )


class BudgetResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}``."""

    budget: records.BudgetDetail = Field(validation_alias=AliasChoices("budget", "plan"))


class SettingsResponseData(records.Model):
    """Data of ``GET /budgets/{budget_id}/settings``."""

    settings: records.Settings


class AccountsResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/accounts``."""

    accounts: list[records.Account]


class AccountResponseData(records.Model):
    """Data of ``GET /budgets/{budget_id}/accounts/{account_id}``."""

    account: records.Account


class TransactionsResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/transactions``."""

    transactions: list[records.TransactionDetail]


class TransactionResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/transactions/{transaction_id}``."""

    transaction: records.TransactionDetail


class BatchTransactionResponseData(_WithKnowledge):
    """Data of creating or updating several transactions."""

    transaction_ids: list[str]
    transaction: records.TransactionDetail | None = None
    transactions: list[records.TransactionDetail] = Field(default_factory=list)
    duplicate_import_ids: list[str] = Field(default_factory=list)


class CategoriesResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/categories``."""

    category_groups: list[records.CategoryGroupWithCategories]


class CategoryResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/categories/{category_id}``."""

    category: records.Category


class CategoryGroupResponseData(_WithKnowledge):
    """Data of creating or updating a category group."""

    category_group: records.CategoryGroup


class PayeesResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/payees``."""

    payees: list[records.Payee]


class PayeeResponseData(records.Model):
    """Data of ``GET /budgets/{budget_id}/payees/{payee_id}``."""

    payee: records.Payee


class PayeeLocationsResponseData(records.Model):
    """Data of ``GET /budgets/{budget_id}/payee_locations``."""

    payee_locations: list[records.PayeeLocation]


class PayeeLocationResponseData(records.Model):
    """Data of ``GET /budgets/{budget_id}/payee_locations/{payee_location_id}``."""

    payee_location: records.PayeeLocation


class MonthsResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/months``."""

    months: list[records.MonthSummary]


class MonthResponseData(records.Model):
    """Data of ``GET /budgets/{budget_id}/months/{month}``."""

    month: records.MonthDetail


class MoneyMovementsResponseData(_WithKnowledge):
    """Data of ``GET .../money_movements``."""

    money_movements: list[records.MoneyMovement | records.MoneyMovementRecord]


class MoneyMovementGroupsResponseData(_WithKnowledge):
    """Data of ``GET .../money_movement_groups``."""

    money_movement_groups: list[records.MoneyMovementGroup | records.MoneyMovementGroupRecord]


class ScheduledTransactionsResponseData(_WithKnowledge):
    """Data of ``GET /budgets/{budget_id}/scheduled_transactions``."""

    scheduled_transactions: list[records.ScheduledTransactionDetail]


class ScheduledTransactionResponseData(records.Model):
    """Data of ``GET /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}``."""

    scheduled_transaction: records.ScheduledTransactionDetail


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

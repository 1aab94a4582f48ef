"""The shapes of the service's answers, as pydantic models.

Every model ignores fields it does not know, so that a field the service adds breaks nothing. Small
vocabularies (account types, flag colours and the like) are plain strings for the same reason.
Amounts are floats in currency units: `ServiceClient` converts them before the models see them.
A field that may be null may also be missing; any other is required.

``<Name>ResponseData`` is the data object of an answer, ``<Name>Response`` the envelope around it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .records import (
        Account,
        BudgetDetail,
        BudgetSummary,
        Category,
        CategoryGroup,
        CategoryGroupWithCategories,
        CurrencyFormat,
        DateFormat,
        ErrorDetail,
        MoneyMovement,
        MoneyMovementGroup,
        MoneyMovementGroupRecord,
        MoneyMovementRecord,
        MonthDetail,
        MonthSummary,
        Payee,
        PayeeLocation,
        ScheduledSubTransaction,
        ScheduledTransactionDetail,
        ScheduledTransactionSummary,
        Settings,
        SubTransaction,
        TransactionDetail,
        TransactionSummary,
    )
    from .responses import (
        AccountResponse,
        AccountResponseData,
        AccountsResponse,
        AccountsResponseData,
        BatchTransactionResponse,
        BatchTransactionResponseData,
        BudgetResponse,
        BudgetResponseData,
        BudgetsResponse,
        BudgetsResponseData,
        CategoriesResponse,
        CategoriesResponseData,
        CategoryGroupResponse,
        CategoryGroupResponseData,
        CategoryResponse,
        CategoryResponseData,
        ErrorResponse,
        MoneyMovementGroupsResponse,
        MoneyMovementGroupsResponseData,
        MoneyMovementsResponse,
        MoneyMovementsResponseData,
        MonthResponse,
        MonthResponseData,
        MonthsResponse,
        MonthsResponseData,
        PayeeLocationResponse,
        PayeeLocationResponseData,
        PayeeLocationsResponse,
        PayeeLocationsResponseData,
        PayeeResponse,
        PayeeResponseData,
        PayeesResponse,
        PayeesResponseData,
        Response,
        ScheduledTransactionResponse,
        ScheduledTransactionResponseData,
        ScheduledTransactionsResponse,
        ScheduledTransactionsResponseData,
        SettingsResponse,
        SettingsResponseData,
        TransactionResponse,
        TransactionResponseData,
        TransactionsResponse,
        TransactionsResponseData,
        UserResponse,
        UserResponseData,
    )

__all__ = [
    "Account",
    "AccountResponse",
    "AccountResponseData",
    "AccountsResponse",
    "AccountsResponseData",
    "BatchTransactionResponse",
    "BatchTransactionResponseData",
    "BudgetDetail",
    "BudgetResponse",
    "BudgetResponseData",
    "BudgetSummary",
    "BudgetsResponse",
    "BudgetsResponseData",
    "CategoriesResponse",
    "CategoriesResponseData",
    "Category",
    "CategoryGroup",
    "CategoryGroupResponse",
    "CategoryGroupResponseData",
    "CategoryGroupWithCategories",
    "CategoryResponse",
    "CategoryResponseData",
    "CurrencyFormat",
    "DateFormat",
    "ErrorDetail",
    "ErrorResponse",
    "MoneyMovement",
    "MoneyMovementGroup",
    "MoneyMovementGroupRecord",
    "MoneyMovementGroupsResponse",
    "MoneyMovementGroupsResponseData",
    "MoneyMovementRecord",
    "MoneyMovementsResponse",
    "MoneyMovementsResponseData",
    "MonthDetail",
    "MonthResponse",
    "MonthResponseData",
    "MonthSummary",
    "MonthsResponse",
    "MonthsResponseData",
    "Payee",
    "PayeeLocation",
    "PayeeLocationResponse",
    "PayeeLocationResponseData",
    "PayeeLocationsResponse",
    "PayeeLocationsResponseData",
    "PayeeResponse",
    "PayeeResponseData",
    "PayeesResponse",
    "PayeesResponseData",
    "Response",
    "ScheduledSubTransaction",
    "ScheduledTransactionDetail",
    "ScheduledTransactionResponse",
    "ScheduledTransactionResponseData",
    "ScheduledTransactionSummary",
    "ScheduledTransactionsResponse",
    "ScheduledTransactionsResponseData",
    "Settings",
    "SettingsResponse",
    "SettingsResponseData",
    "SubTransaction",
    "TransactionDetail",
    "TransactionResponse",
    "TransactionResponseData",
    "TransactionSummary",
    "TransactionsResponse",
    "TransactionsResponseData",
    "UserResponse",
    "UserResponseData",
]


def __getattr__(name: str) -> Any:
    """The models, made when the first is asked for: frames need none, and it takes a while."""
    if name in __all__:
        for place in (".records", ".responses"):
            made = vars(import_module(place, __name__))
            globals().update((each, made[each]) for each in __all__ if each in made)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

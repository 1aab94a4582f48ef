"""Pydantic models of the answers of the service.

Models ignore unknown fields, so that they also accept answers with fields that the service adds
later. For the same reason small vocabularies, such as account types and flag colours, are plain
strings. Amounts are floats in currency units: `ServiceClient` converts them before it builds
models.

A field that may be null may also be missing. As in the frames, an amount that is null or missing is
NaN, and a transaction whose ``subtransactions`` are null or missing has none; a part has the key of
the transaction that it is nested in. ``goal_target_date`` has the value of ``goal_target_month`` if
it has none of its own, and a fraction in ``goal_percentage_complete`` is rounded down. ``deleted``
and ``account_name`` may be missing too. All other fields are required.

One damaged row leaves the others: the methods of `BudgetFrame` have None in place of a value of
another type, or NaN, False or an empty text where the field requires a value, and one warning names
the first row. The same holds for a required field that a row of a list lacks.

``<Name>ResponseData`` is the data object of an answer, ``<Name>Response`` is its envelope.
``dir(budgetframe.models)`` lists the models.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from budgetframe._runtime.text import names_for_dir as _names_for_dir

if TYPE_CHECKING:
    # At run time `__getattr__` imports these modules.
    from .records import *
    from .responses import *

__all__ = [
    "Account", "AccountResponse", "AccountResponseData", "AccountsResponse", "AccountsResponseData",
    "BatchTransactionResponse", "BatchTransactionResponseData", "BudgetDetail", "BudgetResponse",
    "BudgetResponseData", "BudgetSummary", "BudgetsResponse", "BudgetsResponseData",
    "CategoriesResponse", "CategoriesResponseData", "Category", "CategoryGroup",
    "CategoryGroupResponse", "CategoryGroupResponseData", "CategoryGroupWithCategories",
    "CategoryResponse", "CategoryResponseData", "CurrencyFormat", "DateFormat", "ErrorDetail",
    "ErrorResponse", "MoneyMovement", "MoneyMovementGroup", "MoneyMovementGroupRecord",
    "MoneyMovementGroupsResponse", "MoneyMovementGroupsResponseData", "MoneyMovementRecord",
    "MoneyMovementsResponse", "MoneyMovementsResponseData", "MonthDetail", "MonthResponse",
    "MonthResponseData", "MonthSummary", "MonthsResponse", "MonthsResponseData", "Payee",
    "PayeeLocation", "PayeeLocationResponse", "PayeeLocationResponseData", "PayeeLocationsResponse",
    "PayeeLocationsResponseData", "PayeeResponse", "PayeeResponseData", "PayeesResponse",
    "PayeesResponseData", "Response", "ScheduledSubTransaction", "ScheduledTransactionDetail",
    "ScheduledTransactionResponse", "ScheduledTransactionResponseData",
    "ScheduledTransactionSummary", "ScheduledTransactionsResponse",
    "ScheduledTransactionsResponseData", "Settings", "SettingsResponse", "SettingsResponseData",
    "SubTransaction", "TransactionDetail", "TransactionResponse", "TransactionResponseData",
    "TransactionSummary", "TransactionsResponse", "TransactionsResponseData", "UserResponse",
    "UserResponseData",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Build all models on first access: building them is slow, and frames do not need them."""
    if name in __all__:
        for module_name in (".records", ".responses"):
            module = vars(import_module(module_name, __name__))
            globals().update((key, module[key]) for key in __all__ if key in module)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return _names_for_dir(__all__)

"""The resources of the service: their paths and keys, and which answers a write makes outdated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from math import floor, isfinite
from typing import Any, NamedTuple, TypeVar, cast
from uuid import UUID

_T = TypeVar("_T")

BASE_URL = "https://api.ynab.com/v1"
"""The address of the published service."""

EXPORT = "export"
"""Name of the whole-budget export in cache keys: its path has no third segment."""

BUDGET_ALIASES = frozenset({"default", "last-used"})
"""Words that the service accepts as a budget id; their meaning can change between requests."""

BATCH_ROWS = 50
"""Transactions that one request creates: the service refuses much larger requests."""

COUNTED = ("cleared", "reconciled")
"""The states of the transactions that count in the cleared balance of an account."""

TRANSFER_PREFIX = "Transfer : "
"""The beginning of the names of payees that mean a transfer."""

STARTING_BALANCE = "Starting Balance"
"""The payee of the first transaction of an account."""

OWN_PAYEES = frozenset(
    {STARTING_BALANCE, "Manual Balance Adjustment", "Reconciliation Balance Adjustment"}
)
"""The payees that the service itself gives to rows: it refuses new rows with them."""

BALANCE_ADJUSTMENT = "Balance Adjustment"
"""The payee of a row that this package adds so that a balance is correct."""

# The groups and categories that the service itself creates, by their names.
CARD_GROUP, HIDDEN_GROUP = "Credit Card Payments", "Hidden Categories"
INTERNAL_GROUP = "Internal Master Category"
UNCATEGORIZED = "Uncategorized"
NAME_OF_SPLIT = "Split"
"""What rows of splits have instead of the name of a category."""
_UNCATEGORIZED_NAMES = frozenset({"uncategorized", "none"})  # the second one is of 2018
_INCOME_NAMES = frozenset({
    "inflow: ready to assign",
    # These are older.
    "inflow: to be budgeted", "to be budgeted", "inflows", "immediate income subcategory",
    "deferred income subcategory",
})  # fmt: skip


def is_uncategorized(group: object, name: object) -> bool:
    """Whether a category of the service means that a row has none."""
    # The field ``internal`` is no mark of the group: groups that a plan template has made have it.
    return group == INTERNAL_GROUP and _plain(name) in _UNCATEGORIZED_NAMES


def is_income(group: object, name: object) -> bool:
    """Whether a category is one of income, which every other category of the internal group is."""
    return group == INTERNAL_GROUP and not is_uncategorized(group, name)


def is_known_internal(name: object) -> bool:
    """Whether the service is known to name a category of the internal group like this."""
    return _plain(name) in _INCOME_NAMES | _UNCATEGORIZED_NAMES


def _plain(name: object) -> str:
    return name.strip().casefold() if isinstance(name, str) else ""


class Resource(NamedTuple):
    """One resource of the service."""

    name: str  # in cache keys: the third segment of a path under ``/budgets/{budget_id}``
    path: str  # template of the path of the list
    data_key: str | None = None
    """Key of the list, or of the single object, in the answer's data object."""
    item_key: str | None = None  # key of a single object in the answer's data object
    row_key: str | None = "id"  # field that identifies the rows of the list; None if no field does
    delta: bool = False
    """Whether the service can send the changes of the list since a server knowledge."""
    drops: tuple[str, ...] = ()
    """Other resources whose cached answers a write makes outdated: they are not shown any more."""
    is_in_deltas: bool = False
    """Whether the next deltas contain everything that a write to this resource changes. If so, the
    next read of an outdated list is a delta; otherwise it is a full read. After a new name the
    deltas may lack the rows of other lists that carry the name."""
    of_current_month: bool = False
    """Whether the amounts are those of the current month (UTC), and outdated when it ends."""
    amounts: tuple[str, ...] = ()  # fields with an amount that every row has
    record_amounts: tuple[str, ...] | None = None
    """The same for rows with a key, if there are rows with and without one."""

    @property
    def item_path(self) -> str:
        """Template of the path of a single object."""
        return f"{self.path}/{{id}}"


_BUDGET = "/budgets/{budget_id}"

CATEGORY_IN_MONTH = f"{_BUDGET}/months/{{month}}/categories/{{id}}"
"""Template of the path of a category with the amounts of one month: it counts as months."""

IMPORT = f"{_BUDGET}/transactions/import"
"""Template of the path that imports the transactions of linked accounts."""

_MOVEMENTS = ("money_movements", "money_movement_groups")

_TABLE = (
    Resource("user", "/user", "user"),
    Resource("budgets", "/budgets", "budgets"),
    Resource(EXPORT, _BUDGET, "budget", of_current_month=True),
    Resource("settings", f"{_BUDGET}/settings", "settings"),
    Resource("accounts", f"{_BUDGET}/accounts", "accounts", "account", delta=True,
        # A new card has a category for its payments.
        drops=("payees", "transactions", "categories", "months", *_MOVEMENTS),
        amounts=("balance", "cleared_balance", "uncleared_balance")),
    Resource("transactions", f"{_BUDGET}/transactions", "transactions", "transaction", delta=True,
        drops=("accounts", "categories", "months", "payees", "scheduled_transactions", *_MOVEMENTS),
        is_in_deltas=True, amounts=("amount",)),
    Resource("categories", f"{_BUDGET}/categories", "category_groups", "category", delta=True,
        drops=("months", "transactions", "scheduled_transactions", *_MOVEMENTS),
        of_current_month=True, amounts=("budgeted", "activity", "balance")),
    # These are only written: the list of categories contains the groups.
    Resource("category_groups", f"{_BUDGET}/category_groups", None, "category_group",
        drops=("categories", "months", "transactions", "scheduled_transactions", *_MOVEMENTS)),
    Resource("payees", f"{_BUDGET}/payees", "payees", "payee", delta=True,
        drops=("transactions", "scheduled_transactions", "payee_locations")),
    Resource("payee_locations", f"{_BUDGET}/payee_locations", "payee_locations", "payee_location"),
    Resource("months", f"{_BUDGET}/months", "months", "month", row_key="month", delta=True,
        drops=("categories", *_MOVEMENTS), is_in_deltas=True,
        amounts=("income", "budgeted", "activity", "to_be_budgeted")),
    Resource("money_movements", f"{_BUDGET}/money_movements", "money_movements", delta=True,
        amounts=("allocation", "spent", "income"), record_amounts=("amount",)),
    Resource("money_movement_groups", f"{_BUDGET}/money_movement_groups", "money_movement_groups",
        delta=True, amounts=("allocation", "spent", "income"), record_amounts=()),
    Resource("scheduled_transactions", f"{_BUDGET}/scheduled_transactions",
        "scheduled_transactions", "scheduled_transaction", delta=True, drops=("payees",),
        is_in_deltas=True, amounts=("amount",)),
)  # fmt: skip

RESOURCES = {resource.name: resource for resource in _TABLE}
"""Every resource by its name."""

ROW_KEYS = {
    resource.data_key: resource.row_key
    for resource in _TABLE
    if resource.data_key is not None and resource.row_key is not None
}
"""The field that identifies rows, by the key of their list; other lists use ``id``."""

AMOUNTS = {
    **{name: row.amounts for row in _TABLE for name in (row.name, row.item_key) if name},
    "subtransactions": ("amount",),
    "scheduled_subtransactions": ("amount",),
}
"""The fields with an amount that every row has, by the key of the list or of the single object."""

RECORD_AMOUNTS = {row.name: row.record_amounts for row in _TABLE if row.record_amounts is not None}
"""The same for rows with a key, in lists that have rows with and without one."""


def linked(name: str) -> tuple[str, ...]:
    """Return the resources that are outdated after a write to this one; this one comes first."""
    resource = RESOURCES.get(name)
    return (name, *(resource.drops if resource else ()))


WRITABLE_FREQUENCIES = ("never", "daily", "weekly", "monthly", "yearly")
"""The frequencies that the service accepts in writes; schedules with others can only be deleted."""


def copy_json(value: _T) -> _T:
    """Return a deep copy of a parsed JSON document, which the receiver may change."""
    document: Any = value
    if type(document) is dict:
        document = {field: copy_json(child) for field, child in document.items()}
    elif type(document) is list:
        document = [copy_json(child) for child in document]
    return cast("_T", document)


_KEY = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def is_key(text: str) -> bool:
    """Whether a text has the form of a key, which is that of a UUID."""
    return _KEY.fullmatch(text) is not None


def key_text(given: object) -> object:
    """A key as the service writes it, from a UUID or a text in capitals; anything else as it is."""
    if isinstance(given, UUID):
        return str(given)
    return given.lower() if isinstance(given, str) and is_key(given) else given


def current_month(now: date) -> str:
    """The first day of the month of a day or a time, as the service writes it."""
    return f"{now:%Y-%m}-01"


def is_deleted(row: Any) -> bool:
    """Whether a row is marked as deleted."""
    return isinstance(row, dict) and row.get("deleted") is True


def undeleted(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows that are not marked as deleted."""
    return [row for row in rows if row.get("deleted") is not True]


def whole_per_cent(value: Any) -> Any:
    """Round a fraction of a per cent down: 100 % then always means that nothing is left."""
    return floor(value) if isinstance(value, float) and isfinite(value) else value

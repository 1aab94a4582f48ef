"""The resources of the service, one row each: the table that everything else reads.

The client takes from it what may be read as a delta and what a write makes stale, the cache how
the rows of a list are told apart, the facade the paths and the keys of the answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar, cast
from urllib.parse import quote

from .errors import ToolError

__all__ = [
    "BUDGET_ALIASES",
    "EXPORT",
    "RESOURCES",
    "ROW_KEYS",
    "Resource",
    "copy_json",
    "is_deleted",
    "linked",
    "path_of",
]

_T = TypeVar("_T")

EXPORT = "export"
"""The whole-budget export, as it is called in keys: its path has no third segment to name it."""

BUDGET_ALIASES = frozenset({"default", "last-used"})
"""Words the service takes for a budget id: what they stand for can change between two requests."""


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of the service.

    Parameters
    ----------
    name : str
        Its name in cache keys: the third segment of a path under ``/budgets/{budget_id}``.
    path : str
        Template of the list's path.
    data_key : str or None
        Key of the list, or of the one object, in the answer's data object.
    item_path, item_key : str or None
        The same for a single one of them.
    row_key : str or None
        Field that tells the rows of the list apart; None where nothing does.
    delta : bool
        Whether the list can be asked for what changed since a server knowledge.
    drops : tuple of str
        Resources whose cached answers a write to this one makes stale, besides its own.
    of_current_month : bool
        Whether the amounts are those of the current month (UTC), so that they age with it.
    """

    name: str
    path: str
    data_key: str | None = None
    item_path: str | None = None
    item_key: str | None = None
    row_key: str | None = "id"
    delta: bool = False
    drops: tuple[str, ...] = ()
    of_current_month: bool = False


_BUDGET = "/budgets/{budget_id}"

_TABLE = (
    Resource("user", "/user", "user"),
    Resource("budgets", "/budgets", "budgets"),
    Resource(EXPORT, _BUDGET, "budget", of_current_month=True),
    Resource("settings", f"{_BUDGET}/settings", "settings"),
    Resource(
        "accounts",
        f"{_BUDGET}/accounts",
        "accounts",
        item_path=f"{_BUDGET}/accounts/{{id}}",
        item_key="account",
        delta=True,
        drops=("payees", "transactions", "categories", "months"),
    ),
    Resource(
        "transactions",
        f"{_BUDGET}/transactions",
        "transactions",
        item_path=f"{_BUDGET}/transactions/{{id}}",
        item_key="transaction",
        delta=True,
        drops=(
            "accounts",
            "categories",
            "months",
            "payees",
            "scheduled_transactions",
            "money_movements",
            "money_movement_groups",
        ),
    ),
    Resource(
        "categories",
        f"{_BUDGET}/categories",
        "category_groups",
        item_path=f"{_BUDGET}/categories/{{id}}",
        item_key="category",
        delta=True,
        drops=(
            "months",
            "transactions",
            "scheduled_transactions",
            "money_movements",
            "money_movement_groups",
        ),
        of_current_month=True,
    ),
    Resource(
        "category_groups",  # written, never read: the list of categories comes in its groups
        f"{_BUDGET}/category_groups",
        item_path=f"{_BUDGET}/category_groups/{{id}}",
        item_key="category_group",
        drops=(
            "categories",
            "months",
            "transactions",
            "scheduled_transactions",
            "money_movements",
            "money_movement_groups",
        ),
    ),
    Resource(
        "payees",
        f"{_BUDGET}/payees",
        "payees",
        item_path=f"{_BUDGET}/payees/{{id}}",
        item_key="payee",
        delta=True,
        drops=("transactions", "scheduled_transactions", "payee_locations"),
    ),
    Resource(
        "payee_locations",
        f"{_BUDGET}/payee_locations",
        "payee_locations",
        item_path=f"{_BUDGET}/payee_locations/{{id}}",
        item_key="payee_location",
    ),
    Resource(
        "months",
        f"{_BUDGET}/months",
        "months",
        item_path=f"{_BUDGET}/months/{{id}}",
        item_key="month",
        row_key="month",
        delta=True,
        drops=("categories", "money_movements", "money_movement_groups"),
    ),
    Resource("money_movements", f"{_BUDGET}/money_movements", "money_movements", delta=True),
    Resource(
        "money_movement_groups",
        f"{_BUDGET}/money_movement_groups",
        "money_movement_groups",
        delta=True,
    ),
    Resource(
        "scheduled_transactions",
        f"{_BUDGET}/scheduled_transactions",
        "scheduled_transactions",
        item_path=f"{_BUDGET}/scheduled_transactions/{{id}}",
        item_key="scheduled_transaction",
        delta=True,
        drops=("payees",),
    ),
)

RESOURCES = {resource.name: resource for resource in _TABLE}
"""Every resource by its name."""

ROW_KEYS = {
    resource.data_key: resource.row_key
    for resource in _TABLE
    if resource.data_key is not None and resource.row_key is not None
}
"""The field that tells rows apart, by the key of their list; lists not named here use ``id``."""


def linked(name: str) -> tuple[str, ...]:
    """Names of the resources a write to this one makes stale, its own first.

    Examples
    --------
    >>> linked("scheduled_transactions")
    ('scheduled_transactions', 'payees')
    >>> linked("something_new")
    ('something_new',)
    """
    resource = RESOURCES.get(name)
    return (name, *(resource.drops if resource else ()))


def path_of(template: str, **ids: str) -> str:
    """Fill ids into a path template so that none of them can change which endpoint is called.

    Raises
    ------
    ToolError
        For an id that is empty or a dot segment, which no quoting can make harmless.

    Examples
    --------
    >>> path_of("/budgets/{budget_id}/accounts/{id}", budget_id="b1", id="../user?x#y")
    '/budgets/b1/accounts/..%2Fuser%3Fx%23y'
    """
    quoted = {}
    for name, value in ids.items():
        try:
            quoted[name] = quote(value, safe="") if isinstance(value, str) else ""
        except UnicodeEncodeError:
            quoted[name] = ""
        if not quoted[name] or not value.strip(". "):
            message = f"{name} is {value!r}: give the id that the service's own answers show"
            raise ToolError(message)
    return template.format(**quoted)


def copy_json(value: _T) -> _T:
    """Copy a parsed JSON document, so that its receiver may do with it what it likes."""
    document: Any = value
    if type(document) is dict:
        document = {field: copy_json(child) for field, child in document.items()}
    elif type(document) is list:
        document = [copy_json(child) for child in document]
    return cast("_T", document)


def is_deleted(row: Any) -> bool:
    """Whether a row is marked as deleted."""
    return isinstance(row, dict) and row.get("deleted") is True

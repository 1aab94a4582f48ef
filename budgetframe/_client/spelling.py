"""The two spellings of the paths under a budget: a service can know only one of them."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from weakref import WeakKeyDictionary

import httpx

from budgetframe._resources import BUDGET_ALIASES
from budgetframe.errors import ServiceAPIError

from .target import Target

FIRST = "budgets"
SECOND = "plans"
_KEYS = {"plans": "budgets", "default_plan": "default_budget", "plan": "budget"}
"""The keys of answers that differ, by those of the second spelling."""
_NO_SUCH_RESOURCE = "404.2"

_known: WeakKeyDictionary[httpx.AsyncClient, str] = WeakKeyDictionary()
"""The spelling that the service of an HTTP client knows: such a client has one address."""


def is_known(http: httpx.AsyncClient) -> bool:
    """Whether it is known which spelling the service of an HTTP client knows."""
    return http in _known


def remember(http: httpx.AsyncClient, spelling: str) -> None:
    """Use a spelling for all later requests of an HTTP client."""
    _known[http] = spelling


def path_as(http: httpx.AsyncClient, path: str, spelling: str | None = None) -> str:
    """The path in a spelling, by default in the one that is known; other paths stay as they are."""
    root, slash, rest = path.removeprefix("/").partition("/")
    if root != FIRST:
        return path
    return f"/{spelling or _known.get(http, FIRST)}{slash}{rest}"


def may_be_unknown(error: ServiceAPIError, target: Target) -> bool:
    """Whether an error can mean that the service does not know the first spelling.

    The id 404.2 means that the service knows the path and not the object. Only the list of budgets
    always exists, and the budget that an alias stands for nearly always.
    """
    return error.status_code == HTTPStatus.NOT_FOUND and (
        not is_no_such_resource(error)
        or target.budget_id is None
        or target.budget_id in BUDGET_ALIASES
    )


def is_no_such_resource(error: ServiceAPIError) -> bool:
    """Whether the service knows the path, and says that the object does not exist."""
    return error.error_id == _NO_SUCH_RESOURCE


def with_first_keys(data: dict[str, Any]) -> dict[str, Any]:
    """The data object with the keys of the first spelling."""
    return {_KEYS.get(key, key): value for key, value in data.items()}

"""Which budget is meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from budgetframe._client.responses import invalid_response
from budgetframe.errors import ToolError

__all__ = ["Budget", "choose", "identified"]


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget that a session reads."""

    id: str
    name: str
    currency_format: Mapping[str, Any] | None = None
    """How it writes amounts, in the service's own words."""


def identified(budget: Any) -> Budget:
    """The budget of a row that the service has sent.

    Raises
    ------
    ServiceAPIError
        When it has no id or no name.
    """
    try:
        return Budget(budget["id"], budget["name"], budget.get("currency_format"))
    except (AttributeError, KeyError, TypeError):
        raise invalid_response(200, "no budget with an id and a name in it") from None


def choose(wanted: str | None, there: list[Budget], default: Any) -> Budget:
    """The one that is wanted, or the only one, or the service's default.

    Raises
    ------
    ToolError
        When the name fits none or several, or there is none and several could be meant.
    """
    if wanted is not None:
        return _named(wanted, there)
    if len(there) == 1:
        return there[0]
    if default is not None:
        return identified(default)
    raise ToolError(f"which budget? Pass budget= one of {_listed(there)}")


def _named(wanted: str, there: list[Budget]) -> Budget:
    folded = wanted.strip().casefold()
    candidates = (
        [budget for budget in there if budget.id.lower() == folded],
        [budget for budget in there if budget.name == wanted],
        [budget for budget in there if budget.name.strip().casefold() == folded],
    )
    found = next(filter(None, candidates), [])
    if len(found) > 1:
        ids = ", ".join(budget.id for budget in found)
        raise ToolError(f"{len(found)} budgets are called {wanted!r}; pass an id: {ids}")
    if not found:
        raise ToolError(f"no budget {wanted!r}; there are {_listed(there)}")
    return found[0]


def _listed(budgets: list[Budget]) -> str:
    return ", ".join(repr(budget.name) for budget in budgets) or "none at all"

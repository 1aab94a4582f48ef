"""The choice of the budget that a session reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from budgetframe._client.responses import invalid_response, is_no_such_resource
from budgetframe._resources import key_text
from budgetframe.errors import ServiceAPIError, ToolError

_NO_BUDGET = (
    "the token works, but it gives access to no budget: create a budget in the app of the service,"
    " or use the token of the person whose budget it is, and try again"
)


class Budget(NamedTuple):
    """The budget that a session reads."""

    id: str
    name: str
    currency_format: Mapping[str, Any] | None = None
    """The format of its amounts, with the service's keys."""


def budget_from(row: Any) -> Budget:
    """Return the budget of a row that the service has sent.

    A missing name becomes an empty text; a missing id is a `ServiceAPIError`.
    """
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        raise invalid_response(200, "has no budget with an id")
    name, form = row.get("name"), row.get("currency_format")
    return Budget(
        row["id"], name if isinstance(name, str) else "", form if isinstance(form, dict) else None
    )


def no_budget(error: ServiceAPIError) -> ServiceAPIError:
    """The error of a list of budgets; the service has no such list for a user without a budget."""
    if not is_no_such_resource(error):
        return error
    return ServiceAPIError(error.status_code, error.error_id, error.name, _NO_BUDGET)


def choose(name: str | None, budgets: list[Budget], default: Any) -> Budget:
    """Return the budget with this name or id; without a name, the only one or the default.

    Upper and lower case count only if two names differ in nothing else. `default` is the row of the
    service's default budget, or None. It is a `ToolError` if there is no budget, if none or several
    have the name, or if a name is necessary.
    """
    if not budgets:
        raise ToolError(_NO_BUDGET)
    names = ", ".join(repr(budget.name) for budget in budgets)
    if name is None:
        if len(budgets) == 1:
            return budgets[0]
        if default is not None:
            return budget_from(default)
        how = "with budget= or with the option --budget of a command"
        raise ToolError(f"name one budget, {how}: the token gives access to {names}")
    text = key_text(name)
    if not isinstance(text, str):
        raise ToolError(f"budget={name!r} is not a text: give a name or an id")
    folded = text.strip().casefold()
    candidates = (
        [budget for budget in budgets if budget.id.lower() == folded],
        [budget for budget in budgets if budget.name == name],
        [budget for budget in budgets if budget.name.strip().casefold() == folded],
    )
    found = next(filter(None, candidates), [])
    if len(found) > 1:
        ids = ", ".join(budget.id for budget in found)
        raise ToolError(f"{len(found)} budgets have the name {name!r}; pass one of the ids {ids}")
    if not found:
        raise ToolError(f"no budget {name!r}: the token gives access to {names}")
    return found[0]

"""The choice of the budget that a session reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from budgetframe._client.responses import invalid_response, is_no_such_resource
from budgetframe._resources import key_text
from budgetframe.errors import ServiceAPIError, ToolError
from budgetframe.frames.tables import TABLES

LAST_USED = "last-used"  # the budget that was used last, whose name only the service knows
_NO_BUDGET = (
    "the token works, but it gives access to no budget: create a budget in the app of the service,"
    " or use the token of the person whose budget it is, and try again"
)


class Budget(NamedTuple):
    """The budget that a session reads."""

    id: str
    name: str
    currency_format: Mapping[str, Any] | None = None  # of its amounts, with the service's keys


def budget_from(row: Any) -> Budget:
    """Return the budget of a row of an answer; without an id, it is an error."""
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        raise invalid_response(200, "has no budget with an id")
    name, form = row.get("name"), row.get("currency_format")
    return Budget(
        row["id"], name if isinstance(name, str) else "", form if isinstance(form, dict) else None
    )


def no_budget(error: ServiceAPIError) -> ServiceAPIError:
    """The error of a request for budgets; the service has no list of them if there is none."""
    if not is_no_such_resource(error):
        return error
    return ServiceAPIError(error.status_code, error.error_id, error.name, _NO_BUDGET)


def budget_in(data: Mapping[str, Any], name: str | None) -> Budget:
    """Return the budget with a name or id, from the list of budgets or the last used budget."""
    if name == LAST_USED:
        return budget_from(data.get("budget"))
    TABLES["budgets"].build(data)  # raises if a row is no object
    rows = data["budgets"]
    usable = {row["id"]: row for row in rows if isinstance(row.get("id"), str)}
    budgets = list(map(budget_from, usable.values() or rows))
    return choose(name, budgets, data.get("default_budget"))


def choose(name: str | None, budgets: list[Budget], default: Any) -> Budget:
    """Return the budget with this name or id; without a name, the only one or the default."""
    # Upper and lower case count only if two names differ in nothing else. `default` is the row of
    # the service's default budget, if it has one. It is a `ToolError` if no budget or several have
    # the name, and if there are several and neither a name nor a default.
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

"""What writes of groups, categories and assigned amounts do and answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from budgetframe.sandbox.errors import ApiError, bad_request
from budgetframe.sandbox.state.goals import aim

from . import validation as _fields

if TYPE_CHECKING:
    from budgetframe.sandbox.state.rows import Category, Group

    from .request import BudgetRequest

Json = dict[str, Any]

_MONTHS_AHEAD = 120


# -- groups ------------------------------------------------------------------------------------


def create_group(call: BudgetRequest) -> Json:
    """Create a category group."""
    raw = call.wrapped("category_group")
    fields = _fields.read(call.budget, raw, _fields.GROUP, ("name",))
    return _group(call, call.entries.add_group(fields["name"]))


def update_group(call: BudgetRequest) -> Json:
    """Rename a category group."""
    row = call.find(call.budget.groups, "category_group_id")
    if row.internal:
        raise bad_request("an internal category group cannot be changed")
    raw = call.wrapped("category_group")
    fields = _fields.read(call.budget, raw, _fields.GROUP, ("name",))
    call.entries.edit_group(row, **fields)
    return _group(call, row)


def _group(call: BudgetRequest, row: Group) -> Json:
    return {"category_group": call.serializer.group(row), "server_knowledge": call.budget.knowledge}


# -- categories --------------------------------------------------------------------------------


def create_category(call: BudgetRequest) -> Json:
    """Create a category, with a goal if a target is stated."""
    raw = call.wrapped("category")
    fields = _fields.read(call.budget, raw, _fields.CATEGORY, ("name", "category_group_id"))
    goal = aim(fields, None, is_payment=False, month=call.budget.current_month)
    row = call.entries.add_category(
        fields["name"], fields["category_group_id"], note=fields.get("note"), goal=goal
    )
    return _category(call, row, call.budget.current_month)


def update_category(call: BudgetRequest) -> Json:
    """Update a category; what is not stated stays."""
    row = call.find(call.budget.categories, "category_id")
    if row.internal:
        raise bad_request("an internal category cannot be changed")
    fields = _fields.read(call.budget, call.wrapped("category"), _fields.CATEGORY)
    is_payment = row.payment_account_id is not None
    if is_payment and fields.keys() & {"name", "category_group_id"}:
        raise bad_request("a Credit Card Payment category is named and placed by its account")
    changes: Json = {name: fields[name] for name in ("name", "note") if name in fields}
    if "category_group_id" in fields:
        changes["group_id"] = fields["category_group_id"]
    changes["goal"] = aim(fields, row.goal, is_payment=is_payment, month=call.budget.current_month)
    if any(getattr(row, name) != value for name, value in changes.items()):
        call.entries.edit_category(row, **changes)
    return _category(call, row, call.budget.current_month)


def assign(call: BudgetRequest) -> Json:
    """Assign to a category in a month; a month to come is made."""
    number = call.month_number
    if number > call.budget.current_month + _MONTHS_AHEAD or number < call.budget.first_month:
        raise ApiError("404.2")
    row = call.find(call.budget.categories, "category_id")
    if row.internal:
        raise bad_request("nothing can be assigned to an internal category")
    raw = call.wrapped("category")
    fields = _fields.read(call.budget, raw, _fields.MONTH_CATEGORY, ("budgeted",))
    call.entries.assign(row, number, fields["budgeted"])
    return _category(call, row, number)


def _category(call: BudgetRequest, row: Category, month: int) -> Json:
    return {
        "category": call.serializer.category(row, month),
        "server_knowledge": call.budget.knowledge,
    }

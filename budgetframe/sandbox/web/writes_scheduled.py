"""What writes of scheduled transactions do and answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import validation as _fields
from .writes import with_payee

if TYPE_CHECKING:
    from budgetframe.sandbox.state.rows import Scheduled

    from .request import BudgetRequest

Json = dict[str, Any]


def create(call: BudgetRequest) -> Json:
    """Create a scheduled transaction."""
    raw = call.wrapped("scheduled_transaction")
    fields = _fields.read(call.budget, raw, _fields.SCHEDULED, ("account_id", "date"))
    with call.entries.one_write():
        row = call.entries.add_scheduled(**with_payee(call.entries, fields))
    return _one(call, row)


def update(call: BudgetRequest) -> Json:
    """Update a scheduled transaction; what is not stated stays."""
    row = call.find(call.budget.scheduled, "scheduled_transaction_id")
    known = _fields.SCHEDULED_SPLIT if row.parts else _fields.SCHEDULED
    fields = _fields.read(call.budget, call.wrapped("scheduled_transaction"), known)
    with call.entries.one_write():
        call.entries.edit_scheduled(row, **with_payee(call.entries, fields))
    return _one(call, row)


def delete(call: BudgetRequest) -> Json:
    """Delete a scheduled transaction."""
    row = call.find(call.budget.scheduled, "scheduled_transaction_id")
    call.entries.delete_scheduled(row)
    return _one(call, row)


def _one(call: BudgetRequest, row: Scheduled) -> Json:
    return {"scheduled_transaction": call.serializer.scheduled(row)}

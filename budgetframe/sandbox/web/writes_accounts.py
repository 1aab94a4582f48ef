"""What writes of accounts and payees do and answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from budgetframe.sandbox.errors import bad_request

from . import validation as _fields

if TYPE_CHECKING:
    from budgetframe.sandbox.state.rows import Payee

    from .request import BudgetRequest

Json = dict[str, Any]


def create_account(call: BudgetRequest) -> Json:
    """Create an account with its transfer payee and its starting balance."""
    names = ("name", "type", "balance")
    fields = _fields.read(call.budget, call.wrapped("account"), _fields.ACCOUNT, names)
    row = call.entries.open_account(fields["name"], fields["type"], fields["balance"])
    return {"account": call.serializer.account(row)}


def create_payee(call: BudgetRequest) -> Json:
    """Create a payee, even if another one has the same name."""
    fields = _fields.read(call.budget, call.wrapped("payee"), _fields.PAYEE, ("name",))
    return _payee(call, call.entries.add_payee(fields["name"]))


def update_payee(call: BudgetRequest) -> Json:
    """Rename a payee."""
    row = call.find(call.budget.payees, "payee_id")
    if row.transfer_account_id is not None:
        raise bad_request("a transfer payee is named by its account")
    fields = _fields.read(call.budget, call.wrapped("payee"), _fields.PAYEE)
    if fields:
        call.entries.rename_payee(row, fields["name"])
    return _payee(call, row)


def _payee(call: BudgetRequest, row: Payee) -> Json:
    return {"payee": call.serializer.payee(row), "server_knowledge": call.budget.knowledge}

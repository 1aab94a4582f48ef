"""Edits of a second device: they need no request and use no limit."""

import pytest

from budgetframe.sandbox import Sandbox
from tests.sandbox.audit import check_books


def test_an_edit_block_is_one_write(sandbox: Sandbox) -> None:
    before = sandbox.device.state().knowledge
    with sandbox.device.edit() as editor:
        account = editor.accounts.open("Travel", "creditCard", -50_000)
        editor.accounts.rename(account, "Travel card")
        payee = editor.payees.get_or_add("Island Ferries")
        editor.payees.rename(payee, "Ferries")
    assert sandbox.device.state().knowledge == before + 1
    assert {account.stamp, payee.stamp} == {before + 1}
    assert sandbox.requests_served == 0
    check_books(sandbox)


def test_the_books_are_settled_after_an_error_in_an_edit_block(sandbox: Sandbox) -> None:
    def open_and_fail() -> None:
        with sandbox.device.edit() as editor:
            editor.accounts.open("Travel", "checking", 50_000)
            raise LookupError("after the first change")

    with pytest.raises(LookupError, match="after the first change"):
        open_and_fail()
    check_books(sandbox)


def test_a_budget_is_selected_by_id_or_name(shared: Sandbox) -> None:
    first, second = (editor.budget for editor in shared.budgets)
    device = shared.device
    assert device.state() is device.state(first.id) is device.state("Household") is first
    assert device.state(second.id) is device.state("東京の家計") is second
    with pytest.raises(LookupError, match=r"^no budget has the id or name 'Haus'$"):
        device.state("Haus")


def test_an_unknown_id_is_an_error_and_not_a_write(shared: Sandbox) -> None:
    before = shared.device.state().knowledge
    with pytest.raises(LookupError, match=r"^no row has the id 'nobody', or the row is deleted$"):
        shared.device.rename_payee("nobody", "Ferries")
    assert shared.device.state().knowledge == before


def test_an_unknown_field_is_an_error(shared: Sandbox) -> None:
    device = shared.device
    key = next(iter(device.state().transactions.live())).id
    with pytest.raises(TypeError, match=r"unknown fields \['colour'\]; a transaction has account"):
        device.edit_transaction(key, colour="red")
    key = next(iter(device.state().scheduled.live())).id
    with pytest.raises(
        TypeError, match=r"unknown fields \['colour'\]; a scheduled transaction has account_id"
    ):
        device.edit_scheduled(key, colour="red")


def test_internal_categories_cannot_be_assigned_or_deleted(shared: Sandbox) -> None:
    editor = shared.budgets[0]
    before, categories = editor.budget.knowledge, list(editor.budget.categories.live())
    inflow = next(row for row in categories if row.id == editor.budget.inflow_id)
    groceries = next(row for row in categories if row.name == "Groceries")
    with pytest.raises(ValueError, match=r"^nothing can be assigned to Inflow: Ready to Assign$"):
        editor.categories.assign(inflow, editor.budget.current_month, 1_000)
    for category, into in ((inflow, groceries), (groceries, inflow)):
        with pytest.raises(ValueError, match="is an internal or payment category"):
            editor.categories.delete(category, into)
    assert editor.budget.knowledge == before

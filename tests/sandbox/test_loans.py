"""Loans in the embedded service: interest and escrow are in the balance, but in no row."""

from datetime import date
from typing import Any

import pytest

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import Ids, Json, add, cursor, delta, get, read
from tests.sandbox.audit import check_books


@pytest.fixture
def mortgage(sandbox: Sandbox) -> str:
    """The key of a loan of 30,000 from September 2025."""
    with sandbox.device.edit() as editor:
        loan = editor.accounts.add("Mortgage", "mortgage", debt_interest_rates={"2025-01-01": 3000})
        editor.transactions.add(
            account_id=loan.id, date=date(2025, 9, 1), amount=-30_000_000,
            payee_id=editor.payees.get_or_add("Starting Balance").id,
        )  # fmt: skip
        return loan.id


def pay(sandbox: Sandbox, loan: str, month: int, day: int = 15, **more: Any) -> str:
    """Add a payment of 539 to a loan."""
    row: Json = {"account_id": loan, "date": date(2025, month, day), "amount": 539_000}
    return sandbox.device.add_transaction(**(row | more))


def balance(sandbox: Sandbox, loan: str) -> int:
    check_books(sandbox)
    return sandbox.device.state().accounts[loan].balance


def test_the_rows_of_one_loan_record_its_interest_and_others_do_not(shared: Sandbox) -> None:
    def loan_and_rows(name: str) -> tuple[Json, list[Json]]:
        path = f"/budgets/{shared.device.state(name).id}/accounts"
        loan = next(row for row in get(shared, path)["accounts"] if row["type"] == "autoLoan")
        path = f"{path}/{loan['id']}/transactions"
        return loan, get(shared, path, since_date="1900-01-01")["transactions"]

    euro, rows = loan_and_rows("Household")
    assert sum(row["amount"] for row in rows) == euro["balance"] == -1_468_000
    kinds = {row["debt_transaction_type"] for row in rows}
    assert kinds == {"payment", "interest", "balanceAdjustment"}

    yen, rows = loan_and_rows("東京の家計")
    assert yen["balance"] == yen["cleared_balance"] == -1_278_386_000
    assert sum(row["amount"] for row in rows) == -1_132_210_000
    assert {row["debt_transaction_type"] for row in rows} == {"payment", "balanceAdjustment"}
    assert yen["debt_interest_rates"] == {"2025-01-01": 4500, "2026-01-01": 3900}
    assert yen["debt_escrow_amounts"] == {"2025-01-01": 1_920_000, "2025-07-01": 2_400_000}


def test_three_payments_of_539_at_three_per_cent(sandbox: Sandbox, mortgage: str) -> None:
    owed = [balance(sandbox, mortgage)]
    for month in (10, 11, 12):
        pay(sandbox, mortgage, month)
        owed.append(balance(sandbox, mortgage))
    assert owed == [-30_000_000, -29_536_000, -29_070_840, -28_604_520]
    row = read(sandbox, f"accounts/{mortgage}")
    assert (row["balance"], row["uncleared_balance"]) == (-28_604_520, -28_383_000)
    assert row["cleared_balance"] == -221_520


def test_edited_and_deleted_payments_change_the_interest(sandbox: Sandbox, mortgage: str) -> None:
    first, second = (pay(sandbox, mortgage, month) for month in (10, 11))
    sandbox.device.edit_transaction(first, amount=10_539_000)
    assert balance(sandbox, mortgage) == -19_045_840  # interest of 75.00 and 48.84
    sandbox.device.delete_transaction(first)
    assert balance(sandbox, mortgage) == -29_536_000
    sandbox.device.delete_transaction(second)
    assert balance(sandbox, mortgage) == -30_000_000


def test_interest_is_rounded_halves_up(sandbox: Sandbox, mortgage: str) -> None:
    pay(sandbox, mortgage, 9, 2, amount=30_073_000)
    assert balance(sandbox, mortgage) == -2_000  # 75.00 of interest
    pay(sandbox, mortgage, 10)
    assert balance(sandbox, mortgage) == 536_990  # 0.005 of interest


def test_the_books_find_wrong_interest(sandbox: Sandbox, mortgage: str) -> None:
    pay(sandbox, mortgage, 10)
    sandbox.device.state().accounts[mortgage].loan_costs += 10
    with pytest.raises(AssertionError, match="interest and escrow of Mortgage is 75010, not 75000"):
        check_books(sandbox)


def test_a_payment_sends_the_balance_in_a_delta(sandbox: Sandbox, mortgage: str, ids: Ids) -> None:
    before = cursor(sandbox)
    row = {"account_id": ids.account("Checking"), "date": "2026-06-17", "amount": -539_000}
    add(sandbox, row | {"payee_id": sandbox.device.state().accounts[mortgage].transfer_payee_id})
    changed = delta(sandbox, "accounts", before)
    assert next(row for row in changed if row["id"] == mortgage)["balance"] == -29_536_000

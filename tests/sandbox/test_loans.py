"""Loans in the embedded service: interest and escrow are in the balance, but in no row."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from budgetframe.sandbox import Sandbox, check_books
from tests.sandbox.ask import Ids, Json, get, write

YEN = "東京の家計"


def _accounts(sandbox: Sandbox, name: str) -> list[Json]:
    budget_id = sandbox.device.state(name).id
    found: list[Json] = get(sandbox, f"/budgets/{budget_id}/accounts")["accounts"]
    return found


def _loan(sandbox: Sandbox, name: str) -> Json:
    return next(row for row in _accounts(sandbox, name) if row["type"] == "autoLoan")


def _rows(sandbox: Sandbox, name: str, account_id: str) -> list[Json]:
    path = f"/budgets/{sandbox.device.state(name).id}/accounts/{account_id}/transactions"
    found: list[Json] = get(sandbox, path, since_date="1900-01-01")["transactions"]
    return found


def with_mortgage(sandbox: Sandbox, rates: dict[str, int], **more: Any) -> str:
    """Add a loan of 30,000 from September 2025; return its key."""
    with sandbox.device.edit() as editor:
        loan = editor.accounts.add("Mortgage", "mortgage", debt_interest_rates=rates, **more)
        editor.transactions.add(
            account_id=loan.id,
            date=date(2025, 9, 1),
            amount=-30_000_000,
            payee_id=editor.payees.get_or_add("Starting Balance").id,
        )
        return loan.id


def pay(sandbox: Sandbox, loan_id: str, day: date, **more: Any) -> str:
    """Add a payment of 539 to a loan."""
    return sandbox.device.add_transaction(account_id=loan_id, date=day, amount=539_000, **more)


def balance(sandbox: Sandbox, loan_id: str) -> int:
    check_books(sandbox)
    return sandbox.device.state().accounts[loan_id].balance


def test_the_rows_of_one_loan_record_its_interest_and_those_of_the_other_do_not(
    shared: Sandbox,
) -> None:
    euro, yen = _loan(shared, "Household"), _loan(shared, YEN)
    rows = _rows(shared, "Household", euro["id"])
    assert sum(row["amount"] for row in rows) == euro["balance"] == -1_468_000
    kinds = {row["debt_transaction_type"] for row in rows}
    assert kinds == {"payment", "interest", "balanceAdjustment"}

    rows = _rows(shared, YEN, yen["id"])
    assert yen["balance"] == yen["cleared_balance"] == -1_224_412_000
    assert sum(row["amount"] for row in rows) == -1_081_600_000
    assert {row["debt_transaction_type"] for row in rows} == {"payment", "balanceAdjustment"}
    assert yen["debt_interest_rates"] == {"2025-01-01": 4500, "2026-01-01": 3900}
    assert yen["debt_escrow_amounts"] == {"2025-01-01": 1_920_000, "2025-07-01": 2_400_000}


def test_three_payments_of_539_at_three_per_cent(sandbox: Sandbox) -> None:
    loan_id = with_mortgage(sandbox, {"2025-01-01": 3000})
    owed = [balance(sandbox, loan_id)]
    for month in (10, 11, 12):
        pay(sandbox, loan_id, date(2025, month, 15))
        owed.append(balance(sandbox, loan_id))
    assert owed == [-30_000_000, -29_536_000, -29_070_840, -28_604_520]
    row = next(row for row in _accounts(sandbox, "Household") if row["id"] == loan_id)
    assert (row["balance"], row["uncleared_balance"]) == (-28_604_520, -28_383_000)
    assert row["cleared_balance"] == -221_520


def test_an_edited_and_a_deleted_payment_change_the_interest(sandbox: Sandbox) -> None:
    loan_id = with_mortgage(sandbox, {"2025-01-01": 3000})
    first, second = (pay(sandbox, loan_id, date(2025, month, 15)) for month in (10, 11))
    sandbox.device.edit_transaction(first, amount=10_539_000)
    assert balance(sandbox, loan_id) == -19_045_840  # interest of 75.00 and 48.84
    sandbox.device.delete_transaction(first)
    assert balance(sandbox, loan_id) == -29_536_000
    sandbox.device.delete_transaction(second)
    assert balance(sandbox, loan_id) == -30_000_000


def test_rates_and_escrow_amounts_hold_until_the_next_ones(sandbox: Sandbox) -> None:
    loan_id = with_mortgage(
        sandbox, {"2025-11-01": 3000}, debt_escrow_amounts={"2025-10-01": 100_000, "2025-12-01": 0}
    )
    owed = []
    for month in (9, 10, 11, 12):
        pay(sandbox, loan_id, date(2025, month, 15))
        owed.append(balance(sandbox, loan_id))
    assert owed == [-29_461_000, -29_022_000, -28_655_560, -28_188_200]


def test_interest_is_rounded_halves_up(sandbox: Sandbox) -> None:
    loan_id = with_mortgage(sandbox, {"2025-01-01": 3000})
    sandbox.device.add_transaction(account_id=loan_id, date=date(2025, 9, 2), amount=30_073_000)
    assert balance(sandbox, loan_id) == -2_000  # 75.00 of interest
    pay(sandbox, loan_id, date(2025, 10, 15))
    assert balance(sandbox, loan_id) == 536_990  # 0.005 of interest


def test_a_second_payment_in_a_month_adds_no_interest(sandbox: Sandbox) -> None:
    loan_id = with_mortgage(sandbox, {"2025-01-01": 3000})
    pay(sandbox, loan_id, date(2025, 10, 15))
    pay(sandbox, loan_id, date(2025, 10, 20))
    assert balance(sandbox, loan_id) == -28_997_000


def test_rows_that_are_no_payments_add_no_interest(
    sandbox: Sandbox, subtests: pytest.Subtests
) -> None:
    for kind in ("balanceAdjustment", "refund", "credit", "fee", "charge", "interest", "escrow"):
        loan_id = with_mortgage(sandbox, {"2025-01-01": 3000})
        pay(sandbox, loan_id, date(2025, 10, 15), debt_transaction_type=kind)
        with subtests.test(kind=kind):
            assert balance(sandbox, loan_id) == -29_461_000


def test_a_month_with_recorded_interest_adds_none(sandbox: Sandbox) -> None:
    loan_id = with_mortgage(
        sandbox, {"2025-01-01": 3000}, debt_escrow_amounts={"2025-01-01": 7_000}
    )
    pay(sandbox, loan_id, date(2025, 10, 15))
    sandbox.device.add_transaction(
        account_id=loan_id,
        date=date(2025, 10, 31),
        amount=-80_000,
        debt_transaction_type="interest",
    )
    assert balance(sandbox, loan_id) == -29_548_000


def test_a_loan_that_is_paid_off_bears_no_interest(sandbox: Sandbox) -> None:
    loan_id = with_mortgage(sandbox, {"2025-01-01": 3000})
    sandbox.device.add_transaction(account_id=loan_id, date=date(2025, 9, 2), amount=30_075_000)
    pay(sandbox, loan_id, date(2025, 10, 15))
    assert balance(sandbox, loan_id) == 539_000


def test_the_books_find_wrong_interest(sandbox: Sandbox) -> None:
    loan_id = with_mortgage(sandbox, {"2025-01-01": 3000})
    pay(sandbox, loan_id, date(2025, 10, 15))
    sandbox.device.state().accounts[loan_id].loan_costs += 10
    with pytest.raises(AssertionError, match="interest and escrow of Mortgage is 75010, not 75000"):
        check_books(sandbox)


def test_a_payment_by_a_request_sends_the_new_balance_in_a_delta(
    sandbox: Sandbox, ids: Ids
) -> None:
    loan_id = with_mortgage(sandbox, {"2025-01-01": 3000})
    path = f"/budgets/{sandbox.device.state().id}"
    before = get(sandbox, f"{path}/accounts")["server_knowledge"]
    body = {
        "account_id": ids.account("Checking"),
        "date": "2026-06-17",
        "amount": -539_000,
        "payee_id": sandbox.device.state().accounts[loan_id].transfer_payee_id,
    }
    write(sandbox, "POST", f"{path}/transactions", {"transaction": body}, 201)
    changed = get(sandbox, f"{path}/accounts", last_knowledge_of_server=before)["accounts"]
    assert next(row for row in changed if row["id"] == loan_id)["balance"] == -29_536_000

"""Whatever is written, in whatever order, the books balance."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st

from budgetframe.sandbox import NewPart, Sandbox, check_books

ACCOUNTS = ("Checking", "Savings", "Wallet", "Credit Card", "Car Loan", "Index Fund")

amounts = st.integers(-300_000, 300_000)
days = st.integers(0, 1_500)
picks = st.integers(0, 10_000)
operations = st.lists(
    st.tuples(
        st.sampled_from(["add", "transfer", "split", "edit", "delete", "assign", "move"]),
        amounts,
        days,
        picks,
        picks,
    ),
    max_size=25,
)


def perform(sandbox: Sandbox, write: tuple[str, int, int, int, int]) -> None:
    operation, amount, age, one, two = write
    budget, device = sandbox.device.state(), sandbox.device
    accounts = [row for row in budget.accounts.live() if row.name in ACCOUNTS]
    categories = [row.id for row in budget.categories.live()]
    rows = [row.id for row in budget.transactions.live()]
    category_id = categories[one % len(categories)]
    if operation == "assign" and budget.categories[category_id].internal:
        category_id = categories[-1]
    account = accounts[two % len(accounts)]
    target = accounts[one % len(accounts)]
    row: dict[str, Any] = {
        "account_id": account.id,
        "date": date(2026, 6, 17) - timedelta(days=age),
        "amount": amount,
        "cleared": ("cleared", "uncleared", "reconciled")[one % 3],
    }
    if operation == "add":
        device.add_transaction(**row, category_id=category_id, payee_name=f"Payee {one % 5}")
    elif operation == "transfer":
        device.add_transaction(**row, category_id=category_id, payee_id=target.transfer_payee_id)
    elif operation == "split":
        parts = [
            NewPart(amount=amount - 1_000, category_id=category_id),
            NewPart(amount=1_000, payee_id=target.transfer_payee_id),
        ]
        device.add_transaction(**row, parts=parts)
    elif operation == "edit":
        edited = budget.transactions[rows[two % len(rows)]]
        change: dict[str, Any] = {"category_id": category_id, "account_id": account.id}
        change |= {"payee_id": target.transfer_payee_id if one % 2 else None}
        if not edited.parts:
            change |= {"amount": amount, "date": row["date"]}
        device.edit_transaction(edited.id, **change)
    elif operation == "delete":
        device.delete_transaction(rows[two % len(rows)])
    elif operation == "assign":
        device.assign(category_id, row["date"], amount)
    else:
        groups = [group.id for group in budget.groups.live()]
        device.move_category(category_id, groups[two % len(groups)])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(operations)
def test_the_books_balance_after_any_writes(
    writes: list[tuple[str, int, int, int, int]],
) -> None:
    sandbox = Sandbox()
    for write in writes:
        before = sandbox.device.state().knowledge
        perform(sandbox, write)
        assert sandbox.device.state().knowledge == before + 1
        check_books(sandbox)

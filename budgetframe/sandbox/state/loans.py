"""Interest and escrow of loans: they are part of the balance, but no transaction records them.

Rule of the service: in each month with a payment, on the day of the first one, the debt increases
by one twelfth of the yearly rate on the amount owed, and by the escrow amount of the month. Rates
and escrow amounts hold until the month of the next value.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from .rows import Account, Transaction, month_number, month_start

_RATE_UNITS = 12 * 100_000  # thousandths of a per cent in a year, per month


def loan_costs(
    account: Account, rows: Collection[Transaction], *, smallest_amount: int, start_id: str | None
) -> int:
    """Return the interest and escrow that the rows of a loan do not record, in milliunits."""
    # The rows are those that are not deleted. Interest is rounded to the smallest amount of the
    # currency, halves up. Rows with the payee `start_id` are starting balances, and no payments.
    if account.interest_in_rows:
        return 0
    first_payments: dict[int, date] = {}
    for row in rows:
        if _paid(row, start_id):
            month = month_number(row.date)
            first_payments[month] = min(row.date, first_payments.get(month, row.date))
    costs = 0
    for month, day in sorted(first_payments.items()):
        past = (row for row in rows if row.date <= day)
        balance = sum(
            row.amount if row.date < day else row.amount - _paid(row, start_id) for row in past
        )
        kinds = {row.debt_transaction_type for row in rows if month_number(row.date) == month}
        interest, escrow = monthly_costs(account, costs - balance, month, smallest_amount)
        costs += interest if "interest" not in kinds else 0
        costs += escrow if "escrow" not in kinds else 0
    return costs


def monthly_costs(account: Account, owed: int, month: int, smallest_amount: int) -> tuple[int, int]:
    """Return interest and escrow of a month in which `owed` is owed before the first payment."""
    rate = _value_in(month, account.debt_interest_rates)
    exact = Decimal(max(0, owed) * rate) / _RATE_UNITS / smallest_amount
    interest = int(exact.quantize(Decimal(1), ROUND_HALF_UP)) * smallest_amount
    return interest, _value_in(month, account.debt_escrow_amounts)


def _paid(row: Transaction, start_id: str | None) -> int:
    """Return the amount of the payments in a transaction: in a split, of its parts."""
    is_start = start_id == row.payee_id is not None and row.transfer_account_id is None
    if is_start or row.debt_transaction_type not in {None, "payment"}:
        return 0
    return sum(max(0, split.amount) for split in row.splits)


def _value_in(month: int, values: Mapping[str, int] | None) -> int:
    """Return the newest value that is not after a month."""
    first_day = month_start(month).isoformat()
    known = [key for key in values or {} if key <= first_day]
    return (values or {})[max(known)] if known else 0

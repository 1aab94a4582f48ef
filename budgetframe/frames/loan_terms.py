"""The terms of loans: what ``attrs["loans"]`` of a frame says about each loan account."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from budgetframe._milliunits import to_milliunits
from budgetframe._resources import undeleted

from .builder import Row
from .schema import deleted_rows

LOAN_TYPES = frozenset(
    {"mortgage", "autoLoan", "studentLoan", "personalLoan", "medicalDebt", "otherDebt"}
)
"""Types of accounts whose balance contains interest and escrow that no transaction records."""
CARD_TYPES = frozenset({"creditCard", "lineOfCredit"})
"""Types of accounts for which the service keeps a category of payments."""
DEBT_TYPES = LOAN_TYPES | CARD_TYPES | {"otherLiability"}

TERMS = {
    "interest_rates": "debt_interest_rates",
    "escrow_amounts": "debt_escrow_amounts",
    "minimum_payments": "debt_minimum_payments",
}
"""The maps in the terms of a loan, and their fields in the answers of the service."""


def loan_terms(accounts: pd.DataFrame, rows: Iterable[Row]) -> list[dict[str, Any]]:
    """One entry for each loan account, as JSON, from the accounts and the rows that they come from.

    An account that is deleted, or has no key or no balance, is left out. If a row occurs twice, the
    last one counts, as in the frame.

    The entries have ``account_id``, ``account_name`` (None if it is missing), ``balance`` in
    milliunits, and three maps from the first day of a month to an integer: ``interest_rates`` in
    thousandths of a per cent a year, ``escrow_amounts`` and ``minimum_payments`` in milliunits. A
    value holds until the month of the next key. The map of a field that the service did not send
    is empty.
    """
    is_known = accounts[["account_id", "balance"]].notna().all(axis=1)
    is_loan = accounts["account_type"].isin(LOAN_TYPES) & is_known
    of_loans = accounts[is_loan.to_numpy(bool) & ~deleted_rows(accounts)]
    if of_loans.empty:
        return []
    sent = {row["id"]: row for row in undeleted(rows) if isinstance(row.get("id"), str)}
    columns = (of_loans[name].tolist() for name in ("account_id", "account_name", "balance"))
    return [
        {
            "account_id": key,
            "account_name": None if pd.isna(name) else name,
            "balance": to_milliunits(balance),
            **{term: _monthly(sent.get(key, {}).get(field)) for term, field in TERMS.items()},
        }
        for key, name, balance in zip(*columns, strict=True)
    ]


def add_loan_terms(frame: pd.DataFrame, table: str, lists: Mapping[str, Any]) -> None:
    """Add the terms of the loans to the attrs of a frame, if it is the frame of the accounts."""
    if table == "accounts" and (loans := loan_terms(frame, lists["accounts"])):
        frame.attrs["loans"] = loans


def _monthly(values: object) -> dict[str, int]:
    if not isinstance(values, Mapping):
        return {}
    return {month: values[month] for month in sorted(values) if isinstance(values[month], int)}

"""The terms of loans: what ``attrs["loans"]`` of a frame says about each loan account."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import is_deleted

from .builder import Row

__all__ = ["LOAN_TYPES", "loan_terms"]

LOAN_TYPES = frozenset(
    {"mortgage", "autoLoan", "studentLoan", "personalLoan", "medicalDebt", "otherDebt"}
)
"""Types of accounts whose balance contains interest and escrow that no transaction records."""

_MAPS = {
    "interest_rates": "debt_interest_rates",
    "escrow_amounts": "debt_escrow_amounts",
    "minimum_payments": "debt_minimum_payments",
}


def loan_terms(accounts: Iterable[Row]) -> list[dict[str, Any]]:
    """One entry for each loan account, as JSON.

    Parameters
    ----------
    accounts : iterable of mapping
        The accounts of an answer, with the balance in currency units and the terms as the service
        sends them. An account without a balance is left out.

    Returns
    -------
    list of dict
        ``account_id``, ``account_name``, ``balance`` in milliunits, and three maps from the first
        day of a month to an integer: ``interest_rates`` in thousandths of a per cent a year,
        ``escrow_amounts`` and ``minimum_payments`` in milliunits. A value holds until the month of
        the next key. The map of a field that the service did not send is empty.
    """
    return [
        {
            "account_id": account["id"],
            "account_name": account["name"],
            "balance": round(account["balance"] * MILLIUNITS),
            **{name: _by_month(account.get(field)) for name, field in _MAPS.items()},
        }
        for account in accounts
        if not is_deleted(account)
        and account.get("type") in LOAN_TYPES
        and account.get("balance") is not None
    ]


def _by_month(values: object) -> dict[str, int]:
    if not isinstance(values, Mapping):
        return {}
    return {month: values[month] for month in sorted(values) if isinstance(values[month], int)}

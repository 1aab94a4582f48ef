"""The money rule: which fields hold milliunits, and what they become.

The service counts money in integer thousandths of the currency unit, whatever the currency.
``n / 1000`` on a Python integer is the float nearest to the exact quotient, which is also what an
exact decimal division followed by ``float()`` gives: both round once (a property test holds it).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

__all__ = ["MILLIUNITS", "convert_in_place", "is_money", "to_currency"]

MILLIUNITS = 1000
"""Milliunits in one unit of the currency."""

_FIELDS = frozenset(
    {
        "activity",
        "allocation",
        "amount",
        "balance",
        "budgeted",
        "cleared_balance",
        "goal_overall_left",
        "goal_target",
        "goal_under_funded",
        "income",
        "spent",
        "to_be_budgeted",
        "uncleared_balance",
    }
)
_SUFFIXES = ("_amount", "_balance")


@lru_cache(maxsize=1024)
def is_money(field: str) -> bool:
    """Whether the service states this field in milliunits.

    Examples
    --------
    >>> is_money("balance"), is_money("debt_original_balance"), is_money("goal_overall_funded")
    (True, True, False)
    """
    return field in _FIELDS or field.endswith(_SUFFIXES)


def to_currency(milliunits: int) -> float:
    """Currency units of an integer number of milliunits.

    Examples
    --------
    >>> to_currency(-294230)
    -294.23
    """
    return milliunits / MILLIUNITS


def convert_in_place(node: Any) -> None:
    """Turn every milliunit field of a parsed JSON document into currency units, at any depth.

    Only integers are milliunits: null, booleans (``goal_needs_whole_amount``), floats and strings
    under such a name stay as they are. In place, because the document was parsed for this call
    alone and a copy of a large one costs as much as parsing it.
    """
    if isinstance(node, list):
        for child in node:
            convert_in_place(child)
    elif isinstance(node, dict):
        for field, value in node.items():
            kind = type(value)
            if kind is int:
                if is_money(field):
                    node[field] = to_currency(value)
            elif kind is dict or kind is list:
                convert_in_place(value)

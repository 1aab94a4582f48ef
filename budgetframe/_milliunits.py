"""Milliunits: which fields contain them, and their conversion to currency units.

The service states money in integer thousandths of the currency unit, for every currency.
``n / 1000`` of a Python integer is the float nearest to the exact quotient. An exact decimal
division followed by ``float()`` has the same result, because both round once.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import Any, overload

MILLIUNITS = 1000
"""Milliunits in one unit of the currency."""

# Up to this number of milliunits, the nearest float times 1000 is wrong by less than one half:
# after rounding it is exact.
MAX_EXACT = 2**51

_FIELDS = frozenset({
    "activity", "allocation", "amount", "balance", "budgeted", "cleared_balance",
    "goal_overall_left", "goal_target", "goal_under_funded", "income", "spent", "to_be_budgeted",
    "uncleared_balance",
})  # fmt: skip
_SUFFIXES = ("_amount", "_balance")

_SINGLE_FIELDS = frozenset({"approved", "cleared", "date", "deleted", "id", "memo", "name"})
_SINGLE_SUFFIXES = ("_color", "_currency", "_formatted", "_id", "_name", "_original", "_type")

_BATCH = 512  # rows: their dictionaries stay in the cache of the processor


@lru_cache(maxsize=1024)
def is_money(field: str) -> bool:
    """Whether the service states this field in milliunits."""
    return field in _FIELDS or field.endswith(_SUFFIXES)


@lru_cache(maxsize=1024)
def is_single(field: str) -> bool:
    """Whether the field never contains other fields, so that no amounts are searched in it."""
    return field in _SINGLE_FIELDS or field.endswith(_SINGLE_SUFFIXES)


@overload
def to_currency(value: int) -> float: ...
@overload
def to_currency(value: object) -> object: ...
def to_currency(value: object) -> object:
    """Convert an integer number of milliunits to currency units; any other value stays.

    An integer that is too large for a float stays too: a frame or a model has no value there.

    Examples
    --------
    >>> to_currency(-294230), to_currency(None), to_currency(1.5)
    (-294.23, None, 1.5)
    """
    try:
        return value / MILLIUNITS if type(value) is int else value
    except OverflowError:
        return value


def to_milliunits(amount: float) -> int:
    """Convert an amount in currency units, as `to_currency` returns it, to milliunits."""
    return round(amount * MILLIUNITS)


def convert_in_place(node: Any) -> None:
    """Convert every milliunit field of a parsed JSON document to currency units, at any depth.

    Only integers are milliunits, as `to_currency` converts them. Null, booleans
    (``goal_needs_whole_amount``), floats and strings in such a field do not change. The function
    changes the document in place, because a copy of a large document takes as long as parsing it,
    and no other code uses the document.
    """
    nodes = node if isinstance(node, list) else [node]
    rows = [child for child in nodes if type(child) is dict]
    below = list(chain.from_iterable(child for child in nodes if type(child) is list))
    for start in range(0, len(rows), _BATCH):
        batch = rows[start : start + _BATCH]
        for field in set[str]().union(*batch):
            if is_money(field):
                for row in batch:
                    value = row.get(field)
                    if type(value) is int:
                        try:
                            row[field] = value / MILLIUNITS
                        except OverflowError:
                            continue
            if not is_single(field):
                below += filter(None, [row.get(field) for row in batch])
    if below:
        convert_in_place(below)

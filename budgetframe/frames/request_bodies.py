"""Conversion of the rows of a frame to request bodies, with amounts in milliunits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe.errors import ToolError

from .dates import day_of

__all__ = ["transaction_bodies"]

_ROUNDING_ERROR = Decimal("1e-12")  # relative error of a float after some arithmetic
_MAX_ROUNDING_ERROR = Decimal("0.01")  # milliunits
_EXACT_BELOW = 2**53  # a float represents all integers below this exactly


def transaction_bodies(
    rows: pd.DataFrame | Iterable[Mapping[str, Any]], *, needed: tuple[tuple[str, ...], ...]
) -> list[dict[str, Any]]:
    """Convert rows to request bodies; `transaction_id` becomes the `id` of the service.

    Parameters
    ----------
    rows : DataFrame or iterable of mappings
        The rows to write. A missing value (NaN, NA, NaT) is left out; None in a mapping is sent as
        null.
    needed : tuple of tuple of str
        Required fields: each row needs one field of each inner tuple.

    Raises
    ------
    ToolError
        For a field that cannot be written, a missing required field, an amount that is not a
        whole number of milliunits, or an invalid day. Nothing has been sent then.

    Examples
    --------
    >>> rows = [{"transaction_id": "t1", "amount": -4.5, "memo": "bread"}]
    >>> transaction_bodies(rows, needed=())
    [{'id': 't1', 'amount': -4500, 'memo': 'bread'}]
    """
    bodies = []
    for position, row in enumerate(_mappings(rows)):
        where = f"row {position}"
        if not isinstance(row, Mapping):
            raise ToolError(
                f"{where} is {row!r}: pass a mapping of fields to values. Nothing was sent"
            )
        body = _body(row, where, _FIELDS)
        for fields in needed:
            if all(body.get(_sent(field)) is None for field in fields):
                raise ToolError(f"{where} has no {' or '.join(fields)}. Nothing was sent")
        bodies.append(body)
    if not bodies:
        raise ToolError("there are no rows to write. Nothing was sent")
    return bodies


def _mappings(rows: pd.DataFrame | Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise ToolError(f"pass a DataFrame or a list of rows, not {rows!r}. Nothing was sent")
    if not isinstance(rows, pd.DataFrame):
        return rows
    return [
        {str(field): value for field, value in row.items() if value is not None}
        for row in rows.to_dict("records")
    ]


def _is_missing(value: Any) -> bool:
    return value is not None and pd.api.types.is_scalar(value) and bool(pd.isna(value))


def _sent(field: str) -> str:
    return "id" if field == "transaction_id" else field


def _body(
    row: Mapping[str, Any], where: str, fields: Mapping[str, Callable[[Any, str], Any]]
) -> dict[str, Any]:
    unknown = [field for field in row if field not in fields]
    if unknown:
        raise ToolError(
            f"{where}: {', '.join(unknown)} cannot be written; these can: {', '.join(fields)}."
            " Nothing was sent"
        )
    return {
        _sent(field): None if value is None else fields[field](value, f"{where}: {field}")
        for field, value in row.items()
        if not _is_missing(value)
    }


def _milliunits(amount: Any, where: str) -> int:
    try:
        exact = Decimal(str(amount)) * MILLIUNITS
        whole = exact.to_integral_value()
        # Sums of floats have small errors: 0.1 + 0.2 must become 300 milliunits.
        tolerance = Decimal(0)
        if isinstance(amount, float):
            tolerance = min(_ROUNDING_ERROR * (1 + abs(whole)), _MAX_ROUNDING_ERROR)
        if abs(exact - whole) <= tolerance and abs(whole) < _EXACT_BELOW:
            return int(whole)
    except ArithmeticError:
        pass
    raise ToolError(
        f"{where}={amount!r} is not an amount with at most three decimals. Nothing was sent"
    )


def _day(value: Any, where: str) -> str:
    return f"{day_of(value, where):%Y-%m-%d}"


def _flag(value: Any, where: str) -> bool:
    if value not in (True, False):
        raise ToolError(f"{where}={value!r} is neither True nor False. Nothing was sent")
    return bool(value)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise ToolError(f"{where}={value!r} is not a text. Nothing was sent")
    return value


def _parts(value: Any, where: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(part, Mapping) for part in value):
        raise ToolError(f"{where}={value!r} is not a list of parts. Nothing was sent")
    return [_body(part, f"{where}[{number}]", _PART) for number, part in enumerate(value)]


_PART: dict[str, Callable[[Any, str], Any]] = {
    "amount": _milliunits,
    "payee_id": _text,
    "payee_name": _text,
    "category_id": _text,
    "memo": _text,
}
_FIELDS: dict[str, Callable[[Any, str], Any]] = {
    "transaction_id": _text,
    "account_id": _text,
    "date": _day,
    **_PART,
    "cleared": _text,
    "approved": _flag,
    "flag_color": _text,
    "import_id": _text,
    "subtransactions": _parts,
}

"""Exact money: milliunits and decimals in place of floats, and sums that are sums of integers."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe.errors import ToolError

from .schema import CURRENCY
from .tables import TABLES

__all__ = ["MONEY", "Money", "check_money", "check_size", "in_money", "milliunits", "totals"]

if TYPE_CHECKING:
    Amounts = pd.Series[float]
    Thousandths = pd.Series[int]
else:
    Amounts = Thousandths = pd.Series  # which has no type parameters before it is checked

Money = Literal["float", "milliunits", "decimal"]
"""How amounts are given."""

MONEY = {
    column.name: column.nullable
    for table in TABLES.values()
    for column in table.columns
    if column.unit == CURRENCY
}
"""Columns in currency units, and whether they may be missing."""

# Times 1000 the nearest float is off by less than one half up to here: rounded, it is exact.
_MOST = 2**51
_OVERFLOW = 2**63
_DIGITS = 18
_SUFFIX = "_milliunits"


def milliunits(amounts: Amounts) -> Thousandths:
    """The integers that amounts in currency units were made from.

    Parameters
    ----------
    amounts : Series of float64
        In currency units, as frames have them.

    Returns
    -------
    Series of int64
        In milliunits; of Int64 where some are missing.

    Raises
    ------
    ToolError
        Beyond two trillion currency units, where floats cannot tell milliunits apart.

    Examples
    --------
    >>> milliunits(pd.Series([0.1, 0.2, -294.23])).tolist()
    [100, 200, -294230]
    """
    thousandths = (amounts.astype("float64") * MILLIUNITS).round()
    check_size(thousandths.abs().max())
    return thousandths.astype("Int64" if thousandths.isna().any() else "int64")


def check_money(money: Money) -> None:
    """Refuse what amounts cannot be given as.

    Parameters
    ----------
    money : {"float", "milliunits", "decimal"}
        As for `in_money`.

    Raises
    ------
    ToolError
        For another word, or without pyarrow, which the decimals need.
    """
    if money not in get_args(Money):
        raise ToolError(f"money={money!r}: it is one of {', '.join(get_args(Money))}")
    if money == "decimal" and find_spec("pyarrow") is None:
        raise ToolError("money='decimal' needs pyarrow: pip install 'budgetframe[arrow]'")


def in_money(frame: pd.DataFrame, money: Money) -> pd.DataFrame:
    """The frame with its amounts given in another way.

    Parameters
    ----------
    frame : DataFrame
        One of this package's, with floats, or what was made of it by choosing rows and columns.
    money : {"float", "milliunits", "decimal"}
        Currency units in float64, as they are; integer thousandths, in columns whose names end in
        ``_milliunits`` (int64, or Int64 where the schema lets them be missing); or currency units
        in Arrow decimals with three places.

    Raises
    ------
    ToolError
        For another word, or without pyarrow, which the decimals need.

    Examples
    --------
    >>> in_money(pd.DataFrame({"amount": [-4.5]}), "milliunits")
       amount_milliunits
    0              -4500
    """
    check_money(money)
    if money == "float":
        return frame
    columns = [name for name in frame.columns if name in MONEY]
    given = frame.copy()
    for name in columns:
        exact = milliunits(frame[name])
        given[name] = _decimals(exact) if money == "decimal" else exact
        if money == "milliunits" and MONEY[name]:
            given[name] = exact.astype("Int64")
    if money == "decimal":
        return given
    return given.rename(columns={name: f"{name}{_SUFFIX}" for name in columns})


def totals(frame: pd.DataFrame, by: str | Sequence[str]) -> pd.DataFrame:
    """The sums of the amounts of a frame in groups, exact to the milliunit.

    Adding floats drifts: ``0.1 + 0.2`` is not ``0.3``. Here integers are added, and each sum is
    the float nearest to the exact one, whatever the order of the rows.

    Parameters
    ----------
    frame : DataFrame
        With amounts under the names that frames have.
    by : str or sequence of str
        Columns to group by; none for the one sum of all. Rows where one is missing are a group of
        their own.

    Returns
    -------
    DataFrame
        One row per group that is there, sorted; the columns are those with amounts, in float64, or
        in int64 where they are in milliunits. What is missing counts as zero.

    Raises
    ------
    ToolError
        Beyond two trillion currency units, as `milliunits` does, and without any amounts.

    Examples
    --------
    >>> rows = pd.DataFrame({"category_name": ["a", "a", None], "amount": [0.1, 0.2, -1.0]})
    >>> totals(rows, "category_name")["amount"].tolist()
    [0.3, -1.0]
    """
    keys = [by] if isinstance(by, str) else list(by)
    exact = frame[keys].copy()
    for name in frame.columns:
        if name in MONEY and name not in keys:
            exact[name] = milliunits(frame[name]).fillna(0).astype("int64")
        elif str(name).removesuffix(_SUFFIX) in MONEY and name not in keys:
            exact[name] = frame[name].fillna(0)
    columns = [name for name in exact.columns if name not in keys]
    if not columns:
        raise ToolError(f"no amounts to add up: the columns are {', '.join(map(str, frame))}")
    largest = float(exact[columns].abs().max().max())  # not a number where there are none
    if len(exact) * largest >= _OVERFLOW:
        exact = exact.astype(dict.fromkeys(columns, object))  # integers without an end
    grouped = (
        exact.groupby(keys, dropna=False, observed=True) if keys else exact.groupby(lambda _: 0)
    )
    sums = grouped[columns].sum()
    check_size(sums.abs().max().max())
    sums = sums.astype("int64")
    return sums.assign(**{name: sums[name] / MILLIUNITS for name in columns if name in MONEY})


def check_size(largest: float) -> None:
    """Refuse milliunits that are too many to be told apart as currency units.

    Raises
    ------
    ToolError
        Beyond two trillion currency units.
    """
    if largest > _MOST:
        raise ToolError(
            f"an amount of {largest / MILLIUNITS:,.0f} is too large to be exact: floats tell"
            f" thousandths apart up to {_MOST / MILLIUNITS:,.0f}"
        )


def _decimals(exact: Thousandths) -> Any:
    """Milliunits as Arrow decimals of currency units."""
    import pyarrow as pa  # noqa: PLC0415 - an extra

    is_missing = exact.isna().to_numpy(bool)
    low = exact.fillna(0).to_numpy("int64")
    # A decimal is a 128-bit integer and a scale: the milliunits themselves, sign-extended.
    words = np.column_stack([low, low >> 63])
    present = pa.array(~is_missing).buffers()[1] if is_missing.any() else None
    kind = pa.decimal128(_DIGITS, 3)
    buffers = [present, pa.py_buffer(np.ascontiguousarray(words))]
    return pd.array(pa.Array.from_buffers(kind, len(low), buffers), dtype=pd.ArrowDtype(kind))

"""Exact money: milliunits and decimals instead of floats, and sums of integers."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.arguments import check_choice, closest_names
from budgetframe._runtime.short_traceback import shown_without_frames
from budgetframe._runtime.text import whole_text
from budgetframe.errors import ToolError

from .arrow_tables import require_pyarrow
from .builder import check_size
from .schema import MILLIUNITS_SUFFIX
from .tables import MONEY

if TYPE_CHECKING:
    Amounts = pd.Series[float]
    Thousandths = pd.Series[int]
else:
    Amounts = Thousandths = pd.Series  # at run time, `Series` does not accept type parameters

Money = Literal["float", "milliunits", "decimal"]
"""The type of amounts in a frame."""

_OVERFLOW = 2**63
_LARGE_SUM = 2.0**62  # the sum of two such numbers is no integer of 64 bits
_DECIMAL_DIGITS = 18


def milliunits(amounts: Amounts) -> Thousandths:
    """Convert amounts in currency units to exact milliunits.

    Parameters
    ----------
    amounts : Series of float64
        Amounts in currency units, as in the frames.

    Returns
    -------
    Series of int64
        Milliunits; the dtype is Int64 if values are missing.

    Raises
    ------
    ToolError
        For amounts above two trillion currency units: their floats are not exact to the milliunit.

    Examples
    --------
    >>> milliunits(pd.Series([0.1, 0.2, -294.23])).tolist()
    [100, 200, -294230]
    """
    thousandths, is_missing = _rounded(amounts)
    exact = pd.Series(thousandths, amounts.index, name=amounts.name, copy=False)
    return exact.astype("Int64").mask(is_missing) if is_missing.any() else exact


def _rounded(amounts: Amounts) -> tuple[Any, Any]:
    """The milliunits in an array, with zero for missing amounts; and which are missing."""
    thousandths = np.rint(amounts.astype("float64").to_numpy() * MILLIUNITS)
    is_missing = np.isnan(thousandths)
    thousandths[is_missing] = 0
    check_size(np.abs(thousandths).max(initial=0))
    return thousandths.astype("int64"), is_missing


def exact(frame: pd.DataFrame, column: str = "amount") -> Any:
    """The amounts of a column in milliunits, as an array; a missing amount is zero."""
    return _rounded(frame[column])[0]


def currency(amounts: Any) -> Any:
    """Convert milliunits in an array to currency units; see `check_size`."""
    check_size(np.abs(amounts).max(initial=0))
    return amounts / MILLIUNITS


def check_money(money: Money) -> None:
    """Check that a value of `money` is permitted and that its library is installed."""
    check_choice(money, "money", Money)
    if money == "decimal":
        require_pyarrow("money='decimal'")


def in_money(frame: pd.DataFrame, money: Money) -> pd.DataFrame:
    """Convert the amounts of a frame to another type.

    Parameters
    ----------
    frame : DataFrame
        A frame of this package with float amounts, or a selection of its rows and columns.
    money : {"float", "milliunits", "decimal"}
        ``"float"``: currency units as float64, which changes nothing. ``"milliunits"``: integer
        thousandths, in columns whose names end in ``_milliunits`` (int64, or Int64 if the values
        of the column may be missing). ``"decimal"``: currency units as Arrow decimals with three
        decimals.

    Raises
    ------
    ToolError
        For another value, and for ``"decimal"`` without pyarrow.

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
    converted = frame.copy()
    for name in columns:
        if money == "decimal":
            array = decimals(frame[name])
            converted[name] = pd.array(array, dtype=pd.ArrowDtype(array.type))
            continue
        amounts = milliunits(frame[name])
        converted[name] = amounts.astype("Int64") if MONEY[name] else amounts
    if money == "decimal":
        return converted
    return converted.rename(columns={name: f"{name}{MILLIUNITS_SUFFIX}" for name in columns})


@shown_without_frames
def totals(frame: pd.DataFrame, by: str | Sequence[str]) -> pd.DataFrame:
    """Sum the amounts of a frame in groups, exact to the milliunit.

    Sums of floats are inexact: ``0.1 + 0.2`` is not ``0.3``. This function adds integers. Each
    sum is the float nearest to the exact sum and does not depend on the order of the rows.

    Parameters
    ----------
    frame : DataFrame
        A frame with amounts in columns with the names of this package.
    by : str or sequence of str
        Columns to group by; an empty sequence returns one row with the sums of all rows. Rows with
        a missing value form a group.

    Returns
    -------
    DataFrame
        One row per group that occurs, sorted. The columns are those with amounts: float64, or
        int64 for columns in milliunits. A missing amount counts as zero.

    Raises
    ------
    ToolError
        For amounts above two trillion currency units, for what is no DataFrame or has no amounts,
        and for a name in `by` that is no column or occurs twice.

    Examples
    --------
    >>> rows = pd.DataFrame({"category_name": ["a", "a", None], "amount": [0.1, 0.2, -1.0]})
    >>> totals(rows, "category_name")["amount"].tolist()
    [0.3, -1.0]
    """
    if not isinstance(frame, pd.DataFrame):
        raise ToolError(f"frame is {type(frame).__name__}: pass a DataFrame")
    columns_text = f"its columns are {', '.join(map(str, frame))}"
    keys = _grouping_columns(frame, by, columns_text)
    numbers = frame[keys].copy()
    for key in keys:
        if numbers[key].dtype == object:
            numbers[key] = numbers[key].map(whole_text)
    for name in frame.columns:
        if name in MONEY and name not in keys:
            numbers[name] = exact(frame, name)
        elif str(name).removesuffix(MILLIUNITS_SUFFIX) in MONEY and name not in keys:
            numbers[name] = frame[name].fillna(0)
    columns = [name for name in numbers.columns if name not in keys]
    if not columns:
        raise ToolError(f"the frame has no column with amounts: {columns_text}")
    largest = float(numbers[columns].abs().max().max())  # NaN for an empty frame
    if len(numbers) * largest >= _OVERFLOW:
        numbers = numbers.astype(dict.fromkeys(columns, object))  # Python integers cannot overflow
    if keys:
        sums = numbers.groupby(keys, dropna=False, observed=True)[columns].sum()
    else:
        sums = numbers[columns].sum().to_frame().T
    check_size(sums.abs().max().max())
    sums = sums.astype("int64")
    return sums.assign(**{name: sums[name] / MILLIUNITS for name in columns if name in MONEY})


def _grouping_columns(frame: pd.DataFrame, by: Any, columns_text: str) -> list[str]:
    """The columns to group by, which the frame has."""
    keys = [by] if isinstance(by, str) or not isinstance(by, Collection) else list(by)
    unknown = [name for name in keys if not isinstance(name, Hashable) or name not in frame]
    if unknown:
        close = [found for name in unknown for found in closest_names(str(name), map(str, frame))]
        advice = f"the closest: {', '.join(map(repr, close))}" if close else columns_text
        raise ToolError(f"by: the frame has no column {', '.join(map(repr, unknown))}; {advice}")
    if len({*keys}) < len(keys):
        raise ToolError(f"by={keys!r} names a column twice")
    return keys


def check_sums(frame: pd.DataFrame, *columns: str) -> None:
    """Check that sums of some of the amounts in these columns are integers of 64 bits."""
    for name in columns:
        # No sum of some of its rows is larger than that of all of them.
        is_float = pd.api.types.is_float_dtype(frame[name])
        if is_float and frame[name].abs().sum() * MILLIUNITS >= _LARGE_SUM:
            check_size(sum(np.abs(exact(frame, name)).tolist()))


def decimals(amounts: Amounts) -> Any:
    """Convert amounts in currency units to Arrow decimals with three decimals."""
    import pyarrow as pa  # noqa: PLC0415 - an extra

    low, is_missing = _rounded(amounts)
    # A decimal is a 128-bit integer and a scale: the milliunits themselves, sign-extended.
    words = np.empty((len(low), 2), "int64")
    words[:, 0], words[:, 1] = low, low >> 63
    present = pa.array(~is_missing).buffers()[1] if is_missing.any() else None
    buffers = [present, pa.py_buffer(words)]
    return pa.Array.from_buffers(pa.decimal128(_DECIMAL_DIGITS, 3), len(low), buffers)


def currency_units(decimals: Any) -> Any:
    """Convert the Arrow decimals of ``money="decimal"``, in chunks, to an array of float64."""
    pieces = [np.array([], "float64")]
    for chunk in decimals.chunks:
        words = np.frombuffer(chunk.buffers()[1], "int64")  # the low and the high half of each
        low = words[2 * chunk.offset : 2 * (chunk.offset + len(chunk)) : 2]
        is_missing = np.asarray(chunk.is_null())
        pieces.append(np.where(is_missing, np.nan, low / MILLIUNITS))
    return np.concatenate(pieces)


def decimals_of(currency: object) -> int:
    """The decimals of an amount, from the ``currency_format`` of the budget; 2 if it is unknown."""
    digits = currency.get("decimal_digits") if isinstance(currency, dict) else None
    return digits if isinstance(digits, int) and 0 <= digits <= 3 else 2  # noqa: PLR2004 - milliunits


def rounded(amount: Fraction) -> int:
    """An exact amount as a whole number, halves away from zero."""
    number = int(abs(amount) + Fraction(1, 2))
    return number if amount >= 0 else -number

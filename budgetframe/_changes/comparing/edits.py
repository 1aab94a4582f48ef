"""The cells of an edited frame that differ from the frame that the user read."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.arguments import refused
from budgetframe.frames.request_bodies import is_missing
from budgetframe.frames.schema import MILLIUNITS_SUFFIX
from budgetframe.frames.tables import MONEY

_LARGEST_ERROR = 1e-6  # currency units; a smaller difference is an error of floats
_PARTS = "subtransactions"  # the parts of a new split, which no frame has
_TIME = len("2026-05-17T00:00:00")
_SHOWN = 3  # columns or keys that a message names


class EditedRow(NamedTuple):
    """A row with cells that differ."""

    key: str
    cells: Mapping[str, Any]  # the new values of the cells that differ; None for a missing value
    row: Mapping[str, Any]  # all cells of the edited row


@dataclass(frozen=True, slots=True)
class Edits:
    """What differs in an edited frame."""

    changed: Sequence[EditedRow]
    new: Sequence[Mapping[str, Any]]  # the cells of the rows without a key
    unknown: Sequence[str]  # the keys of rows that the base does not have


NO_EDITS = Edits([], [], [])


def normal_frame(frame: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """The frame with its keys as columns, a plain index, and amounts in currency units."""
    if frame.columns.nlevels > 1:
        raise refused("the frame has columns with several levels: pass one with plain columns")
    named = [name for name in frame.index.names if name in keys and name not in frame.columns]
    if named:
        frame = frame.reset_index(named)
    names = [str(name).removesuffix(MILLIUNITS_SUFFIX) for name in frame.columns]
    in_milliunits = {
        name: short
        for name, short in zip(frame.columns, names, strict=True)
        if name != short and short in MONEY
    }
    for name, short in in_milliunits.items():
        if short in frame:
            raise refused(f"the frame has the columns {short} and {name}: keep one of them")
        frame = frame.assign(**{name: _amounts_in_currency(frame[name])})
    frame = frame.rename(columns=in_milliunits)
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise refused(f"the frame has two columns named {twice[0]!r}")
    return frame


def _amounts_in_currency(amounts: pd.Series[Any]) -> pd.Series[Any]:
    """Amounts in currency units, from milliunits."""
    numbers = pd.to_numeric(amounts, errors="coerce")
    wrong = amounts[numbers.isna() & amounts.notna()]
    if len(wrong):
        raise refused(f"{amounts.name}={wrong.iloc[0]!r} is not a number")
    return (numbers.astype("Float64") / MILLIUNITS).astype("float64")


def row_keys(frame: pd.DataFrame, columns: Sequence[str]) -> pd.Series[str]:
    """The key of each row: the first of the columns that has one; missing for a new row."""
    keys = frame[columns[0]].astype(object)
    for name in columns[1:]:
        if name in frame:
            keys = keys.where(keys.notna(), frame[name].astype(object))
    return keys.where(keys.notna() & (keys != ""), None)


def find_edits(
    edited: pd.DataFrame, base: pd.DataFrame, columns: Sequence[str], writable: frozenset[str]
) -> Edits:
    """Compare an edited frame with the frame that the user read."""
    edited, base = pd.DataFrame(edited), pd.DataFrame(base)  # without attrs, which are slow
    keys = row_keys(edited, columns)
    is_new = keys.isna().to_numpy(bool)
    if len(edited) < len(base) and not is_new.any():  # a few rows of a large list
        has_key = [base[name].isin(keys).to_numpy(bool) for name in columns if name in base]
        base = base[np.logical_or.reduce(has_key)]
    index = pd.Index(row_keys(base, columns))
    if index.hasnans:
        names = [name for name in base.columns if name in edited]
        lost, given = (records_of(frame[names]) for frame in (base[index.isna()], edited[is_new]))
        is_read = [row in lost for row in given]
        if sum(is_read) < min(len(lost), len(given)) and not is_new.all():
            raise refused(
                f"{len(lost):,} of {len(index):,} rows of the frame were read without a key,"
                " because the service's answer was damaged. They cannot be changed: pass the frame"
                " without them, and new rows in a frame of their own"
            )
        keep = ~is_new
        keep[is_new] = ~np.array(is_read, bool)
        edited, keys, is_new = edited[keep], keys[keep], is_new[keep]
        base, index = base[index.notna()], index.dropna()
    if not index.is_unique:
        base = base[~index.duplicated(keep="last")]
        index = pd.Index(row_keys(base, columns))
    at = index.get_indexer(pd.Index(keys.where(~is_new, "")))
    is_known = (at >= 0) & ~is_new
    rows = edited if is_known.all() else edited[is_known]
    at = at[is_known]
    is_aligned = len(at) == len(base) and np.array_equal(at, np.arange(len(at)))
    masks = {}
    for name in edited.columns:
        if name in columns or name not in base.columns:
            continue
        values = base[name].array if is_aligned else base[name].array.take(at)
        mask = _differs(rows[name], pd.Series(values), is_money=name in MONEY)
        if mask.any():
            masks[name] = mask
    fixed = [name for name in masks if name not in writable]
    if fixed:
        cells = ", ".join(f"{int(masks[name].sum()):,} in {name}" for name in fixed[:_SHOWN])
        first = keys[is_known].iloc[int(np.flatnonzero(masks[fixed[0]])[0])]
        raise refused(
            f"{', '.join(fixed)} cannot be changed, but cells differ there ({cells}; first:"
            f" {columns[-1]} {first!r}); these columns can be changed:"
            f" {', '.join(sorted(writable & set(base.columns)))}"
        )
    if _PARTS in writable and _PARTS in rows and _PARTS not in base:
        masks[_PARTS] = rows[_PARTS].notna().to_numpy(bool)
    found = np.flatnonzero(np.logical_or.reduce([*masks.values(), np.zeros(len(at), bool)]))
    changed = [
        EditedRow(key, {name: row[name] for name, mask in masks.items() if mask[position]}, row)
        for position, key, row in zip(
            found, keys[is_known].iloc[found], records_of(rows.iloc[found]), strict=True
        )
    ]
    unknown = list(keys[~is_known & ~is_new])
    return Edits(_without_duplicates(changed, keys), records_of(edited[is_new]), unknown)


def _without_duplicates(changed: Sequence[EditedRow], keys: pd.Series[str]) -> list[EditedRow]:
    """Each changed row once."""
    twice = set(keys[keys.notna() & keys.duplicated()])
    found: dict[str, EditedRow] = {}
    counts = Counter(row.key for row in changed)
    times = keys[keys.isin(twice)].value_counts()
    for row in changed:
        known = found.setdefault(row.key, row)
        if row.key in twice and (counts[row.key] != times[row.key] or known.cells != row.cells):
            raise refused(
                f"the frame has {times[row.key]} rows with the key {row.key!r}, and they have"
                " different values: keep one of them"
            )
    return list(found.values())


def records_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as mappings, with None for missing values."""
    return [
        {str(name): None if is_missing(value) else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


def _differs(edited: pd.Series[Any], base: pd.Series[Any], *, is_money: bool) -> Any:
    """Which cells differ; two missing values are equal."""
    edited = edited.reset_index(drop=True)
    missing = edited.isna().to_numpy(bool, copy=True), base.isna().to_numpy(bool)
    filled = ~missing[0] & missing[1]
    if filled.any():  # an empty text is a missing value, as from fillna("")
        cells = edited[filled].astype(object)
        missing[0][filled] = [isinstance(cell, str) and not cell for cell in cells]
    if is_money:
        try:
            numbers = edited.astype("float64").to_numpy()
        except (TypeError, ValueError):  # texts among them
            numbers = pd.to_numeric(edited.astype(object), errors="coerce").to_numpy("float64")
        wrong = np.isnan(numbers) & ~missing[0]  # a text, which is refused later
        unequal = wrong | (np.abs(numbers - base.to_numpy("float64")) > _LARGEST_ERROR)
    else:
        unequal = _unequal(edited, base)
    return (missing[0] != missing[1]) | (~missing[0] & ~missing[1] & unequal)


def _unequal(edited: pd.Series[Any], base: pd.Series[Any]) -> Any:
    """Which cells have another value, whatever the dtypes and the order of categories."""
    if base.dtype.kind == "M" and edited.dtype != base.dtype:
        if isinstance(base.dtype, pd.DatetimeTZDtype):  # a time, whose zone counts
            given = edited.astype(object)
            times = pd.to_datetime(given, utc=True, errors="coerce", format="ISO8601")
        else:
            times = _days(edited)
        edited = times.astype(base.dtype)
    if edited.dtype == base.dtype and not isinstance(base.dtype, pd.CategoricalDtype):
        unequal = edited != base
        return unequal.fillna(value=True).to_numpy(bool)
    present = (edited.notna() & base.notna()).to_numpy(bool)  # NA has no truth value
    differs = np.ones(len(edited), bool)
    cells = (side.astype(object).to_numpy()[present] for side in (edited, base))
    differs[present] = operator.ne(*cells)
    return differs


def _days(edited: pd.Series[Any]) -> pd.Series[Any]:
    """Days in any form, as a file or a time zone makes them; the zone of a day does not count."""
    if isinstance(edited.dtype, np.dtype) and edited.dtype.kind == "M":
        return edited
    cells = [_without_zone(cell) for cell in edited.astype(object)]
    return pd.to_datetime(pd.Series(cells, dtype=object), errors="coerce", format="ISO8601")


def _without_zone(cell: Any) -> Any:
    if isinstance(cell, str):
        return cell[:_TIME]
    return cell.replace(tzinfo=None) if isinstance(cell, datetime) else cell

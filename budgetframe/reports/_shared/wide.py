"""A report with its periods as columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames.display import Layout
from budgetframe.frames.money import currency, exact
from budgetframe.frames.schema import LEVEL, TEXT, Column
from budgetframe.reports.plotting.options import TIME_COLUMNS
from budgetframe.reports.plotting.period_names import is_short

from .group_numbers import group_numbers

WIDE = "wide"
"""The key in ``attrs`` of a frame with periods as columns; its value names the amounts."""

_TOTAL = "Total"
_RESERVED = {*TIME_COLUMNS, _TOTAL}
"""The names of columns that a group with such a name cannot have."""
_PATTERNS = {"month": "%Y-%m", "year": "%Y"}


def wide_frame(
    report: pd.DataFrame,
    time: str,
    values: str,
    groups: Sequence[str],
    *,
    columns: Literal["period", "group"],
    total: bool,
    index: bool,
) -> pd.DataFrame:
    """One row for each group of a report, in its order, and one column for each period."""
    # With columns of groups, it is the other way round, and with `index` the period is the index.
    numbers = group_numbers(report, groups)
    if report.assign(group=numbers).duplicated(["group", time]).any():
        advice = "use the report as it was calculated"
        raise ToolError(f"wide: the report has several rows of one group and period; {advice}")
    table = report.assign(group=numbers).pivot(index="group", columns=time, values=values)
    days = table.columns
    freq = str(report.attrs.get("freq"))
    periods = [period_label(pd.Timestamp(day), freq, values) for day in days.tolist()]
    table = table.set_axis(periods, axis="columns")
    sums = [currency(exact(table, name).sum()) for name in periods] if total else []
    if total:  # with an unknown amount the sum is unknown; a period that a group lacks counts as 0
        is_unknown = report[values].isna().groupby(report[time]).any().reindex(days).tolist()
        pairs = zip(sums, is_unknown, strict=True)
        sums = [np.nan if unknown else amount for amount, unknown in pairs]
    first = ~pd.Series(numbers).duplicated().to_numpy()
    names = report.loc[first, [*groups]].reset_index(drop=True)
    if columns == "group":
        wide = table.T.set_axis(_group_labels(names), axis="columns").set_index(days)
        totals = pd.DataFrame({_TOTAL: sums} if total else {}, index=days)
        wide = pd.concat([wide, totals], axis=1)
        wide = wide if index else wide.reset_index()
    else:
        names = names.astype({groups[0]: TEXT})  # not a category, which could not be "Total"
        keys = [name for name in groups if name.endswith("_id")]
        wide = pd.concat([names.drop(columns=keys), table, names[keys]], axis=1)
        if total:
            names_like_total = wide[groups[0]] == _TOTAL
            wide.loc[names_like_total, groups[0]] = f"{_TOTAL} (2)"
            flags = {name: False for name in groups if report[name].dtype == bool}
            cells = {groups[0]: _TOTAL, **dict(zip(periods, sums, strict=True)), **flags}
            row = pd.DataFrame([cells], columns=wide.columns)
            wide = pd.concat([wide, row.astype(wide.dtypes)], ignore_index=True)
    wide.attrs = {**report.attrs, WIDE: values}
    return wide


def has_rows_of_periods(frame: pd.DataFrame) -> bool:
    """Whether each row of a wide frame is a period."""
    return not {*TIME_COLUMNS}.isdisjoint([*frame.columns, frame.index.name])


def period_columns(frame: pd.DataFrame) -> list[str]:
    """The columns of a wide frame that have amounts; none of another frame."""
    if WIDE not in frame.attrs:
        return []
    if has_rows_of_periods(frame):
        return [str(name) for name in frame.columns if name not in TIME_COLUMNS]
    main = frame.attrs[WIDE]
    return [str(name) for name in frame.columns if str(name)[:1].isdigit() or name == main]


def wide_layout(frame: pd.DataFrame, columns: Iterable[Column]) -> Layout:
    """How a wide frame is shown: with the newest periods, or with the total of all groups."""
    names = period_columns(frame)
    layout = Layout.of(columns)
    if has_rows_of_periods(frame):
        return layout._replace(always={_TOTAL}, advice=".wide() has a row for each group")
    always = {*layout.always, *names[-1:]}
    advice = "" if LEVEL in frame else '.wide(columns="group") has a row for each period'
    return layout._replace(always=always, periods={*names}, advice=advice)


def _group_labels(groups: pd.DataFrame) -> list[str]:
    """The names of groups: the last name of each, or all its names, or with keys to be unique."""
    # A name that is still not unique, or that another column has, gets a number.
    keys = [name for name in groups if str(name).endswith("_id")]
    names = [name for name in groups if name not in keys and groups[name].dtype != bool]
    for parts in (names[-1:], names, [*names, *keys]):
        rows = groups[parts].itertuples(index=False)
        known = [[str(text) for text in row if not pd.isna(text)] for row in rows]
        texts = [": ".join(each) or "(none)" for each in known]
        if len({*texts}) == len(texts):
            break
    taken = {*_RESERVED}
    for at, text in enumerate(texts):
        numbered = (f"{text} ({number})" for number in range(2, len(texts) + 3))
        texts[at] = next(name for name in (text, *numbered) if name not in taken)
        taken.add(texts[at])
    return texts


def period_label(day: pd.Timestamp, freq: str, values: str) -> str:
    """The name of the column of a period; `values` is that of the only one with "all"."""
    if freq == "all":
        return values
    if freq == "quarter":
        return f"{day.year}-Q{day.quarter}"
    return f"{day:{'%Y-%m-%d' if is_short(freq) else _PATTERNS[freq]}}"

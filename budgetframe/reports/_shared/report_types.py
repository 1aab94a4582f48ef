"""The types of reports: what the package knows about each report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd

from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.schema import TEXT, Column
from budgetframe.reports.plotting.options import PlotOptions

from .inputs import INPUTS, Input

Drawing = Callable[[pd.DataFrame, Mapping[Any, Any], PlotOptions], Any]
"""Draws a frame, with the ``attrs`` of its report and the options of the plot."""


Edits = Callable[[Any, Any], Mapping[str, Any]]
"""The arguments of `BudgetFrame.changes`, from a `Report` and what the user chose of it."""


InCurrency = Callable[[float], str]
"""Writes amounts in the format of a budget."""


Sentence = Callable[[pd.DataFrame, InCurrency], str]
"""Says what the rows of a report show."""


@dataclass(frozen=True, slots=True)
class ReportType:
    """A type of report, for example the type of all results of `net_worth`."""

    # The frames that its function takes are its first parameters, which have the names of the
    # frames, or ``listed_accounts`` and ``listed_categories`` where ``accounts`` and ``categories``
    # are filters. A function without such parameters is no report on one budget.
    function: Callable[..., pd.DataFrame]
    # Those that do not depend on a parameter. Columns that name a group come before them.
    columns: tuple[Column, ...]
    picture: Drawing
    no_rows: str = ""  # why there are no rows behind it, and what to use instead; empty: there are
    labels: Mapping[str, tuple[str, ...]] | None = None  # further columns, by ``attrs["by"]``
    needed_with: tuple[str, ...] = ()  # the options that need the frame which is None by default
    passed_on: tuple[str, ...] = ()  # the options that the method of the first frame has too
    main: str = ""  # the amount that stands for a row where only one is shown; empty: the first
    sentence: Sentence | None = None  # what it shows, for a page; None: its name
    still: Drawing | None = None  # draws it for a page, if `picture` needs a script
    further: Callable[[Any], tuple[Column, ...]] = lambda _attrs: ()  # with a parameter
    kinds: tuple[str, ...] = ()  # those of ``plot(kind=...)``, and "trend" for ``plot(trend=...)``
    has_wide: bool = False  # whether it has the form that `wide` returns
    groups: tuple[str, ...] = ()  # the columns of a row of `wide`; empty: those before `columns`
    # What `compare` calls, and the units of the columns that it keeps.
    compared: tuple[Callable[[pd.DataFrame], pd.DataFrame], Mapping[str, str]] | None = None
    edits: Edits | None = None  # what `changes` passes on; None: it leads to no change

    def __post_init__(self) -> None:
        """Register it: each type is created once, in the module of its function."""
        _TYPES[self.name] = self
        if self.inputs:
            INPUTS[self.name] = self.inputs

    @property
    def name(self) -> str:
        """The name of its function."""
        return self.function.__name__

    def columns_in(self, attrs: Mapping[Any, Any]) -> tuple[Column, ...]:
        """Its columns in a report with these ``attrs``, without those that name a group."""
        return self.columns + self.further(attrs)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The frames that its function takes, in the order of its parameters."""
        found: list[Input] = []
        for each in signature(self.function).parameters.values():
            if each.kind is each.POSITIONAL_OR_KEYWORD and each.annotation in _FRAMES:
                needed_with = self.needed_with if each.default is None else ()
                options = () if found else self.passed_on
                found.append(Input(each.name.removeprefix("listed_"), needed_with, options))
        return tuple(found)


register = ReportType
OVER_TIME = ("line", "trend")
"""The kinds of plots of a report over time."""
_TYPES: dict[str, ReportType] = {}  # by the names of their functions
_FRAMES = (pd.DataFrame | ArrowTable, pd.DataFrame | ArrowTable | None)
_NUMBERS = ("float64", "int64", "Int64")


def type_named(name: Any) -> ReportType | None:
    """The type of the report that a function of this name returns."""
    return _TYPES.get(str(name))


def registered_types() -> list[ReportType]:
    """The types of all reports, sorted by name."""
    return [_TYPES[name] for name in sorted(_TYPES)]


def types_of(kind: ReportType, attrs: Mapping[Any, Any]) -> list[ReportType]:
    """The type of a report, and the type of the reports that it shows side by side."""
    shown = type_named(attrs.get("of"))
    return [kind] if shown is None else [kind, shown]


def type_of(frame: pd.DataFrame, attrs: Mapping[Any, Any]) -> ReportType | None:
    """The type of report that a frame with these attrs is; None if its columns do not fit."""
    kind = type_named(attrs.get("report"))
    if kind is None or not frame.columns.is_unique:
        return None
    dtypes = dict(zip(frame.columns, frame.dtypes, strict=True))
    by = attrs.get("by")
    for name in by if isinstance(by, list) else [by]:
        if not {*(kind.labels or {}).get(str(name), ())} <= dtypes.keys():
            return None
    columns = [column for each in types_of(kind, attrs) for column in each.columns]
    fits = (each.name in dtypes and _fits(each.dtype, dtypes[each.name]) for each in columns)
    return kind if all(fits) else None


def _fits(expected: str, dtype: Any) -> bool:
    """Whether a column has numbers or days where they are expected."""
    if expected in _NUMBERS:
        return bool(pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype))
    return not expected.startswith("datetime") or bool(pd.api.types.is_datetime64_any_dtype(dtype))


def typed_values(column: Column, values: Any) -> Any:
    """Values as an array with the dtype of a column; None and no values give an empty one."""
    if values is None or len(values) == 0:
        return column.array([])
    dtype = getattr(values, "dtype", None)
    if column.dtype == "str" and isinstance(dtype, pd.StringDtype) and dtype == TEXT:
        return pd.array(values, dtype=TEXT)
    is_category = column.dtype == "category" and not isinstance(dtype, pd.CategoricalDtype)
    if column.dtype == "str" or is_category:
        texts = pd.Series(values).astype(object)
        return column.array(texts.where(texts.notna(), None).tolist())
    if column.dtype in {"Int64", "boolean", "category"}:
        return pd.Series(values).astype(pd.api.types.pandas_dtype(column.dtype)).array
    return np.asarray(values).astype(column.dtype)

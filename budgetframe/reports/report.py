"""The class of all reports: a frame with a name, the rules of its calculation, and a plot."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from html import escape
from inspect import cleandoc
from textwrap import indent
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.plotting import PlotAccessor

from budgetframe._runtime.deferred_warnings import collected_warnings
from budgetframe._runtime.printable import visible
from budgetframe.errors import ToolError
from budgetframe.frames.schema import Column, column_table

from .plotting.options import PlotOptions

__all__ = ["Report", "ReportType", "make_report", "on_canvas", "register"]

if TYPE_CHECKING:
    from .plotting.canvas import Canvas

# The keys in `attrs` that a report takes over from its frames, and how to join different texts.
_ORIGIN = ("as_of", "source", "budget", "currency_format", "stale")
_SEPARATORS = {"source": " and ", "stale": "; "}


@dataclass(frozen=True, slots=True)
class ReportType:
    """A type of report, for example the type of all results of `net_worth`.

    Parameters
    ----------
    name : str
        Name of its function.
    columns : tuple of Column
        The columns that do not depend on a parameter. Columns that name a group come before them.
    picture : callable
        Draws a frame with these columns; takes the frame, the ``attrs`` of the report and the
        options of the plot.
    """

    name: str
    columns: tuple[Column, ...]
    picture: Callable[[pd.DataFrame, Mapping[Any, Any], PlotOptions], Any]


_TYPES: dict[str, ReportType] = {}
_PANDAS_ARGUMENTS = {"kind", "x", "y"}  # with one of these, pandas draws the plot
_TIME_COLUMNS = ("period", "date", "month")


class Report(pd.DataFrame):
    """A DataFrame with the rules of its calculation and a plot.

    ``attrs["report"]`` is the name of the report, and ``attrs["rules"]`` is a list of rules, each
    a sentence. A selection of rows is still a report and can be drawn. After columns were removed
    it behaves like an ordinary DataFrame.

    Parameters
    ----------
    data, *args, **kwargs
        As for a DataFrame. A frame that was a report becomes a report again if it still has its
        ``attrs``, for example after it was read from a Parquet file.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> worth = bf.reports.net_worth()
    >>> worth.attrs["report"]
    'net_worth'
    >>> worth.attrs["rules"][0]
    'Every account of the ledger counts, including tracking accounts and closed accounts.'
    """

    def __init__(self, data: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(data, *args, **kwargs)  # type: ignore[call-arg]  # not in pandas-stubs
        if isinstance(data, pd.DataFrame) and data.attrs:  # pandas does not copy them
            self.attrs = deepcopy(data.attrs)

    @property
    def _constructor(self) -> Callable[..., Report]:
        return Report

    @property
    def plot(self) -> Picture:
        """Plots: ``report.plot()`` draws the report, ``report.plot.bar()`` a plot of pandas."""
        return Picture(self)

    @property
    def kind(self) -> ReportType | None:
        """The type of the report; None if columns of this type are missing."""
        kind = _TYPES.get(str(self.attrs.get("report")))
        is_complete = kind is not None and {each.name for each in kind.columns} <= {*self.columns}
        return kind if is_complete else None

    def _repr_html_(self) -> str | None:
        table: str | None = super()._repr_html_()  # type: ignore[misc]  # not in pandas-stubs
        if table is None or self.kind is None:
            return table
        rules = "".join(
            f"<li>{escape(visible(str(rule)))}</li>" for rule in self.attrs.get("rules", ())
        )
        return (
            f"{table}<details style='font-size:smaller;opacity:0.8'>"
            f"<summary>{escape(self.kind.name)}: how it is counted</summary>"
            f"<ul style='margin:0.3em 0'>{rules}</ul></details>"
        )


class Picture(PlotAccessor):
    """The plot of a report, and the plots that pandas offers.

    Parameters
    ----------
    report : Report
        The report to draw.
    """

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._report = report

    def __call__(  # type: ignore[override]  # other parameters than those of pandas
        self,
        *args: Any,
        ax: Any = None,
        theme: str | None = None,
        figsize: tuple[float, float] | None = None,
        title: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Draw the report.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new figure with the width of a notebook.
            The background of given axes does not change.
        theme : {"light", "dark"}, optional
            A fixed background, and colours that fit it. By default the colours fit the given
            axes, or a dark style of matplotlib: after ``plt.style.use("dark_background")`` all
            plots are dark. Otherwise a plot has the text colour and the background of the
            notebook or page that shows it, and files that ``savefig`` writes are light.
        figsize : tuple of float, optional
            Width and height in inches.
        title : str, optional
            A title that replaces the report's own title.
        *args, **kwargs
            As for ``DataFrame.plot``. With ``kind``, ``x`` or ``y`` pandas draws the plot.

        Returns
        -------
        matplotlib Axes
            For an income Sankey a plotly diagram.

        Raises
        ------
        ToolError
            When the plotting library is not installed, the report has no rows, or an argument
            does not fit: `theme` for a plot of pandas, an argument of pandas for a report's plot.
        """
        kind = self._report.kind
        if args or kind is None or not kwargs.keys().isdisjoint(_PANDAS_ARGUMENTS):
            if theme is not None:
                raise ToolError(f"theme={theme!r}: a plot that pandas draws has no theme")
            given = {"ax": ax, "figsize": figsize, "title": title}
            given = {name: value for name, value in given.items() if value is not None}
            return super().__call__(*args, **kwargs, **given)
        if kwargs:
            raise ToolError(
                f"{', '.join(kwargs)}: the plot of a report takes ax, theme, figsize and title;"
                " with kind=, x= or y= pandas draws the plot and takes its own arguments"
            )
        if self._report.empty:
            raise ToolError(f"nothing to draw: this {kind.name} has no rows")
        options = PlotOptions(ax, theme, figsize, title)
        return kind.picture(pd.DataFrame(self._report), self._report.attrs, options)


def make_report(
    kind: ReportType,
    values: Mapping[str, Any],
    *,
    of: Sequence[pd.DataFrame],
    rules: Iterable[str],
    keys: Sequence[Column] = (),
    **attrs: Any,
) -> Report:
    """Build a report from its columns.

    Parameters
    ----------
    kind : ReportType
        The type of the report.
    values : mapping of str to array
        The columns by name. Further entries are ignored; a missing column is empty.
    of : sequence of DataFrame
        The frames of the calculation. The report takes over what their ``attrs`` say about their
        origin.
    rules : iterable of str
        The rules of the calculation, as sentences. Empty texts are ignored. Further rules state
        that a frame has fewer rows than it was read with, and how many rows have no amount.
    keys : sequence of Column
        Columns before the columns of the type.
    **attrs
        Further entries of ``attrs``. None is ignored.
    """
    typed = {
        column.name: _typed(column, values.get(column.name)) for column in (*keys, *kind.columns)
    }
    report = Report(typed)
    stated = [*rules, *map(_filtered_rule, of), _missing_amounts_rule(of)]
    report.attrs = {"report": kind.name, "rules": [rule for rule in stated if rule]}
    report.attrs |= _origin(of)
    report.attrs |= {name: value for name, value in attrs.items() if value is not None}
    return report


def register(
    function: Callable[..., Report],
    columns: tuple[Column, ...],
    picture: Callable[[pd.DataFrame, Mapping[Any, Any], PlotOptions], Any],
) -> ReportType:
    """Register the type of report that a function returns.

    The table of columns is added to the docstring of the function, at the end of "Returns".
    """
    if function.__doc__:  # python -OO removes docstrings
        start, heading, rest = cleandoc(function.__doc__).partition("\n\nRaises\n------\n")
        table = indent(column_table(columns), "    ")
        function.__doc__ = f"{start}\n\n{table}{heading}{rest}\n"
    kind = _TYPES[function.__name__] = ReportType(function.__name__, columns, picture)
    return kind


def on_canvas(draw: Callable[[pd.DataFrame, Canvas], Any]) -> Callable[..., Any]:
    """The `picture` of a `ReportType`, from a function that draws on a matplotlib canvas."""

    def picture(frame: pd.DataFrame, attrs: Mapping[Any, Any], options: PlotOptions) -> Any:
        from .plotting.canvas import canvas  # noqa: PLC0415 - matplotlib is an extra, and slow to import

        time = next((name for name in _TIME_COLUMNS if name in frame), None)
        if time is not None:  # the user can have sorted the rows in another order
            frame = frame.sort_values(time, kind="stable")
        with collected_warnings() as collected, canvas(attrs, options) as prepared:
            drawn = draw(frame, prepared)
        for warning in collected:
            warnings.warn(warning, stacklevel=3)  # the line that calls `plot`
        return drawn

    return picture


def _typed(column: Column, values: Any) -> Any:
    if values is None or len(values) == 0:
        return column.array([])
    if column.dtype == "str":
        texts = pd.Series(values).astype(object)
        return column.array(texts.where(texts.notna(), None).tolist())
    if column.dtype in {"Int64", "category"}:
        return pd.Series(values).astype(pd.api.types.pandas_dtype(column.dtype)).array
    return np.asarray(values).astype(column.dtype)


def _filtered_rule(frame: pd.DataFrame) -> str:
    """The rule about a ledger that the user filtered; empty if the frame has all of its rows."""
    count = frame.attrs.get("rows")
    if not isinstance(count, int) or len(frame) >= count:
        return ""
    return f"The ledger was filtered before: it has {len(frame):,} of its {count:,} rows."


def _missing_amounts_rule(frames: Sequence[pd.DataFrame]) -> str:
    """The rule about rows without an amount; empty if there are none."""
    count = sum(int(frame["amount"].isna().sum()) for frame in frames if "amount" in frame)
    if not count:
        return ""
    have = "row has no amount and counts" if count == 1 else "rows have no amount and count"
    return f"Missing amounts: {count:,} {have} as 0."


def _origin(frames: Sequence[pd.DataFrame]) -> dict[Any, Any]:
    """What the frames say about their origin; with different times, the oldest."""
    origin: dict[Any, Any] = {}
    for name in _ORIGIN:
        known = [frame.attrs[name] for frame in frames if frame.attrs.get(name)]
        if not known:
            continue
        if name == "as_of":
            origin[name] = min(known)
        elif name in _SEPARATORS:
            separator = _SEPARATORS[name]
            each = [part for text in known for part in str(text).split(separator)]
            origin[name] = separator.join(dict.fromkeys(each))
        else:
            origin[name] = known[0]
    return deepcopy(origin)

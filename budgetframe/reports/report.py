"""What a report is: a frame with a name, the rules it was made by, and a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from html import escape
from inspect import cleandoc
from textwrap import indent
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.plotting import PlotAccessor

from budgetframe.errors import ToolError
from budgetframe.frames import Column, column_table

__all__ = ["PlotOptions", "Report", "ReportType", "make_report", "on_canvas", "register"]

if TYPE_CHECKING:
    from budgetframe.reports.plotting.canvas import Canvas

_SOURCE = ("as_of", "source", "budget", "currency_format", "stale")
"""What a report takes over from what its frames say of themselves."""
_JOINED = {"source": " and ", "stale": "; "}


class PlotOptions(NamedTuple):
    """Where and how something is drawn, as `Picture` explains it."""

    ax: Any = None
    theme: str | None = None
    figsize: tuple[float, float] | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class ReportType:
    """A sort of report.

    Parameters
    ----------
    name : str
        That of its function.
    columns : tuple of Column
        Its columns, after those that say what a row is about, where these depend on a parameter.
    picture : callable
        Draws a frame with these columns; takes what the report says of itself, and how to look.
    """

    name: str
    columns: tuple[Column, ...]
    picture: Callable[[pd.DataFrame, Mapping[Any, Any], PlotOptions], Any]


_KINDS: dict[str, ReportType] = {}
_OF_PANDAS = {"kind", "x", "y"}
_TIME = ("period", "date", "month")


class Report(pd.DataFrame):
    """A DataFrame that knows the rules it was made by, and how it is drawn.

    ``attrs["report"]`` is its name and ``attrs["rules"]`` the rules, each a sentence. Rows that are
    cut out of it can be drawn like the whole. With other columns it is a frame like any other.

    Parameters
    ----------
    data, *args, **kwargs
        As for a DataFrame. Of a frame that was a report it is one again: of what was read from
        Parquet, which keeps what a frame says of itself.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> worth = bf.reports.net_worth()
    >>> worth.attrs["report"]
    'net_worth'
    >>> worth.attrs["rules"][0]
    'Every account counts, tracking ones too, and closed ones for their past.'
    """

    def __init__(self, data: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(data, *args, **kwargs)  # type: ignore[call-arg]  # not in pandas-stubs
        if isinstance(data, pd.DataFrame) and data.attrs:  # pandas would forget them
            self.attrs = deepcopy(data.attrs)

    @property
    def _constructor(self) -> Callable[..., Report]:
        return Report

    @property
    def plot(self) -> Picture:
        """Draws the report: ``report.plot()``; or whatever pandas draws: ``report.plot.bar()``."""
        return Picture(self)

    @property
    def kind(self) -> ReportType | None:
        """What sort of report it is; None if its columns are not such a one's any more."""
        kind = _KINDS.get(str(self.attrs.get("report")))
        is_whole = kind is not None and {column.name for column in kind.columns} <= {*self.columns}
        return kind if is_whole else None

    def _repr_html_(self) -> str | None:
        table: str | None = super()._repr_html_()  # type: ignore[misc]  # not in pandas-stubs
        if table is None or self.kind is None:
            return table
        rules = "".join(f"<li>{escape(str(rule))}</li>" for rule in self.attrs.get("rules", ()))
        return (
            f"{table}<details style='font-size:smaller;opacity:0.8'>"
            f"<summary>{escape(self.kind.name)}: how it is counted</summary>"
            f"<ul style='margin:0.3em 0'>{rules}</ul></details>"
        )


class Picture(PlotAccessor):
    """The picture of a report, and pandas' own plots of it.

    Parameters
    ----------
    report : Report
        What is drawn.
    """

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._report = report

    def __call__(  # type: ignore[override]  # of what it shows by itself
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
            Where to draw; by default on a figure of its own, of a notebook's width. The paper of
            given axes stays as it is.
        theme : {"light", "dark"}, optional
            The background it is to be read on; by default that of the given axes, or of
            matplotlib's style, which ``plt.style.use("dark_background")`` makes dark for all that
            is drawn from then on.
        figsize : tuple of float, optional
            Width and height in inches.
        title : str, optional
            Instead of the report's own.
        *args, **kwargs
            As for ``DataFrame.plot``. With ``kind``, ``x`` or ``y`` it is a plot of pandas' own.

        Returns
        -------
        matplotlib Axes
            For an income Sankey a picture of plotly instead.

        Raises
        ------
        ToolError
            When the library that draws is not installed, there are no rows, or an argument is
            one of pandas' for a picture that is not.
        """
        kind = self._report.kind
        if args or kind is None or not kwargs.keys().isdisjoint(_OF_PANDAS):
            if theme is not None:
                raise ToolError(f"theme={theme!r}: this is a plot of pandas' own, which has none")
            given = {"ax": ax, "figsize": figsize, "title": title}
            given = {name: value for name, value in given.items() if value is not None}
            return super().__call__(*args, **kwargs, **given)
        if kwargs:
            raise ToolError(
                f"{', '.join(kwargs)}: a report's plot takes ax, theme, figsize and title; with"
                " kind=, x= or y= it is one of pandas' own"
            )
        if self._report.empty:
            raise ToolError(f"nothing to draw: this {kind.name} has no rows")
        look = PlotOptions(ax, theme, figsize, title)
        return kind.picture(pd.DataFrame(self._report), self._report.attrs, look)


def make_report(
    kind: ReportType,
    values: Mapping[str, Any],
    *,
    of: Sequence[pd.DataFrame],
    rules: Iterable[str],
    keys: Sequence[Column] = (),
    **said: Any,
) -> Report:
    """A report of its columns.

    Parameters
    ----------
    kind : Kind
        What sort.
    values : mapping of str to array
        Its columns, and maybe others.
    of : sequence of DataFrame
        What it is made of: what these say of themselves, it says too.
    rules : iterable of str
        How it was counted, in sentences.
    keys : sequence of Column
        Columns before those of the sort.
    **said
        More to say in ``attrs``.
    """
    typed = {
        column.name: _typed(column, values.get(column.name)) for column in (*keys, *kind.columns)
    }
    report = Report(typed)
    report.attrs = {"report": kind.name, "rules": [rule for rule in rules if rule]}
    report.attrs |= _told(of)
    report.attrs |= {name: value for name, value in said.items() if value is not None}
    return report


def register(
    function: Callable[..., Report],
    columns: tuple[Column, ...],
    picture: Callable[[pd.DataFrame, Mapping[Any, Any], PlotOptions], Any],
) -> ReportType:
    """The sort of report that a function makes, known by its name from now on.

    The columns go into its docstring, below what it says it returns.
    """
    if function.__doc__:  # there is none under -OO
        start, heading, rest = cleandoc(function.__doc__).partition("\n\nRaises\n------\n")
        table = indent(column_table(columns), "    ")
        function.__doc__ = f"{start}\n\n{table}{heading}{rest}\n"
    kind = _KINDS[function.__name__] = ReportType(function.__name__, columns, picture)
    return kind


def on_canvas(draw: Callable[[pd.DataFrame, Canvas], Any]) -> Callable[..., Any]:
    """The picture that is drawn with matplotlib."""

    def picture(frame: pd.DataFrame, attrs: Mapping[Any, Any], look: PlotOptions) -> Any:
        from budgetframe.reports.plotting.canvas import canvas  # noqa: PLC0415 - matplotlib is an extra, and slow to import

        time = next((name for name in _TIME if name in frame), None)
        if time is not None:  # also what was turned round is drawn in order
            frame = frame.sort_values(time, kind="stable")
        with canvas(attrs, look) as prepared:
            return draw(frame, prepared)

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


def _told(frames: Sequence[pd.DataFrame]) -> dict[Any, Any]:
    """What the frames say of themselves: of the oldest of them, where they differ."""
    said: dict[Any, Any] = {}
    for name in _SOURCE:
        known = [frame.attrs[name] for frame in frames if frame.attrs.get(name)]
        if not known:
            continue
        if name == "as_of":
            said[name] = min(known)
        elif name in _JOINED:
            each = [part for text in known for part in str(text).split(_JOINED[name])]
            said[name] = _JOINED[name].join(dict.fromkeys(each))
        else:
            said[name] = known[0]
    return deepcopy(said)

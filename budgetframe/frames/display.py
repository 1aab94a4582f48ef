"""Text and HTML of a frame that show each row on one line, with the columns that fit."""

from __future__ import annotations

import sys
from collections.abc import (
    Callable,
    Collection,
    Container,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import lru_cache, partial, wraps
from html import escape
from itertools import chain
from shutil import get_terminal_size
from threading import RLock
from typing import Any, NamedTuple

import pandas as pd

from budgetframe._runtime.text import number_of, visible, width_of

from .number_text import Currency, in_currency, number_text, share_text
from .schema import CURRENCY, DELETED, LEVEL, LINE, LINES, MILLIUNITS_SUFFIX, SHARE, Column
from .tables import LEDGER, SPLIT_ROWS, TABLES

_WIDTH = 120  # characters of a line, if neither the options of pandas nor a terminal state it
_PAGE_WIDTH = 110  # the same for a page: these letters fit beside the side bar of JupyterLab
_PANDAS_WIDTH = 80  # the default of display.width
_PANDAS_COLUMNS = (0, 20)  # the defaults of display.max_columns, in a terminal and elsewhere
_NARROWEST = 6  # characters of a period such as 2026, with its gap
_SHORT, _COMFORTABLE = 12, 24  # characters of a text
_GAP = 2  # spaces before a column
_DECIMALS = 4  # of a number that is not money
_MIDNIGHT = pd.Timedelta(0)
STYLE = (
    "<style>table.budgetframe td, table.budgetframe th"
    " {white-space: nowrap; font-variant-numeric: tabular-nums}</style>"
)
"""The style of the tables with the class ``budgetframe`` in a page."""


class Layout(NamedTuple):
    """How the columns of a frame are shown.

    Keys are never shown. `first` is the number of columns that are shown even if their texts must
    be cut; of these, the `optional` ones are left out first if the line is too short.
    """

    units: Mapping[str, str]  # of columns; those of amounts and shares decide how they are written
    hidden: Container[str] = ()  # further columns that are not shown
    first: int = 8
    optional: Container[str] = ("memo", "note")
    whole: Container[str] = ()  # columns with texts that are never cut
    kept: Container[str] = ()  # columns that are shown even if they have no value
    always: Collection[str] = ()  # the same, and in a line of any width
    unless_zero: Container[str] = ()  # columns that are only named if every row has a zero
    periods: Container[str] = ()  # columns of which the last ones have priority
    advice: str = ""  # where the columns are that do not fit

    @classmethod
    def of(cls, columns: Iterable[Column], **more: Any) -> Layout:
        """The layout of a frame with these columns; `more` are other fields."""
        known = [*columns]
        return cls(
            {column.name: column.unit for column in known},
            always={each.name for each in known if each.display in {"always", "whole"}},
            unless_zero={column.name for column in known if column.display == "unless zero"},
            hidden={column.name for column in known if column.display == "hidden"},
            **more,
        )


class _Cells(NamedTuple):
    """The texts of one column, and whether they may be cut."""

    name: str
    texts: list[str]
    is_text: bool

    def width_within(self, limit: int) -> int:
        """Characters of the column if its texts are cut to a limit."""
        widest = max(map(width_of, self.texts), default=0)
        # pandas writes two spaces before the widest text, but only one before a name.
        return max(min(widest, limit) if self.is_text else widest, width_of(self.name) - 1)


class _Selection(NamedTuple):
    """What is shown of a frame: texts of some rows and columns, and a last line."""

    rows: pd.DataFrame
    max_rows: int | None
    caption: str
    details: str  # the last line, with the names of all columns that are not shown
    levels: Sequence[int]  # of the rows of a statement


OPTIONS = RLock()  # held while options of pandas are changed, which are those of all threads
LAYOUTS: list[Callable[[pd.DataFrame], Layout | None]] = []
"""Functions that return how frames with known columns are shown, and None for other frames."""


def layout_of(frame: pd.DataFrame) -> Layout | None:
    """How a frame is shown; None if it is no frame of a budget, or one with other columns."""
    # A frame of a budget is recognised by its ``attrs``, so that its rows are still one; a class of
    # this package has a method.
    if type(frame).__module__.partition(".")[0] == "budgetframe":
        return frame._layout()  # type: ignore[operator, no-any-return]  # noqa: SLF001
    if type(frame) is not pd.DataFrame or not {"as_of", "budget"} & frame.attrs.keys():
        return None
    return next(filter(None, (find(frame) for find in LAYOUTS)), None)


def show_tables(*tables: Sequence[Column], whole: Container[str] = ()) -> None:
    """Show frames of a budget that have exactly the columns of a table; `whole`: see `Layout`."""
    layouts = {
        frozenset(column.name for column in columns): Layout.of(columns, whole=whole)
        for columns in tables
    }
    LAYOUTS.append(lambda frame: layouts.get(frozenset(frame.columns.tolist())))


_TABLES = [*(table.columns for table in (*TABLES.values(), SPLIT_ROWS)), LEDGER]
_OF_TABLES = Layout.of(chain.from_iterable(_TABLES))


def _shapes(columns: tuple[Column, ...]) -> list[tuple[frozenset[str], frozenset[str]]]:
    """The columns that a frame of a table has, and those that it can have, for each unit."""
    read = [column for column in columns if not column.name.endswith("_id")]
    amounts = [n for n, column in enumerate(read, start=1) if column.unit == CURRENCY]
    first = [column for column in read[: amounts[0] if amounts else None] if column.name != "memo"]
    shapes = []
    for suffix in ("", MILLIUNITS_SUFFIX):
        needed, known = (
            frozenset(column.name + (suffix if column.unit == CURRENCY else "") for column in part)
            for part in (first, (*columns, DELETED))
        )
        shapes.append((needed, known))
    return shapes


_SHAPES = [*chain.from_iterable(map(_shapes, _TABLES))]


def _layout_of_table(frame: pd.DataFrame) -> Layout | None:
    extra = frozenset(frame.attrs.get("extra", ()))
    fits = _is_of_table(tuple(frame.columns.tolist()), extra)
    return _OF_TABLES._replace(hidden=extra) if fits else None


@lru_cache(maxsize=512)
def _is_of_table(columns: tuple[Hashable, ...], extra: frozenset[str]) -> bool:
    """Whether these are columns of a table or the ledger, up to the first amount or all."""
    names = set(columns) - extra
    return any(first <= names <= known for first, known in _SHAPES)


LAYOUTS.append(_layout_of_table)


def one_line_text(frame: pd.DataFrame, layout: Layout) -> str | None:
    """Write the first columns of a frame as text; None if pandas should write it."""
    if _is_for_pandas(frame):
        return None
    shown = _select(frame, layout, line_width())
    if shown.levels:  # pandas writes texts at the right
        width = max(map(width_of, shown.rows[LINE]))
        shown.rows[LINE] = [text + " " * (width - width_of(text)) for text in shown.rows[LINE]]
    if frame.empty:
        table = (" " * _GAP).join(shown.rows.columns)
    else:
        with pd.option_context("display.unicode.east_asian_width", True):  # noqa: FBT003
            table = shown.rows.to_string(max_rows=shown.max_rows, show_dimensions=False)
    return f"{table}\n{shown.caption}"


def one_line_html(frame: pd.DataFrame, layout: Layout) -> str | None:
    """Write the first columns of a frame as HTML; None if pandas should write it."""
    if _is_for_pandas(frame) or not pd.get_option("display.notebook_repr_html"):
        return None
    shown = _select(frame, layout, line_width(is_page=True))
    rows = shown.rows
    if shown.levels:  # with markup, so that its texts are escaped here
        rows = (
            rows.map(escape).rename(columns=escape).set_axis([*map(escape, map(str, rows.index))])
        )
        rows[LINE] = "<div style='text-align:left;white-space:pre'>" + rows[LINE] + "</div>"
        is_sum = [level < LINES for level in shown.levels]
        rows.loc[is_sum] = "<b>" + rows.loc[is_sum] + "</b>"
    # Two amounts with dollar signs in one cell are not a formula.
    with pd.option_context("display.html.use_mathjax", False, "display.max_colwidth", None):  # noqa: FBT003
        table = rows.to_html(
            max_rows=shown.max_rows, notebook=True, classes="budgetframe", escape=not shown.levels
        )
    lines, title = escape(shown.caption).replace("\n", "<br>"), escape(shown.details)
    caption = f"<p style='font-size:smaller;opacity:0.8' title='{title}'>{lines}</p>"
    return f"{STYLE}{table}{caption}"


def one_line_rows(frame: pd.DataFrame, layout: Layout, width: int) -> pd.DataFrame:
    """The texts of a frame with unique columns that fit into lines of this width, without index."""
    cells = _shown_cells(frame, frame, layout, width)
    return _table(_fitting(cells, width + _GAP, layout), frame.index)


def line_width(*, is_page: bool = False) -> int:
    """The characters of a line: ``display.width`` of pandas, else those of the terminal or page."""
    chosen = pd.get_option("display.width")
    if chosen not in (_PANDAS_WIDTH, None):
        return int(chosen)
    if is_page:
        return _PAGE_WIDTH
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return get_terminal_size((_WIDTH, 0)).columns if is_terminal else _WIDTH


def _is_for_pandas(frame: pd.DataFrame) -> bool:
    """Whether the user asked for another display, or the columns have no unique names."""
    columns = frame.columns
    return (
        pd.get_option("display.max_columns") not in _PANDAS_COLUMNS
        or pd.get_option("display.large_repr") != "truncate"
        or columns.nlevels > 1
        or not columns.is_unique
        or not all(isinstance(name, str) for name in columns)
        or all(name.endswith("_id") for name in columns)
    )


def levels_of(frame: pd.DataFrame) -> list[int]:
    """The levels of the lines of a statement, of which all are shown; none of another frame."""
    is_statement = "report" in frame.attrs and {LINE, LEVEL} <= {*frame.columns}
    return frame[LEVEL].tolist() if is_statement else []


def _select(frame: pd.DataFrame, layout: Layout, width: int) -> _Selection:
    levels = levels_of(frame)
    max_rows = None if levels else _max_rows(len(frame))
    rows = pd.DataFrame(frame)
    if max_rows is not None and 2 * max_rows < len(rows):
        at = [*range(max_rows), *range(len(rows) - max_rows, len(rows))]
        rows = rows.iloc[at]  # pandas leaves out the rows in the middle
    cells = _shown_cells(frame, rows, layout, width)
    table = _table(_fitting(cells, width - _index_width(rows.index), layout), rows.index)
    zero = [name for name in frame.columns if _is_zero(frame, name, layout)]
    caption = _caption(frame, list(table.columns), zero, layout, width)
    return _Selection(table, max_rows, *caption, levels)


def _shown_cells(
    frame: pd.DataFrame, rows: pd.DataFrame, layout: Layout, width: int
) -> Iterator[_Cells]:
    """The texts of the columns that can be shown in lines of this width, for some rows."""
    formats, periods = _formats(frame, rows), [n for n in frame.columns if n in layout.periods]
    # There can be thousands of days, and only the last ones fit.
    for name in frame.columns.drop(periods[: -width // _NARROWEST]):
        if name.endswith("_id") or name in layout.hidden or _is_zero(frame, name, layout):
            continue
        has_values = rows[name].notna().any() or frame[name].notna().any()
        if frame.empty or has_values or name in layout.kept or name in layout.always:
            cells = _cells(name, rows[name], layout.units.get(name, ""), formats)
            if name == LINE and (levels := levels_of(frame)):
                texts = zip(levels, cells.texts, strict=True)
                cells = cells._replace(texts=["  " * level + text for level, text in texts])
            yield cells._replace(is_text=cells.is_text and name not in layout.whole)


def _is_zero(frame: pd.DataFrame, name: str, layout: Layout) -> bool:
    """Whether a column is only named, because it is zero in every row."""
    return name in layout.unless_zero and not frame.empty and bool((frame[name] == 0).all())


def _table(chosen: Sequence[tuple[_Cells, int]], index: pd.Index[Any]) -> pd.DataFrame:
    """The texts of columns, cut to their numbers of characters."""
    texts = {column.name: [_cut(text, limit) for text in column.texts] for column, limit in chosen}
    return pd.DataFrame(texts, index=index, dtype=object)


def _max_rows(count: int) -> int | None:
    """The number of rows to show, as the options of pandas say; None for all rows."""
    most: int | None = pd.get_option("display.max_rows")
    if most == 0:  # the height of the terminal, less the header and the last lines
        most = max(get_terminal_size().lines - 4, 2)
    if most is None or count <= most:
        return None
    least: int | None = pd.get_option("display.min_rows")
    return min(least, most) if least else most


def _fitting(cells: Iterator[_Cells], room: int, layout: Layout) -> list[tuple[_Cells, int]]:
    """The columns that fit, each with the number of characters of its texts."""
    # The first columns have priority over the lengths of texts, and the others have not.
    every = [*cells]
    first = [
        column
        for at, column in enumerate(every)
        if (at < layout.first and column.name not in layout.periods) or column.name in layout.always
    ]
    used, widths = 0, dict[str, int]()
    for column in sorted(
        first, key=lambda column: (column.name not in layout.always, column.name in layout.optional)
    ):
        least = column.width_within(_SHORT)
        if not widths or used + least + _GAP <= room:
            widths[column.name] = least
            used += least + _GAP
    chosen = [column for column in first if column.name in widths]
    used = _widened(chosen, widths, used, room, _COMFORTABLE)
    if len(chosen) == len(first):
        for column in every[::-1] if layout.periods else every:
            if column.name in widths:
                continue
            least = column.width_within(_COMFORTABLE)
            if used + least + _GAP > room:
                break
            chosen.append(column)
            widths[column.name] = least
            used += least + _GAP
    _widened(chosen, widths, used, room, pd.get_option("display.max_colwidth") or room)
    return [(column, widths[column.name]) for column in every if column.name in widths]


def _widened(
    chosen: Sequence[_Cells], widths: dict[str, int], used: int, room: int, limit: int
) -> int:
    """Widen cut texts evenly up to a limit, and return the characters in use."""
    while used < room:
        cut = [column.name for column in chosen if widths[column.name] < column.width_within(limit)]
        if not cut:
            break
        for name in cut[: room - used]:
            widths[name] += 1
            used += 1
    return used


def _cells(name: str, values: pd.Series[Any], unit: str, formats: Iterable[Currency]) -> _Cells:
    """The texts of a column's values, empty if missing; `formats` has the currency of each row."""
    dtype, is_text = values.dtype, False
    is_number = pd.api.types.is_numeric_dtype(dtype)
    if pd.api.types.is_datetime64_any_dtype(dtype):
        days = values.dropna()
        has_times = bool((days - days.dt.normalize() != _MIDNIGHT).any())
        written = values.dt.strftime("%Y-%m-%d %H:%M" if has_times else "%Y-%m-%d").tolist()
    elif unit == CURRENCY and is_number and not pd.api.types.is_bool_dtype(dtype):
        amounts = zip(values.fillna(0), formats, strict=False)
        written = [in_currency(value, form) for value, form in amounts]
    elif pd.api.types.is_float_dtype(dtype):
        decimals = 1 if unit == "deviations" else _DECIMALS
        write = share_text if unit == SHARE else partial(number_text, decimals=decimals)
        numbers = zip(values, formats, strict=False)
        written = [write(value, currency_format=form) for value, form in numbers]
    elif unit == CURRENCY and pd.api.types.is_object_dtype(dtype):  # amounts and other values
        is_text = True
        written = [
            in_currency(value, form, exact=True) if isinstance(value, float) else _one_line(value)
            for value, form in zip(values, formats, strict=False)
        ]
    else:
        is_text = not is_number
        written = [_one_line(value) for value in values]
    is_missing = values.isna().tolist()
    texts = ["" if gone else text for text, gone in zip(written, is_missing, strict=True)]
    return _Cells(name, texts, is_text)


def _one_line(value: Any) -> str:
    text = visible(str(value))
    for character, written in (("\n", r"\n"), ("\r", r"\r"), ("\t", r"\t")):
        text = text.replace(character, written)
    return text


def _formats(frame: pd.DataFrame, rows: pd.DataFrame) -> Iterable[Mapping[str, Any] | None]:
    """The currency format of each row: that of the frame, or else that of its budget."""
    own, budgets = (frame.attrs.get(name) for name in ("currency_format", "budgets"))
    if own is None and isinstance(budgets, dict) and "budget" in rows:
        formats = {name: attrs.get("currency_format") for name, attrs in budgets.items()}
        return [formats.get(name) for name in rows["budget"]]
    return [own if isinstance(own, dict) else None] * len(rows)


def _index_width(index: pd.Index[Any]) -> int:
    lines = pd.DataFrame({"": ""}, index=index).to_string(header=False).splitlines()
    return max(width_of(line.rstrip()) for line in lines) if lines else 0


def _cut(text: str, limit: int) -> str:
    if width_of(text) <= limit:
        return text
    kept, used = "", 0
    for character in text:
        used += width_of(character)
        if used >= limit:
            break
        kept += character
    return f"{kept.rstrip()}…"


def _caption(
    frame: pd.DataFrame, shown: Sequence[str], zero: Sequence[str], layout: Layout, width: int
) -> tuple[str, str]:
    """The numbers of rows and columns, and the names of the columns that are not shown."""
    # The columns `zero` are not shown, because they are zero in every row. Of several periods, the
    # first and the last one are named. The first text has at most `width` characters and counts the
    # names that do not fit, keys apart from others. The second text has all names.
    rows, columns = frame.shape
    size = f"{number_of(rows, 'row')} × {number_of(columns, 'column')}"
    if zero:
        size += f"; zero in every row: {', '.join(map(visible, zero))}"
    missing = [name for name in frame.columns if name not in (*shown, *zero)]
    names = [visible(name) for name in missing if not name.endswith("_id")]
    older = [name for name in names if name in layout.periods]
    if len(older) > 1:
        others = [name for name in names if name not in layout.periods]
        names = [f"{older[0]} to {older[-1]}", *others]
    advice = f"\n{layout.advice}" if layout.advice and names else ""
    keys = [visible(name) for name in missing if name.endswith("_id")]
    if not missing:
        return size, size
    every = f"{size}; not shown: {', '.join([*names, *keys])}"
    if width_of(every) <= width:
        return every + advice, every
    text = size
    for count in range(len(names), -1, -1):
        parts = names[:count]
        if count < len(names):
            parts.append(f"{len(names) - count} more")
        if keys:
            parts.append(number_of(len(keys), "key"))
        listed = " and ".join(part for part in (", ".join(parts[:-1]), parts[-1]) if part)
        text = f"{size}; not shown: {listed}"
        if width_of(text) <= width:
            break
    return text + advice, every


def _show_frames() -> None:
    """Let pandas show the frames of a budget with each row on one line; other frames as before."""
    # With a subclass, ``type(frame)``, pickles and results would not be those of an ordinary frame.
    as_text, as_html = pd.DataFrame.__repr__, pd.DataFrame._repr_html_  # type: ignore[attr-defined]  # not in pandas-stubs

    def shown_by(show: Callable[[pd.DataFrame, Layout], Any], frame: pd.DataFrame) -> Any:
        try:
            layout = layout_of(frame)
            with OPTIONS:
                return layout and show(frame, layout)
        except Exception:  # noqa: BLE001 - any values can be in a frame, and every frame is shown
            return None

    @wraps(as_text)
    def text_of(frame: pd.DataFrame) -> str:
        return shown_by(one_line_text, frame) or as_text(frame)

    @wraps(as_html)
    def html_of(frame: pd.DataFrame) -> Any:
        return shown_by(one_line_html, frame) or as_html(frame)

    pd.DataFrame.__repr__, pd.DataFrame._repr_html_ = text_of, html_of  # type: ignore[method-assign, assignment, attr-defined]


_show_frames()

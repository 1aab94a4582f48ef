"""A page and its sections: a report, a frame, or a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import cleandoc

import pandas as pd

from budgetframe._runtime.text import number_of, visible
from budgetframe.frames.display import levels_of
from budgetframe.frames.number_text import Currency
from budgetframe.frames.schema import LINE
from budgetframe.reports._shared.periods import today_of
from budgetframe.reports._shared.report import Report
from budgetframe.reports._shared.report_types import type_named
from budgetframe.reports._shared.wide import period_columns
from budgetframe.reports.plotting.options import TIME_COLUMNS

from .tables import Table, table_of

_MAX_REPORT_ROWS = 50
_MAX_PERIODS = 5  # columns of a statement
_MAX_FRAME_ROWS = 1_000
_OPTIONAL = (
    "interest", "escrow", "unexplained", "owed_without", "interest_saved", "typical", "baseline",
    "low", "high", "ended_on", "saved",
)  # fmt: skip
# The columns that name a row; the first of them that a report has is the heading of its rows.
_ROW_HEADINGS = (LINE, "category_name", "payee_name", "date", "period", "month")
_BLANK_LINES = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a page: heading, sentences or texts, picture (HTML), table and rules."""

    heading: str
    sentences: Sequence[str] = ()
    texts: Sequence[str] = ()
    picture: str = ""
    is_empty: bool = False
    table: Table | None = None
    summary: str = ""  # with it, a reader opens the table with this text
    caption: str = ""
    rules: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a page shows: its name in a browser, a title, sentences, key figures and sections."""

    name: str
    title: str
    sentences: Sequence[str] = ()
    notices: Sequence[str] = ()  # sentences that a reader must not miss
    figures: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section]

    def text(self) -> str:
        """Return what the page says in words as plain text, without its pictures and tables."""
        figures = [f"{name}: {value}" for name, value in self.figures]
        parts = [[self.title, *self.sentences, *self.notices], figures]
        for section in self.sections:
            nothing = ["Nothing to show yet."] if section.is_empty and not section.sentences else []
            parts.append([section.heading, *section.sentences, *section.texts, *nothing])
        return visible("\n\n".join("\n".join(lines) for lines in parts if lines)) + "\n"


def report_section(
    heading: str,
    report: Report,
    *,
    label: str | None = None,
    sentences: Sequence[str] = (),
    caption: str = "",
    currency_format: Currency = None,
) -> Section:
    """The picture of a report with its title or another label, its table and its rules."""
    is_statement = bool(levels_of(report))
    older = period_columns(report)[:-_MAX_PERIODS]
    frame = report.drop(columns=older) if is_statement else _readable_rows(report)
    is_series = _is_history(frame, report)
    most = len(frame) if is_statement else _MAX_REPORT_ROWS
    shown = (frame.tail if is_series else frame.head)(most)
    which = _which("last" if is_series else "first", len(shown), len(frame))
    which = f"without {older[0]} to {older[-1]}" if older else which
    name = str(report.attrs["report"])
    kind = type_named(name)
    caption = caption or name.replace("_", " ").capitalize()
    main = "" if kind is None else kind.main
    table = table_of(shown, currency_format, row_headings=_ROW_HEADINGS, main=main)
    return Section(
        heading=heading,
        sentences=sentences,
        picture="" if report.empty else _picture(report, label),
        is_empty=report.empty,
        table=None if shown.empty else table,
        summary="" if is_statement else f"Figures: {which}" if which else "Figures",
        caption=f"{caption} ({which})" if which else caption,
        rules=report.attrs.get("rules", ()),
    )


def frame_section(heading: str, frame: pd.DataFrame, *, currency_format: Currency) -> Section:
    """The table of a frame, without columns of keys unless it has no others."""
    amounts = period_columns(frame)  # of a wide form
    is_key = [str(name).endswith("_id") and name not in amounts for name in frame.columns]
    readable = frame if all(is_key) else frame.loc[:, [not each for each in is_key]]
    if "as_of" in frame.attrs and not frame.empty:
        readable = readable.loc[:, readable.notna().any().to_numpy()]
    shown = readable.head(_MAX_FRAME_ROWS)
    which = _which("first", len(shown), len(frame))
    newest = "".join([name for name in amounts if name in shown][-1:])
    table = None if shown.empty else table_of(shown, currency_format, main=newest)
    caption = which.capitalize() or number_of(len(frame), "row")
    rules = frame.attrs.get("rules", ())
    return Section(heading=heading, is_empty=frame.empty, table=table, caption=caption, rules=rules)


def text_section(heading: str, text: str) -> Section:
    """The paragraphs of a text, which blank lines separate."""
    paragraphs = _BLANK_LINES.split(cleandoc(text))
    return Section(heading=heading, texts=[each.strip("\n") for each in paragraphs if each.strip()])


def _readable_rows(report: Report) -> pd.DataFrame:
    """The rows and columns of a report that a reader needs."""
    names = [column for column in report.columns if not column.endswith("_id")]
    # A budget without loans needs no columns for them, and a forecast none for typical amounts.
    is_said = report.notna() & (report != 0)
    names = [name for name in names if name not in _OPTIONAL or is_said[name].any()]
    if "period" in names and len(report) > len(set(report["period"])) == 1:
        names.remove("period")  # all rows have the same
    if "is_complete" in names and report["is_complete"].all():
        names.remove("is_complete")
    table = report[names]
    if report.attrs["report"] == "forecast":  # only the days on which the balance changes
        table = table[(table["change"] != 0) | table["is_lowest"]]
    return table


def _which(part: str, shown: int, count: int) -> str:
    """Which rows a table has; empty if it has all."""
    return "" if shown == count else f"{part} {shown:,} of {count:,} rows"


def _is_history(table: pd.DataFrame, report: Report) -> bool:
    """Whether the last rows are the interesting ones: those of a projection are the first ones."""
    days = next((table[name] for name in TIME_COLUMNS if name in table), None)
    if days is None or days.empty or days.iloc[0] in {days.iloc[-1], today_of(report)}:
        return False
    return bool(days.is_monotonic_increasing)


def _picture(report: Report, label: str | None) -> str:
    from budgetframe.reports.plotting.page_figure import responsive_svg  # noqa: PLC0415 - an extra

    return responsive_svg(report, label=None if label is None else visible(label))

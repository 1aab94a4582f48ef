"""A person's own page: reports, frames and texts under headings."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import PurePath
from typing import TypeAlias

import pandas as pd

from budgetframe._runtime.output_file import output_file, replace_file
from budgetframe._runtime.short_traceback import shown_without_frames
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable, in_pandas
from budgetframe.frames.builder import shown
from budgetframe.frames.display import OPTIONS
from budgetframe.frames.number_text import Currency
from budgetframe.reports._shared.report import Report
from budgetframe.reports.excel.workbook import common_value, kind_of

from .renderer import renderer
from .sections import Page, Section, frame_section, report_section, text_section

_Content: TypeAlias = str | pd.DataFrame | ArrowTable
_SUFFIXES = (".html", ".htm", ".txt")
_TEXT_WIDTH = 76  # characters of a line that programs for e-mail do not break
_EXAMPLE = "write to_page('page.html', {'Spending': bf.reports.spending()})"


@shown_without_frames
def to_page(
    path: str | PathLike[str], contents: Mapping[str, _Content], *, title: str | None = None
) -> None:
    r"""Write reports, frames and texts to one page, in the style of ``budgetframe report``.

    The page is one file that loads no other file and has no script, so that it can be sent to
    somebody, read on a phone, and printed. It is light or dark as the reader's device is.

    Parameters
    ----------
    path : path
        The file to write; its name ends in ``.html``, or in ``.txt`` for plain text, as in an
        e-mail: without pictures, and with tables as ``print`` shows them. An existing file is
        replaced in one step. Only you can read the new file (mode 0600).
    contents : mapping of str to report, DataFrame, ArrowTable or str
        What the page shows, by the headings, in this order. A report is its picture, its table
        and its rules. A DataFrame is a table with its index, unless this numbers the rows. Its
        columns of keys, whose names end in ``_id``, are left out, and of a frame from the service
        those without a value. A text is plain text: its markup is shown
        and not interpreted, and blank lines separate paragraphs.
    title : str, optional
        The title of the page; by default the name of the budget of the frames, or else the name
        of the file without its ending.

    Raises
    ------
    ToolError
        When a library of the extra ``page`` is not installed, the path does not end in ``.html`` or
        ``.txt``, there are no contents, a heading is not a text with letters, a content is neither
        a report nor a frame nor a text, a report cannot be drawn, or the file cannot be written:
        its folder does not exist, or it is a link without a target. Nothing is written then.

    Notes
    -----
    - Amounts have the currency format of their frame, or else that of the other frames, if these
      have one in common.
    - The table of a report has at most 50 rows, and that of a frame 1,000. It says so if the frame
      has more.
    - The diagram of an `income_sankey` is a still picture, and on a phone bars of what the income
      was used for.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> bf = BudgetFrame.sandbox()
    >>> page = {
    ...     "My month": "Groceries were expensive.\n\nThe car was repaired.",
    ...     "Where it went": bf.reports.spending(since="2026-06"),
    ...     "Accounts": bf.accounts()[["account_name", "balance"]],
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_page(f"{folder}/june.html", page, title="June")
    ...     "<title>June</title>" in Path(f"{folder}/june.html").read_text("utf-8")
    True
    """
    contents = _checked(path, contents, title)
    is_text, out = str(path).lower().endswith(".txt"), output_file(path)
    content_of = Page.text if is_text else renderer()
    frames = [each for each in contents.values() if isinstance(each, pd.DataFrame)]
    currency = common_value([each.attrs.get("currency_format") for each in frames])
    given = contents.items()
    sections = [_section(heading, each, currency, is_text=is_text) for heading, each in given]
    notices = [str(each.attrs["stale"]) for each in frames if each.attrs.get("stale")]
    days = {str(each.attrs["as_of"])[:10] for each in frames if each.attrs.get("as_of")}
    budget = common_value([each.attrs.get("budget") for each in frames])
    name = title or str(budget or PurePath(path).stem)
    sentences, notices = [f"As of {min(days)}."] if days else [], [*dict.fromkeys(notices)]
    page = Page(name=name, title=name, sentences=sentences, notices=notices, sections=sections)
    replace_file(out, content_of(page))


def _checked(path: object, contents: object, title: object) -> dict[str, str | pd.DataFrame]:
    """The contents, after a check of the types of all arguments before anything is drawn."""
    if not isinstance(path, str | PathLike):
        raise ToolError(f"path must be a path, but is {kind_of(path)}: {_EXAMPLE}")
    if not str(path).lower().endswith(_SUFFIXES):
        raise ToolError(f"path={shown(str(path))}: the name of a page ends in .html or .txt")
    if not isinstance(contents, Mapping):
        wanted = "reports, frames or texts by their headings"
        raise ToolError(f"contents must have {wanted}, but is {kind_of(contents)}: {_EXAMPLE}")
    if title is not None and not (isinstance(title, str) and title.strip()):
        raise ToolError(f"title={shown(title)}: it must be a text with letters")
    found: dict[str, str | pd.DataFrame] = {}
    for heading, given in contents.items():
        content = in_pandas(given)
        if not (isinstance(heading, str) and heading.strip()):
            raise ToolError(f"the heading {shown(heading)} must be a text with letters: {_EXAMPLE}")
        if not isinstance(content, str | pd.DataFrame):
            advice = "; write .to_frame() after it" if isinstance(content, pd.Series) else ""
            wanted = f"a report, a frame or a text, but is {kind_of(content)}{advice}"
            raise ToolError(f"what is under {shown(heading)} must be {wanted}")
        found[heading] = content
    if not found:
        raise ToolError("there is nothing to write: contents is empty")
    return found


def _section(
    heading: str, content: str | pd.DataFrame, currency: Currency, *, is_text: bool
) -> Section:
    if isinstance(content, str):
        return text_section(heading, content)
    if is_text:
        with OPTIONS, pd.option_context("display.width", _TEXT_WIDTH):
            return Section(heading=heading, texts=[str(content)])
    if isinstance(content, Report) and content.report_type is not None:
        try:
            return report_section(heading, content, currency_format=currency)
        except ToolError as error:
            raise ToolError(f"{shown(heading)}: {error}") from None
    return frame_section(heading, content, currency_format=currency)

"""Text and HTML that changes and the journal show of themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from importlib.util import find_spec
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from budgetframe._changes.preview import layout_of
from budgetframe._runtime.html_table import html_table
from budgetframe._runtime.text import number_of, printable, visible
from budgetframe.frames.display import STYLE, layout_of as known_layout, line_width, one_line_rows

if TYPE_CHECKING:
    from .aio.changes import AsyncChanges
    from .aio.statement import AsyncStatement

_DELETED = "imported before and deleted"  # a reason why a row of a file is left out
_ROWS = 10  # of a frame that are shown
_INDENT = "  "
_VERBS = {"create": "created", "update": "updated", "delete": "deleted"}
_KINDS = ("account", "budget", "category")  # the order of the effects in a preview


class _Table(NamedTuple):
    """The shown rows of a frame, and a line about the others."""

    heading: str
    rows: pd.DataFrame
    others: str = ""


class _List(NamedTuple):
    """Sentences below a heading."""

    heading: str
    sentences: list[str]


class Preview(NamedTuple):
    """What is shown of changes or of the journal, under the name of a class."""

    name: str
    title: str
    tables: list[_Table]
    facts: list[tuple[str, str]]  # names and sentences, which follow the tables
    first: _List | None = None  # what stands before the tables

    def as_text(self) -> str:
        """The preview as lines of text."""
        width = line_width() - len(_INDENT)
        lines = [f"{self.name}: {printable(self.title)}"]
        if self.first is not None:
            lines.append(f"{self.first.heading}:")
            for text in self.first.sentences:
                lines += _wrapped(f"- {text}", width)
        for table in self.tables:
            heading = [f"{table.heading}:"] if table.heading else []
            lines += [*heading, *_lines(table.rows, width), *filter(None, [table.others])]
        lines += [line for name, text in self.facts for line in _wrapped(f"{name}: {text}", width)]
        return f"\n{_INDENT}".join(lines)

    def as_html(self) -> str:
        """The preview as HTML."""
        parts = [f"<p><strong>{self.name}: {escape(visible(self.title))}</strong></p>"]
        if self.first is not None:
            items = "".join(f"<li>{escape(visible(text))}</li>" for text in self.first.sentences)
            parts.append(f"<p><strong>{escape(self.first.heading)}</strong></p><ul>{items}</ul>")
        for table in self.tables:
            parts += [f"<p>{escape(table.heading)}</p>"] if table.heading else []
            parts.append(_page_table(table.rows))
            parts += [f"<p>{escape(table.others)}</p>"] if table.others else []
        parts += [html_table(self.facts)] if self.facts else []
        return STYLE + "".join(parts)


def preview_of_changes(name: str, changes: AsyncChanges) -> Preview:
    """What is shown of changes: fields, effects, conflicts, skipped rows, cost and warnings."""
    frame, effects = changes.frame, changes.known_effects
    tables = [_first(frame, "", ".frame has all changed fields")]
    if effects is not None:
        order = pd.Categorical(effects["kind"], _KINDS)
        effects = effects.iloc[order.argsort(kind="stable")]
        tables.append(_first(effects, "effects", ".effects has all"))
    tables.append(_first(changes.short, "not funded", ".short has all"))
    tables.append(_first(changes.sources, "sources", ".sources has all"))
    tables.append(_first(changes.conflicts, "conflicts", ".conflicts has all"))
    skipped = changes.skipped
    day = "date" if "date" in skipped else "date_next"
    left_out = skipped[[day, "payee_name", "amount", "reason"]]
    tables.append(_first(left_out, "left out", ".skipped has all"))
    facts = [
        *_fields(frame), *cost_of(changes, is_async=name.startswith("Async")), *_conflicts(changes),
        *_skipped(changes), *_of_file(skipped), *_warnings(changes), *_next(changes),
    ]  # fmt: skip
    shown = [each for each in tables if len(each.rows)]
    return Preview(name, _title(changes), shown, facts, _not_undone(changes))


def preview_of_review(name: str, number: int, changes: AsyncChanges, column: str) -> Preview:
    """What is shown of a review where its table cannot be: the changes, and the line to write."""
    found = preview_of_changes(name, changes)
    facts = [(key, f"review.changes{text}" if key == "next" else text) for key, text in found.facts]
    if number and not len(changes):
        line = f"bf.changes(review.frame.assign({column}=...)).apply() changes rows"
        facts.append(("next", line))
    install = "" if find_spec("anywidget") else ": pip install 'budgetframe[widget]'"
    where = f"a notebook shows them as a table to edit, with the extra widget{install}"
    title = f"{number_of(number, 'row')}; {found.title}"
    return found._replace(title=title, facts=[*facts, ("table", where)])


def preview_of_journal(name: str, frame: pd.DataFrame) -> Preview:
    """What is shown of the journal: its newest entries, and what was interrupted."""
    if frame.empty:
        return Preview(name, "nothing was applied", [], [])
    newest = frame.rename_axis("number").reset_index().tail(_ROWS)
    older = len(frame) - len(newest)
    others = f"... and {older:,} older: .frame has all" if older else ""
    facts = [
        ("interrupted", f"entry {number}, {left:,} of its changes are left: .resume() continues")
        for number, left in frame["left"].items()
        if left
    ][-1:]
    advice = (
        ".undo() prepares the reverse changes of the newest entry, .undo(number) others;"
        " .undo().apply() sends them"
    )
    facts.append(("next", advice))
    title = number_of(len(frame), "entry", "entries")
    return Preview(name, title, [_Table("", newest, others)], facts)


def preview_of_statement(name: str, statement: AsyncStatement) -> Preview:
    """What is shown of a statement: one line if it agrees, otherwise what can explain it."""
    compared = statement.compared
    day = f"{compared.on:%Y-%m-%d}"
    warnings = [("warning", text) for text in statement.warnings]
    file = _beside_file(statement)
    if not compared.difference:
        title = f"{compared.account_name} agrees with the bank on {day}: {compared.balance_text}"
        number = len(compared.reconciled(None))
        if number:
            rows = number_of(number, "cleared row")
            title += f"; .changes() marks {rows} as reconciled"
        return Preview(name, f"{title}{'; ' + file if file else ''}", [], warnings)
    sets, errors = statement.explanations, statement.typing_errors
    explain = number_of(sets["set"].nunique(), "set explains it", "sets explain it")
    typed = number_of(
        len(errors),
        "row explains it if its amount has a typing error",
        "rows explain it if their amounts have typing errors",
    )
    tables = [_first(sets, explain, ".explanations has all")]
    tables.append(_first(errors, typed, ".typing_errors has all"))
    later = int(statement.frame["is_later"].sum())
    rows = number_of(len(statement.frame), "row is", "rows are")
    open_rows = f"{rows} not reconciled, {later:,} of them after the day; .frame has them"
    facts = [("open", open_rows)]
    facts += [("file", file)] if file else []
    facts += [*warnings, ("next", _next_of_statement(statement))]
    difference = compared.text(compared.difference)
    title = f"{compared.account_name} on {day}: difference {difference}; {compared.comparison}"
    return Preview(name, title, [each for each in tables if len(each.rows)], facts)


def _beside_file(statement: AsyncStatement) -> str:
    """The numbers of rows that differ from the file; empty without a file."""
    if statement.file is None:
        return ""
    bank, here, differing = (
        len(each)
        for each in (statement.file.only_bank, statement.file.only_here, statement.file.differing)
    )
    return (
        f"{number_of(bank, 'row is', 'rows are')} only in the file (.only_bank),"
        f" {number_of(here, 'row')} only here (.only_here), and"
        f" {number_of(differing, 'pair differs', 'pairs differ')} (.differing)"
    )


def _next_of_statement(statement: AsyncStatement) -> str:
    if len(statement.explanations):
        marked = "all cleared rows up to the day"
        return f".changes(0) gives the rows of set 0 their states, and marks {marked} as reconciled"
    missing = statement.compared.text(statement.compared.difference)
    look = ", or compare the bank's rows with file="
    if statement.file is not None:
        look = "; bf.import_rows() creates those of .only_bank" if len(statement.only_bank) else ""
    if len(statement.typing_errors):
        return f"correct a row in the app or with bf.changes(){look}"
    return f"no set of rows explains it: look for a row of {missing} that is missing here{look}"


def _first(frame: pd.DataFrame, heading: str, advice: str) -> _Table:
    more = len(frame) - _ROWS
    note = f"... and {more:,} more: {advice}" if more > 0 else ""
    return _Table(heading, frame.head(_ROWS), note)


def _title(changes: AsyncChanges) -> str:
    counts = changes.counts
    if changes.is_interrupted:
        may = f" {counts['unknown']:,} may have been made," if counts["unknown"] else ""
        total = number_of(sum(counts[name] for name in ("done", "unknown", "left")), "change")
        done, left = counts["done"], counts["left"]
        is_left = f"{number_of(left, 'is', 'are')} left"
        return f"interrupted: of {total}, {number_of(done, 'was', 'were')} made,{may} and {is_left}"
    undo = "undo: " if changes.is_undo else ""
    verb = ("was", "were") if counts["done"] else ("will be", "will be")
    texts = [
        f"{number_of(number, 'row')} {verb[number != 1]} {_VERBS[action]}"
        for action, number in changes.rows.items()
        if number
    ]
    return undo + (", ".join(texts) or "nothing to change")


def _fields(frame: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """The number of cells of each field, if not all of them are shown."""
    if len(frame) > _ROWS:
        counts = frame["field"].value_counts(sort=False).items()
        yield "fields", ", ".join(f"{name} {number:,}" for name, number in counts)


def _not_undone(changes: AsyncChanges) -> _List | None:
    """What cannot be undone in full, as long as something is left to be sent."""
    if not (changes.not_undone and _is_left(changes)):
        return None
    heading = "not restored in full" if changes.is_undo else "cannot be undone in full"
    return _List(heading, changes.not_undone)


def _warnings(changes: AsyncChanges) -> Iterator[tuple[str, str]]:
    """The other warnings, as long as something is left to be sent."""
    others = changes.warnings[len(changes.not_undone) :]
    yield from (("warning", text) for text in others if _is_left(changes))


def _is_left(changes: AsyncChanges) -> bool:
    counts = changes.counts
    return bool(changes.requests) or not (counts["done"] or counts["conflicts"])


def cost_of(changes: AsyncChanges, *, is_async: bool = False) -> Iterator[tuple[str, str]]:
    """The requests that changes need and what the limit leaves, and how to see the effects."""
    if not changes.requests:
        return
    left, _ = changes.limit
    when = "first" if changes.compares_first else "if more than ten seconds pass"
    after = _after(changes)
    rest = f" and {after:,} after them" if after >= 0 else ", which is not enough"
    writes, reads = number_of(changes.requests, "write request"), number_of(changes.reads, "read")
    reads = reads if changes.reads == 1 else f"up to {reads}"
    yield "cost", f"{writes}, and {reads} {when}; the limit leaves {left:,} now{rest}"
    if changes.known_effects is None and not changes.counts["done"]:
        effects = "await .effects()" if is_async else ".effects"
        yield "effects", f"{effects} shows them, for at most one request"


def _after(changes: AsyncChanges) -> int:
    """The requests that the limit leaves after the changes."""
    return changes.limit[0] - changes.requests - changes.reads


def _conflicts(changes: AsyncChanges) -> Iterator[tuple[str, str]]:
    number = changes.counts["conflicts"]
    if number:
        text = f"{number_of(number, 'row is', 'rows are')} not written"
        problems = changes.conflicts["problem"].str
        if problems.startswith("changed since the frame was read").any():
            text += "; read the frame again, or .apply(overwrite=True) overwrites later changes"
        elif problems.startswith(("changed elsewhere", "changed since")).any():
            text += "; .apply(overwrite=True) writes what was changed elsewhere"
        yield "conflicts", text


def _skipped(changes: AsyncChanges) -> Iterator[tuple[str, str]]:
    number = len(changes.skipped)
    if number:
        text = f"{number_of(number, 'row is', 'rows are')} in .skipped"
        if (changes.skipped["reason"] == _DELETED).any():
            text += (
                f"; with s = imported.skipped, bf.changes(s[s['reason'] == {_DELETED!r}]) creates"
                " the deleted rows again"
            )
        elif "transaction_id" in changes.skipped and (
            changes.skipped["reason"].str.contains("split: the service cannot change").any()
        ):
            are = "it is" if number == 1 else "they are"
            text += f'; with splits="replace", {are} changed by a deletion and a creation'
        yield "left out", text


def _of_file(skipped: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """How the file of a bank was read, and how many of its rows are no bookings."""
    reasons = Counter(row["reason"] for row in skipped.attrs.get("left_out", ()))
    if reasons:
        parts = ", ".join(f"{reason} ({number:,})" for reason, number in reasons.items())
        are = number_of(reasons.total(), "row is no booking", "rows are no bookings")
        yield "file", f"{are}: {parts}"
    if sentences := skipped.attrs.get("reading"):
        yield "file", "; ".join(sentences)


def _next(changes: AsyncChanges) -> Iterator[tuple[str, str]]:
    needed = changes.requests + changes.reads
    if changes.requests and changes.no_writes:
        yield "next", f".apply() sends nothing: {changes.no_writes}"
    elif changes.requests and _after(changes) < 0 and changes.requests <= changes.limit[1]:
        yield "next", f".apply() sends nothing before the limit leaves {needed:,} requests"
    elif changes.is_interrupted:
        yield "next", ".apply() finds out what was made, and sends the rest"
    elif changes.requests:
        yield "next", ".apply() sends the changes"
    elif changes.counts["done"]:
        yield "next", ".undo() prepares the reverse changes, .undo().apply() sends them"


def _wrapped(sentence: str, width: int) -> list[str]:
    return wrap(
        printable(sentence), width, subsequent_indent=_INDENT, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _lines(rows: pd.DataFrame, width: int) -> list[str]:
    texts = _texts(rows, width)
    with pd.option_context("display.unicode.east_asian_width", True):  # noqa: FBT003
        lines: list[str] = texts.to_string(index=False).splitlines()
    return lines


def _page_table(rows: pd.DataFrame) -> str:
    texts = _texts(rows, line_width(is_page=True))
    # Two amounts with dollar signs in one cell are not a formula.
    with pd.option_context("display.html.use_mathjax", False, "display.max_colwidth", None):  # noqa: FBT003
        table: str = texts.to_html(index=False, border=0, classes="budgetframe")
    return table


def _texts(rows: pd.DataFrame, width: int) -> pd.DataFrame:
    return one_line_rows(rows, known_layout(rows) or layout_of(rows), width)

"""Rules of a CSV file, which say what the rows that meet their conditions are set to."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from io import StringIO
from os import PathLike
from typing import Any, BinaryIO, NamedTuple, TypeVar
from unicodedata import normalize

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import TRANSFER_PREFIX
from budgetframe._runtime.arguments import check_choice, closest_names
from budgetframe.errors import ToolError

from .bank_files.rows import content_of
from .builder import check_size
from .money import milliunits
from .request_bodies import BankFile, milliunits_of
from .schema import MILLIUNITS_SUFFIX, Column
from .tables import LEDGER

_TEXTS = {"payee": "payee_name", "memo": "memo", "account": "account_name"}
SET = {"set_payee": "payee_name", "set_category": "category_name"}
SET |= {"set_memo": "memo", "set_flag": "flag_color"}
"""The columns of the file that set something, and the columns of frames that they set."""
_CONDITIONS = (*_TEXTS, "amount")
_COLUMNS = ("name", *_CONDITIONS, *SET)
_OPTIONAL = ("memo", "account_name")  # a bank's file may lack them
_OF_OLD = {"payee_name": ("payee_id",), "category_name": ("category_id", "category_group_name")}
"""The columns that belong to the former value of a column: without them, the new name counts."""
_OF_ROWS = {column.name: column for column in LEDGER}
RULE = Column("rule", "str", "", "name of the rule")
_NUMBER = re.compile(r"[+-]?\d{1,15}([.,]\d{1,3})?", re.ASCII)
_AMBIGUOUS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)  # thousands, or three decimals
_SHOWN = 5  # problems that a message names

_R = TypeVar("_R")

Mask = Any  # an array with one bool for each row of a frame


class TextCondition(NamedTuple):
    """A part of a text, without regard to case, or a regular expression."""

    text: str  # as it is in the file
    expression: re.Pattern[str] | None

    @classmethod
    def of(cls, text: str) -> TextCondition:
        """The condition in a cell; the expression is between the first and the last slash."""
        found = re.fullmatch("/(.+)/", text, re.DOTALL)
        if found is None:
            return cls(text, None)
        try:
            return cls(text, re.compile(normalize("NFC", found[1]), re.IGNORECASE))
        except re.error as error:
            raise ToolError(
                f"{text!r} is not a regular expression: {error.msg} (character"
                f" {(error.pos or 0) + 1} after the first slash)"
            ) from None
        except (OverflowError, RecursionError):
            raise ToolError(f"{text[:20]!r} ... is too large a regular expression") from None

    def holds(self, texts: Sequence[str]) -> list[bool]:
        """Whether each of the texts meets the condition."""
        if self.expression is not None:
            return [self.expression.search(normalize("NFC", text)) is not None for text in texts]
        part = _folded(self.text)
        return [part in _folded(text) for text in texts]


class Rule(NamedTuple):
    """One rule."""

    name: str
    texts: Mapping[str, TextCondition]  # by column of frames
    amounts: tuple[int | None, int | None] | None
    """The smallest and the largest amount in milliunits; None without a limit."""
    sets: Mapping[str, str]  # what is set, by column of frames

    def may_be_in(self, accounts: Iterable[str]) -> bool:
        """Whether the condition of the account holds for one of these names."""
        condition = self.texts.get("account_name")
        return condition is None or any(condition.holds([*accounts]))


# The file


def read_rules(file: str | PathLike[str] | BinaryIO) -> tuple[str, list[Rule]]:
    """The name of a file for messages, and its rules; `budgetframe.rules` documents the file."""
    return read_table(file, _COLUMNS, _rule)


def read_table(
    file: BankFile | pd.DataFrame,
    columns: Sequence[str],
    parse: Callable[[Mapping[str, str], str], _R],
) -> tuple[str, list[_R]]:
    """The name of a CSV file or a frame for messages, and what `parse` makes of each row."""
    # It receives the cells that are not empty, by column, and the name of the row.
    if isinstance(file, pd.DataFrame):
        cells: Any = file.astype(object).where(file.notna(), "").to_numpy()
        listed = enumerate([file.columns, *cells], start=-1)
        texts = {number: _strip_blanks(map(_cell_text, row)) for number, row in listed}
        name, rows = "the frame", {number: row for number, row in texts.items() if row}
    else:
        name, content = content_of(file)
        rows = _rows(name, content)
    if len(rows) < 2:  # noqa: PLR2004 - the header and one rule
        what = "its columns are" if isinstance(file, pd.DataFrame) else "its first row has names of"
        raise ToolError(f"{name} has no rules: {what} {', '.join(columns)}")
    (first, header), *others = rows.items()
    where = "the columns" if first < 0 else f"row {first}"
    problems = [f"{where}: {problem}" for problem in _problems_of_header(header, columns)]
    rules = []
    for number, row in others if not problems else ():
        try:
            rules.append(parse(_given(header, row), f"row {number}"))
        except ToolError as error:
            problems.append(f"row {number}: {error}")
    if problems:
        more = len(problems) - _SHOWN
        shown = [*problems[:_SHOWN], *([f"and {more:,} more"] if more > 0 else ())]
        raise ToolError(f"{name}, {'; '.join(shown)}")
    return name, rules


def _cell_text(cell: Any) -> str:
    """The text of a cell of a frame; floats are amounts, and whole numbers beside empty cells."""
    if not isinstance(cell, float):
        return str(cell)
    return str(int(cell)) if cell.is_integer() else str(milliunits_of(cell, "value") / MILLIUNITS)


def _given(header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """The cells of a row that are not empty, by column."""
    if len(cells) > len(header):
        advice = "put a cell that contains the separator in double quotes"
        raise ToolError(f"it has {len(cells)} cells, but the first row has {len(header)}: {advice}")
    return {name: cell for name, cell in zip(header, cells, strict=False) if cell}


def _rows(name: str, content: bytes) -> dict[int, list[str]]:
    """The cells of the rows that are not empty, by their numbers in a spreadsheet."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ToolError(
            f"{name} is not UTF-8 (line {line}): save it in the spreadsheet as CSV UTF-8"
        ) from None
    delimiter = ";" if ";" in text.lstrip().partition("\n")[0] else ","
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = {number: _strip_blanks(row) for number, row in enumerate(reader, start=1)}
    except csv.Error as error:
        raise ToolError(f"{name}, line {reader.line_num}: {error}") from None
    return {number: row for number, row in rows.items() if row}


def _strip_blanks(row: Iterable[str]) -> list[str]:
    """The cells without outer blanks, up to the last cell that is not empty."""
    cells = [cell.strip() for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _problems_of_header(header: Sequence[str], columns: Sequence[str]) -> Iterator[str]:
    for column in dict.fromkeys(header):
        if column not in columns:
            close = closest_names(column, columns)
            advice = f"the closest name is {close[0]!r}" if close else f"use {', '.join(columns)}"
            yield f"{column!r} is no column of rules; {advice}"
        elif header.count(column) > 1:
            yield f"the column {column!r} is there twice"


def _rule(given: Mapping[str, str], label: str) -> Rule:
    """The rule of a row; what is wrong in it is a `ToolError`, which does not name the row."""
    if not given.keys() & {*_CONDITIONS}:
        raise ToolError(f"it has no condition: fill in {' or '.join(_CONDITIONS)}")
    if not given.keys() & SET.keys():
        raise ToolError(f"it sets nothing: fill in {' or '.join(SET)}")
    if "set_flag" in given:
        check_choice(given["set_flag"], "set_flag", _OF_ROWS["flag_color"].vocabulary)
    return Rule(
        given.get("name", label),
        {column: TextCondition.of(given[key]) for key, column in _TEXTS.items() if key in given},
        _amounts(given["amount"]) if "amount" in given else None,
        {column: given[key] for key, column in SET.items() if key in given},
    )


def _amounts(text: str) -> tuple[int | None, int | None]:
    """The smallest and the largest amount of a condition, in milliunits."""
    low, dots, high = (part.strip() for part in text.partition(".."))
    if not low and not high:
        raise ToolError(f"amount={text!r} is no range: write -20..-5, ..-100 or 50..")
    ends = [_milliunits(part, text) if part else None for part in (low, high if dots else low)]
    if None not in ends and ends[0] > ends[1]:  # type: ignore[operator]
        advice = f"write {high}..{low}. Outflows are negative"
        raise ToolError(f"amount={text!r} has the larger amount first: {advice}")
    return ends[0], ends[1]


def _milliunits(number: str, text: str, column: str = "amount", example: str = "-4.50") -> int:
    if _AMBIGUOUS.fullmatch(number):
        ways = " or ".join(number.replace(",", sign) for sign in (".", ""))
        raise ToolError(f"{column}={text!r}: the comma has two meanings; write {ways}")
    if not _NUMBER.fullmatch(number):
        form = f"an amount with at most three decimals, such as {example}"
        raise ToolError(f"{column}={text!r}: {number!r} is not {form}")
    found = int(Decimal(number.replace(",", ".")) * MILLIUNITS)
    check_size(abs(found))
    return found


class PlanRule(NamedTuple):
    """What a plan does with a category, or a group; amounts and numbers are in thousandths."""

    category: str  # a key in a plan; in a file also the name of a category or a group
    kind: str = "target"
    value: int = 0
    word: str = ""  # ``spent`` or ``last``: another meaning of the kind
    up_to: int | None = None  # the available amount that the rule does not exceed
    name: str = "target"  # the rule, as it is shown
    where: str = ""  # the row, as messages name it


_PLAN_COLUMNS = ("category", "kind", "value", "up_to")
_AMOUNT = r"(?P<number>[^-\s]\S*)"
_PLAN_KINDS: Mapping[str, tuple[str, str]] = {
    "target": ("", "empty"),
    "amount": (_AMOUNT, "an amount that is not negative, such as 500"),
    "refill": (_AMOUNT, "an amount that is not negative, such as 500"),
    "average": (r"(?P<number>[1-9]\d?)", "a number of months from 1 to 99"),
    "last_month": (r"((?P<word>spent)|assigned)?", "'spent', 'assigned' or empty"),
    "percent": (rf"{_AMOUNT}( +(?P<word>last))?", "a number, as in '10' or '10 last'"),
    "schedule": ("", "empty"),
    "rest": (rf"(?=.*[1-9]){_AMOUNT}|", "a number above zero, or empty"),
}
"""The pattern of the value of each kind, and what it means."""


def read_plan_rules(file: BankFile | pd.DataFrame) -> list[PlanRule]:
    """The rules of a plan, which `BudgetFrame.plan` documents."""
    return read_table(file, _PLAN_COLUMNS, _plan_rule)[1]


def _plan_rule(given: Mapping[str, str], where: str) -> PlanRule:
    for column in ("category", "kind"):
        if column not in given:
            raise ToolError(f"it has no {column}")
    kind, text = given["kind"], given.get("value", "")
    check_choice(kind, "kind", _PLAN_KINDS)
    pattern, usage = _PLAN_KINDS[kind]
    found, limit = (
        re.fullmatch(each, given.get(column, ""), re.ASCII)
        for column, each in (("value", pattern), ("up_to", f"({_AMOUNT})?"))
    )
    if found is None or limit is None:
        column, usage = ("value", usage) if found is None else ("up_to", _PLAN_KINDS["amount"][1])
        raise ToolError(f"{column}={given.get(column, '')!r}: for {kind}, it is {usage}")
    parts = found.groupdict(default="")
    number = parts.get("number") or ("1" if kind == "rest" else "0")
    up_to = limit["number"]
    return PlanRule(
        given["category"],
        kind,
        _milliunits(number, number, "value", "500"),
        parts.get("word", ""),
        None if up_to is None else _milliunits(up_to, up_to, "up_to", "500"),
        f"{kind} {text}".strip(),
        where,
    )


def _folded(text: str) -> str:
    return normalize("NFC", text.casefold())


# The rows of a frame


def matches(rules: Sequence[Rule], frame: pd.DataFrame) -> Mask:
    """Which rows meet the conditions of which rule: one row for each rule."""
    texts: dict[str, tuple[Any, Sequence[str]]] = {}
    for name in dict.fromkeys(column for rule in rules for column in rule.texts):
        if name not in frame and name not in _OPTIONAL:
            raise ToolError(f"the frame has no column {name}, which the rules need")
        cells = frame[name] if name in frame else pd.Series(None, frame.index, dtype=object)
        codes, found = pd.factorize(cells)
        texts[name] = codes, [*map(str, found)]
    amounts: Any = _exact(frame) if any(rule.amounts for rule in rules) else None
    masks = np.ones((len(rules), len(frame)), bool)
    for number, rule in enumerate(rules):
        for name, condition in rule.texts.items():
            codes, different = texts[name]
            holds = [*condition.holds(different), False]  # the code of a missing text is -1
            masks[number] &= np.array(holds)[codes]
        low, high = rule.amounts or (None, None)
        if low is not None:
            masks[number] &= amounts >= low
        if high is not None:
            masks[number] &= amounts <= high
    return masks


def _exact(frame: pd.DataFrame) -> Any:
    """The amounts in milliunits, whatever the type of money; NaN for a missing amount."""
    name = f"amount{MILLIUNITS_SUFFIX}"
    if name in frame:
        return frame[name].to_numpy("float64", na_value=np.nan)
    if "amount" not in frame:
        raise ToolError("the frame has no column amount, which the rules need")
    return milliunits(frame["amount"]).to_numpy("float64", na_value=np.nan)


def first_rules(masks: Mask) -> Any:
    """The number of the first rule that each row matches; -1 if it matches none."""
    return np.where(masks.any(axis=0), masks.argmax(axis=0), -1)


def edited_rows(rules: Sequence[Rule], frame: pd.DataFrame) -> pd.DataFrame:
    """The rows that rules change, with the new values and the names of the rules."""
    first = first_rules(matches(rules, frame))
    is_edited = np.zeros(len(frame), bool)
    edited = {}
    for name, can_be_set in _settable(frame).items():
        values = np.array([*(rule.sets.get(name) for rule in rules), None], object)[first]
        before = _cells(frame, name)
        is_new = can_be_set & (values != None) & (values != before)  # noqa: E711 - of each cell
        if name == "category_name":
            groups = _cells(frame, "category_group_name")
            full = [f"{group}: {own}" for group, own in zip(groups, before, strict=True)]
            is_new &= values != np.array(full, object)
        if is_new.any():
            is_edited |= is_new
            edited[name] = np.where(is_new, values, before)
            for key in _OF_OLD.get(name, ()):
                if key in frame:
                    edited[key] = np.where(is_new, None, _cells(frame, key))
    cells = {name: _OF_ROWS[name].array([*values[is_edited]]) for name, values in edited.items()}
    names = RULE.array([rules[number].name for number in first[is_edited]])
    found: pd.DataFrame = frame[is_edited].assign(**cells, rule=names)
    return found


def _settable(frame: pd.DataFrame) -> dict[str, Mask]:
    """Which rows can be set in each column."""
    # The payee, memo and flag of a part can be those of the whole split, which has no category. The
    # payee of a transfer is its other account; it only has a category if that is a tracking
    # account.

    def flags(name: str, *, default: bool = False) -> Mask:
        cells = frame[name] if name in frame else pd.Series(default, frame.index)
        return cells.astype("boolean").fillna(value=default).to_numpy(bool)

    def has(name: str) -> Mask:
        return frame[name].notna().to_numpy(bool) if name in frame else flags(name)

    is_transfer = has("transfer_account_id")
    if "transfer_account_id" not in frame:
        payees = _cells(frame, "payee_name")
        is_transfer = np.array([(name or "").startswith(TRANSFER_PREFIX) for name in payees], bool)
    stays = flags("is_remainder")
    is_whole = ~stays & ~has("subtransaction_id")
    on_budget = flags("on_budget", default=True)
    is_internal = is_transfer & flags("transfer_on_budget", default=True)
    return {
        "payee_name": is_whole & ~is_transfer,
        "category_name": ~stays & ~flags("is_split") & on_budget & ~is_internal,
        "memo": is_whole,
        "flag_color": is_whole,
    }


def _cells(frame: pd.DataFrame, name: str) -> Any:
    """The texts of a column, with None for missing ones and for those of a missing column."""
    if name not in frame:
        return np.full(len(frame), None, object)
    cells = zip(frame[name].astype(object), frame[name].notna(), strict=True)
    return np.array([str(cell) if is_given else None for cell, is_given in cells], object)

"""Names of a budget that the Tab key offers inside quotes in IPython and Jupyter.

They are those of the lists in memory: nothing is requested, and no file is read.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from budgetframe._session.names import LISTS
from budgetframe.reports._shared.row_filters import COLUMNS_OF_FILTERS

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult

_CATEGORIES = {"from_": "category", "to": "category"}  # parameters that are not named like a list
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CALLED = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*)+\Z")
_PART = re.compile(
    r"""#[^\n]*|[()\[\]{}]"""
    r"""|(?P<quote>\"{3}|'{3}|"|')(?P<text>(?:\\.|(?!(?P=quote)).)*)(?P<end>(?P=quote))?""",
    re.DOTALL,
)


class _Argument(NamedTuple):
    """An argument of a call that ends with an open quote."""

    function: list[str]  # the parts of its dotted name
    parameter: str | int  # the name of the parameter or the key, or the position
    text: str  # what is written in the quotes
    value: str  # what this text means
    quote: str  # as it was opened, with "r" before it in a raw text


def offer_names() -> None:
    """Let the Tab key of IPython complete names of budgets; without IPython, nothing happens."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    completer = getattr(shell, "Completer", None)
    known = getattr(completer, "custom_matchers", None)
    if known is None or __name__ in [getattr(each, "matcher_identifier", "") for each in known]:
        return
    try:
        from IPython.core.completer import SimpleCompletion, context_matcher  # noqa: PLC0415 - slow
    except ImportError:  # IPython before 8.6
        return

    @context_matcher(identifier=__name__)
    def names(context: CompletionContext) -> SimpleMatcherResult:
        lines = context.full_text.split("\n")[: context.cursor_line]
        code = "\n".join([*lines, context.text_until_cursor])
        try:
            argument = _open_argument(code)
            found = [] if argument is None else [*_names_for(argument, completer)]
        except Exception:  # noqa: BLE001 - IPython would print the traceback below the cell
            return {"completions": []}
        return {
            "completions": [SimpleCompletion(name, type="name") for name in found],
            "matched_fragment": argument.text if argument else "",
            "suppress": bool(found),  # no files and keywords among the names
        }

    known.append(names)


def _open_argument(code: str) -> _Argument | None:
    """The argument in which the cursor is, at the end of the code; None if it is in no quotes."""
    opened: list[int] = []
    part = None
    for part in _PART.finditer(code):
        if part[0] in _CLOSING:
            opened.append(part.start())
        elif part[0] in _CLOSING.values() and opened:
            opened.pop()
    if part is None or part["quote"] is None or part["end"] is not None:
        return None
    for number, at in reversed([*enumerate(opened)]):
        called = _CALLED.search(code, 0, at) if code[at] == "(" else None
        if called is not None:
            closing = "".join(_CLOSING[code[each]] for each in reversed(opened[number:]))
            call = ast.parse(code[called.start() :] + part["quote"] + closing, mode="eval").body
            return _last_argument(call, called[0].split("."), part) if call else None
    return None


def _last_argument(call: Any, function: list[str], part: re.Match[str]) -> _Argument | None:
    """The last argument of a call, if it is a text, also in lists and mappings."""
    parameter, value = len(call.args) - 1, call.args[-1] if call.args else None
    if call.keywords:
        parameter, value = call.keywords[-1].arg, call.keywords[-1].value
    while isinstance(value, ast.List | ast.Tuple | ast.Set | ast.Dict):
        if isinstance(value, ast.Dict):
            parameter, value = getattr(value.keys[-1], "value", None), value.values[-1]
        else:
            value = value.elts[-1]
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return None
    raw = "r" * part.string[: part.start()].lower().endswith("r")
    return _Argument(function, parameter, part["text"], value.value, raw + part["quote"])


def _names_for(argument: _Argument, completer: Any) -> Iterator[str]:
    """The names that an argument can have and that begin like it, as they are written in code."""
    first, *attributes, method = argument.function
    owner = completer.namespace.get(first, (completer.global_namespace or {}).get(first))
    for name in [*attributes, ""]:  # only objects of this package: their attributes request nothing
        if type(owner).__module__.partition(".")[0] != "budgetframe":
            return
        owner = getattr(owner, name) if name else owner
    parameter = argument.parameter
    if isinstance(parameter, int):
        parameter = [*signature(getattr(owner, method)).parameters][parameter]
    begun = argument.value.casefold()
    for name in _names_in(_frames_of(owner), _columns_for(parameter)):
        if any(text.casefold().startswith(begun) for text in (name, name.partition(": ")[2])):
            written = name.replace("\\", r"\\").replace(argument.quote[-1], "\\" + argument.quote[-1])
            if name.isprintable() and (written == name or "r" not in argument.quote):
                yield written


def _frames_of(owner: Any) -> Mapping[str, pd.DataFrame]:
    """The frames in memory that an object of this package uses; a report uses itself."""
    if isinstance(owner, pd.DataFrame):
        return {"": owner}
    for name in ("_aio", "_frames"):  # the async object of a synchronous one, those of reports
        owner = getattr(owner, name, owner)
    return owner._session.frames_in_memory()  # type: ignore[no-any-return]


def _columns_for(parameter: str) -> Iterable[str]:
    """The columns with the names that a parameter, a filter or a column of rows can have."""
    name = parameter.removeprefix("exclude_")
    if name in COLUMNS_OF_FILTERS:
        return COLUMNS_OF_FILTERS[name]
    entity = _CATEGORIES.get(name, name.removesuffix("_id").removesuffix("_name"))
    return [f"{entity}_name"]


def _names_in(frames: Mapping[str, pd.DataFrame], columns: Iterable[str]) -> set[str]:
    """The names in some columns, from the lists of these names if they are in memory.

    A category has its group, if several groups have one of this name.
    """
    found = set()
    for column in columns:
        table = LISTS.get(column.removesuffix("_name"), "")
        for frame in [frames[table]] if table in frames else frames.values():
            if column not in frame:
                continue
            group = "category_group_name"
            shown = [column, group] if column == "category_name" and group in frame else [column]
            rows = frame[shown].dropna().drop_duplicates().to_numpy().tolist()
            count = Counter(row[0] for row in rows)
            found |= {": ".join(reversed(row)) if count[row[0]] > 1 else row[0] for row in rows}
    return found

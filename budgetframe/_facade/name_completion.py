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

    from budgetframe._session.session import Session

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
    quote: str  # the character
    is_raw: bool


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

    @context_matcher(identifier=__name__)  # type: ignore[untyped-decorator]
    def names(context: CompletionContext) -> SimpleMatcherResult:
        lines = context.full_text.split("\n")[: context.cursor_line]
        code = "\n".join([*lines, context.text_until_cursor])
        try:
            argument = _open_argument(code)
            found = {} if argument is None else dict(_names_for(argument, completer))
        except Exception:  # noqa: BLE001 - IPython would print the traceback below the cell
            return {"completions": []}
        return {
            "completions": [SimpleCompletion(name, type=kind) for name, kind in found.items()],
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
    parameter: Any = len(call.args) - 1
    value = call.args[-1] if call.args else None
    if call.keywords:
        parameter, value = call.keywords[-1].arg, call.keywords[-1].value
    while isinstance(value, ast.List | ast.Tuple | ast.Set | ast.Dict):
        if isinstance(value, ast.Dict):
            parameter, value = getattr(value.keys[-1], "value", None), value.values[-1]  # noqa: PD011
        else:
            value = value.elts[-1]
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return None
    is_raw = part.string[: part.start()].lower().endswith("r")
    return _Argument(function, parameter, part["text"], value.value, part["quote"][0], is_raw)


def _names_for(argument: _Argument, completer: Any) -> Iterator[tuple[str, str]]:
    """The names that an argument can have and that begin like it, as in code, and their kinds."""
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
    for name, kind in _names_in(_frames_of(owner), _columns_for(parameter)).items():
        if any(text.casefold().startswith(begun) for text in (name, name.partition(": ")[2])):
            written = re.sub(rf"[\\{argument.quote}]", r"\\\g<0>", name)
            if name.isprintable() and (written == name or not argument.is_raw):
                yield written, kind


def _frames_of(owner: Any) -> Mapping[str, pd.DataFrame]:
    """The frames in memory that an object of this package uses; a report uses itself."""
    if isinstance(owner, pd.DataFrame):
        return {"": owner}
    for name in ("_aio", "_frames"):  # the async object of a synchronous one, those of reports
        owner = getattr(owner, name, owner)
    session: Session = owner._session  # noqa: SLF001 - of the same package
    return session.frames_in_memory()


def _columns_for(parameter: str) -> Iterable[str]:
    """The columns with the names that a parameter, a filter or a column of rows can have."""
    name = parameter.removeprefix("exclude_")
    if name in COLUMNS_OF_FILTERS:
        return COLUMNS_OF_FILTERS[name]
    entity = _CATEGORIES.get(name, name.removesuffix("_id").removesuffix("_name"))
    return [f"{entity}_name"]


def _names_in(frames: Mapping[str, pd.DataFrame], columns: Iterable[str]) -> dict[str, str]:
    """The names in some columns and their kinds, from their lists if these are in memory.

    A category has its group, if several groups have one of this name.
    """
    found = {}
    for column in columns:
        kind = column.removesuffix("_name")
        table = LISTS.get(kind, "")
        for frame in [frames[table]] if table in frames else frames.values():
            if column not in frame:
                continue
            group = "category_group_name"
            shown = [column, group] if column == "category_name" and group in frame else [column]
            rows = frame[shown].dropna().drop_duplicates().to_numpy().tolist()
            count = Counter(row[0] for row in rows)
            for row in rows:
                found[": ".join(reversed(row)) if count[row[0]] > 1 else row[0]] = kind
    return found

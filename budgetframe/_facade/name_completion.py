"""Names that the Tab key offers inside quotes in IPython, from memory: nothing is requested."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from inspect import signature
from typing import Any

import pandas as pd

from budgetframe._session.names import LISTS
from budgetframe.reports._shared.row_filters import COLUMNS_OF_FILTERS

_TEXT = r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
_CLOSED = rf"""(?:{_TEXT}|\((?:{_TEXT}|[^()"'])*\)|\[(?:{_TEXT}|[^\[\]"'])*\])"""
# A dotted name, the arguments before the cursor, and a text whose quote is open. A bracket that is
# open begins a tuple after "=", or a list: after a name, it would be a call or a key.
_CALL = re.compile(
    rf"""(?<![\w.])(?P<function>[^\W\d]\w*(?:\.\w+)+)\("""
    rf"""(?P<before>(?>{_CLOSED}|=\s*\(|(?<![\w\])])\[|[^()\["'])*)"""
    r"""(?P<quote>["'])(?P<text>(?:\\.|(?!(?P=quote)).)*)\Z""",
    re.DOTALL,
)
# The parameter or key that the text belongs to, perhaps after other texts of a list.
_KEY = re.compile(rf"""(?:(\w+)\s*=|["'](\w+)["']\s*:)[\s\[({{]*(?:{_TEXT}\s*,\s*)*\Z""")
# A column of `DataFrame.query` that is compared with a text, or with texts in a list.
_COMPARED = re.compile(r"""(\w+)\s*(?:[=!]=|\bin\b)\s*(?:\[[^\]]*)?["'](?P<text>[^"']*)\Z""")
_CATEGORIES = {"from_": "category", "to": "category"}  # parameters that are not named like a list


def offer_names() -> None:
    """Let the Tab key of IPython complete names of budgets; without IPython, nothing happens."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    completer = getattr(shell, "Completer", None)
    core: Any = sys.modules.get("IPython.core.completer")
    if completer is None or not hasattr(core, "context_matcher"):  # IPython before 8.6
        return
    known = completer.custom_matchers
    if __name__ in [getattr(matcher, "matcher_identifier", "") for matcher in known]:
        return

    @core.context_matcher(identifier=__name__)  # type: ignore[untyped-decorator]
    def names(context: Any) -> dict[str, Any]:
        lines = context.full_text.split("\n")[: context.cursor_line]
        call = _CALL.search("\n".join([*lines, context.text_until_cursor]))
        text = call
        if call and call["function"].endswith(".query"):
            text = _COMPARED.search(call["text"])
        try:
            found = dict(_names_for(call, text, completer)) if call and text else {}
        except Exception:  # noqa: BLE001 - IPython would print the traceback below the cell
            found = {}
        return {
            "completions": [core.SimpleCompletion(name, type=kind) for name, kind in found.items()],
            "matched_fragment": text["text"] if text else "",
            "suppress": bool(found),  # no files and keywords among the names
        }

    known.append(names)


def _names_for(
    call: re.Match[str], text: re.Match[str], completer: Any
) -> Iterator[tuple[str, str]]:
    """The names that a call can have at its end, as they are written in code, and their kinds."""
    # `text` is the call, or the comparison in a query, whose text the name completes.
    first, *attributes, method = call["function"].split(".")
    owner = completer.namespace.get(first, (completer.global_namespace or {}).get(first))
    for name in [*attributes, ""]:  # only objects of this package: their attributes request nothing
        is_frame = isinstance(owner, pd.DataFrame) and "budget" in owner.attrs
        if type(owner).__module__.partition(".")[0] != "budgetframe" and not is_frame:
            return
        owner = getattr(owner, name) if name else owner
    begun = text["text"].casefold()
    if text is not call:
        for name in owner[text[1]].dropna().unique():
            is_plain = name.isprintable() and not re.search(r"""["'\\]""", name)
            if is_plain and name.casefold().startswith(begun):
                yield name, text[1].replace("_", " ")
        return
    key = _KEY.search(call["before"])
    at = re.sub(_CLOSED, "", call["before"]).partition("[")[0].count(",")
    parameter = key[1] or key[2] if key else [*signature(getattr(owner, method)).parameters][at]
    if isinstance(owner, pd.DataFrame):  # a report
        frames = {"": owner}
    else:
        owner = getattr(owner, "_aio", owner)
        owner = getattr(owner, "_frames", owner)  # those of reports
        frames = owner._session.frames_in_memory()  # noqa: SLF001 - of the same package
    for name, kind in _names_in(frames, parameter.removeprefix("exclude_")):
        written = re.sub(rf"[\\{call['quote']}]", r"\\\g<0>", name)
        both = written.casefold(), written.casefold().partition(": ")[2]
        if name.isprintable() and any(text.startswith(begun) for text in both):
            yield written, kind


def _names_in(frames: dict[str, pd.DataFrame], parameter: str) -> Iterator[tuple[str, str]]:
    """The names that a parameter can have: of a category with its group, if several have one."""
    group = "category_group_name"
    entity = _CATEGORIES.get(parameter, parameter.removesuffix("_id").removesuffix("_name"))
    for column in COLUMNS_OF_FILTERS.get(parameter, [f"{entity}_name"]):
        kind = column.removesuffix("_name")
        table = LISTS.get(kind, "")
        known = [frames[table]] if table in frames else frames.values()
        for frame in (frame for frame in known if column in frame):
            shown = [group, column] if kind == "category" and group in frame else [column]
            rows = frame[shown].dropna().drop_duplicates().to_numpy().tolist()
            count = Counter(row[-1] for row in rows)
            for row in rows:
                yield (row[-1] if count[row[-1]] == 1 else ": ".join(row)), kind.replace("_", " ")

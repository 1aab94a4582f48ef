"""The frames of changes, effects and the journal: their columns, and each row on one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.text import words_in
from budgetframe._session.written import AMOUNTS, changed_fields
from budgetframe.frames.display import LAYOUTS, Layout
from budgetframe.frames.number_text import Currency, in_currency
from budgetframe.frames.schema import CURRENCY, TEXT, Column, with_attrs

from .plan import KEYS, Change

_KINDS = (
    frozenset({"action", "field", "before", "after"}),
    frozenset({"kind", "quantity", "before", "after", "difference"}),
    frozenset({"applied_at", "created", "updated", "deleted"}),
    frozenset({"date", "amount", "reason"}),
    frozenset({"wanted", "got", "missing"}),
    frozenset({"available", "kept", "spare"}),
)
"""The columns by which the frames are recognised: changes, effects, the journal, skipped rows, and
what plans lack and covers can take."""

_LAYOUT = Layout(
    dict.fromkeys(
        words_in("before after difference amount wanted got missing available kept spare taken"),
        CURRENCY,
    ),
    hidden=("key",), first=9, optional=("category_name", "account_name"),
    whole=("action", "field", "kind", "quantity"), kept=("before", "after"),
)  # fmt: skip

_SKIPPED = _LAYOUT._replace(
    hidden=("account_name", "existing_transaction_id"), optional=("memo",), whole=("reason",)
)


def layout_of(frame: pd.DataFrame) -> Layout:
    """How the columns of a frame of changes, effects, the journal or skipped rows are shown."""
    if "reason" in frame:
        return _SKIPPED
    if not {"problem", "payee_name"} <= set(frame):
        return _LAYOUT
    return _LAYOUT._replace(hidden=("key", "account_name", "category_name"))


def _layout_if_known(frame: pd.DataFrame) -> Layout | None:
    names = set(frame.columns.tolist())
    return layout_of(frame) if any(needed <= names for needed in _KINDS) else None


LAYOUTS.append(_layout_if_known)


# What plans want and take

_NAMES = (
    Column("category_group_name", "str", "", "name of the category group"),
    Column("category_name", "str", "", "name of the category"),
)
_KEY = Column("category_id", "str", "", "key of the category")
WANTED = (
    *_NAMES,
    Column("rule", "str", "", "the rules that want money"),
    Column("wanted", "float64", CURRENCY, "what they want"),
    Column("got", "float64", CURRENCY, "what they get"),
    Column("missing", "float64", CURRENCY, "what could not be funded"),
    _KEY,
)
"""The columns of what a plan wants and could not fund."""
SOURCES = (
    *_NAMES,
    Column("available", "float64", CURRENCY, "available in the month"),
    Column("kept", "float64", CURRENCY, "what it keeps"),
    Column("spare", "float64", CURRENCY, "what it can give"),
    Column("taken", "float64", CURRENCY, "what is taken from it"),
    _KEY,
)
"""The columns of what can cover overspending."""


# The frame of changes

_PARTS = "subtransactions"
_LABELS: Mapping[str, str] = {
    "account_id": "account_name", "payee_id": "payee_name", "category_id": "category_name",
    "category_group_id": "category_group_name",
}  # fmt: skip
"""The columns of names, by the fields with the keys."""
_IN_COLUMNS = words_in("date account_id payee_id payee_name category_id cleared approved import_id")
"""Fields of new and deleted rows that are shown as columns, or that are not shown."""
_OF_ROW = ("date", "account_name", "payee_name", "category_name")
_COLUMNS = ("action", *_OF_ROW, "field", "before", "after")
_OF_PLAN = ("rule", "wanted", "got")  # why an assigned amount changes, as `Change.shown` has it


def changes_frame(
    changes: Sequence[Change],
    attrs: Mapping[str, Any],
    *,
    problems: bool = False,
    is_plan: bool = False,
) -> pd.DataFrame:
    """One row for each changed field, and for each part of a split that is created or deleted."""
    rows = [
        {
            "action": change.action,
            **{name: change.shown.get(name) for name in _OF_ROW},
            **dict(zip(("field", "before", "after"), cells, strict=True)),
            **{name: change.shown.get(name) for name in _OF_PLAN},
            "problem": change.problem,
            KEYS[change.resource]: change.key,
        }
        for change in changes
        for cells in shown_fields(change, attrs.get("currency_format"))
    ]
    of_none = "category_id" if is_plan else "transaction_id"
    keys = list(dict.fromkeys(KEYS[change.resource] for change in changes)) or [of_none]
    is_plan = is_plan or any("rule" in change.shown for change in changes)
    planned = _OF_PLAN if is_plan else ()
    columns = [*_COLUMNS, *planned, *(["problem"] if problems else []), *keys]
    frame = pd.DataFrame(rows, columns=columns).astype(object)
    for name in columns:
        if name == "date":
            frame[name] = pd.to_datetime(frame[name]).astype("datetime64[us]")
            continue
        if name in ("wanted", "got"):
            frame[name] = frame[name].astype("float64") / MILLIUNITS
            continue
        cells = frame[name].where(frame[name].notna(), None)
        dtype = object if name in ("before", "after") else TEXT
        frame[name] = pd.Series(cells, dtype=dtype)
    frame["action"] = pd.Categorical(frame["action"], ["create", "update", "delete"])
    # A resource that has no payees or accounts needs no such columns.
    unused = [each for each in _OF_ROW if len(frame) and frame[each].isna().all()]
    return with_attrs(frame.drop(columns=unused), attrs)


def shown_fields(change: Change, currency: Currency) -> Iterator[tuple[str, Any, Any]]:
    """The name of each changed field, and its values as they are shown."""
    # Each part of a split is a field. Its amount is written in the format of the budget.
    names = dict.fromkeys([*change.before, *change.after])
    if change.action == "update" and "payee_name" in names:
        names.pop("payee_id", None)
    for name in names:
        before, after = change.before.get(name), change.after.get(name)
        if name == "payee_name" and change.action == "update":
            before = change.before.get("payee_id")
        if change.action != "update" and (
            name in _IN_COLUMNS or (before in (None, []) and after in (None, []))
        ):
            continue
        label = KEYS[change.resource].replace("_id", "_name") if name == "name" else name
        label = _LABELS.get(label, label)
        if name == "date" and change.resource == "scheduled_transactions":
            label = "date_next"
        if name == _PARTS:
            parts = partial(_part, names=change.names, currency=currency)
            yield from ((name, parts(each), None) for each in before or ())
            yield from ((name, None, parts(each)) for each in after or ())
            continue
        yield label, *(_shown(name, value, change.names) for value in (before, after))


def described(change: Change, currency: Currency) -> str:
    """The row of a change as a person knows it, and the fields of an update, on one line."""
    shown = {**change.shown, **({"date": change.month[:7]} if change.month else {})}
    row = ", ".join(str(shown[name]) for name in _COLUMNS[1:5] if name in shown)
    if change.action != "update":
        return row
    fields = changed_fields(change.before, change.after, change.names, currency)
    return f"{row}: {fields}"


def _part(part: Mapping[str, Any], names: Mapping[str, str], currency: Currency) -> str:
    """The amount, the category, the payee and the memo of a part of a split."""
    keys = (part.get("category_id"), part.get("payee_id"))
    texts = (*(names.get(key, key) for key in keys if key), part.get("payee_name"))
    known = [text for text in (*texts, part.get("memo")) if text]
    amount = in_currency(part["amount"] / MILLIUNITS, currency, exact=True)
    return " · ".join([amount, *known])


def _shown(name: str, value: Any, names: Mapping[str, str]) -> Any:
    if value is None or isinstance(value, bool):
        return value
    return value / MILLIUNITS if name in AMOUNTS else names.get(value, value)

"""Changes of the rows of a budget as data: what is sent, in which requests, and what is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, NamedTuple

import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._session.batches import BATCH_ROWS
from budgetframe.frames.money import decimals_of, exact_amount

from .preview_frame import preview_frame
from .state import AMOUNTS

__all__ = ["Action", "Change", "Plan", "Request", "Resource", "changes_frame"]

Action = Literal["create", "update", "delete"]
Resource = Literal["transactions", "scheduled_transactions", "categories", "month_categories"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One row that is created, updated or deleted.

    Parameters
    ----------
    action : {"create", "update", "delete"}
        What is done.
    resource : str
        The list that the row belongs to.
    key : str or None
        Key of the row; None for a new row. A row of ``month_categories`` has that of its category.
    before, after : mapping
        Fields and values as the service defines them, amounts in milliunits. An update has the
        fields that change, and None clears a field. A deletion has the whole row in `before`, and
        a creation the body in `after`.
    shown : mapping
        What identifies the row for a person: its date, payee, account and category.
    names : mapping
        Names of the keys in `before` and `after`.
    month : str or None
        First day of the month of an assigned amount.
    replaces : str or None
        Key of the deleted split that this new row replaces.
    cause : str or None
        Why the service makes this change itself, together with another one: nothing is sent for it.
    problem : str
        Why the change is a conflict; empty if it is not.
    bank_row : mapping
        What identifies the row of a bank that this new row is: its ``import_id``, also if it is
        sent without one, and the bank's own ``bank_row_id``.
    """

    action: Action
    resource: Resource
    key: str | None = None
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    shown: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    month: str | None = None
    replaces: str | None = None
    cause: str | None = None
    problem: str = ""
    bank_row: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str | None:
        """The key of the row in `State.rows`."""
        return self.key if self.month is None else f"{self.month} {self.key}"

    def as_json(self) -> dict[str, Any]:
        """The elements that are not empty, as JSON."""
        return {name: value for name, value in asdict(self).items() if value not in (None, {}, "")}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Change:
        """The change of a JSON document; elements of later versions are ignored."""
        known = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in document.items() if name in known})


class Request(NamedTuple):
    """One write: the method, the resource and the positions of its changes in the plan."""

    method: str
    resource: Resource
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Changes that are sent together.

    Parameters
    ----------
    changes : sequence of Change
        The changes.
    conflicts : sequence of Change
        Changes of rows that were also changed elsewhere.
    warnings : sequence of str
        What the user should know before.
    recognised : sequence of mapping
        The rows of a bank's file that are rows of the account, as far as the journal does not know
        this: ``account_id``, ``import_id``, ``bank_row_id``, and ``is_matched`` if others have
        entered the row.
    """

    changes: Sequence[Change]
    conflicts: Sequence[Change] = ()
    warnings: Sequence[str] = ()
    recognised: Sequence[Mapping[str, Any]] = ()

    def requests(self, positions: Sequence[int] | None = None) -> list[Request]:
        """The requests for the changes at these positions, in the order of sending.

        A replaced split is deleted before it is created again. Assigned amounts that decrease come
        before those that increase.
        """
        chosen = range(len(self.changes)) if positions is None else positions
        sent = [each for each in chosen if self.changes[each].cause is None]
        found = []
        for method, resource, is_included, size in _STEPS:
            included = [each for each in sent if is_included(self.changes[each], resource)]
            included.sort(key=lambda each: _rank(self.changes[each]))
            found += [
                Request(method, resource, tuple(included[start : start + size]))
                for start in range(0, len(included), size)
            ]
        return found

    def in_order(self) -> list[Change]:
        """The changes that are sent, in the order of sending."""
        return [self.changes[at] for request in self.requests() for at in request.positions]


def _rank(change: Change) -> int:
    """Decreases of assigned amounts come first."""
    if change.resource != "month_categories":
        return 0
    difference: int = change.after["budgeted"] - change.before["budgeted"]
    return difference


def _is(action: Action, *, replacing: bool = False) -> Any:
    return lambda change, resource: (
        change.action == action
        and change.resource == resource
        and (change.replaces is not None) == replacing
    )


_STEPS: Sequence[tuple[str, Resource, Any, int]] = (
    ("PATCH", "transactions", _is("update"), BATCH_ROWS),
    ("POST", "transactions", _is("create"), BATCH_ROWS),
    ("DELETE", "transactions", _is("delete"), 1),
    ("POST", "transactions", _is("create", replacing=True), BATCH_ROWS),
    ("PUT", "scheduled_transactions", _is("update"), 1),
    ("POST", "scheduled_transactions", _is("create"), 1),
    ("DELETE", "scheduled_transactions", _is("delete"), 1),
    ("PATCH", "categories", _is("update"), 1),
    ("PATCH", "month_categories", _is("update"), 1),
)


# What is shown

KEYS: Mapping[str, str] = {
    "transactions": "transaction_id",
    "scheduled_transactions": "scheduled_transaction_id",
    "categories": "category_id",
    "month_categories": "category_id",
}
"""The column with the key of a row, by resource."""

_PARTS = "subtransactions"
_LABELS: Mapping[str, str] = {
    "account_id": "account_name",
    "payee_id": "payee_name",
    "category_id": "category_name",
    "category_group_id": "category_group_name",
    "name": "category_name",
}
"""The columns of names, by the fields with the keys."""
_IN_COLUMNS = frozenset(
    {
        "date",
        "account_id",
        "payee_id",
        "payee_name",
        "category_id",
        "cleared",
        "approved",
        "import_id",
    }
)
"""Fields of new and deleted rows that are shown as columns, or that are not shown."""
_COLUMNS = (
    "action",
    "date",
    "account_name",
    "payee_name",
    "category_name",
    "field",
    "before",
    "after",
)


def changes_frame(
    changes: Sequence[Change], attrs: Mapping[str, Any], *, problems: bool = False
) -> pd.DataFrame:
    """One row for each changed field, and for each part of a split that is created or deleted.

    Parameters
    ----------
    changes : sequence of Change
        The changes.
    attrs : mapping
        The name and the currency of the budget.
    problems : bool
        Whether to add a column with the reasons of conflicts.
    """
    decimals = decimals_of(attrs.get("currency_format"))
    rows = [
        {
            "action": change.action,
            **{name: change.shown.get(name) for name in _COLUMNS[1:5]},
            **dict(zip(("field", "before", "after"), cells, strict=True)),
            "problem": change.problem,
            KEYS[change.resource]: change.key,
        }
        for change in changes
        for cells in shown_fields(change, decimals)
    ]
    keys = list(dict.fromkeys(KEYS[change.resource] for change in changes)) or ["transaction_id"]
    columns = [*_COLUMNS, *(["problem"] if problems else []), *keys]
    frame = pd.DataFrame(rows, columns=columns).astype({"before": object, "after": object})
    for name in ("before", "after"):
        frame[name] = frame[name].where(frame[name].notna(), None)
    for name in columns:
        if name == "date":
            frame[name] = pd.to_datetime(frame[name]).astype("datetime64[us]")
        elif name not in ("before", "after"):
            text = pd.Series(["text"]).dtype
            values = frame[name].astype(object).where(frame[name].notna(), None)
            frame[name] = pd.Series(values, dtype=text)
    frame["action"] = pd.Categorical(frame["action"], ["create", "update", "delete"])
    # A resource that has no payees or accounts needs no such columns.
    unused = [each for each in _COLUMNS[1:5] if len(frame) and frame[each].isna().all()]
    return preview_frame(frame.drop(columns=unused), attrs)


def shown_fields(change: Change, decimals: int) -> Iterator[tuple[str, Any, Any]]:
    """The name of each changed field, and its values as they are shown.

    Each part of a split is a field. Its amount has at least this number of decimals.
    """
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
        label = _LABELS.get(name, name)
        if name == "date" and change.resource == "scheduled_transactions":
            label = "date_next"
        if name == _PARTS:
            yield from ((name, _part(each, change.names, decimals), None) for each in before or ())
            yield from ((name, None, _part(each, change.names, decimals)) for each in after or ())
            continue
        yield (
            label,
            _shown(name, before, change.names),
            _shown(name, after, change.names),
        )


def _part(part: Mapping[str, Any], names: Mapping[str, str], decimals: int) -> str:
    """The amount, the category, the payee and the memo of a part of a split."""
    keys = (part.get("category_id"), part.get("payee_id"))
    texts = (*(names.get(key, key) for key in keys if key), part.get("payee_name"))
    known = [text for text in (*texts, part.get("memo")) if text]
    return " · ".join([exact_amount(part["amount"] / MILLIUNITS, decimals), *known])


def _shown(name: str, value: Any, names: Mapping[str, str]) -> Any:
    if value is None or isinstance(value, bool):
        return value
    return value / MILLIUNITS if name in AMOUNTS else names.get(value, value)

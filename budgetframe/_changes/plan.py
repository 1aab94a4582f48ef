"""Changes of the rows of a budget as data: what is sent, and in which requests."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from budgetframe._resources import BATCH_ROWS
from budgetframe._runtime.text import words_in
from budgetframe.frames.request_bodies import BODIES

from .state import FIXED_IN_SPLITS, Names, Row, State, wire_row

Action = Literal["create", "update", "delete"]
Resource = Literal[
    "transactions", "scheduled_transactions", "categories", "month_categories", "accounts",
    "category_groups", "payees",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One row that is created, updated or deleted."""

    action: Action
    resource: Resource
    key: str | None = None  # None for a new row. An assigned amount has the key of its category
    before: Mapping[str, Any] = field(default_factory=dict)
    """The fields that an update changes, or the whole deleted row, as the service defines them."""
    after: Mapping[str, Any] = field(default_factory=dict)
    """The new fields, amounts in milliunits; None clears a field. A new row has its body here."""
    shown: Mapping[str, Any] = field(default_factory=dict)
    """What identifies the row for a person: its date, payee, account and category."""
    names: Mapping[str, str] = field(default_factory=dict)  # the names of the keys in these values
    month: str | None = None  # the first day of the month of an assigned amount
    replaces: str | None = None  # the key of the deleted split that this new row replaces
    cause: str | None = None  # why the service makes this change itself: nothing is sent for it
    problem: str = ""  # why the change is a conflict; empty if it is not
    bank_row: Mapping[str, str] = field(default_factory=dict)
    """What identifies the row of a bank that this new row is: its ``import_id``, also if it is
    sent without one, and the bank's own ``bank_row_id`` with the payee."""
    kept: Mapping[str, Any] = field(default_factory=dict)
    """If the row to delete is a duplicate, the ``id`` and the payment of the row that is kept: with
    another payment there, the deletion is a conflict."""
    moved_with: Sequence[str] = ()
    """The keys of the categories of the other amounts that money is moved between with this one:
    none of them is changed without the others."""
    other_side: str | None = None  # the key of the other side of a transfer that the present row is
    balance_of: tuple[str, str] | None = None
    """The key of an account, and the day at whose end the change gives it a balance, or agrees with
    what its bank states: other rows up to that day make the change wrong."""

    @property
    def is_side_effect(self) -> bool:
        """Whether the service makes this change itself, because of another one."""
        return self.cause is not None

    @property
    def place(self) -> str | None:
        """The key of the row in `State.rows`."""
        return self.key if self.month is None else f"{self.month} {self.key}"

    @property
    def written(self) -> tuple[Mapping[str, Any], ...]:
        """The new fields of the row, and those of each of its parts."""
        return (self.after, *(self.after.get("subtransactions") or ()))

    def as_json(self) -> dict[str, Any]:
        """The elements that are not empty, as JSON."""
        fields = asdict(self).items()
        return {name: value for name, value in fields if value not in (None, {}, "", ())}


_DIGEST = 32  # digits of what was asked for


class Request(NamedTuple):
    """One write: the method, the resource and the positions of its changes in the plan."""

    method: str
    resource: Resource
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Changes that are sent together."""

    changes: Sequence[Change]
    conflicts: Sequence[Change] = ()
    warnings: Sequence[str] = ()  # what the user should know before
    not_undone: Sequence[str] = ()
    """What `undo` cannot restore, or not in full; what it cannot restore at all comes first."""
    recognised: Sequence[Mapping[str, Any]] = ()
    """The rows of a bank's file that are rows of the account, as far as the journal does not know
    this: ``account_id``, ``import_id``, ``bank_row_id`` with the payee, and ``is_matched`` if
    others have entered the row."""
    wanted: Sequence[tuple[Any, ...]] | None = None
    """What a plan of a month wants and funds, as the cells of `preview.WANTED`."""
    sources: Sequence[tuple[Any, ...]] = ()  # what can cover overspending, as `preview.SOURCES`
    warnings_of: Callable[[Sequence[Change], set[str | None]], list[str]] | None = None
    """Returns the warnings of the changes that are left, given the keys of the others."""

    def requests(self, positions: Sequence[int] | None = None) -> list[Request]:
        """The requests for the changes at these positions, in the order of sending."""
        # A replaced split is deleted before it is created again. Assigned amounts that decrease
        # come before those that increase.
        chosen = range(len(self.changes)) if positions is None else positions
        of_step = defaultdict[tuple[str, str, bool], list[int]](list)
        for at in chosen:
            change = self.changes[at]
            if not change.is_side_effect:
                of_step[change.resource, change.action, change.replaces is not None].append(at)
        found = []
        for method, resource, action, is_replacing, size in _STEPS:
            included = of_step[resource, action, is_replacing]
            included.sort(key=lambda at: _rank(self.changes[at]))
            starts = range(0, len(included), size)
            found += [Request(method, resource, tuple(included[at : at + size])) for at in starts]
        return found

    def in_order(self) -> list[Change]:
        """The changes that are sent, in the order of sending."""
        return [self.changes[at] for request in self.requests() for at in request.positions]


@dataclass(frozen=True, slots=True)
class Compared:
    """A plan, and the state of the service that it was made for."""

    plan: Plan
    state: State
    is_old: bool = False  # whether the state is not new: the changes are compared before sending
    asked: str = ""  # a digest of what a person has asked for
    continues: str = ""  # an interrupted operation of the same, which is continued instead
    given: Sequence[str | None] = ()  # the places of the given rows that exist


def digest_of(*asked: Any) -> str:
    """A short text that is the same whenever the same is asked for."""
    text = json.dumps(asked, default=str, sort_keys=True)
    return sha256(text.encode(errors="backslashreplace")).hexdigest()[:_DIGEST]


def creation_of(names: Names, resource: Resource, body: Row, **more: Any) -> Change:
    """The creation of a row, without the empty fields of its body."""
    body = _without_missing(body)
    row = {**body, "payee_id": body.get("payee_name", body.get("payee_id"))}
    shown, known = shown_of(names, resource, row), names.of(body)
    return Change(action="create", resource=resource, after=body, shown=shown, names=known, **more)


def update_of(state: State, resource: Resource, key: str, after: Row, **more: Any) -> Change:
    """The update of a present row."""
    row = wire_row(state.rows[key], resource)
    before = {name: row.get(name) for name in known_fields(after)}
    values = {"before": before, "after": after, **more}
    return _change_of_present_row(state, resource, key, action="update", **values)


def deletion_of(state: State, resource: Resource, key: str, **more: Any) -> Change:
    """The deletion of a present row."""
    before = wire_row(state.rows[key], resource)
    change = _change_of_present_row(state, resource, key, action="delete", before=before, **more)
    first = state.rows[key].get("date_first")  # of a schedule
    return change if first is None else replace(change, shown={**change.shown, "date_first": first})


def _change_of_present_row(state: State, resource: Resource, key: str, **values: Any) -> Change:
    raw, names = state.rows[key], state.names
    shown = shown_of(names, resource, wire_row(raw, resource))
    other = raw.get("transfer_transaction_id")
    known = names.of(values["before"], values.get("after", {}))
    return Change(resource=resource, key=key, shown=shown, names=known, other_side=other, **values)


def with_fields(change: Change, state: State, more: Row) -> Change:
    """An update with further fields of its row."""
    found = update_of(state, change.resource, change.key or "", more)
    return replace(
        change, before={**change.before, **found.before}, after={**change.after, **found.after},
        names={**change.names, **found.names},
    )  # fmt: skip


def differs(changes: Iterable[Change]) -> bool:
    """Whether changes differ from the rows that they were compared with."""
    # If those rows are not new and nothing differs, only new ones can say whether to send
    # something.
    return any(
        each.before.get(name) != value for each in changes for name, value in each.after.items()
    )


def known_fields(after: Iterable[str]) -> list[str]:
    """The fields of the present row that a body changes."""
    return ["payee_id" if name == "payee_name" else name for name in after]


def shown_of(names: Names, resource: Resource, row: Row) -> dict[str, Any]:
    """What identifies a row for a person."""
    shown = {
        "date": row.get("date"),
        "account_name": names.name("account", row.get("account_id")),
        "payee_name": names.name("payee", row.get("payee_id")),
        "category_name": names.name("category", row.get("category_id")),
    }
    if row.get("name") is not None:
        shown[KEYS[resource].replace("_id", "_name")] = row["name"]
    return {name: value for name, value in shown.items() if value is not None}


def _without_missing(body: Row) -> dict[str, Any]:
    """A body without its empty fields, also in the parts of a split."""
    found = {name: value for name, value in body.items() if value is not None}
    if "subtransactions" in found:
        found["subtransactions"] = [_without_missing(part) for part in found["subtransactions"]]
    return found


def is_fixed(change: Change, row: Mapping[str, Any]) -> bool:
    """Whether the row of an update has become a split, whose fields the service does not change."""
    return (
        change.action == "update"
        and "subtransactions" in row
        and "subtransactions" not in change.before
        and any(name in change.after for name in FIXED_IN_SPLITS.get(change.resource, ()))
    )


def _rank(change: Change) -> int:
    """Decreases of assigned amounts come first."""
    if change.resource != "month_categories":
        return 0
    difference: int = change.after["budgeted"] - change.before["budgeted"]
    return difference


_STEPS: Sequence[tuple[str, Any, Any, bool, int]] = (
    ("PATCH", "transactions", "update", False, BATCH_ROWS),
    ("POST", "transactions", "create", False, BATCH_ROWS),
    ("DELETE", "transactions", "delete", False, 1),
    ("POST", "transactions", "create", True, BATCH_ROWS),
    ("PUT", "scheduled_transactions", "update", False, 1),
    ("POST", "scheduled_transactions", "create", False, 1),
    ("DELETE", "scheduled_transactions", "delete", False, 1),
    *(
        (method, resource, action, False, 1)
        for resource in ("accounts", "category_groups", "payees", "categories")
        for method, action in (("POST", "create"), ("PATCH", "update"))
        if (method, resource) != ("PATCH", "accounts")
    ),
    ("PATCH", "month_categories", "update", False, 1),
)


WRITABLE: Mapping[Resource, frozenset[str]] = {
    "transactions": frozenset(BODIES["update_transaction"].fields),
    "scheduled_transactions": frozenset(BODIES["create_scheduled_transactions"].fields),
    "categories": words_in(
        "category_name category_group_id category_group_name note goal_target goal_target_date"
        " budgeted"
    ),
    "month_categories": words_in("budgeted"),
}
"""The columns that can be changed, by resource; a new transaction may also have `import_id`."""

KEYS: Mapping[str, str] = {
    "transactions": "transaction_id", "scheduled_transactions": "scheduled_transaction_id",
    "categories": "category_id", "month_categories": "category_id", "accounts": "account_id",
    "category_groups": "category_group_id", "payees": "payee_id",
}  # fmt: skip
"""The column with the key of a row, by resource."""

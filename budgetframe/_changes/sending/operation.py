"""Changes that are applied together, the events of their application, and both as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from budgetframe._changes.plan import Change

Status = Literal["pending", "unknown", "done", "conflict"]
STATUS: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class Begun:
    """The first event of an operation, with the elements of an `Operation`."""

    budget_id: str
    started: str
    changes: Sequence[Change] = ()
    undoes: str = ""
    recognised: Sequence[Mapping[str, Any]] = ()
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Twins:
    """Rows that are like creations, and existed before these were sent."""

    twins: Sequence[str]


@dataclass(frozen=True, slots=True)
class Sending:
    """The changes at these positions are sent now."""

    positions: Sequence[int]


@dataclass(frozen=True, slots=True)
class Refused:
    """The service has refused the changes at these positions together."""

    positions: Sequence[int]


@dataclass(slots=True)
class Outcome:
    """What an answer or a comparison says about changes, by their positions."""

    done: list[int] = field(default_factory=list)
    pending: list[int] = field(default_factory=list)  # the changes that still have to be sent
    keys: dict[int, str] = field(default_factory=dict)  # the keys of the rows that were created
    payees: dict[int, str] = field(default_factory=dict)
    """The keys of the payees that a rule of the service has given to created rows."""
    conflicts: dict[int, str] = field(default_factory=dict)  # why changes are conflicts
    changes: dict[int, Change] = field(default_factory=dict)
    """Changes that replace others. They still have to be sent, unless they are in `done`."""
    more: list[Change] = field(default_factory=list)
    """Further changes: side effects, and what the service has not applied."""


Event = Begun | Twins | Sending | Refused | Outcome
_EVENTS: Mapping[str, type[Event]] = {
    each.__name__.lower(): each for each in (Begun, Twins, Sending, Refused, Outcome)
}


def json_of(event: Event) -> dict[str, Any]:
    """The elements of an event that are not empty, as JSON; a mapping becomes a list of pairs."""
    values = {each.name: getattr(event, each.name) for each in fields(event)}
    content = {name: _encoded(value) for name, value in values.items() if value}
    return {"event": type(event).__name__.lower(), **content}


def _encoded(value: Any) -> Any:
    if isinstance(value, Change):
        return value.as_json()
    if isinstance(value, str | int):
        return value
    if isinstance(value, Mapping) and not all(isinstance(key, str) for key in value):
        return [[position, _encoded(each)] for position, each in value.items()]
    return value if isinstance(value, Mapping) else [_encoded(each) for each in value]


def event_of(document: Mapping[str, Any]) -> Event:
    """The event of a JSON document."""
    kind = _EVENTS[document["event"]]
    names = [each.name for each in fields(kind) if each.name in document]
    decode = _DECODERS if kind is not Begun else {**_DECODERS, "changes": _changes}
    return kind(**{name: decode.get(name, lambda value: value)(document[name]) for name in names})


def _changes(documents: Iterable[Mapping[str, Any]]) -> list[Change]:
    return [Change(**each) for each in documents]


def _texts(pairs: Iterable[Any]) -> dict[int, str]:
    return {int(position): str(text) for position, text in pairs}


_DECODERS: Mapping[str, Callable[[Any], Any]] = {
    "positions": lambda numbers: list(map(int, numbers)),
    "done": lambda numbers: list(map(int, numbers)),
    "pending": lambda numbers: list(map(int, numbers)),
    "keys": _texts,
    "payees": _texts,
    "conflicts": _texts,
    "changes": lambda pairs: {int(at): Change(**change) for at, change in pairs},
    "more": _changes,
}


@dataclass(slots=True)
class Operation:
    """Changes that were applied together, and what is known of each of them."""

    id: str
    budget_id: str
    started: str  # the time of the first request
    changes: list[Change]
    undoes: str = ""  # the operation that this one reverses; empty if it reverses none
    recognised: list[Mapping[str, Any]] = field(default_factory=list)
    """The rows of a bank's file that were rows of the account, as in `Plan`."""
    asked: str = ""  # what a person has asked for, as in `Compared`
    events: int = 0  # the number of the last event that is taken into account
    undone_by: str = ""  # the operation that reverses this one; empty if none does
    status: list[Status] = field(default_factory=list)
    """Whether each change was made. ``unknown``: it was sent, and no answer arrived."""
    keys: dict[int, str] = field(default_factory=dict)  # of created rows, by their positions
    twins: set[str] = field(default_factory=set)
    """The keys of rows that are like creations, and existed before these were sent."""

    def __post_init__(self) -> None:
        self.status = ["conflict" if change.problem else "pending" for change in self.changes]

    @classmethod
    def of(cls, operation_id: str, event: Begun) -> Operation:
        """The operation of a first event."""
        values = {each.name: getattr(event, each.name) for each in fields(event)}
        lists = {"changes": list(event.changes), "recognised": list(event.recognised)}
        return cls(operation_id, **{**values, **lists})

    def changes_in(self, *status: Status) -> dict[int, Change]:
        """The changes with one of these states, which are sent themselves, by their positions."""
        return {
            position: change
            for position, change in enumerate(self.changes)
            if self.status[position] in status and not change.is_side_effect
        }

    def positions(self, *status: Status) -> list[int]:
        """The positions of `changes_in`."""
        return list(self.changes_in(*status))

    def is_left(self, position: int) -> bool:
        """Whether a change may still have to be sent; none has to after an undo."""
        is_open = self.status[position] in ("pending", "unknown")
        return is_open and not self.undone_by and not self.changes[position].is_side_effect

    @property
    def left(self) -> list[int]:
        """The positions of the changes that may still have to be sent."""
        return [position for position in range(len(self.changes)) if self.is_left(position)]

    def begun(self) -> Begun:
        """The first event of this operation."""
        return Begun(**{each.name: getattr(self, each.name) for each in fields(Begun)})

    def take(self, event: Event) -> None:
        """Take an event into account."""
        match event:
            case Twins():
                self.twins.update(event.twins)
            case Sending():
                self._set(dict.fromkeys(event.positions, "unknown"))
            case Refused():
                self._set(dict.fromkeys(event.positions, "pending"))
            case Outcome():
                self._take_outcome(event)

    def _set(self, status: Mapping[int, Status]) -> None:
        for at in status:
            self.changes[at]
        for at, each in status.items():
            self.status[at] = each

    def _take_outcome(self, event: Outcome) -> None:
        for at in event.payees:
            self.changes[at]
        self._set(
            {
                **dict.fromkeys([*event.changes, *event.pending], "pending"),
                **dict.fromkeys(event.done, "done"),
                **dict.fromkeys(event.conflicts, "conflict"),
            }
        )
        for at, change in event.changes.items():
            self.changes[at] = change
        self.keys |= event.keys
        for at, payee_id in event.payees.items():
            change = self.changes[at]
            body = {name: value for name, value in change.after.items() if name != "payee_name"}
            self.changes[at] = replace(change, after={**body, "payee_id": payee_id})
        for at, problem in event.conflicts.items():
            self.changes[at] = replace(self.changes[at], problem=problem)
        self.changes += event.more
        self.status += ["conflict" if each.problem else "pending" for each in event.more]

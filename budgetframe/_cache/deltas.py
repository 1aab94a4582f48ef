"""What the answer to a request for changes means: the one rule for every reader of deltas."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import Enum, auto
from typing import Any, NamedTuple

from budgetframe._resources import EXPORT, RESOURCES

from .merge import is_mergeable

_EXPORT_KEY = RESOURCES[EXPORT].data_key or ""


class Payload(NamedTuple):
    """The data object of an answer, without its server knowledge."""

    data: dict[str, Any]
    knowledge: int | None  # None if the answer has none, or one that is not an integer
    has_amounts: bool  # whether every row has usable amounts
    date: datetime | None = None  # the time that the response states


class Meaning(Enum):
    """What a reader does with the answer to a request for changes."""

    UNCHANGED = auto()  # the stored data are current
    MERGE = auto()  # merge the changes; the next request asks for the changes since this answer
    MERGE_LAST = auto()  # merge, and read in full next: no later delta would repair a lost amount
    READ_IN_FULL = auto()  # the answer is not a delta of the stored data


def meaning_of(
    payload: Payload, *, cursor: int, data_key: str, stored: Mapping[str, Any]
) -> Meaning:
    """Decide what the answer to a request for the changes since a server knowledge means."""
    # `cursor` is the server knowledge that was sent. Of a stored budget, the fields without lists
    # are enough.
    changes = payload.data
    # With a lower knowledge, the service was set back to an earlier state.
    if payload.knowledge is None or payload.knowledge < cursor:
        return Meaning.READ_IN_FULL
    if not is_mergeable(changes, data_key):
        return Meaning.READ_IN_FULL
    if data_key == _EXPORT_KEY:
        changes, stored = changes[data_key], stored.get(data_key) or {}
        if changes.get("id") != stored.get("id"):  # these are the changes of another budget
            return Meaning.READ_IN_FULL
    if not payload.has_amounts:
        return Meaning.MERGE_LAST
    is_changed = any(
        bool(value) if isinstance(value, list) else value not in (None, stored.get(name, value))
        for name, value in changes.items()
    )
    return Meaning.MERGE if is_changed else Meaning.UNCHANGED

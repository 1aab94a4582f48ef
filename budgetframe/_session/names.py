"""Keys of accounts, categories, category groups and payees, from their keys or names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from budgetframe._resources import is_key, key_text
from budgetframe._runtime.arguments import closest_names
from budgetframe.errors import ToolError

if TYPE_CHECKING:
    import pandas as pd

    from .session import Session

LISTS: Mapping[str, str] = {
    "account": "accounts",
    "category": "categories",
    "category_group": "category_groups",
    "payee": "payees",
}
"""The lists with names, by the entity that they list."""

_GROUP_NAME = "category_group_name"
_ENTITIES = {name: entity for entity, name in LISTS.items()}


def check_text(given: object, argument: str) -> str:
    """Return a name as it is given, or a key as the service writes it; neither may be empty."""
    given = key_text(given)
    if not isinstance(given, str):
        raise ToolError(f"{argument}={given!r} is not a text: give a key or a name")
    if not given.strip():
        raise ToolError(f"{argument}={given!r} is empty: give a key or a name")
    return given


def needs_category(group: str, where: str) -> str:
    """The message for the name of a group without a category."""
    return f"{where}: category_group_name={group!r} is only a group: give category_name too"


class KeysOfNames:
    """The keys that the names of one list mean."""

    def __init__(self, entity: str, rows: Iterable[tuple[str, Any, Any]]) -> None:
        # A category has two names: its own one, and the one with its group, ``"Home: Insurance"``.
        # The `rows` are those of a list of `LISTS`: key, name and group; only categories have a
        # group.
        self._entity = entity
        self._groups: dict[str, Any] = {}
        self._full_names: dict[str, str] = {}
        self._keys: dict[str, list[str]] = defaultdict(list)
        for key, name, group in rows:
            self._groups[key] = group
            self._full_names[key] = f"{group}: {name}" if isinstance(group, str) else name
            for each in {name, self._full_names[key]}:
                if isinstance(each, str) and each:
                    self._keys[each].append(key)

    @classmethod
    def of_frame(cls, entity: str, frame: pd.DataFrame) -> KeysOfNames:
        """The keys in a frame of accounts, categories, category groups or payees."""
        names = [frame[f"{entity}_{each}"] for each in ("id", "name")]
        groups = frame["category_group_name"] if entity == "category" else [None] * len(frame)
        return cls(entity, zip(*names, groups, strict=True))

    def __contains__(self, given: object) -> bool:
        """Whether a text is the key or the name of a row."""
        return given in self._groups or given in self._keys

    def has_name(self, key: str, name: str) -> bool:
        """Whether a row has a name, alone or with its group."""
        return key in self._keys.get(name, ())

    def name_of(self, key: str) -> str | None:
        """The name of a row, with its group; None if no row has the key."""
        return self._full_names.get(key)

    def keys_named(self, name: str) -> list[str]:
        """The keys of the rows that have a name."""
        return self._keys.get(name, [])

    def find(
        self, name: str, where: str, *, group: str | None = None, near: str | None = None
    ) -> str | None:
        """Return the key of a name; None if no row has the name."""
        # The error for several rows with the name says `where` it was given. Of several categories,
        # that in the group `near` is preferred.
        keys = self._keys.get(name, [])
        if group is not None:
            keys = [key for key in keys if self._groups[key] == group]
        if len(keys) > 1 and near is not None:
            keys = [key for key in keys if self._groups[key] == near] or keys
        if len(keys) < 2:  # noqa: PLR2004 - one name must not mean two rows
            return keys[0] if keys else None
        full = {key: self._full_names[key] for key in keys}
        ways = [name if len(self._keys[name]) == 1 else key for key, name in full.items()]
        shown = ", ".join(map(repr, sorted(ways)))
        things = LISTS[self._entity].replace("_", " ")
        raise ToolError(f"{where}: {len(keys)} {things} are named {name!r}; write one of {shown}")

    def key(
        self, name: str, where: str, *, group: str | None = None, near: str | None = None
    ) -> str:
        """Return the key of a name, as `find`; a name without a row is an error."""
        found = self.find(name, where, group=group, near=near)
        if found is not None:
            return found
        close = closest_names(name, self._keys)
        noun = "names are" if len(close) > 1 else "name is"
        advice = (
            f"the closest {noun} {', '.join(map(repr, close))}"
            if close
            else f"bf.{LISTS[self._entity]}() lists the keys and names"
        )
        of_group = "" if group is None else f" in the group {group!r}"
        thing = self._entity.replace("_", " ")
        raise ToolError(f"{where}: the budget has no {thing} {name!r}{of_group}; {advice}")

    def key_of(self, given: str, where: str, *, group: str | None = None) -> str:
        """Return the key of a row in a group, from its key, or from its name as `key`."""
        if given not in self._groups:
            return self.key(given, where, group=group)
        if group not in (None, self._groups[given]):
            raise ToolError(
                f"{where}: the {self._entity} is in the group {self._groups[given]!r}, not in"
                f" {group!r}: give only one of them"
            )
        return given


async def key_of(session: Session, name: str, given: str) -> str:
    """Return the key of an object of a resource, from its key or its name."""
    # A name needs the list of the resource. Objects such as transactions have keys only.
    entity = _ENTITIES.get(name)
    if entity is None:
        return given
    given = check_text(given, f"{entity}_id")
    if is_key(given):
        return given
    answer = await session.answer_of(name, tables=(name,))
    (built,) = session.frames_of({name: answer})
    return KeysOfNames.of_frame(entity, built.frame).key_of(given, f"{entity}_id")

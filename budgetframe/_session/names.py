"""Keys of accounts, categories, category groups and payees, from their keys or names.

A text that has the form of a key is used as it is, without a request. Any other text is a name: the
list of the budget says which key it means, and costs a request if it is not fresh. Names are exact,
as in the filters of reports. Deleted rows have no names, closed accounts and hidden categories do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from budgetframe._resources import TRANSFER_PREFIX, is_key, key_text
from budgetframe._runtime.arguments import closest_names, nothing_sent
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
    """Return a name as it is given, or a key as the service writes it; neither may be empty.

    Raises
    ------
    ToolError
        If it is not; the message has the name of the argument.
    """
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
    """The keys that the names of one list mean.

    A category has two names: its own one, and the one with its group, ``"Home: Insurance"``.

    Parameters
    ----------
    entity : str
        What the list has rows of: account, category, category_group or payee.
    rows : iterable of tuple
        Key, name and group of each row; only categories have a group.
    """

    def __init__(self, entity: str, rows: Iterable[tuple[str, Any, Any]]) -> None:
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

    def find(
        self, name: str, where: str, *, group: str | None = None, near: str | None = None
    ) -> str | None:
        """Return the key of a name; None if no row has the name.

        Parameters
        ----------
        name : str
            The name.
        where : str
            Where the name was given, for messages.
        group : str, optional
            The name of the group of a category.
        near : str, optional
            The name of the group that is preferred if several groups have such a category.

        Raises
        ------
        ToolError
            If several rows have the name.
        """
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
        """Return the key of a name, with the parameters of `find`.

        Raises
        ------
        ToolError
            If no row or several rows have the name.
        """
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
        """Return the key of a row, from its key or its name, with the parameters of `key`.

        Raises
        ------
        ToolError
            If no row or several rows have the name, or the row is in another group.
        """
        if given not in self._groups:
            return self.key(given, where, group=group)
        if group not in (None, self._groups[given]):
            raise ToolError(
                f"{where}: the {self._entity} is in the group {self._groups[given]!r}, not in"
                f" {group!r}: give only one of them"
            )
        return given


async def key_of(
    session: Session, name: str, given: str, argument: str = "", *, is_write: bool = False
) -> str:
    """Return the key of an object of a resource, from its key or its name.

    The list of the resource is read if a name is given. Objects without names, such as
    transactions, have keys only. Messages use the name of the argument, by default ``account_id``
    and so on; for a write, they add that nothing was sent.
    """
    entity = _ENTITIES.get(name)
    if entity is None:
        return given
    argument, checking = argument or f"{entity}_id", nothing_sent if is_write else nullcontext
    with checking():
        given = check_text(given, argument)
    if is_key(given):
        return given
    names = await names_in(session, name)
    with checking():
        return names.key_of(given, argument)


async def with_keys(
    session: Session, bodies: Sequence[Mapping[str, Any]], where: str = ""
) -> list[dict[str, Any]]:
    """Return the bodies of a write with keys where names were given, also in the parts of splits.

    A name may be in the field of a key, or in ``account_name`` or ``category_name``, with
    ``category_group_name``. The service finds or creates a ``payee_name`` itself.

    Parameters
    ----------
    session : Session
        Reads the lists of the names that are given.
    bodies : sequence of mapping
        The bodies.
    where : str
        What the bodies are, for messages; by default, the number of the row.
    """
    rows = [row for body in bodies for row in (body, *(body.get("subtransactions") or ()))]
    lists = {
        entity: await names_in(session, name)
        for entity, name in LISTS.items()
        if any(_has_name(row, entity) for row in rows)
    }
    with nothing_sent():
        return [
            _with_keys(body, lists, where or f"row {position}")
            for position, body in enumerate(bodies)
        ]


def _has_name(row: Mapping[str, Any], entity: str) -> bool:
    """Whether a row names an account, a category, a category group or a payee."""
    key, name = row.get(f"{entity}_id"), row.get(f"{entity}_name")
    if key is not None and not is_key(key):
        return True
    if entity == "payee":  # the service knows names, but not those of transfers or beside a key
        is_transfer = isinstance(name, str) and name.startswith(TRANSFER_PREFIX)
        return is_transfer or (key is not None and name is not None)
    return name is not None or (entity == "category" and row.get(_GROUP_NAME) is not None)


def _with_keys(
    body: Mapping[str, Any], lists: Mapping[str, KeysOfNames], where: str
) -> dict[str, Any]:
    """One body with keys where names were given."""
    found = dict(body)
    group = found.pop(_GROUP_NAME, None)
    for entity in LISTS:
        column, name_field = f"{entity}_id", f"{entity}_name"
        given, name, of_group = found.get(column), found.get(name_field), None
        if entity == "category":
            of_group = group
            if group is not None and given is None and name is None:
                raise ToolError(needs_category(group, where))
        # For the service, an empty name of a payee is no name at all.
        if name_field in found and (entity != "payee" or name is None):
            del found[name_field]
            found.setdefault(column, None)
        if not _has_name({column: given, name_field: name, _GROUP_NAME: of_group}, entity):
            continue
        names = lists[entity]
        key = given
        if given is not None and not (is_key(given) and group is None):
            key = names.key_of(given, where, group=of_group)
        if name is not None:
            key = key or names.key(name, where, group=of_group)
            if not names.has_name(key, name):
                raise ToolError(_contradiction(where, column, name_field, names.name_of(key), name))
            found.pop(name_field, None)
        found[column] = key
    if found.get("subtransactions"):
        found["subtransactions"] = [
            _with_keys(part, lists, f"{where}: subtransactions[{number}]")
            for number, part in enumerate(found["subtransactions"])
        ]
    return found


def _contradiction(
    where: str, column: str, name_field: str, name_of_key: str | None, name: str
) -> str:
    """The message for a key beside the name of another row, as in a frame with an edited name."""
    key = "the key of no name" if name_of_key is None else f"the key of {name_of_key!r}"
    return (
        f"{where}: {column} is {key}, and {name_field} is {name!r}: give only one of them. To write"
        f' {name!r}, leave out {column}, in a frame with rows.drop(columns="{column}"); to keep the'
        f" key, leave out {name_field}"
    )


async def names_in(session: Session, name: str) -> KeysOfNames:
    """Read the names in a list of the budget."""
    answer = await session.answer_of(name, tables=(name,))
    (built,) = session.frames_of({name: answer})
    return KeysOfNames.of_frame(_ENTITIES[name], built.frame)

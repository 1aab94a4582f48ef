"""How a report groups its rows: by one property, by two, or by own labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from uuid import UUID

from budgetframe._runtime.arguments import check_choice
from budgetframe.errors import ToolError

Key = Literal["category", "group", "payee", "account", "flag", "hashtag"]
"""A property of a row by which a report groups it."""

By = Key | tuple[Key, Key] | list[Key] | Mapping[str, str]
"""The grouping: one property, two, or own labels for groups, categories, flags and tags."""


def check_texts(mapping: Mapping[Any, Any], argument: str) -> None:
    """Check that the names in a mapping are texts or keys, and that its values are texts."""
    for name, value in mapping.items():
        if not (isinstance(name, str | UUID) and isinstance(value, str)):
            problem = "the names and values of a mapping must be texts"
            raise ToolError(f"{argument}: {{{name!r}: {value!r}}}: {problem}")


def check_by(by: object, _name: str = "by") -> None:
    """Check a grouping by two properties, or by own labels."""
    if isinstance(by, Mapping):
        check_texts(by, "by")
    if isinstance(by, tuple | list):
        for each in by:
            check_choice(each, "by", Key)
        if len(by) != 2 or by[0] == by[1]:  # noqa: PLR2004 - a pair
            raise ToolError(f"by={by!r}: pass one name, or two different ones")


def by_name(by: By) -> str | list[str]:
    """What ``attrs["by"]`` states: the name of the property, of both, or ``own``."""
    if isinstance(by, Mapping):
        return "own"
    return by if isinstance(by, str) else [*by]


def groups_overlap(name: object) -> bool:
    """Whether a row can be in several groups, by the name of the grouping in ``attrs["by"]``."""
    return isinstance(name, str | list) and "hashtag" in name

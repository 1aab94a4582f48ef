"""Checks of arguments: permitted values, types from the annotations, and names that are close."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from inspect import signature
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NamedTuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from budgetframe.errors import ToolError

_EXPECTED: Mapping[Any, str] = {
    bool: "True or False", Integral: "a whole number", str: "a text", Mapping: "a mapping",
    tuple: "a tuple of them", list: "a list of them",
}  # fmt: skip
"""The types that are checked apart from ``Literal``, as they are named in messages."""


def check_choice(value: object, argument: str, choices: Any) -> None:
    """Check an argument: a value not in `choices`, or not of this ``Literal``, is a `ToolError`."""
    words = get_args(choices) or tuple(choices)
    if not isinstance(value, str) or value not in words:
        raise ToolError(f"{argument}={value!r}: it must be one of {', '.join(map(repr, words))}")


def check_arguments(
    function: Callable[..., Any], args: Iterable[object], kwargs: Mapping[str, object]
) -> None:
    """Check that the arguments of a call fit the annotations of the parameters."""
    # The function can also be a ``TypedDict``, whose keys are the parameters. ``Literal``,
    # ``bool``, ``int``, ``str``, ``Mapping``, ``tuple``, ``list``, ``None`` and unions of them are
    # checked. With other annotations, such as a day or a frame, the function checks the value
    # itself. An argument that does not fit is a `ToolError`, whose message states what it must be.
    known = _permitted_by(function)
    for name, value in {**dict(zip(known, args, strict=False)), **kwargs}.items():
        permitted = known.get(name)
        if permitted is None or (isinstance(value, str) and value in permitted.words):
            continue
        is_of_type = isinstance(value, permitted.types)
        # True and False are integers in Python, but they are no whole numbers for a person.
        if is_of_type and (bool in permitted.types or not isinstance(value, bool)):
            continue
        if permitted.words:
            check_choice(value, name, permitted.words)
        expected = [_EXPECTED[kind] for kind in permitted.types if kind in _EXPECTED]
        raise ToolError(f"{name}={value!r}: it must be {' or '.join(expected)}")


def is_number(value: object) -> bool:
    """Whether a value is a number; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def closest_names(
    name: str, known: Iterable[str], count: int = 3, *, cutoff: float = 0.6
) -> list[str]:
    """The known names most like a name, best first; `cutoff` is the least similarity, 0 to 1."""
    from difflib import get_close_matches  # noqa: PLC0415 - slow and rarely used

    folded = {known_name.casefold(): known_name for known_name in known}
    return [folded[found] for found in get_close_matches(name.casefold(), folded, count, cutoff)]


class _Permitted(NamedTuple):
    """The values that a parameter accepts."""

    words: tuple[str, ...]
    types: tuple[type, ...]


@cache
def _permitted_by(function: Callable[..., Any]) -> Mapping[str, _Permitted | None]:
    """The permitted values of each parameter, in order; None if it accepts every value."""
    hints = get_type_hints(function)
    names = hints if is_typeddict(function) else signature(function).parameters
    return {name: _permitted(hints.get(name)) for name in names}


def _permitted(hint: Any) -> _Permitted | None:
    words, types = list[str](), list[type]()
    for kind in get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,):
        known = get_origin(kind) or kind  # a generic type is checked without its parameters
        known = Integral if known is int else known  # those of numpy are whole numbers too
        if known is Literal:
            words += get_args(kind)
        elif known in _EXPECTED or known is NoneType:
            types.append(known)
        else:
            return None
    return _Permitted(tuple(words), tuple(types))


def refused(problem: str) -> ToolError:
    """The error for data that cannot be sent."""
    return ToolError(f"{problem}. Nothing was sent")


@contextmanager
def nothing_sent() -> Iterator[None]:
    """Add to the message of a `ToolError` that nothing was sent."""
    try:
        yield
    except ToolError as error:
        raise refused(str(error)) from None

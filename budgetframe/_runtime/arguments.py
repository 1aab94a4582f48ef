"""Checks of arguments: permitted values, types from the annotations, and names that are close."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from inspect import signature
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from budgetframe.errors import ToolError

from .short_traceback import shown_without_frames

__all__ = ["check_arguments", "check_choice", "checked", "closest_names", "is_number"]

_F = TypeVar("_F", bound=Callable[..., Any])

_EXPECTED: Mapping[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    str: "a text",
    Mapping: "a mapping",
}
"""The annotations that are checked apart from ``Literal``, as they are named in messages."""


def check_choice(value: object, argument: str, choices: Any) -> None:
    """Check that an argument has one of its permitted values.

    Parameters
    ----------
    value : object
        The value to check.
    argument : str
        Name of the argument, for the message.
    choices : iterable of str
        The permitted values, or a ``Literal`` of them.

    Raises
    ------
    ToolError
        When the value is not permitted; the message lists the permitted values.
    """
    words = get_args(choices) or tuple(choices)
    if not isinstance(value, str) or value not in words:
        raise ToolError(f"{argument}={value!r}: it must be one of {', '.join(map(repr, words))}")


def checked(function: _F) -> _F:
    """Check the arguments of a function, as `check_arguments` does, each time it is called.

    Its expected errors are shown without the frames of this package.
    """

    @shown_without_frames
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        check_arguments(function, args, kwargs)
        return function(*args, **kwargs)

    return cast("_F", call)


def check_arguments(
    function: Callable[..., Any], args: Iterable[object], kwargs: Mapping[str, object]
) -> None:
    """Check that the arguments of a call fit the annotations of the parameters.

    ``Literal``, ``bool``, ``int``, ``str``, ``Mapping``, ``None`` and unions of them are checked.
    A parameter with any other annotation, for example a day or a frame, accepts every value: its
    function has to check it.

    Raises
    ------
    ToolError
        When an argument does not fit; the message states what it must be.
    """
    kinds = _kinds_of(function)
    for name, value in {**dict(zip(kinds, args, strict=False)), **kwargs}.items():
        permitted = kinds.get(name, ())
        if not permitted or any(_fits(value, kind) for kind in permitted):
            continue
        for kind in permitted:
            if get_origin(kind) is Literal:
                check_choice(value, name, kind)
        expected = [_EXPECTED[kind] for kind in permitted if kind in _EXPECTED]
        raise ToolError(f"{name}={value!r}: it must be {' or '.join(expected)}")


def is_number(value: object) -> bool:
    """Whether a value is a number; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def closest_names(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known names that are most similar to a name, the most similar first."""
    from difflib import get_close_matches  # noqa: PLC0415 - slow and rarely used

    folded = {each.casefold(): each for each in known}
    return [folded[each] for each in get_close_matches(name.casefold(), folded, n=count)]


@cache
def _kinds_of(function: Callable[..., Any]) -> Mapping[str, tuple[Any, ...]]:
    """The permitted kinds of each parameter, in order; none if it accepts every value."""
    hints = get_type_hints(function)
    return {name: _kinds(hints.get(name)) for name in signature(function).parameters}


def _kinds(hint: Any) -> tuple[Any, ...]:
    is_union = get_origin(hint) in (Union, UnionType)
    # A generic type is checked without its parameters, a Literal with its values.
    kinds = [
        each if get_origin(each) in (None, Literal) else get_origin(each)
        for each in (get_args(hint) if is_union else (hint,))
    ]
    known = (*_EXPECTED, NoneType)
    is_known = all(get_origin(each) is Literal or each in known for each in kinds)
    return tuple(kinds) if is_known else ()


def _fits(value: object, kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return isinstance(value, str) and value in get_args(kind)
    if kind is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    return isinstance(value, kind)

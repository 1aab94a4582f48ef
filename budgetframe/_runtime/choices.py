"""Check of arguments that have a fixed set of permitted values."""

from __future__ import annotations

from typing import Any, get_args

from budgetframe.errors import ToolError

__all__ = ["check_choice"]


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
    if value not in words:
        raise ToolError(f"{argument}={value!r}: it must be one of {', '.join(map(repr, words))}")

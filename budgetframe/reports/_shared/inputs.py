"""The frames that reports take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Input(NamedTuple):
    """A frame that a report takes: the result of a method of `BudgetFrame`."""

    frame: str  # the name of the method
    needed_with: tuple[str, ...] = ()  # it is only taken with one of these options; empty: always
    options: tuple[str, ...] = ()  # the options of the report that are also options of the method


INPUTS: dict[str, tuple[Input, ...]] = {}
"""The frames of each report on one budget, in the order of its parameters; `register` adds them."""


def inputs_of(report: str, options: Mapping[str, object]) -> list[Input | None]:
    """The frames that a report takes with these options; None where it takes none."""
    return [
        each if not each.needed_with or any(map(options.get, each.needed_with)) else None
        for each in INPUTS[report]
    ]

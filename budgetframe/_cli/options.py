"""Options and output that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def add_number(
    parser: argparse.ArgumentParser,
    name: str,
    what: str,
    *,
    kind: Callable[[str], int] = int,
    default: int | None = None,
) -> None:
    """Add an option with a number; its help states the default, if there is one."""
    stated = "" if default is None else " (default: %(default)s)"
    parser.add_argument(name, type=kind, default=default, metavar="N", help=what + stated)


def add_keep_hours(parser: argparse.ArgumentParser, *, default: int | None) -> None:
    """Add the option with the age of the states to keep."""
    shown = "delete nothing" if default is None else "%(default)s"
    parser.add_argument(
        "--keep-hours", type=at_least(0, "a number of 0 or more"), default=default, metavar="N",
        help=f"delete the files of states before the last N hours (default: {shown})",
    )  # fmt: skip


def at_least(least: int, what: str, *, most: float = inf) -> Callable[[str], int]:
    """Return a function that returns the number of a text, not `what` beyond the limits."""

    def number(text: str) -> int:
        if not (text.isdecimal() and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
        return int(text)

    return number


positive = at_least(1, "a number of 1 or more")


def json_lines(frame: pd.DataFrame, key: str = "") -> str:
    """One JSON object in a line for each row, in another object under a key."""
    # It is ASCII, because the console may lack other letters, and some of them would end a line.
    lines = frame.to_json(orient="records", lines=True, date_format="iso")
    return "\n".join(f'{{"{key}":{line}}}' if key else line for line in lines.split("\n") if line)

"""Tests of the command; `main` is what the installed command calls."""

from collections.abc import Callable, Sequence
from importlib.metadata import entry_points

(_command,) = entry_points(group="console_scripts", name="budgetframe")
main: Callable[[Sequence[str]], int] = _command.load()

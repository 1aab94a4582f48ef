"""How the money of a month is assigned to categories, and how overspending is covered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from budgetframe._milliunits import MILLIUNITS

if TYPE_CHECKING:
    from .month_figures import MonthFigures


_PER_CENT = 100


class Step(NamedTuple):
    """What a rule says about one category; amounts in milliunits, other numbers in thousandths."""

    key: str
    kind: str = "target"
    value: int = 0
    word: str = ""
    """``spent`` or ``last``: another meaning of the kind."""
    up_to: int | None = None
    """The available amount that the rule does not exceed."""
    name: str = "target"
    """The rule, as it is shown."""


@dataclass(slots=True)
class Line:
    """What happens to the assigned amount of one category."""

    key: str
    rules: list[str] = field(default_factory=list)
    wanted: int = 0
    got: int = 0


class Planner:
    """Assigns the money of a month in the order of steps, until it is used up."""

    def __init__(self, figures: MonthFigures, money: int) -> None:
        self._figures = figures
        self._left = max(0, money)
        self._given: Counter[str] = Counter()
        self._lines: dict[str, Line] = {}

    def plan(self, steps: Sequence[Step]) -> list[Line]:
        """One line for each category, in the order of their first steps; a rest comes last."""
        for step in steps:
            if step.kind != "rest":
                wanted = self._room(step, self._wanted(step))
                self._give(step, min(wanted, self._left), wanted)
        self._give_rest([step for step in steps if step.kind == "rest"])
        return list(self._lines.values())

    def _wanted(self, step: Step) -> int:
        """What a step wants in addition to what the plan gave; negative if that is more."""
        figures, key, value = self._figures, step.key, step.value
        if step.kind == "refill":
            return value - self._available(key)
        if step.kind == "schedule":
            return figures.scheduled[key] - max(0, self._available(key))
        if step.kind == "target":
            return figures.needed(key) - self._given[key]
        if step.kind == "average":
            spent, months = figures.spent(key, value // MILLIUNITS)
            value = _nearest(spent, max(1, months), figures.unit)
        elif step.kind == "last_month":
            before = figures.of(key, -1)
            value = -before.activity if step.word == "spent" else before.assigned
        elif step.kind == "percent":
            parts = _PER_CENT * MILLIUNITS * figures.unit
            value = figures.income(-1 if step.word == "last" else 0) * value // parts * figures.unit
        return value - figures.of(key).assigned - self._given[key]

    def _give_rest(self, steps: Sequence[Step]) -> None:
        """Share what is left; what one category cannot take is shared among the others."""
        while steps and self._left:
            shares = _shares(self._left, [step.value for step in steps], self._figures.unit)
            rooms = [self._room(step, share) for step, share in zip(steps, shares, strict=True)]
            cells = list(zip(steps, rooms, shares, strict=True))
            full = [(step, room) for step, room, share in cells if room < share]
            for step, room in full or zip(steps, rooms, strict=True):
                self._give(step, room, room)
            steps = [step for step, room, share in cells if full and room >= share]

    def _room(self, step: Step, wanted: int) -> int:
        """What a step can take of an amount without exceeding the available amount it allows."""
        if step.up_to is not None:
            wanted = min(wanted, step.up_to - self._available(step.key))
        return max(0, wanted)

    def _give(self, step: Step, amount: int, wanted: int) -> None:
        if wanted:
            line = self._lines.setdefault(step.key, Line(step.key))
            line.rules += [step.name] if step.name not in line.rules else []
            line.wanted = max(line.wanted, line.got + wanted)
            line.got += amount
            self._given[step.key] += amount
            self._left -= amount

    def _available(self, key: str) -> int:
        return self._figures.of(key).available + self._given[key]


def moves(
    overspent: Sequence[tuple[str, int]], spare: Mapping[str | None, int]
) -> tuple[Counter[str], Counter[str | None]]:
    """What covers overspent categories, and what each source gives, both by key.

    Both are in order: the first category is covered first, from the first source that has money.
    """
    given: Counter[str] = Counter()
    taken: Counter[str | None] = Counter()
    for key, missing in overspent:
        left = missing
        for source in spare:
            amount = min(left, spare[source] - taken[source])
            left -= amount
            given[key] += amount
            taken[source] += amount
    return +given, +taken


def _shares(amount: int, weights: Sequence[int], unit: int) -> list[int]:
    """Parts of an amount in whole units, whose sum is the amount; the last one has what is left."""
    sums = [sum(weights[:number]) for number in range(len(weights))]
    ends = [amount * each // (sum(weights) * unit) * unit for each in sums]
    return [end - start for start, end in pairwise([*ends, amount])]


def _nearest(amount: int, parts: int, unit: int) -> int:
    """A part of an amount in whole units; a half is rounded up."""
    return (2 * amount + parts * unit) // (2 * parts * unit) * unit

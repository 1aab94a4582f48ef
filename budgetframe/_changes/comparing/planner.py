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


class Money:
    """What is ready to assign in a month, and in the later months, which it must not exceed."""

    def __init__(self, now: int, later: int, limit: int | None = None) -> None:
        self._now = now if limit is None else min(now, limit)
        self._later = later

    def left(self, overspent: int = 0) -> int:
        """What can be assigned; to a category that is overspent in cash by an amount.

        What covers this amount is no loss of the later months: their money lacks it already.
        """
        return max(0, min(self._now, self._later + overspent))

    def take(self, wanted: int, overspent: int = 0) -> int:
        """Take as much as there is of an amount."""
        taken = min(wanted, self.left(overspent))
        self._now -= taken
        self._later -= max(0, taken - overspent)
        return taken


class Planner:
    """Assigns the money of a month in the order of steps, until it is used up."""

    def __init__(self, figures: MonthFigures, limit: int | None) -> None:
        self._figures = figures
        self._money = Money(*figures.ready(), limit)
        self._given: Counter[str] = Counter()
        self._lines: dict[str, Line] = {}

    def plan(self, steps: Sequence[Step]) -> list[Line]:
        """One line for each category, in the order of their first steps; a rest comes last."""
        for step in steps:
            if step.kind != "rest":
                wanted = self._room(step, self._wanted(step))
                self._give(step, wanted)
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
        while steps and (left := self._money.left()):
            shares = _shares(left, [step.value for step in steps], self._figures.unit)
            for step, share in zip(steps, shares, strict=True):
                self._give(step, self._room(step, share))
            steps = [step for step in steps if self._room(step, 1)]

    def _room(self, step: Step, wanted: int) -> int:
        """What a step can take of an amount without exceeding the available amount it allows."""
        if step.up_to is not None:
            wanted = min(wanted, step.up_to - self._available(step.key))
        return max(0, wanted)

    def _give(self, step: Step, wanted: int) -> None:
        if wanted:
            overspent = max(0, self._figures.overspent(step.key)[0] - self._given[step.key])
            amount = self._money.take(wanted, overspent)
            line = self._lines.setdefault(step.key, Line(step.key))
            line.rules += [step.name] if step.name not in line.rules else []
            line.wanted = max(line.wanted, line.got + wanted)
            line.got += amount
            self._given[step.key] += amount

    def _available(self, key: str) -> int:
        return self._figures.of(key).available + self._given[key]


class Cover:
    """Moves money from sources, in their order, to overspent categories."""

    def __init__(self, spare: Mapping[str | None, int], money: Money) -> None:
        self._spare = spare
        self._money = money
        self.lines: dict[str, Line] = {}
        self.taken: Counter[str | None] = Counter()
        """What each source gives; None is what is ready to assign."""

    def add(self, key: str, missing: int, *, is_cash: bool) -> int:
        """Cover an amount of a category as far as there is money, and return how much it is."""
        if missing <= 0:
            return 0
        line = self.lines.setdefault(key, Line(key, ["overspent"]))
        line.wanted += missing
        left = missing
        for source, spare in self._spare.items():
            if source is None:
                amount = self._money.take(left, left if is_cash else 0)
            else:
                amount = min(left, spare - self.taken[source])
            left -= amount
            self.taken[source] += amount
        line.got += missing - left
        return missing - left


def _shares(amount: int, weights: Sequence[int], unit: int) -> list[int]:
    """Parts of an amount in whole units, whose sum is the amount; the last one has what is left."""
    sums = [sum(weights[:number]) for number in range(len(weights))]
    ends = [amount * each // (sum(weights) * unit) * unit for each in sums]
    return [end - start for start, end in pairwise([*ends, amount])]


def _nearest(amount: int, parts: int, unit: int) -> int:
    """A part of an amount in whole units; a half is rounded up."""
    return (2 * amount + parts * unit) // (2 * parts * unit) * unit

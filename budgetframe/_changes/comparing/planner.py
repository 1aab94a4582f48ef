"""How the money of a month is assigned to categories, and how overspending is covered."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from budgetframe._milliunits import MILLIUNITS
from budgetframe.frames.rules import PlanRule

if TYPE_CHECKING:
    from .month_figures import MonthFigures


_PER_CENT = 100


@dataclass(slots=True)
class Line:
    """What happens to the assigned amount of one category."""

    key: str
    rules: list[str] = field(default_factory=list)
    wanted: int = 0
    got: int = 0


class Money:
    """What is ready to assign in a month, and what the later months can lose of it."""

    def __init__(self, figures: MonthFigures, limit: int | None = None) -> None:
        now, self._later = figures.ready()
        self._now = now if limit is None else min(now, limit)
        self._figures = figures
        self.given: Counter[str] = Counter()
        """What is assigned in addition, by category; less than zero for a source of money."""

    def most(self, wanted: int, amounts: Callable[[int], Mapping[str, int]]) -> int:
        """As much of an amount as can be assigned; `amounts` says what the categories get of it."""
        used = self.given.total()
        most = min(wanted, self._now - used)
        if most <= 0 or used + most <= self._later:
            return max(0, most)
        lost = partial(self._lost, amounts)
        return max(0, bisect_right(range(most + 1), self._later, key=lost) - 1)

    def _lost(self, amounts: Callable[[int], Mapping[str, int]], amount: int) -> int:
        """What the later months lose: they lack what covers cash overspending already."""
        given = Counter(self.given)
        given.update(amounts(amount))
        return given.total() - self._figures.covered_cash(given)


class Planner:
    """Assigns the money of a month in the order of rules, until it is used up."""

    def __init__(self, figures: MonthFigures, limit: int | None) -> None:
        self._figures = figures
        self._money = Money(figures, limit)
        self._given = self._money.given
        self._lines: dict[str, Line] = {}

    def plan(self, rules: Sequence[PlanRule]) -> list[Line]:
        """One line for each category, in the order of their first rules; a rest comes last."""
        for rule in rules:
            if rule.kind != "rest":
                wanted = self._room(rule, self._wanted(rule))
                self._give(rule, wanted)
        self._give_rest([rule for rule in rules if rule.kind == "rest"])
        return list(self._lines.values())

    def _wanted(self, rule: PlanRule) -> int:
        """What a rule wants in addition to what the plan gave; negative if that is more."""
        figures, key, value = self._figures, rule.category, rule.value
        if rule.kind == "refill":
            return value - self._available(key)
        if rule.kind == "schedule":
            return figures.scheduled[key] - self._available(key)
        if rule.kind == "target":
            return figures.needed(key) - self._given[key]
        if rule.kind == "average":
            spent, months = figures.spent(key, value // MILLIUNITS)
            unit, parts = figures.unit, max(1, months)
            value = (2 * spent + parts * unit) // (2 * parts * unit) * unit  # a half is rounded up
        elif rule.kind == "last_month":
            before = figures.of(key, -1)
            value = -before.activity if rule.word == "spent" else before.assigned
        elif rule.kind == "percent":
            parts = _PER_CENT * MILLIUNITS * figures.unit
            value = figures.income(-1 if rule.word == "last" else 0) * value // parts * figures.unit
        return value - figures.of(key).assigned - self._given[key]

    def _give_rest(self, rules: Sequence[PlanRule]) -> None:
        """Share what is left; what one category cannot take is shared among the others."""
        while rules:
            left = self._money.most(sys.maxsize, partial(self._parts, rules))
            parts = self._parts(rules, left)
            for rule in rules:
                self._give(rule, parts.pop(rule.category, 0))
            rules = [rule for rule in rules if left and self._room(rule, 1)]

    def _parts(self, rules: Sequence[PlanRule], total: int) -> Counter[str]:
        """What each category gets of an amount that is shared."""
        parts: Counter[str] = Counter()
        shares = _shares(total, [rule.value for rule in rules], self._figures.unit)
        for rule, share in zip(rules, shares, strict=True):
            key = rule.category
            parts[key] += self._room(rule, share, parts[key])
        return parts

    def _room(self, rule: PlanRule, wanted: int, given: int = 0) -> int:
        """What a rule can take of an amount without exceeding the available amount it allows."""
        if rule.up_to is not None:
            wanted = min(wanted, rule.up_to - self._available(rule.category) - given)
        return max(0, wanted)

    def _give(self, rule: PlanRule, wanted: int) -> None:
        if wanted:
            key = rule.category
            amount = self._money.most(wanted, lambda part: {key: part})
            line = self._lines.setdefault(key, Line(key))
            line.rules += [rule.name] if rule.name not in line.rules else []
            line.wanted = max(line.wanted, line.got + wanted)
            line.got += amount
            self._given[key] += amount

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

    def add(self, key: str, missing: int) -> None:
        """Cover an amount of a category as far as there is money."""
        if missing <= 0:
            return
        line = self.lines.setdefault(key, Line(key, ["overspent"]))
        line.wanted += missing
        for source, spare in self._spare.items():
            left = line.wanted - line.got
            if source is None:
                amount = self._money.most(left, lambda part: {key: part})
            else:
                amount = min(left, spare - self.taken[source])
                self._money.given[source] -= amount
            self._money.given[key] += amount
            self.taken[source] += amount
            line.got += amount


def _shares(amount: int, weights: Sequence[int], unit: int) -> list[int]:
    """Parts of an amount in whole units, whose sum is the amount; the last one has what is left."""
    sums = [sum(weights[:number]) for number in range(len(weights))]
    ends = [amount * each // (sum(weights) * unit) * unit for each in sums]
    return [end - start for start, end in pairwise([*ends, amount])]

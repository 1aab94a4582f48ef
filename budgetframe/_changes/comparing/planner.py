"""How the money of a month is assigned to categories, and how overspending is covered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    """Assigns the money of a month in the order of rules, until it is used up."""

    def __init__(self, figures: MonthFigures, limit: int | None) -> None:
        self._figures = figures
        self._money = Money(*figures.ready(), limit)
        self._given: Counter[str] = Counter()
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
            return figures.scheduled[key] - max(0, self._available(key))
        if rule.kind == "target":
            return figures.needed(key) - self._given[key]
        if rule.kind == "average":
            spent, months = figures.spent(key, value // MILLIUNITS)
            value = _nearest(spent, max(1, months), figures.unit)
        elif rule.kind == "last_month":
            before = figures.of(key, -1)
            value = -before.activity if rule.word == "spent" else before.assigned
        elif rule.kind == "percent":
            parts = _PER_CENT * MILLIUNITS * figures.unit
            value = figures.income(-1 if rule.word == "last" else 0) * value // parts * figures.unit
        return value - figures.of(key).assigned - self._given[key]

    def _give_rest(self, rules: Sequence[PlanRule]) -> None:
        """Share what is left; what one category cannot take is shared among the others."""
        while rules and (left := self._money.left()):
            shares = _shares(left, [rule.value for rule in rules], self._figures.unit)
            for rule, share in zip(rules, shares, strict=True):
                self._give(rule, self._room(rule, share))
            rules = [rule for rule in rules if self._room(rule, 1)]

    def _room(self, rule: PlanRule, wanted: int) -> int:
        """What a rule can take of an amount without exceeding the available amount it allows."""
        if rule.up_to is not None:
            wanted = min(wanted, rule.up_to - self._available(rule.category))
        return max(0, wanted)

    def _give(self, rule: PlanRule, wanted: int) -> None:
        if wanted:
            key = rule.category
            overspent = max(0, self._figures.overspent(key)[0] - self._given[key])
            amount = self._money.take(wanted, overspent)
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

    def add(self, key: str, missing: int, *, is_cash: bool) -> None:
        """Cover an amount of a category as far as there is money."""
        if missing <= 0:
            return
        line = self.lines.setdefault(key, Line(key, ["overspent"]))
        line.wanted += missing
        for source, spare in self._spare.items():
            left = line.wanted - line.got
            if source is None:
                amount = self._money.take(left, left if is_cash else 0)
            else:
                amount = min(left, spare - self.taken[source])
            line.got += amount
            self.taken[source] += amount


def _shares(amount: int, weights: Sequence[int], unit: int) -> list[int]:
    """Parts of an amount in whole units, whose sum is the amount; the last one has what is left."""
    sums = [sum(weights[:number]) for number in range(len(weights))]
    ends = [amount * each // (sum(weights) * unit) * unit for each in sums]
    return [end - start for start, end in pairwise([*ends, amount])]


def _nearest(amount: int, parts: int, unit: int) -> int:
    """A part of an amount in whole units; a half is rounded up."""
    return (2 * amount + parts * unit) // (2 * parts * unit) * unit

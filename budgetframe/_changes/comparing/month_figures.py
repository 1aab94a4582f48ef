"""The figures of a month that is planned, also of one that the budget does not have yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from budgetframe._changes.effects import CategoryMonth, KnownFigures, covered, month_number
from budgetframe._changes.service_state import amounts_in
from budgetframe._milliunits import to_currency, to_milliunits
from budgetframe._resources import current_month, undeleted
from budgetframe._runtime.arguments import refused
from budgetframe._runtime.text import number_of
from budgetframe._session.written import parts_of, wire_value
from budgetframe.frames.money import decimals_of
from budgetframe.frames.number_text import in_currency
from budgetframe.reports._shared.schedules import FREQUENCIES, scheduled_dates
from budgetframe.reports._shared.target_rule import Target

if TYPE_CHECKING:
    from budgetframe._session.session import Session


class MonthFigures:
    """The figures of a budget around one month, in milliunits and by the keys of categories."""

    def __init__(self, session: Session, known: KnownFigures, month: str) -> None:
        self._figures = known.figures
        months = known.figures.months.values()
        amounts = (each for rows in months for row in rows.values() for each in row)
        if number := sum(map(pd.isna, (*known.figures.to_be_budgeted.values(), *amounts))):
            raise refused(
                f"{number_of(number, 'amount')} of months and their categories are not known, so"
                " that no money can be assigned: connect to the service, or correct the rows there"
            )
        self.state = amounts_in(session, known.answer)
        tables = "month_categories", "scheduled_transactions", "scheduled_subtransactions"
        self._lists = session.usable_lists(known.answer, *tables)
        today = self.state.today
        self.current = current_month(today)
        self.month = month
        self._number = month_number(self.month)
        self.is_new = self._number > known.figures.last_month
        """Whether the month comes after the last one that the budget has."""
        self.is_known = self._number in known.figures.to_be_budgeted
        self.unit = 10 ** (3 - decimals_of(self.state.currency))
        first = pd.Timestamp(self.month)
        self.day = pd.Timestamp(today) if self.month == self.current else first
        self.end = first + pd.offsets.MonthEnd(0)

    def of(self, key: str, offset: int = 0) -> CategoryMonth:
        """The figures of a category in the month, or with a negative offset in an earlier one."""
        # In a month that the budget does not have yet, what was left in the last month is
        # available.
        months = self._figures.months.get(key, {})
        if self.is_new and not offset:
            last = months.get(self._figures.last_month, CategoryMonth(0, 0, 0))
            return CategoryMonth(0, 0, max(0, last.available))
        return months.get(self._number + offset, CategoryMonth(0, 0, 0))

    def least_available(self, key: str) -> int:
        """The smallest available amount of a category in the month and those after it."""
        months = self._figures.months.get(key, {}).items()
        return min((row.available for at, row in months if at >= self._number), default=0)

    def ready(self) -> tuple[int, int]:
        """What is ready to assign in the month, and the smallest such amount of those after it."""
        left, number = self._figures.left_from, self._number
        now = self._figures.to_be_budgeted.get(number, left(number))
        return now, now if number >= self._figures.last_month else left(number + 1)

    def overspent(self, key: str) -> tuple[int, int]:
        """How much a category is overspent, in cash and on cards."""
        available = self.of(key).available
        cash = covered(available, self._on_cards(key))[1]
        return cash, max(0, -available) - cash

    def moved_to_cards(self, key: str, amount: int) -> Counter[str]:
        """What an amount for an overspent category moves to the payment categories of cards."""
        available, on_cards = self.of(key).available, self._on_cards(key)
        after = covered(available + amount, on_cards)[0]
        after.subtract(covered(available, on_cards)[0])
        payments = self._figures.payment_categories
        return Counter({payments[card]: moved for card, moved in after.items()})

    def covered_cash(self, given: Mapping[str, int]) -> int:
        """How much cash overspending amounts for categories cover, also that of card payments."""
        found, paid = 0, Counter[str]()
        for key, amount in given.items():
            if amount > 0 and any(self.overspent(key)):
                paid.update(self.moved_to_cards(key, amount))
                found += min(amount, self.overspent(key)[0])
        gaps = ((self.overspent(key)[0] - max(0, given.get(key, 0)), paid[key]) for key in paid)
        return found + sum(min(max(0, gap), moved) for gap, moved in gaps)

    def _on_cards(self, key: str) -> Counter[str]:
        return self._figures.credit.get((key, self._number), Counter())

    def target(self, key: str) -> Target:
        """The target of a category, as the month states it, or the list of the categories."""
        row = self.state.rows.get(f"{self.month} {key}")
        return Target.of(row or self.state.names.categories[key])

    def needed(self, key: str) -> int:
        """What the target of a category still needs in the month."""
        target = self.target(key)
        if self.is_new:
            return self.required(key)
        return target.needs(target.plan(self.day, self.unit)) or 0

    def required(self, key: str) -> int:
        """What must be assigned to a category in the month, in all, for its target."""
        now = self.of(key)
        carried = now.available - now.assigned - now.activity
        return self.target(key).required(carried, now.activity, self.day, self.unit)

    @cached_property
    def scheduled(self) -> Counter[str | None]:
        """What scheduled payments take from each category until the end of the month."""
        found: Counter[str | None] = Counter()
        for row in undeleted(self._lists["scheduled_transactions"]):
            upcoming, frequency = row.get("date_next"), row.get("frequency")
            if upcoming is not None:
                known = frequency if frequency in FREQUENCIES else "never"
                first = row.get("date_first") or upcoming
                number = len([*scheduled_dates(known, first, upcoming, self.end)])
                for part in parts_of(row) or [row]:
                    amount = wire_value("amount", part.get("amount")) or 0
                    found[part.get("category_id")] += number * max(0, -amount)
        return found

    def spent(self, key: str, count: int) -> tuple[int, int]:
        """What was spent in the last complete months, and how many of them the budget has."""
        last = min(self._number, month_number(self.current)) - 1
        first = max(last - count + 1, min(self._figures.to_be_budgeted, default=0))
        offsets = range(first - self._number, last - self._number + 1)
        return -sum(self.of(key, offset).activity for offset in offsets), len(offsets)

    def income(self, offset: int) -> int:
        """The income of the month, or with a negative offset of an earlier one."""
        month, listed = self._number + offset, undeleted(self._lists["months"])
        found = [row["income"] for row in listed if month_number(row["month"]) == month]
        return sum(to_milliunits(each or 0) for each in found)

    def is_shown(self, key: str) -> bool:
        """Whether a category is neither hidden nor one of the service."""
        names = self.state.names
        return not names.categories[key].get("hidden") and not names.is_internal(key)

    def text(self, milliunits: int) -> str:
        """An amount in the format of the budget."""
        return in_currency(to_currency(milliunits), self.state.currency, exact=True)

    def names_of(self, key: str | None) -> tuple[str | None, str | None]:
        """The group and the name of a category; None is what is ready to assign."""
        row = {"name": "Ready to Assign"} if key is None else self.state.names.categories[key]
        return row.get("group_name"), row.get("name")

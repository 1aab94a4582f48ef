"""Entries about groups, categories, and what is assigned to them."""

from __future__ import annotations

from typing import Any

from .editor_write import Writes
from .rows import Category, Goal, Group, Movement, MovementGroup


class PlanEntries(Writes):
    """Changes what money is meant for."""

    def add_group(self, name: str, *, hidden: bool = False, internal: bool = False) -> Group:
        """Make a category group."""
        with self.one_write():
            group = Group(id=self.budget.new_id(), name=name, hidden=hidden, internal=internal)
            return self.budget.groups.put(group, self.budget.knowledge)

    def edit_group(self, group: Group, **changes: Any) -> None:
        """Change the own fields of a group."""
        with self.one_write():
            for name, value in changes.items():
                setattr(group, name, value)
            self.budget.groups.put(group, self.budget.knowledge)

    def add_category(self, name: str, group_id: str, **more: Any) -> Category:
        """Make a category."""
        with self.one_write():
            category = Category(id=self.budget.new_id(), name=name, group_id=group_id, **more)
            self.books.open_category(category)
            return self.budget.categories.put(category, self.budget.knowledge)

    def edit_category(self, category: Category, **changes: Any) -> None:
        """Change the own fields of a category: name, note, group_id, hidden, goal, deleted."""
        with self.one_write():
            for name, value in changes.items():
                setattr(category, name, value)
            self.budget.categories.put(category, self.budget.knowledge)
            for category_month in self.budget.category_months[category.id].values():
                category_month.stamp = self.budget.knowledge

    def set_goal(self, category: Category, **goal: Any) -> None:
        """Give a category a goal."""
        self.edit_category(category, goal=Goal(**goal))

    # -- assigning ---------------------------------------------------------------------------------

    def assign(
        self, category: Category, month: int, amount: int, *, group_id: str | None = None
    ) -> None:
        """Set the assigned amount; the change is a movement from or to Ready to Assign."""
        if category.internal:
            raise ValueError(f"nothing can be assigned to {category.name}")
        with self.one_write():
            self.books.extend_to(month)
            change = amount - self.budget.category_months[category.id][month].assigned
            self.books.assign(category.id, month, amount)
            if change > 0:
                self._record(month, change, None, category.id, group_id)
            elif change < 0:
                self._record(month, -change, category.id, None, group_id)

    def move(
        self, source: Category, target: Category, month: int, amount: int, note: str | None = None
    ) -> None:
        """Move an assigned amount from one category to another."""
        category_months = self.budget.category_months
        with self.one_write():
            self.books.extend_to(month)
            for category, change in ((source, -amount), (target, amount)):
                assigned = category_months[category.id][month].assigned
                self.books.assign(category.id, month, assigned + change)
            self._record(month, amount, source.id, target.id, self.movement_group(month, note))

    def movement_group(self, month: int, note: str | None = None) -> str | None:
        """Open a group of movements, unless the month is older than their record."""
        budget = self.budget
        if month < budget.movements_from:
            return None
        group = MovementGroup(id=budget.new_id(), month=month, created_at=budget.now, note=note)
        return budget.movement_groups.put(group, budget.knowledge).id

    def _record(
        self,
        month: int,
        amount: int,
        source: str | None,
        target: str | None,
        group_id: str | None,
    ) -> None:
        budget = self.budget
        if month < budget.movements_from:
            return
        movement = Movement(
            id=budget.new_id(),
            month=month,
            moved_at=budget.now,
            amount=amount,
            from_category_id=source,
            to_category_id=target,
            group_id=group_id,
        )
        budget.movements.put(movement, budget.knowledge)

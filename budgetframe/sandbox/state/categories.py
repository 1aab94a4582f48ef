"""Changes to category groups, categories, goals and assigned amounts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .books import Editor
from .rows import Category, CategoryGroup, Goal, MoneyMovement, MoneyMovementGroup
from .transactions import TransactionEditor


@dataclass(frozen=True)
class CategoryEditor(Editor):
    """Changes the category groups and categories of one budget and assigns money to them."""

    _transactions: TransactionEditor

    def add_group(
        self, name: str, *, hidden: bool = False, internal: bool = False
    ) -> CategoryGroup:
        """Add a category group."""
        with self._books.write():
            key = self._budget.new_id()
            group = CategoryGroup(id=key, name=name, hidden=hidden, internal=internal)
            return self._budget.groups.put(group, self._budget.knowledge)

    def edit_group(self, group: CategoryGroup, **changes: Any) -> None:
        """Change fields of a group: name, hidden, deleted."""
        with self._books.write():
            for name, value in changes.items():
                setattr(group, name, value)
            self._budget.groups.put(group, self._budget.knowledge)

    def add(self, name: str, group_id: str, **more: Any) -> Category:
        """Add a category."""
        with self._books.write():
            category = Category(id=self._budget.new_id(), name=name, group_id=group_id, **more)
            self._books.open_category(category)
            return self._budget.categories.put(category, self._budget.knowledge)

    def edit(self, category: Category, **changes: Any) -> None:
        """Change fields of a category: name, note, group_id, hidden, goal, deleted."""
        with self._books.write():
            for name, value in changes.items():
                setattr(category, name, value)
            self._budget.categories.put(category, self._budget.knowledge)
            for category_month in self._budget.category_months[category.id].values():
                category_month.stamp = self._budget.knowledge

    def set_goal(self, category: Category, **goal: Any) -> None:
        """Replace the goal of a category."""
        self.edit(category, goal=Goal(**goal))

    def delete(self, category: Category, into: Category) -> None:
        """Delete a category and move its transactions and assigned amounts to another one."""
        budget = self._budget
        for each in (category, into):
            if each.internal or each.payment_account_id is not None:
                raise ValueError(
                    f"{each.name} is an internal or payment category: "
                    "it cannot be deleted and cannot replace a deleted category"
                )
        with self._books.write():
            self._transactions.replace_category(category.id, into.id)
            for scheduled in budget.scheduled.live():
                for leg in scheduled.legs:
                    if leg.category_id == category.id:
                        leg.category_id = into.id
                        budget.scheduled.put(scheduled, budget.knowledge)
            of_other = budget.category_months[into.id]
            for number, category_month in budget.category_months[category.id].items():
                if category_month.assigned:
                    total = of_other[number].assigned + category_month.assigned
                    self._books.assign(category.id, number, 0)
                    self._books.assign(into.id, number, total)
            self._books.remove_leftovers(category.id)
            self.edit(category, deleted=True)

    def assign(
        self, category: Category, month: int, amount: int, *, group_id: str | None = None
    ) -> None:
        """Set the assigned amount, and record the difference as a movement from Ready to Assign."""
        if category.internal:
            raise ValueError(f"nothing can be assigned to {category.name}")
        with self._books.write():
            self._books.extend_to(month)
            change = amount - self._budget.category_months[category.id][month].assigned
            self._books.assign(category.id, month, amount)
            if change > 0:
                self._record(month, change, None, category.id, group_id)
            elif change < 0:
                self._record(month, -change, category.id, None, group_id)

    def move_money(
        self, source: Category, target: Category, month: int, amount: int, note: str | None = None
    ) -> None:
        """Move an assigned amount from one category to another."""
        category_months = self._budget.category_months
        with self._books.write():
            self._books.extend_to(month)
            for category, change in ((source, -amount), (target, amount)):
                assigned = category_months[category.id][month].assigned
                self._books.assign(category.id, month, assigned + change)
            group_id = self.add_movement_group(month, note)
            self._record(month, amount, source.id, target.id, group_id)

    def add_movement_group(self, month: int, note: str | None = None) -> str | None:
        """Add a group of movements; return its id, or None in a month before those recorded."""
        budget = self._budget
        if month < budget.movements_from:
            return None
        key = budget.new_id()
        group = MoneyMovementGroup(id=key, month=month, created_at=budget.now, note=note)
        return budget.movement_groups.put(group, budget.knowledge).id

    def _record(
        self, month: int, amount: int, source: str | None, target: str | None, group_id: str | None
    ) -> None:
        budget = self._budget
        if month < budget.movements_from:
            return
        movement = MoneyMovement(
            id=budget.new_id(), month=month, moved_at=budget.now, amount=amount,
            from_category_id=source, to_category_id=target, group_id=group_id,
        )  # fmt: skip
        budget.movements.put(movement, budget.knowledge)

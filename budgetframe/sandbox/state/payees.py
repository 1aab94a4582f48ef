"""Changes to payees."""

from __future__ import annotations

from .books import Editor
from .rows import Payee


class PayeeEditor(Editor):
    """Adds, renames and deletes the payees of one budget."""

    def add(self, name: str) -> Payee:
        """Add a payee, even if another payee has the same name."""
        budget = self._budget
        with self._books.write():
            payee = budget.payees.put(Payee(id=budget.new_id(), name=name), budget.knowledge)
            budget.payees_by_name.setdefault(name, payee.id)
            return payee

    def get_or_add(self, name: str) -> Payee:
        """Return the payee with this name; add it if the budget has none."""
        known = self._budget.payees.find(self._budget.payees_by_name.get(name))
        return known or self.add(name)

    def rename(self, payee: Payee, name: str) -> None:
        """Rename a payee. Its transactions do not count as changed."""
        budget = self._budget
        with self._books.write():
            self._forget_name(payee)
            payee.name = name
            budget.payees_by_name.setdefault(name, payee.id)
            budget.payees.put(payee, budget.knowledge)

    def delete(self, payee: Payee) -> None:
        """Delete a payee."""
        with self._books.write():
            self._forget_name(payee)
            payee.deleted = True
            self._budget.payees.put(payee, self._budget.knowledge)

    def _forget_name(self, payee: Payee) -> None:
        if self._budget.payees_by_name.get(payee.name) == payee.id:
            del self._budget.payees_by_name[payee.name]

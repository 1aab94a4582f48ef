"""Entries: every change that can be made to a budget, with all that follows from it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from budgetframe.sandbox._books import Books
from budgetframe.sandbox._state import (
    CARD_TYPES,
    OFF_BUDGET_TYPES,
    Account,
    Category,
    Goal,
    Group,
    Movement,
    MovementGroup,
    Part,
    Payee,
    Transaction,
    month_number,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date, datetime

    from budgetframe.sandbox._state import Budget

_TRANSACTION_FIELDS = frozenset(
    {
        "account_id",
        "date",
        "amount",
        "payee_id",
        "category_id",
        "memo",
        "cleared",
        "approved",
        "flag_color",
        "import_id",
        "import_payee_name",
        "import_payee_name_original",
        "matched_transaction_id",
        "debt_transaction_type",
    }
)


@dataclass(slots=True, kw_only=True)
class NewPart:
    """A part of a split to be."""

    amount: int
    payee_id: str | None = None
    category_id: str | None = None
    memo: str | None = None


class Entries:
    """Changes one budget and keeps its books."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.books = Books(budget)
        self._depth = 0

    @contextmanager
    def one_write(self) -> Iterator[None]:
        """Let all changes inside share one knowledge, and settle the books at the end."""
        if self._depth == 0:
            self.budget.knowledge += 1
            self.budget.last_modified_on = self.budget.now
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self.books.settle()

    def live_on(self, today: date, now: datetime) -> None:
        """Come to another day: the amounts of categories are those of its month."""
        budget = self.budget
        new_month = month_number(today) != budget.current_month
        budget.today, budget.now = today, now
        if new_month:
            with self.one_write():
                self.books.extend_to(month_number(today))
                for category in budget.categories.live():
                    budget.categories.put(category, budget.knowledge)

    # -- accounts and payees -------------------------------------------------------------------

    def add_account(self, name: str, kind: str, **more: Any) -> Account:
        """Open an account, its transfer payee, and for a card its payment category."""
        budget = self.budget
        with self.one_write():
            account = Account(
                id=budget.new_id(),
                name=name,
                type=kind,
                on_budget=kind not in OFF_BUDGET_TYPES,
                **more,
            )
            payee = Payee(
                id=budget.new_id(), name=f"Transfer : {name}", transfer_account_id=account.id
            )
            account.transfer_payee_id = payee.id
            budget.payees.put(payee, budget.knowledge)
            if kind in CARD_TYPES:
                category = self.add_category(
                    name, budget.cards_group_id, payment_account_id=account.id
                )
                account.payment_category_id = category.id
            return budget.accounts.put(account, budget.knowledge)

    def rename_account(self, account: Account, name: str) -> None:
        """Rename an account together with what is named after it."""
        budget = self.budget
        with self.one_write():
            account.name = name
            budget.accounts.put(account, budget.knowledge)
            payee = budget.payees[account.transfer_payee_id]
            payee.name = f"Transfer : {name}"
            budget.payees.put(payee, budget.knowledge)
            if account.payment_category_id is not None:
                self.edit_category(budget.categories[account.payment_category_id], name=name)

    def delete_account(self, account: Account) -> None:
        """Delete an account that has no transactions."""
        with self.one_write():
            for row in (account, payee := self.budget.payees[account.transfer_payee_id]):
                row.deleted = True
            self.budget.accounts.put(account, self.budget.knowledge)
            self.budget.payees.put(payee, self.budget.knowledge)

    def add_payee(self, name: str) -> Payee:
        """Make a payee."""
        budget = self.budget
        with self.one_write():
            payee = budget.payees.put(Payee(id=budget.new_id(), name=name), budget.knowledge)
            budget.payees_by_name.setdefault(name, payee.id)
            return payee

    def payee_named(self, name: str) -> Payee:
        """Give the payee of that name, made on demand."""
        known = self.budget.payees.find(self.budget.payees_by_name.get(name))
        return known or self.add_payee(name)

    def rename_payee(self, payee: Payee, name: str) -> None:
        """Rename a payee. Its transactions do not count as changed."""
        budget = self.budget
        with self.one_write():
            if budget.payees_by_name.get(payee.name) == payee.id:
                del budget.payees_by_name[payee.name]
            payee.name = name
            budget.payees_by_name.setdefault(name, payee.id)
            budget.payees.put(payee, budget.knowledge)

    # -- groups and categories -------------------------------------------------------------------

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
            for cell in self.budget.cells[category.id].values():
                cell.stamp = self.budget.knowledge

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
            change = amount - self.budget.cells[category.id][month].assigned
            self.books.assign(category.id, month, amount)
            if change > 0:
                self._record(month, change, None, category.id, group_id)
            elif change < 0:
                self._record(month, -change, category.id, None, group_id)

    def move(
        self, source: Category, target: Category, month: int, amount: int, note: str | None = None
    ) -> None:
        """Move an assigned amount from one category to another."""
        cells = self.budget.cells
        with self.one_write():
            self.books.extend_to(month)
            for category, change in ((source, -amount), (target, amount)):
                assigned = cells[category.id][month].assigned
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

    # -- transactions ------------------------------------------------------------------------------

    def add_transaction(
        self,
        *,
        account_id: str,
        date: date,
        amount: int,
        parts: Sequence[NewPart] = (),
        row_id: str | None = None,
        **more: Any,
    ) -> Transaction:
        """Enter a transaction, with the other sides of its transfers."""
        budget = self.budget
        _check_names(more)
        with self.one_write():
            row = Transaction(
                id=row_id or budget.new_id(),
                account_id=account_id,
                date=date,
                amount=amount,
                **more,
            )
            if row.import_id is not None:
                budget.import_ids.setdefault((account_id, row.import_id), row.id)
            self._split(row, parts)
            self._connect(row)
            self.books.post(row)
            return budget.transactions.put(row, budget.knowledge)

    def edit_transaction(
        self,
        row: Transaction,
        changes: Mapping[str, Any],
        parts: Sequence[NewPart] | None = None,
    ) -> None:
        """Change fields of a transaction; `parts` turn it into a split."""
        budget = self.budget
        _check_names(changes)
        with self.one_write():
            self.books.post(row, -1)
            for name, value in changes.items():
                setattr(row, name, value)
            if row.import_id is not None:
                budget.import_ids.setdefault((row.account_id, row.import_id), row.id)
            if parts is not None:
                self._split(row, parts)
            self._connect(row)
            self.books.post(row)
            budget.transactions.put(row, budget.knowledge)

    def delete_transaction(self, row: Transaction) -> None:
        """Delete a transaction, its parts, and the other sides of its transfers."""
        budget = self.budget
        with self.one_write():
            parent = self._parent_of_other_side(row)
            if parent is None:
                self._delete_other_side(row)
            for part in row.parts:
                self._delete_other_side(part)
            self.books.post(row, -1)
            row.deleted = True
            for part in row.parts:
                part.deleted = True
            budget.transactions.put(row, budget.knowledge)
            if parent is not None:
                self.delete_transaction(parent)

    def _split(self, row: Transaction, parts: Sequence[NewPart]) -> None:
        if not parts:
            return
        row.category_id = None
        row.parts = [
            Part(
                id=self.budget.new_id(),
                amount=part.amount,
                payee_id=part.payee_id,
                category_id=part.category_id,
                memo=part.memo,
            )
            for part in parts
        ]

    def _connect(self, row: Transaction) -> None:
        """Make transfers of a row and its parts agree with their payees, and clear categories."""
        account = self.budget.accounts[row.account_id]
        for side in row.sides:
            payee = None if side.payee_id is None else self.budget.payees[side.payee_id]
            target_id = None if payee is None else payee.transfer_account_id
            if self._is_other_side_of_part(row) and side is row:
                self._follow_other_side(row)
            elif target_id is None or target_id == row.account_id:
                self._drop_other_side(side)
            elif side.transfer_transaction_id is None:
                self._add_other_side(row, side, target_id)
            else:
                self._match_other_side(row, side, target_id)
            if (
                not account.on_budget
                or self._takes_no_rows(side.category_id)
                or (target_id is not None and self.budget.accounts[target_id].on_budget)
            ):
                side.category_id = None

    def _takes_no_rows(self, category_id: str | None) -> bool:
        """Whether a category is one that rows cannot be put in, so that they have none."""
        if category_id is None or category_id == self.budget.uncategorized_id:
            return True
        return self.budget.categories[category_id].payment_account_id is not None

    def _add_other_side(self, row: Transaction, side: Transaction | Part, target_id: str) -> None:
        budget = self.budget
        target = budget.accounts[target_id]
        other = Transaction(
            id=budget.new_id(),
            account_id=target_id,
            date=row.date,
            amount=-side.amount,
            payee_id=budget.accounts[row.account_id].transfer_payee_id,
            memo=side.memo,
            cleared=row.cleared,
            approved=row.approved,
            transfer_account_id=row.account_id,
            transfer_transaction_id=row.id,
            debt_transaction_type=None if target.debt_interest_rates is None else "payment",
        )
        side.transfer_account_id = target_id
        side.transfer_transaction_id = other.id
        self.books.post(other)
        budget.transactions.put(other, budget.knowledge)

    def _match_other_side(self, row: Transaction, side: Transaction | Part, target_id: str) -> None:
        """Let the other side of a transfer have the date, amount and accounts of this one."""
        budget = self.budget
        other = budget.transactions[str(side.transfer_transaction_id)]
        self.books.post(other, -1)
        other.account_id = target_id
        other.amount = -side.amount
        other.date = row.date
        other.memo = side.memo
        other.transfer_account_id = row.account_id
        other.payee_id = budget.accounts[row.account_id].transfer_payee_id
        if not budget.accounts[target_id].on_budget or budget.accounts[row.account_id].on_budget:
            other.category_id = None
        self.books.post(other)
        budget.transactions.put(other, budget.knowledge)
        side.transfer_account_id = target_id

    def _drop_other_side(self, side: Transaction | Part) -> None:
        """Let a row be no transfer any more, unless it is the other side of a split's part."""
        if not (isinstance(side, Transaction) and self._is_other_side_of_part(side)):
            self._delete_other_side(side)
            side.transfer_transaction_id = side.transfer_account_id = None

    def _delete_other_side(self, side: Transaction | Part) -> None:
        other = self.budget.transactions.find(side.transfer_transaction_id)
        if other is not None:
            self.books.post(other, -1)
            other.deleted = True
            self.budget.transactions.put(other, self.budget.knowledge)

    def _is_part_of(self, parent: Transaction, row_id: str) -> bool:
        return any(part.transfer_transaction_id == row_id for part in parent.parts)

    def _parent_of_other_side(self, row: Transaction) -> Transaction | None:
        """Give the split that holds the other side of this row, if that is where it is."""
        other = self.budget.transactions.find(row.transfer_transaction_id)
        return other if other is not None and self._is_part_of(other, row.id) else None

    def _is_other_side_of_part(self, row: Transaction) -> bool:
        return self._parent_of_other_side(row) is not None

    def _follow_other_side(self, row: Transaction) -> None:
        """Keep the row as its part of a split states it: only the split can change these."""
        parent = self._parent_of_other_side(row)
        if parent is None:
            return
        part = next(part for part in parent.parts if part.transfer_transaction_id == row.id)
        row.amount, row.date = -part.amount, parent.date
        row.account_id = str(part.transfer_account_id)
        row.payee_id = self.budget.accounts[parent.account_id].transfer_payee_id
        row.category_id = None


def _check_names(changes: Mapping[str, Any]) -> None:
    unknown = changes.keys() - _TRANSACTION_FIELDS
    if unknown:
        known = ", ".join(f.name for f in fields(Transaction) if f.name in _TRANSACTION_FIELDS)
        raise TypeError(f"unknown fields {sorted(unknown)}; a transaction has {known}")

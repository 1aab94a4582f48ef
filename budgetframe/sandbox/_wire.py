"""Rows as JSON objects, in either spelling and as the whole export has them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from budgetframe.sandbox._goals import progress
from budgetframe.sandbox._money import companions
from budgetframe.sandbox._state import month_start

if TYPE_CHECKING:
    from collections.abc import Iterable

    from budgetframe.sandbox._state import (
        Account,
        Budget,
        Category,
        Goal,
        Group,
        Month,
        Movement,
        MovementGroup,
        Part,
        Payee,
        PayeeLocation,
        Scheduled,
        Transaction,
    )

Json = dict[str, Any]

_GOAL_AMOUNTS = ("goal_target", "goal_under_funded", "goal_overall_funded", "goal_overall_left")
_AMOUNTS = {
    "account": ("balance", "cleared_balance", "uncleared_balance"),
    "category": ("balance", "activity", "budgeted", *_GOAL_AMOUNTS),
    "month": ("income", "budgeted", "activity", "to_be_budgeted"),
    "row": ("amount",),
}


def day(value: date | None) -> str | None:
    """Write a date."""
    return None if value is None else value.isoformat()


def moment(value: datetime | None) -> str | None:
    """Write a point in time, in UTC."""
    return None if value is None else value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Wire:
    """Writes the rows of one budget.

    `published` is the spelling of `/plans`, else that of `/budgets`. The whole export has
    neither names of other rows nor companions of amounts.
    """

    budget: Budget
    published: bool
    export: bool = False

    def _dress(self, kind: str, row: Json) -> Json:
        if self.published and not self.export:
            for name in _AMOUNTS[kind]:
                row |= companions(name, row[name], self.budget.currency)
        return row

    def _names(self, **names: str | None) -> Json:
        return {} if self.export else names

    # -- budget --------------------------------------------------------------------------------

    def currency_format(self) -> Json:
        """Write the currency format."""
        return asdict(self.budget.currency)

    def summary(self) -> Json:
        """Write the budget's own fields."""
        budget = self.budget
        return {
            "id": budget.id,
            "name": budget.name,
            "last_modified_on": moment(budget.last_modified_on),
            "first_month": day(month_start(budget.first_month)),
            "last_month": day(month_start(budget.last_month)),
            "date_format": {"format": budget.date_format},
            "currency_format": self.currency_format(),
        }

    def account(self, row: Account) -> Json:
        """Write an account."""
        return self._dress(
            "account",
            {
                "id": row.id,
                "name": row.name,
                "type": row.type,
                "on_budget": row.on_budget,
                "closed": row.closed,
                "note": row.note,
                "balance": row.balance,
                "cleared_balance": row.cleared_balance,
                "uncleared_balance": row.uncleared_balance,
                "transfer_payee_id": row.transfer_payee_id,
                "direct_import_linked": False,
                "direct_import_in_error": False,
                "last_reconciled_at": moment(row.last_reconciled_at),
                "debt_original_balance": None,
                "debt_interest_rates": row.debt_interest_rates or {},
                "debt_minimum_payments": row.debt_minimum_payments or {},
                "debt_escrow_amounts": row.debt_escrow_amounts or {},
                "deleted": row.deleted,
            },
        )

    def payee(self, row: Payee) -> Json:
        """Write a payee."""
        return {
            "id": row.id,
            "name": row.name,
            "transfer_account_id": row.transfer_account_id,
            "deleted": row.deleted,
        }

    def location(self, row: PayeeLocation) -> Json:
        """Write a payee's location."""
        return {
            "id": row.id,
            "payee_id": row.payee_id,
            "latitude": row.latitude,
            "longitude": row.longitude,
            "deleted": row.deleted,
        }

    # -- categories and months -----------------------------------------------------------------

    def group(self, row: Group) -> Json:
        """Write a category group without its categories."""
        return {
            "id": row.id,
            "name": row.name,
            "hidden": row.hidden,
            "internal": row.internal,
            "deleted": row.deleted,
        }

    def category(self, row: Category, month: int) -> Json:
        """Write a category with the amounts of a month."""
        cell = self.budget.cells[row.id][month]
        return self._dress(
            "category",
            {
                "id": row.id,
                "category_group_id": row.group_id,
                **self._names(category_group_name=self.budget.groups[row.group_id].name),
                "name": row.name,
                "hidden": row.hidden,
                "internal": row.internal,
                "original_category_group_id": None,
                "note": row.note,
                "budgeted": cell.assigned,
                "activity": cell.activity,
                "balance": cell.balance,
                **self._goal(row, month),
                "deleted": row.deleted,
            },
        )

    def _goal(self, row: Category, month: int) -> Json:
        goal = row.goal
        if goal is None:
            return dict.fromkeys(_NO_GOAL)
        return self._goal_terms(goal) | progress(goal, self.budget.cells[row.id][month], month)

    def _goal_terms(self, goal: Goal) -> Json:
        return {
            "goal_type": goal.type,
            "goal_needs_whole_amount": goal.needs_whole_amount,
            "goal_day": goal.day,
            "goal_cadence": goal.cadence,
            "goal_cadence_frequency": goal.cadence_frequency,
            "goal_creation_month": day(goal.created),
            "goal_target": goal.target,
            # The published field is there but no longer used.
            "goal_target_month": None if self.published else day(goal.target_date),
            "goal_target_date": day(goal.target_date),
            "goal_snoozed_at": moment(goal.snoozed_at),
        }

    def month(self, row: Month) -> Json:
        """Write a month's totals."""
        return self._dress(
            "month",
            {
                "month": day(month_start(row.number)),
                "note": row.note,
                "income": row.income,
                "budgeted": row.budgeted,
                "activity": row.activity,
                "to_be_budgeted": row.to_be_budgeted,
                "age_of_money": row.age_of_money,
                "deleted": row.deleted,
            },
        )

    def month_with(self, row: Month, categories: Iterable[Category]) -> Json:
        """Write a month with categories."""
        shown = self.month(row)
        if not self.published and not self.export:
            del shown["deleted"]
        return shown | {"categories": [self.category(each, row.number) for each in categories]}

    # -- transactions --------------------------------------------------------------------------

    def _payee_name(self, payee_id: str | None) -> str | None:
        return None if payee_id is None else self.budget.payees[payee_id].name

    def _category_name(self, category_id: str | None) -> str | None:
        return None if category_id is None else self.budget.categories[category_id].name

    def _flag(self, color: str | None) -> Json:
        name = None if color is None else self.budget.flag_names.get(color)
        return {"flag_color": color, "flag_name": name}

    def plain_transaction(self, row: Transaction) -> Json:
        """Write a transaction's own fields."""
        return self._dress(
            "row",
            {
                "id": row.id,
                "date": day(row.date),
                "amount": row.amount,
                "memo": row.memo,
                "cleared": row.cleared,
                "approved": row.approved,
                **self._flag(row.flag_color),
                "account_id": row.account_id,
                "payee_id": row.payee_id,
                "category_id": row.category_id,
                "transfer_account_id": row.transfer_account_id,
                "transfer_transaction_id": row.transfer_transaction_id,
                "matched_transaction_id": row.matched_transaction_id,
                "import_id": row.import_id,
                "import_payee_name": row.import_payee_name,
                "import_payee_name_original": row.import_payee_name_original,
                "debt_transaction_type": row.debt_transaction_type,
                "deleted": row.deleted,
            },
        )

    def transaction(self, row: Transaction) -> Json:
        """Write a transaction with names and parts."""
        return self.plain_transaction(row) | {
            "account_name": self.budget.accounts[row.account_id].name,
            "payee_name": self._payee_name(row.payee_id),
            "category_name": "Split" if row.parts else self._category_name(row.category_id),
            "subtransactions": [self.part(row, part) for part in row.parts],
        }

    def part(self, row: Transaction, part: Part) -> Json:
        """Write a subtransaction."""
        return self._dress(
            "row",
            {
                "id": part.id,
                "transaction_id": row.id,
                "amount": part.amount,
                "memo": part.memo,
                "payee_id": part.payee_id,
                "category_id": part.category_id,
                **self._names(
                    payee_name=self._payee_name(part.payee_id),
                    category_name=self._category_name(part.category_id),
                ),
                "transfer_account_id": part.transfer_account_id,
                "transfer_transaction_id": part.transfer_transaction_id,
                "deleted": part.deleted,
            },
        )

    def hybrid(self, row: Transaction, part: Part | None) -> Json:
        """Write a transaction, or one part of it in its parent's clothes, as a flat row."""
        flat = self.plain_transaction(row)
        side = row if part is None else part
        payee_id = side.payee_id or row.payee_id
        flat |= {
            "id": side.id,
            "amount": side.amount,
            "memo": side.memo,
            "payee_id": payee_id,
            "category_id": side.category_id,
            "transfer_account_id": side.transfer_account_id,
            "transfer_transaction_id": side.transfer_transaction_id,
            "deleted": row.deleted or side.deleted,
            "type": "transaction" if part is None else "subtransaction",
            "parent_transaction_id": None if part is None else row.id,
            "account_name": self.budget.accounts[row.account_id].name,
            "payee_name": self._payee_name(payee_id),
            "category_name": "Split"
            if part is None and row.parts
            else self._category_name(side.category_id) or "Uncategorized",
        }
        return self._dress("row", flat)

    def plain_scheduled(self, row: Scheduled) -> Json:
        """Write a scheduled transaction's own fields."""
        return self._dress(
            "row",
            {
                "id": row.id,
                "date_first": day(row.date_first),
                "date_next": day(row.date_next),
                "frequency": row.frequency,
                "amount": row.amount,
                "memo": row.memo,
                **self._flag(row.flag_color),
                "account_id": row.account_id,
                "payee_id": row.payee_id,
                "category_id": row.category_id,
                "transfer_account_id": row.transfer_account_id,
                "deleted": row.deleted,
            },
        )

    def scheduled(self, row: Scheduled) -> Json:
        """Write a scheduled transaction with names and parts."""
        return self.plain_scheduled(row) | {
            "account_name": self.budget.accounts[row.account_id].name,
            "payee_name": self._payee_name(row.payee_id),
            "category_name": "Split" if row.parts else self._category_name(row.category_id),
            "subtransactions": [self.scheduled_part(row, part) for part in row.parts],
        }

    def scheduled_part(self, row: Scheduled, part: Part) -> Json:
        """Write a part of a scheduled transaction."""
        return self._dress(
            "row",
            {
                "id": part.id,
                "scheduled_transaction_id": row.id,
                "amount": part.amount,
                "memo": part.memo,
                "payee_id": part.payee_id,
                "category_id": part.category_id,
                **self._names(
                    payee_name=self._payee_name(part.payee_id),
                    category_name=self._category_name(part.category_id),
                ),
                "transfer_account_id": part.transfer_account_id,
                "deleted": part.deleted,
            },
        )

    # -- movements -----------------------------------------------------------------------------

    def movement(self, row: Movement) -> Json:
        """Write one move of money."""
        return self._dress(
            "row",
            {
                "id": row.id,
                "month": day(month_start(row.month)),
                "moved_at": moment(row.moved_at),
                "note": row.note,
                "money_movement_group_id": row.group_id,
                "performed_by_user_id": self.budget.user_id,
                "from_category_id": row.from_category_id,
                "to_category_id": row.to_category_id,
                "amount": row.amount,
            },
        )

    def movement_group(self, row: MovementGroup) -> Json:
        """Write a group of moves."""
        return {
            "id": row.id,
            "group_created_at": moment(row.created_at),
            "month": day(month_start(row.month)),
            "note": row.note,
            "performed_by_user_id": self.budget.user_id,
        }


_NO_GOAL = (
    "goal_type",
    "goal_needs_whole_amount",
    "goal_day",
    "goal_cadence",
    "goal_cadence_frequency",
    "goal_creation_month",
    "goal_target",
    "goal_target_month",
    "goal_target_date",
    "goal_snoozed_at",
    "goal_percentage_complete",
    "goal_months_to_budget",
    "goal_under_funded",
    "goal_overall_funded",
    "goal_overall_left",
)

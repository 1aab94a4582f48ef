"""Rows as JSON objects, in either spelling and as the whole export has them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from budgetframe.sandbox.state.goals import progress
from budgetframe.sandbox.state.rows import month_start

from .serializers_base import Json, day, moment
from .serializers_rows import RowSerializer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from budgetframe.sandbox.state.rows import (
        Account,
        Category,
        Goal,
        Group,
        Month,
        Movement,
        MovementGroup,
        Payee,
        PayeeLocation,
    )


@dataclass(frozen=True, slots=True)
class Serializer(RowSerializer):
    """Writes the rows of one budget."""

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
                "direct_import_linked": row.is_linked,
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
        category_month = self.budget.category_months[row.id][month]
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
                "budgeted": category_month.assigned,
                "activity": category_month.activity,
                "balance": category_month.balance,
                **self._goal(row, month),
                "deleted": row.deleted,
            },
        )

    def _goal(self, row: Category, month: int) -> Json:
        goal = row.goal
        if goal is None:
            return dict.fromkeys(_NO_GOAL)
        return self._goal_terms(goal) | progress(
            goal, self.budget.category_months[row.id][month], month
        )

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

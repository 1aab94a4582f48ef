"""Rows as JSON objects, for both path spellings and for the export of a whole budget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime

from budgetframe.sandbox.state import rows
from budgetframe.sandbox.state.goals import progress
from budgetframe.sandbox.state.rows import CategoryMonth, Goal, month_start

from .responses import Json

_GOAL_AMOUNTS = ("goal_target", "goal_under_funded", "goal_overall_funded", "goal_overall_left")
_AMOUNTS = {
    "account": ("balance", "cleared_balance", "uncleared_balance"),
    "category": ("balance", "activity", "budgeted", *_GOAL_AMOUNTS),
    "month": ("income", "budgeted", "activity", "to_be_budgeted"),
    "row": ("amount",),
}
_MILLI = 1000
_DIGITS = 3
_KEYS = ("account_id", "payee_id", "category_id", "transfer_account_id")


def _fields(row: object, *names: str) -> Json:
    """Return the fields of a row that have the same names in a response."""
    return {name: getattr(row, name) for name in names}


def _day(value: date | None) -> str | None:
    return None if value is None else value.isoformat()


def _timestamp(value: datetime | None) -> str | None:
    """Return a time as text, in UTC."""
    return None if value is None else value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _formatted(amount: int, currency: rows.Currency) -> str:
    """Format milliunits in the format of the currency, rounded half away from zero."""
    step = 10 ** (_DIGITS - currency.decimal_digits)
    units = (abs(amount) + step // 2) // step
    whole, part = divmod(units, 10**currency.decimal_digits)
    text = f"{whole:,}".replace(",", currency.group_separator)
    if currency.decimal_digits:
        text += f"{currency.decimal_separator}{part:0{currency.decimal_digits}d}"
    if currency.display_symbol:
        symbol = currency.currency_symbol
        text = symbol + text if currency.symbol_first else text + symbol
    return f"-{text}" if amount < 0 and units else text


def _display_fields(name: str, amount: int | None, currency: rows.Currency) -> Json:
    """Return the two fields that accompany an amount: formatted text and currency units."""
    if amount is None:
        return {f"{name}_formatted": None, f"{name}_currency": None}
    return {f"{name}_formatted": _formatted(amount, currency), f"{name}_currency": amount / _MILLI}


def _goal_fields(
    goal: Goal, category_month: CategoryMonth, month: int, smallest_amount: int, *, published: bool
) -> Json:
    return {
        "goal_type": goal.type,
        "goal_needs_whole_amount": goal.needs_whole_amount,
        "goal_day": goal.day,
        "goal_cadence": goal.cadence,
        "goal_cadence_frequency": goal.cadence_frequency,
        "goal_creation_month": _day(goal.created),
        "goal_target": goal.target,
        # The published description still has the field, but the service no longer uses it.
        "goal_target_month": None if published else _day(goal.target_date),
        "goal_target_date": _day(goal.target_date),
        "goal_snoozed_at": _timestamp(goal.snoozed_at),
        **progress(goal, category_month, month, smallest_amount),
    }


_ANY_GOAL = Goal(type="", target=0, created=date.min)
_NO_GOAL: Json = dict.fromkeys(_goal_fields(_ANY_GOAL, CategoryMonth(), 0, 1, published=True))
"""A category without a goal has the fields of any goal, all null."""


@dataclass(frozen=True, slots=True)
class Serializer:
    """Turns the rows of one budget into JSON objects.

    `published` selects the fields of `/plans`, otherwise those of `/budgets`. The export of a
    whole budget contains neither names of other rows nor the display fields of amounts.
    """

    budget: rows.Budget
    published: bool
    export: bool = False

    def _with_display_fields(self, kind: str, row: Json) -> Json:
        if self.published and not self.export:
            for name in _AMOUNTS[kind]:
                row |= _display_fields(name, row[name], self.budget.currency)
        return row

    def _names(self, **names: str | None) -> Json:
        return {} if self.export else names

    def summary(self) -> Json:
        """Return the budget without its rows."""
        budget = self.budget
        return {
            "id": budget.id,
            "name": budget.name,
            "last_modified_on": _timestamp(budget.last_modified_on),
            "first_month": _day(month_start(budget.first_month)),
            "last_month": _day(month_start(budget.last_month)),
            "date_format": {"format": budget.date_format},
            "currency_format": asdict(budget.currency),
        }

    def account(self, row: rows.Account) -> Json:
        """Return an account."""
        fields: Json = {
            **_fields(row, "id", "name", "type", "on_budget", "closed", "note", "balance"),
            "cleared_balance": row.cleared_balance - row.loan_costs,
            "uncleared_balance": row.uncleared_balance,
            "transfer_payee_id": row.transfer_payee_id,
            "direct_import_linked": row.is_linked,
            "direct_import_in_error": False,
            "last_reconciled_at": _timestamp(row.last_reconciled_at),
            "debt_original_balance": None,
            "debt_interest_rates": row.debt_interest_rates or {},
            "debt_minimum_payments": row.debt_minimum_payments or {},
            "debt_escrow_amounts": row.debt_escrow_amounts or {},
            "deleted": row.deleted,
        }
        return self._with_display_fields("account", fields)

    def payee(self, row: rows.Payee) -> Json:
        """Return a payee."""
        return _fields(row, "id", "name", "transfer_account_id", "deleted")

    def payee_location(self, row: rows.PayeeLocation) -> Json:
        """Return a payee location."""
        return _fields(row, "id", "payee_id", "latitude", "longitude", "deleted")

    def group(self, row: rows.CategoryGroup) -> Json:
        """Return a category group without its categories."""
        return _fields(row, "id", "name", "hidden", "internal", "deleted")

    def category(self, row: rows.Category, month: int) -> Json:
        """Return a category with the amounts of a month."""
        category_month = self.budget.category_months[row.id][month]
        is_lenient = self.budget.is_lenient
        goal: Json = _NO_GOAL if is_lenient else _NO_GOAL | {"goal_target": 0}
        if row.goal is not None:
            unit = self.budget.smallest_amount
            goal = _goal_fields(row.goal, category_month, month, unit, published=self.published)
            if goal["goal_type"] == "TBD" and not is_lenient:
                goal["goal_type"] = "TB"
        fields: Json = {
            "id": row.id, "category_group_id": row.group_id,
            **self._names(category_group_name=self.budget.groups[row.group_id].name),
            **_fields(row, "name", "hidden", "internal"), "original_category_group_id": None,
            "note": row.note, "budgeted": category_month.assigned,
            "activity": category_month.activity, "balance": category_month.balance, **goal,
            "deleted": row.deleted,
        }  # fmt: skip
        return self._with_display_fields("category", fields)

    def month(self, row: rows.Month) -> Json:
        """Return the totals of a month."""
        fields = _fields(row, "note", *_AMOUNTS["month"], "age_of_money", "deleted")
        month = {"month": _day(month_start(row.number)), **fields}
        return self._with_display_fields("month", month)

    def month_with_categories(self, row: rows.Month, categories: Iterable[rows.Category]) -> Json:
        """Return a month with categories."""
        of_month = [self.category(each, row.number) for each in categories]
        return self.month(row) | {"categories": of_month}

    def movement(self, row: rows.MoneyMovement) -> Json:
        """Return a money movement."""
        fields: Json = {
            "id": row.id, "month": _day(month_start(row.month)),
            "moved_at": _timestamp(row.moved_at), "note": row.note,
            "money_movement_group_id": row.group_id, "performed_by_user_id": self.budget.user_id,
            **_fields(row, "from_category_id", "to_category_id", "amount"),
        }  # fmt: skip
        return self._with_display_fields("row", fields)

    def movement_group(self, row: rows.MoneyMovementGroup) -> Json:
        """Return a group of money movements."""
        return {
            "id": row.id, "group_created_at": _timestamp(row.created_at),
            "month": _day(month_start(row.month)), "note": row.note,
            "performed_by_user_id": self.budget.user_id,
        }  # fmt: skip

    def _payee_name(self, payee_id: str | None) -> str | None:
        return None if payee_id is None else self.budget.payees[payee_id].name

    def _category_name(self, category_id: str | None) -> str | None:
        return None if category_id is None else self.budget.categories[category_id].name

    def _row_names(self, row: rows.Transaction | rows.ScheduledTransaction) -> Json:
        return {
            "account_name": self.budget.accounts[row.account_id].name,
            "payee_name": self._payee_name(row.payee_id),
            "category_name": "Split" if row.parts else self._category_name(row.category_id),
        }

    def _flag(self, color: str | None) -> Json:
        name = None if color is None else self.budget.flag_names.get(color)
        return {"flag_color": color, "flag_name": name}

    def plain_transaction(self, row: rows.Transaction) -> Json:
        """Return a transaction without names of other rows and without parts."""
        fields: Json = {
            "id": row.id,
            "date": _day(row.date),
            **_fields(row, "amount", "memo", "cleared", "approved"),
            **self._flag(row.flag_color),
            **_fields(row, *_KEYS, "transfer_transaction_id", "matched_transaction_id"),
            **_fields(row, "import_id", "import_payee_name", "import_payee_name_original"),
            **_fields(row, "debt_transaction_type", "deleted"),
        }
        return self._with_display_fields("row", fields)

    def transaction(self, row: rows.Transaction) -> Json:
        """Return a transaction with names and parts."""
        parts = [self.part(row, part) for part in row.parts]
        return self.plain_transaction(row) | self._row_names(row) | {"subtransactions": parts}

    def part(self, row: rows.Transaction, part: rows.Part) -> Json:
        """Return a subtransaction."""
        more = {"transfer_transaction_id": part.transfer_transaction_id}
        return self._part({"transaction_id": row.id}, part, more)

    def scheduled_part(self, row: rows.ScheduledTransaction, part: rows.Part) -> Json:
        """Return a part of a scheduled transaction."""
        return self._part({"scheduled_transaction_id": row.id}, part, {})

    def _part(self, parent: Json, part: rows.Part, more: Json) -> Json:
        fields: Json = {
            "id": part.id,
            **parent,
            **_fields(part, "amount", "memo", "payee_id", "category_id"),
            **self._names(
                payee_name=self._payee_name(part.payee_id),
                category_name=self._category_name(part.category_id),
            ),
            "transfer_account_id": part.transfer_account_id,
            **more,
            "deleted": part.deleted,
        }
        return self._with_display_fields("row", fields)

    def hybrid(self, row: rows.Transaction, part: rows.Part | None) -> Json:
        """Return a transaction, or one part with the other fields of its parent, as a flat row."""
        flat = self.plain_transaction(row)
        leg = row if part is None else part
        payee_id = leg.payee_id or row.payee_id
        flat |= {
            **_fields(leg, "id", "amount", "memo", "category_id"),
            **_fields(leg, "transfer_account_id", "transfer_transaction_id"),
            "payee_id": payee_id,
            "deleted": row.deleted or leg.deleted,
            "type": "transaction" if part is None else "subtransaction",
            "parent_transaction_id": None if part is None else row.id,
            "account_name": self.budget.accounts[row.account_id].name,
            "payee_name": self._payee_name(payee_id),
            "category_name": "Split"
            if part is None and row.parts
            else self._category_name(leg.category_id) or "Uncategorized",
        }
        return self._with_display_fields("row", flat)

    def plain_scheduled(self, row: rows.ScheduledTransaction) -> Json:
        """Return a scheduled transaction without names of other rows and without parts."""
        fields: Json = {
            "id": row.id,
            "date_first": _day(row.date_first),
            # The published description does not allow null here.
            "date_next": None if row.is_completed and not self.published else _day(row.date_next),
            **_fields(row, "frequency", "amount", "memo"),
            **self._flag(row.flag_color),
            **_fields(row, *_KEYS, "deleted"),
        }
        return self._with_display_fields("row", fields)

    def scheduled_transaction(self, row: rows.ScheduledTransaction) -> Json:
        """Return a scheduled transaction with names and parts."""
        parts = [self.scheduled_part(row, part) for part in row.parts]
        return self.plain_scheduled(row) | self._row_names(row) | {"subtransactions": parts}

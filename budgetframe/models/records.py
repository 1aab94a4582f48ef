"""Models of the records in the answers of the service."""

from __future__ import annotations

from math import inf, nan
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    StrictBool,
    StrictInt,
    model_validator,
)

from budgetframe._milliunits import to_currency
from budgetframe._resources import whole_per_cent


class Model(BaseModel):
    """Base of all models: it ignores unknown fields; instances are immutable."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def _nan_if_null(value: Any) -> Any:
    if value in (inf, -inf):
        raise ValueError("the number is not finite")
    return nan if value is None else value


def _empty_if_null(value: Any) -> Any:
    return [] if value is None else value


def _add_keys_of_parts(row: Any, key: str) -> Any:
    """The row; its parts name it, because a part belongs to the row that it is nested in."""
    parts = row.get("subtransactions") if isinstance(row, dict) else None
    if not isinstance(parts, list) or not parts:
        return row
    own = [{**part, key: row.get("id")} if isinstance(part, dict) else part for part in parts]
    return {**row, "subtransactions": own}


# A text is no number, and a number is no flag: pydantic would convert some of them.
Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]
"""A number that is finite."""

UnconvertedMoney = Annotated[Number | None, BeforeValidator(to_currency)]
"""Money that the client does not convert: an integer is in milliunits, a float in currency."""

PerCent = Annotated[StrictInt | None, BeforeValidator(whole_per_cent)]
"""Per cent; a fraction is rounded down, so that 100 always means that nothing is left."""

Money = Annotated[float, Strict(), BeforeValidator(_nan_if_null)]
"""An amount; NaN if it is null or missing, as in the frames."""


# Errors


class ErrorDetail(Model):
    """The service's description of an error."""

    id: str
    name: str
    detail: str


# Budgets


class DateFormat(Model):
    """The format of dates in a budget."""

    format: str


class CurrencyFormat(Model):
    """The format of amounts in a budget."""

    iso_code: str
    example_format: str
    decimal_digits: int
    decimal_separator: str
    symbol_first: bool
    group_separator: str
    currency_symbol: str
    display_symbol: bool


class Settings(Model):
    """The formats of a budget."""

    date_format: DateFormat | None = None
    currency_format: CurrencyFormat | None = None


class BudgetSummary(Model):
    """A budget, in the list of budgets."""

    id: str
    name: str
    last_modified_on: str
    first_month: str
    last_month: str


# Accounts


class Account(Model):
    """An account."""

    id: str
    name: str
    type: str
    on_budget: StrictBool
    closed: StrictBool
    balance: Money = nan
    cleared_balance: Money = nan
    uncleared_balance: Money = nan
    note: str | None = None
    transfer_payee_id: str | None = None
    deleted: StrictBool = False


# Categories


class Category(Model):
    """A category, with the amounts of one month.

    `BudgetFrame.categories` and `BudgetFrame.month` explain the balance of ``Inflow: Ready to
    Assign``, and the goals: a target of 0 without a type is none.
    """

    id: str
    category_group_id: str
    category_group_name: str | None = None
    name: str
    hidden: StrictBool
    budgeted: Money = nan
    activity: Money = nan
    balance: Money = nan
    deleted: StrictBool = False
    note: str | None = None
    goal_type: str | None = None
    goal_target: Number | None = None
    goal_target_month: str | None = None
    goal_target_date: str | None = None
    goal_percentage_complete: PerCent = None
    goal_months_to_budget: StrictInt | None = None
    goal_under_funded: Number | None = None
    goal_overall_funded: UnconvertedMoney = None
    goal_overall_left: Number | None = None
    goal_cadence: StrictInt | None = None
    goal_cadence_frequency: StrictInt | None = None
    goal_day: StrictInt | None = None
    goal_needs_whole_amount: StrictBool | None = None
    goal_creation_month: str | None = None
    goal_snoozed_at: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _older_date(cls, row: Any) -> Any:
        if isinstance(row, dict) and row.get("goal_target_date") is None:
            return {**row, "goal_target_date": row.get("goal_target_month")}
        return row


class CategoryGroup(Model):
    """A group of categories."""

    id: str
    name: str
    hidden: StrictBool
    deleted: StrictBool = False


class CategoryGroupWithCategories(CategoryGroup):
    """A group of categories, with its categories."""

    categories: list[Category]


# Payees


class Payee(Model):
    """A payee; a payee with a transfer account represents transfers to that account."""

    id: str
    name: str
    transfer_account_id: str | None = None
    deleted: StrictBool = False


class PayeeLocation(Model):
    """A place where a payee was paid. The service sends the degrees as text."""

    id: str
    payee_id: str
    latitude: float | None = None
    longitude: float | None = None
    deleted: StrictBool = False


# Transactions


class _Part(Model):
    id: str
    amount: Money = nan
    deleted: StrictBool = False
    payee_id: str | None = None
    payee_name: str | None = None
    category_id: str | None = None
    category_name: str | None = None
    memo: str | None = None
    transfer_account_id: str | None = None


class SubTransaction(_Part):
    """One part of a split transaction."""

    transaction_id: str
    transfer_transaction_id: str | None = None


class TransactionSummary(Model):
    """A transaction in the export of a budget, without names and without its parts."""

    id: str
    date: str
    amount: Money = nan
    account_id: str
    approved: StrictBool
    cleared: str
    deleted: StrictBool = False
    memo: str | None = None
    payee_id: str | None = None
    category_id: str | None = None
    transfer_account_id: str | None = None
    transfer_transaction_id: str | None = None
    matched_transaction_id: str | None = None
    import_id: str | None = None
    import_payee_name: str | None = None
    import_payee_name_original: str | None = None
    flag_color: str | None = None
    flag_name: str | None = None
    debt_transaction_type: str | None = None


class TransactionDetail(TransactionSummary):
    """A transaction with the names of its account, payee and category, and with its parts."""

    account_name: str | None = None
    payee_name: str | None = None
    category_name: str | None = None
    subtransactions: Annotated[list[SubTransaction], BeforeValidator(_empty_if_null)] = Field(
        default_factory=list
    )

    @model_validator(mode="before")
    @classmethod
    def _own_parts(cls, row: Any) -> Any:
        return _add_keys_of_parts(row, "transaction_id")


class ScheduledSubTransaction(_Part):
    """One part of a split scheduled transaction."""

    scheduled_transaction_id: str


class ScheduledTransactionSummary(Model):
    """A scheduled transaction in the export of a budget."""

    id: str
    date_first: str
    date_next: str | None = None
    frequency: str
    amount: Money = nan
    account_id: str
    deleted: StrictBool = False
    payee_id: str | None = None
    category_id: str | None = None
    memo: str | None = None
    flag_color: str | None = None
    flag_name: str | None = None
    transfer_account_id: str | None = None


class ScheduledTransactionDetail(ScheduledTransactionSummary):
    """A scheduled transaction with names and parts; it is completed if it has no next date."""

    account_name: str | None = None
    payee_name: str | None = None
    category_name: str | None = None
    subtransactions: Annotated[list[ScheduledSubTransaction], BeforeValidator(_empty_if_null)] = (
        Field(default_factory=list)
    )

    @model_validator(mode="before")
    @classmethod
    def _own_parts(cls, row: Any) -> Any:
        return _add_keys_of_parts(row, "scheduled_transaction_id")


# Months


class _MonthTotals(Model):
    month: str
    income: Money = nan
    budgeted: Money = nan
    activity: Money = nan
    to_be_budgeted: Money = nan
    age_of_money: StrictInt | None = None
    note: str | None = None


class MonthSummary(_MonthTotals):
    """The totals of a month."""

    deleted: StrictBool = False


class MonthDetail(_MonthTotals):
    """The totals of a month, and its categories."""

    categories: list[Category]


# Money movements. The service uses two shapes: totals by category, or one record for each move.


class _MovedTotals(Model):
    allocation: Money = nan
    spent: Money = nan
    income: Money = nan


class MoneyMovement(_MovedTotals):
    """The totals of a category."""

    category_name: str
    category_group_name: str | None = None


class MoneyMovementRecord(Model):
    """One move of money between two categories; null means Ready to Assign."""

    id: str
    amount: Money = nan
    month: str | None = None
    moved_at: str | None = None
    note: str | None = None
    money_movement_group_id: str | None = None
    performed_by_user_id: str | None = None
    from_category_id: str | None = None
    to_category_id: str | None = None


class MoneyMovementGroup(_MovedTotals):
    """The totals of a category group."""

    category_group_name: str


class MoneyMovementGroupRecord(Model):
    """A group of moves that were made together."""

    id: str
    group_created_at: str
    month: str
    note: str | None = None
    performed_by_user_id: str | None = None


# The export of a budget


class BudgetDetail(BudgetSummary):
    """Everything in a budget, in flat lists."""

    accounts: list[Account] = Field(default_factory=list)
    payees: list[Payee] = Field(default_factory=list)
    payee_locations: list[PayeeLocation] = Field(default_factory=list)
    category_groups: list[CategoryGroup] = Field(default_factory=list)
    categories: list[Category] = Field(default_factory=list)
    months: list[MonthDetail] = Field(default_factory=list)
    transactions: list[TransactionSummary] = Field(default_factory=list)
    subtransactions: list[SubTransaction] = Field(default_factory=list)
    scheduled_transactions: list[ScheduledTransactionSummary] = Field(default_factory=list)
    scheduled_subtransactions: list[ScheduledSubTransaction] = Field(default_factory=list)

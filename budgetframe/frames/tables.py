"""The frames of the lists of the service and the ledger, with their columns as data.

All tables and the ledger have one order of columns. Columns that people read first come first: the
day or the month, the names, the memo, the amount, and the state. Then come further numbers, flags
and texts. Keys, whose names end in ``_id``, come last, the key of the row before the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from budgetframe._milliunits import to_currency
from budgetframe._resources import undeleted, whole_per_cent

from .builder import Table
from .schema import CURRENCY, Column


def _text(name: str, meaning: str, field: str = "", *, nullable: bool = True) -> Column:
    return Column(name, "str", "", meaning, field, nullable)


def _key(name: str, meaning: str, field: str = "") -> Column:
    return _text(name, meaning, field, nullable=False)


def _date(name: str, meaning: str, *, nullable: bool = False) -> Column:
    return Column(name, "datetime64[us]", "", meaning, nullable=nullable)


def _time(name: str, meaning: str, *, nullable: bool = False) -> Column:
    return Column(name, "datetime64[us, UTC]", "", meaning, nullable=nullable)


def _flag(name: str, meaning: str, field: str = "") -> Column:
    return Column(name, "bool", "", meaning, field)


def _money(name: str, meaning: str, *, nullable: bool = False) -> Column:
    return Column(name, "float64", CURRENCY, meaning, nullable=nullable)


def _count(name: str, unit: str, meaning: str) -> Column:
    return Column(name, "Int64", unit, meaning, nullable=True)


def _choice(
    name: str, meaning: str, vocabulary: str, field: str = "", *, nullable: bool = True
) -> Column:
    return Column(name, "category", "", meaning, field, nullable, tuple(vocabulary.split()))


def _inherit(*columns: Column) -> tuple[Column, ...]:
    return tuple(replace(column, of_parent=True) for column in columns)


def _has_parts(parts: Any) -> Any:
    """Whether a transaction has parts; a value that is not a list is returned unchanged."""
    if not parts:
        return False if parts is None or type(parts) is list else parts
    return bool(undeleted(parts)) if isinstance(parts, list) else parts


def _is_split(parts: str) -> Column:
    meaning = f"whether it is split; {parts}() has the parts"
    return Column("is_split", "bool", "", meaning, "subtransactions", convert=_has_parts)


AccountType = Literal["checking", "savings", "cash", "creditCard", "otherAsset", "otherLiability"]
"""The kinds of accounts that can be created."""

GoalFrequency = Literal["monthly", "weekly", "yearly"]
"""The intervals of a target."""

_FLAG_COLORS = "red orange yellow green blue purple"
_CLEARED = "uncleared cleared reconciled"
_ACCOUNT_TYPES = (
    "checking savings cash creditCard lineOfCredit otherAsset otherLiability mortgage autoLoan"
    " studentLoan personalLoan medicalDebt otherDebt"
)
_FREQUENCIES = (
    "never daily weekly everyOtherWeek twiceAMonth every4Weeks monthly everyOtherMonth"
    " every3Months every4Months twiceAYear yearly everyOtherYear"
)
_DEBT_TYPES = "payment refund fee interest escrow balanceAdjustment credit charge"
_GOAL_TYPES = "TB TBD MF NEED DEBT"

_ACCOUNT_NAME = _key("account_name", "name of the account")
_PAYEE_CATEGORY_MEMO = (
    _text("payee_name", "name of the payee"),
    _text("category_name", "name of the category"),
    _text("memo", "note on the transaction"),
)
_AMOUNT = _money("amount", "inflow positive, outflow negative")
_ACCOUNT_ID = _key("account_id", "key of the account")
_PAYEE_AND_CATEGORY_IDS = (
    _text("payee_id", "key of the payee"),
    _text("category_id", "key of the category; missing for splits and most transfers"),
)
_FLAGS = (
    _choice("flag_color", "colour of the flag", _FLAG_COLORS),
    _text("flag_name", "name given to the flag"),
)
_TRANSFER_ACCOUNT = _text("transfer_account_id", "key of the other account of a transfer")
_TRANSFER_TRANSACTION = _text("transfer_transaction_id", "key of the other side of a transfer")
_MOVED = (
    _money("allocation", "amount assigned"),
    _money("spent", "amount spent"),
    _money("income", "amount received"),
)

_GROUP_NAME = _text("category_group_name", "name of the group of the category")
_CATEGORY_NAME = _key("category_name", "name of the category", "name")
_CATEGORY_ID = _key("category_id", "key of the category", "id")
_GROUP_ID = _key("category_group_id", "key of the group of the category")
_CATEGORY_STATE = (
    _money("budgeted", "assigned in the month"),
    _money("activity", "sum of the transactions of the category in the month"),
    _money("balance", "available at the end of the month"),
    _flag("hidden", "whether the category is hidden"),
    _choice("goal_type", "kind of goal", _GOAL_TYPES),
    _money("goal_target", "amount of the goal", nullable=True),
    # Answers of earlier years have only the month, as its first day.
    replace(_date("goal_target_date", "day on which the goal is due", nullable=True),
        older_field="goal_target_month"),
    replace(_count("goal_percentage_complete", "%", "completed part of the goal, rounded down"),
        convert=whole_per_cent),
    _count("goal_months_to_budget", "months", "left to fund the goal, including this month"),
    _money("goal_under_funded", "missing for the goal this month, positive", nullable=True),
    # The client does not convert this amount, although it is in milliunits too.
    replace(_money("goal_overall_funded", "funded so far", nullable=True), convert=to_currency),
    _money("goal_overall_left", "left to fund", nullable=True),
    _text("note", "note on the category"),
    _count("goal_cadence", "code",
        "1 month, 2 week, 3 to 12: 2 to 11 months, 13 year, 14: 2 years"),
    _count("goal_cadence_frequency", "times", "multiplies the cadences 1, 2 and 13"),
    _count("goal_day", "day",
        "day of the month, missing: the last; if weekly, of the week, 0: Sunday"),
    Column("goal_needs_whole_amount", "boolean", "",
        "NEED goals: whether each period asks for the whole target again", nullable=True),
    _date("goal_creation_month", "first month of the goal", nullable=True),
    _time("goal_snoozed_at", "when the goal was snoozed; missing: it is not", nullable=True),
)  # fmt: skip

_MONTH = _date("month", "first day of the month")
_OF_CATEGORY = (_GROUP_NAME, _CATEGORY_NAME, *_CATEGORY_STATE, _CATEGORY_ID, _GROUP_ID)
_CATEGORY_MONTH = (*_inherit(_MONTH), *_OF_CATEGORY)
_BY_GROUP = ("category_group_name", "category_name", "category_id")

_ALL = (
    Table("budgets", ("budgets",), ("budget_name", "budget_id"), (
        _key("budget_name", "name of the budget", "name"),
        _date("first_month", "first month of the budget", nullable=True),
        _date("last_month", "last month of the budget", nullable=True),
        _time("last_modified_on", "time of the last change", nullable=True),
        _key("budget_id", "key of the budget", "id"),
    )),
    Table("accounts", ("accounts",), ("closed", "account_name", "account_id"), (
        _key("account_name", "name of the account", "name"),
        _choice("account_type", "kind of account", _ACCOUNT_TYPES, "type", nullable=False),
        _money("balance", "cleared plus uncleared balance"),
        _money("cleared_balance", "sum of the transactions that the bank has confirmed"),
        _money("uncleared_balance", "sum of all other transactions"),
        _flag("on_budget", "whether its money is in the budget"),
        _flag("closed", "whether it is closed"),
        _text("note", "note on the account"),
        _key("account_id", "key of the account", "id"),
        _text("transfer_payee_id", "key of the payee for transfers to the account"),
    )),
    Table("category_groups", ("category_groups",), ("category_group_name", "category_group_id"), (
        _text("category_group_name", "name of the group", "name"),
        _flag("hidden", "whether the group is hidden"),
        _key("category_group_id", "key of the group", "id"),
    )),
    Table("categories", ("category_groups", "categories"), _BY_GROUP, (
        *_inherit(replace(_GROUP_NAME, field="name")),
        _CATEGORY_NAME, *_CATEGORY_STATE, _CATEGORY_ID,
        *_inherit(replace(_GROUP_ID, field="id")),
    ), has_parts=True),
    Table("payees", ("payees",), ("payee_name", "payee_id"), (
        _key("payee_name", "name of the payee", "name"),
        _key("payee_id", "key of the payee", "id"),
        _text("transfer_account_id", "key of the account, if the payee means a transfer to it"),
    )),
    Table("payee_locations", ("payee_locations",), ("payee_id", "payee_location_id"), (
        Column("latitude", "float64", "degrees", "north positive", nullable=True),
        Column("longitude", "float64", "degrees", "east positive", nullable=True),
        _key("payee_location_id", "key of the location", "id"),
        _key("payee_id", "key of the payee"),
    )),
    Table("months", ("months",), ("month",), (
        _MONTH,
        _money("income", "income, before it is assigned"),
        _money("budgeted", "assigned to categories"),
        _money("activity", "sum of the transactions with a category"),
        _money("to_be_budgeted", "left to assign"),
        _count("age_of_money", "days", "days between receiving money and spending it"),
        _text("note", "note on the month"),
    )),
    Table("month", ("month", "categories"), _BY_GROUP, _CATEGORY_MONTH,
        has_parts=True, is_one=True),
    Table("month_categories", ("months", "categories"), ("month", *_BY_GROUP), _CATEGORY_MONTH,
        has_parts=True),
    Table("money_movements", ("money_movements",),
        ("category_group_name", "category_name", "allocation", "spent", "income"),
        (_GROUP_NAME, _key("category_name", "name of the category"), *_MOVED)),
    Table("money_movement_records", ("money_movements",), ("moved_at", "money_movement_id"), (
        _time("moved_at", "time of the move", nullable=True),
        _date("month", "month whose assignments the move changed", nullable=True),
        _money("amount", "amount moved"),
        _text("note", "note on the move"),
        _key("money_movement_id", "key of the move", "id"),
        _text("from_category_id", "key of the source; missing: Ready to Assign"),
        _text("to_category_id", "key of the target; missing: Ready to Assign"),
        _text("money_movement_group_id", "key of the group of moves"),
        _text("performed_by_user_id", "key of the user who made the move"),
    )),
    Table("money_movement_groups", ("money_movement_groups",),
        ("category_group_name", "allocation", "spent", "income"),
        (_key("category_group_name", "name of the group"), *_MOVED)),
    Table("money_movement_group_records", ("money_movement_groups",),
        ("group_created_at", "money_movement_group_id"), (
        _time("group_created_at", "time of the moves"),
        _date("month", "month whose assignments the moves changed"),
        _text("note", "note on the moves"),
        _key("money_movement_group_id", "key of the group of moves", "id"),
        _text("performed_by_user_id", "key of the user who made the moves"),
    )),
    Table("transactions", ("transactions",), ("date", "transaction_id"), (
        _date("date", "day of the transaction"),
        _ACCOUNT_NAME, *_PAYEE_CATEGORY_MEMO, _AMOUNT,
        _choice("cleared", "whether the bank has confirmed it", _CLEARED, nullable=False),
        _flag("approved", "whether it was approved"),
        *_FLAGS,
        _is_split("subtransactions"),
        _choice("debt_transaction_type", "kind of loan transaction", _DEBT_TYPES),
        _text("import_payee_name", "payee as imported"),
        _text("import_payee_name_original", "payee as on the bank statement"),
        _key("transaction_id", "key of the transaction", "id"),
        _ACCOUNT_ID, *_PAYEE_AND_CATEGORY_IDS, _TRANSFER_ACCOUNT, _TRANSFER_TRANSACTION,
        _text("matched_transaction_id", "key of the transaction it was matched with"),
        _text("import_id", "key under which it was imported"),
    )),
    Table("subtransactions", ("transactions", "subtransactions"),
        ("date", "transaction_id", "subtransaction_id"), (
        *_inherit(_date("date", "day of the split transaction"), _ACCOUNT_NAME),
        *_PAYEE_CATEGORY_MEMO, _AMOUNT,
        _key("subtransaction_id", "key of the part", "id"),
        *_inherit(_key("transaction_id", "key of the split transaction", "id"), _ACCOUNT_ID),
        *_PAYEE_AND_CATEGORY_IDS, _TRANSFER_ACCOUNT, _TRANSFER_TRANSACTION,
    )),
    Table("scheduled_transactions", ("scheduled_transactions",),
        ("date_next", "scheduled_transaction_id"), (
        _date("date_next", "next day; missing: completed", nullable=True),
        _ACCOUNT_NAME, *_PAYEE_CATEGORY_MEMO, _AMOUNT,
        _choice("frequency", "interval between the days", _FREQUENCIES, nullable=False),
        _date("date_first", "first day"),
        *_FLAGS,
        _is_split("scheduled_subtransactions"),
        _key("scheduled_transaction_id", "key of the schedule", "id"),
        _ACCOUNT_ID, *_PAYEE_AND_CATEGORY_IDS, _TRANSFER_ACCOUNT,
    )),
    Table("scheduled_subtransactions", ("scheduled_transactions", "subtransactions"),
        ("date_next", "scheduled_transaction_id", "scheduled_subtransaction_id"), (
        *_inherit(_date("date_next", "next day; missing: completed", nullable=True), _ACCOUNT_NAME),
        *_PAYEE_CATEGORY_MEMO, _AMOUNT,
        _key("scheduled_subtransaction_id", "key of the part", "id"),
        *_inherit(_key("scheduled_transaction_id", "key of the split schedule", "id"), _ACCOUNT_ID),
        *_PAYEE_AND_CATEGORY_IDS, _TRANSFER_ACCOUNT,
    )),
)  # fmt: skip

TABLES: Mapping[str, Table] = {table.name: table for table in _ALL}
"""The tables of all frames, by name."""

_OF_SPLIT_ROWS = {
    "transaction_id": (
        _key("transaction_id", "key of the transaction; of a part, that of the split"),
        _text("subtransaction_id", "key of the part; missing if the row is no part"),
    ),
    "is_split": (_flag("is_split_part", "whether the row is a part of a split"),),
}
SPLIT_ROWS = Table(
    "transactions",
    ("transactions",),
    ("date", "transaction_id", "subtransaction_id"),
    tuple(
        each
        for column in TABLES["transactions"].columns
        for each in _OF_SPLIT_ROWS.get(column.name, (column,))
    ),
)
"""The table of the transactions of one category or payee; see `split_rows_frame`."""


def _pick(table: str, *names: str) -> tuple[Column, ...]:
    """Pick columns of another table."""
    by_name = {column.name: column for column in TABLES[table].columns}
    return tuple(by_name[name] for name in names)


LEDGER = (
    *_pick("transactions", "date", "account_name", "payee_name", "category_name", "memo", "amount"),
    *_pick("transactions", "cleared", "approved"),
    *_pick("categories", "category_group_name"),
    *_pick("transactions", "flag_color", "flag_name"),
    _flag("is_transfer", "whether it is a transfer to or from another account"),
    _flag("is_income", "whether it is income"),
    _flag("is_spending", "whether it is spending or a refund"),
    _flag("is_uncategorized", "whether it needs a category but has none"),
    _flag("is_starting_balance", "whether it is the starting balance of an account"),
    _flag("is_split_part", "whether it is a part of a split"),
    _flag("is_scheduled", "whether it was entered from a schedule"),
    _flag("is_remainder", "whether it is what the parts of a split lack"),
    *_pick("accounts", "account_type", "on_budget"),
    _text("transfer_account_name", "name of the other account of a transfer"),
    Column("transfer_on_budget", "boolean", "", "whether that account is a budget account"),
    *_pick("transactions", "debt_transaction_type", "transaction_id"),
    _text("subtransaction_id", "key of the split part; missing for other rows"),
    *_pick("transactions", "account_id", "payee_id"),
    _text("category_id", "key of the category"),
    _text("category_group_id", "key of the group of the category"),
    *_pick("transactions", "transfer_account_id", "transfer_transaction_id"),
)
"""Columns of the ledger."""

_COLUMNS = [column for table in TABLES.values() for column in table.columns]
MONEY = {column.name: column.nullable for column in _COLUMNS if column.unit == CURRENCY}
"""Columns in currency units, and whether their values may be missing."""

RECORD_TABLES: Mapping[str, str] = {
    "money_movements": "money_movement_records",
    "money_movement_groups": "money_movement_group_records",
}
"""For lists with two shapes, totals or one record for each move: the table of the records."""


def table_for(name: str, data: Mapping[str, Any], *, has_records: bool = False) -> Table:
    """The table that fits the data object of an answer, recognised by the keys of the rows.

    `has_records` says whether an empty list of money movements counts as records or as totals.
    """
    if name not in RECORD_TABLES:
        return TABLES[name]
    rows = data.get(name)
    if isinstance(rows, list) and rows:
        has_records = any(isinstance(row, dict) and "id" in row for row in rows)
    return TABLES[RECORD_TABLES[name] if has_records else name]

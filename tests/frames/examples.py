"""One example for every frame, by the name of its table."""

from . import examples_budget as budget, examples_movements as moves, examples_transactions as flow

EXAMPLES = {
    "budgets": budget.BUDGETS, "accounts": budget.ACCOUNTS, "payees": budget.PAYEES,
    "payee_locations": budget.PAYEE_LOCATIONS, "category_groups": budget.CATEGORY_GROUPS,
    "categories": budget.CATEGORIES, "months": budget.MONTHS, "month": budget.MONTH,
    "month_categories": budget.MONTH_CATEGORIES, "transactions": flow.TRANSACTIONS,
    "subtransactions": flow.SUBTRANSACTIONS, "scheduled_transactions": flow.SCHEDULED_TRANSACTIONS,
    "scheduled_subtransactions": flow.SCHEDULED_SUBTRANSACTIONS,
    "money_movements": moves.MONEY_MOVEMENTS,
    "money_movement_records": moves.MONEY_MOVEMENT_RECORDS,
    "money_movement_groups": moves.MONEY_MOVEMENT_GROUPS,
    "money_movement_group_records": moves.MONEY_MOVEMENT_GROUP_RECORDS,
}  # fmt: skip

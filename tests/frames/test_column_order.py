"""The order of columns: first what people read, then the rest, then the keys."""

import pytest

from budgetframe import BudgetFrame
from budgetframe.frames import LEDGER, TABLES
from budgetframe.reports import Report

ROW = ["date", "account_name", "payee_name", "category_name", "memo", "amount"]
PLANNED = ["category_group_name", "category_name", "budgeted", "activity", "balance"]

FIRST = {
    "budgets": ["budget_name", "first_month", "last_month", "last_modified_on"],
    "accounts": ["account_name", "account_type", "balance", "cleared_balance", "uncleared_balance"],
    "category_groups": ["category_group_name", "hidden"],
    "categories": PLANNED,
    "payees": ["payee_name"],
    "payee_locations": ["latitude", "longitude"],
    "months": ["month", "income", "budgeted", "activity", "to_be_budgeted"],
    "month": ["month", *PLANNED],
    "month_categories": ["month", *PLANNED],
    "money_movements": ["category_group_name", "category_name", "allocation", "spent", "income"],
    "money_movement_records": ["moved_at", "month", "amount", "note"],
    "money_movement_groups": ["category_group_name", "allocation", "spent", "income"],
    "money_movement_group_records": ["group_created_at", "month", "note"],
    "transactions": [*ROW, "cleared", "approved"],
    "subtransactions": ROW,
    "scheduled_transactions": ["date_next", *ROW[1:], "frequency"],
    "scheduled_subtransactions": ["date_next", *ROW[1:]],
    "ledger": [*ROW, "cleared", "approved"],
}
KEYS_FIRST = {  # the key of the row comes before the other keys
    "accounts": ["account_id"],
    "month_categories": ["category_id"],
    "transactions": ["transaction_id"],
    "subtransactions": ["subtransaction_id", "transaction_id"],
    "scheduled_subtransactions": ["scheduled_subtransaction_id", "scheduled_transaction_id"],
    "ledger": ["transaction_id", "subtransaction_id"],
}
COLUMNS = {name: [column.name for column in table.columns] for name, table in TABLES.items()}
COLUMNS["ledger"] = [column.name for column in LEDGER]


def is_key(column: str) -> bool:
    return column.endswith("_id")


def test_a_table_begins_with_the_columns_that_people_read(subtests: pytest.Subtests) -> None:
    assert set(FIRST) == set(COLUMNS)
    for name, columns in COLUMNS.items():
        with subtests.test(name=name):
            assert columns[: len(FIRST[name])] == FIRST[name]


def test_a_table_ends_with_its_keys(subtests: pytest.Subtests) -> None:
    for name, columns in COLUMNS.items():
        with subtests.test(name=name):
            assert columns == sorted(columns, key=is_key)  # a stable sort
            expected = KEYS_FIRST.get(name, [])
            assert list(filter(is_key, columns))[: len(expected)] == expected


def test_a_report_ends_with_its_keys(subtests: pytest.Subtests) -> None:
    bf = BudgetFrame.sandbox()
    reports: dict[str, Report] = {
        name: getattr(bf.reports, name)() for name in dir(bf.reports) if not name.startswith("_")
    }
    reports |= {
        f"spending by {by}": bf.reports.spending(by)
        for by in ("group", "payee", "account", "flag", "hashtag")
    }
    reports["same_period by category"] = bf.reports.same_period("category")
    for name, report in {**reports, "reconcile": bf.reconcile()}.items():
        with subtests.test(name=name):
            columns = list(report.columns)
            assert columns == sorted(columns, key=is_key)
            assert not is_key(columns[0])

"""The order of columns: first what people read, then the rest, then the keys."""

import pytest

from budgetframe import BudgetFrame
from budgetframe.frames import LEDGER, TABLES
from budgetframe.reports import Report
from tests.facade.service import untouched


def is_key(column: str) -> bool:
    return column.endswith("_id")


def test_a_table_ends_with_its_keys(subtests: pytest.Subtests) -> None:
    columns_of = {name: table.columns for name, table in TABLES.items()} | {"ledger": LEDGER}
    for name, columns in columns_of.items():
        with subtests.test(name=name):
            names = [column.name for column in columns]
            assert names == sorted(names, key=is_key)  # a stable sort


def test_a_report_ends_with_its_keys(subtests: pytest.Subtests) -> None:
    bf = BudgetFrame.sandbox(untouched(1))
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

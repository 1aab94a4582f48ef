"""The sums of the ledger equal the figures of the service."""

import pytest

from budgetframe import ToolError
from budgetframe.frames import TABLES, ledger, milliunits
from budgetframe.reports.reconciliation import reconcile
from tests.frames.household import household


def test_the_rows_of_an_account_add_up_to_its_balance() -> None:
    sides = household()
    categories = TABLES["categories"].frame({"category_groups": []})
    payees = TABLES["payees"].frame({"payees": []})
    found = ledger(sides.transactions, sides.subtransactions, sides.accounts, categories, payees)
    sums = milliunits(found["amount"]).groupby(found["account_id"]).sum()
    assert sums.to_dict() == {"checking": 2_752_380, "fund": 103_330, "old": 0, "visa": -15_000}
    assert len(found) == 16


def test_sums_that_are_larger_than_an_integer_are_refused() -> None:
    """The sum of the rows is 2**64 milliunits, which an integer of 64 bits shows as zero."""
    sides = household()
    rows = sides.transactions.take([0] * 2**13).assign(amount=-(2**51) / 1000)
    names = TABLES["categories"].frame({"category_groups": []})
    payees = TABLES["payees"].frame({"payees": []})
    refused = r"^an amount of 18,446,744,073,709,552 is too large to be exact"
    with pytest.raises(ToolError, match=refused):
        ledger(rows, sides.subtransactions.iloc[:0], sides.accounts, names, payees)
    with pytest.raises(ToolError, match=refused):
        reconcile(sides.accounts, sides.month_categories, rows, sides.subtransactions.iloc[:0])

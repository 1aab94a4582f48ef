"""The sums of the ledger equal the figures of the service."""

from collections import Counter

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.frames import TABLES, ledger, milliunits
from budgetframe.reports.reconciliation import reconcile
from budgetframe.sandbox import Sandbox
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


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox(limit=1_000_000)


def test_the_balances_of_the_service_are_the_sums_of_the_ledger(sandbox: Sandbox) -> None:
    """The exception is a loan whose interest and escrow no row records."""
    for name, unrecorded in (("Household", {}), ("東京の家計", {"自動車ローン": 146_176_000})):
        found = BudgetFrame.sandbox(sandbox, budget=name).ledger()
        sums = milliunits(found["amount"]).groupby(found["account_id"]).sum().to_dict()
        accounts = sandbox.device.state(name).accounts.live()
        assert sums == {
            account.id: account.balance + unrecorded.get(account.name, 0) for account in accounts
        }


def test_counted_rows_add_up_to_the_activity_of_every_category_and_month(sandbox: Sandbox) -> None:
    bf = BudgetFrame.sandbox(sandbox)
    found, service = bf.ledger(), bf.month_categories()
    begun = found["is_starting_balance"] & found["on_budget"]
    counted = found[found["is_income"] | found["is_spending"] | found["is_uncategorized"] | begun]
    # In the sandbox, as in the service, a row without a category belongs to Uncategorized.
    key = service.loc[service["category_name"] == "Uncategorized", "category_id"].iloc[0]
    sums: Counter[tuple[str, str]] = Counter()
    for line in counted.to_dict("records"):
        category_id = key if pd.isna(line["category_id"]) else line["category_id"]
        sums[f"{line['date']:%Y-%m}", category_id] += round(line["amount"] * 1000)
    plan = service[service["category_group_name"] != "Credit Card Payments"]
    activity = {
        (f"{line['month']:%Y-%m}", line["category_id"]): round(line["activity"] * 1000)
        for line in plan.to_dict("records")
    }
    assert {k: v for k, v in sums.items() if v} == {k: v for k, v in activity.items() if v}


def test_income_is_the_income_of_the_service_except_starting_balances(sandbox: Sandbox) -> None:
    bf = BudgetFrame.sandbox(sandbox)
    found, months = bf.ledger(), bf.months()
    earned = found[found["is_income"]]
    sums = milliunits(earned["amount"]).groupby(earned["date"].dt.strftime("%Y-%m")).sum()
    service = dict(
        zip(months["month"].dt.strftime("%Y-%m"), milliunits(months["income"]), strict=True)
    )
    difference = {month: of - sums.get(month, 0) for month, of in service.items()}
    # Checking 2,430.17, Savings 6,500.00, Old Savings 310.00 and Wallet 85.40 on the first day.
    assert {month: d for month, d in difference.items() if d} == {"2023-01": 9_325_570}
    assert set(sums.index) <= set(service)

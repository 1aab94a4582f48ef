"""Setting the balance of a tracking account."""

from datetime import date
from typing import Any

import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.sandbox import Sandbox
from tests.changes.budget import connected, content, let_it_grow_old, requests

# In June 2026 the fund of the embedded budget has one row, on the 16th: a transfer of 150.00.


def fund_of(bf: BudgetFrame) -> Any:
    return bf.account("Index Fund")


def adjustments(sandbox: Sandbox) -> list[tuple[Any, ...]]:
    """The rows with the payee of an adjustment, as the service has them."""
    state = sandbox.device.state()
    return [
        (row.date.isoformat(), row.amount, state.accounts[row.account_id].name, row.category_id,
            row.memo, row.cleared, row.approved)
        for row in state.transactions.live()
        if row.payee_id is not None and state.payees[row.payee_id].name == "Balance Adjustment"
    ]  # fmt: skip


def test_one_row_closes_the_difference_and_can_be_taken_back() -> None:
    sandbox, bf = connected()
    before, balance = content(sandbox), fund_of(bf).balance
    changes = bf.set_balance("Index Fund", balance + 12.345)
    assert content(sandbox) == before
    assert len(changes) == 1
    changes.apply()
    assert fund_of(bf).balance == round(balance + 12.345, 3)
    memo = f"Balance set to {balance + 12.345:,.3f} €".translate({44: ".", 46: ","})
    assert adjustments(sandbox) == [
        ("2026-06-17", 12_345, "Index Fund", None, memo, "cleared", True)
    ]
    changes.undo().apply()
    assert content(sandbox) == before


def test_a_key_and_a_lower_balance() -> None:
    sandbox, bf = connected()
    fund = fund_of(bf)
    bf.set_balance(fund.id, fund.balance - 100).apply()
    assert [row[1] for row in adjustments(sandbox)] == [-100_000]


def test_the_balance_of_an_earlier_day_does_not_contain_later_rows() -> None:
    sandbox, bf = connected()
    balance = fund_of(bf).balance
    bf.set_balance("Index Fund", balance, date="2026-06-15").apply()
    assert [row[:2] for row in adjustments(sandbox)] == [("2026-06-15", 150_000)]
    assert fund_of(bf).balance == balance + 150
    bf.set_balance("Index Fund", balance, date=date(2026, 6, 16)).apply()
    assert adjustments(sandbox)[-1][:2] == ("2026-06-16", -150_000)
    worth = bf.reports.investments(since="2026-06", contributions=()).iloc[-1]
    assert (worth["value"], worth["period_gain"]) == (balance, 0.0)


def test_a_balance_that_is_right_changes_nothing_and_says_so() -> None:
    sandbox, bf = connected()
    before = content(sandbox)
    changes = bf.set_balance("Index Fund", fund_of(bf).balance)
    assert (len(changes), changes.requests) == (0, 0)
    assert len(changes.warnings) == 1
    assert changes.warnings[0].startswith("the balance on 2026-06-17 is ")
    assert changes.warnings[0].endswith(" € already")
    changes.apply()
    assert content(sandbox) == before


def test_the_balance_is_read_anew() -> None:
    sandbox, bf = connected()
    fund = fund_of(bf)
    bf.accounts(), bf.transactions()
    sandbox.device.add_transaction(account_id=fund.id, date=date(2026, 6, 17), amount=1_000)
    assert requests(sandbox, lambda: bf.set_balance("Index Fund", fund.balance + 3).apply()) == 5
    assert [row[1] for row in adjustments(sandbox)] == [2_000]


def test_a_balance_that_was_changed_since_the_comparison_is_a_conflict() -> None:
    sandbox, bf = connected()
    fund = fund_of(bf)
    changes = bf.set_balance("Index Fund", fund.balance + 5, date="2026-06-15")
    let_it_grow_old(changes)
    sandbox.device.add_transaction(account_id=fund.id, date=date(2026, 6, 15), amount=1_000)
    changes.apply()
    assert changes.conflicts["problem"].unique().tolist() == [
        "the account has changed since the comparison: call set_balance or statement again"
    ]
    changes.apply(overwrite=True)
    assert adjustments(sandbox) == []


def test_rows_of_other_accounts_and_later_days_do_not_change_the_balance() -> None:
    sandbox, bf = connected()
    fund = fund_of(bf)
    changes = bf.set_balance("Index Fund", fund.balance + 5, date="2026-06-15")
    let_it_grow_old(changes)
    for account_id, day in ((fund.id, 16), (bf.account("Wallet").id, 15)):
        sandbox.device.add_transaction(account_id=account_id, date=date(2026, 6, day), amount=700)
    changes.apply()
    assert [row[:2] for row in adjustments(sandbox)] == [("2026-06-15", 155_000)]


@pytest.mark.parametrize(("account", "balance", "options", "message"), [
    ("Checking", 1, {}, "^account: 'Checking' is a budget account, in which the row needs a"),
    ("Credit Card", 1, {}, "^account: 'Credit Card' is a budget account"),
    ("Car Loan", 1, {}, "^account: 'Car Loan' is a loan, whose balance contains interest"),
    ("Index Fond", 1, {}, "no account 'Index Fond'; the closest name is 'Index Fund'"),
    ("", 1, {}, "^account='' is empty"),
    (7, 1, {}, "^account=7: it must be a text"),
    ("Index Fund", "much", {}, "^balance='much' is not an amount with at most three decimals"),
    ("Index Fund", 0.0001, {}, "^balance=0.0001 is not an amount"),
    ("Index Fund", 1, {"date": "June"}, "^date='June' is not a day"),
    ("Index Fund", 1, {"date": "2026-06-18"}, "date=2026-06-18 is in the future"),
    ("Index Fund", 1, {"date": "2021-06-16"}, "over five years old"),
])  # fmt: skip
def test_what_is_refused(account: Any, balance: Any, options: dict[str, Any], message: str) -> None:
    sandbox, bf = connected()
    before = content(sandbox)
    with pytest.raises(ToolError, match=message):
        bf.set_balance(account, balance, **options)
    assert content(sandbox) == before

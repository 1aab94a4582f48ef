"""Rules in a budget: what they change, what they set in imports, and what is wrong with them."""

from io import BytesIO
from typing import Any

import pandas as pd
import pytest

from budgetframe import Rules, ToolError, rules
from tests.changes.budget import connected, requests
from tests.reports.rows import lines


def read(*rows: str) -> Rules:
    """The rules of a file with these rows."""
    return rules(BytesIO("\n".join(rows).encode()))


HOUSEHOLD = (
    "payee;amount;set_payee;set_category;set_memo;set_flag",
    "/zur m.hle/;..-5;Café Mühle;Eating Out;with cake;purple", "Fernline;;;Car: Insurance;;",
    "Haus & Hof;;Haus;Clothing;;red", "/^transfer : (index|savings)/;;Other;Investing;moved;",
    "Loan Interest;;;Rent;interest;",
)  # fmt: skip
"""Rules for ordinary rows, parts of splits, transfers and rows of a tracking account."""


def test_no_row_of_the_ledger_is_left_after_the_changes_are_applied() -> None:
    _, bf = connected(years=1)
    household = read(*HOUSEHOLD)
    edited = household.apply(bf.ledger())
    assert edited["rule"].value_counts(sort=False).to_dict() == {
        "row 2": 41, "row 3": 18, "row 4": 42, "row 5": 35, "row 6": 18,
    }  # fmt: skip
    assert len(bf.changes(edited, splits="replace").apply().conflicts) == 0
    assert len(household.apply(bf.ledger())) == 0


def test_no_transaction_is_left_after_the_changes_are_applied() -> None:
    _, bf = connected(years=1)
    haus = read("payee,set_payee,set_category,set_memo,set_flag", "haus,Haus,Clothing,new,red")
    edited = haus.apply(bf.transactions())
    assert (len(edited), edited["is_split"].sum()) == (39, 3)
    changes = bf.changes(edited)
    assert changes.warnings == [
        "creates the payee 'Haus'; .undo().apply() does not remove payees",
        "35 reconciled rows are changed or deleted",
    ]
    changes.apply()
    assert len(haus.apply(bf.transactions())) == 0


@pytest.mark.parametrize("rule", ["zzz,,Grocries,", "zzz,,,Transfer : Savngs"])
def test_an_unknown_name_is_an_error_of_the_changes(rule: str) -> None:
    _, bf = connected()
    found = read("payee,set_memo,set_category,set_payee", rule.replace("zzz", "fern"))
    edited = found.apply(bf.ledger())
    with pytest.raises(ToolError, match=r"has no (category 'Grocries'|payee 'Transfer : Savngs')"):
        bf.changes(edited)


BANK = pd.DataFrame({
    "date": ["2026-06-15", "2026-06-15", "2026-06-16", "2026-06-16"],
    "payee_name": ["FERNLINE  TICKET 123", "Cash", "Transfer : Savings", "Kiosk"],
    "memo": ["2nd class", None, None, "news"], "amount": [-33.37, -71.11, -33.39, -33.41],
})  # fmt: skip
OF_BANK = (
    "payee,memo,account,amount,set_payee,set_category,set_memo,set_flag",
    "/ticket \\d/,CLASS,checking,..0,Fernline,Car: Fuel,,green", ",,wallet,,,Rent,,",
    ",,,..-33.38,Fund,Holiday,big,",
)  # fmt: skip


def test_rules_set_the_new_rows_of_a_file_and_no_others() -> None:
    _, bf = connected()
    assert len(bf.import_rows(BANK.tail(1), account="Checking").apply()) == 1
    of_bank = read(*OF_BANK)
    imported = bf.import_rows(BANK, account="Checking", rules=of_bank)
    assert list(imported.skipped["payee_name"]) == ["Kiosk"]
    imported.apply()
    rows = bf.ledger(since="2026-06-15").query("amount in [-33.37, -71.11, -33.39, -33.41]")
    cells = ("payee_name", "category_group_name", "category_name", "memo", "flag_color")
    assert lines(rows.sort_values("amount", ascending=False), *cells) == [
        ("Fernline", "Car", "Fuel", "2nd class", "green"),
        ("Transfer : Savings", None, None, "big", None),
        ("Kiosk", "Internal Master Category", "Uncategorized", "news", None),
        ("Fund", "Health & Fun", "Holiday", "big", None),
    ]
    again = bf.import_rows(BANK, account="Checking", rules=of_bank)
    assert (len(again), len(again.skipped)) == (0, 4)


def test_a_row_of_a_tracking_account_is_imported_without_the_category() -> None:
    _, bf = connected()
    fund = read("payee,set_payee,set_category", "cash,Dividend,Rent")
    bf.import_rows(BANK[1:2], account="Index Fund", rules=fund).apply()
    rows = bf.transactions(since="2026-06-15").query("amount == -71.11")
    assert lines(rows, "payee_name", "category_name") == [("Dividend", None)]


def test_only_rules_are_accepted_for_an_import() -> None:
    _, bf = connected()
    with pytest.raises(ToolError, match=r"^rules is str: budgetframe.rules\(path\) reads rules"):
        bf.import_rows(BANK, account="Checking", rules="rules.csv")  # type: ignore[arg-type]


def test_a_check_lists_what_is_wrong_in_the_order_of_the_rules() -> None:
    sandbox, bf = connected(years=1)
    checked = read(
        "name,payee,account,set_payee,set_category,set_flag", "right,haus,check,,Clothing,",
        "market,market,,,Groceries,", "never,zzz,,,,red", "hidden,/^(corner|weekly) market/,,,,red",
        "unknown,,walet,,,red", "no such account,,/walet/,,,red", "ambiguous,fern,,,Insurance,",
        "typing error,osteria,,,Eatin Out,", "transfer,adler,,Transfer : Savngs,,",
        "partly hidden,k,,,,red",
    )  # fmt: skip
    bf.budgets()  # the key of the budget
    found: list[Any] = []
    assert requests(sandbox, lambda: found.append(checked.check(bf))) == 4
    assert requests(sandbox, lambda: checked.check(bf)) == 0
    assert lines(found[0], "rule", "problem") == [
        ("never", "no row of the ledger matches it"),
        ("hidden", "87 rows matched, all taken by earlier rules: 'market' (87)"),
        ("unknown", "account: the budget has no account 'walet'; the closest name is 'Wallet'"),
        ("no such account",
         "account: the budget has no account '/walet/'; the closest name is 'Wallet'"),
        ("ambiguous",
         ("set_category: 2 categories are named 'Insurance'; write one of 'Car: Insurance',"
          " 'Home: Insurance'")),
        ("typing error",
         ("set_category: the budget has no category 'Eatin Out'; the closest names are"
          " 'Eating Out', 'Everyday: Eating Out'")),
        ("transfer",
         ("set_payee: the budget has no account 'Savngs'; the closest names are 'Savings',"
          " 'Old Savings'")),
    ]  # fmt: skip


def test_a_check_without_problems_has_the_same_columns_and_dtypes() -> None:
    _, bf = connected()
    right = read("payee,set_category", "haus,Clothing").check(bf)
    wrong = read("payee,set_category", "zzz,Clothing").check(bf)
    assert (len(right), len(wrong)) == (0, 1)
    assert right.dtypes.to_dict() == wrong.dtypes.to_dict()


def test_a_check_needs_the_budget() -> None:
    others: dict[str, Any] = {"DataFrame": BANK, "AsyncBudgetFrame": connected()[1].aio}
    for name, other in others.items():
        with pytest.raises(ToolError, match=f"bf is {name}: pass a BudgetFrame"):
            read("payee,set_memo", "a,b").check(other)

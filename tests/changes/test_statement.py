"""A bank's statement beside an account of the embedded service: figures, file, changes, display."""

import asyncio
from collections.abc import Callable
from datetime import date
from itertools import combinations
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, Statement, ToolError
from budgetframe.sandbox import Sandbox
from tests.changes.budget import connect, connected, let_it_grow_old, requests, small_sandbox
from tests.changes.test_display import lines_of
from tests.questions.books import Books

ON = "2026-06-17"


def small_account(*rows: tuple[int, int, str], **more: Any) -> tuple[Sandbox, BudgetFrame]:
    """A service with an account "Purse": days of June 2026, amounts in milliunits, states."""
    sandbox = small_sandbox(**more)
    with sandbox.device.edit() as editor:
        account = editor.accounts.add("Purse", "cash")
        for day, amount, cleared in rows:
            editor.transactions.add(
                account_id=account.id, date=date(2026, 6, day), amount=amount, cleared=cleared
            )
    return sandbox, connect(sandbox)


def rows_of(sandbox: Sandbox) -> list[Any]:
    """The rows of the account, as the service has them."""
    state = sandbox.device.state()
    (account,) = (each.id for each in state.accounts.live() if each.name == "Purse")
    rows = [each for each in state.transactions.live() if each.account_id == account]
    return sorted(rows, key=lambda each: (each.date, each.amount))


def states(sandbox: Sandbox) -> list[tuple[int, int, str]]:
    return [(row.date.day, row.amount, row.cleared) for row in rows_of(sandbox)]


def days_and_amounts(frame: pd.DataFrame, prefix: str = "") -> list[tuple[int, float]]:
    return list(zip(frame[f"{prefix}date"].dt.day, frame[f"{prefix}amount"], strict=True))


def bank(*rows: tuple[int, float], **more: Any) -> pd.DataFrame:
    """A bank's file: days of June 2026, and amounts."""
    days = [f"2026-06-{day:02}" for day, _ in rows]
    amounts = [amount for _, amount in rows]
    return pd.DataFrame({"date": days, "amount": amounts, "payee_name": "Shop", **more})


OPEN = (
    (1, 100_000, "reconciled"), (2, -10_000, "cleared"), (5, -20_000, "cleared"),
    (6, -7_000, "uncleared"), (9, -3_500, "uncleared"), (16, -1_000, "cleared"),
)  # fmt: skip


# Figures


def test_the_figures_are_those_of_the_books_of_the_service() -> None:
    sandbox, bf = connected()
    books = Books(sandbox)
    keys = {each["name"]: each["id"] for each in books.accounts}
    for name, day in (("Checking", "2026-06-14"), ("Credit Card", "2026-05-31")):
        rows = [
            row
            for row in books.transactions
            if row["account_id"] == keys[name] and row["date"] <= day
        ]
        cleared = sum(row["amount"] for row in rows if row["cleared"] != "uncleared")
        candidates = [row for row in rows if row["cleared"] != "reconciled" and row["amount"]]
        gain = candidates[0]["amount"] * (-1 if candidates[0]["cleared"] == "cleared" else 1)
        statement = bf.statement(name, (cleared + gain) / 1000, day)
        assert (statement.cleared, statement.difference) == (cleared / 1000, gain / 1000)
        expected = [
            {row["id"] for row in chosen}
            for size in (1, 2, 3)
            for chosen in combinations(candidates, size)
            if sum(row["amount"] * (-1 if row["cleared"] == "cleared" else 1) for row in chosen)
            == gain
        ]
        sets = [{*group["transaction_id"]} for _, group in statement.explanations.groupby("set")]
        small = [each for each in sets if len(each) <= 3]
        assert len(small) >= 1
        assert all(each in expected for each in small)
        assert len(small) == min(10, len(expected))


def test_a_statement_of_all_rows_is_the_cleared_balance_of_the_service() -> None:
    bf = connect(small_sandbox())
    for name, balance in bf.accounts()[["account_name", "cleared_balance"]].to_numpy():
        statement = bf.statement(name, balance, ON)
        assert statement.difference == 0.0, name
        assert repr(statement).count("\n") == 0


def test_a_split_counts_as_a_whole() -> None:
    bf = connect(small_sandbox())
    splits = bf.transactions().query("is_split and account_name == 'Checking'")
    key, amount = splits[["transaction_id", "amount"]].iloc[-1]
    bf.changes(splits.tail(1).assign(cleared="uncleared")).apply()
    cleared = bf.accounts().set_index("account_name")["cleared_balance"]["Checking"]
    statement = bf.statement("Checking", round(cleared + amount, 3), ON)
    assert statement.explanations["transaction_id"].tolist()[0] == key


# Arguments


@pytest.mark.parametrize(("arguments", "message"), [
    (("", 1.0, ON), r"^account='' is empty"),
    ((7, 1.0, ON), r"^account=7: it must be a text"),
    (("Wallet", "1.234,56", ON), r"^balance='1\.234,56' is not an amount"),
    (("Wallet", 1.00001, ON), r"^balance=1\.00001 is not an amount with at most three"),
    (("Wallet", float("nan"), ON), r"^balance=nan is not an amount"),
    (("Wallet", True, ON), r"^balance=True is not an amount"),
    (("Wallet", 1.0, "2026-06"), r"^on='2026-06' is not a day"),
    (("Wallet", 1.0, "2026-06-31"), r"^on='2026-06-31' is not a day"),
    (("Wallet", 1.0, ON, b"%PDF"), r"^the file is a PDF file"),
    (("Wallet",), r"^balance is not given: pass balance= and on= as the bank states them"),
    (("Wallet", None, ON, b"Date,Payee,Amount\n2026-05-31,A,-1.50\n"), r"^balance is in no clos"),
    (
        ("Wallet", None, ON, b"Date,Payee,Amount,Balance\n2026-05-31,A,-1.50,8.50\n"),
        r"^balance is in no clos",  # because it is that of May 31
    ),
])  # fmt: skip
def test_wrong_arguments_are_refused_before_a_request(arguments: Any, message: str) -> None:
    sandbox, bf = connected()
    with pytest.raises(ToolError, match=message):
        bf.statement(*arguments)
    assert sandbox.requests_served == 0


def test_an_unknown_account_is_refused_with_the_closest_name() -> None:
    bf = connect(small_sandbox())
    with pytest.raises(ToolError, match=r"no account 'Walet'; the closest name is 'Wallet'"):
        bf.statement("Walet", 1.0, ON)
    unknown = "00000000-0000-4000-8000-000000000000"
    with pytest.raises(ToolError, match=f"no account '{unknown}'"):
        bf.statement(unknown, 1.0, ON)
    key = bf.accounts().set_index("account_name")["account_id"]["Wallet"]
    assert bf.statement(key, 0.0, ON).cleared == bf.statement("Wallet", 0.0, ON).cleared


def test_a_statement_costs_two_requests_and_none_if_the_lists_are_fresh() -> None:
    sandbox, bf = small_account(*OPEN)
    bf.settings()
    assert requests(sandbox, lambda: bf.statement("Purse", 69.0, ON)) == 2
    assert requests(sandbox, lambda: bf.statement("Purse", 70.0, ON)) == 0


def test_an_account_without_rows_has_a_balance_of_zero() -> None:
    _, bf = small_account()
    statement = bf.statement("Purse", 0, ON)
    assert (statement.difference, len(statement.frame), len(statement.changes())) == (0.0, 0, 0)
    missing = bf.statement("Purse", 12.5, pd.Timestamp(ON))
    assert (missing.difference, len(missing.explanations)) == (12.5, 0)


# Changes


def test_the_changes_of_a_set_clear_unclear_and_reconcile_up_to_the_day() -> None:
    sandbox, bf = small_account(*OPEN)
    # The bank lacks the row of -20 and has that of -7: 90 + 20 - 7 - 10 - 10.
    statement = bf.statement("Purse", 83.0, "2026-06-15")
    assert (statement.cleared, statement.difference) == (70.0, 13.0)
    assert statement.explanations[["amount", "becomes"]].to_numpy().tolist() == [
        [-20.0, "uncleared"], [-7.0, "cleared"],
    ]  # fmt: skip
    assert statement.changes(0).apply().counts["done"] == 3
    assert states(sandbox) == [
        (1, 100_000, "reconciled"), (2, -10_000, "reconciled"), (5, -20_000, "uncleared"),
        (6, -7_000, "reconciled"), (9, -3_500, "uncleared"), (16, -1_000, "cleared"),
    ]  # fmt: skip
    again = bf.statement("Purse", 83.0, "2026-06-15")
    assert (again.difference, len(again.changes())) == (0.0, 0)


def test_without_a_number_the_statement_must_agree() -> None:
    sandbox, bf = small_account(*OPEN)
    before = states(sandbox)
    with pytest.raises(ToolError, match=r"^13,00 € is missing: the bank has 83,00 €, and 70,00 €"):
        bf.statement("Purse", 83.0, "2026-06-15").changes()
    assert states(sandbox) == before
    bf.statement("Purse", 70.0, "2026-06-15").changes().apply()
    assert [state for *_, state in states(sandbox)] == [
        "reconciled", "reconciled", "reconciled", "uncleared", "uncleared", "cleared",
    ]  # fmt: skip


def test_changes_can_be_undone() -> None:
    sandbox, bf = small_account(*OPEN)
    before = states(sandbox)
    bf.statement("Purse", 83.0, "2026-06-15").changes(0).apply().undo().apply()
    assert states(sandbox) == before


@pytest.mark.parametrize("edit", [
    lambda row: {"amount": row.amount - 10},
    lambda row: {"date": row.date.replace(day=16)},
    lambda row: {"cleared": "reconciled" if row.cleared == "uncleared" else "uncleared"},
    lambda _: {"memo": "later"},  # the row is a conflict, and without it the sum is wrong
], ids=["amount", "day", "state", "memo"])  # fmt: skip
@pytest.mark.parametrize("position", [1, 3], ids=["a cleared row", "a row of the set"])
def test_changed_rows_are_refused(edit: Callable[[Any], dict[str, Any]], position: int) -> None:
    sandbox, bf = small_account(*OPEN)
    statement = bf.statement("Purse", 63.0, "2026-06-15")
    assert statement.explanations["amount"].tolist()[:1] == [-7.0]
    row = rows_of(sandbox)[position]
    sandbox.device.edit_transaction(row.id, **edit(row))
    with pytest.raises(ToolError, match="rows of the account were changed since this statement"):
        statement.changes(0)


@pytest.mark.parametrize(
    "edit",
    [
        lambda device, rows: device.edit_transaction(rows[1].id, amount=-10_010),
        lambda device, rows: device.edit_transaction(rows[3].id, amount=-7_010),
        lambda device, rows: device.delete_transaction(rows[3].id),
        lambda device, rows: device.edit_transaction(rows[4].id, cleared="cleared"),
        lambda device, rows: device.edit_transaction(rows[3].id, memo="later"),
    ],
    ids=["a cleared row", "a row of the set", "a deleted one", "another row is cleared", "a memo"],
)
def test_nothing_is_reconciled_if_the_account_has_changed(edit: Callable[[Any, Any], None]) -> None:
    sandbox, bf = small_account(*OPEN)
    changes = bf.statement("Purse", 63.0, "2026-06-15").changes(0)
    let_it_grow_old(changes)
    edit(sandbox.device, rows_of(sandbox))
    before = states(sandbox)
    assert changes.apply().counts["done"] == 0
    problems = changes.conflicts["problem"].tolist()
    assert any("call set_balance or statement again" in problem for problem in problems)
    assert states(sandbox) == before


def test_other_rows_may_be_changed_meanwhile() -> None:
    sandbox, bf = small_account(*OPEN)
    statement = bf.statement("Purse", 63.0, "2026-06-15")
    for position in (4, 5):  # an uncleared row that is in no set, and one after the day
        row = rows_of(sandbox)[position]
        sandbox.device.edit_transaction(row.id, memo="seen", amount=row.amount - 10)
    assert statement.changes(0).apply().counts["conflicts"] == 0


# A file


def test_a_file_shows_what_only_one_side_has_and_which_days_differ() -> None:
    _, bf = small_account(*OPEN)
    file = bank(
        (2, -10.0),
        (4, -20.0),  # a day before
        (7, -7.0),  # a day after
        (8, -2.22),  # only the bank
        (8, -2.22),  # a second one
        (16, -9.99),  # after the day
        (17, -1.0),  # the same, and a day after its row
    ).set_index(pd.Index(list("abcdefg")))
    statement = bf.statement("Purse", 63.0, "2026-06-15", file)
    assert statement.only_bank.index.tolist() == ["d", "e"]
    assert days_and_amounts(statement.only_bank) == [(8, -2.22), (8, -2.22)]
    assert days_and_amounts(statement.only_here) == [(9, -3.5)]
    assert days_and_amounts(statement.differing) == [(4, -20.0), (7, -7.0)]
    assert days_and_amounts(statement.differing, "existing_") == [(5, -20.0), (6, -7.0)]


def test_the_rows_of_a_file_are_those_that_an_import_leaves_out() -> None:
    bf = connect(small_sandbox())
    checking = bf.transactions(since="2026-04").query("account_name == 'Checking'")
    file = checking[["date", "amount", "payee_name"]].reset_index(drop=True)
    file["date"] += pd.to_timedelta(file.index % 4, unit="D")
    file.loc[::5, "amount"] -= 0.01
    imported = bf.import_rows(file, account="Checking")
    statement = bf.statement("Checking", 0.0, "2026-06-30", file)
    new = file.index.difference(imported.skipped.query("reason != 'in the future'").index)
    assert statement.only_bank.index.tolist() == new.tolist()
    matched = imported.skipped["existing_transaction_id"].dropna()
    first = file["date"].min()
    expected = checking[(checking["date"] >= first) & ~checking["transaction_id"].isin(matched)]
    assert statement.only_here["transaction_id"].tolist() == expected["transaction_id"].tolist()


def test_an_imported_row_is_the_same_with_another_amount_and_in_another_account() -> None:
    sandbox, bf = small_account()
    file = bank((3, -5.0), (4, -6.0), (5, -7.0), bank_row_id=["x", "y", "z"])
    bf.import_rows(file, account="Purse").apply()
    one, two, _ = rows_of(sandbox)
    wallet = next(one.id for one in sandbox.device.state().accounts.live() if one.name == "Wallet")
    sandbox.device.edit_transaction(one.id, amount=-5_500)
    sandbox.device.edit_transaction(two.id, account_id=wallet)
    statement = bf.statement("Purse", -18.0, ON, file)
    assert days_and_amounts(statement.differing) == [(3, -5.0)]
    assert days_and_amounts(statement.differing, "existing_") == [(3, -5.5)]
    assert days_and_amounts(statement.only_bank) == [(4, -6.0)]
    assert len(statement.only_here) == 0


def test_the_columns_of_a_file_can_have_other_names_and_a_repeated_row_counts_once() -> None:
    _, bf = small_account(*OPEN)
    file = bank((8, -2.22), (8, -2.22), bank_row_id=["x", "x"]).rename(columns={"amount": "Betrag"})
    statement = bf.statement("Purse", 1.0, ON, file, columns={"Betrag": "amount"})
    assert days_and_amounts(statement.only_bank) == [(8, -2.22)]


def test_an_empty_file_lacks_no_rows() -> None:
    _, bf = small_account(*OPEN)
    statement = bf.statement("Purse", 69.0, ON, bank())
    frames = (statement.only_bank, statement.only_here, statement.differing)
    assert [len(each) for each in frames] == [0, 0, 0]
    assert str(statement.only_here["cleared"].dtype) == "category"


def test_a_statement_without_a_file_says_what_to_pass() -> None:
    _, bf = small_account(*OPEN)
    for name in ("only_bank", "only_here", "differing"):
        with pytest.raises(ToolError, match="without the file of the bank: pass file="):
            getattr(bf.statement("Purse", 69.0, ON), name)


# Display


def test_a_statement_that_agrees_says_so_in_one_line() -> None:
    _, bf = small_account(*OPEN)
    assert repr(bf.statement("Purse", 69.0, ON)) == (
        "Statement: Purse agrees with the bank on 2026-06-17: 69,00 €; .changes() marks 3 cleared"
        " rows as reconciled"
    )
    bf.statement("Purse", 69.0, ON).changes().apply()
    agrees = "Purse agrees with the bank on 2026-06-17: 69,00 €"
    assert repr(bf.statement("Purse", 69.0, ON)) == f"Statement: {agrees}"
    assert agrees in bf.statement("Purse", 69.0, ON)._repr_html_()


def test_a_statement_shows_sets_errors_the_file_and_what_to_do_next() -> None:
    _, bf = small_account(*OPEN)
    statement = bf.statement("Purse", 60.0, "2026-06-15", bank((8, -2.22)))
    assert lines_of(statement) == [
        ("Statement: Purse on 2026-06-15: difference -10,00 €; the bank has 60,00 €, and"
         " 70,00 € is cleared"),
        "open: 5 rows are not reconciled, 1 of them after the day; .frame has them",
        ("file: 1 row is only in the file (.only_bank), 1 row only here (.only_here), and 0"
         " pairs differ (.differing)"),
        ("next: no set of rows explains it: look for a row of -10,00 € that is missing here;"
         " bf.import_rows() creates those of"),
        ".only_bank",
    ]  # fmt: skip
    statement = bf.statement("Purse", 90.0, "2026-06-15")
    assert lines_of(statement)[1:4] == [
        "1 set explains it:", "set date amount cleared becomes",
        "0 2026-06-05 -20,00 € cleared uncleared",
    ]  # fmt: skip
    assert lines_of(statement)[-1].startswith("next: .changes(0) gives the rows of set 0")
    statement = bf.statement("Purse", -110.0, "2026-06-15")
    assert lines_of(statement)[1:4] == [
        "1 row explains it if its amount has a typing error:",
        "kind date amount corrected_amount cleared",
        "shifted decimal point 2026-06-05 -20,00 € -200,00 € cleared",
    ]
    assert lines_of(statement)[-1].startswith("next: correct a row in the app or with bf.changes()")


def test_the_frames_of_a_statement_are_shown_on_one_line_for_each_row() -> None:
    _, bf = small_account(*OPEN)
    statement = bf.statement("Purse", 83.0, "2026-06-15", bank((4, -20.0)))
    assert lines_of(statement.frame)[0].split() == ["date", "amount", "cleared", "is_later"]
    assert lines_of(statement.explanations)[1].split()[1:] == [
        "0", "2026-06-05", "-20,00", "€", "cleared", "uncleared",
    ]  # fmt: skip
    assert "-20,00 €" in lines_of(statement.differing)[1]
    assert lines_of(statement.only_here)[0].split() == ["date", "amount", "cleared"]


def test_the_frame_of_a_statement_can_be_edited() -> None:
    sandbox, bf = small_account(*OPEN)
    rows = bf.statement("Purse", 83.0, "2026-06-15").frame
    changes = bf.changes(rows[rows["amount"] == -3.5].assign(cleared="cleared"))
    assert changes.warnings == []
    changes.apply()
    assert (9, -3_500, "cleared") in states(sandbox)


# Async


def test_the_async_statement_has_the_same_figures() -> None:
    sandbox, bf = small_account(*OPEN)

    async def accept() -> int:
        statement = await bf.aio.statement("Purse", 83.0, "2026-06-15", bank((4, -20.0)))
        assert (statement.cleared, statement.difference) == (70.0, 13.0)
        assert repr(statement).startswith("AsyncStatement: Purse on 2026-06-15")
        assert len(statement.frame) == 5
        assert len(statement.typing_errors) == len(statement.only_bank) == 0
        assert len(statement.only_here) == 2
        assert len(statement.differing) == 1
        return (await (await statement.changes(0)).apply()).counts["done"]

    assert asyncio.run(accept()) == 3
    assert isinstance(bf.statement("Purse", 83.0, "2026-06-15"), Statement)
    assert (5, -20_000, "uncleared") in states(sandbox)

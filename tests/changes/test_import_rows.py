"""Importing the rows of a bank's file: new rows, rows that exist already, and what is refused."""

from datetime import UTC, date, datetime
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, Changes, ToolError
from budgetframe.sandbox import Sandbox
from tests.changes.budget import (
    connect,
    connected,
    content,
    interrupted,
    requests,
    rows_with,
    small_sandbox,
    with_parts,
)

CSV = """\
Buchungstag;Empfänger;Verwendungszweck;Betrag;Saldo
15.06.2026;  Kiosk  am Markt ;Zeitung;-1.234,56;10,00
16.06.2026;Bäckerei;;-3,33;6,67
16.06.2026;Bäckerei;;-3,33;3,34
"""
COLUMNS = {
    "Buchungstag": "date", "Betrag": "amount", "Empfänger": "payee_name",
    "Verwendungszweck": "memo",
}  # fmt: skip
AMOUNT = -3.33  # no row of the embedded budget has it


def rows_of(*days: Any, amount: Any = AMOUNT, **cells: Any) -> pd.DataFrame:
    """One row for each day, as days of June 2026 or as given."""
    texts = [f"2026-06-{day:02}" if isinstance(day, int) else day for day in days]
    return pd.DataFrame({"date": texts, "amount": amount, "payee_name": "Bakery", **cells})


def account_id(sandbox: Sandbox, name: str = "Wallet") -> str:
    (key,) = (row.id for row in sandbox.device.state().accounts.live() if row.name == name)
    return key


def enter_by_hand(sandbox: Sandbox, *days: int, amount: int = -3_330, **more: Any) -> list[str]:
    """Enter rows of June 2026 in the app; return their keys."""
    account = account_id(sandbox)
    return [
        sandbox.device.add_transaction(
            account_id=account, date=date(2026, 6, day), amount=amount, **more
        )
        for day in days
    ]


def with_rows(*days: int, cache_dir: Path | None = None) -> tuple[Sandbox, BudgetFrame]:
    """A service with rows that were entered by hand, and a connection to it."""
    sandbox, bf = connected(cache_dir)
    enter_by_hand(sandbox, *days)
    return sandbox, bf


def stored(sandbox: Sandbox, amount: int = -3_330) -> list[tuple[int, str | None, bool]]:
    """Day of June, import id, and whether it is merged, of the rows with an amount."""
    found = [row for row in sandbox.device.state().transactions.live() if row.amount == amount]
    return sorted(
        ((row.date.day, row.import_id, row.matched_transaction_id is not None) for row in found),
        key=lambda each: (each[0], each[1] or ""),
    )


def skipped(imported: Changes) -> list[tuple[int, str]]:
    """Day and reason of the rows that are left out."""
    return list(zip(imported.skipped["date"].dt.day, imported.skipped["reason"], strict=True))


def import_id(day: int, occurrence: int = 1) -> str:
    return f"YNAB:-3330:2026-06-{day:02}:{occurrence}"


# New rows


def test_new_rows_are_cleared_and_have_the_import_ids_of_the_service() -> None:
    bf = connect(small_sandbox())
    file = pd.read_csv(
        StringIO(CSV), sep=";", decimal=",", thousands=".", dtype={"Buchungstag": "str"}
    )
    file["Buchungstag"] = pd.to_datetime(file["Buchungstag"], format="%d.%m.%Y")
    imported = bf.import_rows(file, account="Wallet", columns=COLUMNS)
    assert (len(imported), imported.requests, len(imported.skipped)) == (3, 1, 0)
    imported.apply()
    new = bf.transactions().dropna(subset="import_id")
    new = new[new["import_id"].str.endswith(("-15:1", "-16:1", "-16:2"))]
    columns = ["payee_name", "memo", "amount", "cleared", "approved", "category_name", "import_id"]
    texts = new[new["account_name"] == "Wallet"].sort_values("import_id")[columns].astype(object)
    assert texts.where(texts.notna(), None).to_numpy().tolist() == [
        ["Kiosk am Markt", "Zeitung", -1234.56, "cleared", False, None,
         "YNAB:-1234560:2026-06-15:1"],
        ["Bäckerei", None, -3.33, "cleared", False, None, "YNAB:-3330:2026-06-16:1"],
        ["Bäckerei", None, -3.33, "cleared", False, None, "YNAB:-3330:2026-06-16:2"],
    ]  # fmt: skip


def test_days_and_amounts_of_all_kinds_are_understood() -> None:
    sandbox, bf = connected()
    days = [
        "2026-06-01", "2026-06-02T23:30:00+02:00", date(2026, 6, 3),
        datetime(2026, 6, 4, 23, 30, tzinfo=UTC), pd.Timestamp("2026-06-05 12:00"),
    ]  # fmt: skip
    amounts = [-3.33, Decimal("-3.33"), -4, 0.1 + 0.2, 0]
    bf.import_rows(rows_of(*days, amount=amounts), account="Wallet").apply()
    aware = pd.to_datetime(pd.Series(["2026-06-06 00:30"])).dt.tz_localize("Asia/Tokyo")
    bf.import_rows(rows_of(*aware), account=account_id(sandbox)).apply()
    found = {row.import_id for row in sandbox.device.state().transactions.live()}
    assert {
        "YNAB:-3330:2026-06-01:1", "YNAB:-3330:2026-06-02:1", "YNAB:-4000:2026-06-03:1",
        "YNAB:300:2026-06-04:1", "YNAB:0:2026-06-05:1", "YNAB:-3330:2026-06-06:1",
    } <= found  # fmt: skip


def test_the_import_of_a_linked_account_recognises_the_rows() -> None:
    sandbox, bf = connected()
    bf.import_rows(rows_of(15, 16, 16), account="Wallet").apply()
    for day in (15, 16, 16, 16):
        sandbox.device.add_bank_row(
            account_id=account_id(sandbox), date=date(2026, 6, day), amount=-3_330,
            payee_name="BAKERY",
        )  # fmt: skip
    bf.import_linked()
    assert [row[1] for row in stored(sandbox)] == [
        import_id(15), import_id(16), import_id(16, 2), import_id(16, 3),
    ]  # fmt: skip


def test_a_payee_that_names_an_account_makes_a_transfer() -> None:
    sandbox, bf = connected()
    bf.import_rows(rows_of(16).assign(payee_name="Transfer : Savings"), account="Wallet").apply()
    assert stored(sandbox, 3_330) == [(16, None, False)]
    # The file of the other account has the same transfer.
    other = bf.import_rows(rows_of(15, amount=3.33), account="Savings")
    assert skipped(other) == [(15, "same amount, 1 day apart")]


# Rows that exist already


def test_the_same_file_changes_nothing_the_second_time() -> None:
    sandbox, bf = connected()
    bf.import_rows(rows_of(15, 16, 16), account="Wallet").apply()
    bf.transactions(), bf.accounts(), bf.categories(), bf.payees()
    again: list[Changes] = []
    call = lambda: again.append(bf.import_rows(rows_of(15, 16, 16), account="Wallet"))  # noqa: E731
    assert requests(sandbox, call) == 1  # the delta
    assert skipped(again[0]) == [(day, "imported before") for day in (15, 16, 16)]
    assert (len(again[0]), requests(sandbox, again[0].apply)) == (0, 0)
    # A third equal row of the day is new, also in a file that begins later.
    more = bf.import_rows(rows_of(16, 16, 16), account="Wallet")
    assert (len(more), len(more.skipped)) == (1, 2)
    assert len(bf.import_rows(rows_of(15, 16), account="Savings")) == 2  # ids count by account


def test_a_row_entered_by_hand_is_left_out_up_to_five_days_apart(subtests: pytest.Subtests) -> None:
    sandbox, bf = connected()
    (key,) = enter_by_hand(sandbox, 10, payee_name="By hand")
    for day, reason in (
        (10, "same amount and day"), (5, "same amount, 5 days apart"),
        (15, "same amount, 5 days apart"),
    ):  # fmt: skip
        with subtests.test(day=day):
            file = rows_of(day, 1, amount=[AMOUNT, 99.99]).set_index(pd.Index(["x", "y"]))
            imported = bf.import_rows(file, account="Wallet")
            assert len(imported) == 1
            row = imported.skipped.loc["x"]
            assert row["reason"] == reason
            assert row["payee_name"] == "Bakery"
            assert row["existing_payee_name"] == "By hand"
            assert row["existing_transaction_id"] == key
            assert row["existing_date"] == pd.Timestamp("2026-06-10")
    for other in (rows_of(4), rows_of(16), rows_of(10, amount=-3.34)):
        with subtests.test(other=other):
            assert len(bf.import_rows(other, account="Wallet")) == 1
    assert len(bf.import_rows(rows_of(10), account="Savings")) == 1


def test_each_existing_row_counts_once_the_nearest_day_first(subtests: pytest.Subtests) -> None:
    _, bf = with_rows(5, 8)
    for days in ((4, 7, 9), (9, 7, 4), (7, 4, 9)):
        with subtests.test(days=days):
            imported = bf.import_rows(rows_of(*days), account="Wallet")
            # Of 7 and 9, which are both one day from 8, the earlier one counts.
            assert dict(skipped(imported)) == {
                4: "same amount, 1 day apart", 7: "same amount, 1 day apart",
            }  # fmt: skip


def test_a_row_of_another_import_counts_on_the_same_day_only() -> None:
    """Two purchases on two days stay two, although their amount is the same."""
    sandbox, bf = connected()
    other = {"account_id": account_id(sandbox), "amount": AMOUNT, "payee_name": "Bakery"}
    bf.create_transactions([{**other, "date": "2026-06-10", "import_id": "another-scheme"}])
    imported = bf.import_rows(rows_of(10, 11), account="Wallet")
    assert skipped(imported) == [(10, "same amount and day")]
    assert len(imported) == 1


PROBABLE = (
    ": a row of the same amount, with another import id, is up to 5 days apart (first: 2026-06-09,"
    " -3,33 €, and 2026-06-10). To leave out what is one, import"
    " frame.reset_index(drop=True).drop("
)


def duplicates(imported: Changes) -> list[str]:
    return [text for text in imported.warnings if "probable" in text]


@pytest.mark.parametrize("its_id", ["another-scheme", "YNAB:-3330:2026-06-10:1"])
def test_a_row_near_one_with_another_import_id_is_a_probable_duplicate(its_id: str) -> None:
    sandbox, bf = connected()
    row = {"account_id": account_id(sandbox), "amount": AMOUNT, "date": "2026-06-10"}
    bf.create_transactions([row | {"import_id": its_id}])
    imported = bf.import_rows(rows_of(9), account="Wallet")
    assert len(imported) == 1
    assert duplicates(imported) == [f"1 new row is a probable duplicate{PROBABLE}[0])"]
    assert duplicates(bf.import_rows(rows_of(9, 9), account="Wallet")) == duplicates(imported)
    assert duplicates(bf.import_rows(rows_of(9, 10), account="Wallet")) == []
    assert duplicates(bf.import_rows(rows_of(4), account="Wallet")) == []
    assert duplicates(bf.import_rows(rows_of(9, amount=-3.34), account="Wallet")) == []
    assert duplicates(bf.import_rows(rows_of(9), account="Checking")) == []


def test_as_many_rows_are_probable_duplicates_as_there_are_rows() -> None:
    _, bf = connected()
    bf.import_rows(rows_of(10, 10), account="Wallet").apply()
    imported = bf.import_rows(rows_of(9, 9, 9).set_axis([7, 5, 3]), account="Wallet")
    assert duplicates(imported) == [f"2 new rows are probable duplicates{PROBABLE}[0, 1])"]


@pytest.mark.parametrize("labels", [[0, 0], [float("nan"), 1.0], pd.date_range("2026", periods=2)])
def test_the_advice_leaves_out_one_row_of_any_index(labels: Any) -> None:
    _, bf = connected()
    bf.import_rows(rows_of(10), account="Wallet").apply()
    frame = pd.concat([rows_of(9), rows_of(12, amount=-77.0)]).set_axis(labels)
    (text,) = duplicates(bf.import_rows(frame, account="Wallet"))
    assert text.endswith("To leave out what is one, import frame.reset_index(drop=True).drop([0])")
    assert frame.reset_index(drop=True).drop([0])["amount"].tolist() == [-77.0]


def test_days_that_the_service_refuses_are_left_out() -> None:
    bf = connect(small_sandbox())
    days = ("2026-06-18", "2026-06-17", "2021-06-17", "2021-06-16")
    imported = bf.import_rows(rows_of(*days), account="Wallet")
    assert imported.skipped["reason"].tolist() == ["in the future", "over five years ago"]
    assert imported.apply().counts["done"] == 2


def test_rows_that_are_left_out_can_be_created_nevertheless() -> None:
    sandbox, bf = with_rows(10)
    changes = bf.changes(bf.import_rows(rows_of(12, memo="mine"), account="Wallet").skipped)
    assert changes.not_undone == [
        "creates the payee 'Bakery'; .undo().apply() does not remove payees"
    ]
    assert changes.warnings[1] == (
        "1 new row exists already, as existing_transaction_id says: a second row is created"
    )
    changes.apply()
    assert stored(sandbox) == [(10, None, False), (12, None, False)]
    assert "mine" in bf.transactions()["memo"].tolist()


# Several files


def days_of(sandbox: Sandbox) -> list[int]:
    """The days of June of the rows with the amount of the tests."""
    return [day for day, *_ in stored(sandbox)]


def test_a_row_that_was_sent_without_an_import_id_is_known_by_the_journal(tmp_path: Path) -> None:
    sandbox, bf = with_rows(1, cache_dir=tmp_path)
    bf.import_rows(rows_of(1, 8, 16), account="Wallet").apply()
    assert stored(sandbox) == [(1, None, False), (8, None, False), (16, None, False)]
    bf.close()
    again = connect(sandbox, cache_dir=tmp_path).import_rows(rows_of(8, 12, 16), account="Wallet")
    assert skipped(again) == [(8, "imported before"), (16, "imported before")]
    again.apply()
    assert days_of(sandbox) == [1, 8, 12, 16]


def test_a_row_that_was_entered_by_hand_counts_once_over_several_files(tmp_path: Path) -> None:
    sandbox, bf = with_rows(9, cache_dir=tmp_path)
    first = bf.import_rows(rows_of(8), account="Wallet")
    assert first.warnings == [
        (
            "nothing is new, but apply() notes in the journal which rows of the account the rows of"
            " the file are: without this, a later file may take them for other rows"
        )
    ]
    assert requests(sandbox, first.apply) == 0
    assert len(bf.journal()) == 0
    bf.close()
    later = connect(sandbox, cache_dir=tmp_path)
    second = later.import_rows(rows_of(10), account="Wallet")
    assert len(second.skipped) == 0
    second.apply()
    assert days_of(sandbox) == [9, 10]
    third = later.import_rows(rows_of(8, 10), account="Wallet")
    assert skipped(third) == [(8, "same amount, 1 day apart"), (10, "imported before")]
    assert third.warnings == []


def test_a_later_file_moves_a_row_to_another_one_that_was_entered_by_hand() -> None:
    """The rows of the 9th and the 13th are those of the 12th and the 17th of the bank."""
    _, bf = with_rows(9, 13)
    first = bf.import_rows(rows_of(12), account="Wallet").apply()
    assert skipped(first) == [(12, "same amount, 1 day apart")]
    assert first.skipped["existing_date"].dt.day.tolist() == [13]
    second = bf.import_rows(rows_of(17), account="Wallet")
    assert skipped(second) == [(17, "same amount, 4 days apart")]
    both = bf.import_rows(rows_of(12, 17), account="Wallet")
    assert both.skipped["existing_date"].dt.day.tolist() == [9, 13]


def test_an_imported_row_stays_the_same_row_on_another_day(subtests: pytest.Subtests) -> None:
    sandbox, bf = connected()
    for near in ((), (5,)):  # the second time, the row is sent without an import id
        with subtests.test(near=near):
            amount = -3_330 - len(near)
            enter_by_hand(sandbox, *near, amount=amount)
            bf.import_rows(rows_of(*near, 10, amount=amount / 1000), account="Wallet").apply()
            (row,) = (
                row
                for row in sandbox.device.state().transactions.live()
                if (row.date.day, row.amount) == (10, amount)
            )
            sandbox.device.edit_transaction(row.id, date=date(2026, 6, 11))
            more = bf.import_rows(rows_of(10, 11, amount=amount / 1000), account="Wallet")
            assert skipped(more) == [(10, "imported before")]
            assert more.frame["date"].dt.day.tolist() == [11]


def test_a_row_that_undo_restores_stays_the_same_row() -> None:
    sandbox, bf = with_rows(1)
    bf.import_rows(rows_of(1, 8), account="Wallet").apply().undo().apply().undo().apply()
    assert days_of(sandbox) == [1, 8]
    assert skipped(bf.import_rows(rows_of(8), account="Wallet")) == [(8, "imported before")]
    assert len(bf.import_rows(rows_of(9), account="Wallet")) == 1


def test_an_import_that_is_undone_does_not_keep_the_rows_that_were_entered_by_hand() -> None:
    _, bf = with_rows(9)
    bf.import_rows(rows_of(8, 8), account="Wallet").apply().undo().apply()
    assert skipped(bf.import_rows(rows_of(10), account="Wallet")) == [
        (10, "same amount, 1 day apart")
    ]


def test_a_split_that_is_replaced_stays_the_same_row() -> None:
    sandbox, bf = with_rows(1)
    bf.import_rows(rows_of(1, 8), account="Wallet").apply()
    day = pd.Timestamp("2026-06-08")
    new = rows_with(bf.transactions(), date=day, amount=AMOUNT)
    bf.changes(with_parts(new, [{"amount": -1.33}, {"amount": -2.0}])).apply()
    split = rows_with(bf.transactions(), date=day, amount=AMOUNT)
    bf.changes(split.assign(date=pd.Timestamp("2026-06-07")), splits="replace").apply()
    assert days_of(sandbox) == [1, 7]
    assert skipped(bf.import_rows(rows_of(7, 8), account="Wallet")) == [(8, "imported before")]


def test_a_row_that_the_service_has_merged_with_an_imported_one_does_not_hide_it() -> None:
    sandbox, bf = with_rows(1)
    bf.import_rows(rows_of(1, 8), account="Wallet").apply()
    sandbox.device.add_bank_row(
        account_id=account_id(sandbox), date=date(2026, 6, 9), amount=-3_330, payee_name="x"
    )
    bf.import_linked()
    assert stored(sandbox) == [(1, None, False), (8, import_id(9), True)]
    again = bf.import_rows(rows_of(1, 8, 9), account="Wallet")
    assert again.frame["date"].dt.day.tolist() == [8]
    again.apply()
    assert days_of(sandbox) == [1, 8, 8]


def test_an_import_that_was_interrupted_is_known(tmp_path: Path) -> None:
    sandbox, bf = with_rows(1, cache_dir=tmp_path)
    imported = bf.import_rows(rows_of(1, 8), account="Wallet")
    interrupted(sandbox, "reset-after:POST:*@1", imported.apply)
    bf.close()
    later = connect(sandbox, cache_dir=tmp_path)
    assert len(later.import_rows(rows_of(9), account="Wallet").apply()) == 1
    later.journal().resume(0)
    assert days_of(sandbox) == [1, 8, 9]


# Plans that overlap


@pytest.mark.parametrize("notebooks", [1, 2])
def test_a_row_of_two_plans_is_created_once(tmp_path: Path, notebooks: int) -> None:
    sandbox, bf = connected(tmp_path)
    other = bf if notebooks == 1 else connect(sandbox, cache_dir=tmp_path)
    enter_by_hand(sandbox, 1)
    first = bf.import_rows(rows_of(1, 8, 9), account="Wallet")
    second = other.import_rows(rows_of(9, 10), account="Wallet")
    first.apply()
    second.apply()
    assert days_of(sandbox) == [1, 8, 9, 10]
    assert second.counts == {"left": 0, "done": 1, "unknown": 0, "conflicts": 1}
    (problem,) = second.conflicts["problem"]
    assert problem.startswith("it was imported since the comparison, with the key ")
    assert problem.endswith(": import the file again")
    assert skipped(other.import_rows(rows_of(9, 10), account="Wallet")) == [
        (9, "imported before"), (10, "imported before"),
    ]  # fmt: skip


def test_a_row_whose_request_was_lost_is_compared_with_the_rows_of_another_plan() -> None:
    sandbox, bf = with_rows(1)
    first, second = (bf.import_rows(rows_of(*days), account="Wallet") for days in ((1, 8), (15,)))
    interrupted(sandbox, "reset-before:POST:*@1", second.apply)
    first.apply()
    second.apply()
    assert second.counts == {"left": 0, "done": 0, "unknown": 0, "conflicts": 1}
    assert stored(sandbox) == [(1, None, False), (8, None, False)]
    bf.import_rows(rows_of(15), account="Wallet").apply()
    assert stored(sandbox) == [(1, None, False), (8, None, False), (15, None, False)]


def test_a_row_of_another_plan_is_not_taken_for_the_one_of_a_lost_request() -> None:
    sandbox, bf = with_rows(11)
    first, second = (
        bf.import_rows(rows_of(*days), account="Wallet") for days in ((11, 13, 13), (13, 13))
    )
    assert skipped(second) == [(13, "same amount, 2 days apart")]
    interrupted(sandbox, "reset-before:POST:*@1", first.apply)
    second.apply()  # the first row of the 13th is a conflict, and the second one is created
    assert second.counts == {"left": 0, "done": 1, "unknown": 0, "conflicts": 1}
    first.apply()
    assert first.counts == {"left": 0, "done": 1, "unknown": 0, "conflicts": 1}
    assert days_of(sandbox) == [11, 13, 13]


def test_a_row_that_two_plans_take_for_their_own_is_a_conflict_of_the_second() -> None:
    sandbox, bf = with_rows(9)
    first, second = (bf.import_rows(rows_of(day), account="Wallet") for day in (8, 10))
    assert skipped(second) == [(10, "same amount, 1 day apart")]
    first.apply()
    second.apply()
    assert second.conflicts[["problem", "after"]].to_numpy().tolist() == [
        ["the row that was taken for it is gone, or is another one: import the file again", AMOUNT]
    ]
    second.apply()
    assert second.counts["conflicts"] == 1
    bf.import_rows(rows_of(10), account="Wallet").apply()
    assert days_of(sandbox) == [9, 10]


def test_a_row_keeps_the_row_of_its_own_day() -> None:
    sandbox, bf = with_rows(1, 4, 7, 10)  # the row of the 1st is not in the file
    imported = bf.import_rows(rows_of(4, 7, 10, 13), account="Wallet")
    assert skipped(imported) == [(day, "same amount and day") for day in (4, 7, 10)]
    imported.apply()
    assert [day for day, *_ in stored(sandbox)] == [1, 4, 7, 10, 13]


def test_rows_move_to_the_other_rows_of_the_days_of_the_file() -> None:
    _, bf = with_rows(5, 10)  # the rows of the 3rd and of the 5th
    imported = bf.import_rows(rows_of(3, 5, 12, amount=[AMOUNT, AMOUNT, -1]), account="Wallet")
    assert skipped(imported) == [(3, "same amount, 2 days apart"), (5, "same amount, 5 days apart")]


# The ids of the bank


def with_ids(*days: int, ids: str) -> pd.DataFrame:
    """One row for each day, with an id of one letter."""
    return rows_of(*days, bank_row_id=list(ids))


def test_a_row_that_is_in_the_file_twice_is_created_once() -> None:
    sandbox, bf = connected()
    joined = pd.concat([with_ids(8, 9, 9, ids="abc"), with_ids(9, 9, 10, ids="bcd")])
    imported = bf.import_rows(joined, account="Wallet")
    assert (
        "bank_row_id: 2 of 6 rows (3, 4) repeat the id of an earlier row, so that they are left out"
        " (the first row is row 0)"
    ) in imported.warnings
    assert skipped(imported) == [(9, "bank_row_id twice in the file")] * 2
    imported.apply()
    assert stored(sandbox) == [
        (8, import_id(8), False), (9, import_id(9), False), (9, import_id(9, 2), False),
        (10, import_id(10), False),
    ]  # fmt: skip


def test_rows_of_a_day_with_and_without_an_id_are_two_rows(subtests: pytest.Subtests) -> None:
    file = rows_of(3, 3, bank_row_id=["a", None])
    for typed in ((), (3, 4)):
        sandbox, bf = connected()
        enter_by_hand(sandbox, *typed)
        with subtests.test(typed=typed):
            assert bf.import_rows(file, account="Wallet").apply().counts["conflicts"] == 0
            assert [day for day, *_ in stored(sandbox)] == list(typed or (3, 3))
            assert len(bf.import_rows(file, account="Wallet")) == 0


def test_an_id_that_pandas_read_as_a_float_is_the_same_id() -> None:
    bf = connect(small_sandbox())
    bf.import_rows(rows_of(8, bank_row_id=[123456789012]), account="Wallet").apply()
    # One row has no id, so that the column is float64.
    later = bf.import_rows(rows_of(8, 9, bank_row_id=[123456789012, None]), account="Wallet")
    assert skipped(later) == [(8, "imported before")]


def test_the_id_of_the_bank_counts_in_later_files(tmp_path: Path) -> None:
    sandbox, bf = connected(tmp_path)
    bf.import_rows(with_ids(8, 9, ids="ab"), account="Wallet").apply()
    bf.close()
    bf = connect(sandbox, cache_dir=tmp_path)
    # The bank has moved b by a day; c is another row of the day that b had.
    names = {"number": "bank_row_id"}
    moved = with_ids(10, 9, ids="bc").rename(columns={"bank_row_id": "number"})
    later = bf.import_rows(moved, account="Wallet", columns=names)
    assert skipped(later) == [(10, "imported before")]
    later.apply()
    assert stored(sandbox) == [
        (8, import_id(8), False), (9, import_id(9), False), (9, import_id(9, 2), False),
    ]  # fmt: skip
    assert len(bf.import_rows(with_ids(10, ids="b"), account="Savings")) == 1  # another account


def test_rows_that_a_file_without_ids_has_imported_get_the_ids_of_a_later_file() -> None:
    bf = connect(small_sandbox())
    bf.import_rows(rows_of(8, 8), account="Wallet").apply()
    bf.import_rows(with_ids(8, 8, ids="ab"), account="Wallet").apply()
    assert len(bf.journal()) == 1
    more = bf.import_rows(with_ids(9, 8, ids="bc"), account="Wallet")
    assert skipped(more) == [(9, "imported before")]
    assert more.frame["date"].dt.day.tolist() == [8]


def test_ids_that_may_not_identify_rows_are_a_warning() -> None:
    bf = connect(small_sandbox())
    bf.import_rows(with_ids(3, 4, ids="ab"), account="Wallet").apply()
    far = bf.import_rows(
        rows_of(15, 4, 5, amount=[AMOUNT, -4, -5], bank_row_id=["a", "b", "c"]), account="Wallet"
    )
    assert (len(far), skipped(far)) == (3, [])
    assert far.warnings[len(far.not_undone)] == (
        "bank_row_id: 2 of 3 rows (0, 1) have the id of a row with another amount, day or payee"
        " (the first row is row 0): this bank uses ids twice, and a row is the same one only with"
        " the same amount and day"
    )
    for day, count in ((13, 0), (14, 1)):  # row a was imported for day 3
        found = bf.import_rows(with_ids(day, ids="a"), account="Wallet")
        assert len(found) == count, day
        assert sum("uses ids twice" in text for text in found.warnings) == count, day
    other = bf.import_rows(with_ids(4, ids="x"), account="Wallet")
    assert len(other) == 1
    assert other.warnings[len(other.not_undone)] == (
        "bank_row_id: row 0 has the amount and the day of a row that was imported before with"
        " another id, and that is not in this file (the first row is row 0). If the bank gives a"
        " row another id in each file, leave out the column"
    )


# Banks that use ids twice


def numbered(*rows: tuple[int, float], first: int = 1) -> pd.DataFrame:
    """A file whose rows are numbered from 1: days of June, and amounts."""
    days, amounts = zip(*rows, strict=True)
    ids = [str(number) for number in range(first, first + len(rows))]
    return rows_of(*days, amount=[*amounts], bank_row_id=ids)


def wallet_amounts(bf: BudgetFrame) -> list[tuple[int, float]]:
    rows = bf.transactions(since="2026-06").query(
        "account_name == 'Wallet' and cleared == 'cleared'"
    )
    return sorted((day.day, each) for day, each in zip(rows["date"], rows["amount"], strict=True))


def test_files_that_are_numbered_from_1_give_all_their_rows() -> None:
    sandbox = small_sandbox()
    bf = connect(sandbox)
    before, one = wallet_amounts(bf), [(1, -4.21), (2, -9.99), (2, -3.33)]
    two = [(3, -4.21), (14, -9.99), (15, -3.33), (16, -1.11)]  # the first one is near June 1
    bf.import_rows(numbered(*one), account="Wallet").apply()
    second = bf.import_rows(numbered(*two), account="Wallet")
    assert len(second) == 4
    assert any("this bank uses ids twice" in text for text in second.warnings)
    second.apply()
    for file in (numbered(*one), numbered(*two)):
        assert len(bf.import_rows(file, account="Wallet")) == 0
        assert len(connect(sandbox).import_rows(file, account="Wallet")) == 0
    assert wallet_amounts(bf) == sorted(before + one + two)
    assert len(bf.import_rows(pd.concat([numbered(*one), numbered(*two)]), account="Wallet")) == 0
    overlapping = bf.import_rows(numbered(*two[2:], (17, -2.22)), account="Wallet")
    assert overlapping.frame["date"].dt.day.tolist() == [17]
    second.undo().apply()
    assert len(bf.import_rows(numbered(*one), account="Wallet")) == 0
    again = bf.import_rows(numbered(*two), account="Wallet")
    assert again.skipped["reason"].tolist() == ["imported before and deleted"] * 4


@pytest.mark.parametrize(
    ("day", "payee", "new"), [(4, "Bakery", 0), (3, "Kiosk", 0), (4, "Kiosk", 1)]
)
def test_a_row_with_a_known_id_has_the_same_day_or_payee(day: int, payee: str, new: int) -> None:
    bf = connect(small_sandbox())
    bf.import_rows(with_ids(3, ids="a"), account="Wallet").apply()
    found = bf.import_rows(with_ids(day, ids="a").assign(payee_name=payee), account="Wallet")
    assert (len(found), sum("uses ids twice" in text for text in found.warnings)) == (new, new)


def test_an_id_twice_in_a_file_is_the_same_row_only_with_amount_day_and_payee() -> None:
    bf = connect(small_sandbox())
    file = rows_of(3, 3, 3, 4, 4, amount=[-4.21, -4.21, -9.99, -4.21, -4.21], bank_row_id=["7"] * 5)
    file.loc[4, "payee_name"] = "Kiosk"
    imported = bf.import_rows(file, account="Wallet")
    assert skipped(imported) == [(3, "bank_row_id twice in the file")]
    imported.apply()
    assert len(bf.import_rows(file, account="Wallet")) == 0


def test_a_path_and_bytes_are_read_and_the_preview_says_how(tmp_path: Path) -> None:
    bf, path = connect(small_sandbox()), tmp_path / "rows.csv"
    path.write_bytes(
        b"Datum;Name;Betrag;Status\n14.06.2026;Kiosk;-4,21;gebucht\n15.06.2026;Bad;-5;vorgemerkt\n"
    )
    for file in (path, str(path), path.read_bytes()):
        imported = bf.import_rows(file, account="Wallet")
        assert imported.frame.query("field == 'amount'")["after"].tolist() == [-4.21]
    for shown in (repr(imported), imported._repr_html_()):
        assert "1 row is no booking: not booked: vorgemerkt (1)" in shown
        assert "decimal separator: -4,21 occurs" in shown
    with pytest.raises(ToolError, match=r"is a PDF file.* Nothing was sent$"):
        bf.import_rows(b"%PDF-1.7", account="Wallet")


# Import ids of deleted rows


def test_an_import_that_was_undone_says_how_to_repeat_it(tmp_path: Path) -> None:
    sandbox, bf = connected(tmp_path)
    imported = bf.import_rows(rows_of(15, 16), account="Wallet")
    assert imported.not_undone[-1] == (
        ".undo().apply() deletes 2 imported rows, but the service keeps the import ids: a second"
        " import leaves them out"
    )
    undo = imported.apply().undo()
    assert undo.not_undone[0] == (
        "the service keeps the import ids of 2 deleted rows: import_rows() lists them in"
        " s = imported.skipped, and bf.changes(s[s['reason'] == 'imported before and deleted'])"
        " creates them again"
    )
    undo.apply()
    bf.close()
    later = connect(sandbox, cache_dir=tmp_path)
    again = later.import_rows(rows_of(15, 16), account="Wallet")
    assert skipped(again) == [(day, "imported before and deleted") for day in (15, 16)]
    s = again.skipped
    again_deleted = later.changes(s[s["reason"] == "imported before and deleted"])
    advice = "bf.changes(s[s['reason'] == 'imported before and deleted']) creates the deleted rows"
    assert advice in " ".join(repr(again).split())
    assert again_deleted.warnings == ["2 new rows are not approved"]
    again_deleted.apply()
    assert stored(sandbox) == [(15, None, False), (16, None, False)]
    third = later.import_rows(rows_of(15, 16), account="Wallet")
    assert skipped(third) == [(day, "imported before") for day in (15, 16)]
    assert len(later.import_rows(rows_of(15), account="Savings")) == 1


def test_a_row_that_another_program_deleted_is_a_conflict_and_then_known(tmp_path: Path) -> None:
    sandbox = small_sandbox()
    other = connect(sandbox, cache_dir=tmp_path)
    other.import_rows(rows_of(15), account="Wallet").apply().undo().apply()
    bf = connect(sandbox)  # its journal is empty
    imported = bf.import_rows(rows_of(15, 16), account="Wallet").apply()
    assert imported.counts == {"left": 0, "done": 1, "unknown": 0, "conflicts": 1}
    assert imported.conflicts["problem"].unique().tolist() == [
        (
            "the import id is already in use, by a row or by a deleted one: the service created"
            " nothing; import_rows() of the same file says in .skipped which rows were deleted"
        )
    ]
    again = bf.import_rows(rows_of(15, 16), account="Wallet")
    assert skipped(again) == [(15, "imported before and deleted"), (16, "imported before")]
    knows = connect(sandbox)
    knows.transactions(include_deleted=True)
    assert skipped(knows.import_rows(rows_of(15), account="Wallet")) == [
        (15, "imported before and deleted")
    ]


# What the service merges


def test_rows_near_one_without_an_import_id_are_sent_without_one(subtests: pytest.Subtests) -> None:
    """The service would merge them with that row, and not create them."""
    sandbox, bf = with_rows(1)
    # 1 is the row that was entered; 8 is near 1, 16 near 8.
    imported = bf.import_rows(rows_of(1, 16, 8), account="Wallet")
    assert skipped(imported) == [(1, "same amount and day")]
    text = (
        "2 new rows are sent without import ids: the service would merge them with another row of"
        " the same amount, up to 10 days apart, and not create them"
    )
    assert text in imported.warnings
    imported.apply()
    assert stored(sandbox) == [(1, None, False), (8, None, False), (16, None, False)]
    assert len(bf.import_rows(rows_of(1, 16, 8), account="Wallet")) == 0
    far = bf.import_rows(rows_of(12, amount=-3.34), account="Wallet")
    assert [text for text in far.warnings if "without an import id" in text] == []
    enter_by_hand(sandbox, 2, amount=-3_340)
    for day, count in ((12, 1), (13, 0)):
        with subtests.test(day=day):
            near = bf.import_rows(rows_of(day, amount=-3.34), account="Wallet")
            assert len([text for text in near.warnings if "without an import id" in text]) == count


@pytest.mark.parametrize(("day", "problem"), [
    (15, "a row has appeared (same amount and day) since the comparison, with the key "),
    (16, "a row has appeared (same amount, 1 day apart) since the comparison, with the key "),
    (7, ("a row of the same amount without an import id has appeared since the comparison,"
         " up to 10 days apart: the service would merge the two: import the file again")),
])  # fmt: skip
def test_a_row_that_appears_before_the_comparison_is_a_conflict(day: int, problem: str) -> None:
    sandbox, bf = connected()
    imported = bf.import_rows(rows_of(15), account="Wallet")
    enter_by_hand(sandbox, day)
    imported.apply(overwrite=True)
    assert stored(sandbox) == [(day, None, False)]
    assert imported.counts == {"left": 0, "done": 0, "unknown": 0, "conflicts": 1}
    assert imported.conflicts["problem"].iloc[0].startswith(problem)
    bf.import_rows(rows_of(15), account="Wallet").apply()
    assert stored(sandbox) == [(each, None, False) for each in ([7, 15] if day == 7 else [day])]


class LateSandbox(Sandbox):
    """A service in which a row of a day of June is entered just before the first write."""

    def __init__(self, day: int) -> None:
        super().__init__(years=1, limit=100_000)
        self.day: int | None = day

    def transport(self) -> httpx.AsyncBaseTransport:
        """The transport of the service, with the row."""
        inner, sandbox = super().transport(), self

        class Late(httpx.AsyncBaseTransport):
            async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
                if request.method == "POST" and sandbox.day is not None:
                    enter_by_hand(sandbox, sandbox.day)
                    sandbox.day = None
                return await inner.handle_async_request(request)

        return Late()


def test_a_row_after_the_comparison_is_merged_and_undo_keeps_it(subtests: pytest.Subtests) -> None:
    for lost in (False, True):
        for day in (15, 16):
            with subtests.test(lost=lost, day=day):
                sandbox = LateSandbox(day)
                imported = connect(sandbox).import_rows(rows_of(15), account="Wallet")
                if lost:
                    interrupted(sandbox, "reset-after:POST:*@1", imported.apply)
                imported.apply()
                assert stored(sandbox) == [(day, import_id(15), True)]
                assert imported.counts == {"left": 0, "done": 0, "unknown": 0, "conflicts": 1}
                (problem,) = imported.conflicts["problem"].unique()
                assert problem.startswith("the service has merged it with a row of the same amount")
                imported.undo().apply()
                assert stored(sandbox) == [(day, import_id(15), True)]


def test_the_merged_one_of_two_equal_rows_is_the_conflict() -> None:
    sandbox = LateSandbox(16)
    bf, file = connect(sandbox), rows_of(15, 15).assign(payee_name=["first", "second"])
    imported = bf.import_rows(file, account="Wallet")
    imported.apply()
    assert stored(sandbox) == [(15, import_id(15, 2), False), (16, import_id(15, 1), True)]
    assert imported.conflicts["payee_name"].unique().tolist() == ["first"]


# Interruptions


@pytest.mark.parametrize("kind", ["reset-after", "reset-before"])
def test_after_a_lost_answer_each_row_is_imported_once(kind: str) -> None:
    sandbox, bf = connected()
    before = content(sandbox)
    bf.import_rows(rows_of(15), account="Savings").apply()  # the same ids elsewhere
    days = [day for day in range(1, 17) for _ in range(4)]
    imported = bf.import_rows(rows_of(*days), account="Wallet")
    interrupted(sandbox, f"{kind}:POST:*@2", imported.apply)
    imported.apply()
    assert imported.counts == {"left": 0, "done": 64, "unknown": 0, "conflicts": 0}
    ids = [import_id(day, number) for day in range(1, 17) for number in (1, 2, 3, 4)]
    assert sorted(row[1] or "" for row in stored(sandbox)) == sorted([*ids, import_id(15)])
    assert len(bf.import_rows(rows_of(*days), account="Wallet")) == 0
    imported.undo().apply()
    bf.journal().undo(0).apply()
    assert content(sandbox) == before


@pytest.mark.parametrize("other", [{}, {"import_id": "another-scheme"}])
def test_an_equal_row_that_appears_after_a_lost_answer_is_a_conflict(other: dict[str, Any]) -> None:
    sandbox, bf = connected()
    imported = bf.import_rows(rows_of(15).assign(payee_name=None), account="Wallet")
    interrupted(sandbox, "reset-before:POST:*@1", imported.apply)
    enter_by_hand(sandbox, 15, cleared="cleared", **other)
    imported.apply()
    assert imported.counts == {"left": 0, "done": 0, "unknown": 0, "conflicts": 1}
    assert len(stored(sandbox)) == 1
    imported.undo().apply()
    assert len(stored(sandbox)) == 1


@pytest.mark.parametrize("lost", [False, True])
def test_undo_deletes_a_row_whose_payee_the_service_has_renamed(lost: Any) -> None:
    sandbox = small_sandbox()
    sandbox.device.state().payee_rules["BAKERY 0815"] = "Bakery"
    bf, before = connect(sandbox), content(sandbox)
    imported = bf.import_rows(rows_of(15).assign(payee_name="BAKERY 0815"), account="Wallet")
    if lost:
        interrupted(sandbox, "reset-after:POST:*@1", imported.apply)
    imported.apply()
    new = bf.transactions().query("amount == -3.33")
    assert new[["payee_name", "import_payee_name"]].to_numpy().tolist() == [
        ["Bakery", "BAKERY 0815"]
    ]
    imported.undo().apply()
    assert content(sandbox) == before


# Refusals and warnings


def test_a_frame_that_cannot_be_imported_sends_no_request(subtests: pytest.Subtests) -> None:
    sandbox, bf = connected()
    good = rows_of(15, 16)
    foreign = good.rename(columns={"date": "Buchungstag"})
    advice = "read_bank_file(path), or the path instead of the frame, reads the texts"
    days = f"but a day is a date or '2026-05-17': {advice}"
    numbers = f"but an amount is a number: {advice}"
    twice = pd.concat([good, good[["amount"]]], axis=1)
    of_two_accounts = good.assign(account=["1", "2"])
    of_two_currencies = good.assign(currency=["EUR", "USD"])
    long_id = rows_of(15, 16, bank_row_id=[2026061512345678, None])
    cases: list[tuple[Any, dict[str, str] | None, str]] = [
        ([], None, "file must be a path, bytes, or a file that was opened with mode 'rb'"),
        (pd.DataFrame(), None, "the frame has no columns"),
        (foreign, None, "the frame has no column date: its columns are 'Buchungstag', 'amount',"),
        (foreign, {"Buchungstag": "datum"}, "'datum' is none of date, amount, payee_name, memo"),
        (foreign, {"Buchungstag": "datum"}, "the closest name is 'date'"),
        (foreign, {"date": "Buchungstag"}, "the name in the frame comes first: columns={'Buchungs"),
        (foreign, {"Buchungs-Tag": "date"}, "'Buchungs-Tag'; the closest names are 'Buchungstag'"),
        (foreign, {"Buchungstag": "memo", "amount": "memo"}, "and 'amount' both mean 'memo'"),
        (twice, None, "the frame has two columns named 'amount'"),
        (of_two_accounts, None, "the rows are of 2 accounts of the bank ('1', '2'): select those"),
        (rows_of(15, None, pd.NaT), None, "date: 2 of 3 rows (1, 2) have none (the first row is "),
        (rows_of("2026-06-15", "03/04/2026"), None, f"date: row 1 has '03/04/2026', {days}"),
        (rows_of("2026-06-31", "15.06.26", "2026-6-5", ""), None, "date: 4 of 4 rows (0, 1, 2, "),
        (rows_of("2026-06-31", "15.06.26"), None, f"values (the first: '2026-06-31'), {days}"),
        (good.assign(date=15062026), None, f"have other values (the first: 15062026), {days}"),
        (rows_of(15, 16, amount=[float("nan"), -1.0]), None, "amount: row 0 has none (the first"),
        (rows_of(15, 16, amount=[-1.0, "-1,00"]), None, f"amount: row 1 has '-1,00', {numbers}"),
        (rows_of(15, amount=True), None, "amount: row 0 has True, but an amount is a number"),
        (rows_of(15, amount=-1.2345), None, "row 0: amount=-1.2345 is not an amount with at most"),
        (rows_of(15, amount=float("inf")), None, "row 0: amount=inf is not an amount with"),
        (rows_of(15, amount=Decimal("2251799813685.249")), None, "an amount of 2,251,799,813,685"),
        (of_two_currencies, None, "the rows are of 2 currencies ('EUR', 'USD'): select those of"),
        (long_id, None, "bank_row_id=2026061512345678.0 is a float, which cannot hold all digits"),
    ]
    for frame, columns, message in cases:
        with subtests.test(message=message):
            sent = sandbox.requests_served
            with pytest.raises(ToolError) as raised:
                bf.import_rows(frame, account="Wallet", columns=columns)
            assert message in str(raised.value)
            assert sandbox.requests_served == sent


def test_texts_that_are_too_long_are_shortened_with_a_warning() -> None:
    bf, texts = connect(small_sandbox()), ["x" * 200, "y" * 201, "z" * 199 + " end"]
    imported = bf.import_rows(
        rows_of(8, 9, 10, memo=["m", "n" * 501, None]).assign(payee_name=texts), account="Wallet"
    )
    end = "which is all that the service accepts: the rest of the text is left out (the first row"
    known = len(imported.not_undone)
    assert imported.warnings[known : known + 2] == [
        f"payee_name: 2 of 3 rows (1, 2) have more than 200 characters, {end} is row 0)",
        f"memo: row 1 has more than 500 characters, {end} is row 0)",
    ]
    imported.apply()
    new = bf.transactions().query("amount == -3.33").sort_values("date")
    assert new["payee_name"].tolist() == ["x" * 200, "y" * 200, "z" * 199]
    assert new["memo"].astype(object).where(new["memo"].notna(), None).tolist() == [
        "m", "n" * 500, None,
    ]  # fmt: skip


def test_closed_accounts_and_other_currencies_are_warnings() -> None:
    sandbox, bf = connected()
    sandbox.device.close_account(account_id(sandbox, "Index Fund"))
    file = rows_of(15)
    file.attrs["currency"] = "USD"
    imported = bf.import_rows(file, account="Index Fund")
    assert "1 row is in closed accounts" in imported.warnings
    assert [text for text in imported.warnings if text.startswith("the file has")] == [
        "the file has amounts in USD, but the budget is in EUR"
    ]


# Display


def test_the_display_shows_what_is_left_out() -> None:
    bf = connect(small_sandbox(limit=200))
    bf.import_rows(rows_of(15, 16), account="Wallet").apply()
    again = bf.import_rows(rows_of(14, 15, 16), account="Wallet")
    lines = [" ".join(line.split()) for line in repr(again).splitlines()]
    assert lines[:9] == [
        "Changes: 1 row will be created", "cannot be undone in full:",
        ("- .undo().apply() deletes 1 imported row, but the service keeps the import id: a"
         " second import leaves it out"),
        "action date account_name payee_name field before after",
        "create 2026-06-14 Wallet Bakery amount -3,33 €", "left out:",
        "date payee_name amount reason", "2026-06-15 Bakery -3,33 € imported before",
        "2026-06-16 Bakery -3,33 € imported before",
    ]  # fmt: skip
    assert "left out: 2 rows are in .skipped" in lines
    assert [line[:39] for line in lines if line.startswith("cost")] == [
        "cost: 1 write request, and 1 read first"
    ]
    html = again._repr_html_()
    assert "<p>left out</p>" in html
    assert "imported before" in html
    assert len(bf.changes(bf.transactions()).skipped) == 0
    assert list(bf.changes(bf.transactions()).skipped) == list(again.skipped)


def test_an_empty_file_changes_nothing() -> None:
    imported = connect(small_sandbox()).import_rows(rows_of(), account="Wallet")
    assert (len(imported), len(imported.skipped)) == (0, 0)

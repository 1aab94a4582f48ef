"""The report duplicates: which pairs of rows are probably one payment, and what is deleted."""

from itertools import combinations
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.frames import TABLES
from budgetframe.reports import duplicates
from budgetframe.sandbox import Sandbox
from tests.benchmarks.duplicates import UNDECIDABLE, Planter, counts
from tests.changes.budget import interrupted, let_it_grow_old
from tests.frames.columns import Json
from tests.reports.plans import told
from tests.reports.rows import lines, row
from tests.sandbox.ask import get

KEYS = ("transaction_id", "kept_transaction_id")
BANK: dict[str, Any] = {"import_id": "YNAB:-12000:2026-05-04:1"}


def frame(*rows: Json) -> pd.DataFrame:
    """The transactions t0, t1, ... of some rows."""
    keyed = [{**each, "id": f"t{n}", "subtransactions": []} for n, each in enumerate(rows)]
    return told(TABLES["transactions"].frame({"transactions": keyed}))


def paid(day: int, payee: str | None = "Grocer", amount: float = -12.0, **more: Any) -> Json:
    """A payment in May; by default it was entered and is not cleared."""
    of_payee = {"payee_id": payee and payee.lower(), "payee_name": payee}
    return row(f"2026-05-{day:02}", amount, **{"cleared": "uncleared", **of_payee, **more})


def moved(day: int, number: int, amount: float = -12.0, **more: Any) -> tuple[Json, Json]:
    """Both sides of a transfer, whose keys are t``number`` and the next one."""
    out = paid(day, None, amount, transfer_account_id="savings", **more)
    into = paid(day, None, -amount, at="savings", transfer_account_id="checking")
    out["transfer_transaction_id"] = f"t{number + 1}"
    into["transfer_transaction_id"] = f"t{number}"
    return out, into


def pairs(*rows: Json, **options: Any) -> list[tuple[Any, ...]]:
    """The key of the row to delete, that of the other row, and the reason of each pair."""
    return lines(duplicates(frame(*rows), **options), *KEYS, "reason")


# What is a pair


def test_an_entered_row_beside_an_imported_one_is_deleted(subtests: pytest.Subtests) -> None:
    cases = {
        "the entered one is earlier": ([paid(4), paid(7, **BANK)], ("t0", "t1")),
        "the entered one is later": ([paid(4, **BANK), paid(7)], ("t1", "t0")),
        "the entered one is reconciled": ([paid(4, cleared="reconciled"), paid(4, **BANK)],
            ("t1", "t0")),
        "another spelling": ([paid(4, "GROCER 0042 DE", **BANK), paid(5, cleared="cleared")],
            ("t1", "t0")),
        "the payee in the import": (
            [paid(4, "Food", **BANK, import_payee_name="GROCER"), paid(5, cleared="cleared")],
            ("t1", "t0")),
        "no payee": ([paid(4, None, cleared="cleared"), paid(4, **BANK)], ("t0", "t1")),
        "an import that the service has matched": ([paid(4, matched_transaction_id="t9"), paid(4)],
            ("t1", "t0")),
    }  # fmt: skip
    for name, (rows, keys) in cases.items():
        with subtests.test(name=name):
            assert pairs(*rows) == [(*keys, "imported and entered")]


def test_a_reconciled_payment_beside_a_transfer_is_no_pair() -> None:
    """Neither row may be deleted: the payment is reconciled, and the transfer has another side."""
    transfer = moved(4, 0)
    assert pairs(*transfer, paid(4, **BANK, cleared="reconciled")) == []
    assert pairs(*transfer, paid(4, **BANK, cleared="cleared"))[0][:2] == ("t2", "t0")


def test_the_other_sides_of_the_parts_of_a_split_are_no_pair() -> None:
    """The deletion of one of them would delete the whole split, and the other one with it."""
    parts = [{"id": f"p{n}", "amount": -5.0, "transfer_account_id": "savings"} for n in (1, 2)]
    split = paid(4, None, -10.0) | {"subtransactions": parts}
    into = paid(4, None, 5.0, at="savings", transfer_account_id="checking")
    into["transfer_transaction_id"] = "t0"
    rows = [{**each, "id": f"t{n}"} for n, each in enumerate((split, into, into))]
    keyed = [{"subtransactions": [], **each} for each in rows]
    transactions = told(TABLES["transactions"].frame({"transactions": keyed}))
    assert transactions["is_split"].tolist() == [True, False, False]
    assert duplicates(transactions).empty


def test_rows_from_two_sources_are_a_pair_and_the_later_one_is_deleted() -> None:
    other: dict[str, Any] = {"import_id": "bankfeed-7"}
    assert pairs(paid(4, **other), paid(5, **BANK)) == [("t1", "t0", "imported from two sources")]
    assert pairs(paid(4, "Optician", **other), paid(5, **BANK)) == []
    banks = [{"import_id": each} for each in ("bank-1:7", "bank-2:7", "bank-1:8")]
    assert pairs(*(paid(4) | bank for bank in banks[:2])) == [
        ("t1", "t0", "imported from two sources")
    ]
    assert pairs(paid(4) | banks[0], paid(4) | banks[2]) == []
    hashes = [{"import_id": each} for each in ("abcd1234", "fedc1234")]
    assert pairs(*(paid(4) | each for each in hashes)) == []
    uuid: dict[str, Any] = {"import_id": "deadbeef-0000-4000-8000-000000000001"}
    other_uuid: dict[str, Any] = {"import_id": "feedcafe-0000-4000-8000-000000000001"}
    assert pairs(paid(4, **uuid), paid(4, **other_uuid)) == []


def test_a_transfer_recorded_twice_is_one_pair_of_the_side_that_was_imported() -> None:
    again = moved(5, 2, **BANK)
    assert pairs(*moved(4, 0), *again) == [("t0", "t2", "transfer recorded twice")]
    assert pairs(*moved(4, 0), *moved(4, 2)) == [("t2", "t0", "transfer recorded twice")]
    # The imported side counts in the other account too.
    imported_there = moved(5, 2)
    imported_there[1]["import_id"] = "YNAB:12000:2026-05-05:1"
    assert pairs(*moved(4, 0), *imported_there) == [("t1", "t3", "transfer recorded twice")]


def test_of_a_transfer_and_a_payment_the_payment_is_deleted() -> None:
    expected = [("t2", "t0", "transfer and payment")]
    assert pairs(*moved(4, 0), paid(5, "Card payment", **BANK)) == expected
    assert pairs(*moved(4, 0, **BANK), paid(3, "Card payment")) == expected
    assert pairs(*moved(4, 0, cleared="cleared"), paid(5, "Card payment", **BANK)) == []
    assert pairs(*moved(4, 0), paid(5, "Card payment")) == []


def test_rows_entered_twice_are_a_pair_on_one_day(subtests: pytest.Subtests) -> None:
    cases: dict[str, tuple[Json, bool]] = {
        "nothing else": (paid(4), True), "one category": (paid(4, category_id="food"), True),
        "one memo": (paid(4, memo="for all"), True),
        "another spelling": (paid(4, "GROCER DE"), True),
        "another payee": (paid(4, "Optician"), False), "no payee": (paid(4, None), False),
    }  # fmt: skip
    for name, (other, is_pair) in cases.items():
        with subtests.test(name=name):
            assert pairs(paid(4), other) == [("t1", "t0", "entered twice")] * is_pair
    for field, values in {"category_id": ("food", "fun"), "memo": ("Anna", "Ben")}.items():
        with subtests.test(field=field):
            first, second = ({**paid(4), field: value} for value in values)
            assert pairs(first, second) == []


def test_the_reconciled_one_of_two_entered_rows_is_kept() -> None:
    assert pairs(paid(4), paid(5, cleared="reconciled")) == [("t0", "t1", "entered twice")]
    assert pairs(paid(4), paid(5)) == [("t1", "t0", "entered twice")]


def test_rows_entered_on_two_days_need_an_unusual_amount_or_a_series() -> None:
    assert pairs(paid(4), paid(6)) == [("t1", "t0", "entered twice")]
    assert pairs(paid(4), paid(6), paid(20)) == []
    rents = [row(f"2026-0{month}-01", -900.0, payee_id="rent") for month in (1, 2, 3, 4, 5)]
    again = row("2026-05-03", -900.0, payee_id="rent")
    assert pairs(*rents, again) == [("t5", "t4", "entered twice")]


def test_each_row_is_in_one_pair_and_the_strongest_reason_comes_first() -> None:
    assert pairs(
        paid(4), paid(4, **BANK), paid(5), paid(5, import_id="YNAB:-12000:2026-05-05:1")
    ) == [("t0", "t1", "imported and entered"), ("t2", "t3", "imported and entered")]
    # The entered row with the payee of the import is taken, although it is further away.
    assert pairs(paid(4, "Optician"), paid(4, **BANK), paid(7)) == [
        ("t2", "t1", "imported and entered")
    ]


# What is no pair


def test_two_payments_are_no_pair(subtests: pytest.Subtests) -> None:
    bank = paid(4, **BANK)
    cases: dict[str, list[Json]] = {
        "another account": [paid(4, at="visa"), bank],
        "both reconciled": [paid(4, cleared="reconciled"), {**bank, "cleared": "reconciled"}],
        "matched by the service": [paid(4), {**bank, "matched_transaction_id": "t0"}],
        "matched the other way": [paid(4, matched_transaction_id="t1"), bank],
        "a transfer to another account": [*moved(4, 0),
            paid(4, None, transfer_account_id="fund", **BANK)],
        "zero": [paid(4, amount=0.0), paid(4, amount=0.0, **BANK)],
        "starting balances": [paid(4, "Starting Balance"), paid(4, "Starting Balance", **BANK)],
    }  # fmt: skip
    for name, rows in cases.items():
        with subtests.test(name=name):
            assert pairs(*rows) == []


def test_payments_of_a_series_are_no_pair() -> None:
    weekly = [paid(day, cleared="uncleared") for day in (1, 8, 15, 22)]
    assert pairs(*weekly[:3], {**weekly[3], **BANK}, days=7) == []
    # The other side of a transfer of the series, in an account with other transfers.
    to_fund = [
        paid(day, None, amount, at="fund", transfer_account_id="checking")
        for day, amount in ((1, 12.0), (2, 50.0), (4, 70.0), (8, 12.0), (11, 90.0), (15, 12.0))
    ]
    to_savings = [{**each, "account_id": "savings"} for each in to_fund if each["amount"] != 12.0]
    regular = [each for each in to_fund if each["amount"] == 12.0]
    later = paid(22, None, 12.0, at="fund", transfer_account_id="checking", **BANK)
    assert pairs(*regular, *to_savings, later, days=7) == []
    # Without a series, an imported row so near is the same payment.
    assert pairs(weekly[0], {**weekly[1], **BANK}, days=7) == [("t0", "t1", "imported and entered")]


def test_what_is_often_paid_twice_is_no_pair() -> None:
    tickets = [paid(day) for day in (4, 4, 11, 11)]
    assert pairs(*tickets) == []
    assert pairs(*tickets[:3]) == [("t1", "t0", "entered twice")]
    assert len(pairs(*[paid(day) for day in (4, 4, 11, 11, 15, 19, 23, 27)])) == 2


def test_an_entered_row_whose_import_is_still_to_come_is_no_pair() -> None:
    imports = [paid(day, import_id=f"YNAB:-12000:2026-05-0{day}:1") for day in (4, 5, 6)]
    assert pairs(*imports, paid(7)) == []
    assert pairs(*imports, paid(6)) == [("t3", "t2", "imported and entered")]


# The frame


def test_the_columns_describe_both_rows() -> None:
    found = duplicates(frame(paid(4, memo="bread"), paid(6, "GROCER 0042", **BANK)))
    assert lines(found, *found.columns) == [
        ("2026-05-04", "Checking", "Grocer", "bread", -12.0, "imported and entered", "2026-05-06",
         "GROCER 0042", 2, "t0", "t1", "checking"),
    ]  # fmt: skip


def test_the_number_of_days_is_an_option() -> None:
    rows = paid(4), paid(9, **BANK)
    assert [len(pairs(*rows, days=days)) for days in (0, 4, 5)] == [0, 0, 1]
    assert [len(pairs(paid(4), paid(4, **BANK), days=days)) for days in (0, 1)] == [1, 1]
    with pytest.raises(ToolError, match="days=-1: it is a number of days, from 0 to 36,525"):
        duplicates(frame(), days=-1)


def test_filters_choose_pairs_of_which_one_row_passes(subtests: pytest.Subtests) -> None:
    rows = frame(
        paid(4, flag_color="red"), paid(4, "GROCER DE", **BANK), paid(9, at="visa"),
        paid(9, at="visa"),
    )  # fmt: skip
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["t0", "t3"]), ({"accounts": "Visa"}, ["t3"]), ({"exclude_accounts": "Visa"}, ["t0"]),
        ({"payees": "GROCER DE"}, ["t0"]), ({"flags": "red"}, ["t0"]),
    ]  # fmt: skip
    for options, expected in cases:
        with subtests.test(options=options):
            found = duplicates(rows, **options)
            assert lines(found, "transaction_id") == [(each,) for each in expected]
    assert duplicates(rows, accounts="Visa").attrs["rules"][-2:] == [
        "Only the account Visa counts.",
        "The filters choose the pairs: at least one of the two rows passes them.",
    ]


def test_neither_order_nor_deleted_rows_matter() -> None:
    rows = frame(paid(4), paid(5, **BANK), *(paid(8, amount=-3.0) for _ in range(2)))
    expected = lines(duplicates(rows), *KEYS)
    assert expected == [("t0", "t1"), ("t3", "t2")]
    assert lines(duplicates(rows.iloc[::-1]), *KEYS) == expected
    is_deleted = rows.assign(deleted=[True, False, False, False])
    assert lines(duplicates(is_deleted), *KEYS) == [("t3", "t2")]


def test_a_large_group_of_equal_amounts_takes_no_quadratic_time() -> None:
    assert len(duplicates(frame(*(paid(4) for _ in range(300))))) == 0  # a habit
    half = (paid(4, import_id="YNAB:1" if number % 2 else None) for number in range(300))
    assert len(duplicates(frame(*half))) == 150


# What follows


def test_rows_of_a_pair_are_both_transactions() -> None:
    found = duplicates(
        frame(paid(1), paid(4), paid(5, **BANK), *(paid(20, amount=-3.0) for _ in range(2)))
    )
    assert found.rows(0)["transaction_id"].tolist() == ["t1", "t2"]
    assert found.rows()["transaction_id"].tolist() == ["t1", "t2", "t3", "t4"]


def test_the_plot_has_a_bar_for_each_reason() -> None:
    ax = duplicates(
        frame(paid(4), paid(5, **BANK), paid(20, amount=-3.0), paid(20, amount=-3.0))
    ).plot()
    assert ax.get_title(loc="left") == "Probably the same payment twice: 2 pairs, 15,00 €"
    bars = [text.get_text() for text in ax.get_yticklabels()][::-1]
    assert bars == ["imported and entered (1)", "entered twice (1)"]
    assert [patch.get_width() for patch in ax.patches][::-1] == [12.0, 3.0]


# Whole budgets


def planted() -> tuple[Sandbox, Planter, str, str]:
    """A budget with one duplicate: an imported row, which is kept, and an entered one."""
    service = Sandbox(years=1, budgets=1, limit=10_000)
    to = Planter(service, "Household", 1)
    to.amount = -12_340
    return service, to, to.imported(), to.row()


def test_the_changes_delete_the_chosen_rows_and_the_other_sides_of_transfers() -> None:
    service, to, kept, typed = planted()
    transfer, again = (to.row(amount=-77_010, **to.to_other, **each) for each in ({}, BANK))
    with BudgetFrame.sandbox(service, progress=False) as bf:
        found = bf.reports.duplicates()
        assert {*zip(*(found[name] for name in KEYS), strict=True)} == {
            (typed, kept), (transfer, again),
        }  # fmt: skip
        number = found["transaction_id"].tolist().index(typed)
        assert found.changes([number]).frame["transaction_id"].tolist() == [typed]
        with pytest.raises(ToolError, match=r"choose those whose row is deleted"):
            found.changes()
        every = found.changes([0, 1])
        assert {*every.frame["transaction_id"]} == {typed, transfer, to.side(transfer)}
        assert "the other side of 1 transfer will be deleted too" in every.warnings
        every.apply()
        assert len(bf.reports.duplicates()) == 0
        assert {kept, again, to.side(again)} <= {*bf.transactions()["transaction_id"]}
        with pytest.raises(ToolError, match=r"changes\(2\): the report duplicates has"):
            found.changes(2)


@pytest.mark.parametrize("is_before_preview", [True, False])
@pytest.mark.parametrize(("edited", "fields", "problem"), [
    ("kept", None, "the other row of the pair was deleted: {kept}"),
    ("kept", {"amount": -5_000}, "the other row of the pair has another amount now"),
    ("kept", {"memo": "later"}, ""), ("typed", {"memo": "later"}, "changed since the {read}: memo"),
])  # fmt: skip
def test_a_row_is_not_deleted_if_another_device_has_edited_the_pair(
    edited: str, fields: dict[str, Any] | None, problem: str, *, is_before_preview: bool
) -> None:
    service, _, kept, typed = planted()
    keys = {"kept": kept, "typed": typed}

    def edit() -> None:
        if fields is None:
            service.device.delete_transaction(keys[edited])
        else:
            service.device.edit_transaction(keys[edited], **fields)

    with BudgetFrame.sandbox(service, progress=False) as bf:
        found = bf.reports.duplicates()
        if is_before_preview:
            edit()
        changes = found.changes(0)
        if not is_before_preview:
            edit()
            let_it_grow_old(changes)
        problems = changes.apply().conflicts["problem"].unique().tolist()
        read = "frame was read" if is_before_preview else "comparison"
        assert problems == ([problem.format(read=read, **keys)] if problem else [])
        assert (typed in {*bf.transactions()["transaction_id"]}) is bool(problem)
        changes.apply(overwrite=True)  # it never deletes the last row of a payment
        is_lost = edited == "kept" and bool(problem)
        assert (typed in {*bf.transactions()["transaction_id"]}) is is_lost


def test_the_other_row_of_a_pair_is_known_when_the_state_of_the_report_is_not() -> None:
    """A connection keeps the states of the last eight reads."""
    service, to, kept, typed = planted()
    other = to.row(amount=-1_000)
    with BudgetFrame.sandbox(service, progress=False, ttl=0) as bf:
        found = bf.reports.duplicates()
        service.device.edit_transaction(kept, amount=-5_000)
        for number in range(9):
            service.device.edit_transaction(other, memo=f"{number}")
            bf.transactions()
        changes = found.changes(0)
        assert changes.conflicts["problem"].unique().tolist() == [
            "the other row of the pair has another amount now"
        ]
        assert changes.conflicts["transaction_id"].unique().tolist() == [typed]
        texts = found.astype({"kept_date": str})  # as from a CSV file
        assert len(bf.changes(delete=pd.DataFrame(texts)).conflicts) > 0


def test_an_interrupted_deletion_goes_on_only_with_the_duplicates_that_are_as_they_were() -> None:
    service, to, kept, typed = planted()
    to.draw()
    to.imported(), (other := to.row())
    with BudgetFrame.sandbox(service, progress=False) as bf:
        interrupted(service, "reset-before", bf.reports.duplicates().changes([0, 1]).apply)
        service.device.edit_transaction(kept, amount=-5_000)
        assert bf.journal().resume().conflicts["transaction_id"].unique().tolist() == [typed]
        assert {typed, other} & {*bf.transactions()["transaction_id"]} == {typed}


def test_the_books_of_the_service_have_the_same_pairs() -> None:
    """All pairs of a budget without history: a plain comparison of each row with each other."""
    service = Sandbox(years=1, budgets=1, limit=10_000)
    to = Planter(service, "Household", 3)
    for number in range(8):
        to.draw()
        to.row(), to.row()
        to.draw()
        to.amount, to.payee = -4_000 - number, f"Shop {number}"
        to.row(), to.imported()
    path = f"/budgets/{service.device.state().id}/transactions"
    rows = get(service, path, since_date="1900-01-01")["transactions"]
    expected = {
        frozenset((one["id"], other["id"]))
        for one, other in combinations(rows, 2)
        if all(one[name] == other[name] for name in ("account_id", "date", "amount", "payee_id"))
        and {one["cleared"], other["cleared"]} != {"reconciled"}
    }
    with BudgetFrame.sandbox(service, progress=False) as bf:
        found = bf.reports.duplicates(days=0)
    assert {*map(frozenset, zip(*(found[name] for name in KEYS), strict=True))} == expected
    assert len(expected) == 16


def test_planted_duplicates_are_found_and_near_misses_are_not() -> None:
    found = counts(range(1, 2), 1)
    assert found.precision(UNDECIDABLE) == found.recall(UNDECIDABLE) == 1.0
    assert found.planted.total() == 56

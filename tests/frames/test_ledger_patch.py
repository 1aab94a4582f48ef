"""A ledger that is updated from an older ledger equals a newly built ledger."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from pandas.testing import assert_frame_equal

from budgetframe.frames import TABLES, ledger
from budgetframe.frames.builder import Built
from budgetframe.frames.ledger_patch import patched_ledger
from tests.frames.columns import Json
from tests.frames.household import account, category, part, transaction

DAYS = ("2026-01-01", "2026-01-02", "2026-02-28", "2026-03-01")
ACCOUNTS = ("checking", "savings", "fund", "loan", "wallet")
PAYEES = ("market", "baker", "start", "to savings", "rare")
CATEGORIES = ("ready", "none", "food", "fun", "rare")
TABLES_OF = {
    "transactions": "transactions", "subtransactions": "transactions", "accounts": "accounts",
    "categories": "category_groups", "payees": "payees",
}  # fmt: skip
Lists = dict[str, list[Json]]
RARE = 6
"""The number of the only transaction with the last account, payee and category.

Four rows later comes the only transfer to this account.
"""


def row(number: int) -> Json:
    """A transaction; the order of the keys differs from the order of creation."""
    more: Json = {"payee_id": PAYEES[number % 3], "category_id": CATEGORIES[number % 4]}
    if number % 13 == 0:
        more = {"payee_id": "to savings", "transfer_account_id": "savings"}
    if number == RARE + 4:
        more = {"payee_id": "to savings", "transfer_account_id": "wallet"}
    if number == RARE:
        more = {"payee_id": "rare", "category_id": "rare"}
    account_id = "wallet" if number == RARE else ACCOUNTS[number % 4]
    key = f"t{number * 7919 % 1000:03}"
    made = transaction(key, DAYS[number % 3], account_id, -float(number), **more)
    return split(made, 2) if number % 40 == 0 else made


def split(made: Json, count: int, remainder: float = 0.0) -> Json:
    """The transaction with parts, the last of which lacks the remainder."""
    amounts = [1.0] * (count - 1) + [made["amount"] - count + 1 - remainder] if count else []
    parts = [
        part(f"{made['id']}-{n}", amount, category_id=CATEGORIES[n % 4], transaction_id=made["id"])
        for n, amount in enumerate(amounts)
    ]
    return made | {"category_id": None, "subtransactions": parts}


def before() -> Lists:
    """The lists before a change."""
    names = [("Internal Master Category", "Inflow: Ready to Assign")] * 2 + [("Daily", "Food")] * 3
    return {
        "transactions": [row(number) for number in range(700)],
        "accounts": [
            account(key, key.title(), kind, 0.0, on_budget=kind != "otherAsset")
            for key, kind in zip(
                ACCOUNTS, ("checking", "savings", "otherAsset", "autoLoan", "cash"), strict=True
            )
        ],
        "category_groups": [
            {"id": key, "name": group, "hidden": False, "categories": [category(key, key, name, 0)]}
            for key, (group, name) in zip(CATEGORIES, names, strict=True)
        ],
        "payees": [{"id": key, "name": key.title()} for key in PAYEES],
    }


BEFORE = before()


def built(lists: Lists, older: Mapping[str, Built] | None = None) -> dict[str, Built]:
    """The five frames that a ledger is built from; a list that is the same has the same frame."""
    frames = {}
    for table, name in TABLES_OF.items():
        known = (older or {}).get(table)
        is_same = known is not None and known.items is lists[name]
        frames[table] = known if known and is_same else TABLES[table].build(lists, known)
    loans = [{"account_id": "loan", "account_name": "Loan", "balance": 5}]
    frames["accounts"].frame.attrs["loans"] = loans
    return frames


def whole(frames: Mapping[str, Built]) -> pd.DataFrame:
    return ledger(*(each.frame for each in frames.values()))


@cache
def at_first() -> tuple[dict[str, Built], pd.DataFrame]:
    """The frames and the ledger before a change, built once; no test changes them."""
    frames = built(BEFORE)
    return frames, whole(frames)


def patched(old: Lists, new: Lists) -> pd.DataFrame | None:
    """The updated ledger, which is checked against a new one; None if it was not updated."""
    if old is BEFORE:
        frames, older = at_first()
    else:
        frames = built(old)
        older = whole(frames)
    kept = older.copy(deep=True)
    after = built(new, frames)
    found = patched_ledger(older, list(frames.values()), list(after.values()))
    assert_frame_equal(older, kept)
    if found is not None:
        expected = whole(built(new))
        assert_frame_equal(found, expected)
        assert found.attrs == expected.attrs
        assert type(found) is type(expected)
        assert found.index.equals(pd.RangeIndex(len(found)))
    return found


def with_name(of: str, number: int, **changed: Any) -> Lists:
    rows = list(BEFORE[of])
    rows[number] = rows[number] | changed
    return BEFORE | {of: rows}


def with_row(number: int, **changed: Any) -> Lists:
    return with_name("transactions", number, **changed)


def updated(new: Lists) -> pd.DataFrame:
    found = patched(BEFORE, new)
    assert found is not None
    return found


# Each kind of change


def test_a_changed_row_is_replaced_and_other_columns_share_their_memory() -> None:
    older, ledger_before = at_first()
    frames = built(with_row(7, memo="changed"), older)
    found = patched_ledger(ledger_before, list(older.values()), list(frames.values()))
    assert found is not None
    assert found.loc[found["memo"] == "changed", "transaction_id"].tolist() == ["t433"]
    assert found["amount"].to_numpy().base is ledger_before["amount"].to_numpy().base


def test_rows_move_to_another_day_and_disappear() -> None:
    moved = updated(with_row(7, date="2026-03-01"))
    assert moved["transaction_id"].iloc[-1] == "t433"
    gone = updated(BEFORE | {"transactions": BEFORE["transactions"][:-1]})
    assert len(gone) == len(moved) - 1


def test_a_row_becomes_a_split_and_a_split_becomes_a_row() -> None:
    parts = split(BEFORE["transactions"][7], 3)["subtransactions"]
    found = updated(with_row(7, category_id=None, subtransactions=parts))
    assert found.loc[found["transaction_id"] == "t433", "amount"].tolist() == [1.0, 1.0, -9.0]
    found = updated(with_row(40, category_id="food", subtransactions=[]))
    assert found.loc[found["transaction_id"] == "t760", "amount"].tolist() == [-40.0]


def test_a_row_has_the_new_names_of_its_payee_account_and_category() -> None:
    for of, column in (("payees", "payee_name"), ("accounts", "account_name")):
        found = updated(with_name(of, 4, name="Renamed"))
        assert found.loc[found[column] == "Renamed", "amount"].tolist() == [-6.0]
    assert found.loc[found["transfer_account_name"] == "Renamed", "amount"].tolist() == [-10.0]
    found = updated(with_name("category_groups", 4, name="Renamed"))
    assert found.loc[found["category_group_name"] == "Renamed", "amount"].tolist() == [-6.0]
    found = updated(with_name("accounts", 4, on_budget=False))
    assert found.loc[found["account_name"] == "Wallet", "on_budget"].tolist() == [False]


def test_a_balance_changes_no_row() -> None:
    assert_frame_equal(updated(with_name("accounts", 0, balance=7.0)), at_first()[1])


def test_many_rows_with_another_name_need_a_new_ledger() -> None:
    assert patched(BEFORE, with_name("payees", 0, name="Grocer")) is None
    assert patched(BEFORE, with_name("accounts", 0, on_budget=False)) is None
    assert patched(BEFORE, with_name("accounts", 1, name="Deposit")) is None


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_irregular_rows_need_a_new_ledger_which_warns() -> None:
    irregular = with_row(40, **split(BEFORE["transactions"][40], 2, remainder=1.0))
    unlisted = with_row(7, account_id="gone")
    empty = with_row(7, subtransactions=[])
    for lists in (irregular, unlisted):
        assert patched(BEFORE, lists) is None
        assert patched(lists, BEFORE) is None
    assert patched(BEFORE, empty) is not None


# Random changes


@st.composite
def changes(draw: st.DrawFn) -> Lists:
    """The lists after a few random changes, in the order of merged lists."""
    lists = {name: list(rows) for name, rows in BEFORE.items()}
    rows = lists["transactions"]
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(rows) - 1))
        match draw(st.sampled_from(["change", "delete", "add", "split", "name", "new name"])):
            case "change":
                rows[at] = rows[at] | {
                    "date": draw(st.sampled_from(DAYS)),
                    "account_id": draw(st.sampled_from(ACCOUNTS)),
                    "payee_id": draw(st.sampled_from((*PAYEES, "new", None))),
                    "category_id": draw(st.sampled_from((*CATEGORIES, "new", None))),
                    "flag_color": draw(st.sampled_from((None, "red", "", "mauve"))),
                    "memo": "x",
                }
            case "delete":
                del rows[at]
            case "add":
                new = row(draw(st.integers(700, 999)))
                if all(each["id"] != new["id"] for each in rows):
                    rows.append(new)
            case "split":
                rows[at] = split(rows[at], draw(st.integers(0, 3)))
            case "name":
                name = draw(st.sampled_from(("accounts", "category_groups", "payees")))
                number = draw(st.sampled_from((1, 4, 4, 4)))
                lists[name][number] = lists[name][number] | {"name": "Renamed"}
            case "new name":
                lists["payees"].append({"id": "new", "name": "New"})
                kind = draw(st.sampled_from(("cash", "crypto")))
                lists["accounts"].append(account("new", "New", kind, 0.0))
    return lists


@settings(max_examples=settings().max_examples // 5, deadline=None)
@given(st.lists(changes(), min_size=1, max_size=3))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.slow  # each example builds many ledgers
def test_a_ledger_updated_several_times_equals_a_new_ledger(steps: Sequence[Lists]) -> None:
    frames, found = at_first()
    for lists in steps:
        after = built(lists, frames)
        updated = patched_ledger(found, list(frames.values()), list(after.values()))
        found = whole(after) if updated is None else updated
        frames = after
        expected = whole(built(lists))
        assert_frame_equal(found, expected)
        assert found.attrs == expected.attrs
        rows = sum(max(1, len(each["subtransactions"])) for each in lists["transactions"])
        assert updated is None or len(updated) == rows

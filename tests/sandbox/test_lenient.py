"""Where the real service differs from its documentation; `Sandbox(lenient=True)` does not."""

from typing import Any

import pytest

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import BASE, Ids, add, cursor, delta, read, write

ROWS = f"{BASE}/transactions"
SWITCH = pytest.mark.parametrize("is_lenient", [False, True])


@pytest.fixture
def sandbox(*, is_lenient: bool) -> Sandbox:
    return Sandbox(limit=100_000, years=1, budgets=1, lenient=is_lenient)


def amounts(sandbox: Sandbox, ids: Ids, month: str, name: str = "activity") -> list[int]:
    """An amount of Groceries and of Fuel in a month."""
    keys = ids.category("Everyday", "Groceries"), ids.category("Car", "Fuel")
    return [read(sandbox, f"months/{month}-01/categories/{key}")[name] for key in keys]


def less(before: list[int], after: list[int]) -> list[int]:
    return [new - old for old, new in zip(before, after, strict=True)]


def split(ids: Ids, **more: Any) -> dict[str, Any]:
    parts = [
        {"amount": -10_000, "category_id": ids.category("Everyday", "Groceries")},
        {"amount": -20_000, "category_id": ids.category("Car", "Fuel")},
    ]
    fields = {"account_id": ids.account("Checking"), "date": "2026-05-20", "amount": -30_000}
    return {**fields, "subtransactions": parts} | more


@SWITCH
def test_a_deleted_split_stays_in_activity(sandbox: Sandbox, ids: Ids, *, is_lenient: bool) -> None:
    months = "2026-05", "2026-06"
    before = [amounts(sandbox, ids, month, "balance") for month in months]
    activity, total = amounts(sandbox, ids, "2026-05"), read(sandbox, "months/2026-05-01")
    checking = read(sandbox, f"accounts/{ids.account('Checking')}")["balance"]
    made, known = add(sandbox, split(ids)), cursor(sandbox)
    write(sandbox, "DELETE", f"{ROWS}/{made['id']}", None)

    assert read(sandbox, f"accounts/{ids.account('Checking')}")["balance"] == checking
    assert made["id"] not in {row["id"] for row in read(sandbox, "transactions")}
    left = [0, 0] if is_lenient else [-10_000, -20_000]
    assert less(activity, amounts(sandbox, ids, "2026-05")) == left
    changed = [name for name in ("categories", "months") if delta(sandbox, name, known)]
    assert changed == (["categories", "months"] if is_lenient else [])
    month = read(sandbox, "months/2026-05-01")
    assert month["activity"] - total["activity"] == sum(left)
    after = [amounts(sandbox, ids, month, "balance") for month in months]
    assert less(before[0], after[0]) == left
    # The balance of Groceries rolls over to the next month; Fuel is overspent in May.
    assert less(before[1], after[1]) == [left[0], 0]


@pytest.mark.parametrize("is_lenient", [False])
def test_the_next_transaction_of_a_category_removes_what_a_deleted_split_has_left(
    sandbox: Sandbox, ids: Ids
) -> None:
    before, june = amounts(sandbox, ids, "2026-05"), amounts(sandbox, ids, "2026-06", "balance")[0]
    for _ in range(2):  # the second deletion does not correct the first one
        write(sandbox, "DELETE", f"{ROWS}/{add(sandbox, split(ids))['id']}", None)
        # The first part of the second split has corrected what the first one had left.
        assert less(before, amounts(sandbox, ids, "2026-05")) == [-10_000, -20_000]
    known, groceries = cursor(sandbox), ids.category("Everyday", "Groceries")
    fields = split(ids, date="2026-06-15", amount=-1_000, category_id=groceries)
    del fields["subtransactions"]
    add(sandbox, fields)
    assert less(before, amounts(sandbox, ids, "2026-05")) == [0, -20_000]
    assert amounts(sandbox, ids, "2026-06", "balance")[0] - june == -1_000
    assert {"2026-05-01", "2026-06-01"} <= {row["month"] for row in delta(sandbox, "months", known)}


@pytest.mark.parametrize("is_lenient", [False])
def test_deleted_splits_stay_until_their_category_has_a_row(sandbox: Sandbox, ids: Ids) -> None:
    before = amounts(sandbox, ids, "2026-05")
    for key in [add(sandbox, split(ids))["id"] for _ in range(2)]:
        write(sandbox, "DELETE", f"{ROWS}/{key}", None)
    assert less(before, amounts(sandbox, ids, "2026-05")) == [-20_000, -40_000]
    sandbox.device.delete_category(
        ids.category("Car", "Fuel"), ids.category("Everyday", "Groceries")
    )
    assert read(sandbox, "months/2026-05-01")["deleted"] is False


@SWITCH
def test_income_of_a_deleted_split_stays(sandbox: Sandbox, ids: Ids, *, is_lenient: bool) -> None:
    before = read(sandbox, "months/2026-06-01")
    inflow = ids.category("Internal Master Category", "Inflow: Ready to Assign")
    parts = [{"amount": 100_000, "category_id": inflow}, {"amount": 5_000, "category_id": None}]
    made = add(sandbox, split(ids, amount=105_000, subtransactions=parts))
    write(sandbox, "DELETE", f"{ROWS}/{made['id']}", None)
    after = read(sandbox, "months/2026-06-01")
    assert after["to_be_budgeted"] - before["to_be_budgeted"] == (0 if is_lenient else 100_000)


@SWITCH
def test_card_money_stays_after_a_deletion(sandbox: Sandbox, ids: Ids, *, is_lenient: bool) -> None:
    payment = ids.category("Credit Card Payments", "Credit Card")
    path = f"months/2026-05-01/categories/{payment}"
    before = read(sandbox, path)["activity"]
    made = add(sandbox, split(ids, account_id=ids.account("Credit Card")))
    moved = read(sandbox, path)["activity"] - before
    assert moved > 0
    write(sandbox, "DELETE", f"{ROWS}/{made['id']}", None)
    assert read(sandbox, path)["activity"] - before == (0 if is_lenient else moved)


@SWITCH
def test_a_missing_target_is_zero(sandbox: Sandbox, ids: Ids, *, is_lenient: bool) -> None:
    key = ids.category("Everyday", "Groceries")
    body = {"category": {"goal_target": None}}
    category = write(sandbox, "PATCH", f"{BASE}/categories/{key}", body)["category"]
    goal = {name: value for name, value in category.items() if name.startswith("goal_")}
    assert goal.pop("goal_target") == (None if is_lenient else 0)
    assert {*goal.values()} == {None}


@SWITCH
def test_a_dated_target_has_the_newer_code(sandbox: Sandbox, ids: Ids, *, is_lenient: bool) -> None:
    laptop = read(sandbox, f"categories/{ids.category('Savings', 'New Laptop')}")
    assert laptop["goal_target_month"] == "2027-06-01"
    assert laptop["goal_type"] == ("TBD" if is_lenient else "TB")


@SWITCH
def test_uncategorized_keeps_transfers_and_starts(sandbox: Sandbox, *, is_lenient: bool) -> None:
    sandbox.device.open_account("Second Card", "creditCard", -70_000)
    rows = read(sandbox, "transactions", type="uncategorized")
    of_june = [row for row in rows if row["date"] >= "2026-05-20"]
    names = sorted({row["payee_name"] for row in of_june})
    transfers = [name for name in names if name.startswith("Transfer : ")]
    others = [name for name in names if name not in transfers]
    assert bool(transfers) is not is_lenient
    assert others == (["Kiosk am Ring"] if is_lenient else ["Kiosk am Ring", "Starting Balance"])

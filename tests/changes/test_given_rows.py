"""Rows that are updated and deleted by their keys, without a frame that was read."""

import asyncio
from decimal import Decimal
from typing import Any
from uuid import UUID

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ServiceAPIError, ToolError

from .budget import connect, connected, content, plain_rows, requests, rows_with, small_sandbox

EMPTY: tuple[Any, ...] = (None, float("nan"), pd.NaT, pd.NA)


def plain(bf: BudgetFrame, count: int) -> pd.DataFrame:
    """The last rows of Checking that are neither transfers nor splits."""
    return plain_rows(bf, count, account_name="Checking").reset_index(drop=True)


# What an empty value means


def test_an_empty_value_clears_its_field_and_no_value_keeps_it(subtests: pytest.Subtests) -> None:
    bf = connect(small_sandbox())
    key = plain(bf, 1)["transaction_id"][0]
    for empty in EMPTY:
        for rows in (
            [{"transaction_id": key, "memo": empty, "flag_color": empty}],
            pd.DataFrame([{"transaction_id": key, "memo": empty, "flag_color": empty}]),
        ):
            with subtests.test(empty=empty, value=type(rows)):
                filled = bf.update_transactions(
                    [{"transaction_id": key, "memo": "rye", "flag_color": "red"}]
                )
                assert filled[["memo", "flag_color"]].to_numpy().tolist() == [["rye", "red"]]
                cleared = bf.update_transactions(rows)
                assert cleared[["memo", "flag_color"]].isna().all(axis=None)
                assert cleared["amount"].tolist() == filled["amount"].tolist()


def test_an_empty_value_clears_a_field_of_a_schedule_or_one_row(subtests: pytest.Subtests) -> None:
    bf = connect(small_sandbox())
    key = bf.scheduled_transactions()["scheduled_transaction_id"][0]
    row = plain(bf, 1)["transaction_id"][0]
    for empty in EMPTY:
        with subtests.test(empty=empty):
            given = {"scheduled_transaction_id": key, "memo": "x"}
            assert bf.update_scheduled_transactions([given])["memo"].tolist() == ["x"]
            cleared = bf.update_scheduled_transactions([given | {"memo": empty}])
            assert cleared["memo"].isna().tolist() == [True]
            assert bf.update_transaction(row, memo="x").memo == "x"
            assert bf.update_transaction(row, memo=empty).memo is None


def test_an_empty_required_field_is_refused_with_its_row_unsent(subtests: pytest.Subtests) -> None:
    sandbox, bf = connected()
    before, key = content(sandbox), plain(bf, 1)["transaction_id"][0]
    schedule = bf.scheduled_transactions()["scheduled_transaction_id"][0]
    for empty in EMPTY:
        for name in ("account_id", "date", "amount", "cleared", "approved"):
            what = "the account" if name == "account_id" else name
            row: dict[str, Any] = {"transaction_id": key, "memo": "x", name: empty}
            with subtests.test(name=name, empty=empty):
                with pytest.raises(ToolError) as caught:
                    bf.update_transactions([row])
                assert str(caught.value) == (
                    f"transaction {key!r}: {what} cannot be empty. Nothing was sent"
                )
                with pytest.raises(ToolError, match=f"{what} cannot be empty. Nothing was sent"):
                    bf.update_transaction(key, memo="x", **{name: empty})
        for name in ("account_id", "date_next", "frequency", "amount"):
            what = "the account" if name == "account_id" else name
            row = {"scheduled_transaction_id": schedule, "memo": "x", name: empty}
            with (
                subtests.test(name=name, empty=empty),
                pytest.raises(ToolError, match=f"{what} cannot be empty"),
            ):
                bf.update_scheduled_transactions([row])
    assert content(sandbox) == before
    assert len(bf.journal()) == 0


# What is written


def test_updates_and_deletions_are_in_the_journal_and_can_be_undone() -> None:
    sandbox, bf = connected()
    before, rows = content(sandbox), plain(bf, 3)
    bf.update_transactions(rows[["transaction_id"]].assign(memo=["a", "b", "c"], amount=-1.5))
    assert bf.delete_transactions(rows.tail(2))["memo"].tolist() == ["b", "c"]
    assert bf.journal().frame[["updated", "deleted"]].to_numpy().tolist() == [[3, 0], [0, 2]]
    assert bf.journal().undo().apply().counts["done"] == 2
    assert bf.journal().undo(0).apply().counts == {
        "left": 0,
        "done": 1,  # the other rows were created again with other keys
        "unknown": 0,
        "conflicts": 2,
    }
    assert sum((before - content(sandbox)).values()) == 2


def test_the_deleted_schedules_are_returned_as_they_were() -> None:
    bf = connect(small_sandbox())
    row = bf.scheduled_transactions().query("frequency == 'monthly'").head(1)
    row = row.reset_index(drop=True)
    pd.testing.assert_frame_equal(bf.delete_scheduled_transactions(row), row)


def test_names_work_as_well_as_keys_and_the_service_creates_an_unknown_payee() -> None:
    bf = connect(small_sandbox())
    key = plain(bf, 1)["transaction_id"][0]
    names = {"account_name": "Wallet", "payee_name": "A new baker", "category_name": "Rent"}
    written = bf.update_transactions([{"transaction_id": key, **names}])
    assert written[list(names)].to_numpy().tolist() == [["Wallet", "A new baker", "Rent"]]
    for cells, message in (
        ({"category_name": "Rend"}, "no category 'Rend'; the closest name is 'Rent'"),
        ({"category_id": "Rent", "category_group_name": "Car"}, "no category 'Rent' in the group"),
        ({"category_group_name": "Car"}, "no category 'Rent' in the group 'Car'"),
    ):
        with pytest.raises(ToolError, match=message):
            bf.update_transactions([{"transaction_id": key, **cells}])
    (insured,) = bf.update_transactions(
        [{"transaction_id": key, "category_id": "Insurance", "category_group_name": "Home"}]
    )["category_name"]
    assert insured == "Insurance"


def test_an_import_id_selects_its_row() -> None:
    bf = connect(small_sandbox())
    bread = {"account_name": "Checking", "date": "2026-06-16", "amount": -4.5, "import_id": "loaf"}
    created = bf.create_transactions([bread])
    written = bf.update_transactions([{"import_id": "loaf", "memo": "rye"}])
    assert written["transaction_id"].tolist() == created["transaction_id"].tolist()
    assert written["memo"].tolist() == ["rye"]
    with pytest.raises(ToolError, match=r"row 0: 0 rows have this import_id\. Nothing was sent"):
        bf.update_transactions([{"import_id": "roll", "memo": "rye"}])
    key = plain(bf, 2)["transaction_id"][0]
    with pytest.raises(ToolError, match="import_id='new' cannot be given to a row that exists"):
        bf.update_transactions([{"transaction_id": key, "import_id": "new"}])
    with pytest.raises(ToolError, match=r"import_id='x' cannot be .* exists\. Nothing was sent"):
        bf.update_transaction(key, import_id="x")


def test_one_side_of_a_transfer_changes_the_other_one_too() -> None:
    bf = connect(small_sandbox())
    rows = bf.transactions().query("transfer_transaction_id.notna()").tail(1)
    key, other = rows[["transaction_id", "transfer_transaction_id"]].iloc[0]
    bf.update_transactions([{"transaction_id": key, "amount": -12.5}])
    amounts = bf.transactions().set_index("transaction_id")["amount"]
    assert (amounts[key], amounts[other]) == (-12.5, 12.5)
    assert sorted(bf.delete_transactions([key, other])["transaction_id"]) == sorted([key, other])
    assert not {key, other} & set(bf.transactions()["transaction_id"])


def test_rows_of_one_key_become_one_row_unless_they_contradict_each_other() -> None:
    bf = connect(small_sandbox(years=1))
    key = plain(bf, 1)["transaction_id"][0]
    rows = [{"transaction_id": key, "memo": "x"}, {"transaction_id": key, "flag_color": "blue"}]
    written = bf.update_transactions(rows)
    assert written[["memo", "flag_color"]].to_numpy().tolist() == [["x", "blue"]]
    with pytest.raises(ToolError, match=r"have different values of memo: 'x' and 'y'"):
        bf.update_transactions([rows[0], {"transaction_id": key, "memo": "y"}])
    present = plain(bf, 1)["category_name"][0]
    names = [{"transaction_id": key, "category_name": name} for name in (present, "Fuel")]
    with pytest.raises(ToolError, match="have different values of category_name"):
        bf.update_transactions(names)


def test_values_of_one_key_are_compared_as_they_are_sent() -> None:
    bf = connect(small_sandbox())
    key, category_id, day = plain(bf, 1).loc[0, ["transaction_id", "category_id", "date"]]
    same = {"memo": "x", "amount": -1.5, "category_id": category_id, "date": f"{day:%Y-%m-%d}"}
    other = {"amount": Decimal("-1.50"), "category_id": UUID(str(category_id)), "date": day}
    written = bf.update_transactions(
        [{"transaction_id": key, **same}, {"transaction_id": UUID(str(key)), **other}]
    )
    assert written[["amount", "memo"]].to_numpy().tolist() == [[-1.5, "x"]]


@pytest.mark.parametrize("empty", [None, []])
def test_the_parts_of_a_split_cannot_be_cleared(empty: Any) -> None:
    sandbox, bf = connected()
    before = content(sandbox)
    split = rows_with(bf.transactions(), is_split=True)["transaction_id"].iloc[-1]
    with pytest.raises(ToolError, match="the service cannot remove the parts of a split"):
        bf.update_transactions([{"transaction_id": split, "subtransactions": empty, "memo": "x"}])
    assert content(sandbox) == before
    key = plain(bf, 1)["transaction_id"][0]  # a row without parts
    row = {"transaction_id": key, "subtransactions": empty, "memo": "x"}
    assert bf.update_transactions([row])["memo"].tolist() == ["x"]


# What it costs


def test_the_cost_is_one_read_and_one_write_for_fifty_rows_that_differ() -> None:
    sandbox, bf = connected()
    rows = plain(bf, 60)[["transaction_id"]].assign(memo="x")
    assert requests(sandbox, lambda: bf.update_transactions(rows)) == 3
    assert requests(sandbox, lambda: bf.update_transactions(rows)) == 1  # nothing differs
    found = bf.update_transactions(rows.tail(2).assign(memo=["x", "y"]))
    assert sorted(found["memo"]) == ["x", "y"]  # also the row that has this memo already
    row = rows[["transaction_id"]].tail(1)
    for cells, names in (
        ({"category_name": "Rent"}, 1),  # categories, and accounts: the export has both
        ({"payee_name": "Baker"}, 1),
        ({"account_name": "Wallet"}, 1),
        ({"memo": "z"}, 0),
    ):
        edited = row.assign(**cells)
        assert requests(sandbox, lambda: bf.update_transactions(edited)) == 2 + names  # noqa: B023
    bf.accounts(), bf.categories()
    fuel = row.assign(category_name="Fuel")
    assert requests(sandbox, lambda: bf.update_transactions(fuel)) == 2  # the lists are fresh
    assert requests(sandbox, lambda: bf.delete_transactions(row)) == 2


# What the service does not make


def test_the_other_side_of_a_deleted_transfer_does_not_count_as_a_change() -> None:
    sandbox, bf = connected()
    transfer = bf.transactions().query("transfer_transaction_id.notna()")["transaction_id"].iloc[-1]
    key = plain(bf, 1)["transaction_id"][0]
    sandbox.faults = ["400:DELETE:*@2"]
    with pytest.raises(ServiceAPIError) as caught:
        bf.delete_transactions([transfer, key])
    assert caught.value.__notes__[0].startswith("Of 2 changes, 1 was not made (first: ")


def test_a_refused_row_is_an_error_and_the_others_are_written() -> None:
    sandbox, bf = connected(years=1)
    keys = plain(bf, 3)["transaction_id"].tolist()
    sandbox.faults = ["400:DELETE:*@2"]
    with pytest.raises(ServiceAPIError) as caught:
        bf.delete_transactions(keys)
    sandbox.faults = []
    (note,) = caught.value.__notes__
    assert note == (
        f"Of 3 changes, 1 was not made (first: transaction_id {keys[1]!r} (2026-06-15, Checking,"
        f" Station West, Fuel): the service refused it: {caught.value})."
        " bf.journal().undo().apply() takes back what was made."
    )
    assert bf.journal().frame[["deleted", "conflicts"]].to_numpy().tolist() == [[2, 1]]
    assert set(keys) & set(bf.transactions()["transaction_id"]) == {keys[1]}


def test_writes_at_the_same_time_wait_for_each_other() -> None:
    bf = connect(small_sandbox())
    keys = plain(bf, 4)["transaction_id"].tolist()

    async def script() -> list[pd.DataFrame]:
        writes = (bf.aio.update_transactions([{"transaction_id": k, "memo": "x"}]) for k in keys)
        return await asyncio.gather(*writes)

    assert [frame["memo"].tolist() for frame in asyncio.run(script())] == [["x"]] * 4
    assert bf.journal().frame["updated"].tolist() == [1, 1, 1, 1]


# Names and keys


def test_the_group_of_a_row_alone_changes_nothing() -> None:
    bf = connect(small_sandbox())
    ledger = bf.ledger()
    row = ledger[ledger["category_name"] == "Groceries"].query("not is_split_part").tail(1)
    changed = bf.update_transactions(row[["transaction_id", "category_group_name"]])
    assert changed["category_name"].tolist() == ["Groceries"]


def test_of_a_name_and_a_key_the_one_that_differs_counts() -> None:
    bf = connect(small_sandbox())
    row = plain(bf, 1)[["transaction_id", "category_id", "category_name", "payee_name"]]
    by_name = bf.update_transactions(row.assign(category_name="Groceries"))
    fuel = bf.categories().set_index("category_name")["category_id"]["Fuel"]
    by_key = bf.update_transactions(
        row.assign(category_name="Groceries", category_id=fuel, memo="rye")
    )
    assert by_name["category_name"].tolist() == ["Groceries"]
    assert by_key[["category_name", "memo"]].to_numpy().tolist() == [["Fuel", "rye"]]


def test_the_name_that_a_split_has_as_its_category_is_not_looked_up() -> None:
    bf = connect(small_sandbox())
    splits = bf.transactions().query("is_split")[["transaction_id", "category_name"]]
    assert len(splits) > 0
    assert set(bf.update_transactions(splits.assign(memo="rye"))["memo"]) == {"rye"}


def test_a_category_that_another_device_has_created_since_the_last_read_is_accepted() -> None:
    sandbox = small_sandbox()
    bf = connect(sandbox, ttl=300)
    key = plain(bf, 1)["transaction_id"][0]
    created = sandbox.device.add_category("Fresh", bf.categories()["category_group_id"].iloc[-1])
    changed = bf.update_transactions([{"transaction_id": key, "category_id": created}])
    assert changed["category_name"].tolist() == ["Fresh"]


def test_empty_values_in_the_parts_of_a_split_are_not_sent() -> None:
    bf = connect(small_sandbox())
    key = plain(bf, 1)["transaction_id"][0]
    parts = [{"amount": -20.0, "memo": float("nan")}, {"amount": -10.0, "category_id": pd.NA}]
    bf.update_transactions([{"transaction_id": key, "amount": -30.0, "subtransactions": parts}])
    found = bf.subtransactions().query("transaction_id == @key")
    assert sorted(found["amount"]) == [-20.0, -10.0]
    assert found["memo"].isna().all()

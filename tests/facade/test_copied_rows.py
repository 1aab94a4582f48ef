"""New transactions that are copied from frames: transfers, splits, and rows with an edited name."""

from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError
from tests.facade.service import ServiceWithFacade


def refusal(facade: ServiceWithFacade, rows: pd.DataFrame) -> str:
    """The message for new rows, of which nothing is sent."""
    with pytest.raises(ToolError) as caught:
        facade.bf.create_transactions(rows)
    assert facade.wire.writes == []
    return str(caught.value)


def transfers(facade: ServiceWithFacade) -> pd.DataFrame:
    """Both sides of the last two transfers to the account of an index fund, to copy them."""
    rows = facade.bf.transactions()
    is_side = rows["transfer_transaction_id"].notna()
    accounts = rows[["account_name", "payee_name"]].isin(["Index Fund", "Transfer : Index Fund"])
    return rows[is_side & accounts.any(axis=1)].tail(4).drop(columns="transaction_id")


BOTH_SIDES = (
    "rows 0 and 1 are the two sides of one transfer (2026-06-16, Index Fund 150,00 €, Checking"
    " -150,00 €): the service creates the other side itself, and the transfer would be made twice."
    " Give one side only: leave out row 0. Nothing was sent"
)


@pytest.mark.parametrize("columns", [
    ["account_name", "date", "amount", "payee_name", "category_name"],
    ["account_id", "date", "amount", "payee_id", "category_id"],
])  # fmt: skip
def test_two_sides_of_a_transfer_are_refused(facade: ServiceWithFacade, columns: list[str]) -> None:
    rows = transfers(facade).tail(2)
    assert refusal(facade, rows) == BOTH_SIDES
    assert refusal(facade, rows[columns]) == BOTH_SIDES


def test_several_transfers_are_refused_with_rows_to_leave_out(facade: ServiceWithFacade) -> None:
    message = refusal(facade, transfers(facade))
    assert ", Checking -150,00 €), and 1 more pair: the service creates" in message
    assert message.endswith("leave out rows 0, 2. Nothing was sent")


def test_one_side_of_a_transfer_can_be_copied(facade: ServiceWithFacade) -> None:
    sides = transfers(facade)
    facade.bf.create_transactions(sides[sides["amount"] < 0])
    rows = facade.bf.transactions(since="2026-05-16")
    rows = rows[rows["account_name"] == "Index Fund"]
    assert (rows["payee_name"] == "Transfer : Checking").sum() == 4


def test_opposite_amounts_on_one_day_are_not_one_transfer(facade: ServiceWithFacade) -> None:
    row = {"account_name": "Checking", "date": "2026-06-16", "amount": -20.0}
    out, back = row | {"payee_name": "Transfer : Savings"}, row | {"amount": 20.0}
    for other in [
        back | {"account_name": "Savings", "payee_name": "Transfer : Wallet"},
        back | {"payee_name": "Transfer : Savings"},
        back | {"account_name": "Savings", "payee_name": "Transfer : Checking", "amount": 20.5},
        back | {"account_name": "Savings", "payee_name": "Corner Market"},
    ]:
        assert len(facade.bf.create_transactions([out, other])) == 2


def test_a_part_of_a_split_may_be_a_side_of_a_transfer(facade: ServiceWithFacade) -> None:
    split = {"account_name": "Checking", "date": "2026-06-16", "amount": -25.0}
    parts = [{"amount": -5.0}, {"amount": -20.0, "payee_name": "Transfer : Wallet"}]
    side = {"account_name": "Wallet", "date": "2026-06-16", "amount": 20.0}
    side |= {"payee_name": "Transfer : Checking"}
    message = refusal(facade, pd.DataFrame([side, split | {"subtransactions": parts}]))
    assert "(2026-06-16, Wallet 20,00 €, Checking -20,00 €)" in message
    assert message.endswith("leave out row 0. Nothing was sent")


def test_a_copied_split_needs_its_parts(facade: ServiceWithFacade) -> None:
    rows = facade.bf.transactions()
    split = rows[rows["is_split"]].tail(1)
    copied = split.drop(columns="transaction_id")
    for row in copied, copied[["date", "account_name", "payee_name", "amount", "category_name"]]:
        assert refusal(facade, row) == (
            "row 0 (2026-05-24, Haus & Hof, -91,90 €) is a split without parts. Give its parts too,"
            " for example from its rows of bf.ledger(): row.assign(subtransactions=[parts"
            '[["amount", "category_name", "payee_name", "memo"]].to_dict("records")]). Nothing was'
            " sent"
        )
    with pytest.raises(ToolError, match=r"^row 0 \(2026-05-24, Haus & Hof, -91,90 €\) is a split"):
        facade.bf.changes(copied.assign(transaction_id=None))
    ledger = facade.bf.ledger()
    parts = ledger[ledger["transaction_id"] == split["transaction_id"].item()]
    cells = parts[["amount", "category_name", "payee_name", "memo"]].to_dict("records")
    with_parts = copied.assign(subtransactions=[cells])
    changes = facade.bf.changes(with_parts.assign(transaction_id=None)).apply()
    assert changes.undo().apply().counts["done"] == 1
    new, rows = facade.bf.create_transactions(with_parts), facade.bf.ledger()
    rows = rows[rows["transaction_id"] == new["transaction_id"].item()]
    assert sorted(zip(rows["category_name"], rows["amount"], strict=True)) == [
        ("Groceries", -64.33), ("Household Goods", -27.57),
    ]  # fmt: skip


def test_a_copied_split_cannot_be_scheduled(facade: ServiceWithFacade) -> None:
    row = {"account_name": "Checking", "date_next": "2026-07-01", "amount": -4.5}
    with pytest.raises(ToolError) as caught:
        facade.bf.create_scheduled_transactions([row | {"category_name": "Split"}])
    assert str(caught.value) == (
        "row 0 (2026-07-01, -4,50 €) is a split without parts. The service cannot create a"
        " scheduled split. Nothing was sent"
    )


def test_a_category_may_have_the_name_of_splits(facade: ServiceWithFacade) -> None:
    device = facade.service.device
    device.add_category("Split", device.add_group("Mine"))
    row = {"account_name": "Checking", "date": "2026-06-16", "amount": -4.5}
    new = facade.bf.create_transactions([row | {"category_name": "Split"}])
    assert new["category_name"].tolist() == ["Split"]
    assert new["is_split"].tolist() == [False]


def test_an_edited_name_of_a_copied_row_says_what_to_leave_out(facade: ServiceWithFacade) -> None:
    rows = facade.bf.transactions().query("category_name == 'Groceries'").tail(1)
    edited = rows.drop(columns="transaction_id").assign(category_name="Eating Out")
    assert refusal(facade, edited) == (
        "row 0: category_id is the key of 'Everyday: Groceries', and category_name is 'Eating Out':"
        " give only one of them. To write 'Eating Out', leave out category_id, in a frame with"
        ' rows.drop(columns="category_id"); to keep the key, leave out category_name. Nothing was'
        " sent"
    )
    new = facade.bf.create_transactions(edited.drop(columns="category_id"))
    assert new["category_name"].tolist() == ["Eating Out"]


def test_one_transaction_may_get_its_amount_in_milliunits(facade: ServiceWithFacade) -> None:
    bf = facade.bf
    key = bf.transactions().query("category_name == 'Groceries'")["transaction_id"].iloc[-1]
    assert bf.update_transaction(key, amount_milliunits=-4510).amount == -4.51
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"amount_milliunits": None}, f"transaction '{key}': amount cannot be empty"),
        ({"amount_milliunits": -4510, "amount": -4.51}, "keep one of them"),
        ({"amount_milliunits": 0.5}, "amount_milliunits=0.5 is not a whole number"),
    ]
    for amounts, message in wrong:
        with pytest.raises(ToolError, match=message):
            bf.update_transaction(key, **amounts)

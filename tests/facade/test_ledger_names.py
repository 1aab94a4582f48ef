"""The ledger shows the current names, also after a renaming by another client."""

from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame
from budgetframe.sandbox import NewPart
from tests.facade.service import JUNE_1, Changing


@pytest.fixture
def home() -> Changing:
    return Changing()


def read_names(bf: BudgetFrame) -> None:
    """Read the lists whose names the ledger shows."""
    bf.accounts(), bf.categories(), bf.payees()


def only(frame: pd.DataFrame, key: str) -> dict[str, Any]:
    """The one row of a transaction."""
    rows: list[dict[Any, Any]] = frame[frame["transaction_id"] == key].to_dict("records")
    (row,) = rows
    return row


@pytest.mark.parametrize("read_before", [True, False])
def test_a_rename_on_another_device_is_on_every_row(home: Changing, *, read_before: bool) -> None:
    keys = {
        "payee": home.ids.payee("Corner Market"),
        "category": home.ids.category("Everyday", "Groceries"),
        "account": home.ids.account("Checking"), "category_group": home.ids.group("Everyday"),
    }  # fmt: skip
    if read_before:
        home.bf.ledger()
    else:
        home.bf.transactions()  # the rows are the old ones
    home.device.rename_payee(keys["payee"], "Eckladen")
    home.device.rename_category(keys["category"], "Lebensmittel")
    home.device.rename_account(keys["account"], "Giro")
    home.device.rename_group(keys["category_group"], "Alltag")
    if read_before:
        home.clock.advance(300.0)
    found = home.bf.ledger()
    names = {
        entity: set(found.loc[found[f"{entity}_id"] == key, f"{entity}_name"])
        for entity, key in keys.items()
    }
    assert names == {
        "payee": {"Eckladen"}, "category": {"Lebensmittel"}, "account": {"Giro"},
        "category_group": {"Alltag"},
    }  # fmt: skip
    targets = found.loc[found["transfer_account_id"] == keys["account"], "transfer_account_name"]
    assert set(targets) == {"Giro"}


def test_a_category_moved_elsewhere_is_in_its_new_group_for_all_years(home: Changing) -> None:
    key = home.ids.category("Everyday", "Groceries")
    home.bf.ledger()
    home.device.move_category(key, home.ids.group("Home"))
    home.clock.advance(300.0)
    found = home.bf.ledger()
    assert set(found.loc[found["category_id"] == key, "category_group_name"]) == {"Home"}


def test_a_row_with_new_objects_has_their_names(home: Changing) -> None:
    read_names(home.bf)
    account = home.device.open_account("Reserve", "savings")
    category = home.device.add_category("Bees", home.device.add_group("Garden"))
    key = home.device.add_transaction(
        account_id=account, date=JUNE_1, amount=-1_230, category_id=category, payee_name="Imker"
    )
    served, row = home.served, only(home.bf.ledger(), key)
    names = ["account_name", "account_type", "category_name", "category_group_name", "payee_name"]
    assert [row[name] for name in names] == ["Reserve", "savings", "Bees", "Garden", "Imker"]
    assert home.wire.lists[served:] == ["transactions", "accounts", "categories", "payees"]


def test_a_tracking_account_opened_later_is_not_taken_for_a_budget_one(home: Changing) -> None:
    home.bf.accounts()
    account = home.device.open_account("Gold", "otherAsset")
    key = home.add(
        payee_id=home.ids.transfer_to("Gold"), category_id=home.ids.category("Savings", "Investing")
    )
    found = home.bf.ledger()
    row = only(found, key)
    assert (row["transfer_account_name"], row["transfer_on_budget"]) == ("Gold", False)
    assert (row["is_transfer"], row["is_spending"]) == (True, True)
    assert found.loc[found["account_id"] == account, "on_budget"].tolist() == [False]


def test_a_missing_name_of_a_part_reloads_only_the_list_of_that_name(home: Changing) -> None:
    read_names(home.bf)
    category = home.device.add_category("Bees", home.ids.group("Home"))
    home.add(parts=[NewPart(amount=-1_000, category_id=category), NewPart(amount=-2_000)])
    served, found = home.served, home.bf.ledger()
    assert found.loc[found["category_id"] == category, "category_name"].tolist() == ["Bees"]
    home.bf.ledger()  # from the cache
    assert home.wire.lists[served:] == ["transactions", "categories"]


def test_names_that_lack_nothing_are_not_read_again(home: Changing) -> None:
    read_names(home.bf)
    home.add()
    served = home.served
    home.bf.ledger()
    assert home.wire.lists[served:] == ["transactions"]


def test_a_row_deleted_on_another_device_disappears_from_the_ledger(home: Changing) -> None:
    key = home.add(parts=[NewPart(amount=-1_000), NewPart(amount=-2_000)])
    before = home.bf.ledger()
    home.device.delete_transaction(key)
    home.clock.advance(300.0)
    after = home.bf.ledger()
    assert (before["transaction_id"] == key).sum() == 2
    assert_frame_equal(after, before[before["transaction_id"] != key].reset_index(drop=True))


def test_a_failed_reload_of_names_keeps_those_of_the_rows_with_a_warning(home: Changing) -> None:
    home.bf.categories()
    category = home.device.add_category("Bees", home.ids.group("Home"))
    key = home.add(amount=-1_000, category_id=category)
    home.service.faults = ["500:GET:*/categories"]
    with pytest.warns(RuntimeWarning, match="^the categories may lack some that the") as caught:
        row = only(home.bf.ledger(), key)
    assert len(caught) == 1
    assert (row["category_name"], row["is_spending"]) == ("Bees", True)
    assert row["category_group_name"] == "Not listed"


def test_names_are_reloaded_even_if_the_clock_of_the_service_stops(home: Changing) -> None:
    bf = BudgetFrame.sandbox(home.service)
    bf.categories()
    key = home.device.add_category("Balcony", home.ids.group("Home"))
    home.add(category_id=key)
    found = bf.ledger()
    assert found.loc[found["category_id"] == key, "category_group_name"].tolist() == ["Home"]

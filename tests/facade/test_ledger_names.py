"""The ledger shows the current names, also after a renaming by another client."""

from datetime import date
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame
from budgetframe.sandbox import NewPart, Sandbox
from tests.facade.service import ServiceWithFacade
from tests.sandbox.ask import Ids

JUNE_1 = date(2026, 6, 1)


def own_house() -> ServiceWithFacade:
    """A connection whose service may be changed."""
    return ServiceWithFacade(limit=1_000_000)


def only(frame: pd.DataFrame, key: str) -> dict[str, Any]:
    """The one row of a transaction."""
    rows: list[dict[Any, Any]] = frame[frame["transaction_id"] == key].to_dict("records")
    (row,) = rows
    return row


@pytest.mark.parametrize("read_before", [True, False])
def test_a_rename_on_another_device_shows_on_every_row(*, read_before: bool) -> None:
    home = own_house()
    ids = Ids(home.service)
    keys = {
        "payee": ids.payee("Corner Market"),
        "category": ids.category("Everyday", "Groceries"),
        "account": ids.account("Checking"),
        "category_group": ids.group("Everyday"),
    }
    if read_before:
        home.bf.ledger()
    else:
        home.bf.transactions()  # the rows are the old ones
    device = home.service.device
    device.rename_payee(keys["payee"], "Eckladen")
    device.rename_category(keys["category"], "Lebensmittel")
    device.rename_account(keys["account"], "Giro")
    device.rename_group(keys["category_group"], "Alltag")
    if read_before:
        home.clock.advance(300.0)
    found = home.bf.ledger()
    names = {
        entity: set(found.loc[found[f"{entity}_id"] == key, f"{entity}_name"])
        for entity, key in keys.items()
    }
    assert names == {
        "payee": {"Eckladen"},
        "category": {"Lebensmittel"},
        "account": {"Giro"},
        "category_group": {"Alltag"},
    }
    targets = found.loc[found["transfer_account_id"] == keys["account"], "transfer_account_name"]
    assert set(targets) == {"Giro"}


def test_a_category_moved_elsewhere_is_in_its_new_group_for_all_years() -> None:
    home = own_house()
    ids = Ids(home.service)
    key = ids.category("Everyday", "Groceries")
    home.bf.ledger()
    home.service.device.move_category(key, ids.group("Home"))
    home.clock.advance(300.0)
    found = home.bf.ledger()
    assert set(found.loc[found["category_id"] == key, "category_group_name"]) == {"Home"}


def test_a_row_with_new_objects_has_their_names() -> None:
    home = own_house()
    home.bf.accounts()
    home.bf.categories()
    home.bf.payees()
    device = home.service.device
    account = device.open_account("Reserve", "savings")
    category = device.add_category("Bees", device.add_group("Garden"))
    key = device.add_transaction(
        account_id=account, date=JUNE_1, amount=-1_230, category_id=category, payee_name="Imker"
    )
    served = home.served
    row = only(home.bf.ledger(), key)
    names = ["account_name", "account_type", "category_name", "category_group_name", "payee_name"]
    assert [row[name] for name in names] == ["Reserve", "savings", "Bees", "Garden", "Imker"]
    assert home.wire.lists[served:] == ["transactions", "accounts", "categories", "payees"]


def test_a_tracking_account_opened_after_the_names_were_read_is_not_taken_for_a_budget_one() -> (
    None
):
    home = own_house()
    home.bf.accounts()
    device, ids = home.service.device, Ids(home.service)
    account = device.open_account("Gold", "otherAsset")
    key = device.add_transaction(
        account_id=ids.account("Checking"),
        date=JUNE_1,
        amount=-5_000,
        payee_id=ids.transfer_to("Gold"),
        category_id=ids.category("Savings", "Investing"),
    )
    found = home.bf.ledger()
    row = only(found, key)
    assert (row["transfer_account_name"], row["transfer_on_budget"]) == ("Gold", False)
    assert (row["is_transfer"], row["is_spending"]) == (True, True)
    assert found.loc[found["account_id"] == account, "on_budget"].tolist() == [False]


def test_a_missing_name_of_a_part_reloads_only_the_list_of_that_name() -> None:
    home = own_house()
    home.bf.accounts()
    home.bf.categories()
    home.bf.payees()
    device, ids = home.service.device, Ids(home.service)
    category = device.add_category("Bees", ids.group("Home"))
    parts = [NewPart(amount=-1_000, category_id=category), NewPart(amount=-2_000)]
    device.add_transaction(
        account_id=ids.account("Checking"), date=JUNE_1, amount=-3_000, parts=parts
    )
    served = home.served
    found = home.bf.ledger()
    assert found.loc[found["category_id"] == category, "category_name"].tolist() == ["Bees"]
    assert home.wire.lists[served:] == ["transactions", "categories"]


def test_names_that_lack_nothing_are_not_read_again() -> None:
    home = own_house()
    home.bf.accounts()
    home.bf.categories()
    home.bf.payees()
    device, ids = home.service.device, Ids(home.service)
    device.add_transaction(account_id=ids.account("Checking"), date=JUNE_1, amount=-3_000)
    served = home.served
    home.bf.ledger()
    assert home.wire.lists[served:] == ["transactions"]


def test_a_ledger_with_reloaded_names_is_cached() -> None:
    home = own_house()
    home.bf.categories()
    device, ids = home.service.device, Ids(home.service)
    category = device.add_category("Bees", ids.group("Home"))
    device.add_transaction(
        account_id=ids.account("Checking"), date=JUNE_1, amount=-1_000, category_id=category
    )
    home.bf.ledger()
    served = home.served
    home.bf.ledger()
    assert home.served == served


def test_a_row_deleted_on_another_device_disappears_from_the_ledger() -> None:
    home = own_house()
    device, ids = home.service.device, Ids(home.service)
    parts = [NewPart(amount=-1_000), NewPart(amount=-2_000)]
    key = device.add_transaction(
        account_id=ids.account("Checking"), date=JUNE_1, amount=-3_000, parts=parts
    )
    before = home.bf.ledger()
    device.delete_transaction(key)
    home.clock.advance(300.0)
    after = home.bf.ledger()
    assert (before["transaction_id"] == key).sum() == 2
    assert_frame_equal(after, before[before["transaction_id"] != key].reset_index(drop=True))


def test_a_failed_reload_of_names_keeps_the_names_of_the_rows_with_a_warning() -> None:
    home = own_house()
    home.bf.categories()
    device, ids = home.service.device, Ids(home.service)
    category = device.add_category("Bees", ids.group("Home"))
    key = device.add_transaction(
        account_id=ids.account("Checking"), date=JUNE_1, amount=-1_000, category_id=category
    )
    home.service.faults = ["500:GET:*/categories"]
    with pytest.warns(RuntimeWarning, match="^the categories may lack some that the") as caught:
        row = only(home.bf.ledger(), key)
    assert len(caught) == 1
    assert (row["category_name"], row["is_spending"]) == ("Bees", True)
    assert row["category_group_name"] == "Not listed"


def test_names_are_reloaded_even_if_the_clock_of_the_service_does_not_advance() -> None:
    service = Sandbox()
    bf = BudgetFrame.sandbox(service)
    bf.categories()
    ids = Ids(service)
    key = service.device.add_category("Balcony", ids.group("Home"))
    service.device.add_transaction(
        account_id=ids.account("Checking"), date=JUNE_1, amount=-1_000, category_id=key
    )
    found = bf.ledger()
    group = found.loc[found["category_id"] == key, "category_group_name"]
    assert group.tolist() == ["Home"]

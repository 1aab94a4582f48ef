"""A returned frame belongs to the caller, and its attrs name its source."""

import gc
import json
import weakref
from collections.abc import Callable
from datetime import datetime

import httpx
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox
from tests.facade.service import LISTS, ServiceWithFacade, data, scripted, untouched

Change = Callable[[pd.DataFrame], object]


def set_values(frame: pd.DataFrame) -> None:
    for name in frame:
        frame.loc[0, name] = frame[name].iloc[-1]


def set_whole_columns(frame: pd.DataFrame) -> None:
    for name in frame:
        frame[name] = "changed"


def delete_columns(frame: pd.DataFrame) -> None:
    for name in list(frame):
        del frame[name]


def rename_columns(frame: pd.DataFrame) -> None:
    frame.columns = frame.columns.str.upper()


def turn_the_index_around(frame: pd.DataFrame) -> None:
    frame.index = frame.index[::-1]


CHANGES: dict[str, Change] = {
    "values": set_values,
    "columns": set_whole_columns,
    "no columns": delete_columns,
    "names": rename_columns,
    "index": turn_the_index_around,
    "attrs": lambda frame: frame.attrs.clear(),
    "new column": lambda frame: frame.insert(0, "mine", 1),
}


def test_changing_a_frame_does_not_change_the_next_one(subtests: pytest.Subtests) -> None:
    bf = ServiceWithFacade().bf
    for name in LISTS:
        for name_of_change, change in CHANGES.items():
            with subtests.test(name=name, name_of_change=name_of_change):
                pristine = getattr(bf, name)().copy(deep=True)
                known = dict(pristine.attrs)
                change(getattr(bf, name)())
                again = getattr(bf, name)()
                assert_frame_equal(again, pristine)
                assert again.attrs == known


def test_changing_a_frame_of_the_export_does_not_change_the_next_one() -> None:
    bf = ServiceWithFacade().bf
    first = bf.export()
    first["accounts"]["balance"] = 0.0
    first.clear()
    assert bf.export()["accounts"]["balance"].abs().sum() > 0


def test_changing_a_period_does_not_change_everything() -> None:
    bf = ServiceWithFacade().bf
    june = bf.transactions(since="2026-06-01")
    june["amount"] = 0.0
    assert bf.transactions()["amount"].abs().sum() > 0


def test_changing_a_model_does_not_change_the_next_one() -> None:
    bf = ServiceWithFacade().bf
    account_id = bf.accounts()["account_id"].iloc[0]
    name = bf.account(account_id).name
    vars(bf.account(account_id))["name"] = "changed"
    assert bf.account(account_id).name == name


def test_a_selection_of_rows_keeps_no_other_frame_in_memory() -> None:
    bf = ServiceWithFacade().bf
    rows = bf.ledger().head(3)
    frames = [weakref.ref(frame) for frame in bf._session.states.of(rows.attrs).values()]
    assert len(frames) == 6
    bf.close()
    del bf
    gc.collect()
    assert [frame() for frame in frames] == [None] * 6
    assert len(rows) == 3


def test_the_attrs_of_a_frame_have_the_time_and_the_path_of_its_request(
    subtests: pytest.Subtests,
) -> None:
    bf = BudgetFrame.sandbox(untouched())
    for name in [*LISTS, "month", "budgets"]:
        with subtests.test(name=name):
            frame = getattr(bf, name)()
            assert frame.attrs["as_of"] == "2026-06-17T12:00:00+00:00"
            assert frame.attrs["source"].startswith("GET /budgets")


@pytest.mark.parametrize("name", [*LISTS, "month"])
def test_the_attrs_of_a_frame_have_the_name_of_the_budget(name: str) -> None:
    frame = getattr(ServiceWithFacade(budget="東京の家計").bf, name)()
    assert frame.attrs["budget"] == "東京の家計"


def test_the_source_of_a_list_is_its_path() -> None:
    service_with_facade = ServiceWithFacade()
    source = service_with_facade.bf.accounts().attrs["source"]
    assert source == f"GET {service_with_facade.path.removeprefix('/v1')}/accounts"


def test_a_cached_frame_has_the_time_of_its_request() -> None:
    service = Sandbox()
    bf = BudgetFrame.sandbox(service, ttl=1_000_000)
    bf.accounts()
    service.advance(days=1)
    assert bf.accounts().attrs["as_of"] == "2026-06-17T12:00:00+00:00"


def test_an_updated_frame_has_the_time_of_the_update() -> None:
    service = Sandbox()
    bf = BudgetFrame.sandbox(service, ttl=0)
    bf.accounts()
    service.advance(days=1)
    assert bf.accounts().attrs["as_of"] == "2026-06-18T12:00:00+00:00"


def test_the_time_of_a_frame_on_a_given_client_is_the_current_time() -> None:
    as_of = datetime.fromisoformat(ServiceWithFacade().bf.accounts().attrs["as_of"])
    age = datetime.now(as_of.tzinfo) - as_of
    assert 0 <= age.total_seconds() < 60


@pytest.mark.parametrize("name", [*LISTS, "month", "budgets"])
def test_the_attrs_of_a_frame_are_small_and_can_be_written_as_json(name: str) -> None:
    attrs = getattr(ServiceWithFacade().bf, name)().attrs
    assert len(json.dumps(attrs)) < 600


def test_money_is_exact_to_the_milliunit() -> None:
    service_with_facade = ServiceWithFacade()
    every = service_with_facade.service.device.state().transactions.live()
    expected = {row.id: row.amount for row in every}
    frame = service_with_facade.bf.transactions()
    got = {
        key: round(amount * 1000)
        for key, amount in zip(frame["transaction_id"], frame["amount"], strict=True)
    }
    assert got == expected


def test_balances_are_those_of_the_service() -> None:
    service_with_facade = ServiceWithFacade()
    frame = service_with_facade.bf.accounts()
    accounts = service_with_facade.service.device.state().accounts
    balances = [accounts[key].balance for key in frame["account_id"]]
    assert (frame["balance"] * 1000).round().astype(int).tolist() == balances


def test_the_attrs_of_a_frame_have_the_currency_format() -> None:
    assert ServiceWithFacade().bf.accounts().attrs["currency_format"] == {
        "iso_code": "EUR",
        "example_format": "123.456,78",
        "decimal_digits": 2,
        "decimal_separator": ",",
        "symbol_first": False,
        "group_separator": ".",
        "currency_symbol": "€",
        "display_symbol": True,
    }


def test_a_frame_of_a_budget_without_a_currency_format_has_none_in_its_attrs() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/budgets":
            return data({"budgets": [{"id": "b1", "name": "Home", "currency_format": None}]})
        return data({"accounts": [], "server_knowledge": 1})

    assert "currency_format" not in scripted(handler).accounts().attrs

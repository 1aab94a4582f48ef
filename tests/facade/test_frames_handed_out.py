"""A returned frame belongs to the caller, and its attrs name its source."""

import gc
import json
import weakref
from collections.abc import Callable

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame

from .service import LISTS, Home, ServiceWithFacade, data, one_budget, read_only, scripted

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


def write_to_the_arrays(frame: pd.DataFrame) -> None:
    for name in frame:
        frame[name].array[0] = frame[name].array[-1]


CHANGES: dict[str, Change] = {
    "values": set_values, "arrays": write_to_the_arrays, "columns": set_whole_columns,
    "no columns": delete_columns, "names": rename_columns, "index": turn_the_index_around,
    "attrs": lambda frame: frame.attrs.clear(),
    "new column": lambda frame: frame.insert(0, "mine", 1),
}  # fmt: skip


def test_changing_a_frame_keeps_the_next_one(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    for name in (*LISTS, "ledger"):
        pristine = getattr(bf, name)().copy(deep=True)
        known = dict(pristine.attrs)
        for name_of_change, change in CHANGES.items():
            with subtests.test(name=name, name_of_change=name_of_change):
                change(getattr(bf, name)())
                again = getattr(bf, name)()
                assert_frame_equal(again, pristine)
                assert again.attrs == known


def test_changing_a_frame_of_the_export_does_not_change_the_next_one(bf: BudgetFrame) -> None:
    first = bf.export()
    first["accounts"]["balance"] = 0.0
    first.clear()
    assert bf.export()["accounts"]["balance"].abs().sum() > 0


def test_changing_a_model_does_not_change_the_next_one(bf: BudgetFrame) -> None:
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


def test_the_attrs_of_a_frame_have_its_time_its_path_and_its_budget(
    home: ServiceWithFacade, subtests: pytest.Subtests
) -> None:
    bf = BudgetFrame.sandbox(home.service, budget="東京の家計")
    path = f"GET /budgets/{home.service.device.state('東京の家計').id}"
    for name in [*LISTS, "month", "budgets"]:
        with subtests.test(name=name):
            attrs = getattr(bf, name)().attrs
            assert attrs["as_of"] == "2026-06-17T12:00:00+00:00"
            assert attrs["source"].startswith(path if name != "budgets" else "GET /budgets")
            assert name == "budgets" or attrs["budget"] == "東京の家計"
            assert len(json.dumps(attrs)) < 700
    assert bf.accounts().attrs["source"] == f"{path}/accounts"


def test_a_cached_frame_has_the_time_of_its_request_and_an_updated_one_that_of_the_update() -> None:
    home = Home()
    home.bf.accounts()
    home.service.advance(days=1)
    assert home.bf.accounts().attrs["as_of"] == "2026-06-17T12:00:00+00:00"
    home.clock.advance(300.0)
    assert home.bf.accounts().attrs["as_of"] == "2026-06-18T12:00:00+00:00"


def test_the_attrs_of_a_frame_have_the_currency_format() -> None:
    assert read_only().accounts().attrs["currency_format"] == {
        "iso_code": "EUR", "example_format": "123.456,78", "decimal_digits": 2,
        "decimal_separator": ",", "symbol_first": False, "group_separator": ".",
        "currency_symbol": "€", "display_symbol": True,
    }  # fmt: skip


def test_a_frame_of_a_budget_without_a_currency_format_has_none_in_its_attrs() -> None:
    service = one_budget(lambda _: data({"accounts": []}), currency_format=None)
    assert "currency_format" not in scripted(service).accounts().attrs

"""Lists in `DeltaCache`: `update`, `get_data`, `get_knowledge` and the methods that drop."""

import inspect
import time
from collections.abc import Callable
from typing import Any

import pytest

from budgetframe import DeltaCache

from .test_third_storage import STORAGES

KEY = "b1:accounts"
SINCE = {"since_date": "2020-01-01"}
LATER = {"since_date": "2024-01-01"}


def rows(*ids: str) -> dict[str, Any]:
    return {"accounts": [{"id": name} for name in ids]}


@pytest.fixture(params=STORAGES)
def cache(request: pytest.FixtureRequest) -> DeltaCache:
    return DeltaCache(storage=request.param())


def test_default_clocks_are_those_of_the_time_module() -> None:
    parameters = inspect.signature(DeltaCache).parameters
    defaults = (parameters["clock"].default, parameters["wall_clock"].default)
    assert defaults == (time.monotonic, time.time)


def test_update_replaces_the_whole_entry_also_with_a_lower_knowledge(cache: DeltaCache) -> None:
    assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (None, None)
    for knowledge, data in ((5, {**rows("a1"), "more": 1}), (6, rows("a2")), (0, rows("a3"))):
        cache.update(KEY, data, knowledge)
        assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (knowledge, data)


def test_changing_arguments_or_results_later_does_not_change_the_entry(cache: DeltaCache) -> None:
    given, params = rows("a1"), dict(SINCE)
    cache.update(KEY, given, 5, params=params)
    params["since_date"] = "1999-01-01"
    returned = cache.get_data(KEY)
    assert returned is not None
    for data in (given, returned):
        data["accounts"][0]["id"] = "changed"
        data["accounts"].append({"id": "changed"})
    assert cache.get_data(KEY, params=SINCE) == rows("a1")


DROPS: dict[str, tuple[Callable[[DeltaCache], None], set[str]]] = {
    # how entries are dropped, and the keys that remain
    "invalidate": (lambda cache: cache.invalidate(KEY),
        {"b1:payees", "b1:accounts_more", "b1:account", "b2:accounts", "b10:payees",
         "xb1:accounts", "b:accounts"}),
    "invalidate_budget": (lambda cache: cache.invalidate_budget("b1"),
        {"b2:accounts", "b10:payees", "xb1:accounts", "b:accounts"}),
    "clear": (lambda cache: cache.clear(), set()),
}  # fmt: skip


@pytest.mark.parametrize(("drop", "remaining"), DROPS.values(), ids=DROPS)
def test_a_drop_concerns_all_parameters_of_its_keys_and_no_other_key(
    cache: DeltaCache, drop: Callable[[DeltaCache], None], remaining: set[str]
) -> None:
    drop(cache)  # a missing entry is no error
    keys = [KEY, *DROPS["invalidate"][1]]
    for key in keys:
        cache.update(key, rows("a1"), 5, params={})
        cache.update(key, rows("a2"), 6, params=SINCE)
    drop(cache)
    for params in (None, {}, SINCE):
        assert {key for key in keys if cache.get_data(key, params=params)} == remaining


# Each entry belongs to a set of query parameters.


@pytest.mark.parametrize(
    ("stored", "asked"),
    [(SINCE, {}), (SINCE, LATER), (SINCE, {**SINCE, "type": "unapproved"}), ({}, SINCE)], ids=str,
)  # fmt: skip
def test_entry_with_parameters_is_found_under_these_only(
    cache: DeltaCache, stored: dict[str, str], asked: dict[str, str]
) -> None:
    cache.update(KEY, rows("a1"), 5, params=stored)
    for params, knowledge, data in ((stored, 5, rows("a1")), (asked, None, None)):
        assert cache.get_knowledge(KEY, params=params) == knowledge
        assert cache.get_data(KEY, params=params) == data


@pytest.mark.parametrize("params", [None, {}, SINCE])
def test_entry_without_params_serves_any(cache: DeltaCache, params: dict[str, str] | None) -> None:
    cache.update(KEY, rows("a1"), 5)
    assert (cache.get_knowledge(KEY, params=params), cache.get_data(KEY, params=params)) == (
        5, rows("a1"),
    )  # fmt: skip


def test_order_of_parameters_does_not_matter(cache: DeltaCache) -> None:
    cache.update(KEY, rows("a1"), 5, params={"a": "1", "b": "2"})
    assert cache.get_knowledge(KEY, params={"b": "2", "a": "1"}) == 5


def test_update_without_params_replaces_all_sets_of_parameters(cache: DeltaCache) -> None:
    cache.update(KEY, rows("a1"), 5, params={})
    cache.update(KEY, rows("a2"), 6, params=SINCE)
    cache.update(KEY, rows("a3"), 7)
    seen = [cache.get_data(KEY, params=params) for params in (None, {}, SINCE, LATER)]
    assert seen == [rows("a3")] * 4


@pytest.mark.parametrize("order", [({}, SINCE), (SINCE, {})])
def test_key_alone_means_the_entry_without_parameters(
    cache: DeltaCache, order: tuple[dict[str, str], dict[str, str]]
) -> None:
    for params in order:
        cache.update(KEY, rows("one" if params else "none"), 6 if params else 5, params=params)
    assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (5, rows("none"))


def test_key_alone_means_the_set_that_was_updated_last(cache: DeltaCache) -> None:
    cache.update(KEY, rows("first"), 5, params=SINCE)
    cache.update(KEY, rows("second"), 6, params=LATER)
    cache.update(KEY, rows("third"), 7, params=SINCE)
    assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (7, rows("third"))


def test_cursor_never_moves_backwards_after_an_empty_delta(cache: DeltaCache) -> None:
    cache.answers.store(cache.answers.look_up("b1:payees"), {"payees": [{"id": "p1"}]}, 9)
    late = cache.answers.look_up("b1:payees")
    cache.answers.apply(cache.answers.look_up("b1:payees"), {"payees": []}, 20)
    cache.answers.store(late, {"payees": []}, 10)
    cache.answers.discard(late)
    assert cache.get_knowledge("b1:payees") == 20
    assert cache.get_data("b1:payees") == {"payees": [{"id": "p1"}]}

"""Lists in `DeltaCache`: `update`, `get_data`, `get_knowledge` and the methods that drop."""

import inspect
import time
from typing import Any

import pytest

from budgetframe import DeltaCache

KEY = "b1:accounts"
SINCE = {"since_date": "2020-01-01"}
LATER = {"since_date": "2024-01-01"}


def rows(*ids: str) -> dict[str, Any]:
    return {"accounts": [{"id": name} for name in ids]}


@pytest.fixture
def cache() -> DeltaCache:
    return DeltaCache()


def test_default_clocks_are_those_of_the_time_module() -> None:
    parameters = inspect.signature(DeltaCache).parameters
    defaults = (parameters["clock"].default, parameters["wall_clock"].default)
    assert defaults == (time.monotonic, time.time)


def test_missing_entry_has_no_knowledge(cache: DeltaCache) -> None:
    assert cache.get_knowledge(KEY) is None


def test_missing_entry_has_no_data(cache: DeltaCache) -> None:
    assert cache.get_data(KEY) is None


def test_update_stores_knowledge_and_data(cache: DeltaCache) -> None:
    cache.update(KEY, rows("a1"), 5)
    assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (5, rows("a1"))


def test_update_replaces_the_whole_entry(cache: DeltaCache) -> None:
    cache.update(KEY, {**rows("a1"), "more": 1}, 5)
    cache.update(KEY, rows("a2"), 6)
    assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (6, rows("a2"))


@pytest.mark.parametrize("knowledge", [4, 0])
def test_update_may_set_a_lower_knowledge(cache: DeltaCache, knowledge: int) -> None:
    cache.update(KEY, rows("a1"), 5)
    cache.update(KEY, rows("a2"), knowledge)
    assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (knowledge, rows("a2"))


def test_entries_of_two_keys_are_separate(cache: DeltaCache) -> None:
    cache.update("b1:accounts", rows("a1"), 5)
    cache.update("b2:accounts", rows("a2"), 6)
    assert (cache.get_knowledge("b1:accounts"), cache.get_knowledge("b2:accounts")) == (5, 6)


def test_changing_returned_data_does_not_change_the_entry(cache: DeltaCache) -> None:
    cache.update(KEY, rows("a1"), 5)
    data = cache.get_data(KEY)
    assert data is not None
    data["accounts"][0]["id"] = "changed"
    data["accounts"].append({"id": "changed"})
    assert cache.get_data(KEY) == rows("a1")


def test_changing_the_argument_later_does_not_change_the_entry(cache: DeltaCache) -> None:
    data = rows("a1")
    cache.update(KEY, data, 5)
    data["accounts"][0]["id"] = "changed"
    data["accounts"].append({"id": "changed"})
    assert cache.get_data(KEY) == rows("a1")


def test_invalidate_drops_the_entry(cache: DeltaCache) -> None:
    cache.update(KEY, rows("a1"), 5)
    cache.invalidate(KEY)
    assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (None, None)


def test_invalidate_drops_one_key_only(cache: DeltaCache, subtests: pytest.Subtests) -> None:
    for other in ["b1:payees", "b2:accounts", "b1:accounts_more", "b1:account"]:
        with subtests.test(other=other):
            cache.update(other, rows("a1"), 5)
            cache.invalidate(KEY)
            assert cache.get_knowledge(other) == 5


def test_invalidate_of_a_missing_entry_does_nothing(cache: DeltaCache) -> None:
    cache.update("b1:payees", rows("p1"), 5)
    cache.invalidate(KEY)
    assert cache.get_data("b1:payees") == rows("p1")


@pytest.mark.parametrize("key", ["b1:accounts", "b1:payees", "b1:months"])
def test_invalidate_budget_drops_every_key_of_the_budget(cache: DeltaCache, key: str) -> None:
    cache.update(key, rows("a1"), 5)
    cache.invalidate_budget("b1")
    assert cache.get_data(key) is None


def test_invalidate_budget_keeps_other_budgets(
    cache: DeltaCache, subtests: pytest.Subtests
) -> None:
    for key in ["b2:accounts", "b10:accounts", "xb1:accounts", "b:accounts"]:
        with subtests.test(key=key):
            cache.update(key, rows("a1"), 5)
            cache.invalidate_budget("b1")
            assert cache.get_data(key) == rows("a1")


def test_clear_drops_every_delta_entry(cache: DeltaCache) -> None:
    cache.update("b1:accounts", rows("a1"), 5)
    cache.update("b2:payees", rows("p1"), 6, params=SINCE)
    cache.clear()
    assert (cache.get_data("b1:accounts"), cache.get_data("b2:payees")) == (None, None)


# Each entry belongs to a set of query parameters.


def test_entry_with_parameters_is_found_under_them(cache: DeltaCache) -> None:
    cache.update(KEY, rows("a1"), 5, params=SINCE)
    assert (cache.get_knowledge(KEY, params=SINCE), cache.get_data(KEY, params=SINCE)) == (
        5,
        rows("a1"),
    )


@pytest.mark.parametrize("params", [{}, LATER, {**SINCE, "type": "unapproved"}])
def test_entry_with_parameters_is_not_found_under_others(
    cache: DeltaCache, params: dict[str, str]
) -> None:
    cache.update(KEY, rows("a1"), 5, params=SINCE)
    assert (cache.get_knowledge(KEY, params=params), cache.get_data(KEY, params=params)) == (
        None,
        None,
    )


def test_entry_with_empty_parameters_serves_no_other_parameters(cache: DeltaCache) -> None:
    cache.update(KEY, rows("a1"), 5, params={})
    assert (cache.get_knowledge(KEY, params={}), cache.get_knowledge(KEY, params=SINCE)) == (
        5,
        None,
    )


@pytest.mark.parametrize("params", [None, {}, SINCE])
def test_entry_stored_without_params_serves_any_parameters(
    cache: DeltaCache, params: dict[str, str] | None
) -> None:
    cache.update(KEY, rows("a1"), 5)
    assert (cache.get_knowledge(KEY, params=params), cache.get_data(KEY, params=params)) == (
        5,
        rows("a1"),
    )


def test_order_of_parameters_does_not_matter(cache: DeltaCache) -> None:
    cache.update(KEY, rows("a1"), 5, params={"a": "1", "b": "2"})
    assert cache.get_knowledge(KEY, params={"b": "2", "a": "1"}) == 5


def test_each_set_of_parameters_has_its_own_entry(cache: DeltaCache) -> None:
    cache.update(KEY, rows("a1", "a2"), 5, params={})
    cache.update(KEY, rows("a2"), 6, params=SINCE)
    assert (cache.get_data(KEY, params={}), cache.get_data(KEY, params=SINCE)) == (
        rows("a1", "a2"),
        rows("a2"),
    )


def test_update_without_params_replaces_all_sets_of_parameters(cache: DeltaCache) -> None:
    cache.update(KEY, rows("a1"), 5, params={})
    cache.update(KEY, rows("a2"), 6, params=SINCE)
    cache.update(KEY, rows("a3"), 7)
    seen = [cache.get_data(KEY, params=params) for params in (None, {}, SINCE, LATER)]
    assert seen == [rows("a3")] * 4


def test_invalidate_drops_all_sets_of_parameters(cache: DeltaCache) -> None:
    cache.update(KEY, rows("a1"), 5, params={})
    cache.update(KEY, rows("a2"), 6, params=SINCE)
    cache.invalidate(KEY)
    seen = [cache.get_data(KEY, params=params) for params in (None, {}, SINCE)]
    assert seen == [None, None, None]


def test_invalidate_budget_drops_all_sets_of_parameters(cache: DeltaCache) -> None:
    cache.update(KEY, rows("a1"), 5, params={})
    cache.update(KEY, rows("a2"), 6, params=SINCE)
    cache.invalidate_budget("b1")
    assert (cache.get_data(KEY, params={}), cache.get_data(KEY, params=SINCE)) == (None, None)


@pytest.mark.parametrize("order", [({}, SINCE), (SINCE, {})])
def test_key_alone_means_the_entry_without_parameters(
    cache: DeltaCache, order: tuple[dict[str, str], dict[str, str]]
) -> None:
    for params in order:
        cache.update(KEY, rows("one" if params else "none"), 6 if params else 5, params=params)
    assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (5, rows("none"))


@pytest.mark.parametrize("order", [(SINCE, LATER), (LATER, SINCE)])
def test_key_alone_means_the_newest_entry_if_all_have_parameters(
    cache: DeltaCache, order: tuple[dict[str, str], dict[str, str]]
) -> None:
    cache.update(KEY, rows("first"), 9, params=order[0])
    cache.update(KEY, rows("second"), 5, params=order[1])
    assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (5, rows("second"))


def test_key_alone_means_the_set_that_was_updated_last(cache: DeltaCache) -> None:
    cache.update(KEY, rows("first"), 5, params=SINCE)
    cache.update(KEY, rows("second"), 6, params=LATER)
    cache.update(KEY, rows("third"), 7, params=SINCE)
    assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (7, rows("third"))


def test_changing_the_parameters_later_does_not_change_the_entry(cache: DeltaCache) -> None:
    params = dict(SINCE)
    cache.update(KEY, rows("a1"), 5, params=params)
    params["since_date"] = "1999-01-01"
    assert cache.get_knowledge(KEY, params=SINCE) == 5


def test_cursor_never_moves_backwards_after_an_empty_delta(cache: DeltaCache) -> None:
    cache.answers.store(cache.answers.look_up("b1:payees"), {"payees": [{"id": "p1"}]}, 9)
    late = cache.answers.look_up("b1:payees")
    cache.answers.apply(cache.answers.look_up("b1:payees"), {"payees": []}, 20)
    cache.answers.store(late, {"payees": []}, 10)
    cache.answers.discard(late)
    assert cache.get_knowledge("b1:payees") == 20
    assert cache.get_data("b1:payees") == {"payees": [{"id": "p1"}]}

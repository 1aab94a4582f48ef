"""`DeltaCache.merge`: how a delta changes a list."""

import copy
from typing import Any

import pytest

from budgetframe import DeltaCache
from budgetframe._cache.merge import merge, positions_in
from tests.client.wire import by_id

KEY = "b1:accounts"
Json = dict[str, Any]


@pytest.fixture
def cache() -> DeltaCache:
    return DeltaCache()


def merged(cached: Json, delta: Json, key: str = KEY) -> Json:
    """Return the stored data after a merge."""
    cache = DeltaCache()
    cache.update(key, cached, 5)
    cache.merge(key, delta, 6)
    stored = cache.get_data(key)
    assert stored is not None
    return stored


def test_row_with_a_known_id_is_replaced() -> None:
    cached = {"accounts": [{"id": "a1", "name": "old"}, {"id": "a2", "name": "kept"}]}
    after = merged(cached, {"accounts": [{"id": "a1", "name": "new"}]})
    assert by_id(after["accounts"]) == {
        "a1": {"id": "a1", "name": "new"},
        "a2": {"id": "a2", "name": "kept"},
    }


def test_replaced_row_keeps_nothing_of_the_old_one() -> None:
    cached = {"accounts": [{"id": "a1", "name": "old", "note": "old"}]}
    after = merged(cached, {"accounts": [{"id": "a1", "name": "new"}]})
    assert after == {"accounts": [{"id": "a1", "name": "new"}]}


def test_row_with_a_new_id_is_added() -> None:
    after = merged({"accounts": [{"id": "a1"}]}, {"accounts": [{"id": "a2"}]})
    assert set(by_id(after["accounts"])) == {"a1", "a2"}


def test_row_is_added_to_an_empty_list() -> None:
    after = merged({"accounts": []}, {"accounts": [{"id": "a1"}]})
    assert after == {"accounts": [{"id": "a1"}]}


def test_deleted_row_is_removed() -> None:
    cached = {"accounts": [{"id": "a1"}, {"id": "a2"}]}
    after = merged(cached, {"accounts": [{"id": "a1", "deleted": True}]})
    assert after == {"accounts": [{"id": "a2"}]}


def test_last_row_can_be_removed() -> None:
    after = merged({"accounts": [{"id": "a1"}]}, {"accounts": [{"id": "a1", "deleted": True}]})
    assert after == {"accounts": []}


def test_row_with_deleted_false_stays() -> None:
    row = {"id": "a1", "deleted": False, "name": "new"}
    after = merged({"accounts": [{"id": "a1", "deleted": False}]}, {"accounts": [row]})
    assert after == {"accounts": [row]}


def test_deleted_row_of_an_unknown_row_adds_nothing() -> None:
    after = merged({"accounts": [{"id": "a1"}]}, {"accounts": [{"id": "a9", "deleted": True}]})
    assert after == {"accounts": [{"id": "a1"}]}


def test_one_delta_can_replace_add_and_remove_rows() -> None:
    cached = {"accounts": [{"id": "a1", "n": 1}, {"id": "a2", "n": 2}, {"id": "a3", "n": 3}]}
    delta = [{"id": "a4", "n": 4}, {"id": "a2", "deleted": True}, {"id": "a3", "n": 30}]
    assert by_id(merged(cached, {"accounts": delta})["accounts"]) == {
        "a1": {"id": "a1", "n": 1},
        "a3": {"id": "a3", "n": 30},
        "a4": {"id": "a4", "n": 4},
    }


def test_empty_delta_list_changes_nothing() -> None:
    after = merged({"accounts": [{"id": "a1"}]}, {"accounts": []})
    assert after == {"accounts": [{"id": "a1"}]}


@pytest.mark.parametrize("new", [7, "new", None, True, {"id": "b1", "name": "new"}])
def test_value_that_is_no_list_is_replaced(new: Any) -> None:
    cached = {"accounts": [{"id": "a1"}], "other": {"name": "old", "more": 1}}
    assert merged(cached, {"other": new}) == {"accounts": [{"id": "a1"}], "other": new}


def test_key_that_the_delta_does_not_have_is_kept() -> None:
    after = merged({"accounts": [{"id": "a1"}], "other": 1}, {"accounts": []})
    assert after == {"accounts": [{"id": "a1"}], "other": 1}


@pytest.mark.parametrize("value", [[{"id": "p1"}], 7, {"a": 1}, ["x"]])
def test_key_that_the_entry_does_not_have_is_added(value: Any) -> None:
    after = merged({"accounts": []}, {"more": value})
    assert after == {"accounts": [], "more": value}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(["x", "y"], ["z"], id="strings"),
        pytest.param(["x", "y"], [], id="strings emptied"),
        pytest.param([1, 2], [3], id="numbers"),
        pytest.param([{"name": "x"}], [{"name": "y"}], id="objects without a key"),
        pytest.param([[1], [2]], [[3]], id="lists"),
    ],
)
def test_list_of_rows_without_a_key_is_replaced(old: Any, new: Any) -> None:
    assert merged({"things": old}, {"things": new}) == {"things": new}


def test_two_lists_of_one_answer_are_merged_separately() -> None:
    cached = {"accounts": [{"id": "x", "n": 1}], "payees": [{"id": "x", "n": 2}]}
    after = merged(cached, {"payees": [{"id": "x", "n": 3}]})
    assert after == {"accounts": [{"id": "x", "n": 1}], "payees": [{"id": "x", "n": 3}]}


# Months have the key `month` instead of an id.


def test_month_is_replaced_by_its_month() -> None:
    cached = {
        "months": [{"month": "2026-04-01", "income": 1.0}, {"month": "2026-05-01", "income": 2.0}]
    }
    after = merged(cached, {"months": [{"month": "2026-05-01", "income": 9.0}]}, "b1:months")
    assert sorted(after["months"], key=lambda row: str(row["month"])) == [
        {"month": "2026-04-01", "income": 1.0},
        {"month": "2026-05-01", "income": 9.0},
    ]


def test_new_month_is_added() -> None:
    after = merged(
        {"months": [{"month": "2026-04-01"}]}, {"months": [{"month": "2026-05-01"}]}, "b1:months"
    )
    assert {row["month"] for row in after["months"]} == {"2026-04-01", "2026-05-01"}


def test_deleted_month_is_removed() -> None:
    cached = {"months": [{"month": "2026-04-01"}, {"month": "2026-05-01"}]}
    delta = {"months": [{"month": "2026-04-01", "deleted": True}]}
    assert merged(cached, delta, "b1:months") == {"months": [{"month": "2026-05-01"}]}


def test_empty_delta_of_months_changes_nothing() -> None:
    after = merged({"months": [{"month": "2026-04-01"}]}, {"months": []}, "b1:months")
    assert after == {"months": [{"month": "2026-04-01"}]}


def month(income: float, *categories: Json) -> Json:
    return {"month": "2026-05-01", "income": income, "categories": list(categories)}


def test_categories_of_a_month_are_merged_by_id() -> None:
    cached = {"months": [month(1.0, {"id": "c1", "n": 1}, {"id": "c2", "n": 2})]}
    delta = {"months": [month(9.0, {"id": "c2", "n": 20}, {"id": "c3", "n": 3})]}
    after = merged(cached, delta, "b1:months")["months"][0]
    assert (after["income"], by_id(after["categories"])) == (
        9.0,
        {
            "c1": {"id": "c1", "n": 1},
            "c2": {"id": "c2", "n": 20},
            "c3": {"id": "c3", "n": 3},
        },
    )


def test_deleted_category_of_a_month_is_removed() -> None:
    cached = {"months": [month(1.0, {"id": "c1"}, {"id": "c2"})]}
    delta = {"months": [month(1.0, {"id": "c2", "deleted": True})]}
    assert merged(cached, delta, "b1:months") == {"months": [month(1.0, {"id": "c1"})]}


def test_month_without_changed_categories_keeps_those_it_had() -> None:
    cached = {"months": [month(1.0, {"id": "c1"})]}
    assert merged(cached, {"months": [month(2.0)]}, "b1:months") == {
        "months": [month(2.0, {"id": "c1"})]
    }


def test_month_without_a_list_of_categories_keeps_those_it_had() -> None:
    cached = {"months": [month(1.0, {"id": "c1"})]}
    delta = {"months": [{"month": "2026-05-01", "income": 2.0}]}
    assert merged(cached, delta, "b1:months") == {"months": [month(2.0, {"id": "c1"})]}


# A delta contains all parts of a split transaction.


@pytest.mark.parametrize("resource", ["transactions", "scheduled_transactions"])
def test_deleted_part_of_a_replaced_transaction_is_removed(resource: str) -> None:
    cached = {resource: [{"id": "t1", "subtransactions": [{"id": "s1"}, {"id": "s2"}]}]}
    parts = [{"id": "s1", "deleted": True}, {"id": "s2", "deleted": False}, {"id": "s3"}]
    after = merged(cached, {resource: [{"id": "t1", "subtransactions": parts}]}, f"b1:{resource}")
    assert after == {
        resource: [{"id": "t1", "subtransactions": [{"id": "s2", "deleted": False}, {"id": "s3"}]}]
    }


def test_parts_of_a_replaced_transaction_are_those_of_the_delta() -> None:
    cached = {"transactions": [{"id": "t1", "subtransactions": [{"id": "s1"}, {"id": "s2"}]}]}
    delta = {"transactions": [{"id": "t1", "subtransactions": [{"id": "s3"}]}]}
    assert merged(cached, delta, "b1:transactions") == delta


# Knowledge, parameters, and copies of the arguments and results.


def test_merge_returns_what_is_stored(cache: DeltaCache) -> None:
    cache.update(KEY, {"accounts": [{"id": "a1"}]}, 5)
    returned = cache.merge(KEY, {"accounts": [{"id": "a1", "n": 1}]}, 6)
    assert (returned, cache.get_data(KEY)) == (
        {"accounts": [{"id": "a1", "n": 1}]},
        {"accounts": [{"id": "a1", "n": 1}]},
    )


def test_merge_moves_the_knowledge_forward(cache: DeltaCache) -> None:
    cache.update(KEY, {"accounts": []}, 5)
    cache.merge(KEY, {"accounts": []}, 9)
    assert cache.get_knowledge(KEY) == 9


def test_merge_with_the_same_knowledge_takes_effect(cache: DeltaCache) -> None:
    cache.update(KEY, {"accounts": [{"id": "a1"}]}, 5)
    assert cache.merge(KEY, {"accounts": [{"id": "a1", "n": 1}]}, 5) == {
        "accounts": [{"id": "a1", "n": 1}]
    }


def test_merge_with_a_lower_knowledge_returns_the_cached_data(cache: DeltaCache) -> None:
    cache.update(KEY, {"accounts": [{"id": "a1"}]}, 5)
    delta = {"accounts": [{"id": "a1", "deleted": True}], "more": 1}
    assert cache.merge(KEY, delta, 4) == {"accounts": [{"id": "a1"}]}


def test_merge_with_a_lower_knowledge_changes_nothing(cache: DeltaCache) -> None:
    cache.update(KEY, {"accounts": [{"id": "a1"}]}, 5)
    cache.merge(KEY, {"accounts": [{"id": "a1", "deleted": True}], "more": 1}, 4)
    assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (5, {"accounts": [{"id": "a1"}]})


def test_merge_without_an_entry_stores_the_delta(cache: DeltaCache) -> None:
    returned = cache.merge(KEY, {"accounts": [{"id": "a1"}]}, 6)
    assert (returned, cache.get_knowledge(KEY), cache.get_data(KEY)) == (
        {"accounts": [{"id": "a1"}]},
        6,
        {"accounts": [{"id": "a1"}]},
    )


def test_merge_after_invalidation_stores_the_delta(cache: DeltaCache) -> None:
    cache.update(KEY, {"accounts": [{"id": "a1"}]}, 50)
    cache.invalidate(KEY)
    cache.merge(KEY, {"accounts": [{"id": "a2"}]}, 6)
    assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (6, {"accounts": [{"id": "a2"}]})


def test_merge_changes_only_the_entry_of_its_parameters(cache: DeltaCache) -> None:
    since = {"since_date": "2020-01-01"}
    cache.update(KEY, {"accounts": [{"id": "a1"}]}, 5, params={})
    cache.update(KEY, {"accounts": [{"id": "a1"}]}, 6, params=since)
    cache.merge(KEY, {"accounts": [{"id": "a1", "n": 1}]}, 7, params=since)
    assert (cache.get_data(KEY, params={}), cache.get_data(KEY, params=since)) == (
        {"accounts": [{"id": "a1"}]},
        {"accounts": [{"id": "a1", "n": 1}]},
    )


def test_merge_with_new_parameters_stores_another_entry(cache: DeltaCache) -> None:
    since = {"since_date": "2020-01-01"}
    cache.update(KEY, {"accounts": [{"id": "a1"}]}, 5, params={})
    cache.merge(KEY, {"accounts": [{"id": "a2"}]}, 3, params=since)
    assert (cache.get_knowledge(KEY, params={}), cache.get_knowledge(KEY, params=since)) == (5, 3)


def test_merge_does_not_change_the_delta(cache: DeltaCache) -> None:
    delta = {
        "transactions": [{"id": "t1", "subtransactions": [{"id": "s1", "deleted": True}]}],
        "category_groups": [{"id": "g1", "categories": [{"id": "c1", "deleted": True}]}],
    }
    before = copy.deepcopy(delta)
    cache.update(KEY, {"transactions": [{"id": "t1"}], "category_groups": []}, 5)
    cache.merge(KEY, delta, 6)
    assert delta == before


def test_merge_does_not_change_data_returned_earlier(cache: DeltaCache) -> None:
    cache.update(KEY, {"accounts": [{"id": "a1"}]}, 5)
    earlier = cache.get_data(KEY)
    cache.merge(KEY, {"accounts": [{"id": "a1", "deleted": True}, {"id": "a2"}]}, 6)
    assert earlier == {"accounts": [{"id": "a1"}]}


@pytest.mark.parametrize("knowledge", [4, 6])
def test_changing_the_result_of_merge_does_not_change_the_entry(
    cache: DeltaCache, knowledge: int
) -> None:
    cache.update(KEY, {"accounts": [{"id": "a1"}]}, 5)
    returned = cache.merge(KEY, {"accounts": []}, knowledge)
    returned["accounts"][0]["id"] = "changed"
    assert cache.get_data(KEY) == {"accounts": [{"id": "a1"}]}


def test_changing_the_delta_after_the_merge_does_not_change_the_entry(cache: DeltaCache) -> None:
    parts = [{"id": "s1"}]
    delta: Json = {"transactions": [{"id": "t1", "subtransactions": parts, "more": {"a": [1]}}]}
    cache.update("b1:transactions", {"transactions": [{"id": "t1"}]}, 5)
    cache.merge("b1:transactions", delta, 6)
    parts[0]["id"] = "changed"
    delta["transactions"][0]["more"]["a"].append("changed")
    assert cache.get_data("b1:transactions") == {
        "transactions": [{"id": "t1", "subtransactions": [{"id": "s1"}], "more": {"a": [1]}}]
    }


def test_merge_keeps_the_positions_of_the_old_list_valid() -> None:
    old = {"accounts": [{"id": "a"}]}
    positions = positions_in(old)
    of_old = positions["accounts"]
    merge(old, {"accounts": [{"id": "b"}]}, positions)
    assert of_old == {"a": 0}
    assert positions == {"accounts": {"a": 0, "b": 1}}

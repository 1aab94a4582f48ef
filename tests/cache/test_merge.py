"""`DeltaCache.merge`: how a delta changes a list."""

import copy
from typing import Any

import pytest

from budgetframe import DeltaCache
from budgetframe._cache.merge import merge

KEY = "b1:accounts"
Json = dict[str, Any]


@pytest.fixture
def cache() -> DeltaCache:
    return DeltaCache()


def month(income: float, *categories: Json) -> Json:
    return {"month": "2026-05-01", "income": income, "categories": list(categories)}


A1, A2, A3 = ({"id": f"a{n}", "n": n} for n in (1, 2, 3))
APRIL, MAY = {"month": "2026-04-01"}, {"month": "2026-05-01"}
MERGES: dict[str, tuple[Json, Json, Json]] = {
    # the stored data, the delta, and the data after the merge
    "one delta replaces, adds and removes rows": ({"accounts": [A1, A2, A3]},
        {"accounts": [{"id": "a4"}, {"id": "a2", "deleted": True}, {"id": "a3", "more": 30}]},
        {"accounts": [A1, {"id": "a3", "more": 30}, {"id": "a4"}]}),
    "a list in which a key occurs twice": ({"accounts": [A1, A2, {"id": "a1", "n": 9}]},
        {"accounts": [{"id": "a2", "n": 8}]},
        {"accounts": [{"id": "a1", "n": 9}, {"id": "a2", "n": 8}]}),
    "values that are no lists": (
        {"accounts": [A1], "text": "old", "row": {"name": "old", "more": 1}, "kept": 1},
        {"text": None, "row": {"name": "new"}, "new": 7},
        {"accounts": [A1], "text": None, "row": {"name": "new"}, "kept": 1, "new": 7}),
    "a new list": ({"accounts": []}, {"more": [A1]}, {"accounts": [], "more": [A1]}),
    "lists of rows without a key": (
        {"texts": ["x", "y"], "none": ["x"], "numbers": [1], "rows": [{"n": 1}], "lists": [[1]]},
        {"texts": ["z"], "none": [], "numbers": [3], "rows": [{"n": 2}], "lists": [[3]]},
        {"texts": ["z"], "none": [], "numbers": [3], "rows": [{"n": 2}], "lists": [[3]]}),
    "one of two lists with the same keys": ({"accounts": [A1], "payees": [A1]},
        {"payees": [{"id": "a1", "n": 9}]}, {"accounts": [A1], "payees": [{"id": "a1", "n": 9}]}),
    "months, whose key is the month": ({"months": [APRIL, MAY]},
        {"months": [{**MAY, "income": 9.0}, {**APRIL, "deleted": True}, {"month": "2026-06-01"}]},
        {"months": [{**MAY, "income": 9.0}, {"month": "2026-06-01"}]}),
    "no months": ({"months": [APRIL]}, {"months": []}, {"months": [APRIL]}),
    "categories of a month": ({"months": [month(1.0, {"id": "c1"}, {"id": "c2"}, {"id": "c3"})]},
        {"months": [month(9.0, {"id": "c2", "n": 2}, {"id": "c3", "deleted": True}, {"id": "c4"})]},
        {"months": [month(9.0, {"id": "c1"}, {"id": "c2", "n": 2}, {"id": "c4"})]}),
    "a month without changed categories": ({"months": [month(1.0, {"id": "c1"})]},
        {"months": [month(2.0)]}, {"months": [month(2.0, {"id": "c1"})]}),
    "a month without a list of categories": ({"months": [month(1.0, {"id": "c1"})]},
        {"months": [{**MAY, "income": 2.0}]}, {"months": [month(2.0, {"id": "c1"})]}),
    "a transaction with other parts": (
        {"transactions": [{"id": "t1", "subtransactions": [{"id": "s1"}, {"id": "s2"}]}]},
        {"transactions": [{"id": "t1", "subtransactions": [{"id": "s3"}]}]},
        {"transactions": [{"id": "t1", "subtransactions": [{"id": "s3"}]}]}),
}  # fmt: skip


@pytest.mark.parametrize(("stored", "delta", "expected"), MERGES.values(), ids=MERGES)
def test_delta_is_merged(cache: DeltaCache, stored: Json, delta: Json, expected: Json) -> None:
    cache.update(KEY, stored, 5)
    assert cache.merge(KEY, delta, 6) == expected
    assert cache.get_data(KEY) == expected


@pytest.mark.parametrize("resource", ["transactions", "scheduled_transactions"])
def test_deleted_part_of_a_new_transaction_is_removed(cache: DeltaCache, resource: str) -> None:
    parts = [{"id": "s1", "deleted": True}, {"id": "s2", "deleted": False}, {"id": "s3"}]
    cache.update(KEY, {resource: [{"id": "t1", "subtransactions": [{"id": "s1"}]}]}, 5)
    assert cache.merge(KEY, {resource: [{"id": "t1", "subtransactions": parts}]}, 6) == {
        resource: [{"id": "t1", "subtransactions": [{"id": "s2", "deleted": False}, {"id": "s3"}]}]
    }


# Knowledge, parameters, and copies of the arguments and results.


def test_merge_with_a_lower_knowledge_changes_nothing(cache: DeltaCache) -> None:
    cache.update(KEY, {"accounts": [A1]}, 5)
    delta = {"accounts": [{"id": "a1", "deleted": True}], "more": 1}
    assert cache.merge(KEY, delta, 4) == {"accounts": [A1]}
    assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (5, {"accounts": [A1]})


def test_merge_without_an_entry_stores_the_delta(cache: DeltaCache) -> None:
    for account in (A1, A2):
        assert cache.merge(KEY, {"accounts": [account]}, 6) == {"accounts": [account]}
        assert (cache.get_knowledge(KEY), cache.get_data(KEY)) == (6, {"accounts": [account]})
        cache.invalidate(KEY)


def test_merge_changes_only_the_entry_of_its_parameters(cache: DeltaCache) -> None:
    since, later = {"since_date": "2020-01-01"}, {"since_date": "2024-01-01"}
    cache.update(KEY, {"accounts": [A1]}, 5, params={})
    cache.update(KEY, {"accounts": [A1]}, 6, params=since)
    cache.merge(KEY, {"accounts": [{"id": "a1"}]}, 7, params=since)
    cache.merge(KEY, {"accounts": [A2]}, 3, params=later)  # a new entry
    found = [cache.get_data(KEY, params=params) for params in ({}, since, later)]
    assert found == [{"accounts": [A1]}, {"accounts": [{"id": "a1"}]}, {"accounts": [A2]}]


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
def test_changing_the_result_of_merge_leaves_the_entry(cache: DeltaCache, knowledge: int) -> None:
    cache.update(KEY, {"accounts": [{"id": "a1"}]}, 5)
    cache.merge(KEY, {"accounts": []}, knowledge)["accounts"][0]["id"] = "changed"
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
    old = {"accounts": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}
    of_old: dict[str | int, int] = {"a": 0, "b": 1, "c": 2}
    positions = {"accounts": of_old}
    merge(old, {"accounts": [{"id": "d"}, {"id": "b", "deleted": True}]}, positions)
    assert of_old == {"a": 0, "b": 1, "c": 2}
    assert positions == {"accounts": {"a": 0, "c": 2, "d": 3}}  # at these positions or earlier

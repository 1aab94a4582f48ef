"""Merging category groups: the groups first, then the categories inside each."""

from typing import Any

import pytest

from budgetframe import DeltaCache
from tests.client.wire import by_id

KEY = "b1:categories"
Json = dict[str, Any]


def group(group_id: str, *categories: Json, **members: Any) -> Json:
    return {"id": group_id, **members, "categories": list(categories)}


def category(category_id: str, **members: Any) -> Json:
    return {"id": category_id, **members}


def gone(row_id: str) -> Json:
    return {"id": row_id, "deleted": True}


def merged(cached: list[Json], delta: list[Json]) -> dict[str, Json]:
    """Return the groups by id after a merge, with sorted categories."""
    cache = DeltaCache()
    cache.update(KEY, {"category_groups": cached}, 5)
    after = cache.merge(KEY, {"category_groups": delta}, 6)
    groups = by_id(after["category_groups"])
    for row in groups.values():
        row["categories"] = list(dict(sorted(by_id(row["categories"]).items())).values())
    return groups


def placed(groups: dict[str, Json]) -> dict[str, list[str]]:
    """Return the ids of the categories of each group."""
    return {name: [row["id"] for row in one["categories"]] for name, one in groups.items()}


HOME = group("g1", category("c1", name="Rent"), category("c2", name="Power"), name="Home")
FUN = group("g2", category("c3", name="Games"), name="Fun")


def test_own_fields_of_a_group_are_replaced() -> None:
    after = merged([HOME, FUN], [group("g1", name="House")])
    assert after["g1"]["name"] == "House"


def test_group_that_is_not_in_the_delta_stays() -> None:
    assert merged([HOME, FUN], [group("g1", name="House")])["g2"] == FUN


def test_categories_that_are_not_in_the_delta_stay() -> None:
    after = merged([HOME, FUN], [group("g1", category("c1", name="Flat"), name="Home")])
    assert after["g1"]["categories"] == [
        {"id": "c1", "name": "Flat"},
        {"id": "c2", "name": "Power"},
    ]


def test_category_is_replaced_as_a_whole() -> None:
    old = group("g1", category("c1", name="Rent", note="old"))
    after = merged([old], [group("g1", category("c1", name="Flat"))])
    assert after["g1"]["categories"] == [{"id": "c1", "name": "Flat"}]


def test_new_category_is_added_to_its_group() -> None:
    after = merged([HOME, FUN], [group("g2", category("c9", name="Books"), name="Fun")])
    assert after["g2"]["categories"] == [
        {"id": "c3", "name": "Games"},
        {"id": "c9", "name": "Books"},
    ]


def test_deleted_category_is_removed() -> None:
    assert placed(merged([HOME, FUN], [group("g1", gone("c1"), name="Home")])) == {
        "g1": ["c2"],
        "g2": ["c3"],
    }


def test_deleted_row_of_an_unknown_category_adds_nothing() -> None:
    assert merged([HOME, FUN], [group("g1", gone("c9"), name="Home")]) == {"g1": HOME, "g2": FUN}


def test_new_group_comes_with_its_categories() -> None:
    new = group("g3", category("c9", name="Stocks"), name="Savings")
    assert merged([HOME, FUN], [new]) == {"g1": HOME, "g2": FUN, "g3": new}


def test_new_group_comes_without_its_deleted_categories() -> None:
    after = merged([HOME], [group("g3", gone("c8"), category("c9"), name="Savings")])
    assert placed(after) == {"g1": ["c1", "c2"], "g3": ["c9"]}


def test_deleted_group_is_removed_with_its_categories() -> None:
    assert merged([HOME, FUN], [group("g1", deleted=True)]) == {"g2": FUN}


def test_deleted_group_without_a_list_of_categories_is_removed() -> None:
    assert merged([HOME, FUN], [gone("g1")]) == {"g2": FUN}


def test_deleted_row_of_an_unknown_group_adds_nothing() -> None:
    assert merged([HOME], [group("g9", gone("c9"), deleted=True)]) == {"g1": HOME}


def test_empty_delta_of_groups_changes_nothing() -> None:
    assert merged([HOME, FUN], []) == {"g1": HOME, "g2": FUN}


def test_group_without_changed_categories_keeps_those_it_had() -> None:
    assert merged([HOME], [group("g1", name="Home")]) == {"g1": HOME}


def test_group_without_a_list_of_categories_keeps_those_it_had() -> None:
    after = merged([HOME], [{"id": "g1", "name": "House"}])
    assert after == {"g1": {**HOME, "name": "House"}}


def test_group_without_some_of_its_own_fields_keeps_the_cached_ones() -> None:
    old = group("g1", category("c1"), name="Home", hidden=False)
    after = merged([old], [group("g1", category("c9"), hidden=True)])
    assert after == {"g1": group("g1", category("c1"), category("c9"), name="Home", hidden=True)}


def test_moved_category_leaves_its_old_group() -> None:
    moved = group("g2", category("c1", name="Rent"), name="Fun")
    assert placed(merged([HOME, FUN], [moved])) == {"g1": ["c2"], "g2": ["c1", "c3"]}


def test_moved_category_has_the_fields_of_the_delta() -> None:
    moved = group("g2", category("c1", name="Flat"), name="Fun")
    assert merged([HOME, FUN], [moved])["g2"]["categories"][0] == {"id": "c1", "name": "Flat"}


def test_category_moved_to_a_new_group_leaves_its_old_one() -> None:
    new = group("g3", category("c1"), name="Savings")
    assert placed(merged([HOME, FUN], [new])) == {"g1": ["c2"], "g2": ["c3"], "g3": ["c1"]}


MOVE = [
    group("g2", category("c1", name="Rent"), name="Fun"),
    group("g1", category("c2", name="Light"), name="Home"),
]


@pytest.mark.parametrize("delta", [MOVE, MOVE[::-1]], ids=["new group first", "old group first"])
def test_order_of_the_groups_in_a_delta_does_not_matter_for_a_move(delta: list[Json]) -> None:
    assert placed(merged([HOME, FUN], delta)) == {"g1": ["c2"], "g2": ["c1", "c3"]}


EXCHANGE = [group("g1", category("c3")), group("g2", category("c1"))]


@pytest.mark.parametrize("delta", [EXCHANGE, EXCHANGE[::-1]])
def test_two_groups_can_exchange_categories(delta: list[Json]) -> None:
    assert placed(merged([HOME, FUN], delta)) == {"g1": ["c2", "c3"], "g2": ["c1"]}


RESCUE = [group("g1", deleted=True), group("g2", category("c1"))]


@pytest.mark.parametrize("delta", [RESCUE, RESCUE[::-1]])
def test_category_moved_out_of_a_deleted_group_survives(delta: list[Json]) -> None:
    assert placed(merged([HOME, FUN], delta)) == {"g2": ["c1", "c3"]}


def test_category_deleted_after_a_move_is_removed_from_its_old_group() -> None:
    assert placed(merged([HOME, FUN], [group("g2", gone("c1"))])) == {"g1": ["c2"], "g2": ["c3"]}


BOTH = [group("g1", gone("c1")), group("g2", category("c1"))]


@pytest.mark.parametrize("delta", [BOTH, BOTH[::-1]])
def test_category_deleted_in_one_group_and_present_in_another_has_moved(delta: list[Json]) -> None:
    assert placed(merged([HOME, FUN], delta)) == {"g1": ["c2"], "g2": ["c1", "c3"]}


def test_category_moved_into_a_deleted_group_is_removed() -> None:
    delta = [group("g1", category("c3"), deleted=True)]
    assert placed(merged([HOME, FUN], delta)) == {"g2": []}


def test_groups_without_categories_are_merged_as_rows() -> None:
    cache = DeltaCache()
    cache.update(KEY, {"category_groups": [{"id": "g1", "name": "Home"}]}, 5)
    after = cache.merge(KEY, {"category_groups": [{"id": "g1", "name": "House"}]}, 6)
    assert [row["name"] for row in after["category_groups"]] == ["House"]

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
    groups = by_id(cache.merge(KEY, {"category_groups": delta}, 6)["category_groups"])
    for row in groups.values():
        row["categories"] = list(dict(sorted(by_id(row["categories"]).items())).values())
    return groups


RENT, POWER, GAMES = (
    category(f"c{n}", name=name) for n, name in enumerate(("Rent", "Power", "Games"), start=1)
)
HOME = group("g1", RENT, POWER, name="Home", hidden=False)
FUN = group("g2", GAMES, name="Fun")
NEW = group("g3", category("c9"), name="Savings")
CHANGES: dict[str, tuple[list[Json], list[Json]]] = {
    # the delta to HOME and FUN, and the groups after the merge
    "nothing": ([], [HOME, FUN]),
    "fields of a group": ([group("g1", name="House")], [HOME | {"name": "House"}, FUN]),
    "a group without a list of categories": ([{"id": "g1", "name": "House"}],
        [HOME | {"name": "House"}, FUN]),
    "a category": ([group("g1", category("c1", note="Flat"))],
        [group("g1", category("c1", note="Flat"), POWER, name="Home", hidden=False), FUN]),
    "a new category": ([group("g2", category("c9", name="Books"))],
        [HOME, group("g2", GAMES, category("c9", name="Books"), name="Fun")]),
    "a new group": ([NEW], [HOME, FUN, NEW]),
    "a new group with a deleted category": (
        [group("g3", gone("c8"), category("c9"), name="Savings")], [HOME, FUN, NEW]),
    "a deleted category that is unknown": ([group("g1", gone("c9"))], [HOME, FUN]),
    "a deleted group": ([group("g1", deleted=True)], [FUN]),
    "a deleted group without a list of categories": ([gone("g1")], [FUN]),
    "a deleted group that is unknown": ([group("g9", gone("c9"), deleted=True)], [HOME, FUN]),
    "a moved category": ([group("g2", category("c1", name="Flat"))],
        [group("g1", POWER, name="Home", hidden=False),
         group("g2", category("c1", name="Flat"), GAMES, name="Fun")]),
}  # fmt: skip


@pytest.mark.parametrize(("delta", "expected"), CHANGES.values(), ids=CHANGES)
def test_delta_changes_groups_and_their_categories(delta: list[Json], expected: list[Json]) -> None:
    assert merged([HOME, FUN], delta) == by_id(expected)


PLACES: dict[str, tuple[list[Json], dict[str, list[str]]]] = {
    # the delta to HOME and FUN, and the categories of each group after the merge
    "deleted": ([group("g1", gone("c1"))], {"g1": ["c2"], "g2": ["c3"]}),
    "moved to a new group": ([group("g3", category("c1"))],
        {"g1": ["c2"], "g2": ["c3"], "g3": ["c1"]}),
    "moved out of a group that changed": (
        [group("g2", category("c1")), group("g1", category("c2"))],
        {"g1": ["c2"], "g2": ["c1", "c3"]}),
    "exchanged": ([group("g1", category("c3")), group("g2", category("c1"))],
        {"g1": ["c2", "c3"], "g2": ["c1"]}),
    "moved out of a deleted group": ([group("g1", deleted=True), group("g2", category("c1"))],
        {"g2": ["c1", "c3"]}),
    "deleted after a move": ([group("g2", gone("c1"))], {"g1": ["c2"], "g2": ["c3"]}),
    "deleted in one group and present in another": (
        [group("g1", gone("c1")), group("g2", category("c1"))], {"g1": ["c2"], "g2": ["c1", "c3"]}),
    "moved into a deleted group": ([group("g1", category("c3"), deleted=True)], {"g2": []}),
}  # fmt: skip


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(("delta", "places"), PLACES.values(), ids=PLACES)
def test_category_is_in_one_group_whatever_the_order_of_a_delta(
    delta: list[Json], places: dict[str, list[str]], order: int
) -> None:
    groups = merged([HOME, FUN], delta[::order])
    found = {name: [row["id"] for row in one["categories"]] for name, one in groups.items()}
    assert found == places


def test_groups_without_categories_are_merged_as_rows() -> None:
    cache = DeltaCache()
    cache.update(KEY, {"category_groups": [{"id": "g1", "name": "Home"}]}, 5)
    after = cache.merge(KEY, {"category_groups": [{"id": "g1", "name": "House"}]}, 6)
    assert [row["name"] for row in after["category_groups"]] == ["House"]

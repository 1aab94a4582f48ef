"""Merging agrees with a model of plain dicts, for any deltas."""

from typing import Any

from hypothesis import given, strategies as st

from budgetframe import DeltaCache
from tests.client.wire import by_id

Json = dict[str, Any]

ROW_IDS = st.sampled_from(["r1", "r2", "r3", "r4", "r5"])
GROUP_IDS = st.sampled_from(["g1", "g2", "g3"])
CATEGORY_IDS = st.sampled_from(["c1", "c2", "c3", "c4"])


def rows(ids: st.SearchStrategy[str], *, alive: bool = False) -> st.SearchStrategy[list[Json]]:
    """Rows with distinct ids, of which some are deleted unless `alive`."""
    row = st.fixed_dictionaries({
        "id": ids, "n": st.integers(0, 99),
        "deleted": st.just(value=False) if alive else st.booleans(),
    })  # fmt: skip
    return st.lists(row, unique_by=lambda one: str(one["id"]), max_size=5)


@given(
    start=rows(ROW_IDS, alive=True),
    deltas=st.lists(st.tuples(rows(ROW_IDS), st.integers(-3, 3)), max_size=8),
)
def test_rows_merge_like_a_dict(start: list[Json], deltas: list[tuple[list[Json], int]]) -> None:
    cache, knowledge = DeltaCache(), 100
    cache.update("b1:payees", {"payees": start}, knowledge)
    model = {row["id"]: row for row in start}
    for delta, step in deltas:
        cache.merge("b1:payees", {"payees": delta}, knowledge + step)
        if step < 0:
            continue
        knowledge += step
        for row in delta:
            if row["deleted"]:
                model.pop(row["id"], None)
            else:
                model[row["id"]] = row
    stored = cache.get_data("b1:payees")
    assert stored is not None
    assert (by_id(stored["payees"]), cache.get_knowledge("b1:payees")) == (model, knowledge)


@st.composite
def group_lists(draw: st.DrawFn, *, alive: bool = False) -> list[Json]:
    """Groups with distinct ids; each category is in one group."""
    groups = draw(rows(GROUP_IDS, alive=alive))
    for group in groups:
        group["categories"] = []
    for category in draw(rows(CATEGORY_IDS, alive=alive)) if groups else []:
        group = draw(st.sampled_from(groups))
        category["deleted"] = category["deleted"] or group["deleted"]
        group["categories"].append(category)
    return groups


class GroupModel:
    """The groups by id and the group of each category, as the service would hold them."""

    def __init__(self, groups: list[Json]) -> None:
        self.groups: dict[str, int] = {}
        self.places: dict[str, tuple[str, Json]] = {}
        self.apply(groups)

    def apply(self, groups: list[Json]) -> None:
        deleted = {group["id"] for group in groups if group["deleted"]}
        self.places = {name: at for name, at in self.places.items() if at[0] not in deleted}
        for group in groups:
            if group["deleted"]:
                self.groups.pop(group["id"], None)
            else:
                self.groups[group["id"]] = group["n"]
            for category in group["categories"]:
                if category["deleted"]:
                    self.places.pop(category["id"], None)
                else:
                    self.places[category["id"]] = (group["id"], category)


@given(start=group_lists(alive=True), deltas=st.lists(group_lists(), max_size=5))
def test_groups_merge_like_a_model_of_dicts(start: list[Json], deltas: list[list[Json]]) -> None:
    cache = DeltaCache()
    cache.update("b1:categories", {"category_groups": start}, 1)
    model = GroupModel(start)
    for knowledge, delta in enumerate(deltas, start=2):
        cache.merge("b1:categories", {"category_groups": delta}, knowledge)
        model.apply(delta)
    stored = cache.get_data("b1:categories")
    assert stored is not None
    groups = by_id(stored["category_groups"])
    places = {
        category["id"]: (group["id"], category)
        for group in groups.values()
        for category in group["categories"]
    }
    assert ({name: row["n"] for name, row in groups.items()}, places) == (
        model.groups, model.places,
    )  # fmt: skip

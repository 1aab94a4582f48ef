"""Time-limited entries, and entries that are dropped at the end of the month."""

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from budgetframe import DeltaCache
from tests.client.wire import ClientUnderTest, answer
from tests.clock import Clock

KEY = "b1:settings"
END_OF_JANUARY_2026 = 1_769_903_999.0  # 2026-01-31T23:59:59Z
MIDDLE_OF_JANUARY_2026 = 1_768_478_400.0  # 2026-01-15T12:00:00Z
MIDDLE_OF_JANUARY_2027 = 1_800_014_400.0  # 2027-01-15T12:00:00Z


@pytest.fixture
def clock() -> Clock:
    return Clock(5_000.0)


@pytest.fixture
def wall() -> Clock:
    return Clock(END_OF_JANUARY_2026)


@pytest.fixture
def cache(clock: Clock, wall: Clock) -> DeltaCache:
    return DeltaCache(clock=clock, wall_clock=wall)


@pytest.fixture(params=["UTC", "AHEAD-14", "BEHIND+11"])
def _time_zone(request: pytest.FixtureRequest) -> Iterator[None]:
    """Set the time zone of the machine: UTC, 14 hours ahead, 11 hours behind."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def test_missing_time_limited_entry_is_none(cache: DeltaCache) -> None:
    assert cache.get_ttl(KEY) is None


def test_entry_is_returned_before_its_ttl(cache: DeltaCache, clock: Clock) -> None:
    cache.set_ttl(KEY, {"a": 1}, 300.0)
    clock.advance(299.5)
    assert cache.get_ttl(KEY) == {"a": 1}


def test_entry_is_expired_at_exactly_its_ttl(cache: DeltaCache, clock: Clock) -> None:
    cache.set_ttl(KEY, {"a": 1}, 300.0)
    clock.advance(300.0)
    assert cache.get_ttl(KEY) is None


def test_entry_is_expired_after_its_ttl(cache: DeltaCache, clock: Clock) -> None:
    cache.set_ttl(KEY, {"a": 1}, 0.25)
    clock.advance(10.0)
    assert cache.get_ttl(KEY) is None


def test_ttl_of_a_fraction_of_a_second_is_kept(cache: DeltaCache, clock: Clock) -> None:
    cache.set_ttl(KEY, {"a": 1}, 0.75)
    clock.advance(0.5)
    assert cache.get_ttl(KEY) == {"a": 1}


def test_ttl_of_zero_is_expired_at_once(cache: DeltaCache) -> None:
    cache.set_ttl(KEY, {"a": 1}, 0.0)
    assert cache.get_ttl(KEY) is None


def test_access_after_expiry_deletes_the_entry(cache: DeltaCache, clock: Clock) -> None:
    cache.set_ttl(KEY, {"a": 1}, 300.0)
    clock.advance(301.0)
    cache.get_ttl(KEY)
    clock.advance(-200.0)  # an entry that is still stored would be fresh again
    assert cache.get_ttl(KEY) is None


def test_access_does_not_prolong_the_entry(cache: DeltaCache, clock: Clock) -> None:
    cache.set_ttl(KEY, {"a": 1}, 300.0)
    clock.advance(200.0)
    cache.get_ttl(KEY)
    clock.advance(150.0)
    assert cache.get_ttl(KEY) is None


def test_storing_again_replaces_data_and_time(cache: DeltaCache, clock: Clock) -> None:
    cache.set_ttl(KEY, {"a": 1}, 300.0)
    clock.advance(200.0)
    cache.set_ttl(KEY, {"a": 2}, 300.0)
    clock.advance(200.0)
    assert cache.get_ttl(KEY) == {"a": 2}


def test_wall_clock_does_not_age_an_entry(cache: DeltaCache, wall: Clock) -> None:
    cache.set_ttl(KEY, {"a": 1}, 300.0)
    wall.advance(10_000.0)
    assert cache.get_ttl(KEY) == {"a": 1}


def test_changing_a_returned_entry_does_not_change_the_stored_one(cache: DeltaCache) -> None:
    cache.set_ttl(KEY, {"rows": [{"id": "x"}]}, 300.0)
    returned: Any = cache.get_ttl(KEY)
    with contextlib.suppress(TypeError, AttributeError):
        returned["rows"][0]["id"] = "changed"
    assert cache.get_ttl(KEY) == {"rows": [{"id": "x"}]}


def test_time_limited_entry_is_no_delta_entry(cache: DeltaCache) -> None:
    cache.set_ttl("b1:accounts", {"accounts": []}, 300.0)
    assert (cache.get_data("b1:accounts"), cache.get_knowledge("b1:accounts")) == (None, None)


def test_delta_entry_is_no_time_limited_entry(cache: DeltaCache) -> None:
    cache.update("b1:accounts", {"accounts": []}, 5)
    assert cache.get_ttl("b1:accounts") is None


def test_delta_entry_does_not_expire(cache: DeltaCache, clock: Clock) -> None:
    cache.update("b1:accounts", {"accounts": []}, 5)
    clock.advance(1e9)
    assert cache.get_knowledge("b1:accounts") == 5


def test_invalidate_drops_time_limited_entries_of_the_resource_and_the_export(
    cache: DeltaCache,
    subtests: pytest.Subtests,
) -> None:
    cases = [
        "b1:accounts",
        "b1:accounts:a1",
        "b1:accounts?since_date=2020-01-01",
        "b1:export",
        "b1:export:x",
    ]
    for key in cases:
        with subtests.test(key=key):
            cache.set_ttl(key, {"a": 1}, 300.0)
            cache.invalidate("b1:accounts")
            assert cache.get_ttl(key) is None


def test_invalidate_keeps_other_time_limited_entries(
    cache: DeltaCache, subtests: pytest.Subtests
) -> None:
    cases = [
        "b1:accounts_more",
        "b1:accountsx?y",
        "b1:payees",
        "b2:accounts",
        "b2:export",
        "b1:exports",
        ":budgets",
        ":user",
    ]
    for key in cases:
        with subtests.test(key=key):
            cache.set_ttl(key, {"a": 1}, 300.0)
            cache.invalidate("b1:accounts")
            assert cache.get_ttl(key) == {"a": 1}


def test_invalidate_budget_drops_its_time_limited_entries(
    cache: DeltaCache, subtests: pytest.Subtests
) -> None:
    for key in ["b1:accounts", "b1:months:2026-05-01", "b1:export", "b1:x?y=1"]:
        with subtests.test(key=key):
            cache.set_ttl(key, {"a": 1}, 300.0)
            cache.invalidate_budget("b1")
            assert cache.get_ttl(key) is None


def test_invalidate_budget_keeps_other_time_limited_entries(
    cache: DeltaCache, subtests: pytest.Subtests
) -> None:
    for key in ["b2:accounts", "b10:accounts", ":budgets", ":user"]:
        with subtests.test(key=key):
            cache.set_ttl(key, {"a": 1}, 300.0)
            cache.invalidate_budget("b1")
            assert cache.get_ttl(key) == {"a": 1}


def test_clear_drops_every_time_limited_entry(cache: DeltaCache, subtests: pytest.Subtests) -> None:
    for key in ["b1:accounts", "b1:export", ":budgets", ":user"]:
        with subtests.test(key=key):
            cache.set_ttl(key, {"a": 1}, 300.0)
            cache.clear()
            assert cache.get_ttl(key) is None


# Amounts of /categories are those of the current month in UTC.


@pytest.mark.usefixtures("_time_zone")
def test_categories_are_dropped_when_the_utc_month_changes(cache: DeltaCache, wall: Clock) -> None:
    cache.update("b1:categories", {"category_groups": []}, 5)
    wall.advance(1.0)  # 2026-02-01T00:00:00Z
    assert (cache.get_knowledge("b1:categories"), cache.get_data("b1:categories")) == (None, None)


@pytest.mark.usefixtures("_time_zone")
def test_categories_stay_until_the_utc_month_changes(cache: DeltaCache, wall: Clock) -> None:
    wall.now = MIDDLE_OF_JANUARY_2026
    cache.update("b1:categories", {"category_groups": []}, 5)
    wall.now = END_OF_JANUARY_2026 + 0.5
    assert cache.get_knowledge("b1:categories") == 5


def test_categories_of_the_same_month_a_year_ago_are_dropped(
    cache: DeltaCache, wall: Clock
) -> None:
    wall.now = MIDDLE_OF_JANUARY_2026
    cache.update("b1:categories", {"category_groups": []}, 5)
    wall.now = MIDDLE_OF_JANUARY_2027
    assert cache.get_data("b1:categories") is None


def test_categories_with_parameters_are_dropped_with_the_month(
    cache: DeltaCache, wall: Clock
) -> None:
    cache.update("b1:categories", {"category_groups": []}, 5, params={})
    wall.advance(1.0)
    assert cache.get_knowledge("b1:categories", params={}) is None


def test_merge_after_the_month_changed_stores_the_delta(cache: DeltaCache, wall: Clock) -> None:
    cache.update("b1:categories", {"category_groups": [{"id": "g1", "categories": []}]}, 5)
    wall.advance(1.0)
    fresh = {"category_groups": [{"id": "g2", "categories": []}]}
    assert cache.merge("b1:categories", fresh, 6) == fresh


def test_other_lists_outlive_the_month(
    cache: DeltaCache, wall: Clock, subtests: pytest.Subtests
) -> None:
    for resource in [
        "accounts",
        "months",
        "payees",
        "transactions",
        "scheduled_transactions",
        "money_movements",
    ]:
        with subtests.test(resource=resource):
            cache.update(f"b1:{resource}", {resource: []}, 5)
            wall.advance(40 * 86_400.0)
            assert cache.get_knowledge(f"b1:{resource}") == 5


@pytest.mark.parametrize("key", ["b1:categories", "b1:categories?x=1", "b1:export"])
def test_time_limited_entries_of_categories_are_dropped_with_the_month(
    cache: DeltaCache, wall: Clock, key: str
) -> None:
    cache.update("b1:categories", {"category_groups": []}, 5)
    cache.set_ttl(key, {"category_groups": []}, 300.0)
    wall.advance(1.0)
    assert cache.get_ttl(key) is None


def groups(knowledge: int, *ids: str) -> Any:
    rows = [{"id": name, "categories": []} for name in ids]
    return answer({"category_groups": rows, "server_knowledge": knowledge})


def test_first_read_of_categories_in_a_new_month_sends_no_cursor() -> None:
    under_test = ClientUnderTest(groups(5, "g1"), groups(6, "g1"))
    under_test.get("/budgets/b1/categories")
    under_test.wall.advance(31 * 86_400.0)
    under_test.get("/budgets/b1/categories")
    assert under_test.wire.cursors == [None, None]


def test_delta_of_categories_that_comes_in_a_new_month_is_read_again_in_full() -> None:
    under_test = ClientUnderTest()

    def midnight(_: Any) -> Any:
        under_test.wall.advance(31 * 86_400.0)
        return groups(6, "g2")

    under_test.wire.script += [groups(5, "g1"), midnight, groups(7, "g1", "g2")]
    under_test.get("/budgets/b1/categories")
    under_test.get("/budgets/b1/categories")
    assert under_test.wire.cursors == [None, "5", None]


def test_categories_whose_answer_arrives_in_the_next_month_serve_no_cursor() -> None:
    # The month of the amounts is unknown.
    under_test = ClientUnderTest()

    def midnight(_: Any) -> Any:
        under_test.wall.advance(31 * 86_400.0)
        return groups(5, "g1")

    under_test.wire.script += [midnight, groups(6, "g1")]
    under_test.get("/budgets/b1/categories")
    under_test.get("/budgets/b1/categories")
    assert under_test.wire.cursors == [None, None]

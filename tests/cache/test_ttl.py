"""Time-limited entries, and entries that are dropped at the end of the month."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from budgetframe import DeltaCache
from tests.clock import Clock

from .test_third_storage import STORAGES

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


@pytest.fixture(params=STORAGES)
def cache(request: pytest.FixtureRequest, clock: Clock, wall: Clock) -> DeltaCache:
    return DeltaCache(clock=clock, wall_clock=wall, storage=request.param())


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


@pytest.mark.parametrize(("ttl", "age", "is_shown"), [
    (300.0, 299.5, True), (300.0, 300.0, False), (0.75, 0.5, True), (0.0, 0.0, False),
])  # fmt: skip
def test_entry_is_returned_until_its_ttl(
    cache: DeltaCache, clock: Clock, ttl: float, age: float, *, is_shown: bool
) -> None:
    assert cache.get_ttl(KEY) is None
    cache.set_ttl(KEY, {"a": 1}, ttl)
    clock.advance(age)
    assert cache.get_ttl(KEY) == ({"a": 1} if is_shown else None)


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


def test_time_limited_entries_and_lists_are_apart(cache: DeltaCache) -> None:
    cache.set_ttl("b1:accounts", {"accounts": []}, 300.0)
    assert (cache.get_data("b1:accounts"), cache.get_knowledge("b1:accounts")) == (None, None)
    cache.update("b1:payees", {"payees": []}, 5)
    assert cache.get_ttl("b1:payees") is None


def test_delta_entry_does_not_expire(cache: DeltaCache, clock: Clock) -> None:
    cache.update("b1:accounts", {"accounts": []}, 5)
    clock.advance(1e9)
    assert cache.get_knowledge("b1:accounts") == 5


OF_ACCOUNTS = {"b1:accounts", "b1:accounts:a1", "b1:accounts?since_date=2020-01-01"}
OF_EXPORT = {"b1:export", "b1:export:x"}
OF_BUDGET = {
    "b1:accounts_more", "b1:accountsx?y", "b1:payees", "b1:exports", "b1:months:2026-05-01",
}  # fmt: skip
OTHERS = {"b2:accounts", "b2:export", "b10:accounts", ":budgets", ":user"}
DROPS: dict[str, tuple[Callable[[DeltaCache], None], set[str]]] = {
    # how entries are dropped, and the keys that remain
    "invalidate": (lambda cache: cache.invalidate("b1:accounts"), OF_BUDGET | OTHERS),
    "invalidate_budget": (lambda cache: cache.invalidate_budget("b1"), OTHERS),
    "clear": (lambda cache: cache.clear(), set()),
}


@pytest.mark.parametrize(("drop", "remaining"), DROPS.values(), ids=DROPS)
def test_a_drop_concerns_the_time_limited_entries_of_its_keys_and_the_export(
    cache: DeltaCache, drop: Callable[[DeltaCache], None], remaining: set[str]
) -> None:
    keys = OF_ACCOUNTS | OF_EXPORT | OF_BUDGET | OTHERS
    for key in keys:
        cache.set_ttl(key, {"a": 1}, 300.0)
    drop(cache)
    assert {key for key in keys if cache.get_ttl(key) is not None} == remaining


# Amounts of /categories are those of the current month in UTC.


@pytest.mark.posix
@pytest.mark.usefixtures("_time_zone")
@pytest.mark.parametrize("params", [None, {}])
def test_categories_are_dropped_when_the_utc_month_changes(
    cache: DeltaCache, wall: Clock, params: dict[str, str] | None
) -> None:
    wall.now = MIDDLE_OF_JANUARY_2026
    cache.update("b1:categories", {"category_groups": []}, 5, params=params)
    wall.now = END_OF_JANUARY_2026 + 0.5
    assert cache.get_knowledge("b1:categories", params=params) == 5
    wall.now = END_OF_JANUARY_2026 + 1.0  # 2026-02-01T00:00:00Z
    assert cache.get_knowledge("b1:categories", params=params) is None
    assert cache.get_data("b1:categories", params=params) is None


def test_categories_of_this_month_a_year_ago_are_dropped(cache: DeltaCache, wall: Clock) -> None:
    wall.now = MIDDLE_OF_JANUARY_2026
    cache.update("b1:categories", {"category_groups": []}, 5)
    wall.now = MIDDLE_OF_JANUARY_2027
    assert cache.get_data("b1:categories") is None


def test_merge_after_the_month_changed_stores_the_delta(cache: DeltaCache, wall: Clock) -> None:
    cache.update("b1:categories", {"category_groups": [{"id": "g1", "categories": []}]}, 5)
    wall.advance(1.0)
    fresh = {"category_groups": [{"id": "g2", "categories": []}]}
    assert cache.merge("b1:categories", fresh, 6) == fresh


def test_other_lists_stay_stored(cache: DeltaCache, wall: Clock, subtests: pytest.Subtests) -> None:
    for resource in [
        *("accounts", "months", "payees", "transactions"),
        *("scheduled_transactions", "money_movements"),
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

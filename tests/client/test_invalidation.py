"""The lists and answers that a write drops from the cache."""

from itertools import product

import httpx
import pytest

from budgetframe import ServiceAPIError, ToolError
from budgetframe._resources import RESOURCES

from .wire import ANY_TEXT, Answer, ClientUnderTest, HeldAnswer, answer, error_answer

LISTS = {
    *("accounts", "categories", "months", "payees", "transactions"),
    *("scheduled_transactions", "money_movements", "money_movement_groups"),
}
TIMED = LISTS | {"payee_locations", "settings", "export"}

REMAINING: dict[str, set[str]] = {
    # written resource: lists that remain
    "transactions": set(),
    "accounts": {"scheduled_transactions"},
    "categories": {"accounts", "payees"},
    "category_groups": {"accounts", "payees"},
    "months": {"accounts", "payees", "transactions", "scheduled_transactions"},
    "payees": {"accounts", "categories", "months", "money_movements", "money_movement_groups"},
    "scheduled_transactions": {*("accounts", "categories", "months", "transactions"),
        *("money_movements", "money_movement_groups")},
    "payee_locations": LISTS, "settings": LISTS, "something_new": LISTS,
}  # fmt: skip

OTHERS_REMAINING: dict[str, set[str]] = {
    # written resource: remaining time-limited entries of resources without a list
    **{written: {"payee_locations", "settings"} for written in REMAINING},
    "payees": {"settings"},
    "payee_locations": {"settings"},
    "settings": {"payee_locations"},
}


def test_the_tables_above_have_every_resource() -> None:
    of_budget = {name: each for name, each in RESOURCES.items() if "{budget_id}" in each.path}
    assert {name for name, each in of_budget.items() if each.delta} == LISTS
    assert {name for name, each in of_budget.items() if each.data_key} == TIMED
    written = {name for name, each in of_budget.items() if each.item_key}
    assert {*REMAINING} == written | {"settings", "something_new"}


def client_with_full_cache(*script: Answer, threshold: int = 200) -> ClientUnderTest:
    """Return a client whose cache has a list and a time-limited entry of every resource."""
    under_test = ClientUnderTest(*script, threshold=threshold)
    for budget in ("b1", "b2"):
        for name in LISTS:
            under_test.cache.update(f"{budget}:{name}", {name: []}, 5)
        for name in TIMED:
            under_test.cache.set_ttl(f"{budget}:{name}", {name: []}, 300.0)
    for name in ("budgets", "user"):
        under_test.cache.set_ttl(f":{name}", {name: []}, 300.0)
    return under_test


def lists_left(under_test: ClientUnderTest, budget: str = "b1") -> set[str]:
    cache = under_test.cache
    left = {name for name in LISTS if cache.get_data(f"{budget}:{name}") is not None}
    assert left == {name for name in LISTS if cache.get_knowledge(f"{budget}:{name}") is not None}
    return left


def timed_left(under_test: ClientUnderTest, budget: str = "b1") -> set[str]:
    return {name for name in TIMED if under_test.cache.get_ttl(f"{budget}:{name}") is not None}


def write(path: str, method: str = "POST") -> ClientUnderTest:
    under_test = client_with_full_cache(answer({}))
    under_test.request(method, path)
    return under_test


@pytest.mark.parametrize(("written", "remaining"), REMAINING.items())
def test_write_drops_its_resource_and_linked_ones(written: str, remaining: set[str]) -> None:
    under_test = write(f"/budgets/b1/{written}")
    assert lists_left(under_test) == remaining
    assert timed_left(under_test) == remaining | OTHERS_REMAINING[written]
    assert lists_left(under_test, "b2") == LISTS
    assert timed_left(under_test, "b2") == TIMED


@pytest.mark.parametrize("key", ["b1:months:2026-05-01", "b1:months?x=1", "b1:transactions?a=b:c"])
def test_write_drops_time_limited_entries_with_longer_keys(key: str) -> None:
    under_test = client_with_full_cache(answer({}))
    under_test.cache.set_ttl(key, {"a": 1}, 300.0)
    under_test.post("/budgets/b1/accounts")
    assert under_test.cache.get_ttl(key) is None


@pytest.mark.parametrize("key", [":budgets", ":user"])
def test_write_leaves_entries_without_a_budget_alone(key: str) -> None:
    assert write("/budgets/b1/transactions").cache.get_ttl(key) is not None


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "post", "Delete"])
def test_every_writing_method_invalidates(method: str) -> None:
    assert "accounts" not in lists_left(write("/budgets/b1/accounts", method))


def test_request_with_get_invalidates_nothing(subtests: pytest.Subtests) -> None:
    for method, path in product(
        ["GET", "get"], ["/budgets/b1/accounts", "/budgets/b1/transactions/t1"]
    ):
        with subtests.test(value=(method, path)):
            under_test = write(path, method)
            assert (lists_left(under_test), timed_left(under_test)) == (LISTS, TIMED)


@pytest.mark.parametrize(("path", "written"), [
    ("/budgets/b1/accounts/a1", "accounts"), ("/budgets/b1/transactions/t1", "transactions"),
    ("/budgets/b1/months/2026-05-01/categories/c1", "months"),
    ("/budgets/b1/category_groups/g1", "category_groups"),
    ("budgets/b1/payees", "payees"), ("/budgets/b1/payees/", "payees"),
    ("budgets/b1/payees/p1/", "payees"), ("/plans/b1/accounts", "accounts"),
    ("plans/b1/months/2026-05-01/categories/c1/", "months"),
    ("/budgets/b1/accounts?x=/budgets/b2/transactions", "accounts"),
])  # fmt: skip
def test_third_segment_of_the_path_is_the_written_resource(path: str, written: str) -> None:
    under_test = write(path, "PATCH")
    assert (lists_left(under_test), lists_left(under_test, "b2")) == (REMAINING[written], LISTS)


@pytest.mark.parametrize("path", [
    "/user", "/budgets", "/budgets/b1", "/budgets/b1/", "/plans/b1", "/other/b1/accounts",
    "/v1/budgets/b1/accounts", "/b1/accounts", "/budgets?x=/b1/accounts",
])  # fmt: skip
def test_shorter_path_or_other_first_segment_invalidates_nothing(path: str) -> None:
    under_test = write(path)
    assert (lists_left(under_test), timed_left(under_test)) == (LISTS, TIMED)


FAILING: dict[str, httpx.Response | Exception] = {
    "400": error_answer(400, "400", "bad_request", "no"),
    "500 html": httpx.Response(500, text="<html>"),
    "302": httpx.Response(302, headers={"Location": "https://service.test/"}),
    "204": httpx.Response(204),
    "200 not json": httpx.Response(200, text="ok"),
    "connection failure": httpx.ConnectError("refused"),
    "timeout": httpx.ReadTimeout("slow"),
    "half an answer": httpx.RemoteProtocolError("half"),
    "not decodable": httpx.DecodingError("not gzip"),
}


@pytest.mark.parametrize("failure", FAILING.values(), ids=FAILING)
def test_write_that_fails_drops_the_entries_as_well(failure: httpx.Response | Exception) -> None:
    under_test = client_with_full_cache(failure)
    with pytest.raises((ServiceAPIError, httpx.RequestError)):
        under_test.post("/budgets/b1/accounts")
    assert lists_left(under_test) == {"scheduled_transactions"}
    assert timed_left(under_test) == {"scheduled_transactions", "payee_locations", "settings"}


def test_write_that_is_cancelled_drops_the_lists_as_well() -> None:
    under_test = client_with_full_cache(HeldAnswer(answer({})))
    under_test.run(under_test.cancel(under_test.client.post("/budgets/b1/transactions")))
    assert lists_left(under_test) == set()


def test_write_that_the_limiter_denies_drops_nothing() -> None:
    under_test = client_with_full_cache(threshold=0)
    with pytest.raises(ToolError):
        under_test.post("/budgets/b1/transactions")
    assert (lists_left(under_test), timed_left(under_test)) == (LISTS, TIMED)


def test_write_with_a_refused_path_drops_nothing() -> None:
    under_test = client_with_full_cache()
    with pytest.raises(ValueError, match=ANY_TEXT):
        under_test.post("/budgets/b1/transactions/../accounts")
    assert (lists_left(under_test), timed_left(under_test)) == (LISTS, TIMED)

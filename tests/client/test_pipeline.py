"""Each request: its method, path, headers and body, and the returned part of the answer."""

from itertools import product
from typing import Any

import httpx
import pytest

from budgetframe import RateLimiter, ServiceAPIError, ServiceClient

from .wire import ANY_TEXT, BASE_URL, TOKEN, ClientUnderTest, answer, run_pending_tasks

VERBS = ["get", "post", "put", "patch", "delete"]


@pytest.mark.parametrize("given", ["GET", "get", "Post", "pUT", "patch", "dELETE"])
def test_request_accepts_its_method_in_upper_and_lower_case(given: str) -> None:
    under_test = ClientUnderTest(answer({}))
    assert under_test.request(given, "/user") == {}
    assert under_test.wire.calls == [f"{given.upper()} /user"]


@pytest.mark.parametrize("verb", VERBS)
def test_verb_sends_the_method_of_its_name_and_the_header_of_the_injected_client(verb: str) -> None:
    under_test = ClientUnderTest(answer({}))
    under_test.call(verb, "/budgets/b1/payees")
    assert under_test.wire.calls == [f"{verb.upper()} /budgets/b1/payees"]
    assert under_test.wire.requests[0].headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "CONNECT", "FETCH", ""])
def test_request_refuses_any_other_method(method: str) -> None:
    under_test = ClientUnderTest()
    with pytest.raises(ValueError, match=ANY_TEXT):
        under_test.request(method, "/user")
    assert under_test.wire.requests == []
    assert under_test.guard.usage() == (True, 0, None)


@pytest.mark.parametrize("path", ["/user", "user", "/user/", "user/"])
def test_path_is_relative_to_the_base_address(path: str) -> None:
    under_test = ClientUnderTest(answer({}))
    under_test.request("GET", path)
    assert str(under_test.wire.requests[0].url).rstrip("/") == f"{BASE_URL}/user"


BAD_PATHS = [
    "https://evil.test/user", "http://service.test/v1/user", "HTTPS://evil.test/user",
    "//evil.test/user", "//accounts", "/budgets//accounts", "budgets//accounts",
    "/budgets/b1//accounts", "/budgets/b1//", "/budgets/../user", "/budgets/b1/..", "../user",
    "/budgets/./accounts", "/budgets/b1/.", "./user", "/budgets/%2e%2e/user",
    "/budgets/b1/%2E/accounts",
]  # fmt: skip


@pytest.mark.parametrize("path", BAD_PATHS)
def test_path_that_could_leave_the_base_address_is_refused(path: str) -> None:
    under_test = ClientUnderTest()
    for call in (under_test.get, under_test.post):
        with pytest.raises(ValueError, match=ANY_TEXT):
            call(path)
    assert under_test.wire.requests == []
    assert under_test.guard.usage() == (True, 0, None)


def test_query_may_contain_text_that_a_path_may_not() -> None:
    under_test = ClientUnderTest(answer({"a": 1}))
    under_test.get("/budgets/b1/settings?next=https://x.test//../y")
    assert under_test.wire.queries == [{"next": "https://x.test//../y"}]


def test_query_parameters_and_extra_headers_are_sent() -> None:
    under_test = ClientUnderTest(answer({}))
    params, headers = {"include_accounts": "true"}, {"X-Trace": "42"}
    under_test.request("GET", "/budgets", params=params, headers=headers)
    assert under_test.wire.queries == [params]
    assert under_test.wire.requests[0].headers["x-trace"] == "42"


@pytest.mark.parametrize("verb", ["post", "put", "patch"])
def test_body_is_sent_as_given_with_its_amounts_in_milliunits(verb: str) -> None:
    under_test = ClientUnderTest(answer({}))
    body = {"transaction": {"amount": -12_340, "memo": "x"}}
    under_test.call(verb, "/budgets/b1/transactions", json=body)
    assert (
        under_test.wire.requests[0].read().replace(b" ", b"")
        == b'{"transaction":{"amount":-12340,"memo":"x"}}'
    )


def test_request_returns_the_data_object_without_its_envelope() -> None:
    under_test = ClientUnderTest(
        httpx.Response(200, json={"data": {"user": {"id": "u1"}}, "meta": {"x": 1}})
    )
    assert under_test.request("GET", "/user") == {"user": {"id": "u1"}}


@pytest.mark.parametrize("status", [200, 201, 209, 299])
def test_any_status_below_300_is_a_success(status: int) -> None:
    assert ClientUnderTest(answer({"a": 1}, status)).post("/budgets/b1/payees") == {"a": 1}


@pytest.mark.parametrize(
    "path", ["/budgets/b1/accounts", "/budgets/b1/settings", "/budgets/b1", "/user"]
)
def test_request_with_get_returns_the_data_object_whole(path: str) -> None:
    under_test = ClientUnderTest(answer({"rows": [], "server_knowledge": 7}))
    assert under_test.request("GET", path) == {"rows": [], "server_knowledge": 7}


def test_request_with_get_sends_no_cursor() -> None:
    under_test = ClientUnderTest(answer({"accounts": []}))
    under_test.cache.update("b1:accounts", {"accounts": []}, 5)
    under_test.request("GET", "/budgets/b1/accounts")
    assert under_test.wire.cursors == [None]


@pytest.mark.parametrize("verb", ["post", "put", "patch", "delete"])
def test_write_returns_the_data_object_whole(verb: str) -> None:
    under_test = ClientUnderTest(answer({"payee": {"id": "p1"}, "server_knowledge": 7}))
    data = under_test.call(verb, "/budgets/b1/payees")
    assert data == {"payee": {"id": "p1"}, "server_knowledge": 7}


def test_get_removes_server_knowledge_from_the_result(subtests: pytest.Subtests) -> None:
    of_budget = [f"/budgets/b1/{each}" for each in ("accounts", "settings", "months/2026-05-01")]
    for cached, path in product([True, False], [*of_budget, "/budgets"]):
        with subtests.test(value=(cached, path)):
            under_test = ClientUnderTest(
                answer({"thing": {"id": "x"}, "server_knowledge": 7}), cached=cached
            )
            assert under_test.get(path) == {"thing": {"id": "x"}}


def test_get_keeps_server_knowledge_below_the_top_level() -> None:
    under_test = ClientUnderTest(answer({"settings": {"server_knowledge": 7}}))
    assert under_test.get("/budgets/b1/settings") == {"settings": {"server_knowledge": 7}}


def test_validate_token_reads_the_user_every_time_and_returns_the_id() -> None:
    under_test = ClientUnderTest(answer({"user": {"id": "u1"}}), answer({"user": {"id": "u2"}}))
    assert [under_test.validate_token() for _ in range(2)] == ["u1", "u2"]
    assert under_test.wire.calls == ["GET /user", "GET /user"]


@pytest.mark.parametrize("data", [
    {}, {"user": None}, {"user": {}}, {"user": {"id": None}},
    {"user": []}, {"user": "u1"}, {"id": "u1"},
])  # fmt: skip
def test_validate_token_without_a_user_id_is_an_invalid_response(data: Any) -> None:
    under_test = ClientUnderTest(answer(data))
    with pytest.raises(ServiceAPIError) as caught:
        under_test.validate_token()
    assert (caught.value.status_code, caught.value.name) == (200, "invalid_response")


def test_building_a_client_sends_nothing() -> None:
    under_test = ClientUnderTest()
    under_test.run(run_pending_tasks())
    assert under_test.wire.requests == []


def test_client_works_without_a_cache() -> None:
    under_test = ClientUnderTest(
        answer({"accounts": [], "server_knowledge": 3}), answer({"accounts": []})
    )
    client = ServiceClient(under_test.http, RateLimiter())
    under_test.run(client.get("/budgets/b1/accounts"))
    under_test.run(client.get("/budgets/b1/accounts"))
    assert under_test.wire.cursors == [None, None]


def test_client_leaves_the_http_client_open() -> None:
    under_test = ClientUnderTest(answer({}))
    under_test.get("/user")
    del under_test.client
    assert not under_test.http.is_closed

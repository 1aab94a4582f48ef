"""Steps 1 to 5 of a request: what is sent, and what of the answer is handed back."""

import httpx
import pytest

from budgetframe import RateLimiter, ServiceAPIError, ServiceClient

from .wire import BASE_URL, SAID, TOKEN, Desk, Json, answer, settle

VERBS = ["get", "post", "put", "patch", "delete"]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_request_sends_the_method_it_was_given(method: str) -> None:
    desk = Desk(answer({}))
    desk.run(desk.client.request(method, "/budgets/b1/accounts"))
    assert desk.wire.calls == [f"{method} /budgets/b1/accounts"]


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("get", "GET"),
        ("Post", "POST"),
        ("pUT", "PUT"),
        ("patch", "PATCH"),
        ("dELETE", "DELETE"),
    ],
)
def test_request_takes_its_method_in_any_case(given: str, sent: str) -> None:
    desk = Desk(answer({}))
    desk.run(desk.client.request(given, "/user"))
    assert desk.wire.calls == [f"{sent} /user"]


@pytest.mark.parametrize(
    ("verb", "sent"),
    [
        ("get", "GET"),
        ("post", "POST"),
        ("put", "PUT"),
        ("patch", "PATCH"),
        ("delete", "DELETE"),
    ],
)
def test_verb_sends_the_method_of_its_name(verb: str, sent: str) -> None:
    desk = Desk(answer({}))
    desk.run(getattr(desk.client, verb)("/budgets/b1/payees"))
    assert desk.wire.calls == [f"{sent} /budgets/b1/payees"]


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "CONNECT", "FETCH", ""])
def test_request_refuses_any_other_method(method: str) -> None:
    desk = Desk()
    with pytest.raises(ValueError, match=SAID):
        desk.run(desk.client.request(method, "/user"))


@pytest.mark.parametrize("method", ["HEAD", "FETCH", ""])
def test_refused_method_sends_nothing(method: str) -> None:
    desk = Desk()
    with pytest.raises(ValueError, match=SAID):
        desk.run(desk.client.request(method, "/user"))
    assert desk.wire.requests == []


def test_refused_method_is_not_counted() -> None:
    desk = Desk(answer({"a": 1}), threshold=1)
    with pytest.raises(ValueError, match=SAID):
        desk.run(desk.client.request("HEAD", "/user"))
    assert desk.run(desk.client.request("GET", "/user")) == {"a": 1}


@pytest.mark.parametrize("path", ["/user", "user", "/user/", "user/"])
def test_path_is_relative_to_the_base_address(path: str) -> None:
    desk = Desk(answer({}))
    desk.run(desk.client.request("GET", path))
    assert str(desk.wire.requests[0].url).rstrip("/") == f"{BASE_URL}/user"


BAD_PATHS = [
    "https://evil.test/user",
    "http://service.test/v1/user",
    "HTTPS://evil.test/user",
    "//evil.test/user",
    "//accounts",
    "/budgets//accounts",
    "budgets//accounts",
    "/budgets/b1//accounts",
    "/budgets/b1//",
    "/budgets/../user",
    "/budgets/b1/..",
    "../user",
    "/budgets/./accounts",
    "/budgets/b1/.",
    "./user",
    "/budgets/%2e%2e/user",
    "/budgets/b1/%2E/accounts",
]


@pytest.mark.parametrize("path", BAD_PATHS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_request_refuses_a_path_that_could_lead_elsewhere(method: str, path: str) -> None:
    desk = Desk()
    with pytest.raises(ValueError, match=SAID):
        desk.run(desk.client.request(method, path))


@pytest.mark.parametrize("path", BAD_PATHS)
def test_get_refuses_a_path_that_could_lead_elsewhere(path: str) -> None:
    desk = Desk()
    with pytest.raises(ValueError, match=SAID):
        desk.run(desk.client.get(path))


@pytest.mark.parametrize("path", BAD_PATHS)
def test_refused_path_sends_nothing(path: str) -> None:
    desk = Desk()
    with pytest.raises(ValueError, match=SAID):
        desk.run(desk.client.get(path))
    assert desk.wire.requests == []


def test_refused_path_is_not_counted() -> None:
    desk = Desk(answer({"a": 1}), threshold=1)
    with pytest.raises(ValueError, match=SAID):
        desk.run(desk.client.get("/budgets/../user"))
    assert desk.run(desk.client.get("/user")) == {"a": 1}


def test_query_of_a_path_may_hold_what_a_path_may_not() -> None:
    desk = Desk(answer({"a": 1}))
    desk.run(desk.client.get("/budgets/b1/settings?next=https://x.test//../y"))
    assert desk.wire.queries == [{"next": "https://x.test//../y"}]


@pytest.mark.parametrize("verb", VERBS)
def test_every_request_carries_the_header_of_the_injected_client(verb: str) -> None:
    desk = Desk(answer({}))
    desk.run(getattr(desk.client, verb)("/user"))
    assert desk.wire.requests[0].headers["authorization"] == f"Bearer {TOKEN}"


def test_query_parameters_are_handed_on() -> None:
    desk = Desk(answer({}))
    desk.run(desk.client.request("GET", "/budgets", params={"include_accounts": "true"}))
    assert desk.wire.queries == [{"include_accounts": "true"}]


def test_extra_headers_are_handed_on() -> None:
    desk = Desk(answer({}))
    desk.run(desk.client.request("GET", "/user", headers={"X-Trace": "42"}))
    assert desk.wire.requests[0].headers["x-trace"] == "42"


@pytest.mark.parametrize("verb", ["post", "put", "patch"])
def test_body_is_sent_as_given_with_its_amounts_in_milliunits(verb: str) -> None:
    desk = Desk(answer({}))
    body = {"transaction": {"amount": -12_340, "memo": "x"}}
    desk.run(getattr(desk.client, verb)("/budgets/b1/transactions", json=body))
    assert (
        desk.wire.requests[0].read().replace(b" ", b"")
        == b'{"transaction":{"amount":-12340,"memo":"x"}}'
    )


def test_request_takes_the_envelope_off() -> None:
    desk = Desk(httpx.Response(200, json={"data": {"user": {"id": "u1"}}, "meta": {"x": 1}}))
    assert desk.run(desk.client.request("GET", "/user")) == {"user": {"id": "u1"}}


@pytest.mark.parametrize("status", [200, 201, 209, 299])
def test_any_status_below_300_is_a_success(status: int) -> None:
    desk = Desk(answer({"a": 1}, status))
    assert desk.run(desk.client.post("/budgets/b1/payees")) == {"a": 1}


def test_empty_data_object_is_a_valid_answer() -> None:
    desk = Desk(answer({}))
    assert desk.run(desk.client.request("GET", "/user")) == {}


@pytest.mark.parametrize(
    "path", ["/budgets/b1/accounts", "/budgets/b1/settings", "/budgets/b1", "/user"]
)
def test_request_with_get_returns_the_data_object_whole(path: str) -> None:
    desk = Desk(answer({"rows": [], "server_knowledge": 7}))
    assert desk.run(desk.client.request("GET", path)) == {"rows": [], "server_knowledge": 7}


def test_request_with_get_sends_no_cursor() -> None:
    desk = Desk(answer({"accounts": []}))
    desk.cache.update("b1:accounts", {"accounts": []}, 5)
    desk.run(desk.client.request("GET", "/budgets/b1/accounts"))
    assert desk.wire.cursors == [None]


@pytest.mark.parametrize("verb", ["post", "put", "patch", "delete"])
def test_write_returns_the_data_object_whole(verb: str) -> None:
    desk = Desk(answer({"payee": {"id": "p1"}, "server_knowledge": 7}))
    data = desk.run(getattr(desk.client, verb)("/budgets/b1/payees"))
    assert data == {"payee": {"id": "p1"}, "server_knowledge": 7}


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize(
    "path",
    ["/budgets/b1/accounts", "/budgets/b1/settings", "/budgets/b1/months/2026-05-01", "/budgets"],
)
def test_get_leaves_server_knowledge_out(path: str, cached: bool) -> None:  # noqa: FBT001
    desk = Desk(answer({"thing": {"id": "x"}, "server_knowledge": 7}), cached=cached)
    assert desk.run(desk.client.get(path)) == {"thing": {"id": "x"}}


def test_get_leaves_server_knowledge_further_down_alone() -> None:
    desk = Desk(answer({"settings": {"server_knowledge": 7}}))
    data = desk.run(desk.client.get("/budgets/b1/settings"))
    assert data == {"settings": {"server_knowledge": 7}}


def test_validate_token_asks_for_the_user() -> None:
    desk = Desk(answer({"user": {"id": "u1"}}))
    desk.run(desk.client.validate_token())
    assert desk.wire.calls == ["GET /user"]


def test_validate_token_returns_the_user_id() -> None:
    desk = Desk(answer({"user": {"id": "8f1c6f1e-2f5e-4b8e-9f0a-0d9d3c7a1b2c"}}))
    assert desk.run(desk.client.validate_token()) == "8f1c6f1e-2f5e-4b8e-9f0a-0d9d3c7a1b2c"


def test_validate_token_asks_again_every_time() -> None:
    desk = Desk(answer({"user": {"id": "u1"}}), answer({"user": {"id": "u2"}}))
    desk.run(desk.client.validate_token())
    assert desk.run(desk.client.validate_token()) == "u2"


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"user": None},
        {"user": {}},
        {"user": {"id": None}},
        {"user": []},
        {"user": "u1"},
        {"id": "u1"},
    ],
)
def test_validate_token_without_a_user_id_is_an_invalid_response(data: Json) -> None:
    desk = Desk(answer(data))
    with pytest.raises(ServiceAPIError) as caught:
        desk.run(desk.client.validate_token())
    assert (caught.value.status_code, caught.value.name) == (200, "invalid_response")


def test_building_a_client_sends_nothing() -> None:
    desk = Desk()
    desk.run(settle())
    assert desk.wire.requests == []


def test_client_works_without_a_cache() -> None:
    desk = Desk(answer({"accounts": [], "server_knowledge": 3}), answer({"accounts": []}))
    client = ServiceClient(desk.http, RateLimiter())
    desk.run(client.get("/budgets/b1/accounts"))
    desk.run(client.get("/budgets/b1/accounts"))
    assert desk.wire.cursors == [None, None]


def test_client_without_a_cache_writes() -> None:
    desk = Desk(answer({"payee": {"id": "p1"}}), cached=False)
    assert desk.run(desk.client.post("/budgets/b1/payees")) == {"payee": {"id": "p1"}}


def test_client_leaves_the_http_client_open() -> None:
    desk = Desk(answer({}))
    desk.run(desk.client.get("/user"))
    del desk.client
    assert not desk.http.is_closed


def test_one_client_serves_successive_event_loops() -> None:
    desk = Desk(answer({"a": 1}), answer({"a": 2}), answer({"a": 3}))
    answers = [desk.run(desk.client.get("/user")) for _ in range(3)]
    assert answers == [{"a": 1}, {"a": 2}, {"a": 3}]

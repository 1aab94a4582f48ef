"""Steps 1 to 5 of a request: what is sent, and what of the answer is handed back."""

import httpx
import pytest

from budgetframe import RateLimiter, ServiceAPIError, ServiceClient

from .wire import BASE_URL, SAID, TOKEN, ClientUnderTest, Json, answer, settle

VERBS = ["get", "post", "put", "patch", "delete"]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_request_sends_the_method_it_was_given(method: str) -> None:
    client_under_test = ClientUnderTest(answer({}))
    client_under_test.run(client_under_test.client.request(method, "/budgets/b1/accounts"))
    assert client_under_test.wire.calls == [f"{method} /budgets/b1/accounts"]


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
    client_under_test = ClientUnderTest(answer({}))
    client_under_test.run(client_under_test.client.request(given, "/user"))
    assert client_under_test.wire.calls == [f"{sent} /user"]


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
    client_under_test = ClientUnderTest(answer({}))
    client_under_test.run(getattr(client_under_test.client, verb)("/budgets/b1/payees"))
    assert client_under_test.wire.calls == [f"{sent} /budgets/b1/payees"]


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "CONNECT", "FETCH", ""])
def test_request_refuses_any_other_method(method: str) -> None:
    client_under_test = ClientUnderTest()
    with pytest.raises(ValueError, match=SAID):
        client_under_test.run(client_under_test.client.request(method, "/user"))


@pytest.mark.parametrize("method", ["HEAD", "FETCH", ""])
def test_refused_method_sends_nothing(method: str) -> None:
    client_under_test = ClientUnderTest()
    with pytest.raises(ValueError, match=SAID):
        client_under_test.run(client_under_test.client.request(method, "/user"))
    assert client_under_test.wire.requests == []


def test_refused_method_is_not_counted() -> None:
    client_under_test = ClientUnderTest(answer({"a": 1}), threshold=1)
    with pytest.raises(ValueError, match=SAID):
        client_under_test.run(client_under_test.client.request("HEAD", "/user"))
    assert client_under_test.run(client_under_test.client.request("GET", "/user")) == {"a": 1}


@pytest.mark.parametrize("path", ["/user", "user", "/user/", "user/"])
def test_path_is_relative_to_the_base_address(path: str) -> None:
    client_under_test = ClientUnderTest(answer({}))
    client_under_test.run(client_under_test.client.request("GET", path))
    assert str(client_under_test.wire.requests[0].url).rstrip("/") == f"{BASE_URL}/user"


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
    client_under_test = ClientUnderTest()
    with pytest.raises(ValueError, match=SAID):
        client_under_test.run(client_under_test.client.request(method, path))


@pytest.mark.parametrize("path", BAD_PATHS)
def test_get_refuses_a_path_that_could_lead_elsewhere(path: str) -> None:
    client_under_test = ClientUnderTest()
    with pytest.raises(ValueError, match=SAID):
        client_under_test.run(client_under_test.client.get(path))


@pytest.mark.parametrize("path", BAD_PATHS)
def test_refused_path_sends_nothing(path: str) -> None:
    client_under_test = ClientUnderTest()
    with pytest.raises(ValueError, match=SAID):
        client_under_test.run(client_under_test.client.get(path))
    assert client_under_test.wire.requests == []


def test_refused_path_is_not_counted() -> None:
    client_under_test = ClientUnderTest(answer({"a": 1}), threshold=1)
    with pytest.raises(ValueError, match=SAID):
        client_under_test.run(client_under_test.client.get("/budgets/../user"))
    assert client_under_test.run(client_under_test.client.get("/user")) == {"a": 1}


def test_query_of_a_path_may_hold_what_a_path_may_not() -> None:
    client_under_test = ClientUnderTest(answer({"a": 1}))
    client_under_test.run(
        client_under_test.client.get("/budgets/b1/settings?next=https://x.test//../y")
    )
    assert client_under_test.wire.queries == [{"next": "https://x.test//../y"}]


@pytest.mark.parametrize("verb", VERBS)
def test_every_request_carries_the_header_of_the_injected_client(verb: str) -> None:
    client_under_test = ClientUnderTest(answer({}))
    client_under_test.run(getattr(client_under_test.client, verb)("/user"))
    assert client_under_test.wire.requests[0].headers["authorization"] == f"Bearer {TOKEN}"


def test_query_parameters_are_handed_on() -> None:
    client_under_test = ClientUnderTest(answer({}))
    client_under_test.run(
        client_under_test.client.request("GET", "/budgets", params={"include_accounts": "true"})
    )
    assert client_under_test.wire.queries == [{"include_accounts": "true"}]


def test_extra_headers_are_handed_on() -> None:
    client_under_test = ClientUnderTest(answer({}))
    client_under_test.run(
        client_under_test.client.request("GET", "/user", headers={"X-Trace": "42"})
    )
    assert client_under_test.wire.requests[0].headers["x-trace"] == "42"


@pytest.mark.parametrize("verb", ["post", "put", "patch"])
def test_body_is_sent_as_given_with_its_amounts_in_milliunits(verb: str) -> None:
    client_under_test = ClientUnderTest(answer({}))
    body = {"transaction": {"amount": -12_340, "memo": "x"}}
    client_under_test.run(
        getattr(client_under_test.client, verb)("/budgets/b1/transactions", json=body)
    )
    assert (
        client_under_test.wire.requests[0].read().replace(b" ", b"")
        == b'{"transaction":{"amount":-12340,"memo":"x"}}'
    )


def test_request_takes_the_envelope_off() -> None:
    client_under_test = ClientUnderTest(
        httpx.Response(200, json={"data": {"user": {"id": "u1"}}, "meta": {"x": 1}})
    )
    assert client_under_test.run(client_under_test.client.request("GET", "/user")) == {
        "user": {"id": "u1"}
    }


@pytest.mark.parametrize("status", [200, 201, 209, 299])
def test_any_status_below_300_is_a_success(status: int) -> None:
    client_under_test = ClientUnderTest(answer({"a": 1}, status))
    assert client_under_test.run(client_under_test.client.post("/budgets/b1/payees")) == {"a": 1}


def test_empty_data_object_is_a_valid_answer() -> None:
    client_under_test = ClientUnderTest(answer({}))
    assert client_under_test.run(client_under_test.client.request("GET", "/user")) == {}


@pytest.mark.parametrize(
    "path", ["/budgets/b1/accounts", "/budgets/b1/settings", "/budgets/b1", "/user"]
)
def test_request_with_get_returns_the_data_object_whole(path: str) -> None:
    client_under_test = ClientUnderTest(answer({"rows": [], "server_knowledge": 7}))
    assert client_under_test.run(client_under_test.client.request("GET", path)) == {
        "rows": [],
        "server_knowledge": 7,
    }


def test_request_with_get_sends_no_cursor() -> None:
    client_under_test = ClientUnderTest(answer({"accounts": []}))
    client_under_test.cache.update("b1:accounts", {"accounts": []}, 5)
    client_under_test.run(client_under_test.client.request("GET", "/budgets/b1/accounts"))
    assert client_under_test.wire.cursors == [None]


@pytest.mark.parametrize("verb", ["post", "put", "patch", "delete"])
def test_write_returns_the_data_object_whole(verb: str) -> None:
    client_under_test = ClientUnderTest(answer({"payee": {"id": "p1"}, "server_knowledge": 7}))
    data = client_under_test.run(getattr(client_under_test.client, verb)("/budgets/b1/payees"))
    assert data == {"payee": {"id": "p1"}, "server_knowledge": 7}


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize(
    "path",
    ["/budgets/b1/accounts", "/budgets/b1/settings", "/budgets/b1/months/2026-05-01", "/budgets"],
)
def test_get_leaves_server_knowledge_out(path: str, cached: bool) -> None:  # noqa: FBT001
    client_under_test = ClientUnderTest(
        answer({"thing": {"id": "x"}, "server_knowledge": 7}), cached=cached
    )
    assert client_under_test.run(client_under_test.client.get(path)) == {"thing": {"id": "x"}}


def test_get_leaves_server_knowledge_further_down_alone() -> None:
    client_under_test = ClientUnderTest(answer({"settings": {"server_knowledge": 7}}))
    data = client_under_test.run(client_under_test.client.get("/budgets/b1/settings"))
    assert data == {"settings": {"server_knowledge": 7}}


def test_validate_token_asks_for_the_user() -> None:
    client_under_test = ClientUnderTest(answer({"user": {"id": "u1"}}))
    client_under_test.run(client_under_test.client.validate_token())
    assert client_under_test.wire.calls == ["GET /user"]


def test_validate_token_returns_the_user_id() -> None:
    client_under_test = ClientUnderTest(
        answer({"user": {"id": "8f1c6f1e-2f5e-4b8e-9f0a-0d9d3c7a1b2c"}})
    )
    assert (
        client_under_test.run(client_under_test.client.validate_token())
        == "8f1c6f1e-2f5e-4b8e-9f0a-0d9d3c7a1b2c"
    )


def test_validate_token_asks_again_every_time() -> None:
    client_under_test = ClientUnderTest(
        answer({"user": {"id": "u1"}}), answer({"user": {"id": "u2"}})
    )
    client_under_test.run(client_under_test.client.validate_token())
    assert client_under_test.run(client_under_test.client.validate_token()) == "u2"


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
    client_under_test = ClientUnderTest(answer(data))
    with pytest.raises(ServiceAPIError) as caught:
        client_under_test.run(client_under_test.client.validate_token())
    assert (caught.value.status_code, caught.value.name) == (200, "invalid_response")


def test_building_a_client_sends_nothing() -> None:
    client_under_test = ClientUnderTest()
    client_under_test.run(settle())
    assert client_under_test.wire.requests == []


def test_client_works_without_a_cache() -> None:
    client_under_test = ClientUnderTest(
        answer({"accounts": [], "server_knowledge": 3}), answer({"accounts": []})
    )
    client = ServiceClient(client_under_test.http, RateLimiter())
    client_under_test.run(client.get("/budgets/b1/accounts"))
    client_under_test.run(client.get("/budgets/b1/accounts"))
    assert client_under_test.wire.cursors == [None, None]


def test_client_without_a_cache_writes() -> None:
    client_under_test = ClientUnderTest(answer({"payee": {"id": "p1"}}), cached=False)
    assert client_under_test.run(client_under_test.client.post("/budgets/b1/payees")) == {
        "payee": {"id": "p1"}
    }


def test_client_leaves_the_http_client_open() -> None:
    client_under_test = ClientUnderTest(answer({}))
    client_under_test.run(client_under_test.client.get("/user"))
    del client_under_test.client
    assert not client_under_test.http.is_closed


def test_one_client_serves_successive_event_loops() -> None:
    client_under_test = ClientUnderTest(answer({"a": 1}), answer({"a": 2}), answer({"a": 3}))
    answers = [client_under_test.run(client_under_test.client.get("/user")) for _ in range(3)]
    assert answers == [{"a": 1}, {"a": 2}, {"a": 3}]

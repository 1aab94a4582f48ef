"""Error responses and the request limit."""

import pytest

from budgetframe.sandbox import Sandbox
from tests.clock import Clock
from tests.sandbox.ask import refused, send

BASE = "/budgets/last-used"
UNKNOWN = "00000000-0000-4000-8000-000000000000"
UNAUTHORIZED = {"id": "401", "name": "not_authorized", "detail": "Unauthorized"}
NO_URI = {"id": "404.1", "name": "not_found", "detail": "URI does not exist"}
NO_RESOURCE = {"id": "404.2", "name": "resource_not_found", "detail": "Resource not found"}


@pytest.mark.parametrize("header", [
    *("Bearer ", "Bearer wrong", "Bearer sandbox-token2", "Bearer sandbox-toke"),
    *("sandbox-token", "Basic sandbox-token", "Bearer"),
])  # fmt: skip
def test_another_token_or_scheme_is_not_authorized(shared: Sandbox, header: str) -> None:
    assert refused(shared, "GET", "/user", headers={"Authorization": header}) == (401, UNAUTHORIZED)


def test_unknown_paths(shared: Sandbox) -> None:
    for method, path in (
        ("GET", "/nothing"), ("GET", f"{BASE}/nothing"), ("GET", f"{BASE}/category_groups"),
        ("GET", f"{BASE}/accounts/"), ("GET", "/budgets/"), ("PUT", "/user"),
        ("DELETE", f"{BASE}/payees/{UNKNOWN}"),
    ):  # fmt: skip
        assert refused(shared, method, path) == (404, NO_URI), f"{method} {path}"


def test_unknown_ids(shared: Sandbox) -> None:
    for path in (
        f"/budgets/{UNKNOWN}/accounts", "/budgets/default/accounts", "/plans/default",
        "/budgets/not-an-id/accounts", "/budgets/..%2Fuser", f"{BASE}/accounts/{UNKNOWN}",
        f"{BASE}/accounts/..%2F..%2Fuser", f"{BASE}/accounts/%00", f"{BASE}/accounts/%FF",
        f"{BASE}/categories/{UNKNOWN}", f"{BASE}/payees/{UNKNOWN}",
        f"{BASE}/payees/{UNKNOWN}/payee_locations", f"{BASE}/payees/{UNKNOWN}/transactions",
        f"{BASE}/payee_locations/{UNKNOWN}", f"{BASE}/transactions/{UNKNOWN}",
        f"{BASE}/scheduled_transactions/{UNKNOWN}", f"{BASE}/months/1999-01-01",
        f"{BASE}/months/2026-07-01/money_movements", f"{BASE}/months/current/categories/{UNKNOWN}",
    ):  # fmt: skip
        assert refused(shared, "GET", path) == (404, NO_RESOURCE), path


def test_invalid_parameters_are_a_bad_request(shared: Sandbox) -> None:
    for path in (
        f"{BASE}/months/may", f"{BASE}/months/2026-05-15", f"{BASE}/months/2026-13-01",
        f"{BASE}/months/20260501", f"{BASE}/transactions?since_date=yesterday",
        f"{BASE}/transactions?until_date=2026-02-30", f"{BASE}/transactions?since_date=",
        f"{BASE}/transactions?type=odd", f"{BASE}/transactions?last_knowledge_of_server=x",
        f"{BASE}/accounts?last_knowledge_of_server=-1",
        f"{BASE}/accounts?last_knowledge_of_server=%D9%A3",
    ):  # fmt: skip
        status, error = refused(shared, "GET", path)
        assert (status, error["id"], error["name"]) == (400, "400", "bad_request"), path


def test_a_malformed_body_is_a_bad_request(shared: Sandbox) -> None:
    for content in (
        *(b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe", b"{}"),
        *(b'{"transaction": []}', b'{"transaction": null}'),
        *(b'{"transactions": %s}' % each for each in (b"{}", b"[]", b"[null]", b"[[]]", b"[{}]")),
        b"[" * 100_000,
        b'{"transactions": ' + b"9" * 5_000 + b"}",
    ):
        for method in ("POST", "PATCH"):
            status, error = refused(shared, method, f"{BASE}/transactions", content=content)
            assert (status, error["name"]) == (400, "bad_request"), (method, content[:40])


def test_the_limit_is_a_rolling_window_of_arrivals() -> None:
    clock = Clock()
    sandbox = Sandbox(budgets=1, years=1, clock=clock, limit=3)
    for path in ("/user", "/nothing", f"{BASE}/accounts/{UNKNOWN}"):
        send(sandbox, "GET", path)
        clock.advance(10)
    response = send(sandbox, "GET", "/user")
    assert response.status_code == 429
    assert response.json() == {
        "error": {"id": "429", "name": "too_many_requests", "detail": "Too many requests"}
    }
    names = {name.lower() for name in response.headers}
    assert "retry-after" not in names
    assert not any("limit" in name for name in names)
    clock.advance(3600 - 31)
    assert send(sandbox, "GET", "/user").status_code == 429
    clock.advance(1)
    assert send(sandbox, "GET", "/user").status_code == 200
    assert send(sandbox, "GET", "/user").status_code == 429


def test_two_hundred_requests_an_hour_are_answered() -> None:
    sandbox = Sandbox(budgets=1, years=1, clock=Clock())
    assert [send(sandbox, "GET", "/user").status_code for _ in range(201)] == [200] * 200 + [429]


def test_a_wrong_token_does_not_use_the_limit() -> None:
    sandbox = Sandbox(budgets=1, years=1, clock=Clock(), limit=1)
    send(sandbox, "GET", "/user", token="wrong")
    assert send(sandbox, "GET", "/user").status_code == 200


def test_another_device_does_not_use_the_limit() -> None:
    sandbox = Sandbox(budgets=1, years=1, clock=Clock(), limit=1)
    sandbox.device.add_payee("Market")
    assert send(sandbox, "GET", "/user").status_code == 200
    assert sandbox.requests_served == 1

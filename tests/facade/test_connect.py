"""Connecting: the token, the address, and no request before the first read."""

import math
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.sandbox import Sandbox, serve
from tests.facade.scripts import run_script
from tests.facade.service import TOKEN, Connect, untouched


@pytest.fixture(autouse=True)
def no_token_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BUDGETFRAME_TOKEN", raising=False)


@pytest.fixture(scope="module")
def service() -> Sandbox:
    return Sandbox(token=TOKEN, limit=10_000, years=1)


@pytest.fixture(scope="module")
def address(service: Sandbox) -> Iterator[str]:
    with serve(service) as url:
        yield url


# The address


def test_the_default_address_is_the_published_one() -> None:
    assert "https://api.ynab.com/v1" in repr(BudgetFrame.connect(TOKEN))


@pytest.mark.parametrize("base_url", [
    "http://api.ynab.com/v1", "http://127.0.0.1.evil.example/v1",
    "http://localhost.evil.example/v1", "http://evil.example/127.0.0.1",
    "http://192.168.0.7:8080/v1", "http://0.0.0.0/v1", "HTTP://api.ynab.com/v1",
    "ftp://127.0.0.1/v1", "ws://127.0.0.1/v1", "https://", "https:///v1", "api.ynab.com/v1",
    "/v1", "", "https://someone:secret@api.ynab.com/v1", "http://127.0.0.1@evil.example/v1",
    "https://api.ynab.com/v1?x=1", "file:///etc/passwd", "http://[::1/v1", "https://x:port/v1",
    "https://127.0.0.1:99999/v1",
])  # fmt: skip
def test_an_address_that_is_unsafe_for_a_token_is_refused(base_url: str) -> None:
    with pytest.raises(ToolError, match="base_url"):
        BudgetFrame.connect(TOKEN, base_url=base_url)


@pytest.mark.parametrize("base_url", [
    "http://127.0.0.1:1/v1", "http://localhost:1/v1", "http://LOCALHOST/v1", "http://[::1]:1/v1",
    "https://budget.example/v1",
])  # fmt: skip
def test_http_on_this_machine_and_https_are_accepted(base_url: str) -> None:
    assert BudgetFrame.connect(TOKEN, base_url=base_url).requests.used == 0


def test_a_slash_at_the_end_of_an_address_has_no_effect(address: str, connect: Connect) -> None:
    assert len(connect(f"{address}/", budget="Household").accounts()) > 0


# The token


def test_the_token_is_the_argument_or_else_that_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, address: str, service: Sandbox, connect: Connect
) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", TOKEN)
    assert connect(address, None).user().id == service.user_id
    monkeypatch.setenv("BUDGETFRAME_TOKEN", "some-other-token")
    assert connect(address).user().id == service.user_id


def test_a_missing_token_is_an_error_that_names_the_variable() -> None:
    ended = run_script("import budgetframe; budgetframe.BudgetFrame.connect()")
    last = ended.err.strip().splitlines()[-1]
    assert last.startswith("budgetframe.ToolError")
    assert "BUDGETFRAME_TOKEN" in last


@pytest.mark.parametrize("token", [
    "Zq8rT1mVx4\nLw7Bk2Ng5Pd9", "Zq8rT1mVx4\r\nX-Evil: Lw7Bk2Ng5Pd9",
    "Zq8rT1mVx4 Lw7Bk2Ng5Pd9", "Zq8rT1mVx4\tLw7Bk2Ng5Pd9", "Zq8rT1mVx4Lw7Bk2Ng5Pd9ß",
    "Zq8rT1mVx4\x00Lw7Bk2Ng5Pd9", "Zq8rT1mVx4\x7fLw7Bk2Ng5Pd9", "Zq8rT1mVx4\u2028Lw7Bk2Ng5Pd9",
    "Bearer Zq8rT1mVx4Lw7Bk2Ng5Pd9", b"Zq8rT1mVx4", ["Zq8rT1mVx4"], " ", "\n", "\t \r\n",
], ids=ascii)  # fmt: skip
def test_an_invalid_token_is_refused_without_showing_it(token: Any) -> None:
    with pytest.raises(ToolError, match="token") as caught:
        BudgetFrame.connect(token)
    assert "Zq8rT1" not in str(caught.value)
    assert "Pd9" not in str(caught.value)


def test_an_invalid_token_of_the_environment_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", "Zq8rT1mVx4 Lw7Bk2Ng5Pd9")
    with pytest.raises(ToolError, match="token") as caught:
        BudgetFrame.connect()
    assert "Zq8rT1" not in str(caught.value)


@pytest.mark.parametrize(("token", "advice"), [
    ("'Zq8rT1mVx4Lw7Bk2Ng5Pd9'", "without quotes"), ("Zq8rT1mVx4Lw7Bk2Ng5Pd9'", "without quotes"),
    ('"Zq8rT1mVx4Lw7Bk2Ng5Pd9"', "without quotes"),
    ("Bearer Zq8rT1mVx4Lw7Bk2Ng5Pd9", "without this word"),
    (" bearer Zq8rT1mVx4Lw7Bk2Ng5Pd9", "without this word"),
])  # fmt: skip
def test_a_token_in_quotes_or_after_bearer_is_refused_by_name(token: str, advice: str) -> None:
    with pytest.raises(ToolError, match=advice):
        BudgetFrame.connect(token)


# No request before the first read


def test_connecting_sends_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        port = listener.getsockname()[1]
        repr(BudgetFrame.connect(TOKEN, budget="x", base_url=f"http://127.0.0.1:{port}/v1"))
        with pytest.raises(BlockingIOError):
            listener.accept()


# The limit belongs to the token


@pytest.mark.parametrize("spelling", ["{}/", "HTTP:{}"])
def test_another_spelling_is_the_same_limit(address: str, connect: Connect, spelling: str) -> None:
    other = spelling.format(address if spelling == "{}/" else address.removeprefix("http:"))
    first, second = connect(address), connect(other)
    before = second.requests.used
    first.user()
    assert second.requests.used == before + 1


def test_connections_with_different_tokens_count_apart(address: str, connect: Connect) -> None:
    other = connect(address, "another-token-altogether")
    connect(address).user()
    assert other.requests.used == 0


# The embedded service


def test_two_sandboxes_count_their_requests_apart() -> None:
    one, other = BudgetFrame.sandbox(), BudgetFrame.sandbox()
    one.user()
    assert other.requests.used == 0


def test_reading_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    BudgetFrame.sandbox().accounts()
    assert list(tmp_path.iterdir()) == []


NUMBER = "timeout={!r}: give the seconds to wait for an answer, like 30"
TTL = "ttl={!r}: give seconds, or 0 to store nothing"
WRONG_OPTIONS: dict[str, list[tuple[Any, str]]] = {
    "timeout": [(each, NUMBER) for each in ("30", None, True, 0, -1.0, math.nan, math.inf)],
    "ttl": [(each, TTL) for each in ("300", None, True, -1, math.nan)],
    "verify": [(each, "verify={!r}: it must be True or False") for each in ("no", 1, None)],
    "progress": [(each, "progress={!r}: it must be True or False") for each in ("no", 1, None)],
    "budget": [(5, "budget={!r}: it must be a text")],
    "on_limit": [("never", "on_limit={!r}: it must be one of 'stale', 'raise', 'wait'")],
}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [(name, *each) for name, wrong in WRONG_OPTIONS.items() for each in wrong],
)
def test_connect_refuses_an_option_of_a_wrong_type(name: str, value: object, message: str) -> None:
    with pytest.raises(ToolError) as caught:
        BudgetFrame.connect("a-token", **{name: value})  # type: ignore[arg-type]
    assert str(caught.value) == message.format(value)
    if name != "timeout":
        with pytest.raises(ToolError) as caught:
            BudgetFrame.sandbox(untouched(1), **{name: value})  # type: ignore[arg-type]
        assert str(caught.value) == message.format(value)


@pytest.mark.parametrize("timeout", [1, 0.5, np.float32(2), np.int64(3)])
def test_any_number_of_seconds_is_a_timeout(address: str, connect: Connect, timeout: float) -> None:
    assert len(connect(address, budget="Household", timeout=timeout).accounts()) > 0

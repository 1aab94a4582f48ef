"""A function that returns the token, for tokens that expire."""

import asyncio
import pickle
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from budgetframe import BudgetFrame, RateLimiter, ServiceAPIError, ServiceClient, ToolError
from budgetframe.sandbox import Sandbox, serve

OLD, NEW = "old-token-that-nobody-must-see", "new-token-that-nobody-must-see"


class Tokens:
    """Returns its tokens in their order, and the last one again and again."""

    def __init__(self, *tokens: str) -> None:
        self.tokens = [*tokens]
        self.calls = 0

    def present(self) -> str:
        self.calls += 1
        return self.tokens.pop(0) if len(self.tokens) > 1 else self.tokens[0]


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox(token=NEW, budgets=1, years=1)


@pytest.fixture
def address(sandbox: Sandbox) -> Iterator[str]:
    with serve(sandbox) as url:
        yield url


def test_it_is_called_for_each_request_and_again_after_401(sandbox: Sandbox, address: str) -> None:
    tokens = Tokens(OLD, NEW)
    with BudgetFrame.connect(tokens.present, base_url=address) as bf:
        assert tokens.calls == 0
        bf.accounts()
        assert (tokens.calls, sandbox.requests_served) == (3, 3)  # list, list again, accounts
        assert bf.requests.used == 3


def test_a_write_is_sent_once_more_after_401(address: str) -> None:
    tokens = Tokens(NEW)
    with BudgetFrame.connect(tokens.present, base_url=address) as bf:
        bf.accounts()
        tokens.tokens = [OLD, NEW]
        bf.create_payee("Bakery")
        assert bf.payees().query("payee_name == 'Bakery'").shape[0] == 1


def test_a_second_401_is_the_usual_error(sandbox: Sandbox, address: str) -> None:
    tokens = Tokens(OLD)
    with (
        BudgetFrame.connect(tokens.present, base_url=address, on_limit="raise") as bf,
        pytest.raises(ServiceAPIError, match="Unauthorized") as caught,
    ):
        bf.accounts()
    assert (caught.value.status_code, tokens.calls, sandbox.requests_served) == (401, 2, 2)


def test_a_client_takes_a_function_also_an_asynchronous_one(sandbox: Sandbox) -> None:
    async def token() -> str:
        await asyncio.sleep(0)
        return NEW

    async def user_id() -> str:
        async with httpx.AsyncClient(
            base_url=sandbox.base_url, transport=sandbox.transport()
        ) as http:
            return await ServiceClient(http, RateLimiter(), token=token).validate_token()

    assert asyncio.run(user_id()) == sandbox.user_id


@pytest.mark.parametrize(("returned", "problem"), [
    (None, "the token has the type NoneType"), ("", "the token is empty"),
    (f"{OLD} {OLD}", "has characters no token has"),
])  # fmt: skip
def test_a_function_that_returns_no_token_is_a_clear_error(
    sandbox: Sandbox, address: str, returned: str, problem: str
) -> None:
    with (
        BudgetFrame.connect(lambda: returned, base_url=address) as bf,
        pytest.raises(ToolError, match="the function for the token returned no token") as caught,
    ):
        bf.accounts()
    assert problem in str(caught.value)
    assert sandbox.requests_served == 0
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    package = [frame for frame in shown.stack if "budgetframe/" in frame.filename]
    assert not any(OLD in str(frame.locals) for frame in package if "tests/" not in frame.filename)


def test_the_text_of_an_error_of_the_function_is_hidden(sandbox: Sandbox, address: str) -> None:
    def fail() -> str:
        raise LookupError(f"the service of tokens refuses {NEW}")

    with BudgetFrame.connect(fail, base_url=address) as bf, pytest.raises(ToolError) as caught:
        bf.accounts()
    line = fail.__code__.co_firstlineno + 1
    assert str(caught.value) == (
        f"the function for the token raised LookupError in line {line} of test_token_function.py."
        " Its text is not shown, because it can contain the token: call the function yourself to"
        " see it. Nothing was sent"
    )
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert sandbox.requests_served == 0


def test_a_function_that_ends_the_program_is_a_failed_function(address: str) -> None:
    with (
        BudgetFrame.connect(lambda: sys.exit(1), base_url=address) as bf,
        pytest.raises(ToolError, match="the function for the token raised SystemExit"),
    ):
        bf.accounts()


def test_changes_are_not_made_if_the_function_raises_an_error(address: str) -> None:
    tokens = Tokens(NEW)
    with BudgetFrame.connect(tokens.present, base_url=address) as bf:
        changes = bf.changes(bf.transactions().tail(1).assign(memo="new"))
        tokens.tokens = []
        with pytest.raises(ToolError, match="the function for the token raised IndexError"):
            changes.apply()
        assert changes.counts == {"left": 1, "done": 0, "unknown": 0, "conflicts": 0}


def test_no_traceback_of_a_client_holds_what_the_function_returned(sandbox: Sandbox) -> None:
    async def fail() -> None:
        async with httpx.AsyncClient(
            base_url=sandbox.base_url, transport=sandbox.transport()
        ) as http:
            await ServiceClient(http, RateLimiter(), token=lambda: f"Bearer {OLD}").get("/user")

    with pytest.raises(ToolError, match="returned no token") as caught:
        asyncio.run(fail())
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    package = [frame for frame in shown.stack if "/tests/" not in frame.filename]
    assert not any(OLD in str(frame.locals) for frame in package)


def test_the_cache_file_and_the_count_stay_when_the_token_changes(
    sandbox: Sandbox, address: str, tmp_path: Path
) -> None:
    tokens = Tokens(NEW)
    with BudgetFrame.connect(tokens.present, base_url=address, cache_dir=tmp_path) as bf:
        bf.accounts()
    sandbox.token = tokens.tokens[0] = OLD
    with BudgetFrame.connect(tokens.present, base_url=address, cache_dir=tmp_path) as bf:
        bf.accounts()
        bf.payees()
        assert bf.requests.used == 3
    assert sandbox.requests_served == 3
    stored = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.suffix for path in stored if path.suffix == ".sqlite"] == [".sqlite"]
    assert not any(OLD.encode() in path.read_bytes() for path in stored)


def test_the_folder_of_the_environment_is_not_used_with_a_function(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUDGETFRAME_CACHE_DIR", str(tmp_path))
    with BudgetFrame.connect(Tokens(NEW).present, base_url=address) as bf:
        bf.accounts()
    assert list(tmp_path.iterdir()) == []


def test_no_pickle_has_the_function_or_token(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", "token-of-the-environment")
    with BudgetFrame.connect(lambda: NEW, base_url=address) as bf:
        bf.accounts()
        content = pickle.dumps(bf)
        assert NEW not in repr(vars(bf._session.reads.client))
    assert NEW.encode() not in content

"""Neither the token nor a part of it appears anywhere."""

import asyncio
import json
import logging
import pickle
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

import budgetframe
from budgetframe import BudgetFrame, BudgetFrameError, ServiceAPIError, ToolError
from tests.facade.service import TOKEN, Connect, ServiceWithFacade, scripted, without_pauses

PARTS = [TOKEN[start : start + 6] for start in range(len(TOKEN) - 5)]


def shows_nothing(text: str) -> bool:
    return not any(part in text for part in PARTS)


def frames_of_the_package(shown: traceback.TracebackException) -> list[traceback.FrameSummary]:
    # The checkout can be in a folder with the name of the package.
    package = Path(budgetframe.__file__).parent
    return [frame for frame in shown.stack if Path(frame.filename).is_relative_to(package)]


@pytest.fixture
def bf(address: str, connect: Connect) -> BudgetFrame:
    """A connection that was used, so that it holds everything it keeps."""
    made = connect(address, budget="Household")
    made.accounts()
    return made


VIEWS: dict[str, Callable[[BudgetFrame], str]] = {
    "repr": repr,
    "str": str,
    "format": lambda bf: f"{bf}",
    "html": lambda bf: bf._repr_html_(),
    "vars": lambda bf: repr(vars(bf)),
    "vars of aio": lambda bf: repr(vars(bf.aio)),
    "vars of what it holds": lambda bf: repr(
        [vars(held) for held in vars(bf).values() if hasattr(held, "__dict__")]
    ),
    "pickle": lambda bf: pickle.dumps(bf).decode("latin-1"),
    "pickle, protocol 0": lambda bf: pickle.dumps(bf, protocol=0).decode("latin-1"),
    "reduce": lambda bf: repr(bf.__reduce__()),
    "frame": lambda bf: bf.accounts().to_string() + json.dumps(bf.accounts().attrs),
    "requests": lambda bf: repr(bf.requests),
    "other budget": lambda bf: repr(vars(bf.with_budget("x"))),
}


def test_no_view_of_a_connection_has_the_token(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    for name, view in VIEWS.items():
        with subtests.test(name=name):
            assert shows_nothing(view(bf))


def test_no_view_of_a_given_client_shows_the_token(home: ServiceWithFacade) -> None:
    home.bf.accounts()
    everything = [home.bf, home.client, vars(home.bf), vars(home.client), home.limiter]
    assert shows_nothing(repr(everything))


@pytest.mark.parametrize(("arguments", "message"), [
    ({"budget": TOKEN}, "budget contains the token: pass it as the token only"),
    ({"cache_dir": f"folder/{TOKEN}"}, "cache_dir contains the token: pass it as the token only"),
    ({"on_limit": TOKEN}, "on_limit contains the token: pass it as the token only"),
    ({"base_url": f"https://{TOKEN}/v1"}, "base_url contains the token: pass it as the token only"),
    ({"base_url": f"http://service.test/{TOKEN}"},
     "base_url is not https: the token would be readable on the way"),
])  # fmt: skip
def test_a_token_in_another_argument_is_not_shown(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolError) as caught:
        BudgetFrame.connect(TOKEN, **arguments)
    assert str(caught.value).startswith(message)
    assert shows_nothing(str(caught.value))


def test_a_token_in_the_place_of_a_client_is_refused_and_not_shown() -> None:
    with pytest.raises(ToolError) as found:
        BudgetFrame(TOKEN)  # type: ignore[arg-type]
    assert str(found.value) == "client must be a ServiceClient; BudgetFrame.connect() takes a token"
    frames = [frame for frame, _ in traceback.walk_tb(found.value.__traceback__)]
    assert TOKEN not in frames[-1].f_locals.values()


# Errors


FAILURES: dict[str, Callable[[BudgetFrame], object]] = {
    "unknown budget": lambda bf: bf.with_budget("nowhere").accounts(),
    "unknown id": lambda bf: bf.account("00000000-0000-4000-8000-000000000000"),
    "bad day": lambda bf: bf.transactions(since="yesterday"),
    "bad row": lambda bf: bf.create_transactions([{"amount": -1}]),
}


def raised(call: Callable[[], object]) -> BaseException:
    with pytest.raises((BudgetFrameError, httpx.HTTPError)) as caught:
        call()
    return caught.value


@pytest.fixture(scope="module")
def errors(address: str) -> dict[str, BaseException]:
    """One error of each kind that a call can raise."""
    unanswered = {
        "no network": "http://127.0.0.1:9/v1", "no tls": address.replace("http:", "https:"),
    }  # fmt: skip
    with ExitStack() as opened:

        def connected(url: str, token: str = TOKEN) -> BudgetFrame:
            bf = BudgetFrame.connect(token, base_url=url, budget="Household")
            return opened.enter_context(without_pauses(bf))

        found = {name: raised(partial(fail, connected(address))) for name, fail in FAILURES.items()}
        found |= {name: raised(connected(url).user) for name, url in unanswered.items()}
        return {**found, "refused": raised(connected(address, f"{TOKEN}{TOKEN}").user)}


def test_errors_show_no_token(errors: dict[str, BaseException], subtests: pytest.Subtests) -> None:
    assert len(errors) == 7
    for name, error in errors.items():
        with subtests.test(name=name):
            shown = [str(error), repr(error), repr(vars(error)), repr(error.args)]
            shown += traceback.format_exception(error)
            assert shows_nothing("\n".join(shown))
            assert shows_nothing(pickle.dumps(error).decode("latin-1"))
            told = traceback.TracebackException.from_exception(error, capture_locals=True)
            in_package = frames_of_the_package(told)
            assert in_package
            assert shows_nothing(repr([frame.locals for frame in in_package]))
            if isinstance(error, httpx.TransportError):
                assert "authorization" not in error.request.headers
                assert (error.__cause__, error.__context__) == (None, None)


def test_no_local_variable_in_a_debug_traceback_holds_the_token(
    address: str, connect: Connect, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.setenv("BUDGETFRAME_DEBUG", "1")
    calls: list[Callable[[BudgetFrame], object]] = [
        *FAILURES.values(), lambda _: connect("http://127.0.0.1:9/v1").user(),
    ]  # fmt: skip
    bf = connect(address, budget="Household")
    for number, call in enumerate(calls):
        with subtests.test(number=number):
            with pytest.raises((BudgetFrameError, httpx.HTTPError)) as caught:
                call(bf)
            shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
            in_package = frames_of_the_package(shown)
            assert len(in_package) > 3
            assert shows_nothing(repr([frame.locals for frame in in_package]))
            assert [frame.filename for frame in shown.stack if "/http" in frame.filename] == []
            assert (shown.__cause__, shown.__suppress_context__) == (None, True)


def test_no_local_variable_in_the_traceback_of_an_awaited_call_holds_the_token() -> None:
    def unreachable(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route to host", request=request)

    with pytest.raises(httpx.ConnectError) as caught:
        asyncio.run(scripted(unreachable).aio.user())
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert shows_nothing(repr([frame.locals for frame in told.stack]))


# Logs and output


def test_no_log_line_of_any_logger_shows_the_token(
    address: str, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("httpx", "httpcore", "asyncio", "budgetframe"):
        caplog.set_level(logging.DEBUG, logger=name)
    caplog.set_level(logging.DEBUG)
    with connect(address, budget="Household") as bf:
        bf.accounts()
    lines = [f"{record.name} {record.getMessage()} {vars(record)}" for record in caplog.records]
    assert any("httpcore" in line for line in lines)
    assert shows_nothing("\n".join(lines))


def test_no_call_prints(address: str, connect: Connect, capfd: pytest.CaptureFixture[str]) -> None:
    with connect(address, budget="Household") as bf:
        bf.accounts()
    assert capfd.readouterr() == ("", "")


# Pickling


def test_a_pickled_connection_carries_its_configuration_and_reads_its_token_anew(
    monkeypatch: pytest.MonkeyPatch, address: str, connect: Connect
) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", TOKEN)
    bf = connect(address, budget="東京の家計", ttl=0)
    before, stored = bf.requests.used, pickle.dumps(bf)
    with pickle.loads(stored) as again:  # noqa: S301 - it was made a moment ago
        assert bf.requests.used == before
        assert again.accounts().attrs["budget"] == "東京の家計"
        used = again.requests.used
        again.accounts()
        assert again.requests.used == used + 1
    monkeypatch.setenv("BUDGETFRAME_TOKEN", "some-other-token")
    with pickle.loads(stored) as again, pytest.raises(ServiceAPIError) as caught:  # noqa: S301
        again.user()
    assert caught.value.status_code == 401
    monkeypatch.setenv("BUDGETFRAME_TOKEN", " ")
    with pytest.raises(ToolError, match="token"):
        pickle.loads(stored)  # noqa: S301 - it was made a moment ago


def test_a_pickled_budget_of_a_connection_keeps_its_budget() -> None:
    content = pickle.dumps(BudgetFrame.sandbox().with_budget("東京の家計"))
    other = pickle.loads(content)  # noqa: S301 - it was made a moment ago
    assert other.accounts().attrs["budget"] == "東京の家計"


def test_pickling_a_facade_on_a_given_client_is_refused_with_the_reason() -> None:
    with pytest.raises(TypeError, match="client"):
        pickle.dumps(ServiceWithFacade().bf)


def test_a_failed_connect_leaves_no_variable_with_the_token(subtests: pytest.Subtests) -> None:
    cases: dict[str, dict[str, Any]] = {
        "ttl": {"ttl": -1}, "cache_dir": {"cache_dir": object()},
        "base_url": {"base_url": "ftp://example.org"}, "on_limit": {"on_limit": "sometimes"},
    }  # fmt: skip
    tokens = {"blank": f"{TOKEN} {TOKEN}", "quotes": f'"{TOKEN}"', "bearer": f"Bearer {TOKEN}"}
    calls = {name: partial(BudgetFrame.connect, TOKEN, **given) for name, given in cases.items()}
    calls |= {name: partial(BudgetFrame.connect, token) for name, token in tokens.items()}
    for name, call in calls.items():
        with subtests.test(name=name):
            error = raised(call)
            shown = traceback.TracebackException.from_exception(error, capture_locals=True)
            in_package = frames_of_the_package(shown)
            # The environment can be a local variable of any other frame.
            assert [frame.name for frame in in_package] == ["connect"]
            assert shown.stack[-1].name == "connect"
            assert shows_nothing(repr([frame.locals for frame in in_package]))
            assert error.__context__ is None

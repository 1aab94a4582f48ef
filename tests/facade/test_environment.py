"""A wrong variable of the environment is named before anything is sent, and no token is shown."""

import asyncio
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from budgetframe import ToolError
from tests.facade.service import TOKEN, Connect
from tests.facade.test_secrecy import frames_of_the_package

ADDRESS = "https://service.test/v1"
NO_PROXY_ADDRESS = "is not the address of a proxy, like 'http://proxy.example.org:8080'"
NO_HOSTS = "is not a list of hosts, like 'localhost,example.org'"
NO_PACKAGE = "names a SOCKS proxy, for which a package is missing: pip install 'httpx[socks]'"
NO_CERTIFICATES = "names no file with certificates"
NO_KEY_LOG = "names no file that can be written"
GOOD_PROXY = {"HTTPS_PROXY": "http://127.0.0.1:9"}

WRONG: dict[str, tuple[dict[str, str], str, str]] = {
    "no certificates": ({"SSL_CERT_FILE": "/nothing.pem"}, "SSL_CERT_FILE", NO_CERTIFICATES),
    "certificates in a folder": ({"SSL_CERT_FILE": "/"}, "SSL_CERT_FILE", NO_CERTIFICATES),
    "other contents": ({"SSL_CERT_FILE": __file__}, "SSL_CERT_FILE", NO_CERTIFICATES),
    "no folder": ({"SSL_CERT_DIR": "/nothing"}, "SSL_CERT_DIR", "names no folder"),
    "keys in no folder": ({"SSLKEYLOGFILE": "/nothing/keys"}, "SSLKEYLOGFILE", NO_KEY_LOG),
    "keys in a folder": ({"SSLKEYLOGFILE": "/"}, "SSLKEYLOGFILE", NO_KEY_LOG),
    "scheme": ({"HTTPS_PROXY": "ftp://proxy.test"}, "HTTPS_PROXY", NO_PROXY_ADDRESS),
    "port": ({"https_proxy": "http://proxy.test:port"}, "https_proxy", NO_PROXY_ADDRESS),
    "large port": ({"HTTPS_PROXY": "http://127.0.0.1:65536"}, "HTTPS_PROXY", NO_PROXY_ADDRESS),
    "no host": ({"ALL_PROXY": "http://"}, "ALL_PROXY", NO_PROXY_ADDRESS),
    "bracket": ({"all_proxy": "http://["}, "all_proxy", NO_PROXY_ADDRESS),
    "no text": ({"HTTPS_PROXY": "\udcff"}, "HTTPS_PROXY", NO_PROXY_ADDRESS),
    "proxy of other addresses": ({"HTTP_PROXY": "ftp://p"}, "HTTP_PROXY", NO_PROXY_ADDRESS),
    "proxy without a scheme": ({"http_proxy": "proxy:port"}, "http_proxy", NO_PROXY_ADDRESS),
    "package": ({"ALL_PROXY": "socks5://127.0.0.1:9"}, "ALL_PROXY", NO_PACKAGE),
    "bracket in the exceptions": ({**GOOD_PROXY, "NO_PROXY": "[::1"}, "NO_PROXY", NO_HOSTS),
    "network": ({"no_proxy": "localhost, ::1/128"}, "no_proxy", NO_HOSTS),
    "lower case has priority": (
        {"HTTPS_PROXY": "http://127.0.0.1:9", "https_proxy": "ftp://proxy.test"}, "https_proxy",
        NO_PROXY_ADDRESS),
    "the proxy and not the good certificates": (
        {"SSL_CERT_DIR": "/", "NO_PROXY": "localhost", "ALL_PROXY": "ftp://proxy.test"},
        "ALL_PROXY", NO_PROXY_ADDRESS),
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*os.environ]:
        if name.lower().endswith("_proxy") or name.startswith("SSL"):
            monkeypatch.delenv(name)
    monkeypatch.setitem(sys.modules, "socksio", None)


def set_all(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


def local_variables(error: BaseException | None) -> Iterator[str]:
    """The local variables of all frames of an error, and of the errors behind it."""
    while error is not None:
        for frame, _ in traceback.walk_tb(error.__traceback__):
            if frame.f_globals.get("__name__") != __name__:  # this file knows the token
                for value in frame.f_locals.values():
                    with suppress(AttributeError):  # a proxy of httpx that was refused has no repr
                        yield repr(value)
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize(("variables", "named", "problem"), WRONG.values(), ids=[*WRONG])
def test_the_wrong_variable_is_named_and_no_frame_has_the_token(
    variables: dict[str, str], named: str, problem: str, monkeypatch: pytest.MonkeyPatch,
    connect: Connect,
) -> None:  # fmt: skip
    bf = connect(ADDRESS)
    set_all(monkeypatch, variables)
    with pytest.raises(ToolError) as caught:
        bf.accounts()
    assert str(caught.value) == (
        f"the environment variable {named} {problem}. Correct or remove it; nothing was sent"
    )
    shown = frames_of_the_package(traceback.TracebackException.from_exception(caught.value))
    assert [frame.name for frame in shown] == ["accounts", "__call__"]
    assert not [text for text in local_variables(caught.value) if TOKEN in text]
    with pytest.raises(ToolError, match=named) as caught:
        asyncio.run(bf.aio.accounts())
    assert not [text for text in local_variables(caught.value) if TOKEN in text]
    monkeypatch.setenv("BUDGETFRAME_DEBUG", "1")  # with all frames
    with pytest.raises(ToolError, match=named) as caught:
        bf.accounts()
    assert not [text for text in local_variables(caught.value) if TOKEN in text]


@pytest.mark.parametrize(
    "variables",
    [
        {"SSL_CERT_FILE": "", "SSL_CERT_DIR": "", "SSLKEYLOGFILE": "", "HTTPS_PROXY": ""},
        {"HTTPS_PROXY": "ftp://proxy.test", "NO_PROXY": "example.org, *"},
        {"HTTPS_PROXY": "ftp://proxy.test", "https_proxy": ""},
        {"HTTPS_PROXY": "127.0.0.1:9", "HTTP_PROXY": "http://", "ALL_PROXY": "http://"},
        {"NO_PROXY": "localhost,127.0.0.1,::1,10.0.0.0/8,.example.org"},
    ],
    ids=["empty", "no proxy at all", "removed", "others that are not used", "exceptions"],
)
def test_variables_that_httpx_can_use_are_no_error(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch, connect: Connect
) -> None:
    set_all(monkeypatch, variables)
    bf = connect("https://service.invalid/v1")
    with pytest.raises(httpx.ConnectError):
        asyncio.run(bf.aio.user())


def test_keys_are_written_to_a_file_that_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, connect: Connect
) -> None:
    set_all(monkeypatch, {"SSLKEYLOGFILE": str(tmp_path / "keys"), **GOOD_PROXY})
    with suppress(httpx.ConnectError):
        connect(ADDRESS).user()
    assert (tmp_path / "keys").exists()


def test_a_service_on_this_machine_needs_no_variable(
    address: str, monkeypatch: pytest.MonkeyPatch, connect: Connect
) -> None:
    set_all(monkeypatch, {"HTTPS_PROXY": "ftp://p", "SSL_CERT_FILE": "/", "SSLKEYLOGFILE": "/"})
    assert len(connect(address, budget="Household").accounts()) > 0

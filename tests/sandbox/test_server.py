"""The service on a socket."""

import os
import signal
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from budgetframe.sandbox import Sandbox, serve
from budgetframe.sandbox.transport.resettable import Connection
from budgetframe.sandbox.transport.server import _listen
from tests.sandbox.ask import TLS, WITHOUT_THE_REST, start_python

HEADERS = {"Authorization": "Bearer sandbox-token"}


def test_the_server_answers(sandbox: Sandbox, capfd: pytest.CaptureFixture[str]) -> None:
    with serve(sandbox) as url, httpx.Client(base_url=url, headers=HEADERS, verify=TLS) as http:
        assert url.startswith("http://127.0.0.1:")
        assert url.endswith("/v1")
        assert http.get("/user").json() == {"data": {"user": {"id": sandbox.user_id}}}
        assert http.get("/budgets/..%2Fuser").json()["error"]["id"] == "404.2"
        assert httpx.get(f"{url}/user", verify=TLS).status_code == 401
    assert capfd.readouterr() == ("", "")


def test_an_open_connection_does_not_prevent_the_stop_and_another_start(sandbox: Sandbox) -> None:
    with httpx.Client(headers=HEADERS, verify=TLS) as http:
        for _ in range(2):
            with serve(sandbox) as url:
                assert http.get(f"{url}/user").status_code == 200
            with pytest.raises(httpx.TransportError):
                http.get(f"{url}/user")


def test_a_port_in_use_is_an_error(sandbox: Sandbox) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"), serve(sandbox, port=taken.getsockname()[1]):
            pass


def test_a_port_in_use_is_not_shared_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    # There, a socket with this option can have the port of another one.
    monkeypatch.setattr(os, "name", "nt")
    listener = _listen("127.0.0.1", 0)
    monkeypatch.undo()
    with listener:
        assert listener.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR) == 0


def test_concurrent_requests_are_all_answered(sandbox: Sandbox) -> None:
    def ask(url: str) -> int:
        path = f"{url}/budgets/last-used/transactions"
        return httpx.get(path, headers=HEADERS, verify=TLS).status_code

    with serve(sandbox) as url, ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, [url] * 24)) == [200] * 24
    assert sandbox.requests_served == 24


def test_only_loopback_host_names_are_answered(sandbox: Sandbox, subtests: pytest.Subtests) -> None:
    """A web page whose name leads to this machine must not be able to read the budgets."""
    cases = {
        "127.0.0.1": 200, "127.0.0.1:8000": 200, "localhost": 200, "LOCALHOST:8000": 200,
        "[::1]:8000": 200, "[::1]": 200, "example.com": 421, "example.com:8000": 421,
        "localhost.example.com": 421, "127.0.0.1.example.com": 421,
        "example.com:127.0.0.1": 421, "": 421,
    }  # fmt: skip
    before = sandbox.requests_served
    with serve(sandbox) as url, httpx.Client(headers=HEADERS, verify=TLS) as http:
        for host, status in cases.items():
            with subtests.test(host=host):
                assert http.get(f"{url}/user", headers={"Host": host}).status_code == status
        refused = http.get(f"{url}/user", headers={"Host": "example.com"})
    assert refused.json() == {
        "error": {"id": "421", "name": "misdirected_request",
            "detail": "The sandbox only answers to loopback host names"}
    }  # fmt: skip
    assert sandbox.requests_served == before + 6


def test_headers_have_a_time_limit(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Each byte sent does not begin a new limit; a request after the first one has a limit too."""
    monkeypatch.setattr(Connection, "header_seconds", 0.1)
    request = b"GET /v1/user HTTP/1.1\r\nHost: localhost\r\n"
    with serve(sandbox) as url:
        address = ("127.0.0.1", httpx.URL(url).port or 0)
        for sent in (b"", request):
            with subtests.test(sent=sent), socket.create_connection(address, timeout=3) as client:
                client.sendall(sent)
                assert client.recv(1) == b""
        with socket.create_connection(address, timeout=3) as client:
            client.sendall(request + b"\r\n")
            answer = b""
            while not answer.endswith(b"}}"):
                answer += client.recv(65_536)
            assert answer.startswith(b"HTTP/1.1 401")
            client.sendall(request)
            assert client.recv(1) == b""
        with socket.create_connection(address, timeout=3) as client:
            client.settimeout(0.01)
            assert _is_closed_while_sending(client, request + b"X: " + b"x" * 100)


def _is_closed_while_sending(client: socket.socket, content: bytes) -> bool:
    for byte in content:
        try:
            client.sendall(bytes([byte]))
            if client.recv(1) == b"":
                return True
        except TimeoutError:
            pass
        except ConnectionError:
            return True
    return False


_PROGRAM = (
    WITHOUT_THE_REST
    + """
from budgetframe.sandbox import Sandbox, run
for _ in range(2):
    run(Sandbox(budgets=1, years=1), port=0, on_ready=lambda url: print(url, flush=True))
    print("stopped", flush=True)
"""
)


@pytest.mark.posix
def test_run_serves_until_a_signal() -> None:
    with start_python(_PROGRAM) as process:
        assert process.stdout is not None
        for stop in (signal.SIGINT, signal.SIGTERM):
            url = process.stdout.readline().strip()
            assert httpx.get(f"{url}/user", headers=HEADERS, verify=TLS).status_code == 200, stop
            process.send_signal(stop)
            assert process.stdout.readline() == "stopped\n", stop
        out, err = process.communicate(timeout=20)
    assert (out, err, process.returncode) == ("", "", 0)


@pytest.mark.slow  # another interpreter imports the whole package
def test_imports_of_the_package_and_of_the_sandbox() -> None:
    """The package imports no server, and the sandbox imports nothing of the rest of the package."""
    program = """
import sys, budgetframe
before = set(sys.modules)
print(sorted({'starlette', 'uvicorn'} & before))
import budgetframe.sandbox
new = set(sys.modules) - before
print('uvicorn' in new)
print(sorted(name for name in new
    if name.startswith('budgetframe.') and not name.startswith('budgetframe.sandbox')))
"""
    with start_python(program) as process:
        assert process.communicate() == ("[]\nFalse\n[]\n", "")

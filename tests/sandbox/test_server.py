"""The service on a socket."""

from __future__ import annotations

import signal
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from budgetframe.sandbox import Sandbox, serve
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


def test_after_the_block_the_server_is_stopped(sandbox: Sandbox) -> None:
    with serve(sandbox) as url:
        pass
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{url}/user", verify=TLS)


def test_an_open_connection_does_not_prevent_the_stop(sandbox: Sandbox) -> None:
    with httpx.Client(headers=HEADERS, verify=TLS) as http:
        with serve(sandbox) as url:
            assert http.get(f"{url}/user").status_code == 200
        with pytest.raises(httpx.TransportError):
            http.get(f"{url}/user")


def test_a_sandbox_can_be_served_again(sandbox: Sandbox) -> None:
    for _ in range(2):
        with serve(sandbox) as url:
            assert httpx.get(f"{url}/user", headers=HEADERS, verify=TLS).status_code == 200


def test_a_port_in_use_is_an_error(sandbox: Sandbox) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"), serve(sandbox, port=taken.getsockname()[1]):
            pass


def test_concurrent_requests_are_all_answered(sandbox: Sandbox) -> None:
    def ask(url: str) -> int:
        path = f"{url}/budgets/last-used/transactions"
        return httpx.get(path, headers=HEADERS, verify=TLS).status_code

    with serve(sandbox) as url, ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, [url] * 24)) == [200] * 24
    assert sandbox.requests_served == 24


_PROGRAM = (
    WITHOUT_THE_REST
    + """
from budgetframe.sandbox import Sandbox, run
for _ in range(2):
    run(Sandbox(budgets=1, years=1), port=0, on_ready=lambda url: print(url, flush=True))
    print("stopped", flush=True)
"""
)


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

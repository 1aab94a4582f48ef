from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from budgetframe.sandbox import Sandbox, serve

HEADERS = {"Authorization": "Bearer sandbox-token"}


def test_it_answers_over_a_real_socket(sandbox: Sandbox, capfd: pytest.CaptureFixture[str]) -> None:
    with serve(sandbox) as url, httpx.Client(base_url=url, headers=HEADERS) as http:
        assert url.startswith("http://127.0.0.1:")
        assert url.endswith("/v1")
        assert http.get("/user").json() == {"data": {"user": {"id": sandbox.user_id}}}
        assert http.get("/budgets/..%2Fuser").json()["error"]["id"] == "404.2"
        assert httpx.get(f"{url}/user").status_code == 401
    assert capfd.readouterr() == ("", "")


def test_it_is_gone_afterwards(sandbox: Sandbox) -> None:
    with serve(sandbox) as url:
        pass
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{url}/user")


def test_a_client_that_stays_connected_does_not_hold_it_up(sandbox: Sandbox) -> None:
    with httpx.Client(headers=HEADERS) as http:
        with serve(sandbox) as url:
            assert http.get(f"{url}/user").status_code == 200
        with pytest.raises(httpx.TransportError):
            http.get(f"{url}/user")


def test_it_serves_again(sandbox: Sandbox) -> None:
    for _ in range(2):
        with serve(sandbox) as url:
            assert httpx.get(f"{url}/user", headers=HEADERS).status_code == 200


def test_a_taken_port_is_an_error_at_once(sandbox: Sandbox) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"), serve(sandbox, port=taken.getsockname()[1]):
            pass


def test_requests_at_the_same_time_are_all_answered(sandbox: Sandbox) -> None:
    def ask(url: str) -> int:
        return httpx.get(f"{url}/budgets/last-used/transactions", headers=HEADERS).status_code

    with serve(sandbox) as url, ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, [url] * 24)) == [200] * 24
    assert sandbox.requests_served == 24


_PROGRAM = """
from budgetframe.sandbox import Sandbox, run
run(Sandbox(), port=0, on_ready=lambda url: print(url, flush=True))
print("stopped", flush=True)
"""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_in_the_foreground_it_runs_until_a_signal(stop: signal.Signals) -> None:
    with subprocess.Popen(  # noqa: S603 - this interpreter, a constant program
        [sys.executable, "-W", "error", "-c", _PROGRAM],
        env=os.environ | {"PYTHONPATH": os.getcwd()},  # noqa: PTH109
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert httpx.get(f"{url}/user", headers=HEADERS).status_code == 200
        process.send_signal(stop)
        out, err = process.communicate(timeout=20)
    assert (out, err, process.returncode) == ("stopped\n", "", 0)


def test_importing_the_package_imports_no_server() -> None:
    program = (
        "import sys, budgetframe; print(sorted({'starlette', 'uvicorn'} & set(sys.modules)));"
        "import budgetframe.sandbox; print('uvicorn' in sys.modules)"
    )
    done = subprocess.run(  # noqa: S603 - this interpreter, a constant program
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": os.getcwd()},  # noqa: PTH109
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\nFalse\n"


def test_the_service_is_a_reading_of_its_own() -> None:
    program = (
        "import sys, budgetframe; before = set(sys.modules); import budgetframe.sandbox;"
        "new = set(sys.modules) - before;"
        "print(sorted(n for n in new if n.startswith('budgetframe.')"
        " and not n.startswith('budgetframe.sandbox')))"
    )
    done = subprocess.run(  # noqa: S603 - this interpreter, a constant program
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": os.getcwd()},  # noqa: PTH109
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"

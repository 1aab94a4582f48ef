"""The command ``budgetframe sandbox``, as a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

import budgetframe

HEADERS = {"Authorization": "Bearer sandbox-token"}
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(budgetframe.__file__).parents[1])}
COMMAND = [sys.executable, "-W", "error", "-m", "budgetframe", "sandbox"]


@contextmanager
def running(*flags: str) -> Iterator[str]:
    """Run the command and give its address; afterwards it printed that line alone."""
    with subprocess.Popen(  # noqa: S603 - this interpreter, flags of the tests
        [*COMMAND, "--port", "0", *flags],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        try:
            yield url
        finally:
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=20)
        assert (out, err, process.returncode) == ("", "", 0)


def refused(*flags: str) -> tuple[int, str]:
    """Give exit status and the last line on stderr of a command that refuses."""
    done = subprocess.run(  # noqa: S603 - this interpreter, flags of the tests
        [*COMMAND, *flags], env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr.splitlines()[-1]


def test_it_prints_its_address_and_answers_there() -> None:
    with running() as url:
        assert url.startswith("http://127.0.0.1:")
        assert url.endswith("/v1")
        answer = httpx.get(f"{url}/budgets", headers=HEADERS).json()
        names = [row["name"] for row in answer["data"]["budgets"]]
        assert names == ["Household", "東京の家計"]


def test_size_on_request() -> None:
    with running("--years", "1", "--transactions", "2000", "--budgets", "3") as url:
        rows = httpx.get(f"{url}/budgets", headers=HEADERS).json()["data"]["budgets"]
        assert [row["name"] for row in rows] == ["Household", "東京の家計", "Household 2"]
        assert {row["first_month"] for row in rows} == {"2025-01-01"}
        path = f"{url}/budgets/last-used/transactions?since_date=2000-01-01"
        assert len(httpx.get(path, headers=HEADERS).json()["data"]["transactions"]) == 2000


def test_faults_on_request() -> None:
    faults = ("--faults", "reset-before:GET:/user@2", "--faults", "html:/user@3")
    with running(*faults) as url, httpx.Client(headers=HEADERS) as http:
        assert http.get(f"{url}/user").status_code == 200
        with pytest.raises(httpx.ReadError):
            http.get(f"{url}/user")
        assert http.get(f"{url}/user").status_code == 502
        assert http.get(f"{url}/user").status_code == 200


def test_a_token_and_a_seed() -> None:
    with running("--token", "other", "--seed", "2") as url:
        assert httpx.get(f"{url}/user", headers=HEADERS).status_code == 401
        answer = httpx.get(f"{url}/user", headers={"Authorization": "Bearer other"})
        assert answer.json() != {"data": {"user": {"id": "b99c3858-7b55-4f93-b5e5-1e279feefc44"}}}


def test_a_taken_port_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status, said = refused("--port", str(taken.getsockname()[1]))
    assert status == 1
    assert said.startswith("budgetframe sandbox: ")
    assert "in use" in said


@pytest.mark.parametrize(
    ("port", "message"),
    [
        ("70000", "'70000' is no port: it must be 0 to 65535"),
        ("-1", "'-1' is no port: it must be 0 to 65535"),
        ("http", "'http' is no port: it must be 0 to 65535"),
    ],
)
def test_what_is_no_port_is_refused(port: str, message: str) -> None:
    expected = f"budgetframe sandbox: error: argument --port: {message}"
    assert refused(f"--port={port}") == (2, expected)


@pytest.mark.parametrize(
    ("flags", "status", "message"),
    [
        (("--years", "0"), 1, "budgetframe sandbox: years is 0: it must be 1 to 50"),
        (("--budgets", "0"), 1, "budgetframe sandbox: budgets is 0: it must be 1 to 50"),
        (
            ("--transactions=-3",),
            1,
            "budgetframe sandbox: transactions is -3: it must be at least 1",
        ),
        (
            ("--years", "many"),
            2,
            "budgetframe sandbox: error: argument --years: invalid int value: 'many'",
        ),
    ],
)
def test_a_size_that_cannot_be_is_refused(
    flags: tuple[str, ...], status: int, message: str
) -> None:
    assert refused("--port", "0", *flags) == (status, message)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("teapot", "fault 'teapot': 'teapot' is no kind of fault: take latency=SECONDS, reset-b"),
        ("500@often", "fault '500@often': 'often' does not say when: 1,3 or 2-4 or 2- or 10% does"),
        ("latency", "fault 'latency': latency needs seconds, as in latency=2.5"),
    ],
)
def test_a_fault_that_is_none_is_refused_with_what_there_is(spec: str, message: str) -> None:
    status, said = refused("--port", "0", "--faults", spec)
    assert status == 1
    assert said.startswith(f"budgetframe sandbox: {message}")


def test_help_tells_how_faults_are_written() -> None:
    done = subprocess.run(  # noqa: S603 - this interpreter
        [*COMMAND, "--help"], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert "faults: KIND[=SECONDS][:METHOD][:PATH][@WHEN]" in done.stdout
    assert "--faults 'html@10%'" in done.stdout

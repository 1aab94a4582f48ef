"""The command ``budgetframe sandbox``: its server in a process, its error messages in this one."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

import budgetframe
from tests.cli import main

pytestmark = pytest.mark.posix  # the command is stopped by SIGTERM

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(budgetframe.__file__).parents[1])}
COMMAND = [sys.executable, "-W", "error", "-m", "budgetframe", "sandbox"]


@contextmanager
def running(*flags: str) -> Iterator[str]:
    """Run the command and yield its base URL; check at the end that it printed nothing else."""
    with subprocess.Popen(  # noqa: S603 - this interpreter, flags of the tests
        [*COMMAND, "--port", "0", *flags],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="locale",
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        try:
            yield url
        finally:
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=20)
        assert (out, err, process.returncode) == ("", "", 0)


def refused(capsys: pytest.CaptureFixture[str], *flags: str) -> tuple[int, str]:
    """Run the command in this process and return its exit status and the last error line."""
    try:
        status: object = main(["sandbox", *flags])
    except SystemExit as error:  # raised by argparse
        status = error.code
    assert isinstance(status, int)
    output = capsys.readouterr()
    assert output.out == ""
    assert "Traceback" not in output.err
    return status, output.err.splitlines()[-1]


@pytest.fixture(scope="module")
def configured_url() -> Iterator[str]:
    """Base URL of a command that was started with every option."""
    size = ("--years", "1", "--transactions", "2000", "--budgets", "3")
    faults = ("--faults", "reset-before:GET:/user@2", "--faults", "html:/user@3")
    day = ("--today", "2024-02-29")
    with running(*size, *faults, *day, "--token", "other", "--seed", "2") as url:
        yield url


@pytest.fixture
def http(configured_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=configured_url, headers={"Authorization": "Bearer other"}) as client:
        yield client


def test_the_command_prints_its_base_url(configured_url: str) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/v1", configured_url)


def test_the_size_is_configurable(http: httpx.Client) -> None:
    rows = http.get("/budgets").json()["data"]["budgets"]
    assert [row["name"] for row in rows] == ["Household", "東京の家計", "Household 2"]
    assert {row["first_month"] for row in rows} == {"2023-01-01"}
    answer = http.get("/budgets/last-used/transactions?since_date=2000-01-01").json()
    assert len(answer["data"]["transactions"]) == 2000


def test_seed_and_faults_are_configurable(http: httpx.Client) -> None:
    first = http.get("/user")
    assert first.status_code == 200
    assert first.json() != {"data": {"user": {"id": "b99c3858-7b55-4f93-b5e5-1e279feefc44"}}}
    with pytest.raises(httpx.ReadError):
        http.get("/user")
    assert [http.get("/user").status_code for _ in range(2)] == [502, 200]


def test_the_token_is_configurable(configured_url: str) -> None:
    headers = {"Authorization": "Bearer sandbox-token"}
    assert httpx.get(f"{configured_url}/budgets", headers=headers).status_code == 401


def test_the_day_is_configurable(http: httpx.Client) -> None:
    answer = http.get("/budgets/last-used/months/current").json()
    assert answer["data"]["month"]["month"] == "2024-02-01"


@pytest.mark.slow  # a new interpreter
def test_the_limit_is_configurable_and_the_day_is_by_default_the_real_one() -> None:
    first = datetime.now(UTC).strftime("%Y-%m-01")
    with running("--budgets", "1", "--years", "1", "--limit", "2") as url:
        headers = {"Authorization": "Bearer sandbox-token"}
        path = f"{url}/budgets/last-used/months/current"
        answers = [httpx.get(path, headers=headers) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    found = answers[0].json()["data"]["month"]["month"]
    assert found in {first, datetime.now(UTC).strftime("%Y-%m-01")}


def test_the_error_names_a_port_that_is_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status, message = refused(capsys, "--port", str(taken.getsockname()[1]))
    assert status == 1
    assert message.startswith("budgetframe sandbox: ")
    assert "in use" in message


def test_the_default_port_is_8000(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):  # another program may already use the port
            taken.bind(("127.0.0.1", 8000))
            taken.listen()
        status, message = refused(capsys, "--years", "1", "--budgets", "1")
    assert status == 1
    assert message.startswith("budgetframe sandbox: port 8000 is in use: name another one")


PORTS = "is not a port: use a number from 0 to 65535"
LIMITS = "is not a number of requests: use 0 or more"
DAYS = "is not a day: use YYYY-MM-DD, in the years 2000 to 2100"
REFUSED = [
    # a flag, the status, and the beginning of the message
    *((f"--port={port}", 2, f"error: argument --port: '{port}' {PORTS}")
      for port in ("70000", "-1", "http")),
    *((f"--today={day}", 2, f"error: argument --today: '{day}' {DAYS}")
      for day in ("17.6.2026", "2026-02-30", "20260617", "1999-12-31")),
    *((f"--limit={limit}", 2, f"error: argument --limit: '{limit}' {LIMITS}")
      for limit in ("-1", "many")),
    ("--years=-1", 1, "years is -1:"),
    ("--budgets=0", 1, "budgets is 0:"),
    ("--transactions=-3", 1, "transactions is -3:"),
    ("--years=many", 2, "error: argument --years: invalid int value"),
    *((f"--faults={fault}", 1, f"fault '{fault}': ") for fault in ("teapot", "500@often")),
]  # fmt: skip


@pytest.mark.parametrize(("flag", "status", "message"), REFUSED)
def test_an_invalid_option_is_refused(
    flag: str, status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, line = refused(capsys, "--port", "0", flag)
    assert found == status
    assert line.startswith(f"budgetframe sandbox: {message}")


def test_the_help_states_defaults_and_syntax_of_faults(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["sandbox", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert ended.value.code == 0
    assert re.findall(r"default: ([^)]+)\)", text) == [
        "8000", "sandbox-token", "1", "the current day in UTC", "200",
        "3, and 1 for the other budgets", "2", "any", "*", "all",
    ]  # fmt: skip
    assert "faults: KIND[=SECONDS][:METHOD][:PATH][@WHEN]" in text
    assert "--faults 'html@10%'" in text

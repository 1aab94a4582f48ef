"""`budgetframe demo`, as a person runs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from budgetframe._cli.main import main


def test_demo_shows_the_frames_and_what_they_cost(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    titles = [line for line in lines if line.endswith(" rows)")]
    assert titles[:3] == [
        "Accounts (7 rows)",
        "Months of this year (6 rows)",
        "Last transactions (8 rows)",
    ]
    assert titles[3].startswith("Money movements by category (")
    assert lines[-3:] == [
        "Requests for these frames: 5, the list of budgets among them.",
        "The same frames a second time: 0 requests.",
        "5 of 200 requests used in the last hour, 195 left.",
    ]


def test_demo_prints_no_token(capsys: pytest.CaptureFixture[str]) -> None:
    main(["demo"])
    assert "sandbox-token" not in capsys.readouterr().out


def test_command_is_there_as_a_module_too() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "budgetframe", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "demo" in shown.stdout


def test_demo_cut_short_by_its_reader_ends_without_a_word() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "budgetframe", "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as demo:
        assert demo.stdout is not None
        assert demo.stderr is not None
        demo.stdout.close()
        assert demo.stderr.read() == b""
    assert demo.returncode == 0


def test_command_without_a_subcommand_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refusal:
        main([])
    assert refusal.value.code == 2
    assert "required: command" in capsys.readouterr().err

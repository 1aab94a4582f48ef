"""The command ``budgetframe demo``, and the ways to call the command."""

import re
import subprocess
import sys
from importlib.metadata import entry_points
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from budgetframe._cli.main import main
from tests.facade.scripts import Ended, run_interpreter


def test_demo_shows_frames_and_their_cost_but_no_token(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert [line.partition("(")[0] for line in lines if line.startswith(">>> ")] == [
        ">>> bf.accounts", ">>> bf.reports.spending", ">>> bf.reports.net_worth",
        ">>> bf.reports.recurring", ">>> bf.transactions",
    ]  # fmt: skip
    assert max(map(len, lines)) <= 80
    total = next(line.split() for line in lines if line.split()[:1] == ["Total"])
    assert total[1::2] == ["2.599,03", "3.045,20", "2.836,27", "2.393,55"]
    assert lines[-3:] == [
        "Requests for these frames: 5, including the list of budgets.",
        "The same frames a second time: 0 requests.",
        "5 of 200 requests used in the last hour, 195 left.",
    ]
    assert "sandbox-token" not in text


def test_letters_the_console_lacks_become_question_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    written = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(written, encoding="ascii"))
    assert main(["demo"]) == 0
    assert "Checking     checking  8.062,99 ?" in written.getvalue().decode("ascii")


def test_the_option_version_prints_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert re.fullmatch(r"budgetframe \d+\.\d+\S*\n", capsys.readouterr().out)


def test_the_command_ends_silently_when_its_reader_closes_the_pipe(tmp_path: Path) -> None:
    with subprocess.Popen(  # noqa: S603 - this interpreter
        [sys.executable, "-m", "budgetframe", "notebooks", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


PIPE_OF_WINDOWS = """
import errno, io, os, stat, sys, budgetframe._cli.commands
from budgetframe._cli.main import main

class Pipe(io.FileIO):
    def write(self, content):
        if stat.S_ISFIFO(os.fstat(self.fileno()).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        return super().write(content)

sys.platform = "win32"
sys.stdout = io.TextIOWrapper(io.BufferedWriter(Pipe(1, "w")), encoding="utf-8")
sys.exit(main(["notebooks", os.environ["FOLDER"]]))
"""
"""Windows reports a pipe that its reader has closed as an invalid argument."""


def test_the_command_ends_silently_with_its_reader_on_windows(tmp_path: Path) -> None:
    assert run_interpreter(PIPE_OF_WINDOWS, FOLDER=str(tmp_path)) == Ended(0, "", "")


def test_the_installed_command_runs_main() -> None:
    (command,) = entry_points(group="console_scripts", name="budgetframe")
    assert command.load() is main


# Errors of the arguments of a command do not repeat what can be a token.

TOKEN = "Token-That_Nobody-must-see"
HIDDEN = "--help'; an argument that can be a token is not shown"


@pytest.mark.parametrize(("arguments", "message"), [
    ([], "error: the following arguments are required: command"),
    (["demmo"], "; did you mean 'demo'?"),
    (["lake", "compct"], "; did you mean 'compact'?"),
    (["lake", "status", "home", "--jsn"],
     "lake status: error: unrecognized arguments: --jsn; did you mean --json? See"),
    (["login", TOKEN], f"unrecognized arguments. See 'budgetframe login {HIDDEN}"),
    (["login", "--token", TOKEN], f"arguments: --token. See 'budgetframe login {HIDDEN}"),
    (["login", f"--token={TOKEN}"], f"arguments: --token. See 'budgetframe login {HIDDEN}"),
    (["demo", f"--{TOKEN}", "--moths"], f"arguments: --moths. See 'budgetframe demo {HIDDEN}"),
    ([TOKEN], "argument command: invalid choice (choose from"),
    (["report", "--months", TOKEN, "--out", "a.html"], "argument --months: invalid int value"),
])  # fmt: skip
def test_a_mistake_is_named_but_what_is_not_known_is_not_repeated(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert TOKEN not in shown

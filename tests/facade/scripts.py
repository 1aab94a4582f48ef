"""Running scripts in a separate process."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

from tests.forks import CAN_FORK, new_process

_LONGEST = 120.0
"""Seconds that a script may run."""


@dataclass(frozen=True)
class Ended:
    """The exit code and the output of a script."""

    code: int
    out: str
    err: str


def run_script(script: str, **environment: str) -> Ended:
    """Run a script in a process that has imported the package, but has not used it.

    The script has no token in the environment and no keyboard input.
    """
    if not CAN_FORK:
        return run_interpreter(script, **environment)
    with TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = new_process(_run, dedent(script), _environment(environment), str(out), str(err))
        process.join(_LONGEST)
        if process.exitcode is None:
            assert process.pid is not None
            os.killpg(process.pid, signal.SIGKILL)  # the script and its forks
            raise TimeoutError(f"the script had not ended after {_LONGEST} s")
        return Ended(process.exitcode, out.read_text("utf-8"), err.read_text("utf-8"))


def run_interpreter(script: str, *options: str, **environment: str) -> Ended:
    """Run a script like `run_script`, but in a new interpreter, which takes about a second."""
    ended = subprocess.run(  # noqa: S603 - our own interpreter, our own script
        [sys.executable, *options, "-c", dedent(script)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="locale",
        env=_environment(environment),
        timeout=_LONGEST,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def _environment(more: dict[str, str]) -> dict[str, str]:
    return {**{k: v for k, v in os.environ.items() if k != "BUDGETFRAME_TOKEN"}, **more}


def _run(script: str, environment: dict[str, str], out: str, err: str) -> None:
    """Run a script in this process, which leads a new process group."""
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    for stream, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600), stream)
    exec(compile(script, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own script

"""Running scripts in a separate interpreter."""

import os
import subprocess
import sys
from dataclasses import dataclass
from textwrap import dedent


@dataclass(frozen=True)
class Ended:
    """The exit code and the output of a script."""

    code: int
    out: str
    err: str


def run_script(script: str, *options: str, **environment: str) -> Ended:
    """Run a script without a token in the environment and without keyboard input."""
    inherited = {k: v for k, v in os.environ.items() if k != "BUDGETFRAME_TOKEN"}
    ended = subprocess.run(  # noqa: S603 - our own interpreter, our own script
        [sys.executable, *options, "-c", dedent(script)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**inherited, **environment},
        timeout=120,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)

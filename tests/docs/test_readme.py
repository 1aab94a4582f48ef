"""The Python blocks of the README run in order and print what the README says."""

import re
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parents[2] / "README.md"
PYTHON_BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def test_the_python_blocks_of_the_readme_run_and_print_the_stated_output(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = README.read_text(encoding="utf-8")
    blocks = list(PYTHON_BLOCK.finditer(text))
    assert len(blocks) == 1
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks:
        line = text.count("\n", 0, block.start(1))
        # The empty lines make a traceback name the line of the README.
        exec(compile("\n" * line + block[1], str(README), "exec"), names)  # noqa: S102 - our README
    stated = re.findall(r"^print.*  # (.+)$", text, re.MULTILINE)
    printed = capsys.readouterr().out.splitlines()
    assert stated == ["5 of 200 requests used in the last hour, 195 left"]
    assert printed[0] == stated[0]

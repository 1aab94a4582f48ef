"""The code blocks of the README run as they stand there."""

import re
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parents[2] / "README.md"
FENCED = re.compile(r"^```python[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks() -> list[tuple[int, str]]:
    """The Python blocks, each with the line it begins on."""
    text = README.read_text(encoding="utf-8")
    return [(text.count("\n", 0, found.start(1)) + 1, found[1]) for found in FENCED.finditer(text)]


def test_the_readme_has_an_example_to_run() -> None:
    assert blocks()


def test_the_code_blocks_of_the_readme_run_in_order_and_print_what_they_say(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for line, block in blocks():
        code = compile("\n" * (line - 1) + block, str(README), "exec")
        exec(code, names)  # noqa: S102 - that is the point
    stated = re.findall(r"^print.*  # (.+)$", README.read_text(encoding="utf-8"), re.MULTILINE)
    printed = capsys.readouterr().out.splitlines()
    assert stated == ["5 of 200 requests used in the last hour, 195 left"]
    assert printed[0] == stated[0]

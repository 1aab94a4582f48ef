"""The README: its blocks run with what its commands install, and its names and links exist."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import budgetframe
from budgetframe.reports import Report
from budgetframe.sandbox import Sandbox, serve
from tests.docs.docstrings import OBJECTS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
METHODS = (ROOT / ".github" / "site" / "methods" / "index.md").read_text("utf-8")
TRY_IT, _TESTS, OWN_BUDGET = re.findall(r"pip install .*'\.(\[[\w,]+\])'", README)
FIRST, CONNECT, QUESTIONS = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
_EXTRAS = _PROJECT["optional-dependencies"]
_INSTALLED = {canonicalize_name(library.name): library for library in distributions()}


def run(extras: str, code: str, folder: Path) -> list[str]:
    """What code prints with only those installed libraries that pip installs for some extras."""
    (folder / "budgetframe").symlink_to(Path(budgetframe.__file__).parent)
    todo = [*_PROJECT["dependencies"], f"budgetframe{extras}"]
    for wanted in map(Requirement, todo):  # more follow
        library = _INSTALLED.get(canonicalize_name(wanted.name))
        if not library:  # keyring, without the extra `dev`: no block needs it
            continue
        needed = library.requires or []
        if wanted.name == "budgetframe":  # an editable installation keeps what was declared once
            needed = [text for extra in wanted.extras for text in _EXTRAS[extra]]
        for text in needed:
            marker, choices = Requirement(text).marker, ("", *wanted.extras)
            if not marker or any(marker.evaluate({"extra": extra}) for extra in choices):
                todo += {text}.difference(todo)
        for line in (library.read_text("RECORD") or "").splitlines():
            name = re.split("[,/]", line)[0]
            if name not in {"..", "__pycache__"} and not (folder / name).exists():
                (folder / name).symlink_to(str(library.locate_file(name)))
    environment = {**os.environ, "PYTHONPATH": str(folder), "BUDGETFRAME_TOKEN": "sandbox-token"}
    command = [sys.executable, "-S", "-X", "utf8", "-c", code]
    printed = subprocess.check_output(command, env=environment, encoding="utf-8")  # noqa: S603
    return printed.splitlines()


@pytest.mark.slow  # a new process imports pandas and matplotlib
@pytest.mark.posix  # on Windows, a link needs a permission
def test_the_blocks_run_with_what_the_first_command_installs(tmp_path: Path) -> None:
    stated = re.findall(r"  # (?:(\d+) rows? × (\d+) columns|(\d+ of 200 .*))", FIRST + QUESTIONS)
    code = re.sub(r"(?m)^(.+?)  # \d+ rows? .*", r"_ = \1; print(*_.shape)", FIRST + QUESTIONS)
    assert run(TRY_IT, code, tmp_path) == [" ".join(sizes).strip() for sizes in stated]
    assert len(stated) == 8


@pytest.mark.slow  # a new process imports pandas
@pytest.mark.posix  # on Windows, a link needs a permission
def test_both_ways_to_connect_run_with_what_the_own_budget_installs(tmp_path: Path) -> None:
    (tried,) = re.findall(r"`(BudgetFrame\.connect\(.sandbox-token.*)`", README)
    with serve(Sandbox()) as url:
        code = f"{CONNECT}print(len(bf.accounts()))\nprint(len({tried}.accounts()))"
        code = code.replace('"My Budget"', f'"Household", base_url="{url}"')
        code = code.replace("http://127.0.0.1:8000/v1", url)
        assert run(OWN_BUDGET, code, tmp_path) == ["7", "7"]


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 120


def test_links_and_pictures_exist_and_are_small() -> None:
    paths = [ROOT / path for path in re.findall(r"\]\(([^)]+)\)", README)]
    assert [path for path in paths if not path.is_file()] == []
    sizes = {path.name: path.stat().st_size for path in paths if path.suffix in {".gif", ".png"}}
    assert [*sizes] == ["notebook.gif", "net_worth.png"]
    assert max(sizes.values()) < 1_000_000


def test_the_lists_of_methods_are_right_and_that_of_the_site_is_complete() -> None:
    public = {name for key in ("bf", "bf.reports") for name in dir(OBJECTS[key]) if name[0] != "_"}
    assert public - {*re.findall(r"`(?:\w+\.)*(\w+)`", METHODS)} == set()
    (section,) = re.findall(r"^## Methods\n(.*?)^## ", README, re.DOTALL | re.MULTILINE)
    named = {*re.findall(r"`\.?(\w+)(?:\(\))?`", section)} - {"budgetframe"}
    assert named - public - {*dir(budgetframe), *dir(Report)} == set()

"""Which paths a command or a method refuses to write to."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import pytest

from budgetframe import ToolError, to_excel, to_page
from budgetframe._runtime.output_file import output_file
from budgetframe.lake import Lake
from budgetframe.reports.plotting.sankey import Diagram
from tests.cli import main


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """A link whose target does not exist."""
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    return link


@pytest.mark.posix
@pytest.mark.parametrize(("path", "message"), [
    ("link", "link is a link to a file that does not exist"),
    ("circle", "circle is a link to a file that does not exist"),
    ("none/file", "none does not exist: create it first, nothing was written"),
    (".", "exists and is not a file: name a file, nothing was written"),
    ("/dev/null", "exists and is not a file: name a file, nothing was written"),
])  # fmt: skip
def test_an_impossible_path_is_refused(path: str, message: str, link: Path, tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(ToolError, match=message):
        output_file(link.parent / path)


@pytest.mark.parametrize("arguments", [
    ["report", "--sandbox", "--out"], ["doctor", "--out"],
], ids=["report", "doctor"])  # fmt: skip
def test_a_command_refuses_the_link_before_it_does_anything(
    arguments: list[str], link: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main([*arguments, str(link)]) > 0
    assert capsys.readouterr().err == (
        f"budgetframe {arguments[0]}: {link} is a link to a file that does not exist: remove the"
        " link or name another file, nothing was written\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["link"]


WRITERS: dict[str, Callable[[Path], object]] = {
    "workbook": lambda path: to_excel(path, pd.DataFrame({"a": [1]})),
    "page": lambda path: to_page(path, {"A": "text"}),
    "diagram": lambda path: Diagram(go.Figure()).write_html(path),
}
ENDINGS = {"workbook": "xlsx", "page": "html", "diagram": "html"}


@pytest.mark.parametrize(("writer", "ending"), [*ENDINGS.items()])
def test_a_method_refuses_the_link(writer: str, ending: str, link: Path, tmp_path: Path) -> None:
    named = link.rename(tmp_path / f"link.{ending}")
    with pytest.raises(ToolError, match="is a link to a file that does not exist"):
        WRITERS[writer](named)
    assert [*tmp_path.iterdir()] == [named]


def test_a_workbook_replaces_the_target_of_a_link(tmp_path: Path) -> None:
    link, target = tmp_path / "link.xlsx", tmp_path / "target.xlsx"
    target.write_text("yesterday's", "utf-8")
    link.symlink_to(target)
    to_excel(link, pd.DataFrame({"a": [1]}))
    assert pd.read_excel(target)["a"].tolist() == [1]


def test_a_lake_is_not_created_in_the_place_of_the_link(link: Path, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="cannot be read or written"):
        Lake(link).sync([])
    assert [path.name for path in tmp_path.iterdir()] == ["link"]

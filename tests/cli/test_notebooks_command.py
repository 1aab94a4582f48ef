"""The command ``budgetframe notebooks``."""

from pathlib import Path

import pytest

from tests.cli import main

CHECKOUT = Path(__file__).parents[2] / "notebooks"


def test_the_notebooks_are_copied_without_a_change_and_their_paths_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "folder"
    assert main(["notebooks", str(folder)]) == 0
    copied = {path.name: path.read_bytes() for path in folder.iterdir()}
    examples = [path for path in CHECKOUT.iterdir() if path.suffix in {".ipynb", ".py"}]
    assert copied == {path.name: path.read_bytes() for path in examples}
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == str(folder / "01_quickstart.ipynb")
    assert len(lines) == 23


@pytest.mark.parametrize("is_link", [False, True], ids=["file", "link that points nowhere"])
def test_an_existing_notebook_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, is_link: bool
) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere.ipynb"
    folder.mkdir()
    own = folder / "04_net_worth.ipynb"
    if is_link:
        own.symlink_to(elsewhere)
    else:
        own.write_text("mine", "utf-8")
    assert main(["notebooks", str(folder)]) == 1
    assert [path.name for path in folder.iterdir()] == ["04_net_worth.ipynb"]
    assert not elsewhere.exists()
    assert is_link or own.read_text("utf-8") == "mine"
    assert "already has 04_net_worth.ipynb" in capsys.readouterr().err


def test_a_file_or_a_link_that_points_nowhere_is_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("file", "link"):
        assert main(["notebooks", str(tmp_path / name)]) == 1, name
        assert capsys.readouterr().err.startswith("budgetframe notebooks: "), name
    assert not (tmp_path / "elsewhere").exists()

"""The command ``budgetframe notebooks``."""

from pathlib import Path

import pytest

from budgetframe._cli.main import main

CHECKOUT = Path(__file__).parents[2] / "notebooks"


def test_the_notebooks_are_copied_without_a_change(tmp_path: Path) -> None:
    assert main(["notebooks", str(tmp_path / "new" / "folder")]) == 0
    copied = {path.name: path.read_bytes() for path in (tmp_path / "new" / "folder").iterdir()}
    examples = [path for path in CHECKOUT.iterdir() if path.suffix in {".ipynb", ".py"}]
    assert copied == {path.name: path.read_bytes() for path in examples}


def test_the_command_prints_the_path_of_each_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["notebooks", str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == str(tmp_path / "01_quickstart.ipynb")
    assert len(lines) == 16


def test_an_existing_notebook_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "05_net_worth.ipynb"
    own.write_text("mine")
    assert main(["notebooks", str(tmp_path)]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["05_net_worth.ipynb"]
    assert own.read_text() == "mine"
    assert "already has 05_net_worth.ipynb" in capsys.readouterr().err


def test_a_file_in_place_of_the_folder_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["notebooks", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err.startswith("budgetframe notebooks: ")


def test_a_link_that_points_nowhere_is_no_place_for_a_notebook(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere.ipynb"
    folder.mkdir()
    (folder / "05_net_worth.ipynb").symlink_to(elsewhere)
    assert main(["notebooks", str(folder)]) == 1
    assert [path.name for path in folder.iterdir()] == ["05_net_worth.ipynb"]
    assert not elsewhere.exists()
    assert "already has 05_net_worth.ipynb" in capsys.readouterr().err


def test_a_folder_that_is_a_link_that_points_nowhere_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").symlink_to(tmp_path / "elsewhere")
    assert main(["notebooks", str(tmp_path / "folder")]) == 1
    assert not (tmp_path / "elsewhere").exists()
    assert capsys.readouterr().err.startswith("budgetframe notebooks: ")

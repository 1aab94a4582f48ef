"""`budgetframe notebooks`: the examples, wherever the package is installed."""

from pathlib import Path

import pytest

from budgetframe._cli.main import main

CHECKOUT = Path(__file__).parents[2] / "notebooks"


def test_the_notebooks_are_copied_as_they_are(tmp_path: Path) -> None:
    assert main(["notebooks", str(tmp_path / "new" / "folder")]) == 0
    copied = {path.name: path.read_bytes() for path in (tmp_path / "new" / "folder").iterdir()}
    examples = [path for path in CHECKOUT.iterdir() if path.suffix in {".ipynb", ".py"}]
    assert copied == {path.name: path.read_bytes() for path in examples}


def test_the_copies_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["notebooks", str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == str(tmp_path / "01_quickstart.ipynb")
    assert len(lines) == 12


def test_a_notebook_that_is_there_already_is_not_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "05_net_worth.ipynb"
    own.write_text("mine")
    assert main(["notebooks", str(tmp_path)]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["05_net_worth.ipynb"]
    assert own.read_text() == "mine"
    assert "has 05_net_worth.ipynb already" in capsys.readouterr().err


def test_a_file_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["notebooks", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err.startswith("budgetframe notebooks: ")

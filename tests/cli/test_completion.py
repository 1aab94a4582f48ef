"""The option ``--completion``: the script with which a shell completes the command."""

import sys

import pytest

from tests.cli import main


@pytest.mark.parametrize(
    ("shell", "lines"),
    [
        (
            "bash",
            ["_report___out_COMPGEN=_shtab_compgen_files", "--base-url --out --text --months"],
        ),
        ("zsh", ["#compdef budgetframe", '"--out[file to write]:FILE:_files"']),
        ("fish", ["budgetframe_using report' -l out -xka \"(__fish_complete_path"]),
    ],
)
def test_a_shell_completes_commands_options_and_files(
    shell: str, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--completion", shell])
    assert ended.value.code == 0
    written = capsys.readouterr().out
    assert [line for line in lines if line not in written] == []


def test_without_the_library_the_option_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    with pytest.raises(SystemExit) as ended:
        main(["--completion", "bash"])
    assert ended.value.code == 2
    needed = "error: --completion needs shtab: pip install 'budgetframe[completion]'\n"
    assert capsys.readouterr().err.endswith(needed)

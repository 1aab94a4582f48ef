"""The option ``--completion``: the script with which a shell completes the command."""

import pytest

from tests.cli import main


@pytest.mark.parametrize(("shell", "line"), [
    ("bash", "_report___out_COMPGEN=_shtab_compgen_files"),
    ("zsh", '"--out[file to write]:FILE:_files"'),
    ("fish", "budgetframe_using report' -l out -xka \"(__fish_complete_path"),
])  # fmt: skip
def test_a_shell_completes_words(shell: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--completion", shell])
    assert ended.value.code == 0
    assert line in capsys.readouterr().out

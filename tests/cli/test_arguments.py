"""Errors of the arguments of a command do not repeat what can be a token."""

import pytest

from tests.cli import main

TOKEN = "Token-That_Nobody-must-see"
HIDDEN = "See 'budgetframe COMMAND --help'; an argument that can be a token is not shown"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["login", TOKEN], f"unrecognized arguments. {HIDDEN}"),
        (["login", "--token", TOKEN], f"unrecognized arguments: --token. {HIDDEN}"),
        (["login", f"--token={TOKEN}"], f"unrecognized arguments: --token. {HIDDEN}"),
        (["demo", f"--{TOKEN}", "--moths"], f"unrecognized arguments: --moths. {HIDDEN}"),
        ([TOKEN], "argument command: invalid choice (choose from"),
        (["report", "--months", TOKEN, "--out", "a.html"], "argument --months: invalid int value"),
    ],
)
def test_what_is_not_known_is_not_repeated(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert f"error: {message}" in shown
    assert TOKEN not in shown

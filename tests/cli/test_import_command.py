"""The command ``budgetframe import``."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from budgetframe.sandbox import Sandbox, serve
from tests.changes.budget import content, small_sandbox
from tests.cli import main

FILE = "Datum;Name;Betrag;Status\n{};Kiosk;-4,21;gebucht\n15.06.2026;Bad;-5,00;vorgemerkt\n"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Sandbox, str]]:
    sandbox = small_sandbox(budgets=1)
    monkeypatch.setenv("BUDGETFRAME_TOKEN", sandbox.token)
    with serve(sandbox) as url:
        yield sandbox, url


def run(service: tuple[Sandbox, str], path: Path, day: str, *more: str) -> int:
    path.write_text(FILE.format(day), encoding="utf-8")
    return main(["import", str(path), "--account", "Wallet", "--base-url", service[1], *more])


def test_import_shows_the_new_rows_and_sends_them_only_with_apply(
    service: tuple[Sandbox, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, sandbox = tmp_path / "rows.csv", service[0]
    assert run(service, path, "14.06.2026") == 0
    shown = capsys.readouterr().out
    for text in (
        "Changes: 1 row will be created", "1 row is no booking: not booked: vorgemerkt (1)",
        "decimal separator: -4,21 occurs", "Nothing was sent: --apply sends the new rows.",
    ):  # fmt: skip
        assert text in shown
    assert ".apply()" not in shown.partition("file:")[2]
    before = content(sandbox)
    assert run(service, path, "14.06.2026", "--apply") == 0
    assert capsys.readouterr().out.endswith("left: 0, done: 1, unknown: 0, conflicts: 0\n")
    assert [row[:2] for row in content(sandbox) - before] == [("2026-06-14", -4210)]
    assert run(service, path, "14.06.2026") == 0
    assert "imported before" in capsys.readouterr().out
    sandbox.faults = ["drop-field:cleared"]
    assert run(service, path, "13.06.2026", "--apply") == 1
    printed = capsys.readouterr()
    assert printed.out.endswith("left: 0, done: 1, unknown: 0, conflicts: 1\n")
    assert printed.err.startswith("budgetframe import: ")
    assert "cleared" in printed.err


def test_a_question_is_one_line_that_names_the_argument(
    service: tuple[Sandbox, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, sandbox = tmp_path / "rows.csv", service[0]
    path.write_text("Date,Payee,Amount\n03/04/2026,Kiosk,-4.21\n", encoding="utf-8")
    arguments = ["import", str(path), "--account", "Wallet", "--base-url", service[1]]
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "03/04/2026 is 2026-04-03 with dates='dd/mm/yyyy'" in error
    assert sandbox.requests_served == 0
    assert main([*arguments, "--dates", "dd/mm/yyyy"]) == 0
    assert "2026-04-03" in capsys.readouterr().out

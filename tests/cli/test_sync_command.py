"""The command ``budgetframe sync``."""

from __future__ import annotations

from pathlib import Path

import pytest

from budgetframe._cli.main import main
from budgetframe._client import limiter
from budgetframe.sandbox import Sandbox, serve


@pytest.fixture(autouse=True)
def new_limits() -> None:
    limiter._limiters.clear()


def test_it_reads_the_sources_of_a_file_and_fails_if_a_budget_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox = Sandbox(years=1)
    monkeypatch.setenv("GOOD_TOKEN", sandbox.token)
    monkeypatch.setenv("WRONG_TOKEN", "wrong")
    good = '[[source]]\nname = "Good"\ntoken_env = "GOOD_TOKEN"\nbase_url = "{}"\n'
    wrong = '[[source]]\nname = "Wrong"\ntoken_env = "WRONG_TOKEN"\nbase_url = "{}"\n'
    path, lake = tmp_path / "sources.toml", str(tmp_path / "lake")
    with serve(sandbox) as url:
        path.write_text(good.format(url))
        assert main(["sync", str(path), lake]) == 0
        assert capsys.readouterr().out == "2 budgets: 2 ok; 2 changed, 4,102 rows, 2 requests\n"
        path.write_text((good + wrong).format(url, url))
        assert main(["sync", str(path), lake]) == 1
        assert capsys.readouterr().out == (
            "3 budgets: 2 ok, 1 refused; 0 changed, 4,102 rows, 2 requests\n"
            "Wrong, all budgets: refused: Unauthorized\n"
        )


def test_it_commits_budgets_that_do_not_agree_if_it_is_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox = Sandbox(years=1, budgets=1)
    budget = sandbox.budgets[0].budget
    account = next(budget.accounts.live())
    account.cleared_balance += 10
    budget.accounts.put(account, budget.knowledge)
    monkeypatch.setenv("GOOD_TOKEN", sandbox.token)
    path, lake = tmp_path / "sources.toml", str(tmp_path / "lake")
    with serve(sandbox) as url:
        path.write_text(f'[[source]]\nname = "A"\ntoken_env = "GOOD_TOKEN"\nbase_url = "{url}"\n')
        assert main(["sync", str(path), lake]) == 1
        assert capsys.readouterr().out.startswith("1 budget: 1 invalid; 0 changed, ")
        assert main(["sync", "--no-verify", str(path), lake]) == 0
        assert capsys.readouterr().out.startswith("1 budget: 1 ok; 1 changed, ")


def test_an_address_without_a_lake_is_an_error_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOOD_TOKEN", "a-token")
    path = tmp_path / "sources.toml"
    path.write_text('[[source]]\nname = "A"\ntoken_env = "GOOD_TOKEN"\n')
    assert main(["sync", str(path), "nosuch://bucket/lake"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("budgetframe sync: ")
    assert error.count("\n") == 1


@pytest.mark.slow  # it syncs several times and reads many tables
def test_it_reads_embedded_services_and_draws_the_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "summary.png"
    options = ["--sandbox", "3", "--buckets", "2", "--summary", str(picture)]
    assert main(["sync", *options, str(tmp_path / "lake")]) == 0
    assert capsys.readouterr().out.startswith("3 budgets: 3 ok; 3 changed, ")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_it_needs_either_a_file_or_the_sandbox(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sync", str(tmp_path / "lake")]) == 1
    assert capsys.readouterr().err == (
        "budgetframe sync: give a FILE with sources, or the option --sandbox\n"
    )
    assert main(["sync", str(tmp_path / "no.toml"), str(tmp_path / "lake")]) == 1
    assert "No such file" in capsys.readouterr().err

"""The command ``budgetframe sync``."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from budgetframe.lake.storage import LakeAddress
from budgetframe.lake.turn import turn
from budgetframe.sandbox import Sandbox, serve
from tests.cli import main
from tests.limits import forget_limits


@pytest.fixture(autouse=True)
def new_limits() -> None:
    forget_limits()


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
        path.write_text(good.format(url), "utf-8")
        assert main(["sync", str(path), lake]) == 0
        assert capsys.readouterr().out == "2 budgets: 2 ok; 2 changed, 4,102 rows, 2 requests\n"
        path.write_text((good + wrong).format(url, url), "utf-8")
        assert main(["sync", str(path), lake]) == 3
        assert capsys.readouterr().out == (
            "3 budgets: 2 ok, 1 refused; 0 changed, 4,102 rows, 2 requests\n"
            "Wrong, all budgets: refused: Unauthorized\n"
        )


def test_a_missing_secret_fails_its_source_alone_and_who_left_is_told_once(
    tmp_path: Path, sources: tuple[Sandbox, str], capsys: pytest.CaptureFixture[str]
) -> None:
    file, lake = Path(sources[1]), str(tmp_path / "lake")
    anna = file.read_text("utf-8")
    ben = '[[source]]\nname = "Ben"\ntoken_env = "NO_SUCH_VARIABLE"\n'
    carla = '[[source]]\nname = "Carla"\ntoken_keyring = "no such user"\n'
    file.write_text(carla + anna + ben, "utf-8")
    assert main(["sync", str(file), lake]) == 3
    head, carlas, bens = capsys.readouterr().out.splitlines()
    assert head == "4 budgets: 2 failed, 2 ok; 2 changed, 4,102 rows, 2 requests"
    assert carlas.startswith("Carla, all budgets: failed: the system's keyring has no entry 'bud")
    assert bens == (
        "Ben, all budgets: failed: the environment variable that token_env names is not set"
    )
    file.write_text(anna, "utf-8")
    sources[0].budgets = sources[0].budgets[:1]
    assert main(["sync", str(file), lake]) == 3
    head = "2 budgets: 1 ok, 1 left; 0 changed, 4,102 rows, 1 requests\n"
    reason = "no source reads this budget any more; its last rows stay until it is forgotten"
    assert capsys.readouterr().out == f"{head}Anna, 東京の家計: left: {reason}\n"
    assert main(["sync", str(file), lake]) == 0
    assert capsys.readouterr().out == head


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
        path.write_text(
            f'[[source]]\nname = "A"\ntoken_env = "GOOD_TOKEN"\nbase_url = "{url}"\n', "utf-8"
        )
        assert main(["sync", str(path), lake]) == 3
        assert capsys.readouterr().out.startswith("1 budget: 1 invalid; 0 changed, ")
        assert main(["sync", "--no-verify", str(path), lake]) == 0
        assert capsys.readouterr().out.startswith("1 budget: 1 ok; 1 changed, ")


def test_an_address_without_a_lake_is_an_error_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOOD_TOKEN", "a-token")
    path = tmp_path / "sources.toml"
    path.write_text('[[source]]\nname = "A"\ntoken_env = "GOOD_TOKEN"\n', "utf-8")
    assert main(["sync", str(path), "nosuch://bucket/lake"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("budgetframe sync: ")
    assert error.count("\n") == 1


def test_it_reads_embedded_services(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--sandbox", "3", "--buckets", "2"]
    assert main(["sync", *options, str(tmp_path / "lake")]) == 0
    assert capsys.readouterr().out.startswith("3 budgets: 3 ok; 3 changed, ")


def test_wrong_usage_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    lake, wrong = str(tmp_path / "lake"), tmp_path / "wrong.toml"
    wrong.write_text('[[source]]\nname = "A"\n', "utf-8")
    twice = tmp_path / "twice.toml"
    twice.write_text('[[source]]\nname = "A"\nexports = "x"\n' * 2, "utf-8")
    for arguments, text in (
        ([lake], "error: give a FILE with sources, or the option --sandbox"),
        ([str(tmp_path / "no.toml"), lake], "No such file"),
        (
            [str(wrong), lake],
            "it must have one of token_env, token_keyring, token_command, exports",
        ),
        ([str(twice), lake], "two sources have the name 'A'"),
        (["--keep-hours", "-1", str(wrong), lake], "'-1' is not a number of 0 or more"),
    ):
        with subtests.test(arguments=arguments), pytest.raises(SystemExit) as ended:
            main(["sync", *arguments])
        assert ended.value.code == 2
        assert text in capsys.readouterr().err
    assert not Path(lake).exists()


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Sandbox, str]]:
    """A service, and a file with its token."""
    sandbox, path = Sandbox(years=1), tmp_path / "sources.toml"
    monkeypatch.setenv("A_TOKEN", sandbox.token)
    with serve(sandbox) as url:
        path.write_text(
            f'[[source]]\nname = "Anna"\ntoken_env = "A_TOKEN"\nbase_url = "{url}"\n', "utf-8"
        )
        yield sandbox, str(path)


def test_only_the_limit_ends_with_75_and_says_when_to_run_it_again(
    sources: tuple[Sandbox, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources[0].limit, lake = 2, str(tmp_path / "lake")  # for the list and one budget
    assert main(["sync", sources[1], lake]) == 75
    first, failed, again = capsys.readouterr().out.splitlines()
    assert first == "2 budgets: 1 limit, 1 ok; 1 changed, 2,037 rows, 2 requests"
    assert failed.startswith("Anna, Household: limit: ")
    assert re.fullmatch(r"The limit of requests stopped 1: run it again in 3,(600|599) s", again)


def test_a_lake_that_another_process_changes_ends_the_command_with_75(
    sources: tuple[Sandbox, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = tmp_path / "lake"
    with turn(LakeAddress.of(lake, None)):
        assert main(["sync", sources[1], str(lake)]) == 75
    assert sources[0].requests_served == 0
    assert [path.name for path in lake.iterdir()] == ["_lease"]
    message = f"budgetframe sync: another process or thread is changing the lake at {lake}. This"
    assert capsys.readouterr().err.startswith(message)


def test_a_sync_keeps_its_status_if_another_process_changes_the_lake_before_the_vacuum(
    sources: tuple[Sandbox, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources[0].faults, lake = ["500:GET:*/budgets/*"], str(tmp_path / "lake")
    with ExitStack() as stack:

        class Output(StringIO):
            def write(self, text: str) -> int:  # after the sync, another process begins
                if not self.tell():
                    stack.enter_context(turn(LakeAddress.of(lake, None)))
                return super().write(text)

        stack.enter_context(redirect_stdout(Output()))
        assert main(["sync", "--keep-hours", "0", sources[1], lake]) == 3
    assert capsys.readouterr().err == (
        "budgetframe sync: another process is changing the lake: the files of earlier states stay"
        " until the next vacuum\n"
    )


def test_json_has_one_object_for_each_budget_and_one_for_the_run(
    sources: tuple[Sandbox, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox, path = sources
    lake = str(tmp_path / "lake")
    assert main(["sync", "--json", path, lake]) == 0
    first, second, run = map(json.loads, capsys.readouterr().out.splitlines())
    assert [each["budget_name"] for each in (first, second)] == ["Household", "東京の家計"]
    assert first["budget_id"] == sandbox.budgets[0].budget.id
    shown = ("source", "status", "row_count", "requests", "changed")
    assert {key: first[key] for key in shown} == {
        "source": "Anna", "status": "ok", "row_count": 2065, "requests": 1, "changed": True,
    }  # fmt: skip
    assert run.keys() == {"run"}
    assert run["run"]["status"] == "ok"
    assert run["run"]["row_count"] == 4102
    assert run["run"]["ended_at"].endswith("Z")
    before = {*Path(lake).glob("accounts/bucket=*/*.parquet")}
    assert main(["sync", "--full", "Household", "--keep-hours", "0", path, lake]) == 0
    assert capsys.readouterr().out.startswith("2 budgets: 2 ok; 1 changed, ")
    after = {*Path(lake).glob("accounts/bucket=*/*.parquet")}
    assert [len(before), len(after), len(before & after)] == [2, 2, 1]
    assert main(["sync", "--buckets", "60", path, lake]) == 0
    assert capsys.readouterr().err == (
        "budgetframe sync: buckets=60: the lake has 16 and keeps them; lake.rebuild(60) or"
        " 'budgetframe lake rebuild LAKE --buckets 60' changes the number\n"
    )


def test_the_log_has_no_name_and_no_token(
    sources: tuple[Sandbox, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sandbox, path = sources
    sandbox.limit = 2
    with caplog.at_level("INFO", logger="budgetframe"):
        main(["sync", path, str(tmp_path / "lake")])
    texts = [record.getMessage() for record in caplog.records if record.name.startswith("budgetf")]
    assert texts[0] == "sync started: 1 sources, 0 budgets"
    assert f"budget {sandbox.budgets[0].budget.id}: limit" in texts
    assert texts[-2] == "commit 2 budgets, 1 with new rows"
    assert texts[-1].startswith("sync ended: status limit, budgets 2, changed 1, limited 1, failed")
    for word in ("Anna", "Household", "東京の家計", sandbox.token, sandbox.token[:6]):
        assert word not in caplog.text

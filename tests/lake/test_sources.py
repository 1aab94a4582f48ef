"""Sources, the file with sources, and where a token never appears."""

import itertools
import json
import pickle
import sys
import traceback
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.lake import Lake, Source, read_sources
from budgetframe.lake.sync import sync_lake
from budgetframe.lake.writer import create_lake

from .contents import found_in
from .service import Service
from .test_reads import in_june

TOKEN = "token-that-nobody-must-see"


def test_a_wrong_file_is_refused_with_the_place(tmp_path: Path, subtests: pytest.Subtests) -> None:
    path = tmp_path / "s.toml"
    good = '[[source]]\nname = "Good"\ntoken_env = "PATH"\n'
    for text, message in (
        ("", "has no [[source]] table"),
        ("[[source]\n", "is not TOML"),
        (f"[{TOKEN}]\n[{TOKEN}]\n", "{} is not TOML (at line 2, column"),
        (f'token = "{TOKEN}"\n{good}',
            "{} has 1 unknown key beside the [[source]] tables: remove what is not in such a"),
        (f'{TOKEN} = ""\nsources = []\n{good}',
            "has 2 unknown keys ('sources' is like 'source') beside the [[source]] tables"),
        (f"{good}budgets = 5", "source 1 of {}: budgets must be a list of names and ids"),
        (f"{good}budgets = [1]", "source 1 of {}: budgets=[1] of the source 'Good': use 'all' or"),
        (f"{good}budgets = ['']",
            "source 1 of {}: budgets=[''] of the source 'Good': use 'all' or"),
        (f"{good}budgets = []", "source 1 of {}: budgets=[] of the source 'Good': use 'all' or"),
        (f"{good}[[source]]\ntoken_env = 5", "source 2 of {}: token_env must be the name of"),
        ("source = [1]", "source 1 of {}: it is not a [[source]] table"),
        (f'[[source]]\nname = "A"\ntoken_command = ["", "{TOKEN}"]',
            "source 1 of {}: token_command must be a list of texts: a program and its arguments"),
        (f'{good}token_command = ["{TOKEN}"]', "it must have one of token_env, token_keyring, tok"),
        (f'[[source]]\nname = "A"\ntoken = "{TOKEN}"', "source 1 of"),
        ('[[source]]\nname = "A"', "it must have one of token_env, token_keyring, token_comm"),
        (f'{good}{TOKEN} = ""',
            "1 of {}: it has 1 unknown key. Its keys can be name, token_env, token_keyring, tok"),
        (f'{good}{TOKEN} = ""\ntokenenv = ""\nbugdets = []',
            "3 unknown keys ('bugdets' is like 'budgets', 'tokenenv' is like 'token_env'). Its"),
        ('[[source]]\ntoken_env = "PATH"', "the name of a source must be a text"),
        ('[[source]]\nname = "A"\ntoken_env = "PATH"\nbase_url = "http://x.org"', "is not https"),
    ):  # fmt: skip
        with subtests.test(text=text):
            path.write_text(text, "utf-8")
            with pytest.raises(ToolError) as error:
                read_sources(str(path))
            assert message.format(path) in str(error.value)
            assert TOKEN not in str(error.value)


@pytest.mark.parametrize(("arguments", "named"), [
    ({"name": TOKEN}, "name"), ({"budgets": TOKEN}, "budgets"),
    ({"budgets": ["Home", TOKEN]}, "budgets"), ({"budgets": pd.Series([TOKEN])}, "budgets"),
    ({"base_url": f"https://service.test/{TOKEN}"}, "base_url"),
    ({"base_url": f"http://{TOKEN}"}, "base_url"),
])  # fmt: skip
def test_a_token_that_was_pasted_into_another_argument_is_refused_and_not_shown(
    arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(ToolError) as caught:
        Source(**{"name": "A", "token": TOKEN, **arguments})
    assert str(caught.value) == f"{named} contains the token: pass it as the token only"


@pytest.mark.parametrize(("variable", "status"), [
    (" \t\n", "failed"), ("v1", "refused"), ("Ben", "refused"),
])  # fmt: skip
def test_a_text_that_is_no_token_is_in_no_other_field_and_fails_its_source_alone(
    service: Service, new_lake: Lake, variable: str, status: str
) -> None:
    result = new_lake.sync([service.source(), service.source("Ben", token=variable)])
    assert result["status"].tolist() == ["ok", "ok", status]


@pytest.mark.parametrize("wrong", [{"base_url": "http://example.com/v1"}, {"budgets": "Home"}])
def test_an_invalid_source_does_not_leave_the_token_in_a_variable(wrong: dict[str, Any]) -> None:
    with pytest.raises(ToolError) as caught:
        Source("Anna", "secret-of-anna", **wrong)
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    frames = "".join(str(each.locals) for each in told.stack if each.filename != __file__)
    assert "base_url" in frames
    assert "secret-of-anna" not in frames


def test_a_source_cannot_be_pickled_and_does_not_show_its_token() -> None:
    source = Source("A", TOKEN)
    with pytest.raises(TypeError, match="a Source cannot be pickled"):
        pickle.dumps(source)
    assert TOKEN not in repr(source)
    assert TOKEN not in repr(source.access())


def test_the_text_of_an_error_of_a_function_for_the_token_is_not_passed_on() -> None:
    def fail() -> str:
        raise LookupError(TOKEN)

    with pytest.raises(ToolError, match="the function for the token raised LookupError") as caught:
        Source("A", fail).access()
    assert TOKEN not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None


def printing(code: str) -> str:
    """A table of a file of sources whose program runs this code."""
    return f'[[source]]\nname = "A"\ntoken_command = {json.dumps([sys.executable, "-c", code])}\n'


@pytest.mark.posix
@pytest.mark.slow  # each program is a new interpreter
def test_a_program_without_a_token_is_the_failure_of_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    path, show = tmp_path / "sources.toml", f"import sys; print('{TOKEN}', file=sys.stderr);"
    for table, problem in (
        (printing(f"{show} print('{TOKEN}'); sys.exit(3)"), "ended with status 3"),
        (printing(show), "printed something else than one token: the token is empty or has"),
        (printing(f"print('{TOKEN}\\n{TOKEN}')"), "printed something else than one token: the tok"),
        (printing("print(input())"), "ended with status 1"),
        (printing("import os; exit(7 * (os.getsid(0) == os.getpid()))"), "ended with status 7"),
        (printing(f"print('{TOKEN}', flush=True); import threading; threading.Event().wait(9)"),
            "did not end within 0.5 s"),
        (f'[[source]]\nname = "A"\ntoken_command = ["{TOKEN}"]', "cannot be started (FileNotFound"),
        ('[[source]]\nname = "A"\ntoken_command = ["\\u0000"]', "cannot be started (ValueError)"),
    ):  # fmt: skip
        with subtests.test(table=table):
            path.write_text(table, "utf-8")
            (source,) = read_sources(path)
            seconds = 0.5 if "wait" in table else 60
            monkeypatch.setattr("budgetframe.lake.sources._SECONDS", seconds)
            with pytest.raises(ToolError) as caught:
                source.access()
            assert f"the program of token_command {problem}" in str(caught.value)
            told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
            shown = [str(each.locals) for each in told.stack if each.filename != __file__]
            assert TOKEN not in f"{caught.value} {shown} {source} {source.token}"
            assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def test_a_source_without_a_token_or_a_user_fails_alone(
    service: Service, new_lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLANK", " \n")
    lines = (
        'token_env = "BLANK"',
        'exports = "~nobody-is-it/x"',
        'token_command = ["~nobody-is-it/x"]',
    )
    tables = (f'[[source]]\nname = "{n}"\n{line}\n' for n, line in enumerate(lines))
    (tmp_path / "sources.toml").write_text("".join(tables), "utf-8")
    result = new_lake.sync([*read_sources(tmp_path / "sources.toml"), service.source()])
    assert result["status"].tolist() == ["failed"] * 3 + ["ok"] * 2


@pytest.mark.posix
def test_a_program_runs_in_the_folder_of_the_file_and_again_after_ten_minutes(
    service: Service, new_lake: Lake, tmp_path: Path
) -> None:
    code = "open('runs', 'a').write('x'); print(open('token').read())"
    (tmp_path / "token").write_text(f"{service.sandbox.token}\n", "utf-8")
    (tmp_path / "python").symlink_to(sys.executable)
    path, url = tmp_path / "sources.toml", f'base_url = "{service.url}"\n'
    tables = printing(code).replace(sys.executable, "./python") + url
    path.write_text(tables + tables.replace('"A"', '"B"'), "utf-8")
    create_lake(new_lake._address, 1)
    for minutes, runs in ((0, "x"), (6, "xxx")):  # between two readings of the time
        times = (in_june() + timedelta(minutes=minutes * number) for number in itertools.count())
        options: Any = {"concurrency": 1, "verify": True, "now": partial(next, times)}
        (tmp_path / "runs").write_text("", "utf-8")
        result = sync_lake(new_lake._address, read_sources(path), **options)
        assert result["status"].tolist() == ["ok", "ok", "duplicate", "duplicate"]
        assert (tmp_path / "runs").read_text("utf-8") == runs


def test_a_limit_belongs_to_a_token_and_an_address(subtests: pytest.Subtests) -> None:
    class Bearer(httpx.Auth):
        pass

    for token in (TOKEN, lambda: TOKEN, Bearer()):
        with subtests.test(token=token):
            keys = [
                Source(str(port), token, base_url=f"http://127.0.0.1:{port}").access().key
                for port in (1, 1, 2)
            ]
            assert keys[0] == keys[1] != keys[2]


def test_no_file_of_the_lake_contains_the_token(service: Service, new_lake: Lake) -> None:
    service.sandbox.token = TOKEN
    service.sandbox.faults = [f"500:GET:*/budgets/{service.sandbox.budgets[0].budget.id}"]
    result = new_lake.sync(
        [service.source(), service.source("the name of the source B", token=TOKEN + "2")]
    )
    assert sorted(result["status"]) == ["failed", "ok", "refused"]
    assert TOKEN not in result.to_string()
    words = ["the name of the source B", TOKEN]  # the name is in compressed rows only
    assert [*found_in(new_lake, words)] == words[:1]

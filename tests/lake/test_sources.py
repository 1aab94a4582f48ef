"""Sources, the file with sources, and where a token never appears."""

import pickle
import traceback
from pathlib import Path
from typing import Any

import httpx
import pytest

from budgetframe import ToolError
from budgetframe.lake import Lake, Source, read_sources

from .contents import found_in
from .service import Service

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
        (f'[[source]]\ntoken_env = "{TOKEN}"', "the environment variable that token_env names is"),
        (f'[[source]]\nname = "A"\ntoken = "{TOKEN}"', "source 1 of"),
        ('[[source]]\nname = "A"', "must have either token_env, token_keyring or exports"),
        (f'{good}{TOKEN} = ""',
            "1 of {}: it has 1 unknown key. Its keys can be name, token_env, token_keyring, exp"),
        (f'{good}{TOKEN} = ""\ntokenenv = ""\nbugdets = []',
            "3 unknown keys ('bugdets' is like 'budgets', 'tokenenv' is like 'token_env'). Its"),
        ('[[source]]\ntoken_env = "PATH"', "the name of a source must be a text"),
        ('[[source]]\nname = "A"\ntoken_env = "PATH"\nbase_url = "http://x.org"', "is not https"),
    ):  # fmt: skip
        with subtests.test(text=text):
            path.write_text(text, "utf-8")
            with pytest.raises(ToolError) as error:
                read_sources(path)
            assert message.format(path) in str(error.value)
            assert TOKEN not in str(error.value)


@pytest.mark.parametrize(("arguments", "named"), [
    ({"name": TOKEN}, "name"), ({"budgets": TOKEN}, "budgets"),
    ({"budgets": ["Home", TOKEN]}, "budgets"),
    ({"base_url": f"https://service.test/{TOKEN}"}, "base_url"),
    ({"base_url": f"http://{TOKEN}"}, "base_url"),
])  # fmt: skip
def test_a_token_that_was_pasted_into_another_argument_is_refused_and_not_shown(
    arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(ToolError) as caught:
        Source(**{"name": "A", "token": TOKEN, **arguments})
    assert str(caught.value) == f"{named} contains the token: pass it as the token only"


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
    path = f"GET:*/budgets/{service.sandbox.budgets[0].budget.id}"
    service.sandbox.faults = [f"500:{path}"]
    result = new_lake.sync(
        [service.source(), service.source("the name of the source B", token=TOKEN + "2")]
    )
    assert sorted(result["status"]) == ["failed", "ok", "refused"]
    assert TOKEN not in result.to_string()
    words = ["the name of the source B", TOKEN]  # the name is in compressed rows only
    assert [*found_in(new_lake, words)] == words[:1]

"""The skill for assistants and ``llms.txt`` are up to date, and the code of the skill runs."""

import re
from textwrap import dedent
from typing import Any

import pytest
import respx
import yaml

from budgetframe.sandbox import Sandbox
from tests.docs import skill

FILES = {name: path.read_text("utf-8") for name, path in skill.FILES.items()}


@pytest.mark.parametrize("name", FILES)
def test_the_file_is_up_to_date(name: str) -> None:
    assert FILES[name] == getattr(skill, name)(), "run: python -m tests.docs.skill"


def test_the_skill_has_the_form_that_assistants_read() -> None:
    front = yaml.safe_load(FILES["skill"].split("---\n")[1])
    assert front["name"] == skill.FILES["skill"].parent.name == "budgetframe"
    assert front.keys() == {"name", "description"}
    assert len(front["description"]) <= 1024
    assert len(FILES["skill"].splitlines()) <= 300


def test_the_blocks_of_the_skill_run_and_print_the_stated_figures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    service = Sandbox()
    service.budgets[1].budget.name = "My Budget"
    monkeypatch.setenv("BUDGETFRAME_TOKEN", service.token)
    blocks = re.findall(r"^( *```python\n.*?)^ *```$", FILES["skill"], re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    with respx.mock(assert_all_called=False) as router:  # connecting sends nothing yet
        router.route().mock(side_effect=service.transport().handle_async_request)
        for block in blocks:
            exec(dedent(block).partition("\n")[2], names)  # noqa: S102 - our skill
            stated = re.findall(r"^# ((?:wrong|right): .+)$", block, re.MULTILINE)
            assert capsys.readouterr().out.splitlines() == stated

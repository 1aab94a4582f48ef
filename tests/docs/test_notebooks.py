"""The notebooks are committed as they ran, in one skeleton, and their text agrees with them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = {path.stem: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.ipynb")}
CHECKED = "# NBVAL_CHECK_OUTPUT"
PITFALLS = "09_common_pitfalls"
# Each with a report, its frame and its picture; the first three are about what comes before that.
GALLERY = sorted(set(NOTEBOOKS) - {PITFALLS})[3:]
FIGURE = re.compile(r"(?<![\d.,])\d[\d,]*\.\d\d(?![\d.])")

every = pytest.mark.parametrize("name", sorted(NOTEBOOKS))


def code(name: str) -> list[dict[str, Any]]:
    return [cell for cell in NOTEBOOKS[name]["cells"] if cell["cell_type"] == "code"]


def prose(name: str) -> list[str]:
    cells = NOTEBOOKS[name]["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]


def is_checked(cell: dict[str, Any]) -> bool:
    return "".join(cell["source"]).startswith(CHECKED)


def printed(cell: dict[str, Any]) -> str:
    return "".join("".join(each.get("text", "")) for each in cell["outputs"])


def test_these_are_the_notebooks() -> None:
    assert sorted(NOTEBOOKS) == [
        "01_quickstart",
        "02_caching_and_limits",
        "03_frames_and_handoff",
        "04_where_does_my_money_go",
        "05_net_worth",
        "06_budget_vs_actual",
        "07_forecast_and_runway",
        "08_your_own_report",
        "09_common_pitfalls",
        "10_pipeline",
        "11_async",
    ]


@every
def test_a_notebook_was_run_once_from_top_to_bottom(name: str) -> None:
    counts = [cell["execution_count"] for cell in code(name)]
    assert counts == list(range(1, len(counts) + 1))


@every
def test_a_notebook_ran_without_an_error_and_without_a_warning(name: str) -> None:
    outputs = [output for cell in code(name) for output in cell["outputs"]]
    assert [each for each in outputs if each["output_type"] == "error"] == []
    assert [each for each in outputs if each.get("name") == "stderr"] == []


@every
def test_a_checked_cell_prints_something_short_and_nothing_else(name: str) -> None:
    checked = [cell for cell in code(name) if is_checked(cell)]
    assert checked
    for cell in checked:
        kinds = {(output["output_type"], output.get("name")) for output in cell["outputs"]}
        assert kinds == {("stream", "stdout")}
        assert 0 < len(printed(cell).splitlines()) <= 25


@every
def test_a_notebook_begins_with_its_question_and_ends_with_what_to_try_next(name: str) -> None:
    texts = prose(name)
    assert re.match(r"# [^\n]+\n\n\*\*Question\.\*\* [^\n]+\?", texts[0])
    assert "**Try next.** " in texts[-1]


@pytest.mark.parametrize("name", GALLERY)
def test_a_notebook_of_the_gallery_has_a_question_a_frame_a_report_and_a_picture(
    name: str,
) -> None:
    text = "\n".join(prose(name))
    places = [text.index(f"## The {part}") for part in ("frame", "report", "picture")]
    assert places == sorted(places)


def test_every_pitfall_prints_what_is_wrong_and_what_is_right() -> None:
    titles = [re.match(r"## (\d+)\. ", text) for text in prose(PITFALLS)]
    assert [title[1] for title in titles if title] == [str(number) for number in range(1, 10)]
    printouts = [re.findall(r"^(\w+): ", printed(cell), re.MULTILINE) for cell in code(PITFALLS)]
    assert printouts[1:] == [["wrong", "right"]] * 9


@pytest.mark.parametrize("name", GALLERY)
def test_a_notebook_of_the_gallery_shows_a_picture_that_is_small(name: str) -> None:
    data = [output.get("data", {}) for cell in code(name) for output in cell["outputs"]]
    pictures = [each["image/png"] for each in data if "image/png" in each]
    assert pictures
    assert max(map(len, pictures)) < 80_000


@every
def test_every_cell_that_draws_shows_a_picture(name: str) -> None:
    drawn = [cell for cell in code(name) if re.search(r"\.plot(\.\w+)?\(", "".join(cell["source"]))]
    data = [[output.get("data", {}) for output in cell["outputs"]] for cell in drawn]
    assert ["image/png" in {key for each in outputs for key in each} for outputs in data] == [
        True for _ in drawn
    ]


@every
def test_every_figure_in_the_text_is_in_a_checked_output(name: str) -> None:
    shown = "".join(printed(cell) for cell in code(name) if is_checked(cell))
    known = {float(each.replace(",", "")) for each in re.findall(r"\d[\d,]*\.?\d*", shown)}
    told = {each for text in prose(name) for each in FIGURE.findall(without_code(text))}
    assert {each for each in told if float(each.replace(",", "")) not in known} == set()


def without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`]*`|\[[^\]]*\]\([^)]*\)", "", text, flags=re.DOTALL)


@every
def test_a_notebook_says_nothing_of_the_machine_it_ran_on(name: str) -> None:
    text = json.dumps(NOTEBOOKS[name])
    assert not re.search(r"/(tmp|root|home|Users|work)/|site-packages|sandbox-token", text)


@every
def test_the_links_of_a_notebook_lead_to_files_beside_it(name: str) -> None:
    links = re.findall(r"\]\(([^)]+)\)", "".join(prose(name)))
    assert [link for link in links if not (FOLDER / link).is_file()] == []


def test_the_readme_links_every_notebook() -> None:
    readme = (FOLDER.parent / "README.md").read_text("utf-8")
    linked = re.findall(r"\]\(notebooks/(\w+)\.ipynb\)", readme)
    assert sorted(linked) == sorted(NOTEBOOKS)


def test_the_pictures_of_the_readme_are_there() -> None:
    readme = (FOLDER.parent / "README.md").read_text("utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", readme)
    assert len(shown) == 2
    assert [each for each in shown if not (FOLDER.parent / each).is_file()] == []


@every
def test_a_notebook_can_be_exported_as_a_script(name: str) -> None:
    # Without these nbconvert writes a text file, with the prose as code.
    language = NOTEBOOKS[name]["metadata"]["language_info"]
    assert (language["file_extension"], language["nbconvert_exporter"]) == (".py", "python")

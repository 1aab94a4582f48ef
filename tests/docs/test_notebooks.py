"""The committed notebooks: their form, their outputs, and figures in the text.

The main test run executes each notebook once (nbval, see ``testpaths``). The tests here read the
committed files and execute nothing.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = {
    path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.ipynb"))
}
CHECKED = "nbval-check-output"  # the tag of cells whose output nbval compares
PITFALLS = "14_common_pitfalls"
CHANGES_NOTEBOOKS = {
    "08_recategorise_one_payee", "09_categorise", "10_import_bank_file", "11_plan_next_month",
}  # fmt: skip
# These notebooks show a frame, a report and a picture each; the other ones have another form.
OTHERS = {
    "01_quickstart",
    "20_review_with_the_mouse",  # its table can still be used after the last cell
    "03_my_month",
    "06_goals",
    "12_caching_and_limits",
    "13_frames_and_handoff",
    "21_asked_often",
    "22_plain_text_accounting",
}
REPORT_NOTEBOOKS = sorted(set(NOTEBOOKS) - CHANGES_NOTEBOOKS - OTHERS - {PITFALLS})
AMOUNT = re.compile(r"(?<![\d.,])\d[\d,]*\.\d\d(?![\d.])")


def code_cells(name: str) -> list[dict[str, Any]]:
    return [cell for cell in NOTEBOOKS[name]["cells"] if cell["cell_type"] == "code"]


def texts(name: str) -> list[str]:
    cells = NOTEBOOKS[name]["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def is_checked(cell: dict[str, Any]) -> bool:
    return CHECKED in cell["metadata"].get("tags", [])


def printed(cell: dict[str, Any]) -> str:
    return "".join("".join(output.get("text", "")) for output in cell["outputs"])


def pictures(cell: dict[str, Any]) -> list[str]:
    data = [output.get("data", {}) for output in cell["outputs"]]
    return [each["image/png"] for each in data if "image/png" in each]


def checked_cells() -> Iterator[tuple[str, dict[str, Any]]]:
    for name in NOTEBOOKS:
        yield from ((name, cell) for cell in code_cells(name) if is_checked(cell))


def test_the_changelog_states_their_number() -> None:
    changelog = (FOLDER.parent / ".github" / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"([\w-]+) example notebooks", changelog) == ["twenty-two"]
    assert len(NOTEBOOKS) == 22


def test_every_notebook_was_executed_once_from_top_to_bottom() -> None:
    for name in NOTEBOOKS:
        counts = [cell["execution_count"] for cell in code_cells(name)]
        assert counts == list(range(1, len(counts) + 1)), name


def test_no_notebook_has_an_error_or_a_warning_in_its_output() -> None:
    for name in NOTEBOOKS:
        outputs = [output for cell in code_cells(name) for output in cell["outputs"]]
        assert [each for each in outputs if each["output_type"] == "error"] == [], name
        assert [each for each in outputs if each.get("name") == "stderr"] == [], name


def test_the_source_of_a_cell_has_no_marks_for_nbval() -> None:
    for name in NOTEBOOKS:
        assert [each for each in code_cells(name) if "NBVAL" in source(each)] == [], name


def test_every_notebook_has_a_checked_cell() -> None:
    assert {name for name, _ in checked_cells()} == set(NOTEBOOKS)


def test_a_checked_cell_prints_at_most_25_lines_and_nothing_else() -> None:
    for name, cell in checked_cells():
        kinds = {(output["output_type"], output.get("name")) for output in cell["outputs"]}
        assert kinds == {("stream", "stdout")}, (name, source(cell))
        assert 0 < len(printed(cell).splitlines()) <= 25, (name, source(cell))


def test_every_notebook_begins_with_a_question_and_ends_with_the_next_step() -> None:
    for name in NOTEBOOKS:
        assert re.match(r"# [^\n]+\n\n\*\*Question\.\*\* [^\n]+\?", texts(name)[0]), name
        assert "**Try next.** " in texts(name)[-1], name


def test_a_report_notebook_has_sections_for_frame_report_and_picture() -> None:
    for name in REPORT_NOTEBOOKS:
        text = "\n".join(texts(name))
        titles = [f"## The {part}" for part in ("frame", "report", "picture")]
        assert [title for title in titles if title not in text] == [], name
        places = [text.index(title) for title in titles]
        assert places == sorted(places), name


def test_a_notebook_that_changes_the_budget_ends_with_an_undo_and_a_check() -> None:
    for name in CHANGES_NOTEBOOKS:
        cells = code_cells(name)
        last = max(n for n, cell in enumerate(cells) if ".apply(" in source(cell))
        assert "undo(" in source(cells[last]) or "reverse.apply(" in source(cells[last]), name
        assert "True" in printed(cells[-1]), name
        assert is_checked(cells[-1]), name


def test_a_report_notebook_has_small_pictures() -> None:
    for name in REPORT_NOTEBOOKS:
        sizes = [len(picture) for cell in code_cells(name) for picture in pictures(cell)]
        assert sizes, name
        assert max(sizes) < 100_000, name


def test_a_picture_in_a_notebook_has_no_html_and_no_cell_a_widget() -> None:
    for name in NOTEBOOKS:
        outputs = [output for cell in code_cells(name) for output in cell["outputs"]]
        kinds = [{*output.get("data", {})} for output in outputs]
        both, widget = {"image/png", "text/html"}, "application/vnd.jupyter.widget-view+json"
        wrong = [each for each in kinds if both <= each or widget in each]
        assert wrong == [], f"{name}: run tests.docs.strip_pictures"


def test_every_pitfall_prints_a_wrong_and_a_right_figure() -> None:
    titles = [re.match(r"## (\d+)\. ", text) for text in texts(PITFALLS)]
    assert [title[1] for title in titles if title] == [str(number) for number in range(1, 10)]
    outputs = [printed(cell) for cell in code_cells(PITFALLS)[1:]]
    labels = [re.findall(r"^(\w+): ", output, re.MULTILINE) for output in outputs]
    assert labels == [["wrong", "right"]] * 9


def test_every_cell_that_draws_has_a_picture() -> None:
    for name in NOTEBOOKS:
        for cell in code_cells(name):
            if re.search(r"\.plot(\.\w+)?\(|^review$", source(cell)):
                assert pictures(cell), (name, source(cell))


def test_every_amount_in_the_text_is_in_a_checked_output() -> None:
    for name in NOTEBOOKS:
        output = "".join(printed(cell) for cell in code_cells(name) if is_checked(cell))
        known = {as_number(each) for each in re.findall(r"\d[\d,]*\.?\d*", output)}
        stated = {each for text in texts(name) for each in AMOUNT.findall(without_code(text))}
        assert {each for each in stated if as_number(each) not in known} == set(), name


def as_number(text: str) -> float:
    return float(text.replace(",", ""))


def without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`]*`|\[[^\]]*\]\([^)]*\)", "", text, flags=re.DOTALL)


def test_no_notebook_names_the_machine_that_executed_it() -> None:
    for name, notebook in NOTEBOOKS.items():
        found = re.findall(
            r"/(?:tmp|root|home|Users|work)/|site-packages|sandbox-token", json.dumps(notebook)
        )
        assert found == [], name


def test_the_links_of_a_notebook_lead_to_files_beside_it() -> None:
    for name in NOTEBOOKS:
        links = re.findall(r"\]\(([^)]+)\)", "".join(texts(name)))
        assert [link for link in links if not (FOLDER / link).is_file()] == [], name


def test_the_page_of_questions_links_every_notebook() -> None:
    page = (FOLDER.parent / ".github" / "site" / "questions.md").read_text("utf-8")
    assert re.findall(r"\]\(../../notebooks/(\w+)\.ipynb\)", page) == list(NOTEBOOKS)


def test_every_notebook_can_be_exported_as_a_script() -> None:
    # Without these entries nbconvert writes a text file in which the markdown is code.
    for name, notebook in NOTEBOOKS.items():
        language = notebook["metadata"]["language_info"]
        assert language["file_extension"] == ".py", name
        assert language["nbconvert_exporter"] == "python", name

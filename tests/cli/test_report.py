"""`budgetframe report`: the main reports as one page that is complete in itself."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe._cli.main import main
from budgetframe._cli.report_page import page
from budgetframe.sandbox import Sandbox, serve
from tests.facade.scripts import run_script
from tests.sandbox.ask import Ids

TOKEN = "sandbox-token"


class Loaded(HTMLParser):
    """Whatever a page would load, and the text it shows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.sources += [value or "" for name, value in attrs if name in {"src", "srcset", "href"}]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def made() -> BudgetFrame:
    """A connection that a page was made on."""
    return BudgetFrame.sandbox()


@pytest.fixture(scope="module")
def written(made: BudgetFrame) -> str:
    """The page of the embedded household."""
    return page(made)


def test_a_page_loads_nothing_from_anywhere(written: str) -> None:
    sources = Loaded(written).sources
    assert len(sources) == 16  # eight pictures, each for a light page and for a dark one
    assert {source[:22] for source in sources} == {"data:image/png;base64,"}
    assert not re.search(r"@import|url\(", written)


def test_a_page_has_no_script(written: str) -> None:
    assert "script" not in Loaded(written).tags


def test_a_page_tells_the_main_figures_in_the_format_of_the_budget(written: str) -> None:
    figures = re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", written)
    assert figures == [
        ("Net worth", "40.678,18€"),
        ("Income this month", "3.231,62€"),
        ("Spent this month", "2.375,75€"),
        ("Runway", "266 days"),
        ("Age of money", "341 days"),
    ]


def test_a_page_answers_these_questions(written: str) -> None:
    assert re.findall(r"<h2>([^<]+)</h2>", written) == [
        "What is it all worth?",
        "What came in, and what went out?",
        "Where did the money go?",
        "How is this month going, against the same days of earlier ones?",
        "What was planned this month, and what became of it?",
        "What is scheduled, and how low will it get?",
        "How long would the money last?",
        "How old is the money that is spent?",
    ]


def test_a_page_has_the_figures_of_its_pictures(written: str) -> None:
    rows = re.findall(r"<tr>(.*?)</tr>", written, flags=re.DOTALL)
    cells = [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in rows]
    assert ["2026-05-31", "42.363,79€", "-2.919,68€", "39.444,11€", "791,35€"] in cells
    rent = ["Home", "Rent", "2025-07-01", "15.249,00€", "43.6%", "12", "1.270,75€"]
    assert rent in cells


def test_a_page_says_how_each_figure_is_counted(written: str) -> None:
    assert "<li>Every account counts, tracking ones too" in written
    assert written.count("How it is counted") == 8


def test_a_page_says_of_which_day_it_is(written: str) -> None:
    assert "As of 2026-06-17." in written


@pytest.mark.usefixtures("written")
def test_a_page_costs_the_list_of_budgets_and_the_whole_budget(made: BudgetFrame) -> None:
    assert made.requests.by_resource == {"budgets": 1, "export": 1}


def test_a_page_looks_back_as_many_months_as_asked_for() -> None:
    bf = BudgetFrame.sandbox()
    rows = page(bf, months=2).partition("What came in")[2].partition("</table>")[0]
    assert re.findall(r"<td class=\"text\">(\d{4}-\d\d-\d\d)</td>", rows) == [
        "2026-05-01",
        "2026-06-01",
    ]


def test_less_than_a_month_is_refused() -> None:
    with pytest.raises(ToolError, match="months=0"):
        page(BudgetFrame.sandbox(), months=0)


def test_names_from_outside_are_escaped() -> None:
    service = Sandbox()
    name = "<script>alert('rent')</script>"
    service.device.rename_category(Ids(service).category("Home", "Rent"), name)
    text = page(BudgetFrame.sandbox(service))
    assert "<script" not in text
    assert "&lt;script&gt;alert(&#39;rent&#39;)&lt;/script&gt;" in text


def test_older_data_are_said_to_be_older() -> None:
    service = Sandbox()
    bf = BudgetFrame.sandbox(service, ttl=0)
    page(bf)
    service.faults = ["500"]
    with pytest.warns(UserWarning, match="shown as of 2026-06-17"):
        text = page(bf)
    assert "<strong>transactions: shown as of 2026-06-17T12:00:00+00:00, 0 s ago, because" in text


def test_a_budget_in_yen_is_written_in_yen() -> None:
    text = page(BudgetFrame.sandbox(budget="東京の家計"))
    assert re.search(r"<dt>Net worth</dt><dd>¥[\d,]+</dd>", text)


def test_a_page_of_a_service_on_a_socket_is_written_without_its_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", TOKEN)
    out = tmp_path / "report.html"
    with serve(Sandbox(token=TOKEN)) as url:
        budget = ["--budget", "Household", "--base-url", url]
        assert main(["report", *budget, "--out", str(out)]) == 0
    text = out.read_text("utf-8")
    assert "40.678,18€" in text
    assert TOKEN not in text
    assert TOKEN[:7] not in text
    assert capsys.readouterr().out.endswith(
        " MB. 2 of 200 requests used in the last hour, 198 left.\n"
    )


def test_a_page_that_fails_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", "a-wrong-one")
    out = tmp_path / "report.html"
    out.write_text("yesterday's")
    with serve(Sandbox(token=TOKEN)) as url:
        assert main(["report", "--base-url", url, "--out", str(out)]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert out.read_text() == "yesterday's"
    assert capsys.readouterr().err.startswith("budgetframe report: ")


def test_a_folder_that_is_not_there_is_refused_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "--out", str(tmp_path / "none" / "report.html")]) == 1
    assert "there is no folder" in capsys.readouterr().err


def test_a_folder_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--sandbox", "--out", str(tmp_path)]) == 1
    assert "is there and no file" in capsys.readouterr().err


def test_what_is_no_file_is_not_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--sandbox", "--out", "/dev/null"]) == 1
    assert "is there and no file" in capsys.readouterr().err
    assert Path("/dev/null").is_char_device()


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "target.html", tmp_path / "link.html"
    target.write_text("yesterday's")
    link.symlink_to(target)
    assert main(["report", "--sandbox", "--quiet", "--out", str(link)]) == 0
    assert link.is_symlink()
    assert "40.678,18€" in target.read_text("utf-8")


def test_without_jinja_the_page_says_what_to_install() -> None:
    ended = run_script(
        """
        import sys

        sys.modules["jinja2"] = None
        from budgetframe._cli.main import main

        sys.exit(main(["report", "--sandbox", "--out", "unwritten.html"]))
        """
    )
    assert ended.code == 1
    assert ended.err.strip() == (
        "budgetframe report: the page needs jinja2: pip install 'budgetframe[page]'"
    )

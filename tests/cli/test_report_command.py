"""The command ``budgetframe report`` and the page that it writes.

Drawing a page takes about two seconds, so the tests share two: the page that the command writes,
and a page of a budget in yen, with old data and a name that could be a script.
"""

import re
import socket
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe._cli.main import main
from budgetframe._cli.report_page import _reports, render_page
from budgetframe.sandbox import Sandbox, serve

TOKEN = "sandbox-token"
LOW_RESOLUTION = 20


class PageParser(HTMLParser):
    """The tags of a page, and the addresses that a browser would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.sources += [value or "" for name, value in attrs if name in {"src", "srcset", "href"}]


@pytest.fixture(scope="module")
def page() -> str:
    """A page of two months of a budget in yen with a script as a name, from stale data."""
    service, budget = Sandbox(), "東京の家計"
    bf = BudgetFrame.sandbox(service, budget=budget, ttl=0)
    category_id = bf.reports.spending()["category_id"].iloc[0]
    name = "<script>alert('rent')</script>\x00\u202egnp"
    service.device.rename_category(category_id, name, budget=budget)
    # Read every list that the page needs, so that the page has old data when the service fails.
    _ = bf.ledger(), bf.reports.budget_vs_actual(), bf.reports.forecast(), bf.months()
    service.faults = ["500"]
    with pytest.warns(UserWarning, match="shown as of 2026-06-17"):
        return render_page(bf, months=2, dpi=LOW_RESOLUTION)


def test_a_page_loads_nothing(page: str) -> None:
    sources = PageParser(page).sources
    assert len(sources) == 18  # nine pictures, each for a light and for a dark screen
    assert {source[:22] for source in sources} == {"data:image/png;base64,"}
    assert not re.search(r"@import|url\(", page)


def test_a_page_has_no_script(page: str) -> None:
    assert "script" not in PageParser(page).tags


def test_a_page_shows_the_key_figures_in_the_currency_format_of_the_budget(page: str) -> None:
    figures = re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", page)
    assert figures == [
        ("Net worth", "¥2,928,634"),
        ("Income this month", "¥478,486"),
        ("Spent this month", "¥362,194"),
        ("Runway", "162 days"),
        ("Age of money", "211 days"),
    ]


def test_a_page_answers_nine_questions(page: str) -> None:
    assert re.findall(r"<h2>([^<]+)</h2>", page) == [
        "What is it all worth?",
        "What came in, and what went out?",
        "Where did the money go?",
        "How is this month going, against the same days of earlier ones?",
        "What was planned this month, and what became of it?",
        "What is paid again and again?",
        "What is scheduled, and how low will it get?",
        "How long would the money last?",
        "How old is the money that is spent?",
    ]


def test_a_page_has_the_figures_of_its_pictures(page: str) -> None:
    rows = re.findall(r"<tr>(.*?)</tr>", page, flags=re.DOTALL)
    cells = [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in rows]
    worth = ["2026-05-31", "¥4,197,314", "-¥1,444,420", "¥2,752,894", "¥122,351"]
    assert [*worth, "¥4,228", "¥2,400"] in cells  # with interest and escrow of the loan
    name = r"&lt;script&gt;alert(&#39;rent&#39;)&lt;/script&gt;\x00\u202egnp"
    rent = ["住まい", name, "2026-05-01", "¥383,456", "49.0%", "2", "¥191,728"]
    assert rent in cells
    power = ["北光電力", "電気代", "monthly", "2026-06-05", "¥8,439", "2026-07-05", "¥820"]
    assert [*power, "¥142,732", "bill", "18", "住まい"] in cells


def test_a_page_lists_the_rules_of_each_report(page: str) -> None:
    assert page.count("How this is calculated") == 9
    for rule in BudgetFrame.sandbox().reports.net_worth().attrs["rules"][:4]:
        assert f"<li>{rule}</li>" in page


def test_a_page_shows_its_date(page: str) -> None:
    assert "As of 2026-06-17." in page


def test_the_reports_of_a_page_cost_the_list_of_budgets_and_one_export() -> None:
    bf = BudgetFrame.sandbox()
    assert len(_reports(bf, months=12)) == 9
    assert bf.requests.by_resource == {"budgets": 1, "export": 1}


def test_a_page_covers_the_given_number_of_months(page: str) -> None:
    section = page.partition("What came in")[2].partition("</table>")[0]
    assert re.findall(r"<td class=\"text\">(\d{4}-\d\d-\d\d)</td>", section) == [
        "2026-05-01",
        "2026-06-01",
    ]


def test_a_page_escapes_names(page: str) -> None:
    assert "<script" not in page
    escaped = r"&lt;script&gt;alert(&#39;rent&#39;)&lt;/script&gt;\x00\u202egnp"
    assert f">{escaped}</td>" in page
    assert "unicode-bidi: isolate" in page
    assert not {"\x00", "\u202e"} & set(page)


def test_a_page_says_that_its_data_are_stale(page: str) -> None:
    notice = "<strong>transactions: shown as of 2026-06-17T12:00:00+00:00, 0 s ago, because"
    assert notice in page


def test_less_than_one_month_is_refused() -> None:
    with pytest.raises(ToolError, match="months=0"):
        render_page(BudgetFrame.sandbox(), months=0)


@dataclass(frozen=True)
class WrittenPage:
    """The result of one run of the command: its file, a link to the file, and its output."""

    file: Path
    link: Path
    output: str


@pytest.fixture(scope="module")
def written_page(tmp_path_factory: pytest.TempPathFactory) -> WrittenPage:
    """Run the command against the embedded service on a socket; ``--out`` is a link to a file."""
    folder = tmp_path_factory.mktemp("report")
    file, link = folder / "target.html", folder / "link.html"
    file.write_text("yesterday's")
    link.symlink_to(file)
    output = StringIO()
    with pytest.MonkeyPatch.context() as patch, serve(Sandbox(token=TOKEN)) as url:
        patch.setenv("BUDGETFRAME_TOKEN", TOKEN)
        options = ["--budget", "Household", "--base-url", url, "--months", "1", "--quiet"]
        with redirect_stdout(output):
            assert main(["report", *options, "--out", str(link)]) == 0
    return WrittenPage(file, link, output.getvalue())


def test_the_command_writes_the_page_without_the_token(written_page: WrittenPage) -> None:
    text = written_page.file.read_text("utf-8")
    assert "40.678,18€" in text
    assert TOKEN not in text
    assert TOKEN[:7] not in text


def test_the_command_prints_the_cost(written_page: WrittenPage) -> None:
    expected = " MB. 2 of 200 requests used in the last hour, 198 left.\n"
    assert written_page.output.endswith(expected)


def test_the_command_replaces_the_target_of_a_link(written_page: WrittenPage) -> None:
    assert written_page.link.is_symlink()
    assert "40.678,18€" in written_page.file.read_text("utf-8")


def test_only_the_user_can_read_the_page(written_page: WrittenPage) -> None:
    assert written_page.file.stat().st_mode & 0o777 == 0o600


def test_a_failed_report_leaves_the_earlier_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", "a-wrong-one")
    out = tmp_path / "report.html"
    out.write_text("yesterday's")
    with serve(Sandbox(token=TOKEN)) as url:
        assert main(["report", "--base-url", url, "--out", str(out)]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert out.read_text() == "yesterday's"
    assert capsys.readouterr().err == (
        "budgetframe report: Unauthorized. The service does not accept the token: create a new"
        " token in its settings and connect with it\n"
    )


def test_a_refused_connection_ends_with_status_1_and_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", TOKEN)
    out = tmp_path / "report.html"
    with socket.socket() as closed:  # bound, but it does not listen: a connection is refused
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        assert main(["report", "--base-url", url, "--out", str(out), "--quiet"]) == 1
    assert not out.exists()
    (message,) = capsys.readouterr().err.splitlines()
    assert message.startswith("budgetframe report: no connection to the service: ")


def test_a_missing_folder_is_refused_before_any_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "--out", str(tmp_path / "none" / "report.html")]) == 1
    assert "none does not exist: create it first" in capsys.readouterr().err


def test_a_folder_and_a_device_are_not_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (str(tmp_path), "/dev/null"):
        assert main(["report", "--sandbox", "--out", path]) == 1, path
        assert "exists and is not a file" in capsys.readouterr().err, path
    assert Path("/dev/null").is_char_device()


def test_without_jinja2_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert main(["report", "--sandbox", "--out", str(tmp_path / "unwritten.html")]) == 1
    assert capsys.readouterr().err == (
        "budgetframe report: the page needs jinja2: pip install 'budgetframe[page]'\n"
    )

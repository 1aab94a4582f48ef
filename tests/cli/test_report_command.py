"""The command ``budgetframe report`` and the page that it writes.

Drawing a page takes about two seconds, so the tests share two: the page that the command writes,
and a page of a budget in yen, with old data and a name that could be a script.
"""

import json
import re
import socket
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe._cli.report_page import (
    _assumption,
    _key_figures,
    _reports,
    _section,
    _Shown,
    render_page,
)
from budgetframe.reports import Report
from budgetframe.sandbox import Sandbox, serve
from tests.cli import main
from tests.cli.test_checklist_command import NOTHING

TOKEN = "sandbox-token"
LOADS = {"src", "srcset", "href", "xlink:href", "data", "action", "poster"}


def _shown(question: str) -> _Shown:
    """The report that answers a question of the page."""
    shown = _reports(BudgetFrame.sandbox(), months=1)
    return next(each for each in shown if each.question == question)


# For two months of the budget in yen, from sums of the ledger.
FINDINGS = """\
Net worth rose by ¥373,374 to ¥2,874,660 since the end of Mar 2026.
Since May 2026, income was ¥956,972, spending was ¥780,501, and ¥2,848 has no category: ¥173,623\
 was left.
Spending was ¥780,501, and ¥2,848 has no category; most was spent on\
 <script>alert('rent')</script>\\x00\\u202egnp with ¥383,456, followed by 食料品 with ¥112,394 and\
 ローン返済 with ¥89,600.
¥362,194 was spent this month up to 17 Jun, and ¥2,848 has no category: together ¥1,838 more than\
 on average by the same day of earlier months.
This month ¥473,251 was assigned and ¥362,194 was spent, and ¥2,848 has no category; 3 categories\
 had more spending than assigned, most of all 日用品 by ¥2,636.
10 recurring payments cost ¥3,573,508 a year, the largest ¥2,300,736 to しだれ桜不動産.
Until 2026-09-15, the lowest expected balance of みずうみ銀行 普通預金 is ¥403,879, on\
 2026-08-31.
The money of the budget accounts lasts 162 days, 23 fewer than in May 2026.
Money is spent after 211 days, 32 more than in May 2026.
""".splitlines()


class PageParser(HTMLParser):
    """The tags of a page in their order, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def all(self, tag: str) -> list[dict[str, str]]:
        """The attributes of all elements with this tag."""
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def stale() -> BudgetFrame:
    """A budget in yen with a script as a name, whose service fails."""
    service, budget = Sandbox(), "東京の家計"
    bf = BudgetFrame.sandbox(service, budget=budget, ttl=0)
    category_id = bf.reports.spending()["category_id"].iloc[0]
    name = "<script>alert('rent')</script>\x00\u202egnp"
    service.device.rename_category(category_id, name, budget=budget)
    # Read every list that the page needs, so that the page has old data when the service fails.
    _ = bf.ledger(), bf.reports.budget_vs_actual(), bf.reports.forecast(), bf.months()
    service.faults = ["500"]
    return bf


@pytest.fixture(scope="module")
def page(stale: BudgetFrame) -> str:
    """A page of two months from stale data."""
    with pytest.warns(UserWarning, match="shown as of 2026-06-17"):
        return render_page(stale, months=2)


@pytest.fixture(scope="module")
def parsed(page: str) -> PageParser:
    return PageParser(page)


def test_a_page_loads_nothing_and_has_no_script(page: str, parsed: PageParser) -> None:
    used = [(tag, attrs[name]) for tag, attrs in parsed.elements for name in LOADS & attrs.keys()]
    assert {(tag, target[:1]) for tag, target in used} == {("use", "#")}  # letters of the pictures
    assert not re.search(r"@import|url\((?!#)", page)
    assert not parsed.all("script")


def test_a_page_shows_the_key_figures_in_the_currency_format_of_the_budget(page: str) -> None:
    assert re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", page) == [
        ("Net worth", "¥2,874,660"), ("Income this month", "¥478,486"),
        ("Spent this month", "¥362,194"), ("Uncategorized this month", "¥2,848"),
        ("Runway", "162 days"), ("Age of money", "211 days"),
    ]  # fmt: skip


def test_a_page_answers_ten_questions(page: str) -> None:
    assert re.findall(r"<h2[^>]*>([^<]+)</h2>", page) == [
        "What is to do before 2026-05 can be trusted?", "What is it all worth?",
        "What came in, and what went out?", "Where did the money go?",
        "How is this month going, against the same days of earlier ones?",
        "What was planned this month, and what became of it?", "What is paid again and again?",
        "What is to come, and how low will it get?", "How long would the money last?",
        "How old is the money that is spent?",
    ]  # fmt: skip


def test_a_page_has_the_figures_of_its_pictures(page: str) -> None:
    rows = re.findall(r"<tr>(.*?)</tr>", page, flags=re.DOTALL)
    cells = [re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", row) for row in rows]
    worth = ["2026-05-31", "¥4,197,314", "-¥1,498,219", "¥2,699,095", "¥122,177"]
    assert [*worth, "¥4,402", "¥2,400"] in cells  # with interest and escrow of the loan
    name = r"&lt;script&gt;alert(&#39;rent&#39;)&lt;/script&gt;\x00\u202egnp"
    assert ["住まい", name, "¥383,456", "49.1%", "1", "¥191,728"] in cells
    power = ["北光電力", "電気代", "monthly", "¥8,439", "¥142,732", "2026-07-05", "bill", "", ""]
    assert [*power, "2026-06-05", "¥820", "18", "住まい"] in cells  # it has no price


def test_the_finding_of_each_report_is_above_its_picture(page: str) -> None:
    _, *boxes = page.split('<div class="chart">')
    charts = [box.partition("<figure>")[0] for box in boxes if "<figure>" in box]
    sentences = [re.findall(r"<p class=\"sentence\">([^<]+)</p>", chart) for chart in charts]
    assert [unescape(found[0]) for found in sentences] == FINDINGS


def test_the_forecast_says_what_it_assumes(page: str) -> None:
    assert (
        "Besides scheduled transactions, it is assumed that income, spending and transfers go on"
        " as in the last 6 complete months, by the median of each category.</p>"
    ) in page


def test_the_forecast_has_typical_amounts_and_only_money_to_spend() -> None:
    forecast = _shown("What is to come, and how low will it get?").report
    assert {*forecast["account_name"]} == {"Checking", "Savings", "Wallet"}
    checking = forecast[forecast["account_name"] == "Checking"]["balance"]
    assert (checking.iloc[0], checking.min(), checking.iloc[-1]) == (8062.99, 6221.0, 7395.58)


@pytest.mark.parametrize(("months", "low", "expected"), [
    (0, None, "no complete month yet that shows what is typical."),
    (1, None, "go on as in the last complete month, by the median of each category."),
    (6, 1.0, "by the median of each category. The shaded area is as wide as earlier errors."),
])  # fmt: skip
def test_assumptions_fit_the_age_of_a_budget(months: int, low: float | None, expected: str) -> None:
    forecast = Report({"low": [low]})
    forecast.attrs["typical_months"] = months
    assert _assumption(forecast, is_drawn=True).endswith(expected)


def test_a_page_lists_the_rules_of_each_report(page: str) -> None:
    assert page.count("How this is calculated") == 9
    for rule in BudgetFrame.sandbox().reports.net_worth().attrs["rules"][:4]:
        assert f"<li>{rule}</li>" in page


def test_the_reports_of_a_page_cost_the_list_of_budgets_and_one_export() -> None:
    bf = BudgetFrame.sandbox()
    assert len(_reports(bf, months=12)) == 9
    assert bf.requests.by_resource == {"budgets": 1, "export": 1}


def test_a_page_covers_the_given_number_of_months(page: str) -> None:
    section = page.partition("What came in")[2].partition("</table>")[0]
    assert re.findall(r"<th scope=\"row\" class=\"day\">([^<]+)</th>", section) == [
        "May 2026", "Jun 2026",
    ]  # fmt: skip


def test_a_page_escapes_names(page: str) -> None:
    assert "<script" not in page
    escaped = r"&lt;script&gt;alert(&#39;rent&#39;)&lt;/script&gt;\x00\u202egnp"
    assert f">{escaped}</th>" in page
    assert "unicode-bidi: isolate" in page
    assert not {"\x00", "\u202e"} & set(page)


def test_a_page_says_that_its_data_are_stale_and_of_which_day(page: str) -> None:
    assert "As of 2026-06-17." in page
    assert "<strong>transactions: shown as of 2026-06-17T12:00:00+00:00, 0 s ago, because" in page


def test_spent_this_month_has_one_meaning() -> None:
    """The figure on top, the charts of three reports, and the categories of the plan agree."""
    shown = _reports(BudgetFrame.sandbox(), months=1)
    figures = dict(_key_figures(shown))
    assert figures["Spent this month"] == "2.375,75 €"
    assert figures["Uncategorized this month"] == "17,80 €"
    spent = {each.question: each.report["spent"] for each in shown if "spent" in each.report}
    assert {name: round(values.sum(), 3) for name, values in spent.items()} == {
        "What came in, and what went out?": 2375.75,
        "Where did the money go?": 2375.75,
        "How is this month going, against the same days of earlier ones?": 4753.57,  # two months
        "What was planned this month, and what became of it?": 2375.75,
        "How long would the money last?": 8669.34,  # 90 days
    }
    so_far = spent["How is this month going, against the same days of earlier ones?"]
    assert so_far.tolist() == [2377.82, 2375.75]


def test_a_section_without_rows_says_what_has_no_category() -> None:
    spending = _shown("Where did the money go?")
    spending = spending._replace(report=Report(spending.report.iloc[:0]))
    assert [*_section(spending).sentences] == ["Spending was 0,00 €, and 17,80 € has no category."]
    spending.report.attrs["uncategorized"] = [0.0]
    assert [*_section(spending).sentences] == []


def test_without_uncategorized_rows_there_is_no_figure_for_them() -> None:
    bf = BudgetFrame.sandbox()
    rows = bf.ledger().query("is_uncategorized")[["transaction_id"]]
    bf.update_transactions(rows.assign(category_id=bf.categories()["category_id"].iloc[5]))
    assert "Uncategorized this month" not in dict(_key_figures(_reports(bf, months=1)))


def test_the_alternative_text_of_each_picture_is_its_finding(parsed: PageParser) -> None:
    labels = [svg["aria-label"] for svg in parsed.all("svg")]
    assert all(svg["role"] == "img" for svg in parsed.all("svg"))
    assert labels[::2] == labels[1::2]  # a wide picture and one for phones
    assert labels[::2] == FINDINGS


def test_tables_have_captions_headings_and_a_region_for_the_keyboard(
    page: str, parsed: PageParser, subtests: pytest.Subtests
) -> None:
    tables = re.findall(r"<table>.*?</table>", page, flags=re.DOTALL)
    assert len(tables) == 9
    for table in tables:
        caption = re.findall(r"<caption id=\"[^\"]+\">([^<]+)</caption>", table)
        with subtests.test(caption=caption):
            assert len(caption) == 1
            columns = re.findall(r"<th scope=\"col\"", table)
            for row in re.findall(r"<tr>(.*?)</tr>", table, flags=re.DOTALL)[1:]:
                assert row.count('<th scope="row"') == 1
                assert row.count("<td") == len(columns) - 1
    regions = [attrs for attrs in parsed.all("div") if attrs.get("role") == "region"]
    ids = {attrs["id"] for attrs in parsed.all("caption")}
    assert {attrs["aria-labelledby"] for attrs in regions} == ids
    assert {attrs["tabindex"] for attrs in regions} == {"0"}
    assert "Scheduled changes, and balances with typical amounts, by day and account" in page
    assert '<th scope="row" class="text">食料品</th>' in page


def test_a_page_has_a_language_landmarks_and_headings_in_order(parsed: PageParser) -> None:
    assert parsed.all("html") == [{"lang": "en"}]
    assert [len(parsed.all(tag)) for tag in ("title", "header", "main", "footer")] == [1, 1, 1, 1]
    assert [tag for tag, _ in parsed.elements if re.fullmatch(r"h\d", tag)] == ["h1"] + ["h2"] * 10
    ids = [attrs["id"] for attrs in parsed.all("h2")]
    assert [attrs["aria-labelledby"] for attrs in parsed.all("section")] == ids
    every_id = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert len(every_id) == len(set(every_id))


def test_paper_shows_everything_in_light_colours(page: str) -> None:
    style = page.partition("@media print {")[2].partition("</style>")[0]
    assert "--paper: #ffffff; --ink: #24292f;" in style
    assert "details::details-content { content-visibility: visible; block-size: auto; }" in style
    assert "header, .chart, .figures div, tr, li { break-inside: avoid; }" in style
    assert "thead { display: table-header-group; }" in style
    assert page.index("@media print") > page.index("prefers-color-scheme: dark")
    charts = re.findall(r"<div class=\"chart\">\s*<h2", page)
    assert len(charts) == 10  # each heading is in one box with its picture


def test_no_text_of_the_page_is_smaller_than_eleven_points(page: str) -> None:
    screen = page.partition("<style>")[2].partition("@page")[0]
    sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)rem", screen)]
    assert min(sizes) * 16 * 0.75 >= 11  # a rem has 16 pixels, and a pixel 0.75 points
    assert "font: 16px" in screen


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
    file.write_text("yesterday's", "utf-8")
    link.symlink_to(file)
    output = StringIO()
    with pytest.MonkeyPatch.context() as patch, serve(Sandbox(token=TOKEN)) as url:
        patch.setenv("BUDGETFRAME_TOKEN", TOKEN)
        options = ["--budget", "Household", "--base-url", url, "--months", "1", "--quiet"]
        with redirect_stdout(output):
            assert main(["report", *options, "--out", str(link)]) == 0
    return WrittenPage(file, link, output.getvalue())


def test_it_prints_the_cost_and_writes_a_page_without_the_token(written_page: WrittenPage) -> None:
    assert written_page.output.endswith(" MB. 2 of 200 requests used in the last hour, 198 left.\n")
    assert written_page.link.is_symlink()
    text = written_page.file.read_text("utf-8")
    assert "40.678,18 €" in text
    assert TOKEN[:7] not in text


@pytest.mark.posix
def test_only_the_user_can_read_the_page(written_page: WrittenPage) -> None:
    assert written_page.file.stat().st_mode & 0o777 == 0o600


def test_the_text_has_the_figures_and_sentences_of_the_page(page: str, stale: BudgetFrame) -> None:
    with pytest.warns(UserWarning, match="shown as of 2026-06-17"):
        lines = render_page(stale, months=2, as_text=True).splitlines()
    assert lines[0] == "東京の家計"
    figures = lines.index("Net worth: ¥2,874,660")
    assert lines[figures + 1] == "Income this month: ¥478,486"
    assert [line for line in lines if line in FINDINGS] == FINDINGS
    assert [line for line in lines[:3] + lines[figures + 6 :] if line not in unescape(page)] == []


def test_without_a_file_it_prints_text_or_asks_for_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--sandbox", "--text", "--months", "1"]) == 0
    assert capsys.readouterr().out.startswith("Household\nAs of ")
    assert main(["report", "--sandbox"]) == 1
    assert "with --out FILE, or print its text with --text" in capsys.readouterr().err


def test_a_failed_report_leaves_the_earlier_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", "a-wrong-one")
    out = tmp_path / "report.html"
    out.write_text("yesterday's", "utf-8")
    with serve(Sandbox(token=TOKEN)) as url:
        assert main(["report", "--base-url", url, "--out", str(out)]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert out.read_text("utf-8") == "yesterday's"
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
    assert f" GET {url}/budgets got no complete answer. Look whether other pages" in message


def test_without_jinja2_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert main(["report", "--sandbox", "--out", str(tmp_path / "unwritten.html")]) == 1
    assert capsys.readouterr().err == (
        "budgetframe report: the page needs jinja2: pip install 'budgetframe[page]'\n"
    )


@pytest.mark.slow  # it draws a page
def test_the_page_of_a_file_is_that_of_the_connection(
    tmp_path: Path, written_page: WrittenPage, capsys: pytest.CaptureFixture[str]
) -> None:
    bf = BudgetFrame.sandbox(budget="Household", progress=False)
    path, page = bf.save_export(tmp_path / "budget.json"), tmp_path / "page.html"
    command = ["report", "--export", str(path), "--months", "1", "--out", str(page), "--quiet"]
    assert main(command) == 0
    assert "0 of 200 requests" in capsys.readouterr().out
    assert page.read_text("utf-8") == written_page.file.read_text("utf-8")
    assert main(["report", "--export", str(path), "--out", str(page), "--sandbox"]) == 1
    assert "--export reads a file alone: leave out --sandbox" in capsys.readouterr().err


def test_the_page_begins_with_the_checklist_of_the_last_month() -> None:
    section = render_page(BudgetFrame.sandbox(), as_text=True).split("\n\n")[2].splitlines()
    assert section[:2] == [
        "What is to do before 2026-05 can be trusted?",
        "Without a category: 1 row, -9,50 €: Wallet 1.",
    ]
    assert [line.split(",")[0] for line in section[2:]] == [
        "Not reconciled: 4 accounts", "Overspent categories: 1 category",
        "Cards not covered: 1 card", "Money not assigned: 1 amount",
    ]  # fmt: skip


@pytest.mark.parametrize("day", ["2026-05-17", "2026-06-17", "2026-09-17"])
def test_a_page_of_one_month_begins_with_its_checklist(day: str, tmp_path: Path) -> None:
    file = tmp_path / "budget.json"
    content = {"as_of": f"{day}T12:00:00Z", "data": {"budget": NOTHING}}
    file.write_text(json.dumps(content), encoding="utf-8")
    with BudgetFrame.from_export(file) as bf:
        lines = render_page(bf, as_text=True).splitlines()
    at = lines.index("What is to do before 2026-05 can be trusted?")
    assert lines[at + 1] == "Nothing is to do."

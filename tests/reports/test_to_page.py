"""`budgetframe.to_page`: a person's own page of reports, frames and texts."""

import re
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError, to_page
from budgetframe.reports.page.renderer import _tiles
from tests.reports.plans import household, report_of

TEXT = """
    Rent & <b>groceries</b>.
    A second line.

    Another paragraph with a mark\u202e.
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with a text, two reports and frames of three kinds."""
    bf = household()
    spent = bf.reports.spending("group", freq="month", since="2026-05", until="2026-06-17")
    path = tmp_path_factory.mktemp("page") / "mine.html"
    to_page(path, {
        "What I <think>": TEXT,
        "Where it went": bf.reports.spending(since="2026-05", until="2026-05-31"),
        "Flows": bf.reports.income_sankey(since="2026-06"),
        "By month": spent.pivot_table("spent", "category_group_name", "period", aggfunc="sum"),
        "Accounts": bf.accounts().head(2),
        "Meter": pd.DataFrame({"year": [2026], "kwh": [3211.25], "note": ["<i>read</i>"]}),
        "Nobody": bf.accounts().head(0),
    })  # fmt: skip
    return path.read_text("utf-8")


def section(page: str, heading: str) -> str:
    """The HTML from a heading to the end of its section."""
    return page.partition(f">{heading}</h2>")[2].partition("</section>")[0]


def rows(html: str) -> list[list[str]]:
    """The texts of the cells of each row of a table, the heading first."""
    found = re.findall(r"<tr>(.*?)</tr>", html, flags=re.DOTALL)
    return [re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", row) for row in found]


def test_a_page_in_plain_text_has_the_tables_as_they_are_printed(tmp_path: Path) -> None:
    accounts = household().accounts().head(2)
    to_page(tmp_path / "mine.txt", {"Note": TEXT, "Money": accounts}, title="June")
    assert (tmp_path / "mine.txt").read_text("utf-8").splitlines()[3:-1] == [
        "Note", "Rent & <b>groceries</b>.", "A second line.",
        "Another paragraph with a mark\\u202e.", "", "Money",
        "  account_name account_type      balance cleared_balance uncleared_balance",
        "0     Car Loan     autoLoan  -1.468,00 €     -1.468,00 €            0,00 €",
        "1     Checking     checking   8.062,99 €      8.293,00 €         -230,01 €",
    ]  # fmt: skip


def test_a_page_names_no_foreign_address_and_has_no_script(page: str) -> None:
    addresses = {*re.findall(r"[a-z]+://[^\"' <)]*", page)}
    assert addresses == {"http://www.w3.org/2000/svg"}  # the name of the format, not an address
    assert not re.search(r"@import|url\((?!#)|<script|<link|<img|src=|href=\"(?!#)", page)


def test_the_title_is_the_name_of_the_budget(page: str) -> None:
    assert "<title>Household</title>" in page
    assert "<h1>Household</h1>" in page
    assert "As of 2026-06-17." in page


def test_a_text_is_plain_text_in_paragraphs(page: str) -> None:
    assert re.findall(
        r"<p class=\"paragraph\">([^<]*)</p>", section(page, "What I &lt;think&gt;")
    ) == [
        "Rent &amp; &lt;b&gt;groceries&lt;/b&gt;.\nA second line.",
        "Another paragraph with a mark\\u202e.",
    ]


def test_a_report_is_its_picture_its_table_and_its_rules(page: str) -> None:
    shown = section(page, "Where it went")
    labels = re.findall(r"<svg [^>]*aria-label=\"([^\"]+)\"", shown)
    assert labels == ["Spending by category, May 2026: 2.836,27 €"] * 2  # one for phones
    assert ["Everyday", "Groceries", "481,72 €", "17,0%", "1", "481,72 €"] in rows(shown)
    assert "<summary>Figures</summary>" in shown
    assert "<li>From 2026-05-01 to 2026-05-31.</li>" in shown


def test_a_pivot_table_has_months_and_amounts(page: str) -> None:
    table = rows(section(page, "By month"))
    assert table[0] == ["Category group name", "May 2026", "Jun 2026"]
    assert table[1] == ["Car", "395,66 €", "329,30 €"]


def test_a_frame_of_the_budget_has_amounts_and_no_keys(page: str) -> None:
    header, first, _ = rows(section(page, "Accounts"))
    assert header[:3] == ["Account name", "Account type", "Balance"]
    assert first[:3] == ["Car Loan", "autoLoan", "-1.468,00 €"]
    assert not [name for name in header if name.endswith("id")]


def test_a_reconciliation_has_amounts(tmp_path: Path) -> None:
    to_page(tmp_path / "a.html", {"Check": household().reconcile().head(2)})
    first = rows((tmp_path / "a.html").read_text("utf-8"))[1]
    assert first[:4] == ["account", "Car Loan", "-1.468,00 €", "-1.468,00 €"]


def test_the_heading_of_an_account_is_its_name(tmp_path: Path) -> None:
    ends = household().reports.balances(since="2026-06", accounts=["Car Loan", "Checking"])
    to_page(tmp_path / "a.html", {"Ends": ends.wide(columns="group")})
    header, first = rows((tmp_path / "a.html").read_text("utf-8"))
    assert header == ["Date", "Car Loan", "Checking"]
    assert first == ["2026-06-17", "-1.468,00 €", "8.062,99 €"]


def test_a_phone_shows_the_newest_period_of_a_wide_form(tmp_path: Path) -> None:
    spent = household().reports.spending("group", freq="month", since="2026-04", until="2026-05-31")
    to_page(tmp_path / "a.html", {"Months": spent.wide()})
    page = (tmp_path / "a.html").read_text("utf-8")
    assert re.findall(r'main" data-label="([^"]*)"', page) == ["2026-05"] * 6


def test_a_frame_of_one_s_own_stays_as_it_is(page: str) -> None:
    table = rows(section(page, "Meter"))
    assert table == [["year", "kwh", "Note"], ["2026", "3211.25", "&lt;i&gt;read&lt;/i&gt;"]]


def test_a_diagram_that_needs_a_script_is_a_still_picture(page: str) -> None:
    shown = section(page, "Flows")
    assert rows(shown)[0] == ["Level", "Source", "Target", "Category group name", "Amount"]
    assert shown.count('aria-label="Where the money went"') == 2  # for a wide page, and for a phone


def test_a_frame_without_rows_says_so(page: str) -> None:
    assert "Nothing to show yet." in section(page, "Nobody")


def test_each_value_has_its_column_beside_it_on_a_phone(page: str) -> None:
    shown = section(page, "Accounts")
    assert '<th scope="row" class="text">Car Loan</th>' in shown
    assert '<td class="number main" data-label="Balance">-1.468,00 €</td>' in shown
    phone = page.partition("@media screen and (max-width: 40rem) {")[2].partition("@page")[0]
    assert "td::before { content: attr(data-label)" in phone
    assert ".table { overflow: visible; }" in phone


def test_a_long_frame_states_how_many_rows_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "long.html"
    to_page(path, {"Numbers": pd.DataFrame({"number": range(1_200)})})
    page = path.read_text("utf-8")
    assert ">First 1,000 of 1,200 rows</caption>" in page
    assert "<title>long</title>" in page
    assert rows(page)[-1] == ["999"]


WRONG: dict[str, tuple[Any, Any, str]] = {
    "path": (7, {"A": "text"}, "path must be a path, but is a value of type int"),
    "ending": ("page.pdf", {"A": "text"},
        "path='page.pdf': the name of a page ends in .html or .txt"),
    "no headings": ("page.html", "text", "contents must have reports, frames or texts by their"),
    "empty": ("page.html", {}, "there is nothing to write"),
    "number as heading": ("page.html", {7: "text"}, "the heading 7 must be a text with letters"),
    "blank heading": ("page.html", {" ": "text"}, "the heading ' ' must be a text with letters"),
    "content": ("page.html", {"A": 7}, "what is under 'A' must be a report, a frame or a text"),
    "column": ("page.html", {"A": pd.Series([1])}, "type Series; write .to_frame\\(\\) after it"),
    "folder": ("none/page.html", {"A": "text"}, "none does not exist: create it first"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "contents", "message"), WRONG.values(), ids=[*WRONG])
def test_what_cannot_be_a_page_is_refused(
    path: Any, contents: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ToolError, match=message):
        to_page(path, contents)
    assert [*tmp_path.iterdir()] == []


def test_a_title_without_letters_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="title=' ': it must be a text with letters"):
        to_page(tmp_path / "page.html", {"A": "text"}, title=" ")


def test_a_report_that_cannot_be_drawn_leaves_the_earlier_page(tmp_path: Path) -> None:
    path, report = tmp_path / "page.html", report_of("net_worth").head(3)
    path.write_text("yesterday's", "utf-8")
    twice = pd.concat([report, report])
    with pytest.raises(ToolError, match=r"'Twice': the report net_worth .*: 3 rows of it"):
        to_page(path, {"A": "text", "Twice": twice})
    assert path.read_text("utf-8") == "yesterday's"
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.posix
def test_a_page_is_replaced_by_one_that_only_the_user_can_read(tmp_path: Path) -> None:
    path = tmp_path / "page.HTML"
    path.write_text("yesterday's", "utf-8")
    to_page(str(path), {"A": "text"}, title="Mine & yours")
    assert "<title>Mine &amp; yours</title>" in path.read_text("utf-8")
    assert path.stat().st_mode & 0o777 == 0o600
    assert [*tmp_path.iterdir()] == [path]


def test_without_jinja2_an_error_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ToolError, match=r"needs jinja2: pip install 'budgetframe\[page\]'"):
        to_page(tmp_path / "page.html", {"A": "text"})
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("count", "in_a_row"), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 3), (6, 3), (7, 4), (8, 4)]
)
def test_no_tile_is_alone_in_a_row_on_paper(count: int, in_a_row: int) -> None:
    assert _tiles(count, 4) == in_a_row
    assert count % in_a_row != 1 or count == 1

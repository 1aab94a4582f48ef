"""The statement of income and spending."""

import re
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import openpyxl
import pandas as pd
import pytest

from budgetframe import ToolError, to_excel, to_page
from budgetframe.reports import Report, income_expense, income_statement, side_by_side
from tests.programs import programs
from tests.reports.rows import began, ledger_frame, lines, moved, row

ROWS = (
    began("2026-04-01", "checking", 500.0),
    row("2026-04-02", 20.0, "ready", payee_id="market"),
    row("2026-05-02", 30.0, "ready", payee_id="market"),
    row("2026-05-03", 60.004, "ready", payee_id="cafe"),
    row("2026-04-03", -4.0, "food"),
    row("2026-05-03", -5.005, "food"),
    row("2026-05-04", 1.0, "fun"),  # a refund
    row("2026-05-05", -7.0, "office food"),
    row("2026-06-05", -8.5, "rent", "visa"),
    row("2026-05-06", -2.0),
    row("2026-05-07", 3.0, "none"),
    row("2026-05-07", 0.0),  # no line for it
    row("2026-05-08", -9.0, "food", "fund"),  # not in the budget
    *moved("2026-06-01", 6.0, "checking", "fund", "invest"),
    *moved("2026-06-02", 99.0, "checking", "savings"),
)
COLUMNS = ("level", "line", "2026-04", "2026-05", "2026-06", "average", "total")
EXPECTED = [
    (0, "Income", 20.0, 93.004, 0.0, 56.502, 113.004),
    (1, "All income sources", 20.0, 90.004, 0.0, 55.002, 110.004),
    (2, "Café", 0.0, 60.004, 0.0, 30.002, 60.004),
    (2, "Market", 20.0, 30.0, 0.0, 25.0, 50.0),
    (1, "Uncategorized", 0.0, 3.0, 0.0, 1.5, 3.0),
    (2, "Uncategorized", 0.0, 3.0, 0.0, 1.5, 3.0),
    (0, "Spending", 4.0, 13.005, 14.5, 8.503, 31.505),
    (1, "Home", 0.0, 0.0, 8.5, 0.0, 8.5),
    (2, "Rent", 0.0, 0.0, 8.5, 0.0, 8.5),
    (1, "Daily", 4.0, 4.005, 0.0, 4.003, 8.005),
    (2, "Food", 4.0, 5.005, 0.0, 4.503, 9.005),
    (2, "Fun", 0.0, -1.0, 0.0, -0.5, -1.0),
    (1, "Office", 0.0, 7.0, 0.0, 3.5, 7.0),
    (2, "Food", 0.0, 7.0, 0.0, 3.5, 7.0),
    (1, "Later", 0.0, 0.0, 6.0, 0.0, 6.0),
    (2, "Investing", 0.0, 0.0, 6.0, 0.0, 6.0),
    (1, "Uncategorized", 0.0, 2.0, 0.0, 1.0, 2.0),
    (2, "Uncategorized", 0.0, 2.0, 0.0, 1.0, 2.0),
    (0, "Net", 16.0, 79.999, -14.5, 48.0, 81.499),
]


@pytest.fixture
def ledger() -> pd.DataFrame:
    return ledger_frame(*ROWS)


@pytest.fixture
def statement(ledger: pd.DataFrame) -> Report:
    return income_statement(ledger)


def test_lines_are_a_tree_with_sums_average_of_complete_months_and_total(statement: Report) -> None:
    assert lines(statement, *COLUMNS) == EXPECTED
    assert "Not complete: 2026-06." in statement.attrs["rules"]


def test_the_average_of_one_column_is_that_of_its_months_and_that_of_quarters_of_quarters(
    ledger: pd.DataFrame,
) -> None:
    whole = income_statement(ledger, freq="all")
    assert [*whole][:3] == ["line", "average", "total"]
    assert lines(whole, "average", "total") == [line[-2:] for line in EXPECTED]
    quarter = income_statement(ledger, freq="quarter", since="2026-05")  # none is complete
    assert lines(quarter, "2026-Q2", "average")[0] == (93.004, 93.004)


def test_a_cell_is_named_by_its_period_and_what_it_is(statement: Report) -> None:
    def opened(**values: Any) -> list[float]:
        found: list[float] = statement.rows(**values)["amount"].tolist()
        return found

    food = {"category_group_name": "Daily", "category_name": "Food"}
    assert opened(period="2026-05", **food) == [-5.005]
    assert opened(**food) == [-4.0, -5.005]
    assert opened(period="2026-06", line="Spending") == [-6.0, -8.5]
    assert opened(section="income", level=1, line="Uncategorized") == [3.0]
    with pytest.raises(
        ToolError, match=r"^column='2027-01': .* behind 'total', '2026-04', '2026-05'"
    ):
        statement.rows(period="2027-01")
    with pytest.raises(
        ToolError, match=r"^column='average': rows\(\) knows the rows behind 'total"
    ):
        statement.rows(column="average")


def test_a_notebook_shows_it_indented_with_sums_in_bold(statement: Report) -> None:
    text = repr(statement).splitlines()
    assert text[1].startswith("0   Income                 20.00")
    assert text[3].startswith("2       Café                0.00")
    assert text[-1].startswith("19 rows × 14 columns; not shown: level, section")
    cells = re.findall(r"<td>(.*)</td>", (statement._repr_html_() or "").replace("&nbsp;", " "))
    assert re.sub(r"<div[^>]*>", "<div>", cells[6]) == "<b><div>  All income sources</div></b>"
    assert re.sub(r"<div[^>]*>", "<div>", cells[12]) == "<div>    Café</div>"
    assert (cells[7], cells[13]) == ("<b>20.00</b>", "0.00")
    many = income_statement(
        ledger_frame(*(row("2026-05-01", -1.0, "food"),) * 99, *ROWS), freq="day"
    )
    assert "2026-04-01 to " in repr(many).splitlines()[-1]


def test_workbooks_and_pages_indent_it_with_bold_sums(statement: Report, tmp_path: Path) -> None:
    to_excel(tmp_path / "a.xlsx", {"A": statement})
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx")["A"]
    cells = [
        [(each.value, each.font.bold, each.alignment.indent) for each in line] for line in sheet
    ]
    assert [value for value, *_ in cells[0]] == ["Line", *COLUMNS[2:5], "Average", "Total"]
    assert cells[2][:2] == [("All income sources", True, 1.0), (20, True, 0.0)]
    assert cells[3][:2] == [("Café", False, 2.0), (0, False, 0.0)]
    assert not sheet.auto_filter.ref
    to_page(tmp_path / "a.html", {"A": statement})
    page = (tmp_path / "a.html").read_text("utf-8")
    assert '<th scope="row" class="text level2">Café</th><td class="number level2"' in page
    assert page.count('scope="row"') == 19


def test_a_selection_is_still_a_statement_and_budgets_are_converted(statement: Report) -> None:
    sums = statement.query("level == 0").sort_values("total")
    assert isinstance(sums, Report)
    assert sums.rows(0, period="2026-05")["amount"].tolist() == [-5.005, 1.0, -7.0, -2.0]
    assert not isinstance(statement.drop(columns="total"), Report)
    rates = pd.DataFrame({"currency": ["EUR"], "rate": ["2"]})
    both = side_by_side({"A": statement, "B": statement}, rates=rates, to="USD")
    assert lines(both.query("line == 'Net'"), "2026-05", "total") == [(159.998, 162.998)] * 2
    assert "      Café" in repr(both)


def test_the_picture_has_income_groups_and_net(statement: Report) -> None:
    ax = statement.plot()
    assert [bar.get_width() for bar in ax.patches][::-1] == [
        113.004, -8.5, -8.005, -7.0, -6.0, -2.0, 81.499,
    ]  # fmt: skip
    assert ax.get_title("left") == "Income and spending by group, Apr – Jun 2026"
    leaves = statement.query("level == 2 and section == 'income'").plot()
    assert [bar.get_width() for bar in leaves.patches] == [3.0, 50.0, 60.004]


CATEGORIES = {
    "food": ("Daily", "Food"), "office food": ("Office", "Food"), "rent": ("Home", "Rent"),
    "ready": None, "none": None, None: None,
}  # fmt: skip


@pytest.mark.parametrize("seed", programs(3))
def test_every_cell_is_the_sum_that_plain_python_finds(seed: int) -> None:
    random, rows, keys = Random(seed), [], list[Any]()  # noqa: S311 - no secrets
    expected: dict[Any, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for _ in range(random.randint(1, 60)):
        month, amount = f"2026-0{random.randint(1, 6)}", random.randint(-9_999, 9_999)
        at, category = random.choice(["checking", "visa", "fund"]), random.choice([*CATEGORIES])
        payee, name = random.choice([("market", "Market"), ("cafe", "Café")])
        day = f"{month}-{random.randint(1, 17):02}"
        rows.append(row(day, amount / 1000, category, at, payee_id=payee))
        if at == "fund":
            continue
        group, own = CATEGORIES[category] or ("Uncategorized", "Uncategorized")
        if category == "ready":
            keys = [("income", 0, None), ("income", 1, None), ("income", 2, name)]
        elif own == "Uncategorized":
            section = "income" if amount > 0 else "spending"
            keys = [(section, 0, None), (section, 1, group), (section, 2, (group, own))]
        else:
            keys = [("spending", 0, None), ("spending", 1, group), ("spending", 2, (group, own))]
        for key in [*keys, ("net", 0, None)]:
            sign = -1 if key[0] == "spending" else 1
            expected[key][month] += sign * amount
            expected[key]["total"] += sign * amount
    ledger = ledger_frame(*rows)
    found = income_statement(ledger, since="2026-01", until="2026-06")
    months = [f"2026-0{month}" for month in range(1, 7)]
    cells: dict[Any, dict[str, int]] = {}
    for each in found.astype(object).where(found.notna(), None).to_dict("records"):
        group, own = each["category_group_name"], each["category_name"]
        label = each["payee_name"] or ((group, own) if each["level"] == 2 else group)
        sums = {column: round(each[column] * 1000) for column in [*months, "total"]}
        cells[each["section"], each["level"], label] = sums
        mean = sum(sums[month] for month in months[:5])
        assert abs(round(each["average"] * 1000) - mean / 5) <= 0.5
    always = [(section, 0, None) for section in ("income", "spending", "net")]
    assert {*cells} == {*expected, *always}
    assert all(cells[key] == {column: expected[key][column] for column in sums} for key in cells)
    flows, net = income_expense(ledger, since="2026-01", until="2026-06"), cells["net", 0, None]
    assert [round(each * 1000) for each in flows["net"]] == [net[month] for month in months]
    place = random.randrange(len(found))
    opened = round(found.rows(place, period="2026-03")["amount"].sum() * 1000)
    assert abs(opened) == abs(round(found["2026-03"].iloc[place] * 1000))

"""Frames as sheets of a workbook."""

import datetime as dt
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

import budgetframe
from budgetframe import BudgetFrame, ToolError
from tests.facade.service import untouched

ODD = "Rent\x00\x1b[2J\u202egnp"


@pytest.fixture(scope="module")
def bf() -> BudgetFrame:
    return BudgetFrame.sandbox(untouched(1))


@pytest.fixture(scope="module")
def yen() -> BudgetFrame:
    return BudgetFrame.sandbox(untouched(1), budget="東京の家計")


def written(folder: Path, frames: Any) -> Any:
    path = folder / "book.xlsx"
    budgetframe.to_excel(path, frames)
    return openpyxl.load_workbook(path)


def column(sheet: Any, heading: str) -> list[Any]:
    """The values of a column, its heading first."""
    (found,) = [each for each in sheet.iter_cols(values_only=True) if heading in each[:1]]
    return list(found)


def number_formats(sheet: Any) -> dict[str, str]:
    """The number format of the first value of each column, by heading."""
    return {
        str(heading.value): next((one.number_format for one in cells if one.value is not None), "")
        for heading, *cells in sheet.iter_cols()
    }


def test_an_export_becomes_one_sheet_for_each_frame(tmp_path: Path, bf: BudgetFrame) -> None:
    frames = bf.export()
    book = written(tmp_path, frames)
    assert book.sheetnames == list(frames)
    for name, frame in frames.items():
        assert book[name].max_row == len(frame) + 1
    (header, first, *_) = book["transactions"].iter_rows(values_only=True)
    row = frames["transactions"].iloc[0]
    found = dict(zip(header, first, strict=True))
    assert found["Date"].date() == row["date"].date()
    assert found["Amount"] == row["amount"]
    assert found["Transaction id"] == row["transaction_id"]


def test_all_kinds_of_frames_are_written(tmp_path: Path, bf: BudgetFrame) -> None:
    frames: dict[str, pd.DataFrame] = {
        "budgets": bf.budgets(), "loans": bf.accounts(extra=True),
        "decimal": bf.ledger(money="decimal"), "milliunits": bf.months(money="milliunits"),
        "by month": bf.month_categories().pivot_table(
            index="month", columns="category_group_name", values="activity"
        ),
        "worth": bf.reports.net_worth(), "empty": bf.ledger().iloc[:0],
    }  # fmt: skip
    book = written(tmp_path, frames)
    assert column(book["budgets"], "Last modified on")[1].year == 2026
    assert book["by month"].cell(1, 1).value == "Month"
    assert column(book["decimal"], "Amount")[1] == bf.ledger()["amount"].iloc[0]
    assert book["empty"].max_row == 1
    assert book.sheetnames == [*frames, "How it is counted"]
    assert written(tmp_path, pd.DataFrame()).sheetnames == ["Sheet1"]


def test_a_text_like_a_formula_stays_a_text(tmp_path: Path, subtests: pytest.Subtests) -> None:
    link = '=HYPERLINK("http://example.org")'
    for name in ["=1+1", "+1", "-1", "@SUM(A1)", link, "#N/A"]:
        with subtests.test(name=name):
            cell = written(tmp_path, pd.DataFrame({"memo": ["x", name]}))["Sheet1"].cell(3, 1)
            assert (cell.value, cell.data_type, cell.quotePrefix) == (name, "s", True)


def test_control_characters_are_escaped(tmp_path: Path) -> None:
    sheet = written(tmp_path, pd.DataFrame({"payee_name": [ODD, None]}))["Sheet1"]
    assert sheet.cell(2, 1).value == r"Rent\x00\x1b[2J\u202egnp"
    assert sheet.cell(3, 1).value is None


def test_days_that_excel_cannot_represent_are_texts(tmp_path: Path) -> None:
    days = np.array(["0999-12-31", "1900-03-01", "2026-05-17"], "datetime64[us]")
    sheet = written(tmp_path, pd.DataFrame({"date": days}))["Sheet1"]
    values = [sheet.cell(row, 1).value for row in (2, 3, 4)]
    assert [str(value)[:10] for value in values] == ["0999-12-31", "1900-03-01", "2026-05-17"]
    assert isinstance(values[0], str)


def test_names_of_sheets_are_allowed_and_unique(tmp_path: Path) -> None:
    empty = pd.DataFrame({"amount": [1.0]})
    names = ["a/b", "a:b", "A_B", "x" * 40, "x" * 50, "", "History"]
    sheets = ["a_b", "a_b_2", "A_B_3", "x" * 31, "x" * 29 + "_2", "Sheet", "History_"]
    assert written(tmp_path, dict.fromkeys(names, empty)).sheetnames == sheets


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"ends in \.xlsx"):
        budgetframe.to_excel(tmp_path / "book.csv", pd.DataFrame({"a": [1]}))
    with pytest.raises(ToolError, match="no frames"):
        budgetframe.to_excel(tmp_path / "book.xlsx", {})


def test_refused_arguments_are_not_shown(tmp_path: Path, subtests: pytest.Subtests) -> None:
    frame, path = pd.DataFrame({"payee_name": ["Market"]}), tmp_path / "book.xlsx"
    use = "write to_excel('budget.xlsx', frames)"
    many = "frames must be a frame, or frames by the names of their sheets, but has a value of type"
    for arguments, message in [
        ((frame, path), f"path must be a path, but is a value of type DataFrame: {use}"),
        (({"a": frame}, path), f"path must be a path, but is a value of type dict: {use}"),
        ((path, [frame]), f"{many} list: {use}"),
        ((path, None), f"{many} NoneType: {use}"),
        ((path, {"a": frame, "b": 7}), f"{many} int: {use}"),
    ]:
        with subtests.test(message=message), pytest.raises(ToolError) as caught:
            budgetframe.to_excel(*arguments)  # type: ignore[arg-type]
        assert str(caught.value) == message
    assert not path.exists()


EURO = '#,##0.00 "€";-#,##0.00 "€";"-"'
YEN = '"¥"#,##0;-"¥"#,##0;"-"'
CATEGORY = ["category_group_name", "category_name"]


def test_amounts_have_the_currency_format_of_the_budget(
    tmp_path: Path, bf: BudgetFrame, yen: BudgetFrame, subtests: pytest.Subtests
) -> None:
    for each, money in ((bf, EURO), (yen, YEN)):
        with subtests.test(money=money):
            rows = each.ledger(since="2026-06-01")
            worth = each.reports.net_worth(since="2026-05-01")
            book = written(tmp_path, {"ledger": rows, "worth": worth})
            formats = number_formats(book["ledger"])
            assert (formats["Amount"], formats["Date"]) == (money, "yyyy-mm-dd")
            assert formats["Payee name"] == "General"
            assert set(number_formats(book["worth"]).values()) == {"yyyy-mm-dd", money}


def test_shares_days_and_counts_are_no_money(
    tmp_path: Path, bf: BudgetFrame, subtests: pytest.Subtests
) -> None:
    frames = {
        "income": bf.reports.income_expense(since="2026-01-01"),
        "runway": bf.reports.runway(since="2026-01-01"), "age": bf.reports.age_of_money(),
        "locations": bf.payee_locations(), "plan": bf.month_categories(),
        "milliunits": bf.accounts(money="milliunits"),
    }  # fmt: skip
    book = written(tmp_path, frames)
    for name, heading, expected in [
        ("income", "Savings rate", "0.0%"), ("income", "Net", EURO),
        ("income", "Period", "mmm yyyy"), ("runway", "Days", "#,##0"), ("age", "Change", "#,##0"),
        ("age", "Month", "mmm yyyy"), ("locations", "Latitude", "General"),
        ("plan", "Goal percentage complete", '0"%"'), ("plan", "Balance", EURO),
        ("milliunits", "balance_milliunits", "General"),
    ]:  # fmt: skip
        with subtests.test(f"{name}: {heading}"):
            assert number_formats(book[name])[heading] == expected


def test_the_months_of_a_pivot_table_are_headings(tmp_path: Path, bf: BudgetFrame) -> None:
    table = bf.reports.spending(freq="month", since="2026-01-01", until="2026-03-31").pivot_table(
        "spent", CATEGORY, "period", aggfunc="sum", margins=True, margins_name="Total"
    )
    sheet = written(tmp_path, {"2026": table})["2026"]
    header = list(sheet[1])
    assert [cell.value for cell in header[:2]] == ["Category group name", "Category name"]
    assert [f"{cell.value:%b %Y}" for cell in header[2:5]] == ["Jan 2026", "Feb 2026", "Mar 2026"]
    assert [cell.number_format for cell in header[2:5]] == ["mmm yyyy"] * 3
    assert header[5].value == "Total"
    assert [cell.number_format for cell in sheet[2][2:]] == [EURO] * 4
    assert sheet.freeze_panes == "C2"
    assert sheet.auto_filter.ref is None
    last = sheet[sheet.max_row]
    assert last[0].value == "Total"
    assert all(cell.font.bold for cell in last)
    assert [cell.font.bold for cell in sheet[2]] == [False] * 5 + [True]


def test_quarters_and_years_are_headings_too(
    tmp_path: Path, bf: BudgetFrame, subtests: pytest.Subtests
) -> None:
    for freq, formats in [
        ("quarter", ['"Q1 "yyyy', '"Q2 "yyyy', '"Q3 "yyyy']), ("year", ["yyyy", "yyyy", "yyyy"]),
    ]:  # fmt: skip
        with subtests.test(freq=freq):
            spent = bf.reports.spending(freq=freq, since="2023-01-01")  # type: ignore[arg-type]
            table = spent.pivot(index="category_id", columns="period", values="spent")
            book = written(tmp_path, {"table": table, "report": spent})
            assert [cell.number_format for cell in book["table"][1][1:4]] == formats
            assert number_formats(book["report"])["Period"] == formats[0]


def test_a_pivot_takes_its_currency_from_the_other_frames(
    tmp_path: Path, bf: BudgetFrame, yen: BudgetFrame, subtests: pytest.Subtests
) -> None:
    spent = bf.reports.spending(freq="month", since="2026-01-01")
    pivot = spent.pivot(index=CATEGORY, columns="period", values="spent")
    assert not pivot.attrs
    cases: list[tuple[dict[str, pd.DataFrame], str]] = [
        ({"p": pivot, "accounts": bf.accounts()}, EURO),
        ({"p": pivot, "accounts": bf.accounts(), "yen": yen.accounts()}, '#,##0.00;-#,##0.00;"-"'),
        ({"p": pivot}, '#,##0.00;-#,##0.00;"-"'),
        ({"p": pivot / 10_000, "accounts": bf.accounts()}, "0.0%"),
        ({"p": pivot.reset_index().rename(columns=str)}, "General"),
    ]
    for frames, expected in cases:
        with subtests.test(f"{list(frames.keys())} {expected}"):
            assert written(tmp_path, frames)["p"].cell(2, 3).number_format == expected


def test_a_reconciliation_has_amounts(tmp_path: Path, bf: BudgetFrame) -> None:
    formats = number_formats(written(tmp_path, {"a": bf.reconcile().head(2)})["a"])
    assert (formats["Service"], formats["Ledger"]) == (EURO, EURO)
    own = pd.DataFrame({"service": [1.5], "kwh": [2.5]})
    assert number_formats(written(tmp_path, {"a": own})["a"]) == {
        "service": "General", "kwh": "General",
    }  # fmt: skip


def test_only_known_columns_and_pivots_without_the_name_of_their_values_have_formats(
    tmp_path: Path, bf: BudgetFrame, subtests: pytest.Subtests
) -> None:
    spent = bf.reports.spending(freq="month", since="2026-01-01").assign(kwh=1234.5)
    assert "currency_format" in spent.attrs
    spent["year"] = "2026"
    by_year: Any = {"index": "category_name", "columns": "year", "aggfunc": "sum"}
    rates = pd.DataFrame({"USD": [0.00585], "EUR": [1.0]}, index=pd.Index(["JPY"], name="currency"))
    age = bf.reports.age_of_money().assign(x="x")
    cases = {
        "rates": (rates, "General"),
        "indexed": (spent.set_index("category_name")[["kwh"]], "General"),
        "a named value": (spent.pivot_table(["kwh"], **by_year), "General"),
        "a pivot by another column": (spent.pivot_table("spent", **by_year), EURO),
        "a named amount": (spent.pivot_table(["spent"], **by_year), EURO),
        "shares": (spent.assign(share=0.12345).pivot_table("share", "category_name", "period"),
            "0.0%"),
        "days": (age.assign(age_of_money=1.5).pivot_table("age_of_money", "x", "month"), "General"),
    }  # fmt: skip
    for name, (frame, expected) in cases.items():
        with subtests.test(name=name):
            sheet = written(tmp_path, {"a": frame})["a"]
            assert sheet.cell(sheet.max_row, 2).number_format == expected


def test_headings_in_several_rows_show_each_name_once(tmp_path: Path, bf: BudgetFrame) -> None:
    spent = bf.reports.spending(freq="month", since="2026-05-01")
    table = spent.pivot(index="category_id", columns="period", values=["spent", "share"])
    sheet = written(tmp_path, {"table": table})["table"]
    assert [cell.value for cell in sheet[1]] == [None, "Spent", None, "Share", None]
    months = [f"{cell.value:%b %Y}" for cell in sheet[2][1:]]
    assert (sheet.cell(2, 1).value, months) == ("Category id", ["May 2026", "Jun 2026"] * 2)
    assert [cell.number_format for cell in sheet[3]][1:] == [
        '#,##0.00;-#,##0.00;"-"', '#,##0.00;-#,##0.00;"-"', "0.0%", "0.0%",
    ]  # fmt: skip
    assert sheet.freeze_panes == "B3"


def test_a_list_has_filters_and_first_texts_stay_in_view(tmp_path: Path, bf: BudgetFrame) -> None:
    rows = bf.ledger(since="2026-06-01")
    rows = rows[["date", "payee_name", "amount", "memo"]]
    book = written(tmp_path, {"all": rows, "some": rows[rows["amount"] > 0]})
    assert book["all"].auto_filter.ref == f"A1:D{len(rows) + 1}"
    assert book["all"].freeze_panes == "C2"
    assert book["some"].max_column == 4  # the numbers of the selected rows are left out


def test_columns_are_as_wide_as_their_content(tmp_path: Path) -> None:
    frame = pd.DataFrame({"payee_name": ["Market", "x" * 30], "memo": ["家" * 10, "x" * 300]})
    frame = frame.assign(amount=[1.0, -1234567.0], when=pd.Timestamp("2026-01-01 10:30"))
    widths = written(tmp_path, frame)["Sheet1"].column_dimensions
    assert [round(widths[letter].width) for letter in "ABCD"] == [33, 43, 17, 19]


def test_pages_print_in_landscape_with_headings(tmp_path: Path, bf: BudgetFrame) -> None:
    sheet = written(tmp_path, bf.accounts())["Sheet1"]
    assert sheet.page_setup.orientation == "landscape"
    assert sheet.sheet_properties.pageSetUpPr.fitToPage
    assert (sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight) == (None, 0)  # None is 1
    assert sheet.print_title_rows == "$1:$1"


def test_a_wide_list_prints_its_first_columns_without_keys(tmp_path: Path, bf: BudgetFrame) -> None:
    ledger = bf.ledger().head(5)
    book = written(tmp_path, {
        "ledger": ledger, "keys": bf.payees().head(2),
        "months": ledger.pivot_table("amount", "payee_name", "date"),
    })  # fmt: skip
    assert book["ledger"]["A1"].value == "Date"
    assert book["ledger"].print_area == "'ledger'!$A$1:$N$6"
    assert [cell.value for cell in book["ledger"][1]][13:15] == ["Is spending", "Is uncategorized"]
    assert book["keys"].print_area == "'keys'!$A$1:$A$3"
    assert not book["months"].print_area
    assert book["ledger"].page_setup.paperSize == 9  # A4
    assert book["ledger"].oddFooter.right.text == "Page &P of &N"


def test_the_rules_of_reports_are_on_the_last_sheet(tmp_path: Path, bf: BudgetFrame) -> None:
    runway = bf.reports.runway()
    runway.attrs["rules"] = ["=1+1", "Balance: all budget accounts."]
    book = written(tmp_path, {"How it is counted": runway, "accounts": bf.accounts()})
    assert book.sheetnames == ["How it is counted", "accounts", "How it is counted_2"]
    assert [cell.value for cell in book["How it is counted_2"]["A"]] == [
        "How it is counted", "Household, as of 2026-06-17", "=1+1", "Balance: all budget accounts.",
    ]  # fmt: skip
    assert book["How it is counted_2"]["A3"].data_type == "s"


def test_a_failure_leaves_the_earlier_workbook(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    budgetframe.to_excel(path, pd.DataFrame({"a": [1]}))
    before, too_long = path.read_bytes(), pd.DataFrame({"a": range(1_048_576)})
    with pytest.raises(ToolError, match="1,048,576 rows and 1 columns, but a sheet has at most"):
        budgetframe.to_excel(path, too_long)
    assert path.read_bytes() == before


def test_values_of_other_libraries_are_written(tmp_path: Path) -> None:
    frame = pd.DataFrame({
        "month": pd.period_range("2026-01", periods=2, freq="M"),
        "day": [dt.date(2026, 5, 17), None],
        "decimal": [Decimal("1.5"), None], "mixed": ["text", 2.5], "infinite": [float("inf"), 1.0],
        "list": [["a"], {"b": 1}], "flag": pd.array([True, None], dtype="boolean"),
    })  # fmt: skip
    first, second = list(written(tmp_path, frame)["Sheet1"].iter_rows(values_only=True))[1:]
    day = dt.datetime(2026, 5, 17)  # noqa: DTZ001 - a workbook has no time zones
    assert first[1:] == (day, 1.5, "text", "inf", "['a']", True)
    assert second[1:] == (None, None, 2.5, 1, "{'b': 1}", None)
    assert [f"{each[0]:%Y-%m-%d}" for each in (first, second)] == ["2026-01-01", "2026-02-01"]


def test_the_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(ToolError, match=r"needs XlsxWriter: pip install 'budgetframe\[excel\]'"):
        budgetframe.to_excel(tmp_path / "book.xlsx", pd.DataFrame({"a": [1]}))

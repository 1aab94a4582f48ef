"""Frames as sheets of a workbook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

import budgetframe
from budgetframe import BudgetFrame, ToolError
from tests.case import case

ODD = "Rent\x00\x1b[2J\u202egnp"


def written(folder: Path, frames: Any) -> Any:
    path = folder / "book.xlsx"
    budgetframe.to_excel(path, frames)
    return openpyxl.load_workbook(path)


def test_an_export_becomes_one_sheet_for_each_frame(tmp_path: Path) -> None:
    frames = BudgetFrame.sandbox().export()
    book = written(tmp_path, frames)
    assert book.sheetnames == list(frames)
    for name, frame in frames.items():
        assert book[name].max_row == len(frame) + 1
    (header, first, *_) = book["transactions"].iter_rows(values_only=True)
    assert header[:4] == ("transaction_id", "date", "amount", "account_id")
    row = frames["transactions"].iloc[0]
    assert first[1].date() == row["date"].date()
    assert first[2] == row["amount"]


def test_all_kinds_of_frames_are_written(tmp_path: Path) -> None:
    bf = BudgetFrame.sandbox()
    frames: dict[str, pd.DataFrame] = {
        "budgets": bf.budgets(),
        "loans": bf.accounts(extra=True),
        "decimal": bf.ledger(money="decimal"),
        "milliunits": bf.months(money="milliunits"),
        "by month": bf.month_categories().pivot_table(
            index="month", columns="category_group_name", values="activity"
        ),
        "worth": bf.reports.net_worth(),
        "empty": bf.ledger().iloc[:0],
    }
    book = written(tmp_path, frames)
    assert book["budgets"].cell(1, 3).value == "last_modified_on"
    assert book["budgets"].cell(2, 3).value.year == 2026
    assert book["by month"].cell(1, 1).value == "month"
    assert book["empty"].max_row == 1
    assert written(tmp_path, bf.reports.net_worth()).sheetnames == ["net_worth"]


def test_a_text_that_looks_like_a_formula_stays_a_text(tmp_path: Path) -> None:
    link = '=HYPERLINK("http://example.org")'
    for name in ["=1+1", "+1", "-1", "@SUM(A1)", link, "#N/A"]:
        with case(name):
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
    names = ["a/b", "a:b", "A_B", "x" * 40, "x" * 50, ""]
    sheets = ["a_b", "a_b_2", "A_B_3", "x" * 31, "x" * 29 + "_2", "Sheet"]
    assert written(tmp_path, dict.fromkeys(names, empty)).sheetnames == sheets


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"ends in \.xlsx"):
        budgetframe.to_excel(tmp_path / "book.csv", pd.DataFrame({"a": [1]}))
    with pytest.raises(ToolError, match="no frames"):
        budgetframe.to_excel(tmp_path / "book.xlsx", {})


def test_arguments_of_another_type_are_refused_without_showing_them(tmp_path: Path) -> None:
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
        with case(message), pytest.raises(ToolError) as caught:
            budgetframe.to_excel(*arguments)  # type: ignore[arg-type]
        assert str(caught.value) == message
    assert not path.exists()

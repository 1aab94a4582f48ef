"""Reports, pages and workbooks of tables of polars, pyarrow and DuckDB."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import polars as pl
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import ToolError, reports, to_excel, to_page
from budgetframe.reports import Report
from budgetframe.reports._shared.inputs import INPUTS
from tests.reports.plans import household

OPTIONS: dict[str, dict[str, Any]] = {
    "spending": {"by": ("group", "flag"), "freq": "month"},
    "forecast": {"today": "2026-06-17", "typical": 6},
}
TO_TABLE: list[Callable[[Any], Any]] = [pl.DataFrame, pa.table]


def calculated(name: str, frames: list[Any]) -> tuple[Report, list[str]]:
    """A report of frames, and its warnings."""
    function: Callable[..., Report] = getattr(reports, name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return function(*frames, **OPTIONS.get(name, {})), [str(each.message) for each in caught]


@pytest.mark.parametrize("to_table", TO_TABLE)
@pytest.mark.slow  # every report of every kind of table
def test_reports_of_tables_are_those_of_frames_without_attrs(
    to_table: Callable[[Any], Any], subtests: pytest.Subtests
) -> None:
    for name in INPUTS.keys() - {"targets"}:  # the attrs alone say which month it is
        given = [getattr(household(), each.frame)() for each in INPUTS[name]]
        frames = [frame.copy() for frame in given]
        for frame in frames:
            frame.attrs = {}
        with subtests.test(name=name):
            expected, warned = calculated(name, frames)
            found, also_warned = calculated(name, [to_table(frame) for frame in frames])
            assert_frame_equal(found, expected)
            assert found.attrs == expected.attrs
            assert also_warned == warned


def test_a_report_of_decimals_is_exact() -> None:
    ledger = pl.DataFrame(household().ledger(money="decimal"))
    assert reports.net_worth(ledger, interest=False)["net"].iloc[-1] == 40678.18


def test_a_query_of_duckdb_is_a_ledger() -> None:
    ledger = household().ledger()  # noqa: F841 - in the query
    query: Any = duckdb.sql("from ledger where account_name = 'Wallet' order by date")
    arrow = query.arrow()
    table = arrow if isinstance(arrow, pa.Table) else arrow.read_all()
    assert reports.balances(table)["balance"].iloc[-1] == 344.25


def test_targets_of_a_table_do_not_know_the_month() -> None:
    names = ("month_categories", "categories", "months")
    frames = [pl.DataFrame(getattr(household(), name)()) for name in names]
    with pytest.raises(ToolError, match="does not say when it was read"):
        reports.targets(*frames)


def test_exchange_rates_may_be_a_table() -> None:
    rates = pl.DataFrame({"currency": ["EUR"], "rate": ["2"]})
    worth = household().reports.net_worth()
    converted = reports.side_by_side({"Home": worth}, rates=rates, to="USD")
    assert converted["net"].iloc[-1] == 2 * worth["net"].iloc[-1]


def test_the_reports_of_a_budget_take_no_table() -> None:
    table: Any = pl.DataFrame(household().ledger())
    with pytest.raises(ToolError, match="reads its frames itself and takes none"):
        household().reports.spending(table)


def test_a_workbook_and_a_page_have_the_cells_of_tables(tmp_path: Path) -> None:
    rows = pl.DataFrame({"account_name": ["Wallet"], "balance": [344.25]})
    for frames in (rows, {"Sheet1": pa.table(rows)}):
        to_excel(tmp_path / "book.xlsx", frames)
        sheet = openpyxl.load_workbook(tmp_path / "book.xlsx")["Sheet1"]
        assert list(sheet.values) == [("Account name", "Balance"), ("Wallet", 344.25)]
    to_page(tmp_path / "page.html", {"Accounts": rows, "More": pa.table(rows)})
    assert (tmp_path / "page.html").read_text("utf-8").count("344.25") == 2

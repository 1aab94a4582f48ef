"""Tables of polars, pyarrow and DuckDB change what the same DataFrame changes."""

from decimal import Decimal
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.frames.money import Money
from tests.changes.budget import connected, plain_rows, shown

CSV = b"date,amount,payee_name,bank_row_id\n2026-06-16,-4.5,Bakery,12345678901234567\n"
NEW = pl.DataFrame({"date": ["2026-06-15"], "account_name": ["Wallet"], "payee_name": ["Bakery"]})


def with_cell(rows: pl.DataFrame, key: str, name: str, value: Any) -> pl.DataFrame:
    cell = pl.when(pl.col("transaction_id") == key).then(pl.lit(value)).otherwise(pl.col(name))
    return rows.with_columns(cell.alias(name))


@pytest.mark.parametrize("money", ["float", "decimal", "milliunits"])
def test_a_frame_that_polars_or_pyarrow_has_read_changes_nothing(
    bf: BudgetFrame, money: Money, subtests: pytest.Subtests
) -> None:
    for name in ("transactions", "ledger", "scheduled_transactions", "month_categories"):
        for to_table in (pl.DataFrame, pa.table):
            with subtests.test(name=name, library=to_table.__module__):
                assert len(bf.changes(to_table(getattr(bf, name)(money=money)))) == 0


def test_an_edit_in_polars_is_the_change_that_it_is_in_pandas(bf: BudgetFrame) -> None:
    rows, key = bf.transactions(), plain_rows(bf, 1)["transaction_id"].item()
    edited = rows.assign(memo=rows["memo"].where(rows["transaction_id"] != key, "checked"))
    changes = bf.changes(with_cell(pl.DataFrame(rows), key, "memo", "checked"))
    assert changes.frame.equals(bf.changes(edited).frame)
    assert shown(changes.frame) == [("update", "memo", None, "checked")]
    assert [text for text in changes.warnings if "is not known" in text]  # polars has no attrs


def test_decimals_are_exact_and_a_fourth_decimal_is_refused(bf: BudgetFrame) -> None:
    rows = pl.DataFrame(bf.transactions(money="decimal"))
    key = plain_rows(bf, 1)["transaction_id"].item()
    found = bf.changes(with_cell(rows, key, "amount", Decimal("-1999999999999.999"))).frame
    assert found["after"].tolist() == [-1999999999999.999]
    with pytest.raises(ToolError, match=r"-0\.0015.* is not an amount with at most three decimals"):
        bf.changes(with_cell(rows, key, "amount", Decimal("-0.0015")))


def test_rows_of_tables_are_written() -> None:
    _, bf = connected()
    parts = [{"amount": -1.5, "category_name": "Groceries"}, {"amount": -3.0, "memo": "tip"}]
    new = NEW.with_columns(pl.col("date").str.to_date(), amount=pl.lit(Decimal("-4.500")))
    made = bf.create_transactions(new.with_columns(subtransactions=pl.Series([parts])))
    assert made[["amount", "is_split"]].to_numpy().tolist() == [[-4.5, True]]
    keys = made["transaction_id"].tolist()
    updated = bf.update_transactions(pl.DataFrame({"transaction_id": keys, "memo": ["late"]}))
    assert updated["memo"].tolist() == ["late"]
    assert len(bf.changes(delete=pl.DataFrame(plain_rows(bf, 2)))) == 2
    assert bf.delete_transactions(pa.table({"transaction_id": keys}))["memo"].tolist() == ["late"]


def test_schedules_of_tables_are_written() -> None:
    _, bf = connected()
    new = NEW.select("account_name", date_next=pl.lit("2026-07-15"), frequency=pl.lit("monthly"))
    keys = bf.create_scheduled_transactions(new)["scheduled_transaction_id"].tolist()
    memo = pa.table({"scheduled_transaction_id": keys, "memo": ["late"]})
    assert bf.update_scheduled_transactions(memo)["memo"].tolist() == ["late"]
    assert len(bf.delete_scheduled_transactions(memo.select(["scheduled_transaction_id"]))) == 1


@pytest.mark.parametrize("try_parse_dates", [True, False])
def test_polars_files_are_imported_and_compared(bf: BudgetFrame, *, try_parse_dates: bool) -> None:
    file = pl.read_csv(CSV, try_parse_dates=try_parse_dates)
    assert shown(bf.import_rows(file, account="Wallet").frame) == [("create", "amount", None, -4.5)]
    beside = bf.statement("Wallet", 0, "2026-06-17", file).only_bank
    assert beside[["amount", "payee_name"]].to_numpy().tolist() == [[-4.5, "Bakery"]]


def test_a_query_of_polars_that_was_not_run_is_refused(bf: BudgetFrame) -> None:
    query: Any = pl.DataFrame(bf.transactions()).lazy()
    with pytest.raises(ToolError, match=r"^edited is LazyFrame: call its collect\(\)"):
        bf.changes(query)

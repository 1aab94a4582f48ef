"""The Delta tables, as other programs see them."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

from budgetframe.frames import LEDGER, TABLES
from budgetframe.lake import Lake
from budgetframe.lake.columns import FRAMES, table_from
from budgetframe.lake.writer import Writer, create_lake

from .service import EURO, Service


def test_a_table_has_the_columns_of_frame_and_budget(lake: Lake, subtests: pytest.Subtests) -> None:
    for name in FRAMES:
        with subtests.test(name=name):
            columns = LEDGER if name == "ledger" else TABLES[name].columns
            expected = [column.name for column in columns]
            expected += [
                each
                for each in ("position", "currency", "as_of", "budget_id", "source", "bucket")
                if each not in expected
            ]
            table = lake.delta(name)
            assert sorted(field.name for field in table.schema().fields) == sorted(expected)
            assert table.metadata().partition_columns == ["bucket"]
    kinds = {field.name: field.type.type for field in lake.delta("ledger").schema().fields}
    assert {name: kinds[name] for name in ("date", "amount", "cleared", "approved", "as_of")} == {
        "date": "date", "amount": "decimal(18,3)", "cleared": "string", "approved": "boolean",
        "as_of": "timestamp",
    }  # fmt: skip


def test_many_rows_keep_their_order(new_lake: Lake, subtests: pytest.Subtests) -> None:
    # Delta changes the order of more than 131,072 rows.
    create_lake(new_lake._address, 1)
    writer = Writer(new_lake._address)
    names = {key: [f"{key} {number:06}" for number in range(70_000)] for key in ("a", "b")}
    owner = {"currency": "EUR", "as_of": datetime.now(UTC), "source": "A", "bucket": 0}
    rows = {}
    for key, payees in names.items():
        values = {column.name: column.array([None] * 70_000) for column in FRAMES["payees"]}
        frame = pd.DataFrame({**values, "payee_name": payees, "payee_id": payees})
        rows[key] = table_from("payees", frame, {**owner, "budget_id": key})

    def check(step: str) -> None:
        with subtests.test(step=step):
            read = writer.snapshot.read("payees")
            assert read["payee_name"].to_pylist() == names["a"] + names["b"]

    writer.commit({"payees": rows["b"]})
    writer.commit({"payees": rows["a"]})
    check("appended")
    writer.compact()
    check("joined")
    writer.commit({"payees": rows["b"]}, replaced=["b"])
    check("replaced")
    writer.compact()
    check("joined again")


def test_the_logs_have_no_statistics_and_no_names_or_keys(service: Service, lake: Lake) -> None:
    service.spend(-4.5)
    lake.sync([service.source()])
    secrets = [EURO, service.id_of(EURO), "Kiosk", "Groceries"]
    logs = sorted(Path(lake._address.uri).glob("*/_delta_log/*.json"))
    assert len(logs) > 30
    for path in logs:
        text = path.read_text("utf-8")
        assert not [secret for secret in secrets if secret in text], path
        for line in text.splitlines():
            stats = json.loads(json.loads(line).get("add", {}).get("stats") or "{}")
            assert stats.get("minValues", {}) == stats.get("maxValues", {}) == {}, path

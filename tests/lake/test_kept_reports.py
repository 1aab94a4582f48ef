"""Reports of unchanged budgets, which are kept in a folder."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import ToolError, reports
from budgetframe.lake import Lake, kept_reports
from budgetframe.lake.partitions import state_key, states_of

from .service import EURO, YEN, Service
from .test_stopped import TABLES, Stopped, end_after


@pytest.fixture
def keeping(lake: Lake, tmp_path: Path) -> Lake:
    """A lake that keeps its reports."""
    return Lake(lake._address.uri, cache_dir=tmp_path / "cache")


def kept_in(folder: Path) -> Iterator[Path]:
    """The files that are not empty."""
    return (path for path in folder.glob("cache/budgetframe-reports/*") if path.stat().st_size)


def without_rows_of(lake: Lake, budget_id: str) -> None:
    """Delete the ledger of a budget."""
    snapshot = lake._snapshot()
    for path in snapshot.files["ledger"][snapshot.bucket_of(budget_id)]:
        Path(lake._address.uri, path).unlink()


def test_only_the_budgets_that_have_changed_are_read(
    service: Service, new_lake: Lake, tmp_path: Path
) -> None:
    keeping = Lake(new_lake._address.uri, cache_dir=tmp_path / "cache")
    keeping.sync([service.source()], buckets=5)
    before = keeping.report(reports.net_worth, freq="year")
    service.spend(-4.5)
    keeping.sync([service.source()])
    expected = new_lake.report(reports.net_worth, freq="year")
    without_rows_of(keeping, service.id_of(YEN))
    found = keeping.report(reports.net_worth, freq="year")
    assert_frame_equal(found, expected)
    assert (found["net"] - before["net"]).round(3)[found["currency"] == "EUR"].iloc[-1] == -4.5
    for other in ({"freq": "month"}, {"freq": "year", "since": pd.Timestamp("2026-01-01")}):
        with pytest.raises(ToolError, match="this state of the lake no longer exists"):
            keeping.report(reports.net_worth, **other)
    with pytest.raises(ToolError, match="this state of the lake no longer exists"):
        keeping.report(lambda ledger: ledger[["amount"]])


def test_warnings_are_kept_and_refused_budgets_are_computed_again(
    service: Service, new_lake: Lake, tmp_path: Path
) -> None:
    account = service.unbalance(1_000_000)
    new_lake.sync([service.source(verify=False)])
    keeping = Lake(new_lake._address.uri, cache_dir=tmp_path / "cache")
    for lake in (new_lake, keeping, keeping):
        with pytest.warns(RuntimeWarning) as warned:
            found = lake.report(reports.net_worth, accounts=account, freq="year")
        assert [*found.attrs, *found.attrs["refused"]] == ["refused", service.id_of(YEN)]
        texts = [str(each.message) for each in warned]
        assert ["1 of 2 budgets have no report" in texts[0], "1.000,00" in texts[1]] == [True, True]


def test_files_are_private_few_and_not_used_if_they_are_damaged(
    keeping: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_reports, "_MOST_FILES", 2)
    for since in ("2025-10", "2026-01", "2026-03"):
        expected = keeping.report(reports.net_worth, since=since)
    files = [*kept_in(tmp_path)]
    assert len(files) == 2
    assert {path.stat().st_mode & 0o77 for path in (*files, files[0].parent)} == {0}
    for path in files:
        content = path.read_bytes()
        for place in range(0, len(content), 97):
            path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
            assert kept_reports.read_kept(path) == {}
    assert_frame_equal(keeping.report(reports.net_worth, since="2026-03"), expected)
    assert max(path.stat().st_size for path in files) > min(path.stat().st_size for path in files)


@pytest.mark.posix
def test_a_file_that_another_process_deletes_meanwhile_causes_no_warning(tmp_path: Path) -> None:
    path = tmp_path / "reports" / "report"
    path.parent.mkdir()
    path.with_name("vanished").symlink_to("nothing")  # it is listed, and cannot be found
    kept_reports.write_kept(path, {"state": kept_reports.Result(pd.DataFrame(), [])})
    assert [*kept_reports.read_kept(path)] == ["state"]


def test_forget_deletes_them_and_an_older_state_is_not_kept(
    service: Service, keeping: Lake, tmp_path: Path
) -> None:
    keeping.report(reports.net_worth)
    assert len([*kept_in(tmp_path)]) == 1
    keeping.forget(EURO)
    assert [*kept_in(tmp_path)] == []
    now = keeping.now()
    keeping.sync([service.source()])
    assert now.report(reports.net_worth)["currency"].unique().tolist() == ["JPY"]
    assert [*kept_in(tmp_path)] == []


def test_vacuum_deletes_them_if_forget_was_stopped(keeping: Lake, tmp_path: Path) -> None:
    keeping.report(reports.net_worth)
    with pytest.raises(Stopped), end_after(TABLES):
        keeping.forget(YEN)
    assert keeping.vacuum(keep_hours=1) >= 0
    assert len([*kept_in(tmp_path)]) == 1
    keeping.vacuum()
    assert [*kept_in(tmp_path)] == []
    (tmp_path / "cache" / "budgetframe-reports" / "folder").mkdir()  # it cannot be deleted
    with pytest.raises(ToolError, match=r"cannot be read or written: .*folder"):
        keeping.vacuum()


def test_rows_without_a_server_knowledge_or_of_another_version_are_not_the_same(lake: Lake) -> None:
    state = states_of(lake._snapshot())[0]
    assert state_key({**state, "knowledge": None}) == ""
    for name, other in {"version": "0.0", "as_of": state["as_of"].replace(second=59)}.items():
        assert state_key({**state, name: other}) not in ("", state_key(state))


def test_a_report_that_cannot_be_kept_is_returned(lake: Lake, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    keeping = Lake(lake._address.uri, cache_dir=tmp_path / "file")
    with pytest.warns(RuntimeWarning, match="the report is not kept: .*file"):
        found = keeping.report(reports.net_worth)
    assert_frame_equal(found, lake.report(reports.net_worth))

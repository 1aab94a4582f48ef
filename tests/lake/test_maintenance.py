"""Earlier states, compaction, vacuum, and what remains of a forgotten budget."""

import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
from deltalake import DeltaTable
from pandas.testing import assert_frame_equal

from budgetframe import ToolError
from budgetframe.lake import Lake
from budgetframe.lake.storage import LakeAddress
from budgetframe.lake.writer import Writer

from .contents import found_in
from .service import EURO, YEN, Service


@pytest.mark.slow  # it syncs several times and reads many tables
def test_an_earlier_state_is_consistent_and_read_only(
    service: Service, lake: Lake, subtests: pytest.Subtests
) -> None:
    before = {name: lake.frame(name, budget=EURO) for name in ("ledger", "accounts")}
    then = datetime.now(UTC)
    service.spend(-4.5)
    lake.sync([service.source()])
    past = lake.at(then)
    for name, frame in before.items():
        with subtests.test(name=name):
            assert_frame_equal(past.frame(name, budget=EURO), frame)
            assert not lake.frame(name, budget=EURO).equals(frame)
    with pytest.raises(ToolError, match="this lake shows one state"):
        past.sync([service.source()])
    for when in ("soon", None, pd.NaT):
        with pytest.raises(ToolError, match="is not a time: use a text like '2026-10-01'"):
            lake.at(when)  # type: ignore[arg-type]
    with pytest.raises(ToolError, match="the lake has no state of 2020-01-01"):
        lake.at("2020-01-01")


def test_compact_keeps_the_rows(service: Service, new_lake: Lake) -> None:
    new_lake.sync([service.source(budgets=[EURO])], buckets=1)
    new_lake.sync([service.source(budgets=[YEN])], buckets=1)
    frame = new_lake.frame("ledger", budget=EURO)
    assert len(new_lake.delta("ledger").file_uris()) == 2
    new_lake.compact()
    assert len(new_lake.delta("ledger").file_uris()) == 1
    assert_frame_equal(new_lake.frame("ledger", budget=EURO), frame)
    assert new_lake.sync([service.source()])["changed"].tolist() == [False, False]


def test_vacuum_deletes_the_files_of_earlier_states(service: Service, lake: Lake) -> None:
    then = datetime.now(UTC)
    service.spend(-4.5)
    lake.sync([service.source()])
    frame = lake.frame("ledger", budget=EURO)
    assert lake.vacuum(keep_hours=1) == 0
    assert len(lake.at(then).frame("ledger", budget=EURO)) == len(frame) - 1
    assert lake.vacuum() > 10
    assert_frame_equal(lake.frame("ledger", budget=EURO), frame)
    with pytest.raises(ToolError, match="the lake has no state of"):
        lake.at(then)


@pytest.mark.slow  # it writes checkpoints of all tables
def test_vacuum_keeps_files_of_states_that_are_not_too_old(service: Service, lake: Lake) -> None:
    lake.vacuum()
    then = datetime.now(UTC)
    service.spend(-4.5)
    lake.sync([service.source()])
    make_older(lake, files=40, removals=20)
    for table in Writer(lake._address)._tables.values():
        table.create_checkpoint()  # as Delta does after 100 commits
    lake.vacuum(keep_hours=30 * 24)
    assert len(lake.at(then).frame("ledger", budget=EURO)) > 0


def test_old_logs_stay_until_no_state_needs_them(service: Service, lake: Lake) -> None:
    writer = Writer(lake._address)
    writer._tables["payees"].alter.set_table_properties({"delta.checkpointInterval": "5"})
    writer._publish()
    rows = writer.snapshot.read("payees")
    budgets = [service.id_of(EURO), service.id_of(YEN)]
    while writer.snapshot.versions["payees"] < 8:
        writer._replace("payees", rows, {*budgets})
        writer._publish()
    before = lake.frame("payees", budget=EURO)
    log = Path(lake._address.uri, "payees", "_delta_log")
    old = time.time() - 40 * 86_400
    for path in log.glob("0*"):
        os.utime(path, (old, old))
    writer._replace("payees", rows, {*budgets})  # a checkpoint, and then the end
    assert len([*log.glob("*.checkpoint.parquet")]) == 2
    assert_frame_equal(lake.frame("payees", budget=EURO), before)
    assert lake.sync([service.source()])["changed"].tolist() == [False, False]
    lake.vacuum(keep_hours=24)
    assert len([*log.glob("*.json")]) < 10  # and not for ever
    assert_frame_equal(lake.frame("payees", budget=EURO), before)


def test_a_process_that_starts_during_forget_restores_nothing(service: Service, lake: Lake) -> None:
    forgetting = Writer(lake._address)
    before = forgetting.snapshot.versions

    class Slow(LakeAddress):
        """An address whose lake changes after `_sync` was opened, before the other tables are."""

        def open(self, name: str, version: int | datetime | None = None) -> DeltaTable:
            found = super().open(name, version)
            if name == "_sync" and forgetting.snapshot.versions == before:
                forgetting.commit({}, replaced=[service.id_of(YEN)])
            return found

    with pytest.raises(ToolError, match="another process has changed the lake"):
        Writer(Slow(lake._address.uri))
    assert [*lake.budgets().compute()["budget_name"]] == [EURO]
    lake.compact()
    assert [*lake.budgets().compute()["budget_name"]] == [EURO]


def test_a_suspended_writer_restores_nothing_that_was_forgotten(
    service: Service, lake: Lake
) -> None:
    budgets = [service.id_of(EURO), service.id_of(YEN)]
    overtaken, old = Writer(lake._address), lake.ledger()
    rows = {name: overtaken.snapshot.read(name) for name in ("ledger", "payees")}
    lake.forget(YEN)
    lake.vacuum()
    with pytest.raises(ToolError, match="this state of the lake no longer exists"):
        overtaken.commit(rows, replaced=budgets)
    assert [*lake.budgets().compute()["budget_name"]] == [EURO]
    with pytest.raises(ToolError, match="if this is the last state, a file of the lake is missing"):
        old.compute()


def test_a_sync_that_is_running_stops_after_a_vacuum(service: Service, lake: Lake) -> None:
    running, cleaning = Writer(lake._address), Writer(lake._address)
    frame = lake.frame("ledger", budget=EURO)
    running._replace("ledger", running.snapshot.read("ledger"), {service.id_of(EURO)})
    with pytest.raises(ToolError, match="another process has changed the lake"):
        cleaning.vacuum(0)
    with pytest.raises(ToolError, match="another process has changed the lake"):
        running.commit({})
    assert_frame_equal(lake.frame("ledger", budget=EURO), frame)
    assert lake.vacuum() > 0
    assert_frame_equal(lake.frame("ledger", budget=EURO), frame)


def test_a_forgotten_budget_is_named_by_id_if_names_repeat(service: Service, lake: Lake) -> None:
    with pytest.raises(ToolError, match="the lake has no budget 'Housebold' among its 2: the"):
        lake.forget("Housebold")
    lake.forget(service.id_of(EURO))
    assert lake.sync([service.source()])["changed"].tolist() == [True, False]


@pytest.mark.slow  # it syncs and cleans all tables
def test_a_budget_that_was_never_read_can_be_forgotten(service: Service, new_lake: Lake) -> None:
    service.sandbox.faults = [f"403.1:GET:*/budgets/{service.id_of(YEN)}"]
    result = new_lake.sync([service.source(), service.source("Berta", token="a-wrong-token")])
    assert result["status"].tolist() == ["ok", "refused", "refused"]
    words = [YEN, service.id_of(YEN), "Berta"]
    assert [*found_in(new_lake, words)] == words
    with pytest.raises(ToolError, match="the lake has no rows of the budget '東京の家計' yet"):
        new_lake.frame("ledger", budget=YEN)
    new_lake.forget(YEN)
    new_lake.forget("Berta")
    new_lake.vacuum()
    assert found_in(new_lake, words) == {}
    with pytest.raises(ToolError, match="the lake has no budget 'Berta' among its 1"):
        new_lake.forget("Berta")


def test_errors_of_arguments_and_of_the_storage_are_explained(
    service: Service, new_lake: Lake, subtests: pytest.Subtests
) -> None:
    for hours in (-1, 1.5, True, 10**30):
        with pytest.raises(ToolError, match=r"keep_hours=.*: it must be a whole number"):
            new_lake.vacuum(hours)  # type: ignore[arg-type]
    for wrong in ({"concurrency": True}, {"buckets": 1.5}, {"client": "tcp://127.0.0.1:8786"}):
        with (
            subtests.test(wrong=wrong),
            pytest.raises(ToolError, match=f"{next(iter(wrong))}=.*: it must be a"),
        ):
            new_lake.sync([service.source()], **wrong)
    with pytest.raises(ToolError, match="nosuch://lake cannot be read or written: Unknown scheme"):
        Lake("nosuch://lake").sync([service.source()])


def test_an_address_that_delta_cannot_use_is_refused(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for uri in ("", " ", 5, None, b"lake"):
        with subtests.test(uri=uri), pytest.raises(ToolError, match="it must be a folder or a URI"):
            Lake(uri)  # type: ignore[arg-type]
    refused = {"a%20b": "'%20'", "a[b]": r"'\['", "b]": r"'\]'", "a*": r"'\*'", "a?": r"'\?'"}
    if os.sep == "/":
        refused["a\\b"] = r"'\\\\'"
    for name, text in refused.items():
        for uri in (name, f"s3://bucket/{name}"):
            with (
                subtests.test(uri=uri),
                pytest.raises(ToolError, match=f"Delta and DuckDB cannot use {text} in it"),
            ):
                Lake(uri)
    (tmp_path / "file").touch()
    with pytest.raises(ToolError, match="a file: the address of a lake is that of a folder"):
        Lake(tmp_path / "file")
    for options in ({"a": 1}, "secret", {1: "a"}):
        with (
            subtests.test(options=options),
            pytest.raises(ToolError, match=r"must be a mapping of texts to texts$"),
        ):
            Lake("s3://bucket/lake", options)  # type: ignore[arg-type]
    with pytest.raises(ToolError, match="cannot use"):
        Lake(r"s3://bucket\lake")
    assert Lake("100 %/lake", {})._address.uri.endswith("/100 %/lake")


def make_older(lake: Lake, *, files: int, removals: int) -> None:
    """Make all files with rows, and their removals from the tables, older by some days."""
    old = time.time() - files * 86_400
    for path in Path(lake._address.uri).glob("*/bucket=*/*.parquet"):
        os.utime(path, (old, old))
    removed = str(int((time.time() - removals * 86_400) * 1000))
    for path in Path(lake._address.uri).glob("*/_delta_log/*.json"):
        text = re.sub(r'(?<="deletionTimestamp":)\d+', removed, path.read_text("utf-8"))
        path.write_text(text, "utf-8")


@pytest.mark.parametrize("when", ["read", "write"])
def test_a_writer_keeps_the_views_of_a_later_one(service: Service, lake: Lake, when: str) -> None:
    class Slow(LakeAddress):
        """An address where another sync ends before the views are compared, or written."""

        def read(self, path: str) -> bytes | None:
            self.wait("read")
            return super().read(path)

        def write(self, path: str, content: bytes) -> None:
            self.wait("write")
            super().write(path, content)

        def wait(self, step: str) -> None:
            if step == when and not synced:
                synced.append(None)
                service.spend(-4.5)
                lake.sync([service.source()])

    synced: list[None] = []
    writer = Writer(lake._address)
    writer.address = Slow(lake._address.uri)
    writer._publish()  # and then the other sync
    assert len(lake.runs()) == 2

"""What remains of a forgotten budget: nothing, whatever the clocks say."""

import os
import re
import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from budgetframe import ToolError
from budgetframe.lake import Lake
from budgetframe.lake.columns import FRAMES, STATE, SYNC
from budgetframe.lake.erasure import files_with
from budgetframe.lake.sync import sync_lake

from .contents import found_in
from .readers import READERS, sums_by_reader
from .service import EURO, YEN, Service
from .test_stopped import TABLES, Stopped, end_after


def move_clock(lake: Lake, hours: float) -> None:
    """Let all files, and the removals and commits in the logs, be from another clock."""
    seconds = time.time() + hours * 3_600
    stamp = str(int(seconds * 1000))
    for path in [*Path(lake._address.uri).rglob("*.*")]:
        if path.suffix == ".json":
            text = path.read_text("utf-8")
            path.write_text(re.sub(r'(?<=imestamp":)\d{13}', stamp, text), "utf-8")
        os.utime(path, (seconds, seconds))


@pytest.mark.slow  # it syncs several times and reads many tables
def test_after_forget_no_byte_of_the_person_remains(
    service: Service, new_lake: Lake, subtests: pytest.Subtests
) -> None:
    for budget in (EURO, YEN):
        service.spend(-4.5, budget)
    service.sandbox.device.rename_category(
        service.facade(YEN).categories()["category_id"].iloc[3], "Frieda's own words", budget=YEN
    )
    new_lake.sync([service.source()], buckets=1)
    service.spend(-7.5, YEN)
    new_lake.sync([service.source()])
    words = [YEN, "Frieda's own words", service.id_of(YEN), "みずうみ銀行"]
    words += new_lake.frame("transactions", budget=YEN)["transaction_id"].tail(2).tolist()
    with subtests.test("before"):
        assert [*found_in(new_lake, words)] == words
    frame, earlier = new_lake.frame("ledger", budget=EURO), new_lake.ledger()
    sums = {"EUR": sums_by_reader(new_lake)["DuckDB"]["EUR"]}
    then = datetime.now(UTC)

    erasure = new_lake.forget(YEN)
    assert found_in(new_lake, words) == {}
    assert erasure.budget_id == service.id_of(YEN)
    assert erasure.files_deleted > 50
    # The script; a file of rows for each table, and a second one of `_runs` and `_sync`; and for
    # each log a checkpoint with the file that names it and two versions, of `_sync` three.
    assert erasure.files_searched == 1 + (16 + 2) + (16 * 4 + 1)
    assert erasure.files_with_id == 0

    assert_frame_equal(new_lake.frame("ledger", budget=EURO), frame)
    assert sums_by_reader(new_lake) == dict.fromkeys(READERS, sums)
    for name in (*FRAMES, STATE, SYNC):
        rows = new_lake._snapshot().read(name)
        assert service.id_of(YEN) not in rows["budget_id"].to_pylist(), name
    for read in (partial(new_lake.frame, "ledger", budget=YEN), partial(new_lake.at, then)):
        with pytest.raises(ToolError, match="the lake has no "):
            read()
    with pytest.raises(ToolError, match="this state of the lake no longer exists"):
        earlier.compute()
    assert [*found_in(new_lake, [EURO, service.id_of(EURO)])] == [EURO, service.id_of(EURO)]
    assert new_lake.sync([service.source()])["changed"].tolist() == [False, True]


@pytest.mark.slow  # each case syncs and cleans all tables
@pytest.mark.parametrize("last", ["forget", "vacuum"])
def test_no_clock_decides_what_is_deleted(service: Service, lake: Lake, last: str) -> None:
    def ahead() -> datetime:
        return datetime.now(UTC) + timedelta(hours=26)

    frame, words = lake.frame("ledger", budget=EURO), [YEN, service.id_of(YEN)]
    service.spend(-4.5, YEN)
    sync_lake(lake._address, [service.source()], concurrency=4, verify=True, now=ahead)
    if last == "vacuum":
        with pytest.raises(Stopped), end_after(TABLES):
            lake.forget(YEN)
    move_clock(lake, 26)
    assert [*found_in(lake, words)] == words
    clean: dict[str, Callable[[], object]]
    clean = {"forget": partial(lake.forget, YEN), "vacuum": lake.vacuum}
    clean[last]()
    assert found_in(lake, words) == {}
    assert_frame_equal(lake.frame("ledger", budget=EURO), frame)
    # What the call before has written: a checkpoint and two versions of each table; then three more
    # versions and three files of `_sync`. No other file is left.
    assert lake.vacuum() == TABLES * 3 + 6


def test_vacuum_deletes_what_killed_writers_leave_and_keeps_the_files_of_the_owner(
    lake: Lake,
) -> None:
    root = Path(lake._address.uri)
    rows = next(root.glob("ledger/bucket=*/*.parquet"))
    left = [
        rows.with_name("part-of-a-killed-writer.parquet"),
        root / "payees" / "_delta_log" / "_commit_1f.json.tmp",
        root / "_sync" / "_delta_log" / "00000000000000000003.json#1",
        root / "lake.sql.0123456789abcdef",
    ]
    kept = [root / name for name in ("notes.txt", "lake.sql.copy", "copies/rows.parquet")]
    (root / "copies").mkdir()
    for path in (*left, *kept):
        shutil.copy(rows, path)
    lake.vacuum()
    assert [path for path in left if path.exists()] == []
    assert [path for path in kept if not path.exists()] == []


def test_forget_names_each_file_that_still_contains_the_budget(
    service: Service, lake: Lake
) -> None:
    root, key = Path(lake._address.uri), service.id_of(YEN)
    for number, bucket in enumerate(sorted(root.glob("payees/bucket=*"))):
        shutil.copy(next(bucket.glob("*.parquet")), root / f"{number}.parquet")
    before = {path.partition("/")[0] for path in files_with(lake._address, key)[1]}
    assert before == {*FRAMES, STATE, SYNC} | {"0.parquet"}
    (root / "exports").mkdir()
    (root / "exports" / "b.json").write_text(f"{key}\n", "utf-8")
    (root / "exports" / "damaged.parquet").write_text(f"PAR1 {key}", "utf-8")
    (root / "exports" / "empty.parquet").touch()
    (root / "other.txt").write_text(f"x{key} {key}-1 {service.id_of(EURO)}\n", "utf-8")  # other ids
    with pytest.raises(ToolError) as caught:
        lake.forget(YEN)
    found = r"is removed from the tables, but 3 of \d+ files that are left contain it: (.*)\. Del"
    named = re.search(found, str(caught.value))
    assert named is not None
    names = sorted(named[1].split(", "))
    assert names == ["0.parquet", "exports/b.json", "exports/damaged.parquet"]
    for name in names:
        (root / name).unlink()
    with pytest.raises(ToolError, match=r"(?s)no budget .*interrupted, pass the id of the budget"):
        lake.forget(YEN)
    assert lake.forget(key)[::3] == (key, 0)

"""The file `lake.sql`: every reader sees the same state, also between a kill and a sync."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from budgetframe import ToolError
from budgetframe.lake import Lake
from budgetframe.lake.columns import SCHEMAS
from budgetframe.lake.storage import LakeAddress
from tests.facade.scripts import run_interpreter

from .readers import READERS, Sums, by_views, sums_by_reader
from .service import EURO, YEN, Service
from .test_stopped import CHANGED, Stopped, end_after


def service_sums(service: Service) -> Sums:
    """The same from the service."""
    return {
        currency: int(service.facade(budget).ledger(money="milliunits")["amount_milliunits"].sum())
        for budget, currency in ((EURO, "EUR"), (YEN, "JPY"))
    }


@pytest.mark.slow  # each case reads all tables in several ways and syncs
def test_all_readers_agree_between_a_kill_and_the_next_sync(
    service: Service, lake: Lake, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    lake.views()
    before = service_sums(service)
    service.spend(-4.5)
    after = service_sums(service)
    assert after["EUR"] == before["EUR"] - 4_500
    for steps in (1, CHANGED + 1, CHANGED + 2):  # the last one: before `lake.sql` is written
        with subtests.test(steps=steps):
            other = Lake(shutil.copytree(lake._address.uri, tmp_path / str(steps)))
            other.views()
            with pytest.raises(Stopped), end_after(steps), no_views():
                other.sync([service.source()])
            assert sums_by_reader(other) == dict.fromkeys(READERS, before)
            other.sync([service.source()])
            assert sums_by_reader(other) == dict.fromkeys(READERS, after)


@contextmanager
def no_views() -> Iterator[None]:
    """A process that ends when it would replace `lake.sql`."""

    def write(*_: object) -> None:
        raise Stopped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LakeAddress, "write", write)
        yield


def test_the_views_have_every_column_with_its_meaning(service: Service, new_lake: Lake) -> None:
    service.sandbox.faults = ["500"]
    new_lake.sync([service.source()])
    connection = duckdb.connect()
    connection.execute(Path(new_lake.views()).read_text(encoding="utf-8"))
    found = connection.sql(
        "select table_name, column_name, comment from duckdb_columns() where not internal"
    )
    comments = {(table, column): comment for table, column, comment in found.fetchall()}
    assert comments["accounts", "balance"] == "cleared plus uncleared balance (currency)"
    assert comments["_sync", "checked_at"] == "last time that it was ok"
    expected = {
        (name, column) for name, schema in SCHEMAS.items() for column in schema.names
        if name != "_state" and column != "bucket"
    } | {("budgets", "has_left")}  # fmt: skip
    assert comments.keys() == expected
    assert connection.sql("select count(*) from ledger").fetchall() == [(0,)]
    types = connection.sql("describe select date, amount, approved, as_of from ledger").fetchall()
    assert [row[1] for row in types] == [
        "DATE", "DECIMAL(18,3)", "BOOLEAN", "TIMESTAMP WITH TIME ZONE",
    ]  # fmt: skip


def test_a_moved_lake_needs_new_views(service: Service, lake: Lake, tmp_path: Path) -> None:
    lake.views()
    moved = Lake(shutil.move(lake._address.uri, tmp_path / "it's moved"))
    with pytest.raises(duckdb.Error, match="No files found"):
        by_views(moved)
    moved.views()
    assert by_views(moved) == service_sums(service)


def test_views_for_another_mount(
    service: Service, lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, own = tmp_path / "elsewhere.sql", Path(lake.views())
    before = own.read_text("utf-8")
    wrong = (script, None), (script, ""), (script, tmp_path), (script, "/a*"), (None, "/mnt")
    for file, mount in wrong:
        with pytest.raises(ToolError, match=r"pass both a file and|cannot use '\*' in it"):
            lake.views(file, mount=mount)  # type: ignore[arg-type]
    assert not script.exists()
    with pytest.raises(ToolError, match=r"lake.sql is the script of the lake itself"):
        lake.now().views(own, mount="/mnt")
    shutil.move(lake._address.uri, tmp_path / "mounted" / "lake it's")
    monkeypatch.chdir(tmp_path / "mounted")
    moved = Lake("lake it's")
    for mount in ("lake it's/", str(tmp_path / "mounted" / "lake it's")):
        assert moved.views(script, mount=mount) == str(script)
        assert (Path(moved._address.uri) / "lake.sql").read_text("utf-8") == before
        with duckdb.connect() as database:
            database.execute(script.read_text("utf-8"))
            sums = "select currency, cast(sum(amount) * 1000 as bigint) from ledger group by 1"
            assert dict(database.sql(sums).fetchall()) == service_sums(service)
    moved.views(script, mount="Z:\\lake")
    assert "'Z:\\lake/ledger/bucket=" in script.read_text("utf-8")
    assert "No commit replaces this file: write it again to see a" in script.read_text("utf-8")
    assert "Each commit replaces this file: run it again to see a" in before


def test_keys_are_not_null_and_tables_describe_themselves(lake: Lake) -> None:
    table = lake.delta("transactions")
    fields = {each.name: each for each in table.schema().fields}
    assert table.metadata().description == "transactions, split ones as one row"
    assert table.metadata().configuration["budgetframe.bucket"] == "crc32(budget_id) % 4"
    assert fields["amount"].metadata == {"comment": "inflow positive, outflow negative (currency)"}
    required = sorted(name for name, each in fields.items() if not each.nullable)
    assert required == [
        "account_id", "bucket", "budget_id", "position", "source", "transaction_id",
    ]  # fmt: skip


def test_views_work_in_every_connection_to_a_database(lake: Lake, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "a.duckdb")) as database:
        database.execute(Path(lake.views()).read_text("utf-8"))
        assert database.cursor().sql("select count(*) from accounts").fetchall() == [(14,)]
    with duckdb.connect(str(tmp_path / "a.duckdb")) as database:
        assert database.sql("select count(*) from accounts").fetchall() == [(14,)]


ON_WINDOWS = """
import os, sys
from pathlib import Path

import dask.dataframe, deltalake, pandas, pyarrow.dataset  # as on any system

from tests.facade.windows import simulate_windows

views = Path(os.environ["FOLDER"], "lake.sql")
before, reader, attempts = views.read_bytes(), views.open("rb"), []

def count_attempts(event, arguments):
    if event == "os.rename":
        attempts.append(arguments)
    if len(attempts) == 3:
        reader.close()

sys.addaudithook(count_attempts)
simulate_windows()

from budgetframe import ToolError
from budgetframe.lake import Lake

Lake(views.parent).compact()
print(len(attempts), views.read_bytes() == before, [*views.parent.glob("lake.sql?*")])
"""


@pytest.mark.slow  # a new interpreter
@pytest.mark.posix
def test_on_windows_a_writer_waits_until_a_reader_has_closed_the_file(lake: Lake) -> None:
    ended = run_interpreter(ON_WINDOWS, FOLDER=lake._address.uri)
    assert (ended.out, ended.err) == ("3 False []\n", "")


@pytest.mark.posix
def test_who_can_read_the_tables_can_read_the_file(lake: Lake) -> None:
    folder = Path(lake._address.uri)
    before = os.umask(0o027)
    try:
        lake.compact()
    finally:
        os.umask(before)
    log = max(folder.glob("_sync/_delta_log/*.json"))
    assert [path.stat().st_mode & 0o777 for path in (folder / "lake.sql", log)] == [0o640, 0o640]

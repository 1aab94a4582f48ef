"""Earlier states, compaction, vacuum, and what remains of a forgotten budget."""

from __future__ import annotations

import re
import time
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import ToolError
from budgetframe.lake import Lake
from budgetframe.lake.columns import SCHEMAS
from budgetframe.lake.storage import Writer
from tests.case import case

from .service import EURO, YEN, Service


@pytest.mark.slow  # it syncs several times and reads many tables
def test_an_earlier_state_is_consistent_and_read_only(service: Service, lake: Lake) -> None:
    lake.sync([service.source()])
    before = {name: lake.frame(name, budget=EURO) for name in ("ledger", "accounts")}
    time.sleep(0.01)
    then = datetime.now(UTC)
    time.sleep(0.01)
    service.spend(-4.5)
    lake.sync([service.source()])
    past = lake.at(then)
    for name, frame in before.items():
        with case(name):
            assert_frame_equal(past.frame(name, budget=EURO), frame)
            assert not lake.frame(name, budget=EURO).equals(frame)
    with pytest.raises(ToolError, match="this lake shows an earlier state"):
        past.sync([service.source()])
    with pytest.raises(ToolError, match="'soon' is not a time"):
        lake.at("soon")
    with pytest.raises(ToolError, match="the lake has no state of 2020-01-01"):
        lake.at("2020-01-01")


def test_compact_keeps_the_rows(service: Service, lake: Lake) -> None:
    lake.sync([service.source(budgets=[EURO])], buckets=1)
    lake.sync([service.source(budgets=[YEN])], buckets=1)
    frame = lake.frame("ledger", budget=EURO)
    assert len(lake.delta("ledger").file_uris()) == 2
    lake.compact()
    assert len(lake.delta("ledger").file_uris()) == 1
    assert_frame_equal(lake.frame("ledger", budget=EURO), frame)
    assert lake.sync([service.source()])["changed"].tolist() == [False, False]


def test_vacuum_deletes_the_files_of_earlier_states(service: Service, lake: Lake) -> None:
    lake.sync([service.source()])
    then = datetime.now(UTC)
    service.spend(-4.5)
    lake.sync([service.source()])
    frame = lake.frame("ledger", budget=EURO)
    assert lake.vacuum(keep_hours=1) == 0
    assert len(lake.at(then).frame("ledger", budget=EURO)) == len(frame) - 1
    assert lake.vacuum() > 10
    assert_frame_equal(lake.frame("ledger", budget=EURO), frame)
    with pytest.raises(FileNotFoundError):
        lake.at(then).frame("ledger", budget=EURO)


@pytest.mark.slow  # it syncs several times and reads many tables
def test_after_forget_and_vacuum_no_byte_of_the_person_remains(
    service: Service, lake: Lake
) -> None:
    for budget in (EURO, YEN):
        service.spend(-4.5, budget)
    service.sandbox.device.rename_category(
        service.facade(YEN).categories()["category_id"].iloc[3], "Frieda's own words", budget=YEN
    )
    lake.sync([service.source()], buckets=1)
    service.spend(-7.5, YEN)
    lake.sync([service.source()])
    words = [YEN, "Frieda's own words", service.id_of(YEN), "みずうみ銀行"]
    words += lake.frame("transactions", budget=YEN)["transaction_id"].tail(2).tolist()
    with case("before"):
        assert [*found_in(lake, words)] == words
    frame = lake.frame("ledger", budget=EURO)

    lake.forget(YEN)
    assert_frame_equal(lake.frame("ledger", budget=EURO), frame)
    with pytest.raises(ToolError, match="the lake has no budget"):
        lake.frame("ledger", budget=YEN)
    for name in SCHEMAS:
        rows = lake._snapshot().read(name)
        assert service.id_of(YEN) not in rows["budget_id"].to_pylist(), name
    assert found_in(lake, words, only_logs=True) == {}
    assert [*found_in(lake, words)] == words  # in the files of earlier states

    lake.vacuum()
    assert found_in(lake, words) == {}
    assert [*found_in(lake, [EURO, service.id_of(EURO)])] == [EURO, service.id_of(EURO)]
    assert_frame_equal(lake.frame("ledger", budget=EURO), frame)
    assert lake.sync([service.source()])["changed"].tolist() == [False, True]


def test_a_process_that_stops_while_it_forgets_leaves_a_lake_that_can_be_read(
    service: Service, lake: Lake
) -> None:
    lake.sync([service.source()])
    frame = lake.frame("ledger", budget=EURO)
    writer = Writer(lake._address)
    writer.commit({}, replaced=[service.id_of(YEN)])
    writer._set_retention("interval 0 days")
    time.sleep(0.05)
    writer._clean_log("ledger")  # and no more
    assert_frame_equal(lake.frame("ledger", budget=EURO), frame)
    assert lake.sync([service.source()])["changed"].tolist() == [False, True]


def test_a_forgotten_budget_is_named_by_id_if_the_name_is_not_unique(
    service: Service, lake: Lake
) -> None:
    lake.sync([service.source()])
    with pytest.raises(ToolError, match="the lake has no budget 'Housebold' among its 2: the"):
        lake.forget("Housebold")
    lake.forget(service.id_of(EURO))
    assert lake.sync([service.source()])["changed"].tolist() == [True, False]


def found_in(lake: Lake, words: list[str], *, only_logs: bool = False) -> dict[str, str]:
    """The words that occur in a file of the lake, also if it is compressed, with the file."""
    found: dict[str, str] = {}
    for path in Path(lake._address.uri).rglob("*"):
        if not path.is_file() or (only_logs and "_delta_log" not in path.parts):
            continue
        texts = [path.read_bytes()]
        if path.suffix == ".parquet":
            for batch in pq.ParquetFile(path).iter_batches():
                for row in batch.to_pylist():
                    content = row.get("content")
                    texts.append(repr(row).encode())
                    texts.append(zlib.decompress(content) if content else b"")
        every = b"\n".join(texts)
        for word in words:
            escaped = re.sub(rb"^\"|\"$", b"", repr(word).encode("ascii", "backslashreplace"))
            json_text = pd.Series([word]).to_json().encode()[6:-2]
            if any(form in every for form in (word.encode(), escaped.strip(b"'"), json_text)):
                found.setdefault(word, str(path))
    return {word: found[word] for word in words if word in found}

"""A process that ends after a step of a commit: the lake is consistent, the next one continues."""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from deltalake.table import TableAlterer
from pandas.testing import assert_frame_equal

from budgetframe.lake import Lake, sync, writer
from budgetframe.lake.columns import SCHEMAS

from .consistency import check_consistency
from .contents import found_in
from .service import EURO, YEN, Service

TABLES = len(SCHEMAS)
CHANGED = TABLES - 2  # all except `_runs`, which has a row at the end, and `_sync`


class Stopped(BaseException):
    """The process has ended."""


@contextmanager
def end_after(steps: int) -> Iterator[None]:
    """Let the calls of Delta that write work so often, and then no more."""
    left, lock = steps, threading.Lock()

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            with lock:
                if not left:
                    raise Stopped
                left -= 1
                return call(*arguments, **options)

        return counting

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in (
            (writer, "write_deltalake"), (DeltaTable, "create_checkpoint"),
            (DeltaTable, "cleanup_metadata"), (DeltaTable, "vacuum"),
            (TableAlterer, "set_table_properties"),
        ):  # fmt: skip
            patch.setattr(owner, name, counted(getattr(owner, name)))
        yield


@pytest.mark.slow  # each case reads all tables and syncs
def test_a_sync_that_stops_between_two_steps(
    service: Service, lake: Lake, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    before = lake.frame("ledger", budget=EURO)
    service.spend(-4.5)
    for steps in (1, CHANGED + 1):  # with the row of `_runs`; one more would publish
        with subtests.test(steps=steps):
            other = copy_of(lake, tmp_path / f"{steps}")
            with pytest.raises(Stopped), end_after(steps):
                other.sync([service.source()])
            assert len(check_consistency(other)) == 2
            assert_frame_equal(other.frame("ledger", budget=EURO), before)
            assert other.sync([service.source()])["changed"].tolist() == [True, False]
            check_consistency(other)
            assert len(other.frame("ledger", budget=EURO)) == len(before) + 1


def test_earlier_results_are_committed_before_the_end(
    service: Service, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "_READS_IN_LINE", 1)
    monkeypatch.setattr(sync, "_MAX_BYTES", -1)
    for budget in (EURO, YEN):
        service.spend(-4.5, budget)
    with pytest.raises(Stopped), end_after(TABLES):  # the commit of a task of one budget
        lake.sync([service.source()], concurrency=1)
    assert len(check_consistency(lake)) == 2
    assert lake.sync([service.source()])["changed"].sum() == 1


@pytest.mark.slow  # each case reads and cleans all tables
def test_forget_with_the_id_completes_forget_that_stopped_between_two_steps(
    service: Service, lake: Lake, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    frame, words = lake.frame("ledger", budget=EURO), [YEN, service.id_of(YEN)]
    retained = 2 * TABLES  # after the rewritten tables and the changed retentions
    checkpoints = retained + 1  # after the second publishing
    for steps in (1, TABLES, retained, checkpoints + TABLES + 1):
        with subtests.test(steps=steps):
            other = copy_of(lake, tmp_path / f"{steps}")
            with pytest.raises(Stopped), end_after(steps):
                other.forget(YEN)
            assert other.forget(service.id_of(YEN))[::3] == (service.id_of(YEN), 0)
            assert len(check_consistency(other)) == 1
            assert_frame_equal(other.frame("ledger", budget=EURO), frame)
            assert found_in(other, words) == {}


def copy_of(lake: Lake, folder: Path) -> Lake:
    """A copy of the lake."""
    shutil.copytree(lake._address.uri, folder)
    return Lake(folder)

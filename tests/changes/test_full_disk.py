"""The journal on a disk that is full: what it does not announce is not sent."""

import math
import re
from pathlib import Path

import pandas as pd
import pytest

from budgetframe import BudgetFrame, Changes, ToolError
from budgetframe._changes.sending import journal
from budgetframe.sandbox import Sandbox
from tests.stateful.package_internals import forget_journals
from tests.stateful.wire import Disk

from .budget import connect, connected, content, interrupted, plain_rows, rows_with, small_sandbox

NEW = {"date": "2026-06-16", "amount": -4.5, "account_name": "Wallet"}


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr(journal, "FileIO", disk.open_file)
    return disk


def edited(bf: BudgetFrame) -> Changes:
    """Changes of two rows, two deletions, and three new rows, two of which are equal."""
    rows = plain_rows(bf, 999).sort_values(["amount", "date"]).head(4)
    new = [NEW, NEW, {**NEW, "payee_name": "Bakery"}]
    frame = pd.concat([rows.head(2).assign(memo="mine"), pd.DataFrame(new)])
    frame.attrs = rows.attrs
    return bf.changes(frame, delete=rows.tail(2))


def stopped(changes: Changes, disk: Disk, writes: float) -> str:
    """Apply changes on a disk with room for some writes; return the error if there is one."""
    disk.left = writes
    try:
        changes.apply()
    except ToolError as error:
        return str(error)
    finally:
        disk.left = math.inf
    return ""


def in_another_process(sandbox: Sandbox, folder: Path) -> BudgetFrame:
    """A connection that knows only the file, after it has continued what is left."""
    forget_journals()
    bf = connect(sandbox, cache_dir=folder)
    if bf.journal().frame["left"].any():
        bf.journal().resume()
    return bf


@pytest.mark.slow  # each write of the journal fails once
@pytest.mark.filterwarnings("ignore:the journal .* cannot be written")
@pytest.mark.parametrize("is_same", [True, False], ids=["the same object", "another process"])
def test_after_failures_changes_are_made_once(disk: Disk, tmp_path: Path, *, is_same: bool) -> None:
    sandbox, folder = small_sandbox(), tmp_path / "folder"
    bf = connect(sandbox, cache_dir=folder)
    bf.create_transactions([NEW])
    before = content(sandbox)
    edited(bf).apply()
    after = content(sandbox)
    bf.journal().undo().apply()
    assert ((before - after).total(), (after - before).total()) == (4, 5)
    # 10 lines: the beginning, a row that is like the new ones, and two lines for each request.
    for writes in range(1, 13):
        changes = edited(bf)
        error = stopped(changes, disk, writes)
        assert bool(error) == (writes < 9)  # after that, everything was sent
        assert re.search(r"cannot be written .*: make room .* Of 7 changes, \d+ w|^$", error)
        if is_same:
            changes.apply()
        else:
            bf = in_another_process(sandbox, folder)
        assert content(sandbox) == after
        undo = bf.journal().undo()
        entry, error = len(bf.journal()) - 1, stopped(undo, disk, writes - 1)
        assert writes > 1 or "Nothing was sent, 7 changes are left: call apply() again" in error
        if is_same or writes == 1:
            undo.apply()
        else:
            bf = in_another_process(sandbox, folder)
        assert content(sandbox) == before
        with pytest.raises(ToolError, match=f"entry {entry} was undone by entry {entry + 1}"):
            bf.journal().undo(entry)


def test_a_beginning_that_cannot_be_written_is_written_later(disk: Disk, tmp_path: Path) -> None:
    sandbox, bf = connected(tmp_path)
    before = content(sandbox)
    with pytest.warns(RuntimeWarning, match="this process keeps it in memory") as caught:
        assert not stopped(edited(bf), disk, 0)
    assert len(caught) == 1
    assert len(in_another_process(sandbox, tmp_path).journal()) == 0
    bf.journal().undo().apply()  # writes both
    other = in_another_process(sandbox, tmp_path)
    assert other.journal().frame["undoes"].fillna(-1).tolist() == [-1, 0]
    assert content(sandbox) == before


@pytest.mark.filterwarnings("ignore:the journal .* cannot be written")
@pytest.mark.slow  # nine connections, each followed by another process
def test_events_written_together_are_all_in_the_file_or_none(disk: Disk, tmp_path: Path) -> None:
    sandbox = small_sandbox()
    for tenths in range(1, 10):
        folder = tmp_path / str(tenths)
        bf = connect(sandbox, cache_dir=folder)
        stopped(bf.changes(pd.DataFrame([NEW] * 3)), disk, 0)
        disk.part, disk.keeps_part = tenths / 10, True
        stopped(bf.changes(pd.DataFrame([{**NEW, "memo": "later"}])), disk, 0)
        other = in_another_process(sandbox, folder)
        assert len(other.journal()) == 0
        rows = rows_with(other.transactions(), amount=-4.5, date=pd.Timestamp("2026-06-16"))
        assert rows["memo"].isna().sum() == 3 * tenths  # and those that follow at most once
        assert (rows["memo"] == "later").sum() <= tenths
        disk.keeps_part = False
    disk.part, disk.keeps_part = 1.0, True  # a beginning that is in the file, with an error
    assert "Of 2 changes, 0 were made" in stopped(bf.changes(pd.DataFrame([NEW] * 2)), disk, 0)


def test_an_undo_is_not_repeated_by_its_process_if_the_file_is_lost(tmp_path: Path) -> None:
    sandbox, bf = connected(tmp_path)
    before, changes = content(sandbox), bf.changes(delete=plain_rows(bf, 3)).apply()
    first, second = changes.undo(), changes.undo()
    first.apply()
    next(tmp_path.rglob("*.journal")).unlink()
    with pytest.raises(ToolError, match="this process has undone these changes, and the file"):
        second.apply()
    assert content(sandbox) == before


def test_a_result_that_another_process_overtook_is_not_taken(disk: Disk, tmp_path: Path) -> None:
    sandbox, bf = connected(tmp_path)
    changes = bf.changes(pd.DataFrame([NEW] * 3))
    disk.left = 2
    interrupted(sandbox, "400:POST:*@1", changes.apply)  # the refusal is in memory
    disk.left = math.inf
    (path,) = tmp_path.rglob("*.journal")
    assert [line[-1:] for line in path.read_bytes().split(b"\n")] == [b"}", b"}", b""]
    in_another_process(sandbox, tmp_path)
    assert changes.apply().counts == {"left": 0, "done": 3, "unknown": 0, "conflicts": 0}
    assert len(rows_with(bf.transactions(), amount=-4.5, date=pd.Timestamp("2026-06-16"))) == 3


def test_an_unsent_undo_is_not_continued_after_another_one(disk: Disk, tmp_path: Path) -> None:
    sandbox, bf = connected(tmp_path)
    before = content(sandbox)
    waiting = bf.changes(delete=plain_rows(bf, 2)).apply().undo()
    assert "Of 2 changes, 0 were made, and 2 were not made" in stopped(waiting, disk, 1)
    connect(sandbox, cache_dir=tmp_path).journal().undo(0).apply()
    with pytest.raises(ToolError, match="entry 0 was undone by entry 2"):
        waiting.apply()
    assert content(sandbox) == before

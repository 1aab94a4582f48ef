"""Frames in the cache file: a restarted kernel shows them without reading the lists."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, ServiceClient
from budgetframe._cache.storage import Unread
from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import http_client

from .computer import Machine

ROWS = ("transactions", "subtransactions")
FRAMES = (*ROWS, "ledger", "accounts", "categories", "payees")
TTL = 300.0


class Kernels:
    """One service and one cache file; each kernel starts as after a restart."""

    def __init__(self, folder: Path) -> None:
        self.service = Sandbox(years=1, budgets=1, limit=10**6)
        self.machine = Machine(folder)
        self.machine.wall.now = self.service.now().timestamp()  # else, the months differ
        self.path = self.machine.path
        self.open: list[BudgetFrame] = []

    def start(self, *, ttl: float = TTL, machine: Machine | None = None) -> BudgetFrame:
        kernel = (machine or self.machine).kernel(threshold=10**6)
        http = http_client(self.service)
        bf = BudgetFrame(ServiceClient(http, kernel.limiter, kernel.cache), ttl=ttl)
        self.open.append(bf)
        return bf

    def start_without_frames(self) -> BudgetFrame:
        """A kernel with a copy of the file that has no frames: it builds all of them."""
        machine = Machine(self.path.parent.parent / f"copy {len(self.open)}")
        machine.clock, machine.wall = self.machine.clock, self.machine.wall
        machine.path.parent.mkdir(parents=True)
        machine.path.write_bytes(self.path.read_bytes())
        with closing(sqlite3.connect(machine.path, isolation_level=None)) as file:
            file.execute("DELETE FROM frames")
        return self.start(machine=machine)

    def refresh(self, bf: BudgetFrame) -> None:
        """Let the time to live end, and read the changes of the lists of the ledger."""
        self.machine.pass_time(TTL)
        bf.ledger()

    def stored(self) -> list[str]:
        """The names of the stored frames."""
        return sorted(self.deltas())

    def deltas(self) -> dict[str, int]:
        """The number of deltas in each stored frame."""
        with closing(sqlite3.connect(self.path)) as file:
            return dict(file.execute("SELECT name, deltas FROM frames"))


@pytest.fixture
def kernels(tmp_path: Path) -> Iterator[Kernels]:
    kernels = Kernels(tmp_path)
    yield kernels
    for bf in kernels.open:
        bf.close()


def is_read(bf: BudgetFrame, source: str = "transactions") -> bool:
    """Whether a kernel has read the list of transactions, or the export, from the file."""
    parsed = bf._session.reads.client.cache.answers.storage._parsed  # type: ignore[attr-defined]
    (data,) = [each.data for (key, _), each in parsed.items() if key.endswith(f":{source}")]
    return not isinstance(data, Unread) or data.data is not None


def assert_same(bf: BudgetFrame, expected: BudgetFrame, names: tuple[str, ...] = FRAMES) -> None:
    """Compare values, dtypes, index, order and attrs of frames."""
    for name in names:
        frame, new = getattr(bf, name)(), getattr(expected, name)()
        assert_frame_equal(frame, new, check_exact=True, check_column_type=True, obj=name)
        assert type(frame) is type(new)
        for column in new.columns[new.dtypes == "category"]:
            assert frame[column].cat.categories.tolist() == new[column].cat.categories.tolist()
        assert frame.attrs == new.attrs
        for column in new.columns[new.dtypes == "object"]:  # texts in pandas 2: None or NaN
            assert list(map(type, frame[column])) == list(map(type, new[column])), column


def edit(service: Sandbox, number: int) -> None:
    """Change a few rows on another device."""
    device, budget = service.device, service.device.state()
    rows = list(budget.transactions.live())
    account = next(row for row in budget.accounts.live() if row.name == "Checking")
    device.add_transaction(
        account_id=account.id, date=date(2026, 1, 1 + number), amount=-10, payee_name=f"P{number}"
    )
    device.delete_transaction(rows[number * 31 % len(rows)].id)
    if number % 2:
        category = next(row for row in budget.categories.live() if not row.internal)
        device.rename_category(category.id, f"Name {number}")
        device.delete_transaction(next(row.id for row in rows if row.parts))


def shown_by(bf: BudgetFrame, name: str) -> Mapping[str, pd.DataFrame]:
    """The frames of the session that a frame is a copy of, or made of."""
    return bf._session.states.of(getattr(bf, name)().attrs)


def test_a_restarted_kernel_shows_equal_frames_without_reading_the_list(kernels: Kernels) -> None:
    first = kernels.start()
    first.ledger()
    assert_same(first, kernels.start_without_frames())
    assert kernels.stored() == ["ledger", "subtransactions", "transactions"]
    for names in (FRAMES, ("ledger",), ("transactions",)):
        second = kernels.start()
        assert_same(second, first, names)
        assert not is_read(second)
    shown = shown_by(kernels.start(), "ledger")
    assert_frame_equal(shown["ledger"], first.ledger())
    assert_frame_equal(shown["subtransactions"], first.subtransactions())


def test_models_and_extra_fields_read_the_list_and_the_frames_stay(kernels: Kernels) -> None:
    first, second = kernels.start(), kernels.start()
    first.ledger()
    shown = shown_by(second, "transactions")
    assert second.models.transactions() == first.models.transactions()
    assert is_read(second)
    assert shown_by(second, "transactions")["transactions"] is shown["transactions"]
    assert_frame_equal(second.transactions(extra=True), first.transactions(extra=True))


def test_the_next_kernel_brings_stored_frames_up_to_date_without_the_list(kernels: Kernels) -> None:
    kernels.start().ledger()
    for number in range(2):
        bf = kernels.start()
        bf.ledger()
        assert not is_read(bf)
        edit(kernels.service, number)
        kernels.refresh(bf)
        assert_same(bf, kernels.start_without_frames())
        restarted = kernels.start()
        assert_same(restarted, bf)
        assert not is_read(restarted)
        # The second edit renames a category, which needs a new ledger.
        assert kernels.deltas() == {"ledger": 2 * number, "subtransactions": 0, "transactions": 0}


def test_after_many_changes_the_next_kernel_builds_and_stores_the_frames(kernels: Kernels) -> None:
    bf = kernels.start()
    bf.ledger()
    with kernels.service.device.edit() as editor:
        for row in list(editor.budget.transactions.live())[::30]:
            editor.transactions.edit(row, {"memo": "another memo"})
    kernels.refresh(bf)
    assert_same(kernels.start(), bf)
    assert kernels.deltas() == {"ledger": 1, "subtransactions": 1, "transactions": 1}


def test_restored_frames_are_patched_in_rows(kernels: Kernels, subtests: pytest.Subtests) -> None:
    kernels.start().ledger()
    bf = kernels.start()
    before = shown_by(bf, "ledger")
    row = next(row for row in kernels.service.device.state().transactions.live() if not row.parts)
    kernels.service.device.edit_transaction(row.id, memo="another memo")
    kernels.refresh(bf)
    after = shown_by(bf, "ledger")
    for name in ("transactions", "ledger"):
        with subtests.test(name=name):
            assert "another memo" in after[name]["memo"].to_numpy()
            assert np.shares_memory(before[name]["date"].array, after[name]["date"].array)


def test_changes_that_another_kernel_has_stored_are_in_the_frames(kernels: Kernels) -> None:
    kernels.start().ledger()
    bf, other = kernels.start(), kernels.start()
    bf.ledger(), other.ledger()
    edit(kernels.service, 0)
    kernels.refresh(other)
    assert len(bf.models.transactions()) == len(other.transactions())
    assert_same(bf, other)
    edit(kernels.service, 2)
    kernels.refresh(bf)
    assert_same(bf, kernels.start_without_frames())


def test_frames_of_other_data_than_the_stored_ones_are_not_stored(kernels: Kernels) -> None:
    cache = kernels.machine.kernel().cache
    for rows in ([], [{"id": "t1"}]):
        data = {"transactions": rows}
        cache.answers.store(cache.answers.look_up("b1:transactions"), data, 1)
    cache.answers.store_frames(
        "b1:transactions", (), {"transactions": []}, {"transactions": b"frame"}
    )
    assert kernels.stored() == []
    cache.answers.store_frames("b1:transactions", (), data, {"transactions": b"frame"})
    assert kernels.stored() == ["transactions"]


def test_changed_names_make_a_new_ledger(kernels: Kernels) -> None:
    kernels.start().ledger()
    bf, budget = kernels.start(), kernels.service.device.state()
    account = next(row for row in budget.accounts.live() if row.name == "Checking")
    kernels.service.device.rename_account(account.id, "Another name")
    bf._session.reads.client.cache.invalidate(f"{budget.id}:accounts")
    assert "Another name" in bf.ledger()["account_name"].to_numpy()
    assert not is_read(bf)
    assert "Another name" in kernels.start().ledger()["account_name"].to_numpy()


def test_frames_of_an_export_are_stored_with_it(kernels: Kernels) -> None:
    first = kernels.start()
    first.export()
    first.ledger()
    second = kernels.start()
    assert_same(second, first)
    assert not is_read(second, "export")
    edit(kernels.service, 1)
    kernels.refresh(second)
    assert_same(second, kernels.start_without_frames())
    second.close()
    third = kernels.start()
    assert_same(third, second)
    assert not is_read(third, "export")


def test_a_lost_delta_is_detected_before_frames_are_brought_up_to_date(kernels: Kernels) -> None:
    first = kernels.start()
    first.ledger()
    for number in (0, 2):
        edit(kernels.service, number)
        kernels.refresh(first)
    with closing(sqlite3.connect(kernels.path, isolation_level=None)) as file:
        of_rows = "SELECT min(revision) FROM deltas WHERE record IN (SELECT record FROM frames)"
        file.execute(f"DELETE FROM deltas WHERE revision = ({of_rows})")  # noqa: S608
    with pytest.warns(RuntimeWarning, match="is damaged"):
        assert_same(kernels.start(), first, ("transactions",))


def test_frames_that_had_a_warning_are_not_stored(kernels: Kernels) -> None:
    with kernels.service.device.edit() as editor:
        row = next(row for row in editor.budget.transactions.live() if not row.parts)
        row.memo = 5  # type: ignore[assignment]
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="no usable memo"):
            kernels.start().transactions()
        assert kernels.stored() == []


def test_a_ledger_that_had_a_warning_is_not_stored(kernels: Kernels) -> None:
    with kernels.service.device.edit() as editor:
        next(row for row in editor.budget.transactions.live() if row.parts).parts[0].amount += 1_000
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="do not add up"):
            kernels.start().ledger()
        assert kernels.stored() == list(ROWS[::-1])


def test_with_a_time_to_live_of_zero_no_frame_is_stored(kernels: Kernels) -> None:
    kernels.start(ttl=0.0).ledger()
    assert kernels.stored() == []


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "of another process": lambda _: b"not Arrow",
    "cut": lambda content: content[: len(content) // 2],
}


def test_a_damaged_frame_is_stored_again(kernels: Kernels, subtests: pytest.Subtests) -> None:
    from budgetframe._cache.sqlite_storage import _checksum  # noqa: PLC0415

    kernels.start().ledger()
    for name, damage in DAMAGES.items():
        with subtests.test(name=name):
            with closing(sqlite3.connect(kernels.path, isolation_level=None)) as file:
                for record, frame, content in file.execute(
                    "SELECT record, name, content FROM frames"
                ).fetchall():
                    changed = damage(content)
                    file.execute(
                        "UPDATE frames SET content = ?, content_checksum = ?"
                        " WHERE record = ? AND name = ?",
                        (changed, _checksum(record, 0, frame, content=changed), record, frame),
                    )
            assert_same(kernels.start(), kernels.start_without_frames())
            restarted = kernels.start()
            restarted.ledger()
            assert not is_read(restarted)


def test_the_stored_frames_contain_no_token_and_are_plain_arrow(kernels: Kernels) -> None:
    kernels.start().ledger()
    with closing(sqlite3.connect(kernels.path)) as file:
        for (content,) in file.execute("SELECT content FROM frames"):
            table = pa.ipc.open_stream(content).read_all()
            assert kernels.service.token not in f"{table.schema}{table.to_pydict()}"
            assert {type(field.type) for field in table.schema} <= {
                pa.DataType, pa.DictionaryType, pa.TimestampType,
            }  # fmt: skip


@settings(max_examples=max(2, settings().max_examples // 20))
@given(steps=st.lists(
    st.sampled_from(["edit", "restart", "switch", "refresh", "models", "export", *FRAMES]),
    min_size=5, max_size=15,
))  # fmt: skip
def test_frames_are_equal_after_any_edits_and_restarts(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    kernels = Kernels(tmp_path_factory.mktemp("cache"))
    bf, other = kernels.start(), kernels.start()
    for number, step in enumerate(steps):
        if step == "edit":
            edit(kernels.service, number)
        elif step == "restart":
            bf = kernels.start()
        elif step == "models":
            bf.models.transactions()
        elif step == "switch":
            bf, other = other, bf
        elif step == "refresh":
            kernels.refresh(bf)
        else:
            getattr(bf, step)()
    bf.ledger()
    assert_same(bf, kernels.start_without_frames())
    assert_same(kernels.start(), bf)
    for each in kernels.open:
        each.close()

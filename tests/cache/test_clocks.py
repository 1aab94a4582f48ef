"""Answers and requests after changes of the clocks: set, suspended, restarted."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from budgetframe import BudgetFrame, StaleDataWarning
from tests.client.wire import Wire, answer

from .computer import AS_OF, Kernel, Machine, fresh, put, stale

HOUR = 3_600.0
KEY = "b1:settings"


def put_for_five_minutes(kernel: Kernel) -> None:
    put(kernel.cache, KEY, {"n": 1}, 300.0)


def is_fresh(kernel: Kernel) -> bool:
    return fresh(kernel.cache, KEY, 300.0) is not None


# The age of answers


PAUSES: dict[str, Callable[[Machine, float], None]] = {
    "time passes": Machine.pass_time, "the machine is suspended": Machine.sleep,
    "the machine is restarted": lambda machine, seconds: machine.restart(off=seconds),
}  # fmt: skip


@pytest.mark.parametrize("pause", PAUSES.values(), ids=PAUSES)
def test_answer_expires_in_time(machine: Machine, pause: Callable[[Machine, float], None]) -> None:
    writer = machine.kernel()
    put_for_five_minutes(writer)
    pause(machine, 299.0)
    assert is_fresh(machine.kernel())
    assert is_fresh(writer)
    machine.sleep(1.0)
    assert not is_fresh(machine.kernel())
    assert not is_fresh(writer)


def test_answer_from_the_future_is_only_shown_as_stale(machine: Machine) -> None:
    put_for_five_minutes(machine.kernel())
    for back in (1.0, HOUR, 1.6e9):
        machine.wall.advance(-back)
        kernel = machine.kernel()
        assert not is_fresh(kernel), back
        assert stale(kernel.cache, KEY) == ({"n": 1}, AS_OF), back
        machine.wall.advance(back)
    assert is_fresh(machine.kernel())


def test_frame_of_a_future_answer_is_shown_as_stale_by_the_next_process(machine: Machine) -> None:
    budgets = {"id": "b1", "name": "Household", "last_modified_on": "2023-11-14T22:00:00Z"}
    rows = [{"id": "p1", "name": "Baker", "deleted": False}]
    kernel, failed = machine.kernel(), httpx.Response(500)
    wire = Wire(answer({"budgets": [budgets]}), answer({"payees": rows}))
    with closing(BudgetFrame(kernel.client(wire))) as bf:
        bf.payees()
    machine.wall.advance(-HOUR)
    with closing(BudgetFrame(machine.kernel().client(Wire(failed, failed)))) as bf:
        with pytest.warns(StaleDataWarning):
            shown = bf.payees()
        assert shown["payee_name"].tolist() == ["Baker"]


def test_answer_expires_by_the_monotonic_clock_when_the_clock_is_set_back(machine: Machine) -> None:
    writer, reader = machine.kernel(), machine.kernel()
    put_for_five_minutes(writer)
    machine.pass_time(100.0)
    assert is_fresh(reader)
    machine.wall.advance(-90.0)
    machine.pass_time(199.0)
    assert (is_fresh(writer), is_fresh(reader)) == (True, True)
    machine.pass_time(1.0)
    assert (is_fresh(writer), is_fresh(reader)) == (False, False)
    put(writer.cache, KEY, {"n": 2}, 300.0)
    assert (is_fresh(writer), is_fresh(reader)) == (True, True)


# The window of the limit


def test_requests_of_two_processes_leave_the_window_one_after_the_other(machine: Machine) -> None:
    first, second = machine.kernel(), machine.kernel()
    first.send()
    machine.pass_time(100.0)
    second.send()
    machine.pass_time(3_500.0)
    assert (first.counted, second.counted) == (2, 2)
    machine.pass_time(0.5)
    assert (first.counted, second.counted) == (1, 1)
    machine.pass_time(100.0)
    assert (first.counted, second.counted) == (0, 0)


def test_request_counts_for_one_window_across_a_restart_of_the_machine(machine: Machine) -> None:
    machine.kernel().send()
    machine.restart(off=3_600.0)
    assert machine.kernel().counted == 1
    machine.pass_time(0.5)
    assert machine.kernel().counted == 0


def test_request_counts_for_one_more_window_after_the_clock_was_set_back(machine: Machine) -> None:
    for back in (1.0, HOUR, 1.6e9):
        machine.kernel().send()
        machine.wall.advance(-back)
        kernel = machine.kernel()
        assert kernel.guard.reserve()[:2] == (True, 1), back
        kernel.end_request("UNSENT")
        machine.pass_time(3_600.0)
        assert kernel.counted == 1, back
        machine.pass_time(0.5)
        assert kernel.counted == 0, back


def test_own_requests_count_for_one_window_however_the_clock_is_set(tmp_path: Path) -> None:
    for hours in (-30_000, -1, 1, 30_000):
        machine = Machine(tmp_path / str(hours))
        kernel = machine.kernel()
        kernel.send()
        machine.wall.advance(hours * HOUR)
        machine.pass_time(3_600.0)
        assert kernel.counted == 1, hours
        machine.pass_time(0.5)
        assert kernel.counted == 0, hours


@pytest.mark.parametrize("hours", [1.0, 30_000.0])
def test_requests_of_others_count_for_one_window_after_a_step(hours: float, tmp_path: Path) -> None:
    machine = Machine(tmp_path / str(hours))
    kernels = [machine.kernel(threshold=3) for _ in range(3)]
    for kernel in kernels:
        kernel.send()
    machine.wall.advance(hours * HOUR)
    machine.pass_time(2_700.0)
    for kernel in (*kernels, *kernels, machine.kernel(threshold=3)):
        assert kernel.counted == 3
        assert kernel.guard.reserve() == (False, 3, 900.0)
    machine.pass_time(900.5)
    assert [kernel.counted for kernel in kernels] == [0, 0, 0]


def test_requests_of_others_leave_the_window_after_a_small_step_forward(machine: Machine) -> None:
    kernels = [machine.kernel(threshold=3) for _ in range(3)]
    for kernel in kernels:
        kernel.send()
    machine.wall.advance(600.0)
    machine.pass_time(3_300.0)
    assert [kernel.guard.reserve()[:2] for kernel in kernels] == [(False, 3)] * 3
    machine.pass_time(3_600.5)  # each process has shifted the requests, so they count for longer
    assert [kernel.counted for kernel in kernels] == [0, 0, 0]


def test_requests_under_way_of_others_count_with_the_clock_set_forward(machine: Machine) -> None:
    first, second = machine.kernel(), machine.kernel()
    assert first.counted == 0
    assert first.guard.reserve()[0]
    assert second.guard.reserve()[0]
    machine.wall.advance(2 * HOUR)
    assert (first.counted, second.counted) == (2, 2)
    first.end_request("UNSENT")
    assert first.guard.reserve()[:2] == (True, 1)
    first.end_request("UNSENT")
    second.end_request("UNSENT")
    assert (first.counted, second.counted) == (0, 0)


# The month


def test_answer_and_list_of_a_month_end_with_it_in_the_next_process(machine: Machine) -> None:
    kernel, groups = machine.kernel(), {"category_groups": [{"id": "g1"}]}
    token = kernel.cache.answers.look_up("b1:categories")
    kernel.cache.answers.store(token, groups, 7, as_of=AS_OF, ttl=1e9)
    machine.pass_time(16 * 24 * HOUR + 6_399.0)  # 2023-11-30 23:59:59 UTC
    before = machine.kernel().cache
    assert before.get_knowledge("b1:categories") == 7
    assert fresh(before, "b1:categories", 1e9) == (groups, AS_OF)
    machine.pass_time(1.0)
    after = machine.kernel().cache
    assert after.get_knowledge("b1:categories") is None
    assert stale(after, "b1:categories") is None

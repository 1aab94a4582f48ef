"""The limit is one for all processes, whatever becomes of them."""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from budgetframe._client.limiter import RequestOutcome

from .computer import Kernel, Machine

THRESHOLD = 50


def machine_of(folder: Path, seconds: float) -> Machine:
    """The same machine in another process, so many seconds after it was made."""
    machine = Machine(folder)
    machine.pass_time(seconds)
    return machine


def hammer(folder: Path, seconds: float) -> tuple[int, int]:
    """Send until denied; give how many were sent, and how many the window holds then.

    Three are under way at any time; every fourth is never sent, and leaves its place.
    """
    limiter = machine_of(folder, seconds).kernel(threshold=THRESHOLD, timeout=60.0).limiter
    sent = under_way = 0
    while limiter.reserve()[0]:
        under_way += 1
        if under_way > 3:
            limiter.release(RequestOutcome.UNSENT)
            limiter.release((RequestOutcome.ANSWERED, RequestOutcome.UNANSWERED)[sent % 2])
            under_way -= 2
            sent += 1
    for _ in range(under_way):
        limiter.release(RequestOutcome.ANSWERED)
    return sent + under_way, limiter.usage()[1]


def die(folder: Path, requests: int) -> None:
    kernel = Machine(folder).kernel(threshold=THRESHOLD)
    for _ in range(requests):
        assert kernel.limiter.reserve()[0]
    os._exit(0)


def spawned(jobs: int, function: Any, *arguments: Any) -> list[Any]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        return [call.result() for call in [pool.submit(function, *arguments) for _ in range(jobs)]]


def send(
    kernel: Kernel, requests: int = 1, outcome: RequestOutcome = RequestOutcome.ANSWERED
) -> None:
    for _ in range(requests):
        assert kernel.limiter.reserve()[0]
        kernel.limiter.release(outcome)


def counted(kernel: Kernel) -> int:
    return kernel.limiter.usage()[1]


def test_four_processes_at_once_send_no_more_than_the_threshold(tmp_path: Path) -> None:
    ended = spawned(4, hammer, tmp_path, 0.0)
    sent = sum(one for one, _ in ended)
    assert THRESHOLD - 16 <= sent <= THRESHOLD  # who was denied does not come back for a place
    assert max(counts for _, counts in ended) <= THRESHOLD
    assert counted(machine_of(tmp_path, 3_600.0).kernel()) == sent
    kernel = machine_of(tmp_path, 3_600.5).kernel(threshold=THRESHOLD)
    assert counted(kernel) == 0
    send(kernel, THRESHOLD)
    assert not kernel.limiter.reserve()[0]


def test_wait_is_until_the_oldest_request_of_any_process_leaves_the_window(
    machine: Machine,
) -> None:
    first, second = machine.kernel(threshold=2), machine.kernel(threshold=2)
    send(first)
    machine.pass_time(100.0)
    send(second)
    machine.pass_time(50.0)
    assert first.limiter.reserve() == (False, 2, 3_450.0)
    assert second.limiter.reserve() == (False, 2, 3_450.0)


@pytest.mark.parametrize(
    ("outcome", "count"),
    [(RequestOutcome.ANSWERED, 1), (RequestOutcome.UNANSWERED, 1), (RequestOutcome.UNSENT, 0)],
)
def test_request_counts_for_others_unless_it_was_never_sent(
    machine: Machine, outcome: RequestOutcome, count: int
) -> None:
    first, second = machine.kernel(), machine.kernel()
    send(first, outcome=outcome)
    assert (counted(first), counted(second)) == (count, count)


def test_recorded_request_counts_for_others(machine: Machine) -> None:
    first, second = machine.kernel(), machine.kernel()
    assert counted(first) == 0
    first.limiter.record()
    assert (counted(first), counted(second)) == (1, 1)


def test_request_counts_from_when_it_ended(machine: Machine) -> None:
    first, second = machine.kernel(), machine.kernel()
    assert first.limiter.reserve()[0]
    machine.pass_time(50.0)
    first.limiter.release(RequestOutcome.ANSWERED)
    machine.pass_time(3_600.0)
    assert counted(second) == 1
    machine.pass_time(0.5)
    assert counted(second) == 0


def test_requests_under_way_in_a_process_that_died_count_for_ten_minutes_and_a_window(
    tmp_path: Path,
) -> None:
    process = multiprocessing.get_context("spawn").Process(target=die, args=(tmp_path, 3))
    process.start()
    process.join()
    assert process.exitcode == 0
    machine = Machine(tmp_path)
    kernel = machine.kernel(threshold=THRESHOLD)
    assert counted(kernel) == 3
    machine.pass_time(4_200.0)
    assert counted(kernel) == 3
    machine.pass_time(0.5)
    assert counted(kernel) == 0


def test_forked_child_counts_its_own_requests_and_those_of_the_parent(machine: Machine) -> None:
    kernel = machine.kernel()
    send(kernel, 2)
    assert kernel.limiter.reserve()[0]
    child = os.fork()
    if child == 0:
        status = 1
        try:
            before = counted(kernel)
            send(kernel)
            assert kernel.limiter.reserve()[0]
            status = 10 * before + counted(kernel)
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(ended) == 35
    assert counted(kernel) == 5
    kernel.limiter.release(RequestOutcome.UNSENT)  # its own, not the child's
    assert (counted(kernel), counted(machine.kernel())) == (4, 4)
    machine.pass_time(3_601.0)
    assert counted(machine.kernel()) == 1
    machine.pass_time(600.0)
    assert counted(machine.kernel()) == 0


def test_file_that_is_deleted_is_told_anew_what_was_sent(machine: Machine) -> None:
    kernel = machine.kernel()
    send(kernel, 3)
    machine.pass_time(1_000.0)
    machine.path.unlink()
    send(kernel)
    other = machine.kernel()
    assert (counted(kernel), counted(other)) == (4, 4)
    machine.pass_time(2_601.0)
    assert (counted(kernel), counted(other)) == (1, 1)


def test_file_that_is_deleted_is_told_anew_what_is_under_way(machine: Machine) -> None:
    kernel = machine.kernel()
    assert kernel.limiter.reserve()[0]
    assert kernel.limiter.reserve()[0]
    machine.path.unlink()
    assert kernel.limiter.reserve()[0]
    other = machine.kernel()
    assert counted(other) == 3
    kernel.limiter.release(RequestOutcome.ANSWERED)
    kernel.limiter.release(RequestOutcome.UNSENT)
    kernel.limiter.release(RequestOutcome.UNSENT)
    assert (counted(kernel), counted(other)) == (1, 1)


def test_request_that_ends_after_the_file_was_deleted_counts(machine: Machine) -> None:
    kernel = machine.kernel()
    assert kernel.limiter.reserve()[0]
    machine.path.unlink()
    kernel.limiter.release(RequestOutcome.ANSWERED)
    assert counted(machine.kernel()) == 1


def test_request_that_took_longer_than_anybody_waits_counts_when_it_ends(
    machine: Machine,
) -> None:
    kernel, other = machine.kernel(), machine.kernel()
    assert kernel.limiter.reserve()[0]
    machine.pass_time(5_000.0)
    assert counted(other) == 0
    kernel.limiter.release(RequestOutcome.ANSWERED)
    assert (counted(kernel), counted(other)) == (1, 1)


def test_requests_that_are_over_do_not_stay_in_the_file(machine: Machine) -> None:
    kernel = machine.kernel()
    for _ in range(5):
        send(kernel, 20)
        machine.pass_time(3_601.0)
    assert counted(kernel) == 0
    send(kernel)
    with kernel.file.transaction() as file:
        assert file.execute("SELECT count(*) FROM requests").fetchone() == (1,)


def test_limit_goes_on_with_what_was_known_when_the_file_is_lost(machine: Machine) -> None:
    kernel, other = machine.kernel(threshold=10), machine.kernel(threshold=10)
    send(other, 4)
    send(kernel, 2)
    with (
        other.file.transaction(write=True),
        pytest.warns(RuntimeWarning, match="locked.*are not counted"),
    ):
        assert kernel.limiter.reserve() == (True, 6, None)
    kernel.limiter.release(RequestOutcome.ANSWERED)
    send(kernel, 3)
    assert kernel.limiter.reserve() == (False, 10, 3_600.0)
    kernel.limiter.record()
    machine.pass_time(3_600.5)
    assert counted(kernel) == 0

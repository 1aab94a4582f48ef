"""All processes share one limit, also when one of them dies or the file is lost."""

import multiprocessing
import os
from functools import partial
from pathlib import Path
from threading import Barrier

import pytest

from budgetframe._cache.shared_window import SharedWindow
from budgetframe._client.limit_guard import LimitGuard, RequestOutcome

from .child import Child, Send, result_of
from .computer import WINDOW, Machine, locked

THRESHOLD = 50


def machine_after(folder: Path, seconds: float) -> Machine:
    """Return the machine of a folder, some seconds after its clocks began."""
    machine = Machine(folder)
    machine.pass_time(seconds)
    return machine


def send_until_denied(folder: Path, start: Barrier, send: Send) -> None:
    """Wait for the other processes, then send requests until the limiter denies one.

    Three requests are under way at any time. Every fourth one is never sent, so it leaves its
    place to others. The line for the parent holds the number of requests and the limiter's count.
    """
    guard = Machine(folder).kernel(threshold=THRESHOLD, timeout=60.0).guard
    sent = under_way = 0
    start.wait()
    while guard.reserve()[0]:
        under_way += 1
        if under_way > 3:
            guard.release(RequestOutcome.UNSENT)
            guard.release((RequestOutcome.ANSWERED, RequestOutcome.UNANSWERED)[sent % 2])
            under_way -= 2
            sent += 1
    for _ in range(under_way):
        guard.release(RequestOutcome.ANSWERED)
    send(f"{sent + under_way} {guard.usage()[1]}")


def die_with_requests_under_way(folder: Path, _send: Send) -> None:
    kernel = Machine(folder).kernel(threshold=THRESHOLD)
    for _ in range(3):
        assert kernel.guard.reserve()[0]
    os._exit(0)


@pytest.mark.posix
def test_four_processes_at_once_send_no_more_than_the_threshold(tmp_path: Path) -> None:
    start = multiprocessing.get_context("fork").Barrier(4)
    children = [Child(partial(send_until_denied, tmp_path, start)) for _ in range(4)]
    results = [tuple(map(int, line.split())) for child in children for line in child.lines]
    assert [child.wait() for child in children] == [0, 0, 0, 0]
    sent = sum(requests for requests, _ in results)
    # A process that was denied does not try again, so some places may stay free.
    assert THRESHOLD - 16 <= sent <= THRESHOLD
    assert len(results) == 4
    assert max(count for _, count in results) <= THRESHOLD
    assert machine_after(tmp_path, 3_600.0).kernel().counted == sent
    kernel = machine_after(tmp_path, 3_600.5).kernel(threshold=THRESHOLD)
    assert kernel.counted == 0
    kernel.send(THRESHOLD)
    assert not kernel.guard.reserve()[0]


def test_delay_lasts_until_the_oldest_request_of_all_leaves_the_window(machine: Machine) -> None:
    first, second = machine.kernel(threshold=2), machine.kernel(threshold=2)
    first.send()
    machine.pass_time(100.0)
    second.send()
    machine.pass_time(50.0)
    assert first.guard.reserve() == (False, 2, 3_450.0)
    assert second.guard.reserve() == (False, 2, 3_450.0)


def test_a_borrower_sends_what_is_reserved_for_it_whatever_others_send(machine: Machine) -> None:
    lender, other = machine.kernel(threshold=20), machine.kernel(threshold=20)

    class Interrupted(LimitGuard):
        def reserve(self) -> tuple[bool, int, float | None]:
            if self.usage()[1] == 8:
                other.send(6)
            return super().reserve()

    lender.send(4)
    machine.pass_time(100.0)
    assert lender.guard.reserve()[0]
    limiter, lent = Interrupted(lender.limiter).lend(30)
    borrower = LimitGuard(limiter)
    assert (lent, [borrower.reserve()[0] for _ in range(10)]) == (9, [True] * 9 + [False])
    assert borrower.reserve() == (False, 20, 3_500.0)
    machine.pass_time(3_501.0)  # the first four leave the window of the lender
    assert not borrower.reserve()[0]
    lender.end_request()
    lender.guard.settle(lent, 11)  # more than were reserved
    assert lender.counted == other.counted == 1 + 6 + 11


@pytest.mark.parametrize(("outcome", "count"), [
    (RequestOutcome.ANSWERED, 1), (RequestOutcome.UNANSWERED, 1), (RequestOutcome.UNSENT, 0),
])  # fmt: skip
def test_request_counts_for_other_processes_unless_it_was_never_sent(
    machine: Machine, outcome: RequestOutcome, count: int
) -> None:
    first, second = machine.kernel(), machine.kernel()
    first.send(1, outcome.name)
    assert (first.counted, second.counted) == (count, count)


def test_request_counts_from_the_time_of_its_end(machine: Machine) -> None:
    first, second = machine.kernel(), machine.kernel()
    assert first.guard.reserve()[0]
    machine.pass_time(50.0)
    first.guard.release(RequestOutcome.ANSWERED)
    machine.pass_time(3_600.0)
    assert second.counted == 1
    machine.pass_time(0.5)
    assert second.counted == 0


@pytest.mark.posix
def test_requests_of_a_process_that_died_count_for_ten_minutes_and_a_window(tmp_path: Path) -> None:
    assert Child(partial(die_with_requests_under_way, tmp_path)).wait() == 0
    machine = Machine(tmp_path)
    kernel = machine.kernel(threshold=THRESHOLD)
    assert kernel.counted == 3
    machine.pass_time(4_200.0)
    assert kernel.counted == 3
    machine.pass_time(0.5)
    assert kernel.counted == 0


@pytest.mark.posix
def test_forked_child_counts_its_own_requests_and_those_of_the_parent(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.send(2)
    assert kernel.guard.reserve()[0]

    def in_child() -> list[int]:
        own = machine.kernel()
        before = own.counted
        own.send()
        assert own.guard.reserve()[0]
        return [before, own.counted]

    assert result_of(in_child) == "[3, 5]"
    assert kernel.counted == 5
    kernel.guard.release(RequestOutcome.UNSENT)  # the request of the parent, not of the child
    assert (kernel.counted, machine.kernel().counted) == (4, 4)
    machine.pass_time(3_601.0)
    assert machine.kernel().counted == 1
    machine.pass_time(600.0)
    assert machine.kernel().counted == 0


@pytest.mark.posix
def test_new_file_in_place_of_a_deleted_one_gets_the_sent_requests(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.send(3)
    machine.pass_time(1_000.0)
    machine.path.unlink()
    kernel.send()
    other = machine.kernel()
    assert (kernel.counted, other.counted) == (4, 4)
    machine.pass_time(2_601.0)
    assert (kernel.counted, other.counted) == (1, 1)


@pytest.mark.posix
def test_new_file_in_place_of_a_deleted_one_gets_the_requests_under_way(machine: Machine) -> None:
    kernel = machine.kernel()
    assert kernel.guard.reserve()[0]
    assert kernel.guard.reserve()[0]
    machine.path.unlink()
    assert kernel.guard.reserve()[0]
    other = machine.kernel()
    assert other.counted == 3
    kernel.guard.release(RequestOutcome.ANSWERED)
    kernel.guard.release(RequestOutcome.UNSENT)
    kernel.guard.release(RequestOutcome.UNSENT)
    assert (kernel.counted, other.counted) == (1, 1)


@pytest.mark.posix
def test_request_that_ends_in_a_new_file_counts_once(machine: Machine) -> None:
    kernel, other = machine.kernel(), machine.kernel()
    assert kernel.guard.reserve()[0]
    machine.path.unlink()
    kernel.guard.release(RequestOutcome.ANSWERED)
    assert other.counted == 1
    kernel.send()
    assert (kernel.counted, other.counted) == (2, 2)


def test_request_recorded_before_the_first_reservation_counts_once(machine: Machine) -> None:
    kernel, other = machine.kernel(), machine.kernel()
    kernel.limiter.record()
    kernel.send()
    assert (kernel.counted, other.counted) == (2, 2)


@pytest.mark.posix
def test_interrupted_reservation_does_not_lose_the_known_requests(machine: Machine) -> None:
    kernel, other = machine.kernel(), machine.kernel()
    other.send(2)
    kernel.send(3)
    machine.path.unlink()
    window = SharedWindow(kernel.file, WINDOW, machine.clock)

    def interrupt(_times: list[float]) -> tuple[bool, int, float | None]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        window.reserve(interrupt, ())
    decision = window.reserve(lambda times: (True, len(times), None), [machine.clock.now] * 3)
    assert decision == (True, 0, None)
    assert machine.kernel().counted == 4


def test_request_that_took_longer_than_ten_minutes_counts_when_it_ends(machine: Machine) -> None:
    kernel, other = machine.kernel(), machine.kernel()
    assert kernel.guard.reserve()[0]
    machine.pass_time(5_000.0)
    assert other.counted == 0
    kernel.guard.release(RequestOutcome.ANSWERED)
    assert (kernel.counted, other.counted) == (1, 1)


def test_requests_that_have_left_the_window_are_deleted_from_the_file(machine: Machine) -> None:
    kernel = machine.kernel()
    for _ in range(3):
        kernel.send(4)
        machine.pass_time(3_601.0)
    assert kernel.counted == 0
    kernel.send()
    with kernel.file.transaction() as file:
        assert file.execute("SELECT count(*) FROM requests").fetchone() == (1,)


@pytest.mark.posix
def test_limiter_continues_with_the_known_requests_when_the_file_is_lost(machine: Machine) -> None:
    kernel, other = machine.kernel(threshold=10), machine.kernel(threshold=10)
    other.send(4)
    kernel.send(2)
    kernel.limiter.record()
    kernel.limiter.record()
    machine.path.unlink()
    machine.path.mkdir()
    with pytest.warns(RuntimeWarning, match="are not counted"):
        assert kernel.guard.reserve() == (True, 8, None)
    kernel.guard.release(RequestOutcome.ANSWERED)
    kernel.send(1)
    assert kernel.guard.reserve() == (False, 10, 3_600.0)
    machine.pass_time(3_600.5)
    assert kernel.counted == 0


# While another process holds the lock of the file


def test_requests_sent_while_the_file_is_busy_are_written_to_it_later(machine: Machine) -> None:
    one, other = machine.kernel(threshold=10), machine.kernel(threshold=10)
    one.send(2)
    assert (one.counted, other.counted) == (2, 2)
    with locked(machine.path):
        one.send(3)
        other.send(4)
        assert (one.counted, other.counted) == (5, 6)
    machine.pass_time(1.0)
    assert one.guard.reserve() == (True, 5, None)  # the file has the requests of `other` not yet
    one.guard.release(RequestOutcome.ANSWERED)
    assert other.guard.reserve() == (False, 10, 3_599.0)
    assert (one.counted, other.counted, machine.kernel().counted) == (10, 10, 10)
    assert one.guard.reserve() == (False, 10, 3_599.0)
    machine.pass_time(3_599.5)  # only the request that was sent a second later is left
    assert [kernel.counted for kernel in (one, other, machine.kernel())] == [1, 1, 1]


def test_request_whose_end_finds_a_busy_file_counts_once(machine: Machine) -> None:
    one, other = machine.kernel(), machine.kernel()
    assert one.guard.reserve()[0]
    assert one.guard.reserve()[0]
    with locked(machine.path):
        one.guard.release(RequestOutcome.ANSWERED)
        one.guard.release(RequestOutcome.UNSENT)
    assert (one.counted, other.counted) == (1, 2)  # the file does not know yet that they ended
    one.send()
    assert (one.counted, other.counted) == (2, 2)


@pytest.mark.posix
def test_end_of_a_request_writes_the_requests_that_the_busy_file_lacks(
    machine: Machine, subtests: pytest.Subtests
) -> None:
    for outcome, count in (
        (RequestOutcome.ANSWERED, 4), (RequestOutcome.UNANSWERED, 4), (RequestOutcome.UNSENT, 3),
    ):  # fmt: skip
        with subtests.test(outcome=outcome):
            machine.path.unlink(missing_ok=True)
            one, other = machine.kernel(), machine.kernel()
            one.send()
            with locked(machine.path):
                one.send(1, "UNANSWERED")
                assert one.guard.reserve()[0]
                assert one.guard.reserve()[0]
            assert other.counted == 1
            one.guard.release(outcome)
            assert (one.counted, other.counted) == (count, count)

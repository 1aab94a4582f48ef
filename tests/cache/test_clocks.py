"""Clocks that are set, that stand still, and that begin anew."""

from datetime import UTC, datetime

import pytest

from budgetframe._client.limiter import RequestOutcome

from .computer import Kernel, Machine

AS_OF = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
HOUR = 3_600.0
KEY = "b1:settings"


def put_timed(kernel: Kernel) -> None:
    """For five minutes."""
    kernel.cache.put_timed(kernel.cache.begin_read(KEY), {"n": 1}, 300.0, AS_OF)


def recalls(kernel: Kernel) -> bool:
    return kernel.cache.get_timed(KEY, 300.0) is not None


def send(kernel: Kernel, requests: int = 1) -> None:
    for _ in range(requests):
        assert kernel.limiter.reserve()[0]
        kernel.limiter.release(RequestOutcome.ANSWERED)


def counted(kernel: Kernel) -> int:
    return kernel.limiter.usage()[1]


# The same boot


def test_answer_is_served_by_the_next_process_until_its_time_is_over(machine: Machine) -> None:
    put_timed(machine.kernel())
    machine.pass_time(299.0)
    assert recalls(machine.kernel())
    machine.pass_time(1.0)
    assert not recalls(machine.kernel())


@pytest.mark.parametrize("hours", [-1, -30_000, -1 / 60])
def test_answer_is_as_old_as_it_is_although_the_wall_clock_was_set_back(
    machine: Machine, hours: float
) -> None:
    put_timed(machine.kernel())
    machine.wall.advance(hours * HOUR)
    machine.pass_time(299.0)
    assert recalls(machine.kernel())
    machine.pass_time(1.0)
    assert not recalls(machine.kernel())


@pytest.mark.parametrize("hours", [1, 24, 30_000])
def test_answer_is_not_served_longer_although_the_wall_clock_was_set_forward(
    machine: Machine, hours: float
) -> None:
    machine.wall.advance(hours * HOUR)
    kernel = machine.kernel()
    put_timed(kernel)
    machine.wall.advance(-hours * HOUR)
    machine.pass_time(299.0)
    assert recalls(kernel)
    machine.pass_time(1.0)
    assert not recalls(kernel)


def test_answer_grows_old_while_the_machine_sleeps(machine: Machine) -> None:
    kernel = machine.kernel()
    put_timed(kernel)
    machine.sleep(299.0)
    assert recalls(kernel)
    machine.sleep(1.0)
    assert not recalls(kernel)


@pytest.mark.parametrize("hours", [-30_000, -1, 1, 30_000])
def test_request_counts_for_one_window_however_the_wall_clock_is_set(
    machine: Machine, hours: float
) -> None:
    send(machine.kernel())
    machine.wall.advance(hours * HOUR)
    kernel = machine.kernel()
    assert counted(kernel) == 1
    machine.pass_time(3_600.0)
    assert counted(kernel) == 1
    machine.pass_time(0.5)
    assert counted(kernel) == 0


def test_request_counts_on_while_the_machine_sleeps(machine: Machine) -> None:
    send(machine.kernel())
    machine.sleep(2 * HOUR)
    assert counted(machine.kernel()) == 1


def test_own_request_and_that_of_another_process_end_to_count_together(machine: Machine) -> None:
    first, second = machine.kernel(), machine.kernel()
    send(first)
    machine.pass_time(100.0)
    send(second)
    machine.pass_time(3_500.0)
    assert (counted(first), counted(second)) == (2, 2)
    machine.pass_time(0.5)
    assert (counted(first), counted(second)) == (1, 1)
    machine.pass_time(100.0)
    assert (counted(first), counted(second)) == (0, 0)


# Another boot


def test_after_a_new_start_an_answer_is_as_old_as_the_wall_clock_says(machine: Machine) -> None:
    put_timed(machine.kernel())
    machine.start_anew(off=299.0)
    assert recalls(machine.kernel())
    machine.pass_time(1.0)
    assert not recalls(machine.kernel())


@pytest.mark.parametrize("ticks", [5.0, 1_000.0, 1_001.0, 10_000.0])
@pytest.mark.parametrize("off", [-1.0, -HOUR, -1.7e9])
def test_after_a_new_start_an_answer_from_the_future_is_not_served(
    machine: Machine, ticks: float, off: float
) -> None:
    put_timed(machine.kernel())
    machine.start_anew(off=off, ticks=ticks)
    kernel = machine.kernel()
    assert not recalls(kernel)
    assert kernel.cache.get_stale(KEY) == ({"n": 1}, AS_OF)


def test_after_a_new_start_a_request_counts_by_the_wall_clock(machine: Machine) -> None:
    send(machine.kernel())
    machine.start_anew(off=3_600.0)
    assert counted(machine.kernel()) == 1
    machine.pass_time(0.5)
    assert counted(machine.kernel()) == 0


@pytest.mark.parametrize("back", [1.0, HOUR, 1.7e9])
def test_after_a_new_start_with_the_clock_behind_a_request_counts_for_one_window_more(
    machine: Machine, back: float
) -> None:
    send(machine.kernel())
    machine.start_anew(off=-back)
    assert counted(machine.kernel()) == 1
    machine.pass_time(3_600.0)
    assert counted(machine.kernel()) == 1
    machine.pass_time(0.5)
    assert counted(machine.kernel()) == 0


def test_after_a_new_start_the_wall_clock_may_be_mended(machine: Machine) -> None:
    send(machine.kernel())
    machine.start_anew(off=-1.7e9)
    kernel = machine.kernel()
    assert counted(kernel) == 1
    machine.wall.advance(1.7e9)
    machine.pass_time(1_800.0)
    assert counted(kernel) == 1


# No way to tell one boot from another


@pytest.fixture
def nameless(machine: Machine) -> Machine:
    machine.boot = ""
    return machine


def test_without_a_boot_id_an_answer_is_served_by_the_next_process(nameless: Machine) -> None:
    put_timed(nameless.kernel())
    nameless.pass_time(299.0)
    assert recalls(nameless.kernel())
    nameless.pass_time(1.0)
    assert not recalls(nameless.kernel())


@pytest.mark.parametrize("ticks", [5.0, 1_001.0, 100_000.0])
def test_without_a_boot_id_an_answer_is_not_served_too_long_after_a_new_start(
    nameless: Machine, ticks: float
) -> None:
    put_timed(nameless.kernel())
    nameless.start_anew("", off=300.0, ticks=ticks)
    assert not recalls(nameless.kernel())


@pytest.mark.parametrize("ticks", [5.0, 1_001.0, 100_000.0])
def test_without_a_boot_id_an_answer_from_the_future_is_not_served(
    nameless: Machine, ticks: float
) -> None:
    put_timed(nameless.kernel())
    nameless.start_anew("", off=-300.0, ticks=ticks)
    assert not recalls(nameless.kernel())


@pytest.mark.parametrize(("off", "ticks"), [(60.0, 100_000.0), (60.0, 5.0), (HOUR, 100_000.0)])
def test_without_a_boot_id_a_request_counts_for_a_window_at_least(
    nameless: Machine, off: float, ticks: float
) -> None:
    send(nameless.kernel())
    nameless.start_anew("", off=off, ticks=ticks)
    assert counted(nameless.kernel()) == 1


@pytest.mark.parametrize("ticks", [5.0, 1_001.0, 100_000.0])
@pytest.mark.parametrize("off", [60.0, -HOUR])
def test_without_a_boot_id_a_request_counts_for_two_windows_at_most(
    nameless: Machine, off: float, ticks: float
) -> None:
    send(nameless.kernel())
    nameless.start_anew("", off=off, ticks=ticks)
    kernel = nameless.kernel()
    assert counted(kernel) == 1
    nameless.pass_time(7_201.0)
    assert counted(kernel) == 0


def test_without_a_boot_id_a_request_counts_by_the_wall_clock_after_a_long_time_up(
    nameless: Machine,
) -> None:
    nameless.pass_time(1e6)
    send(nameless.kernel())
    nameless.start_anew("", off=3_600.0)
    assert counted(nameless.kernel()) == 1
    nameless.pass_time(0.5)
    assert counted(nameless.kernel()) == 0


# The month


def test_answer_and_list_of_a_month_end_with_it_in_the_next_process_too(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.update("b1:categories", {"category_groups": []}, 7)
    kernel.cache.put_timed(kernel.cache.begin_read("b1:categories"), {"n": 1}, 1e9, AS_OF)
    machine.pass_time(16 * 24 * HOUR + 6_399.0)  # 2023-11-30 23:59:59 UTC
    before = machine.kernel().cache
    assert before.get_knowledge("b1:categories") == 7
    assert before.get_timed("b1:categories", 1e9) == ({"n": 1}, AS_OF)
    machine.pass_time(1.0)
    after = machine.kernel().cache
    assert after.get_knowledge("b1:categories") is None
    assert after.get_stale("b1:categories") is None

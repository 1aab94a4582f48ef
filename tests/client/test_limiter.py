"""`RateLimiter`: the count, the threshold, the window and the delay."""

import inspect
import pickle
import time

import pytest
from hypothesis import given, strategies as st

from budgetframe import RateLimiter
from tests.clock import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock(5_000.0)


def recorded(limiter: RateLimiter, count: int) -> RateLimiter:
    for _ in range(count):
        limiter.record()
    return limiter


def test_default_threshold_is_200_in_one_hour(clock: Clock) -> None:
    limiter = recorded(RateLimiter(clock=clock), 199)
    assert limiter.check() == (True, 199, None)
    limiter.record()
    assert limiter.check() == (False, 200, 3600.0)
    clock.advance(3600.5)
    assert limiter.check() == (True, 0, None)


def test_default_clock_is_the_monotonic_one() -> None:
    assert inspect.signature(RateLimiter).parameters["clock"].default is time.monotonic


@pytest.mark.parametrize(("threshold", "pauses", "expected"), [
    (2, (0.0, 10.0, 12.5), (False, 2, 37.5)),
    (2, (0.0, 10.0, 20.0, 31.0), (False, 2, 9.0)),  # ages 61, 51, 31
    (1, (0.0, 60.0), (False, 1, 0.0)),
    (1, (0.0, 60.125), (True, 0, None)),
])  # fmt: skip
def test_delay_is_the_oldest_timestamp_in_the_window_plus_the_window_minus_now(
    clock: Clock, threshold: int, pauses: tuple[float, ...],
    expected: tuple[bool, int, float | None],
) -> None:  # fmt: skip
    limiter = RateLimiter(threshold, 60.0, clock=clock)
    for pause in pauses[:-1]:
        clock.advance(pause)
        limiter.record()
    clock.advance(pauses[-1])
    assert limiter.check() == expected


@given(
    threshold=st.integers(0, 6),
    steps=st.lists(st.tuples(st.integers(0, 50), st.booleans()), max_size=60),
)
def test_check_agrees_with_a_plain_count(threshold: int, steps: list[tuple[int, bool]]) -> None:
    clock = Clock(0.0)
    limiter = RateLimiter(threshold, 60.0, clock=clock)
    times: list[float] = []
    for pause, recording in steps:
        clock.advance(float(pause))
        if recording:
            limiter.record()
            times.append(clock.now)
        young = [at for at in times if clock.now - at <= 60]
        denied = len(young) >= threshold
        delay = 60 - (clock.now - young[0]) if denied and young else None
        assert limiter.check() == (not denied, len(young), delay)


@given(pause=st.floats(0.0, 60.0), start=st.floats(0.0, 1e6))
def test_every_denial_has_a_delay_of_at_most_about_the_window(pause: float, start: float) -> None:
    clock = Clock(start)
    limiter = recorded(RateLimiter(1, 60.0, clock=clock), 1)
    clock.advance(pause)
    allowed, _, delay = limiter.check()
    assert allowed or (delay is not None and 0.0 <= delay <= 60.0 + 1e-6)


_machine = {"seconds": 5_000.0}


def _seconds_of_this_machine() -> float:
    return _machine["seconds"]


def test_a_limiter_in_another_process_keeps_the_ages(monkeypatch: pytest.MonkeyPatch) -> None:
    limiter = RateLimiter(1, 60.0, clock=_seconds_of_this_machine)
    limiter.record()
    monkeypatch.setitem(_machine, "seconds", 5_020.0)
    pickled = pickle.dumps(limiter)
    monkeypatch.setitem(_machine, "seconds", 7.0)  # a machine that was started later
    restored = pickle.loads(pickled)  # noqa: S301 - our own bytes
    assert restored.check() == (False, 1, 40.0)


def test_requests_recorded_elsewhere_leave_the_window_by_their_own_times(clock: Clock) -> None:
    limiter = recorded(RateLimiter(2, 60.0, clock=clock), 1)
    limiter.count([4_970.0])
    assert limiter.check() == (False, 2, 30.0)

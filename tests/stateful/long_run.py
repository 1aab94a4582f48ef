"""The long run, in several processes."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Iterator
from multiprocessing.queues import SimpleQueue

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from .figures import FIGURES, Figures
from .state_machine import Trust

_STEPS = 400
_EXAMPLES = 25
_REPORT_SECONDS = 30.0
Report = tuple[Figures, str | None, bool]


def _work(steps: int, number: int, reports: SimpleQueue[Report]) -> None:
    """Run until that many steps are made, telling the figures now and then."""
    # A shell that starts this in the background has it ignored, and nobody could interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    failure = None
    round_ = done = 0
    while done < steps and failure is None:
        round_ += 1
        # Each round begins afresh: the engine would remember every example it has ever made.
        try:
            run_state_machine_as_test(
                seed(number * 1_000_003 + round_)(_fresh_machine()),
                settings=settings(
                    max_examples=_EXAMPLES,
                    stateful_step_count=_STEPS,
                    deadline=None,
                    database=None,
                    derandomize=False,
                    print_blob=True,
                    report_multiple_bugs=False,
                    phases=[Phase.generate],  # shrinking may take hours
                    suppress_health_check=list(HealthCheck),
                ),
            )
        except BaseException:  # noqa: BLE001 - whatever it is, it is what was looked for
            failure = f"seed {number}, round {round_}\n{traceback.format_exc()}"
        done += FIGURES["steps"]
        reports.put((Figures(FIGURES), failure, False))
        FIGURES.clear()  # what was told
    reports.put((Figures(), None, True))


def _fresh_machine() -> type[Trust]:
    return type("Trust", (Trust,), {})


def _workers(jobs: int, steps: int, first: int) -> Iterator[Report]:
    """What the processes report, as it comes, until all are done or one has failed."""
    context = multiprocessing.get_context("spawn")
    queues: list[SimpleQueue[Report]] = [context.SimpleQueue() for _ in range(jobs)]
    workers = [
        context.Process(target=_work, args=(-(-steps // jobs), first + job, queue))
        for job, queue in enumerate(queues)
    ]
    for worker in workers:
        worker.start()
    running = set(range(jobs))
    failure = None
    while running and failure is None:
        time.sleep(0.2)
        for job in sorted(running):
            has_ended = not workers[job].is_alive()
            while not queues[job].empty():
                report = queues[job].get()
                _, found, is_over = report
                failure = failure or found
                yield report
                if is_over:
                    running.discard(job)
            if has_ended and job in running:
                failure = f"process {job} ended with {workers[job].exitcode}"
                yield Figures(), failure, True
    for worker in workers:
        if failure is not None:
            worker.terminate()
        worker.join()


def main(arguments: list[str] | None = None) -> int:
    """Run, print the figures, and give the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.stateful")
    parser.add_argument("--steps", type=int, default=100_000, help="in all processes together")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--seed", type=int, default=None, help="where the random numbers begin")
    chosen = parser.parse_args(arguments)
    first = int.from_bytes(os.urandom(4)) if chosen.seed is None else chosen.seed
    print(f"{chosen.steps:,} steps in {chosen.jobs} processes, --seed {first}", flush=True)
    start = last = time.monotonic()
    total = Figures()
    failures = []
    for figures, failure, _ in _workers(chosen.jobs, chosen.steps, first):
        total.add(figures)
        failures += [failure] if failure else []
        if time.monotonic() - last > _REPORT_SECONDS:
            last = time.monotonic()
            print(f"{last - start:7.0f} s  {total['steps']:>12,} steps", flush=True)
    print(total.table())
    print(f"seconds {time.monotonic() - start:,.0f}")
    print("\n\n".join(failures) if failures else "no difference found")
    return 1 if failures else 0

"""Run many random steps in one or more processes, or repeat one failing round."""

import argparse
import gc
import math
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.queues import SimpleQueue

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from .changes_program import run_program as run_changes
from .counts import COUNTS, RunCounts
from .real_processes import run_real_processes
from .single_writes import run_program as run_single_writes
from .state_machine import NotebookStateMachine
from .two_processes import run_program as run_two_processes

_STEPS_OF_EXAMPLE = 400
_EXAMPLES_OF_ROUND = 25
_STEPS_OF_PROGRAM = 150
_STEPS_OF_SINGLE_WRITES = 25
_PROGRAMS_OF_ROUND = 10
_SECONDS_OF_REAL_PROCESSES = 10.0
_OBJECTS_BETWEEN_COLLECTIONS = 50_000
_REPORT_SECONDS = 30.0
Report = tuple[RunCounts, str | None, bool]
"""Counts of a round, its failure or None, and whether the process is done."""


def _run_round(machine: str, round_seed: int) -> str | None:
    """Run one round; return the traceback of its failure, or None."""
    try:
        _RUN[machine](round_seed)
    except BaseException:  # noqa: BLE001 - every exception is a failure to report
        repeat = f"python -m tests.stateful --machine {machine} --round {round_seed}"
        return f"round {round_seed} failed; repeat it with: {repeat}\n{traceback.format_exc()}"
    return None


def _run_each(program: Callable[[int, int], None], steps: int, round_seed: int) -> None:
    for number in range(_PROGRAMS_OF_ROUND):
        program(round_seed * _PROGRAMS_OF_ROUND + number, steps)


def _run_processes(round_seed: int) -> None:
    _run_each(run_two_processes, _STEPS_OF_PROGRAM, round_seed)
    run_real_processes(round_seed, _SECONDS_OF_REAL_PROCESSES)


def _run_machine(round_seed: int) -> None:
    # A new class for each round: Hypothesis would keep all examples of one class in memory.
    machine = type("NotebookStateMachine", (NotebookStateMachine,), {})
    run_state_machine_as_test(
        seed(round_seed)(machine),
        settings=settings(
            max_examples=_EXAMPLES_OF_ROUND,
            stateful_step_count=_STEPS_OF_EXAMPLE,
            deadline=None,
            database=None,
            derandomize=False,
            report_multiple_bugs=False,
            phases=[Phase.generate],  # without shrinking, which may take hours
            suppress_health_check=list(HealthCheck),
        ),
    )


_RUN: dict[str, Callable[[int], None]] = {
    "notebook": _run_machine,
    "changes": partial(_run_each, run_changes, _STEPS_OF_PROGRAM),
    "processes": _run_processes,
    "single": partial(_run_each, run_single_writes, _STEPS_OF_SINGLE_WRITES),
}


def _work(
    machine: str, steps: int, seconds: float, number: int, reports: SimpleQueue[Report]
) -> None:
    """Run rounds until so many steps are done or seconds passed, and report after each round."""
    # A shell starts background jobs with SIGINT ignored, so that Ctrl-C would not end this process.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 50, 100)
    failure = None
    round_number = done = 0
    end = time.monotonic() + seconds
    while done < steps and time.monotonic() < end and failure is None:
        round_number += 1
        failure = _run_round(machine, number * 1_000_003 + round_number)
        done += COUNTS["steps"]
        reports.put((RunCounts(COUNTS), failure, False))
        COUNTS.clear()
    reports.put((RunCounts(), None, True))


def _reports(machine: str, jobs: int, steps: int, seconds: float, first: int) -> Iterator[Report]:
    """Start the processes, and yield their reports until all are done or one has failed."""
    context = multiprocessing.get_context("spawn")
    queues: list[SimpleQueue[Report]] = [context.SimpleQueue() for _ in range(jobs)]
    workers = [
        context.Process(
            target=_work, args=(machine, -(-steps // jobs), seconds, first + job, queue)
        )
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
                _, found, is_done = report
                failure = failure or found
                yield report
                if is_done:
                    running.discard(job)
            if has_ended and job in running:
                failure = f"process {job} ended with exit code {workers[job].exitcode}"
                yield RunCounts(), failure, True
    for worker in workers:
        if failure is not None:
            worker.terminate()
        worker.join()


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status: 1 after a failure."""
    parser = argparse.ArgumentParser(prog="python -m tests.stateful")
    parser.add_argument(
        "--machine",
        choices=[*_RUN],
        default="notebook",
        help="calls of notebooks, changes from frames, two processes, or single writes",
    )
    parser.add_argument(
        "--steps", type=int, default=100_000, help="steps of all processes together"
    )
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="begin no round after this time"
    )
    parser.add_argument("--jobs", type=int, default=2, help="number of processes")
    parser.add_argument("--seed", type=int, default=None, help="first seed (default: random)")
    parser.add_argument("--round", type=int, default=None, help="repeat only this round")
    options = parser.parse_args(arguments)
    if options.round is not None:
        failure = _run_round(options.machine, options.round)
        print(COUNTS.table(options.machine))
        print(failure or "no difference found")
        return 1 if failure else 0
    first = int.from_bytes(os.urandom(4)) if options.seed is None else options.seed
    print(f"{options.steps:,} steps in {options.jobs} processes, --seed {first}", flush=True)
    start = last = time.monotonic()
    total = RunCounts()
    failures = []
    work = options.machine, options.jobs, options.steps, options.seconds, first
    for counts, failure, _ in _reports(*work):
        total.add(counts)
        failures += [failure] if failure else []
        if time.monotonic() - last > _REPORT_SECONDS:
            last = time.monotonic()
            print(f"{last - start:7.0f} s  {total['steps']:>12,} steps", flush=True)
    print(total.table(options.machine))
    print(f"seconds {time.monotonic() - start:,.0f}")
    print("\n\n".join(failures) if failures else "no difference found")
    return 1 if failures else 0

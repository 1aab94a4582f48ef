"""Run many random steps in one or more processes, or repeat one failing round."""

import argparse
import gc
import math
import os
import signal
import time
import traceback
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from functools import partial
from itertools import count
from multiprocessing import get_context

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from .changes_program import run_program as run_changes
from .counts import COUNTS, RunCounts
from .single_writes import run_program as run_single_writes
from .state_machine import NotebookStateMachine
from .two_processes import run_program as run_two_processes

_STEPS_OF_EXAMPLE = 400
_EXAMPLES_OF_ROUND = 25
_STEPS_OF_PROGRAM = 150
_STEPS_OF_SINGLE_WRITES = 25
_PROGRAMS_OF_ROUND = 10
_OBJECTS_BETWEEN_COLLECTIONS = 50_000
_REPORT_SECONDS = 30.0


def _run_round(machine: str, round_seed: int) -> tuple[RunCounts, str]:
    """Run one round; return its counts and the traceback of its failure, if there is one."""
    failure = ""
    COUNTS.clear()
    try:
        _RUN[machine](round_seed)
    except BaseException:  # noqa: BLE001 - every exception is a failure to report
        repeat = f"python -m tests.stateful --machine {machine} --round {round_seed}"
        failure = f"round {round_seed} failed; repeat it with: {repeat}\n{traceback.format_exc()}"
    return RunCounts(COUNTS), failure


def _run_each(program: Callable[[int, int], None], steps: int, round_seed: int) -> None:
    for number in range(_PROGRAMS_OF_ROUND):
        program(round_seed * _PROGRAMS_OF_ROUND + number, steps)


def _run_machine(round_seed: int) -> None:
    # A new class for each round: Hypothesis would keep all examples of one class in memory.
    run_state_machine_as_test(
        seed(round_seed)(type("NotebookStateMachine", (NotebookStateMachine,), {})),
        settings=settings(max_examples=_EXAMPLES_OF_ROUND, stateful_step_count=_STEPS_OF_EXAMPLE,
            deadline=None, database=None, derandomize=False, report_multiple_bugs=False,
            phases=[Phase.generate],  # without shrinking, which may take hours
            suppress_health_check=list(HealthCheck)),
    )  # fmt: skip


_RUN: dict[str, Callable[[int], None]] = {
    "notebook": _run_machine, "changes": partial(_run_each, run_changes, _STEPS_OF_PROGRAM),
    "processes": partial(_run_each, run_two_processes, _STEPS_OF_PROGRAM),
    "single": partial(_run_each, run_single_writes, _STEPS_OF_SINGLE_WRITES),
}  # fmt: skip


def _begin_process() -> None:
    # A shell starts background jobs with SIGINT ignored, so that Ctrl-C would not end this process.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 50, 100)


def _run_rounds(machine: str, jobs: int, steps: int, seconds: float, first: int) -> bool:
    """Run rounds in processes until so many steps are done; return whether none has failed."""
    start = last = time.monotonic()
    seeds, total, failures = count(first * 1_000_003 + 1), RunCounts(), list[str]()
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin_process) as pool:
        running = {pool.submit(_run_round, machine, next(seeds)) for _ in range(jobs)}
        while running:
            done, running = wait(running, _REPORT_SECONDS, FIRST_COMPLETED)
            for counts, failure in (each.result() for each in done):
                total.add(counts)
                failures += [failure] if failure else []
                is_over = total["steps"] >= steps or time.monotonic() > start + seconds
                if not (is_over or failures):
                    running.add(pool.submit(_run_round, machine, next(seeds)))
            if time.monotonic() - last > _REPORT_SECONDS:
                last = time.monotonic()
                print(f"{last - start:7.0f} s  {total['steps']:>12,} steps", flush=True)
    print(total.table())
    print(f"seconds {time.monotonic() - start:,.0f}")
    print("\n\n".join(failures) if failures else "no difference found")
    return not failures


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status: 1 after a failure."""
    parser = argparse.ArgumentParser(prog="python -m tests.stateful")
    parser.add_argument(
        "--machine", choices=[*_RUN], default="notebook",
        help="calls of notebooks, changes from frames, two processes, or single writes",
    )  # fmt: skip
    parser.add_argument("--steps", type=int, default=100_000, help="steps of all processes")
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="begin no round after this time"
    )
    parser.add_argument("--jobs", type=int, default=2, help="number of processes")
    parser.add_argument("--seed", type=int, default=None, help="first seed (default: random)")
    parser.add_argument("--round", type=int, default=None, help="repeat only this round")
    options = parser.parse_args(arguments)
    if options.round is not None:
        counts, failure = _run_round(options.machine, options.round)
        print(counts.table())
        print(failure or "no difference found")
        return 1 if failure else 0
    first = int.from_bytes(os.urandom(4)) if options.seed is None else options.seed
    print(f"{options.steps:,} steps in {options.jobs} processes, --seed {first}", flush=True)
    work = options.machine, options.jobs, options.steps, options.seconds, first
    return 0 if _run_rounds(*work) else 1

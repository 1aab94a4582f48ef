"""Where random calls run: the service, the notebooks, and the judging of what came to its end."""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize

from budgetframe import StaleDataWarning

from .calls import Call
from .faults import FAULTS, FLOW, Flow
from .figures import FIGURES
from .frames import SHAPES
from .notebook import LISTS, Kernel
from .reads import list_frame, pick, raw_read
from .service import EARLIEST, MIDDLE, WINDOW, World

_MOST_UNDER_WAY = 5
_THREADS = 4
_MOST_REQUESTS = 3
"""Of one call: the choice of the budget, a delta, and the list in full."""


@cache
def _pool() -> ThreadPoolExecutor:
    sys.setswitchinterval(0.0002)  # threads that take turns more often meet in more places
    return ThreadPoolExecutor(_THREADS)


class StateMachineBase(RuleBasedStateMachine):
    """One service, one or two memories, and the calls that are under way."""

    @initialize(
        seed=st.integers(0, 1),
        budgets=st.sampled_from([1, 1, 2]),
        thresholds=st.lists(st.sampled_from([200, 200, 60, 12]), min_size=1, max_size=2),
        spelling=st.sampled_from(["budgets", "budgets", "plans", "either"]),
        bursts=st.sampled_from([0, 0, 0, 0, 0, 1]),
        has_schedules=st.sampled_from([True, True, True, False]),
        has_file=st.sampled_from([False, False, False, True]),
        kernel=st.fixed_dictionaries(
            {
                "ttl": st.sampled_from([300.0, 300.0, 300.0, 0.0]),
                "on_limit": st.sampled_from(["raise", "raise", "stale"]),
                "has_retries": st.sampled_from([False, False, True]),
            }
        ),
    )
    def begin(
        self,
        *,
        seed: int,
        budgets: int,
        thresholds: list[int],
        spelling: str,
        bursts: int,
        has_schedules: bool,
        has_file: bool,
        kernel: dict[str, Any],
    ) -> None:
        self.world = World(seed, budgets)
        self.folder = Path(tempfile.mkdtemp(prefix="trust-")) if has_file else None
        warnings.filterwarnings("always", category=StaleDataWarning)
        warnings.showwarning = _noted
        if not has_schedules:
            self.world.device.forget_schedules()
            self.world.note()
        self.kernels = [
            Kernel(self.world, threshold=threshold, folder=self.folder, **kernel)
            for threshold in thresholds[: 1 if has_file else 2]
        ]
        self.spelling = spelling
        self.bursts = bursts
        self.compared_at = FIGURES["steps"]
        self.calls: list[Call] = []
        self.unseen: list[dict[str, Any]] = []
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(lambda _, context: self.unseen.append(context))
        FIGURES["examples"] += 1

    def teardown(self) -> None:
        if not hasattr(self, "loop"):
            return
        try:
            if sys.exc_info()[0] is None:
                self.drain()
                self.compare_everything()
        finally:
            self._close()

    def _close(self) -> None:
        for call in self.calls:
            if call.flow.task is not None:
                call.flow.task.cancel()
        self.settle()
        for kernel in self.kernels:
            kernel.close()
            faults = kernel.faults
            FIGURES["requests"] += faults.requests
            most = f"most {faults.threshold}"
            FIGURES[most] = max(FIGURES[most], faults.most)
            for kind, count in faults.faults.items():
                FIGURES[f"fault {kind}"] += count
        self.loop.close()
        self.world.on_change.clear()
        if self.folder is not None:
            shutil.rmtree(self.folder)
        if sys.exc_info()[0] is None:
            assert self.unseen == []

    def step(self) -> None:
        FIGURES["steps"] += 1

    # -- running ---------------------------------------------------------------------------------

    def settle(self) -> None:
        """Let every task go on until all wait for what is held."""
        ready: Any = getattr(self.loop, "_ready")  # noqa: B009 - asyncio has no name for it
        while True:
            self.loop.call_soon(self.loop.stop)
            self.loop.run_forever()
            if not ready:
                break

    def run(self, call: Call) -> Any:
        """Begin a call; it ends at once unless something is held."""
        flow, kernel = call.flow, call.kernel
        call.is_quiet = not flow.hold and not kernel.flows
        kernel.begin(flow)
        context = copy_context()
        context.run(FLOW.set, flow)
        flow.task = self.loop.create_task(call.start(), context=context)
        self.calls.append(call)
        self.go_on()
        if not flow.task.done():
            call.is_quiet = False
            return None
        return None if flow.task.cancelled() or flow.task.exception() else flow.task.result()

    def go_on(self) -> None:
        """Let everything go on, and judge what came to its end."""
        self.settle()
        done = [call for call in self.calls if call.flow.task and call.flow.task.done()]
        for call in sorted(done, key=_rank):
            self.calls.remove(call)
            task = call.flow.task
            assert task is not None
            error = asyncio.CancelledError() if task.cancelled() else task.exception()
            call.ended(None if error else task.result(), error)

    def drain(self) -> None:
        """Let go of everything that is held."""
        while held := [held for kernel in self.kernels for held in kernel.faults.held]:
            held[0].flow.hold = False
            held[0].gone.set_result(None)
            self.go_on()
        assert not self.calls, [call.flow.name for call in self.calls]

    def kernel(self, number: int) -> Kernel:
        return pick(self.kernels, number // 5).turn(number // 2)

    def spelled(self, number: int) -> str:
        return (
            pick(["budgets", "plans"], number // 3) if self.spelling == "either" else self.spelling
        )

    def _prepared(self, call: Call, fault_mode: str, number: int) -> Call:
        flow = call.flow
        flow.hold = "hold" in fault_mode and len(self.calls) < _MOST_UNDER_WAY
        if "fault" in fault_mode:
            flow.fault = pick([*FAULTS], number)
            flow.fault_at = 2 if "second" in fault_mode else 1
            flow.is_outage = "outage" in fault_mode
        return call

    def _from_threads(self, kernel: Kernel, calls: list[Call]) -> None:
        gate_open = threading.Barrier(len(calls))
        for call in calls:
            kernel.begin(call.flow)
            # What is asked for at the same moment may be one request.
            call.flow.is_joined = call.flow.is_of_thread = True

        def act(call: Call) -> Any:
            FLOW.set(call.flow)
            gate_open.wait()
            assert call.block is not None
            return call.block()

        futures = [_pool().submit(Context.run, copy_context(), act, call) for call in calls]
        ends = [(future.exception(), future) for future in futures]
        FIGURES["threads"] += len(calls)
        ended = zip(calls, ends, strict=True)
        for call, (error, future) in sorted(ended, key=lambda end: _rank(end[0])):
            call.ended(None if error else future.result(), error)

    # -- comparing -------------------------------------------------------------------------------

    def compare_everything(self) -> None:
        """Every list, with and without parameters, and every frame; none of them old."""
        self.world.clock.advance(WINDOW + 1)
        for kernel in self.kernels:
            assert kernel.process.limiter.usage()[1] == 0
            self._compare_lists(kernel, self.world.ids)
        self.world.clock.advance(WINDOW + 1)
        for index in range(len(self.world.ids)):
            # In turns: frames are slow to make, and the lists below them were compared.
            kernel = pick(self.kernels, self.world.version + index)
            for name in list(SHAPES)[self.world.version % 4 :: 4]:
                self._in_time(list_frame(kernel, index, name))
        FIGURES["full comparisons"] += 1

    def _compare_lists(self, kernel: Kernel, ids: list[str]) -> None:
        spelling = self.spelled(kernel.faults.requests)
        for budget_id in ids:
            root = f"/{spelling}/{budget_id}"
            for resource in LISTS:
                self._in_time(raw_read(kernel, f"{root}/{resource}", resource=resource))
            for day in (EARLIEST, MIDDLE):
                url = f"{root}/transactions?since_date={day}"
                self._in_time(raw_read(kernel, url, resource="transactions"))
            self._in_time(raw_read(kernel, f"{root}/payee_locations"))

    def _in_time(self, call: Call) -> None:
        """Make a call that the limit does not deny."""
        if call.kernel.faults.used + _MOST_REQUESTS > call.kernel.faults.threshold:
            self.world.clock.advance(WINDOW + 1)
        self.run(call)
        assert not self.calls


def _rank(call: Call) -> tuple[bool, bool]:
    """Writes first, for reads of the same moment may show them; then what lists are made of."""
    return call.is_read, not call.flow.key.endswith(":export")


def _noted(message: Warning | str, *_: object, **__: object) -> None:
    FLOW.get().notices.append(str(message))


def under(flow: Flow, block: Callable[[], Any]) -> Any:
    FLOW.set(flow)
    return block()


def wait_for(kernel: Kernel) -> None:
    """Until the loop of the blocking calls has done what it had to do."""

    async def nothing() -> None:
        for _ in range(20):
            await asyncio.sleep(0)

    kernel.process.blocking[0]._runner.run(nothing())

"""Anything may happen in any order: what the client gives is what the service has."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from . import device
from .calls import Call
from .faults import FAULTS, Flow
from .figures import FIGURES
from .notebook import LISTS
from .reads import (
    export_read,
    frame_read,
    item_read,
    list_frame,
    list_read,
    pick,
    raw_read,
    reconcile_read,
)
from .service import EARLIEST
from .state_machine_base import StateMachineBase, under, wait_for
from .writes import frame_write, raw_write

_STEPS_BETWEEN = 40
_LONGEST = 600.0
"""Seconds after which other processes take a request for lost."""

picks = st.integers(0, 2**16 - 1)
amounts = st.integers(-300_000, 300_000)
how = st.sampled_from(
    [
        *("", "", "", "", "", "hold", "hold", "hold"),
        *("fault", "second fault", "hold fault", "outage fault"),
    ]
)
ticks = st.sampled_from(
    [0.5, 1.0, 60.0, 149.5, 299.5, 300.0, 300.5, 1800.0, 3599.5, 3600.0, 3600.5]
)


class Trust(StateMachineBase):
    """Notebooks, another device, time, and a service that fails."""

    # -- rules: what the notebooks do ------------------------------------------------------------

    @rule(one=picks, two=picks, fault_mode=how)
    def read_a_list(self, one: int, two: int, fault_mode: str) -> None:
        self.step()
        call = list_read(self.kernel(one), one, two, self.spelled(one))
        self.run(self._prepared(call, fault_mode, one))

    @rule(one=picks, two=picks, fault_mode=how)
    def read_a_list_again(self, one: int, two: int, fault_mode: str) -> None:
        """Of the few that are read most: transactions in full, and categories."""
        self.step()
        resource = pick(["transactions", "categories", "months", "transactions"], two)
        url = f"/{self.spelled(one)}/{self.world.ids[0]}/{resource}"
        if resource == "transactions":
            url += f"?since_date={EARLIEST}"
        call = raw_read(self.kernel(one), url, resource=resource)
        self.run(self._prepared(call, fault_mode, one))

    @rule(one=picks, two=picks, fault_mode=how)
    def read_one(self, one: int, two: int, fault_mode: str) -> None:
        self.step()
        call = item_read(self.kernel(one), one, two, self.spelled(one))
        self.run(self._prepared(call, fault_mode, one))

    @rule(one=picks, two=picks, fault_mode=how)
    def read_a_frame(self, one: int, two: int, fault_mode: str) -> None:
        self.step()
        self.run(self._prepared(frame_read(self.kernel(one), one, two), fault_mode, one))

    @rule(one=picks, two=picks, fault_mode=how)
    def read_a_frame_again(self, one: int, two: int, fault_mode: str) -> None:
        """Of the few that are read most, and the export they are in as well."""
        self.step()
        kernel = self.kernel(one)
        name = pick(["transactions", "categories", "accounts"], two)
        if two % 13 == 1:  # it is slow to make
            self.run(self._prepared(export_read(kernel, 0), fault_mode, one))
        else:
            self.run(self._prepared(list_frame(kernel, 0, name), fault_mode, one))

    @rule(one=picks, two=picks, amount=amounts, what=picks, fault_mode=how)
    def write(self, one: int, two: int, amount: int, what: int, fault_mode: str) -> None:
        self.step()
        call = raw_write(self.kernel(one), (one, two, amount), what, self.spelled(one))
        self.run(self._prepared(call, fault_mode, one))

    @rule(one=picks, two=picks, amount=amounts, what=picks, fault_mode=how)
    def write_from_a_frame(
        self, one: int, two: int, amount: int, what: int, fault_mode: str
    ) -> None:
        self.step()
        call = frame_write(self.kernel(one), (one, two, amount), what)
        self.run(self._prepared(call, fault_mode, one))

    @rule(one=picks, fault_mode=st.sampled_from(["", "", "fault", "second fault", "outage fault"]))
    def reconcile(self, one: int, fault_mode: str) -> None:
        """Hold the transactions to the service's figures; nothing is under way meanwhile."""
        self.step()
        self.drain()
        self.run(self._prepared(reconcile_read(self.kernel(one), 0), fault_mode, one))

    # -- rules: what is under way ----------------------------------------------------------------

    # Without preconditions: threads may change what is under way from one run to the next.

    @rule(one=picks)
    def let_go(self, one: int) -> None:
        held = [held for kernel in self.kernels for held in kernel.faults.held]
        if not held:
            self.read_a_list(one, one // 3, "hold")
        else:
            self.step()
            pick(held, one).gone.set_result(None)
            self.go_on()

    @rule(one=picks)
    def cancel(self, one: int) -> None:
        if not self.calls:
            self.read_a_list_again(one, one // 3, "hold")
            return
        self.step()
        flow = pick(self.calls, one).flow
        flow.is_cancelled = True
        assert flow.task is not None
        flow.task.cancel()
        self.go_on()

    @rule(one=picks, two=picks, amount=amounts)
    def call_from_threads(self, one: int, two: int, amount: int) -> None:
        """Two to four blocking calls at once; one in three of them may be a write."""
        self.step()
        kernel = self.kernel(one)
        calls: list[Call] = []
        for number in range(2 + one % 3):
            if (one + number) % 6 == 0:
                call = frame_write(kernel, (one + number, two, amount), one // 7)
            else:
                call = frame_read(kernel, one // 11 + number * (two % 3), two)
            if two % 5 == 0 and number == 0:
                call.flow.fault = pick([*FAULTS], one)
            calls.append(call)
        self._from_threads(kernel, calls)

    @rule(one=picks, two=picks, amount=amounts)
    def interrupt(self, one: int, two: int, amount: int) -> None:
        """Ctrl-C while a blocking call waits for the service."""
        self.step()
        kernel = self.kernel(one)
        if one % 3 == 0:
            call = frame_write(kernel, (one, two, amount), one // 7)
        else:
            call = frame_read(kernel, one // 11, two)
        call.flow.interrupts = pick(["before", "after"], two // 5)
        kernel.begin(call.flow)
        error: BaseException | None = None
        result = None
        assert call.block is not None
        try:
            result = copy_context().run(under, call.flow, call.block)
        except (Exception, KeyboardInterrupt) as raised:  # noqa: BLE001 - judged below
            error = raised
        copy_context().run(under, Flow("wait"), lambda: wait_for(kernel))
        call.ended(result, error)

    @precondition(lambda self: self.bursts > 0)
    @rule(one=picks)
    def burst(self, one: int) -> None:
        """More requests at once than the limit allows, answered in another order."""
        self.step()
        FIGURES["bursts"] += 1
        self.bursts -= 1
        self.drain()
        kernel = self.kernel(one)
        for _ in range(kernel.faults.threshold - kernel.faults.used + 1 + one % 3):
            call = raw_read(kernel, "/user")
            call.flow.hold = True
            self.run(call)
        assert kernel.faults.used == kernel.faults.threshold
        for _ in range(8):
            if held := kernel.faults.held:
                pick(held, one * 31).gone.set_result(None)
                self.go_on()
        for call in self.calls[one % 5 :: 7]:
            call.flow.is_cancelled = True
            assert call.flow.task is not None
            call.flow.task.cancel()
        self.go_on()
        self.drain()

    # -- rules: what happens elsewhere -----------------------------------------------------------

    @rule(what=picks, one=picks, two=picks, amount=amounts)
    def edit_on_another_device(self, what: int, one: int, two: int, amount: int) -> None:
        self.step()
        FIGURES["edits"] += 1
        device.edit(self.world, what, one, two, amount)

    @rule(what=picks, one=picks, two=picks, amount=amounts)
    def edit_a_few_on_another_device(self, what: int, one: int, two: int, amount: int) -> None:
        self.step()
        FIGURES["edits"] += 3
        for number in range(3):
            device.edit(self.world, what + 7 * number, one + number, two, amount)

    @rule(seconds=ticks)
    def wait(self, seconds: float) -> None:
        self.step()
        self._end_what_would_be_lost(seconds)
        self.world.clock.advance(seconds)

    @rule(one=picks)
    def sleep_over(self, one: int) -> None:
        """Days pass; a month may end, with or without the seconds."""
        self.step()
        days = pick([1, 1, 2, 3, 14, 35], one)
        month = self.world.today.month
        self._end_what_would_be_lost(86_400.0)
        if one % 3:
            self.world.clock.advance(86_400.0 * days)
        if (self.world.today + timedelta(days)).month != month:
            for kernel in self.kernels:
                kernel.month_ended()
        self.world.sandbox.advance(days)
        self.world.note()
        for kernel in self.kernels:
            if self.world.today.month != month:
                kernel.month_ended()

    def _end_what_would_be_lost(self, seconds: float) -> None:
        if seconds > _LONGEST and any(kernel.is_shared for kernel in self.kernels):
            self.drain()

    @precondition(lambda self: self.folder is not None)
    @rule(one=picks)
    def restart(self, one: int) -> None:
        """End one of the processes that share a file; a new one goes on with what is in it."""
        self.step()
        FIGURES["restarts"] += 1
        self.drain()
        self.kernel(one).restart()

    @rule(what=picks, one=picks)
    def forget(self, what: int, one: int) -> None:
        """Drop what is remembered, by one of the ways there are."""
        self.step()
        kernel = self.kernel(one)
        cache, frames = kernel.process.cache, kernel.process.frames
        index = one % len(self.world.ids)
        budget_id = self.world.ids[index]
        resource = pick([*LISTS, "payee_locations"], one // 3)

        def refresh(bf: Any) -> None:
            # Where it knows of no budget yet, it forgets all.
            known = [budget_id] if bf._session.reads.chosen is not None else self.world.ids
            for each in (*known, ""):
                kernel.drop_budget(each)
            bf.refresh()

        def invalidate() -> None:
            kernel.drop(f"{budget_id}:{resource}")
            cache.invalidate(f"{budget_id}:{resource}")

        def invalidate_budget() -> None:
            kernel.drop_budget(budget_id)
            cache.invalidate_budget(budget_id)

        def clear() -> None:
            for each in (*self.world.ids, ""):
                kernel.drop_budget(each)
            cache.clear()

        ways: list[Callable[[], None]] = [
            lambda: refresh(frames[index]),
            invalidate,
            invalidate,
            invalidate_budget,
            clear,
        ]
        pick(ways, what)()

    # -- comparing -------------------------------------------------------------------------------

    @rule(one=picks)
    def compare_lists(self, one: int) -> None:
        """Every list of one notebook, at a moment when nothing is under way."""
        if FIGURES["steps"] - self.compared_at < _STEPS_BETWEEN:
            return
        self.step()
        self.compared_at = FIGURES["steps"]
        self.drain()
        self._compare_lists(self.kernel(one), self.world.ids)

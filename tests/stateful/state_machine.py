"""The state machine: random calls, edits, faults and waits, and comparisons after each call."""

import shutil
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from . import other_device
from .call_runner import CallRunner
from .calls import Call
from .counts import COUNTS
from .expected_frames import EXPECTED_FRAMES, EXPORT_FRAMES
from .notebook import DELTA_LISTS, Notebook
from .package_internals import has_chosen_budget
from .reads import (
    client_read,
    export_read,
    facade_read,
    frame_read,
    item_read,
    list_read,
    pick,
    reconcile_read,
)
from .service import EARLIEST, MIDDLE, WINDOW, Service
from .transport import FAULTS
from .writes import client_write, facade_write

_STEPS_BETWEEN_COMPARISONS = 40
_MAX_SECONDS_UNDER_WAY = 600.0
"""Seconds after which other processes no longer count a request as under way."""
_MAX_HELD_CALLS = 5
_MAX_REQUESTS_OF_READ = 3
"""Requests of one read: the list of budgets, a delta, and the full list."""
_DAY = 86_400.0

numbers = st.integers(0, 2**16 - 1)
amounts = st.integers(-300_000, 300_000)
fault_modes = st.sampled_from([
    *("", "", "", "", "", "hold", "hold", "hold"),
    *("fault", "second fault", "hold fault", "outage fault"),
])  # fmt: skip
durations = st.sampled_from(
    [0.5, 1.0, 60.0, 149.5, 299.5, 300.0, 300.5, 1800.0, 3599.5, 3600.0, 3600.5]
)


class NotebookStateMachine(RuleBasedStateMachine):
    """One service, one or two notebooks, another device, a clock, and faults.

    Each rule takes a few drawn numbers, from which everything that it does is derived.
    """

    @initialize(
        seed=st.integers(0, 1),
        budgets=st.sampled_from([1, 1, 2]),
        thresholds=st.lists(st.sampled_from([200, 200, 60, 12]), min_size=1, max_size=2),
        prefix=st.sampled_from(["budgets", "budgets", "plans", "either"]),
        bursts=st.sampled_from([0, 0, 0, 0, 0, 1]),
        has_schedules=st.sampled_from([True, True, True, False]),
        has_file=st.sampled_from([False, False, False, True]),
        notebook=st.fixed_dictionaries({"ttl": st.sampled_from([300.0, 300.0, 300.0, 0.0]),
                                        "on_limit": st.sampled_from(["raise", "raise", "stale"]),
                                        "has_retries": st.sampled_from([False, False, True])}),
    )  # fmt: skip
    def begin(
        self, *, seed: int, budgets: int, thresholds: list[int], prefix: str, bursts: int,
        has_schedules: bool, has_file: bool, notebook: dict[str, Any],
    ) -> None:  # fmt: skip
        self.service = Service(seed, budgets)
        for budget in self.service.budgets:
            # A deleted split that only an export has seen would be a difference without a reason.
            budget.is_lenient = True
        self.folder = Path(tempfile.mkdtemp(prefix="stateful-")) if has_file else None
        if not has_schedules:
            self.service.device.forget_schedules()
            self.service.record_changes()
        self.notebooks = [
            Notebook(self.service, threshold=threshold, folder=self.folder, **notebook)
            for threshold in thresholds[: 1 if has_file else 2]
        ]
        self.prefix = prefix
        self.bursts = bursts
        self.compared_at = COUNTS["steps"]
        self.runner = CallRunner(self.notebooks)
        COUNTS["examples"] += 1

    def teardown(self) -> None:
        if not hasattr(self, "runner"):
            return
        try:
            if sys.exc_info()[0] is None:
                self.runner.finish_all()
                self._compare_everything()
        finally:
            self._close()

    def _close(self) -> None:
        self.runner.close()
        for notebook in self.notebooks:
            notebook.close()
            transport = notebook.transport
            COUNTS["requests"] += transport.request_count
            most = f"most {transport.threshold}"
            COUNTS[most] = max(COUNTS[most], transport.max_in_window)
            for kind, count in transport.faults_by_kind.items():
                COUNTS[f"fault {kind}"] += count
        self.runner.close_loop()
        self.service.on_change.clear()
        if self.folder is not None:
            shutil.rmtree(self.folder)
        if sys.exc_info()[0] is None:
            assert self.runner.loop_errors == []

    @invariant()
    def count_a_step(self) -> None:
        """Count the steps: Hypothesis calls this after each rule."""
        COUNTS["steps"] += 1

    # -- choices ---------------------------------------------------------------------------------

    def _notebook(self, number: int) -> Notebook:
        """One of the notebooks, with one of its processes selected."""
        return pick(self.notebooks, number // 5).select_process(number // 2)

    def _prefix(self, number: int) -> str:
        is_fixed = self.prefix != "either"
        return self.prefix if is_fixed else pick(["budgets", "plans"], number // 3)

    def _run(self, call: Call, fault_mode: str, number: int) -> None:
        """Run a call; hold its requests or inject a fault, as the mode says."""
        trace = call.trace
        trace.hold = "hold" in fault_mode and len(self.runner.calls) < _MAX_HELD_CALLS
        if "fault" in fault_mode:
            trace.fault = pick([*FAULTS], number)
            trace.fault_at = 2 if "second" in fault_mode else 1
            trace.is_outage = "outage" in fault_mode
        self.runner.run(call)

    # -- rules: calls of the notebooks -----------------------------------------------------------

    @rule(one=numbers, two=numbers, fault_mode=fault_modes)
    def read_a_list(self, one: int, two: int, fault_mode: str) -> None:
        self._run(list_read(self._notebook(one), one, two, self._prefix(one)), fault_mode, one)

    @rule(one=numbers, two=numbers, fault_mode=fault_modes)
    def read_a_list_again(self, one: int, two: int, fault_mode: str) -> None:
        """Read one of a few lists, so that deltas are frequent."""
        resource = pick(["transactions", "categories", "months", "transactions"], two)
        url = f"/{self._prefix(one)}/{self.service.ids[0]}/{resource}"
        if resource == "transactions":
            url += f"?since_date={EARLIEST}"
        self._run(client_read(self._notebook(one), url, resource=resource), fault_mode, one)

    @rule(one=numbers, two=numbers, fault_mode=fault_modes)
    def read_one(self, one: int, two: int, fault_mode: str) -> None:
        self._run(item_read(self._notebook(one), one, two, self._prefix(one)), fault_mode, one)

    @rule(one=numbers, two=numbers, fault_mode=fault_modes)
    def read_a_frame(self, one: int, two: int, fault_mode: str) -> None:
        self._run(facade_read(self._notebook(one), one, two), fault_mode, one)

    @rule(one=numbers, two=numbers, fault_mode=fault_modes)
    def read_a_frame_again(self, one: int, two: int, fault_mode: str) -> None:
        """Read one of a few frames, or the export that contains them."""
        notebook = self._notebook(one)
        name = pick(["transactions", "categories", "accounts"], two)
        if two % 13 == 1:  # rarely, because the export is slow
            self._run(export_read(notebook, 0), fault_mode, one)
        else:
            self._run(frame_read(notebook, 0, name), fault_mode, one)

    @rule(one=numbers, two=numbers, amount=amounts, what=numbers, fault_mode=fault_modes)
    def write(self, one: int, two: int, amount: int, what: int, fault_mode: str) -> None:
        call = client_write(self._notebook(one), (one, two, amount), what, self._prefix(one))
        self._run(call, fault_mode, one)

    @rule(one=numbers, two=numbers, amount=amounts, what=numbers, fault_mode=fault_modes)
    def write_from_a_frame(
        self, one: int, two: int, amount: int, what: int, fault_mode: str
    ) -> None:
        self._run(facade_write(self._notebook(one), (one, two, amount), what), fault_mode, one)

    @rule(
        one=numbers, fault_mode=st.sampled_from(["", "", "fault", "second fault", "outage fault"])
    )
    def reconcile(self, one: int, fault_mode: str) -> None:
        """Compare sums of the transactions with the service's figures, while no call runs."""
        self.runner.finish_all()
        self._run(reconcile_read(self._notebook(one), 0), fault_mode, one)

    # -- rules: calls at the same time -----------------------------------------------------------

    # These rules have no preconditions: with threads, the calls that run may differ when Hypothesis
    # repeats an example, and a precondition must not.

    @rule(one=numbers)
    def release_a_request(self, one: int) -> None:
        held = self.runner.held
        if not held:
            self.read_a_list(one, one // 3, "hold")
        else:
            self.runner.release(pick(held, one))

    @rule(one=numbers)
    def cancel_a_call(self, one: int) -> None:
        if not self.runner.calls:
            self.read_a_list_again(one, one // 3, "hold")
            return
        self.runner.cancel(pick(self.runner.calls, one))
        self.runner.check_finished()

    @rule(one=numbers, two=numbers, amount=amounts)
    def call_from_threads(self, one: int, two: int, amount: int) -> None:
        """Run two to four blocking calls at the same time, some of them writes."""
        notebook = self._notebook(one)
        calls: list[Call] = []
        for number in range(2 + one % 3):
            if (one + number) % 6 == 0:
                call = facade_write(notebook, (one + number, two, amount), one // 7)
            else:
                call = facade_read(notebook, one // 11 + number * (two % 3), two)
            if two % 5 == 0 and number == 0:
                call.trace.fault = pick([*FAULTS], one)
            calls.append(call)
        self.runner.run_in_threads(notebook, calls)

    @rule(one=numbers, two=numbers, amount=amounts)
    def interrupt(self, one: int, two: int, amount: int) -> None:
        """Press Ctrl-C while a blocking call waits for the service."""
        notebook = self._notebook(one)
        if one % 3 == 0:
            call = facade_write(notebook, (one, two, amount), one // 7)
        else:
            call = facade_read(notebook, one // 11, two)
        call.trace.interrupt_at = pick(["before", "after"], two // 5)
        self.runner.run_interrupted(call)

    @precondition(lambda self: self.bursts > 0)
    @rule(one=numbers)
    def burst(self, one: int) -> None:
        """Send more requests at once than the limit allows, and answer them in another order."""
        COUNTS["bursts"] += 1
        self.bursts -= 1
        self.runner.finish_all()
        notebook = self._notebook(one)
        transport = notebook.transport
        for _ in range(transport.threshold - transport.used + 1 + one % 3):
            call = client_read(notebook, "/user")
            call.trace.hold = True
            self.runner.run(call)
        assert transport.used == transport.threshold
        for _ in range(8):
            if held := transport.held:
                self.runner.release(pick(held, one * 31))
        for call in self.runner.calls[one % 5 :: 7]:
            self.runner.cancel(call)
        self.runner.check_finished()
        self.runner.finish_all()

    # -- rules: edits on another device, time, restarts, invalidation ----------------------------

    @rule(what=numbers, one=numbers, two=numbers, amount=amounts)
    def edit_on_another_device(self, what: int, one: int, two: int, amount: int) -> None:
        COUNTS["edits"] += 1
        other_device.edit(self.service, what, one, two, amount)

    @rule(what=numbers, one=numbers, two=numbers, amount=amounts)
    def edit_a_few_on_another_device(self, what: int, one: int, two: int, amount: int) -> None:
        COUNTS["edits"] += 3
        for number in range(3):
            other_device.edit(self.service, what + 7 * number, one + number, two, amount)

    @rule(what=numbers, one=numbers, two=numbers, amount=amounts)
    def refresh_by_export(self, what: int, one: int, two: int, amount: int) -> None:
        """Read the export, edit the budget on another device, and refresh everything at once."""
        if what % 3:  # rarely, because the export is slow
            self.edit_on_another_device(what, one, two, amount)
            return
        self.runner.finish_all()
        notebook = self._notebook(one)
        self._run(export_read(notebook, 0), "", one)
        for number in range(1 + two % 4):
            other_device.edit(self.service, what // 3 + 5 * number, one + number, two, amount)
        self.service.clock.advance(max(notebook.ttl, 1.0))
        for number in range(3):
            self._run(frame_read(notebook, 0, pick([*EXPORT_FRAMES], two + 3 * number)), "", one)
        self._run(export_read(notebook, 0), "", one)
        COUNTS["refreshed by export"] += 1

    @rule(seconds=durations)
    def wait(self, seconds: float) -> None:
        self._finish_calls_before(seconds)
        self.service.clock.advance(seconds)

    @rule(one=numbers)
    def wait_for_days(self, one: int) -> None:
        """Let days pass at the service, in two of three cases on the clients' clock as well."""
        days, month = pick([1, 1, 2, 3, 14, 35], one), self.service.today.month
        self._finish_calls_before(_DAY)
        if one % 3:
            self.service.clock.advance(_DAY * days)
        if (self.service.today + timedelta(days)).month != month:
            for notebook in self.notebooks:
                notebook.invalidate_current_month()
        self.service.sandbox.advance(days)
        self.service.record_changes()
        for notebook in self.notebooks:
            if self.service.today.month != month:
                notebook.invalidate_current_month()

    def _finish_calls_before(self, seconds: float) -> None:
        """Finish all calls if other processes would no longer count their requests."""
        is_shared = any(notebook.is_shared for notebook in self.notebooks)
        if seconds > _MAX_SECONDS_UNDER_WAY and is_shared:
            self.runner.finish_all()

    @precondition(lambda self: self.folder is not None)
    @rule(one=numbers)
    def restart(self, one: int) -> None:
        """End one of two processes that share a cache file, and start another one."""
        COUNTS["restarts"] += 1
        self.runner.finish_all()
        self._notebook(one).restart()

    @rule(what=numbers, one=numbers)
    def invalidate(self, what: int, one: int) -> None:
        """Invalidate cache entries with one of the public methods for that."""
        notebook = self._notebook(one)
        cache, index = notebook.process.cache, one % len(self.service.ids)
        budget_id = self.service.ids[index]
        key = f"{budget_id}:{pick([*DELTA_LISTS, 'payee_locations'], one // 3)}"

        match pick(["refresh", "list", "list", "budget", "everything"], what):
            case "refresh":
                bf = notebook.process.async_facades[index]
                # A facade that does not know the id of its budget yet invalidates everything.
                for each in (*([budget_id] if has_chosen_budget(bf) else self.service.ids), ""):
                    notebook.invalidate_budget(each)
                bf.refresh()
            case "list":
                notebook.invalidate(key)
                cache.invalidate(key)
            case "budget":
                notebook.invalidate_budget(budget_id)
                cache.invalidate_budget(budget_id)
            case _:
                for each in (*self.service.ids, ""):
                    notebook.invalidate_budget(each)
                cache.clear()

    # -- comparisons -----------------------------------------------------------------------------

    @rule(one=numbers)
    def compare_lists(self, one: int) -> None:
        """Compare all lists of one notebook while no call runs, at most every 40 steps."""
        if COUNTS["steps"] - self.compared_at < _STEPS_BETWEEN_COMPARISONS:
            return
        self.compared_at = COUNTS["steps"]
        self.runner.finish_all()
        self._compare_lists(self._notebook(one), self.service.ids)

    def _compare_everything(self) -> None:
        """Compare every list and a quarter of the frames, all of them freshly read."""
        self.service.clock.advance(WINDOW + 1)
        for notebook in self.notebooks:
            assert notebook.process.guard.usage()[1] == 0
            self._compare_lists(notebook, self.service.ids)
        self.service.clock.advance(WINDOW + 1)
        for index in range(len(self.service.ids)):
            # Frames are slow to build, and the lists below them are compared already. So each
            # example compares a quarter of them, in one notebook.
            notebook = pick(self.notebooks, self.service.version + index)
            for name in list(EXPECTED_FRAMES)[self.service.version % 4 :: 4]:
                self._run_below_limit(frame_read(notebook, index, name))
        COUNTS["full comparisons"] += 1

    def _compare_lists(self, notebook: Notebook, ids: list[str]) -> None:
        prefix = self._prefix(notebook.transport.request_count)
        for budget_id in ids:
            root = f"/{prefix}/{budget_id}"
            for resource in DELTA_LISTS:
                call = client_read(notebook, f"{root}/{resource}", resource=resource)
                self._run_below_limit(call)
            for day in (EARLIEST, MIDDLE):
                url = f"{root}/transactions?since_date={day}"
                self._run_below_limit(client_read(notebook, url, resource="transactions"))
            self._run_below_limit(client_read(notebook, f"{root}/payee_locations"))

    def _run_below_limit(self, call: Call) -> None:
        """Run a call; first wait for the next window if the limit may be reached."""
        transport = call.notebook.transport
        if transport.used + _MAX_REQUESTS_OF_READ > transport.threshold:
            self.service.clock.advance(WINDOW + 1)
        self.runner.run(call)
        assert not self.runner.calls

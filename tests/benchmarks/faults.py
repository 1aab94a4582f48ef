"""Print what a user sees after each kind of fault, tried on the embedded service.

Run it with ``python -m tests.benchmarks.faults``; it is not a test.
"""

import io
import sys
import warnings
from contextlib import redirect_stderr
from dataclasses import dataclass

import httpx

from budgetframe import BudgetFrame, BudgetFrameError
from budgetframe._session.on_limit import OnLimit
from budgetframe.sandbox import FaultPlan, Sandbox
from tests.clock import Clock

FAULTS = {
    "limit of 200 reached here": "",
    "429 of the service": "429",
    "500": "500",
    "502, a page of HTML": "html",
    "503, passing": "503@1-2",
    "503, lasting": "503",
    "connection broken": "reset-before",
    "connection broken after the service acted": "reset-after",
    "answer cut off": "cut",
    "401, wrong token": "401",
    "404": "404.2",
}
MODES: tuple[OnLimit, ...] = ("stale", "raise", "wait")
HEADER = ("fault", "older data", *map("on_limit={!r}".format, MODES))
_WIDTH = 100
_DAY = 86_400.0


@dataclass(frozen=True)
class Outcome:
    """The outcome of one read: what the user sees, requests sent, and seconds waited."""

    text: str
    requests: int
    waited: float

    def __str__(self) -> str:
        more = f", {self.requests} requests" if self.requests > 1 else ""
        return f"{self.text}{more}" + (f", {self.waited:.0f} s waited" if self.waited > 1 else "")


def read_with_fault(fault: str, on_limit: OnLimit, *, has_stale_data: bool) -> Outcome:
    """Read a list while the service has this fault."""
    clock = Clock()
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)
        clock.advance(seconds)

    service = Sandbox(clock=clock, limit=10_000, years=1, budgets=1)
    service.faults = FaultPlan(wait=wait)
    bf = BudgetFrame.sandbox(service, on_limit=on_limit, ttl=0)
    bf.settings()
    if has_stale_data:
        bf.accounts()
    clock.advance(_DAY)
    service.advance(1)
    if fault:
        service.faults = FaultPlan([fault], wait=wait)
    else:
        for _ in range(bf.requests.left):
            bf.user()
        clock.advance(600.0)
    before = service.requests_served
    text = _text_of_read(bf)
    # Only the waits of on_limit="wait" count, which are 1 s long. The random pauses before retries
    # (up to 1 and up to 2 s) do not.
    waited = sum(second for second in waits if second == 1.0)
    return Outcome(text, service.requests_served - before, waited)


def _text_of_read(bf: BudgetFrame) -> str:
    with warnings.catch_warnings(record=True) as caught, redirect_stderr(io.StringIO()):
        warnings.simplefilter("always")
        try:
            bf.accounts()
        except (BudgetFrameError, httpx.TransportError) as error:
            return _short(error)
    return _short(caught[0].message) if caught else "the frame"


def _short(message: BaseException | str) -> str:
    text = f"{type(message).__name__}: {message}"
    return text if len(text) < _WIDTH else f"{text[:_WIDTH]}..."


def main() -> int:
    """Print the table."""
    print(f"| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}")
    for name, fault in FAULTS.items():
        for has_stale_data in (False, True):
            cells = [
                str(read_with_fault(fault, mode, has_stale_data=has_stale_data)) for mode in MODES
            ]
            print(f"| {name} | {'there' if has_stale_data else 'none'} | {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What a person sees for each fault, tried out on the embedded service.

Run it with ``python -m tests.benchmarks.faults``; it is no test.
"""

from __future__ import annotations

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
class Seen:
    """What came of one read."""

    text: str
    requests: int
    waited: float

    def __str__(self) -> str:
        more = f", {self.requests} requests" if self.requests > 1 else ""
        return f"{self.text}{more}" + (f", {self.waited:.0f} s waited" if self.waited > 1 else "")


def seen(fault: str, on_limit: OnLimit, *, has_older: bool) -> Seen:
    """Read a list that the fault is in the way of."""
    clock = Clock()
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)
        clock.advance(seconds)

    service = Sandbox(clock=clock, limit=10_000, years=1, budgets=1)
    service.faults = FaultPlan(wait=wait)
    bf = BudgetFrame.sandbox(service, on_limit=on_limit, ttl=0)
    bf.settings()
    if has_older:
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
    text = _outcome(bf)
    # The pauses between tries are drawn at random, up to 1 and 2 seconds.
    waited = sum(second for second in waits if second == 1.0)
    return Seen(text, service.requests_served - before, waited)


def _outcome(bf: BudgetFrame) -> str:
    with warnings.catch_warnings(record=True) as caught, redirect_stderr(io.StringIO()):
        warnings.simplefilter("always")
        try:
            bf.accounts()
        except (BudgetFrameError, httpx.TransportError) as error:
            return _short(error)
    return _short(caught[0].message) if caught else "the frame"


def _short(said: BaseException | str) -> str:
    text = f"{type(said).__name__}: {said}"
    return text if len(text) < _WIDTH else f"{text[:_WIDTH]}..."


def main() -> int:
    """Print the table."""
    print(f"| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}")
    for name, fault in FAULTS.items():
        for has_older in (False, True):
            cells = [str(seen(fault, mode, has_older=has_older)) for mode in MODES]
            print(f"| {name} | {'there' if has_older else 'none'} | {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

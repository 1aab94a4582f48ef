"""Faults on request: their kinds, and the plan that decides which request they hit.

A fault is a row of a plan: a kind, the requests that it matches, and when it hits them. Every row
has its own count of matching requests. If several rows are due, the first one hits.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
import threading
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple, Self

from budgetframe.sandbox.errors import DOCUMENTED_ERRORS, ApiError

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

_FOREVER = sys.maxsize - 1
_LONGEST = 10_000

Wait = Callable[[float], Awaitable[object]]


class Effect(NamedTuple):
    """The effect of a kind of fault."""

    act: Literal["wait", "reset", "cut", "page", "refuse", "drop-field", "rows"]
    applied: bool
    """Whether the service processes the request."""
    detail: str = ""
    """Status of a page, id of an error, name of a field, or what happens to rows."""


def _kinds() -> dict[str, Effect]:
    kinds = {
        "latency": Effect("wait", applied=True), "reset-before": Effect("reset", applied=False),
        "reset-after": Effect("reset", applied=True), "cut": Effect("cut", applied=True),
        "repeat-rows": Effect("rows", applied=True, detail="repeat-rows"),
    }  # fmt: skip
    names = ("drop-row", "drop-first-row", "drop-half")
    dropped = {name: Effect("rows", applied=False, detail=name) for name in names}
    pages = (("html", "502"), ("html-502", "502"), ("html-503", "503"))
    answers = {name: Effect("page", applied=False, detail=status) for name, status in pages}
    for error_id in DOCUMENTED_ERRORS:
        for name in (error_id, ApiError(error_id).body()["error"]["name"]):
            answers[name] = Effect("refuse", applied=False, detail=error_id)
    answers |= dropped
    after = {f"{name}-after": effect._replace(applied=True) for name, effect in answers.items()}
    return kinds | answers | after


KINDS = _kinds()
_DROP_FIELD = re.compile(r"drop-field:([a-z_]+)")


@dataclass(frozen=True, slots=True)
class Fault:
    """One row of a fault plan.

    Parameters
    ----------
    kind
        See Notes.
    path
        Pattern for the path below the base address, without the query. ``*`` matches any
        text, also slashes; ``?`` matches one character.
    method
        Only requests with this method.
    on
        Numbers of the matching requests that are hit, counted from 1; empty for all.
    probability
        Probability that such a request is hit, drawn from the seed of the plan.
    seconds
        Seconds to wait before the fault.

    Notes
    -----
    These are the kinds:

    ``latency``
        The response is `seconds` late.
    ``reset-before``, ``reset-after``
        The connection is reset before, or after, the service has processed the request.
    ``cut``
        The headers announce the whole body, half of the body follows, then the connection ends.
    ``html``, ``html-503``
        An HTML page of a proxy in front of the service, with status 502 or 503.
    an error by its id or name: ``500``, ``503``, ``429``, ``404.2``, ``resource_not_found``, ...
        The documented body.
    ``drop-field:FIELD``
        The service accepts a write and ignores this field of the last row of its body that has it.
    ``drop-row``, ``drop-first-row``, ``drop-half``
        The service accepts a write of several transactions, but ignores the last row, the first
        one, or every second one. With ``-after`` it leaves them out of the answer, but has written
        them.
    ``repeat-rows``
        The answer to a write of several transactions has each row twice.

    With a page or an error the service does not process the request; with the suffix ``-after``
    (``503-after``) it processes the request first.

    Examples
    --------
    >>> lost = Fault("reset-after", "*/transactions", method="POST", on=(2, 3))
    >>> lost.matches("POST", "/budgets/last-used/transactions")
    True
    >>> lost == Fault.parse("reset-after:POST:*/transactions@2,3")
    True
    """

    kind: str
    path: str = "*"
    method: str | None = None
    on: Collection[int] = ()
    probability: float | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS and not _DROP_FIELD.fullmatch(self.kind):
            raise ValueError(f"{self.kind!r} is not a kind of fault: use {_allowed_kinds()}")
        if self.method is not None and self.method not in METHODS:
            raise ValueError(f"method is {self.method!r}: it must be one of {', '.join(METHODS)}")
        if not self.path:
            raise ValueError("path is empty: use * for all paths")
        # The first element of a range is enough: a range without an end is too long.
        first = self.on[:1] if isinstance(self.on, range) else self.on
        if any(turn < 1 for turn in first):
            raise ValueError(f"on contains {min(first)}: requests are counted from 1")
        if self.probability is not None and not 0 <= self.probability <= 1:
            raise ValueError(f"probability is {self.probability}: it must be 0 to 1")
        if not 0 <= self.seconds < float("inf"):
            raise ValueError(f"seconds is {self.seconds}: it must be 0 or more")
        if self.kind == "latency" and not self.seconds:
            raise ValueError("latency needs seconds, as in latency=2.5")

    @property
    def effect(self) -> Effect:
        """The effect of this kind of fault."""
        field = _DROP_FIELD.fullmatch(self.kind)
        return Effect("drop-field", applied=True, detail=field[1]) if field else KINDS[self.kind]

    def matches(self, method: str, path: str) -> bool:
        """Return whether this row matches and counts a request."""
        pattern = self.path if self.path[0] in "/*?[" else f"/{self.path}"
        return self.method in {None, method} and fnmatchcase(path, pattern)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the short form of a fault.

        Parameters
        ----------
        text
            ``KIND[=SECONDS][:METHOD][:PATH][@WHEN]``, where WHEN is a list such as ``1,3``, a
            range ``2-4`` or ``2-``, or a probability ``10%``.

        Raises
        ------
        ValueError
            If the text is not valid; the message says what is allowed.

        Examples
        --------
        >>> fault = Fault.parse("latency=2.5:*/transactions@1,3")
        >>> fault.kind, fault.seconds, fault.method, fault.path, fault.on
        ('latency', 2.5, None, '*/transactions', (1, 3))
        >>> Fault.parse("html@10%").probability
        0.1
        """
        try:
            return cls._parse(text)
        except ValueError as error:
            raise ValueError(f"fault {text!r}: {error}") from None

    @classmethod
    def _parse(cls, text: str) -> Self:
        what, at, when = text.partition("@")
        if at and not when:
            raise ValueError(f"the part after @ is missing: {_WHEN}")
        head, *where = what.split(":")
        if head == "drop-field" and where:
            head += f":{where.pop(0)}"
        method = where.pop(0) if where and where[0] in METHODS else None
        if len(where) > 1:
            raise ValueError(f"{where[0]!r} is not a method: use one of {', '.join(METHODS)}")
        kind, _, seconds = head.partition("=")
        on, probability = _when(when)
        path, wait = where[0] if where else "*", _number(seconds, "seconds") if seconds else 0.0
        return cls(kind, path, method=method, on=on, probability=probability, seconds=wait)


def _allowed_kinds() -> str:
    """Return the list of kinds for error messages; each error has its id and name once."""
    errors = ", ".join(
        f"{error_id} ({ApiError(error_id).body()['error']['name']})"
        for error_id in DOCUMENTED_ERRORS
    )
    return (
        "latency=SECONDS, reset-before, reset-after, cut, html, html-503, drop-field:FIELD, "
        f"drop-row, drop-first-row, drop-half, repeat-rows or an error: {errors}; dropped rows, "
        "pages and errors also with -after"
    )


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} is {text!r}: it must be a number") from None


_TURNS = re.compile(r"(\d{1,9})(?:(-)(\d{1,9})?)?", re.ASCII)
_WHEN = "use 1,3 or 2-4 or 2- or 10%"


def _when(text: str) -> tuple[Collection[int], float | None]:
    if not text:
        return (), None
    if text.endswith("%"):
        return (), _number(text[:-1], "the percentage") / 100
    turns = [_turns(piece, text) for piece in text.split(",")]
    if len(turns) == 1:
        return turns[0], None
    if any(len(each) > _LONGEST for each in turns):
        raise ValueError(f"{text!r} is a list with a range of more than {_LONGEST:,}: use two rows")
    return tuple(sorted({turn for each in turns for turn in each})), None


def _turns(piece: str, text: str) -> range:
    found = _TURNS.fullmatch(piece)
    if found is None:
        raise ValueError(f"{text!r} is not a valid list of requests: {_WHEN}")
    first, dash, last = found.groups()
    end = int(last) if last else _FOREVER if dash else int(first)
    if end < int(first):
        raise ValueError(f"the range {piece!r} ends before it begins")
    return range(int(first), end + 1)


class Injection(NamedTuple):
    """A fault that hit a request."""

    fault: Fault
    method: str
    path: str
    turn: int
    """Number of the request among those that match the row, counted from 1."""


class FaultPlan:
    """A list of faults, and a record of the requests that they hit.

    Parameters
    ----------
    faults
        Rows, each as a `Fault` or in its short form. The first row that is due hits.
    seed
        Seed of the random faults; each row has its own generator.
    wait
        Async function that waits a number of seconds. Tests pass one that returns immediately.

    Attributes
    ----------
    injected
        The faults that happened so far, in the order of the requests.

    Examples
    --------
    >>> plan = FaultPlan(["500:GET:/user@2", Fault("html", probability=0.1)], seed=7)
    >>> plan.draw("GET", "/user"), plan.draw("GET", "/user").kind
    (None, '500')
    >>> [(each.fault.kind, each.turn) for each in plan.injected]
    [('500', 2)]
    """

    def __init__(
        self, faults: Iterable[Fault | str] = (), *, seed: int = 0, wait: Wait = asyncio.sleep
    ) -> None:
        self.faults = tuple(Fault.parse(row) if isinstance(row, str) else row for row in faults)
        self.wait = wait
        self.injected: list[Injection] = []
        self._turns = [0] * len(self.faults)
        self._dice = [
            random.Random(f"{seed} fault {index}")  # noqa: S311 - random faults, not a secret
            for index in range(len(self.faults))
        ]
        self._lock = threading.Lock()

    def draw(self, method: str, path: str) -> Fault | None:
        """Count a request and return the fault that hits it, or None."""
        with self._lock:
            hit: Injection | None = None
            for index, fault in enumerate(self.faults):
                if not fault.matches(method, path):
                    continue
                self._turns[index] += 1
                turn = self._turns[index]
                due = not fault.on or turn in fault.on
                if due and fault.probability is not None:
                    due = self._dice[index].random() < fault.probability
                if due and hit is None:
                    hit = Injection(fault, method, path, turn)
            if hit is None:
                return None
            self.injected.append(hit)
            return hit.fault

"""Faults on request: which ones there are, and whose turn it is.

A fault is a row: what goes wrong, for which requests, and when. Every row counts the requests
that match it by itself; the first row whose turn it is acts.

Kinds
-----
``latency``
    The answer comes `seconds` late.
``reset-before``, ``reset-after``
    The connection is reset before, or after, the service did what was asked.
``cut``
    Status and length are announced, half of the body follows, then the connection ends.
``html``, ``html-503``
    A page of the edge in front of the service: 502, or 503.
an error by its id or name: ``500``, ``503``, ``429``, ``404.2``, ``resource_not_found``, ...
    The documented body.

A page or an error comes instead of doing what was asked; with ``-after`` (``503-after``) the
service did it first.
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

from budgetframe.sandbox.errors import ApiError

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

_FOREVER = sys.maxsize - 1
_LONGEST = 10_000

Wait = Callable[[float], Awaitable[object]]


class Effect(NamedTuple):
    """What a kind of fault does."""

    act: Literal["wait", "reset", "cut", "page", "refuse"]
    applied: bool
    """Whether the service does what was asked."""
    detail: str = ""
    """The status of a page, or the id of an error."""


_ERROR_IDS = (
    *("400", "401", "403.1", "403.2", "403.3", "403.4"),
    *("404.1", "404.2", "409", "429", "500", "503"),
)


def _kinds() -> dict[str, Effect]:
    kinds = {
        "latency": Effect("wait", applied=True),
        "reset-before": Effect("reset", applied=False),
        "reset-after": Effect("reset", applied=True),
        "cut": Effect("cut", applied=True),
    }
    answers = {
        "html": Effect("page", applied=False, detail="502"),
        "html-502": Effect("page", applied=False, detail="502"),
        "html-503": Effect("page", applied=False, detail="503"),
    }
    for error_id in _ERROR_IDS:
        for name in (error_id, ApiError(error_id).body()["error"]["name"]):
            answers[name] = Effect("refuse", applied=False, detail=error_id)
    after = {f"{name}-after": effect._replace(applied=True) for name, effect in answers.items()}
    return kinds | answers | after


KINDS = _kinds()


@dataclass(frozen=True, slots=True)
class Fault:
    """One row of a plan of faults.

    Parameters
    ----------
    kind
        What goes wrong: ``latency``, ``reset-before``, ``reset-after``, ``cut``, ``html``,
        ``html-503``, or an error of the service by id or name; ``-after`` behind a page or an
        error lets the service do first what was asked.
    path
        Pattern for the path below the base address, without its query. ``*`` stands for any
        text, slashes too, ``?`` for one character.
    method
        Only requests with this method.
    on
        Which of the matching requests, the first one being 1; nothing stands for all.
    probability
        How likely each of these is to be hit, as drawn from the seed of the plan.
    seconds
        How long to wait before anything else happens.

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
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is no kind of fault: take {_allowed_kinds()}")
        if self.method is not None and self.method not in METHODS:
            raise ValueError(f"method is {self.method!r}: it must be one of {', '.join(METHODS)}")
        if not self.path:
            raise ValueError("path is empty: * stands for any")
        # A range without an end is not walked through.
        first = self.on[:1] if isinstance(self.on, range) else self.on
        if any(turn < 1 for turn in first):
            raise ValueError(f"on holds {min(first)}: requests are counted from 1")
        if self.probability is not None and not 0 <= self.probability <= 1:
            raise ValueError(f"probability is {self.probability}: it must be 0 to 1")
        if not 0 <= self.seconds < float("inf"):
            raise ValueError(f"seconds is {self.seconds}: it must be 0 or more")
        if self.kind == "latency" and not self.seconds:
            raise ValueError("latency needs seconds, as in latency=2.5")

    @property
    def effect(self) -> Effect:
        """What the kind of this fault does."""
        return KINDS[self.kind]

    def matches(self, method: str, path: str) -> bool:
        """Tell whether a request is one of those that this row counts."""
        pattern = self.path if self.path[0] in "/*?[" else f"/{self.path}"
        return self.method in {None, method} and fnmatchcase(path, pattern)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a fault from its short form.

        Parameters
        ----------
        text
            ``KIND[=SECONDS][:METHOD][:PATH][@WHEN]``, where WHEN is a list such as ``1,3``, a
            range ``2-4`` or ``2-``, or a probability ``10%``.

        Raises
        ------
        ValueError
            If it cannot be read; the message says what is allowed.

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
            raise ValueError(f"nothing follows @ to say when: {_WHEN}")
        head, *where = what.split(":")
        method = where.pop(0) if where and where[0] in METHODS else None
        if len(where) > 1:
            raise ValueError(f"{where[0]!r} is no method: take one of {', '.join(METHODS)}")
        kind, _, seconds = head.partition("=")
        on, probability = _when(when)
        return cls(
            kind,
            where[0] if where else "*",
            method=method,
            on=on,
            probability=probability,
            seconds=_number(seconds, "seconds") if seconds else 0.0,
        )


def _allowed_kinds() -> str:
    """List the kinds, an error under one of its two names only."""
    errors = ", ".join(
        f"{error_id} ({ApiError(error_id).body()['error']['name']})" for error_id in _ERROR_IDS
    )
    return (
        "latency=SECONDS, reset-before, reset-after, cut, html, html-503 "
        f"or an error: {errors}; html and errors also with -after"
    )


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} is {text!r}: it must be a number") from None


_TURNS = re.compile(r"(\d{1,9})(?:(-)(\d{1,9})?)?", re.ASCII)
_WHEN = "1,3 or 2-4 or 2- or 10% does"


def _when(text: str) -> tuple[Collection[int], float | None]:
    if not text:
        return (), None
    if text.endswith("%"):
        return (), _number(text[:-1], "the percentage") / 100
    turns = [_turns(piece, text) for piece in text.split(",")]
    if len(turns) == 1:
        return turns[0], None
    if any(len(each) > _LONGEST for each in turns):
        raise ValueError(f"{text!r} is a list with a long range in it: take two rows")
    return tuple(sorted({turn for each in turns for turn in each})), None


def _turns(piece: str, text: str) -> range:
    found = _TURNS.fullmatch(piece)
    if found is None:
        raise ValueError(f"{text!r} does not say when: {_WHEN}")
    first, dash, last = found.groups()
    end = int(last) if last else _FOREVER if dash else int(first)
    if end < int(first):
        raise ValueError(f"{piece!r} ends before it begins")
    return range(int(first), end + 1)


class Injection(NamedTuple):
    """A fault that happened."""

    fault: Fault
    method: str
    path: str
    turn: int
    """Which of the requests that match the row it was, the first one being 1."""


class FaultPlan:
    """What goes wrong, and a record of what went wrong.

    Parameters
    ----------
    faults
        Rows, each as a `Fault` or in its short form. The first row whose turn it is acts.
    seed
        What random faults are drawn from; each row draws by itself.
    wait
        Awaited with seconds wherever time passes. A test hands in one that returns at once.

    Attributes
    ----------
    injected
        What happened so far, in the order of arrival.

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
            random.Random(f"{seed} fault {index}")  # noqa: S311 - made-up faults, not a secret
            for index in range(len(self.faults))
        ]
        self._lock = threading.Lock()

    def draw(self, method: str, path: str) -> Fault | None:
        """Count a request, and give the fault that hits it."""
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

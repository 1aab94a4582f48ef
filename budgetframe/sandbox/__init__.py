"""The service, embedded: made-up budgets behind the interface of the real one.

It is a second reading of the service's documentation, independent of the client: nothing here
is imported from the rest of the package.
"""

from __future__ import annotations

from budgetframe.sandbox._audit import check_books
from budgetframe.sandbox._device import Device
from budgetframe.sandbox._entries import NewPart
from budgetframe.sandbox._faults import Fault, FaultPlan, Injection
from budgetframe.sandbox._sandbox import Sandbox
from budgetframe.sandbox._server import run, serve

__all__ = [
    "Device",
    "Fault",
    "FaultPlan",
    "Injection",
    "NewPart",
    "Sandbox",
    "check_books",
    "run",
    "serve",
]

"""The service, embedded: made-up budgets behind the interface of the real one.

It is a second reading of the service's documentation, independent of the client: nothing here
is imported from the rest of the package.
"""

from __future__ import annotations

from budgetframe.sandbox.state.editor import NewPart
from budgetframe.sandbox.transport.server import run, serve
from budgetframe.sandbox.web.faults import Fault, FaultPlan, Injection

from .audit import check_books
from .device import Device
from .sandbox import Sandbox

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

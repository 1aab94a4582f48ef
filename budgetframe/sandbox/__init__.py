"""The embedded service: generated budgets with the interface of the real service.

It implements the documentation of the service independently of the client: this package imports
nothing from the rest of `budgetframe`.
"""

from __future__ import annotations

from budgetframe.sandbox.state.transactions import NewPart
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

"""The embedded service: generated budgets with the interface of the real service.

It implements the documentation of the service independently of the client: this package imports
nothing from the rest of `budgetframe`. ``help(Sandbox)`` lists what it does not model.

It contains an invented household over several years with splits, transfers, refunds, a credit card,
a loan, scheduled transactions and goals. Rows record the interest of the loan in euros, but not
that of the loan in yen. Its data are the same on every machine. It counts requests, checks the
token, answers deltas and carries out writes.

``BudgetFrame.sandbox()`` runs it in the same process; its date is fixed. The command ``budgetframe
sandbox`` serves it at ``http://127.0.0.1:8000/v1`` (token ``sandbox-token``) for any client until
the command is stopped; its date is the current day, or the day in ``--today``. ``--transactions
100000 --years 10`` generates a large budget in seconds. ``--faults`` injects faults, so that you
can test how your own program reacts: latency, connections that break before or after a write was
carried out, incomplete bodies, an HTML page instead of JSON, and every documented error;
``budgetframe sandbox --help`` lists them.
"""

from __future__ import annotations

from budgetframe.sandbox.state.transactions import NewPart
from budgetframe.sandbox.transport.server import run, serve
from budgetframe.sandbox.web.faults import Fault, FaultPlan, Injection

from .device import Device
from .sandbox import Sandbox

__all__ = ["Device", "Fault", "FaultPlan", "Injection", "NewPart", "Sandbox", "run", "serve"]


def __dir__() -> list[str]:
    return __all__

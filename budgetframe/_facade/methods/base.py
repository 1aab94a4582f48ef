"""The common bases of the classes with synchronous methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from budgetframe._facade.wait_for import WaitFor
    from budgetframe.reports._shared.report import Report


class Methods:
    """Methods that run the async methods of the same names and wait for their results.

    Each subclass declares the type of `_aio`, for type checkers only.
    """

    def __init__(self, aio: Any, wait_for: WaitFor) -> None:
        self._aio = aio
        self._wait_for = wait_for


class ReportMethods(Methods):
    """Methods that pass the function of a report and their ``locals()`` to `_report`."""

    def _report(self, function: Callable[..., Report], arguments: dict[str, Any]) -> Report:
        # Three frames of this package are between this one and the line of the user.
        coroutine = self._aio._report(function, arguments)  # noqa: SLF001
        report: Report = self._wait_for(coroutine, stacklevel=6)
        return report

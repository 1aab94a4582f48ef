"""The common base of the classes with synchronous methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from budgetframe._facade.wait_for import WaitFor


class Methods:
    """Methods that run the async methods of the same names and wait for their results.

    Each subclass declares the type of `_aio`, for type checkers only.
    """

    def __init__(self, aio: Any, wait_for: WaitFor) -> None:
        self._aio = aio
        self._wait_for = wait_for

"""The common base of the async classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["Base"]

if TYPE_CHECKING:
    from budgetframe._runtime.event_loop import OnLoop
    from budgetframe._session.session import Session


class Base:
    """A session, and the event loop on which its HTTP client runs.

    Parameters
    ----------
    session : Session
        Reads and writes one budget.
    on_loop : OnLoop
        Awaits a coroutine on the event loop of the HTTP client, from any running loop.
    """

    def __init__(self, session: Session, on_loop: OnLoop) -> None:
        self._session = session
        self._on_loop = on_loop

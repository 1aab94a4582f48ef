"""What all parts of the awaitable facade stand on."""

from __future__ import annotations

from budgetframe._bridge import Hop
from budgetframe._session import Session

__all__ = ["Base"]


class Base:
    """A session, and the way to where its HTTP client lives."""

    def __init__(self, session: Session, hop: Hop) -> None:
        self._session = session
        # Where the HTTP client lives on a loop of its own, every call goes there.
        self._hop = hop

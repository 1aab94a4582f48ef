"""Holding the lists that are kept up to date by deltas to the service's own figures."""

from __future__ import annotations

from typing import Any

import httpx

from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe.errors import BudgetFrameError
from budgetframe.reports.reconciliation import Reconciliation, reconcile

from .reads import Answer
from .session import Session

__all__ = ["VerifyingSession", "reconciliation"]

_LEDGER = "transactions"
_FIGURES = ("accounts", "month_categories")


async def reconciliation(
    session: Session, ledger: Answer | None = None, *, settled: str | None = None
) -> tuple[Reconciliation, Answer]:
    """Compare the sums of the transactions with the service's figures, all of this moment.

    Where they differ, both are read again, for somebody may have edited in between; where they
    still do, the transactions are read anew in full, and that is said.

    Parameters
    ----------
    session : Session
        Reads.
    ledger : Snapshot, optional
        The transactions, where they were read just now.
    settled : str, optional
        Summary of a difference for which all was read anew already.

    Returns
    -------
    tuple of Reconciliation and Snapshot
        The comparison, and the transactions it is of.
    """
    ledger = ledger or await session.read_list(_LEDGER, is_new=True)
    result = _compared(session, ledger, await session.read_export(is_new=True))
    if not result.ok and result.summary != settled:
        ledger = await session.read_list(_LEDGER, is_new=True)
        result = _compared(session, ledger, await session.read_export(is_new=True))
    if not result.ok and result.summary != settled:
        differed = result.summary
        session.client.cache.invalidate(ledger.key)
        ledger = await session.read_list(_LEDGER, is_new=True)
        result = _compared(session, ledger, await session.read_export(is_new=True))
        found = "agree now" if result.ok else "still do not agree"
        result.attrs["reread"] = (
            f"the transactions and the service's figures did not agree ({differed}); the"
            f" transactions were read anew, in full, and {found}"
        )
        defer_warning(RuntimeWarning(result.attrs["reread"]))
    return result, ledger


def _compared(session: Session, ledger: Answer, export: Answer) -> Reconciliation:
    service = session.frames_from(export, *_FIGURES)
    booked = session.frames_from(ledger, _LEDGER, "subtransactions")
    result = reconcile(*service.values(), *booked.values())
    result.attrs = booked[_LEDGER].attrs | {"source": f"{export.source} and {ledger.source}"}
    return result


class VerifyingSession(Session):
    """A session that holds the transactions to the service's figures whenever it reads them."""

    # What did not agree, although all was read anew: not to be read anew for once more.
    settled: str | None = None

    async def read_list(self, name: str, **how: Any) -> Answer:
        """One of the lists of the budget, or its part of one month."""
        answer = await super().read_list(name, **how)
        is_whole = name == _LEDGER and how.get("month") is None
        if not (is_whole and answer.is_new) or how.get("is_new"):
            return answer
        try:
            result, answer = await reconciliation(self, answer, settled=self.settled)
            if not result.ok and result.summary == self.settled:
                defer_warning(
                    RuntimeWarning(f"the service's figures still differ: {result.summary}")
                )
            self.settled = None if result.ok else result.summary
        except (BudgetFrameError, httpx.RequestError) as error:
            defer_warning(RuntimeWarning(f"the transactions could not be verified: {error}"))
            return answer
        return answer

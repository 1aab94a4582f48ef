"""Compare the transactions with the service's own figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from budgetframe._cache.deleted_splits import DELETED_SPLITS
from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe.frames.reconciliation import unexplained_differences

if TYPE_CHECKING:
    from budgetframe.frames.reconciliation import Reconciliation

    from .reads import Answer
    from .session import Session

_ROWS = "transactions"
_FIGURES = ("accounts", "month_categories")


async def compare_with_service(
    session: Session, rows: Answer | None = None
) -> tuple[Reconciliation, Answer]:
    """Compare transactions that were read just now, or new ones, with the service's figures."""
    # If they differ, both are read again, because the budget may have been edited in between. If
    # they still differ, the transactions are reloaded in full, and a warning is issued. Differences
    # that an earlier reload did not resolve lead to a warning only. The parts of splits that were
    # deleted since the transactions were last read in full explain a difference. The result has the
    # comparison, and the answer with the compared transactions.
    reads, known = session.reads, session.known_differences
    rows = rows or await reads.read_list(_ROWS, is_new=True)
    result = compare_answers(session, rows, await reads.read_whole_export())
    if not unexplained_differences(result) <= known:
        rows = await reads.read_list(_ROWS, is_new=True)
        result = compare_answers(session, rows, await reads.read_whole_export())
    if not unexplained_differences(result) <= known:
        difference = result.summary
        # The full answer has no deleted rows: what is known of them stays with the session.
        session.deleted_splits |= _deleted_splits(rows.data)
        reads.answers.invalidate([rows.key])
        rows = await reads.read_list(_ROWS, is_new=True)
        result = compare_answers(session, rows, await reads.read_whole_export())
        found = "agree now" if result.ok else "still do not agree"
        result.attrs["reread"] = (
            f"the transactions and the service's figures did not agree ({difference}); the"
            f" transactions were reloaded in full, and they {found}"
        )
        defer_warning(result.attrs["reread"])
    elif not result.ok:
        defer_warning(f"the service's figures still differ: {result.summary}")
    session.known_differences = unexplained_differences(result)
    return result, rows


def compare_answers(session: Session, rows: Answer, export: Answer) -> Reconciliation:
    """Compare the transactions in one answer with the figures in an export."""
    # The package of the reports takes time to import, and a first frame needs none of it.
    from budgetframe.reports.reconciliation import reconcile  # noqa: PLC0415

    figures = session.frames_from(export, *_FIGURES)
    booked = session.frames_from(rows, _ROWS, "subtransactions")
    splits = {**session.deleted_splits, **_deleted_splits(rows.data)}
    there_again = set(booked[_ROWS]["transaction_id"]) if splits else set()
    left = [split for key, split in splits.items() if key not in there_again]
    frames, is_of_app = (*figures.values(), *booked.values()), bool(session.unknown)
    result = reconcile(*frames, deleted_splits=left, available=is_of_app)
    result.attrs = booked[_ROWS].attrs | {"source": f"{export.source} and {rows.source}"}
    return result


def _deleted_splits(data: Mapping[str, Any]) -> dict[Any, Mapping[str, Any]]:
    """The deleted splits beside stored rows, or in a stored export, by their keys."""
    return {row["id"]: row for row in data.get("budget", data).get(DELETED_SPLITS, ())}

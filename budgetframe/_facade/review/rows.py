"""The rows that a review shows: those of frames and changes, with what is suggested for them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from budgetframe._changes.draft import DELETED, AssignedDraft, Draft, of_keys
from budgetframe._runtime.arguments import refused
from budgetframe._runtime.text import number_of
from budgetframe.frames.arrow_tables import in_pandas
from budgetframe.frames.number_text import share_text

if TYPE_CHECKING:
    from budgetframe._changes.draft import Choose
    from budgetframe._facade.aio.changes import AsyncChanges
    from budgetframe._facade.aio.statement import AsyncStatement
    from budgetframe._session.session import Session


class Reviewed(NamedTuple):
    """The rows of a review, and where they come from."""

    draft: Draft
    prepared: AsyncChanges | None = None
    """The changes that were given; they stay the same as long as no row is edited."""
    statement: AsyncStatement | None = None


async def rows_of_frame(
    session: Session,
    what: Any,
    changes_of: Callable[[pd.DataFrame], Awaitable[AsyncChanges]],
    suggestions: Callable[[], Awaitable[pd.DataFrame]],
) -> Reviewed:
    """Read the rows of an edited frame, or those that need attention, with suggested categories."""
    if what is None:
        draft = await Draft.of(session, _needs_attention)
        _suggest_categories(draft, await suggestions())
        return Reviewed(draft)
    frame = in_pandas(what)
    if not isinstance(frame, pd.DataFrame):
        kind = type(what).__name__
        raise refused(f"what is {kind}: pass a frame of transactions, a Statement or Changes")
    report = frame.attrs.get("report")
    if report not in (None, "suggestions", "duplicates"):
        raise refused(f"what has rows of the report {report}: they are no transactions")
    if report is None:
        found = await _of_frame(session, frame, await changes_of(frame))
    else:
        found = Reviewed(await _draft(session, frame))
    if report == "duplicates":
        _suggest_deletions(found.draft, frame)
    else:
        _suggest_categories(found.draft, frame if report else await suggestions())
    return found


def _needs_attention(ledger: pd.DataFrame) -> Any:
    return (~ledger["approved"] | ledger["is_uncategorized"]).to_numpy(bool)


async def _draft(session: Session, frame: pd.DataFrame) -> Draft:
    return await Draft.of(session, of_keys(frame["transaction_id"].dropna()))


async def _of_frame(session: Session, frame: pd.DataFrame, changes: AsyncChanges) -> Reviewed:
    """The rows of a frame; edited cells and new rows are changes that were prepared before."""
    keys = of_keys(frame["transaction_id"].dropna() if "transaction_id" in frame else ())
    if len(changes) or len(changes.conflicts):
        return await rows_of_changes(session, changes, keys)
    if "transaction_id" not in frame:
        raise refused("what has no transactions: pass rows of ledger() or transactions()")
    return Reviewed(await Draft.of(session, keys))


async def rows_of_changes(
    session: Session, changes: AsyncChanges, keys: Choose | None = None
) -> Reviewed:
    """Read the rows or assigned amounts that changes change, and the rows that are chosen."""
    if changes.application.has_begun:
        raise refused("these changes were applied already: .undo() prepares the reverse changes")
    plan, keys = changes.application.plan, of_keys(()) if keys is None else keys
    draft = await AssignedDraft.of_plan(session, plan) or await Draft.of(session, keys, plan)
    return Reviewed(draft, changes)


async def rows_of_statement(session: Session, statement: AsyncStatement) -> Reviewed:
    """Read the rows that are not reconciled; a tick changes the state of those that explain it."""
    frame = statement.frame
    draft = await _draft(session, frame)
    later = {*frame["transaction_id"][frame["is_later"].to_numpy(bool)]}
    sets = statement.explanations.groupby("transaction_id")["set"].agg(list).to_dict()
    for row in draft.rows:
        numbers = sets.get(row.key, ())
        if row.cells["cleared"] == "uncleared" and row.key not in later:
            row.suggestion = {"cleared": "cleared"}
        elif numbers:
            row.suggestion = {"cleared": "uncleared"}
        row.note = f"in set {', '.join(map(str, numbers))}" if numbers else ""
    return Reviewed(draft, statement=statement)


def _suggest_categories(draft: Draft, suggestions: pd.DataFrame) -> None:
    """Suggest the category of the payee's other rows, and the approval of rows with a category."""
    parts = suggestions["subtransaction_id"].astype(object)
    keys = zip(suggestions["transaction_id"], parts.where(parts.notna(), None), strict=True)
    found = {
        key: row
        for key, row in zip(keys, suggestions.to_dict("records"), strict=True)
        if not pd.isna(row["category_id"])
    }
    for row in draft.rows:
        if row.change is not None:
            continue
        suggested = found.get((row.key, row.cells.get("subtransaction_id")))
        edits: dict[str, Any] = {}
        if suggested is not None and "category_id" not in row.fixed:
            edits["category_id"] = suggested["category_id"]
            share = share_text(suggested["share"], draft.currency)
            row.note = f"{number_of(int(suggested['row_count']), 'row')}, {share}"
        if not row.cells["approved"] and (edits or not row.cells["is_uncategorized"]):
            edits["approved"] = True
        row.suggestion = edits


def _suggest_deletions(draft: Draft, pairs: pd.DataFrame) -> None:
    """Suggest the deletion of the row of each pair that is not kept."""
    rows = dict(zip(pairs["transaction_id"], pairs.to_dict("records"), strict=True))
    for row in draft.rows:
        pair: dict[Any, Any] = rows[row.key]
        row.suggestion, row.kept = {DELETED: True}, pair
        kept = f"{pair['kept_date']:%Y-%m-%d} {pair['kept_payee_name'] or ''}".strip()
        row.note = f"{pair['reason']}; {kept} is kept"

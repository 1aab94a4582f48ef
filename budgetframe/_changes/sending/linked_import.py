"""Import the transactions of accounts that are linked to a bank."""

from __future__ import annotations

import httpx
import pandas as pd

from budgetframe._resources import IMPORT
from budgetframe._session.reads import Answer
from budgetframe._session.session import Session
from budgetframe.errors import BudgetFrameError
from budgetframe.frames.tables import TABLES

from .requests import check_may_write, request_of, send, unusable_answer


async def import_linked(session: Session) -> pd.DataFrame:
    """Import the transactions that the banks have delivered, and return the new rows."""
    # If the new rows cannot be read after the import, a note of the error has their keys.
    check_may_write(session)
    data = await send(session, await request_of(session, "POST", IMPORT))
    keys = data.get("transaction_ids")
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise unusable_answer("has no list of the imported transactions")
    answer = Answer("", {"transactions": []}, session.reads.now(), "POST transactions/import")
    frame = TABLES["transactions"].frame(answer.data)
    if keys:
        try:
            answer = await session.read_list("transactions", is_new=True)
            (built,) = session.frames_of({"transactions": answer})
        except (BudgetFrameError, httpx.RequestError) as error:
            error.add_note(
                f"The import was carried out: {len(keys):,} transactions have the keys"
                f" {', '.join(keys)}. Only reading their rows failed: do not import again"
            )
            raise
        frame = built.frame[built.frame["transaction_id"].isin(keys)].reset_index(drop=True)
    frame.attrs = session.attrs_of([answer]) | {"transaction_ids": keys}
    return frame

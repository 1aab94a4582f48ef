"""The rows that ``delete=`` means."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass
from datetime import date

import pandas as pd

from budgetframe._runtime.arguments import refused
from budgetframe._runtime.text import number_of
from budgetframe._session.frame_states import FrameStates
from budgetframe.frames.request_bodies import Keys, keys_of
from budgetframe.frames.schema import deleted_rows

from .frame_kinds import KINDS, TRANSACTIONS, Kind, recognised_frame

__all__ = ["NO_DELETION", "Deletion"]


@dataclass(frozen=True, slots=True)
class Deletion:
    """The rows to delete."""

    kind: Kind | None
    keys: list[str]
    frame: pd.DataFrame | None = None

    @classmethod
    def of(cls, delete: Keys, kind: Kind | None, today: date, states: FrameStates) -> Deletion:
        """Recognise the keys, which are those of the kind if it is given."""
        if not isinstance(delete, pd.DataFrame):
            name = getattr(delete, "name", None)
            found = (
                KINDS["scheduled_transactions"]
                if name == "scheduled_transaction_id"
                else (kind or TRANSACTIONS)
            )
            if isinstance(delete, Sized) and not len(delete):
                return cls(found, [])
            if isinstance(delete, pd.Series) and pd.api.types.is_bool_dtype(delete):
                raise refused("delete= is a mask of True and False: pass the rows, frame[mask]")
            _require_deletable(found)
            return cls(_same(found, kind), keys_of(delete, found.keys[-1]))
        frame, found = recognised_frame(delete, today, states)
        frame = frame[~deleted_rows(frame)]
        if frame.empty:
            return cls(_same(found, kind), [])
        _require_deletable(found)
        keys = keys_of(frame, found.keys[-1])
        _require_whole_splits(frame, states.of(frame.attrs))
        return cls(_same(found, kind), keys, frame)


NO_DELETION = Deletion(None, [])


def _require_deletable(kind: Kind) -> None:
    if not kind.can_create_and_delete:
        raise refused(f"the service cannot delete rows of {kind.table}()")


def _same(found: Kind, kind: Kind | None) -> Kind:
    if kind is not None and found.resource != kind.resource:
        raise refused(
            f"delete= has rows of {found.table}(), but the edited frame has rows of {kind.table}():"
            " pass them in two calls"
        )
    return found


def _require_whole_splits(frame: pd.DataFrame, base: Mapping[str, pd.DataFrame]) -> None:
    """Check that all parts of the splits are deleted, as far as the base has them."""
    rows = base.get("ledger", base.get("subtransactions"))
    if "subtransaction_id" not in frame or rows is None:
        return
    parts = rows[rows["transaction_id"].isin(frame["transaction_id"].dropna()).to_numpy(bool)]
    given = set(frame["subtransaction_id"].dropna())
    missing = [key for key in parts["subtransaction_id"].dropna() if key not in given]
    if missing:
        raise refused(
            f"{number_of(len(missing), 'part of a split is', 'parts of splits are')} not in delete="
            " although another part is"
            f" (first: {missing[0]!r}): the service deletes only whole transactions"
        )

"""The rows that ``delete=`` means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass
from datetime import date
from typing import Any

import pandas as pd

from budgetframe._runtime.arguments import refused
from budgetframe._runtime.text import number_of, printable
from budgetframe._session.frame_states import FrameStates
from budgetframe.frames.money import exact
from budgetframe.frames.number_text import Currency, in_currency
from budgetframe.frames.request_bodies import Keys, keys_of
from budgetframe.frames.schema import deleted_rows

from .frame_kinds import KINDS, TRANSACTIONS, Kind, recognised_frame
from .splits import SplitRule, with_reason

KEPT = ("kept_transaction_id", "kept_date", "amount", "account_id")
"""The columns of the report `duplicates` that say which row of a pair is kept."""
_ONLY_WHOLE = "part of a split: the service deletes only whole transactions"


@dataclass(frozen=True, slots=True)
class Deletion:
    """The rows to delete."""

    kind: Kind | None
    keys: list[str]
    frame: pd.DataFrame | None = None
    skipped: pd.DataFrame | None = None
    """The parts of splits that are left out, because the other parts were not given."""

    @property
    def kept(self) -> dict[str, dict[str, Any]]:
        """The duplicates that are kept, by the keys of the rows to delete: as `Change.kept`."""
        frame = self.frame
        if frame is None or self.kind is not TRANSACTIONS or not {*frame.columns}.issuperset(KEPT):
            return {}
        frame = frame[frame["kept_transaction_id"].notna()]
        fields = {
            "id": frame["kept_transaction_id"],
            "date": pd.to_datetime(frame["kept_date"]).dt.strftime("%Y-%m-%d"),
            "amount": exact(frame),  # that of each row of a pair
            "account_id": frame["account_id"],
        }
        rows = pd.DataFrame(fields).astype(object).to_dict("records")
        return dict(zip(frame["transaction_id"], rows, strict=True))

    @classmethod
    def of(
        cls,
        delete: Keys | None,
        kind: Kind | None,
        today: date,
        states: FrameStates,
        *,
        splits: SplitRule = "error",
        currency: Currency = None,
    ) -> Deletion:
        """Recognise the keys, which are those of the kind if it is given."""
        if delete is None:
            return cls(None, [])
        if not isinstance(delete, pd.DataFrame):
            name = getattr(delete, "name", None)
            is_schedule = name == "scheduled_transaction_id"
            found = KINDS["scheduled_transactions"] if is_schedule else kind or TRANSACTIONS
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
        whole = _has_whole_splits(frame, states.of(frame.attrs))
        skipped = frame[~whole]
        if skipped.empty:
            return cls(_same(found, kind), keys_of(frame, found.keys[-1]), frame)
        if splits != "skip":
            raise _incomplete_splits(skipped, currency)
        frame = frame[whole]
        keys = keys_of(frame, found.keys[-1]) if len(frame) else []
        reasons = [_ONLY_WHOLE] * len(skipped)
        return cls(_same(found, kind), keys, frame, with_reason(skipped, reasons))


def _require_deletable(kind: Kind) -> None:
    if not kind.can_create_and_delete:
        raise refused(f"the service cannot delete rows of {kind.table}()")


def _same(found: Kind, kind: Kind | None) -> Kind:
    if kind is not None and found.resource != kind.resource:
        other = f"the edited frame has rows of {kind.table}(): pass them in two calls"
        raise refused(f"delete= has rows of {found.table}(), but {other}")
    return found


def _has_whole_splits(frame: pd.DataFrame, base: Mapping[str, pd.DataFrame]) -> pd.Series[bool]:
    """Whether the parts of the split of each row are all given, as far as the base has them."""
    rows = base.get("ledger", base.get("subtransactions"))
    if "subtransaction_id" not in frame or rows is None:
        return pd.Series(data=True, index=frame.index)
    parts = rows[rows["transaction_id"].isin(frame["transaction_id"].dropna()).to_numpy(bool)]
    parts = parts[parts["subtransaction_id"].notna().to_numpy(bool)]
    is_given = parts["subtransaction_id"].isin(frame["subtransaction_id"].dropna())
    incomplete = parts.loc[~is_given.to_numpy(bool), "transaction_id"]
    return ~frame["transaction_id"].isin(incomplete)


def _incomplete_splits(parts: pd.DataFrame, currency: Currency) -> Exception:
    """The error for parts of splits without the other parts."""
    shown: dict[str, Callable[[Any], str]] = {
        "date": lambda day: f"{day:%Y-%m-%d}",
        "payee_name": str,
        "amount": lambda amount: in_currency(amount, currency, exact=True),
    }
    first = parts.iloc[0].reindex(list(shown)).dropna()
    cells = [shown[str(name)](cell) for name, cell in first.items()]
    are = "is a part of a split" if len(parts) == 1 else "are parts of splits"
    return refused(
        f"{number_of(len(parts), 'row')} in delete= {are} whose other parts are not in it (first:"
        f" {printable(', '.join(cells))}): the service deletes only whole transactions. In"
        f' bf.changes(), splits="skip" leaves {"it" if len(parts) == 1 else "them"} out; rows of'
        " bf.transactions() are whole transactions"
    )

"""Edited splits, which the service does not change: the error, and the rows that are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from budgetframe._changes.plan import Resource
from budgetframe._changes.state import Names, Row, State
from budgetframe._runtime.arguments import refused
from budgetframe._runtime.text import number_of, printable
from budgetframe._session.written import parts_of
from budgetframe.frames.number_text import in_currency

from .edits import row_keys

if TYPE_CHECKING:
    from budgetframe._changes.collector import BaseRows

    from .frame_kinds import Kind

SplitRule = Literal["error", "replace", "skip"]  # for edited splits that the service cannot change

FORMER_PAYEE = "former_payee_id"  # a column of the changes of the report `payees`
PARTS, SPLITS = ("a part of a split", "parts of splits"), ("a split", "splits")
_OWN_PAYEE = "part of a split: the service cannot change its payee"
_SHOWN = 3  # splits that a message names
_LABELS = {"category_id": "category", "subtransactions": "parts"}
_DATES: Mapping[str, str] = {"transactions": "date", "scheduled_transactions": "date_next"}
_ADVICE_OF_PARTS = frozenset({"amount", "category", "parts"})


class FixedSplit(NamedTuple):
    """The edited rows of one split that the service cannot change."""

    key: str
    rows: Sequence[str]  # the keys of the edited rows: of the transaction, or of its parts
    fields: Sequence[str]  # what the service cannot change
    is_of_parts: bool

    @property
    def reason(self) -> str:
        """Why the rows are left out."""
        what = "part of a split" if self.is_of_parts else "split"
        return f"{what}: the service cannot change its {' and '.join(map(_label, self.fields))}"


def fixed_splits_error(
    splits: Sequence[FixedSplit], state: State, resource: Resource, *, changed_rows: int
) -> Exception:
    """The error for edited splits, with the arguments that work."""
    are_parts = any(each.is_of_parts for each in splits)
    nouns = PARTS if are_parts else SPLITS
    rows = sum(len(each.rows) for each in splits)
    shown = [_shown_split(each.key, each.rows, state) for each in splits[:_SHOWN]]
    more = f"; and {len(splits) - _SHOWN:,} more" if len(splits) > _SHOWN else ""
    labels = list(dict.fromkeys(_label(name) for each in splits for name in each.fields))
    fields = " and ".join(labels)
    is_one = rows == 1
    others = changed_rows - rows
    kept = f" and changes the other {number_of(others, 'row')}" if others else ""
    ways = [f'splits="skip" leaves {"it" if is_one else "them"} out{kept}']
    if resource == "transactions":
        parts = (parts_of(state.rows[split.key]) for split in splits)
        transfers = sum(any(part.get("transfer_account_id") for part in each) for each in parts)
        if not are_parts and _ADVICE_OF_PARTS.intersection(labels):
            inside = ", which keeps a transfer inside" if transfers else ""
            edited = "the rows of bf.ledger() are the parts: edited there, they are changed with"
            ways.insert(0, f'{edited} splits="replace"{inside}')
        again = "the split" if len(splits) == 1 else "the splits"
        as_what = ", with the changed parts" if are_parts else ""
        if labels == ["category"] and not are_parts:
            as_what = ", as one row without parts"
            if transfers:
                splits_with_one = "it" if len(splits) == 1 else number_of(transfers, "split")
                as_what += f", so that the transfer inside {splits_with_one} is lost"
        keys = "a new key" if len(splits) == 1 else "new keys"
        ways.append(
            f'splits="replace" deletes {again} and creates {"it" if len(splits) == 1 else "them"}'
            f" again, with {keys}{as_what}"
        )
    return refused(
        f"{rows:,} of {number_of(changed_rows, 'changed row')} {'is' if is_one else 'are'}"
        f" {nouns[not is_one]} ({'; '.join(shown)}{more}): the service cannot change"
        f" {'its' if is_one else 'their'} {fields}. In bf.changes(), {'; '.join(ways)}"
    )


def _label(field: str) -> str:
    return _LABELS.get(field, field)


def _shown_split(key: str, rows: Sequence[str], state: State) -> str:
    """The date, the payee and the amount of a split, and the amounts of the edited parts."""
    raw = state.rows[key]
    amounts = [
        in_currency(part["amount"], state.currency, exact=True)
        for part in parts_of(raw)
        if part["id"] in rows
    ]
    whole = in_currency(raw["amount"], state.currency, exact=True)
    amount = f"{' and '.join(amounts)} of {whole}" if amounts else whole
    texts = (_day(raw), _payee(raw, state.names), amount)
    return printable(", ".join(text for text in texts if text))


def left_out_rows(
    frame: pd.DataFrame, kind: Kind, splits: Sequence[FixedSplit], state: State
) -> pd.DataFrame:
    """The edited rows that are left out, with a reason; they can be passed to `changes` again."""
    reasons = {key: each.reason for each in splits for key in each.rows}
    keys = row_keys(frame, kind.keys)
    chosen = keys.isin(list(reasons)).to_numpy(bool)
    rows, keys = frame[chosen], keys[chosen]
    owners = {key: state.rows[each.key] for each in splits for key in each.rows}
    # A row that was given by its key and the changed cells does not say what it is.
    known: dict[str, Any] = {
        _DATES[kind.resource]: pd.to_datetime([_day(owners[key]) for key in keys]),
        "payee_name": [_payee(owners[key], state.names) or None for key in keys],
        "amount": [_amount(owners[key], key) for key in keys],
    }
    rows = rows.assign(**{name: cells for name, cells in known.items() if name not in rows})
    return with_reason(rows, [reasons[key] for key in keys])


def without_own_payees(
    frame: pd.DataFrame, state: State, base_rows: BaseRows
) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """The rows of a frame that change a payee, and the parts of splits that keep their own one."""
    # Each row says which payee it had, and has the key of its transaction. A split gets another
    # payee as a whole; a part with a payee of its own keeps it. These parts are returned in the
    # second element, as edited rows of the ledger.
    is_whole: list[bool] = []
    parts: list[tuple[int, Row, Row]] = []
    for at, key in enumerate(frame["transaction_id"]):
        raw, payee = state.rows.get(key, {}), frame[FORMER_PAYEE].iloc[at]
        read = base_rows(key) or raw
        is_whole.append(not parts_of(raw) or read.get("payee_id") == payee)
        own = (part for part in parts_of(raw) if part.get("payee_id") == payee)
        parts += [(at, raw, part) for part in own]
    kept = frame[np.array(is_whole, bool)].drop(columns=FORMER_PAYEE)
    if not parts:
        return kept, []
    others = frame.iloc[[at for at, _, _ in parts]].drop(columns=FORMER_PAYEE)
    others = others.assign(
        date=pd.to_datetime([_day(raw) for _, raw, _ in parts]),
        amount=[part["amount"] for _, _, part in parts],
        subtransaction_id=[part["id"] for _, _, part in parts],
    )
    return kept, [with_reason(others, [_OWN_PAYEE] * len(others))]


def with_reason(rows: pd.DataFrame, reasons: Sequence[str]) -> pd.DataFrame:
    """Rows that are left out: what a person recognises them by, why, and the other columns."""
    first = [name for name in ("date", "date_next", "payee_name", "amount") if name in rows]
    others = [name for name in rows if name not in first]
    found: pd.DataFrame = rows.assign(reason=list(reasons))[[*first, "reason", *others]]
    found.attrs = dict(rows.attrs)
    return found


def _amount(raw: Row, key: str) -> float:
    """The amount of a split, or of the part with this key."""
    amounts: dict[str, Any] = {part["id"]: part["amount"] for part in parts_of(raw)}
    amount: float = amounts[key] if key in amounts else raw["amount"]
    return amount


def _day(raw: Row) -> str:
    return str(raw.get("date") or raw.get("date_next") or "")


def _payee(raw: Row, names: Names) -> str:
    return str(raw.get("payee_name") or names.name("payee", raw.get("payee_id")) or "")

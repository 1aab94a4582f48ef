"""The rows of a ledger that are income, spending, uncategorized or starting balances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .ledger_rows import (
    LEDGER_COLUMNS,
    SPENT_RULE,
    TRANSFER_RULES,
    left_out_rows,
    rows_in_span,
    transfer_mask,
)
from .periods import Span, span_of
from .row_filters import row_filter
from .row_source import numbered
from .sums import required_frame

FLOWS = ("is_income", "is_spending", "is_uncategorized", "is_starting_balance")
"""The flags of the rows of `flow_rows`, whose labels are the positions."""


def flow_rows(  # noqa: PLR0917 - what two reports pass on
    ledger: Any, names: Any, freq: Any, transfers: Any, days: Any, filters: Any
) -> tuple[pd.DataFrame, pd.DataFrame, Span | None, dict[str, Any], list[str]]:
    """The ledger, the rows that count with their ``label``, the span, what is stated, and rules."""
    ledger = required_frame(ledger, LEDGER_COLUMNS, "ledger")
    span = span_of(ledger, "date", *days)
    kept = row_filter([ledger], filters, on_budget=True)
    may_count = transfer_mask(ledger, transfers) & kept.mask(ledger)
    may_count &= ledger["on_budget"].to_numpy(bool)
    masks = [ledger[flag].to_numpy(bool) & may_count for flag in FLOWS]
    label = np.select(masks, range(len(masks)), -1)
    rows = numbered(ledger)[["date", "amount", *names]].assign(label=label)[label >= 0]
    stated = {
        "freq": freq, "span": None if span is None else span.days, "filters": kept.given or None,
        "left_out": left_out_rows(kept.rows(ledger), span, transfers),
    }  # fmt: skip
    rules = [
        "Income: inflow of budget accounts in Inflow: Ready to Assign, including corrections.",
        SPENT_RULE,
        TRANSFER_RULES[transfers],
        "Starting balances are neither income nor spending.",
        *kept.rules,
    ]
    return ledger, rows_in_span(rows, span, freq), span, stated, rules

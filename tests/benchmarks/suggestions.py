"""Count how often a suggested category is the one that a row of an invented budget has.

For each month, the program hides the categories of its rows and suggests them from the earlier
rows. It compares with the category that a payee had most often, whatever the amount. Three kinds of
budgets show different habits: those of the household alone; with additional purchases, whose
category depends only weakly on the payee; and these with the amounts of each payee in another
order, so that an amount states nothing about the category.

Run it with ``python -m tests.benchmarks.suggestions``; it is not a test.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from budgetframe import BudgetFrame
from budgetframe.reports import suggestions
from budgetframe.sandbox import Sandbox

SEEDS = range(1, 5)
BUDGETS = ("Household", "東京の家計")
YEARS = 5
PURCHASES = 6_000  # transactions of the first budget with additional purchases
SHARES = (0.0, 0.5, 0.8, 0.95, 1.0)
COUNT = 3  # least number of rows with the category, for the last column


def ledgers() -> Iterator[tuple[str, pd.DataFrame]]:
    """The ledgers of all budgets, with the kind of the budget."""
    for seed in SEEDS:
        for transactions, budgets in ((None, BUDGETS), (PURCHASES, BUDGETS[:1])):
            service = Sandbox(seed=seed, years=YEARS, transactions=transactions, limit=10_000)
            for budget in budgets:
                with BudgetFrame.sandbox(service, budget=budget, progress=False) as bf:
                    ledger = bf.ledger()
                if transactions is None:
                    yield f"habits of {budget}", ledger
                else:
                    yield "purchases too", ledger
                    yield "purchases, amounts in another order", shuffled(ledger, seed)


def shuffled(ledger: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The ledger with the amounts of the spending at each payee in another order."""
    amounts = ledger["amount"].where(ledger["is_spending"])
    order = np.random.default_rng(seed)
    moved = amounts.groupby(ledger["payee_id"]).transform(order.permutation)
    return ledger.assign(amount=moved.fillna(ledger["amount"]))


def suggested(ledger: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The suggestions for each month, with the hidden category in a column ``truth``."""
    has_category = ledger["is_spending"] | ledger["is_income"]
    ledger = ledger[(has_category & ledger["payee_id"].notna()).to_numpy(bool)]
    months = ledger["date"].dt.to_period("M")
    for month in sorted(months.unique())[1:]:
        rows = ledger[(months <= month).to_numpy(bool)]
        is_hidden = (rows["date"].dt.to_period("M") == month).to_numpy(bool)
        hidden = {name: rows[name] & ~is_hidden for name in ("is_spending", "is_income")}
        found = suggestions(rows.assign(**hidden, is_uncategorized=is_hidden))
        keys = ["transaction_id", "subtransaction_id"]
        truth = rows.loc[is_hidden, [*keys, "payee_id", "category_id"]]
        earlier = rows[~is_hidden].groupby("payee_id")["category_id"].agg(most_frequent)
        usual = truth["payee_id"].map(earlier)
        truth = truth.rename(columns={"category_id": "truth"}).assign(usual=usual)
        yield pd.DataFrame(found).merge(truth, on=keys, validate="one_to_one")


def most_frequent(categories: pd.Series[Any]) -> Any:
    """The most frequent of some categories; of several, the last one."""
    counts = categories.map(categories.value_counts())
    return categories[(counts == counts.max()).to_numpy(bool)].iloc[-1]


def main() -> int:
    """Print the table."""
    found: dict[str, list[pd.DataFrame]] = {}
    for kind, ledger in ledgers():
        found.setdefault(kind, []).extend(suggested(ledger))
    shown = f"{'share':>6} {'suggested':>10} {'correct':>8} {'alone':>8} {f'{COUNT}+ rows':>8}"
    for kind, parts in found.items():
        rows = pd.concat(parts, ignore_index=True)
        print(f"{kind}: {len(rows):,} rows\n{shown}")
        for share in SHARES:
            kept = rows[(rows["row_count"] > 0) & (rows["share"] >= share)]
            is_correct = kept["category_id"] == kept["truth"]
            print(
                f"{share:>6.0%} {len(kept) / len(rows):>10.1%} {is_correct.mean():>8.1%}"
                f" {(kept['usual'] == kept['truth']).mean():>8.1%}"
                f" {is_correct[kept['count'] >= COUNT].mean():>8.1%}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Count how often the balance of invented budgets was inside the band of an earlier forecast.

The program forecasts from earlier days, with the rows up to that day alone and without schedules,
and compares with the balances that followed. It leaves out loans, which have no band, and accounts
whose band has no width, because they would always be inside.

Run it with ``python -m tests.benchmarks.forecast``; it is not a test.
"""

import sys
from collections.abc import Iterator

import pandas as pd

from budgetframe import BudgetFrame
from budgetframe._milliunits import MILLIUNITS
from budgetframe.frames import milliunits
from budgetframe.reports import forecast
from budgetframe.sandbox import Sandbox

YEARS = 8
SEEDS = range(1, 5)
BUDGETS = ("Household", "東京の家計")
MONTHS = 6  # of the median
DAYS = 90
STEP = 37  # days between two forecasts, so that they begin on different days of the month
FORECASTS = 40
HORIZONS = (7, 30, 60, 90)


def forecasts(bf: BudgetFrame) -> Iterator[pd.DataFrame]:
    """Forecasts from earlier days, with the balance that followed in a column ``truth``."""
    ledger, accounts = bf.ledger(), bf.accounts()
    none, no_parts = bf.scheduled_transactions().iloc[:0], bf.scheduled_subtransactions().iloc[:0]
    amounts = milliunits(ledger["amount"]).groupby([ledger["date"], ledger["account_id"]]).sum()
    days = pd.date_range(ledger["date"].min(), accounts.attrs["as_of"][:10])
    balances = amounts.unstack(fill_value=0).reindex(days, fill_value=0).cumsum() / MILLIUNITS
    truth = balances.melt(ignore_index=False, value_name="truth").set_index(
        "account_id", append=True
    )
    for number in range(FORECASTS):
        today = days[-1] - pd.Timedelta(days=DAYS + number * STEP)
        before = ledger[(ledger["date"] <= today).to_numpy(bool)]
        known = balances.loc[today].reindex(accounts["account_id"], fill_value=0)
        then = accounts.assign(balance=known.to_numpy())
        found = forecast(none, no_parts, then, before, typical=MONTHS, days=DAYS, today=today)
        rows = pd.DataFrame(found).join(truth, on=["date", "account_id"])
        yield rows.assign(ahead=(rows["date"] - today).dt.days)


def shares_inside() -> pd.DataFrame:
    """The shares of the balances inside the band, below it and above it, by days ahead."""
    parts = []
    for seed in SEEDS:
        service = Sandbox(seed=seed, years=YEARS, limit=10_000)
        for budget in BUDGETS:
            with BudgetFrame.sandbox(service, budget=budget, progress=False) as bf:
                for rows in forecasts(bf):
                    width = (
                        (rows["high"] - rows["low"]).groupby(rows["account_id"]).transform("max")
                    )
                    is_shown = (width > 0) & rows["ahead"].isin(HORIZONS)
                    parts.append(rows[is_shown.to_numpy(bool)])
    rows = pd.concat(parts, ignore_index=True)
    is_below, is_above = rows["truth"] < rows["low"], rows["truth"] > rows["high"]
    outcome = pd.DataFrame({"below": is_below, "inside": ~is_below & ~is_above, "above": is_above})
    by_ahead = outcome.groupby(rows["ahead"])
    return by_ahead.mean().assign(forecasts=by_ahead.size())


def main() -> int:
    """Print the table."""
    shares = shares_inside()
    print(f"{'days ahead':>10} {'below':>7} {'inside':>7} {'above':>7} {'forecasts':>10}")
    for ahead, row in shares.iterrows():
        print(
            f"{ahead:>10} {row['below']:>7.1%} {row['inside']:>7.1%} {row['above']:>7.1%}"
            f" {row['forecasts']:>10,.0f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Keep Parquet files of a budget up to date: for cron, or any other scheduler.

    BUDGETFRAME_TOKEN=... python refresh_parquet.py --budget "My Budget" FOLDER

Exit status: 0 when all files are new, 1 when something failed; standard error says what.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import httpx

from budgetframe import BudgetFrame, BudgetFrameError

FRAMES = (
    "accounts",
    "categories",
    "months",
    "month_categories",
    "payees",
    "scheduled_transactions",
)


def refresh(bf: BudgetFrame, folder: Path) -> list[str]:
    """Write all frames into the folder, each file whole."""
    found = bf.reconcile()  # reads everything, and holds it to the service's own figures
    if not found.ok:
        raise SystemExit(f"nothing written: {found.summary}")
    frames = {"ledger": bf.ledger(), **{name: getattr(bf, name)() for name in FRAMES}}
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as unfinished:
        for name, frame in frames.items():
            frame.to_parquet(Path(unfinished, f"{name}.parquet"))
        for name in frames:  # all are there: now they take their places
            Path(unfinished, f"{name}.parquet").replace(folder / f"{name}.parquet")
    return [f"{name}.parquet: {len(frame):,} rows" for name, frame in frames.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--budget", help="name or id; not needed for an only one")
    parser.add_argument("--sandbox", action="store_true", help="of the embedded service")
    options = parser.parse_args()
    try:
        # Old data must not pass for new: an error instead, and yesterday's files stay.
        how = {"on_limit": "raise", "progress": sys.stderr.isatty()}
        if options.sandbox:
            connection = BudgetFrame.sandbox(**how)
        else:
            connection = BudgetFrame.connect(budget=options.budget, **how)
        with connection as bf:
            print(*refresh(bf, options.folder), bf.requests, sep="\n")
    except (BudgetFrameError, httpx.HTTPError) as error:
        sys.exit(f"nothing written: {error}")
    except OSError as error:
        sys.exit(f"not all written: {error}")


if __name__ == "__main__":
    main()

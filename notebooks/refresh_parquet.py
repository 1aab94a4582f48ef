"""Keep Parquet files of a budget up to date, from cron or another scheduler.

    BUDGETFRAME_TOKEN=... python refresh_parquet.py --budget "My Budget" FOLDER

Exit status: 0 if all files are new, 1 if something failed; the reason is on standard error.
"""

import argparse
import shutil
import signal
import sys
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
    """Write all frames into the folder. Each file is replaced in one step."""
    check = bf.reconcile()  # reads the whole budget and compares it with the service's own figures
    if not check.ok:
        raise SystemExit(f"nothing written: {check.summary}")
    frames = {"ledger": bf.ledger(), **{name: getattr(bf, name)() for name in FRAMES}}
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / ".refresh_parquet"
    shutil.rmtree(unfinished, ignore_errors=True)  # of a run that was killed
    unfinished.mkdir()
    try:
        for name, frame in frames.items():
            frame.to_parquet(unfinished / f"{name}.parquet")
        for name in frames:  # every file is complete now, so the old ones can be replaced
            (unfinished / f"{name}.parquet").replace(folder / f"{name}.parquet")
    finally:
        shutil.rmtree(unfinished)
    return [f"{name}.parquet: {len(frame):,} rows" for name, frame in frames.items()]


def terminate(*_: object) -> None:
    sys.exit("not all files written: the script was terminated")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--budget", help="name or id; not needed if there is only one budget")
    parser.add_argument("--sandbox", action="store_true", help="use the embedded service")
    options = parser.parse_args()
    # Without this, a script that a scheduler terminates would leave its unfinished files.
    signal.signal(signal.SIGTERM, terminate)
    try:
        # With on_limit="raise" a read never returns old data: it fails, and the files stay.
        settings = {"on_limit": "raise", "progress": sys.stderr.isatty()}
        if options.sandbox:
            connection = BudgetFrame.sandbox(**settings)
        else:
            connection = BudgetFrame.connect(budget=options.budget, **settings)
        with connection as bf:
            print(*refresh(bf, options.folder), bf.requests, sep="\n")
    except (BudgetFrameError, httpx.HTTPError) as error:
        # The notes say what to do, for example how long to wait after too many requests.
        sys.exit(". ".join([f"nothing written: {error}", *getattr(error, "__notes__", [])]))
    except OSError as error:
        sys.exit(f"not all files written: {error}")


if __name__ == "__main__":
    main()

"""Keep Parquet files of a budget up to date, from cron or another scheduler.

    BUDGETFRAME_TOKEN=... python refresh_parquet.py --budget "My Budget" FOLDER

The files of a run are in a folder of their own in FOLDER, and `manifest.json` names them: it changes
in one step when all of them are complete. The set before stays until the next run, for programs that
read it now. Exit status: 0 if the set is new, 75 if only the limit of requests prevents it (run the
script again at the stated time), 1 if something else failed. The reason is on standard error.
"""

import argparse
import json
import re
import shutil
import signal
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from budgetframe import BudgetFrame, BudgetFrameError
from budgetframe.frames import ledger
from budgetframe.reports.reconciliation import reconcile

FRAMES = (
    "ledger",
    "accounts",
    "categories",
    "months",
    "month_categories",
    "payees",
    "scheduled_transactions",
)
PARTS = ("transactions", "subtransactions", "accounts", "categories", "payees")  # of the ledger
RECONCILED = ("accounts", "month_categories", "transactions", "subtransactions")
SET = re.compile(r"set-\w{8}")  # the folders that this script makes
LIMIT = 75  # what "try again later" is for programs that send mail
HOUR = 3600


def refresh(bf, folder):
    """Write a new set of files, and return the content of the manifest."""
    frames = bf.export()  # one request; with a cache folder only for what has changed
    check = reconcile(*(frames[name] for name in RECONCILED))  # with the service's own figures
    if not check.ok:
        raise BudgetFrameError(check.summary)
    frames["ledger"] = ledger(*(frames[name] for name in PARTS))
    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / "manifest.json"
    present = manifest.read_text("utf-8") if manifest.exists() else ""
    for each in folder.iterdir():  # the set before, and that of a run that was killed
        if SET.fullmatch(each.name) and each.is_dir() and each.name not in present:
            shutil.rmtree(each)
    place = Path(tempfile.mkdtemp(prefix="set-", dir=folder))
    try:
        for name in FRAMES:
            frames[name].to_parquet(place / f"{name}.parquet")
        content = {
            "as_of": frames["ledger"].attrs["as_of"],
            "set": place.name,
            "files": {name: f"{place.name}/{name}.parquet" for name in FRAMES},
            "rows": {name: len(frames[name]) for name in FRAMES},
        }
        unfinished = place / "manifest.json"
        unfinished.write_text(json.dumps(content, indent=1), "utf-8")
    except BaseException:
        shutil.rmtree(place)
        raise
    unfinished.replace(manifest)
    return content


def seconds_to_wait(error):
    """The seconds after which the limit allows the run; None if something else failed."""
    if getattr(error, "status_code", None) == httpx.codes.TOO_MANY_REQUESTS:
        return HOUR
    return getattr(error, "retry_after", None)


def failure(error):
    """The exit status and the result of a run that failed."""
    reason = ". ".join([str(error), *getattr(error, "__notes__", [])])
    wait = seconds_to_wait(error)
    if wait is None:
        return 1, {"status": "failed", "reason": reason}
    time = datetime.now(UTC) + timedelta(seconds=wait)
    reason += f". Run the script again at {time:%H:%M} UTC"
    return LIMIT, {"status": "limit", "reason": reason, "retry_after": int(wait)}


def terminate(*_):
    raise InterruptedError("the script was terminated")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--budget", help="name or id; not needed if there is only one budget")
    parser.add_argument("--base-url", help="address of the service")
    parser.add_argument("--cache-dir", help="folder for the answers: a run asks for changes only")
    parser.add_argument("--sandbox", action="store_true", help="use the embedded service")
    parser.add_argument("--json", action="store_true", help="print the result as one line of JSON")
    options = parser.parse_args()
    # Without this, a script that a scheduler terminates would leave its unfinished files.
    signal.signal(signal.SIGTERM, terminate)
    # With on_limit="raise" a read never returns old data: it fails, and the files stay. With ttl=0
    # each run asks, and with a cache folder for what has changed since the last one.
    settings = {"on_limit": "raise", "ttl": 0, "cache_dir": options.cache_dir}
    settings["progress"] = sys.stderr.isatty()
    if options.base_url:
        settings["base_url"] = options.base_url
    connect = BudgetFrame.connect
    if options.sandbox:
        connect = BudgetFrame.sandbox
    elif options.budget:
        settings["budget"] = options.budget
    try:
        with connect(**settings) as bf:
            content = refresh(bf, options.folder)
            status, result = 0, {"status": "ok", **content, "requests": bf.requests.used}
    except (BudgetFrameError, httpx.HTTPError, OSError) as error:
        status, result = failure(error)
    if options.json:
        print(json.dumps(result))
    elif status == 0:
        print(*(f"{name}: {rows:,} rows" for name, rows in result["rows"].items()), sep="\n")
        print(f"{result['requests']} requests, as of {result['as_of']}")
    if status != 0:
        print(f"nothing written: {result['reason']}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())

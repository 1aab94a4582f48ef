"""Kill forget, vacuum, compact and rebuild at random moments, and search all bytes afterwards.

Run it with ``python -m tests.benchmarks.kills_of_erasures [--kills N] [--seed N]``; it is not a
test. After one or two kills and one more call, no file of the lake may contain the id, the name or
a word of the forgotten person, no result of a report may be kept, and the sums of all other budgets
must be those before.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from budgetframe.lake import Lake, Source
from budgetframe.reports import payees
from budgetframe.sandbox import Sandbox, serve
from tests.lake.consistency import check_consistency
from tests.lake.contents import found_in
from tests.lake.readers import READERS, sums_by_reader
from tests.lake.service import EURO, YEN, Service
from tests.limits import forget_limits

CALLS = {
    "forget": "lake.forget(budget)", "vacuum": "lake.vacuum()", "compact": "lake.compact()",
    "rebuild": "lake.rebuild(buckets=5)", "rebuild, as many": "lake.rebuild()",
}  # fmt: skip
PROGRAM = """
import sys
from budgetframe.lake import Lake
folder, budget, call = sys.argv[1:]
lake = Lake(folder, cache_dir=f"{folder}-cache")
lake.status()
print("ready", flush=True)
eval(call)
"""


def run(lake: Lake, budget: str, call: str, seconds: float) -> tuple[float, bool]:
    """Kill a call after so many seconds of its work; how long it ran, and whether it was killed."""
    command = [sys.executable, "-c", PROGRAM, lake._address.uri, budget, call]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603 - our program
        assert process.stdout is not None
        process.stdout.readline()
        start, killed = time.monotonic(), False
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            killed = True
        return time.monotonic() - start, killed


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    sandbox = Sandbox(years=1)
    with tempfile.TemporaryDirectory() as folder, serve(sandbox) as url:
        service, before = Service(sandbox, url), Lake(Path(folder, "before"))
        for _ in range(3):  # the person is in earlier states, too
            before.sync([Source("A", sandbox.token, base_url=url)])
            service.spend(-4.5)
            service.spend(-7.5, YEN)
            forget_limits()
        words = [
            YEN,
            service.id_of(YEN),
            "みずうみ銀行",
            before.frame("payees", budget=YEN)["payee_id"][0],
        ]
        assert [*found_in(before, words)] == words
        others = {"EUR": sums_by_reader(before)["DuckDB"]["EUR"]}
        kills, counts, still_known = 0, Counter[str](), 0
        lasted = dict.fromkeys(CALLS, 0.0)
        while kills < options.kills:
            cache = Path(folder, "lake-cache")
            lake = Lake(shutil.copytree(before._address.uri, Path(folder, "lake")), cache_dir=cache)
            lake.report(payees)
            for name in random.sample(["forget", *CALLS], random.choice((1, 2))):  # noqa: S311 - not for secrets
                limit = random.uniform(0, lasted[name]) if lasted[name] else 600  # noqa: S311
                seconds, killed = run(lake, service.id_of(YEN), CALLS[name], limit)
                lasted[name] = lasted[name] or seconds
                kills += killed
                counts[name] += killed
            known = service.id_of(YEN) in lake.status()["budget_id"].tolist()
            still_known += known
            if known or random.random() < 0.5:  # noqa: S311
                assert lake.forget(service.id_of(YEN)).files_with_id == 0
            else:
                lake.vacuum()
            assert [*cache.rglob("*")] == [cache / "budgetframe-reports"]
            assert found_in(lake, words) == {}, words
            assert sums_by_reader(lake) == dict.fromkeys(READERS, others)
            assert check_consistency(lake) == {service.id_of(EURO)}
            shutil.rmtree(lake._address.uri)
            print(
                f"{kills} kills: {dict(counts)}; {still_known} times it was still known", flush=True
            )


if __name__ == "__main__":
    main()

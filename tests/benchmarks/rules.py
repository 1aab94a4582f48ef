"""Break rules of the package one by one, and print which of them the tests notice.

Run it with ``python -m tests.benchmarks.rules [NUMBER ...]``; it is not a test, and it takes about
an hour. Each rule is a text that stands once in the package. The program looks for it in all files,
so that the file of a rule may move. It changes a copy of the checkout.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Rule(NamedTuple):
    """A rule, its text in the package, the text that breaks it, and the tests that may notice."""

    name: str
    text: str
    broken: str
    tests: str


_TEXT = r"""
@@ only integers are milliunits @@ client frames
-if type(value) is int:
+if type(value) in {int, float}:
@@ fields ending in _balance are money @@ client frames models
-_SUFFIXES = ("_amount", "_balance")
+_SUFFIXES = ("_amount",)
@@ a request as old as the window still counts @@ client
-self._times[0] + self.window_seconds < now
+self._times[0] + self.window_seconds <= now
@@ timeouts of an answer are not repeated @@ client
-httpx.RemoteProtocolError, httpx.ConnectTimeout)
+httpx.RemoteProtocolError, httpx.ConnectTimeout, httpx.ReadTimeout)
@@ only 502-504 are repeated @@ client
-_TEMPORARY = (HTTPStatus.BAD_GATEWAY,
+_TEMPORARY = (HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.BAD_GATEWAY,
@@ a deleted parent deletes its parts in an export @@ cache client
-if row.get(parent_key) in deleted and row["id"] not in known
+if row.get(parent_key) in deleted and row["id"] in known
@@ a moved category is not deleted @@ cache
-locations.setdefault(category["id"], None)
+locations[category["id"]] = None
@@ deleted parts leave a split @@ cache client
-row[field] = [part for part in value if not is_deleted(part)]
+row[field] = list(value)
@@ the last of two rows with one key counts @@ cache client
-old = list({key(row): row for row in old}.values())
+old = list({key(row): row for row in old[::-1]}.values())
@@ a month keeps its categories if a delta lacks them @@ cache client
-row.setdefault(_CATEGORIES, old[_CATEGORIES])
+pass
@@ NaN in an answer is a missing value @@ client
-from_json(content, allow_inf_nan=False), ""
+from_json(content, allow_inf_nan=True), ""
@@ the token is redacted in excerpts @@ client facade
-text = text.replace(form, "***") if form else text
+text = text
@@ the note of a 401 @@ client facade
-elif error.error_id == _NO_SUCH_PATH:
+elif not error.error_id:
@@ a last period that is not over is incomplete @@ reports
-<= min(last, today)) & (starts >= first)
+<= last) & (starts >= first)
@@ quarters begin in January @@ reports
-return (numbers * MONTHS[freq]).astype("datetime64[M]").astype(_US)
+return (numbers * MONTHS[freq] + 1).astype("datetime64[M]").astype(_US)
@@ halves are rounded away from zero @@ reports
-((2 * np.abs(amounts) + units) // (2 * units))
+((2 * np.abs(amounts) + units - 1) // (2 * units))
@@ a missing value equals an empty text in groups @@ reports
-np.asarray(texts == "")
+np.zeros(len(texts), bool)
@@ a hashtag counts once for a row @@ reports
-[*dict.fromkeys(_HASHTAG.findall(folded(memo)))]
+_HASHTAG.findall(folded(memo))
@@ debts by sign of the balance @@ reports
-is_debt = table < 0
+is_debt = table <= 10
@@ the days of a month for age of money @@ reports
-pd.offsets.MonthEnd(1)
+pd.offsets.MonthBegin(1)
@@ payments of a loan @@ reports facade/test_loans.py
-return row.amount > 0 and not row.is_start
+return not row.is_start
@@ interest is rounded @@ reports facade/test_loans.py
-return (2 * owed * rate + _RATE_UNITS * unit) // (2 * _RATE_UNITS * unit) * unit
+return (2 * owed * rate) // (2 * _RATE_UNITS * unit) * unit
@@ recurring: three quarters of the rows must be regular @@ reports
-if 4 * covered >= 3 * len(days)
+if 4 * covered >= 1 * len(days)
@@ recurring: last day of short months @@ reports
-return np.minimum(later.astype("datetime64[D]") + of_month, last)
+return later.astype("datetime64[D]") + of_month
@@ runway needs the whole window @@ reports
-is_known = starts >= np.datetime64
+is_known = ends >= np.datetime64
@@ spending of transactions without a category is optional @@ reports
-counts = counts | ledger["is_uncategorized"]
+counts = counts
@@ the inflow group is internal @@ frames reports
-(categories["category_group_name"] == INTERNAL_GROUP)
+(categories["category_group_name"] != "")
@@ sums beyond 2**53 are refused @@ frames reports
-if largest > MAX_EXACT:
+if largest > 16 * MAX_EXACT:
@@ totals do not overflow @@ frames reports
-if len(numbers) * largest >= _OVERFLOW:
+if len(numbers) * largest >= 16 * _OVERFLOW:
@@ bank rows match within some days @@ changes
-if abs(distance) <= days[key]
+if abs(distance) <= days[key] + 1
@@ covered overspending of cards @@ changes
-uncovered = min(over, max(0, -sum(credit.values())))
+uncovered = over
@@ overspent cash leaves the next month at zero @@ changes
-before = (before if is_income else max(before, 0)) + assigned + activity
+before = before + assigned + activity
@@ a torn line of the journal is completed @@ changes
-content = (b"\n" if is_torn else b"") + line
+content = line
@@ stale answers only when the limit says so @@ facade/test_on_limit.py facade/test_time_to_live.py
-if self.policy.on_limit != "stale":
+if self.policy.on_limit == "error":
@@ an entry ends with its time to live @@ cache facade/test_time_to_live.py
-self.clock() - record.stored < ttl
+self.clock() - record.stored <= ttl
@@ a list of the current month ends with the month @@ cache client facade/test_time_to_live.py
-if now - record.stored < record.ttl and record.month == month:
+if now - record.stored < record.ttl:
@@ damage in the file is noticed @@ cache
-if not isinstance(content, bytes) or checksum != _checksum(*values, content=content):
+if not isinstance(content, bytes):
@@ http only on this machine @@ facade
-if url.scheme != "https" and not (url.scheme == "http" and is_this_machine(base_url)):
+if url.scheme not in ("https", "http"):
@@ unchanged budgets are not written to the lake @@ lake
-changed = [each for each, _ in pending if each.tables is not None]
+changed = [each for each, _ in pending]
@@ a lake reads no version newer than the published @@ lake
-each["timestamp"] / 1000 > at.timestamp()
+each["timestamp"] / 1000 < at.timestamp()
"""
"""Each rule with its name, the tests that may notice it, its text and the text that breaks it."""


def _rules() -> Iterator[Rule]:
    for block in _TEXT.split("\n@@ ")[1:]:
        title, *lines = block.splitlines()
        name, _, tests = title.partition(" @@ ")
        text, broken = (
            "\n".join(line[1:] for line in lines if line.startswith(sign)) for sign in "-+"
        )
        yield Rule(name, text, broken, tests)


RULES = [*_rules()]


def broken_copy(rule: Rule, folder: Path) -> str | None:
    """Copy the checkout with a broken rule; return why this is not possible, if so."""
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".git", ".venv*", "__pycache__"))
    paths = (folder / "budgetframe").rglob("*.py")
    found = {path: path.read_text(encoding="utf-8").count(rule.text) for path in paths}
    if sum(found.values()) != 1:
        return f"its text stands {sum(found.values())} times in the package"
    (path,) = (path for path, count in found.items() if count)
    path.write_text(path.read_text("utf-8").replace(rule.text, rule.broken), encoding="utf-8")
    return None


def result_of(rule: Rule) -> str:
    """Whether the tests notice that a rule is broken, and which test does."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "budgetframe"
        problem = broken_copy(rule, folder)
        if problem is not None:
            return f"not tried: {problem}"
        tests = [f"tests/{each}" for each in rule.tests.split()]
        ended = subprocess.run(  # noqa: S603 - a constant command
            [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests],
            cwd=folder, capture_output=True, encoding="locale", check=False,
        )  # fmt: skip
    failed = [line for line in ended.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if ended.returncode == 0:
        return "NOT NOTICED"
    return f"noticed: {failed[0].split(' - ')[0]}" if failed else f"exit {ended.returncode}"


def main() -> int:
    """Print a line for each rule; return whether a rule was not noticed or not tried."""
    chosen = [int(each) for each in sys.argv[1:]] or range(len(RULES))
    results = []
    for number in chosen:
        results.append(result_of(RULES[number]))
        print(f"{number:2} {RULES[number].name:60} {results[-1]}", flush=True)
    noticed = sum(each.startswith("noticed") for each in results)
    print(f"{noticed} of {len(results)} broken rules were noticed")
    return int(noticed < len(results))


if __name__ == "__main__":
    sys.exit(main())

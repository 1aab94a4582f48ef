"""Count how many planted duplicates `duplicates` finds, and how many other pairs it takes for some.

In budgets of the embedded service, the program plants payments that were recorded twice, of ten
kinds, and pairs that only look like them, of eighteen kinds. It prints the precision and the recall
of all pairs, and the counts by kind. A pair counts as found only if the row to delete is the right
one. Two kinds cannot be told from others by what the rows say: two equal tickets of one day, and a
payment that was entered twice in two categories.

Run it with ``python -m tests.benchmarks.duplicates``; it is not a test.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox

SEEDS = range(1, 5)
BUDGETS = ("Household", "東京の家計")
EACH = 5  # pairs of each kind in a budget
SHOPS = (
    ("Blue Heron Books", "BLUE HERON BOOKS 0042 DE"), ("Amazon Marketplace", "AMZN MKTP DE*2K4"),
    ("Hafen Apotheke", "PAYPAL *HAFEN APOTHEKE"), ("Müller Drogerie", "MUELLER DROGERIE FIL. 88"),
    ("Gasthof Adler", "SumUp *Gasthof Adler"), ("Kino Passage", "KINO PASSAGE GMBH"),
)  # fmt: skip
OTHERS = ("Schuhhaus Kern", "Velo Lang", "Optik Raab")


class Planter:
    """Adds rows to one budget of the service.

    By default, a row is a payment with the day, the amount and the payee that `draw` has chosen.
    """

    def __init__(self, service: Sandbox, budget: str, seed: int) -> None:
        self._service = service
        self._budget = budget
        self._state = service.device.state(budget)
        self._random = random.Random(f"{budget} {seed}")  # noqa: S311 - no secret
        on_budget = [each for each in self._state.accounts.live() if each.on_budget]
        self.accounts = [each for each in on_budget if not each.closed][:3]
        groups = {self._state.internal_group_id, self._state.cards_group_id}
        ordinary = [each for each in self._state.categories.live() if each.group_id not in groups]
        self.categories: list[dict[str, Any]] = [{"category_id": each.id} for each in ordinary]
        self.number = 0
        self.draw()

    def draw(self) -> None:
        """Choose a day of the last two years, an outflow in milliunits, and a payee.

        The day has room for later rows, and every third amount has no cents. The bank has the name
        `raw` for the payee.
        """
        self.day = self._state.today - timedelta(days=self._random.randrange(20, 700))
        cents = self._random.choice((0, 10, 370)) * self._random.randrange(1, 3)
        self.amount = -1000 * self._random.randrange(3, 180) - cents
        self.payee, self.raw = self._random.choice(SHOPS)

    def apart(self) -> int:
        """Up to three days."""
        return self._random.randrange(4)

    def row(self, later: int = 0, payee: str | None = None, **more: Any) -> str:
        """Add a row so many days later and return its key; by default it is not cleared."""
        account = more.pop("account", self.accounts[0])
        if "payee_id" not in more:
            more["payee_name"] = payee or self.payee
        row: dict[str, Any] = {"cleared": "uncleared", "amount": self.amount} | more
        return self._service.device.add_transaction(
            account_id=account.id, date=self.day + timedelta(days=later), budget=self._budget,
            **row,
        )  # fmt: skip

    def rows(self, kind: str, *days: int) -> list[str]:
        """Add rows of a payee that has no others."""
        return [self.row(day, f"{kind} {self.amount}") for day in days]

    def imported(self, later: int = 0, payee: str | None = None, **more: Any) -> str:
        """Add an imported row and return its key."""
        self.number += 1
        text = f"YNAB:{more.get('amount', self.amount)}:{self.day}:{self.number}"
        return self.row(later, payee, **{"import_id": text, "cleared": "cleared"} | more)

    @property
    def to_other(self) -> dict[str, Any]:
        """The payee of a transfer to the second account."""
        return {"payee_id": self.accounts[1].transfer_payee_id}

    def side(self, key: str) -> str:
        """The key of the other side of a transfer."""
        return str(self._state.transactions[key].transfer_transaction_id)


Case = Callable[[Planter], Sequence[str]]
"""Plants one case: the key of the row to delete, and that of the other row."""

RECONCILED: dict[str, Any] = {"cleared": "reconciled"}
DUPLICATES: dict[str, Case] = {
    "imported and entered": lambda to: (to.row(), to.imported(to.apart())),
    "imported under another spelling": lambda to: (to.row(to.apart(), cleared="cleared"),
        to.imported(0, to.raw)),
    "imported with another payee": lambda to: (to.row(), to.imported(to.apart(), OTHERS[0])),
    "imported from two sources": lambda to: (
        to.imported(1, to.raw, import_id=f"bankfeed-{to.number}"), to.imported()),
    "transfer recorded twice": lambda to: (to.row(**to.to_other),
        to.imported(to.apart(), **to.to_other)),
    "transfer beside an imported payment": lambda to: (to.imported(to.apart(), "Umbuchung"),
        to.row(**to.to_other)),
    "entered twice on one day": lambda to: (to.row(**to.categories[1]), to.row(**RECONCILED)),
    "rent entered again": lambda to: to.rows("Landlord", 2, 0, *range(-30, -180, -30))[:2],
    "entered under two spellings": lambda to: (to.row(0, to.raw), to.row(**RECONCILED)),
    "entered twice in two categories": lambda to: (to.row(**to.categories[1]),
        to.row(**to.categories[0], **RECONCILED)),
}  # fmt: skip
NEAR_MISSES: dict[str, Case] = {
    "one cent more": lambda to: (to.row(), to.imported(amount=to.amount - 10)),
    "another account": lambda to: (to.row(), to.imported(account=to.accounts[1])),
    "four days apart": lambda to: (to.row(), to.imported(4)),
    "refund": lambda to: (to.row(), to.imported(amount=-to.amount)),
    "both reconciled": lambda to: (to.row(**RECONCILED), to.imported(**RECONCILED)),
    "equal imports of one day": lambda to: (to.imported(), to.imported()),
    "equal imports of two days": lambda to: (to.imported(), to.imported(1)),
    "coffee every day": lambda to: to.rows("Coffee", *range(6))[:2],
    "two contracts of one payee": lambda to: to.rows(
        "Phone", *(-30 * n - shift for n in range(5) for shift in (0, 1))
    )[:2],
    "two entered payees": lambda to: (to.row(0, OTHERS[0]), to.row(0, OTHERS[1])),
    "another payee that is cleared": lambda to: (
        to.row(0, OTHERS[0], cleared="cleared"), to.imported(0, OTHERS[1]),
    ),
    "two categories of one purchase": lambda to: [to.row(**each) for each in to.categories[:2]],
    "two memos": lambda to: (to.row(memo="Anna"), to.row(memo="Ben")),
    "usual price on two days": lambda to: to.rows("Bus", 0, -2, -9, -20, -26, -45)[:2],
    "transfer and back": lambda to: (
        to.row(**to.to_other), to.row(1, **to.to_other, amount=-to.amount),
    ),
    "two imported transfers": lambda to: [to.imported(**to.to_other) for _ in range(2)],
    "import still to come": lambda to: (
        to.row(5, f"Canteen {to.amount}"),
        [to.imported(day, f"Canteen {to.amount}") for day in range(5)][-1],
    ),
    "two tickets of one day": lambda to: (to.row(), to.row()),
}  # fmt: skip
UNDECIDABLE = {"entered twice in two categories", "two tickets of one day"}


class Counts(NamedTuple):
    """How many planted duplicates were found, and how many pairs that are none, by kind."""

    planted: Counter[str]
    found: Counter[str]
    wrong: Counter[str]

    def precision(self, without: Iterable[str] = ()) -> float:
        """The part of the pairs of the report that were planted as duplicates."""
        wrong = sum(
            count for kind, count in self.wrong.items() if not any(each in kind for each in without)
        )
        return self.found.total() / (self.found.total() + wrong)

    def recall(self, without: Iterable[str] = ()) -> float:
        """The part of the planted duplicates that is in the report."""
        kinds = DUPLICATES.keys() - {*without}
        return sum(self.found[kind] for kind in kinds) / sum(self.planted[kind] for kind in kinds)


def counts(seeds: range = SEEDS, each: int = EACH) -> Counts:
    """Plant the cases in the budgets of these seeds, and compare them with the report."""
    result = Counts(Counter(), Counter(), Counter())
    for seed in seeds:
        service = Sandbox(seed=seed, years=3, limit=10_000)
        for budget in BUDGETS:
            _count(service, budget, seed, each, result)
    return result


def _count(service: Sandbox, budget: str, seed: int, each: int, result: Counts) -> None:
    to, expected, kind_of = Planter(service, budget, seed), dict[Any, str](), dict[str, str]()
    for kind, case in (*DUPLICATES.items(), *NEAR_MISSES.items()) * each:
        to.draw()
        pair = tuple(case(to))
        result.planted[kind] += 1
        kind_of |= dict.fromkeys(pair, kind)
        if kind in DUPLICATES:
            expected[pair] = kind
        if kind == "transfer recorded twice":
            expected[to.side(pair[0]), to.side(pair[1])] = kind
    with BudgetFrame.sandbox(service, budget=budget, progress=False) as bf:
        report = bf.reports.duplicates()
    for pair in zip(report["transaction_id"], report["kept_transaction_id"], strict=True):
        if pair in expected:
            result.found[expected[pair]] += 1
        else:
            kind = " and ".join(kind_of.get(key, "a row of the household") for key in pair)
            result.wrong[kind] += 1


def main() -> int:
    """Print the table."""
    result = counts()
    duplicates = sum(result.planted[kind] for kind in DUPLICATES)
    others = sum(result.planted[kind] for kind in NEAR_MISSES)
    print(f"{duplicates:,} duplicates and {others:,} other pairs")
    for name, without in (("all", ()), ("without the two kinds", UNDECIDABLE)):
        precision, recall = result.precision(without), result.recall(without)
        print(f"{name:22}: precision {precision:.1%}, recall {recall:.1%}")
    for kind in DUPLICATES:
        print(f"{kind:40} {result.found[kind]:>4} of {result.planted[kind]} found")
    for kind in NEAR_MISSES:
        wrong = sum(count for name, count in result.wrong.items() if kind in name)
        print(f"{kind:40} {wrong:>4} of {result.planted[kind]} taken for one")
    print(*(f"{count:4} wrong: {name}" for name, count in result.wrong.items()), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

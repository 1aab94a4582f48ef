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
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Any, NamedTuple

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox

SEEDS = range(1, 5)
BUDGETS = ("Household", "東京の家計")
EACH = 5  # pairs of each kind in a budget
SHOPS = (
    ("Blue Heron Books", "BLUE HERON BOOKS 0042 DE"),
    ("Amazon Marketplace", "AMZN MKTP DE*2K4"),
    ("Hafen Apotheke", "PAYPAL *HAFEN APOTHEKE"),
    ("Müller Drogerie", "MUELLER DROGERIE FIL. 88"),
    ("Gasthof Adler", "SumUp *Gasthof Adler"),
    ("Kino Passage", "KINO PASSAGE GMBH"),
)
OTHERS = ("Schuhhaus Kern", "Velo Lang", "Optik Raab")


class Planter:
    """Adds rows to one budget of the service."""

    def __init__(self, service: Sandbox, budget: str, seed: int) -> None:
        self._service = service
        self._budget = budget
        self._state = service.device.state(budget)
        self._random = random.Random(f"{budget} {seed}")  # noqa: S311 - no secret
        on_budget = [each for each in self._state.accounts.live() if each.on_budget]
        self.accounts = [each for each in on_budget if not each.closed][:3]
        self.number = 0

    def day(self) -> date:
        """A day of the last two years, with room for later rows."""
        return self._state.today - timedelta(days=self._random.randrange(20, 700))

    def apart(self) -> timedelta:
        """Up to three days."""
        return timedelta(days=self._random.randrange(4))

    def amount(self) -> int:
        """An outflow in milliunits; every third one has no cents."""
        whole = self._random.randrange(3, 180)
        return -1000 * whole - self._random.choice((0, 10, 370)) * self._random.randrange(1, 3)

    def shop(self) -> tuple[str, str]:
        """The name of a payee, and the name that the bank has for it."""
        return self._random.choice(SHOPS)

    def row(self, day: date, amount: int, payee: str, **more: Any) -> str:
        """Add a row to the first account and return its key; by default it is not cleared."""
        account = more.pop("account", self.accounts[0])
        more = {"cleared": "uncleared"} | more
        if "payee_id" not in more:
            more["payee_name"] = payee
        return self._service.device.add_transaction(
            account_id=account.id, date=day, amount=amount, budget=self._budget, **more
        )

    def imported(self, day: date, amount: int, payee: str, source: str = "", **more: Any) -> str:
        """Add an imported row and return its key."""
        self.number += 1
        text = f"{source}-{self.number}" if source else f"YNAB:{amount}:{day}:{self.number}"
        return self.row(day, amount, payee, import_id=text, **{"cleared": "cleared"} | more)

    def transfer(self, day: date, amount: int, **more: Any) -> str:
        """Add a transfer to the second account and return the key of the first side."""
        return self.row(day, amount, "", payee_id=self.accounts[1].transfer_payee_id, **more)

    def side(self, key: str) -> str:
        """The key of the other side of a transfer."""
        return str(self._state.transactions[key].transfer_transaction_id)

    def category(self, number: int) -> str:
        """The key of a category."""
        groups = {self._state.internal_group_id, self._state.cards_group_id}
        return [each.id for each in self._state.categories.live() if each.group_id not in groups][
            number
        ]


Case = Callable[[Planter], tuple[str, str]]
"""Plants one case: the key of the row to delete, and that of the other row."""


def imported_and_entered(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    return to.row(day, amount, payee), to.imported(day + to.apart(), amount, payee)


def imported_under_another_spelling(to: Planter) -> tuple[str, str]:
    day, amount, (payee, raw) = to.day(), to.amount(), to.shop()
    entered = to.row(day + to.apart(), amount, payee, cleared="cleared")
    return entered, to.imported(day, amount, raw)


def imported_with_another_payee(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    return to.row(day, amount, payee), to.imported(day + to.apart(), amount, OTHERS[0])


def imported_from_two_sources(to: Planter) -> tuple[str, str]:
    day, amount, (payee, raw) = to.day(), to.amount(), to.shop()
    kept = to.imported(day, amount, payee)
    return to.imported(day + timedelta(days=1), amount, raw, "bankfeed"), kept


def transfer_recorded_twice(to: Planter) -> tuple[str, str]:
    day, amount = to.day(), to.amount()
    return to.transfer(day, amount), to.transfer(
        day + to.apart(), amount, import_id=f"YNAB:{amount}:{day}:t", cleared="cleared"
    )


def transfer_beside_an_imported_payment(to: Planter) -> tuple[str, str]:
    day, amount = to.day(), to.amount()
    kept = to.transfer(day, amount)
    return to.imported(day + to.apart(), amount, "Umbuchung"), kept


def entered_twice_on_one_day(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    kept = to.row(day, amount, payee, cleared="reconciled")
    return to.row(day, amount, payee, category_id=to.category(1)), kept


def rent_entered_again(to: Planter) -> tuple[str, str]:
    payee, amount, start = f"Landlord {to.amount()}", to.amount(), to.day()
    keys = [to.row(start - timedelta(days=30 * n), amount, payee) for n in range(6)]
    return to.row(start + timedelta(days=2), amount, payee), keys[0]


def entered_under_two_spellings(to: Planter) -> tuple[str, str]:
    day, amount, (payee, raw) = to.day(), to.amount(), to.shop()
    return to.row(day, amount, raw), to.row(day, amount, payee, cleared="reconciled")


def entered_twice_in_two_categories(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    kept = to.row(day, amount, payee, cleared="reconciled", category_id=to.category(0))
    return to.row(day, amount, payee, category_id=to.category(1)), kept


def one_cent_more(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    return to.row(day, amount, payee), to.imported(day, amount - 10, payee)


def another_account(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    return to.row(day, amount, payee), to.imported(day, amount, payee, account=to.accounts[1])


def four_days_apart(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    return to.row(day, amount, payee), to.imported(day + timedelta(days=4), amount, payee)


def refund(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    return to.row(day, amount, payee), to.imported(day, -amount, payee)


def both_reconciled(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    state = {"cleared": "reconciled"}
    return to.row(day, amount, payee, **state), to.imported(day, amount, payee, **state)


def equal_imports_of_one_day(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    return to.imported(day, amount, payee), to.imported(day, amount, payee)


def equal_imports_of_two_days(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    return to.imported(day, amount, payee), to.imported(day + timedelta(days=1), amount, payee)


def coffee_every_day(to: Planter) -> tuple[str, str]:
    payee, amount, start = f"Coffee {to.amount()}", to.amount(), to.day()
    keys = [to.row(start + timedelta(days=n), amount, payee) for n in range(6)]
    return keys[0], keys[1]


def two_contracts_of_one_payee(to: Planter) -> tuple[str, str]:
    payee, amount, start = f"Phone {to.amount()}", to.amount(), to.day()
    keys = [
        to.row(start - timedelta(days=30 * n + shift), amount, payee)
        for n in range(5)
        for shift in (0, 1)
    ]
    return keys[0], keys[1]


def two_entered_payees(to: Planter) -> tuple[str, str]:
    day, amount = to.day(), to.amount()
    return to.row(day, amount, OTHERS[0]), to.row(day, amount, OTHERS[1])


def another_payee_that_is_cleared(to: Planter) -> tuple[str, str]:
    day, amount = to.day(), to.amount()
    return to.row(day, amount, OTHERS[0], cleared="cleared"), to.imported(day, amount, OTHERS[1])


def two_categories_of_one_purchase(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    first, second = (to.row(day, amount, payee, category_id=to.category(n)) for n in (0, 1))
    return first, second


def two_memos(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    first, second = (to.row(day, amount, payee, memo=memo) for memo in ("Anna", "Ben"))
    return first, second


def usual_price_on_two_days(to: Planter) -> tuple[str, str]:
    payee, amount, start = f"Bus {to.amount()}", to.amount(), to.day()
    keys = [to.row(start - timedelta(days=n), amount, payee) for n in (0, 2, 9, 20, 26, 45)]
    return keys[0], keys[1]


def transfer_and_back(to: Planter) -> tuple[str, str]:
    day, amount = to.day(), to.amount()
    return to.transfer(day, amount), to.transfer(day + timedelta(days=1), -amount)


def two_imported_transfers(to: Planter) -> tuple[str, str]:
    day, amount = to.day(), to.amount()
    first, second = (
        to.transfer(day, amount, import_id=f"YNAB:{amount}:{day}:{n}", cleared="cleared")
        for n in (1, 2)
    )
    return first, second


def import_still_to_come(to: Planter) -> tuple[str, str]:
    payee, amount, start = f"Canteen {to.amount()}", to.amount(), to.day()
    keys = [to.imported(start + timedelta(days=n), amount, payee) for n in range(5)]
    return to.row(start + timedelta(days=5), amount, payee), keys[-1]


def two_tickets_of_one_day(to: Planter) -> tuple[str, str]:
    day, amount, (payee, _) = to.day(), to.amount(), to.shop()
    return to.row(day, amount, payee), to.row(day, amount, payee)


DUPLICATES: tuple[Case, ...] = (
    *(imported_and_entered, imported_under_another_spelling, imported_with_another_payee),
    *(imported_from_two_sources, transfer_recorded_twice, transfer_beside_an_imported_payment),
    *(entered_twice_on_one_day, rent_entered_again, entered_under_two_spellings),
    entered_twice_in_two_categories,
)
NEAR_MISSES: tuple[Case, ...] = (
    *(one_cent_more, another_account, four_days_apart, refund, both_reconciled),
    *(equal_imports_of_one_day, equal_imports_of_two_days, coffee_every_day),
    *(two_contracts_of_one_payee, two_entered_payees, another_payee_that_is_cleared),
    *(two_categories_of_one_purchase, two_memos, usual_price_on_two_days, transfer_and_back),
    *(two_imported_transfers, import_still_to_come, two_tickets_of_one_day),
)


UNDECIDABLE = {"entered_twice_in_two_categories", "two_tickets_of_one_day"}


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
        kinds = {each.__name__ for each in DUPLICATES} - {*without}
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
    for case in (*DUPLICATES, *NEAR_MISSES) * each:
        pair, kind = case(to), case.__name__
        result.planted[kind] += 1
        kind_of |= dict.fromkeys(pair, kind)
        if case in DUPLICATES:
            expected[pair] = kind
        if "transfer" in kind and case in DUPLICATES and to.side(pair[0]) != "None":
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
    duplicates = sum(result.planted[each.__name__] for each in DUPLICATES)
    others = sum(result.planted[each.__name__] for each in NEAR_MISSES)
    print(f"{duplicates:,} duplicates and {others:,} other pairs")
    for name, without in (("all", ()), ("without the two kinds", UNDECIDABLE)):
        precision, recall = result.precision(without), result.recall(without)
        print(f"{name:22}: precision {precision:.1%}, recall {recall:.1%}")
    for each in DUPLICATES:
        kind = each.__name__
        text = kind.replace("_", " ")
        print(f"{text:40} {result.found[kind]:>4} of {result.planted[kind]} found")
    for each in NEAR_MISSES:
        kind = each.__name__
        text = kind.replace("_", " ")
        wrong = sum(count for name, count in result.wrong.items() if kind in name)
        print(f"{text:40} {wrong:>4} of {result.planted[kind]} taken for one")
    print(*(f"{count:4} wrong: {name}" for name, count in result.wrong.items()), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Count which names of payees are rightly taken for one merchant, on names written by hand.

Each line of `MERCHANTS` has the names of one merchant, as people and banks write them; names of
different lines are different merchants. The program prints how many pairs of names are right,
wrong and missed, and the last two. It also prints how long many names that begin alike take.

Run it with ``python -m tests.benchmarks.payees``; it is not a test.
"""

import random
import string
import sys
import time
from itertools import combinations
from typing import NamedTuple

from budgetframe.reports._shared.merchants import first_alike

MERCHANTS = (
    ("Amazon Marketplace", "AMZN MKTP DE*2K4", "AMZN Mktp DE*RT5K92", "Amazon.de*MK4TG0"),
    ("Amazon Prime", "AMAZON PRIME*9X1"),
    ("Uber", "UBER *TRIP 8H2K"),
    ("Uber Eats", "UBER EATS PENDING"),
    ("Spotify", "PAYPAL *SPOTIFY", "Spotify AB P0B1C2D3"),
    ("Rewe", "REWE SAGT DANKE 0417", "REWE Markt GmbH", "REWE BERLIN MITTE"),
    ("Edeka", "EDEKA CENTER 2290", "Edeka Supermarkt"),
    ("Deutsche Bahn", "DEUTSCHE BAHN AG", "DB Vertrieb GmbH"),
    ("Deutsche Bank",),
    ("Shell", "SHELL 1043 HAMBURG", "Shell Station"),
    ("Shelly's",), ("Bar",), ("Barber",),
    ("Bar Centrale", "BAR CENTRALE 0012 IT"),
    ("Café Zur Mühle", "CAFE ZUR MUEHLE", "Cafe Zur Muhle"),
    ("Café Central", "SumUp *Cafe Central"),
    ("Trader Joe's", "TRADER JOE S #552", "Trader Joes"),
    ("McDonald's", "MCDONALDS 1182", "Mc Donalds"),
    ("Walmart", "WLMRT", "WAL-MART #3302", "Walmart Supercenter"),
    ("Starbucks", "STARBUCKS STORE 04412"),
    ("Apple", "APPLE.COM/BILL"), ("Apple Music",),
    ("Whole Foods Market", "WHOLEFDS MKT 10245", "WHOLE FOODS"),
    ("Müller", "MUELLER 0088", "MULLER GMBH & CO KG"),
    ("The Blue Door", "SQ *BLUE DOOR"),
    ("Blue Bottle Coffee", "SQ *BLUE BOTTLE COFFEE", "TST* Blue Bottle Coff"),
    ("H&M", "H&M 0234 BERLIN", "H & M"),
    ("Bäckerei Schäfer", "BAECKEREI SCHAEFER FIL 7"),
    ("Bäckerei Schulz",),
    ("Northlight Power", "Northlight Pwr", "NORTHLIGHT POWER INC"),
    ("Southwest Airlines", "SOUTHWES 526214"),
    ("みどりスーパー", "みどりスーパー 駅前店"),
    ("Target", "TARGET 00012 SEATTLE"),
    ("Target Optical",), ("Netflix", "NETFLIX.COM"), ("Lidl", "LIDL DIENSTLEISTUNG"),
    ("Lila", "LILA STUDIO"), ("Kiosk 12", "KIOSK 12"), ("Kiosk 99",),
    ("7-Eleven", "7-ELEVEN 33221"),
    ("Stadtwerke Kiel", "STADTWERKE KIEL GMBH"),
    ("Stadtwerke Bonn",), ("Hotel Adler",), ("Hotel Post", "HOTEL POST GMBH"),
)  # fmt: skip


class Result(NamedTuple):
    """The pairs of names that are rightly alike, wrongly alike, and missed."""

    right: list[tuple[str, str]]
    wrong: list[tuple[str, str]]
    missed: list[tuple[str, str]]


def result() -> Result:
    """Compare all pairs of names."""
    found = Result([], [], [])
    named = [(name, number) for number, names in enumerate(MERCHANTS) for name in names]
    for (one, number), (other, other_number) in combinations(named, 2):
        if first_alike((other, one)):
            (found.right if number == other_number else found.wrong).append((one, other))
        elif number == other_number:
            found.missed.append((one, other))
    return found


def seconds(count: int) -> float:
    """The time of the processor for names with few beginnings and random ends."""
    random.seed(1)
    ends = ("".join(random.choices(string.ascii_uppercase, k=6)) for _ in range(count))  # noqa: S311
    names = [("UBER *TRIP ", "AMZN MKTP DE*")[number % 2] + end for number, end in enumerate(ends)]
    start = time.process_time()
    first_alike(names)
    return time.process_time() - start


def main() -> int:
    """Print the figures."""
    found = result()
    names = sum(map(len, MERCHANTS))
    print(
        f"{names} names of {len(MERCHANTS)} merchants: {len(found.right)} pairs right,"
        f" {len(found.wrong)} wrong, {len(found.missed)} missed"
    )
    for title in ("wrong", "missed"):
        print(*(f"{title}: {one} | {other}" for one, other in getattr(found, title)), sep="\n")
    for count in (500, 1_000, 2_000, 4_000):
        print(f"{count:,} names that begin alike: {seconds(count):.3f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())

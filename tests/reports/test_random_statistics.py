"""Averages, windows and unusual amounts of random ledgers, against plain Python."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from statistics import median
from typing import Any

import pandas as pd
import pytest

from budgetframe.reports import spending, unusual
from tests.programs import programs
from tests.reports.rows import ledger_frame, lines, row

MONTHS = [f"{number // 12}-{number % 12 + 1:02}" for number in range(2023 * 12, 2026 * 12 + 6)]
SEEDS = pytest.mark.parametrize("seed", programs(4))


def books(seed: int) -> tuple[Random, pd.DataFrame, list[Any]]:
    """A ledger, and its rows: month, category, payee, signed amount in milliunits and key."""
    random = Random(seed)  # noqa: S311 - no secret
    months, sizes = MONTHS[random.randrange(41) :], random.sample(range(1, 60_000), 6)
    given = [row(f"{months[0]}-01", -1.0, "food")]
    for _ in range(90):
        day, unit = f"{random.choice(months)}-{random.randint(1, 17):02}", random.choice((1, 1000))
        amount = random.choice((-1, -1, 1)) * random.choice(sizes) / unit
        payee = random.choice(("market", "market", "cafe", None))
        given.append(row(day, amount, random.choice(("food", "fun", None)), payee_id=payee))
    frame = ledger_frame(*given)
    names = ("date", "category_id", "payee_name", "amount", "transaction_id")
    rows = [
        (day[:7], group if group in ("food", "fun") else None, payee, round(amount * 1000), key)
        for day, group, payee, amount, key in lines(frame, *names)
    ]
    return random, frame, rows


def mean(sizes: Sequence[int], average: str) -> float:
    """An average in currency units, rounded to thousandths, halves away from zero."""
    cut = 0 if average == "all" else max(len(sizes) // 10, int(len(sizes) > 4))
    cut = (len(sizes) - 1) // 2 if average == "median" else cut
    middle = sorted(sizes)[cut : len(sizes) - cut]
    found = Fraction(sum(middle), len(middle))
    found = Fraction(median(sizes)) if average == "median" else found
    return (-1 if found < 0 else 1) * int(abs(found) + Fraction(1, 2)) / 1000


@SEEDS
def test_averages_and_windows_equal_those_of_plain_python(seed: int) -> None:
    random, frame, rows = books(seed)
    length, first = random.randint(1, 14), min(month for month, *_ in rows)
    columns = [f"{name}_{length}" for name in ("mean", "median", "low", "high")]
    for average in ("all", "median", "trimmed"):
        found = spending(frame, freq="month", average=average, window=length)
        shown = lines(found, "category_id", "period", "average", *columns)
        for category, day, own_mean, *window in shown:
            sums = {month: 0 for month in MONTHS[:-1] if month >= first}  # June is not complete
            for month, own, _, amount, _ in rows:
                if own == category and month in sums:
                    sums[month] -= amount
            sizes = [*sums.values()] or [-sum(each[3] for each in rows if each[1] == category)]
            assert own_mean == mean(sizes, average)
            last = [size for month, size in sums.items() if month <= day[:7]][-length:]
            ends = [min(last, default=0) / 1000, max(last, default=0) / 1000]
            expected = [mean(last, "all"), mean(last, "median"), *ends] if sums else []
            assert window == (expected if len(last) == length else [None] * 4)


@SEEDS
def test_unusual_amounts_equal_those_of_plain_python(seed: int) -> None:
    random, frame, rows = books(seed)
    least, factor, expected = random.randint(3, 12), random.randint(1, 9), {}
    for _, category, payee, amount, key in rows:
        few = True
        both = [(category, payee)] if category and payee else []
        for wanted in filter(any, [*both, (None, payee), (category, None)]):
            same = [
                abs(size)
                for _, *names, size, _ in rows
                if (size > 0) == (amount > 0)
                and all(want in (None, name) for want, name in zip(wanted, names, strict=True))
            ]
            usual = Fraction(median(same))
            deviation = max(Fraction(median(abs(size - usual) for size in same)), usual / 20)
            distance = abs(abs(amount) - usual)
            if all(wanted) and len(same) > 1:
                few = distance > factor * deviation
            if len(same) >= least:
                if few and distance > factor * deviation:
                    expected[key] = float(distance / deviation), len(same)
                break
    found = unusual(frame, least=least, factor=factor)
    shown = lines(found, "transaction_id", "times", "row_count")
    assert {key: tuple(more) for key, *more in shown} == expected
    assert found["times"].is_monotonic_decreasing

"""The smallest sets of numbers with a sum: all of them, and in the stated order."""

import random
from collections.abc import Sequence
from itertools import combinations
from math import comb

import pytest

from budgetframe.reports._shared.subset_sums import minimal_sets, smallest_sets

Sets = list[tuple[int, ...]]


def by_brute_force(
    numbers: Sequence[int], distances: Sequence[int], total: int, count: int
) -> Sets:
    """Every set, one after the other."""
    every = [
        (size, sum(distances[each] for each in chosen), chosen)
        for size in range(1, len(numbers) + 1)
        for chosen in combinations(range(len(numbers)), size)
        if sum(numbers[each] for each in chosen) == total
    ]
    return [chosen for *_, chosen in sorted(every)][:count]


@pytest.mark.parametrize(
    ("numbers", "distances", "total", "expected"),
    [([], [], 5, []), ([5], [0], 5, [(0,)]), ([5], [0], 0, []),
     ([4, 1, 5, -1, 6], [0, 0, 0, 0, 0], 5, [(2,), (0, 1), (3, 4), (1, 2, 3), (0, 1, 3, 4)][:3]),
     ([5, 5, 5], [2, 0, 1], 5, [(1,), (2,), (0,)]),
     ([3, 3, 2, 2], [1, 0, 1, 2], 5, [(1, 2), (0, 2), (1, 3)]),
     ([1, 1, 1, 1], [7, 7, 7, 7], 2, [(0, 1), (0, 2), (0, 3)])],
    ids=["none", "one", "empty set", "fewest first", "nearest first", "sum of days", "positions"],
)  # fmt: skip
def test_three_sets(numbers: list[int], distances: list[int], total: int, expected: Sets) -> None:
    assert smallest_sets(numbers, distances, total, 3) == expected


def test_minimal_sets_contain_no_other_one() -> None:
    """Two rows that cancel each other explain nothing: here 7 and -7, and 2 and -2."""
    numbers, minimal = [5, 7, 2, -2, -7, 3, 2], [(0,), (1, 3), (2, 5), (5, 6)]
    assert smallest_sets(numbers, [0] * 7, 5, 5) == [*minimal, (0, 1, 4)]
    assert minimal_sets(numbers, [0] * 7, 5, 10) == (minimal, True)
    assert minimal_sets([5, *[10, -10] * 8, 2, 3], [0] * 19, 5, 10) == ([(0,), (17, 18)], False)


def test_random_minimal_sets_are_those_of_all_sets() -> None:
    rng = random.Random(30)  # noqa: S311 - for a test
    for _ in range(60):
        size, largest = rng.randint(1, 8), rng.choice([2, 5, 50])  # at most 255 sets
        numbers = [rng.randint(-largest, largest) for _ in range(size)]
        total = sum(rng.sample(numbers, rng.randint(0, size)))
        every = by_brute_force(numbers, [0] * size, total, 255)
        expected = [each for each in every if not any({*other} < {*each} for other in every)]
        assert minimal_sets(numbers, [0] * size, total, 10)[0] == expected[:10]


def test_ten_sets_of_forty_equal_numbers() -> None:
    assert comb(40, 20) == 137_846_528_820  # so many sets have the sum
    found = smallest_sets([-1000] * 40, [39 - each for each in range(40)], -20_000, 10)
    # The twenty nearest ones, and then the sets in which one or more are further away.
    assert found[0] == (*range(20, 40),)
    assert found[1] == (19, *range(21, 40))
    assert found[2:4] == [(18, *range(21, 40)), (19, 20, *range(22, 40))]
    assert [sum(39 - each for each in chosen) for chosen in found] == [
        190, 191, 192, 192, 193, 193, 193, 194, 194, 194,
    ]  # fmt: skip


def test_one_set_of_all_of_forty_numbers() -> None:
    powers = [2**each for each in range(40)]
    assert smallest_sets(powers, [0] * 40, 2**40 - 1, 10) == [(*range(40),)]
    assert smallest_sets(powers, [0] * 40, 2**39 + 2**20 + 2**19 + 1, 10) == [(0, 19, 20, 39)]
    assert smallest_sets(powers, [0] * 40, 2**40, 10) == []


def test_five_numbers_of_one_half_come_before_six_of_both() -> None:
    numbers = [1, 1, 1, 1, 1, 100, -99, 1000, 1000, 1000]
    assert smallest_sets(numbers, [0] * 10, 5, 2) == [(0, 1, 2, 3, 4), (0, 1, 2, 3, 5, 6)]
    assert smallest_sets(numbers, [0] * 10, 5, 1) == [(0, 1, 2, 3, 4)]


def test_random_numbers_have_the_sets_that_every_subset_shows() -> None:
    rng = random.Random(29)  # noqa: S311 - for a test
    for _ in range(150):
        size, largest, furthest = rng.randint(1, 10), rng.choice([1, 2, 5, 50]), rng.choice([1, 9])
        numbers = [rng.randint(-largest, largest) for _ in range(size)]
        distances = [rng.randint(0, furthest) for _ in range(size)]
        total = sum(rng.sample(numbers, rng.randint(0, size)))
        for count in (1, 2, 10):
            expected = by_brute_force(numbers, distances, total, count)
            assert smallest_sets(numbers, distances, total, count) == expected

"""The sets of numbers that have a given sum: exactly, and in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

MOST_NUMBERS = 40  # numbers up to which the search ends within seconds
MOST_SETS = 500  # sets among which those are searched that contain no other one
_FIRST_SIZES = (4, 6, 8)  # sets up to these sizes are searched first, which takes less time


def minimal_sets(
    numbers: Sequence[int], distances: Sequence[int], total: int, count: int
) -> tuple[list[tuple[int, ...]], bool]:
    """The first sets with a sum of which none contains another one; whether all were searched."""
    # A set that contains another one also has numbers whose sum is zero. The search ends with
    # `count` sets, or after `MOST_SETS` of all sets.
    for searched in (count, min(10 * count, MOST_SETS), MOST_SETS):
        found = smallest_sets(numbers, distances, total, searched)
        minimal: list[tuple[int, ...]] = []
        for each in found:  # the smaller ones come first
            if not any({*known} <= {*each} for known in minimal):
                minimal.append(each)
        if len(minimal) >= count or len(found) < searched:
            break
    return minimal[:count], len(found) < searched


def smallest_sets(
    numbers: Sequence[int], distances: Sequence[int], total: int, count: int
) -> list[tuple[int, ...]]:
    """The first sets of numbers with a sum, as their positions."""
    # The sets with the fewest numbers come first, then those with the smallest sum of distances,
    # then those with the smallest positions, which are compared one by one. The empty set is no
    # result. Each half of the numbers has at most about a million sets. Of all sets of a half with
    # the same sum, only the first `count` can be in a result, because the order of two of them
    # stays the same beside any set of the other half. There are at most `MOST_NUMBERS` numbers,
    # each below 2**51; no distance is negative.
    least, most = (sum(each for each in numbers if (each > 0) == sign) for sign in (False, True))
    if not least <= total <= most:
        return []
    middle = len(numbers) // 2
    parts = slice(None, middle), slice(middle, None)
    found: list[tuple[int, ...]] = []
    for size in (*_FIRST_SIZES, len(numbers)):
        left, right = (_sets_of(numbers[part], distances[part], size) for part in parts)
        found = _first_pairs(left, right, total, count)
        if len(found) == count and len(found[-1]) <= size:
            break
        if size >= len(numbers) - middle:  # each half had all its sets
            break
    return found


class _Sets(NamedTuple):
    """Sets of the numbers of a half."""

    sums: Any
    ranks: Any  # the smaller one comes first
    numbers: int  # how many numbers the half has

    def with_sums(self, wanted: Any) -> tuple[_Sets, Any]:
        """The sets with these sorted sums by rank, and the position of the first of each sum."""
        at = np.minimum(np.searchsorted(wanted, self.sums), len(wanted) - 1)
        kept = wanted[at] == self.sums
        sums, ranks = self.sums[kept], self.ranks[kept]
        order = np.lexsort((ranks, sums))
        return _Sets(sums[order], ranks[order], self.numbers), np.flatnonzero(_is_new(sums[order]))

    def positions(self, at: int) -> tuple[int, ...]:
        """The positions of the numbers of a set."""
        bits = int(_members(self.ranks[at]))
        return tuple(each for each in range(self.numbers) if bits >> (self.numbers - 1 - each) & 1)


# The rank of a set is the sum of a part for each number: the size, the distance, and less one bit
# for each member, of which that of the first number is the highest. So a comparison of ranks is one
# of the sizes, then of the distances, then of the positions.
_ONE = 1 << 57
_MEMBERS = MOST_NUMBERS // 2  # bits


def _members(ranks: Any) -> Any:
    return -ranks & ((1 << _MEMBERS) - 1)


def _size_and_distance(ranks: Any) -> Any:
    return (ranks + _members(ranks)) >> _MEMBERS


def _sets_of(numbers: Sequence[int], distances: Sequence[int], most: int) -> _Sets:
    """All sets of at most so many numbers."""
    sums = ranks = np.zeros(1, "int64")
    for at, (number, distance) in enumerate(zip(numbers, distances, strict=True), start=1):
        grows = ranks < most * _ONE - (1 << _MEMBERS)
        rank = _ONE + (distance << _MEMBERS) - (1 << (len(numbers) - at))
        sums = np.concatenate([sums, sums[grows] + number])
        ranks = np.concatenate([ranks, ranks[grows] + rank])
    return _Sets(sums, ranks, len(numbers))


def _is_new(values: Any) -> Any:
    """Whether each of the sorted values is another one than the value before."""
    return np.diff(values, prepend=values[:1] - 1) != 0


def _common(one: Any, other: Any) -> Any:
    """The values that are in both arrays, each once, sorted."""
    one, other = np.sort(one), np.sort(other)
    at = np.minimum(np.searchsorted(other, one), len(other) - 1)
    both = one[other[at] == one]
    return both[_is_new(both)]


def _first_pairs(left: _Sets, right: _Sets, total: int, count: int) -> list[tuple[int, ...]]:
    """The first sets that consist of one set of each half."""
    sums = _common(left.sums, total - right.sums)
    if not len(sums):
        return []
    left, of_left = left.with_sums(sums)
    right, of_right = right.with_sums(total - sums[::-1])
    of_right = of_right[::-1]
    # The first pair of each sum: the pairs of other sums than the first ones come after these. The
    # left sets of two sums differ, so that a comparison does not need the right ones.
    first, second = left.ranks[of_left], right.ranks[of_right]
    size_and_distance = _size_and_distance(first) + _size_and_distance(second)
    order = np.lexsort((-_members(first), size_and_distance))
    order = order[: count + 1]  # one of them can be the empty set
    found = []
    for one, other in zip(of_left[order], of_right[order], strict=True):
        for number, i in enumerate(_same_sum(left, one, count + 1), start=1):
            for j in _same_sum(right, other, (count + 1) // number):
                of_other = (left.numbers + each for each in right.positions(j))
                members = (*left.positions(i), *of_other)
                apart = _size_and_distance(left.ranks[i]) + _size_and_distance(right.ranks[j])
                found.append((int(apart), members))
    return [members for _, members in sorted(found) if members][:count]


def _same_sum(sets: _Sets, first: int, count: int) -> Iterator[int]:
    """The positions of the first sets with the sum of one, which is the first of them."""
    for at in range(first, min(first + count, len(sets.sums))):
        if sets.sums[at] != sets.sums[first]:
            return
        yield at

"""The balance of a bank beside the rows of an account: which rows explain the difference."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from budgetframe._milliunits import to_currency
from budgetframe._resources import COUNTED
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError
from budgetframe.frames.builder import check_size
from budgetframe.frames.display import show_tables
from budgetframe.frames.money import decimals_of, exact
from budgetframe.frames.number_text import in_currency
from budgetframe.frames.schema import CURRENCY, Column
from budgetframe.frames.tables import TABLES

from ._shared.periods import today_of
from ._shared.report_types import typed_values
from ._shared.subset_sums import MOST_NUMBERS, MOST_SETS, minimal_sets

_MOST_SETS = 10
_DECIMALS = 3  # of an amount in milliunits
_POWERS = (10, 100)  # a decimal point that is shifted by one or two places

_KINDS = ("wrong sign", "shifted decimal point", "two digits swapped")
_OF_ROWS = {column.name: column for column in TABLES["transactions"].columns}
_SHOWN = [
    _OF_ROWS[name] for name in ("date", "payee_name", "category_name", "memo", "amount", "cleared")
]
_KEY = _OF_ROWS["transaction_id"]

_IS_LATER = Column("is_later", "bool", "", "whether it is after the day of the statement")
_OPEN_ROWS = (*_SHOWN, _IS_LATER, _KEY)
_EXPLANATIONS = (
    Column("set", "int64", "", "number of the set, from 0 on"),
    *_SHOWN,
    replace(_OF_ROWS["cleared"], name="becomes", meaning="the state that the set gives it"),
    _KEY,
)
_TYPING_ERRORS = (
    Column("kind", "category", "", "kind of the error", vocabulary=_KINDS),
    *_SHOWN[:-1],
    Column("corrected_amount", "float64", CURRENCY, "amount without the error"),
    _SHOWN[-1],
    _KEY,
)


class _Open(NamedTuple):
    """The rows up to the day that are not reconciled, in the order of the rows."""

    places: Any  # positions in the rows of the account
    amounts: Any  # milliunits
    is_cleared: Any
    days: Any  # before the day of the statement


@dataclass(frozen=True)
class ComparedBalance:
    """The balance of a bank on a day, compared with the rows of an account."""

    rows: pd.DataFrame  # of ``bf.transactions()``, with the attrs of that frame
    account_name: str
    balance: int  # what the bank states, in milliunits
    on: pd.Timestamp

    @cached_property
    def cleared(self) -> int:
        """The sum of the cleared and reconciled rows up to the day, in milliunits."""
        total = sum(self._amounts[self._counts].tolist())  # Python integers cannot overflow
        check_size(abs(total))
        return int(total)

    @property
    def difference(self) -> int:
        """What the bank has beyond the cleared balance, in milliunits."""
        return self.balance - self.cleared

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The rows that are not reconciled."""
        is_open = ~self._has_state("reconciled")
        return self._framed(_OPEN_ROWS, self.rows[is_open], is_later=~self._is_until[is_open])

    # Explanations

    @cached_property
    def sets(self) -> list[tuple[int, ...]]:
        """The positions of the rows of each set that is shown."""
        shown = self._found[0][:_MOST_SETS]
        return [tuple(self._candidates.places[list(each)].tolist()) for each in shown]

    @cached_property
    def _found(self) -> tuple[list[tuple[int, ...]], bool]:
        """The first sets of candidates, one more than is shown, and whether all were searched."""
        if not self.difference:
            return [], True
        candidates = self._candidates
        # To clear a row adds its amount, and to unclear it takes the amount away.
        signs = np.where(candidates.is_cleared, -1, 1)
        amounts, days = (signs * candidates.amounts).tolist(), candidates.days.tolist()
        return minimal_sets(amounts, days, self.difference, _MOST_SETS + 1)

    @cached_property
    def explanations(self) -> pd.DataFrame:
        """The rows of the sets that explain the difference."""
        shown = self.sets
        at = [position for each in shown for position in each]
        becomes = np.where(self._has_state("cleared")[at], "uncleared", "cleared")
        numbers = [number for number, each in enumerate(shown) for _ in each]
        return self._framed(_EXPLANATIONS, self.rows.iloc[at], set=numbers, becomes=becomes)

    @cached_property
    def typing_errors(self) -> pd.DataFrame:
        """The rows whose correction explains the difference."""
        open_rows = self._open
        # The amount of a row that is not cleared does not count yet: it is corrected and cleared.
        corrected = np.where(open_rows.is_cleared, open_rows.amounts, 0) + self.difference
        decimals = decimals_of(self.rows.attrs.get("currency_format"))
        kinds = _kinds_of_errors(open_rows.amounts, corrected, decimals)
        found = np.flatnonzero([kind is not None and self.difference != 0 for kind in kinds])
        return self._framed(
            _TYPING_ERRORS,
            self.rows.iloc[open_rows.places[found]],
            kind=[kinds[each] for each in found],
            corrected_amount=[to_currency(int(each)) for each in corrected[found]],
        )

    # What becomes of the rows

    def reconciled(self, number: int | None) -> pd.DataFrame:
        """The rows that change if the statement is accepted with a set, with their new states."""
        chosen = self._chosen(number)
        is_cleared = self._has_state("cleared")
        counts = is_cleared & self._is_until
        counts[chosen] = ~is_cleared[chosen]
        at = np.union1d(np.flatnonzero(counts), chosen).astype("int64")
        states = np.where(counts[at], "reconciled", "uncleared")
        edited = self.rows[["transaction_id", "cleared"]].iloc[at].assign(cleared=states)
        edited.attrs = dict(self.rows.attrs)
        return edited

    def relied_on(self, keys: Container[str]) -> dict[str, tuple[int, bool]]:
        """The rows up to the day that count or have these keys: milliunits, whether they count."""
        # The figures are right as long as these are the same.
        is_given = self.rows["transaction_id"].map(keys.__contains__).to_numpy(bool)
        chosen = self._is_until & (self._counts | is_given)
        values = zip(self._amounts[chosen].tolist(), self._counts[chosen].tolist(), strict=True)
        return dict(zip(self.rows["transaction_id"][chosen], values, strict=True))

    def _chosen(self, number: int | None) -> Any:
        """The positions of the rows of a set; those of no set if the statement agrees."""
        if number is None and not self.difference:
            return np.zeros(0, "int64")
        sets = self.sets
        if number is not None and 0 <= number < len(sets):
            return np.array(sets[number], "int64")
        if not self.difference:
            advice = "so that there are no sets: write .changes()"
            raise ToolError(f"changes({number!r}): the statement agrees, {advice}")
        missing = f"{self.text(self.difference)} is missing: {self.comparison}"
        if not sets:
            advice = "no set of rows explains it: enter or correct a row, and compare once more"
        else:
            advice = f".explanations has {number_of(len(sets), 'set')}: write .changes(0)"
            advice += f" to .changes({len(sets) - 1})" if len(sets) > 1 else ""
        given = "" if number is None else f"changes({number!r}): there is no such set. "
        raise ToolError(f"{given}{missing}; {advice}. Nothing was sent")

    # Texts

    def text(self, amount: int) -> str:
        """An amount in the format of the budget."""
        return in_currency(to_currency(amount), self.rows.attrs.get("currency_format"), exact=True)

    @property
    def balance_text(self) -> str:
        """The balance of the bank in the format of the budget."""
        return self.text(self.balance)

    @property
    def comparison(self) -> str:
        """Both balances, as a part of a sentence."""
        return f"the bank has {self.balance_text}, and {self.text(self.cleared)} is cleared"

    def warnings(self) -> Iterator[str]:
        """What to know about the comparison, as sentences."""
        today = today_of(self.rows)
        if today is not None and self.on > today:
            counted = "rows that are dated up to that day count"
            yield f"{self.on:%Y-%m-%d} is after today ({today:%Y-%m-%d}): {counted}"
        if self.difference and self.balance == -self.cleared:
            reason = "a balance that you owe is negative"
            yield f"with the balance {self.text(-self.balance)} the statement agrees: {reason}"
        number = np.count_nonzero(self._open.amounts)
        if self.difference and number > MOST_NUMBERS:
            rows = "rows up to the day that are not reconciled"
            yield f"only the newest {MOST_NUMBERS} of {number:,} {rows} are searched for sets"
        found, is_complete = self._found
        if len(found) > _MOST_SETS:
            yield f"there are more than {_MOST_SETS} sets: .explanations has the first ones"
        elif not is_complete:
            searched = f"{MOST_SETS} sets, nearly all of which only add rows that cancel each other"
            others = "there can be others than those in .explanations"
            yield f"the search ended after {searched}: {others}"

    # The rows

    @cached_property
    def _amounts(self) -> Any:
        return exact(self.rows)

    @cached_property
    def _is_until(self) -> Any:
        return (self.rows["date"] <= self.on).to_numpy(bool)

    @cached_property
    def _counts(self) -> Any:
        return self.rows["cleared"].isin(COUNTED).to_numpy(bool) & self._is_until

    def _has_state(self, state: str) -> Any:
        return (self.rows["cleared"] == state).to_numpy(bool)

    @cached_property
    def _open(self) -> _Open:
        at = np.flatnonzero(self._is_until & ~self._has_state("reconciled"))
        days = (self.on - self.rows["date"].iloc[at]).dt.days.to_numpy("int64")
        return _Open(at, self._amounts[at], self._has_state("cleared")[at], days)

    @cached_property
    def _candidates(self) -> _Open:
        """The rows of which sets can consist; a row without an amount changes no sum."""
        newest = np.flatnonzero(self._open.amounts)[-MOST_NUMBERS:]
        return _Open(*(each[newest] for each in self._open))

    def _framed(self, columns: tuple[Column, ...], rows: pd.DataFrame, **more: Any) -> pd.DataFrame:
        """Columns of rows of the account, with further columns."""
        values = {**rows, **more}
        frame = pd.DataFrame({c.name: typed_values(c, values[c.name]) for c in columns})
        frame.attrs = dict(self.rows.attrs)
        return frame


def _kinds_of_errors(amounts: Any, corrected: Any, decimals: int) -> list[str | None]:
    """The kind of the error that turns one amount into the other; None if it is no such error."""
    wrong_sign, shifted_point, swapped = _KINDS
    is_negated = corrected == -amounts
    is_shifted = np.zeros(len(amounts), bool)
    for power in _POWERS:
        is_shifted |= (corrected == amounts * power) | (corrected * power == amounts)
    # Two numbers with the same digits differ by a multiple of nine.
    may_be_swapped = (corrected != amounts) & ((corrected - amounts) % 9 == 0)
    kinds: list[str | None] = [None] * len(amounts)
    for at in np.flatnonzero(is_negated | is_shifted | may_be_swapped):
        if is_negated[at]:
            kinds[at] = wrong_sign
        elif is_shifted[at]:
            kinds[at] = shifted_point
        elif _is_swapped(int(amounts[at]), int(corrected[at]), decimals):
            kinds[at] = swapped
    return kinds


def _is_swapped(amount: int, corrected: int, decimals: int) -> bool:
    """Whether two digits beside each other are swapped in an amount as it is written."""
    if (amount < 0) != (corrected < 0):
        return False
    if amount % 10 ** (_DECIMALS - decimals) or corrected % 10 ** (_DECIMALS - decimals):
        decimals = _DECIMALS
    step = 10 ** (_DECIMALS - decimals)
    one, other = (str(abs(each) // step).zfill(decimals + 1) for each in (amount, corrected))
    places = [at for at, digits in enumerate(zip(one, other, strict=False)) if len({*digits}) > 1]
    if len(one) != len(other) or len(places) != 2:  # noqa: PLR2004 - two digits are swapped
        return False
    first, second = places
    return second == first + 1 and one[first : second + 1] == other[first : second + 1][::-1]


show_tables(_OPEN_ROWS, _EXPLANATIONS, _TYPING_ERRORS, whole=("cleared", "becomes", "kind"))

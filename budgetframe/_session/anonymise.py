"""A copy of an export without names, texts, keys and true amounts, in which all sums still agree.

Only the fields that this module names are kept, so that a new field of the service reveals nothing.
Each amount is known twice, before and after. The rows without parts are scaled and rounded one by
one. A total is what the new rows add up to, and the scaled rest that the old rows did not explain:
what agreed before agrees afterwards, to the milliunit.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random, SystemRandom
from typing import Any
from uuid import UUID

from budgetframe._milliunits import MILLIUNITS, is_money
from budgetframe._resources import (
    CARD_GROUP,
    COUNTED,
    INTERNAL_GROUP,
    OWN_PAYEES,
    STARTING_BALANCE,
    TRANSFER_PREFIX,
    is_income,
    is_known_internal,
    is_uncategorized,
    undeleted,
)
from budgetframe.frames.export import EXPORTED
from budgetframe.frames.loan_terms import LOAN_TYPES, TERMS
from budgetframe.frames.money import decimals_of
from budgetframe.frames.tables import TABLES
from budgetframe.reports._shared.loan_rule import LoanRow, loan_costs

from .export_file import Export
from .new_rows import NAME_OF_SPLIT


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KEPT = _words(
    "type on_budget closed direct_import_linked direct_import_in_error last_reconciled_at hidden"
    " internal deleted cleared approved flag_color debt_transaction_type date date_first date_next"
    " frequency month age_of_money goal_type goal_needs_whole_amount goal_day goal_cadence"
    " goal_cadence_frequency goal_creation_month goal_target_month goal_target_date"
    " goal_snoozed_at goal_percentage_complete goal_months_to_budget last_modified_on first_month"
    " last_month"
)
"""Fields that stay: choices, days, times and small numbers."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-][\d:]+)?)?")
_CHOICES = frozenset(
    word for table in TABLES.values() for column in table.columns for word in column.vocabulary
)
_FORMATS: Mapping[str, frozenset[str]] = {
    "date_format": _words("format"),
    "currency_format": _words(
        "iso_code example_format decimal_digits decimal_separator symbol_first group_separator"
        " currency_symbol display_symbol"
    ),
}
_TEXTS = {
    "memo": "memo",
    "note": "note",
    "flag_name": "Flag",
    "import_id": "import",
    "import_payee_name": "Payee",
    "import_payee_name_original": "Payee",
    "account_name": "Account",
    "payee_name": "Payee",
    "category_name": "Category",
    "category_group_name": "Group",
}
"""The word that replaces a text, with a number; equal texts have equal numbers."""
_NAMES = {
    "budget": "Budget",
    "accounts": "Account",
    "payees": "Payee",
    "categories": "Category",
    "category_groups": "Group",
}
"""The same for the field ``name`` of each list."""
_OWN_NAMES: Mapping[str, frozenset[str]] = {
    "Payee": OWN_PAYEES,
    "Category": frozenset({NAME_OF_SPLIT}),
    "Group": frozenset({INTERNAL_GROUP, CARD_GROUP, "Hidden Categories"}),
}
_KEY = re.compile(r"(.*?)(_\d{4}-\d\d-\d\d)?", re.DOTALL)  # a transaction of a schedule has a day
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PLACE = ("latitude", "longitude")
_KEYS = _words(
    "id account_id payee_id category_id category_group_id original_category_group_id"
    " transaction_id scheduled_transaction_id transfer_account_id transfer_payee_id"
    " transfer_transaction_id matched_transaction_id"
)
_KNOWN = frozenset({*_KEPT, *_FORMATS, *_TEXTS, *_KEYS, *_PLACE, *TERMS.values(), "name"})
_FACTORS = ((500_000, 800_000), (1_250_000, 2_000_000))  # millionths; none is near 1
_MILLION = 1_000_000

_Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Amount:
    """An amount in milliunits, before and after."""

    old: int = 0
    new: int = 0

    def __add__(self, other: _Amount) -> _Amount:
        return _Amount(self.old + other.old, self.new + other.new)

    def __sub__(self, other: _Amount) -> _Amount:
        return _Amount(self.old - other.old, self.new - other.new)

    def above_zero(self) -> _Amount:
        return _Amount(max(self.old, 0), max(self.new, 0))


_ZERO = _Amount()


def anonymise(export: Export, random: Random | None = None) -> bytes:
    """The JSON document of a budget like this one, in which nobody recognises it.

    Names, memos, notes and keys are replaced, equal ones by equal ones; the names that the service
    itself gives stay, and so do days, interest rates and the format of the currency. All amounts
    are multiplied by one factor between 0.5 and 0.8 or between 1.25 and 2, and rounded to the
    smallest unit of the currency. An amount that is the difference of others, such as what is left
    to assign, can differ from its multiple by the sum of their roundings. A field that is not known
    is left out.

    Parameters
    ----------
    export : Export
        The budget. It does not change.
    random : random.Random, optional
        Chooses the factor, keys and places. By default it cannot be repeated.
    """
    source = random or SystemRandom()
    copy = _Copy(export.budget, source)
    leaves = _leaves(copy)
    _add_up_accounts(copy, leaves)
    _add_up_months(copy, leaves, f"{export.as_of:%Y-%m}")
    known = {"server_knowledge": export.knowledge} if type(export.knowledge) is int else {}
    document = {"data": {"budget": copy.budget, **known}}
    return json.dumps(document, default=lambda amount: amount.new).encode()


class _Copy:
    """The copy of a budget, whose amounts are `_Amount`, and what its texts and keys became."""

    def __init__(self, budget: Mapping[str, Any], random: Random) -> None:
        self._random = random
        self._factor = random.randrange(*random.choice(_FACTORS))
        self.unit = int(MILLIUNITS // 10 ** decimals_of(budget.get("currency_format")))
        self._texts: dict[str, dict[str, str]] = defaultdict(dict)
        self._keys: dict[str, str] = {}
        groups = _rows(budget, "category_groups")
        self._card_groups = [each.get("id") for each in groups if each.get("name") == CARD_GROUP]
        self.budget = self._row("budget", budget)

    def scaled(self, amount: int) -> int:
        """An amount times the factor, rounded to the smallest unit like its opposite."""
        units = (2 * abs(amount) * self._factor + self.unit * _MILLION) // (
            2 * self.unit * _MILLION
        )
        return units * self.unit * (1 if amount > 0 else -1)

    def fit(self, row: _Row, field: str, rows: _Amount) -> None:
        """Make an amount the sum of its rows, and of the scaled rest that is in no row."""
        if isinstance(total := row.get(field), _Amount):
            row[field] = _Amount(total.old, rows.new + self.scaled(total.old - rows.old))

    def _row(self, name: str, row: Mapping[str, Any]) -> _Row:
        """The copy of a row of a list, or of the budget."""
        return {
            field: value
            for field, given in row.items()
            for value in self._values(name, row, field, given)
        }

    def _values(self, name: str, row: Mapping[str, Any], field: str, given: Any) -> Iterator[Any]:
        """The new value of a field; none if the field is left out."""
        if given is None:
            if field in _KNOWN or _is_amount(field):
                yield None
        elif isinstance(given, list | dict):
            yield from self._nested(field, given)
        elif field in _KEPT:
            if isinstance(given, int | float) or given in _CHOICES or _TIME.fullmatch(given):
                yield given
        elif _is_amount(field):
            if type(given) is int:
                yield self._amount(given)
        else:
            yield from self._replaced(name, row, field, given)

    def _replaced(self, name: str, row: Mapping[str, Any], field: str, given: Any) -> Iterator[Any]:
        """The new value of a field with a place, a key, a text or a name."""
        if field in _PLACE:
            degrees = f"{self._random.uniform(-80, 80):.7f}"
            yield degrees if isinstance(given, str) else float(degrees)
        elif field in _KEYS:
            yield self._key(str(given))
        elif field in _TEXTS:
            yield self._text(_TEXTS[field], str(given))
        elif field == "name" and name in _NAMES:
            is_card = name == "categories" and row.get("category_group_id") in self._card_groups
            yield self._text(_NAMES[name], str(given), is_card=is_card)

    def _nested(self, field: str, given: Any) -> Iterator[Any]:
        """The new value of a field with a list or an object."""
        if isinstance(given, list):
            if field in EXPORTED:
                yield [self._row(field, each) for each in given if isinstance(each, dict)]
        elif field in _FORMATS:
            yield {
                each: value
                for each, value in given.items()
                if each in _FORMATS[field] and not isinstance(value, list | dict)
            }
        elif field in TERMS.values():
            yield {
                month: value if field == TERMS["interest_rates"] else self._amount(value)
                for month, value in given.items()
                if _DAY.fullmatch(month) and type(value) is int
            }

    def _amount(self, amount: int) -> _Amount:
        return _Amount(amount, self.scaled(amount))

    def _text(self, word: str, text: str, *, is_card: bool = False) -> str:
        """The text that replaces one; the category of a card has the name of its account."""
        if word == "Payee" and text.startswith(TRANSFER_PREFIX):
            return TRANSFER_PREFIX + self._text("Account", text.removeprefix(TRANSFER_PREFIX))
        is_own = text in _OWN_NAMES.get(word, ()) or (
            word == "Category" and is_known_internal(text)
        )
        if is_own or not text:
            return text
        known = self._texts[word]
        if text not in known:
            known[text] = self._text("Account", text) if is_card else f"{word} {len(known) + 1}"
        return known[text]

    def _key(self, key: str) -> str:
        found = _KEY.fullmatch(key)
        head, day = found.groups("") if found else (key, "")
        if head not in self._keys:
            self._keys[head] = str(UUID(int=self._random.getrandbits(128), version=4))
        return self._keys[head] + day


def _is_amount(field: str) -> bool:
    return is_money(field) or field == "goal_overall_funded"


def _rows(budget: Mapping[str, Any], name: str) -> list[_Row]:
    """The rows of a list; none if the file has no such list."""
    rows = budget.get(name)
    return [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) else []


def _of(row: Mapping[str, Any], field: str) -> _Amount:
    amount = row.get(field)
    return amount if isinstance(amount, _Amount) else _ZERO


def _total(rows: Iterable[Mapping[str, Any]], field: str) -> _Amount:
    return sum((_of(row, field) for row in rows), _ZERO)


def _leaves(copy: _Copy) -> list[_Row]:
    """Add up all splits; return the transactions that are none, and the parts of the others."""
    parts: dict[Any, list[_Row]] = defaultdict(list)
    for name in ("subtransactions", "scheduled_subtransactions"):
        whole = name.replace("sub", "")
        for part in undeleted(_rows(copy.budget, name)):
            parts[part.get(f"{whole.removesuffix('s')}_id")].append({**part})
        for row in _rows(copy.budget, whole):
            if row.get("id") in parts:
                copy.fit(row, "amount", _total(parts[row.get("id")], "amount"))
    return [
        {**row, **part, "payee_id": part.get("payee_id") or row.get("payee_id")}
        for row in undeleted(_rows(copy.budget, "transactions"))
        for part in parts.get(row.get("id"), [{}])
    ]


def _add_up_accounts(copy: _Copy, leaves: Iterable[_Row]) -> None:
    """Make the balances of the accounts agree with their transactions."""
    sums: dict[Any, _Amount] = defaultdict(_Amount)
    for row in undeleted(_rows(copy.budget, "transactions")):
        sums[row.get("account_id"), row.get("cleared") in COUNTED] += _of(row, "amount")
    payees = _rows(copy.budget, "payees")
    starts = {row.get("id") for row in payees if row.get("name") == STARTING_BALANCE}
    for account in _rows(copy.budget, "accounts"):
        key, costs = account.get("id"), _ZERO
        if account.get("type") in LOAN_TYPES:
            rows = [row for row in leaves if row.get("account_id") == key]
            costs = _costs(account, rows, starts, copy.unit)
        cleared, uncleared = sums[key, True] - costs, sums[key, False]
        copy.fit(account, "cleared_balance", cleared)
        copy.fit(account, "uncleared_balance", uncleared)
        if isinstance(account.get("cleared_balance"), _Amount):
            cleared, uncleared = (_of(account, f"{each}cleared_balance") for each in ("", "un"))
        copy.fit(account, "balance", cleared + uncleared)


def _costs(account: _Row, rows: Sequence[_Row], starts: Container[Any], unit: int) -> _Amount:
    """The interest and escrow of a loan that are in its balance and in no transaction."""
    if _total(rows, "amount").old == _of(account, "balance").old:
        return _ZERO  # its rows record all costs
    found = []
    for state in ("old", "new"):
        history = [
            LoanRow(
                str(row.get("date")),
                getattr(_of(row, "amount"), state),
                row.get("debt_transaction_type"),
                is_start=row.get("payee_id") in starts and row.get("transfer_account_id") is None,
            )
            for row in rows
        ]
        terms = {
            name: {day: getattr(value, state, value) for day, value in account[field].items()}
            for name, field in TERMS.items()
            if account.get(field)
        }
        costs = loan_costs(history, {name: {} for name in TERMS} | terms, unit=unit)
        found.append(sum(each.interest + each.escrow for each in costs))
    return _Amount(*found)


def _booked(
    copy: _Copy, leaves: Iterable[_Row], groups: Mapping[Any, Any]
) -> dict[str, dict[Any, _Amount]]:
    """What the transactions of each month add to each category.

    The money that waits in the category of a card for its payment is what the card owes.
    """
    no_category, cards = None, dict[Any, Any]()
    for row in _rows(copy.budget, "categories"):
        group, name = groups.get(row.get("category_group_id")), row.get("name")
        if is_uncategorized(group, name):
            no_category = row.get("id")
        elif group == CARD_GROUP:
            cards[name] = row.get("id")
    accounts = _rows(copy.budget, "accounts")
    card_of = {row.get("id"): cards.get(row.get("name")) for row in accounts}
    on_budget = {row.get("id"): row.get("on_budget") is not False for row in accounts}
    booked: dict[str, dict[Any, _Amount]] = defaultdict(lambda: defaultdict(_Amount))
    for row in leaves:
        account, target = row.get("account_id"), row.get("transfer_account_id")
        category, of_month = row.get("category_id"), booked[str(row.get("date"))[:7]]
        is_internal = target is not None and on_budget.get(target, category is None)
        if on_budget.get(account, True) and not is_internal:
            of_month[category or no_category] += _of(row, "amount")
        if card_of.get(account) is not None:
            of_month[card_of[account]] -= _of(row, "amount")
    return booked


def _add_up_categories(
    copy: _Copy,
    rows: Iterable[_Row],
    groups: Mapping[Any, Any],
    booked: Mapping[Any, _Amount],
    balances: dict[Any, _Amount],
) -> dict[str, _Amount]:
    """Make the categories of a month agree with its transactions and the balances before it.

    The result has the sums that the month states, and what is overspent.
    """
    sums = dict.fromkeys(("income", "activity", "budgeted", "overspent", "cards"), _ZERO)
    for row in rows:
        key, group = row.get("id"), groups.get(row.get("category_group_id"))
        has_income, is_card = is_income(group, row.get("name")), group == CARD_GROUP
        in_rows = booked.get(key, _ZERO)
        if not is_card or _of(row, "activity").old == in_rows.old != 0:
            copy.fit(row, "activity", in_rows)
        carried = balances.get(key, _ZERO)
        before = (carried if has_income else carried.above_zero()) + _of(row, "activity")
        if _of(row, "budgeted").old:  # so that nothing left, or nothing assigned, stays nothing
            copy.fit(row, "budgeted", _of(row, "balance") - before)
        else:
            copy.fit(row, "balance", before)
        balances[key] = _of(row, "balance")
        kind = "income" if has_income else "cards" if is_card else "activity"
        sums[kind] += _of(row, "activity")
        sums["budgeted"] += _of(row, "budgeted")
        if not has_income:
            sums["overspent"] += (_ZERO - balances[key]).above_zero()
    return sums


def _add_up_months(copy: _Copy, leaves: Iterable[_Row], current: str) -> None:
    """Make the months, and the categories as they are now, agree with the rows."""
    groups = {row.get("id"): row.get("name") for row in _rows(copy.budget, "category_groups")}
    booked = _booked(copy, leaves, groups)
    balances: dict[Any, _Amount] = {}
    of_now: dict[Any, _Row] = {}
    ready = _ZERO  # what is left of the month before
    for month in sorted(_rows(copy.budget, "months"), key=lambda row: str(row.get("month"))):
        day, rows = str(month.get("month"))[:7], _rows(month, "categories")
        sums = _add_up_categories(copy, rows, groups, booked[day], balances)
        for field in ("income", "activity", "budgeted"):
            copy.fit(month, field, sums[field])
        added = _of(month, "income") - _of(month, "budgeted")
        copy.fit(month, "to_be_budgeted", ready + added)
        ready = _of(month, "to_be_budgeted") - sums["overspent"]
        if day <= current:
            of_now = {row.get("id"): row for row in rows}
    for row in _rows(copy.budget, "categories"):
        stated = of_now.get(row.get("id"), {})
        for field in ("budgeted", "activity", "balance"):
            if field in stated and _of(row, field).old == _of(stated, field).old:
                row[field] = stated[field]

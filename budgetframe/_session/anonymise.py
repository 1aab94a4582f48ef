"""A copy of an export without names, texts, keys and true amounts, in which all sums agree."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from random import Random, SystemRandom
from typing import Any
from uuid import UUID

from budgetframe._milliunits import MAX_EXACT, MILLIUNITS, is_money
from budgetframe._resources import (
    CARD_GROUP,
    HIDDEN_GROUP,
    INTERNAL_GROUP,
    NAME_OF_SPLIT,
    OWN_PAYEES,
    STARTING_BALANCE,
    TRANSFER_PREFIX,
    is_known_internal,
    undeleted,
)
from budgetframe._runtime.text import words_in
from budgetframe.errors import ToolError
from budgetframe.frames.export import EXPORTED
from budgetframe.frames.loan_terms import LOAN_TYPES, TERMS
from budgetframe.frames.money import decimals_of
from budgetframe.frames.tables import TABLES
from budgetframe.reports._shared.loan_rule import LoanRow, loan_costs

from .export_file import Export

_KEPT = words_in(
    "type on_budget closed direct_import_linked direct_import_in_error last_reconciled_at hidden"
    " internal deleted cleared approved flag_color debt_transaction_type date date_first date_next"
    " frequency month age_of_money goal_type goal_needs_whole_amount goal_day goal_cadence"
    " goal_cadence_frequency goal_creation_month goal_target_month goal_target_date"
    " goal_snoozed_at goal_percentage_complete goal_months_to_budget last_modified_on first_month"
    " last_month is_app_export"
)
"""Fields that stay: choices, days, times and small numbers."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-][\d:]+)?)?")
_CHOICES = frozenset(
    word for table in TABLES.values() for column in table.columns for word in column.vocabulary
)
_FORMATS: Mapping[str, frozenset[str]] = {
    "date_format": words_in("format"),
    "currency_format": words_in(
        "iso_code example_format decimal_digits decimal_separator symbol_first group_separator"
        " currency_symbol display_symbol"
    ),
}
_TEXTS = {
    "memo": "memo", "note": "note", "flag_name": "Flag", "import_id": "import",
    "import_payee_name": "Payee", "import_payee_name_original": "Payee", "account_name": "Account",
    "payee_name": "Payee", "category_name": "Category", "category_group_name": "Group",
}  # fmt: skip
"""The word that replaces a text, with a number; equal texts have equal numbers."""
_NAMES = {
    "budget": "Budget", "accounts": "Account", "payees": "Payee", "categories": "Category",
    "category_groups": "Group",
}  # fmt: skip
"""The same for the field ``name`` of each list."""
_OWN_NAMES: Mapping[str, frozenset[str]] = {
    "Payee": OWN_PAYEES,
    "Category": frozenset({NAME_OF_SPLIT}),
    "Group": frozenset({INTERNAL_GROUP, CARD_GROUP, HIDDEN_GROUP}),
}
_KEY = re.compile(r"(.*?)(_\d{4}-\d\d-\d\d)?", re.DOTALL)  # a transaction of a schedule has a day
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PLACE = ("latitude", "longitude")
_KEYS = words_in(
    "id account_id payee_id category_id category_group_id original_category_group_id"
    " transaction_id scheduled_transaction_id transfer_account_id transfer_payee_id"
    " transfer_transaction_id matched_transaction_id"
)
_KNOWN = frozenset({*_KEPT, *_FORMATS, *_TEXTS, *_KEYS, *_PLACE, *TERMS.values(), "name"})
_MAPS_OF_AMOUNTS = {TERMS["escrow_amounts"], TERMS["minimum_payments"]}
_FACTORS = tuple(number for number in range(3, 100) if number % 2 and number % 5)
"""Whole numbers with which an amount may be multiplied.

The smallest one is not near 1. The largest one adds two digits, so that tables and pictures can be
read. After a multiple of 2 or 5, the last digits of all amounts would show it at first sight.
"""

_Row = dict[str, Any]


def anonymise(export: Export, random: Random | None = None) -> bytes:
    """The JSON document of a budget like this one, in which nobody recognises it.

    Names, memos, notes and keys are replaced, equal ones by equal ones; the names that the service
    itself gives stay, and so do days, interest rates and the format of the currency. All amounts
    are multiplied by one whole number between 3 and 99, and the balances of loans are adjusted to
    the interest of the new amounts. A reader does not see the number, but a program finds it,
    because it divides all other amounts. Only known fields are kept, so that a new one reveals
    nothing. An amount without an exact multiple is a `ToolError`.

    `random` chooses number, keys and places; by default the choice cannot be repeated.
    """
    source = random or SystemRandom()
    budget = _Copy(export.budget, source).budget
    places = [*_amounts(budget)]
    largest = max((abs(row[field]) for row, field in places), default=0)
    factors = [factor for factor in _FACTORS if factor * largest <= MAX_EXACT]
    if not factors:
        raise ToolError(
            f"{export.path} has an amount of {largest // MILLIUNITS:,}. The copy multiplies all"
            " amounts, and a multiple is exact for amounts up to"
            f" {MAX_EXACT // min(_FACTORS) // MILLIUNITS:,}: correct that one. Nothing was written"
        )
    factor = source.choice(factors)
    for row, field in places:
        row[field] *= factor
    _adjust_loans(budget, factor)
    known = {"server_knowledge": export.knowledge} if type(export.knowledge) is int else {}
    return json.dumps({"data": {"budget": budget, **known}}).encode()


class _Copy:
    """The copy of a budget with its true amounts, and what its texts and keys became."""

    def __init__(self, budget: Mapping[str, Any], random: Random) -> None:
        self._random = random
        self._texts: dict[str, dict[str, str]] = defaultdict(dict)
        self._keys: dict[str, str] = {}
        groups = _rows(budget, "category_groups")
        self._card_groups = [row.get("id") for row in groups if row.get("name") == CARD_GROUP]
        self.budget = self._row("budget", budget)

    def _row(self, name: str, row: Mapping[str, Any]) -> _Row:
        """The copy of a row of a list, or of the budget."""
        values = {field: self._values(name, row, field, given) for field, given in row.items()}
        return {field: value for field, found in values.items() for value in found}

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
                yield given
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
                yield [self._row(field, row) for row in given if isinstance(row, dict)]
        elif field in _FORMATS:
            yield {
                name: value
                for name, value in given.items()
                if name in _FORMATS[field] and not isinstance(value, list | dict)
            }
        elif field in TERMS.values():
            yield {
                month: value
                for month, value in given.items()
                if _DAY.fullmatch(month) and type(value) is int
            }

    def _text(self, word: str, text: str, *, is_card: bool = False) -> str:
        """The text that replaces one; the category of a card has the name of its account."""
        if word == "Payee" and text.startswith(TRANSFER_PREFIX):
            return TRANSFER_PREFIX + self._text("Account", text.removeprefix(TRANSFER_PREFIX))
        stays = text in _OWN_NAMES.get(word, ()) or (word == "Category" and is_known_internal(text))
        if stays or not text:
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


def _amounts(node: Any, name: str = "") -> Iterator[tuple[_Row, str]]:
    """The objects with amounts in a document, with their fields or the months of their terms."""
    if isinstance(node, list):
        for child in node:
            yield from _amounts(child, name)
    elif isinstance(node, dict):
        for field, value in node.items():
            if type(value) is int and (_is_amount(field) or name in _MAPS_OF_AMOUNTS):
                yield node, field
            yield from _amounts(value, field)


def _rows(budget: Mapping[str, Any], name: str) -> list[_Row]:
    """The rows of a list; none if the file has no such list."""
    rows = budget.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _adjust_loans(budget: _Row, factor: int) -> None:
    """Replace the multiple of the costs in the balance of each loan by those of its new rows."""
    unit = int(MILLIUNITS // 10 ** decimals_of(budget.get("currency_format")))
    payees = _rows(budget, "payees")
    starts = {row.get("id") for row in payees if row.get("name") == STARTING_BALANCE}
    parts = defaultdict(list)
    for part in undeleted(_rows(budget, "subtransactions")):
        parts[part.get("transaction_id")].append(part)
    rows_of = defaultdict(list)
    for row in undeleted(_rows(budget, "transactions")):
        for part in parts.get(row.get("id"), [row]):
            is_start = (part.get("payee_id") or row.get("payee_id")) in starts
            is_start = is_start and part.get("transfer_account_id") is None
            amount, kind = part.get("amount") or 0, row.get("debt_transaction_type")
            loan_row = LoanRow(str(row.get("date")), amount, kind, is_start)
            rows_of[row.get("account_id")].append(loan_row)
    for loan in _rows(budget, "accounts"):
        rows = rows_of[loan.get("id")]
        records_all = sum(row.amount for row in rows) == loan.get("balance")
        if loan.get("type") not in LOAN_TYPES or records_all:
            continue
        change = factor * _costs(loan, rows, unit, factor) - _costs(loan, rows, unit)
        for field in ("balance", "cleared_balance"):
            if loan.get(field) is not None:
                loan[field] += change


def _costs(loan: _Row, rows: Iterable[LoanRow], unit: int, divisor: int = 1) -> int:
    """The interest and escrow of a loan that no row records, if amounts are divided before."""
    stated = loan.get(TERMS["escrow_amounts"]) or {}
    escrow = {month: amount // divisor for month, amount in stated.items()}
    rates = loan.get(TERMS["interest_rates"]) or {}
    terms = {"interest_rates": rates, "escrow_amounts": escrow}
    history = [row._replace(amount=row.amount // divisor) for row in rows]
    return sum(cost.interest + cost.escrow for cost in loan_costs(history, terms, unit=unit))

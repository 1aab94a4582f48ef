"""The published shapes of the answers, and the comparison of an answer with them.

A record is a line of fields: ``name:kind``, and ``name`` alone for a text. ``?`` after the kind
means that the value may be null. ``-`` before the name means that the field may be missing, and
``~`` that only some answers have it.
``[record]`` is a list of records and ``{record}`` a single one.

In some points the table allows more than the description does, because the service is known to
send it: a completed schedule has no ``date_next``, coordinates may be numbers or null, a group or
category may lack ``internal``, and a month detail may lack ``deleted``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_FORMATS = "-date_format:{date_format}? -currency_format:{currency_format}?"
_BUDGET = f"id name -last_modified_on:time -first_month:month -last_month:month {_FORMATS}"
_ACCOUNT = """
    id name type:account_type on_budget:boolean closed:boolean -note:text?
    balance:amount cleared_balance:amount uncleared_balance:amount transfer_payee_id:text?
    -direct_import_linked:boolean -direct_import_in_error:boolean -last_reconciled_at:time?
    -debt_original_balance:amount? -debt_interest_rates:by_month? -debt_minimum_payments:by_month?
    -debt_escrow_amounts:by_month? deleted:boolean
"""
_CATEGORY = """
    id category_group_id ~category_group_name:text? name hidden:boolean -internal:boolean
    -original_category_group_id:text? -note:text? budgeted:amount activity:amount balance:amount
    -goal_type:goal_type? -goal_needs_whole_amount:boolean? -goal_day:integer?
    -goal_cadence:integer? -goal_cadence_frequency:integer? -goal_creation_month:day?
    -goal_target:amount? -goal_target_month:day? -goal_target_date:day?
    -goal_percentage_complete:number? -goal_months_to_budget:integer? -goal_under_funded:amount?
    -goal_overall_funded:amount? -goal_overall_left:amount? -goal_snoozed_at:time? deleted:boolean
"""
_GROUP = "id name hidden:boolean -internal:boolean deleted:boolean"
_MONTH = """
    month:month -note:text? income:amount budgeted:amount activity:amount to_be_budgeted:amount
    -age_of_money:integer?
"""
_NAMES = "~payee_name:text? ~category_name:text?"
_PART = "id amount:amount -memo:text? -payee_id:text? -category_id:text? -transfer_account_id:text?"
_FLAG = "-flag_color:flag_color? -flag_name:text?"
_TRANSACTION = f"""
    date:day {_PART} cleared:cleared approved:boolean {_FLAG} account_id
    -transfer_transaction_id:text? -matched_transaction_id:text? -import_id:text?
    -import_payee_name:text? -import_payee_name_original:text?
    -debt_transaction_type:debt_transaction_type? deleted:boolean
"""
_SCHEDULED = f"""
    date_first:day date_next:day? frequency:frequency {_PART} {_FLAG} account_id deleted:boolean
"""
_TOTALS = "allocation:amount spent:amount income:amount"

_RECORDS = {
    "user": "id",
    "date_format": "format",
    "currency_format": """
        iso_code example_format decimal_digits:integer decimal_separator symbol_first:boolean
        group_separator currency_symbol display_symbol:boolean
    """,
    "settings": "date_format:{date_format}? currency_format:{currency_format}?",
    "budget": f"{_BUDGET} ~accounts:[account]",
    "account": _ACCOUNT,
    "category": _CATEGORY,
    "group": _GROUP,
    "group_with_categories": f"{_GROUP} categories:[category]",
    "payee": "id name -transfer_account_id:text? deleted:boolean",
    "payee_location": "id payee_id latitude:degrees? longitude:degrees? deleted:boolean",
    "month": f"{_MONTH} deleted:boolean",
    "month_detail": f"{_MONTH} ~deleted:boolean categories:[category]",
    "part": f"{_PART} {_NAMES} transaction_id -transfer_transaction_id:text? deleted:boolean",
    "transaction": f"{_TRANSACTION} {_NAMES} account_name subtransactions:[part]",
    "exported_transaction": _TRANSACTION,
    "scheduled_part": f"{_PART} {_NAMES} scheduled_transaction_id deleted:boolean",
    "scheduled": f"{_SCHEDULED} {_NAMES} account_name subtransactions:[scheduled_part]",
    "exported_scheduled": _SCHEDULED,
    "movement": """
        id amount:amount -month:month? -moved_at:time? -note:text? -money_movement_group_id:text?
        -performed_by_user_id:text? -from_category_id:text? -to_category_id:text?
    """,
    "movement_totals": f"category_name -category_group_name:text? {_TOTALS}",
    "movement_group": """
        id group_created_at:time month:month -note:text? -performed_by_user_id:text?
    """,
    "movement_group_totals": f"category_group_name {_TOTALS}",
    "export": f"""
        {_BUDGET} accounts:[account] payees:[payee] payee_locations:[payee_location]
        category_groups:[group] categories:[category] months:[month_detail]
        transactions:[exported_transaction] subtransactions:[part]
        scheduled_transactions:[exported_scheduled] scheduled_subtransactions:[scheduled_part]
    """,
}
_KNOWLEDGE = "server_knowledge:integer"

_ANSWERS = {
    "user": "user:{user}",
    "budgets": "budgets:[budget] -default_budget:{budget}?",
    "export": f"budget:{{export}} {_KNOWLEDGE}",
    "settings": "settings:{settings}",
    "accounts": f"accounts:[account] {_KNOWLEDGE}",
    "categories": f"category_groups:[group_with_categories] {_KNOWLEDGE}",
    "payees": f"payees:[payee] {_KNOWLEDGE}",
    "payee_locations": "payee_locations:[payee_location]",
    "months": f"months:[month] {_KNOWLEDGE}",
    "month": "month:{month_detail}",
    "transactions": f"transactions:[transaction] {_KNOWLEDGE}",
    "scheduled_transactions": f"scheduled_transactions:[scheduled] {_KNOWLEDGE}",
    "money_movements": f"money_movements:[movement|movement_totals] {_KNOWLEDGE}",
    "money_movement_groups": (
        f"money_movement_groups:[movement_group|movement_group_totals] {_KNOWLEDGE}"
    ),
}
"""The data object of each kind of answer."""

_VOCABULARIES = {
    "account_type": (
        "checking savings cash creditCard lineOfCredit otherAsset otherLiability mortgage autoLoan"
        " studentLoan personalLoan medicalDebt otherDebt"
    ),
    "cleared": "cleared uncleared reconciled",
    "flag_color": "red orange yellow green blue purple",
    "frequency": (
        "never daily weekly everyOtherWeek twiceAMonth every4Weeks monthly everyOtherMonth"
        " every3Months every4Months twiceAYear yearly everyOtherYear"
    ),
    "debt_transaction_type": "payment refund fee interest escrow balanceAdjustment credit charge",
    "goal_type": "TB TBD MF NEED DEBT",
}
_VALUES = {name: {*values.split()} for name, values in _VOCABULARIES.items()}
_VALUES["flag_color"].add("")

_DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", re.ASCII)
_MONTH_START = re.compile(r"\d{4}-(0[1-9]|1[0-2])-01", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


def _is_text_of(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_by_month(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _MONTH_START.fullmatch(key) and type(rate) is int for key, rate in value.items()
    )


_KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "text": ("text", lambda value: isinstance(value, str)),
    "boolean": ("boolean", lambda value: isinstance(value, bool)),
    "integer": ("integer", lambda value: type(value) is int),
    "amount": ("integer", lambda value: type(value) is int),
    "number": ("number", lambda value: type(value) in {int, float}),
    "day": ("a day (YYYY-MM-DD)", _is_text_of(_DAY)),
    "month": ("the first day of a month", _is_text_of(_MONTH_START)),
    "time": ("a time (ISO 8601)", _is_text_of(_TIME)),
    "degrees": (
        "a number or its text",
        lambda value: type(value) in {int, float} or _is_text_of(_NUMBER)(value),
    ),
    "by_month": ("an object of months and integers", _is_by_month),
}
"""Description and check of each kind of value; a vocabulary is a text."""

_WHOLE_TYPES: Mapping[str, set[type]] = {
    "text": {str},
    "boolean": {bool},
    "integer": {int},
    "amount": {int},
}
"""Kinds that are all values of a type: most values need no other check."""

_TYPES = {
    bool: "boolean",
    dict: "object",
    float: "decimal",
    int: "integer",
    list: "list",
    str: "text",
    type(None): "null",
}
# Companions of amounts since 1.82, which the package does not use.
_DISPLAY_SUFFIXES = ("_formatted", "_currency")
# Text that surely is the name of a field or of a value of a vocabulary, and not data of a user.
_FIELD_NAME = re.compile(r"[a-z]+(_[a-z]+)*", re.ASCII)
_VALUE_NAME = re.compile(r"[a-z]+([A-Z0-9][a-z]*)*|[A-Z]{2,5}", re.ASCII)
_LONGEST_NAME = 40
_NO_WORD = re.compile(r"[\W_]+")


_REQUIRED, _OPTIONAL, _SOMETIMES = "", "-", "~"


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of a record, parsed from the table."""

    name: str
    kind: str
    nullable: bool
    presence: str
    is_list: bool
    record: str
    """The record of a list or of an object; empty for other kinds."""
    record_without_id: str
    """The same, or another record if there are two shapes."""
    types: frozenset[type]
    """Types whose values all fit."""

    @property
    def expected(self) -> str:
        """Description of the values that fit."""
        if self.record:
            return "a list" if self.is_list else "an object"
        return _KINDS[self.kind][0] if self.kind in _KINDS else "text"

    def fits(self, value: Any) -> bool:
        """Whether a value, which is neither null nor a record, fits."""
        return self.kind in _KINDS and _KINDS[self.kind][1](value)


def _parsed(line: str) -> dict[str, _Field]:
    fields = {}
    for text in line.split():
        marked, _, nullable_kind = text.partition(":")
        name = marked.lstrip("-~")
        kind = nullable_kind.removesuffix("?") or "text"
        nullable = nullable_kind.endswith("?")
        records = kind[1:-1] if kind[0] in "[{" else ""
        types = _WHOLE_TYPES.get(kind, set()) | ({type(None)} if nullable else set())
        fields[name] = _Field(
            name,
            kind,
            nullable,
            presence=marked.removesuffix(name),
            is_list=kind.startswith("["),
            record=records.partition("|")[0],
            record_without_id=records.rpartition("|")[2],
            types=frozenset(types),
        )
    return fields


_FIELDS = {name: _parsed(line) for name, line in _RECORDS.items()}
_ANSWER_FIELDS = {name: _parsed(line) for name, line in _ANSWERS.items()}

FIELD_NAMES = frozenset(
    name for known in (_FIELDS, _ANSWER_FIELDS) for fields in known.values() for name in fields
)
"""All published names of fields."""


@dataclass
class Place:
    """The records at one place of an answer, such as ``transactions[].subtransactions[]``.

    It contains names of fields, types and counts. Only `unknown_fields` and `unknown_values` have
    texts of the answer.
    """

    rows: int = 0
    types: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    problems: Counter[str] = field(default_factory=Counter)
    """What does not fit, and the number of rows."""
    unsent: Counter[str] = field(default_factory=Counter)
    unknown_fields: dict[str, Counter[str]] = field(default_factory=dict)
    unknown_values: Counter[tuple[str, str]] = field(default_factory=Counter)
    has_display_fields: bool = False

    def printable_fields(self, data: Any) -> tuple[dict[str, str], int]:
        """Return the unknown fields with their types, and the number of the withheld names.

        A key of an object can be data: an id, a month, the name of a payee. A name is withheld
        unless it looks like the name of a field, every row has it, and no text contains it.
        """
        shown = {
            name: " or ".join(sorted(types))
            for name, types in self.unknown_fields.items()
            if _FIELD_NAME.fullmatch(name)
            and types.total() == self.rows
            and _is_no_data(name, data)
        }
        return shown, len(self.unknown_fields) - len(shown)

    def printable_values(self, data: Any) -> dict[str, tuple[int, list[str]]]:
        """Return for each field the number of rows with an unknown value, and the values.

        A value that does not look like a value of a vocabulary is withheld.
        """
        shown: dict[str, tuple[int, list[str]]] = {}
        for (name, value), count in sorted(self.unknown_values.items()):
            total, values = shown.setdefault(name, (0, []))
            if _VALUE_NAME.fullmatch(value) and _is_no_data(value, data, but=name):
                values.append(value)
            shown[name] = (total + count, values)
        return shown


def _is_no_data(name: str, data: Any, but: str = "") -> bool:
    """Whether a short name is not a part of any text of the data, except in the field `but`."""
    words = _words(name)
    return len(name) <= _LONGEST_NAME and not any(
        words in _words(text) for text in _texts_in(data, but)
    )


def _words(text: str) -> str:
    return f" {_NO_WORD.sub(' ', text.lower()).strip()} "


def _texts_in(data: Any, but: str) -> Iterator[str]:
    """Iterate over all texts of a document, except those in fields of the name `but`."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, list):
        for child in data:
            yield from _texts_in(child, but)
    elif isinstance(data, dict):
        for name, child in data.items():
            if name != but:
                yield from _texts_in(child, but)


def compare_with_shape(answer: str, data: Mapping[str, Any]) -> dict[str, Place]:
    """Compare a data object with the published shape of this kind of answer.

    The result is by the path of the records; the data object itself is at ``data``.
    """
    comparison = _Comparison()
    comparison.add_record(data, _ANSWER_FIELDS[answer], "data")
    return comparison.places


class _Comparison:
    """Collects the places of one answer."""

    def __init__(self) -> None:
        self.places: dict[str, Place] = {}

    def add_record(self, row: Mapping[str, Any], fields: Mapping[str, _Field], path: str) -> None:
        place = self.places.setdefault(path, Place())
        place.rows += 1
        for name, known in fields.items():
            if name in row:
                value_type = type(row[name])
                place.types[name][_TYPES[value_type]] += 1
                if value_type not in known.types:
                    self._add_value(row[name], known, path)
            elif known.presence == _REQUIRED:
                place.problems[f"the field {name} is missing"] += 1
            elif known.presence == _OPTIONAL:
                place.unsent[name] += 1
        for name in row.keys() - fields.keys():
            if any(name.removesuffix(end) in fields for end in _DISPLAY_SUFFIXES):
                place.has_display_fields = True
            else:
                place.unknown_fields.setdefault(name, Counter())[_TYPES[type(row[name])]] += 1

    def _add_value(self, value: Any, known: _Field, path: str) -> None:
        """Check one value; the values of lists and objects are records at other places."""
        below = known.name if path == "data" else f"{path}.{known.name}"
        if known.record and isinstance(value, list if known.is_list else dict):
            for row in value if known.is_list else [value]:
                if isinstance(row, dict):
                    record = known.record_without_id if "id" not in row else known.record
                    self.add_record(row, _FIELDS[record], f"{below}[]" if known.is_list else below)
                else:
                    problem = f"the list {known.name} has {_TYPES[type(row)]}, not an object"
                    self.places[path].problems[problem] += 1
        elif isinstance(value, str) and known.kind in _VALUES:
            if value not in _VALUES[known.kind]:
                self.places[path].unknown_values[known.name, value] += 1
        elif value is None and not known.nullable:
            self.places[path].problems[f"the field {known.name} is null"] += 1
        elif value is not None and not known.fits(value):
            problem = f"the field {known.name} is {_TYPES[type(value)]}, not {known.expected}"
            self.places[path].problems[problem] += 1

"""The published shapes of the answers, and the comparison of an answer with them.

The models have most of the fields, with their types. Three tables of this module have the rest:
what the description of the service says otherwise, and what else is known of the answers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel

from budgetframe import models
from budgetframe._resources import EXPORT
from budgetframe.frames.tables import TABLES

_OTHER_TYPES: Mapping[str, Mapping[str, Any]] = {
    "_WithKnowledge": {"server_knowledge": int},
    "BudgetSummary": {
        "date_format": models.DateFormat | None, "currency_format": models.CurrencyFormat | None,
        "accounts": list[models.Account],
    },
    "Account": {
        "direct_import_linked": bool, "direct_import_in_error": bool,
        "last_reconciled_at": str | None, "debt_original_balance": float | None,
        "debt_interest_rates": dict | None, "debt_minimum_payments": dict | None,
        "debt_escrow_amounts": dict | None,
    },
    "Category": {"internal": bool, "original_category_group_id": str | None},
    "CategoryGroup": {"internal": bool},
    "TransactionDetail": {"account_name": str},
    "ScheduledTransactionDetail": {"account_name": str},
    "MonthDetail": {"deleted": bool},
}  # fmt: skip
"""Fields that a model does not have, or has with another type. They may be missing."""

_OTHER_PRESENCE = {
    "_WithKnowledge": "server_knowledge", "Settings": "date_format currency_format",
    "BudgetSummary": "-last_modified_on -first_month -last_month ~accounts",
    "BudgetDetail": "accounts", "Account": "transfer_payee_id", "Category": "~category_group_name",
    "PayeeLocation": "latitude longitude", "_Part": "~payee_name ~category_name",
    "TransactionDetail": "account_name ~payee_name ~category_name",
    "ScheduledTransactionSummary": "date_next",
    "ScheduledTransactionDetail": "account_name ~payee_name ~category_name",
    "MonthDetail": "~deleted",
}  # fmt: skip
"""Fields that are in every answer although the model has a default, and the other way round.

``-`` means that the field may be missing, and ``~`` that only some answers have it.
"""

_KIND_OF_FIELD = {
    name: kind
    for kind, names in {
        "day": "date date_first date_next goal_creation_month goal_target_date goal_target_month",
        "month": "month first_month last_month",
        "time": "last_modified_on last_reconciled_at goal_snoozed_at moved_at group_created_at",
        "number": "goal_percentage_complete",
        "degrees": "latitude longitude",
        "by_month": "debt_interest_rates debt_minimum_payments debt_escrow_amounts",
    }.items()
    for name in names.split()
}
"""The kinds of values that the type of a field does not say."""

_VALUES = {
    column.source: {*column.vocabulary}
    for table in TABLES.values()
    for column in table.columns
    if column.vocabulary
}
"""The vocabulary of each field that has one."""
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


_KINDS: Mapping[Any, tuple[str, type | Callable[[Any], bool]]] = {
    str: ("text", str),
    bool: ("boolean", bool),
    int: ("integer", int),
    float: ("integer", int),  # an amount, in milliunits
    list: ("a list", list),
    dict: ("an object", dict),
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
"""Description of each kind of value, and the type of those that fit, or their check.

A kind is the type that the model has, or a name.
"""

_TYPES = {
    bool: "boolean", dict: "object", float: "decimal", int: "integer", list: "list", str: "text",
    type(None): "null",
}  # fmt: skip
# Companions of amounts since 1.82, which the package does not use.
_DISPLAY_SUFFIXES = ("_formatted", "_currency")
# Text that surely is the name of a field or of a value of a vocabulary, and not data of a user.
_FIELD_NAME = re.compile(r"[a-z]+(_[a-z]+)*", re.ASCII)
_VALUE_NAME = re.compile(r"[a-z]+([A-Z0-9][a-z]*)*|[A-Z]{2,5}", re.ASCII)
_LONGEST_NAME = 40
_NO_WORD = re.compile(r"[\W_]+")

_REQUIRED, _OPTIONAL, _SOMETIMES = "", "-", "~"


class _Field(NamedTuple):
    """One field of a record."""

    presence: str
    is_nullable: bool
    expected: str  # description of the values that fit
    fitting: type | Callable[[Any], bool]  # the type of the values that fit, or their check
    records: Sequence[type[BaseModel]]  # of the records: the rows of a list may have two shapes

    def fits(self, value: Any) -> bool:
        """Whether a value that is not null fits."""
        if isinstance(self.fitting, type):
            return type(value) is self.fitting
        return self.fitting(value)


def _field(name: str, annotation: Any, presence: str) -> _Field:
    types = _types_in(annotation)
    records = [each for each in types if issubclass(each, BaseModel)]
    kind: Any = _KIND_OF_FIELD.get(name, types[0])
    if records:
        kind = list if get_origin(annotation) is list else dict
    return _Field(presence, NoneType in types, *_KINDS[kind], records)


def _types_in(annotation: Any) -> list[type]:
    """The types in an annotation, without lists and unions."""
    inner = get_args(annotation)[: 1 if get_origin(annotation) is Annotated else None]
    return [found for each in inner for found in _types_in(each)] if inner else [annotation]


@cache
def _fields_of(model: type[BaseModel]) -> Mapping[str, _Field]:
    """The published fields of the records that a model describes."""
    fields = {
        name: _field(name, known.annotation, _OPTIONAL if known.default is None else _REQUIRED)
        for name, known in model.model_fields.items()
    }
    bases = [base.__name__ for base in reversed(model.__mro__)]
    for base in bases:
        for name, annotation in _OTHER_TYPES.get(base, {}).items():
            fields[name] = _field(name, annotation, _OPTIONAL)
    for base in bases:
        for marked in _OTHER_PRESENCE.get(base, "").split():
            name = marked.lstrip(_OPTIONAL + _SOMETIMES)
            fields[name] = fields[name]._replace(presence=marked.removesuffix(name))
    return fields


FIELD_NAMES = frozenset(
    field
    for name in models.__all__
    if not name.endswith("Response")  # an envelope
    for field in _fields_of(getattr(models, name))
)
"""All published names of fields."""


@dataclass
class Place:
    """The records at one place of an answer, such as ``transactions[].subtransactions[]``."""

    # Besides names of fields, types and counts, only `unknown_...` have texts of the answer.

    rows: int = 0
    types: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    problems: Counter[str] = field(default_factory=Counter)  # what does not fit, in how many rows
    unsent: Counter[str] = field(default_factory=Counter)
    unknown_fields: dict[str, Counter[str]] = field(default_factory=dict)
    unknown_values: Counter[tuple[str, str]] = field(default_factory=Counter)
    has_display_fields: bool = False

    def add_value(self, name: str, value: Any, known: _Field) -> None:
        """Check a value that is no record, is not of the type that fits, or has a vocabulary."""
        if value is None:
            if not known.is_nullable:
                self.problems[f"the field {name} is null"] += 1
        elif not known.fits(value):
            self.problems[f"the field {name} is {_TYPES[type(value)]}, not {known.expected}"] += 1
        elif name in _VALUES and value not in _VALUES[name]:
            self.unknown_values[name, value] += 1

    def add_unknown(self, name: str, value: Any, fields: Container[str]) -> None:
        """Add a field that is not among the published ones."""
        if any(name.removesuffix(end) in fields for end in _DISPLAY_SUFFIXES):
            self.has_display_fields = True
        else:
            self.unknown_fields.setdefault(name, Counter())[_TYPES[type(value)]] += 1

    def printable_fields(self, data: Any) -> tuple[dict[str, str], int]:
        """Return the unknown fields with their types, and the number of the withheld names."""
        # A key of an object can be data: an id, a month, the name of a payee. A name is withheld
        # unless it looks like the name of a field, every row has it, and no text contains it.
        shown = {
            name: " or ".join(sorted(types))
            for name, types in self.unknown_fields.items()
            if _FIELD_NAME.fullmatch(name)
            and types.total() == self.rows
            and _is_no_data(name, data)
        }
        return shown, len(self.unknown_fields) - len(shown)

    def printable_values(self, data: Any) -> dict[str, tuple[int, list[str]]]:
        """The number of unknown values, and those like values of a vocabulary, for each field."""
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
    """Compare a data object with the published shape, by path; the object itself is at ``data``."""
    name = "Budget" if answer == EXPORT else answer.title().replace("_", "")
    places: dict[str, Place] = {}
    _add_record(places, data, [getattr(models, f"{name}ResponseData")], "data")
    return places


def _fields_for(row: Mapping[str, Any], shapes: Sequence[type[BaseModel]]) -> Mapping[str, _Field]:
    """The fields of a record, which may have one of two shapes: with and without an id."""
    fitting = (shape for shape in shapes if ("id" in shape.model_fields) == ("id" in row))
    return _fields_of(next(fitting, shapes[0]))


def _add_record(
    places: dict[str, Place], row: Mapping[str, Any], shapes: Sequence[type[BaseModel]], path: str
) -> None:
    """Compare a record with its model, and the records in it with theirs."""
    place = places.setdefault(path, Place())
    place.rows += 1
    fields = _fields_for(row, shapes)
    for name, value in row.items():
        if name in fields:
            known = fields[name]
            place.types[name][_TYPES[type(value)]] += 1
            if type(value) is not known.fitting or name in _VALUES:
                place.add_value(name, value, known)
            elif known.records:
                below = name if path == "data" else f"{path}.{name}"
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, dict):
                        end = "[]" if isinstance(value, list) else ""
                        _add_record(places, child, known.records, f"{below}{end}")
                    else:
                        problem = f"the list {name} has {_TYPES[type(child)]}, not an object"
                        place.problems[problem] += 1
        else:
            place.add_unknown(name, value, fields)
    for name, known in fields.items():
        if name not in row and known.presence == _REQUIRED:
            place.problems[f"the field {name} is missing"] += 1
        elif name not in row and known.presence == _OPTIONAL:
            place.unsent[name] += 1

"""The rows of a budget, and the stamps that decide which rows a delta contains."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime
from typing import Generic, TypeVar

CARD_TYPES = frozenset({"creditCard", "lineOfCredit"})
DEBT_TYPES = frozenset(
    {"mortgage", "autoLoan", "studentLoan", "personalLoan", "medicalDebt", "otherDebt"}
)
OFF_BUDGET_TYPES = DEBT_TYPES | {"otherAsset", "otherLiability"}


def random_uuid(rng: random.Random) -> str:
    """Return a version 4 UUID from a random generator."""
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def month_number(day: date) -> int:
    """Return the number of months since year 0, so that month arithmetic uses integers."""
    return day.year * 12 + day.month - 1


def month_start(number: int) -> date:
    """Return the first day of a month."""
    return date(number // 12, number % 12 + 1, 1)


def noon(day: date) -> datetime:
    """Return noon of a day, in UTC."""
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


@dataclass(slots=True, kw_only=True)
class Row:
    """The fields of every row: id, stamp (knowledge of the budget at the last change), deleted."""

    id: str
    stamp: int = 0
    deleted: bool = False


_DERIVED = {"id", "stamp", "deleted", "parts", "transfer_account_id", "transfer_transaction_id"}


def editable_fields(row_type: type[Row]) -> tuple[str, ...]:
    """Return the sorted names of the fields that do not follow from other fields."""
    return tuple(sorted({field.name for field in fields(row_type)} - _DERIVED))


def check_names(what: str, known: tuple[str, ...], changes: Mapping[str, object]) -> None:
    """Raise an error for fields that are not among the editable ones."""
    unknown = sorted(changes.keys() - known)
    if unknown:
        raise TypeError(f"unknown fields {unknown}; {what} has {', '.join(known)}")


@dataclass(slots=True, kw_only=True)
class Account(Row):
    """An account."""

    name: str
    type: str
    on_budget: bool
    transfer_payee_id: str = ""
    closed: bool = False
    note: str | None = None
    cleared_balance: int = 0
    uncleared_balance: int = 0
    last_reconciled_at: datetime | None = None
    debt_interest_rates: dict[str, int] | None = None
    debt_minimum_payments: dict[str, int] | None = None
    debt_escrow_amounts: dict[str, int] | None = None
    interest_in_rows: bool = False  # whether transactions record the interest and escrow of a loan
    loan_costs: int = 0  # interest and escrow that no transaction records, from `Books.settle`
    payment_category_id: str | None = None
    is_linked: bool = False  # whether its bank offers rows for import

    @property
    def balance(self) -> int:
        """Sum of all transactions, minus the costs of a loan that they do not record."""
        return self.cleared_balance + self.uncleared_balance - self.loan_costs


@dataclass(slots=True, kw_only=True)
class Payee(Row):
    """A payee. Each account has one transfer payee, which stands for transfers to it."""

    name: str
    transfer_account_id: str | None = None


@dataclass(slots=True, kw_only=True)
class PayeeLocation(Row):
    """The location of a payee. Coordinates are text, as in the responses."""

    payee_id: str
    latitude: str
    longitude: str


@dataclass(slots=True, kw_only=True)
class CategoryGroup(Row):
    """A category group."""

    name: str
    hidden: bool = False
    internal: bool = False


@dataclass(slots=True, kw_only=True)
class Goal:
    """The goal of a category; the target is in milliunits."""

    type: str
    target: int
    created: date
    target_date: date | None = None
    needs_whole_amount: bool | None = None
    day: int | None = None
    cadence: int | None = None
    cadence_frequency: int | None = None
    snoozed_at: datetime | None = None


@dataclass(slots=True, kw_only=True)
class Category(Row):
    """A category. Its amounts are stored per month in `CategoryMonth`."""

    name: str
    group_id: str
    hidden: bool = False
    internal: bool = False
    note: str | None = None
    goal: Goal | None = None
    payment_account_id: str | None = None


@dataclass(slots=True, kw_only=True)
class CategoryMonth:
    """One category in one month, in milliunits."""

    assigned: int = 0
    inflow: int = 0
    outflow: int = 0
    cash: int = 0  # activity that is not on cards
    credit: dict[str, int] = field(default_factory=dict)  # activity on cards, by account id

    # `Books.settle` derives the fields below.
    funding: int = 0  # of a payment category: money that other categories moved to it
    moved_to_cards: dict[str, int] = field(default_factory=dict)
    """Money that this category moved to payment categories, by account id."""
    activity: int = 0
    balance: int = 0
    cash_overspent: int = 0
    credit_overspent: int = 0
    settled: tuple[int, int, int] = (0, 0, 0)  # assigned, activity and balance at their last change
    stamp: int = 0


@dataclass(slots=True, kw_only=True)
class Month(Row):
    """The totals of a month. The id is the month number as text; responses show the first day."""

    number: int
    note: str | None = None
    income: int = 0
    budgeted: int = 0
    activity: int = 0
    cash_overspent: int = 0
    to_be_budgeted: int = 0
    held: int = 0  # sum of the balances of all categories except Ready to Assign
    age_of_money: int | None = None
    settled: tuple[int | None, ...] = ()  # the totals when they last changed


@dataclass(slots=True, kw_only=True)
class Leg(Row):
    """What can be one side of a transfer: a transaction, or a part of a split."""

    amount: int
    payee_id: str | None = None
    category_id: str | None = None
    memo: str | None = None
    transfer_account_id: str | None = None
    transfer_transaction_id: str | None = None


@dataclass(slots=True, kw_only=True)
class Part(Leg):
    """One part of a split: a subtransaction."""


@dataclass(slots=True, kw_only=True)
class _Whole(Leg):
    account_id: str
    flag_color: str | None = None
    parts: list[Part] = field(default_factory=list)

    @property
    def legs(self) -> list[Leg]:
        """The row and its parts."""
        return [self, *self.parts]


@dataclass(slots=True, kw_only=True)
class Transaction(_Whole):
    """A transaction of an account."""

    date: date
    cleared: str = "uncleared"
    approved: bool = False
    matched_transaction_id: str | None = None
    import_id: str | None = None
    import_payee_name: str | None = None
    import_payee_name_original: str | None = None
    debt_transaction_type: str | None = None

    @property
    def splits(self) -> list[Leg]:
        """The rows that count in categories: the parts of a split, otherwise the row itself."""
        return [*self.parts] or [self]


@dataclass(slots=True, kw_only=True)
class ScheduledTransaction(_Whole):
    """A scheduled transaction."""

    date_first: date
    date_next: date
    frequency: str
    is_completed: bool = False  # whether it was entered for the last time; then it is also deleted


@dataclass(frozen=True, slots=True)
class BankRow:
    """A row that a bank offers for import."""

    account_id: str
    date: date
    amount: int
    payee_name: str
    import_id: str


@dataclass(slots=True, kw_only=True)
class MoneyMovementGroup(Row):
    """A group of money movements that were made together."""

    month: int
    created_at: datetime
    note: str | None = None


@dataclass(slots=True, kw_only=True)
class MoneyMovement(Row):
    """Money moved between two categories; None instead of a category id is Ready to Assign."""

    month: int
    moved_at: datetime
    amount: int
    from_category_id: str | None = None
    to_category_id: str | None = None
    group_id: str | None = None
    note: str | None = None


R = TypeVar("R", bound=Row)


@dataclass(frozen=True, slots=True)
class Posting:
    """The amount that a transaction or part adds to a category in a month."""

    category_id: str
    month: int
    amount: int
    card_id: str | None
    counts: bool  # whether it is spending or income; False for a payment of a card


class Table(Generic[R]):
    """Rows by id, with deleted rows, and the order of their last changes."""

    def __init__(self) -> None:
        self._rows: dict[str, R] = {}
        self._recent: dict[str, None] = {}

    def put(self, row: R, stamp: int) -> R:
        """Store a new or changed row as the row that changed last."""
        row.stamp = stamp
        self._rows[row.id] = row
        self._recent.pop(row.id, None)
        self._recent[row.id] = None
        return row

    def __getitem__(self, key: str) -> R:
        return self._rows[key]

    def __len__(self) -> int:
        return len(self._rows)

    def find(self, key: object) -> R | None:
        """Return the row, or None if it is unknown or deleted."""
        row = self._rows.get(key) if isinstance(key, str) else None
        return None if row is None or row.deleted else row

    def every(self) -> Iterator[R]:
        """Iterate over all rows in the order of their creation, with deleted rows."""
        return iter(self._rows.values())

    def live(self) -> Iterator[R]:
        """Iterate over the rows that are not deleted, in the order of their creation."""
        return (row for row in self._rows.values() if not row.deleted)

    def since(self, cursor: int) -> Iterator[R]:
        """Iterate over the rows changed after `cursor`, latest change first, with deleted rows."""
        for key in reversed(self._recent):
            row = self._rows[key]
            if row.stamp <= cursor:
                return
            yield row


@dataclass(slots=True, kw_only=True)
class Currency:
    """The currency of a budget and the format of its amounts."""

    iso_code: str
    example_format: str
    decimal_digits: int
    decimal_separator: str
    symbol_first: bool
    group_separator: str
    currency_symbol: str
    display_symbol: bool = True


class Budget:
    """All rows of one budget. The counter `knowledge` counts the writes."""

    def __init__(
        self, name: str, currency: Currency, *, today: date, ids: random.Random, now: datetime
    ) -> None:
        self._ids = ids
        self.id = self.new_id()
        self.name = name
        self.currency = currency
        self.date_format = "DD.MM.YYYY" if currency.iso_code == "EUR" else "YYYY/MM/DD"
        self.today = today
        self.now = now
        self.last_modified_on = now
        # A cursor of 0 requests all rows; the first row comes after the cursor 1.
        self.knowledge = 1
        self.is_lenient = False  # whether the service accepts more than the real one; see `Sandbox`
        self.has_movement_totals = False
        self.flag_names: dict[str, str] = {}
        self.user_id = ""
        self.accounts: Table[Account] = Table()
        self.payees: Table[Payee] = Table()
        self.locations: Table[PayeeLocation] = Table()
        self.groups: Table[CategoryGroup] = Table()
        self.categories: Table[Category] = Table()
        self.months: Table[Month] = Table()
        self.transactions: Table[Transaction] = Table()
        self.scheduled: Table[ScheduledTransaction] = Table()
        self.movements: Table[MoneyMovement] = Table()
        self.movement_groups: Table[MoneyMovementGroup] = Table()
        self.category_months: dict[str, dict[int, CategoryMonth]] = {}
        self.leftovers: dict[str, list[Posting]] = {}
        """By category: amounts of deleted splits that are still in its activity."""
        self.import_ids: dict[tuple[str, str], str] = {}
        self.by_amount: dict[tuple[str, int], dict[str, None]] = {}
        """Ids of transactions by account and amount, in the order of their creation."""
        self.loan_rows: dict[str, dict[str, Transaction]] = {}
        """Transactions of loans by account and id, without deleted ones."""
        self.bank_rows: list[BankRow] = []
        self.bank_occurrences: dict[tuple[str, int, date], int] = {}
        self.payees_by_name: dict[str, str] = {}
        self.payee_rules: dict[str, str] = {}  # names of payees by the names of their imports
        self.first_month = self.last_month = month_number(today)
        self.movements_from = 0
        self.inflow_id = self.uncategorized_id = self.internal_group_id = self.cards_group_id = ""

    def new_id(self) -> str:
        """Return a version 4 UUID from the seeded generator."""
        return random_uuid(self._ids)

    @property
    def smallest_amount(self) -> int:
        """The smallest amount of the currency, in milliunits."""
        return int(10 ** (3 - self.currency.decimal_digits))

    def month(self, number: int) -> Month:
        """Return the totals of a month that exists."""
        return self.months[str(number)]

    @property
    def current_month(self) -> int:
        """Number of the month of `today`."""
        return month_number(self.today)

"""The rows of a budget, and the stamps by which deltas are told."""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

CARD_TYPES = frozenset({"creditCard", "lineOfCredit"})
DEBT_TYPES = frozenset(
    {"mortgage", "autoLoan", "studentLoan", "personalLoan", "medicalDebt", "otherDebt"}
)
OFF_BUDGET_TYPES = DEBT_TYPES | {"otherAsset", "otherLiability"}


def month_number(day: date) -> int:
    """Months since year 0: arithmetic on months is arithmetic on integers."""
    return day.year * 12 + day.month - 1


def month_start(number: int) -> date:
    """First day of a month number."""
    return date(number // 12, number % 12 + 1, 1)


@dataclass(slots=True, kw_only=True)
class Row:
    """What every row has: an id, the knowledge of its last change, and whether it is gone."""

    id: str
    stamp: int = 0
    deleted: bool = False


@dataclass(slots=True, kw_only=True)
class Account(Row):
    """A place where money is."""

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
    payment_category_id: str | None = None
    is_linked: bool = False
    """Whether its bank has rows ready to be imported now and then."""

    @property
    def balance(self) -> int:
        """All rows of the account, cleared or not."""
        return self.cleared_balance + self.uncleared_balance


@dataclass(slots=True, kw_only=True)
class Payee(Row):
    """Whom money goes to or comes from; one per account stands for transfers to it."""

    name: str
    transfer_account_id: str | None = None


@dataclass(slots=True, kw_only=True)
class PayeeLocation(Row):
    """Where a payee was met. Coordinates are text, as on the wire."""

    payee_id: str
    latitude: str
    longitude: str


@dataclass(slots=True, kw_only=True)
class Group(Row):
    """A heading over categories."""

    name: str
    hidden: bool = False
    internal: bool = False


@dataclass(slots=True, kw_only=True)
class Goal:
    """What a category is meant to reach."""

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
    """A purpose. Its amounts are per month, see `CategoryMonth`."""

    name: str
    group_id: str
    hidden: bool = False
    internal: bool = False
    note: str | None = None
    goal: Goal | None = None
    payment_account_id: str | None = None


@dataclass(slots=True, kw_only=True)
class CategoryMonth:
    """One category in one month. Everything below `credit` is derived by the books."""

    assigned: int = 0
    inflow: int = 0
    outflow: int = 0
    cash: int = 0
    credit: dict[str, int] = field(default_factory=dict)
    funded: int = 0
    moved: dict[str, int] = field(default_factory=dict)
    activity: int = 0
    balance: int = 0
    cash_overspent: int = 0
    credit_overspent: int = 0
    seen: tuple[int, int, int] = (0, 0, 0)
    stamp: int = 0


@dataclass(slots=True, kw_only=True)
class Month(Row):
    """A month's totals. The id is its number as text: on the wire it is keyed by its first day."""

    number: int
    note: str | None = None
    income: int = 0
    budgeted: int = 0
    activity: int = 0
    cash_overspent: int = 0
    to_be_budgeted: int = 0
    held: int = 0
    age_of_money: int | None = None
    seen: tuple[int | None, ...] = ()


@dataclass(slots=True, kw_only=True)
class Part(Row):
    """A subtransaction."""

    amount: int
    payee_id: str | None = None
    category_id: str | None = None
    memo: str | None = None
    transfer_account_id: str | None = None
    transfer_transaction_id: str | None = None


@dataclass(slots=True, kw_only=True)
class Transaction(Row):
    """A row of an account."""

    account_id: str
    date: date
    amount: int
    payee_id: str | None = None
    category_id: str | None = None
    memo: str | None = None
    cleared: str = "uncleared"
    approved: bool = False
    flag_color: str | None = None
    transfer_account_id: str | None = None
    transfer_transaction_id: str | None = None
    matched_transaction_id: str | None = None
    import_id: str | None = None
    import_payee_name: str | None = None
    import_payee_name_original: str | None = None
    debt_transaction_type: str | None = None
    parts: list[Part] = field(default_factory=list)

    @property
    def sides(self) -> list[Transaction | Part]:
        """The row and its parts: whatever may be one end of a transfer."""
        return [self, *self.parts]

    @property
    def shares(self) -> list[Transaction | Part]:
        """What counts in categories: the parts of a split, else the row itself."""
        return [*self.parts] or [self]


@dataclass(slots=True, kw_only=True)
class Scheduled(Row):
    """A transaction to come."""

    account_id: str
    date_first: date
    date_next: date
    frequency: str
    amount: int
    payee_id: str | None = None
    category_id: str | None = None
    memo: str | None = None
    flag_color: str | None = None
    transfer_account_id: str | None = None
    is_completed: bool = False
    """Whether it was entered for the last time; then it is deleted as well."""
    parts: list[Part] = field(default_factory=list)

    @property
    def sides(self) -> list[Scheduled | Part]:
        """The row and its parts."""
        return [self, *self.parts]


@dataclass(frozen=True, slots=True)
class BankRow:
    """A row that a bank has ready to be imported."""

    account_id: str
    date: date
    amount: int
    payee_name: str
    import_id: str


@dataclass(slots=True, kw_only=True)
class MovementGroup(Row):
    """Moves made in one go."""

    month: int
    created_at: datetime
    note: str | None = None


@dataclass(slots=True, kw_only=True)
class Movement(Row):
    """Money moved between two categories; no category is Ready to Assign."""

    month: int
    moved_at: datetime
    amount: int
    from_category_id: str | None = None
    to_category_id: str | None = None
    group_id: str | None = None
    note: str | None = None


R = TypeVar("R", bound=Row)


class Table(Generic[R]):
    """Rows by id, deleted ones included, and the order in which they last changed."""

    def __init__(self) -> None:
        self._rows: dict[str, R] = {}
        self._recent: dict[str, None] = {}

    def put(self, row: R, stamp: int) -> R:
        """Store a new or changed row as the most recent one."""
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
        """Give the row unless it is unknown or deleted."""
        row = self._rows.get(key) if isinstance(key, str) else None
        return None if row is None or row.deleted else row

    def every(self) -> Iterator[R]:
        """All rows in the order they were made, deleted ones included."""
        return iter(self._rows.values())

    def live(self) -> Iterator[R]:
        """All rows that are not deleted, in the order they were made."""
        return (row for row in self._rows.values() if not row.deleted)

    def since(self, cursor: int) -> Iterator[R]:
        """Rows changed after `cursor`, latest change first, deleted ones included."""
        for key in reversed(self._recent):
            row = self._rows[key]
            if row.stamp <= cursor:
                return
            yield row


@dataclass(slots=True, kw_only=True)
class Currency:
    """How a budget writes amounts."""

    iso_code: str
    example_format: str
    decimal_digits: int
    decimal_separator: str
    symbol_first: bool
    group_separator: str
    currency_symbol: str
    display_symbol: bool = True


class Budget:
    """All rows of one budget, under one counter of knowledge."""

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
        self.knowledge = 0
        self.flag_names: dict[str, str] = {}
        self.user_id = ""
        self.accounts: Table[Account] = Table()
        self.payees: Table[Payee] = Table()
        self.locations: Table[PayeeLocation] = Table()
        self.groups: Table[Group] = Table()
        self.categories: Table[Category] = Table()
        self.months: Table[Month] = Table()
        self.transactions: Table[Transaction] = Table()
        self.scheduled: Table[Scheduled] = Table()
        self.movements: Table[Movement] = Table()
        self.movement_groups: Table[MovementGroup] = Table()
        self.category_months: dict[str, dict[int, CategoryMonth]] = {}
        self.import_ids: dict[tuple[str, str], str] = {}
        self.by_amount: dict[tuple[str, int], dict[str, None]] = {}
        self.bank_rows: list[BankRow] = []
        self.bank_seen: dict[tuple[str, int, date], int] = {}
        self.payees_by_name: dict[str, str] = {}
        self.first_month = self.last_month = month_number(today)
        self.movements_from = 0
        self.inflow_id = self.uncategorized_id = self.internal_group_id = self.cards_group_id = ""

    def new_id(self) -> str:
        """Draw a version 4 UUID from the seed."""
        return str(uuid.UUID(int=self._ids.getrandbits(128), version=4))

    def month(self, number: int) -> Month:
        """Give the totals of a month that exists."""
        return self.months[str(number)]

    @property
    def current_month(self) -> int:
        """Number of the month of `today`."""
        return month_number(self.today)

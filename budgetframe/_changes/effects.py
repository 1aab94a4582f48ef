"""The effects of changes on accounts, categories and the amount that is left to assign.

The service derives these figures from the transactions and the assigned amounts:

* The balance of an account is the sum of its rows.
* A row of a budget account counts in its category and month, a row without a category in
  ``Uncategorized``. A transfer between two budget accounts counts in no category, but a payment of
  a card counts in the payment category of the card.
* Available = available of the month before (0 if negative) + assigned + activity.
* Spending on a card moves the money that covers it to the payment category of the card. Spending
  that no money covers stays a debt on the card.
* Ready to Assign = Ready to Assign of the month before + income - assigned - overspending of the
  month before that was not on a card.
* A deleted split counts no more. The service corrects the activity when another transaction of the
  category is written; the figures here are those after that.

The figures after the changes are the service's own figures plus the difference between two
calculations, without and with the changes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import CARD_GROUP, is_income, is_uncategorized
from budgetframe._session.reads import Answer
from budgetframe._session.session import Session
from budgetframe._session.written import parts_of
from budgetframe.frames.ledger import ledger
from budgetframe.frames.money import milliunits
from budgetframe.frames.schema import CURRENCY, Column, frame_of_rows

from .plan import Change, Plan
from .service_state import booked_state
from .state import Names, Row, State
from .transfers import Simulation, legs

_KINDS = ("account", "category", "budget")
_QUANTITIES = ("balance", "activity", "available", "to_be_budgeted")
EFFECTS = (
    Column("kind", "category", "", "account, category or budget", vocabulary=_KINDS),
    Column("name", "str", "", "name of the account or category; missing for the budget"),
    Column("month", "datetime64[us]", "", "first day of the month; missing for accounts"),
    Column("quantity", "category", "", "the figure that changes", vocabulary=_QUANTITIES),
    Column("before", "float64", CURRENCY, "the service's figure before the changes"),
    Column("after", "float64", CURRENCY, "the figure after the changes"),
    Column("difference", "float64", CURRENCY, "after minus before"),
    Column("key", "str", "", "key of the account or category; missing for the budget"),
)
"""The columns of the frame of effects."""

Assigned = Mapping[tuple[str, int], int]  # new assigned milliunits, by category and month
_MONTHS = 12
_COUNTED = ("amount", "category_id", "payee_id")


def month_number(day: str) -> int:
    """The number of months since year 0 of a day as the service writes it."""
    return int(day[:4]) * _MONTHS + int(day[5:7]) - 1


class Posting(NamedTuple):
    """A row of one account, as it counts: a transaction without parts, or a part of a split."""

    account_id: str
    month: int  # the number of months since year 0
    amount: int  # milliunits
    category_id: str | None
    transfer_account_id: str | None


class CategoryMonth(NamedTuple):
    assigned: int
    activity: int
    available: int


class Figures:
    """The figures of a budget before changes, as the service states them in one answer."""

    def __init__(
        self,
        accounts: pd.DataFrame,
        month_categories: pd.DataFrame,
        months: pd.DataFrame,
        ledger: pd.DataFrame,
    ) -> None:
        self.account_names = _values(accounts, "account_id", "account_name")
        self.on_budget = _values(accounts, "account_id", "on_budget")
        self.balances = _milliunits_by_key(accounts["account_id"], accounts["balance"])
        month_numbers = _numbers(months["month"])
        self.to_be_budgeted = _milliunits_by_key(month_numbers, months["to_be_budgeted"])
        self.category_names = _values(month_categories, "category_id", "category_name")
        groups = _values(month_categories, "category_id", "category_group_name")
        names = [(key, group, self.category_names[key]) for key, group in groups.items()]
        self.income_ids = {key for key, group, name in names if is_income(group, name)}
        uncategorized = (key for key, group, name in names if is_uncategorized(group, name))
        self.uncategorized_id = next(uncategorized, None)
        ids = {name: key for key, name in self.account_names.items()}
        self.payment_categories = {
            ids[name]: key for key, group, name in names if group == CARD_GROUP and name in ids
        }
        """The payment category of each card, by the key of the account."""
        self.months: dict[str, dict[int, CategoryMonth]] = defaultdict(dict)
        names_of_amounts = ("budgeted", "activity", "balance")
        amounts = (milliunits(month_categories[name]) for name in names_of_amounts)
        for key, month, *figures in zip(
            month_categories["category_id"], _numbers(month_categories["month"]), *amounts,
            strict=True,
        ):  # fmt: skip
            self.months[key][month] = CategoryMonth(*figures)
        self.last_month = max(self.to_be_budgeted, default=0)
        self._ledger = ledger

    def left_from(self, month: int) -> int:
        """The smallest amount left to assign in a month and those after it."""
        known = self.to_be_budgeted.items()
        left = [amount for number, amount in known if number >= month]
        return min(left) if left else self.left_after_last_month()

    def left_after_last_month(self) -> int:
        """The amount left to assign in a new month: overspending of the last month reduces it."""
        overspent = {
            key: last.available
            for key, months in self.months.items()
            if key not in self.income_ids
            and (last := months.get(self.last_month)) is not None
            and last.available < 0
        }
        return self.to_be_budgeted.get(self.last_month, 0) - sum(
            covered(available, self.credit.get((key, self.last_month), Counter()))[1]
            for key, available in overspent.items()
        )

    @cached_property
    def credit(self) -> Mapping[tuple[str, int], Counter[str]]:
        """The activity on cards, by category and month, for each card."""
        rows = self._ledger
        on_card = rows["account_id"].isin(list(self.payment_categories))
        is_moved = rows["transfer_on_budget"].fillna(value=False).astype(bool)
        has_category = rows["category_id"].notna() & ~rows["is_uncategorized"]
        key = rows["category_id"].where(has_category, self.uncategorized_id)
        counts = on_card & ~is_moved & rows["on_budget"]
        rows = rows.assign(category_id=key)[counts.to_numpy(bool)]
        keys = [rows["category_id"], _numbers(rows["date"]), rows["account_id"]]
        found: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
        sums: Any = milliunits(rows["amount"]).groupby(keys).sum()
        for (category, month, account), amount in sums.items():
            found[category, month][account] = int(amount)
        return found


def effects_of(
    figures: Figures, removed: Iterable[Posting], added: Iterable[Posting], assigned: Assigned
) -> pd.DataFrame:
    """The figures of the budget that change if rows are removed and added and amounts assigned."""
    # A changed row is removed and added, and both sides of a transfer are rows. The result has one
    # row for each figure that changes: accounts first, then categories by name and month, then the
    # budget by month.
    balances: Counter[str] = Counter()
    cash: Counter[tuple[str, int]] = Counter()
    credit: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for sign, postings in ((-1, removed), (1, added)):
        for posting in postings:
            balances[posting.account_id] += sign * posting.amount
            category_id, card_id = _category_of(figures, posting)
            if category_id is None:
                continue
            place, amount = (category_id, posting.month), sign * posting.amount
            if card_id is not None:
                credit[place][card_id] += amount
            elif category_id == figures.payment_categories.get(posting.account_id):
                cash[place] -= amount  # a payment of the card takes the money from its category
            else:
                cash[place] += amount
    changes = _CategoryChanges(figures, cash, credit, assigned)
    changes.settle()
    rows: list[tuple[Any, ...]] = [
        ("account", figures.account_names.get(key), None, "balance", balance, balances[key], key)
        for key, balance in figures.balances.items()
    ]
    rows += changes.rows()
    return _frame(rows)


def _category_of(figures: Figures, posting: Posting) -> tuple[str | None, str | None]:
    """The category in which a row counts, and the card that it was spent with."""
    if not figures.on_budget.get(posting.account_id, True):
        return None, None
    payment_category = figures.payment_categories.get(posting.account_id)
    target = posting.transfer_account_id
    if target is not None and figures.on_budget.get(target, True):
        return payment_category, None
    category_id = posting.category_id or figures.uncategorized_id
    is_spending = payment_category is not None and category_id not in figures.income_ids
    return category_id, posting.account_id if is_spending else None


class _CategoryChanges:
    """The changes of categories and of the amount left to assign, month by month."""

    def __init__(
        self,
        figures: Figures,
        cash: Mapping[tuple[str, int], int],
        credit: Mapping[tuple[str, int], Counter[str]],
        assigned: Assigned,
    ) -> None:
        self._figures = figures
        self._cash = Counter(dict(cash))
        self._credit = credit
        self._assigned = assigned
        keys = {key for key, _ in (*cash, *credit, *assigned)}
        self._known_credit = {at: each for at, each in figures.credit.items() if at[0] in keys}
        self._first: dict[str, int] = {}
        for key, month in (*cash, *credit, *assigned):
            self._first[key] = min(month, self._first.get(key, month))
        months = [month for _, month in (*cash, *credit, *assigned)]
        self._last = max([figures.last_month, *months])
        self._left: Counter[int] = Counter()  # changes of the amount left to assign, by month
        self._rows: list[tuple[Any, ...]] = []

    def settle(self) -> None:
        """Calculate all categories; the payment categories of cards come last."""
        payments = set(self._figures.payment_categories.values())
        for key in sorted(self._first.keys() - payments):
            self._settle_category(key)
        for key in sorted(self._first.keys() & payments):
            self._settle_category(key)

    def rows(self) -> list[tuple[Any, ...]]:
        """The rows of the frame of effects."""
        self._rows.sort(key=lambda row: (row[1] or "", row[-1], row[2], row[3]))
        change = 0
        for month in range(min(self._left, default=0), self._last + 1 if self._left else 0):
            change += self._left[month]
            before = self._figures.to_be_budgeted.get(month)
            if before is None:  # the month did not exist: it continues the last month
                before = self._figures.left_after_last_month()
            self._rows.append(("budget", None, month, "to_be_budgeted", before, change, None))
        return self._rows

    def _settle_category(self, key: str) -> None:
        figures, name = self._figures, self._figures.category_names.get(key)
        is_income = key in figures.income_ids
        known = figures.months.get(key, {})
        first = self._first[key]
        # The months between the last month and a new one do not exist yet.
        earlier = known.get(min(first - 1, figures.last_month), CategoryMonth(0, 0, 0))
        before = after = earlier.available
        for month in range(first, self._last + 1):
            now = known.get(month)
            assigned, activity = (now.assigned, now.activity) if now else (0, 0)
            before = (before if is_income else max(before, 0)) + assigned + activity
            shift = now.available - before if now else 0  # 0, if the service follows the rules
            before += shift
            credit = self._known_credit.get((key, month), Counter())
            new_credit = Counter(credit)
            change = self._cash[key, month]
            for card, amount in self._credit.get((key, month), {}).items():
                new_credit[card] += amount
                change += amount
            new_assigned = self._assigned.get((key, month), assigned)
            after = (after if is_income else max(after, 0)) + new_assigned
            after += activity + change + shift
            self._left[month] += (change if is_income else 0) - (new_assigned - assigned)
            if not is_income:
                moved, overspent = covered(before, credit)
                new_moved, new_overspent = covered(after, new_credit)
                self._left[month + 1] -= new_overspent - overspent
                for card in {*moved, *new_moved}:
                    self._fund(card, month, new_moved[card] - moved[card])
            for quantity, value, difference in (
                ("activity", activity, change),
                ("available", before, after - before),
            ):
                self._rows.append(("category", name, month, quantity, value, difference, key))

    def _fund(self, card: str, month: int, amount: int) -> None:
        """Move money to the payment category of a card."""
        key = self._figures.payment_categories[card]
        if amount:
            self._cash[key, month] += amount
            self._first[key] = min(month, self._first.get(key, month))


def covered(available: int, credit: Counter[str]) -> tuple[Counter[str], int]:
    """The money that moves to each card, and the overspending that was not on a card."""
    over = max(0, -available)
    uncovered = min(over, max(0, -sum(credit.values())))
    moved: Counter[str] = Counter()
    left = uncovered
    for card in sorted(credit):
        spent = -credit[card]
        without = min(left, max(0, spent))
        left -= without
        moved[card] = spent - without
    return moved, over - uncovered


def _values(frame: pd.DataFrame, key: str, name: str) -> dict[Any, Any]:
    """The cells of a column, by those of another one."""
    return dict(zip(frame[key], frame[name], strict=True))


def _milliunits_by_key(keys: Iterable[Any], amounts: pd.Series[float]) -> dict[Any, int]:
    return dict(zip(keys, milliunits(amounts), strict=True))


def _numbers(days: pd.Series[Any]) -> list[int]:
    """The `month_number` of each day."""
    return list(days.dt.year * _MONTHS + days.dt.month - 1)


def _frame(rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    """The frame of effects, without figures that do not change."""
    found = []
    for kind, name, month, quantity, before, change, key in rows:
        if change:
            day = None if month is None else f"{month // _MONTHS:04}-{month % _MONTHS + 1:02}-01"
            amounts = (each / MILLIUNITS for each in (before, before + change, change))
            found.append((kind, name, day, quantity, *amounts, key))
    return frame_of_rows(EFFECTS, found)


# The figures of a plan


async def effects_of_changes(session: Session, changes: list[Change], state: State) -> pd.DataFrame:
    """The figures that changes change, from the export of the budget."""
    has_booked = any(change.resource == "transactions" for change in changes)
    return (await KnownFigures.read(session, state if has_booked else None)).effects(changes)


class KnownFigures(NamedTuple):
    """The service's own figures of a budget, and the transactions that they follow from."""

    rows: State
    figures: Figures
    answer: Answer

    @classmethod
    async def read(
        cls, session: Session, state: State | None, *, is_new: bool = False
    ) -> KnownFigures:
        """Read the export of the budget: a new one if a state is given and it does not agree."""
        answer = await session.reads.read_export(is_new=is_new)
        rows = _rows_of(session, answer, state)
        if not answer.is_new and state is not None and not _agrees(rows, state):
            answer = await session.reads.read_export(is_new=True)
            rows = _rows_of(session, answer, state)
        of_ledger = "transactions", "subtransactions", "accounts", "categories", "payees"
        frames = session.frames_from(answer, "month_categories", "months", *of_ledger)
        booked = ledger(*(frames[name] for name in of_ledger))
        figures = Figures(frames["accounts"], frames["month_categories"], frames["months"], booked)
        return cls(rows, figures, answer)

    def effects(self, changes: Sequence[Change]) -> pd.DataFrame:
        """The figures that changes change."""
        booked = [change for change in changes if change.resource == "transactions"]
        after = Simulation(self.rows, Plan(booked).in_order())
        removed = _postings(after, map(self.rows.transaction, after.rows))
        added = _postings(after, after.rows.values())
        assigned = {
            (str(change.key), month_number(change.month or "")): int(change.after["budgeted"])
            for change in changes
            if change.resource == "month_categories"
        }
        return effects_of(self.figures, removed, added, assigned)

    def left_to_assign(self, changes: Sequence[Change], month: str) -> tuple[int, int]:
        """The smallest amount left to assign from a month on, before and after changes."""
        # It is in milliunits. A month that the budget does not have yet continues the last one.
        number, before = month_number(month), self.figures.left_from(month_number(month))
        effects = self.effects(changes).query("quantity == 'to_be_budgeted'")
        after = dict(zip(_numbers(effects["month"]), milliunits(effects["after"]), strict=True))
        known = self.figures.to_be_budgeted.items()
        same = [amount for at, amount in known if at >= number and at not in after]
        return before, min([*after.values(), *same], default=before)


def _rows_of(session: Session, export: Answer, state: State | None) -> State:
    lists = session.usable_lists(export, "transactions", "subtransactions")
    names = state.names if state else Names()
    return booked_state(session, lists["transactions"], names)


def _agrees(rows: State, state: State) -> bool:
    """Whether the transactions of both states lead to the same figures."""
    booked = {key: raw for key, raw in state.rows.items() if "cleared" in raw}
    return rows.rows.keys() == booked.keys() and all(
        _counted(raw) == _counted(booked[key]) for key, raw in rows.rows.items()
    )


def _counted(raw: Mapping[str, Any]) -> list[Any]:
    """The fields of a transaction and of its parts that figures follow from."""
    return [
        [raw.get("date"), raw.get("account_id")],
        *([row.get(name) for name in _COUNTED] for row in (raw, *parts_of(raw))),
    ]


def _postings(simulation: Simulation, rows: Iterable[Row | None]) -> Iterator[Posting]:
    for row in filter(None, rows):
        for leg in legs(row):
            month, amount = month_number(row["date"]), leg["amount"]
            category_id, target = leg.get("category_id"), simulation.target(row, leg)
            yield Posting(row["account_id"], month, amount, category_id, target)

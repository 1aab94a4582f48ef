"""The made-up household, several years of it, the same for the same seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from budgetframe.sandbox.state.editor import BudgetEditor
from budgetframe.sandbox.state.rows import Budget, PayeeLocation, month_number, month_start

from .assigning import assign_month, rebalance
from .japanese import JAPANESE
from .purchases import PurchaseGenerator
from .special_cases import add_special_cases
from .tables import ACCOUNTS, EUR, GROUPS, HABITS, JPY, LOCATIONS, Habit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from budgetframe.sandbox.state.rows import Account, Category, Currency

    from .size import Size

_MONTHS_ON_RECORD = 18
"""How far back movements of money go: the service began to record them later."""
_RECONCILED_AFTER = timedelta(days=45)
_CLEARED_AFTER = timedelta(days=4)
_DEARER_BY = 0.0035
"""Share of the first month's prices by which they go up each month."""


_BUDGETS = (("Household", EUR, 1), ("東京の家計", JPY, 160))


def make_budgets(
    *, seed: int, ids: random.Random, today: date, now: datetime, size: Size
) -> tuple[BudgetEditor, ...]:
    """Make the household's budgets; from the third on they are more of the same."""

    def make(index: int, ids: random.Random, *, alone: int = 0, wanted: int = 0) -> BudgetEditor:
        again, which = divmod(index, len(_BUDGETS))
        name, currency, scale = _BUDGETS[which]
        return _make(
            f"{name} {again + 1}" if again else name,
            currency,
            scale,
            seed=seed,
            ids=ids,
            today=today,
            now=now,
            years=size.years_of(index),
            alone=alone,
            wanted=wanted,
        )

    alone = 0
    if size.transactions is not None:
        rehearsal = make(0, random.Random(seed))  # noqa: S311 - made-up data, not a secret
        alone = sum(1 for _ in rehearsal.budget.transactions.live())
        size.check(alone)
    return (
        make(0, ids, alone=alone, wanted=size.transactions or 0),
        *(make(index, ids) for index in range(1, size.budgets)),
    )


@dataclass(slots=True)
class Household:
    """A budget in the making."""

    entries: BudgetEditor
    rng: random.Random
    scale: int
    """Milliunits of this currency that one thousandth of a euro is worth."""
    grain: int
    """The smallest amount there is, in milliunits."""
    accounts: dict[str, Account]
    categories: dict[tuple[str, str], Category]

    @property
    def budget(self) -> Budget:
        """The rows."""
        return self.entries.budget

    def money(self, euros: float) -> int:
        """Turn euros into milliunits of the budget, in whole coins."""
        return round(euros * 1000 * self.scale / self.grain) * self.grain

    def cleared(self, day: date) -> str:
        """Tell how far a row of that day has come."""
        age = self.budget.today - day
        if age > _RECONCILED_AFTER:
            return "reconciled"
        return "cleared" if age > _CLEARED_AFTER else "uncleared"

    def say(self, text: str) -> str:
        """Say it in the language of the budget."""
        return JAPANESE.get(text, text) if self.budget.currency is JPY else text

    def price_level(self, number: int) -> float:
        """Tell how dear things are, compared to the first month."""
        return 1.0 + _DEARER_BY * (number - self.budget.first_month)

    def payee(self, name: str) -> str:
        """Give the id of a payee by name."""
        return self.entries.payee_named(self.say(name)).id

    def transfer(self, account: str) -> str:
        """Give the id of the payee that stands for a transfer to an account."""
        return self.accounts[account].transfer_payee_id

    def category(self, group: str, name: str) -> str:
        """Give the id of a category."""
        return self.categories[group, name].id


def _make(
    name: str,
    currency: Currency,
    scale: int,
    *,
    seed: int,
    ids: random.Random,
    today: date,
    now: datetime,
    years: int,
    alone: int,
    wanted: int,
) -> BudgetEditor:
    budget = Budget(name, currency, today=today, ids=ids, now=now)
    first = month_number(date(today.year - years, 1, 1))
    budget.first_month, budget.last_month = first, first - 1
    budget.movements_from = max(first, month_number(today) + 1 - _MONTHS_ON_RECORD)
    entries = BudgetEditor(budget)
    rng = random.Random(f"{seed} {name}")  # noqa: S311 - made-up data, not a secret
    home = Household(
        entries, rng, scale, 10 ** (3 - currency.decimal_digits), accounts={}, categories={}
    )
    for color, flag_name in (("red", "Check"), ("green", "Tax"), ("blue", "Shared")):
        budget.flag_names[color] = home.say(flag_name)
    with entries.one_write():
        entries.books.extend_to(first)
        _furnish(home)
    numbers = range(first, month_number(today) + 1)
    crowd = PurchaseGenerator(
        home, f"{seed} {name} crowd", months=len(numbers), more=wanted - alone
    )
    for number in numbers:
        budget.now = min(now, now.replace(year=number // 12, month=number % 12 + 1, day=2))
        with entries.one_write():
            _live_through(home, number)
            bought = crowd.fill(number)
        with entries.one_write():
            assign_month(home, number, bought)
    budget.now = now
    add_special_cases(home)
    with entries.one_write():
        rebalance(home)
    crowd.finish(wanted)
    return entries


def _furnish(home: Household) -> None:
    """Open groups, categories and accounts."""
    entries, budget = home.entries, home.budget
    internal = entries.add_group("Internal Master Category", internal=True)
    budget.internal_group_id = internal.id
    for name, field in (
        ("Inflow: Ready to Assign", "inflow_id"),
        ("Uncategorized", "uncategorized_id"),
    ):
        setattr(budget, field, entries.add_category(name, internal.id, internal=True).id)
    budget.cards_group_id = entries.add_group("Credit Card Payments").id
    for group_name, hidden, lines in GROUPS:
        group = entries.add_group(home.say(group_name), hidden=hidden)
        for line in lines:
            category = entries.add_category(
                home.say(line.name),
                group.id,
                hidden=line.hidden,
                note=line.note and home.say(line.note),
            )
            home.categories[group_name, line.name] = category
    first = month_start(budget.first_month)
    for opening in ACCOUNTS:
        account = entries.add_account(
            home.say(opening.name),
            opening.type,
            note=opening.note and home.say(opening.note),
            debt_interest_rates={first.isoformat(): 4_500} if opening.loan else None,
            debt_minimum_payments={first.isoformat(): home.money(280)} if opening.loan else None,
            debt_escrow_amounts={} if opening.loan else None,
        )
        home.accounts[opening.name] = account
        if opening.balance:
            entries.add_transaction(
                account_id=account.id,
                date=first,
                amount=home.money(opening.balance),
                payee_id=home.payee("Starting Balance"),
                category_id=budget.inflow_id,
                cleared=home.cleared(first),
                approved=True,
                debt_transaction_type="balanceAdjustment" if opening.loan else None,
            )
    for payee, latitude, longitude in LOCATIONS:
        place = PayeeLocation(
            id=budget.new_id(), payee_id=home.payee(payee), latitude=latitude, longitude=longitude
        )
        budget.locations.put(place, budget.knowledge)


def _live_through(home: Household, number: int) -> None:
    """Enter what happens in one month, day by day."""
    events = [
        (day, order, habit)
        for order, habit in enumerate(HABITS)
        for day in _days(home, habit, number)
    ]
    for day, _, habit in sorted(events, key=lambda event: event[:2]):
        _enter(home, habit, day)


def _days(home: Household, habit: Habit, number: int) -> Iterator[date]:
    start = month_start(number)
    length = (month_start(number + 1) - start).days
    if habit.months and start.month not in habit.months:
        return
    days = habit.days or sorted(home.rng.sample(range(1, length + 1), habit.times))
    for day in days:
        when = start.replace(day=min(day, length))
        if when <= home.budget.today:
            yield when


def _enter(home: Household, habit: Habit, day: date) -> None:
    rng = home.rng
    euros = habit.amount * (1 + habit.spread * (2 * rng.random() - 1))
    euros *= habit.seasons.get(day.month, 1.0)
    if habit.dearer:
        euros *= home.price_level(month_number(day))
    elif habit.raised:
        january = month_number(day.replace(month=1))
        euros *= home.price_level(january)
    account = home.accounts[habit.account]
    amount = home.money(euros)
    if habit.settles:
        amount = min(0, home.accounts[habit.to or ""].balance)
        if not amount:
            return
    category_id = home.budget.inflow_id if habit.income else None
    if habit.category is not None:
        category_id = home.category(*habit.category)
    memo = rng.choice(habit.memos) if habit.memos else None
    home.entries.add_transaction(
        account_id=account.id,
        date=day,
        amount=amount,
        payee_id=home.transfer(habit.to) if habit.to else home.payee(rng.choice(habit.payees)),
        category_id=category_id,
        memo=memo and home.say(memo),
        cleared=home.cleared(day),
        approved=True,
        debt_transaction_type=habit.debt,
    )

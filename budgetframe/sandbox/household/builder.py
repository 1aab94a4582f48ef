"""The generator of sample budgets: a household over several years, deterministic for a seed."""

from __future__ import annotations

import gc
import pickle
import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from typing import Any

from budgetframe.sandbox.state.editor import BudgetEditor
from budgetframe.sandbox.state.loans import monthly_costs
from budgetframe.sandbox.state.rows import (
    Account,
    Budget,
    PayeeLocation,
    month_number,
    month_start,
    noon,
    random_uuid,
)

from .assigning import assign_month, rebalance
from .home import Household
from .purchases import PurchaseGenerator
from .size import Size
from .special_cases import add_special_cases
from .tables import ACCOUNTS, EUR, GROUPS, HABITS, JPY, LOCATIONS, Habit

_MONTHS_OF_MOVEMENTS = 18  # the service does not have older movements of money

_BUDGETS = (("Household", EUR, 1), ("東京の家計", JPY, 160))

_CACHED_BUDGETS = 4
_LARGEST_CACHED = 20_000  # transactions above which generated budgets are not cached

_Key = tuple[int, date, "Size"]
_cache: dict[_Key, bytes] = {}  # pickles of generated budgets, the most recently used one last


def make_budgets(*, seed: int, today: date, size: Size) -> tuple[BudgetEditor, ...]:
    """Return new budgets of the household; the third and later ones are similar to the first two.

    The result depends only on the arguments. The last few results are kept as pickles in the
    memory of the process, because loading a pickle is several times faster than generating.
    """
    key = (seed, today, size)
    with _paused_gc():
        # Single operations on a dict are atomic: this needs no lock, which a fork could leave held.
        pickled = _cache.pop(key, None)
        if pickled is not None:
            _cache[key] = pickled
            editors: tuple[BudgetEditor, ...] = pickle.loads(pickled)  # noqa: S301 - dumped below
            return editors
        editors = _generate(seed=seed, today=today, size=size)
        if sum(len(editor.budget.transactions) for editor in editors) <= _LARGEST_CACHED:
            _cache[key] = pickle.dumps(editors, pickle.HIGHEST_PROTOCOL)
            for oldest in list(_cache)[:-_CACHED_BUDGETS]:
                _cache.pop(oldest, None)
        return editors


@contextmanager
def _paused_gc() -> Iterator[None]:
    """Pause the garbage collector, whose scans of the new rows would find nothing to collect."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _generate(*, seed: int, today: date, size: Size) -> tuple[BudgetEditor, ...]:
    ids = random.Random(f"{seed} ids")  # noqa: S311 - sample data, not a secret
    user_id = random_uuid(ids)
    make = partial(_make_budget, seed=seed, today=today, size=size)
    base = 0
    if size.transactions is not None:
        # The number of transactions without purchases is only known after a trial run.
        trial = make(0, random.Random(seed))  # noqa: S311 - sample data, not a secret
        base = sum(1 for _ in trial.budget.transactions.live())
        size.check(base)
    editors = [make(0, ids, base=base, total=size.transactions or 0)]
    editors += [make(index, ids) for index in range(1, size.budgets)]
    for editor in editors:
        editor.budget.user_id = user_id
    return tuple(editors)


def _make_budget(
    index: int,
    ids: random.Random,
    *,
    seed: int,
    today: date,
    size: Size,
    base: int = 0,
    total: int = 0,
) -> BudgetEditor:
    """Generate a budget with `total - base` purchases in addition to the habits."""
    cycle, which = divmod(index, len(_BUDGETS))
    name, currency, scale = _BUDGETS[which]
    if cycle:
        name = f"{name} {cycle + 1}"
    now = noon(today)
    budget = Budget(name, currency, today=today, ids=ids, now=now)
    first = month_number(date(today.year - size.years_of(index), 1, 1))
    budget.first_month, budget.last_month = first, first - 1
    budget.movements_from = max(first, month_number(today) + 1 - _MONTHS_OF_MOVEMENTS)
    editor = BudgetEditor(budget)
    rng = random.Random(f"{seed} {name}")  # noqa: S311 - sample data, not a secret
    home = Household(editor, rng, scale, accounts={}, categories={})
    for color, flag_name in (("red", "Check"), ("green", "Tax"), ("blue", "Shared")):
        budget.flag_names[color] = home.translate(flag_name)
    with editor.write():
        editor.books.extend_to(first)
        _open_budget(home)
    numbers = range(first, month_number(today) + 1)
    # Another text in the seed would change the bytes that a seed produces.
    purchases = PurchaseGenerator(
        home, f"{seed} {name} crowd", months=len(numbers), count=total - base
    )
    for number in numbers:
        budget.now = min(now, now.replace(year=number // 12, month=number % 12 + 1, day=2))
        with editor.write():
            _add_habits(home, number)
            purchased = purchases.add_month(number)
        with editor.write():
            assign_month(home, number, purchased)
    budget.now = now
    add_special_cases(home)
    with editor.write():
        rebalance(home)
    purchases.add_missing(total)
    return editor


def _open_budget(home: Household) -> None:
    """Add groups, categories, accounts with starting balances, and payee locations."""
    editor, budget = home.editor, home.budget
    categories = editor.categories
    internal_id = categories.add_group("Internal Master Category", internal=True).id
    budget.internal_group_id = internal_id
    budget.inflow_id = categories.add("Inflow: Ready to Assign", internal_id, internal=True).id
    budget.uncategorized_id = categories.add("Uncategorized", internal_id, internal=True).id
    budget.cards_group_id = categories.add_group("Credit Card Payments").id
    for group_name, lines in GROUPS.items():
        is_hidden = all(line.hidden for line in lines)
        group = categories.add_group(home.translate(group_name), hidden=is_hidden)
        for line in lines:
            home.categories[group_name, line.name] = categories.add(
                home.translate(line.name),
                group.id,
                hidden=line.hidden,
                note=line.note and home.translate(line.note),
            )
    first = month_start(budget.first_month)
    for start in ACCOUNTS:
        home.accounts[start.name] = editor.accounts.add(
            home.translate(start.name),
            start.type,
            note=start.note and home.translate(start.note),
            **(_loan_terms(home) if start.loan else {}),
        )
        if start.balance:
            more = {"payee_id": home.payee("Starting Balance"), "category_id": budget.inflow_id}
            debt = "balanceAdjustment" if start.loan else None
            amount = home.money(start.balance)
            home.add(start.name, first, amount, debt_transaction_type=debt, **more)
    for payee, latitude, longitude in LOCATIONS:
        key, payee_id = budget.new_id(), home.payee(payee)
        location = PayeeLocation(id=key, payee_id=payee_id, latitude=latitude, longitude=longitude)
        budget.locations.put(location, budget.knowledge)


def _loan_terms(home: Household) -> dict[str, Any]:
    """Return the terms of the loan: in euros its rows record the interest, in yen none does."""
    first = home.budget.first_month

    def by_month(values: dict[int, int]) -> dict[str, int]:
        return {month_start(first + later).isoformat(): value for later, value in values.items()}

    in_rows = home.budget.currency is not JPY
    return {
        "interest_in_rows": in_rows,
        "debt_interest_rates": by_month({0: 4_500} if in_rows else {0: 4_500, 12: 3_900}),
        "debt_minimum_payments": by_month({0: home.money(280)}),
        "debt_escrow_amounts": by_month({} if in_rows else {0: home.money(12), 6: home.money(15)}),
    }


def _add_habits(home: Household, number: int) -> None:
    """Add the transactions of all habits in a month, in the order of their days."""
    events = [(day, habit) for habit in HABITS for day in _days(home, habit, number)]
    for day, habit in sorted(events, key=lambda event: event[0]):
        _add_transaction(home, habit, day)


def _days(home: Household, habit: Habit, number: int) -> Iterator[date]:
    start = month_start(number)
    length = (month_start(number + 1) - start).days
    if habit.months and start.month not in habit.months:
        return
    for day in habit.days or sorted(home.rng.sample(range(1, length + 1), habit.times)):
        date_of_day = start.replace(day=min(day, length))
        if date_of_day <= home.budget.today:
            yield date_of_day


def _interest(home: Household, loan: Account, day: date) -> int:
    """Return the interest that is due on a day if the rows of the loan record it."""
    if not loan.interest_in_rows:
        return 0
    rows = home.budget.loan_rows[loan.id].values()
    owed = -sum(row.amount for row in rows if row.date < day)
    return monthly_costs(loan, owed, month_number(day), home.budget.smallest_amount)[0]


def _add_transaction(home: Household, habit: Habit, day: date) -> None:
    rng = home.rng
    euros = habit.amount * (1 + habit.spread * (2 * rng.random() - 1))
    euros *= habit.seasons.get(day.month, 1.0)
    if habit.inflation is not None:
        since = day if habit.inflation == "monthly" else day.replace(month=1)
        euros *= home.price_level(month_number(since))
    amount = home.money(euros)
    if habit.settles:
        account = home.accounts[habit.to or ""]
        owed = max(0, -account.balance)
        if not owed:
            return
        owed += sum(monthly_costs(account, owed, month_number(day), home.budget.smallest_amount))
        amount = max(amount or -owed, -owed)
    category_id = home.budget.inflow_id if habit.income else None
    if habit.category is not None:
        category_id = home.category(*habit.category)
    memo = rng.choice(habit.memos) if habit.memos else None
    payee_id = home.transfer(habit.to) if habit.to else home.payee(rng.choice(habit.payees))
    # After the last random number: the other transactions must not depend on this one.
    if habit.debt == "interest":
        amount = -_interest(home, home.accounts[habit.account], day)
        if not amount:
            return
    more = {"memo": memo and home.translate(memo), "debt_transaction_type": habit.debt}
    home.add(habit.account, day, amount, payee_id=payee_id, category_id=category_id, **more)

"""A larger household: as many purchases more as are wanted, earned and assigned month by month."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from budgetframe.sandbox.state.editor import NewPart
from budgetframe.sandbox.state.rows import month_start

if TYPE_CHECKING:
    from .builder import Household

_SPLIT_SHARE = 0.05
_ON_CARD = 0.3
_EVERY_SO_OFTEN = 0.02
_LARGEST_SPLIT = 4
_SURPRISES = 2
"""Rows a month that more spending may bring about by itself: both sides of a card's payment."""

# What is bought: the category, a usual price in euros, how often in a hundred purchases.
_PURCHASES: tuple[tuple[tuple[str, str], float, int], ...] = (
    (("Everyday", "Groceries"), 24.0, 44),
    (("Everyday", "Café & Kuchen"), 5.5, 18),
    (("Everyday", "Eating Out"), 19.0, 13),
    (("Everyday", "Household Goods"), 15.0, 9),
    (("Car", "Fuel"), 48.0, 6),
    (("Health & Fun", "Books & Music"), 13.0, 6),
    (("Health & Fun", "Pharmacy"), 11.0, 4),
)
_PLACES = ("North", "Hafen", "Linden", "Rosen", "Mühlen", "Upper", "Söder", "Canal", "Altstadt")
_SHOPS = ("Bakery", "Kiosk", "Market", "Corner", "Depot", "Stube", "Hof", "Garden", "Bazaar", "Eck")
_MEMOS = ("#shared", "#weekend", "für die Nachbarn", "cash was short", "#work")


@dataclass(slots=True)
class _Purchase:
    day: date
    total: int
    shares: list[tuple[str, int]]


class PurchaseGenerator:
    """Rows beside the habits of a household.

    It draws from a generator of its own: what the household does by itself stays the same.
    """

    def __init__(self, home: Household, seed: str, *, months: int, more: int) -> None:
        self._home = home
        self._rng = random.Random(seed)  # noqa: S311 - made-up data, not a secret
        self._months = months
        self._even = max(0, more - _SURPRISES * months)
        self._filled = 0

    def fill(self, number: int) -> dict[str, int]:
        """Enter a month's share of the rows; give what they took from each category."""
        self._filled += 1
        so_far, until_now = (
            self._even * filled // self._months for filled in (self._filled - 1, self._filled)
        )
        return self._enter(number, until_now - so_far)

    def finish(self, wanted: int) -> None:
        """Enter the last rows, so that exactly `wanted` are there."""
        home = self._home
        rows = wanted - sum(1 for _ in home.budget.transactions.live())
        if rows <= 0:
            return
        number = home.budget.current_month
        with home.entries.one_write():
            for category_id, spent in self._enter(number, rows).items():
                category = home.budget.categories[category_id]
                assigned = home.budget.category_months[category_id][number].assigned
                home.entries.assign(category, number, assigned + spent)

    def _enter(self, number: int, rows: int) -> dict[str, int]:
        if rows <= 0:
            return {}
        first = month_start(number)
        last = min(month_start(number + 1) - timedelta(days=1), self._home.budget.today)
        purchases = [self._purchase(first, last) for _ in range(rows - 1)]
        purchases.sort(key=lambda purchase: purchase.day)
        bought: dict[str, int] = {}
        for purchase in purchases:
            for category_id, amount in purchase.shares:
                bought[category_id] = bought.get(category_id, 0) - amount
        earned = sum(bought.values())
        self._row("Checking", first, earned, "Market Stall", self._home.budget.inflow_id)
        for purchase in purchases:
            self._buy(purchase)
        return bought

    def _purchase(self, first: date, last: date) -> _Purchase:
        rng, home = self._rng, self._home
        day = first + timedelta(days=rng.randrange((last - first).days + 1))
        count = rng.randint(2, _LARGEST_SPLIT) if rng.random() < _SPLIT_SHARE else 1
        shares = []
        for (group, name), price, _ in rng.choices(_PURCHASES, _WEIGHTS, k=count):
            amount = home.money(-price * (0.3 + 2.1 * rng.random() * rng.random())) or -home.grain
            shares.append((home.category(group, name), amount))
        return _Purchase(day, sum(amount for _, amount in shares), shares)

    def _buy(self, purchase: _Purchase) -> None:
        rng = self._rng
        account = "Credit Card" if rng.random() < _ON_CARD else "Checking"
        shop = f"{rng.choice(_PLACES)} {rng.choice(_SHOPS)}"
        more: dict[str, Any] = {}
        if rng.random() < _EVERY_SO_OFTEN:
            more["memo"] = rng.choice(_MEMOS)
        if len(purchase.shares) == 1:
            self._row(account, purchase.day, purchase.total, shop, purchase.shares[0][0], **more)
        else:
            more["parts"] = [
                NewPart(amount=amount, category_id=category_id)
                for category_id, amount in purchase.shares
            ]
            self._row(account, purchase.day, purchase.total, shop, None, **more)

    def _row(
        self, account: str, day: date, amount: int, payee: str, category_id: str | None, **more: Any
    ) -> None:
        home = self._home
        home.entries.add_transaction(
            account_id=home.accounts[account].id,
            date=day,
            amount=amount,
            payee_id=home.payee(payee),
            category_id=category_id,
            cleared=home.cleared(day),
            approved=True,
            **more,
        )


_WEIGHTS = [weight for _, _, weight in _PURCHASES]

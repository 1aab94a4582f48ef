"""Purchases, earned and assigned each month, for more transactions than the habits produce."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from budgetframe.sandbox.state.rows import month_start
from budgetframe.sandbox.state.transactions import NewPart

from .home import Household

_SPLIT_PROBABILITY = 0.05
_CARD_PROBABILITY = 0.3
_MEMO_PROBABILITY = 0.02
_MOST_PARTS = 4
_CARD_PAYMENT_ROWS = 2  # a month: both sides of the payment of the card

# Category, typical price in euros, and number among one hundred purchases.
_PURCHASES: tuple[tuple[tuple[str, str], float, int], ...] = (
    (("Everyday", "Groceries"), 24.0, 44), (("Everyday", "Café & Kuchen"), 5.5, 18),
    (("Everyday", "Eating Out"), 19.0, 13), (("Everyday", "Household Goods"), 15.0, 9),
    (("Car", "Fuel"), 48.0, 6), (("Health & Fun", "Books & Music"), 13.0, 6),
    (("Health & Fun", "Pharmacy"), 11.0, 4),
)  # fmt: skip
_PLACES = ("North", "Hafen", "Linden", "Rosen", "Mühlen", "Upper", "Söder", "Canal", "Altstadt")
_SHOPS = ("Bakery", "Kiosk", "Market", "Corner", "Depot", "Stube", "Hof", "Garden", "Bazaar", "Eck")
_MEMOS = ("#shared", "#weekend", "für die Nachbarn", "cash was short", "#work")


@dataclass(slots=True)
class _Purchase:
    day: date
    total: int
    parts: list[tuple[str, int]]  # category ids and amounts


class PurchaseGenerator:
    """Generates additional purchases by its own random numbers, which the habits do not use."""

    def __init__(self, home: Household, seed: str, *, months: int, count: int) -> None:
        self._home = home
        self._rng = random.Random(seed)  # noqa: S311 - sample data, not a secret
        self._months = months
        self._planned = max(0, count - _CARD_PAYMENT_ROWS * months)
        self._months_done = 0

    def add_month(self, number: int) -> dict[str, int]:
        """Add the purchases of a month; return the spending of each category."""
        self._months_done += 1
        before, after = (
            self._planned * done // self._months
            for done in (self._months_done - 1, self._months_done)
        )
        return self._add(number, after - before)

    def add_missing(self, total: int) -> None:
        """Add purchases until the budget has exactly `total` transactions."""
        home = self._home
        rows = total - sum(1 for _ in home.budget.transactions.live())
        if rows <= 0:
            return
        number = home.budget.current_month
        with home.editor.write():
            for category_id, amount in self._add(number, rows).items():
                category = home.budget.categories[category_id]
                assigned = home.budget.category_months[category_id][number].assigned
                home.editor.categories.assign(category, number, assigned + amount)

    def _add(self, number: int, rows: int) -> dict[str, int]:
        if rows <= 0:
            return {}
        first = month_start(number)
        last = min(month_start(number + 1) - timedelta(days=1), self._home.budget.today)
        purchases = [self._purchase(first, last) for _ in range(rows - 1)]
        purchases.sort(key=lambda purchase: purchase.day)
        spent: dict[str, int] = {}
        for purchase in purchases:
            for category_id, amount in purchase.parts:
                spent[category_id] = spent.get(category_id, 0) - amount
        earned = sum(spent.values())
        payee_id, category_id = self._home.payee("Market Stall"), self._home.budget.inflow_id
        self._home.add("Checking", first, earned, payee_id=payee_id, category_id=category_id)
        for purchase in purchases:
            self._buy(purchase)
        return spent

    def _purchase(self, first: date, last: date) -> _Purchase:
        rng, home = self._rng, self._home
        day = first + timedelta(days=rng.randrange((last - first).days + 1))
        count = rng.randint(2, _MOST_PARTS) if rng.random() < _SPLIT_PROBABILITY else 1
        parts = []
        for (group, name), price, _ in rng.choices(_PURCHASES, _WEIGHTS, k=count):
            amount = (
                home.money(-price * (0.3 + 2.1 * rng.random() * rng.random()))
                or -home.budget.smallest_amount
            )
            parts.append((home.category(group, name), amount))
        return _Purchase(day, sum(amount for _, amount in parts), parts)

    def _buy(self, purchase: _Purchase) -> None:
        rng = self._rng
        account = "Credit Card" if rng.random() < _CARD_PROBABILITY else "Checking"
        shop = f"{rng.choice(_PLACES)} {rng.choice(_SHOPS)}"
        fields: dict[str, Any] = {"payee_id": self._home.payee(shop)}
        if rng.random() < _MEMO_PROBABILITY:
            fields["memo"] = rng.choice(_MEMOS)
        if len(purchase.parts) == 1:
            fields["category_id"] = purchase.parts[0][0]
        else:
            fields["parts"] = [
                NewPart(amount=part, category_id=key) for key, part in purchase.parts
            ]
        self._home.add(account, purchase.day, purchase.total, **fields)


_WEIGHTS = [weight for _, _, weight in _PURCHASES]

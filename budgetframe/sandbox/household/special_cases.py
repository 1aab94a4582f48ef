"""Single events of the household; each one is a case that clients have to handle."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from budgetframe.sandbox.state.rows import (
    ScheduledTransaction,
    Transaction,
    month_number,
    month_start,
    noon,
)
from budgetframe.sandbox.state.schedule_dates import next_date
from budgetframe.sandbox.state.transactions import NewPart

from .home import Household


def add_special_cases(home: Household) -> None:
    """Add all events that are not habits."""
    for add_case in _CASES:
        with home.editor.write():
            add_case(home)


def _add(
    home: Household, account: str, day: date, euros: float, payee: str | None = None, **more: Any
) -> Transaction:
    """Add a transaction whose payee, amount and memo are those of the household in euros."""
    if payee is not None:
        more["payee_id"] = home.payee(payee)
    if "memo" in more:
        more["memo"] = home.translate(more["memo"])
    return home.add(account, day, home.money(euros), **more)


def _first_day(home: Household) -> date:
    return month_start(home.budget.first_month)


def _days_ago(home: Household, days: int) -> date:
    return home.budget.today - timedelta(days=days)


def _close_accounts(home: Household) -> None:
    """Empty and close one account, delete another."""
    day = _first_day(home) + timedelta(days=40)
    checking = home.transfer("Checking")
    _add(home, "Old Savings", day, -310, payee_id=checking, memo="Closing the account")
    home.accounts["Old Savings"].last_reconciled_at = noon(day)
    home.editor.accounts.close(home.accounts["Old Savings"])
    home.editor.accounts.delete(home.accounts["Gift Card"])


def _car_repair(home: Household) -> None:
    """Spend more on the card than the category has: the difference stays a debt on the card."""
    day = _days_ago(home, 208)
    repairs = home.categories["Car", "Repairs"]
    more = {"category_id": repairs.id, "memo": "Clutch #car", "flag_color": "red"}
    _add(home, "Credit Card", day, -1_184.6, "Werkstatt Krüger", **more)
    home.editor.categories.assign(repairs, month_number(day) + 1, home.money(60))


def _refunds(home: Household) -> None:
    """Receive refunds, on the card and in the checking account."""
    clothing = home.category("Everyday", "Clothing")
    _add(home, "Credit Card", _days_ago(home, 96), 48.9, "Second Season", category_id=clothing)
    more = {"category_id": home.category("Home", "Electricity"), "memo": "Refund for last year"}
    _add(home, "Checking", _days_ago(home, 70), 61.35, "Northlight Power", **more)


def _splits(home: Household) -> None:
    """Split one purchase over categories, and one over a category and a transfer."""
    groceries = home.category("Everyday", "Groceries")
    goods = home.category("Everyday", "Household Goods")
    for days, euros in ((300, 74.2), (130, 58.6), (24, 91.9)):
        total = home.money(-euros)
        food = home.money(-euros * 0.7)
        parts = [
            NewPart(amount=food, category_id=groceries, memo=home.translate("Food #shared")),
            NewPart(amount=total - food, category_id=goods),
        ]
        day = _days_ago(home, days)
        _add(home, "Checking", day, -euros, "Haus & Hof", flag_color="blue", parts=parts)
    wallet, memo = home.transfer("Wallet"), home.translate("Cash back")
    parts = [
        NewPart(amount=home.money(-30), category_id=groceries),
        NewPart(amount=home.money(-50), payee_id=wallet, memo=memo),
    ]
    _add(home, "Checking", _days_ago(home, 52), -80, "Corner Market", parts=parts)


def _deleted_rows(home: Household) -> None:
    """Delete a transaction, a transfer, a category, a group and a payee."""
    editor, day = home.editor, _days_ago(home, 33)
    duplicate = _add(home, "Checking", day, -34.9, "Fernline", memo="Entered twice")
    savings = home.transfer("Savings")
    transfer = _add(home, "Checking", day, -25, payee_id=savings, cleared="uncleared")
    for row in (duplicate, transfer):
        editor.transactions.delete(row)
    group = editor.categories.add_group(home.translate("Wedding"))
    category = editor.categories.add(home.translate("Band"), group.id)
    editor.categories.edit(category, deleted=True)
    editor.categories.edit_group(group, deleted=True)
    editor.payees.delete(editor.payees.add(home.translate("Fernlin")))


def _unfinished(home: Household) -> None:
    """Leave some transactions without a category and some unapproved."""
    _add(home, "Checking", _days_ago(home, 3), -17.8, "Kiosk am Ring", approved=False)
    _add(home, "Wallet", _days_ago(home, 61), -9.5, "Kiosk am Ring", memo="?")
    more = {"category_id": home.category("Car", "Fuel"), "approved": False}
    _add(home, "Checking", _days_ago(home, 2), -49.3, "Station West", **more)


def _imports(home: Household) -> None:
    """Import transactions, one of them matched with a transaction that was entered by hand."""
    groceries = home.category("Everyday", "Groceries")

    def imported(day: date, euros: float) -> dict[str, Any]:
        name = home.translate("Corner Market")
        return {
            "import_id": f"YNAB:{home.money(euros)}:{day.isoformat()}:1",
            "import_payee_name": name,
            "import_payee_name_original": name.upper() + " 0042 / CARD 17",
        }

    day = _days_ago(home, 5)
    more = {"category_id": groceries, "approved": False}
    _add(home, "Checking", day, -12.34, "Corner Market", **more, **imported(day, -12.34))
    _add(home, "Checking", _days_ago(home, 9), -27, "Corner Market", category_id=groceries)
    day = _days_ago(home, 8)
    fields: dict[str, Any] = {"approved": True, "cleared": "cleared", **imported(day, -27)}
    account_id = home.accounts["Checking"].id
    home.editor.imports.add(account_id=account_id, date=day, amount=home.money(-27), **fields)


def _bank_rows(home: Household) -> None:
    """Leave rows to import: one that was already entered by hand, and a new one."""
    checking = home.accounts["Checking"]
    for days, euros, payee in ((2, -17.8, "Kiosk am Ring"), (1, -23.9, "Tonspur")):
        day, amount = _days_ago(home, days), home.money(euros)
        home.editor.imports.add_bank_row(checking, day, amount, home.translate(payee))


def _entered_from_schedule(home: Household) -> None:
    """Add a transaction with the id of one that was entered from a schedule."""
    day = _days_ago(home, 16)
    key = f"{home.budget.new_id()}_{day.isoformat()}"
    sport = home.category("Health & Fun", "Sport")
    _add(home, "Checking", day, -8.5, "Climbing Hall", row_id=key, category_id=sport)


def _moves(home: Household) -> None:
    """Move money between categories, and change the note of a category."""
    eating_out = home.categories["Everyday", "Eating Out"]
    groceries = home.categories["Everyday", "Groceries"]
    current = home.budget.current_month
    for number, euros in ((current - 3, 15), (current - 1, 20), (current, 10)):
        amount, note = home.money(euros), home.translate("More guests")
        home.editor.categories.move_money(eating_out, groceries, number, amount, note)
    rent = home.categories["Home", "Rent"]
    home.editor.categories.edit(rent, note=home.translate("Due on the 1st · Miete"))


def _goals(home: Household) -> None:
    """Set a goal of each type."""
    created = _first_day(home)
    today = home.budget.today
    august = date(today.year, 8, 1)
    if august < today:
        august = date(today.year + 1, 8, 1)
    monthly = {"cadence": 1, "cadence_frequency": 1}
    yearly = {"needs_whole_amount": True, "cadence": 13, "cadence_frequency": 1}

    def goal(group: str, name: str, kind: str, target: float, **more: Any) -> None:
        amount, category = home.money(target), home.categories[group, name]
        home.editor.categories.set_goal(category, type=kind, target=amount, created=created, **more)

    goal("Savings", "Emergency Fund", "TB", 9_000)
    goal("Savings", "New Laptop", "TBD", 1_600, target_date=date(today.year + 1, 6, 1))
    goal("Savings", "Investing", "MF", 150, day=16, **monthly)
    goal("Everyday", "Groceries", "NEED", 480, needs_whole_amount=False, **monthly)
    goal("Health & Fun", "Holiday", "NEED", 2_400, target_date=august, **yearly)
    if home.accounts["Car Loan"].balance:
        goal("Car", "Loan Payment", "DEBT", 280, **monthly)


def _schedules(home: Household) -> None:
    """Schedule transactions: different frequencies, a transfer, a split, a flag, a deleted one."""
    today = home.budget.today

    def schedule(
        frequency: str,
        first: date,
        amount: int,
        payee_id: str,
        category: tuple[str, str] | None = None,
        **more: Any,
    ) -> ScheduledTransaction:
        coming: date | None = first
        while coming is not None and coming <= today:
            coming = next_date(frequency, first, coming)
        return home.editor.schedules.add(
            account_id=home.accounts["Checking"].id, date=coming or first, date_first=first,
            frequency=frequency, amount=amount, payee_id=payee_id,
            category_id=home.category(*category) if category else None, **more,
        )  # fmt: skip

    def bill(frequency: str, day: int, payee: str, category: tuple[str, str]) -> None:
        """Schedule the amount that was paid last, if any, on the same day of the month."""
        wanted = home.payee(payee), home.category(*category)
        rows = home.budget.transactions.live()
        paid = [row for row in rows if (row.payee_id, row.category_id) == wanted]
        if paid:
            last = max(paid, key=lambda row: row.date)
            schedule(frequency, date(today.year, 1, day), last.amount, wanted[0], category)

    def at_prices(euros: float) -> int:
        return home.planned(euros, home.budget.current_month)

    bill("monthly", 1, "Linden Housing", ("Home", "Rent"))
    in_six_days, memo = today + timedelta(days=6), home.translate("#car")
    station, amount = home.payee("Station West"), at_prices(-52)
    fuel = {"memo": memo, "flag_color": "green"}
    schedule("everyOtherWeek", in_six_days, amount, station, ("Car", "Fuel"), **fuel)
    bill("every3Months", 15, "Anchor Mutual", ("Car", "Insurance"))
    schedule("monthly", date(today.year, 1, 29), home.money(-300), home.transfer("Savings"))
    in_forty_days, category = today + timedelta(days=40), ("Health & Fun", "Holiday")
    pension, memo = home.payee("Pension Seeblick"), home.translate("#holiday")
    schedule("never", in_forty_days, at_prices(-368), pension, category, memo=memo)
    parts = [
        NewPart(amount=at_prices(euros), category_id=home.category("Everyday", name))
        for euros, name in ((-40, "Groceries"), (-13, "Household Goods"))
    ]
    total = sum(part.amount for part in parts)
    in_three_days = today + timedelta(days=3)
    schedule("weekly", in_three_days, total, home.payee("Weekly Market"), parts=parts)
    december, yearly = date(today.year, 12, 1), home.money(-60)
    home.editor.schedules.delete(schedule("yearly", december, yearly, home.payee("Tonspur")))


def _reconciliation_times(home: Household) -> None:
    """Set the times of the last reconciliation of accounts."""
    for account in home.budget.accounts.live():
        if not account.closed:
            account.last_reconciled_at = home.budget.now - timedelta(days=45)
            home.budget.accounts.put(account, home.budget.knowledge)


_CASES: tuple[Callable[[Household], None], ...] = (
    _close_accounts, _car_repair, _refunds, _splits, _deleted_rows, _unfinished, _imports,
    _bank_rows, _entered_from_schedule, _moves, _goals, _schedules, _reconciliation_times,
)  # fmt: skip

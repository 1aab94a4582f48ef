"""Single events of the household; each one is a case that clients have to handle."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from budgetframe.sandbox.state.rows import Part, ScheduledTransaction, month_number, month_start
from budgetframe.sandbox.state.transactions import NewPart

if TYPE_CHECKING:
    from collections.abc import Callable

    from .builder import Household


def add_special_cases(home: Household) -> None:
    """Add all events that are not habits."""
    for add_case in _CASES:
        with home.editor.write():
            add_case(home)


def _add(home: Household, account: str, day: date, euros: float, payee: str, **more: Any) -> str:
    """Add a transaction and return its id."""
    fields: dict[str, Any] = {"approved": True, "cleared": home.cleared(day)}
    if "memo" in more:
        more["memo"] = home.translate(more["memo"])
    return home.editor.transactions.add(
        account_id=home.accounts[account].id,
        date=day,
        amount=home.money(euros),
        payee_id=home.payee(payee),
        **(fields | more),
    ).id


def _first_day(home: Household) -> date:
    return month_start(home.budget.first_month)


def _days_ago(home: Household, days: int) -> date:
    return home.budget.today - timedelta(days=days)


def _close_accounts(home: Household) -> None:
    """Empty and close one account, delete another."""
    day = _first_day(home) + timedelta(days=40)
    home.editor.transactions.add(
        account_id=home.accounts["Old Savings"].id,
        date=day,
        amount=home.money(-310),
        payee_id=home.transfer("Checking"),
        memo=home.translate("Closing the account"),
        cleared=home.cleared(day),
        approved=True,
    )
    home.editor.accounts.close(home.accounts["Old Savings"])
    home.editor.accounts.delete(home.accounts["Gift Card"])


def _car_repair(home: Household) -> None:
    """Spend more on the card than the category has: the difference stays a debt on the card."""
    day = _days_ago(home, 208)
    repairs = home.category("Car", "Repairs")
    _add(
        home,
        "Credit Card",
        day,
        -1_184.6,
        "Werkstatt Krüger",
        category_id=repairs,
        memo="Clutch #car",
        flag_color="red",
    )
    home.editor.categories.assign(
        home.categories["Car", "Repairs"], month_number(day) + 1, home.money(60)
    )


def _refunds(home: Household) -> None:
    """Receive refunds, on the card and in the checking account."""
    clothing = home.category("Everyday", "Clothing")
    _add(home, "Credit Card", _days_ago(home, 96), 48.9, "Second Season", category_id=clothing)
    electricity = home.category("Home", "Electricity")
    _add(
        home,
        "Checking",
        _days_ago(home, 70),
        61.35,
        "Northlight Power",
        category_id=electricity,
        memo="Refund for last year",
    )


def _splits(home: Household) -> None:
    """Split one purchase over categories, and one over a category and a transfer."""
    groceries = home.category("Everyday", "Groceries")
    goods = home.category("Everyday", "Household Goods")
    for days, euros in ((300, 74.2), (130, 58.6), (24, 91.9)):
        total = home.money(-euros)
        food = home.money(-euros * 0.7)
        _add(
            home,
            "Checking",
            _days_ago(home, days),
            -euros,
            "Haus & Hof",
            flag_color="blue",
            parts=[
                NewPart(amount=food, category_id=groceries, memo=home.translate("Food #shared")),
                NewPart(amount=total - food, category_id=goods),
            ],
        )
    _add(
        home,
        "Checking",
        _days_ago(home, 52),
        -80,
        "Corner Market",
        parts=[
            NewPart(amount=home.money(-30), category_id=groceries),
            NewPart(
                amount=home.money(-50),
                payee_id=home.transfer("Wallet"),
                memo=home.translate("Cash back"),
            ),
        ],
    )


def _deleted_rows(home: Household) -> None:
    """Delete a transaction, a transfer, a category, a group and a payee."""
    editor, budget = home.editor, home.budget
    day = _days_ago(home, 33)
    duplicate = _add(
        home, "Checking", day, -34.9, "Fernline", category_id=None, memo="Entered twice"
    )
    transfer = editor.transactions.add(
        account_id=home.accounts["Checking"].id,
        date=day,
        amount=home.money(-25),
        payee_id=home.transfer("Savings"),
        approved=True,
    )
    for key in (duplicate, transfer.id):
        editor.transactions.delete(budget.transactions[key])
    group = editor.categories.add_group(home.translate("Wedding"))
    category = editor.categories.add(home.translate("Band"), group.id)
    editor.categories.edit(category, deleted=True)
    editor.categories.edit_group(group, deleted=True)
    editor.payees.delete(editor.payees.add(home.translate("Fernlin")))


def _unfinished(home: Household) -> None:
    """Leave some transactions without a category and some unapproved."""
    _add(home, "Checking", _days_ago(home, 3), -17.8, "Kiosk am Ring", approved=False)
    _add(home, "Wallet", _days_ago(home, 61), -9.5, "Kiosk am Ring", memo="?")
    fuel = home.category("Car", "Fuel")
    _add(
        home,
        "Checking",
        _days_ago(home, 2),
        -49.3,
        "Station West",
        category_id=fuel,
        approved=False,
    )


def _imports(home: Household) -> None:
    """Import transactions, one of them matched with a transaction that was entered by hand."""
    day = _days_ago(home, 5)
    amount = home.money(-12.34)
    common: dict[str, Any] = {
        "category_id": home.category("Everyday", "Groceries"),
        "import_payee_name": home.translate("Corner Market"),
        "import_payee_name_original": home.translate("Corner Market").upper() + " 0042 / CARD 17",
    }
    _add(
        home,
        "Checking",
        day,
        -12.34,
        "Corner Market",
        import_id=f"YNAB:{amount}:{day.isoformat()}:1",
        approved=False,
        **common,
    )
    by_hand = _days_ago(home, 9)
    _add(home, "Checking", by_hand, -27, "Corner Market", category_id=common["category_id"])
    amount = home.money(-27)
    home.editor.imports.add(
        account_id=home.accounts["Checking"].id,
        date=by_hand + timedelta(days=1),
        amount=amount,
        import_id=f"YNAB:{amount}:{(by_hand + timedelta(days=1)).isoformat()}:1",
        import_payee_name=common["import_payee_name"],
        import_payee_name_original=common["import_payee_name_original"],
        approved=True,
        cleared="cleared",
    )


def _bank_rows(home: Household) -> None:
    """Leave rows to import: one that was already entered by hand, and a new one."""
    checking = home.accounts["Checking"]
    for days, euros, payee in ((2, -17.8, "Kiosk am Ring"), (1, -23.9, "Tonspur")):
        home.editor.imports.add_bank_row(
            checking, _days_ago(home, days), home.money(euros), home.translate(payee)
        )


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
        home.editor.categories.move_money(
            eating_out, groceries, number, home.money(euros), home.translate("More guests")
        )
    rent = home.categories["Home", "Rent"]
    home.editor.categories.edit(rent, note=home.translate("Due on the 1st · Miete"))


def _goals(home: Household) -> None:
    """Set a goal of each type."""
    created = _first_day(home)
    today = home.budget.today
    in_a_year = date(today.year + 1, 6, 1)
    goals: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("Savings", "Emergency Fund", {"type": "TB", "target": home.money(9_000)}),
        (
            "Savings",
            "New Laptop",
            {"type": "TBD", "target": home.money(1_600), "target_date": in_a_year},
        ),
        (
            "Savings",
            "Investing",
            {
                "type": "MF",
                "target": home.money(150),
                "cadence": 1,
                "cadence_frequency": 1,
                "day": 16,
            },
        ),
        (
            "Everyday",
            "Groceries",
            {
                "type": "NEED",
                "target": home.money(480),
                "needs_whole_amount": False,
                "cadence": 1,
                "cadence_frequency": 1,
            },
        ),
        (
            "Health & Fun",
            "Holiday",
            {
                "type": "NEED",
                "target": home.money(2_400),
                "needs_whole_amount": True,
                "target_date": date(today.year, 8, 1),
                "cadence": 13,
                "cadence_frequency": 1,
            },
        ),
        (
            "Car",
            "Loan Payment",
            {"type": "DEBT", "target": home.money(280), "cadence": 1, "cadence_frequency": 1},
        ),
    )
    for group, name, goal in goals:
        home.editor.categories.set_goal(home.categories[group, name], created=created, **goal)


def _schedules(home: Household) -> None:
    """Schedule transactions: different frequencies, a transfer, a split, a flag, a deleted one."""
    budget = home.budget
    after = month_start(budget.current_month + 1)
    start = month_start(budget.current_month - 5)

    def schedule(
        frequency: str,
        next_date: date,
        euros: float,
        payee_id: str,
        category_id: str | None,
        **more: Any,
    ) -> ScheduledTransaction:
        row = ScheduledTransaction(
            id=budget.new_id(),
            account_id=home.accounts["Checking"].id,
            date_first=min(start, next_date) if frequency != "never" else next_date,
            date_next=next_date,
            frequency=frequency,
            amount=home.money(euros),
            payee_id=payee_id,
            category_id=category_id,
            **more,
        )
        return budget.scheduled.put(row, budget.knowledge)

    schedule("monthly", after, -1_150, home.payee("Linden Housing"), home.category("Home", "Rent"))
    schedule(
        "everyOtherWeek",
        budget.today + timedelta(days=6),
        -52,
        home.payee("Station West"),
        home.category("Car", "Fuel"),
        memo=home.translate("#car"),
        flag_color="green",
    )
    schedule(
        "every3Months",
        after.replace(day=15),
        -148,
        home.payee("Anchor Mutual"),
        home.category("Car", "Insurance"),
    )
    schedule(
        "monthly",
        after.replace(day=28),
        -300,
        home.transfer("Savings"),
        None,
        transfer_account_id=home.accounts["Savings"].id,
    )
    schedule(
        "never",
        budget.today + timedelta(days=40),
        -420,
        home.payee("Pension Seeblick"),
        home.category("Health & Fun", "Holiday"),
        memo="#holiday",
    )
    weekly = schedule(
        "weekly", budget.today + timedelta(days=3), -60, home.payee("Weekly Market"), None
    )
    weekly.parts = [
        Part(id=budget.new_id(), amount=home.money(euros), category_id=home.category(*where))
        for euros, where in (
            (-45, ("Everyday", "Groceries")),
            (-15, ("Everyday", "Household Goods")),
        )
    ]
    deleted = schedule("yearly", after.replace(month=12, day=1), -60, home.payee("Tonspur"), None)
    deleted.deleted = True


def _reconciliation_times(home: Household) -> None:
    """Set the times of the last reconciliation of accounts."""
    for name in ("Checking", "Savings", "Credit Card"):
        account = home.accounts[name]
        account.last_reconciled_at = home.budget.now - timedelta(days=45)
        home.budget.accounts.put(account, home.budget.knowledge)


_CASES: tuple[Callable[[Household], None], ...] = (
    _close_accounts,
    _car_repair,
    _refunds,
    _splits,
    _deleted_rows,
    _unfinished,
    _imports,
    _bank_rows,
    _entered_from_schedule,
    _moves,
    _goals,
    _schedules,
    _reconciliation_times,
)

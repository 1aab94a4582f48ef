"""Single things that happened to the household, each for a case that clients have to handle."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from budgetframe.sandbox.state.editor import NewPart
from budgetframe.sandbox.state.rows import Part, Scheduled, month_number, month_start

if TYPE_CHECKING:
    from collections.abc import Callable

    from .builder import Household


def add_special_cases(home: Household) -> None:
    """Add everything that is not a habit."""
    for tale in _TALES:
        with home.entries.one_write():
            tale(home)


def _row(home: Household, account: str, day: date, euros: float, payee: str, **more: Any) -> str:
    """Enter one row and give its id."""
    fields: dict[str, Any] = {"approved": True, "cleared": home.cleared(day)}
    if "memo" in more:
        more["memo"] = home.say(more["memo"])
    return home.entries.add_transaction(
        account_id=home.accounts[account].id,
        date=day,
        amount=home.money(euros),
        payee_id=home.payee(payee),
        **(fields | more),
    ).id


def _first(home: Household) -> date:
    return month_start(home.budget.first_month)


def _ago(home: Household, days: int) -> date:
    return home.budget.today - timedelta(days=days)


def _close_accounts(home: Household) -> None:
    """Empty and close one account, delete another."""
    day = _first(home) + timedelta(days=40)
    home.entries.add_transaction(
        account_id=home.accounts["Old Savings"].id,
        date=day,
        amount=home.money(-310),
        payee_id=home.transfer("Checking"),
        memo=home.say("Closing the account"),
        cleared=home.cleared(day),
        approved=True,
    )
    closed = home.accounts["Old Savings"]
    closed.closed = True
    home.budget.accounts.put(closed, home.budget.knowledge)
    home.entries.delete_account(home.accounts["Gift Card"])


def _car_repair(home: Household) -> None:
    """Pay more than was set aside, on the card: it stays a debt there."""
    day = _ago(home, 208)
    repairs = home.category("Car", "Repairs")
    _row(
        home,
        "Credit Card",
        day,
        -1_184.6,
        "Werkstatt Krüger",
        category_id=repairs,
        memo="Clutch #car",
        flag_color="red",
    )
    home.entries.assign(home.categories["Car", "Repairs"], month_number(day) + 1, home.money(60))


def _refunds(home: Household) -> None:
    """Get money back, on the card and in cash."""
    clothing = home.category("Everyday", "Clothing")
    _row(home, "Credit Card", _ago(home, 96), 48.9, "Second Season", category_id=clothing)
    electricity = home.category("Home", "Electricity")
    _row(
        home,
        "Checking",
        _ago(home, 70),
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
        share = home.money(-euros * 0.7)
        _row(
            home,
            "Checking",
            _ago(home, days),
            -euros,
            "Haus & Hof",
            flag_color="blue",
            parts=[
                NewPart(amount=share, category_id=groceries, memo=home.say("Food #shared")),
                NewPart(amount=total - share, category_id=goods),
            ],
        )
    _row(
        home,
        "Checking",
        _ago(home, 52),
        -80,
        "Corner Market",
        parts=[
            NewPart(amount=home.money(-30), category_id=groceries),
            NewPart(
                amount=home.money(-50), payee_id=home.transfer("Wallet"), memo=home.say("Cash back")
            ),
        ],
    )


def _deleted_rows(home: Household) -> None:
    """Delete what was entered by mistake: a row, a transfer, a category, a group, a payee."""
    entries, budget = home.entries, home.budget
    day = _ago(home, 33)
    twice = _row(home, "Checking", day, -34.9, "Fernline", category_id=None, memo="Entered twice")
    transfer = entries.add_transaction(
        account_id=home.accounts["Checking"].id,
        date=day,
        amount=home.money(-25),
        payee_id=home.transfer("Savings"),
        approved=True,
    )
    for key in (twice, transfer.id):
        entries.delete_transaction(budget.transactions[key])
    group = entries.add_group(home.say("Wedding"))
    category = entries.add_category(home.say("Band"), group.id)
    entries.edit_category(category, deleted=True)
    entries.edit_group(group, deleted=True)
    payee = entries.add_payee(home.say("Fernlin"))
    payee.deleted = True
    del budget.payees_by_name[payee.name]


def _open_points(home: Household) -> None:
    """Leave rows without a category and rows not approved."""
    _row(home, "Checking", _ago(home, 3), -17.8, "Kiosk am Ring", approved=False)
    _row(home, "Wallet", _ago(home, 61), -9.5, "Kiosk am Ring", memo="?")
    fuel = home.category("Car", "Fuel")
    _row(home, "Checking", _ago(home, 2), -49.3, "Station West", category_id=fuel, approved=False)


def _imports(home: Household) -> None:
    """Import rows, one of them matched to a row that was entered by hand."""
    day = _ago(home, 5)
    amount = home.money(-12.34)
    common: dict[str, Any] = {
        "category_id": home.category("Everyday", "Groceries"),
        "import_payee_name": home.say("Corner Market"),
        "import_payee_name_original": home.say("Corner Market").upper() + " 0042 / CARD 17",
    }
    _row(
        home,
        "Checking",
        day,
        -12.34,
        "Corner Market",
        import_id=f"YNAB:{amount}:{day.isoformat()}:1",
        approved=False,
        **common,
    )
    by_hand = _ago(home, 9)
    _row(home, "Checking", by_hand, -27, "Corner Market", category_id=common["category_id"])
    amount = home.money(-27)
    home.entries.import_transaction(
        account_id=home.accounts["Checking"].id,
        date=by_hand + timedelta(days=1),
        amount=amount,
        import_id=f"YNAB:{amount}:{(by_hand + timedelta(days=1)).isoformat()}:1",
        import_payee_name=common["import_payee_name"],
        import_payee_name_original=common["import_payee_name_original"],
        approved=True,
        cleared="cleared",
    )


def _bank_has_rows(home: Household) -> None:
    """Leave rows to be imported: one that was entered by hand already, and a new one."""
    checking = home.accounts["Checking"]
    for days, euros, payee in ((2, -17.8, "Kiosk am Ring"), (1, -23.9, "Tonspur")):
        home.entries.add_bank_row(checking, _ago(home, days), home.money(euros), home.say(payee))


def _entered_from_schedule(home: Household) -> None:
    """Enter a row from a schedule: its id says so."""
    day = _ago(home, 16)
    key = f"{home.budget.new_id()}_{day.isoformat()}"
    sport = home.category("Health & Fun", "Sport")
    _row(home, "Checking", day, -8.5, "Climbing Hall", row_id=key, category_id=sport)


def _moves(home: Household) -> None:
    """Move money between categories, and some in the first month without a record."""
    eating_out = home.categories["Everyday", "Eating Out"]
    groceries = home.categories["Everyday", "Groceries"]
    current = home.budget.current_month
    for number, euros in ((current - 3, 15), (current - 1, 20), (current, 10)):
        home.entries.move(eating_out, groceries, number, home.money(euros), home.say("More guests"))
    rent = home.categories["Home", "Rent"]
    home.entries.edit_category(rent, note=home.say("Due on the 1st · Miete"))


def _goals(home: Household) -> None:
    """Set a goal of each type."""
    created = _first(home)
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
        home.entries.set_goal(home.categories[group, name], created=created, **goal)


def _schedules(home: Household) -> None:
    """Schedule transactions: different frequencies, a transfer, a split, a flag."""
    budget = home.budget
    after = month_start(budget.current_month + 1)
    start = month_start(budget.current_month - 5)

    def schedule(
        frequency: str,
        when: date,
        euros: float,
        payee_id: str,
        category_id: str | None,
        **more: Any,
    ) -> Scheduled:
        row = Scheduled(
            id=budget.new_id(),
            account_id=home.accounts["Checking"].id,
            date_first=min(start, when) if frequency != "never" else when,
            date_next=when,
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
        memo=home.say("#car"),
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
    gone = schedule("yearly", after.replace(month=12, day=1), -60, home.payee("Tonspur"), None)
    gone.deleted = True


def _settle_details(home: Household) -> None:
    """Say when accounts were last reconciled."""
    for name in ("Checking", "Savings", "Credit Card"):
        account = home.accounts[name]
        account.last_reconciled_at = home.budget.now - timedelta(days=45)
        home.budget.accounts.put(account, home.budget.knowledge)


_TALES: tuple[Callable[[Household], None], ...] = (
    _close_accounts,
    _car_repair,
    _refunds,
    _splits,
    _deleted_rows,
    _open_points,
    _imports,
    _bank_has_rows,
    _entered_from_schedule,
    _moves,
    _goals,
    _schedules,
    _settle_details,
)

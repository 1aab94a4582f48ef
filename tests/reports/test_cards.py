"""The report cards."""

import pytest

from budgetframe import BudgetFrame
from budgetframe.frames import milliunits
from budgetframe.reports import Report, cards
from budgetframe.sandbox import Sandbox
from tests.frames.columns import Json
from tests.frames.household import account, part
from tests.reports.plans import cell, in_month, plan
from tests.reports.rows import ACCOUNTS, began, ledger_frame, lines, moved, row, split

ALL = ("spent", "refunded", "paid", "other", "balance", "available", "unfunded", "overspent")


def report(*rows: Json, months: tuple[Json, ...] = (), accounts: tuple[Json, ...] = ()) -> Report:
    """The report of some rows, and of what the service states of the months."""
    return cards(ledger_frame(*rows, accounts=(*ACCOUNTS, *accounts)), plan(*(months or (june(),))))


def june(available: float = 0.0, *others: Json) -> Json:
    """June, with what is available for payments to the card."""
    return in_month("2026-06", cell("card", 0.0, 0.0, available), *others)


def of_card(name: str) -> Json:
    """The category of payments of another card."""
    return cell(name, 0.0, 0.0) | {"category_group_name": "Credit Card Payments"}


def bought(day: int, amount: float, category: str | None = "food", at: str = "visa") -> Json:
    return row(f"2026-06-{day:02}", amount, category, at)


def test_a_month_of_a_card_has_what_was_spent_refunded_and_paid() -> None:
    found = report(
        row("2026-05-31", -7.0, "food", "visa"),
        bought(1, -40.0),
        bought(2, -20.0, None),
        bought(3, 15.0),  # a refund
        bought(4, -5.0, at="checking"),
        *moved("2026-06-05", 30.0, "checking", "visa"),
        *moved("2026-06-06", 8.0, "visa", "savings"),  # money that was taken from the card
        *moved("2026-06-07", 10.0, "visa", "fund", "invest"),
        bought(8, 3.0, "ready"),  # a bonus of the bank
        months=(in_month("2026-05", cell("card", 0.0, 0.0, 7.0)), june(50.0)),
    )
    assert lines(found, "period", *ALL) == [
        ("2026-05-01", 7.0, 0.0, 0.0, 0.0, -7.0, 7.0, 0.0, 0.0),
        ("2026-06-01", 70.0, 15.0, 22.0, 3.0, -37.0, 50.0, 0.0, 0.0),
    ]
    amounts = {name: found.rows(-1, column=name)["amount"].sum() for name in (*ALL[:5],)}
    assert amounts == {"spent": -70.0, "refunded": 15.0, "paid": 22.0, "other": 3.0} | {
        "balance": -37.0
    }


def test_the_parts_of_a_split_count_by_their_sign_and_a_starting_balance_is_no_spending() -> None:
    found = report(
        began("2026-06-01", "visa", -100.0),
        split(
            "2026-06-02", -25.0, part("p1", -30.0, category_id="food"),
            part("p2", 5.0, category_id="fun"),
        )
        | {"account_id": "visa"},
        months=(june(20.0),),
    )  # fmt: skip
    assert lines(found, *ALL) == [(30.0, 5.0, 0.0, -100.0, -125.0, 20.0, 105.0, 0.0)]


@pytest.mark.parametrize(
    ("balance", "available", "unfunded"),
    [(-100.0, 60.0, 40.0), (-100.0, 100.0, 0.0), (-100.0, -30.0, 100.0), (20.0, 0.0, 0.0)],
    ids=["in part", "in full", "less than nothing", "nothing is owed"],
)
def test_unfunded_is_owed_less_available(balance: float, available: float, unfunded: float) -> None:
    found = report(bought(1, balance), months=(june(available),))
    assert lines(found, "balance", "available", "unfunded") == [(balance, available, unfunded)]


def test_overspent_is_what_a_category_lacks_as_far_as_it_was_spent_on_the_card() -> None:
    rows = (
        bought(1, -40.0),  # food lacks 25, all of it on the card
        bought(2, -10.0, "fun"),  # fun lacks 30, 10 of them on the card
        bought(2, -20.0, "fun", at="checking"),
        bought(3, -9.0, "rent"),  # rent has enough
        bought(4, 6.0, "office food"),  # a refund is no overspending
        bought(5, -4.0, None),
    )
    lacking = (
        cell("food", 0.0, -40.0, -25.0), cell("fun", 0.0, -30.0, -30.0),
        cell("rent", 0.0, -9.0, 0.0), cell("office food", 0.0, 6.0, -2.0),
        cell("none", 0.0, -4.0, -4.0), cell("ready", 0.0, 0.0, -500.0),
    )  # fmt: skip
    assert lines(report(*rows, months=(june(0.0, *lacking),)), "overspent") == [(39.0,)]


def test_a_refund_on_another_card_covers_what_was_overspent() -> None:
    """Food lacks 45; on the cards 50 were spent and 12 came back: 38 of the 45 are on cards."""
    second = account("amex", "Amex", "creditCard", 0.0)
    found = report(
        bought(1, -50.0), bought(2, 12.0, at="amex"),
        months=(june(0.0, of_card("Amex"), cell("food", 0.0, -38.0, -45.0)),), accounts=(second,),
    )  # fmt: skip
    assert lines(found, "account_name", "overspent") == [("Amex", 0.0), ("Visa", 38.0)]
    of_both = report(
        bought(1, -50.0), bought(2, -12.0, at="amex"),
        months=(june(0.0, of_card("Amex"), cell("food", 0.0, -62.0, -40.0)),), accounts=(second,),
    )  # fmt: skip
    assert lines(of_both, "account_name", "overspent") == [("Amex", 12.0), ("Visa", 28.0)]


@pytest.mark.filterwarnings("error")
def test_a_card_whose_category_has_another_name_is_named_in_one_warning() -> None:
    renamed = in_month("2026-06", cell("card", 0.0, 0.0, 50.0, name="Visa Gold"))
    with pytest.warns(RuntimeWarning, match=r"^cards: .* with the name 'Visa' in the") as seen:
        found = report(bought(1, -40.0), months=(renamed,))
    assert len(seen) == 1
    assert lines(found, "balance", "available", "unfunded") == [(-40.0, None, None)]
    with pytest.warns(RuntimeWarning, match="'Visa'"):
        paid = report(bought(1, 40.0), months=(renamed,))
    assert lines(paid, "balance", "available", "unfunded") == [(40.0, None, 0.0)]


def test_a_card_begins_with_its_first_transaction_and_lines_of_credit_are_cards() -> None:
    found = report(
        row("2026-04-30", -1.0, "food", "visa"),
        row("2026-06-01", -2.0, "food", "line"),
        months=(
            *(in_month(f"2026-0{month}", cell("card", 0.0, 0.0)) for month in (4, 5)),
            june(0.0, of_card("Line")),
        ),
        accounts=(account("line", "Line", "lineOfCredit", 0.0),),
    )
    assert lines(found, "period", "account_name", "balance", "is_complete") == [
        ("2026-04-01", "Visa", -1.0, True), ("2026-05-01", "Visa", -1.0, True),
        ("2026-06-01", "Line", -2.0, False), ("2026-06-01", "Visa", -1.0, False),
    ]  # fmt: skip


def test_the_months_and_the_cards_can_be_limited() -> None:
    """A day means its month: what is available is known at the end of a month only."""
    rows = (
        *(row(f"2026-{month:02}-10", -float(month), "food", "visa") for month in (3, 4, 5)),
        bought(3, -6.0),
    )
    frame = plan(june())
    some = cards(ledger_frame(*rows), frame, since="2026-04-20", until="2026-05-01")
    assert lines(some, "period", "spent", "balance", "is_complete") == [
        ("2026-04-01", 4.0, -7.0, True), ("2026-05-01", 5.0, -12.0, True),
    ]  # fmt: skip
    assert cards(ledger_frame(*rows), frame, exclude_accounts="Visa").empty


def test_a_month_without_spending_has_a_zero_without_a_sign() -> None:
    found = report(row("2026-05-10", -1.0, "food", "visa"), bought(3, 1.0))
    assert found["spent"].astype(str).tolist() == ["1.0", "0.0"]


# In another way


def test_the_figures_are_those_of_the_books() -> None:
    """Balances and overspending of a budget, month by month, from the embedded service's books."""
    sandbox = Sandbox(years=2, budgets=1)
    bf = BudgetFrame.sandbox(sandbox, progress=False)
    budget, found = sandbox.budgets[0].budget, bf.reports.cards()
    overspent = found.groupby("period")["overspent"].sum()
    payments = {
        each.payment_account_id: each.id
        for each in budget.categories.live()
        if each.payment_account_id
    }
    for line in found.to_dict("records"):
        number = 12 * line["period"].year + line["period"].month - 1
        rows = [each for each in budget.transactions.live() if not each.deleted]
        owed = sum(
            each.amount
            for each in rows
            if each.account_id == line["account_id"]
            and 12 * each.date.year + each.date.month - 1 <= number
        )
        assert round(line["balance"] * 1000) == owed
        payment = budget.category_months[payments[line["account_id"]]][number]
        assert round(line["available"] * 1000) == payment.balance
        booked = sum(each[number].credit_overspent for each in budget.category_months.values())
        assert round(overspent[line["period"]] * 1000) == booked
    steps = found["refunded"] + found["paid"] + found["other"] - found["spent"]
    assert milliunits(steps.round(3)).sum() == milliunits(found["balance"]).iloc[-1]
    assert overspent.sum() > 0

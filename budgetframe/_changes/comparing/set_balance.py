"""The row that sets the balance of a tracking account to a given amount."""

from __future__ import annotations

from dataclasses import replace

from budgetframe._changes.plan import Compared
from budgetframe._changes.plan_warnings import finished_plan
from budgetframe._changes.service_state import names_of, read_state
from budgetframe._changes.state import Row
from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import BALANCE_ADJUSTMENT
from budgetframe._runtime.arguments import nothing_sent, refused
from budgetframe._session.names import check_text
from budgetframe._session.session import Session
from budgetframe._session.written import wire_value
from budgetframe.frames.dates import Day, day_of
from budgetframe.frames.loan_terms import LOAN_TYPES
from budgetframe.frames.number_text import in_currency

from .transactions import Comparison

_LAST_DAY = "9999-12-31"


async def balance_adjustment(
    session: Session, account: str, milliunits: int, on: Day | None
) -> Compared:
    """The new row that makes a balance the balance of a tracking account at the end of a day."""
    # The balance is the one that the service states, without the rows after that day.
    with nothing_sent():
        account = check_text(account, "account")
        given = None if on is None else f"{day_of(on, 'date'):%Y-%m-%d}"
    accounts = await session.reads.read_list("accounts", is_new=True)
    names = await names_of(session, session.usable_lists(accounts, "accounts"))
    key = names.key_of("account", account, "account")
    _check_account(names.accounts[key])
    _, state = await read_state(session, "transactions", names=names)
    state.check_account(key)
    day = given or state.today.isoformat()
    later = state.sum_until(key, _LAST_DAY) - state.sum_until(key, day)
    difference = milliunits - (wire_value("balance", names.accounts[key]["balance"]) - later)
    amount = in_currency(milliunits / MILLIUNITS, state.currency, exact=True)
    comparison = Comparison(state)
    if difference:
        row = {"date": day, "account_id": key, "amount": difference / MILLIUNITS}
        row |= {"payee_name": BALANCE_ADJUSTMENT, "memo": f"Balance set to {amount}"}
        comparison.create([{**row, "cleared": "cleared", "approved": True}])
    changes = [replace(change, balance_of=(key, day)) for change in comparison.changes]
    warnings = [] if difference else [f"the balance on {day} is {amount} already"]
    return Compared(finished_plan(state, changes, warnings=warnings), state)


def _check_account(account: Row) -> None:
    """Refuse an account whose difference must not become a row without a category."""
    name = account.get("name")
    if account.get("type") in LOAN_TYPES:
        reason = "contains interest that no row records; bf.reports.loans() explains it"
        raise refused(f"account: {name!r} is a loan, whose balance {reason}")
    if account.get("on_budget"):
        raise refused(
            f"account: {name!r} is a budget account, in which the row needs a category: create it"
            " with bf.create_transactions(), or find the missing rows in the bank's file with"
            " bf.import_rows()"
        )
    if account.get("balance") is None:
        raise refused(f"account: the service states no balance of {name!r}")

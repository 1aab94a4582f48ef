"""What every GET answers."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

from budgetframe.sandbox.errors import bad_request, no_such_resource
from budgetframe.sandbox.state.rows import Row, month_start

from .responses import Rendered
from .serializers import Serializer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from budgetframe.sandbox.state.rows import Category, Part, Table, Transaction

    from .request import BudgetRequest

Json = dict[str, Any]
R = TypeVar("R", bound=Row)


def changed(call: BudgetRequest, table: Table[R]) -> Iterable[R]:
    """Give all live rows, or with a cursor those changed since, deleted ones included."""
    return table.since(call.cursor) if call.cursor else table.live()


def listed(call: BudgetRequest, key: str, rows: Iterable[Json] | Rendered) -> Json:
    """Wrap a list that can be asked for again with a cursor."""
    written = rows if isinstance(rows, Rendered) else list(rows)
    return {key: written, "server_knowledge": call.budget.knowledge}


# -- budgets, accounts, payees -----------------------------------------------------------------


def export(call: BudgetRequest) -> Json:
    """Give everything, flat."""
    budget = call.budget
    serializer = Serializer(budget, call.published, export=True)
    rows = list(changed(call, budget.transactions))
    schedules = list(changed(call, budget.scheduled))
    if not call.cursor:
        rows.sort(key=lambda row: row.date)
    content = serializer.summary() | {
        "accounts": [serializer.account(row) for row in changed(call, budget.accounts)],
        "payees": [serializer.payee(row) for row in changed(call, budget.payees)],
        "payee_locations": [serializer.location(row) for row in changed(call, budget.locations)],
        "category_groups": [serializer.group(row) for row in changed(call, budget.groups)],
        "categories": [
            serializer.category(row, budget.current_month)
            for row in changed(call, budget.categories)
        ],
        "months": list(_months_with_categories(call, serializer)),
        "transactions": call.rows.plain(serializer, rows),
        "subtransactions": call.rows.parts(serializer, rows),
        "scheduled_transactions": [serializer.plain_scheduled(row) for row in schedules],
        "scheduled_subtransactions": [
            serializer.scheduled_part(row, part) for row in schedules for part in row.parts
        ],
    }
    return {
        "plan" if call.published else "budget": content,
        "server_knowledge": budget.knowledge,
    }


def _months_with_categories(call: BudgetRequest, serializer: Serializer) -> Iterator[Json]:
    budget, cursor = call.budget, call.cursor
    every = list(budget.categories.every() if cursor else budget.categories.live())
    for number in range(budget.last_month, budget.first_month - 1, -1):
        month = budget.month(number)
        categories = [row for row in every if budget.category_months[row.id][number].stamp > cursor]
        if month.stamp > cursor or categories:
            yield serializer.month_with(month, categories)


def settings(call: BudgetRequest) -> Json:
    """Give the formats of the budget."""
    shown = call.serializer.summary()
    return {"settings": {name: shown[name] for name in ("date_format", "currency_format")}}


def accounts(call: BudgetRequest) -> Json:
    """List accounts."""
    rows = changed(call, call.budget.accounts)
    return listed(call, "accounts", map(call.serializer.account, rows))


def account(call: BudgetRequest) -> Json:
    """Give one account."""
    return {"account": call.serializer.account(call.find(call.budget.accounts, "account_id"))}


def payees(call: BudgetRequest) -> Json:
    """List payees."""
    return listed(call, "payees", map(call.serializer.payee, changed(call, call.budget.payees)))


def payee(call: BudgetRequest) -> Json:
    """Give one payee."""
    return {"payee": call.serializer.payee(call.find(call.budget.payees, "payee_id"))}


def locations(call: BudgetRequest) -> Json:
    """List payee locations; there is no cursor for these."""
    return {
        "payee_locations": [call.serializer.location(row) for row in call.budget.locations.live()]
    }


def locations_of_payee(call: BudgetRequest) -> Json:
    """List the locations of one payee."""
    payee_id = call.find(call.budget.payees, "payee_id").id
    rows = (row for row in call.budget.locations.live() if row.payee_id == payee_id)
    return {"payee_locations": [call.serializer.location(row) for row in rows]}


def location(call: BudgetRequest) -> Json:
    """Give one payee location."""
    row = call.find(call.budget.locations, "payee_location_id")
    return {"payee_location": call.serializer.location(row)}


# -- categories and months ---------------------------------------------------------------------


def categories(call: BudgetRequest) -> Json:
    """List groups with their categories; with a cursor, only changed ones in their wrapper."""
    budget, serializer = call.budget, call.serializer
    by_group: dict[str, list[Json]] = {row.id: [] for row in changed(call, budget.groups)}
    for row in changed(call, budget.categories):
        shown = serializer.category(row, budget.current_month)
        by_group.setdefault(row.group_id, []).append(shown)
    return listed(
        call,
        "category_groups",
        (
            serializer.group(budget.groups[key]) | {"categories": rows}
            for key, rows in by_group.items()
        ),
    )


def category(call: BudgetRequest) -> Json:
    """Give one category with the amounts of the current month."""
    row = call.find(call.budget.categories, "category_id")
    return {"category": call.serializer.category(row, call.budget.current_month)}


def category_in_month(call: BudgetRequest) -> Json:
    """Give one category with the amounts of a month."""
    month = call.month().number
    row = call.find(call.budget.categories, "category_id")
    return {"category": call.serializer.category(row, month)}


def months(call: BudgetRequest) -> Json:
    """List months, the latest first."""
    rows = list(changed(call, call.budget.months))
    if not call.cursor:
        rows.sort(key=lambda row: -row.number)
    return listed(call, "months", map(call.serializer.month, rows))


def month(call: BudgetRequest) -> Json:
    """Give one month with all categories."""
    return {"month": call.serializer.month_with(call.month(), call.budget.categories.live())}


# -- transactions ------------------------------------------------------------------------------


def _one_year_before(today: date) -> date:
    try:
        return today.replace(year=today.year - 1)
    except ValueError:
        return date(today.year - 1, 2, 28)


def lacks_category(call: BudgetRequest, row: Transaction) -> bool:
    """Whether a row of an account on budget should have a category and has none."""
    accounts = call.budget.accounts
    if not accounts[row.account_id].on_budget:
        return False
    return any(
        side.category_id is None
        and (side.transfer_account_id is None or not accounts[side.transfer_account_id].on_budget)
        for side in row.shares
    )


def _filters(call: BudgetRequest, *, window: bool) -> Callable[[Transaction], bool]:
    since, until = call.date("since_date"), call.date("until_date")
    wanted = call.query.get("type")
    if wanted not in {None, "uncategorized", "unapproved"}:
        raise bad_request("type must be one of uncategorized, unapproved")
    if since is None and window:
        since = _one_year_before(call.budget.today)

    def passes(row: Transaction) -> bool:
        return (
            (since is None or since <= row.date)
            and (until is None or row.date <= until)
            and (wanted != "unapproved" or not row.approved)
            and (wanted != "uncategorized" or lacks_category(call, row))
        )

    return passes


def _transactions(call: BudgetRequest, *, window: bool = True) -> list[Transaction]:
    rows = list(filter(_filters(call, window=window), changed(call, call.budget.transactions)))
    if not call.cursor:
        rows.sort(key=lambda row: row.date)
    return rows


def transactions(call: BudgetRequest) -> Json:
    """List transactions, of the last year unless told otherwise."""
    return listed(
        call, "transactions", call.rows.transactions(call.serializer, _transactions(call))
    )


def transaction(call: BudgetRequest) -> Json:
    """Give one transaction."""
    row = call.find(call.budget.transactions, "transaction_id")
    return {
        "transaction": call.serializer.transaction(row),
        "server_knowledge": call.budget.knowledge,
    }


def transactions_of_account(call: BudgetRequest) -> Json:
    """List the transactions of one account."""
    key = call.find(call.budget.accounts, "account_id").id
    rows = (row for row in _transactions(call) if row.account_id == key)
    return listed(call, "transactions", call.rows.transactions(call.serializer, rows))


def transactions_of_month(call: BudgetRequest) -> Json:
    """List the transactions of one month; here no year is cut off."""
    number = call.month().number
    first, after = month_start(number), month_start(number + 1)
    rows = (row for row in _transactions(call, window=False) if first <= row.date < after)
    return listed(call, "transactions", call.rows.transactions(call.serializer, rows))


def _hybrids(
    call: BudgetRequest, matches: Callable[[Transaction | Part, Transaction], bool]
) -> Json:
    def sides() -> Iterator[tuple[Transaction, Part | None]]:
        for row in _transactions(call):
            if matches(row, row):
                yield row, None
                continue
            for part in row.parts:
                if matches(part, row):
                    yield row, part

    return listed(call, "transactions", call.rows.hybrids(call.serializer, sides()))


def transactions_of_category(call: BudgetRequest) -> Json:
    """List rows and parts of rows in one category."""
    key = call.find(call.budget.categories, "category_id").id
    return _hybrids(call, lambda side, _row: side.category_id == key)


def transactions_of_payee(call: BudgetRequest) -> Json:
    """List rows and parts of rows with one payee."""
    key = call.find(call.budget.payees, "payee_id").id
    return _hybrids(call, lambda side, _row: side.payee_id == key)


def scheduled(call: BudgetRequest) -> Json:
    """List scheduled transactions; a budget that never had one has no such list."""
    if not len(call.budget.scheduled):
        raise no_such_resource()
    rows = changed(call, call.budget.scheduled)
    return listed(call, "scheduled_transactions", map(call.serializer.scheduled, rows))


def scheduled_one(call: BudgetRequest) -> Json:
    """Give one scheduled transaction."""
    row = call.find(call.budget.scheduled, "scheduled_transaction_id")
    return {"scheduled_transaction": call.serializer.scheduled(row)}


# -- money movements: two shapes ---------------------------------------------------------------


def _recorded(call: BudgetRequest) -> range:
    """Give the months of the path whose movements are on record."""
    budget = call.budget
    months = range(max(budget.first_month, budget.movements_from), budget.last_month + 1)
    if "month" not in call.path:
        return months
    number = call.month().number
    return range(number, number + 1) if number in months else range(0)


def _sums(call: BudgetRequest, row: Category, months: range) -> Json:
    category_months = [call.budget.category_months[row.id][number] for number in months]
    return {
        "allocation": sum(category_month.assigned for category_month in category_months),
        "spent": sum(category_month.outflow for category_month in category_months),
        "income": sum(category_month.inflow for category_month in category_months),
    }


def movements(call: BudgetRequest) -> Json:
    """List moves of money; under `/budgets`, what was given to and spent from each category."""
    months, budget, serializer = _recorded(call), call.budget, call.serializer
    if call.published:
        rows = [row for row in changed(call, budget.movements) if row.month in months]
        return listed(call, "money_movements", map(serializer.movement, rows))
    return listed(
        call,
        "money_movements",
        (
            {
                "category_name": row.name,
                "category_group_name": budget.groups[row.group_id].name,
                **_sums(call, row, months),
            }
            for row in (budget.categories.live() if months else ())
        ),
    )


def movement_groups(call: BudgetRequest) -> Json:
    """List groups of moves; under `/budgets`, the sums of each category group."""
    months, budget, serializer = _recorded(call), call.budget, call.serializer
    if call.published:
        rows = [row for row in changed(call, budget.movement_groups) if row.month in months]
        return listed(call, "money_movement_groups", map(serializer.movement_group, rows))
    sums: dict[str, Json] = {}
    for row in budget.categories.live() if months else ():
        name = budget.groups[row.group_id].name
        total = sums.setdefault(
            row.group_id,
            {"category_group_name": name, "allocation": 0, "spent": 0, "income": 0},
        )
        for key, amount in _sums(call, row, months).items():
            total[key] += amount
    return listed(call, "money_movement_groups", sums.values())

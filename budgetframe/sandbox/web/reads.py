"""The operations that read a budget: GET."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date

from budgetframe.sandbox.errors import ApiError, bad_request
from budgetframe.sandbox.state.rows import Category, Leg, Part, R, Table, Transaction, month_start

from .request import BudgetRequest
from .responses import Json, Rendered
from .serializers import Serializer

Operation = Callable[[BudgetRequest], Json]


def changed(call: BudgetRequest, table: Table[R]) -> Iterable[R]:
    """Return all rows that are not deleted; with a cursor, all rows changed after it."""
    return table.since(call.cursor) if call.cursor else table.live()


def listed(call: BudgetRequest, key: str, rows: Iterable[Json] | Rendered) -> Json:
    """Return a list with the knowledge of the budget, the cursor of the next request."""
    return call.with_knowledge(**{key: rows if isinstance(rows, Rendered) else list(rows)})


def export(call: BudgetRequest) -> Json:
    """Return the whole budget as flat lists."""
    budget = call.budget
    serializer = Serializer(budget, call.published, export=True)
    rows = list(changed(call, budget.transactions))
    schedules = list(changed(call, budget.scheduled))
    if not call.cursor:
        rows.sort(key=lambda row: row.date)
    content = serializer.summary() | {
        "accounts": [serializer.account(row) for row in changed(call, budget.accounts)],
        "payees": [serializer.payee(row) for row in changed(call, budget.payees)],
        "payee_locations": [
            serializer.payee_location(row) for row in changed(call, budget.locations)
        ],
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
    return call.with_knowledge(**{"plan" if call.published else "budget": content})


def _months_with_categories(call: BudgetRequest, serializer: Serializer) -> Iterator[Json]:
    budget, cursor = call.budget, call.cursor
    every = list(budget.categories.every() if cursor else budget.categories.live())
    for number in range(budget.last_month, budget.first_month - 1, -1):
        month = budget.month(number)
        categories = [row for row in every if budget.category_months[row.id][number].stamp > cursor]
        if month.stamp > cursor or categories:
            yield serializer.month_with_categories(month, categories)


def settings(call: BudgetRequest) -> Json:
    """Return the formats of the budget."""
    summary = call.serializer.summary()
    return {"settings": {name: summary[name] for name in ("date_format", "currency_format")}}


def list_of(name: str, table: str) -> Operation:
    """Return the operation that reads the rows of a table; `name` is the key of one row."""

    def read(call: BudgetRequest) -> Json:
        rows = changed(call, getattr(call.budget, table))
        return listed(call, f"{name}s", map(getattr(call.serializer, name), rows))

    return read


def one_of(name: str, table: str) -> Operation:
    """Return the operation that reads one row of a table."""

    def read(call: BudgetRequest) -> Json:
        row = call.find(getattr(call.budget, table), f"{name}_id")
        return {name: getattr(call.serializer, name)(row)}

    return read


def locations(call: BudgetRequest) -> Json:
    """Return the payee locations, or those of the payee of the path; this list has no cursor."""
    payee_id = call.find(call.budget.payees, "payee_id").id if "payee_id" in call.path else None
    rows = [row for row in call.budget.locations.live() if payee_id in {None, row.payee_id}]
    return {"payee_locations": [*map(call.serializer.payee_location, rows)]}


def categories(call: BudgetRequest) -> Json:
    """Return groups with categories; with a cursor, the changed categories in their groups."""
    budget, serializer = call.budget, call.serializer
    by_group: dict[str, list[Json]] = {row.id: [] for row in changed(call, budget.groups)}
    for row in changed(call, budget.categories):
        category = serializer.category(row, budget.current_month)
        by_group.setdefault(row.group_id, []).append(category)
    groups = (
        serializer.group(budget.groups[key]) | {"categories": rows}
        for key, rows in by_group.items()
    )
    return listed(call, "category_groups", groups)


def category(call: BudgetRequest) -> Json:
    """Return one category with the amounts of the month in the path, or of the current one."""
    month = call.month().number if "month" in call.path else call.budget.current_month
    row = call.find(call.budget.categories, "category_id")
    return {"category": call.serializer.category(row, month)}


def months(call: BudgetRequest) -> Json:
    """Return the months, the latest first."""
    rows = list(changed(call, call.budget.months))
    if not call.cursor:
        rows.sort(key=lambda row: -row.number)
    return listed(call, "months", map(call.serializer.month, rows))


def month(call: BudgetRequest) -> Json:
    """Return one month with all categories."""
    categories = call.budget.categories.live()
    return {"month": call.serializer.month_with_categories(call.month(), categories)}


def _one_year_before(today: date) -> date:
    try:
        return today.replace(year=today.year - 1)
    except ValueError:
        return date(today.year - 1, 2, 28)


def lacks_category(call: BudgetRequest, row: Transaction) -> bool:
    """Whether a transaction of a budget account has no category; a lenient service: needs one."""
    accounts = call.budget.accounts
    if not accounts[row.account_id].on_budget:
        return False
    splits = [split for split in row.splits if split.category_id is None]
    if not call.budget.is_lenient:
        return bool(splits)
    starting_balance = call.budget.payees_by_name.get("Starting Balance")
    return any(
        split.payee_id is None or split.payee_id != starting_balance
        if split.transfer_account_id is None
        else not accounts[split.transfer_account_id].on_budget
        for split in splits
    )


def _transactions(call: BudgetRequest, *, window: bool = True) -> list[Transaction]:
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

    rows = list(filter(passes, changed(call, call.budget.transactions)))
    if not call.cursor:
        rows.sort(key=lambda row: row.date)
    return rows


def transactions(call: BudgetRequest) -> Json:
    """Return the transactions; without `since_date`, those of the last year."""
    rows = call.rows.transactions(call.serializer, _transactions(call))
    return listed(call, "transactions", rows)


def transaction(call: BudgetRequest) -> Json:
    """Return one transaction."""
    row = call.find(call.budget.transactions, "transaction_id")
    return call.with_knowledge(transaction=call.serializer.transaction(row))


def transactions_of_account(call: BudgetRequest) -> Json:
    """Return the transactions of one account."""
    key = call.find(call.budget.accounts, "account_id").id
    rows = (row for row in _transactions(call) if row.account_id == key)
    return listed(call, "transactions", call.rows.transactions(call.serializer, rows))


def transactions_of_month(call: BudgetRequest) -> Json:
    """Return the transactions of one month; the default of one year does not apply here."""
    number = call.month().number
    first, after = month_start(number), month_start(number + 1)
    rows = (row for row in _transactions(call, window=False) if first <= row.date < after)
    return listed(call, "transactions", call.rows.transactions(call.serializer, rows))


def _hybrids(call: BudgetRequest, matches: Callable[[Leg, Transaction], bool]) -> Json:
    def hybrids() -> Iterator[tuple[Transaction, Part | None]]:
        for row in _transactions(call):
            if matches(row, row):
                yield row, None
                continue
            for part in row.parts:
                if matches(part, row):
                    yield row, part

    return listed(call, "transactions", call.rows.hybrids(call.serializer, hybrids()))


def transactions_of_category(call: BudgetRequest) -> Json:
    """Return the transactions and parts in one category."""
    key = call.find(call.budget.categories, "category_id").id
    return _hybrids(call, lambda leg, _row: leg.category_id == key)


def transactions_of_payee(call: BudgetRequest) -> Json:
    """Return the transactions and parts with one payee."""
    key = call.find(call.budget.payees, "payee_id").id
    return _hybrids(call, lambda leg, _row: leg.payee_id == key)


def scheduled(call: BudgetRequest) -> Json:
    """Return the scheduled transactions; 404.2 for a budget that never had one."""
    if not len(call.budget.scheduled):
        raise ApiError("404.2")
    return list_of("scheduled_transaction", "scheduled")(call)


# -- money movements: records of moves, or totals --------------------------------------------------


def _recorded(call: BudgetRequest) -> range:
    """Return the months of the path that have recorded movements."""
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
    """Return money movements, or the sums of each category."""
    months, budget, serializer = _recorded(call), call.budget, call.serializer
    if call.published or not budget.has_movement_totals:
        rows = [row for row in changed(call, budget.movements) if row.month in months]
        return listed(call, "money_movements", map(serializer.movement, rows))
    sums = (
        {
            "category_name": row.name,
            "category_group_name": budget.groups[row.group_id].name,
            **_sums(call, row, months),
        }
        for row in (budget.categories.live() if months else ())
    )
    return listed(call, "money_movements", sums)


def movement_groups(call: BudgetRequest) -> Json:
    """Return groups of money movements, or the sums of each category group."""
    months, budget, serializer = _recorded(call), call.budget, call.serializer
    if call.published or not budget.has_movement_totals:
        rows = [row for row in changed(call, budget.movement_groups) if row.month in months]
        return listed(call, "money_movement_groups", map(serializer.movement_group, rows))
    sums: dict[str, Json] = {}
    for row in budget.categories.live() if months else ():
        name = budget.groups[row.group_id].name
        total = sums.setdefault(
            row.group_id, {"category_group_name": name, "allocation": 0, "spent": 0, "income": 0}
        )
        for key, amount in _sums(call, row, months).items():
            total[key] += amount
    return listed(call, "money_movement_groups", sums.values())

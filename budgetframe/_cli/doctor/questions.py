"""The open questions about the service, and how the answers of a run settle them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping

from budgetframe._resources import is_deleted
from budgetframe.frames.loan_terms import LOAN_TYPES

from .answers import (
    SINCE_BEGINNING,
    Answer,
    Run,
    amount_of,
    by_key,
    days_of,
    share,
    split_counts,
    window_begin,
)
from .checks import delta_since_beginning

_ENTERED_FROM_SCHEDULE = re.compile(r".+_\d{4}-\d\d-\d\d")


def _one_counter(run: Run) -> str | None:
    known = [answer.knowledge for answer in run.answers.values() if answer.knowledge is not None]
    if len(known) < 2:  # noqa: PLR2004 - two values can be compared
        return None
    if len(set(known)) == 1:
        return f"yes: {len(known)} answers have the same server_knowledge"
    return (
        f"no, or the budget was changed during the run: {len(set(known))} different values; if it"
        " was changed, run the command again"
    )


def _cursor_1(run: Run) -> str | None:
    if not run.has("export", *SINCE_BEGINNING):
        return None
    found = [finding for finding in delta_since_beginning(run) if finding.is_difference]
    return "no: see the differences" if found else "yes, for payees and transactions"


def _tombstones(run: Run) -> str | None:
    present = {key: run.rows(name, key) for name, (_, key) in SINCE_BEGINNING.items()}
    counts = [f"{sum(map(is_deleted, rows)):,} {key}" for key, rows in present.items()]
    is_any = any(not count.startswith("0 ") for count in counts)
    return f"yes: {' and '.join(counts)}" if is_any else None


def _default_budget(run: Run) -> str | None:
    data = run.answers["budgets"].data
    if "default_budget" not in data:
        return "the field is missing"
    return "null" if data["default_budget"] is None else "not null"


def _never_scheduled(run: Run) -> str | None:
    answer = run.answers["scheduled_transactions"]
    if answer.never_existed and run.has("export"):
        return "yes"
    if run.rows("scheduled_transactions", "scheduled_transactions") or answer.error:
        return None
    return "no: this answer is an empty list"


def _one_year(run: Run) -> str | None:
    window = window_begin(run)
    every = days_of(by_key(run.rows("export", "budget", "transactions")))
    if window is None or not run.has("transactions of the last year"):
        return None
    if not any(day < window[0] for day in every.values()):
        return None
    recent = days_of(by_key(run.rows("transactions of the last year", "transactions")))
    older = sum(day < window[0] for day in recent.values())
    if older:
        return f"no: {older:,} of its rows are older"
    return f"yes: it has {share(len(recent), len(every))}"


def _movement_shape(run: Run) -> str | None:
    rows = run.rows("money_movements", "money_movements")
    if not rows:
        return None
    return "one record for each move" if any("id" in row for row in rows) else "totals by category"


def _deleted_in_month(run: Run) -> str | None:
    for month in run.rows("month", "month"):
        return "yes" if "deleted" in month else "no"
    return None


def _split_sums(run: Run) -> str | None:
    counts = list(split_counts(run))
    if not any(count for _, count, _ in counts):
        return None
    return "yes" if any(unequal for _, _, unequal in counts) else "no"


def _types_of(field: str, answers: Iterable[Answer]) -> Counter[str]:
    """The types of the values of a field, with the number of rows."""
    types: Counter[str] = Counter()
    for answer in answers:
        for place in answer.places.values():
            types.update(place.types.get(field, {}))
    return types


def _fractions(run: Run) -> str | None:
    types = _types_of("goal_percentage_complete", run.answers.values())
    if not types["integer"] + types["decimal"]:
        return None
    return "yes" if types["decimal"] else "no"


def _goal_dates(run: Run) -> str | None:
    rows = run.rows("categories", "category_groups", "categories")
    names = ("goal_target_date", "goal_target_month")
    dated = {name: sum(row.get(name) is not None for row in rows) for name in names}
    if not any(dated.values()):
        return None
    return " and ".join(f"{name} in {count:,} rows" for name, count in dated.items())


def _coordinates(run: Run) -> str | None:
    types = _types_of("latitude", [run.answers["payee_locations"]])
    return " and ".join(sorted(types)) or None


def _schedule_ids(run: Run) -> str | None:
    rows = by_key(run.rows("export", "budget", "transactions"))
    count = sum(_ENTERED_FROM_SCHEDULE.fullmatch(key) is not None for key in rows)
    return f"yes: {share(count, len(rows))}" if count else None


def _display_fields(run: Run) -> str | None:
    kinds = {
        answer.kind
        for answer in run.answers.values()
        if any(place.has_display_fields for place in answer.places.values())
    }
    if not run.has("accounts"):
        return None
    return f"yes, in {', '.join(sorted(kinds))}" if kinds else "no"


def _loans(run: Run) -> str | None:
    accounts = by_key(run.rows("export", "budget", "accounts"))
    loans = {key: row for key, row in accounts.items() if str(row.get("type")) in LOAN_TYPES}
    sums: dict[str, int] = defaultdict(int)
    for row in by_key(run.rows("export", "budget", "transactions")).values():
        sums[str(row.get("account_id"))] += amount_of(row) or 0
    if not loans:
        return None
    equal = sum(sums[key] == amount_of(row, "balance") for key, row in loans.items())
    rated = sum(bool(row.get("debt_interest_rates")) for row in loans.values())
    return f"for {share(equal, len(loans), 'loan')}; loans with interest rates: {rated:,}"


def _present_names(run: Run) -> str | None:
    payees = by_key(run.rows("export", "budget", "payees"))
    rows = by_key(run.rows("transactions since the beginning", "transactions")).values()
    named = [row for row in rows if str(row.get("payee_id")) in payees]
    if not named:
        return None
    other = sum(row.get("payee_name") != payees[row["payee_id"]].get("name") for row in named)
    return f"no: {share(other, len(named))} have another name" if other else "yes, all rows"


QUESTIONS: Mapping[str, Callable[[Run], str | None]] = {
    "Does one counter serve all lists?": _one_counter,
    "Does the cursor 1 mean: since the beginning?": _cursor_1,
    "Does a delta since the beginning have deleted rows?": _tombstones,
    "Do transactions in a delta have the present names of payees?": _present_names,
    "Does the list of transactions cover one year without since_date?": _one_year,
    "What is default_budget?": _default_budget,
    "Is an empty list of scheduled transactions the error 404.2?": _never_scheduled,
    "Which shape do money movements have?": _movement_shape,
    "Does a month detail have the field deleted?": _deleted_in_month,
    "Are there splits whose parts do not add up?": _split_sums,
    "Is goal_percentage_complete ever a fraction?": _fractions,
    "Which field has the date of a goal?": _goal_dates,
    "What type do latitude and longitude have?": _coordinates,
    "Do ids of transactions from a schedule end with a day?": _schedule_ids,
    "Do amounts have display fields?": _display_fields,
    "Is the balance of a loan the sum of its transactions?": _loans,
    "Does a delta send the transactions of a renamed payee again?": lambda _run: None,
    "Does the window of one year apply to deltas?": lambda _run: None,
}
"""The open questions, each with a function that returns the answer, or None if there is none."""

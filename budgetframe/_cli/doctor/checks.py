"""The checks: they compare the answers with the published shapes, and with each other.

No finding contains a name, memo, amount, id or any other text of an answer: findings consist of
names of published fields, types and counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from budgetframe._cache.merge import is_mergeable, merge
from budgetframe._resources import ROW_KEYS, is_deleted
from budgetframe._runtime.deferred_warnings import collected_warnings
from budgetframe._runtime.text import number_of
from budgetframe.errors import ServiceAPIError
from budgetframe.frames.export import as_lists
from budgetframe.frames.loan_terms import loan_terms
from budgetframe.frames.tables import table_for
from budgetframe.reports.reconciliation import reconcile

from .answers import (
    SINCE_BEGINNING,
    Row,
    Run,
    amount_of,
    by_key,
    day_of,
    days_of,
    share,
    split_counts,
    window_begin,
)
from .shapes import FIELD_NAMES

SHAPES = "the answers have the published shapes"
NOT_STRICT = "the answer is not strict JSON: a text or a number in it is damaged"
MALFORMED = (ServiceAPIError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What the functions of this package raise for a malformed answer; the messages contain data."""


class Finding(NamedTuple):
    """A statement about one resource; a remark is no difference."""

    resource: str
    text: str
    is_difference: bool = True


def _remark(resource: str, text: str) -> Finding:
    return Finding(resource, text, is_difference=False)


def _compared(
    resource: str, what: str, rows: Mapping[str, Row], full: Mapping[str, Row]
) -> Iterator[Finding]:
    """Compare rows with those of the export: their keys, and the fields that both have."""
    missing, added = full.keys() - rows.keys(), rows.keys() - full.keys()
    if missing:
        text = f"{what} lacks {share(len(missing), len(full))} that the export has"
        yield Finding(resource, text)
    if added:
        text = f"{what} has {share(len(added), len(rows))} that the export does not have"
        yield Finding(resource, text)
    differing: Counter[str] = Counter()
    both = rows.keys() & full.keys()
    for key in both:
        row, other = rows[key], full[key]
        single = (name for name in row.keys() & other.keys() if not isinstance(row[name], list))
        differing.update(name for name in single if row[name] != other[name])
    for name in sorted(differing.keys() & FIELD_NAMES):
        text = f"{what} and the export differ in {name} in {share(differing[name], len(both))}"
        yield Finding(resource, text)


def _lists(data: Row, path: str = "") -> Iterator[tuple[str, list[Row]]]:
    """Iterate over all lists of records in an answer, at any depth, with their paths."""
    for name, value in data.items():
        if isinstance(value, dict) and name in FIELD_NAMES:  # another name could be data
            yield from _lists(value, f"{path}{name}.")
        elif isinstance(value, list) and name in _LISTS:
            rows: list[Row] = [row for row in value if isinstance(row, dict)]
            yield f"{path}{name}", rows
            for row in rows:
                yield from _lists(row, f"{path}{name}[].")


_LISTS = {*ROW_KEYS, "categories", "subtransactions", "scheduled_subtransactions"}


def _errors(run: Run) -> Iterator[Finding]:
    for answer in run.answers.values():
        if answer.error is not None and not answer.never_existed:
            if answer.error.name == "invalid_response":
                yield Finding(answer.kind, "the answer is not JSON with a data object")
            else:
                text = f"the service answered with the error {answer.error.status_code}"
                yield Finding(answer.kind, text)


def _shapes(run: Run) -> Iterator[Finding]:
    everything = [answer.data for answer in run.answers.values()]
    for answer in run.answers.values():
        if not answer.is_strict:
            yield Finding(answer.kind, NOT_STRICT)
        for path, place in answer.places.items():
            for problem, count in sorted(place.problems.items()):
                yield Finding(answer.kind, f"{path}: {problem} in {share(count, place.rows)}")
            fields, withheld = place.printable_fields(everything)
            for name, types in sorted(fields.items()):
                yield _remark(answer.kind, f"{path}: unknown field {name} ({types})")
            if withheld:
                text = f"{path}: {number_of(withheld, 'unknown field')}, names withheld"
                yield _remark(answer.kind, text)
            for name, (count, values) in place.printable_values(everything).items():
                shown = f": {', '.join(values)}" if values else ""
                rows = share(count, place.rows)
                yield _remark(answer.kind, f"{path}: unknown value of {name} in {rows}{shown}")
            unsent = [name for name, count in place.unsent.items() if count == place.rows]
            if unsent:
                yield _remark(answer.kind, f"{path}: fields that are not sent: {', '.join(unsent)}")


def _no_duplicates(run: Run) -> Iterator[Finding]:
    for answer in run.answers.values():
        repeated: Counter[str] = Counter()
        for path, rows in _lists(answer.data):
            key = ROW_KEYS.get(path.rpartition(".")[2], "id")
            keys = [row[key] for row in rows if isinstance(row.get(key), str)]
            repeated[path] += len(keys) - len(set(keys))
        for path, count in repeated.items():
            if count:
                yield Finding(answer.kind, f"{path}: {number_of(count, 'repeated row')}")


def _no_deleted_rows(run: Run) -> Iterator[Finding]:
    for answer in run.answers.values():
        deleted: Counter[str] = Counter()
        for path, rows in _lists(answer.data) if answer.cursor is None else ():
            deleted[path] += sum(map(is_deleted, rows))
        for path, count in deleted.items():
            if count:
                text = f"{path}: the full answer has {number_of(count, 'deleted row')}"
                yield Finding(answer.kind, text)


def _splits(run: Run) -> Iterator[Finding]:
    for kind, _, unequal in split_counts(run):
        if unequal:
            text = f"{number_of(unequal, 'split')} with parts that do not add up to the amount"
            yield Finding(kind, text)


def _delta_without_changes(run: Run) -> Iterator[Finding]:
    answer, all_months = run.answers["months"], run.rows("export", "budget", "months")
    if answer.cursor is None or answer.error is not None:
        return
    rows = run.rows("months", "months")
    is_lower = answer.knowledge is not None and answer.knowledge < answer.cursor
    if is_lower:
        yield Finding("months", "the delta without changes has a lower knowledge than the cursor")
    sends_all = len(rows) >= len(all_months) > 1
    if rows and (sends_all or answer.knowledge == answer.cursor):
        text = f"the delta without changes has {share(len(rows), len(all_months))}, not 0"
        yield Finding("months", text)
    elif rows and not is_lower:
        text = (
            f"the delta after the export has {number_of(len(rows), 'row')}: the budget was changed"
            " during the run, or the export and the months have different counters"
        )
        yield _remark("months", text)


def delta_since_beginning(run: Run) -> Iterator[Finding]:
    """Compare the lists that were requested with the cursor 1 with those of the export."""
    what = "the delta since the beginning"
    for name, (kind, key) in SINCE_BEGINNING.items():
        if not run.has(name, "export"):
            continue
        delta = {key: run.rows(name, key)}
        if not is_mergeable(delta, key):
            yield Finding(kind, f"{what} has rows without an id")
            continue
        merged = by_key(merge({key: []}, delta)[key])
        yield from _compared(kind, what, merged, by_key(run.rows("export", "budget", key)))
        if not any(map(is_deleted, delta[key])):
            text = f"{what} has no deleted row: either none was ever deleted, or they are not sent"
            yield _remark(kind, text)


def _last_year(run: Run) -> Iterator[Finding]:
    window = window_begin(run)
    if window is None or not run.has("transactions of the last year", "export"):
        return
    every = days_of(by_key(run.rows("export", "budget", "transactions")))
    recent = days_of(by_key(run.rows("transactions of the last year", "transactions")))
    begin = min([window[1], *(day for day in recent.values() if day >= window[0])])
    expected = {key for key, day in every.items() if day >= begin}
    missing = expected - recent.keys()
    older = sum(day < window[0] for day in recent.values())
    if missing:
        text = (
            f"without since_date, the answer lacks {share(len(missing), len(expected))} of a year"
        )
        yield Finding("transactions", text)
    if older:
        text = f"without since_date, {share(older, len(recent))} are older than one year"
        yield Finding("transactions", text)
    if run.has("transactions since the beginning"):
        since = days_of(by_key(run.rows("transactions since the beginning", "transactions")))
        older = sum(day < window[0] for day in every.values())
        if older and since and not any(day < window[0] for day in since.values()):
            rows_found = f"the {older:,} rows that are older than one year"
            text = f"an early since_date has no effect: the answer has none of {rows_found}"
            yield Finding("transactions", text)


def _lists_and_export(run: Run) -> Iterator[Finding]:
    if not run.has("export"):
        return
    lists = {
        "accounts": run.rows("accounts", "accounts"),
        "category_groups": run.rows("categories", "category_groups"),
        "categories": run.rows("categories", "category_groups", "categories"),
        "payee_locations": run.rows("payee_locations", "payee_locations"),
        "scheduled_transactions": run.rows("scheduled_transactions", "scheduled_transactions"),
    }
    for key, rows in lists.items():
        kind = "categories" if key == "category_groups" else key
        if run.has(kind) or run.answers[kind].never_existed:
            exported = run.rows("export", "budget", key)
            yield from _compared(kind, f"the list {key}", by_key(rows), by_key(exported))
    for name in ("date_format", "currency_format"):
        formats = run.rows("settings", "settings", name)
        if run.has("settings") and formats != run.rows("export", "budget", name):
            yield Finding("settings", f"the field {name} differs from that of the export")


def _months(run: Run) -> Iterator[Finding]:
    exported = run.rows("export", "budget", "months")
    months = by_key(exported, "month")
    days = sorted(day for day in map(day_of, months) if day is not None)
    if days:
        span = (days[-1].year - days[0].year) * 12 + days[-1].month - days[0].month + 1
        if span != len(days):
            text = f"the export has {share(len(days), span, 'month')} from its first to its last"
            yield _remark("export", text)
    if not run.has("month", "export"):
        return
    current = by_key(run.rows("month", "month"), "month")
    if not current:
        return
    (key,) = current
    if key not in months:
        yield Finding("month", "the export does not have the current month")
        return
    yield from _compared("month", "the current month", current, {key: months[key]})
    detail = by_key(run.rows("month", "month", "categories"))
    of_export = months[key].get("categories")
    rows = [row for row in of_export if isinstance(row, dict)] if of_export else []
    yield from _compared("month", "the categories of the current month", detail, by_key(rows))


def _balances(run: Run) -> Iterator[Finding]:
    for name, path in (("accounts", ("accounts",)), ("export", ("budget", "accounts"))):
        rows = run.rows(name, *path)
        wrong = 0
        for row in rows:
            parts = [amount_of(row, f"{part}balance") for part in ("cleared_", "uncleared_")]
            known = None not in (amount_of(row, "balance"), *parts)
            wrong += known and amount_of(row, "balance") != sum(filter(None, parts))
        if wrong:
            text = f"balance is not the sum of its two parts in {share(wrong, len(rows))}"
            yield Finding(name, text)


def _reconciliation(run: Run) -> Iterator[Finding]:
    answer = run.answers["export"]
    if answer.error is not None:
        return
    names = ("accounts", "month_categories", "transactions", "subtransactions")
    try:
        budget = answer.converted["budget"]
        lists, is_of_app = as_lists(budget), "is_app_export" in budget
        with collected_warnings():  # the findings about shapes name values that cannot be used
            frames = [table_for(name, lists).frame(lists) for name in names]
        terms = loan_terms(frames[0], budget["accounts"])
        frames[0].attrs = {"loans": terms, "currency_format": budget.get("currency_format")}
        result = reconcile(*frames, deleted_splits=_deleted_splits(run), available=is_of_app)
    except MALFORMED:
        yield Finding("export", "reconcile() cannot compare the answer")
        return
    unexplained = result["unexplained_milliunits"] != 0
    explained = (result["difference_milliunits"] != 0) & ~unexplained
    for subject in result["subject"].cat.categories:
        kind = "accounts" if subject == "account" else "categories"
        of_subject = result["subject"] == subject
        for finding, rows, reason in (
            (Finding, unexplained, "without a reason"),
            (_remark, explained, "with a reason"),
        ):
            if number := int((rows & of_subject).sum()):
                what = f"{share(number, int(of_subject.sum()), subject)} differ"
                yield finding(kind, f"reconcile(): {what} from the transactions {reason}")


def _deleted_splits(run: Run) -> list[Row]:
    """The deleted splits that the delta since the beginning has."""
    rows = run.answers["transactions since the beginning"].converted.get("transactions")
    known = rows if isinstance(rows, list) else []
    return [row for row in known if is_deleted(row) and row.get("subtransactions")]


def _references(run: Run) -> Iterator[Finding]:
    lists = ("accounts", "categories", "payees", "category_groups", "transactions")
    budget = {key: by_key(run.rows("export", "budget", key)) for key in lists}
    references = (
        ("transactions", "account_id", "accounts"),
        ("transactions", "category_id", "categories"),
        ("transactions", "payee_id", "payees"),
        ("categories", "category_group_id", "category_groups"),
    )
    for rows, field, target in references:
        given = [row[field] for row in budget[rows].values() if row.get(field) is not None]
        wrong = sum(str(key) not in budget[target] for key in given)
        if wrong:
            of_rows = share(wrong, len(budget[rows]))
            yield _remark("export", f"{rows}: {field} is not in the list {target} in {of_rows}")


CHECKS: Mapping[str, Callable[[Run], Iterator[Finding]]] = {
    "every request is answered": _errors,
    SHAPES: _shapes,
    "no row occurs twice": _no_duplicates,
    "full answers have no deleted rows": _no_deleted_rows,
    "the parts of splits add up": _splits,
    "a delta without changes is empty": _delta_without_changes,
    "a delta since the beginning equals a full read": delta_since_beginning,
    "without since_date, one year is sent": _last_year,
    "the lists equal those of the export": _lists_and_export,
    "the months fit together": _months,
    "the balances of accounts add up": _balances,
    "reconcile() agrees": _reconciliation,
    "ids refer to listed rows": _references,
}
"""All checks, by the statement that they check."""

OF_SERVICE = {
    statement
    for statement, check in CHECKS.items()
    if check in (_delta_without_changes, delta_since_beginning, _last_year, _lists_and_export)
}
"""The checks of what the service sends for a request, which a file does not show."""

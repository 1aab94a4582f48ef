"""A budget from the files that the budgeting app exports: a register and a plan, as CSV."""

from __future__ import annotations

import csv
import re
import stat
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import chain
from operator import add
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from uuid import UUID, uuid5

from budgetframe._resources import (
    CARD_GROUP,
    HIDDEN_GROUP,
    INTERNAL_GROUP,
    TRANSFER_PREFIX,
    UNCATEGORIZED,
)
from budgetframe._runtime.arguments import check_choice
from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._runtime.text import printable
from budgetframe.errors import ToolError
from budgetframe.frames.bank_files.days import ORDERS, days_of
from budgetframe.frames.bank_files.numbers import amounts_of, currency_of
from budgetframe.frames.bank_files.rows import LARGEST, text_of, unpacked
from budgetframe.frames.builder import shown
from budgetframe.frames.tables import TABLES

_REGISTER = (
    "Account", "Flag", "Date", "Payee", "Category Group", "Category", "Memo", "Cleared", "Outflow",
    "Inflow",
)  # fmt: skip
_PLAN = ("Month", "Category Group", "Category", "Assigned", "Activity", "Available")
_OLDER = {"Budgeted": "Assigned"}
_ZIP = b"PK\x03\x04"
_SUFFIXES = (".csv", ".tsv", ".txt")
_NAME = re.compile(r"(?:YNAB Export - )?(.+) as of (\d{4}-\d\d-\d\d)\b.*")
_READY, _NO_CATEGORY = (INTERNAL_GROUP, "Inflow: Ready to Assign"), (INTERNAL_GROUP, UNCATEGORIZED)
_INCOME = (("Inflow", "Ready to Assign"), ("Inflow", "To be Budgeted"))
_WORDS = {column.name: column.vocabulary for column in TABLES["transactions"].columns}
_DECIMALS = re.compile(r"\d([.,])(\d+)\D*$")
_SPLIT = re.compile(r"Split \((\d{1,4})/([1-9]\d{0,3})\) ?(.*)", re.DOTALL)
_BALANCES = ("", "cleared_", "uncleared_")
_NAMESPACE = UUID("5d5dd9fe-6a5b-4a31-9d5d-2c4b2f6c8a10")
_MOST_SHOWN = 5

_NOT_STATED = (
    "the types of accounts, loans, targets, scheduled transactions, deleted rows, other currencies,"
    " the age of money and the amount that is left to assign. Every account counts as open, and"
    " every transaction as approved"
)

_Row = dict[str, Any]
_Names = tuple[str, str]  # the names of a group and of a category
_Name = TypeVar("_Name", str, _Names)


class _Record(NamedTuple):
    """A row of the register; the amount is in milliunits."""

    account: str
    flag: str
    date: str
    payee: str
    names: _Names
    memo: str
    cleared: str
    amount: int

    @property
    def target(self) -> str:
        """The other account of a transfer."""
        name = _account_in(self.payee)
        return "" if name == self.account else name


class _Table(NamedTuple):
    """The known columns of a table in their order."""

    where: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def place(self, index: int) -> str:
        """The place of a row in a message."""
        return f"{self.where}, row {index + 1}"

    def amounts(self, form: _Row, count: int) -> Iterator[tuple[int, ...]]:
        """The last amounts of each row in milliunits; an empty one and ``-`` are zero."""
        symbol, decimal = form["currency_symbol"], form["decimal_separator"]
        texts = [text.replace(symbol, "", 1) for row in self.rows for text in row[-count:]]
        numbers = ["" if text.strip() == "-" else text for text in texts]
        found, _ = amounts_of(numbers, lambda at: self.place(at // count), decimal)
        return zip(*[(amount or 0 for amount in found)] * count, strict=True)


def read_app_export(
    place: Path, content: bytes | None, dates: str | None, as_of: str | None
) -> tuple[_Row, str]:
    """The budget of an archive, of its folder (`content` is None), or of a register alone."""
    # The second value is the day of the export: `as_of`, or that in the name of a file or of the
    # last row. ``is_app_export`` of the budget says that it does not state everything.
    if dates is not None:
        check_choice(dates, "dates", ORDERS)
    where = printable(str(place))
    tables: dict[Sequence[str], _Table] = {}
    for table in filter(None, (_table(*file) for file in _files(place, content))):
        other = tables.setdefault(table.columns, table)
        if other is not table:
            names = " and ".join(each.where.removeprefix(f"{where}: ") for each in (other, table))
            raise ToolError(f"{where} has two exports, {names}: put one into a folder of its own")
    if _REGISTER not in tables:
        problem = f"a table of at most {LARGEST:,} bytes with the columns {', '.join(_REGISTER)}"
        raise ToolError(
            f"{where} is no JSON document, and contains no register of the app, {problem}"
        )
    register, plan = tables[_REGISTER], tables.get(_PLAN, _Table(where, _PLAN, []))
    days, _ = days_of([row[2] for row in register.rows], register.place, dates)
    firsts = [f"{row[0]} 1" if row[0][:4].isdecimal() else f"1 {row[0]}" for row in plan.rows]
    months, _ = days_of(firsts, plan.place, "dd/mm/yyyy")  # ``Nov 2026``, ``11/2026``, ``2026-11``
    texts = [text for row in register.rows for text in row[-2:]]
    form = _format(where, [*texts, *(text for row in plan.rows for text in row[-3:])])
    records = []
    for at, (outflow, inflow) in enumerate(register.amounts(form, 2)):
        account, flag, _, payee, group, category, memo, cleared, *_ = register.rows[at]
        if cleared.lower() not in _WORDS["cleared"]:
            problem = f"Cleared is {shown(cleared)}, and not one of {', '.join(_WORDS['cleared'])}"
            raise ToolError(f"{register.place(at)}: {problem}")
        key = _READY if (group, category) in _INCOME else (group, category)
        of_row = account, flag, days[at], payee, key, memo, cleared.lower(), inflow - outflow
        records.append(_Record(*of_row))
    figures: defaultdict[str, dict[_Names, list[int]]] = defaultdict(dict)
    repeated = set[str]()
    for month, (_, group, category, *_), amounts in zip(
        months, plan.rows, plan.amounts(form, 3), strict=True
    ):
        if (group, category) not in _INCOME:
            of_month = figures[month].get((group, category), [0, 0, 0])
            figures[month][group, category] = [*map(add, of_month, amounts)]
            repeated |= {f"{group}: {category}"} if any(of_month) else set()
    name_of_file = re.split(r"[/\\]|: ", register.where)[-1]
    found = _NAME.match(name_of_file) or _NAME.match(place.name)
    title, day = found.groups() if found else (place.stem, max(days, default=""))
    lists, notes = _lists(records, figures, (as_of or day)[:7])
    if repeated:
        notes.append(f"Rows of one category and month of the plan are added up: {_some(repeated)}")
    defer_warning(". ".join([f"{where} does not state {_NOT_STATED}", *notes]))
    budget_id = str(uuid5(_NAMESPACE, f"{title} {min(days, default='')}"))
    of_budget = {"id": budget_id, "name": title, "last_modified_on": day, "currency_format": form}
    return of_budget | lists | {"is_app_export": True}, as_of or day


def _files(place: Path, content: bytes | None) -> Iterator[tuple[str, str]]:
    """The places and the texts of files that can be tables of the app."""
    where, files = printable(str(place)), [("", content or b"")]
    if content is None:
        try:
            paths = [path for path in sorted(place.iterdir()) if path.suffix.lower() in _SUFFIXES]
            status = {path: path.lstat() for path in paths}
            usual = [path for path in paths if stat.S_ISREG(status[path].st_mode)]
            small = [path for path in usual if status[path].st_size <= LARGEST]
            files = [(path.name, path.read_bytes()) for path in small]
        except OSError as error:
            raise ToolError(f"{where} cannot be read: {error.strerror}") from None
    elif content.startswith(_ZIP):
        _, files = unpacked(where, content, _SUFFIXES)
    for name, each in files:
        if b"Category" in each[:2000].replace(b"\0", b""):
            at = f"{where}: {printable(name)}" if name else where
            text, encoding, _ = text_of(at, each)
            if not encoding.startswith("utf"):
                raise ToolError(f"{at} is not in UTF-8, in which the app exports: save it in UTF-8")
            yield at, text


def _table(where: str, text: str) -> _Table | None:
    """A table of the app; None for another one."""
    delimiter = max(",\t;", key=text.partition("\n")[0].count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [_OLDER.get(name.strip(), name.strip()) for name in next(reader, [])]
        columns = max(_REGISTER, _PLAN, key=lambda columns: len({*columns} & {*names}))
        wrong = [name for name in columns if names.count(name) != 1]
        if 2 * len(wrong) >= len(columns):
            return None
        if wrong:
            raise ToolError(f"{where} must have each of these columns once: {', '.join(wrong)}")
        table = _Table(where, columns, [line for line in reader if line])
    except csv.Error as error:
        raise ToolError(f"{where}, line {reader.line_num}: {error}") from None
    for at, line in enumerate(table.rows):
        if len(line) != len(names):
            raise ToolError(f"{table.place(at)} has {len(line)} cells instead of {len(names)}")
    places = [names.index(name) for name in columns]
    return table._replace(rows=[[line[at].strip() for at in places] for line in table.rows])


def _format(where: str, texts: Iterable[str]) -> _Row:
    """The format of a budget's amounts, from a zero: each row has an outflow or inflow of zero."""
    digits = {text: re.sub(r"\D", "", text) for text in texts if re.search(r"\d", text)}
    zero = min(digits, key=lambda text: (digits[text][0] != "0", len(text)), default="0.00")
    found = _DECIMALS.search(zero)
    if found and len(found[2]) == len("000") and digits[zero][0] != "0":
        problem = "has thousands or decimals, and nothing shows it"
        raise ToolError(f"{where}: {shown(zero)} {problem}")
    group = re.search(rf"\d([^\w{found[1] if found else ''}])\d{{3}}(?!\d)", "_".join(digits))
    point = found[1] if found else "," if group and group[1] == "." else "."
    ends = map(_DECIMALS.search, digits)
    before, after = (each.strip("-\u2212() \u00a0\u202f") for each in re.split(r"\d.*\d|\d", zero))
    return {
        "iso_code": currency_of(before or after) or "", "decimal_separator": point,
        "decimal_digits": max((len(end[2]) for end in ends if end and end[1] == point), default=0),
        "group_separator": group[1] if group else "." if point == "," else ",",
        "example_format": zero,
        "currency_symbol": before or after, "symbol_first": not after,
        "display_symbol": bool(before or after),
    }  # fmt: skip


def _lists(
    records: Sequence[_Record], plan: Mapping[str, dict[_Names, list[int]]], this_month: str
) -> tuple[_Row, list[str]]:
    """The lists of a budget, as in the export of the service, and what a person should know."""
    # The keys are made from the content of the rows, and are the same for the same files.
    categorized = {record.account for record in records if any(record.names)}
    on_budget = _budget_accounts(records, categorized)
    accounts = _keys("account", (record.account for record in records))
    payees = _keys("payee", (record.payee for record in records if record.payee))
    used = [_READY, _NO_CATEGORY, *(record.names for record in records), *chain(*plan.values())]
    categories = _keys("category", filter(any, used))
    groups = _keys("group", (group for group, _ in categories))
    transactions, leaves = _transactions(records, accounts, payees, categories)
    balances, booked = Counter[tuple[str, str]](), Counter[tuple[_Names, str]]()
    for row in transactions:
        for kind in ("", "uncleared_" if row["cleared"] == "uncleared" else "cleared_"):
            balances[row["account_id"], kind] += row["amount"]
    for record in (record for record in records if record.account in on_budget):
        names = record.names if any(record.names) else _NO_CATEGORY
        is_inside = record.target in on_budget and names == _NO_CATEGORY
        booked[names, record.date[:7]] += 0 if is_inside else record.amount
    listed = {
        names: {
            "id": key, "name": names[1], "category_group_id": groups[names[0]],
            "category_group_name": names[0], "hidden": names[0] == HIDDEN_GROUP,
            "budgeted": 0, "activity": 0, "balance": 0,
        }
        for names, key in categories.items()
    }  # fmt: skip
    months = _months(plan, listed, booked, this_month)
    without = "accounts without a category in any row count as"
    found = {
        f"These {without} tracking accounts": accounts.keys() - on_budget,
        f"These {without} budget accounts, because transfers to them have no category": (
            on_budget - categorized
        ),
        "These transfers have no other side": _pair_transfers(leaves),
        "These rows are parts of a split without the others": [
            f"{record.date} {record.memo}"
            for record, row in leaves
            if _SPLIT.fullmatch(record.memo) and "transaction_id" not in row
        ],
        "There is no plan": [] if plan else ["assigned and available amounts are missing"],
    }
    return {
        "first_month": min(plan, default=None), "last_month": max(plan, default=None),
        "accounts": [
            {
                "id": key, "name": name, "on_budget": name in on_budget, "closed": False,
                **{f"{kind}balance": balances[key, kind] for kind in _BALANCES},
            }
            for name, key in accounts.items()
        ],
        "payees": [
            {"id": key, "name": name, "transfer_account_id": accounts.get(_account_in(name))}
            for name, key in payees.items()
        ],
        "category_groups": [
            {"id": key, "name": name, "hidden": False} for name, key in groups.items()
        ],
        "categories": [*listed.values()], "months": months, "transactions": transactions,
        "scheduled_transactions": [], "payee_locations": [],
    }, [f"{sentence}: {_some(names)}" for sentence, names in found.items() if names]  # fmt: skip


def _transactions(
    records: Sequence[_Record],
    accounts: Mapping[str, str],
    payees: Mapping[str, str],
    categories: Mapping[_Names, str],
) -> tuple[list[_Row], list[tuple[_Record, _Row]]]:
    """The transactions with their parts, and the row of each record that has its category."""
    transactions, leaves = list[_Row](), list[tuple[_Record, _Row]]()
    times: Counter[object] = Counter()

    def key(*content: object) -> str:
        times[content] += 1
        return str(uuid5(_NAMESPACE, repr((*content, times[content]))))

    for split in _splits(records):
        rows, first = list[_Row](), split[0]
        for record in split:
            memo = _SPLIT.sub(r"\3", record.memo) if len(split) > 1 else record.memo
            rows.append({
                "id": key(record), "amount": record.amount, "memo": memo or None,
                "payee_id": payees.get(record.payee), "category_id": categories.get(record.names),
                "transfer_account_id": accounts.get(record.target), "transfer_transaction_id": None,
            })  # fmt: skip
        leaves += zip(split, rows, strict=True)
        whole = rows[0]
        if len(split) > 1:
            named = [row["payee_id"] for row in rows if row["transfer_account_id"] is None]
            whole = {
                **whole, "id": key(*split), "amount": sum(row["amount"] for row in rows),
                "payee_id": named[0] if named and all(named) else None, "subtransactions": rows,
                **dict.fromkeys(("category_id", "memo", "transfer_account_id")),
            }  # fmt: skip
            for row in rows:
                row["transaction_id"] = whole["id"]
        color = first.flag.lower() if first.flag.lower() in _WORDS["flag_color"] else None
        whole |= {
            "date": first.date, "account_id": accounts[first.account], "cleared": first.cleared,
            "approved": True, "flag_color": color,
            "flag_name": None if color else first.flag or None,
        }  # fmt: skip
        transactions.append(whole)
    return transactions, leaves


def _keys(kind: str, names: Iterable[_Name]) -> dict[_Name, str]:
    """Keys that are made from names."""
    return {name: str(uuid5(_NAMESPACE, repr((kind, name)))) for name in dict.fromkeys(names)}


def _months(
    plan: Mapping[str, dict[_Names, list[int]]],
    categories: Mapping[_Names, _Row],
    booked: Mapping[tuple[_Names, str], int],
    this_month: str,
) -> list[_Row]:
    """The months of a plan; the categories get their amounts of this month."""
    months, carried = list[_Row](), Counter[_Names]()
    for month, figures in sorted(plan.items()):
        for names in (_READY, _NO_CATEGORY):  # the plan does not have them
            activity = booked[names, month[:7]]
            figures[names] = [0, activity, carried[names] + activity]
            carried[names] = figures[names][2] if names == _READY else max(figures[names][2], 0)
        rows = []
        for names, amounts in figures.items():
            of_month = dict(zip(("budgeted", "activity", "balance"), amounts, strict=True))
            rows.append({**categories[names], **of_month})
            categories[names].update(of_month if month[:7] <= this_month else {})
        income = figures[_READY][1]
        spent = sum(each[1] for names, each in figures.items() if names[0] != CARD_GROUP)
        months.append({
            "month": month, "income": income, "activity": spent - income,
            "budgeted": sum(each[0] for each in figures.values()), "categories": rows,
            "to_be_budgeted": None, "age_of_money": None,
        })  # fmt: skip
    return months


def _account_in(payee: str) -> str:
    return payee.removeprefix(TRANSFER_PREFIX) if payee.startswith(TRANSFER_PREFIX) else ""


def _some(texts: Collection[str]) -> str:
    first = [*map(printable, sorted(texts)[:_MOST_SHOWN])]
    more = [f"{len(texts) - _MOST_SHOWN:,} more"] if len(texts) > _MOST_SHOWN else []
    return ", ".join(first + more)


def _pair_transfers(leaves: Iterable[tuple[_Record, _Row]]) -> list[str]:
    """Find the other sides, of the same day with the opposite amount; those without are left."""
    free: defaultdict[tuple[Any, ...], list[tuple[_Record, _Row]]] = defaultdict(list)
    for record, row in leaves:
        if others := free[record.date, -record.amount, record.target, record.account]:
            _, other = others.pop()
            for one, two in ((row, other), (other, row)):
                one["transfer_transaction_id"] = two.get("transaction_id", two["id"])
        elif record.target:
            free[record.date, record.amount, record.account, record.target].append((record, row))
    return [f"{record.date} {record.payee}" for left in free.values() for record, _ in left]


def _budget_accounts(records: Iterable[_Record], categorized: set[str]) -> set[str]:
    """The accounts with categories, and those that transfers without a category join to them."""
    # A transfer has a category if it leaves the budget, and none inside it.
    targets, tracking = defaultdict[str, set[str]](set), set[str]()
    for record in records:
        (tracking if any(record.names) else targets[record.account]).add(record.target)
    found, new = set(categorized), [*categorized]
    while new:
        more = targets[new.pop()] - tracking - found
        found |= more
        new += more
    return found & {record.account for record in records}


def _splits(records: Sequence[_Record]) -> Iterator[Sequence[_Record]]:
    """The rows of each transaction; the parts of a split follow each other from the first on."""
    parts = [_SPLIT.fullmatch(record.memo) for record in records]
    numbers = [(int(part[1]), int(part[2])) if part else (0, 1) for part in parts]
    owners = [(each.account, each.date, each.cleared, each.flag) for each in records]
    at = 0
    while at < len(records):
        size = numbers[at][1]
        is_whole = at + size <= len(records) and all(
            numbers[at + n] == (n + 1, size) and owners[at + n] == owners[at] for n in range(size)
        )
        yield records[at : at + size] if is_whole else records[at : at + 1]
        at += size if is_whole else 1

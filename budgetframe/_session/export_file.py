"""A budget from a file: the service's answer of the whole budget, and a transport that reads it."""

from __future__ import annotations

import gzip
import json
import os
import re
import stat
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import httpx

from budgetframe._client.responses import read_json
from budgetframe._client.target import path_of
from budgetframe._resources import BUDGET_ALIASES, EXPORT, RESOURCES, UNCATEGORIZED
from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._runtime.output_file import output_file, replace_file
from budgetframe._runtime.text import printable
from budgetframe.errors import ServiceAPIError, ToolError
from budgetframe.frames.builder import shown
from budgetframe.frames.export import as_lists
from budgetframe.frames.tables import TABLES

if TYPE_CHECKING:
    from .session import Session

_MOST_BYTES = 1 << 28  # a budget of 100,000 transactions has 60 MB
NOT_IN_FILE = "not_in_file"  # name of the error for what an export does not contain
_GZIP = b"\x1f\x8b"
_AS_OF = "as_of"  # beside ``data``: the time of the answer, which `write_export` adds
_MOST_VALUES = 8_000_000  # that budget has 2.5 million; an empty object needs 64 bytes of memory
_PARTS_OF_ITEM = 4  # of a path: budgets, its id, a list, and the key of a row
_DIGITS = range(9)
_LONGEST_ID = 200  # characters
_YEARS = range(1970, 2200)
_LONGEST_PAUSE = timedelta(days=31)
_SUMMARY = (
    "id", "name", "last_modified_on", "first_month", "last_month", "date_format", "currency_format",
)  # fmt: skip
_LISTS = ("accounts", "payees", "categories", "months", "transactions")
_NESTED = {
    "categories": "category_groups",
    "subtransactions": "transactions",
    "scheduled_subtransactions": "scheduled_transactions",
}
"""Lists, and the lists whose rows can have them in the files of other programs."""
_OF_TRANSACTIONS = {"accounts": "account_id", "payees": "payee_id", "categories": "category_id"}
_DATE = next(column for column in TABLES["transactions"].columns if column.name == "date")

_UNKNOWN = {
    "age_of_money": "the age of money",
    "checklist": "approvals, types of accounts, targets, schedules and the money left to assign",
    **dict.fromkeys(("cards", "investments", "loans", "recurring"), "the types of accounts"),
    "independence": "the types of accounts",
    "forecast": "scheduled transactions: typical=6 adds typical amounts",
    "targets": "targets",
}
"""What the app's own export does not state, by the report that needs it."""

_Row = Mapping[str, Any]


@dataclass(frozen=True)
class Export:
    """The whole budget of a file, with amounts in milliunits."""

    path: Path
    as_of: datetime
    budget: dict[str, Any] = field(repr=False)
    knowledge: Any
    has_id: bool = True
    """Whether the file states the key of the budget; the app's own export does not."""
    unknown: Mapping[str, str] = field(default_factory=dict)
    """What the file does not state, by the report that needs it."""

    @cached_property
    def lists(self) -> Mapping[str, list[_Row]]:
        """The lists of the budget in the shapes of the single lists."""
        return as_lists(self.budget)

    @cached_property
    def groups(self) -> list[Any]:
        """The groups with their categories, which have the name of their group."""
        groups: list[Any] = self.lists["category_groups"]
        return [
            {
                **group,
                "categories": [
                    {"category_group_name": group.get("name"), **row} for row in group["categories"]
                ],
            }
            for group in groups
        ]


def read_export(
    path: str | os.PathLike[str], *, as_of: str | datetime | None = None, dates: str | None = None
) -> Export:
    """Read the file of a whole budget; anything else is a `ToolError`, and so is a link.

    A folder, an archive and a CSV file are the app's own export; `dates` is the order of its days.
    Other files have at most 256 MB of JSON, also compressed with gzip: the answer of the service,
    ``{"data": {"budget": ...}}``, or a part of it: ``{"budget": ...}`` or the budget alone;
    ``plan`` is the newer word for it.

    `as_of` is the day or the time of the answer: by default the time that a file of `save_export`
    states. For other files it is that of the file, or that of the last change of the budget if the
    file is more than 31 days younger, or older: then it was probably copied.
    """
    if not isinstance(path, str | os.PathLike):
        raise ToolError(f"path={path!r}: give the path of a file")
    place = Path(os.path.expanduser(path))  # noqa: PTH111 - without an error for ~nobody
    if place.suffix.lower() in (".ynab4", ".yfull"):
        raise _refused(place, "is a budget of YNAB 4, a former program, whose files are not read")
    content, modified = _content(place)
    time = None if as_of is None else _time(as_of)
    if as_of is not None and time is None:
        raise ToolError(f"as_of={as_of!r} is no time: write a day as '2026-05-17'")
    if content is not None and content.lstrip()[:1] in (b"{", b"["):
        if dates is not None:
            raise _refused(place, f"is JSON, whose days have one order: leave out dates={dates!r}")
        document, knowledge, stated = _budget_in(content, place)
    else:
        from .app_export import read_app_export  # noqa: PLC0415 - few people need its readers

        day = None if time is None else f"{time:%Y-%m-%d}"
        (document, stated), knowledge = read_app_export(place, content, dates, day), 0
    has_id = bool(document.get("id")) and not document.get("is_app_export")
    _check(_flat(document), place)
    time = time or _time(stated) or _time_of(document, modified)
    unknown = _UNKNOWN if document.get("is_app_export") is True else {}
    return Export(place, time, document, knowledge, has_id, unknown)


def _budget_in(content: bytes, place: Path) -> tuple[dict[str, Any], Any, Any]:
    """The budget in the content of a file, its server knowledge, and the time that it states."""
    if sum(map(content.count, (b"[", b"{", b","))) > _MOST_VALUES:
        raise _refused(place, f"has more than {_MOST_VALUES:,} values, which no export has")
    try:
        document, problem = read_json(content)
    except ValueError as error:
        raise _refused(place, f"is no JSON document: {printable(str(error))}") from None
    if problem:
        defer_warning(f"{printable(str(place))} {problem}")
    knowledge: Any = 0
    stated = document.get(_AS_OF) if isinstance(document, dict) and "data" in document else None
    for name in ("data", "budget", "plan"):
        if isinstance(document, dict) and isinstance(document.get(name), dict):
            knowledge = document.get("server_knowledge", knowledge)
            document = document[name]
    if not isinstance(document, dict) or not any(name in document for name in _LISTS):
        has = f"the keys {', '.join(map(repr, document))}" if isinstance(document, dict) else ""
        found = printable(has[:200]) or "no object"
        raise _refused(
            place, f"is no export of a budget: it has {found}, and none of {', '.join(_LISTS)}"
        )
    return document, knowledge, stated


def _check(budget: dict[str, Any], place: Path) -> None:
    """Check what every method needs: the id, the name and the formats."""
    for field_name in ("id", "name"):
        if not budget.get(field_name):
            budget[field_name] = re.sub(r"(\.json)?(\.gz)?$", "", place.name) or "budget"
        if not isinstance(budget[field_name], str) or len(budget[field_name]) > _LONGEST_ID:
            problem = f"{shown(budget[field_name])}, which is not a text of at most {_LONGEST_ID}"
            raise _refused(place, f"has {field_name}={problem} characters")
    for name in _SUMMARY[-2:]:
        form = budget.get(name)
        digits = form.get("decimal_digits", 0) if isinstance(form, dict) else 0
        if not isinstance(form, dict | None) or digits not in _DIGITS:
            raise _refused(place, f"has {name}={shown(form)}, which is no format")


def _refused(path: Path, problem: str) -> ToolError:
    """The error for a file."""
    return ToolError(f"{printable(str(path))} {problem}")


def _flat(budget: dict[str, Any]) -> dict[str, Any]:
    """The budget with the lists that other programs have put into the rows of other lists."""
    for name, outer in _NESTED.items():
        rows = budget.get(outer)
        if name not in budget and isinstance(rows, list):
            inner = (row.get(name) for row in rows if isinstance(row, dict))
            budget[name] = [row for found in inner if isinstance(found, list) for row in found]
    return budget


def _content(path: Path) -> tuple[bytes | None, datetime]:
    """The content of a file, None of a folder, and the time of its last change."""
    try:
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode):
            return None, datetime.fromtimestamp(int(status.st_mtime), UTC)
        if not stat.S_ISREG(status.st_mode):
            is_link = stat.S_ISLNK(status.st_mode)
            raise _refused(path, "is a link: name the file itself" if is_link else "is no file")
        with path.open("rb") as file:
            is_compressed = file.peek(2)[:2] == _GZIP
            with gzip.open(file) if is_compressed else nullcontext(file) as opened:
                is_large = status.st_size > _MOST_BYTES
                size = _MOST_BYTES + 1 if is_compressed else -1
                content = b"" if is_large else opened.read(size)
    except (OSError, EOFError, ValueError, zlib.error) as error:  # the last but one: a NUL in it
        reason = getattr(error, "strerror", None) or error
        raise _refused(path, f"cannot be read: {reason}") from None
    if is_large or len(content) > _MOST_BYTES:
        raise _refused(path, f"has more than {_MOST_BYTES >> 20} MB, which no export has")
    time = datetime.fromtimestamp(int(status.st_mtime), UTC)
    return content.removeprefix(BOM_UTF8), time


def _time_of(budget: _Row, modified: datetime) -> datetime:
    """The time of an export in a file that was last changed then."""
    changed = _time(budget.get("last_modified_on"))
    is_likely = changed is None or timedelta() <= modified - changed <= _LONGEST_PAUSE
    return modified if changed is None or is_likely else changed


def _time(value: Any) -> datetime | None:
    """A time with a zone, which is UTC if it states none; None if it is no time."""
    try:
        time = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    if time.year not in _YEARS:
        return None
    return time.replace(tzinfo=time.tzinfo or UTC).astimezone(UTC)


class ExportTransport(httpx.AsyncBaseTransport):
    """Answers requests from an export, without a network."""

    def __init__(self, export: Export) -> None:
        self._export = export

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer of the service, or its error 404 for what an export does not contain."""
        raw = request.url.raw_path.partition(b"?")[0].decode()
        parts = [*map(unquote, raw.strip("/").split("/"))]
        export, data = self._export, None
        if parts == ["budgets"]:
            data = {"budgets": [{name: export.budget.get(name) for name in _SUMMARY}]}
        elif parts[0] == "budgets" and parts[1] in (export.budget["id"], *BUDGET_ALIASES):
            data = _data(export, parts[2:], request.url.params)
        if data is None:
            name, detail = "resource_not_found", "Resource not found"
            if len(parts) < _PARTS_OF_ITEM or _rows(export, parts[2]) is None:
                what, file = " ".join(parts[2:3] or parts).replace("_", " "), export.path.name
                name = NOT_IN_FILE
                detail = f"the file {file} contains no {what}: only the service has them"
            error = {"id": "404.2", "name": name, "detail": detail}
            return httpx.Response(404, json={"error": error})
        headers = {"Date": format_datetime(export.as_of, usegmt=True)}
        return httpx.Response(200, headers=headers, content=json.dumps({"data": data}))


def _data(export: Export, parts: list[str], params: httpx.QueryParams) -> Any:
    """The data object of a path below the budget; None if an export does not contain it."""
    if not parts:
        return {"budget": export.budget, "server_knowledge": export.knowledge}
    name, *more = parts
    if name == "settings":
        return {"settings": {field: export.budget.get(field) for field in _SUMMARY[-2:]}}
    if name not in RESOURCES:
        return None
    try:
        return _data_of_list(export, name, more, params)
    except ServiceAPIError as error:
        problem = error.detail.partition(". The service's answer")[0]
        where = printable(str(export.path))
        detail = f"{where}: {problem}. What does not need this list can still be read"
        raise ServiceAPIError(200, "200", "invalid_response", detail) from None


def _data_of_list(export: Export, name: str, more: list[str], params: httpx.QueryParams) -> Any:
    """The data object of a list, or of one of its rows; None if an export does not contain it."""
    resource, rows = RESOURCES[name], _rows(export, name)
    if rows is None:
        return None
    if not more:
        known = {"server_knowledge": export.knowledge} if resource.delta else {}
        return {resource.data_key: _listed(export, name, rows, params), **known}
    key, *parts = more
    key = f"{export.as_of:%Y-%m}-01" if key == "current" else key
    item_key, row = resource.item_key, _row(rows, resource.row_key, key)
    if parts == ["transactions"] and row is not None:
        return {"transactions": _filtered(_transactions_of(export, name, key), params)}
    if parts == ["payee_locations"] and row is not None:
        found = export.lists["payee_locations"]
        return {"payee_locations": [place for place in found if place.get("payee_id") == key]}
    if parts[:1] == ["categories"] and row is not None:
        row, item_key, parts = _row(row["categories"], "id", parts[1]), "category", []
    return None if row is None or parts else {item_key: row}


def _listed(export: Export, name: str, rows: list[_Row], params: httpx.QueryParams) -> list[_Row]:
    """The rows of an answer with a list: all of them, whatever the cursor."""
    if name == "categories":
        return export.groups
    if name == "months":
        return [{field: row[field] for field in row if field != "categories"} for row in rows]
    if name == "transactions":
        year_ago = f"{export.as_of - timedelta(days=365):%Y-%m-%d}"
        params = params if "since_date" in params else params.set("since_date", year_ago)
        return _filtered(rows, params)
    return rows


def _row(rows: Iterable[_Row], key_name: str | None, key: str) -> _Row | None:
    return next((row for row in rows if row.get(key_name or "id") == key), None)


def _rows(export: Export, name: str) -> list[_Row] | None:
    """The rows of a list; those of categories without their groups."""
    if name == "categories":
        return [row for group in export.groups for row in group["categories"]]
    is_known = name in (*_LISTS, "payee_locations", "scheduled_transactions")
    return export.lists[name] if is_known else None


def _transactions_of(export: Export, name: str, key: str) -> list[_Row]:
    """The transactions of an account, a payee, a category or a month."""
    rows = export.lists["transactions"]
    if name == "months":
        return [row for row in rows if str(row.get("date"))[:7] == key[:7]]
    of = _OF_TRANSACTIONS[name]
    if name == "accounts":
        return [row for row in rows if row.get(of) == key]
    found: list[_Row] = []
    for row in rows:
        whole = {**row, "type": "transaction", "parent_transaction_id": None}
        parts: list[Any] = row["subtransactions"]
        found += [whole] if row.get(of) == key and not (parts and name == "categories") else []
        found += [_add_fields_of_whole(part, row) for part in parts if part.get(of) == key]
    return [
        {
            **{field: row[field] for field in row if field != "subtransactions"},
            "category_name": row.get("category_name") or UNCATEGORIZED,
        }
        for row in found
    ]


def _add_fields_of_whole(part: _Row, row: _Row) -> _Row:
    """A part of a split as a row of its own, which has the payee of the whole if it has none."""
    own = part if part.get("payee_id") is not None else row
    payee = {name: own.get(name) for name in ("payee_id", "payee_name")}
    of = {"type": "subtransaction", "parent_transaction_id": row.get("id")}
    return {**row, **part, **payee, **of}


def _filtered(rows: Iterable[_Row], params: httpx.QueryParams) -> list[_Row]:
    """The rows from the first day of a request on."""
    # A row with another date is damaged: it stays, and a warning names it.
    first = params.get("since_date", "")
    return [
        row
        for row in rows
        if not (isinstance(day := row.get("date"), str) and day < first and _DATE.fits(day))
    ]


async def save_export(session: Session, path: str | os.PathLike[str]) -> Path:
    """Write the service's answer of the whole budget to a file, as `BudgetFrame.save_export`."""
    out = output_file(path)
    budget = await session.reads.budget()
    client = session.reads.client()
    address = path_of(RESOURCES[EXPORT].path, budget_id=budget.id)
    content, date = await session.reads.policy.call(partial(client.download, address))
    write_export(out, content, date or session.reads.now())
    return out


def write_export(out: Path, content: bytes, as_of: datetime) -> None:
    """Write the answer with a whole budget and its time, compressed if the name ends in ``.gz``."""
    answer = content.removeprefix(BOM_UTF8).lstrip()
    content = json.dumps({_AS_OF: as_of.isoformat()})[:-1].encode() + b", " + answer[1:]
    replace_file(out, gzip.compress(content, mtime=0) if out.suffix.lower() == ".gz" else content)

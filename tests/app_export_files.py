"""The two files that the budgeting app exports, written from a budget of the embedded service."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZIP_STORED, ZipFile

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import get

REGISTER = (
    "Account", "Flag", "Date", "Payee", "Category Group/Category", "Category Group", "Category",
    "Memo", "Outflow", "Inflow", "Cleared",
)  # fmt: skip
PLAN = (
    "Month", "Category Group/Category", "Category Group", "Category", "Assigned", "Activity",
    "Available",
)  # fmt: skip


class Money(NamedTuple):
    """A format of amounts: that of 1,234.50, its separators, its decimals, and a negative one."""

    pattern: str
    group: str
    decimal: str
    digits: int
    negative: str = "-{}"

    def text(self, milliunits: int) -> str:
        number, rest = divmod(abs(milliunits) // 10 ** (3 - self.digits), 10**self.digits)
        decimals = f"{self.decimal}{rest:0{self.digits}}" if self.digits else ""
        text = self.pattern.format(f"{number:,}".replace(",", self.group) + decimals)
        return self.negative.format(text) if milliunits < 0 else text


FORMATS = {
    "dollar": Money("${}", ",", ".", 2), "euro": Money("{}€", ".", ",", 2),
    "yen": Money("¥{}", ",", ".", 0), "zloty": Money("{} zł", "\u00a0", ",", 2),
    "franc": Money("CHF {}", "\u2019", ".", 2, negative="({})"),
    "dinar": Money("KD{}", ",", ".", 3),
}  # fmt: skip
ORDERS = ("%Y/%m/%d", "%Y-%m-%d", "%d-%m-%Y", "%d/%m/%Y", "%d.%m.%Y", "%m/%d/%Y", "%Y.%m.%d")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], delimiter: str = ",") -> str:
    """The text of a file, with all cells in quotes as in the app's."""
    text = StringIO()
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([columns, *rows])
    return text.getvalue()


def app_export(budget: dict[str, Any], money: Money, order: str) -> tuple[str, str]:
    """The register and the plan of the answer with a whole budget."""
    names = {
        row["id"]: row["name"]
        for kind in ("accounts", "payees", "category_groups", "categories")
        for row in budget[kind]
    }
    group_of = {row["id"]: names[row["category_group_id"]] for row in budget["categories"]}

    def category(key: str | None) -> tuple[str, str, str]:
        if names.get(key, "Uncategorized") == "Uncategorized":
            return "", "", ""
        name = names[key].removeprefix("Inflow: ")
        group = group_of[key] if name == names[key] else "Inflow"
        return f"{group}: {name}", group, name

    parts_of = defaultdict(list)
    for part in budget["subtransactions"]:
        if not part["deleted"]:
            parts_of[part["transaction_id"]].append(part)
    rows = [row for row in budget["transactions"] if not row["deleted"]]
    register = []
    for row in sorted(rows, key=lambda row: (row["date"], row["id"]), reverse=True):
        parts = parts_of[row["id"]]
        flag = row["flag_name"] or (row["flag_color"] or "").title()
        day = date.fromisoformat(row["date"]).strftime(order)
        for number, part in enumerate(parts or [row], start=1):
            memo = part["memo"] or row["memo"] or ""
            register.append([
                names[row["account_id"]], flag, day,
                names.get(part["payee_id"] or row["payee_id"], ""), *category(part["category_id"]),
                f"Split ({number}/{len(parts)}) {memo}" if parts else memo,
                money.text(max(-part["amount"], 0)), money.text(max(part["amount"], 0)),
                row["cleared"].title(),
            ])  # fmt: skip
    plan = [
        [f"{date.fromisoformat(month['month']):%b %Y}", *category(row["id"]),
            *(money.text(row[name]) for name in ("budgeted", "activity", "balance"))]
        for month in reversed(budget["months"])
        for row in month["categories"]
        if not row["deleted"] and group_of[row["id"]] != "Internal Master Category"
    ]  # fmt: skip
    return table(REGISTER, register), table(PLAN, plan)


def whole_budget(sandbox: Sandbox, budget: str) -> dict[str, Any]:
    """The answer of the embedded service with a budget."""
    found: dict[str, Any] = get(sandbox, f"/budgets/{sandbox.device.state(budget).id}")["budget"]
    return found


def write_zip(
    folder: Path, files: Mapping[str, str | bytes], name: str = "Home.zip",
    method: int = ZIP_STORED,
) -> Path:  # fmt: skip
    """Write an archive."""
    with ZipFile(folder / name, "w", method) as archive:
        for file, content in files.items():
            archive.writestr(file, content)
    return folder / name

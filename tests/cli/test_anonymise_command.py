"""The command ``budgetframe anonymise``, on the budgets of the embedded service."""

import json
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox
from tests.cli import main

SMALLEST = {"Household": 10, "東京の家計": 1000}
"""The smallest amounts of the currencies of the budgets, in milliunits."""
KEPT = {
    "Inflow: Ready to Assign", "Uncategorized", "Internal Master Category", "Credit Card Payments",
    "Starting Balance", "Manual Balance Adjustment", "Reconciliation Balance Adjustment",
}  # fmt: skip
HIDDEN = {
    "id", "name", "memo", "note", "flag_name", "import_id", "import_payee_name",
    "import_payee_name_original", "latitude", "longitude",
}  # fmt: skip


@pytest.fixture(scope="module", params=SMALLEST)
def files(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, Path]:
    """The name of a budget, its file, and the copy."""
    folder = tmp_path_factory.mktemp("files")
    bf = BudgetFrame.sandbox(Sandbox(limit=10_000), budget=request.param, progress=False)
    path = bf.save_export(folder / "budget.json")
    assert main(["anonymise", str(path), "--out", str(folder / "copy.json")]) == 0
    return request.param, path, folder / "copy.json"


def budget_in(path: Path) -> dict[str, Any]:
    budget: dict[str, Any] = json.loads(path.read_bytes())["data"]["budget"]
    return budget


def values(node: Any, kind: type, field: str = "") -> Iterator[tuple[str, Any]]:
    """All values of a type in a document with their fields."""
    if isinstance(node, dict):
        for name, child in node.items():
            yield from values(child, kind, name)
    elif isinstance(node, list):
        for child in node:
            yield from values(child, kind, field)
    elif type(node) is kind:
        yield field, node


def amounts(budget: dict[str, Any]) -> list[int]:
    fields = {"amount", "balance", "budgeted", "activity", "goal_target"}
    return [value for field, value in values(budget, int) if field in fields]


def test_no_text_of_the_file_is_in_the_copy(files: tuple[str, Path, Path]) -> None:
    _, path, copy = files
    hidden = {
        text
        for field, text in values(budget_in(path), str)
        if (field in HIDDEN or field.endswith("_id")) and text and text not in KEPT
    }
    assert len(hidden) > 500
    content = json.dumps(budget_in(copy), ensure_ascii=False)
    for text in KEPT:
        content = content.replace(text, "")
    copied = {text for _, text in values(budget_in(copy), str)}
    assert hidden.isdisjoint(copied)
    assert [text for text in hidden if len(text) >= 8 and text in content] == []
    kept = KEPT & {text for _, text in values(budget_in(path), str)}
    assert len(kept) >= 5
    assert kept <= copied


def test_the_doctor_and_reconcile_say_the_same_of_the_copy(
    files: tuple[str, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, path, copy = files
    results = []
    for each in (path, copy):
        capsys.readouterr()
        status = main(["doctor", "--export", str(each)])
        reconciliation = BudgetFrame.from_export(each).reconcile()
        results.append((status, capsys.readouterr().out, reconciliation.ok, reconciliation.summary))
    assert results[0] == results[1]
    assert results[0][0] == 0
    assert results[0][2]


def rests(budget: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """What the totals of a budget have that their rows do not explain."""
    parts = Counter[str]()
    for part in budget["subtransactions"]:
        parts[part["transaction_id"]] += part["amount"]
    rows = {row["id"]: row for row in budget["transactions"]}
    for key, row in rows.items():
        yield "split", row["amount"] - parts[key] if key in parts else 0
        other = rows.get(row["transfer_transaction_id"])
        yield "transfer", row["amount"] + other["amount"] if other and key not in parts else 0
    for row in budget["accounts"]:
        yield "account", row["balance"] - row["cleared_balance"] - row["uncleared_balance"]
    inflow = budget["categories"][0]["id"]
    groups = {group["id"]: group["name"] for group in budget["category_groups"]}
    before = Counter[str]()
    ready = 0
    for month in sorted(budget["months"], key=lambda month: str(month["month"])):
        sums = Counter[str]()
        for row in month["categories"]:
            carried = before[row["id"]] if row["id"] == inflow else max(0, before[row["id"]])
            yield "category", row["balance"] - carried - row["budgeted"] - row["activity"]
            before[row["id"]] = row["balance"]
            is_card = groups[row["category_group_id"]] == "Credit Card Payments"
            kind = "income" if row["id"] == inflow else "card" if is_card else "activity"
            sums[kind] += row["activity"]
            sums["budgeted"] += row["budgeted"]
            sums["overspent"] += 0 if row["id"] == inflow else max(0, -row["balance"])
        for name in ("income", "activity", "budgeted"):
            yield name, month[name] - sums[name]
        expected = ready + month["income"] - month["budgeted"]
        yield "ready to assign", month["to_be_budgeted"] - expected
        ready = month["to_be_budgeted"] - sums["overspent"]
    current = {row["id"]: row for row in budget["months"][0]["categories"]}
    for row in budget["categories"]:
        yield "now", row["balance"] - current[row["id"]]["balance"]


def test_every_total_that_agreed_agrees_in_the_copy(files: tuple[str, Path, Path]) -> None:
    _, path, copy = files
    before, after = ([*rests(budget_in(each))] for each in (path, copy))
    assert [name for name, rest in before if not rest] == [name for name, rest in after if not rest]
    assert sum(rest == 0 for _, rest in before) > 0.95 * len(before)


def test_one_factor_multiplies_all_amounts(files: tuple[str, Path, Path]) -> None:
    """The balance of the loan contains interest, which is rounded to the smallest unit."""
    name, path, copy = files
    pairs = [*zip(amounts(budget_in(path)), amounts(budget_in(copy)), strict=True)]
    assert len(pairs) > 1000
    factor = max(round(new / old) for old, new in pairs if old)
    others = [new - factor * old for old, new in pairs if new != factor * old]
    assert 3 <= factor <= 99
    assert len(others) <= 1
    assert all(rest % SMALLEST[name] == 0 for rest in others)


@pytest.mark.posix
def test_the_copy_is_for_its_owner_only_and_of_the_same_time(files: tuple[str, Path, Path]) -> None:
    _, path, copy = files
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert json.loads(copy.read_bytes())["as_of"] == json.loads(path.read_bytes())["as_of"]
    days, of_copy = (BudgetFrame.from_export(each).ledger()["date"] for each in (path, copy))
    assert sorted(days) == sorted(of_copy)


@pytest.mark.parametrize("out", [".", "link.json", "BUDGET.json"])
def test_the_file_itself_is_not_replaced(
    out: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "budget.json"
    path.write_text('{"accounts": []}', "utf-8")
    (tmp_path / "link.json").symlink_to(path)
    with suppress(FileExistsError):  # in a folder that ignores case, it is a name of the file
        (tmp_path / "BUDGET.json").hardlink_to(path)
    assert main(["anonymise", str(path), "--out", str(path if out == "." else tmp_path / out)]) == 1
    assert "is the file to read: name another one" in capsys.readouterr().err
    assert path.read_text("utf-8") == '{"accounts": []}'

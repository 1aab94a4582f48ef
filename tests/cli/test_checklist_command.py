"""The command ``budgetframe checklist``."""

import json
from pathlib import Path

import pytest

from tests.cli import main

AMOUNTS = {"budgeted": 0, "activity": 0, "balance": 0}
FOOD = {"id": "c1", "category_group_id": "g1", "name": "Food", "hidden": False, **AMOUNTS}
MONTH = {"month": "2026-05-01", "income": 0, "to_be_budgeted": 0, **AMOUNTS, "categories": [FOOD]}
NOTHING = {
    "id": "b1", "name": "Home", "accounts": [], "payees": [], "categories": [FOOD],
    "category_groups": [{"id": "g1", "name": "Daily", "hidden": False}], "months": [MONTH],
    "transactions": [], "subtransactions": [], "scheduled_transactions": [],
    "scheduled_subtransactions": [],
}  # fmt: skip


def test_the_status_is_four_if_something_is_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["checklist", "--sandbox", "--month", "2025-03"]) == 4
    assert capsys.readouterr().out.splitlines() == [
        "Checklist: 2025-03, 1 of 12 checks found something to do",
        "  money not assigned: 1 amount, 246,85 €: bf.plan(rules=...) assigns what no target needs",
        "  next: bf.plan('2026-06')",
    ]


def test_each_step_is_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["checklist", "--sandbox", "--month", "2025-03", "--days", "0", "--json"]) == 4
    assert list(map(json.loads, capsys.readouterr().out.splitlines())) == [{
        "step": "money not assigned", "count": 1, "amount": 246.85,
        "why": "bf.plan(rules=...) assigns what no target needs", "next": "bf.plan('2026-06')",
    }]  # fmt: skip


@pytest.mark.parametrize(("more", "printed"), [
    ((), "Checklist: 2026-05, nothing to do after 12 checks\n"), (("--json",), ""),
])  # fmt: skip
def test_the_status_is_zero_if_nothing_is_to_do(
    more: tuple[str, ...], printed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "budget.json"
    file.write_text(json.dumps(NOTHING), encoding="utf-8")
    assert main(["checklist", "--export", str(file), "--month", "2026-05", *more]) == 0
    assert capsys.readouterr().out == printed


def test_an_error_is_one_line_with_status_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["checklist", "--sandbox", "--month", "soon"]) == 1
    assert capsys.readouterr().err == (
        "budgetframe checklist: month='soon' is not a month: write it as '2026-05', or 'current',"
        " 'last' or 'next'\n"
    )

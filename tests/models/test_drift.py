"""The script of the weekly workflow that compares the published description with a known one."""

import runpy
from pathlib import Path

import pytest

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / ".github/scripts/drift.py"))

BEFORE = """
paths:
  /user:
    get: {summary: User}
  /plans/{plan_id}/payees:
    parameters: []
    get: {summary: Payees}
    post: {summary: New payee}
components:
  schemas:
    Payee:
      properties: {id: {type: string}, name: {type: string}, deleted: {type: boolean}}
    PayeeWithLocation:
      allOf: [{$ref: "#/components/schemas/Payee"}, {properties: {latitude: {type: string}}}]
    Location:
      properties: {longitude: {type: string}}
"""
AFTER = """
paths:
  /user:
    get: {summary: The user}
  /plans/{plan_id}/payees:
    get: {summary: Payees}
    delete: {summary: Delete payees}
components:
  schemas:
    Payee:
      properties: {id: {type: string}, name: {type: string}, icon: {type: string}}
    PayeeWithLocation:
      allOf:
      - $ref: "#/components/schemas/Payee"
      - properties: {latitude: {type: string}, latitude_formatted: {type: string}}
    Other:
      properties: {id: {type: string}}
"""


def test_the_differences_of_two_descriptions_are_their_operations_and_fields() -> None:
    before, after = SCRIPT["parsed"](BEFORE), SCRIPT["parsed"](AFTER)
    assert SCRIPT["differences"](before, after) == [
        "- new operation: `DELETE /plans/{plan_id}/payees`",
        "- operation gone: `POST /plans/{plan_id}/payees`", "- record gone: `Location`",
        "- new field: `Payee.icon`", "- field gone: `Payee.deleted`",
        "- new field: `PayeeWithLocation.icon`", "- field gone: `PayeeWithLocation.deleted`",
    ]  # fmt: skip
    assert SCRIPT["differences"](before, before) == []


def test_this_project_knows_the_44_operations_and_the_fields_of_24_records() -> None:
    known = SCRIPT["known"]()
    assert (len(known.operations), len(known.fields)) == (44, 24)
    assert known.fields["SaveSubTransaction"] == {
        "amount", "category_id", "memo", "payee_id", "payee_name"
    }  # fmt: skip


def test_another_text_is_reported_with_what_it_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "description.yaml"
    path.write_text(BEFORE, encoding="utf-8")
    SCRIPT["main"](path)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("compared with (version 1.86.0, SHA-256 `da7a78345b34`).")
    assert "- operation gone: `DELETE /plans/{plan_id}/transactions/{transaction_id}`" in lines
    assert "- field gone: `Payee.transfer_account_id`" in lines

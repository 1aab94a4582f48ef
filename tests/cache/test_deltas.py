"""What the answer to a request for changes means, for the client and for a lake."""

from typing import Any

import pytest

from budgetframe._cache.deltas import Meaning, Payload, meaning_of

BAKER = {"id": "p1", "name": "Baker"}
BUDGET = {"id": "b1", "name": "Home", "payees": [], "accounts": []}
PAYEES = ("payees", {"payees": [BAKER]})
EXPORT = ("budget", {"budget": {"id": "b1", "name": "Home", "payees": [BAKER]}})


@pytest.mark.parametrize(("stored", "data", "knowledge", "has_amounts", "expected"), [
    (PAYEES, {"payees": [BAKER]}, 8, True, Meaning.MERGE),
    (PAYEES, {"payees": []}, 7, True, Meaning.UNCHANGED),
    (PAYEES, {"payees": [BAKER]}, 8, False, Meaning.MERGE_LAST),
    (PAYEES, {"payees": [BAKER]}, 6, True, Meaning.READ_IN_FULL),  # the service was set back
    (PAYEES, {"payees": [BAKER]}, None, True, Meaning.READ_IN_FULL),
    (PAYEES, {"payees": [{"name": "no key"}]}, 8, True, Meaning.READ_IN_FULL),
    (PAYEES, {"payees": [{"name": "no key"}]}, 8, False, Meaning.READ_IN_FULL),
    (EXPORT, {"budget": BUDGET}, 8, True, Meaning.UNCHANGED),
    (EXPORT, {"budget": {**BUDGET, "payees": [BAKER]}}, 8, True, Meaning.MERGE),
    (EXPORT, {"budget": {**BUDGET, "name": "Another name"}}, 8, True, Meaning.MERGE),
    (EXPORT, {"budget": {**BUDGET, "first_month": "2026-01-01"}}, 8, True, Meaning.UNCHANGED),
    (EXPORT, {"budget": {**BUDGET, "id": "b2"}}, 8, True, Meaning.READ_IN_FULL),
    (EXPORT, {"budget": None}, 8, True, Meaning.READ_IN_FULL),
])  # fmt: skip
def test_the_answer_to_a_request_for_changes_is_merged_or_not(
    stored: tuple[str, dict[str, Any]],
    data: dict[str, Any],
    knowledge: int | None,
    has_amounts: bool,  # noqa: FBT001 - a case of the table
    expected: Meaning,
) -> None:
    data_key, known = stored
    payload = Payload(data, knowledge, has_amounts)
    assert meaning_of(payload, cursor=7, data_key=data_key, stored=known) is expected

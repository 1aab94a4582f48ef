"""Answers of the real service that are unlike those of the embedded one."""

from typing import Any

import pytest

from budgetframe import models
from budgetframe.frames import TABLES

from .service import scripted
from .test_irregular_rows import Budget, part, transaction

NOTHING = {"id": "m1", "month": None, "moved_at": None, "to_category_id": "c1", "amount": -1000}


def test_settings_without_formats_are_readable() -> None:
    settings = models.Settings.model_validate({"date_format": None, "currency_format": None})
    assert (settings.date_format, settings.currency_format) == (None, None)


def test_a_movement_without_times_and_with_a_negative_amount_is_a_row() -> None:
    converted = {**NOTHING, "amount": -1.0}
    frame = TABLES["money_movement_records"].frame({"money_movements": [converted]})
    assert frame["amount"].tolist() == [-1.0]
    assert frame["month"].isna().all()


def test_an_account_without_a_note_is_readable() -> None:
    bf = scripted(Budget())
    assert bf.accounts()["account_name"].tolist() == ["Checking"]
    assert bf.models.accounts()[0].note is None


@pytest.mark.parametrize("key", ["t1", "00000000-0000-4000-8000-0000000000a1_2026-05-17"])
@pytest.mark.parametrize(
    "more",
    [{}, {"matched_transaction_id": "00000000-0000-4000-8000-00000000dead"}, {"flag_color": ""}],
    ids=["plain", "unknown match", "empty flag"],
)
def test_unusual_rows_are_in_frames_ledger_reports_models(key: str, more: dict[str, Any]) -> None:
    bf = scripted(Budget(transaction(key, -10_000, **more)))
    frame = bf.transactions()
    assert frame["transaction_id"].tolist() == [key]
    assert frame["flag_color"].isna().all()
    assert bf.ledger()["amount"].tolist() == [-10.0]
    assert bf.reports.net_worth()["net"].tolist()[-1] == -10.0
    assert bf.models.transactions()[0].id == key


def test_a_changed_row_whose_match_does_not_exist_can_be_compared() -> None:
    key = "00000000-0000-4000-8000-0000000000a1"
    row = transaction(key, -10_000, matched_transaction_id="00000000-0000-4000-8000-00000000dead")
    bf = scripted(Budget(row))
    assert bf.changes(bf.transactions().assign(memo="new")).counts["left"] == 1


def test_a_split_with_a_category_of_its_own_counts_once() -> None:
    parts = [part("s1", "t1", -4000), part("s2", "t1", -6000)]
    bf = scripted(Budget(transaction("t1", -10_000, category_id="c1", subtransactions=parts)))
    assert bf.ledger()["amount"].tolist() == [-4.0, -6.0]
    assert bf.reports.spending()["spent"].sum() == 10.0


def test_an_amount_that_a_float_cannot_hold_is_rounded_with_a_warning() -> None:
    bf = scripted(Budget(transaction("t1", 2**63 - 1), transaction("t2", 2**51)))
    rounded = (
        "transactions: 1 row has an amount in amount above 2,251,799,813,685, where a float is not"
        " exact to the milliunit"
    )
    with pytest.warns(RuntimeWarning, match=rounded):
        amounts = bf.transactions()["amount"].tolist()
    assert amounts == [9223372036854775.807, 2251799813685.248]

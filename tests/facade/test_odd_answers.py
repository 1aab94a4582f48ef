"""An unusual answer raises one clear error and is not cached."""

import copy
from typing import Any

import httpx
import pytest

from budgetframe import BudgetFrame, ServiceAPIError, ToolError
from tests.facade.service import ServiceWithFacade, data, one_budget, scripted


class Script:
    """Give the answers one after another, and repeat the last one."""

    def __init__(self, *answers: httpx.Response) -> None:
        self.answers = list(answers)
        self.asked = 0

    def __call__(self, _request: httpx.Request) -> httpx.Response:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


def not_found(error_id: str) -> httpx.Response:
    error = {"id": error_id, "name": "not_found", "detail": "Not found"}
    return httpx.Response(404, json={"error": error})


LOCATION = {"id": "l1", "payee_id": "p1", "latitude": "1.5", "longitude": None, "deleted": False}


def test_a_list_or_an_object_that_does_not_fit_is_not_kept() -> None:
    answers: list[dict[str, Any]]
    answers = [{}, {"payee_locations": [LOCATION]}, {}, {"settings": {}}]
    bf = scripted(one_budget(Script(*map(data, answers))))
    with pytest.raises(ServiceAPIError, match="payee_locations"):
        bf.payee_locations()
    assert bf.payee_locations()["latitude"].tolist() == [1.5]
    with pytest.raises(ServiceAPIError, match="settings"):
        bf.settings()
    assert bf.settings().currency_format is None


def test_a_list_with_a_damaged_row_is_read_in_full_again() -> None:
    rows: list[list[Any]] = [[{"id": "p1", "name": "Baker", "transfer_account_id": 7}], []]
    script = Script(*(data({"payees": each, "server_knowledge": 5}) for each in rows))
    bf = scripted(one_budget(script), ttl=0.0)
    with pytest.warns(RuntimeWarning, match="'p1' has transfer_account_id=7"):
        assert bf.payees()["transfer_account_id"].isna().tolist() == [True]
    assert len(bf.payees()) == 0


def test_a_budget_without_an_id_leaves_the_others() -> None:
    rows = [{"id": 7, "name": "Other"}, {"id": "b1", "name": "Home", "currency_format": "EUR"}]
    script = Script(data({"budgets": rows}), data({"payees": []}))
    with pytest.warns(RuntimeWarning, match="budgets: 1 of 2 rows have no usable id"):
        assert len(scripted(script).payees()) == 0


def test_invalid_rows_raise_a_service_error(subtests: pytest.Subtests) -> None:
    for name in ["money_movements", "payees", "transactions", "categories"]:
        for rows in [[1], [None], "x", None, [[]]]:
            with subtests.test(name=name, rows=rows):
                key = "category_groups" if name == "categories" else name
                bf = scripted(one_budget(Script(data({key: rows, "server_knowledge": 3}))))
                with pytest.raises(ServiceAPIError, match="not what this version expects"):
                    getattr(bf, name)()


def test_missing_scheduled_transactions_are_a_cached_empty_frame() -> None:
    script = Script(not_found("404.2"))
    bf = scripted(one_budget(script))
    assert len(bf.scheduled_transactions()) == 0
    assert len(bf.scheduled_subtransactions()) == 0
    assert script.asked == 1


@pytest.mark.parametrize(
    ("name", "error_id"), [("scheduled_transactions", "404.1"), ("payees", "404.2")]
)
def test_another_missing_resource_is_an_error(name: str, error_id: str) -> None:
    bf = scripted(one_budget(Script(not_found(error_id))))
    with pytest.raises(ServiceAPIError, match="Not found"):
        getattr(bf, name)()


def test_an_id_with_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(ToolError, match="id is"):
        ServiceWithFacade().bf.transaction("a\ud800")


def test_months_without_records_keep_the_columns_of_records() -> None:
    moved = {"id": "m1", "amount": 5000}
    script = Script(data({"money_movements": [moved]}), data({"money_movements": []}))
    bf = scripted(one_budget(script))
    assert bf.money_movements().columns.tolist() == bf.money_movements("2020-01").columns.tolist()


def test_empty_list_gets_the_columns_of_records_when_another_list_has_records() -> None:
    moved = {"id": "m1", "amount": 5000}
    script = Script(data({"money_movements": []}), data({"money_movements": [moved]}))
    bf = scripted(one_budget(script))
    assert "allocation" in bf.money_movements()
    records = bf.money_movements("2026-05").columns.tolist()
    assert "from_category_id" in records
    assert bf.money_movements().columns.tolist() == records
    assert script.asked == 2


def test_copying_a_connection_returns_the_same_connection() -> None:
    bf = BudgetFrame.connect("some-token")
    assert copy.copy(bf) is bf
    assert copy.deepcopy([bf]) == [bf]


def test_repr_shows_the_newest_reads_and_counts_the_others(home: ServiceWithFacade) -> None:
    for payee_id in home.bf.payees()["payee_id"].head(16):
        home.bf.payee(payee_id)
    home.clock.advance(300.0)
    home.bf.payees()
    lines = repr(home.bf).splitlines()
    assert lines[-4].strip().startswith("payees: ")
    assert lines[2].strip() == "earlier: 3 more"

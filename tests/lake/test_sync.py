"""What a sync reads, commits and reports."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import httpx
import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import ToolError
from budgetframe.frames import EXPORTED
from budgetframe.lake import Lake
from budgetframe.lake.storage import Writer
from budgetframe.lake.sync import _limiters
from tests.case import case

from .service import EURO, YEN, Service, plain


@pytest.mark.slow  # it syncs several times and reads many tables
def test_the_frames_of_each_budget_equal_those_of_the_facade(service: Service, lake: Lake) -> None:
    lake.sync([service.source()])
    service.spend(-4.5)
    service.spend(-1200.0, YEN)
    lake.sync([service.source()])
    for budget in (EURO, YEN):
        bf = service.facade(budget)
        expected = {**bf.export(), "ledger": bf.ledger()}
        for name in (*EXPORTED, "ledger"):
            with case(budget, name):
                frame = lake.frame(name, budget=budget)
                assert_frame_equal(plain(frame), plain(expected[name]))
                assert type(frame) is type(expected[name])
                differing = {"as_of", "source", "version"}
                assert {
                    key: value for key, value in frame.attrs.items() if key not in differing
                } == {
                    key: value
                    for key, value in expected[name].attrs.items()
                    if key not in differing
                }


def test_a_sync_reads_changes_and_reports_each_budget(service: Service, lake: Lake) -> None:
    first = lake.sync([service.source()])
    assert first.drop(columns=["budget_id", "rows"]).to_dict("list") == {
        "source": ["A", "A"],
        "budget_name": [EURO, YEN],
        "status": ["ok", "ok"],
        "reason": ["", ""],
        "requests": [1, 1],
        "changed": [True, True],
    }
    service.spend(-4.5)
    served = service.sandbox.requests_served
    second = lake.sync([service.source()])
    assert second["changed"].tolist() == [True, False]
    # One new transaction, its row of the ledger, and its payee.
    assert (second["rows"] - first["rows"]).tolist() == [3, 0]
    assert service.sandbox.requests_served - served == 3  # the list of budgets, and two deltas
    assert lake.frame("ledger", budget=EURO)["payee_name"].iloc[-1] == "Kiosk of Mrs Zimmermann"


def test_a_sync_without_changes_writes_nothing(service: Service, lake: Lake) -> None:
    lake.sync([service.source()])
    before = files_of(lake)
    result = lake.sync([service.source()])
    assert result["changed"].tolist() == [False, False]
    assert files_of(lake) == before


@pytest.mark.slow  # it syncs several times and reads many tables
def test_a_failure_concerns_one_budget_only(service: Service, lake: Lake) -> None:
    lake.sync([service.source()])
    before = lake.frame("ledger", budget=YEN)
    path = f"GET:*/budgets/{service.id_of(YEN)}"
    for fault, status, reason, requests in (
        ("403.1", "refused", "Subscription for account has lapsed.", 1),
        ("500", "failed", "", 1),
        ("cut", "unreachable", "peer closed connection", 3),
    ):
        with case(fault):
            service.spend(-4.5)
            service.spend(-100.0, YEN)
            service.sandbox.faults = [f"{fault}:{path}"]
            result = lake.sync([service.source()]).set_index("budget_name")
            assert result["status"].to_dict() == {EURO: "ok", YEN: status}
            assert result["changed"].to_dict() == {EURO: True, YEN: False}
            assert reason in str(result.loc[YEN, "reason"])
            assert result.loc[YEN, "requests"] == requests
            assert_frame_equal(lake.frame("ledger", budget=YEN), before)
            logged = lake.delta("_sync").to_pyarrow_table().to_pandas().set_index("budget_name")
            assert logged["status"].to_dict() == {EURO: "ok", YEN: status}
            as_of = logged.loc[YEN, "as_of"].floor("s")
            assert as_of == pd.Timestamp(before.attrs["as_of"])
    service.sandbox.faults = []
    assert lake.sync([service.source()])["status"].tolist() == ["ok", "ok"]
    assert len(lake.frame("ledger", budget=YEN)) == len(before) + 3


def test_a_damaged_answer_is_not_committed(service: Service, lake: Lake) -> None:
    lake.sync([service.source()])
    budget = service.budget(EURO)
    account = next(budget.accounts.live())
    account.closed = "perhaps"  # type: ignore[assignment]
    budget.accounts.put(account, budget.knowledge + 1)
    result = lake.sync([service.source()]).set_index("budget_name")
    assert result["status"].to_dict() == {EURO: "invalid", YEN: "ok"}
    assert "closed='perhaps', which is not bool" in str(result.loc[EURO, "reason"])
    assert len(lake.frame("accounts", budget=EURO)) == 7


def test_a_wrong_token_is_reported_for_the_budgets_that_it_had(
    service: Service, lake: Lake
) -> None:
    wrong = service.source("B", token="a-wrong-token")
    first = lake.sync([wrong, service.source()])
    assert first["status"].tolist() == ["refused", "ok", "ok"]
    assert first["budget_id"].tolist()[0] == ""
    both = lake.sync([service.source("B"), service.source()])
    assert both["status"].tolist() == ["ok", "ok", "duplicate", "duplicate"]
    assert both["reason"].tolist()[2] == "the source 'B' reads the same budget"
    later = lake.sync([wrong, service.source()])
    assert later["budget_name"].tolist() == [EURO, YEN, EURO, YEN]
    assert later["status"].tolist() == ["refused", "refused", "ok", "ok"]
    logged = lake.delta("_sync").to_pyarrow_table().to_pandas()
    assert sorted(zip(logged["source"], logged["budget_name"], strict=True)) == [
        ("A", EURO), ("A", YEN), ("B", EURO), ("B", YEN),
    ]  # fmt: skip


def test_a_reached_limit_is_not_tried_again_before_it_ends(service: Service, lake: Lake) -> None:
    service.sandbox.limit = 2
    result = lake.sync([service.source()], concurrency=1)
    assert sorted(result["status"]) == ["limit", "ok"]
    logged = lake.delta("_sync").to_pyarrow_table().to_pandas().set_index("status")
    wait = logged.loc["limit", "next_attempt"] - logged.loc["limit", "tried_at"]
    assert pd.Timedelta(minutes=59) < wait <= pd.Timedelta(hours=1)
    service.sandbox.limit = 10
    again = lake.sync([service.source()])
    assert sorted(zip(again["status"], again["requests"], strict=True)) == [("limit", 0), ("ok", 1)]


def test_the_limit_is_that_of_the_token(service: Service, lake: Lake) -> None:
    lake.sync([service.source()])
    (limiter,) = _limiters.values()
    limiter.threshold = 5  # three requests are counted
    served = service.sandbox.requests_served
    result = lake.sync([service.source("A"), service.source("B", budgets=[EURO])])
    assert sorted(result["status"]) == ["duplicate", "limit", "ok"]
    assert service.sandbox.requests_served - served == 2
    assert "rate limit reached (5 requests this hour)" in " ".join(result["reason"])


def test_a_budget_that_does_not_agree_with_its_figures_is_not_committed(
    service: Service, lake: Lake
) -> None:
    lake.sync([service.source()])
    service.spend(-4.5)
    budget = service.budget(EURO)
    account = next(budget.accounts.live())
    account.cleared_balance += 10
    budget.accounts.put(account, budget.knowledge)
    result = lake.sync([service.source()]).set_index("budget_name")
    assert result["status"].to_dict() == {EURO: "invalid", YEN: "ok"}
    assert result.loc[EURO, "requests"] == 2  # the changes, and then the whole budget
    assert "does not agree with its own figures: 1 of" in str(result.loc[EURO, "reason"])
    trusting = lake.sync([service.source()], verify=False)
    assert trusting["status"].tolist() == ["ok", "ok"]


def test_after_changes_that_lack_a_row_the_budget_is_read_in_full(
    service: Service, lake: Lake
) -> None:
    lake.sync([service.source()])
    service.spend(-4.5)
    budget = service.budget(EURO)
    del budget.transactions._recent[next(reversed(budget.transactions._recent))]
    result = lake.sync([service.source()]).set_index("budget_name")
    assert result["status"].to_dict() == {EURO: "ok", YEN: "ok"}
    assert result.loc[EURO, "requests"] == 2
    assert lake.frame("ledger", budget=EURO)["amount"].iloc[-1] == -4.5


def test_a_new_month_reads_whole_budgets(service: Service, lake: Lake) -> None:
    lake.sync([service.source()])
    state = lake._snapshot().read("_state")
    number = state.schema.get_field_index("month")
    earlier = pa.array(["2026-05"] * 2, state.schema.field("month").type)
    old_month = {"_state": state.set_column(number, state.schema.field("month"), earlier)}
    Writer(lake._address).commit(old_month, replaced=state["budget_id"].to_pylist())
    result = lake.sync([service.source()])
    assert result["changed"].tolist() == [True, True]
    assert {*lake._snapshot().read("_state")["month"].to_pylist()} == {f"{datetime.now(UTC):%Y-%m}"}


def test_a_token_that_ends_during_a_sync_concerns_its_own_budgets(
    service: Service, lake: Lake
) -> None:
    tokens = [service.sandbox.token]  # for the list of budgets, and not for the reads
    ending = service.source("B", token=lambda: tokens.pop(), budgets=[EURO])  # noqa: PLW0108
    result = lake.sync([ending, service.source("A", budgets=[YEN])], concurrency=1)
    assert result["source"].tolist() == ["B", "A"]
    assert result["status"].tolist() == ["failed", "ok"]
    assert result["reason"].tolist()[0] == "unexpected IndexError"


def test_budgets_are_chosen_by_name_or_id(service: Service, lake: Lake) -> None:
    chosen = service.source(budgets=[YEN, "Cabin"])
    result = lake.sync([chosen])
    assert result["budget_name"].tolist() == ["Cabin", YEN]
    assert result["status"].tolist() == ["failed", "ok"]
    assert result["reason"].tolist()[0] == "the token gives access to no budget 'Cabin'"


def test_a_function_or_an_auth_object_provides_the_token(service: Service, lake: Lake) -> None:
    class Bearer(httpx.Auth):
        def auth_flow(self, request: httpx.Request):  # type: ignore[no-untyped-def]  # noqa: ANN202
            request.headers["Authorization"] = f"Bearer {service.sandbox.token}"
            yield request

    assert lake.sync([service.source(token=Bearer())])["status"].tolist() == ["ok", "ok"]
    function = service.source(token=lambda: service.sandbox.token)
    assert lake.sync([function])["status"].tolist() == ["ok", "ok"]

    def fail() -> str:
        raise ValueError("a-secret in a message")

    (row,) = lake.sync([service.source("C", token=fail)]).to_dict("records")
    assert (row["status"], row["reason"]) == ("failed", "unexpected ValueError")


def test_a_process_that_stops_before_it_publishes_leaves_the_old_state(
    service: Service, lake: Lake
) -> None:
    lake.sync([service.source()])
    before = lake.frame("ledger", budget=EURO)
    service.spend(-4.5)
    writer = Writer(lake._address)
    rows = {"ledger": writer.snapshot.read("ledger")}
    writer._replace("ledger", rows["ledger"], {service.id_of(EURO)})  # and no `_publish`
    assert_frame_equal(lake.frame("ledger", budget=EURO), before)
    assert lake.vacuum() > 0  # it restores the old state before it deletes files
    assert_frame_equal(lake.frame("ledger", budget=EURO), before)
    assert lake.sync([service.source()])["changed"].tolist() == [True, False]
    assert len(lake.frame("ledger", budget=EURO)) == len(before) + 1


def test_two_writers_at_once_stop_and_the_lake_stays_consistent(
    service: Service, lake: Lake
) -> None:
    lake.sync([service.source()])
    first, second = Writer(lake._address), Writer(lake._address)
    budget_id = service.id_of(EURO)
    first.commit({}, replaced=[budget_id])
    with pytest.raises(ToolError, match="another sync, or a maintenance of the lake"):
        second.commit({}, replaced=[service.id_of(YEN)])
    with pytest.raises(ToolError, match="no budget 'Household'"):
        lake.frame("ledger", budget=EURO)
    assert len(lake.frame("ledger", budget=YEN)) > 0


def test_arguments_are_checked(lake: Lake, service: Service) -> None:
    with pytest.raises(ToolError, match="two sources have the name 'A'"):
        lake.sync([service.source(), service.source()])
    with pytest.raises(ToolError, match="concurrency=0"):
        lake.sync([service.source()], concurrency=0)
    with pytest.raises(ToolError, match="there is no lake at"):
        Lake("nothing").frame("ledger", budget=EURO)


def files_of(lake: Lake) -> dict[Path, int]:
    """The files of a lake, with the time of their last change."""
    return {path: path.stat().st_mtime_ns for path in Path(lake._address.uri).rglob("*")}

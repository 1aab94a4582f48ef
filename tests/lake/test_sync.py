"""What a sync reads, commits and reports."""

from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pandas as pd
import pytest
import respx
from pandas.testing import assert_frame_equal

from budgetframe import ToolError
from budgetframe.frames.export import EXPORTED
from budgetframe.lake import Lake, Source
from budgetframe.lake.sync import sync_lake
from budgetframe.lake.writer import Writer, create_lake
from budgetframe.sandbox import Sandbox, serve
from tests.clock import Clock
from tests.limits import forget_limits

from .contents import found_in
from .service import EURO, YEN, Service, plain


@pytest.mark.slow  # it syncs several times and reads many tables
def test_the_frames_of_each_budget_equal_those_of_the_facade(
    service: Service, lake: Lake, subtests: pytest.Subtests
) -> None:
    service.spend(-4.5)
    service.spend(-1200.0, YEN)
    lake.sync([service.source()])
    for budget in (EURO, YEN):
        bf = service.facade(budget)
        expected = {**bf.export(), "ledger": bf.ledger()}
        for name in (*EXPORTED, "ledger"):
            with subtests.test(budget=budget, name=name):
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


def test_a_sync_reads_changes_and_reports_each_budget(service: Service, new_lake: Lake) -> None:
    first = new_lake.sync([service.source()])
    assert first.drop(columns=["budget_id", "row_count"]).to_dict("list") == {
        "source": ["A", "A"], "budget_name": [EURO, YEN], "status": ["ok", "ok"],
        "reason": ["", ""], "requests": [1, 1], "changed": [True, True],
    }  # fmt: skip
    service.spend(-4.5)
    served = service.sandbox.requests_served
    second = new_lake.sync([service.source()])
    assert second["changed"].tolist() == [True, False]
    # One new transaction, its row of the ledger, and its payee.
    assert (second["row_count"] - first["row_count"]).tolist() == [3, 0]
    assert service.sandbox.requests_served - served == 3  # the list of budgets, and two deltas
    assert new_lake.frame("ledger", budget=EURO)["payee_name"].iloc[-1] == "Kiosk of Mrs Zimmermann"


def test_a_sync_without_changes_writes_only_that_it_ran(service: Service, lake: Lake) -> None:
    lake.sync([service.source()])
    before, root = files_of(lake), Path(lake._address.uri)
    result = lake.sync([service.source()])
    assert result["changed"].tolist() == [False, False]
    written = [path.relative_to(root) for path, _ in files_of(lake).items() - before.items()]
    files = sorted(str(path.parent / path.suffix) for path in written if path.suffix)
    rows, logs = (
        ["_runs/.parquet", "_sync/.parquet"],
        ["_runs/_delta_log/.json", "_sync/_delta_log/.json"],
    )
    assert files == sorted([".sql", *rows, *logs])


@pytest.mark.slow  # it syncs several times and reads many tables
def test_one_budget_fails_alone(service: Service, lake: Lake, subtests: pytest.Subtests) -> None:
    before = lake.frame("ledger", budget=YEN)
    path = f"GET:*/budgets/{service.id_of(YEN)}"
    for fault, status, reason, requests in (
        ("403.1", "refused", "Subscription for account has lapsed.", 1),
        ("500", "failed", "", 1),
        ("cut", "unreachable", "peer closed connection", 3),
    ):
        with subtests.test(fault=fault):
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


def test_a_budget_with_a_damaged_row_is_read_in_full(service: Service, new_lake: Lake) -> None:
    budget = service.budget(EURO)
    account = next(budget.accounts.live())
    closed, account.closed = account.closed, "perhaps"  # type: ignore[assignment]
    result = new_lake.sync([service.source()]).set_index("budget_name")
    assert result["status"].to_dict() == {EURO: "ok", YEN: "ok"}
    assert "closed='perhaps', which is not bool" in str(result.loc[EURO, "reason"])
    assert len(new_lake.frame("accounts", budget=EURO)) == 7
    account.closed = closed  # no change for the service: a delta does not contain the row
    result = new_lake.sync([service.source()]).set_index("budget_name")
    assert result["changed"].to_dict() == {EURO: True, YEN: False}


def test_a_budget_without_an_amount_is_read_in_full(service: Service, new_lake: Lake) -> None:
    budget = service.budget(EURO)
    row = next(budget.scheduled.live())
    amount, row.amount = row.amount, None  # type: ignore[assignment]
    result = new_lake.sync([service.source(verify=False)]).set_index("budget_name")
    assert result["status"].to_dict() == {EURO: "ok", YEN: "ok"}
    assert new_lake.frame("scheduled_transactions", budget=EURO)["amount"].isna().sum() == 1
    row.amount = amount  # no change for the service: a delta does not contain the row
    new_lake.sync([service.source()])
    assert new_lake.frame("scheduled_transactions", budget=EURO)["amount"].isna().sum() == 0


@pytest.mark.slow  # it syncs several times
def test_a_wrong_token_is_reported_for_its_budgets(service: Service, new_lake: Lake) -> None:
    wrong = service.source("B", token="a-wrong-token")
    first = new_lake.sync([wrong, service.source()])
    assert first["status"].tolist() == ["refused", "ok", "ok"]
    assert first["requests"].tolist() == [0, 1, 1]  # without those for the lists of budgets
    assert first["budget_id"].tolist()[0] == ""
    both = new_lake.sync([service.source("B"), service.source()])
    assert both["status"].tolist() == ["ok", "ok", "duplicate", "duplicate"]
    assert both["reason"].tolist()[2] == "the source 'B' reads the same budget"
    later = new_lake.sync([wrong, service.source()])
    assert later["budget_name"].tolist() == [EURO, YEN, EURO, YEN]
    assert later["status"].tolist() == ["refused", "refused", "ok", "ok"]
    logged = logged_rows(new_lake)
    assert sorted(zip(logged["source"], logged["budget_name"], strict=True)) == [
        ("A", EURO), ("A", YEN), ("B", EURO), ("B", YEN),
    ]  # fmt: skip


def test_a_reached_limit_is_not_tried_before_it_ends(service: Service, new_lake: Lake) -> None:
    service.sandbox.limit = 2
    result = new_lake.sync([service.source()], concurrency=1)
    assert sorted(result["status"]) == ["limit", "ok"]
    logged = new_lake.delta("_sync").to_pyarrow_table().to_pandas().set_index("status")
    wait = logged.loc["limit", "next_attempt"] - logged.loc["limit", "tried_at"]
    assert pd.Timedelta(minutes=59) < wait <= pd.Timedelta(hours=1)
    service.sandbox.limit = 10
    again = new_lake.sync([service.source()])
    assert sorted(zip(again["status"], again["requests"], strict=True)) == [("limit", 0), ("ok", 1)]


def test_a_limit_that_was_noted_by_a_clock_ahead_is_tried_again(new_lake: Lake) -> None:
    clock = Clock(datetime(2026, 7, 17, tzinfo=UTC).timestamp())
    sandbox = Sandbox(years=1, limit=2, clock=clock)
    create_lake(new_lake._address, 1)
    with serve(sandbox) as url:
        source = Source("A", sandbox.token, base_url=url)
        assert sorted(sync_at(new_lake, [source], clock)["status"]) == ["limit", "ok"]
        sandbox.limit = 10
        clock.now -= 30 * 86_400
        result = sync_at(new_lake, [source], clock)
        assert result["status"].tolist() == ["ok", "ok"]
        assert result.attrs["run"]["next_attempt"] is None
        sandbox.limit = 0
        for seconds in (30 * 86_400, -30 * 86_400):
            clock.advance(seconds)
            assert sync_at(new_lake, [source], clock)["status"].tolist() == ["limit", "limit"]
        assert {*new_lake.status()["waiting_since"]} == {pd.Timestamp(clock(), unit="s", tz="UTC")}


@pytest.mark.slow  # it syncs six times
def test_with_more_budgets_than_the_limit_each_budget_gets_its_turn(new_lake: Lake) -> None:
    clock = Clock(datetime(2026, 6, 17, tzinfo=UTC).timestamp())
    sandbox = Sandbox(years=1, budgets=3, limit=2, clock=clock)
    create_lake(new_lake._address, 1)
    read = []
    with serve(sandbox) as url:
        source = Source("A", sandbox.token, base_url=url)
        for _ in range(6):
            result = sync_at(new_lake, [source], clock)
            read.append({*result["budget_name"][result["status"] == "ok"]})
            clock.advance(3601)
    assert [len(each) for each in read] == [1] * 6  # and the list of budgets
    names = {editor.budget.name for editor in sandbox.budgets}
    for first in range(4):
        assert {*chain(*read[first : first + 3])} == names


def test_the_time_of_a_read_is_not_that_of_its_task(service: Service, new_lake: Lake) -> None:
    served, june = service.sandbox.requests_served, datetime(2026, 6, 17, tzinfo=UTC)

    def now() -> datetime:
        return june + timedelta(seconds=service.sandbox.requests_served - served)

    create_lake(new_lake._address, 1)
    service.sandbox.faults = [f"403.1:GET:*/budgets/{service.id_of(YEN)}"]
    sync_lake(new_lake._address, [service.source()], concurrency=1, verify=True, now=now)
    times = logged_rows(new_lake)["tried_at"] - pd.Timestamp(june)
    # The list of the budgets is the first request.
    assert sorted(times.dt.total_seconds()) == [2.0, 3.0]


def test_after_a_reached_limit_the_sync_sends_no_more_requests(new_lake: Lake) -> None:
    sandbox = Sandbox(years=1, budgets=6, limit=2)
    with serve(sandbox) as url:
        # Tasks of four budgets: the limit ends the first one.
        result = new_lake.sync([Source("A", sandbox.token, base_url=url)], concurrency=1, buckets=1)
    assert sorted(result["status"]) == ["limit"] * 5 + ["ok"]
    assert result["requests"].sum() == 2  # a budget, and the refused request


def test_a_budget_at_odds_with_its_figures_is_not_committed(service: Service, lake: Lake) -> None:
    service.spend(-4.5)
    service.unbalance(10)
    result = lake.sync([service.source()]).set_index("budget_name")
    assert result["status"].to_dict() == {EURO: "invalid", YEN: "ok"}
    assert result.loc[EURO, "requests"] == 2  # the changes, and then the whole budget
    assert "does not agree with its own figures: 1 of" in str(result.loc[EURO, "reason"])
    assert lake.sync([service.source(verify=False)])["status"].tolist() == ["ok", "ok"]


def test_a_budget_whose_changes_lack_a_row_is_read_in_full(service: Service, lake: Lake) -> None:
    service.spend(-4.5)
    budget = service.budget(EURO)
    del budget.transactions._recent[next(reversed(budget.transactions._recent))]
    result = lake.sync([service.source()]).set_index("budget_name")
    assert result["status"].to_dict() == {EURO: "ok", YEN: "ok"}
    assert result.loc[EURO, "requests"] == 2
    assert lake.frame("ledger", budget=EURO)["amount"].iloc[-1] == -4.5


def test_another_currency_is_a_change(service: Service, lake: Lake) -> None:
    service.budget(EURO).currency = service.budget(YEN).currency
    result = lake.sync([service.source()]).set_index("budget_name")
    assert result["changed"].to_dict() == {EURO: True, YEN: False}
    assert result["requests"].tolist() == [1, 1]
    assert lake._snapshot().read("budgets")["currency"].to_pylist() == ["JPY", "JPY"]


@pytest.mark.slow  # it syncs several times
def test_a_budget_that_is_not_listed_any_more_has_left_or_is_missing(
    service: Service, new_lake: Lake
) -> None:
    first = new_lake.sync([service.source()])
    sandbox = service.sandbox
    both, sandbox.budgets = sandbox.budgets, sandbox.budgets[:1]
    wanted = "all", pd.Series([EURO, YEN]), [EURO]
    every, named, one = [service.source(budgets=each) for each in wanted]
    for source, status, run in (
        (named, "missing", "failed"), (named, "missing", "failed"), (every, "left", "failed"),
        (every, "left", "ok"), (one, "left", "ok"),
    ):  # fmt: skip
        result = new_lake.sync([source]).set_index("budget_name")
        assert result["status"].to_dict() == {EURO: "ok", YEN: status}
        assert result["row_count"].tolist() == first["row_count"].tolist()
        assert statuses(new_lake) == {("A", EURO): "ok", ("A", YEN): status}
        assert (result.attrs["run"]["status"], len(result.attrs["failures"])) == (run, run != "ok")
    assert len(new_lake.frame("accounts", budget=YEN)) > 0
    expected = [(EURO, False), (YEN, True)]
    assert sorted(new_lake.budgets(["budget_name", "has_left"]).compute().to_numpy().tolist()) == [
        [*each] for each in expected
    ]
    with duckdb.connect() as database:
        database.execute(Path(new_lake.views()).read_text("utf-8"))
        found = database.sql("select budget_name, has_left from budgets order by 1").fetchall()
    assert found == expected
    sandbox.budgets = both
    assert new_lake.sync([every])["status"].tolist() == ["ok", "ok"]
    assert statuses(new_lake) == {("A", EURO): "ok", ("A", YEN): "ok"}


@pytest.mark.slow  # it syncs several times
def test_a_source_without_an_answer_and_a_sync_of_other_sources_let_nobody_leave(
    service: Service, new_lake: Lake
) -> None:
    anna, ben = service.source("Anna", budgets=[EURO]), service.source("Ben", budgets=[YEN])
    refused = service.source("Anna", budgets=[EURO], token="a-wrong-token")
    new_lake.sync([anna, ben])
    result = new_lake.sync([refused, ben])
    assert result["status"].tolist() == ["refused", "ok"]
    create_lake(new_lake._address, 1)
    result = new_lake.sync([ben], partial=True)
    assert result["status"].tolist() == ["ok"]
    assert statuses(new_lake) == {("Anna", EURO): "refused", ("Ben", YEN): "ok"}
    assert new_lake.sync([ben]).attrs["run"]["status"] == "failed"
    assert statuses(new_lake) == {("Anna", EURO): "left", ("Ben", YEN): "ok"}
    # A former source that cannot be read tells nothing new; another source can have the budget.
    result = new_lake.sync([refused, ben])
    assert result["status"].tolist() == ["refused", "left", "ok"]
    assert new_lake.sync([service.source("Ben")])["status"].tolist() == ["ok", "ok"]
    assert statuses(new_lake) == {("Ben", EURO): "ok", ("Ben", YEN): "ok"}


@pytest.mark.slow  # it syncs several times
def test_a_budget_that_is_chosen_by_name_and_renamed_is_missing_with_its_new_name(
    service: Service, new_lake: Lake
) -> None:
    by_name = service.source(budgets=[EURO])
    new_lake.sync([by_name])
    service.budget(EURO).name = "Anders"
    reason = "this budget is now called 'Anders': change `budgets` of the source, or name its id"
    for _ in range(2):
        (row,) = new_lake.sync([by_name]).to_dict("records")
        assert (row["budget_id"], row["budget_name"]) == (service.id_of("Anders"), EURO)
        assert (row["status"], row["reason"]) == ("missing", reason)
    new_lake.forget(service.id_of("Anders"))
    new_lake.vacuum()
    assert found_in(new_lake, ["Anders"]) == {}
    by_id = service.source(budgets=[service.id_of("Anders")])
    assert new_lake.sync([by_id])["status"].tolist() == ["ok"]


def test_a_budget_of_another_source_leaves_the_first_one(service: Service, new_lake: Lake) -> None:
    new_lake.sync([service.source("A")])
    before = logged_rows(new_lake)
    result = new_lake.sync([service.source("A", budgets=[EURO]), service.source("B")])
    assert result["status"].tolist() == ["ok", "duplicate", "ok"]
    assert result["changed"].tolist() == [False, False, True]  # `source` of its rows
    assert statuses(new_lake) == {("A", EURO): "ok", ("B", YEN): "ok"}
    assert {*new_lake.ledger(["source"]).compute()["source"]} == {"A", "B"}
    # The rows are those of the read by the first source.
    assert logged_rows(new_lake)["as_of"].tolist() == before["as_of"].tolist()
    assert before["as_of"].notna().all()


def test_a_token_that_ends_in_a_sync_concerns_its_budgets(service: Service, new_lake: Lake) -> None:
    tokens = [service.sandbox.token]  # for the list of budgets, and not for the reads
    ending = service.source("B", token=lambda: tokens.pop(), budgets=[EURO])  # noqa: PLW0108
    result = new_lake.sync([ending, service.source("A", budgets=[YEN])], concurrency=1)
    assert result["source"].tolist() == ["B", "A"]
    assert result["status"].tolist() == ["failed", "ok"]
    assert result["reason"][0].startswith("the function for the token raised IndexError in line")


def test_a_token_with_many_budgets_can_end_during_a_sync(new_lake: Lake) -> None:
    url, tokens = "https://api.example.com/v1", ["a-token"]
    rows = [{"id": f"b{number}", "name": f"B{number}"} for number in range(3000)]
    with respx.mock(base_url=url) as router:
        router.get("/budgets").respond(json={"data": {"budgets": rows}})
        ending = Source("A", lambda: tokens.pop(), base_url=url)  # noqa: PLW0108
        result = new_lake.sync([ending], concurrency=1)  # tasks of four
    assert result["status"].tolist() == ["failed"] * 3000


def test_budgets_are_chosen_by_name_or_id(service: Service, new_lake: Lake) -> None:
    chosen = service.source(budgets=[YEN, "Cabin"])
    result = new_lake.sync([chosen])
    assert statuses(new_lake) == {("A", YEN): "ok", ("A", "Cabin"): "missing"}
    with pytest.raises(ToolError, match="full: no source has a budget 'Cabin'; the closest"):
        new_lake.sync([chosen], full=["Cabin"])
    # A source without an answer tells nothing about it.
    new_lake.sync([service.source(budgets=[YEN, "Cabin"], token="a-wrong-token")])
    assert statuses(new_lake) == {("A", YEN): "refused", ("A", "Cabin"): "missing"}
    new_lake.sync([service.source(budgets=[YEN])])
    assert statuses(new_lake) == {("A", YEN): "ok"}
    assert result["budget_name"].tolist() == ["Cabin", YEN]
    assert result["status"].tolist() == ["missing", "ok"]
    assert result["reason"].tolist()[0] == "the source gives access to no budget 'Cabin'"


def test_a_function_or_an_auth_object_provides_the_token(service: Service, new_lake: Lake) -> None:
    class Bearer(httpx.Auth):
        def auth_flow(self, request: httpx.Request):  # type: ignore[no-untyped-def]  # noqa: ANN202
            request.headers["Authorization"] = f"Bearer {service.sandbox.token}"
            yield request

    assert new_lake.sync([service.source(token=Bearer())])["status"].tolist() == ["ok", "ok"]
    function = service.source(token=lambda: service.sandbox.token)
    assert new_lake.sync([function])["status"].tolist() == ["ok", "ok"]


def test_of_two_writers_at_once_the_second_one_stops(lake: Lake) -> None:
    first, second = Writer(lake._address), Writer(lake._address)
    rows = first.snapshot.read("payees").slice(0, 1)
    first._replace("payees", rows, set())  # Delta itself allows two additions at once
    with pytest.raises(ToolError, match="another process has changed the lake"):
        second.commit({"payees": rows})


def test_a_wrong_variable_of_the_environment_is_the_reason_of_its_sources(
    service: Service, new_lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = Source("B", "token", base_url="https://service.test/v1")
    monkeypatch.setenv("SSL_CERT_FILE", "/nothing.pem")
    result = new_lake.sync([service.source(), elsewhere])
    assert result["status"].tolist() == ["ok", "ok", "failed"]
    assert result["reason"].tolist()[2] == (
        "the environment variable SSL_CERT_FILE names no file with certificates."
        " Correct or remove it; nothing was sent"
    )


def test_arguments_are_checked(new_lake: Lake, service: Service) -> None:
    with pytest.raises(ToolError, match="two sources have the name 'A'"):
        new_lake.sync([service.source(), service.source()])
    for wrong in (service.source(), ["a-token"], "a-token", None):
        with pytest.raises(ToolError, match="sources must be a list of Source"):
            new_lake.sync(wrong)  # type: ignore[arg-type]
    with pytest.raises(ToolError, match="concurrency=0"):
        new_lake.sync([service.source()], concurrency=0)
    with pytest.raises(ToolError, match="there is no lake at"):
        Lake("nothing").frame("ledger", budget=EURO)


def sync_at(lake: Lake, sources: list[Source], clock: Clock) -> pd.DataFrame:
    """A sync in a new process at a time, which reads one budget after the other."""
    forget_limits()

    def now() -> datetime:
        return datetime.fromtimestamp(clock(), UTC)

    return sync_lake(lake._address, sources, concurrency=1, verify=True, now=now)


def logged_rows(lake: Lake) -> pd.DataFrame:
    """The table `_sync`, sorted by the names of the budgets."""
    rows: pd.DataFrame = lake._snapshot().read("_sync").to_pandas()
    return rows.sort_values("budget_name")


def statuses(lake: Lake) -> dict[Any, str]:
    """The status of each source and budget in the table `_sync`."""
    return logged_rows(lake).set_index(["source", "budget_name"])["status"].to_dict()


def files_of(lake: Lake) -> dict[Path, int]:
    """The files of a lake, with the time of their last change."""
    return {path: path.stat().st_mtime_ns for path in Path(lake._address.uri).rglob("*")}

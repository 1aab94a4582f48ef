"""The rows that differ from those that an earlier sync left, and readers of one state."""

import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.lake import Lake

from .service import EURO, YEN, Service


def test_changed_rows_are_those_since_the_sync(service: Service, lake: Lake) -> None:
    first = lake.runs().iloc[-1]
    assert lake.changes(since=first).empty
    bf = service.facade(YEN)
    keys = bf.transactions()["transaction_id"].tolist()
    bf.update_transactions([{"transaction_id": keys[-1], "memo": "new"}])
    bf.delete_transactions([keys[-2]])
    service.spend(-4.5)
    run = lake.sync([service.source()]).attrs["run"]
    found = lake.changes(since=first, money="milliunits")
    assert found["change"].sort_values().tolist() == ["added", "changed", "removed"]
    assert found["budget_id"].is_monotonic_increasing
    added, changed, removed = found.sort_values("change").to_dict("records")
    assert (added["currency"], added["amount_milliunits"]) == ("EUR", -4500)
    assert (changed["transaction_id"], changed["memo"]) == (keys[-1], "new")
    assert (removed["transaction_id"], removed["currency"]) == (keys[-2], "JPY")
    assert (found.columns[0], *found.columns[-3:]) == ("change", "as_of", "budget_id", "source")
    assert lake.changes(since=run).dtypes.equals(lake.changes(since=first).dtypes)
    assert lake.changes(since=run).empty


def test_every_table_with_a_key_has_changes(service: Service, new_lake: Lake) -> None:
    run = new_lake.sync([service.source(budgets=[EURO])], buckets=2).attrs["run"]
    new_lake.sync([service.source()])
    yen = service.facade(YEN)
    counts = {"months": len(yen.months()), "month_categories": len(yen.month_categories())}
    for name, count in {**counts, "budgets": 1}.items():
        found = new_lake.changes(name, since=run)
        assert (name, len(found), {*found["change"]}) == (name, count, {"added"})
        assert {*found["budget_id"]} == {service.id_of(YEN)}


def test_what_has_no_changes_is_refused(service: Service, lake: Lake) -> None:
    run = lake.sync([service.source()]).attrs["run"]
    with pytest.raises(ToolError, match="the ledger has no key: use transactions"):
        lake.changes("ledger", since=run)
    for wrong in ("2026-01-01", None, {"started_at": run["started_at"]}, pd.Series([1])):
        with pytest.raises(ToolError, match=r"^since: pass a row of lake\.runs"):
            lake.changes(since=wrong)
    other = {**run, "host": "another"}
    with pytest.raises(ToolError, match="does not have the state that the sync of 20"):
        lake.changes(since=other)
    lake.vacuum(keep_hours=1)
    assert lake.changes(since=run).empty
    lake.vacuum()
    with pytest.raises(ToolError, match=r"`vacuum` keeps it with keep_hours \(48, if changes"):
        lake.changes(since=run)


def test_a_lake_of_now_has_one_state(service: Service, lake: Lake) -> None:
    now = lake.now()
    service.spend(-4.5)
    lake.sync([service.source()])
    assert len(lake.transactions(["amount"])) == len(now.transactions(["amount"])) + 1
    assert (len(now.runs()), len(lake.runs())) == (1, 2)
    with pytest.raises(ToolError, match=r"this lake shows one state \(at, now\): change Lake"):
        now.forget(EURO)

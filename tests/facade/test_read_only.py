"""A connection that can only read: what it refuses, before anything is sent, and what it shows."""

import pickle
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, RateLimiter, ServiceClient, ToolError
from budgetframe._facade.aio.writes import Writes
from budgetframe.sandbox import Sandbox
from tests.changes.doors import CALLS, previewed

WRITES = [name for name in vars(Writes) if not name.startswith("_")]
NEW = pd.DataFrame({"date": ["2026-06-01"], "amount": [-3.21], "payee_name": ["Anybody"]})
REFUSED = r"^this connection is read-only \(read_only=True\)\. Nothing was sent$"


def read_only(**options: Any) -> tuple[Sandbox, BudgetFrame]:
    service = Sandbox(years=0, budgets=2)
    return service, BudgetFrame.sandbox(service, read_only=True, progress=False, **options)


def test_every_write_is_refused_before_anything_is_sent(subtests: pytest.Subtests) -> None:
    assert len(WRITES) == 17
    service, bf = read_only()
    calls = {name: (given, more) for name, (_, given, more) in CALLS.items()}
    calls["import_linked"] = ([], {})
    for name in WRITES:
        given, more = calls[name]
        with subtests.test(name=name), pytest.raises(ToolError, match=REFUSED):
            getattr(bf, name)(*given, **more)
    with pytest.raises(ToolError, match=REFUSED):
        bf.with_budget("東京の家計").create_payee("Anybody")
    assert service.requests_served == 0
    for name in CALLS:
        with subtests.test(preview=name), pytest.raises(ToolError, match=REFUSED):
            previewed(name)(bf)
    with pytest.raises(ToolError, match=REFUSED):
        bf.changes(NEW.assign(account_name="Wallet")).apply()


def test_changes_show_a_preview_and_are_not_applied() -> None:
    service, bf = read_only()
    changes = bf.changes(bf.transactions().tail(1).assign(memo="checked"))
    assert changes.frame["after"].tolist() == ["checked"]
    assert "this connection is read-only" in repr(changes)
    before = service.requests_served
    with pytest.raises(ToolError, match=REFUSED):
        changes.apply()
    assert service.requests_served == before
    preview = bf.move("2026-06", "Groceries", "Fuel", 5.0, preview=True)
    assert len(preview) == 2
    with pytest.raises(ToolError, match=REFUSED):
        preview.apply()
    with pytest.raises(ToolError, match=REFUSED):
        bf.import_rows(NEW, account="Checking").apply()


def test_an_interrupted_application_is_not_resumed(tmp_path: Any) -> None:
    service = Sandbox(years=1, budgets=1)
    bf = BudgetFrame.sandbox(service, cache_dir=tmp_path, progress=False)
    changes = bf.changes(bf.transactions().tail(1).assign(memo="checked"))
    service.faults = ["reset-before"]
    with pytest.raises(Exception, match="1 may have been made"):
        changes.apply()
    bf.close()
    reader = BudgetFrame.sandbox(service, cache_dir=tmp_path, progress=False, read_only=True)
    assert reader.journal().frame["left"].tolist() == [1]
    with pytest.raises(ToolError, match=REFUSED):
        reader.journal().resume()


def test_the_environment_makes_connections_read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUDGETFRAME_READ_ONLY", "1")
    bf = BudgetFrame.connect("a-token", budget="Household")
    with pytest.raises(ToolError, match=r"read-only \(BUDGETFRAME_READ_ONLY=1\)"):
        bf.create_payee("Anybody")
    monkeypatch.setenv("BUDGETFRAME_READ_ONLY", "0")
    assert "read-only" not in repr(BudgetFrame.connect("a-token"))
    monkeypatch.setenv("BUDGETFRAME_READ_ONLY", "yes")
    with pytest.raises(ToolError, match="BUDGETFRAME_READ_ONLY must be 1"):
        BudgetFrame.connect("a-token")


def test_the_display_says_that_it_only_reads() -> None:
    _, bf = read_only()
    assert ", read-only)" in repr(bf).splitlines()[0]
    assert ">read-only</td>" in bf._repr_html_()


def test_a_pickled_connection_is_still_read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", "a-token")
    bf = BudgetFrame.connect(budget="Household", read_only=True)
    assert ", read-only)" in repr(pickle.loads(pickle.dumps(bf)))  # noqa: S301 - it was made here


def test_a_client_of_the_user_can_be_used_for_reading_only() -> None:
    client = ServiceClient(httpx.AsyncClient(base_url="https://service.invalid"), RateLimiter())
    with pytest.raises(ToolError, match=REFUSED):
        BudgetFrame(client, read_only=True).import_linked()

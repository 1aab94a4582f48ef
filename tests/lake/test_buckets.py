"""The number of buckets of a lake: chosen at the first sync, changed by `rebuild` as one step."""

import copy
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from budgetframe import ToolError
from budgetframe.lake import Lake
from budgetframe.lake.columns import FRAMES

from .consistency import check_consistency
from .readers import READERS, sums_by_reader
from .service import EURO, YEN, Service
from .test_stopped import Stopped, end_after

RULE = "crc32(budget_id) % {}"


def rules(lake: Lake) -> set[str]:
    """How the tables of budgets say that their buckets are computed."""
    tables = [lake._snapshot().table(name) for name in (*FRAMES, "_state")]
    return {each.metadata().configuration["budgetframe.bucket"] for each in tables}


def add_budgets(service: Service, count: int) -> None:
    """Let the service list so many more budgets."""
    first = service.sandbox.budgets[0]
    for number in range(count):
        editor = copy.copy(first)
        editor.budget = copy.copy(first.budget)
        editor.budget.id, editor.budget.name = f"b-{number}", f"Household {number}"
        service.sandbox.budgets += (editor,)


@pytest.mark.slow  # each sync writes to all tables
def test_the_first_sync_chooses_the_number_of_buckets(service: Service, new_lake: Lake) -> None:
    add_budgets(service, 159)
    service.sandbox.faults = ["404.2:GET:*/budgets/*"]
    new_lake.sync([service.source()])  # the list of 161 budgets, and no rows
    assert (new_lake._snapshot().buckets, rules(new_lake)) == (17, {RULE.format(17)})
    new_lake.sync([service.source(budgets=[EURO])], buckets=5)
    assert (new_lake._snapshot().buckets, rules(new_lake)) == (5, {RULE.format(5)})
    service.sandbox.faults = []
    new_lake.sync([service.source(budgets=[EURO, YEN])])
    assert (new_lake._snapshot().buckets, rules(new_lake)) == (16, {RULE.format(16)})
    assert len(check_consistency(new_lake)) == 2
    service.sandbox.faults = ["404.2:GET:*/budgets/b-*"]
    new_lake.sync([service.source()])  # it has rows
    text = "buckets=60: the lake has 16 and keeps them; lake.rebuild(60) or 'budgetframe lake"
    with pytest.warns(RuntimeWarning) as caught:
        new_lake.sync([service.source(budgets=[YEN])], buckets=60)
    assert str(caught[0].message) == f"{text} rebuild LAKE --buckets 60' changes the number"
    assert Path(caught[0].filename).name == "test_buckets.py"
    assert new_lake._snapshot().buckets == 16


@pytest.mark.slow  # it writes all tables several times
def test_rebuild_changes_the_number_of_buckets_as_one_step(service: Service, lake: Lake) -> None:
    frames = {name: lake.frame(name, budget=YEN) for name in ("ledger", "months")}
    sums = sums_by_reader(lake)["DuckDB"]
    for steps in (20, 42):  # while the tables are empty, and just before it is published
        with pytest.raises(Stopped), end_after(steps):
            lake.rebuild(buckets=3)
        assert len(check_consistency(lake)) == 2
        assert sums_by_reader(lake) == dict.fromkeys(READERS, sums)
        lake.sync([service.source()])
        assert (lake._snapshot().buckets, rules(lake)) == (4, {RULE.format(4)})
    for buckets in (3, 1):
        assert lake.rebuild(buckets=buckets) == 2
        assert (lake._snapshot().buckets, rules(lake)) == (buckets, {RULE.format(buckets)})
        assert len(check_consistency(lake)) == 2
        for name, frame in frames.items():
            assert_frame_equal(lake.frame(name, budget=YEN), frame)
        assert sums_by_reader(lake) == dict.fromkeys(READERS, sums)
    assert [len(lake.delta(name).file_uris()) for name in ("ledger", "payees")] == [1, 1]
    service.spend(-4.5, YEN)
    assert lake.sync([service.source()])["changed"].tolist() == [False, True]
    assert len(lake.frame("ledger", budget=YEN)) == len(frames["ledger"]) + 1
    for wrong in (0, True, 1.5):
        with pytest.raises(ToolError, match=r"buckets=.*: it must be a whole number from 1 to"):
            lake.rebuild(wrong)  # type: ignore[arg-type]

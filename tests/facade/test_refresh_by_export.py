"""One request for the changes of the export refreshes all lists that the export contains."""

from datetime import date

import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, StaleDataWarning
from budgetframe.frames.export import EXPORTED
from budgetframe.sandbox import FaultPlan
from tests.facade.service import ServiceWithFacade

LISTS = (
    "accounts", "categories", "category_groups", "payees", "months", "transactions",
    "subtransactions", "scheduled_transactions", "ledger",
)  # fmt: skip
CURSOR = "last_knowledge_of_server"
FIVE = ("accounts", "categories", "payees", "months", "transactions")


@pytest.fixture
def home() -> ServiceWithFacade:
    """A connection whose service a test may change."""
    return ServiceWithFacade(limit=10_000)


def restarted(home: ServiceWithFacade) -> BudgetFrame:
    """A connection with the same cache that has built no frames, as after a restart."""
    return BudgetFrame(home.client, budget="Household")


def edit(home: ServiceWithFacade) -> None:
    """Add, rename and delete rows on another device, and let the time to live end."""
    device, budget = home.service.device, home.service.device.state()
    account = next(row for row in budget.accounts.live() if row.name == "Checking")
    food = next(row for row in budget.categories.live() if row.name == "Groceries")
    payee = next(row for row in budget.payees.live() if row.transfer_account_id is None)
    device.add_transaction(
        account_id=account.id, date=date(2026, 6, 3), amount=-12_340, payee_name="A new payee"
    )
    device.delete_transaction(next(row.id for row in budget.transactions.live() if row.parts))
    device.rename_payee(payee.id, "Another name")
    device.rename_category(food.id, "Food")
    home.clock.advance(300.0)


def sent(home: ServiceWithFacade, since: int) -> list[tuple[str, bool]]:
    """The last part of the path of each request, and whether it has a cursor."""
    both = zip(home.wire.lists, home.wire.queries, strict=True)
    names = {home.path.rpartition("/")[2]: "export"}
    return [(names.get(name, name), CURSOR in query) for name, query in both][since:]


def test_after_an_export_one_small_request_refreshes_every_list(home: ServiceWithFacade) -> None:
    home.bf.export()
    edit(home)
    start = len(home.wire.requests)
    found = {name: getattr(home.bf, name)() for name in LISTS}
    assert sent(home, start) == [("export", True)]
    home.bf.refresh()
    for name, frame in found.items():
        assert_frame_equal(frame, getattr(home.bf, name)(), obj=name)
    assert "Another name" in set(found["payees"]["payee_name"])


def test_frames_of_an_updated_export_equal_those_of_a_new_export(home: ServiceWithFacade) -> None:
    home.bf.export()
    edit(home)
    found = home.bf.export()
    assert sent(home, 0)[-1] == ("export", True)
    home.bf.refresh()
    expected = home.bf.export()
    assert sent(home, 0)[-1] == ("export", False)
    for name in EXPORTED:
        assert_frame_equal(found[name], expected[name], obj=name)


def test_with_a_time_to_live_of_zero_each_list_has_its_own_request() -> None:
    home = ServiceWithFacade(ttl=0.0)
    home.bf.export()
    home.bf.accounts()
    assert sent(home, 0)[-1] == ("accounts", False)


def test_a_restart_reads_the_export_in_place_of_three_lists(home: ServiceWithFacade) -> None:
    for name in FIVE:
        getattr(home.bf, name)()
    expected = [
        [("accounts", True), ("export", False)],  # a single list is a small request
        [("export", True)],
        [("export", True)],
    ]
    for requests in expected:
        home.clock.advance(300.0)
        start, bf = len(home.wire.requests), restarted(home)
        for name in FIVE:
            getattr(bf, name)()
        assert sent(home, start) == requests


def test_only_lists_that_are_due_count(home: ServiceWithFacade) -> None:
    for name in FIVE:
        getattr(home.bf, name)()
        home.clock.advance(100.0)  # accounts, categories and payees are due, others are fresh
    start, bf = len(home.wire.requests), restarted(home)
    bf.accounts(), bf.categories(), bf.transactions()
    assert sent(home, start) == [("accounts", True), ("categories", True)]


def test_fewer_lists_and_loaded_lists_are_read_themselves(home: ServiceWithFacade) -> None:
    home.bf.accounts(), home.bf.transactions()
    home.clock.advance(300.0)
    start = len(home.wire.requests)
    restarted(home).accounts()
    assert sent(home, start) == [("accounts", True)]
    home.bf.payees()
    home.clock.advance(300.0)
    start = len(home.wire.requests)
    home.bf.accounts(), home.bf.payees(), home.bf.transactions()
    assert sent(home, start) == [("accounts", True), ("payees", True), ("transactions", True)]


def test_lists_are_read_themselves_if_the_export_fails(home: ServiceWithFacade) -> None:
    for name in FIVE:
        getattr(home.bf, name)()
    home.clock.advance(300.0)
    start = len(home.wire.requests)
    home.service.faults = FaultPlan(["503:GET:/budgets/*@1"])
    bf = restarted(home)
    bf.transactions(), bf.payees()
    assert sent(home, start) == [("export", False), ("transactions", True), ("payees", True)]


def test_lists_are_read_alone_if_the_changes_of_the_export_fail(home: ServiceWithFacade) -> None:
    home.bf.export()
    home.clock.advance(300.0)
    home.service.faults = FaultPlan(["400:GET:/budgets/*@1"])
    start = len(home.wire.requests)
    home.bf.accounts(), home.bf.payees()
    assert sent(home, start) == [("export", True), ("accounts", False), ("payees", False)]
    home.clock.advance(300.0)  # then the export is tried again
    start = len(home.wire.requests)
    home.bf.accounts(), home.bf.payees()
    assert sent(home, start) == [("export", True)]


def test_a_reached_limit_is_no_failure_of_the_export() -> None:
    home = ServiceWithFacade(limit=10_000, threshold=200)
    home.bf.export()
    home.clock.advance(3_400.0)
    while home.limiter.check()[0]:
        home.limiter.record()
    with pytest.warns(StaleDataWarning):
        home.bf.accounts()
    home.clock.advance(201.0)  # the request of the export is older than an hour now
    start = len(home.wire.requests)
    stale = {name: "stale" in getattr(home.bf, name)().attrs for name in FIVE}
    assert sent(home, start) == [("export", True)]
    assert not any(stale.values())


def test_verified_transactions_and_figures_are_of_whole_answers(home: ServiceWithFacade) -> None:
    bf = BudgetFrame(home.client, budget="Household", verify=True)
    bf.export()
    home.clock.advance(300.0)
    start = len(home.wire.requests)
    bf.accounts(), bf.ledger()
    assert sent(home, start) == [("export", True), ("transactions", False), ("export", False)]
    start = len(home.wire.requests)
    bf.transactions(), bf.reconcile()
    assert sent(home, start) == [("transactions", True), ("export", False)]


def test_a_write_drops_the_export_and_its_knowledge(home: ServiceWithFacade) -> None:
    home.bf.export()
    home.bf.rename_payee(home.bf.payees()["payee_id"].iloc[0], "Another name")
    home.clock.advance(300.0)
    assert "Another name" in set(home.bf.payees()["payee_name"])
    assert sent(home, 0)[-1] == ("payees", False)


def test_an_export_without_knowledge_is_read_in_full_each_time() -> None:
    home = ServiceWithFacade(limit=10_000)
    home.service.device.state().knowledge = 0  # no cursor
    home.bf.export()
    home.clock.advance(300.0)
    home.bf.export()
    assert sent(home, 1) == [("export", False), ("export", False)]

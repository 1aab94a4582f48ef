"""The month that amounts of categories belong to: that of the service, whatever any clock says."""

from datetime import timedelta

import pytest
from starlette.types import Message, Receive, Scope, Send

from budgetframe.lake import Lake
from budgetframe.lake.sync import sync_lake

from .service import EURO, Service

JUNE = "2026-06-01", {"Groceries": -210.21, "Rent": -1198.3}
JULY = "2026-07-01", {"Groceries": 0.0, "Rent": -1198.3}  # the rent is entered on the first
NEW, SAME = (1, True), (1, False)  # the number of requests, and whether new rows were committed


class Month:
    """Syncs of a budget around the end of June; the lake has its state of the 17th."""

    def __init__(self, service: Service, lake: Lake) -> None:
        self.service = service
        self.lake = lake
        service.sandbox.advance(13)

    def sync(self, days: int = 0) -> tuple[int, bool]:
        """Sync by a clock that is so many days ahead."""
        now = self.service.sandbox.now() + timedelta(days=days)
        source, address = self.service.source(budgets=[EURO]), self.lake._address
        result = sync_lake(address, [source], concurrency=1, verify=True, now=lambda: now)
        row = result[result["budget_name"] == EURO]  # the lake has another one
        return int(row["requests"].item()), bool(row["changed"].item())

    def stored(self) -> tuple[str, dict[str, float]]:
        """The month of the amounts in the lake, and the activity of two categories."""
        month = self.lake._snapshot().read("_state", budget_ids=[self.service.id_of(EURO)])["month"]
        rows = self.lake.frame("categories", budget=EURO).set_index("category_name")["activity"]
        return month[0].as_py(), {name: rows[name] for name in ("Groceries", "Rent")}

    def answer(self, date: str, *, days: int = 0) -> None:
        """Answers state this time, or none; so many days pass when a whole budget is requested."""
        sandbox, app, left = self.service.sandbox, self.service.sandbox.app, days

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            nonlocal left

            async def send_otherwise(message: Message) -> None:
                if message["type"] == "http.response.start":
                    headers = [pair for pair in message["headers"] if pair[0] != b"date"]
                    message["headers"] = [*headers, (b"date", date.encode())]
                await send(message)

            if scope["path"].count("/") > 2:
                sandbox.advance(left)
                left = 0
            await app(scope, receive, send_otherwise if date != "true" else send)

        sandbox.app = answer


@pytest.mark.parametrize("days", [31, -365], ids=["ahead", "behind"])
def test_no_clock_decides_the_month(service: Service, lake: Lake, days: int) -> None:
    month = Month(service, lake)
    assert (month.sync(days), month.stored()) == (NEW, JUNE)
    service.sandbox.advance(1)
    assert (month.sync(days), month.stored()) == (NEW, JULY)
    assert month.sync(days) == SAME


def test_changes_are_not_merged_if_the_month_ends_before_them(service: Service, lake: Lake) -> None:
    month = Month(service, lake)
    month.answer("true", days=1)
    assert (month.sync(), month.stored()) == ((2, True), JULY)


def test_amounts_of_a_month_that_ended_before_their_answer(service: Service, lake: Lake) -> None:
    month = Month(service, lake)
    month.answer("Wed, 01 Jul 2026 00:00:01 GMT")
    assert (month.sync(), month.stored()) == (NEW, JUNE)


def test_without_a_time_the_amounts_of_the_answer_decide(service: Service, lake: Lake) -> None:
    month = Month(service, lake)
    month.answer("")
    assert (month.sync(days=1), month.stored()) == (NEW, JUNE)  # read in full
    service.sandbox.advance(1)
    assert (month.sync(days=-1), month.stored()) == ((2, True), JULY)
    assert month.sync(days=-1) == SAME

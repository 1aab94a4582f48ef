"""The time of an answer is that which the service states, and not that of this machine."""

import re
from datetime import UTC, date, datetime, timedelta
from itertools import cycle
from pathlib import Path

import httpx
import pytest

from budgetframe import BudgetFrame, RateLimiter, ServiceClient
from budgetframe._client.service_clock import ServiceClock
from budgetframe.sandbox import Sandbox, serve
from tests.client.wire import BASE_URL
from tests.facade.service import TOKEN

NOON = datetime(2026, 6, 17, 12, tzinfo=UTC)
NOON_AS_DATE = "Wed, 17 Jun 2026 12:00:00 GMT"
BUDGETS = {"data": {"budgets": [{"id": "b1", "name": "Home"}]}}
PAYEES = {"data": {"payees": [], "server_knowledge": 7}}


def a_day_later() -> datetime:
    return NOON + timedelta(days=1)


def client_of(*headers: dict[str, str]) -> ServiceClient:
    """A client of a service whose answers have these headers, on a machine that is a day ahead."""
    all_headers = cycle(headers)

    def answer(request: httpx.Request) -> httpx.Response:
        content = PAYEES if "payees" in str(request.url) else BUDGETS
        return httpx.Response(200, json=content, headers=next(all_headers))

    http = httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url=BASE_URL)
    return ServiceClient(http, RateLimiter(), clock=ServiceClock(a_day_later))


def test_reports_over_http_have_the_day_of_the_service(tmp_path: Path) -> None:
    """A service of another day has as many rows as on its own day, also after a restart."""
    service = Sandbox(token=TOKEN, years=1, today=date(2025, 6, 17), limit=10_000)
    with serve(service) as url:
        for _ in range(2):
            with BudgetFrame.connect(
                TOKEN, base_url=url, budget="Household", cache_dir=tmp_path
            ) as bf:
                forecast = bf.reports.forecast(days=30)
                assert forecast.attrs["as_of"] == "2025-06-17T12:00:00+00:00"
                assert str(forecast["date"].min())[:7] == "2025-06"
                assert len(bf.reports.recurring()) > 0
                assert re.search(r"payees: \d+ s ago", repr(bf))
    with BudgetFrame.sandbox(service, budget="Household") as bf:
        in_process = bf.reports.forecast(days=30)
        assert in_process.attrs["as_of"] == "2025-06-17T12:00:00+00:00"
        assert forecast.to_csv() == in_process.to_csv()


def test_an_answer_over_http_has_one_date_that_of_the_service() -> None:
    with serve(Sandbox(token=TOKEN, years=1)) as url:
        response = httpx.get(f"{url}/user", headers={"Authorization": f"Bearer {TOKEN}"})
        refused = httpx.get(f"{url}/user")
    assert response.headers.get_list("date") == [NOON_AS_DATE]
    assert refused.headers.get_list("date") == [NOON_AS_DATE]


@pytest.mark.parametrize(("headers", "as_of"), [
    ({"Date": NOON_AS_DATE}, "2026-06-17T12:00:00+00:00"),
    ({"Date": "Wed, 17 Jun 2026 14:00:00 +0200"}, "2026-06-17T12:00:00+00:00"),
    ({"Date": "Wed, 17 Jun 2026 12:00:00 -0000"}, "2026-06-17T12:00:00+00:00"),
    ({}, "2026-06-18T12:00:00+00:00"),
    ({"Date": "noon"}, "2026-06-18T12:00:00+00:00"),
    ({"Date": "Wed, 99 Jun 2026 12:00:00 GMT"}, "2026-06-18T12:00:00+00:00"),
])  # fmt: skip
def test_a_frame_has_the_time_of_the_response(headers: dict[str, str], as_of: str) -> None:
    with BudgetFrame(client_of(headers)) as bf:
        assert bf.payees().attrs["as_of"] == as_of


def test_each_answer_has_the_time_of_its_own_response_also_changes_of_a_list() -> None:
    """The responses come an hour apart, by the clock of the service."""
    headers = ({"Date": f"Wed, 17 Jun 2026 {hour}:00:00 GMT"} for hour in (12, 13, 14, 15))
    with BudgetFrame(client_of(*headers), ttl=0) as bf:
        times = [bf.payees().attrs["as_of"] for _ in range(3)]
    assert times == [
        "2026-06-17T13:00:00+00:00", "2026-06-17T14:00:00+00:00", "2026-06-17T15:00:00+00:00",
    ]  # fmt: skip


def test_the_present_time_of_the_service_is_that_of_its_last_answer_and_what_passed_since() -> None:
    own = NOON
    clock = ServiceClock(lambda: own)
    assert clock.now() == NOON
    clock.observe(httpx.Response(200, headers={"Date": "Tue, 16 Jun 2026 12:00:00 GMT"}))
    own += timedelta(minutes=5)
    assert clock.now() == datetime(2026, 6, 16, 12, 5, tzinfo=UTC)
    clock.observe(httpx.Response(200))
    clock.continue_from(NOON, 60.0)
    assert clock.now() == datetime(2026, 6, 16, 12, 5, tzinfo=UTC)


def test_a_stored_answer_sets_the_time_until_the_first_response() -> None:
    clock = ServiceClock(a_day_later)
    clock.continue_from(NOON, 60.0)
    assert clock.now() == NOON + timedelta(minutes=1)
    clock.observe(httpx.Response(200, headers={"Date": NOON_AS_DATE}))
    assert clock.now() == NOON


def test_writes_have_the_time_of_the_service() -> None:
    service = Sandbox(token=TOKEN, years=1)
    with serve(service) as url, BudgetFrame.connect(TOKEN, base_url=url, budget="Household") as bf:
        row = {"account_id": "Checking", "date": "2026-06-17", "amount": -5.0}
        created = bf.create_transactions([row])
    assert created.attrs["as_of"][:16] == "2026-06-17T12:00"

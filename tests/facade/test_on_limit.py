"""What a read does when the service does not answer: return older data, raise, or wait."""

import asyncio
import inspect
import re
import sys
import warnings
from collections.abc import Callable
from operator import attrgetter

import httpx
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import ServiceAPIError, StaleDataWarning, ToolError
from tests.facade.service import Home

FAULTS = ("429", "500", "html", "503", "reset-before", "reset-after", "cut")

# Older data


def test_after_a_fault_the_last_list_is_returned_with_a_warning(subtests: pytest.Subtests) -> None:
    home = Home(ttl=0)
    before = home.bf.accounts()
    for fault in FAULTS:
        home.fail(fault)
        with subtests.test(fault=fault):
            with pytest.warns(StaleDataWarning, match="^accounts: shown as of ") as caught:
                after = home.bf.accounts()
            assert_frame_equal(after, before)
            assert len(caught) == 1


def test_the_warning_states_the_age_and_the_reason() -> None:
    home = Home()
    as_of = home.bf.accounts().attrs["as_of"]
    home.clock.advance(86_400.0)
    home.service.advance(1)
    home.fail("429")
    with pytest.warns(StaleDataWarning) as caught:
        frame = home.bf.accounts()
    said = (
        f"accounts: shown as of {as_of}, 24 h ago, because the service did not answer:"
        " Too many requests"
    )
    assert str(caught[0].message) == said
    assert (frame.attrs["stale"], frame.attrs["as_of"]) == (said, as_of)


def test_an_error_answer_is_raised_although_there_is_older_data(subtests: pytest.Subtests) -> None:
    home = Home(ttl=0)
    home.bf.accounts()
    for fault, status in [("400", 400), ("401", 401), ("404.1", 404), ("403.1", 403)]:
        home.fail(fault)
        with subtests.test(fault=fault):
            with pytest.raises(ServiceAPIError) as caught:
                home.bf.accounts()
            assert caught.value.status_code == status


@pytest.mark.parametrize("name", ["months", "reports.age_of_money"])
def test_the_warning_points_to_the_line_of_the_call(name: str) -> None:
    home = Home(ttl=0)
    read = attrgetter(name)(home.bf)
    read()
    home.fail("500")
    line = inspect.currentframe().f_lineno + 2  # type: ignore[union-attr]
    with pytest.warns(StaleDataWarning) as caught:
        read()
    assert (caught[0].filename, caught[0].lineno) == (__file__, line)


def test_a_stale_object_is_returned_as_a_model_with_a_warning() -> None:
    home = Home(ttl=0)
    account_id = home.bf.accounts()["account_id"].iloc[0]
    before = home.bf.account(account_id)
    home.fail("500")
    with pytest.warns(StaleDataWarning, match=f"^accounts {account_id}: shown as of"):
        assert home.bf.account(account_id) == before


def test_an_awaited_call_warns_about_stale_data_too() -> None:
    async def read_twice() -> None:
        home = Home(ttl=0)
        before = await home.bf.aio.accounts()
        home.fail("500")
        with pytest.warns(StaleDataWarning, match="^accounts: shown as of"):
            assert_frame_equal(await home.bf.aio.accounts(), before)

    asyncio.run(read_twice())


def test_a_warning_raised_as_an_error_keeps_the_cached_list() -> None:
    home = Home(ttl=0)
    before = home.bf.accounts()
    home.fail("500@1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(StaleDataWarning):
            home.bf.accounts()
        assert_frame_equal(home.bf.accounts(), before)


def test_without_older_data_the_error_is_raised() -> None:
    home = Home()
    home.bf.accounts()
    home.fail("500")
    with pytest.raises(ServiceAPIError) as caught:
        home.bf.payees()
    assert caught.value.status_code == 500


@pytest.mark.parametrize(("name", "drop"), [
    ("accounts", lambda home: home.bf.refresh()),
    ("categories", lambda home: home.service.advance(30)),  # of the month before
])  # fmt: skip
def test_forgotten_lists_and_old_months_are_hidden(name: str, drop: Callable[[Home], None]) -> None:
    home = Home()
    read = getattr(home.bf, name)
    read()
    drop(home)
    home.fail("500")
    with pytest.raises(ServiceAPIError):
        read()


def test_after_the_fault_the_current_list_is_returned() -> None:
    home = Home(ttl=0)
    account_id = home.bf.accounts()["account_id"].iloc[0]
    home.service.device.rename_account(account_id, "Another name")
    home.fail("500@1")
    with pytest.warns(StaleDataWarning):
        home.bf.accounts()
    frame = home.bf.accounts()
    assert frame.loc[frame["account_id"] == account_id, "account_name"].item() == "Another name"
    assert "stale" not in frame.attrs


def test_a_list_that_an_export_holds_is_shown_from_it() -> None:
    home = Home()
    before = home.bf.export()["accounts"]
    home.clock.advance(300.0)
    home.fail("500")
    with pytest.warns(StaleDataWarning, match="^accounts: shown as of"):
        assert_frame_equal(home.bf.accounts(), before)


def test_the_newer_of_a_list_and_an_export_is_returned() -> None:
    home = Home(ttl=0)
    account_id = home.bf.accounts()["account_id"].iloc[0]
    home.service.device.rename_account(account_id, "Another name")
    home.service.advance(1)
    home.bf.export()
    home.fail("500")
    with pytest.warns(StaleDataWarning):
        frame = home.bf.accounts()
    assert frame.loc[frame["account_id"] == account_id, "account_name"].item() == "Another name"


def test_the_budget_used_last_is_known_without_the_service() -> None:
    home = Home(budget="last-used", ttl=0)
    before = home.bf.accounts()
    home.fail("500")
    with pytest.warns(StaleDataWarning, match="^accounts: "):
        assert_frame_equal(home.bf.accounts(), before)


# An error


def test_on_limit_raise_raises_although_there_is_older_data(subtests: pytest.Subtests) -> None:
    home = Home(on_limit="raise", ttl=0)
    home.bf.accounts()
    for fault in FAULTS:
        home.fail(fault)
        with subtests.test(fault=fault), pytest.raises((ServiceAPIError, httpx.TransportError)):
            home.bf.accounts()


def test_on_limit_raise_raises_the_error_of_the_limit() -> None:
    home = Home(on_limit="raise", ttl=0)
    home.bf.accounts()
    home.use_up()
    with pytest.raises(ToolError) as caught:
        home.bf.accounts()
    assert caught.value.retry_after == 3600.0


def test_another_budget_is_read_in_the_same_way() -> None:
    home = Home(on_limit="raise", ttl=0)
    other = home.bf.with_budget(home.bf.budgets()["budget_name"].iloc[-1])
    other.accounts()
    home.fail("500")
    with pytest.raises(ServiceAPIError):
        other.accounts()


# Waiting


def test_wait_waits_until_the_limit_allows_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    home = Home(on_limit="wait", ttl=0)
    home.use_up()
    home.clock.advance(3590.5)
    # The first requests leave the window after 3600 seconds; at exactly 3600 they still count.
    assert "stale" not in home.bf.accounts().attrs
    assert home.waits == [1.0] * 10  # one second at a time, to move the bar
    err = capsys.readouterr().err  # the bar is as wide as the terminal permits
    assert re.search(r"waiting for the limit:   0%\| +\| 0/10 \[", err)


def test_wait_prints_nothing_if_progress_is_off(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    home = Home(on_limit="wait", ttl=0, progress=False)
    home.use_up()
    home.bf.accounts()
    assert sum(home.waits) == 3601.0
    assert capsys.readouterr().err == ""


def test_wait_asks_every_minute_after_a_429_of_the_service() -> None:
    home = Home(on_limit="wait", ttl=0)
    home.fail("429@1-3")
    assert len(home.bf.accounts()) > 0
    assert sum(home.waits) == 180.0


def test_wait_stops_after_one_window() -> None:
    home = Home(on_limit="wait", ttl=0)
    home.fail("429")
    with pytest.raises(ServiceAPIError) as caught:
        home.bf.accounts()
    assert caught.value.status_code == 429
    assert sum(home.waits) == 3600.0


def test_wait_does_not_wait_after_another_error() -> None:
    home = Home(on_limit="wait", ttl=0)
    home.bf.accounts()
    home.fail("500")
    with pytest.raises(ServiceAPIError):
        home.bf.accounts()
    assert home.waits == []

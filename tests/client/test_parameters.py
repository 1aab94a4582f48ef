"""Query parameters: an entry for each cacheable set; other sets are never cached."""

from typing import Any

import pytest

from .wire import ClientUnderTest, answer, by_id

PATH = "/budgets/b1/transactions"
KEY = "b1:transactions"
SINCE = {"since_date": "2020-01-01"}
LATER = {"since_date": "2024-01-01"}


def transactions(knowledge: int, *ids: str) -> Any:
    rows = [{"id": name} for name in ids]
    return answer({"transactions": rows, "server_knowledge": knowledge})


def test_cursor_is_sent_together_with_the_parameters() -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6))
    under_test.get(PATH, params=SINCE)
    under_test.get(PATH, params=SINCE)
    assert under_test.wire.queries == [
        {"since_date": "2020-01-01"},
        {"since_date": "2020-01-01", "last_knowledge_of_server": "5"},
    ]


def test_parameters_given_as_pairs_are_the_same_set() -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6))
    under_test.get(PATH, params=SINCE)
    under_test.get(PATH, params=[("since_date", "2020-01-01")])
    assert under_test.wire.queries[1] == {
        "since_date": "2020-01-01",
        "last_knowledge_of_server": "5",
    }


@pytest.mark.parametrize("none", [None, {}, []])
def test_no_parameters_in_any_form_are_the_same_set(none: Any) -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6))
    under_test.get(PATH)
    under_test.get(PATH, params=none)
    assert under_test.wire.queries == [{}, {"last_knowledge_of_server": "5"}]


def test_query_in_the_path_counts_as_parameters() -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6))
    under_test.get(f"{PATH}?since_date=2020-01-01")
    under_test.get(PATH, params=SINCE)
    assert under_test.wire.cursors == [None, "5"]


def test_query_in_the_path_is_sent_together_with_the_cursor() -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6))
    under_test.get(PATH, params=SINCE)
    under_test.get(f"{PATH}?since_date=2020-01-01")
    assert under_test.wire.queries[1] == {
        "since_date": "2020-01-01",
        "last_knowledge_of_server": "5",
    }


def test_list_with_a_query_in_the_path_does_not_serve_the_path_alone() -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6, "t1", "t2"))
    under_test.get(f"{PATH}?since_date=2020-01-01")
    under_test.get(PATH)
    assert under_test.wire.cursors == [None, None]


def test_query_in_the_path_and_parameters_are_both_sent() -> None:
    under_test = ClientUnderTest(answer({"transactions": []}))
    under_test.get(f"{PATH}?since_date=2020-01-01", params={"type": "unapproved"})
    assert under_test.wire.queries == [{"since_date": "2020-01-01", "type": "unapproved"}]


def test_cursor_of_the_whole_list_is_not_sent_with_a_filter() -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6, "t1"))
    under_test.get(PATH)
    under_test.get(PATH, params=SINCE)
    assert under_test.wire.cursors == [None, None]


def test_cursor_of_a_filtered_list_is_not_sent_without_the_filter() -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6, "t1"))
    under_test.get(PATH, params=SINCE)
    under_test.get(PATH)
    assert under_test.wire.cursors == [None, None]


def test_cursor_of_one_filter_is_not_sent_with_another() -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6, "t1"))
    under_test.get(PATH, params=SINCE)
    under_test.get(PATH, params=LATER)
    assert under_test.wire.cursors == [None, None]


def test_each_set_of_parameters_keeps_its_own_cursor() -> None:
    under_test = ClientUnderTest(
        transactions(5, "t1", "t2"),
        transactions(6, "t2"),
        transactions(7),
        transactions(8),
        transactions(9),
        transactions(9),
    )
    for params in (None, SINCE, None, SINCE, None, SINCE):
        under_test.get(PATH, params=params)
    assert under_test.wire.cursors == [None, None, "5", "6", "7", "8"]


def test_each_set_of_parameters_keeps_its_own_list() -> None:
    under_test = ClientUnderTest(
        transactions(5, "t1", "t2"), transactions(6, "t2"), transactions(7), transactions(8)
    )
    under_test.get(PATH)
    under_test.get(PATH, params=SINCE)
    whole = under_test.get(PATH)
    filtered = under_test.get(PATH, params=SINCE)
    assert (set(by_id(whole["transactions"])), set(by_id(filtered["transactions"]))) == (
        {"t1", "t2"},
        {"t2"},
    )


def test_write_drops_the_entries_of_every_set_of_parameters() -> None:
    under_test = ClientUnderTest(
        transactions(5, "t1"),
        transactions(6, "t1"),
        answer({"transaction": {"id": "t2"}}),
        transactions(7, "t1", "t2"),
        transactions(7, "t1", "t2"),
    )
    under_test.get(PATH)
    under_test.get(PATH, params=SINCE)
    under_test.post(PATH)
    under_test.get(PATH)
    under_test.get(PATH, params=SINCE)
    assert under_test.wire.cursors == [None, None, None, None, None]


def test_entry_stored_by_hand_serves_any_parameters() -> None:
    under_test = ClientUnderTest(transactions(6, "t2"))
    under_test.cache.update(KEY, {"transactions": [{"id": "t1"}]}, 5)
    data = under_test.get(PATH, params=SINCE)
    assert (under_test.wire.queries, set(by_id(data["transactions"]))) == (
        [{"since_date": "2020-01-01", "last_knowledge_of_server": "5"}],
        {"t1", "t2"},
    )


def test_entry_stored_with_parameters_serves_only_these_parameters() -> None:
    under_test = ClientUnderTest(transactions(6, "t2"), transactions(6))
    under_test.cache.update(KEY, {"transactions": [{"id": "t1"}]}, 5, params=SINCE)
    under_test.get(PATH)
    under_test.get(PATH, params=SINCE)
    assert under_test.wire.cursors == [None, "5"]


NEVER_CACHED: list[dict[str, str]] = [
    {"type": "unapproved"},
    {"type": "uncategorized"},
    {"until_date": "2026-01-31"},
    {"since_date": "2026-01-01", "until_date": "2026-01-31"},
    {"since_date": "2026-01-01", "type": "unapproved"},
    {"something": "else"},
]


@pytest.mark.parametrize("params", NEVER_CACHED)
def test_request_with_another_filter_never_gets_a_cursor(params: dict[str, str]) -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6, "t1"))
    under_test.get(PATH, params=params)
    under_test.get(PATH, params=params)
    assert under_test.wire.queries == [params, params]


@pytest.mark.parametrize("params", NEVER_CACHED)
def test_request_with_another_filter_stores_nothing(params: dict[str, str]) -> None:
    under_test = ClientUnderTest(transactions(5, "t1"))
    under_test.get(PATH, params=params)
    assert (
        under_test.cache.get_data(KEY),
        under_test.cache.get_data(KEY, params=params),
    ) == (None, None)


@pytest.mark.parametrize("params", NEVER_CACHED)
def test_request_with_another_filter_leaves_a_stored_list_alone(params: dict[str, str]) -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6, "t9"), transactions(7))
    under_test.get(PATH)
    under_test.get(PATH, params=params)
    data = under_test.get(PATH)
    assert (under_test.wire.cursors, data) == (
        [None, None, "5"],
        {"transactions": [{"id": "t1"}]},
    )


def test_filter_in_the_path_is_never_cached_either() -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6, "t1"))
    under_test.get(f"{PATH}?type=unapproved")
    under_test.get(f"{PATH}?type=unapproved")
    assert under_test.wire.queries == [{"type": "unapproved"}, {"type": "unapproved"}]


def test_request_with_another_filter_still_leaves_server_knowledge_out() -> None:
    under_test = ClientUnderTest(transactions(5, "t1"))
    data = under_test.get(PATH, params={"type": "unapproved"})
    assert data == {"transactions": [{"id": "t1"}]}


OWN_CURSORS: list[tuple[str, Any]] = [
    (PATH, {"last_knowledge_of_server": 3}),
    (PATH, {"last_knowledge_of_server": "3"}),
    (PATH, [("last_knowledge_of_server", "3")]),
    (f"{PATH}?last_knowledge_of_server=3", None),
]


@pytest.mark.parametrize(("path", "params"), OWN_CURSORS)
def test_cursor_of_the_caller_is_sent_alone(path: str, params: Any) -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6, "t2"))
    under_test.get(PATH)
    under_test.get(path, params=params)
    sent = under_test.wire.requests[1].url.params.multi_items()
    assert sent == [("last_knowledge_of_server", "3")]


@pytest.mark.parametrize(("path", "params"), OWN_CURSORS)
def test_cursor_of_the_caller_gets_the_raw_delta(path: str, params: Any) -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6, "t2"))
    under_test.get(PATH)
    assert under_test.get(path, params=params) == {"transactions": [{"id": "t2"}]}


@pytest.mark.parametrize(("path", "params"), OWN_CURSORS)
def test_cursor_of_the_caller_stores_nothing(path: str, params: Any) -> None:
    under_test = ClientUnderTest(transactions(6, "t2"))
    under_test.get(path, params=params)
    assert under_test.cache.get_data(KEY) is None


@pytest.mark.parametrize(("path", "params"), OWN_CURSORS)
def test_cursor_of_the_caller_leaves_a_stored_list_alone(path: str, params: Any) -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6, "t2"), transactions(7))
    under_test.get(PATH)
    under_test.get(path, params=params)
    data = under_test.get(PATH)
    assert (under_test.wire.cursors, data) == (
        [None, "3", "5"],
        {"transactions": [{"id": "t1"}]},
    )


def test_parameters_of_the_caller_are_not_changed() -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6))
    params = dict(SINCE)
    under_test.get(PATH, params=params)
    under_test.get(PATH, params=params)
    assert params == {"since_date": "2020-01-01"}

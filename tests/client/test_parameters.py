"""Query parameters: an entry for each cacheable set; other sets are never cached."""

from typing import Any

import pytest

from .wire import ClientUnderTest, answer, by_id

PATH = "/budgets/b1/transactions"
KEY = "b1:transactions"
SINCE = {"since_date": "2020-01-01"}
LATER = {"since_date": "2024-01-01"}


def transactions(knowledge: int, *ids: str) -> Any:
    return answer({"transactions": [{"id": name} for name in ids], "server_knowledge": knowledge})


SPELLINGS: dict[str, tuple[str, Any, str, Any]] = {
    "the same mapping": (PATH, SINCE, PATH, SINCE),
    "pairs": (PATH, SINCE, PATH, [("since_date", "2020-01-01")]),
    "in the path first": (f"{PATH}?since_date=2020-01-01", None, PATH, SINCE),
    "in the path later": (PATH, SINCE, f"{PATH}?since_date=2020-01-01", None),
    "none": (PATH, None, PATH, None),
    "an empty mapping": (PATH, None, PATH, {}),
    "an empty list": (PATH, None, PATH, []),
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_equal_parameters_in_any_form_have_one_cursor(spelling: tuple[str, Any, str, Any]) -> None:
    first_path, first, second_path, second = spelling
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6))
    under_test.get(first_path, params=first)
    under_test.get(second_path, params=second)
    without, with_cursor = under_test.wire.queries
    assert with_cursor == {**without, "last_knowledge_of_server": "5"}
    assert SINCE == {"since_date": "2020-01-01"}  # those of the caller are not changed


def test_query_in_the_path_and_parameters_are_both_sent() -> None:
    under_test = ClientUnderTest(answer({"transactions": []}))
    under_test.get(f"{PATH}?since_date=2020-01-01", params={"type": "unapproved"})
    assert under_test.wire.queries == [{"since_date": "2020-01-01", "type": "unapproved"}]


@pytest.mark.parametrize(
    ("first", "second"), [(None, SINCE), (SINCE, None), (SINCE, LATER)], ids=str
)
def test_cursor_of_one_filter_is_not_sent_with_another(first: Any, second: Any) -> None:
    under_test = ClientUnderTest(transactions(5, "t1"), transactions(6, "t1"))
    under_test.get(PATH, params=first)
    under_test.get(PATH, params=second)
    assert under_test.wire.cursors == [None, None]


def test_each_set_of_parameters_keeps_its_own_cursor_and_list() -> None:
    under_test = ClientUnderTest(
        transactions(5, "t1", "t2"), transactions(6, "t2"), transactions(7), transactions(8),
        transactions(9), transactions(9),
    )  # fmt: skip
    returned = [
        set(by_id(under_test.get(PATH, params=params)["transactions"]))
        for params in (None, SINCE, None, SINCE, None, SINCE)
    ]
    assert returned == [{"t1", "t2"}, {"t2"}] * 3
    assert under_test.wire.cursors == [None, None, "5", "6", "7", "8"]


def test_write_drops_the_entries_of_every_set_of_parameters() -> None:
    under_test = ClientUnderTest(
        transactions(5, "t1"), transactions(6, "t1"), answer({"transaction": {"id": "t2"}}),
        transactions(7, "t1", "t2"), transactions(7, "t1", "t2"),
    )  # fmt: skip
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
        [{"since_date": "2020-01-01", "last_knowledge_of_server": "5"}], {"t1", "t2"},
    )  # fmt: skip


def test_entry_stored_with_parameters_serves_only_these_parameters() -> None:
    under_test = ClientUnderTest(transactions(6, "t2"), transactions(6))
    under_test.cache.update(KEY, {"transactions": [{"id": "t1"}]}, 5, params=SINCE)
    under_test.get(PATH)
    under_test.get(PATH, params=SINCE)
    assert under_test.wire.cursors == [None, "5"]


NEVER_CACHED: list[dict[str, str]] = [
    {"type": "unapproved"}, {"type": "uncategorized"}, {"until_date": "2026-01-31"},
    {"since_date": "2026-01-01", "until_date": "2026-01-31"},
    {"since_date": "2026-01-01", "type": "unapproved"}, {"something": "else"},
]  # fmt: skip


@pytest.mark.parametrize("params", NEVER_CACHED)
def test_another_filter_is_not_cached_and_keeps_the_list(params: dict[str, str]) -> None:
    filtered = transactions(6, "t8"), transactions(6, "t9")
    under_test = ClientUnderTest(transactions(5, "t1"), *filtered, transactions(7))
    under_test.get(PATH)
    in_path = f"{PATH}?{'&'.join(f'{name}={value}' for name, value in params.items())}"
    assert under_test.get(PATH, params=params) == {"transactions": [{"id": "t8"}]}
    assert under_test.get(in_path) == {"transactions": [{"id": "t9"}]}
    assert under_test.get(PATH) == {"transactions": [{"id": "t1"}]}
    assert under_test.wire.queries == [{}, params, params, {"last_knowledge_of_server": "5"}]
    assert under_test.cache.get_data(KEY, params=params) is None


OWN_CURSORS: list[tuple[str, Any]] = [
    (PATH, {"last_knowledge_of_server": 3}), (PATH, {"last_knowledge_of_server": "3"}),
    (PATH, [("last_knowledge_of_server", "3")]), (f"{PATH}?last_knowledge_of_server=3", None),
]  # fmt: skip


@pytest.mark.parametrize(("path", "params"), OWN_CURSORS)
def test_cursor_of_the_caller_gets_the_raw_delta_and_keeps_the_list(path: str, params: Any) -> None:
    under_test = ClientUnderTest(
        transactions(6, "t2"), transactions(5, "t1"), transactions(6, "t2"), transactions(7)
    )
    assert under_test.get(path, params=params) == {"transactions": [{"id": "t2"}]}
    assert under_test.cache.get_data(KEY) is None
    under_test.get(PATH)
    assert under_test.get(path, params=params) == {"transactions": [{"id": "t2"}]}
    assert under_test.get(PATH) == {"transactions": [{"id": "t1"}]}
    sent = [request.url.params.multi_items() for request in under_test.wire.requests]
    own, stored = [("last_knowledge_of_server", "3")], [("last_knowledge_of_server", "5")]
    assert sent == [own, [], own, stored]

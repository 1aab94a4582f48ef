"""Reads through the delta cache: cursors, merging, and the result of `get`."""

import pytest

from budgetframe import ServiceAPIError
from budgetframe._resources import RESOURCES

from .wire import ClientUnderTest, Json, account, accounts, answer, by_id, error_answer

PATH = "/budgets/b1/accounts"

ROWS: dict[str, tuple[str, Json, str]] = {
    # resource: data key, a row, the field of it that changes
    "accounts": ("accounts", {"id": "x"}, "name"),
    "categories": ("category_groups", {"id": "g", "categories": []}, "name"),
    "months": ("months", {"month": "2026-05-01"}, "note"),
    "payees": ("payees", {"id": "x"}, "name"),
    "transactions": ("transactions", {"id": "x"}, "memo"),
    "scheduled_transactions": ("scheduled_transactions", {"id": "x"}, "memo"),
    "money_movements": ("money_movements", {"id": "x"}, "note"),
    "money_movement_groups": ("money_movement_groups", {"id": "x"}, "note"),
}


def test_every_resource_with_deltas_has_rows() -> None:
    assert {*ROWS} == {name for name, resource in RESOURCES.items() if resource.delta}


def test_each_read_sends_the_knowledge_of_the_one_before() -> None:
    under_test = ClientUnderTest(accounts(5, account("a1", 1_000)), accounts(9), accounts(9))
    for _ in range(3):
        under_test.get(PATH)
    assert under_test.wire.queries == [
        {}, {"last_knowledge_of_server": "5"}, {"last_knowledge_of_server": "9"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("resource", "key", "row", "field"), [(name, *rows) for name, rows in ROWS.items()], ids=ROWS
)
def test_each_delta_is_requested_and_merged(resource: str, key: str, row: Json, field: str) -> None:
    old, new = row | {field: "old"}, row | {field: "new"}
    under_test = ClientUnderTest(
        answer({key: [old], "server_knowledge": 5}), answer({key: [new], "server_knowledge": 6})
    )
    assert under_test.get(f"/budgets/b1/{resource}") == {key: [old]}
    assert under_test.cache.get_knowledge(f"b1:{resource}") == 5
    assert under_test.get(f"/budgets/b1/{resource}") == {key: [new]}
    assert under_test.wire.cursors == [None, "5"]


@pytest.mark.parametrize("path", [
    "/user", "/budgets", "/budgets/b1", "/budgets/b1/settings", "/budgets/b1/payee_locations",
    "/budgets/b1/category_groups", "/budgets/b1/unknown", "/budgets/b1/accounts/a1",
    "/budgets/b1/accounts/a1/transactions", "/budgets/b1/months/2026-05-01",
    "/budgets/b1/months/2026-05-01/money_movements", "/budgets/b1/transactions/t1",
    "/other/b1/accounts", "/accounts",
])  # fmt: skip
def test_any_other_path_never_gets_a_cursor(path: str) -> None:
    rows = {"rows": [{"id": "x"}], "server_knowledge": 5}
    under_test = ClientUnderTest(answer(rows), answer(rows))
    under_test.get(path)
    under_test.get(path)
    assert under_test.wire.cursors == [None, None]


def test_second_read_returns_the_merged_list_without_its_knowledge() -> None:
    under_test = ClientUnderTest(
        accounts(5, {"id": "a1", "balance": 1_500}, {"id": "a2", "balance": 2_500}),
        accounts(6, {"id": "a2", "balance": 9_500}, {"id": "a3", "balance": 3_500}),
    )
    under_test.get(PATH)
    data = under_test.get(PATH)
    assert (list(data), by_id(data["accounts"])) == (
        ["accounts"],
        {"a1": {"id": "a1", "balance": 1.5}, "a2": {"id": "a2", "balance": 9.5},
            "a3": {"id": "a3", "balance": 3.5}},
    )  # fmt: skip


@pytest.mark.parametrize("path", ["/budgets/b1/payees", "/budgets/b2/accounts"])
def test_cursors_of_two_lists_and_of_two_budgets_are_separate(path: str) -> None:
    under_test = ClientUnderTest(accounts(5, {"id": "a1"}), answer({"server_knowledge": 8}))
    under_test.get(PATH)
    under_test.get(path)
    assert under_test.wire.cursors == [None, None]


def test_knowledge_in_the_answer_to_a_write_moves_no_cursor() -> None:
    under_test = ClientUnderTest(
        accounts(5, {"id": "a1"}),
        answer({"scheduled_transaction": {"id": "s1"}, "server_knowledge": 99}), accounts(6),
    )  # fmt: skip
    under_test.get(PATH)
    under_test.post("/budgets/b1/scheduled_transactions")
    under_test.get(PATH)
    assert under_test.wire.cursors == [None, None, "5"]


@pytest.mark.parametrize("path", [
    "budgets/b1/accounts", "/budgets/b1/accounts/", "budgets/b1/accounts/",
    "/plans/b1/accounts", "plans/b1/accounts/",
])  # fmt: skip
def test_other_spelling_of_a_path_uses_the_same_entry(path: str) -> None:
    under_test = ClientUnderTest(accounts(5, {"id": "a1"}), accounts(6))
    under_test.get(path)
    assert under_test.cache.get_knowledge("b1:accounts") == 5
    under_test.get(PATH)
    assert under_test.wire.cursors == [None, "5"]


@pytest.mark.parametrize(
    "knowledge", [{}, *({"server_knowledge": each} for each in (None, "5a", 5.5, True, [5]))],
    ids=str,
)  # fmt: skip
def test_answer_without_an_integer_as_knowledge_is_not_stored(knowledge: Json) -> None:
    under_test = ClientUnderTest(
        answer({"accounts": [{"id": "a1"}], **knowledge}), answer({"accounts": []})
    )
    under_test.get(PATH)
    under_test.get(PATH)
    assert under_test.wire.cursors == [None, None]
    assert under_test.cache.get_data("b1:accounts") is None


def test_error_answer_to_a_delta_keeps_the_entry() -> None:
    under_test = ClientUnderTest(accounts(5, {"id": "a1"}), error_answer(503), accounts(6))
    under_test.get(PATH)
    with pytest.raises(ServiceAPIError):
        under_test.get(PATH)
    assert under_test.get(PATH) == {"accounts": [{"id": "a1"}]}


def test_full_read_after_a_lower_knowledge_replaces_the_list_and_its_knowledge() -> None:
    under_test = ClientUnderTest(
        accounts(5, {"id": "a1"}), accounts(4, {"id": "a1"}), accounts(3, {"id": "a2"}),
        accounts(6, {"id": "a3"}),
    )  # fmt: skip
    under_test.get(PATH)
    under_test.get(PATH)
    assert under_test.cache.get_knowledge("b1:accounts") == 3
    assert under_test.cache.get_data("b1:accounts") == {"accounts": [{"id": "a2"}]}
    assert under_test.get(PATH) == {"accounts": [{"id": "a2"}, {"id": "a3"}]}
    assert under_test.wire.cursors == [None, "5", None, "3"]


def test_delta_with_the_same_knowledge_is_merged() -> None:
    under_test = ClientUnderTest(accounts(5, {"id": "a1"}), accounts(5, {"id": "a2"}))
    under_test.get(PATH)
    assert under_test.get(PATH) == {"accounts": [{"id": "a1"}, {"id": "a2"}]}


def test_list_with_a_knowledge_of_zero_is_replaced_by_the_next_read() -> None:
    under_test = ClientUnderTest(accounts(0, {"id": "a1"}), accounts(3, {"id": "a2"}))
    under_test.get(PATH)
    assert under_test.get(PATH) == {"accounts": [{"id": "a2"}]}
    assert under_test.wire.cursors == [None, None]
    assert under_test.cache.get_data("b1:accounts") == {"accounts": [{"id": "a2"}]}


def test_entry_stored_by_hand_is_the_base_of_the_next_read() -> None:
    under_test = ClientUnderTest(accounts(6, {"id": "a2"}))
    under_test.cache.update("b1:accounts", {"accounts": [{"id": "a1"}]}, 5)
    data = under_test.get(PATH)
    assert (under_test.wire.cursors, set(by_id(data["accounts"]))) == (["5"], {"a1", "a2"})


def test_knowledge_in_data_stored_by_hand_is_not_in_the_result(subtests: pytest.Subtests) -> None:
    by_hand = {"accounts": [{"id": "a1"}], "server_knowledge": 7}
    for delta, extra in ((accounts(7), {}), (accounts(8), {}), (accounts(8), {"timeout": 5.0})):
        with subtests.test(extra=extra):
            under_test = ClientUnderTest(delta)
            under_test.cache.update("b1:accounts", by_hand, 7)
            assert under_test.get(PATH, **extra) == {"accounts": [{"id": "a1"}]}
            assert under_test.wire.cursors == ["7"]
    assert by_hand == {"accounts": [{"id": "a1"}], "server_knowledge": 7}


def test_changing_the_result_of_get_does_not_change_the_stored_list() -> None:
    under_test = ClientUnderTest(accounts(5, {"id": "a1", "name": "old"}), accounts(6), accounts(7))
    data = under_test.get(PATH)
    data["accounts"][0]["name"] = "changed"
    data = under_test.get(PATH)
    assert data == {"accounts": [{"id": "a1", "name": "old"}]}
    data["accounts"].clear()
    data["more"] = 1
    assert under_test.get(PATH) == {"accounts": [{"id": "a1", "name": "old"}]}


def test_changing_the_result_after_a_lower_knowledge_does_not_change_the_stored_list() -> None:
    set_back = accounts(4), accounts(4, {"id": "a1"})
    under_test = ClientUnderTest(accounts(5, {"id": "a1"}), *set_back, accounts(4))
    under_test.get(PATH)
    under_test.get(PATH)["accounts"].clear()
    assert under_test.get(PATH) == {"accounts": [{"id": "a1"}]}


def test_rows_without_a_key_are_returned_as_they_came_and_not_stored() -> None:
    row = {"category_name": "Rent", "allocation": 900_000, "spent": -12_500, "income": 0}
    under_test = ClientUnderTest(
        answer({"money_movements": [row], "server_knowledge": 5}),
        answer({"money_movements": [row], "server_knowledge": 6}),
    )
    returned = {"category_name": "Rent", "allocation": 900.0, "spent": -12.5, "income": 0.0}
    for _ in range(2):
        assert under_test.get("/budgets/b1/money_movements") == {"money_movements": [returned]}
    assert under_test.wire.cursors == [None, None]
    assert under_test.cache.get_data("b1:money_movements") is None


def test_rows_without_a_key_do_not_become_part_of_a_stored_list() -> None:
    row = {"category_name": "Rent", "allocation": 900_000, "spent": -900_000, "income": 0}
    keyed = answer({"money_movements": [{"id": "m1"}], "server_knowledge": 5})
    keyless = [answer({"money_movements": [row], "server_knowledge": 6}) for _ in range(2)]
    under_test = ClientUnderTest(keyed, *keyless)
    under_test.get("/plans/b1/money_movements")
    under_test.get("/budgets/b1/money_movements")
    assert under_test.cache.get_data("b1:money_movements") is None


def test_only_the_list_without_keys_is_replaced_whole_by_a_delta() -> None:
    under_test = ClientUnderTest(
        answer({"accounts": [{"id": "a1"}, {"id": "a2"}],
                "hints": [{"text": "one"}, {"text": "two"}], "server_knowledge": 5}),
        answer({"accounts": [{"id": "a2", "n": 1}], "hints": ["three"], "server_knowledge": 6}),
        answer({"accounts": [{"id": "a3"}], "hints": [], "server_knowledge": 7}),
        answer({"accounts": [], "server_knowledge": 8}),
    )  # fmt: skip
    assert [under_test.get(PATH) for _ in range(4)] == [
        {"accounts": [{"id": "a1"}, {"id": "a2"}], "hints": [{"text": "one"}, {"text": "two"}]},
        {"accounts": [{"id": "a1"}, {"id": "a2", "n": 1}], "hints": ["three"]},
        {"accounts": [{"id": "a1"}, {"id": "a2", "n": 1}, {"id": "a3"}], "hints": []},
        {"accounts": [{"id": "a1"}, {"id": "a2", "n": 1}, {"id": "a3"}], "hints": []},
    ]
    assert under_test.wire.cursors == [None, "5", "6", "7"]


def test_list_whose_rows_lose_their_keys_is_replaced_whole() -> None:
    under_test = ClientUnderTest(
        answer({"accounts": [{"id": "a1"}], "more": [{"id": "m1"}], "server_knowledge": 5}),
        answer({"accounts": [{"id": "a2"}], "more": [{"n": 1}], "server_knowledge": 6}),
        answer({"accounts": [], "more": [{"id": "m2"}], "server_knowledge": 7}),
    )
    assert [under_test.get(PATH)["more"] for _ in range(3)] == [
        [{"id": "m1"}], [{"n": 1}], [{"id": "m2"}],
    ]  # fmt: skip
    assert under_test.cache.get_data("b1:accounts") == {
        "accounts": [{"id": "a1"}, {"id": "a2"}], "more": [{"id": "m2"}],
    }  # fmt: skip


def test_a_knowledge_in_a_text_is_used_as_the_integer() -> None:
    texts = [answer({"accounts": [account("a1", 1)], "server_knowledge": each}) for each in "56"]
    under_test = ClientUnderTest(*texts)
    under_test.get("/budgets/b1/accounts")
    assert under_test.get("/budgets/b1/accounts")["accounts"][0]["balance"] == 0.001
    assert under_test.wire.cursors == [None, "5"]
    assert under_test.cache.get_knowledge("b1:accounts") == 6

"""The file returns exactly the values that were stored in it."""

import json
import math
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from .computer import Machine, fresh, put

AS_OF = datetime(2023, 11, 14, 22, 13, 20, 123456, tzinfo=UTC)

VALUES: list[Any] = [
    0.1, 1e-3, 1e15 + 0.001, -0.0, 5e-324, 1.7976931348623157e308, 0.30000000000000004, 1.0, 1,
    True, False, None, 0, -(2**63), 2**63, 10**40, "", "Zoë 漢字 🥖 \u0000 \u2028 \\ \" '", [],
    {}, [[], [[]], {"": {"": None}}],
]  # fmt: skip

documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False)
     | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (st.lists(inner, max_size=4)
         | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)),
    max_leaves=12,
)  # fmt: skip


def as_text(document: Any) -> str:
    """Return a text that distinguishes 1, 1.0 and True, 0.0 and -0.0, and orders of fields."""
    return json.dumps(document)


def test_values_in_a_list_are_the_same_after_a_restart(machine: Machine) -> None:
    whole = {"payees": [{"id": n, "value": value} for n, value in enumerate(VALUES)]}
    machine.kernel().cache.update("b1:payees", whole, 7)
    assert as_text(machine.kernel().cache.get_data("b1:payees")) == as_text(whole)


def test_values_in_a_delta_are_the_same_after_a_restart(machine: Machine) -> None:
    rows = [{"id": n, "value": value} for n, value in enumerate(VALUES)]
    more, kernel = [{"id": f"more {n}"} for n in range(200)], machine.kernel()
    kernel.cache.update("b1:payees", {"payees": [{"id": n} for n in range(21)] + more}, 7)
    kernel.cache.merge("b1:payees", {"payees": rows}, 9)
    assert as_text(machine.kernel().cache.get_data("b1:payees")) == as_text({"payees": rows + more})


def test_values_in_an_answer_are_the_same_after_a_restart(machine: Machine) -> None:
    put(machine.kernel().cache, "b1:settings", {"values": VALUES}, 300.0, AS_OF)
    shown = fresh(machine.kernel().cache, "b1:settings", 300.0)
    assert shown is not None
    assert (as_text(shown[0]), shown[1]) == (as_text({"values": VALUES}), AS_OF)


def test_infinities_and_nan_are_the_same_after_a_restart(machine: Machine) -> None:
    machine.kernel().cache.update("b1:payees", {"values": [math.inf, -math.inf, math.nan]}, 7)
    assert as_text(machine.kernel().cache.get_data("b1:payees")) == (
        '{"values": [Infinity, -Infinity, NaN]}'
    )


def test_any_knowledge_survives_a_restart(machine: Machine, subtests: pytest.Subtests) -> None:
    for knowledge in [0, 1, 2**31, 2**63 - 1, 2**63, 10**40]:
        with subtests.test(knowledge=knowledge):
            kernel = machine.kernel()
            kernel.cache.update("b1:payees", {"payees": []}, 0)
            kernel.cache.merge("b1:payees", {"payees": [{"id": "p1"}]}, knowledge)
            assert machine.kernel().cache.get_knowledge("b1:payees") == knowledge


def test_parameters_are_distinguished_after_a_restart(machine: Machine) -> None:
    cache = machine.kernel().cache
    cache.update("b1:payees", {"n": 1}, 1, params={})
    cache.update("b1:payees", {"n": 2}, 2, params={"a": "1,b=2"})
    cache.update("b1:payees", {"n": 3}, 3, params={"a": "1", "b": "2"})
    cache.update("b1:payees", {"n": 4}, 4, params={"é": '"'})
    again = machine.kernel().cache
    params_of_lists: list[dict[str, str]] = [{}, {"a": "1,b=2"}, {"b": "2", "a": "1"}, {"é": '"'}]
    assert [again.get_data("b1:payees", params=params) for params in params_of_lists] == [
        {"n": 1}, {"n": 2}, {"n": 3}, {"n": 4},
    ]  # fmt: skip


def test_deep_document_survives_a_restart(machine: Machine, subtests: pytest.Subtests) -> None:
    for depth in [150, 199, 200, 230, 254, 255, 400]:
        with subtests.test(depth=depth):
            deep: list[Any] = []
            for _ in range(depth):
                deep = [deep]
            machine.kernel().cache.update("b1:payees", {"payees": [], "deep": deep}, 7)
            assert machine.kernel().cache.get_data("b1:payees") == {"payees": [], "deep": deep}


def test_half_of_a_surrogate_pair_is_the_same_after_a_restart(machine: Machine) -> None:
    machine.kernel().cache.update("b1:payees", {"half": "\ud83d"}, 7)
    assert machine.kernel().cache.get_data("b1:payees") == {"half": "\ud83d"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=documents)
def test_any_document_is_the_same_after_a_restart(machine: Machine, document: Any) -> None:
    machine.kernel().cache.update("b1:payees", {"document": document}, 7)
    assert as_text(machine.kernel().cache.get_data("b1:payees")) == as_text({"document": document})

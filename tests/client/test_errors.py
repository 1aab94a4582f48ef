"""The error classes: inheritance, attributes, copies and pickles."""

import copy
import pickle
from collections.abc import Callable
from functools import partial
from itertools import product

import httpx
import pytest

import budgetframe
from budgetframe import BudgetFrameError, ServiceAPIError, ToolError

from .wire import BASE_URL, ClientUnderTest, error_answer


def through_pickle(error: Exception, protocol: int) -> Exception:
    restored: Exception = pickle.loads(pickle.dumps(error, protocol))  # noqa: S301 - our own bytes
    return restored


COPIES: dict[str, Callable[[Exception], Exception]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle, oldest protocol": partial(through_pickle, protocol=0),
    "pickle, default protocol": partial(through_pickle, protocol=pickle.DEFAULT_PROTOCOL),
    "pickle, newest protocol": partial(through_pickle, protocol=pickle.HIGHEST_PROTOCOL),
}


def test_the_two_errors_are_told_apart_and_have_a_common_class() -> None:
    assert BudgetFrameError.__bases__ == (Exception,)
    assert ServiceAPIError.__bases__ == ToolError.__bases__ == (BudgetFrameError,)


@pytest.mark.parametrize("copied", [lambda error: error, *COPIES.values()], ids=["itself", *COPIES])
def test_copies_of_errors_have_their_attributes(copied: Callable[[Exception], Exception]) -> None:
    error = ServiceAPIError(status_code=409, error_id="409.1", name="conflict", detail="Twice")
    restored = copied(error)
    assert isinstance(restored, ServiceAPIError)
    assert (restored.status_code, restored.error_id, restored.name) == (409, "409.1", "conflict")
    assert str(restored) == restored.detail == "Twice"


def test_copied_error_keeps_its_type_and_message(subtests: pytest.Subtests) -> None:
    for how, error_type in product(COPIES, [ToolError, BudgetFrameError]):
        with subtests.test(value=(how, error_type)):
            restored = COPIES[how](error_type("no more requests"))
            assert (type(restored), str(restored)) == (error_type, "no more requests")


@pytest.mark.parametrize("name", [
    "BudgetFrameError", "DeltaCache", "RateLimiter", "ServiceAPIError", "ServiceClient",
    "ToolError",
])  # fmt: skip
def test_core_name_is_exported_by_the_package(name: str) -> None:
    assert name in budgetframe.__all__


@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE"])
def test_lost_answer_of_a_write_says_that_it_may_have_been_carried_out(method: str) -> None:
    under_test = ClientUnderTest(httpx.ReadError("reset"))
    with pytest.raises(httpx.ReadError) as caught:
        under_test.request(method, "/budgets/b1/transactions")
    (note,) = caught.value.__notes__
    assert note == (
        f"{method} {BASE_URL}/budgets/b1/transactions got no complete answer. The change"
        " may have been carried out. The same call of a BudgetFrame finds out what was made; before"
        " a ServiceClient repeats the request, read the data"
    )


def test_control_characters_of_an_answer_are_shown_escaped() -> None:
    html = httpx.Response(502, text="<h1>\x1b]0;title\x07bad\u202egateway</h1>")
    under_test = ClientUnderTest(error_answer(detail="red \x1b[31mtext\r\n"), html)
    with pytest.raises(ServiceAPIError) as caught:
        under_test.request("GET", "/user")
    assert str(caught.value) == r"red \x1b[31mtext\r\n"
    with pytest.raises(ServiceAPIError) as caught:
        under_test.request("GET", "/user")
    assert r"<h1>\x1b]0;title\x07bad\u202egateway</h1>" in str(caught.value)

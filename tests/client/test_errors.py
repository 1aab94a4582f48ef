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

NOT_FOUND = ServiceAPIError(404, "404.2", "resource_not_found", "Resource not found")


@pytest.mark.parametrize("error_type", [ServiceAPIError, ToolError])
def test_both_error_classes_are_budgetframe_errors(error_type: type[Exception]) -> None:
    assert issubclass(error_type, BudgetFrameError)


def test_base_error_is_an_ordinary_exception() -> None:
    assert BudgetFrameError.__bases__ == (Exception,)


def test_tool_error_is_not_a_service_error() -> None:
    assert not issubclass(ToolError, ServiceAPIError)


def test_service_error_is_not_a_tool_error() -> None:
    assert not issubclass(ServiceAPIError, ToolError)


def test_service_error_keeps_its_four_attributes() -> None:
    assert attributes_of(NOT_FOUND) == (404, "404.2", "resource_not_found", "Resource not found")


def test_service_error_takes_its_attributes_by_name() -> None:
    error = ServiceAPIError(status_code=409, error_id="409", name="conflict", detail="Twice")
    assert attributes_of(error) == (409, "409", "conflict", "Twice")


def test_message_of_a_service_error_is_its_detail() -> None:
    assert str(NOT_FOUND) == "Resource not found"


def test_message_of_a_tool_error_is_its_argument() -> None:
    assert str(ToolError("no more requests")) == "no more requests"


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copied_service_error_keeps_its_attributes(
    copied: Callable[[Exception], Exception],
) -> None:
    restored = copied(NOT_FOUND)
    assert isinstance(restored, ServiceAPIError)
    assert attributes_of(restored) == (
        404,
        "404.2",
        "resource_not_found",
        "Resource not found",
    )


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copied_service_error_keeps_its_message(copied: Callable[[Exception], Exception]) -> None:
    assert str(copied(NOT_FOUND)) == "Resource not found"


def test_copied_error_keeps_its_type_and_message(subtests: pytest.Subtests) -> None:
    for how, error_type in product(COPIES, [ToolError, BudgetFrameError]):
        with subtests.test(value=(how, error_type)):
            restored = COPIES[how](error_type("no more requests"))
            assert (type(restored), str(restored)) == (error_type, "no more requests")


@pytest.mark.parametrize(
    "name",
    [
        "BudgetFrameError",
        "DeltaCache",
        "RateLimiter",
        "ServiceAPIError",
        "ServiceClient",
        "ToolError",
    ],
)
def test_core_name_is_exported_by_the_package(name: str) -> None:
    assert name in budgetframe.__all__


def attributes_of(error: ServiceAPIError) -> tuple[int, str, str, str]:
    return error.status_code, error.error_id, error.name, error.detail


@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE"])
def test_lost_answer_of_a_write_says_that_it_may_have_been_carried_out(method: str) -> None:
    under_test = ClientUnderTest(httpx.ReadError("reset"))
    with pytest.raises(httpx.ReadError) as caught:
        under_test.request(method, "/budgets/b1/transactions")
    (note,) = caught.value.__notes__
    assert note == (
        f"{method} {BASE_URL}/budgets/b1/transactions got no complete answer. The change"
        " may have been carried out: read the data before you repeat it. Repeating a"
        " transaction with the same import_id is safe"
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

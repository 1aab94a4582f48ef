"""The error classes: inheritance, attributes, copies and pickles."""

import copy
import pickle
from collections.abc import Callable
from functools import partial
from itertools import product

import pytest

import budgetframe
from budgetframe import BudgetFrameError, ServiceAPIError, ToolError
from tests.case import case


def through_pickle(error: Exception, protocol: int) -> Exception:
    twin: Exception = pickle.loads(pickle.dumps(error, protocol))  # noqa: S301 - our own bytes
    return twin


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


def test_copied_service_error_keeps_its_attributes() -> None:
    for how, copied in COPIES.items():
        with case(how):
            twin = copied(NOT_FOUND)
            assert isinstance(twin, ServiceAPIError)
            assert attributes_of(twin) == (404, "404.2", "resource_not_found", "Resource not found")


def test_copied_service_error_keeps_its_message() -> None:
    for how, copied in COPIES.items():
        with case(how):
            assert str(copied(NOT_FOUND)) == "Resource not found"


def test_copied_error_keeps_its_type_and_message() -> None:
    for how, error_type in product(COPIES, [ToolError, BudgetFrameError]):
        with case((how, error_type)):
            twin = COPIES[how](error_type("no more requests"))
            assert (type(twin), str(twin)) == (error_type, "no more requests")


def test_core_name_is_exported_by_the_package() -> None:
    cases = [
        "BudgetFrameError",
        "DeltaCache",
        "RateLimiter",
        "ServiceAPIError",
        "ServiceClient",
        "ToolError",
    ]
    for name in cases:
        with case(name):
            assert name in budgetframe.__all__


def attributes_of(error: ServiceAPIError) -> tuple[int, str, str, str]:
    return error.status_code, error.error_id, error.name, error.detail

"""The common base of the async classes."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from inspect import iscoroutinefunction, isfunction, unwrap
from typing import TYPE_CHECKING, Any, TypeVar

from budgetframe._runtime.arguments import check_arguments

__all__ = ["Base", "checked_methods", "missing_attribute", "naming_its_methods"]

if TYPE_CHECKING:
    from budgetframe._runtime.event_loop import OnLoop
    from budgetframe._session.session import Session


_C = TypeVar("_C", bound=type)


def checked_methods(kind: _C) -> _C:
    """Check the arguments of the public async methods of a class before they run."""
    for name, method in list(vars(kind).items()):
        if iscoroutinefunction(method) and not name.startswith("_"):
            setattr(kind, name, _checked(method))
    return kind


def _checked(method: Callable[..., Coroutine[Any, Any, Any]]) -> Any:
    @wraps(method)
    async def call(*args: Any, **kwargs: Any) -> Any:
        check_arguments(method, args, kwargs)
        return await method(*args, **kwargs)

    return call


def naming_its_methods(kind: _C) -> _C:
    """Give the inherited public methods the name of a class: errors about arguments show it."""
    for base in kind.__mro__[1:]:
        for name, method in vars(base).items():
            if isfunction(method) and not name.startswith("_"):
                for each in (method, unwrap(method)):
                    each.__qualname__ = f"{kind.__name__}.{name}"
    return kind


def missing_attribute(instance: object, name: str, place: str) -> Any:
    """Raise the error for an attribute that does not exist; for a report, it says where that is.

    Parameters
    ----------
    instance : object
        A `BudgetFrame` or its async counterpart.
    name : str
        Name of the attribute.
    place : str
        What a user writes for the instance.
    """
    if not name.startswith("_"):
        from budgetframe.reports._shared.inputs import INPUTS  # noqa: PLC0415 - slow to import

        if name in INPUTS:
            raise AttributeError(
                f"{name} is a report: write {place}.reports.{name}()", name=name, obj=instance
            )
    return object.__getattribute__(instance, name)  # raises the error


class Base:
    """A session, and the event loop on which its HTTP client runs.

    Parameters
    ----------
    session : Session
        Reads and writes one budget.
    on_loop : OnLoop
        Awaits a coroutine on the event loop of the HTTP client, from any running loop.
    """

    def __init__(self, session: Session, on_loop: OnLoop) -> None:
        self._session = session
        self._on_loop = on_loop

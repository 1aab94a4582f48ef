"""The common base of the async classes, and what their public methods have in common."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from inspect import iscoroutinefunction, isfunction, unwrap
from typing import Any, TypeVar

from budgetframe._runtime.arguments import check_arguments
from budgetframe._runtime.event_loop import OnLoop
from budgetframe._session.session import Session

_C = TypeVar("_C", bound=type)


def on_loop(kind: _C) -> _C:
    """Run the public async methods of a class on the event loop of the client."""
    return _on_loop(kind, lambda _method, _args, _kwargs: None)


def checked_on_loop(kind: _C) -> _C:
    """The same, after a check of the arguments of each call."""
    return _on_loop(kind, check_arguments)


def _on_loop(kind: _C, check: Callable[[Any, Any, Any], None]) -> _C:
    for name, method in list(vars(kind).items()):
        if iscoroutinefunction(method) and not name.startswith("_"):
            setattr(kind, name, _method_on_loop(method, check))
    return kind


def _method_on_loop(
    method: Callable[..., Coroutine[Any, Any, Any]], check: Callable[[Any, Any, Any], None]
) -> Any:
    @wraps(method)
    async def call(*args: Any, **kwargs: Any) -> Any:
        check(method, args, kwargs)
        # args[0] is the object, also if the other arguments do not fit the method.
        return await args[0]._on_loop(method(*args, **kwargs))  # noqa: SLF001

    return call


def naming_its_methods(kind: _C) -> _C:
    """Give the inherited public methods the name of a class: errors about arguments show it."""
    for base in kind.__mro__[1:]:
        for name, method in vars(base).items():
            if isfunction(method) and not name.startswith("_"):
                for each in (method, unwrap(method)):
                    each.__qualname__ = f"{kind.__name__}.{name}"
    return kind


class Base:
    """A session, and the function that awaits a coroutine on the event loop of its client."""

    def __init__(self, session: Session, on_loop: OnLoop) -> None:
        self._session = session
        self._on_loop = on_loop

"""The synchronous form of methods to await."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

__all__ = ["Twin", "blocking"]

_A_co = TypeVar("_A_co", covariant=True)
_A = TypeVar("_A")
_P = ParamSpec("_P")
_T = TypeVar("_T")


class _Runs(Protocol[_A_co]):
    """Has an awaitable twin, and runs its coroutines."""

    @property
    def aio(self) -> _A_co: ...

    def _run(self, coroutine: Coroutine[Any, Any, _T]) -> _T: ...


class Twin(Generic[_A]):
    """Methods of an awaitable twin, without ``await``.

    Parameters
    ----------
    aio : object
        The same methods, to await.
    run : callable
        Runs their coroutines.
    """

    def __init__(self, aio: _A, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self.aio = aio
        self._run = run


def blocking(
    method: Callable[Concatenate[_A, _P], Coroutine[Any, Any, _T]],
) -> Callable[Concatenate[_Runs[_A], _P], _T]:
    """Give the synchronous form of a method of the awaitable twin ``self.aio``."""

    def call(self: _Runs[_A], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return self._run(method(self.aio, *args, **kwargs))

    update_wrapper(call, method)
    return call

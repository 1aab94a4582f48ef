"""Errors of a client of another library with the classes of httpx, such as httpx2."""

from __future__ import annotations

from typing import Any

import httpx


def add_class_of_httpx(error: Exception, http: httpx.AsyncClient) -> None:
    """Let an error of the client's own library also be the error of httpx with the same name."""
    # The user, who gave the client, can catch it as before, and this package as one of httpx.
    if isinstance(error, httpx.HTTPError):
        return
    libraries = {_library_of(kind) for kind in type(http).__mro__}
    for kind in type(error).__mro__:
        same = getattr(httpx, kind.__name__, None)
        if _library_of(kind) not in libraries or not isinstance(same, type):
            continue
        if issubclass(same, httpx.HTTPError):
            error.__class__ = _class_of_both(type(error), same)
            return


def _class_of_both(own: type, same: type) -> Any:
    return type(own.__name__, (own, same), {"__module__": own.__module__, "__reduce__": _reduce})


def _reduce(error: Exception) -> tuple[object, ...]:
    """For pickle, which does not find the class by its name."""
    return _new_error, (*type(error).__bases__, error.args), error.__dict__


def _new_error(own: type, same: type, arguments: tuple[object, ...]) -> object:
    kind = _class_of_both(own, same)
    return kind.__new__(kind, *arguments)


def _library_of(kind: type) -> str:
    return kind.__module__.partition(".")[0]

"""Errors of a client of another library with the classes of httpx, such as httpx2."""

from __future__ import annotations

import httpx

__all__ = ["add_class_of_httpx"]


def add_class_of_httpx(error: Exception, http: httpx.AsyncClient) -> None:
    """Let an error of the client's own library also be the error of httpx with the same name.

    The user, who gave the client, can catch it as before, and this package as one of httpx.
    """
    if isinstance(error, httpx.HTTPError):
        return
    libraries = {_library_of(each) for each in type(http).__mro__}
    for kind in type(error).__mro__:
        same = getattr(httpx, kind.__name__, None)
        if _library_of(kind) not in libraries or not isinstance(same, type):
            continue
        if issubclass(same, httpx.HTTPError):
            name, module = type(error).__name__, type(error).__module__
            error.__class__ = type(name, (type(error), same), {"__module__": module})
            return


def _library_of(kind: type) -> str:
    return kind.__module__.partition(".")[0]

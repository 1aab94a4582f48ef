"""What a response of the service means: its data object, or an error."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

import httpx
from pydantic_core import from_json

from budgetframe.errors import ServiceAPIError

__all__ = ["data_of", "invalid_response", "without_credentials"]

_SHOWN = 160  # characters of an unexpected body that a message shows
_ADVICE = {
    HTTPStatus.UNAUTHORIZED: "The service does not accept the token: make a new one in its settings"
    " and connect with that",
    HTTPStatus.TOO_MANY_REQUESTS: "The service counts all programs that use the token: wait, an"
    " hour at most",
}
_CREDENTIALS = ("authorization", "cookie", "proxy-authorization")


def data_of(response: httpx.Response) -> dict[str, Any]:
    """Give the data object of an answer, out of its envelope.

    Raises
    ------
    ServiceAPIError
        For any status of 300 or more, and for a 2xx without a JSON body that has a data object.
    """
    try:
        body = from_json(response.content, allow_inf_nan=False)
    except ValueError:
        body = None
    if response.status_code >= HTTPStatus.MULTIPLE_CHOICES:
        error = _error(response, body)
        if response.status_code in _ADVICE:
            error.add_note(_ADVICE[HTTPStatus(response.status_code)])
        raise error
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, dict):
        raise invalid_response(response.status_code, f"no data object in it: {_excerpt(response)}")
    return data


def invalid_response(status_code: int, problem: str) -> ServiceAPIError:
    """Give the error for an answer that says it succeeded and cannot be used."""
    detail = f"The service answered {status_code}, but there is {problem}"
    return ServiceAPIError(status_code, str(status_code), "invalid_response", detail)


def without_credentials(error: httpx.RequestError) -> httpx.RequestError:
    """Free an exception of httpx from every way to the credentials of its request.

    They are in the headers of the request it carries, and in the local variables of the frames
    that its traceback and its causes hold. The first cause stays readable as a note.
    """
    cause: BaseException = error
    while (deeper := cause.__cause__ or cause.__context__) is not None and deeper is not cause:
        cause = deeper
    try:
        request = error.request
    except RuntimeError:  # it was raised before there was a request
        request = httpx.Request("GET", "")
    error.args = tuple(
        _redacted(arg, request) if isinstance(arg, str) else arg for arg in error.args
    )
    if not str(error):  # as httpx leaves a connection that broke in the middle
        error.args = ("the connection broke",)
    if cause is not error and str(cause) != str(error):
        error.add_note(_redacted(f"Cause: {type(cause).__name__}: {cause}", request))
    if request.url.host:
        headers = [(k, v) for k, v in request.headers.multi_items() if k not in _CREDENTIALS]
        error.request = httpx.Request(request.method, request.url, headers=headers)
        if not isinstance(error, httpx.LocalProtocolError | httpx.UnsupportedProtocol):
            error.add_note(
                f"{request.method} {request.url} got no complete answer. Nothing that is cached"
                " was lost: try again when the connection is back"
            )
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def _error(response: httpx.Response, body: Any) -> ServiceAPIError:
    status = response.status_code
    documented = body.get("error") if isinstance(body, dict) else None
    if isinstance(documented, dict):
        fields = [documented.get(field) for field in ("id", "name", "detail")]
        texts = [_redacted(field, response.request) for field in fields if isinstance(field, str)]
        if len(texts) == len(fields):
            return ServiceAPIError(status, *texts)
    phrase = response.reason_phrase or f"status {status}"
    name = re.sub(r"[^a-z0-9]+", "_", phrase.lower()).strip("_")
    detail = f"HTTP {status} {phrase}, without the service's error object: {_excerpt(response)}"
    return ServiceAPIError(status, str(status), name, detail)


def _excerpt(response: httpx.Response) -> str:
    text = " ".join(_redacted(response.text, response.request).split())
    if not text:
        return "the body is empty"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"


def _redacted(text: str, request: httpx.Request) -> str:
    """Take the credential out of a text that echoes it."""
    credential = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    # As it is, and as a message shows one with characters that cannot be sent.
    for form in (credential, repr(credential)[1:-1], repr(credential.encode())[2:-1]):
        text = text.replace(form, "***") if form else text
    return text

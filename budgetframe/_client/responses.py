"""Turn a response of the service into its data object or an error."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from datetime import datetime
from http import HTTPStatus
from math import isfinite
from typing import Any, NamedTuple

import httpx
from pydantic_core import from_json

from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._runtime.text import number_of, printable, row_name, whole_text
from budgetframe.errors import ServiceAPIError

_EXCERPT_LENGTH = 160  # characters of an unexpected body that a message shows
_ADVICE = {
    HTTPStatus.UNAUTHORIZED: "The service does not accept the token: create a new token in its"
    " settings and connect with it",
    HTTPStatus.TOO_MANY_REQUESTS: "The service counts the requests of all programs that use the"
    " token: wait for one hour at most",
}
_NETWORK_ADVICE = (
    "Look whether other pages open in a browser: the network may be down, or may want a login"
    " first. If they open, check base_url and, behind a proxy, the environment variable"
    " HTTPS_PROXY; then try again"
)
WRITE_ADVICE = (
    "The change may have been carried out. The same call of a BudgetFrame finds out what was made;"
    " before a ServiceClient repeats the request, read the data"
)
"""What to do after a write whose result is unknown."""
_READ_ONLY_ADVICE = (
    "This token may only read, and nothing was written: connect with a personal access token, or"
    " authorize the OAuth application again without the scope read-only"
)
_READ_ONLY = "403.3"
_LOGIN_PAGES = {*range(300, 400), HTTPStatus.NETWORK_AUTHENTICATION_REQUIRED}  # of a network
_ADDRESS_ADVICE = "the address of the service usually ends with /v1"
_NO_SUCH_PATH, _NO_SUCH_RESOURCE = "404.1", "404.2"
_NO_DATA = "has no data object"
_NO_ERROR = "without the service's error object"
# The HTTP library quotes a damaged line, which can be a part of the body.
_EXCERPT = re.compile(rf"({_NO_DATA}|{_NO_ERROR}|illegal [a-z ]+): .*", re.DOTALL)
_FIRST_KEYS = {"plans": "budgets", "default_plan": "default_budget", "plan": "budget"}
"""The keys of answers that differ in the first spelling of the paths, by those of the second."""
_SHOWN_LENGTH = 80  # characters of a value in a message
_CREDENTIALS = ("authorization", "cookie", "proxy-authorization")


class Received(NamedTuple):
    """The converted data object of a response."""

    data: dict[str, Any]
    has_amounts: bool  # whether all rows have their amounts
    date: datetime | None  # the time that the response states
    content: bytes  # the response as it was sent


def data_of(response: httpx.Response) -> dict[str, Any]:
    """Return the data object of a response."""
    # A status of 300 or more, or a body that is not JSON with a data object, is a
    # `ServiceAPIError`. JSON that is not strict is read leniently, with a `RuntimeWarning`.
    try:
        body, problem = read_json(response.content)
    except ValueError:
        body, problem = None, ""
    if response.status_code >= HTTPStatus.MULTIPLE_CHOICES:
        error = _error(response, body)
        if response.status_code in _ADVICE:
            error.add_note(_ADVICE[HTTPStatus(response.status_code)])
        elif error.error_id == _READ_ONLY:
            error.add_note(_READ_ONLY_ADVICE)
        elif error.error_id == _NO_SUCH_PATH:
            error.add_note(f"Check base_url: {_ADDRESS_ADVICE}")
        elif body is None and response.status_code in _LOGIN_PAGES:
            error.add_note(_NETWORK_ADVICE)
        raise error
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, dict):
        error = invalid_response(response.status_code, f"{_NO_DATA}: {_excerpt(response)}")
        if body is None:
            error.add_note(_NETWORK_ADVICE)
        raise error
    if problem:
        call = f"{response.request.method} {response.request.url.path}"
        defer_warning(f"the answer to {call} {problem}")
    return data


def read_json(content: bytes) -> tuple[Any, str]:
    """Parse a document, and leniently if it is not strict JSON; no JSON is a ValueError.

    Half characters become U+FFFD, and numbers that are not finite become null. The second result
    says what was not strict, in a sentence without its subject that names the first row, or is
    empty.
    """
    try:
        return from_json(content, allow_inf_nan=False), ""
    except ValueError as error:
        strict = error
    try:
        text = content.decode("utf-8-sig", "surrogateescape")
        found: list[str] = []
        document = _repaired(json.loads(text, strict=False), "", "the answer", found)
    except (ValueError, RecursionError):
        raise strict from None
    if found:
        count = number_of(len(found), "value is damaged", "values are damaged")
        reason = (
            f"{count} (first: {found[0]}). A half character is replaced by \ufffd, and a"
            " number that is not finite is missing"
        )
    elif content.startswith(BOM_UTF8):
        reason = "it begins with a byte order mark"
    else:
        reason = "a text in it has a control character"
    return document, f"is not strict JSON: {reason}"


def _repaired(node: Any, name: str, row: str, found: list[str]) -> Any:
    """The node with replaced values, each of which is described in `found`."""
    if isinstance(node, dict):
        names = [_repaired(key, "a field", row, found) for key in node]
        values = [_repaired(value, key, row, found) for key, value in node.items()]
        return dict(zip(names, values, strict=True))
    if isinstance(node, list):
        names = [row_name(name, child, number) for number, child in enumerate(node)]
        return [_repaired(child, name, row, found) for child, row in zip(node, names, strict=True)]
    repaired = node
    if isinstance(node, str):
        repaired = whole_text(node)
    elif isinstance(node, float) and not isfinite(node):
        repaired = None
    if repaired is not node and repaired != node:
        found.append(f"{row} has {name}={node!r}"[:_SHOWN_LENGTH])
    return repaired


def with_first_keys(data: dict[str, Any]) -> dict[str, Any]:
    """The data object with the keys of the first spelling of the paths."""
    return {_FIRST_KEYS.get(key, key): value for key, value in data.items()}


def invalid_response(status_code: int, problem: str) -> ServiceAPIError:
    """The error for an answer of success that cannot be used; `problem` continues "the answer"."""
    detail = f"The service answered {status_code}, but the answer {problem}"
    return ServiceAPIError(status_code, str(status_code), "invalid_response", detail)


def is_no_such_resource(error: ServiceAPIError) -> bool:
    """Whether the service knows the path, and says that the object does not exist."""
    return error.error_id == _NO_SUCH_RESOURCE


def without_excerpt(message: str) -> str:
    """Remove the excerpt of a body from the message of an error."""
    return _EXCERPT.sub(r"\1", message)


def strip_credentials(error: httpx.HTTPError) -> httpx.HTTPError:
    """Remove the credentials of the request from an exception of httpx, and add a note."""
    # The credentials are in the headers of its request, and in local variables of the frames in its
    # traceback and in those of its causes. A note keeps the message of the first cause.
    cause: BaseException = error
    while (earlier := cause.__cause__ or cause.__context__) is not None and earlier is not cause:
        cause = earlier
    try:
        request = error.request
    except RuntimeError:  # the error was raised before the request was created
        request = httpx.Request("GET", "")
    args = error.args
    error.args = tuple(_redacted(arg, request) if isinstance(arg, str) else arg for arg in args)
    is_late = isinstance(error, httpx.TimeoutException)
    if not str(error):  # httpx gives no message for a timeout or a connection that breaks
        kind = type(error).__name__.removesuffix("Timeout").lower()
        seconds = request.extensions.get("timeout", {}).get(kind)
        error.args = (f"no answer within {seconds} s" if is_late else "the connection broke",)
    if cause is not error and str(cause) != str(error) and not is_late:
        error.add_note(_redacted(f"Cause: {type(cause).__name__}: {cause}", request))
    if request.url.host:
        headers = [(k, v) for k, v in request.headers.multi_items() if k not in _CREDENTIALS]
        error.request = type(request)(request.method, request.url, headers=headers)
        if isinstance(error, httpx.HTTPStatusError):
            error.response.request = error.request
        elif not isinstance(error, httpx.LocalProtocolError | httpx.UnsupportedProtocol):
            error.add_note(
                f"{request.method} {request.url} got no complete answer."
                f" {_NETWORK_ADVICE if request.method == 'GET' else WRITE_ADVICE}"
            )
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def _error(response: httpx.Response, body: Any) -> ServiceAPIError:
    status = response.status_code
    documented = body.get("error") if isinstance(body, dict) else None
    if isinstance(documented, dict):
        fields = [documented.get(field) for field in ("id", "name", "detail")]
        known = [field for field in fields if isinstance(field, str)]
        texts = [printable(_redacted(field, response.request)) for field in known]
        if len(texts) == len(fields):
            return ServiceAPIError(status, *texts)
    phrase = printable(response.reason_phrase) or f"status {status}"
    name = re.sub(r"[^a-z0-9]+", "_", phrase.lower()).strip("_")
    detail = f"HTTP {status} {phrase}, {_NO_ERROR}: {_excerpt(response)}"
    if status == HTTPStatus.NOT_FOUND:
        detail += f". Check base_url: {_ADDRESS_ADVICE}"
    return ServiceAPIError(status, str(status), name, detail)


def _excerpt(response: httpx.Response) -> str:
    text = printable(" ".join(_redacted(response.text, response.request).split()))
    if not text:
        return "the body is empty"
    if len(text) <= _EXCERPT_LENGTH:
        return text
    return f"{text[:_EXCERPT_LENGTH]}... ({len(text)} characters)"


def _redacted(text: str, request: httpx.Request) -> str:
    """Replace the credential in a text by ``***``."""
    credential = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    # Messages show a credential that cannot be sent in its escaped forms.
    for form in (credential, repr(credential)[1:-1], repr(credential.encode())[2:-1]):
        text = text.replace(form, "***") if form else text
    return text

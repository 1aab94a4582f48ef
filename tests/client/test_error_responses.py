"""Error answers, and failures without an answer."""

import contextlib
import pickle
from collections.abc import AsyncIterator, Callable
from itertools import product
from typing import Any

import httpx
import pytest

from budgetframe import ServiceAPIError

from .wire import TOKEN, Answer, ClientUnderTest, answer, error_answer

LONG = 1_000  # the detail is never longer than this


def error_from(response: Answer, method: str = "GET") -> ServiceAPIError:
    """Return the error that the client raises for an answer."""
    under_test = ClientUnderTest(response)
    with pytest.raises(ServiceAPIError) as caught:
        under_test.request(method, "/user")
    return caught.value


def parts(error: ServiceAPIError) -> tuple[int, str, str, str]:
    return error.status_code, error.error_id, error.name, error.detail


@pytest.mark.parametrize("status", [300, 301, 302, 304, 307, 308, 399, 400, 404, 500, 503, 599])
def test_any_status_of_300_or_more_is_an_error(status: int) -> None:
    error = error_from(error_answer(status, "1.2", "refused", "date is invalid (index: 3)"))
    assert parts(error) == (status, "1.2", "refused", "date is invalid (index: 3)")
    assert str(error) == "date is invalid (index: 3)"


def test_error_status_with_a_data_object_is_still_an_error() -> None:
    assert error_from(answer({"user": {"id": "u1"}}, 500)).status_code == 500


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_every_method_raises_the_error_of_the_service(method: str) -> None:
    assert error_from(error_answer(409, "409", "conflict", "Used"), method).name == "conflict"


def test_redirect_is_never_followed(subtests: pytest.Subtests) -> None:
    for status, location in product(
        [301, 302, 303, 307, 308], ["https://evil.test/", "https://service.test/v1/other"]
    ):
        with subtests.test(value=(status, location)):
            under_test = ClientUnderTest(
                httpx.Response(status, headers={"Location": location}), follow_redirects=True
            )
            with pytest.raises(ServiceAPIError):
                under_test.get("/user")
            assert len(under_test.wire.requests) == 1


def test_redirect_is_not_followed_even_when_a_caller_asks_for_it() -> None:
    under_test = ClientUnderTest(httpx.Response(302, headers={"Location": "https://evil.test/"}))
    with contextlib.suppress(ServiceAPIError, TypeError, ValueError):
        under_test.get("/user", follow_redirects=True)
    assert [request.url.host for request in under_test.wire.requests] in ([], ["service.test"])


BODIES: dict[str, bytes] = {
    "nothing": b"", "html": b"<html>\n<body>\r\n<h1>502 Bad Gateway</h1>\n</body></html>",
    "text": b"upstream went away", "null": b"null", "a list": b"[1, 2]", "a string": b'"no"',
    "a number": b"17", "an empty object": b"{}", "another object": b'{"message": "no"}',
    "no error": b'{"error": null}', "an error string": b'{"error": "no"}',
    "an error list": b'{"error": ["no"]}', "an empty error": b'{"error": {}}',
    "half an object": b'{"error": {"id": "502", "na', "broken utf-8": b'{"error": \xff\xfe\x00}',
    "deep nesting": b"[" * 200_000,
}  # fmt: skip


@pytest.mark.parametrize("content", BODIES.values(), ids=BODIES)
def test_body_without_the_error_object_is_named_by_its_status(content: bytes) -> None:
    error = error_from(httpx.Response(502, content=content))
    assert (error.status_code, error.error_id, error.name) == (502, "502", "bad_gateway")
    assert error.detail.strip()
    assert len(error.detail.splitlines()) == 1
    assert str(error) == error.detail


@pytest.mark.parametrize("body", [b"x" * 1_000_000, b"<p>\n" * 250_000, b'"' + b"y" * 99_999])
def test_detail_of_a_huge_body_is_bounded(body: bytes) -> None:
    assert len(error_from(httpx.Response(502, content=body)).detail) <= LONG


@pytest.mark.parametrize(("status", "name"), [
    (302, "found"), (304, "not_modified"), (429, "too_many_requests"),
    (505, "http_version_not_supported"),
    (599, "status_599"),  # it has no reason
])  # fmt: skip
def test_name_without_the_error_object_is_the_reason_in_snake_case(status: int, name: str) -> None:
    error = error_from(httpx.Response(status, text="<html>"))
    assert (error.status_code, error.error_id, error.name) == (status, str(status), name)


@pytest.mark.parametrize("body", [
    pytest.param({"error": {"id": "404.2"}}, id="members missing"),
    pytest.param({"error": {"id": 404, "name": "resource_not_found", "detail": "x"}},
        id="id a number"),
    pytest.param({"error": {"id": "404.2", "name": None, "detail": None}}, id="members null"),
    pytest.param({"error": {"id": "404.2", "name": "resource_not_found", "detail": ["x"]}},
        id="detail a list"),
])  # fmt: skip
def test_attributes_are_text_for_an_incomplete_error_object(body: Any) -> None:
    error = error_from(httpx.Response(404, json=body))
    assert [type(part) for part in parts(error)] == [int, str, str, str]


INVALID: dict[str, Callable[[], httpx.Response]] = {
    "html": lambda: httpx.Response(200, text="<html></html>"),
    "half an answer": lambda: httpx.Response(200, content=b'{"data": {"accounts": ['),
    "nothing": lambda: httpx.Response(200),
    "204": lambda: httpx.Response(204),
    "201 without a body": lambda: httpx.Response(201),
    "a list": lambda: httpx.Response(200, json=[]),
    "null": lambda: httpx.Response(200, json=None),
    "no data": lambda: httpx.Response(200, json={"accounts": []}),
    "data null": lambda: httpx.Response(200, json={"data": None}),
    "data a list": lambda: httpx.Response(200, json={"data": [{"id": "a1"}]}),
    "data a string": lambda: httpx.Response(200, json={"data": "x"}),
    "an error object": lambda: httpx.Response(200, json={"error": {"id": "1"}}),
    "deep nesting": lambda: httpx.Response(200, content=b'{"data": ' + b"[" * 200_000),
}


@pytest.mark.parametrize("respond", INVALID.values(), ids=INVALID)
def test_success_without_a_data_object_is_invalid(respond: Callable[[], httpx.Response]) -> None:
    error = error_from(respond())
    assert (error.name, error.status_code) == ("invalid_response", respond().status_code)


def test_success_without_a_body_is_invalid_for_every_method(subtests: pytest.Subtests) -> None:
    for method, body in product(
        ["GET", "POST", "PUT", "PATCH", "DELETE"], ["204", "nothing", "201 without a body"]
    ):
        with subtests.test(value=(method, body)):
            assert error_from(INVALID[body](), method).name == "invalid_response"


FAILURES: list[type[httpx.RequestError]] = [
    httpx.ConnectError, httpx.ConnectTimeout, httpx.ReadTimeout, httpx.WriteTimeout,
    httpx.PoolTimeout, httpx.ReadError, httpx.WriteError, httpx.CloseError, httpx.ProxyError,
    httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.RemoteProtocolError,
    httpx.DecodingError,
]  # fmt: skip


def failure_from(answer: Answer) -> httpx.RequestError:
    """Return the error that the client raises when the transport fails."""
    under_test = ClientUnderTest(answer)
    with pytest.raises(httpx.RequestError) as caught:
        under_test.get("/user")
    return caught.value


@pytest.mark.parametrize("failure", FAILURES)
def test_failure_keeps_its_type_and_holds_no_token(failure: type[httpx.RequestError]) -> None:
    error = failure_from(failure("lost"))
    assert type(error) is failure
    assert all("authorization" not in headers for headers in headers_of_chain(error))
    pickled = pickle.dumps(error)
    assert TOKEN.encode() not in pickled
    restored = pickle.loads(pickled)  # noqa: S301 - our own bytes
    assert (type(restored), str(restored)) == (failure, "lost")


def test_cause_of_a_failure_carries_no_authorization_header() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    def fail(request: httpx.Request) -> httpx.Response:
        try:
            return refuse(request)
        except httpx.ConnectError as error:
            raise httpx.ProxyError("lost") from error

    assert all("authorization" not in headers for headers in headers_of_chain(failure_from(fail)))


def test_body_that_cannot_be_decoded_stays_a_decoding_error() -> None:
    garbled = httpx.Response(
        200, headers={"Content-Encoding": "gzip"}, stream=httpx.ByteStream(b"not gzip")
    )
    assert type(failure_from(garbled)) is httpx.DecodingError


def test_answer_that_breaks_off_stays_a_read_error() -> None:
    assert type(failure_from(httpx.Response(200, content=breaking_off()))) is httpx.ReadError


def test_token_still_works_after_a_failure() -> None:
    under_test = ClientUnderTest(httpx.ConnectError("refused"), answer({}))
    with pytest.raises(httpx.ConnectError):
        under_test.get("/user")
    under_test.get("/user")
    assert under_test.wire.requests[1].headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize("response", [
    pytest.param(
        lambda: error_answer(401, "401", "not_authorized", f"Unauthorized: Bearer {TOKEN}"),
        id="documented"),
    pytest.param(lambda: error_answer(401, "401", "not_authorized", TOKEN), id="token alone"),
    pytest.param(lambda: httpx.Response(502, text=f"<pre>Authorization: Bearer {TOKEN}</pre>"),
        id="html"),
    pytest.param(
        lambda: httpx.Response(502, json={"headers": {"authorization": f"Bearer {TOKEN}"}}),
        id="another json"),
    pytest.param(lambda: httpx.Response(200, text=f"you sent {TOKEN}"), id="200 text"),
    pytest.param(lambda: httpx.Response(200, json={"echo": TOKEN}), id="200 json"),
])  # fmt: skip
def test_token_echoed_by_a_body_is_not_in_the_error(response: Callable[[], Answer]) -> None:
    error = error_from(response())
    assert TOKEN not in repr((error, str(error), parts(error), error.args))


def test_shortened_detail_contains_no_part_of_an_echoed_token() -> None:
    bodies = ["x" * padding + TOKEN + "y" * 99 for padding in range(LONG + 50)]
    under_test = ClientUnderTest(
        *(httpx.Response(502, text=body) for body in bodies), threshold=10_000
    )

    async def details() -> list[str]:
        found: list[str] = []
        for _ in bodies:
            try:
                await under_test.client.get("/user")
            except ServiceAPIError as error:
                found.append(error.detail)
        return found

    assert [detail for detail in under_test.run(details()) if TOKEN[:4] in detail] == []


def test_error_raised_by_the_client_survives_pickling() -> None:
    restored = pickle.loads(pickle.dumps(error_from(error_answer())))  # noqa: S301 - our own bytes
    assert parts(restored) == (404, "404.2", "resource_not_found", "Resource not found")


def headers_of_chain(error: BaseException | None) -> list[httpx.Headers]:
    """Return the request headers of an exception and of all its causes and contexts."""
    found: list[httpx.Headers] = []
    while error is not None:
        if isinstance(error, httpx.RequestError):
            found.append(error.request.headers)
        error = error.__cause__ or error.__context__
    return found


async def breaking_off() -> AsyncIterator[bytes]:
    yield b'{"data": {"accounts": ['
    raise httpx.ReadError("connection reset")


def test_failure_without_a_message_gets_one() -> None:
    under_test = ClientUnderTest(httpx.ReadError(""))
    with pytest.raises(httpx.ReadError, match=r"^the connection broke\n"):
        under_test.get("/user")

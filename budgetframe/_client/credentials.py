"""The token and the address of a connection, checked before a request is sent."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import sys
import traceback
from collections.abc import Awaitable, Callable, Hashable
from inspect import isawaitable
from pathlib import Path
from types import ModuleType

import httpx

from budgetframe.errors import ToolError

TOKEN_VARIABLE = "BUDGETFRAME_TOKEN"  # noqa: S105 - the name of the variable
_KEYRING_NAME = "budgetframe"  # the tokens' name in the keyring; the user name is the address
_PROCESS_KEY = os.urandom(32)
PORTS = 65535
_NOT_STORED = (
    "the system's keyring does not keep the token: unlock it and try again, or set the environment"
    f" variable {TOKEN_VARIABLE}. Nothing was stored"
)
_NO_KEYRING = (
    "this machine has no keyring, or it is switched off: put the token into the environment"
    f" variable {TOKEN_VARIABLE} instead. Nothing was changed"
)
_SWITCHED_OFF = "keyring.backends.null"  # the library's keyring that keeps nothing
_QUOTES = frozenset("'\"`")
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})

TokenFunction = Callable[[], str | Awaitable[str]]
"""A function that returns the present token, for tokens that expire."""

_numbers: dict[Hashable, tuple[int, object]] = {}
"""Numbers of objects that stand for a token, and the objects: their `id` must stay theirs."""


class Token:
    """An access token that no repr and no pickle contains; `check` comes before its use."""

    # The constructor never raises an error, so that the caller can delete its variable with the
    # token before a traceback could show it.

    def __init__(self, value: str | TokenFunction | None = None) -> None:
        self._function = value if callable(value) else None
        self._value = "" if callable(value) else value or ""

    def __repr__(self) -> str:
        return "Token(...)"

    def __reduce__(self) -> tuple[type[Token], tuple[()]]:
        return Token, ()

    @property
    def is_function(self) -> bool:
        """Whether a function returns the token."""
        return self._function is not None

    def check(self, base_url: str) -> None:
        """Find the token for this address if none was given; a missing or wrong one is an error."""
        if self._function is not None:  # it is called for each request, and not before
            return
        self._value = valid_token(
            self._value
            or os.environ.get(TOKEN_VARIABLE)
            or stored_token(base_url)
            or _token_from_prompt()
        )

    def refuse_in(self, **arguments: object) -> None:
        """Refuse other arguments that contain the token, because they are shown and stored."""
        for name, value in arguments.items():
            if any(map(self._is_in, value if isinstance(value, list | tuple) else (value,))):
                raise ToolError(f"{name} contains the token: pass it as the token only")

    def _is_in(self, value: object) -> bool:
        """Whether a value is the token, or a path or an address of which it is a part."""
        return self._value.strip() in re.findall(r"[^/\\:]{8,}", str(value))  # shorter: no token

    @property
    def headers(self) -> dict[str, str]:
        """The authorization header; none for a function, which `present_headers` calls."""
        return {} if self._function is not None else {"Authorization": f"Bearer {self._value}"}

    async def present_headers(self) -> dict[str, str]:
        """The next authorization header; a function without a valid result is a `ToolError`."""
        if self._function is None:
            return self.headers
        failure: ToolError | None = None
        given: object = None
        try:
            given = self._function()
            if isawaitable(given):
                given = await given
        except (asyncio.CancelledError, GeneratorExit):  # the call is interrupted
            raise
        except BaseException as error:  # noqa: BLE001 - another one would end the event loop
            failure = failure_of_function(error)
        if failure is not None:  # outside of `except`: the error has no context
            raise failure
        try:
            return token_of_function(given).headers
        finally:
            del given  # a traceback shows the local variables

    def key_at(self, base_url: str) -> str:
        """A key for this token at this address, which only this process can compute."""
        # For a function it is that of the function, so that the token can change.
        if self._function is not None:
            return key_of_object(base_url, self._function)
        # The value may not be checked yet.
        text = f"{base_url} {self._value}".encode(errors="surrogatepass")
        return hashlib.blake2b(text, key=_PROCESS_KEY).hexdigest()

    def name_at(self, base_url: str) -> str:
        """A name of files for this token at this address; the token cannot be computed from it."""
        # For a function it is that of the address alone, so that the token can change.
        salt = f"budgetframe {base_url}".encode()
        return hashlib.scrypt(self._value.encode(), salt=salt, n=2**13, r=8, p=1, dklen=16).hex()


def token_of_function(given: object) -> Token:
    """The token that a function has returned; anything else is a `ToolError`."""
    try:
        return Token(valid_token(given))
    except ToolError as error:
        problem = str(error)
    # Neither a frame nor a cause of this error may hold what was returned.
    del given
    raise ToolError(f"the function for the token returned no token: {problem}. Nothing was sent")


def failure_of_function(error: BaseException) -> ToolError:
    """What is raised instead of an error of the function, whose text can contain the token."""
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    return ToolError(
        f"the function for the token raised {type(error).__name__} in line {line} of"
        f" {Path(frame.f_code.co_filename).name}. Its text is not shown, because it can contain the"
        " token: call the function yourself to see it. Nothing was sent"
    )


def key_of_object(base_url: str, thing: object) -> str:
    """A key, in this process, for an object that authenticates requests to an address."""
    # Equal objects, such as the same method taken twice from an object, have the same key.
    name = thing if isinstance(thing, Hashable) else id(thing)
    number, _ = _numbers.setdefault(name, (len(_numbers), thing))
    return f"{base_url} {number}"


def checked_base_url(base_url: str) -> str:
    """The address, if a token may be sent there (https or this machine); else a `ToolError`."""
    try:
        url = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL("")
    if not url.host or url.userinfo or url.query or url.fragment or (url.port or 0) > PORTS:
        raise ToolError(
            "base_url is not the address of a service: give one like 'https://api.ynab.com/v1'"
        )
    if url.scheme != "https" and not (url.scheme == "http" and is_this_machine(base_url)):
        raise ToolError(
            "base_url is not https: the token would be readable on the way (http is accepted for"
            " 127.0.0.1 and localhost)"
        )
    # The spelling of httpx: one address has one limit, however the user wrote it.
    return str(url).rstrip("/")


def is_this_machine(base_url: str) -> bool:
    """Whether the address is a loopback address."""
    return httpx.URL(base_url).host in _LOOPBACK


def valid_token(token: object) -> str:
    """The token without surrounding white space; a text that cannot be one is a `ToolError`."""
    if not isinstance(token, str):
        raise ToolError(f"the token has the type {type(token).__name__}: pass it as text")
    token = token.strip()
    if token[:1] in _QUOTES or token[-1:] in _QUOTES:
        raise ToolError("the token has a quotation mark at an end: pass the token without quotes")
    if token.lower().startswith("bearer "):
        raise ToolError("the token begins with 'Bearer': pass the token alone, without this word")
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ToolError(
            "the token is empty or has characters no token has (blanks, line breaks, non-ASCII):"
            " pass the token alone, without 'Bearer' and without quotes"
        )
    return token


def _token_from_prompt() -> str:
    if "ipykernel" in sys.modules or (sys.stdin is not None and sys.stdin.isatty()):
        try:
            from getpass import getpass  # noqa: PLC0415 - slow and rarely used

            return getpass("Access token of the budgeting service: ")
        except (EOFError, NotImplementedError):  # a kernel without keyboard input
            pass
    raise ToolError(
        f"no token: set the environment variable {TOKEN_VARIABLE}, or store the token with"
        " 'budgetframe login', or pass BudgetFrame.connect(token). BudgetFrame.sandbox() needs none"
    )


def check_keyring(base_url: str) -> None:
    """Check that the system's keyring can be used for an address; if not, it is a `ToolError`."""
    keyring = _keyring()
    try:
        keyring.get_password(_KEYRING_NAME, base_url)
    except Exception as error:  # noqa: BLE001 - each system's keyring has other errors
        raise _unusable(keyring, error) from None
    if type(keyring.get_keyring()).__module__ == _SWITCHED_OFF:
        raise ToolError(_NO_KEYRING)


def store_token(token: str, base_url: str) -> str:
    """Store the token of an address in the keyring, whose name is returned; else a `ToolError`."""
    keyring = _keyring()
    try:
        keyring.set_password(_KEYRING_NAME, base_url, token)
        is_stored = keyring.get_password(_KEYRING_NAME, base_url) == token
    except Exception as error:  # noqa: BLE001 - each system's keyring has other errors
        raise ToolError(f"{_NOT_STORED} ({type(error).__name__})") from None
    if not is_stored:  # the keyring that is configured keeps nothing
        raise ToolError(_NOT_STORED)
    return str(keyring.get_keyring().name)


def delete_token(base_url: str) -> None:
    """Delete the token of an address from the keyring; a `ToolError` if that is not possible."""
    keyring = _keyring()
    try:
        is_stored = keyring.get_password(_KEYRING_NAME, base_url) is not None
        if is_stored:
            keyring.delete_password(_KEYRING_NAME, base_url)
    except Exception as error:  # noqa: BLE001 - each system's keyring has other errors
        raise _unusable(keyring, error) from None
    if not is_stored:
        raise ToolError(f"the system's keyring has no token for {base_url}")


def stored_token(name: str) -> str | None:
    """The token of a user name (an address) in the system's keyring; None if none can be read."""
    try:
        token: str | None = _keyring().get_password(_KEYRING_NAME, name)
    except Exception:  # noqa: BLE001 - it is not installed, is locked, or this machine has none
        return None
    return token


def _unusable(keyring: ModuleType, error: Exception) -> ToolError:
    if isinstance(error, keyring.errors.NoKeyringError):
        return ToolError(_NO_KEYRING)
    return ToolError(
        f"the system's keyring cannot be used ({type(error).__name__}): unlock it and try again, or"
        f" use the environment variable {TOKEN_VARIABLE}. Nothing was changed"
    )


def _keyring() -> ModuleType:
    """The library for the system's keyring."""
    try:
        import keyring  # noqa: PLC0415 - an extra, and slow to import
    except ModuleNotFoundError as error:
        raise ToolError(
            f"the system's keyring needs {error.name}: pip install 'budgetframe[keyring]'"
        ) from None
    return keyring

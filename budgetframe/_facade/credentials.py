"""The token and the address of a connection, checked before a request is sent."""

from __future__ import annotations

import getpass
import hashlib
import os
import sys

import httpx

from budgetframe.errors import ToolError

__all__ = ["BASE_URL", "TOKEN_VARIABLE", "Token", "checked_base_url", "is_this_machine"]

BASE_URL = "https://api.ynab.com/v1"
TOKEN_VARIABLE = "BUDGETFRAME_TOKEN"  # noqa: S105 - the name of the variable
_PORTS = 65535
_QUOTES = frozenset("'\"`")
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class Token:
    """An access token that no repr and no pickle contains.

    The constructor never raises an error, so that the caller can delete its variable with the token
    before a traceback could show it. `check` must be called before the token is used.

    Parameters
    ----------
    value : str or None
        The token; without it the environment variable ``BUDGETFRAME_TOKEN`` is read. If that is
        not set either, a prompt without echo asks for it in a terminal or notebook.
    """

    def __init__(self, value: str | None = None) -> None:
        self._value = value or ""

    def __repr__(self) -> str:
        return "Token(...)"

    def __reduce__(self) -> tuple[type[Token], tuple[()]]:
        return Token, ()

    def check(self) -> None:
        """Find the token if none was given, and check it.

        Raises
        ------
        ToolError
            When there is no token, or the text cannot be a token.
        """
        self._value = _valid_token(
            self._value or os.environ.get(TOKEN_VARIABLE) or _token_from_prompt()
        )

    @property
    def headers(self) -> dict[str, str]:
        """The authorization header."""
        return {"Authorization": f"Bearer {self._value}"}

    def name_at(self, base_url: str) -> str:
        """A name for this token at this address, from which the token cannot be computed."""
        salt = f"budgetframe {base_url}".encode()
        return hashlib.scrypt(self._value.encode(), salt=salt, n=2**13, r=8, p=1, dklen=16).hex()


def checked_base_url(base_url: str) -> str:
    """Check that a token may be sent to this address, and return the address.

    Raises
    ------
    ToolError
        When the address is not valid, or is not https and not on this machine.
    """
    try:
        url = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL("")
    if not url.host or url.userinfo or url.query or url.fragment or (url.port or 0) > _PORTS:
        raise ToolError(
            "base_url is not the address of a service: give one like 'https://api.ynab.com/v1'"
        )
    if url.scheme != "https" and not (url.scheme == "http" and is_this_machine(base_url)):
        raise ToolError(
            f"base_url {base_url!r} is not https: the token would be readable on the way"
            " (http is accepted for 127.0.0.1 and localhost)"
        )
    # The spelling of httpx: one address has one limit, however the user wrote it.
    return str(url).rstrip("/")


def is_this_machine(base_url: str) -> bool:
    """Whether the address is a loopback address."""
    return httpx.URL(base_url).host in _LOOPBACK


def _valid_token(token: str) -> str:
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
            return getpass.getpass("Access token of the budgeting service: ")
        except (EOFError, NotImplementedError):  # a kernel without keyboard input
            pass
    raise ToolError(
        f"no token: set the environment variable {TOKEN_VARIABLE} (best), or pass"
        " BudgetFrame.connect(token). BudgetFrame.sandbox() needs none"
    )

"""The sources of a lake: tokens, and the file that names them."""

from __future__ import annotations

import hashlib
import os
import secrets
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn

import httpx

from budgetframe._facade.credentials import (
    BASE_URL,
    Token,
    checked_base_url,
    stored_token,
    valid_token,
)
from budgetframe.errors import ToolError

__all__ = ["Access", "Source", "read_sources"]

_PROCESS_KEY = secrets.token_bytes(32)
_FIELDS = frozenset({"name", "token_env", "token_keyring", "base_url", "budgets"})


@dataclass(frozen=True)
class Source:
    """A token, and the budgets to read with it.

    Parameters
    ----------
    name : str
        Your name of the source. It stands in the result of a sync and in the lake.
    token : str, callable or httpx.Auth
        The access token, or a function that returns it and is called before each group of reads
        (for tokens that expire), or an object that authenticates the requests. A source with such
        an object is read in this process and not on a Dask worker: a copy of the object could not
        return a token that it has renewed.
    budgets : "all" or sequence of str
        The ids or names of the budgets to read. ``"all"``: every budget of the token, also those
        that are created later.
    base_url : str
        Address of the service; it must be https, except on this machine.

    Notes
    -----
    No repr, log, pickle or table contains the token. A source cannot be pickled. With a Dask
    client, the token is a part of the message that carries a task to its worker; use a cluster
    with TLS, as for any secret.

    Examples
    --------
    >>> Source("Anna", "an-access-token")
    Source(name='Anna', budgets='all', base_url='https://api.ynab.com/v1')
    """

    name: str
    token: str | Callable[[], str] | httpx.Auth = field(repr=False)
    budgets: Literal["all"] | Iterable[str] = "all"
    base_url: str = BASE_URL

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ToolError(
                f"the name of a source is {self.name!r}: it must be a text with letters"
            )
        if isinstance(self.budgets, str) and self.budgets != "all":
            raise ToolError(
                f"budgets={self.budgets!r} of the source {self.name!r}: use 'all' or a list of ids"
                " and names"
            )
        object.__setattr__(self, "base_url", checked_base_url(self.base_url))
        if self.budgets != "all":
            object.__setattr__(self, "budgets", tuple(self.budgets))

    def __reduce__(self) -> NoReturn:
        message = "a Source cannot be pickled, because its token must not be in a file: create it"
        raise TypeError(message)

    def access(self) -> Access:
        """Return what a read needs of the source now.

        Raises
        ------
        ToolError
            If the token cannot be a token.
        """
        if isinstance(self.token, httpx.Auth):
            return Access(self.base_url, {}, self.token, f"{id(self.token)}")
        token = self.token() if callable(self.token) else self.token
        headers = Token(valid_token(token)).headers
        key = hashlib.blake2b("\0".join(headers.values()).encode(), key=_PROCESS_KEY).hexdigest()
        return Access(self.base_url, headers, None, f"{self.base_url} {key}")


@dataclass(frozen=True)
class Access:
    """The address and the credentials of a source, without a repr."""

    base_url: str
    headers: Mapping[str, str] = field(repr=False)
    auth: httpx.Auth | None = field(repr=False)
    key: str = field(repr=False)
    """Equal for equal tokens: they share one limit."""


def read_sources(path: Path) -> list[Source]:
    """Read the file of ``budgetframe sync``.

    Parameters
    ----------
    path : Path
        A TOML file with one table ``[[source]]`` for each token, and in it: ``name``;
        ``token_env``, the name of an environment variable, or ``token_keyring``, the user name of
        an entry ``budgetframe`` in the system's keyring; optionally ``base_url`` and ``budgets``.

    Raises
    ------
    ToolError
        If the file is not as described, or a token is missing. A token in the file is refused.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ToolError(f"{path} is not TOML: {error}") from None
    tables = content.get("source")
    if not isinstance(tables, list) or not tables:
        raise ToolError(f"{path} has no [[source]] table: it needs one for each token")
    sources = [_source_from(path, number, table) for number, table in enumerate(tables, 1)]
    names = [source.name for source in sources]
    for name in names:
        if names.count(name) > 1:
            raise ToolError(f"{path} has {names.count(name)} sources with the name {name!r}")
    return sources


def _source_from(path: Path, number: int, table: Any) -> Source:
    where = f"source {number} of {path}"
    if not isinstance(table, dict) or "token" in table:
        raise ToolError(
            f"{where} has a token: remove it, and name an environment variable (token_env) or an"
            " entry of the system's keyring (token_keyring) instead"
        )
    unknown = sorted(table.keys() - _FIELDS)
    if unknown:
        raise ToolError(f"{where} has unknown keys: {', '.join(unknown)}")
    if ("token_env" in table) == ("token_keyring" in table):
        raise ToolError(f"{where} must have either token_env or token_keyring")
    if "token_env" in table:
        token = os.environ.get(table["token_env"])
        if not token:
            raise ToolError(f"{where}: the environment variable {table['token_env']} is not set")
    else:
        token = stored_token(table["token_keyring"])
        if not token:
            raise ToolError(
                f"{where}: the system's keyring has no entry 'budgetframe' for the user"
                f" {table['token_keyring']!r}; 'keyring set budgetframe USER' stores one"
            )
    options = {key: table[key] for key in ("base_url", "budgets") if key in table}
    return Source(table.get("name", ""), token, **options)

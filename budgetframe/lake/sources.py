"""The sources of a lake: tokens and folders, and the file that names them."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn

import httpx

from budgetframe._client.credentials import (
    Token,
    checked_base_url,
    failure_of_function,
    key_of_object,
    stored_token,
    token_of_function,
    valid_token,
)
from budgetframe._resources import BASE_URL
from budgetframe._runtime.arguments import closest_names
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError

_FIELDS: Mapping[str, tuple[type, str]] = {
    "name": (str, "a text"),
    "token_env": (str, "the name of an environment variable"),
    "token_keyring": (str, "the user name of an entry of the system's keyring"),
    "token_command": (list, "a list of texts: a program and its arguments"),
    "exports": (str, "the path of a folder"),
    "base_url": (str, "a text"),
    "budgets": (list, "a list of names and ids"),
    "verify": (bool, "true or false"),
}
"""The type of each value of a table ``[[source]]``."""
_WAYS = ("token_env", "token_keyring", "token_command", "exports")  # a table has one of them
_SECONDS = 20  # that a program for a token may take
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # of Windows


class _NoTokenError(ToolError):
    """There is no token where a file of sources says; the text contains nothing secret."""


@dataclass(frozen=True, repr=False)
class TokenCommand:
    """The function that runs a program for the token; equal ones share one limit."""

    program: tuple[str, ...]
    folder: Path

    def __call__(self) -> str:
        """Return what the program prints, if that can be a token."""
        try:
            ended = subprocess.run(  # noqa: S603 - the operator's file names it
                self.program, cwd=self.folder, timeout=_SECONDS, check=False, capture_output=True,
                stdin=subprocess.DEVNULL, start_new_session=True, creationflags=_NO_WINDOW,
            )  # fmt: skip
            if ended.returncode == 0:
                return valid_token(ended.stdout.decode(errors="replace"))
            problem = f"ended with status {ended.returncode}"
        except subprocess.TimeoutExpired:
            problem = f"did not end within {_SECONDS} s"
        except ToolError as error:
            problem = f"printed something else than one token: {error}"
        except (OSError, ValueError) as error:
            problem = f"cannot be started ({type(error).__name__})"
        raise _NoTokenError(f"the program of token_command {problem}. Nothing was sent")


@dataclass(frozen=True, init=False)
class Source:
    """A token, or a folder with files, and the budgets to read with it.

    Parameters
    ----------
    name : str
        Your name of the source. The result of a sync and the lake contain it.
    token : str, callable or httpx.Auth, optional
        The access token, or a function that returns it and is called before each group of reads
        (for tokens that expire; see Notes), or an object that authenticates the requests. A source
        with such an object is read in this process and not on a Dask worker: a copy of the object
        could not return a token that it has renewed.
    budgets : "all" or sequence of str
        The ids or names of the budgets to read. ``"all"``: every budget of the token, also those
        that are created later.
    base_url : str
        Address of the service; it must be https, except on this machine.
    verify : bool
        False: commit the budgets even if the sums of their transactions do not agree with the
        service's own figures, as with ``verify=False`` for `Lake.sync`.
    exports : path, optional
        Instead of a token: a folder whose ``*.json``, ``*.json.gz`` and ``*.zip`` files are exports
        of budgets, as `budgetframe.BudgetFrame.from_export` reads them. Folders in it are not read.
        An app's export (``*.zip``) whose days can be read in two orders is refused.

    Raises
    ------
    ToolError
        If an argument other than the token is not valid, or there is not either a token or a
        folder. Both are checked when they are used.

    Notes
    -----
    No repr, log, pickle or table contains the token. A source cannot be pickled. With a Dask
    client, the token is a part of the message that carries a task to its worker; use a cluster
    with TLS, as for any secret.

    With OAuth, an access token lasts two hours, and the refresh token changes with each use: the
    function must store the new refresh token before it returns. The limit of requests is counted
    for the function, so that a new token does not begin a new count. A new OAuth application is
    limited to 25 users besides its owner until the service has reviewed it.

    A folder needs no request and is read in this process. Of several files of a budget, the one
    with the newest time counts; a file that has not changed since the last sync writes nothing, and
    one that is older than the rows of another source does not replace them. If a file has no id of
    its budget, as the app's export, the name of the source, that of the budget (or else of the
    file) and its first month (for the app's export: day) are its key in the lake: a later export
    has the same one, unless it begins earlier. A file that has the key of the one before it, and
    less than half of the accounts in common, is ``failed``.

    Examples
    --------
    >>> Source("Anna", "an-access-token")
    Source(name='Anna', budgets='all', base_url='https://api.ynab.com/v1', verify=True)
    >>> Source("archive", exports="/archive")
    Source(name='archive', budgets='all', base_url='file:///archive', verify=True)
    """

    name: str
    token: str | Callable[[], str] | httpx.Auth | None = field(repr=False)
    budgets: Literal["all"] | Iterable[str]
    base_url: str
    verify: bool
    exports: Path | None = field(repr=False)

    def __init__(
        self,
        name: str,
        token: str | Callable[[], str] | httpx.Auth | None = None,
        budgets: Literal["all"] | Iterable[str] = "all",
        base_url: str = BASE_URL,
        verify: bool = True,  # noqa: FBT001, FBT002 - as for a dataclass
        *,
        exports: str | os.PathLike[str] | None = None,
    ) -> None:
        object.__setattr__(self, "token", token)
        del token  # a traceback with the local variables must not show it
        given = {"name": name, "budgets": budgets, "base_url": base_url, "verify": verify}
        for field_name, value in {**given, "exports": exports}.items():
            object.__setattr__(self, field_name, value)
        self._check()

    def _check(self) -> None:
        if isinstance(self.budgets, Iterable) and not isinstance(self.budgets, str | list):
            object.__setattr__(self, "budgets", tuple(self.budgets))
        if isinstance(self.token, str):
            shown = {"name": self.name, "budgets": self.budgets, "base_url": self.base_url}
            Token(self.token).refuse_in(**shown)
        if not isinstance(self.name, str) or not self.name.strip():
            raise ToolError("the name of a source must be a text with letters")
        if self.budgets != "all":
            chosen = [] if isinstance(self.budgets, str) else _texts(self.budgets)
            if not chosen:
                advice = "use 'all' or a list of ids and names"
                raise ToolError(f"budgets={self.budgets!r} of the source {self.name!r}: {advice}")
            object.__setattr__(self, "budgets", chosen)
        if (self.token is None) == (self.exports is None):
            raise ToolError(f"the source {self.name!r} needs either a token, or exports=, a folder")
        if self.exports is None:
            object.__setattr__(self, "base_url", checked_base_url(self.base_url))
            return
        if self.base_url != BASE_URL or not isinstance(self.exports, str | os.PathLike):
            advice = "give the path of a folder, and no base_url"
            raise ToolError(f"exports={self.exports!r} of the source {self.name!r}: {advice}")
        # As twice below: without an error for ~nobody.
        folder = Path(os.path.expanduser(self.exports)).absolute()  # noqa: PTH111
        object.__setattr__(self, "exports", folder)
        object.__setattr__(self, "base_url", folder.as_uri())

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Source cannot be pickled, because its token must not be in a file: create it"
        )

    @property
    def key(self) -> str:
        """Equal for equal tokens, which share one limit; it does not contain the token."""
        if self.exports is not None:
            return f"{self.base_url} {self.name}"  # on the name depend the ids of some budgets
        if isinstance(self.token, httpx.Auth):
            return key_of_object(self.base_url, self.token)
        return Token(self.token).key_at(self.base_url)

    def access(self) -> Access:
        """Return what a read needs of the source now; a `ToolError` if there is no valid token."""
        if self.exports is not None:
            return Access(self.base_url, {}, None, self.key, self.exports)
        if isinstance(self.token, httpx.Auth):
            return Access(self.base_url, {}, self.token, self.key)
        if not callable(self.token):
            return Access(self.base_url, Token(valid_token(self.token)).headers, None, self.key)
        try:
            given = self.token()
        except _NoTokenError as error:
            failure = ToolError(str(error))  # no frame of it has what a program printed
        except (Exception, SystemExit) as error:  # noqa: BLE001 - it is a function of the user
            failure = failure_of_function(error)
        else:
            try:
                return Access(self.base_url, token_of_function(given).headers, None, self.key)
            finally:
                del given  # a traceback shows the local variables
        raise failure


def _texts(values: Any) -> tuple[str, ...]:
    """The values, if they are texts and none is blank; else nothing."""
    found = tuple(values) if isinstance(values, Iterable) else ()
    return found if all(isinstance(each, str) and each.strip() for each in found) else ()


@dataclass(frozen=True)
class Access:
    """The address and the credentials of a source, without a repr."""

    base_url: str
    headers: Mapping[str, str] = field(repr=False)
    auth: httpx.Auth | None = field(repr=False)
    key: str = field(repr=False)
    """That of the source."""
    folder: Path | None = None
    """The folder of a source of files."""

    @property
    def is_of_process(self) -> bool:
        """Whether only this process can use it."""
        return self.auth is not None or self.folder is not None


def read_sources(path: str | os.PathLike[str]) -> list[Source]:
    r"""Read the file of ``budgetframe sync``.

    Parameters
    ----------
    path : path
        A TOML file with one table ``[[source]]`` for each token or folder, and in it: ``name``;
        ``token_env``, the name of an environment variable, ``token_keyring``, the user name of an
        entry ``budgetframe`` in the system's keyring, ``token_command``, a list of a program and
        its arguments, or ``exports``, a folder of files, relative to that of the TOML file;
        optionally ``base_url``, ``budgets`` and ``verify``.

    Returns
    -------
    list of Source
        In the order of the file.

    Raises
    ------
    ToolError
        If the file is not as described. A token in the file is refused. A missing token is none: a
        sync reports that its source has failed, and reads the others.

    Notes
    -----
    A program runs when a sync needs the token, and again after ten minutes; nine run at a time. It
    must print the token alone within 20 s, and end with status 0. It has no shell, terminal or
    input, and runs in the folder of the TOML file. If its name has a slash, it is relative to this
    folder; if not, the system looks for it in ``PATH``. No message contains what it prints.

    Examples
    --------
    >>> import os, pathlib, tempfile
    >>> os.environ["ANNAS_TOKEN"] = "an-access-token"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "sources.toml")
    ...     _ = path.write_text('[[source]]\nname = "Anna"\ntoken_env = "ANNAS_TOKEN"', "utf-8")
    ...     [source.name for source in read_sources(path)]
    ['Anna']
    """
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        # The rest of the message can repeat a key.
        place = re.search(r" \(at [^()]*\)$", str(error))
        raise ToolError(f"{path} is not TOML{place[0] if place else ''}") from None
    except UnicodeDecodeError:
        raise ToolError(f"{path} is not TOML: its text is not UTF-8") from None
    tables = content.pop("source", None)
    if not isinstance(tables, list) or not tables:
        raise ToolError(f"{path} has no [[source]] table: it needs one for each token")
    if content:
        raise ToolError(
            f"{path} has {_unknown(content, ['source'])} beside the [[source]] tables: remove what"
            " is not in such a table. The file must never contain a token"
        )
    sources = []
    for number, table in enumerate(tables, 1):
        try:
            sources.append(_source_from(table, path.parent))
        except ToolError as error:
            raise ToolError(f"source {number} of {path}: {error}") from None
    return [*sources_by_name(sources).values()]


def sources_by_name(sources: Iterable[Source]) -> dict[str, Source]:
    """The sources by their names, which differ."""
    by_name = dict[str, Source]()
    for source in sources:
        if by_name.setdefault(source.name, source) is not source:
            raise ToolError(f"two sources have the name {source.name!r}: give each its own name")
    return by_name


def _source_from(table: Any, folder: Path) -> Source:
    if not isinstance(table, dict):
        raise ToolError("it is not a [[source]] table")
    if "token" in table:
        raise ToolError(
            "it has a token: remove it, and name an environment variable (token_env) or an entry of"
            " the system's keyring (token_keyring) instead"
        )
    unknown = table.keys() - _FIELDS.keys()
    if unknown:
        advice = f"Its keys can be {', '.join(_FIELDS)}, and never a token"
        raise ToolError(f"it has {_unknown(unknown, _FIELDS)}. {advice}")
    for key, value in table.items():
        kind, meaning = _FIELDS[key]
        if not isinstance(value, kind):
            raise ToolError(f"{key} must be {meaning}")
    if len(table.keys() & {*_WAYS}) != 1:
        raise ToolError(f"it must have one of {', '.join(_WAYS)}")
    options = {key: table[key] for key in ("base_url", "budgets", "verify") if key in table}
    if "exports" in table:
        exports = folder / os.path.expanduser(table["exports"])  # noqa: PTH111
        return Source(table.get("name", ""), exports=exports, **options)
    return Source(table.get("name", ""), _token_from(table, folder), **options)


def _unknown(keys: Iterable[str], known: Iterable[str]) -> str:
    """The number of unknown keys, and those like known ones; others can be tokens."""
    names = sorted(keys)
    number = number_of(len(names), "unknown key")
    alike = {name: closest_names(name, known, count=1) for name in names}
    shown = [f"{name!r} is like {close!r}" for name in names for close in alike[name]]
    return f"{number} ({', '.join(shown)})" if shown else number


def _token_from(table: Mapping[str, Any], folder: Path) -> str | Callable[[], str]:
    """The token, or a function; no error shows a value, because one could be a token by mistake."""
    if "token_command" in table:
        program, *arguments = _texts(table["token_command"]) or [""]
        if not program:
            raise ToolError(f"token_command must be {_FIELDS['token_command'][1]}")
        if Path(program).name != program:
            program = str(folder.absolute() / os.path.expanduser(program))  # noqa: PTH111
        return TokenCommand((program, *arguments), folder.absolute())
    if "token_env" in table:
        token = os.environ.get(table["token_env"])
        missing = "the environment variable that token_env names is not set"
    else:
        token = stored_token(table["token_keyring"])
        missing = (
            "the system's keyring has no entry 'budgetframe' for the user that token_keyring names;"
            " 'keyring set budgetframe USER' stores one"
        )

    def fail() -> NoReturn:
        raise _NoTokenError(missing)

    return token or fail

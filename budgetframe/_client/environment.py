"""The variables of the environment that an HTTP client reads, checked before one is created."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from urllib.request import getproxies

import httpx

from budgetframe.errors import ToolError

from .credentials import PORTS

_NO_PROXY_ADDRESS = "is not the address of a proxy, like 'http://proxy.example.org:8080'"
_NO_PACKAGE = "names a SOCKS proxy, for which a package is missing: pip install 'httpx[socks]'"


def check_key_log() -> None:
    """A `ToolError` if Python cannot write the keys of TLS connections to the file that is set."""
    if path := os.environ.get("SSLKEYLOGFILE"):
        with _blaming("SSLKEYLOGFILE", "names no file that can be written"):
            SSLContext(PROTOCOL_TLS_CLIENT).keylog_filename = path


def check_network() -> None:
    """Check the certificates and the proxies; an error does not show the value of a variable."""
    # The address of a proxy can have a password.
    context = SSLContext(PROTOCOL_TLS_CLIENT)
    if path := os.environ.get("SSL_CERT_FILE"):
        with _blaming("SSL_CERT_FILE", "names no file with certificates"):
            context.load_verify_locations(path)
    elif (path := os.environ.get("SSL_CERT_DIR")) and not Path(path).is_dir():
        raise _wrong("SSL_CERT_DIR", "names no folder")
    proxies = getproxies()
    if "*" in map(str.strip, proxies.get("no", "").split(",")):
        return  # httpx then ignores the other proxies
    used = "https" if "https" in proxies else "all"
    for kind in ("https", "http", "all"):  # httpx creates a transport for each of them
        if kind not in proxies:
            continue
        address = proxies[kind] if "://" in proxies[kind] else f"http://{proxies[kind]}"
        with _blaming(_variable_of(kind), _NO_PROXY_ADDRESS):
            httpx.AsyncHTTPTransport(proxy=address, verify=context, trust_env=False)
            url = httpx.URL(address)  # httpx checks only later whether a connection can be tried
            if kind == used and (not url.host or "%" in url.host or (url.port or 0) > PORTS):
                raise ValueError
    if "no" in proxies:
        with _blaming(_variable_of("no"), "is not a list of hosts, like 'localhost,example.org'"):
            httpx.AsyncClient(verify=context)


@contextmanager
def _blaming(variable: str, problem: str) -> Iterator[None]:
    """Turn an error into one about a variable."""
    try:
        yield
    except ImportError:
        raise _wrong(variable, _NO_PACKAGE) from None
    except (OSError, ValueError, httpx.InvalidURL):
        raise _wrong(variable, problem) from None


def _wrong(variable: str, problem: str) -> ToolError:
    return ToolError(
        f"the environment variable {variable} {problem}. Correct or remove it; nothing was sent"
    )


def _variable_of(kind: str) -> str:
    """The name of the variable of a proxy; a spelling in lower case has priority."""
    name = f"{kind}_proxy"
    found = [variable for variable in os.environ if variable.lower() == name]
    return max(found, default=name.upper())  # without one, the system's settings name the proxy

"""The service on a socket."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from budgetframe.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    import uvicorn

_BACKLOG = 128
_STOP = (signal.SIGINT, signal.SIGTERM)


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; a port in use raises here and not in the server thread."""
    # It sets SO_REUSEADDR except on Windows, where that option would share a port in use.
    return socket.create_server((host, port), backlog=_BACKLOG)


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{host}:{port}/v1"


def _server(sandbox: Sandbox, on_ready: Callable[[], None]) -> uvicorn.Server:
    import uvicorn  # noqa: PLC0415 - only the socket server needs it

    from .resettable import Connection  # noqa: PLC0415 - the same

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            # uvicorn would raise a caught signal again after a clean shutdown.
            yield

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            on_ready()

    config = uvicorn.Config(
        sandbox.app, http=Connection, log_config=None, log_level="critical", access_log=False,
        lifespan="off", ws="none", server_header=False,
        date_header=False,  # the app sends the time of the service
        # A client that computes between two requests could meet a connection that is being
        # closed, and would send the request again.
        timeout_keep_alive=60, timeout_graceful_shutdown=2,
    )  # fmt: skip
    return Server(config)


@contextmanager
def serve(sandbox: Sandbox, *, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve a sandbox over HTTP from a background thread.

    Parameters
    ----------
    sandbox
        The service; the caller can still use it directly.
    host
        Address to listen on.
    port
        Port to listen on; 0 selects a free port.

    Yields
    ------
    str
        Base address such as ``http://127.0.0.1:54321/v1``; the server already answers.

    Raises
    ------
    OSError
        If the port is in use.
    """
    listening = threading.Event()
    with _listen(host, port) as listener:
        server = _server(sandbox, listening.set)

        def serve_until_exit() -> None:
            try:
                asyncio.run(server.serve(sockets=[listener]))
            finally:
                listening.set()

        thread = threading.Thread(target=serve_until_exit, name="budgetframe-sandbox", daemon=True)
        thread.start()
        try:
            listening.wait()
            if not server.started:
                raise RuntimeError("the embedded service did not start")
            yield _url(listener)
        finally:
            server.should_exit = True
            thread.join()


def run(
    sandbox: Sandbox, *, port: int, on_ready: Callable[[str], None], host: str = "127.0.0.1"
) -> None:
    """Serve a sandbox over HTTP until SIGINT or SIGTERM; call it in the main thread.

    Parameters
    ----------
    sandbox
        The service.
    port
        Port to listen on; 0 selects a free port.
    on_ready
        Called with the base address when the server answers.
    host
        Address to listen on.

    Raises
    ------
    OSError
        If the port is in use.
    """
    with _listen(host, port) as listener:
        url = _url(listener)
        server = _server(sandbox, lambda: on_ready(url))
        before = {number: signal.signal(number, server.handle_exit) for number in _STOP}
        try:
            asyncio.run(server.serve(sockets=[listener]))
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

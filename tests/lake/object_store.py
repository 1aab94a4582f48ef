"""An object store that is compatible with S3, on this machine; it keeps everything in memory."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

import httpx

BUCKET = "s3://budgets"


@contextmanager
def object_store(log: IO[bytes] | int = subprocess.DEVNULL) -> Iterator[dict[str, str]]:
    """The storage options of a store with one bucket.

    It is a process of its own: deltalake holds the lock of the interpreter while it waits. It
    writes a line for each request to `log`.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603 - this interpreter, a constant program
    url = f"http://127.0.0.1:{port}"
    try:
        while not _created(f"{url}/budgets"):
            with suppress(subprocess.TimeoutExpired):
                code = server.wait(0.05)
                raise AssertionError(f"the server has ended ({code}): is moto[server] installed?")
        yield {
            "AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true",
        }  # fmt: skip
    finally:
        server.kill()
        server.wait()


def _created(bucket: str) -> bool:
    """Create a bucket; return whether the server has answered."""
    try:
        httpx.put(bucket, timeout=60).raise_for_status()  # the first answer imports moto
    except httpx.ConnectError:
        return False
    return True

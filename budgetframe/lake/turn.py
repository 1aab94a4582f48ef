"""The turn to change a lake, which one writer has at a time.

In a local folder it is a lock, which the system ends with the process. In an object store it is a
lease: the last commit to a Delta table, which its holder renews, and which ends some minutes later.
The store's clock decides: the age of the commit is the time between its file and a new one. A
former holder that was suspended cannot commit, because the next one first publishes the lake.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from sqlite3 import Connection
from threading import Event, Thread

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError

from budgetframe._runtime.locked_file import locked_file
from budgetframe.errors import ToolError

from .storage import LEASE, LakeAddress, explained
from .writer import Writer

_LENGTH = 300.0  # seconds that a lease lasts after it was taken or renewed
_RENEWAL = 75.0  # seconds between two renewals
_OF_LOCK = 60.0  # seconds after which to try again, because the end of a lock is not known
_TAKEN = "taken"  # application transaction: 1 while a writer has the lease, else 0
_ROWS = pa.schema([pa.field("unused", pa.int8())]).empty_table()


@contextmanager
def turn(address: LakeAddress) -> Iterator[None]:
    """Begin a block that changes the lake; an error if another writer has begun one."""
    if "://" not in address.uri:
        with closing(_locked(address)):
            yield
        return
    table, was_left = _taken(address)
    ended = Event()
    renewing = Thread(target=_renew, args=(table, ended), daemon=True)
    renewing.start()
    try:
        if was_left and address.stated():
            Writer(address, rebuilds=True).commit({})  # the former holder cannot publish any more
        yield
    finally:
        ended.set()
        renewing.join()
        with suppress(DeltaError, OSError):  # then the lease has another holder, or ends by itself
            _commit(table, taken=0)


def _locked(address: LakeAddress) -> Connection:
    path = Path(address.uri, LEASE, "lock")
    with explained(address):
        for folder in (path.parent.parent, path.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if file := locked_file(path):
            return file
    raise _refusal(address, "", _OF_LOCK)


def _taken(address: LakeAddress) -> tuple[DeltaTable, bool]:
    """Take the lease; return its table, and whether the former holder did not end its turn."""
    with explained(address):
        try:
            table = _opened(address)
            was_left = table.transaction_version(_TAKEN) == 1
            age = _age(address, table.version()) if was_left else _LENGTH
            if age >= _LENGTH:
                _commit(table, taken=1)
                return table, was_left
        except CommitFailedError:
            raise _refusal(address, ": it began at the same moment", _LENGTH) from None
        host = table.history(1)[0].get("host")
    what = f": {host} has taken or renewed its turn {age:.0f} s ago"
    raise _refusal(address, f"{what}; it ends {_LENGTH:.0f} s after that", _LENGTH - age)


def _opened(address: LakeAddress) -> DeltaTable:
    try:
        return address.open(LEASE)
    except TableNotFoundError:
        return DeltaTable.create(
            f"{address.uri}/{LEASE}",
            _ROWS.schema,
            mode="ignore",
            configuration={
                "delta.checkpointInterval": "10", "delta.enableExpiredLogCleanup": "true",
                "delta.logRetentionDuration": "interval 1 days",
            },
            storage_options=dict(address.options) or None,
            commit_properties=CommitProperties(max_commit_retries=0),
        )  # fmt: skip


def _age(address: LakeAddress, version: int) -> float:
    """The seconds since a commit, by the clock of the store."""
    paths = [f"{LEASE}/_delta_log/{version:020}.json", f"{LEASE}/clock"]
    address.write(paths[1], b"")
    commit, now = address.files.get_file_info(paths)
    return float((now.mtime - commit.mtime).total_seconds())


def _commit(table: DeltaTable, *, taken: int) -> None:
    """Take, renew or release the lease: this fails if another writer has committed meanwhile."""
    properties = CommitProperties(
        custom_metadata={"host": socket.gethostname()},
        app_transactions=[Transaction(_TAKEN, taken)],
    )
    write_deltalake(table, _ROWS, mode="append", commit_properties=properties)


def _renew(table: DeltaTable, ended: Event) -> None:
    while not ended.wait(_RENEWAL):
        with suppress(DeltaError, OSError):  # it is tried again before the lease has ended
            _commit(table, taken=1)


def _refusal(address: LakeAddress, what: str, seconds: float) -> ToolError:
    text = f"another process or thread is changing the lake at {address.uri}{what}. This one has"
    return ToolError(f"{text} sent and written nothing: run it again later", retry_after=seconds)

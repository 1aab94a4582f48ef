"""A sync and the connections of other processes count their requests in the files of a folder."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from budgetframe import BudgetFrame, RateLimiter, ToolError
from budgetframe._cache.shared_window import SharedWindow
from budgetframe._cache.sqlite_file import SQLiteFile
from budgetframe._client.cache_folder import path_in, shared_file
from budgetframe._client.limit_guard import LimitGuard
from budgetframe.lake import Lake
from tests.limits import forget_limits

from .service import Service
from .test_limit import WORKERS

ADD = "INSERT INTO requests (owner, is_under_way, wall) SELECT 'other', 0, max(wall) FROM requests"


def counted(folder: Path, *, more: int = 0) -> int:
    """The requests in the file of the only token, after another process has sent some."""
    (path,) = (folder / "budgetframe").glob("*.sqlite")
    with closing(sqlite3.connect(path)) as file, file:
        for _ in range(more):
            file.execute(ADD)
        (count,) = file.execute("SELECT count(*) FROM requests").fetchone()
    return int(count)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def counting(folder: Path, tmp_path: Path) -> Lake:
    return Lake(tmp_path / "new", cache_dir=folder)


@WORKERS
def test_another_process_knows_the_requests_of_a_sync(
    service: Service, counting: Lake, folder: Path, client: object
) -> None:
    counting.sync([service.source()], client)  # type: ignore[arg-type]
    assert counted(folder) == service.sandbox.requests_served == 3
    forget_limits()  # as in a new process
    with BudgetFrame.connect(service.sandbox.token, base_url=service.url, cache_dir=folder) as bf:
        assert bf.requests.used == 3


@WORKERS
def test_a_sync_stops_at_the_limit_that_other_processes_have_used(
    service: Service, counting: Lake, folder: Path, client: object
) -> None:
    counting.sync([service.source()])
    assert counted(folder, more=195) == 198
    result = counting.sync([service.source()], client)  # type: ignore[arg-type]
    assert sorted(result["status"]) == ["limit", "ok"]  # the list and one budget: 200 requests
    assert service.sandbox.requests_served == 5


def test_the_folder_of_the_environment_is_the_default(
    service: Service, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUDGETFRAME_CACHE_DIR", str(folder))
    Lake(tmp_path / "new").sync([service.source()])
    assert counted(folder) == 3


def test_the_tokens_of_functions_are_counted_in_the_folder(
    service: Service, counting: Lake, folder: Path
) -> None:
    result = counting.sync([service.source(token=lambda: service.sandbox.token)])
    assert result["status"].tolist() == ["ok", "ok"]
    assert counted(folder) == 3


def test_a_worker_gets_what_others_have_not_reserved_meanwhile(folder: Path) -> None:
    other, here = RateLimiter(20), RateLimiter(20)
    shared_file(folder, "t", other)

    class Beside(SharedWindow):
        """Ten requests of the other process come after five of this one."""

        def reserve(self, decide: Any, own: Any) -> Any:
            if self._under_way == 5:
                assert [LimitGuard(other).reserve()[0] for _ in range(10)] == [True] * 10
            return super().reserve(decide, own)

    file = SQLiteFile(path_in(folder, "t", ".sqlite"), wall=time.time)
    guard = LimitGuard(here)
    guard.share(Beside(file, 3600.0, time.monotonic))
    limiter, lent = guard.lend(30)
    worker = LimitGuard(limiter)
    assert (lent, [worker.reserve()[0] for _ in range(11)]) == (10, [True] * 10 + [False])
    guard.settle(lent, 12)  # a known request has left the window meanwhile
    assert (guard.usage()[1], counted(folder)) == (22, 22)


def test_a_token_in_the_path_of_the_folder_is_refused(service: Service, tmp_path: Path) -> None:
    lake = Lake(tmp_path / "new", cache_dir=tmp_path / service.sandbox.token)
    with pytest.raises(ToolError, match="cache_dir contains the token"):
        lake.sync([service.source()])
    assert service.sandbox.requests_served == 0


def test_a_sync_of_many_tokens_does_not_keep_their_files_open(
    service: Service, counting: Lake, folder: Path
) -> None:
    counting.sync([service.source()])
    assert not [file for file in psutil.Process().open_files() if str(folder) in file.path]

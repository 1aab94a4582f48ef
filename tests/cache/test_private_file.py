"""Only the user can read the file, and the token is not in it."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from budgetframe import BudgetFrame, ServiceAPIError
from budgetframe.sandbox import Sandbox, serve

from .computer import Machine

TOKEN = "kQ7vXw2ZrB9nLm4TsYc8HdJf3GpA6uEi"


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("no_umask")
@pytest.mark.posix
def test_only_the_user_can_access_file_and_folder(machine: Machine) -> None:
    machine.kernel().cache.update("b1:payees", {"payees": []}, 7)
    assert (mode(machine.path), mode(machine.path.parent)) == (0o600, 0o700)


@pytest.mark.usefixtures("no_umask")
@pytest.mark.posix
def test_folder_that_other_users_could_access_is_made_private(machine: Machine) -> None:
    machine.path.parent.mkdir(mode=0o777)
    machine.kernel().cache.update("b1:payees", {"payees": []}, 7)
    assert mode(machine.path.parent) == 0o700


@pytest.mark.posix
def test_file_that_others_could_access_is_made_private_when_it_is_opened(
    machine: Machine, subtests: pytest.Subtests
) -> None:
    machine.kernel().cache.update("b1:payees", {"payees": []}, 7)
    for of_file, of_folder in ((0o640, 0o750), (0o620, 0o710), (0o644, 0o755), (0o604, 0o701)):
        with subtests.test(value=oct(of_file)):
            machine.path.chmod(of_file)
            machine.path.parent.chmod(of_folder)
            assert machine.kernel().cache.get_knowledge("b1:payees") == 7
            assert (mode(machine.path), mode(machine.path.parent)) == (0o600, 0o700)


@pytest.mark.usefixtures("no_umask")
@pytest.mark.posix
def test_journal_is_as_private_as_the_file(machine: Machine) -> None:
    with machine.kernel().file.transaction() as file:
        file.execute("INSERT INTO generations VALUES ('name', 1)")
        modes = {path.name: mode(path) for path in machine.path.parent.iterdir()}
    assert modes == {"cache.sqlite": 0o600, "cache.sqlite-journal": 0o600}


@pytest.mark.usefixtures("no_umask")
@pytest.mark.posix
def test_only_the_user_can_access_the_mark_of_outdated_records(machine: Machine) -> None:
    kernel = machine.kernel()
    kernel.cache.clear()
    kernel.file.mark_outdated()
    assert mode(machine.path.with_suffix(".outdated")) == 0o600


def test_token_and_address_are_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(Sandbox(token=TOKEN, limit=1_000)) as url:
        bf = BudgetFrame.connect(TOKEN, budget="Household", base_url=url, cache_dir=tmp_path)
        with bf:
            bf.transactions()
            bf.accounts()
            bf.user()
            with pytest.raises(ServiceAPIError, match="not found"):
                bf.account("00000000-0000-4000-8000-000000000000")
        monkeypatch.setenv("BUDGETFRAME_TOKEN", TOKEN)
        with BudgetFrame.connect(budget="Household", base_url=url, cache_dir=tmp_path) as bf:
            assert len(bf.transactions()) > 0
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    written = b"".join(path.name.encode() + path.read_bytes() for path in files)
    assert len(written) > 10_000
    assert TOKEN.encode() not in written
    assert TOKEN[:8].encode() not in written
    assert httpx.URL(url).netloc not in written

"""Scripts, forks, other people's loops: each in an interpreter of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from budgetframe.sandbox import Sandbox, serve
from tests.facade.scripts import Ended, run_script
from tests.facade.service import TOKEN

ON_A_CLIENT = """
import asyncio, sys
import httpx
from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient
from budgetframe.sandbox import Sandbox

service = Sandbox()

def client():
    http = httpx.AsyncClient(
        transport=service.transport(), base_url=service.base_url,
        headers={"Authorization": f"Bearer {service.token}"},
    )
    return ServiceClient(http, RateLimiter(), DeltaCache())
"""


def on_a_client(script: str, *options: str, **environment: str) -> Ended:
    return run_script(f"{ON_A_CLIENT}\n{script}", *options, **environment)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serve(Sandbox(token=TOKEN, limit=10_000)) as url:
        yield url


def connected(script: str, address: str, *options: str) -> Ended:
    return run_script(
        f"from budgetframe import BudgetFrame\nADDRESS = {address!r}\n{script}",
        *options,
        BUDGETFRAME_TOKEN=TOKEN,
    )


# Inside a running event loop


def test_a_call_inside_a_running_loop_works_and_warns_once_where_it_is_made() -> None:
    ended = on_a_client("""
import warnings

async def main():
    bf = BudgetFrame(client(), budget="Household")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows = [len(bf.accounts()), len(bf.payees()), len(bf.months())]
    assert min(rows) > 0
    print([(w.category.__name__, w.filename, "bf.aio" in str(w.message)) for w in caught])

asyncio.run(main())
""")
    assert (ended.out, ended.err) == ("[('RuntimeWarning', '<string>', True)]\n", "")


def test_a_call_outside_any_loop_does_not_warn() -> None:
    ended = on_a_client('print(len(BudgetFrame(client(), budget="Household").accounts()) > 0)')
    assert (ended.out, ended.err) == ("True\n", "")


# Exit


def test_a_script_that_forgets_to_close_ends_without_a_word(address: str) -> None:
    script = "bf = BudgetFrame.connect(budget='Household', base_url=ADDRESS)\nbf.accounts()"
    ended = connected(script, address, "-W", "error")
    assert ended == Ended(0, "", "")


def test_a_script_on_the_embedded_service_ends_without_a_word() -> None:
    script = "from budgetframe import BudgetFrame; bf = BudgetFrame.sandbox(); bf.accounts()"
    assert run_script(script, "-W", "error") == Ended(0, "", "")


def test_a_script_on_a_given_client_ends_without_a_word() -> None:
    script = "bf = BudgetFrame(client(), budget='Household'); bf.accounts()"
    assert on_a_client(script, "-W", "error") == Ended(0, "", "")


def test_a_connection_forgotten_in_a_reference_cycle_ends_without_a_word(address: str) -> None:
    ended = connected(
        """
import gc
bf = BudgetFrame.connect(budget="Household", base_url=ADDRESS)
bf.accounts()
cycle = [bf]
cycle.append(cycle)
del bf, cycle
gc.collect()
""",
        address,
        "-W",
        "error",
    )
    assert ended == Ended(0, "", "")


def test_a_failed_call_whose_error_is_kept_ends_without_a_word(address: str) -> None:
    ended = connected(
        """
import gc

def cell():
    bf = BudgetFrame.connect(budget="Household", base_url=ADDRESS)
    bf.accounts()
    try:
        bf.account("nowhere")
    except Exception as error:
        kept = error

cell()
gc.collect()
""",
        address,
        "-W",
        "error",
    )
    assert ended == Ended(0, "", "")


def test_a_script_that_ends_with_an_error_shows_that_error_alone(address: str) -> None:
    script = "bf = BudgetFrame.connect(budget='nowhere', base_url=ADDRESS)\nbf.accounts()"
    ended = connected(script, address, "-W", "error")
    lines = ended.err.strip().splitlines()
    assert ended.code == 1
    assert lines[-1].startswith("budgetframe.ToolError: no budget 'nowhere'")
    assert sum(line.startswith("  File ") for line in lines) <= 5


# Forks


def test_after_a_fork_the_child_reads_over_a_connection_of_its_own(address: str) -> None:
    ended = connected(
        """
import os
bf = BudgetFrame.connect(budget="Household", base_url=ADDRESS, ttl=0)
before = bf.accounts()
child = os.fork()
if child == 0:
    code = 1
    try:
        code = 0 if bf.accounts().equals(before) and bf.accounts().equals(before) else 2
    finally:
        os._exit(code)
_, status = os.waitpid(child, 0)
print("child", os.waitstatus_to_exitcode(status))
print("parent", bf.accounts().equals(before))
""",
        address,
    )
    assert (ended.out, ended.err) == ("child 0\nparent True\n", "")


def test_a_child_that_exits_in_the_usual_way_does_not_hang(address: str) -> None:
    ended = connected(
        """
import os, sys
bf = BudgetFrame.connect(budget="Household", base_url=ADDRESS, ttl=0)
bf.accounts()
child = os.fork()
if child == 0:
    bf.accounts()
    sys.exit(7)
_, status = os.waitpid(child, 0)
print("child", os.waitstatus_to_exitcode(status))
""",
        address,
    )
    assert (ended.out, ended.err) == ("child 7\n", "")


def test_a_given_client_that_came_through_a_fork_is_refused_with_what_to_do() -> None:
    ended = on_a_client("""
import os
bf = BudgetFrame(client(), budget="Household", ttl=0)
bf.accounts()
child = os.fork()
if child == 0:
    try:
        bf.accounts()
    except Exception as error:
        print(type(error).__name__, "client" in str(error), flush=True)
    os._exit(0)
os.waitpid(child, 0)
""")
    assert (ended.out, ended.err) == ("ToolError True\n", "")


def test_a_child_born_while_a_thread_is_in_the_middle_of_something_does_not_hang() -> None:
    ended = run_script("""
        import os, sys, threading
        from budgetframe import DeltaCache, RateLimiter
        sys.setswitchinterval(1e-5)
        limiter, cache = RateLimiter(), DeltaCache()
        cache.update("b1:payees", {"payees": [{"id": f"p{n}"} for n in range(200)]}, 7)
        is_over = False
        def work():
            while not is_over:
                limiter.reserve(), limiter.usage(), cache.get_data("b1:payees")
        thread = threading.Thread(target=work)
        thread.start()
        ends = set()
        for _ in range(20):
            if (child := os.fork()) == 0:
                import signal
                signal.alarm(20)  # which ends a child that hangs
                limiter.usage()
                os._exit(cache.get_knowledge("b1:payees"))
            ends.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        is_over = True
        thread.join()
        print(ends)
    """)
    assert ended.out == "{7}\n"


# The loop that is running already


def test_inside_the_own_loop_a_client_that_was_awaited_can_be_used() -> None:
    ended = on_a_client("""
async def main():
    awaited = client()
    user_id = await awaited.validate_token()
    bf = BudgetFrame(awaited, budget="Household", loop="running")
    assert bf.user().id == user_id
    print(len(bf.accounts()) > 0, len(await bf.aio.payees()) > 0)

asyncio.run(main())
""")
    assert (ended.code, ended.out) == (0, "True True\n"), ended.err


def test_inside_the_own_loop_no_thread_is_started() -> None:
    ended = on_a_client("""
import threading

async def main():
    BudgetFrame(client(), budget="Household", loop="running").accounts()
    print([thread.name for thread in threading.enumerate()])

asyncio.run(main())
""")
    assert (ended.code, ended.out) == (0, "['MainThread']\n"), ended.err


def test_without_a_running_loop_the_refusal_says_what_to_do() -> None:
    ended = on_a_client("""
try:
    BudgetFrame(client(), budget="Household", loop="running").accounts()
except Exception as error:
    print(type(error).__name__, 'loop="private"' in str(error))
""")
    assert (ended.out, ended.err) == ("ToolError True\n", "")


WHICH = """
async def main():
    BudgetFrame(client(), budget="Household", loop="running").accounts()
    print([name for name in ("nest_asyncio", "nest_asyncio2") if name in sys.modules])

asyncio.run(main())
"""


@pytest.fixture
def without_the_newer_one(tmp_path: Path) -> str:
    """A place, first on the path, with a nest-asyncio2 that is too old, and a new ipykernel."""
    for name, version in (("nest_asyncio2", "1.6.0"), ("ipykernel", "7.1.0")):
        metadata = tmp_path / f"{name}-{version}.dist-info" / "METADATA"
        metadata.parent.mkdir()
        metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return str(tmp_path)


def test_the_older_nest_asyncio_is_taken_where_the_newer_is_too_old(
    without_the_newer_one: str,
) -> None:
    script = f"import sys; sys.path.insert(0, {without_the_newer_one!r})\n{ON_A_CLIENT}\n{WHICH}"
    ended = run_script(script)
    assert (ended.code, ended.out) == (0, "['nest_asyncio']\n"), ended.err


def test_the_older_nest_asyncio_is_refused_under_a_kernel_that_loses_cells_with_it(
    without_the_newer_one: str,
) -> None:
    script = f"import sys; sys.path.insert(0, {without_the_newer_one!r})\n{ON_A_CLIENT}\n"
    ended = run_script(script + "import ipykernel\n" + WHICH)
    last = ended.err.strip().splitlines()[-1]
    assert last.startswith("budgetframe.ToolError")
    assert "nest-asyncio2" in last


def test_importing_the_package_and_reading_patches_no_event_loop() -> None:
    ended = on_a_client("""
BudgetFrame(client(), budget="Household").accounts()
print([name for name in sys.modules if name.startswith("nest_asyncio")])
print(asyncio.run.__module__, asyncio.get_event_loop_policy().__class__.__module__)
""")
    assert ended.out == "[]\nasyncio.runners asyncio.unix_events\n"

"""Behaviour that needs a separate process: event loops, exit, forks.

Each script checks several cases. Only tests of the start and the exit need a new interpreter, which
takes a second; the others use a fork.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from budgetframe.sandbox import Sandbox, serve
from tests.facade.scripts import Ended, run_interpreter, run_script
from tests.facade.service import TOKEN

pytestmark = pytest.mark.slow  # each test starts a process

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


def on_a_client(script: str) -> Ended:
    return run_script(f"{ON_A_CLIENT}\n{script}")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serve(Sandbox(token=TOKEN, limit=10_000)) as url:
        yield url


# Inside and outside a running event loop


def test_a_call_works_inside_and_outside_a_running_event_loop() -> None:
    ended = on_a_client("""
import warnings

def warnings_of(calls):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert min(len(call()) for call in calls) > 0
    return [(w.category.__name__, w.filename, "bf.aio" in str(w.message)) for w in caught]

def connection():
    return BudgetFrame(client(), budget="Household")

async def inside():
    bf = connection()
    return warnings_of([bf.accounts, bf.payees, bf.months])

print("outside:", warnings_of([connection().accounts]))
print("patched:", [name for name in sys.modules if name.startswith("nest_asyncio")])
print(asyncio.run.__module__, asyncio.get_event_loop_policy().__class__.__module__)
print("inside:", asyncio.run(inside()))
try:
    BudgetFrame(client(), budget="Household", loop="running").accounts()
except Exception as error:
    print("no running loop:", type(error).__name__, 'loop="private"' in str(error))
""")
    assert ended.out.splitlines() == [
        "outside: []",
        "patched: []",
        "asyncio.runners asyncio.unix_events",
        "inside: [('RuntimeWarning', '<string>', True)]",  # one warning, at the line of the call
        "no running loop: ToolError True",
    ]
    assert ended.err == ""


# Exit


def test_a_script_ends_silently_with_connections_in_any_state(address: str) -> None:
    ended = run_interpreter(
        f"""{ON_A_CLIENT}
import gc

def connected():
    bf = BudgetFrame.connect(
        {TOKEN!r}, budget="Household", base_url={address!r}, progress=False
    )
    bf.accounts()
    return bf

def in_a_reference_cycle():
    cycle = [connected()]
    cycle.append(cycle)

def with_an_error_that_is_kept():
    bf = connected()
    try:
        bf.account("nowhere")
    except Exception as error:
        kept = error

in_a_reference_cycle()
with_an_error_that_is_kept()
gc.collect()
not_closed = connected()
embedded = BudgetFrame.sandbox(progress=False)
embedded.accounts()
on_a_given_client = BudgetFrame(client(), budget="Household", progress=False)
on_a_given_client.accounts()
""",
        "-W",
        "error",
    )
    assert ended == Ended(0, "", "")


def test_a_script_that_fails_shows_one_short_error_without_the_token(address: str) -> None:
    script = f"""
from budgetframe import BudgetFrame
bf = BudgetFrame.connect(budget="nowhere", base_url={address!r})
bf.accounts()
"""
    ended = run_interpreter(script, "-W", "error", BUDGETFRAME_TOKEN=TOKEN)
    lines = ended.err.strip().splitlines()
    assert ended.code == 1
    assert lines[-1].startswith("budgetframe.ToolError: no budget 'nowhere'")
    assert sum(line.startswith("  File ") for line in lines) <= 5
    assert not any(TOKEN[start : start + 6] in ended.err for start in range(len(TOKEN) - 5))


# Forks


def test_after_a_fork_the_child_has_a_new_connection_and_ends_normally(address: str) -> None:
    ended = on_a_client(f"""
import os
import warnings

# Python 3.12 and later warn of every fork while the thread of a connection exists.
warnings.filterwarnings("ignore", ".* use of fork", DeprecationWarning)

def in_child(call):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        call()
        sys.exit(7)  # the usual way, which waits for threads
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

bf = BudgetFrame.connect({TOKEN!r}, budget="Household", base_url={address!r}, ttl=0)
before = bf.accounts()

def read_twice():
    print("equal in the child:", all(bf.accounts().equals(before) for _ in range(2)))

print("exit code:", in_child(read_twice))
print("equal in the parent:", bf.accounts().equals(before))

given = BudgetFrame(client(), budget="Household", ttl=0)
given.accounts()

def read_through_the_given_client():
    try:
        given.accounts()
    except Exception as error:
        print("given client:", type(error).__name__, "client" in str(error))

print("exit code:", in_child(read_through_the_given_client))
""")
    assert ended.out.splitlines() == [
        "equal in the child: True",
        "exit code: 7",
        "equal in the parent: True",
        "given client: ToolError True",
        "exit code: 7",
    ]
    assert ended.err == ""


def test_a_child_forked_while_a_thread_works_does_not_hang() -> None:
    ended = run_script("""
        import os, sys, threading
        from budgetframe import DeltaCache, RateLimiter
        from budgetframe._client.limit_guard import LimitGuard
        sys.setswitchinterval(1e-5)
        guard, cache = LimitGuard(RateLimiter()), DeltaCache()
        cache.update("b1:payees", {"payees": [{"id": f"p{n}"} for n in range(200)]}, 7)
        is_over = False
        def work():
            while not is_over:
                guard.reserve(), guard.usage(), cache.get_data("b1:payees")
        thread = threading.Thread(target=work)
        thread.start()
        ends = set()
        for _ in range(20):
            if (child := os.fork()) == 0:
                import signal
                signal.alarm(20)  # ends a child that hangs
                guard.usage()
                os._exit(cache.get_knowledge("b1:payees"))
            ends.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        is_over = True
        thread.join()
        print(ends)
    """)
    assert ended.out == "{7}\n"


# The running event loop


def test_a_client_that_was_awaited_can_be_used_inside_its_own_loop_without_a_thread() -> None:
    ended = on_a_client("""
import threading

async def main():
    awaited = client()
    user_id = await awaited.validate_token()
    bf = BudgetFrame(awaited, budget="Household", loop="running")
    assert bf.user().id == user_id
    print(len(bf.accounts()) > 0, len(await bf.aio.payees()) > 0)
    print([thread.name for thread in threading.enumerate()])

asyncio.run(main())
""")
    assert (ended.code, ended.out) == (0, "True True\n['MainThread']\n"), ended.err


def test_nest_asyncio_replaces_an_old_nest_asyncio2_but_not_in_a_kernel_that_loses_cells(
    tmp_path: Path,
) -> None:
    # First on the path: a nest-asyncio2 that is too old, and an ipykernel that loses cells.
    for name, version in (("nest_asyncio2", "1.6.0"), ("ipykernel", "7.1.0")):
        metadata = tmp_path / f"{name}-{version}.dist-info" / "METADATA"
        metadata.parent.mkdir()
        metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    ended = run_script(f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
{ON_A_CLIENT}
async def main():
    BudgetFrame(client(), budget="Household", loop="running").accounts()
    print([name for name in ("nest_asyncio", "nest_asyncio2") if name in sys.modules])

asyncio.run(main())
import ipykernel
asyncio.run(main())
""")
    assert (ended.code, ended.out) == (1, "['nest_asyncio']\n"), ended.err
    last = ended.err.strip().splitlines()[-1]
    assert last.startswith("budgetframe.ToolError")
    assert "nest-asyncio2" in last


def test_a_child_forked_while_another_thread_starts_a_call_does_not_hang() -> None:
    ended = run_script("""
        import os, signal
        from budgetframe import BudgetFrame
        from budgetframe._runtime.event_loop import BackgroundLoop
        bf = BudgetFrame.sandbox()
        accounts = len(bf.accounts())
        BackgroundLoop.start_lock.acquire()  # as if another thread started a call now
        if (child := os.fork()) == 0:
            signal.alarm(20)  # ends a child that hangs
            os._exit(0 if len(bf.accounts()) == accounts else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert ended.out == "0\n"

"""Behaviour that needs a separate process: event loops, exit, forks.

Each script checks several cases. Only tests of the start and the exit need a new interpreter, which
takes a second; the others use a fork.
"""

from pathlib import Path

import pytest

from tests.facade.scripts import Ended, run_interpreter, run_script
from tests.facade.service import TOKEN

pytestmark = pytest.mark.slow  # each test starts a process

ON_A_CLIENT = """
import asyncio, sys
import httpx
from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient
from budgetframe.sandbox import Sandbox

service = Sandbox(years=1)

def client():
    http = httpx.AsyncClient(
        transport=service.transport(), base_url=service.base_url,
        headers={"Authorization": f"Bearer {service.token}"},
    )
    return ServiceClient(http, RateLimiter(), DeltaCache())
"""


def on_a_client(script: str) -> Ended:
    return run_script(f"{ON_A_CLIENT}\n{script}")


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
        bf.account("00000000-0000-4000-8000-000000000000")
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


@pytest.mark.posix
def test_a_connection_is_refused_in_a_fork_that_then_connects(address: str, tmp_path: Path) -> None:
    ended = on_a_client(f"""
import asyncio
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
    print("exit code:", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

def connect():
    options = dict(budget="Household", base_url={address!r}, cache_dir={str(tmp_path)!r})
    return BudgetFrame.connect({TOKEN!r}, **options)

bf = connect()
before = bf.accounts()
unused = BudgetFrame.sandbox()
with_client = client()
given = BudgetFrame(with_client, budget="Household", ttl=0)
given.accounts()
running = BudgetFrame(client(), budget="Household", loop="running")
message = (
    f"this connection was made in another process (PID {{os.getpid()}}). Connect again in this"
    " process: call BudgetFrame.connect() or BudgetFrame.sandbox(), or create a new"
    " ServiceClient"
)

def use():
    calls = [
        bf.accounts, bf.refresh, lambda: bf.requests, lambda: asyncio.run(bf.aio.payees()),
        unused.accounts, given.accounts, given.refresh, lambda: asyncio.run(given.aio.payees()),
        running.accounts, lambda: asyncio.run(running.aio.accounts()),
        lambda: asyncio.run(with_client.get("/budgets")),
        lambda: asyncio.run(with_client.post("/budgets/last-used/accounts", json={{}})),
    ]
    for number, call in enumerate(calls):
        try:
            call()
        except Exception as error:
            if (type(error).__name__, str(error)) != ("ToolError", message):
                print(number, repr(error))
        else:
            print(number, "no error")
    print("shown:", [message in each for each in (repr(bf), bf._repr_html_(), repr(given))])
    bf.close()
    with connect() as own:
        print("equal:", own.accounts().equals(before), own.requests.used == used)

used = bf.requests.used
in_child(lambda: None)
in_child(use)
print("equal in the parent:", bf.accounts().equals(before))
""")
    assert ended.out.splitlines() == [
        "exit code: 7", "shown: [True, True, True]", "equal: True True",
        "exit code: 7", "equal in the parent: True",
    ]  # fmt: skip
    assert ended.err == ""


@pytest.mark.posix
def test_a_child_forked_while_threads_work_can_connect() -> None:
    ended = run_script("""
        import os, signal, sys, threading
        from budgetframe import BudgetFrame, DeltaCache, RateLimiter
        from budgetframe._client.limit_guard import LimitGuard
        from budgetframe.sandbox import Sandbox
        sys.setswitchinterval(1e-5)
        service, of_child = Sandbox(years=1), Sandbox(years=1)
        BudgetFrame.sandbox(service).user()  # imports what a connection needs
        guard, cache = LimitGuard(RateLimiter()), DeltaCache()
        cache.update("b1:payees", {"payees": [{"id": f"p{n}"} for n in range(200)]}, 7)
        is_over = False
        def work():
            while not is_over:
                guard.reserve(), guard.usage(), cache.get_data("b1:payees")
        def connect():
            while not is_over:
                with BudgetFrame.sandbox(service) as bf:
                    bf.user()
        threads = [threading.Thread(target=each) for each in (work, connect)]
        for thread in threads:
            thread.start()
        ends = set()
        for _ in range(10):
            if (child := os.fork()) == 0:
                signal.alarm(20)  # ends a child that hangs
                os._exit(7 if BudgetFrame.sandbox(of_child).user().id else 1)
            ends.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        is_over = True
        for thread in threads:
            thread.join()
        print(ends)
    """)
    assert ended.out == "{7}\n", ended.err


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


def test_nest_asyncio_replaces_an_old_nest_asyncio2_but_not_in_some_kernels(tmp_path: Path) -> None:
    # First on the path: a nest-asyncio2 that is too old, and an ipykernel that loses cells.
    for name, version in (("nest_asyncio2", "1.6.0"), ("ipykernel", "7.1.0")):
        metadata = tmp_path / f"{name}-{version}.dist-info" / "METADATA"
        metadata.parent.mkdir()
        metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
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

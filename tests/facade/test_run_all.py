"""Cells that are queued at once, as "Run All" does: none may be lost."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from budgetframe.sandbox import Sandbox, serve
from tests.facade.test_processes import ON_A_CLIENT

pytestmark = pytest.mark.slow  # the tests start kernels

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
CELLS = [
    "print('accounts', len(bf.accounts()) > 0)",
    "print('transactions', len(bf.transactions()) > 0)", "print('months', len(bf.months()) > 0)",
    "print('categories', len(bf.categories()) > 0)", "print('payees', len(bf.payees()) > 0)",
    "print('month', len(bf.month('2026-05')) > 0)",
]  # fmt: skip
OUTPUTS = [
    "accounts True\n", "transactions True\n", "months True\n", "categories True\n",
    "payees True\n", "month True\n",
]  # fmt: skip


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingKernelClient]:
    """A kernel of this interpreter for all tests, because starting one takes a second."""
    with started_kernel(tmp_path_factory.mktemp("kernels")) as client:
        yield client


@contextmanager
def started_kernel(tmp_path: Path) -> Iterator[BlockingKernelClient]:
    """A new kernel of this interpreter, independent of the installed kernels."""
    spec = tmp_path / "here" / "kernel.json"
    spec.parent.mkdir()
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec.write_text(
        json.dumps({"argv": command, "display_name": "here", "language": "python"}), "utf-8"
    )
    specs = KernelSpecManager(kernel_dirs=[str(tmp_path)])
    manager = KernelManager(kernel_name="here", kernel_spec_manager=specs)
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()


def run_all(kernel: BlockingKernelClient, cells: list[str]) -> list[dict[str, Any]]:
    """Queue all cells; return the status, the output and the number of pictures of each cell."""
    requests = [kernel.execute(cell) for cell in cells]
    ended: dict[str, dict[str, Any]] = {
        each: {"status": "lost", "stdout": "", "stderr": "", "pictures": 0} for each in requests
    }
    while any(cell["status"] == "lost" for cell in ended.values()):
        reply = kernel.get_shell_msg(timeout=60)
        # After a slow start of the kernel, replies to repeated requests for its state come first.
        if (cell := ended.get(reply["parent_header"]["msg_id"])) is not None:
            cell["status"] = reply["content"]["status"]
    idle = 0
    while idle < len(requests):
        message = kernel.get_iopub_msg(timeout=60)
        shown = ended.get(message["parent_header"].get("msg_id", ""))
        if shown is None:
            continue
        if message["msg_type"] == "stream":
            shown[message["content"]["name"]] += message["content"]["text"]
        if message["msg_type"] == "display_data":
            shown["pictures"] += "image/png" in message["content"]["data"]
        idle += message["content"].get("execution_state") == "idle"
    return list(ended.values())


def expected(outputs: list[str]) -> list[dict[str, Any]]:
    return [{"status": "ok", "stdout": output, "stderr": "", "pictures": 0} for output in outputs]


def test_six_queued_cells_all_run(kernel: BlockingKernelClient) -> None:
    start = "from budgetframe import BudgetFrame; bf = BudgetFrame.sandbox()"
    assert run_all(kernel, [start, *CELLS]) == expected(["", *OUTPUTS])


def test_six_queued_cells_all_run_inside_the_own_loop_of_the_notebook(tmp_path: Path) -> None:
    made = 'bf = BudgetFrame(awaited, budget="Household", loop="running")'
    start = [ON_A_CLIENT, "awaited = client(); _ = await awaited.validate_token()", made]
    with started_kernel(tmp_path) as kernel:  # a separate one, because its loop is patched
        assert run_all(kernel, [*start, *CELLS]) == expected(["", "", "", *OUTPUTS])


def test_queued_cells_that_await_all_run(kernel: BlockingKernelClient) -> None:
    start = "from budgetframe import BudgetFrame; bf = BudgetFrame.sandbox()"
    cells = [cell.replace("bf.", "await bf.aio.") for cell in CELLS]
    assert run_all(kernel, [start, *cells]) == expected(["", *OUTPUTS])


@pytest.mark.parametrize("name", ["04_net_worth", "17_async"])
def test_queued_cells_show_the_same_as_one_by_one(kernel: BlockingKernelClient, name: str) -> None:
    notebook = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    stored = [
        ("ok", "".join("".join(each.get("text", "")) for each in cell["outputs"]),
            sum("image/png" in each.get("data", {}) for each in cell["outputs"]))
        for cell in cells
    ]  # fmt: skip
    ended = run_all(kernel, ["".join(cell["source"]) for cell in cells])
    assert [(cell["status"], cell["stdout"], cell["pictures"]) for cell in ended] == stored


def test_a_second_run_of_all_cells_sends_nothing(kernel: BlockingKernelClient) -> None:
    notebook = json.loads((NOTEBOOKS / "03_my_month.ipynb").read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with serve(Sandbox(token="a-token-of-this-test", limit=10_000)) as url:
        new = f"BudgetFrame.connect('a-token-of-this-test', budget='Household', base_url={url!r})"
        cells = [cell.replace("BudgetFrame.sandbox()", new) for cell in cells]
        first, second = (run_all(kernel, [*cells, "print(bf.requests.used)"]) for _ in range(2))
    assert int(first[-1]["stdout"]) > 0
    assert second == first

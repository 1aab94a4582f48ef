"""Fast new processes for scripts and notebook kernels.

A new interpreter spends about a second of CPU time on the imports of pandas, matplotlib and this
package. The fork server of `multiprocessing` imports them once, and each process here is a fork of
the server: it has imported these modules, but it has run nothing.
"""

import multiprocessing
import os
import signal
import sys
from importlib.metadata import EntryPoint
from multiprocessing.process import BaseProcess
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()

# Not ipykernel: the package looks for it to find out whether it is used in a notebook.
_IMPORTED = [
    *("budgetframe.reports.plotting.page_figure", "budgetframe._changes.sending.apply"),
    *("IPython.core.application", "IPython.core.magics", "jupyter_client", "pyarrow.pandas_compat"),
    "tests.sandbox.default_household",
]
_PROVISIONER = "fork"


def new_process(target: Any, *args: object) -> BaseProcess:
    """Start a process that calls a function."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_IMPORTED)
    process = context.Process(target=target, args=args, daemon=True)
    process.start()
    return process


def fork_kernels() -> None:
    """From now on, fork the kernels that this process starts."""
    factory = KernelProvisionerFactory.instance()
    entry = EntryPoint(_PROVISIONER, f"{__name__}:ForkProvisioner", factory.GROUP_NAME)
    factory.provisioners[_PROVISIONER] = entry
    factory.default_provisioner_name = _PROVISIONER


class ForkProvisioner(LocalProvisioner):
    """Starts a kernel of this interpreter as a fork."""

    async def launch_kernel(self, cmd: list[str], **options: Any) -> KernelConnectionInfo:
        arguments = cmd[cmd.index("ipykernel_launcher") :]
        process = new_process(_run_kernel, arguments, dict(options["env"]), options.get("cwd"))
        self.process = _Process(process)  # type: ignore[assignment] # it has the same methods
        return self.connection_info


class _Process:
    """A process with those methods of `subprocess.Popen` that a provisioner uses."""

    stdin = stdout = stderr = None

    def __init__(self, process: BaseProcess) -> None:
        self._process = process

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int | None:
        self._process.join()
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self._process.pid is not None and self.poll() is None:
            os.kill(self._process.pid, number)


def _run_kernel(arguments: list[str], environment: dict[str, str], folder: str | None) -> None:
    """Run a kernel in this process until it is shut down."""
    import matplotlib as mpl  # noqa: PLC0415 - the server has imported it
    from ipykernel.kernelapp import IPKernelApp  # noqa: PLC0415 - only kernels may have it

    os.environ.clear()
    os.environ.update(environment)
    if folder is not None:
        os.chdir(folder)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # The kernel sets MPLBACKEND, which matplotlib reads when it is imported.
    mpl.rcParams["backend"] = "module://matplotlib_inline.backend_inline"
    sys.argv = arguments
    IPKernelApp.launch_instance()

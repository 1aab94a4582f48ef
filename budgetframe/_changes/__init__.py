"""Changes of a budget from a frame: comparison, effects, sending, journal and reversal."""

from __future__ import annotations

from .apply import Application, interrupted, written_rows
from .assigning import assignment, movement
from .compare import compare
from .effects import EFFECTS
from .given_rows import (
    creations_of,
    deletions_of,
    keys_to_delete,
    rows_to_create,
    rows_to_update,
    updates_of,
)
from .imports import SKIPPED, import_plan
from .journal import check_not_undone, journal_of
from .linked_import import import_linked
from .plan import KEYS, digest_of
from .predicted_effects import effects_of_changes
from .preview import changes_frame, preview_frame
from .reversal import reversal
from .set_balance import balance_adjustment
from .single_rows import creation_of_row, update_of_row

__all__ = [
    "EFFECTS",
    "KEYS",
    "SKIPPED",
    "Application",
    "assignment",
    "balance_adjustment",
    "changes_frame",
    "check_not_undone",
    "compare",
    "creation_of_row",
    "creations_of",
    "deletions_of",
    "digest_of",
    "effects_of_changes",
    "import_linked",
    "import_plan",
    "interrupted",
    "journal_of",
    "keys_to_delete",
    "movement",
    "preview_frame",
    "reversal",
    "rows_to_create",
    "rows_to_update",
    "update_of_row",
    "updates_of",
    "written_rows",
]

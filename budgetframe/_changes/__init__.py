"""Changes of a budget from a frame: comparison, effects, sending, journal and reversal."""

from .bank.imports import SKIPPED, import_plan
from .comparing.categories import assignment, movement
from .comparing.compare import compare
from .comparing.given_rows import (
    converted_rows,
    creations_of,
    deletions_of,
    keys_to_delete,
    rows_to_create,
    rows_to_update,
    updates_of,
)
from .comparing.set_balance import balance_adjustment
from .comparing.single_rows import creation_of_row, update_of_row
from .effects import EFFECTS, effects_of_changes
from .plan import KEYS, digest_of
from .preview import SOURCES, WANTED, changes_frame
from .sending.apply import Application, written_rows
from .sending.journal import check_not_undone, continuing, interrupted, journal_of
from .sending.linked_import import import_linked
from .sending.reversal import reversal

__all__ = [
    "EFFECTS", "KEYS", "SKIPPED", "SOURCES", "WANTED", "Application", "assignment",
    "balance_adjustment", "changes_frame", "check_not_undone", "compare", "continuing",
    "converted_rows", "creation_of_row", "creations_of", "deletions_of", "digest_of",
    "effects_of_changes", "import_linked", "import_plan", "interrupted", "journal_of",
    "keys_to_delete", "movement", "reversal", "rows_to_create",
    "rows_to_update", "update_of_row", "updates_of", "written_rows",
]  # fmt: skip

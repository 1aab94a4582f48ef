"""Changes of a budget from a frame: comparison, effects, sending, journal and reversal."""

from __future__ import annotations

from .compare import compare
from .effects import EFFECTS
from .plan import changes_frame
from .predict import effects_of_changes
from .preview_frame import preview_frame
from .send import Application, journal_of, reversal

__all__ = [
    "EFFECTS",
    "Application",
    "changes_frame",
    "compare",
    "effects_of_changes",
    "journal_of",
    "preview_frame",
    "reversal",
]

"""The old place of `Report`, which pickles of version 0.1 name."""

from __future__ import annotations

from .report import Report

__all__ = ["Report"]

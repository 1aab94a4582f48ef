"""The old place of `Reconciliation`, which pickles of version 0.1 name."""

from __future__ import annotations

from budgetframe.reports.reconciliation import Reconciliation

__all__ = ["Reconciliation"]

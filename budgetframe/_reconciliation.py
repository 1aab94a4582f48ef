"""The former module of `Reconciliation`; pickles written by version 0.1 refer to it."""

from __future__ import annotations

from budgetframe.frames.reconciliation import Reconciliation

__all__ = ["Reconciliation"]

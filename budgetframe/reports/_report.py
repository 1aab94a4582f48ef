"""The former module of `Report`; pickles written by version 0.1 refer to it."""

from __future__ import annotations

from .report import Report

__all__ = ["Report"]

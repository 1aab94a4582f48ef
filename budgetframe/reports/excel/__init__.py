"""Frames and reports as sheets of a workbook."""

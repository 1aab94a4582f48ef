"""Comparison of frames and rows with the present rows: what they change."""

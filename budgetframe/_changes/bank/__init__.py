"""Rows and statements of a bank."""

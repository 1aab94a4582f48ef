"""Rows to tick, edit and apply with the mouse."""

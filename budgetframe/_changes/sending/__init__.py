"""Sending of changes, the journal of what was sent, and the reversal of it."""

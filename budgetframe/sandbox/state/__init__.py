"""The state of a budget and every change that can be made to it."""

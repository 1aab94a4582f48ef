"""The generator of sample budgets."""

"""Event loop, progress, warnings and other things that know nothing of budgets."""

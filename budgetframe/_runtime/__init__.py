"""Event loop, progress, warnings and other infrastructure that knows nothing about budgets."""

"""The command ``budgetframe``."""

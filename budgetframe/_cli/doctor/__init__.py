"""The command ``budgetframe doctor``: it compares a service with what this package expects."""

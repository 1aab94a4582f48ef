"""Generates the default budgets, which takes a tenth of a second, for the forks of this process."""

from budgetframe.sandbox import Sandbox

Sandbox()

"""The public facade: `BudgetFrame`, its asynchronous counterpart, connections, docstrings."""

"""The size of the generated budgets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Number of budgets, their years, and the number of transactions in the first budget."""

    years: int | None = None
    """Full years before the current one; None means three in the first budget, one in others."""
    transactions: int | None = None
    """Transactions of the first budget that are not deleted; None means only the habits."""
    budgets: int = 2

    def __post_init__(self) -> None:
        for name, least, most in (("years", 0, 50), ("transactions", 1, None), ("budgets", 1, 50)):
            value = getattr(self, name)
            if value is None:
                continue
            if value < least or (most is not None and value > most):
                allowed = f"at least {least}" if most is None else f"{least} to {most}"
                raise ValueError(f"{name} is {value}: it must be {allowed}")

    def years_of(self, index: int) -> int:
        """Return the number of full years of a budget."""
        return (3 if index == 0 else 1) if self.years is None else self.years

    def check(self, base: int) -> None:
        """Raise an error for fewer transactions than the household has without purchases."""
        if self.transactions is not None and self.transactions < base:
            raise ValueError(
                f"transactions is {self.transactions}: in {self.years_of(0)} years and the current "
                f"one the household has at least {base}; ask for more, or for fewer years"
            )

"""How much is made up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How many budgets there are, how far back they go, and how many rows the first one has."""

    years: int | None = None
    """Full years before the current one; None: three in the first budget, one in the others."""
    transactions: int | None = None
    """Rows of the first budget that are not deleted; None: what the household does by itself."""
    budgets: int = 2

    def __post_init__(self) -> None:
        for name, least, most in (("years", 1, 50), ("transactions", 1, None), ("budgets", 1, 50)):
            value = getattr(self, name)
            if value is None:
                continue
            if value < least or (most is not None and value > most):
                upwards = f"at least {least}" if most is None else f"{least} to {most}"
                raise ValueError(f"{name} is {value}: it must be {upwards}")

    def years_of(self, index: int) -> int:
        """Give how far back a budget goes."""
        return self.years or (3 if index == 0 else 1)

    def check(self, alone: int) -> None:
        """Refuse fewer rows than the household has anyway."""
        if self.transactions is not None and self.transactions < alone:
            raise ValueError(
                f"transactions is {self.transactions}: in {self.years_of(0)} years and a part "
                f"the household alone has {alone}; ask for more of them, or for fewer years"
            )

"""Draw the picture of the README: ``python -m tests.docs.pictures``."""

from pathlib import Path

from budgetframe import BudgetFrame

FOLDER = Path(__file__).parents[2] / ".github" / "pictures"


def draw() -> None:
    bf = BudgetFrame.sandbox()
    FOLDER.mkdir(exist_ok=True)
    bf.reports.net_worth().plot().figure.savefig(FOLDER / "net_worth.png", dpi=150)


if __name__ == "__main__":
    draw()

"""Draw the two pictures of the README: ``python -m tests.docs.pictures``."""

from pathlib import Path

from budgetframe import BudgetFrame

FOLDER = Path(__file__).parents[2] / ".github" / "pictures"


def draw() -> None:
    bf = BudgetFrame.sandbox()
    reports = {
        "net_worth": bf.reports.net_worth(),
        "spending": bf.reports.spending("group", freq="month", since="2025-01-01"),
    }
    FOLDER.mkdir(exist_ok=True)
    for name, report in reports.items():
        report.plot().figure.savefig(FOLDER / f"{name}.png", dpi=150)


if __name__ == "__main__":
    draw()

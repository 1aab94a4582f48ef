"""What CONTRIBUTING says about the code agrees with the code."""

from pathlib import Path

from tests.docs.generate_facade import ASYNC_REPORTS, FILES, SYNC_REPORTS

TEXT = (Path(__file__).parents[2] / ".github" / "CONTRIBUTING.md").read_text("utf-8")


def section(title: str) -> str:
    return TEXT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_the_steps_for_a_report_name_each_generated_module_of_reports() -> None:
    assert {SYNC_REPORTS, ASYNC_REPORTS} < {*FILES}
    for name in (SYNC_REPORTS, ASYNC_REPORTS):
        assert f"`{name}`" in section("Add a report"), name

"""Modules that importing the package does not import: each one is imported at its first use."""

from tests.facade.scripts import run_interpreter

LATE = {
    "budgetframe.models.records",
    "matplotlib",
    "nest_asyncio",
    "ofxtools",
    "sqlite3",
    "starlette",
    "tqdm",
}


def test_importing_the_package_does_not_import_modules_that_few_programs_need() -> None:
    # A tool that measures coverage may have imported some of them before.
    script = """
        import sys
        before = set(sys.modules)
        import budgetframe
        print(*(set(sys.modules) - before))
    """
    imported = set(run_interpreter(script).out.split())
    assert "budgetframe" in imported
    assert imported & LATE == set()

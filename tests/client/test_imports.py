"""What importing the package does not import, and what it says if a library is missing."""

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


def test_the_package_and_a_first_frame_import_no_module_that_few_programs_need() -> None:
    # A tool that measures coverage may have imported some of them before.
    script = """
        import sys
        before = set(sys.modules)
        import budgetframe
        print(*(set(sys.modules) - before))
        budgetframe.BudgetFrame.sandbox().accounts()
        print("budgetframe.reports" in sys.modules)
        print(budgetframe.reports.net_worth.__name__)
        import budgetframe._cli.main
        print(sorted({"dask", "deltalake", "distributed"} & sys.modules.keys()))
    """
    imported, *of_reports = run_interpreter(script).out.splitlines()
    assert "budgetframe" in imported.split()
    assert {*imported.split()} & LATE == set()
    assert of_reports == ["False", "net_worth", "[]"]


def test_an_import_of_the_lake_names_a_missing_library() -> None:
    script = """
        import sys
        sys.modules["deltalake"] = None
        from budgetframe import ToolError
        try:
            import budgetframe.lake
        except ToolError as error:
            print(error)
    """
    said = "a lake needs deltalake: pip install 'budgetframe[lake]'"
    assert run_interpreter(script).out.strip() == said

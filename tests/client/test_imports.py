"""What importing the package does not import, and what it says if a library is missing."""

from tests.facade.scripts import run_interpreter

LATE = {
    "budgetframe.models.records", "matplotlib", "nest_asyncio", "sqlite3", "starlette", "tqdm",
}  # fmt: skip


def test_the_help_of_the_command_imports_no_slow_module_and_a_first_frame_few_ones() -> None:
    # A tool that measures coverage may have imported some of them before.
    script = """
        import sys
        before = set(sys.modules)
        import budgetframe._cli.main
        print(*(set(sys.modules) - before))
        connection = budgetframe.BudgetFrame
        print(*(set(sys.modules) - before))
        connection.sandbox().accounts()
        print("budgetframe.reports" in sys.modules, budgetframe.reports.net_worth.__name__)
        import budgetframe._cli.commands
        print(sorted({"dask", "deltalake", "distributed"} & sys.modules.keys()))
    """
    of_help, imported, *of_reports = run_interpreter(script).out.splitlines()
    assert "budgetframe" in of_help.split()
    assert {*of_help.split()} & {"asyncio", "httpx", "pandas", *LATE} == set()
    assert {*imported.split()} & LATE == set()
    assert of_reports == ["False net_worth", "[]"]


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

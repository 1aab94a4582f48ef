"""The generated modules of the facade are up to date."""

import ast

from tests.docs.generate_facade import COMMAND, FILES, PACKAGE


def code(source: str) -> list[str]:
    """The statements of a module without their formatting; imports one by one, sorted."""
    imports, others = [], []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom):
            imports += [f"from {node.module} import {alias.name}" for alias in node.names]
        else:
            others.append(ast.unparse(node))
    return sorted(imports) + others


def test_the_generated_code_is_up_to_date() -> None:
    for name, generate in FILES.items():
        written = (PACKAGE / name).read_text(encoding="utf-8")
        is_up_to_date = code(written) == code(generate())
        assert is_up_to_date, f"{name} is not up to date, run: {COMMAND}"

"""Write the skill for assistants and the site's list of pages: ``python -m tests.docs.skill``.

They are made from the README, the docstrings, the notebooks, the first page of the site, and
``skill_template.md`` beside this file. Run it in the root of the repository if one of them changes.
"""

import re
from importlib.metadata import metadata
from pathlib import Path
from string import Template

import budgetframe
from tests.docs.docstrings import OBJECTS, code_in, docstrings_of
from tests.docs.test_notebooks import (
    FOLDER,
    NOTEBOOKS,
    PITFALLS,
    code_cells,
    printed,
    source,
    texts,
)

SITE = FOLDER.parent / ".github" / "site"
FILES = {
    "skill": Path(budgetframe.__file__).parent / ".agents" / "skills" / "budgetframe" / "SKILL.md",
    "pages": SITE / "llms.txt",
}
SUMMARY = metadata("budgetframe")["Summary"]
READS = [
    "bf.ledger", "bf.accounts", "bf.month", "bf.reports.spending", "bf.reports.same_period",
    "bf.reports.income_expense", "bf.reports.net_worth", "bf.reports.budget_vs_actual",
    "bf.reports.recurring",
]  # fmt: skip
FIRST = (
    "from budgetframe import BudgetFrame\n\nbf = BudgetFrame.sandbox()  # or connect(), see above"
)


def skill() -> str:
    """The text of the skill."""
    readme = (FOLDER.parent / "README.md").read_text("utf-8")
    introduction = readme.partition("\n## ")[0].partition("\n")[2]
    text = Template((Path(__file__).parent / "skill_template.md").read_text("utf-8")).substitute(
        summary=SUMMARY,
        introduction=re.sub(r"```.*?```|!\[.*?\)", "", introduction, flags=re.DOTALL).strip(),
        connect=_section(readme, "Your own budget").partition("\n|")[0].strip(),
        reads=_block("\n\n".join([FIRST, *map(_example, READS)])),
        change=_block(_example("bf.changes")),
        methods=", ".join(docstrings_of(OBJECTS["bf"])),
        reports=", ".join(docstrings_of(OBJECTS["bf.reports"])),
        know=_section(readme, "What to know"),
        pitfalls=_pitfalls(),
    )
    return re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]+\)", r"\1", text)  # files that the wheel lacks


def pages() -> str:
    """The text of ``llms.txt``, in the format of llmstxt.org."""
    lines = [f"# budgetframe\n\n> {SUMMARY}\n\n## Pages\n"]
    lines += ["- [Skill for assistants](SKILL.md): connect, ten calls, what never to do, pitfalls"]
    index = (SITE / "index.md").read_text("utf-8")
    for purpose, cell in re.findall(r"^\| ([^|\[]+) \| (\[.+) \|$", index, re.MULTILINE):
        for title, page in re.findall(r"\[([^\]]+)\]\(([^)]+)\.md\)", cell):
            lines.append(f"- [{title}]({page}.html): {purpose}")
    lines.append("\n## Questions and their notebooks\n")
    for name in NOTEBOOKS:
        title, question = re.findall(
            r"^(?:# |\*\*Question\.\*\* )(.+)", texts(name)[0], re.MULTILINE
        )
        lines.append(f"- [{title}](notebooks/{name}.html): {question}")
    return "\n".join(lines) + "\n"


def _section(readme: str, heading: str) -> str:
    """The text of the README below a heading, up to the next one."""
    _, found, text = readme.partition(f"\n## {heading}\n")
    if not found:
        raise LookupError(f"README.md has no heading {heading!r}")
    return text.partition("\n## ")[0].strip()


def _block(code: str) -> str:
    return f"```python\n{code}\n```"


def _example(call: str) -> str:
    """The first sentence of a docstring and its example, without the line that connects."""
    owner, _, name = call.rpartition(".")
    docstring = docstrings_of(OBJECTS[owner])[name]
    lines = [f"# {call}: {docstring.splitlines()[0]}"]
    for code, result in code_in(docstring)[1:]:
        lines.append(code.rstrip() + (f"  # {result.rstrip()}" if result else ""))
    return "\n".join(lines)


def _pitfalls() -> str:
    """The texts of the notebook, and its cells with what they print."""
    first, *cells = code_cells(PITFALLS)
    parts = [texts(PITFALLS)[0].split("\n\n")[-1], _block(source(first))]
    for text, cell in zip(texts(PITFALLS)[1:-1], cells, strict=True):
        figures = "".join(f"\n# {line}" for line in printed(cell).splitlines())
        parts += [f"#{text}", _block(source(cell) + figures)]
    return "\n\n".join(parts)


if __name__ == "__main__":
    for name, path in FILES.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(globals()[name](), "utf-8")

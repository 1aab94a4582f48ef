"""Write the skill for assistants and the site's list of pages: ``python -m tests.docs.skill``.

They are made from the README, the docstrings, the notebooks, the first page of the site, and
``skill_template.md`` beside this file. Run it in the root of the repository if one of them changes.
"""

import re
from importlib.metadata import metadata
from pathlib import Path

import budgetframe
from tests.docs import test_notebooks as notebooks
from tests.docs.docstrings import OBJECTS, code_in, docstrings_of

TEMPLATE = Path(__file__).parent / "skill_template.md"
README = notebooks.FOLDER.parent / "README.md"
SITE = README.parent / ".github" / "site"
FILES = {
    "skill": Path(budgetframe.__file__).parent / ".agents" / "skills" / "budgetframe" / "SKILL.md",
    "pages": SITE / "llms.txt",
}
SUMMARY = metadata("budgetframe")["Summary"]


def skill() -> str:
    """The template with its parts: a section of the README, an example, or one of these."""
    readme = README.read_text("utf-8")
    introduction = readme.partition("\n## ")[0].partition("\n")[2]
    parts = {
        "summary": SUMMARY,
        "introduction": re.sub(r"```.*?```|!\[.*?\)", "", introduction, flags=re.DOTALL).strip(),
        "methods": ", ".join(docstrings_of(OBJECTS["bf"])),
        "reports": ", ".join(docstrings_of(OBJECTS["bf.reports"])),
        "pitfalls": _pitfalls(),
    }
    for name in re.findall(r"\$\{(.+)\}", text := TEMPLATE.read_text("utf-8")):
        kind, _, heading = name.partition(": ")
        part = _section(readme, heading) if kind == "README" else parts.get(name) or _example(name)
        text = text.replace(f"${{{name}}}", part)
    return re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]+\)", r"\1", text)  # files that the wheel lacks


def pages() -> str:
    """The text of ``llms.txt``, in the format of llmstxt.org."""
    lines = [f"# budgetframe\n\n> {SUMMARY}\n\n## Pages\n"]
    lines.append("- [Skill](SKILL.md): how to connect, ten calls, pitfalls, and what never to do")
    index = (SITE / "index.md").read_text("utf-8")
    for purpose, cell in re.findall(r"^\| ([^|\[]+) \| (\[.+) \|$", index, re.MULTILINE):
        for title, page in re.findall(r"\[([^\]]+)\]\(([^)]+)\.md\)", cell):
            lines.append(f"- [{title}]({page}.html): {purpose}")
    lines.append("\n## Questions and their notebooks\n")
    for name in notebooks.NOTEBOOKS:
        first = notebooks.texts(name)[0]
        title, question = re.findall(r"^(?:# |\*\*Question\.\*\* )(.+)", first, re.MULTILINE)
        lines.append(f"- [{title}](notebooks/{name}.html): {question}")
    return "\n".join(lines) + "\n"


def _section(readme: str, heading: str) -> str:
    """The text of the README from a heading to the next one, or to a table."""
    _, found, text = readme.partition(f"\n## {heading}\n")
    if not found:
        raise LookupError(f"README.md has no heading {heading!r}")
    return re.split(r"\n## |\n\|", text)[0].strip()


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
    introduction, *texts, _ = notebooks.texts(notebooks.PITFALLS)
    cells, parts = notebooks.code_cells(notebooks.PITFALLS), []
    for text, cell in zip([introduction, *texts], cells, strict=True):
        figures = "".join(f"\n# {line}" for line in notebooks.printed(cell).splitlines())
        parts += [f"#{text}", f"```python\n{notebooks.source(cell)}{figures}\n```"]
    return "\n\n".join(parts).split("\n\n", 2)[2]  # the title and the question are the notebook's


if __name__ == "__main__":
    for make in (skill, pages):
        FILES[make.__name__].write_text(make(), "utf-8")

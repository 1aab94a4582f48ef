"""The site: ``sphinx-build -W -b html .github/site build/site``, with the extra ``site``.

The pages of ``methods`` are templates: they name a class, and the list of its methods is made here,
so that no method is forgotten. The notebooks are copied into this folder, because Sphinx knows no
page outside of it. After the build, the target of each internal link of each page is looked for.
"""

import inspect
import posixpath
import re
import shutil
import sys
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

from sphinx.application import Sphinx
from sphinx.util import logging

import budgetframe
from budgetframe._facade.methods.models import Models
from budgetframe._facade.methods.reports import Reports

project = "budgetframe"
author = "the authors of budgetframe"
version = release = budgetframe.__version__
html_title = "budgetframe " + release.partition("+")[0]
extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc"]
suppress_warnings = ["myst.header"]  # a part of the README begins with its second level

# These classes have no public name: the site shows how people write their methods.
vars(sys.modules.setdefault("bf", ModuleType("bf"))).update(models=Models, reports=Reports)

FOLDER = Path(__file__).parent
shutil.rmtree(FOLDER / "notebooks", ignore_errors=True)
shutil.copytree(FOLDER.parents[1] / "notebooks", FOLDER / "notebooks")

# Markdown, and the notebooks with the outputs that the tests compare.
nb_execution_mode = "off"
nb_render_markdown_format = "myst"
myst_heading_anchors = 3

# Docstrings. A name in single backticks is a link if the site has it, and else code.
default_role = "py:obj"
add_module_names = False
autodoc_typehints = "none"  # the sections Parameters and Returns have the types
autodoc_inherit_docstrings = False
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"

# furo has a light and a dark page and one for phones, and loads nothing from other servers.
html_theme = "furo"
pygments_style = "a11y-light"
pygments_dark_style = "github-dark"
html_static_path = ["static"]
# For assistants; python -m tests.docs.skill writes both.
html_extra_path = ["llms.txt", "../../budgetframe/.agents/skills/budgetframe/SKILL.md"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sourcelink = False


def members(path: str, shown: str) -> str:
    """Return a directive for each public method that a class itself defines, in its order."""
    module, _, name = path.rpartition(".")
    kind = getattr(import_module(module), name)
    lines = []
    for key, member in vars(kind).items():
        if key.startswith("_") or any(hasattr(base, key) for base in kind.__bases__):
            continue
        if inspect.isroutine(member) or isinstance(member, property):
            what = "autoproperty" if isinstance(member, property) else "automethod"
            lines.append(f".. {what}:: {shown}.{key}\n")
    return "\n".join(lines)


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write the directives into a page of ``methods``, and lead links to the copied notebooks."""
    source[0] = source[0].replace("](../../notebooks/", "](notebooks/")
    if docname.startswith("methods/"):
        source[0] = app.builder.templates.render_string(source[0], {"members": members})


def draw_tables(_app: Sphinx, *arguments: Any) -> None:
    """Give the tables of a docstring, which have dashes below their heading, the lines of reST."""
    lines = arguments[-1]
    for number in reversed(range(1, len(lines))):
        if re.fullmatch(r" *-+(  +-+)+", lines[number]) and lines[number - 1].strip():
            border = lines[number].replace("-", "=")
            end = next((n for n in range(number, len(lines)) if not lines[n].strip()), len(lines))
            lines[number - 1 : end] = [
                border, lines[number - 1], border, *lines[number + 1 : end], border
            ]  # fmt: skip


class Links(HTMLParser):
    """The links of a page, and the names that links can have as their target."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.names: set[str] = {""}
        self.feed(text)

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the attributes of one tag."""
        for key, value in attrs:
            if key in {"href", "src"} and value:
                self.links.add(value)
            elif key == "id" and value:
                self.names.add(value)


def check_links(app: Sphinx, problem: Exception | None) -> None:
    """Warn of each internal link without a target."""
    if problem or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    pages = {
        path.relative_to(folder).as_posix(): Links(path.read_text("utf-8"))
        for path in folder.rglob("*.html")
    }
    for page, found in pages.items():
        for link in sorted(found.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            joined = posixpath.join(posixpath.dirname(page), unquote(parts.path))
            target = posixpath.normpath(joined) if parts.path else page
            known = pages.get(target)
            if not (folder / target).is_file() or (
                known and unquote(parts.fragment) not in known.names
            ):
                logging.getLogger(__name__).warning("%s: no target for %s", page, link)


def setup(app: Sphinx) -> None:
    """Connect the functions above with the build."""
    app.connect("source-read", fill)
    app.connect("autodoc-process-docstring", draw_tables, priority=400)  # numpydoc has 500
    app.connect("build-finished", check_links)

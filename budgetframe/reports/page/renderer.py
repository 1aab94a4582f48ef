"""The HTML of a page, from its sections."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from budgetframe._runtime.text import visible
from budgetframe.errors import ToolError
from budgetframe.reports.plotting.themes import THEMES

if TYPE_CHECKING:
    from .sections import Page

_MAX_TILES = 6  # in a row of a screen
_MAX_TILES_ON_PAPER = 4


def renderer() -> Callable[[Page], str]:
    """Return the function that writes a page as HTML, which needs the extra ``page``."""
    try:
        import matplotlib as mpl  # noqa: F401, PLC0415 - an extra
        from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise ToolError(f"the page needs {error.name}: pip install 'budgetframe[page]'") from None
    # Names of accounts and categories are foreign text: autoescape makes them harmless.
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=_visible
    )
    text = files(__package__).joinpath("page.html.jinja").read_text(encoding="utf-8")
    template = environment.from_string(text)

    def html_of(page: Page) -> str:
        figures = len(page.figures)
        tiles, on_paper = _tiles(figures, _MAX_TILES), _tiles(figures, _MAX_TILES_ON_PAPER)
        more = {**THEMES, "tiles": tiles, "tiles_on_paper": on_paper}
        return str(template.render(page=page, version=version("budgetframe"), **more))

    return html_of


def _tiles(count: int, most: int) -> int:
    """The number of tiles in a row, so that the rows have about the same number of them."""
    rows = max(1, -(-count // most))
    return max(1, -(-count // rows))


def _visible(value: Any) -> Any:
    is_foreign = isinstance(value, str) and not hasattr(value, "__html__")  # which marks our HTML
    return visible(value) if is_foreign else value

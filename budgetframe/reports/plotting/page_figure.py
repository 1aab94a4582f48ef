"""Figures whose colours follow the page that shows them: their HTML is an SVG inside the page."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from io import BytesIO
from typing import Any
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib._pylab_helpers import Gcf
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from budgetframe.errors import ToolError

from .options import PlotOptions
from .page_colours import CLASS, colour_style, page_colour
from .themes import THEMES

_MAX_LETTERS = 300_000  # length of an SVG; more would make notebooks large and pages slow
_FALLBACK_COLOURS = 64
_CSS_PIXELS = 100 / 72  # for each point: the size that a notebook shows at 100 dpi
_RESPONSIVE_STYLE = (
    f".{CLASS}-narrow{{display:none;max-width:30rem}}.{CLASS}-narrow svg{{width:100%}}"
    f"@media screen and (max-width:50rem){{.{CLASS}-wide{{display:none}}"
    f".{CLASS}-narrow{{display:block}}}}"
)
_ROOT_STYLE = (
    "max-width:100%;height:auto;overflow:visible;stroke-linejoin:round;stroke-linecap:butt;"
    "fill:currentColor"  # of everything that matplotlib draws in black
)
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_REFERENCE = re.compile(r"#([\w-]+)")
_HREF = "{http://www.w3.org/1999/xlink}href"
_SETTINGS: dict[Any, Any] = {"svg.fonttype": "path", "svg.hashsalt": CLASS}


class PageFigure(Figure):
    """A figure in the light theme, also in files; a notebook shows it in those of its page."""

    def _repr_html_(self) -> str | None:
        """The figure as SVG; None if the SVG would be too large, so that the PNG is shown."""
        interactive: str | None = super()._repr_html_()  # of the backend WebAgg
        if interactive is not None:
            return interactive
        svg = svg_of(self)
        if len(svg) > _MAX_LETTERS:
            return None
        # Notebooks that are not trusted remove <svg> and <style>; then the image is visible.
        return (
            f"<div><style>.{CLASS}+img{{display:none}}</style>{svg}"
            f'<img alt="{escape(_titles(self))}" '
            f'src="data:image/png;base64,{_small_png(self)}"></div>'
        )

    def _mime_(self) -> tuple[str, str]:
        """What marimo shows instead of a PNG; for a large figure, what it shows of any figure."""
        html = self._repr_html_()
        return super()._mime_() if html is None else ("text/html", html)  # type: ignore[misc]


class ReportAxes(Axes):
    """The axes of a report, which IPython shows as their picture, and not as text above it."""

    def _ipython_display_(self) -> None:
        """Show the figure, unless it is still open: the backend shows it after the cell."""
        figure = self.get_figure()
        if all(figure is not each.canvas.figure for each in Gcf.get_all_fig_managers()):
            from IPython.display import display  # noqa: PLC0415 - only IPython calls this method

            display(figure)  # type: ignore[no-untyped-call]


class PageAxes(ReportAxes):
    """The axes of a `PageFigure`, which marimo shows like the figure."""

    def _mime_(self) -> Any:
        return self.get_figure()._mime_()  # type: ignore[union-attr]


def svg_of(figure: Figure, *, label: str | None = None) -> str:
    """Return a figure as an ``<svg>`` element for an HTML page, in the colours of that page."""
    # The text has the page's text colour, and the background is transparent. The colours of the
    # light theme become those of the dark theme where the text is light. The element needs no other
    # element, and its ids are unique on the page. Text consists of paths and needs no font. The
    # width is 100 CSS pixels for each inch of the figure, and less on a narrower page. Text of 10
    # points has then 14 CSS pixels. For a page that must be readable on a phone, use
    # `responsive_svg`. The label is the alternative text; by default it is the titles of the axes.
    stream = BytesIO()
    nothing = dict.fromkeys(["Creator", "Date", "Format", "Type"])
    with mpl.rc_context(_SETTINGS):
        figure.savefig(stream, format="svg", metadata=nothing)
    root = ET.fromstring(stream.getvalue())  # noqa: S314 - matplotlib has just written it
    _remove_backgrounds(root)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        # Indentation, and a style sheet with rules for all elements of the page. The style of the
        # root replaces these rules.
        element.text = element.tail = None
        if _HREF in element.attrib:
            element.set("href", element.attrib.pop(_HREF))
        for name in {"d", "x", "y"} & element.attrib.keys():
            rounded = _LONG_NUMBER.sub(lambda each: f"{float(each[0]):.2f}", element.attrib[name])
            element.set(name, rounded)
        if "style" in element.attrib:
            in_page = _COLOUR.sub(lambda each: page_colour(each[0]), element.attrib["style"])
            element.set("style", in_page)
    _rename_ids(root)
    _, _, width, height = root.attrib["viewBox"].split()
    width, height = (f"{float(each) * _CSS_PIXELS:.0f}" for each in (width, height))
    root.attrib = {
        "xmlns": "http://www.w3.org/2000/svg", "class": CLASS, "role": "img",
        "aria-label": _titles(figure) if label is None else label,
        "viewBox": root.attrib["viewBox"], "width": width, "height": height, "style": _ROOT_STYLE,
    }  # fmt: skip
    ET.SubElement(root, "style").text = colour_style()
    return ET.tostring(root, encoding="unicode")


def responsive_svg(report: Any, *, label: str | None = None) -> str:
    """Draw a report for an HTML page: a wide SVG, and a narrow one for phones."""
    # A media query chooses one of the two, and printers get the wide one. If the narrow SVG is 350
    # CSS pixels wide, as on a phone of 390 pixels, its smallest text has 11 points. The text and
    # the background follow the page, as explained for `svg_of`. The report has at least one row,
    # and its plot is one of matplotlib.
    kind, frame = report.report_type, pd.DataFrame(report)
    # `plot` checks the rows. The axes of several budgets are in one wide figure, or several narrow.
    wide = kind.still(frame, report.attrs, PlotOptions()) if kind.still else report.plot()
    narrow = (kind.still or kind.picture)(frame, report.attrs, PlotOptions(for_phone=True))
    axes: list[Any] = [np.ravel(wide)[0], *np.ravel(narrow)]
    if not isinstance(axes[0], Axes):
        raise ToolError("this diagram needs a script: pass its own report, not of side_by_side")
    first, *others = (ax.get_figure() for ax in axes)
    label = _titles(first) if label is None else label
    of_each = None if others[1:] else label  # a single narrow one has it in several lines
    pictures = [svg_of(first, label=label), *(svg_of(each, label=of_each) for each in others)]
    for figure in (first, *others):
        plt.close(figure)
    return (
        f"<style>{_RESPONSIVE_STYLE}</style>"
        f'<div class="{CLASS}-wide">{pictures[0]}</div>'
        f'<div class="{CLASS}-narrow">{"".join(pictures[1:])}</div>'
    )


def _remove_backgrounds(root: ET.Element) -> None:
    """Remove the first element of the figure and of each axes if it is a sheet of paper."""
    for group in root.iter():
        if group.get("id", "").startswith(("figure_", "axes_")) and len(group):
            shape = group[0][0] if len(group[0]) else group[0]
            if f"fill: {THEMES['light'].paper}" in shape.get("style", ""):
                group.remove(group[0])


def _rename_ids(root: ET.Element) -> None:
    """Keep the ids that are used; begin them with a text that other pictures do not have."""
    content = ET.tostring(root)
    used = {*_REFERENCE.findall(content.decode())}
    start = f"bf{sha256(content).hexdigest()[:8]}-"
    names: dict[str, str] = {}
    for element in root.iter():
        name = element.attrib.pop("id", "")
        if name in used:
            names[name] = f"{start}{len(names)}"
            element.set("id", names[name])
    for element in root.iter():
        for attribute, value in element.items():
            if value.startswith(("#", "url(#")) and attribute != "style":
                element.set(attribute, _REFERENCE.sub(lambda found: f"#{names[found[1]]}", value))


def _titles(figure: Figure) -> str:
    found = (ax.get_title(loc) for ax in figure.axes for loc in ("left", "center", "right"))
    return ", ".join(text.replace(r"\$", "$") for text in found if text)


def _small_png(figure: Figure) -> str:
    """The figure as a PNG with few colours, in base64."""
    stream, small = BytesIO(), BytesIO()
    figure.savefig(stream, format="png")
    picture = Image.open(stream).convert("RGB")
    picture.quantize(_FALLBACK_COLOURS).save(small, format="png", optimize=True)
    return b64encode(small.getvalue()).decode("ascii")

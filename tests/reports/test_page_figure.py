"""Plots as SVG: their colours on light and dark pages, ids, alternative text, and fallback."""

import re
from base64 import b64decode
from functools import cache
from html.parser import HTMLParser
from io import BytesIO
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from jupyter_client.manager import start_new_kernel
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from budgetframe.reports import Report
from budgetframe.reports.plotting.options import PlotOptions
from budgetframe.reports.plotting.page_figure import PageAxes, PageFigure, responsive_svg, svg_of
from budgetframe.reports.plotting.themes import THEMES
from tests.reports.plans import report_of


def figure(name: str) -> Figure:
    found = report_of(name).plot().get_figure()
    assert isinstance(found, Figure)
    return found


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - this package wrote it


@cache
def svg(name: str) -> str:
    """The SVG of a plot, drawn once for all tests that only read it."""
    return svg_of(figure(name))


@cache
def html(name: str) -> str:
    found = figure(name)
    assert isinstance(found, PageFigure)
    text = found._repr_html_()
    assert text is not None
    return text


def drawn_colours(root: ET.Element) -> set[str]:
    """The colours of everything that is drawn, as CSS."""
    styles = [element.get("style", "") for element in root.iter()]
    return {colour for style in styles for colour in re.findall(r"(?:fill|stroke): ([^;]+)", style)}


def channels(text: str, name: str, *, is_dark: bool) -> tuple[int, ...]:
    """The value of a CSS variable on a page with dark or with light text."""
    value = re.search(rf"{name}:rgb\(from currentColor ((?:calc\([^)]*\)\) ?){{3}})/1\)", text)
    assert value is not None, name
    terms = re.findall(r"calc\((\d+) \+ (-?\d+)\*var\(--bf-dark\)\)", value[1])
    return tuple(int(start) + int(change) * is_dark for start, change in terms)


class Sanitized(HTMLParser):
    """The images and the text that stay in a notebook that is not trusted."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.images: list[dict[str, str | None]] = []
        self.texts: list[str] = []
        self._is_style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_style = tag == "style"
        if tag == "img":
            self.images.append(dict(attrs))

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the parser passes it
        self._is_style = False

    def handle_data(self, data: str) -> None:
        if not self._is_style and data.strip():
            self.texts.append(data)


def test_text_has_the_colour_of_the_page_and_data_have_variables() -> None:
    assert drawn_colours(parsed(svg("net_worth"))) == {
        "none", "currentColor", "var(--bf-0072b2,#0072b2)", "var(--bf-d55e00,#d55e00)",
        "var(--bf-8a9199,#8a9199)", "var(--bf-e3e6ea,#e3e6ea)",
        "var(--jp-layout-color0,var(--vscode-editor-background,var(--bf-paper,Canvas)))",
    }  # fmt: skip


def test_a_variable_has_the_theme_colour_that_fits_the_text(subtests: pytest.Subtests) -> None:
    text = svg("net_worth")
    assert "--bf-dark:clamp(0,r + g + b - 382,1);" in text
    assert channels(text, "--bf-0072b2", is_dark=False) == (0x00, 0x72, 0xB2)
    assert channels(text, "--bf-0072b2", is_dark=True) == (0x56, 0xB4, 0xE9)
    light, dark = THEMES["light"], THEMES["dark"]
    pairs = [*zip(light.series, dark.series, strict=True)]
    pairs += [(light.plus, dark.plus), (light.minus, dark.minus), (light.faint, dark.faint)]
    for one, other in pairs:
        with subtests.test(one=one, other=other):
            name = f"--bf-{one[1:]}"
            assert bytes(channels(text, name, is_dark=False)).hex() == one[1:]
            assert bytes(channels(text, name, is_dark=True)).hex() == other[1:]


@pytest.mark.parametrize("name", ["net_worth", "forecast", "budget_vs_actual"])
def test_a_plot_has_no_background(name: str) -> None:
    filled = [one for one in parsed(svg(name)).iter() if "fill: var(--jp" in one.get("style", "")]
    assert filled == []


def test_the_background_that_a_user_chose_is_drawn() -> None:
    ax = report_of("forecast").plot()
    ax.set_facecolor("#ffeedd")
    assert "fill: #ffeedd" in svg_of(ax.figure)


def test_black_and_white_of_a_user_follow_the_page() -> None:
    ax = report_of("forecast").plot()
    ax.axhline(5.0, color="black")
    ax.axhline(6.0, color="red")
    before = drawn_colours(parsed(svg("forecast")))
    assert drawn_colours(parsed(svg_of(ax.figure))) - before == {"#ff0000"}


def test_the_svg_has_no_rules_for_other_elements_of_the_page() -> None:
    sheets = "".join(re.findall(r"<style[^>]*>([^<]*)</style>", svg("net_worth")))
    selectors = re.findall(r"([^{};]+)\{", sheets)
    assert selectors == ["@supports(color:rgb(from currentColor r g b))", ".budgetframe-plot"]


def test_ids_are_used_and_no_two_pictures_share_one() -> None:
    ids = []
    for name in ("net_worth", "forecast"):
        text = svg(name)
        found = re.findall(r' id="([^"]+)"', text)
        assert {*found} == {*re.findall(r'(?:href="|url\()#([\w-]+)', text)}, name
        ids += found
    assert len(ids) == len({*ids}) > 20


def test_the_alternative_text_is_the_title() -> None:
    root = parsed(svg_of(report_of("forecast").plot(title='Up to $5 & "more"').figure))
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'Up to $5 & "more"'
    given = svg_of(figure("forecast"), label="Never below <0>")
    assert parsed(given).get("aria-label") == "Never below <0>"


def test_the_svg_has_the_size_of_the_figure_in_css_pixels() -> None:
    root = parsed(svg_of(report_of("forecast").plot(figsize=(3.0, 2.0)).figure))
    assert (root.get("width"), root.get("height")) == ("300", "200")
    assert root.get("viewBox") == "0 0 216 144"


def test_without_trust_a_notebook_shows_an_opaque_image_and_no_text() -> None:
    left = Sanitized(html("net_worth"))
    assert left.texts == []
    ((alt, source),) = [(image["alt"], str(image["src"])) for image in left.images]
    assert alt == "Net worth, Jan 2023 – 17 Jun 2026: 40.678,18 €"
    picture = Image.open(BytesIO(b64decode(source.removeprefix("data:image/png;base64,"))))
    assert picture.size == (900, 450)
    assert picture.convert("RGBA").getpixel((0, 0)) == (255, 255, 255, 255)


def test_with_trust_a_notebook_does_not_show_the_image() -> None:
    text = html("net_worth")
    assert text.startswith("<div><style>.budgetframe-plot+img{display:none}</style><svg ")
    assert "</svg><img " in text


@pytest.mark.parametrize("name", ["net_worth", "spending", "forecast"])
def test_a_plot_is_small(name: str) -> None:
    assert len(html(name)) < 130_000


def test_a_plot_with_very_many_points_has_no_html() -> None:
    found = figure("forecast")
    ax, heights = found.axes[0], np.random.default_rng(1).random(5_000) * 10_000
    ax.plot(np.linspace(*ax.get_xlim(), len(heights)), heights, "o")
    assert isinstance(found, PageFigure)
    assert found._repr_html_() is None


def test_marimo_gets_the_html_of_figure_and_axes() -> None:
    ax = report_of("forecast").plot()
    for shown in (ax, ax.figure):
        kind, text = shown._mime_()
        assert kind == "text/html"
        assert text.startswith("<div><style>")


def test_a_saved_picture_has_the_light_background() -> None:
    stream = BytesIO()
    figure("net_worth").savefig(stream, format="png")
    assert Image.open(stream).convert("RGBA").getpixel((0, 0)) == (255, 255, 255, 255)


def test_a_fixed_theme_a_dark_style_and_given_axes_have_no_html() -> None:
    given = plt.figure().subplots()
    with mpl.rc_context({"axes.facecolor": "black"}):
        in_the_dark = report_of("forecast").plot()
    for ax in (
        report_of("forecast").plot(theme="light"), report_of("forecast").plot(theme="dark"),
        report_of("forecast").plot(ax=given), in_the_dark,
    ):  # fmt: skip
        assert type(ax.figure) is Figure
        assert not isinstance(ax, PageAxes)


def test_the_svg_changes_neither_the_settings_nor_the_figure() -> None:
    found, before = figure("forecast"), dict(mpl.rcParams)
    assert svg_of(found) == svg_of(found)
    assert dict(mpl.rcParams) == before
    assert found.dpi == 100
    assert found.patch.get_visible()


# Narrow pages


def test_a_page_has_a_wide_and_a_narrow_svg_of_the_same_report() -> None:
    text = responsive_svg(report_of("forecast"), label="Never below 2.300 €")
    boxes = [parsed(each) for each in re.findall(r"<svg .*?</svg>", text)]
    assert [box.get("viewBox") for box in boxes] == ["0 0 648 324", "0 0 198 213.84"]
    assert [box.get("aria-label") for box in boxes] == ["Never below 2.300 €"] * 2
    assert plt.get_fignums() == []


def on_a_phone(name: str, *, last: int | None = None) -> Axes:
    """The plot of a report, or of its last rows."""
    report = report_of(name)
    report = report if last is None else Report(report.tail(last))
    assert report.report_type is not None
    ax = report.report_type.picture(pd.DataFrame(report), report.attrs, PlotOptions(for_phone=True))
    assert isinstance(ax, Axes)
    found = ax.get_figure()
    assert isinstance(found, Figure)
    found.draw_without_rendering()
    return ax


def test_names_and_amounts_are_above_the_bars_of_a_phone() -> None:
    ax = on_a_phone("recurring")
    texts = [text.get_text() for text in ax.texts]
    assert texts[:4] == ["Tonspur", "162,84 €", "Rail Desk", "210,25 €"]
    edges = [text.get_window_extent() for text in ax.texts]
    assert min(edge.x0 for edge in edges) >= 0
    assert max(edge.x1 for edge in edges) <= 275
    bars = sorted(bar.get_window_extent().y0 for bar in ax.patches)
    tops = sorted(bar.get_window_extent().y1 for bar in ax.patches)
    bottoms = sorted({round(edge.y0, 1) for edge in edges})
    for bar, top, bottom, next_bar in zip(bars, tops, bottoms, [*bars[1:], np.inf], strict=True):
        assert bar < top <= bottom < next_bar


def test_months_on_a_phone_have_their_income_and_spending_the_last_on_top() -> None:
    ax = on_a_phone("income_expense", last=12)
    assert [text.get_text() for text in ax.texts][:4] == [
        "Jun 2026 so\nfar", "3.231,62 € / 2.375,75 €", "May 2026", "3.231,62 € / 2.836,27 €",
    ]  # fmt: skip
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["income", "spent"]


def test_narrow_bars_of_a_phone_have_their_values_from_bottom_to_top() -> None:
    ax = on_a_phone("same_period")
    legend = ax.get_legend()
    assert legend is not None
    assert ax.texts[-1].get_text() == "2.394"
    assert {text.get_rotation() for text in ax.texts} == {90.0}
    assert max([text.get_window_extent().y1 for text in ax.texts]) <= legend.get_window_extent().y0


@pytest.mark.parametrize(
    ("name", "last"), [("runway", 12), ("age_of_money", 12), ("forecast", None)]
)
def test_the_days_on_the_axis_of_a_phone_do_not_overlap(name: str, last: int | None) -> None:
    ax = on_a_phone(name, last=last)
    labels = [label for label in ax.get_xticklabels() if label.get_text()]
    edges = [label.get_window_extent() for label in labels]
    low, high = ax.get_xlim()
    places = [label.get_position()[0] for label in labels]
    shown = [edge for edge, place in zip(edges, places, strict=True) if low <= place <= high]
    assert len(shown) >= 2
    for left, right in pairwise(shown):
        assert left.x1 < right.x0


def test_the_text_of_a_picture_on_a_phone_has_11_points() -> None:
    ax = report_of("forecast").plot(figsize=(2.75, 2.75))
    legend = ax.get_legend()
    assert legend is not None
    drawn = [*legend.get_texts(), *ax.get_xticklabels(), *ax.get_yticklabels(), *ax.texts]
    sizes = [text.get_fontsize() for text in drawn]
    css_pixels = 350 / (2.75 * 72)  # for each point of the figure, on a phone of 390 pixels
    assert min(sizes) * css_pixels * 72 / 96 >= 11.0


@pytest.mark.parametrize("name", ["forecast", "net_worth", "same_period", "recurring"])
def test_title_and_legend_of_a_narrow_figure_are_inside(name: str) -> None:
    found = report_of(name).plot(figsize=(2.75, 2.75)).figure
    found.draw_without_rendering()
    ax = found.axes[0]
    shown = [ax.title, ax._left_title, ax.get_legend()]
    edges = [each.get_window_extent() for each in shown if each is not None]
    assert min(edge.x0 for edge in edges) >= -4
    assert max(edge.x1 for edge in edges) <= 279
    assert max(edge.y1 for edge in edges) <= 279


def shown_by_cells(*cells: str) -> list[list[tuple[str, str]]]:
    """The outputs of each cell in a kernel of Jupyter: their kinds, and their plain texts."""
    manager, client = start_new_kernel(kernel_name="python3")
    shown = []
    try:
        for cell in cells:
            outputs: list[tuple[str, str]] = []

            def add(message: Any, outputs: list[tuple[str, str]] = outputs) -> None:
                content = message["content"]
                if message["msg_type"] in {"execute_result", "display_data", "error", "stream"}:
                    text = content.get("data", {}).get("text/plain", content.get("text", ""))
                    outputs.append((message["msg_type"], text))

            client.execute_interactive(cell, output_hook=add, timeout=120)
            shown.append(outputs)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return shown


@pytest.mark.slow  # it starts a kernel
def test_a_plot_as_the_last_line_of_a_cell_shows_only_the_picture() -> None:
    picture = ("display_data", "<PageFigure size 900x450 with 1 Axes>")
    cells = shown_by_cells(
        "from budgetframe import BudgetFrame",
        "worth = BudgetFrame.sandbox(progress=False).reports.net_worth()", "worth.plot()",
        "ax = worth.plot()\nax", "ax", "worth.plot(theme='light')",
        "print(worth.plot().get_title('left')[:9])",
    )  # fmt: skip
    assert cells == [
        [], [], [picture], [picture], [picture],
        [("display_data", "<Figure size 900x450 with 1 Axes>")],
        [("stream", "Net worth\n"), picture],
    ]  # fmt: skip

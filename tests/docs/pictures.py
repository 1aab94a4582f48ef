"""Draw the pictures of the README: ``python -m tests.docs.pictures``.

The animated one shows JupyterLab in Chromium. Each cell is written, run, and shown for a while.
"""

import re
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import expect

from budgetframe import BudgetFrame
from tests.review.lab import lab_in_browser

FOLDER = Path(__file__).parents[2] / ".github" / "pictures"
START = "from budgetframe import BudgetFrame\n\nbf = BudgetFrame.sandbox()"
CELLS = [
    'bf.transactions(since="2026-06").tail(3)',
    'spent = bf.reports.spending("group", freq="month", since="2025-10")\nspent.plot()',
    'spent.rows(period="2026-05", category_group_name="Car")',
]


def draw() -> None:
    net_worth = BudgetFrame.sandbox().reports.net_worth()
    net_worth.plot().figure.savefig(FOLDER / "net_worth.png", dpi=150)

    pictures, milliseconds = [], []
    with TemporaryDirectory() as folder, lab_in_browser(Path(folder), Path(folder, "own")) as lab:
        lab.page.set_viewport_size({"width": 1080, "height": 640})
        notebook = lab.open("notebook", START)
        notebook.command("application:toggle-left-area")
        notebook.command("notebook:run-cell")
        outputs = lab.page.locator(".jp-OutputArea-output")
        area = lab.page.locator(".jp-Notebook .jp-WindowedPanel-outer")
        for number, code in enumerate(CELLS, 1):
            notebook.command("notebook:insert-cell-below")
            notebook.command("notebook:enter-edit-mode")
            for letters in [*re.findall(r".{1,4}", code, re.DOTALL), ""]:
                lab.page.keyboard.insert_text(letters)
                if not letters:
                    notebook.command("notebook:run-cell")
                    expect(outputs).to_have_count(number)
                    outputs.last.scroll_into_view_if_needed()
                    lab.page.wait_for_timeout(1000)
                pictures.append(Image.open(BytesIO(area.screenshot(caret="hide"))).convert("RGB"))
                milliseconds.append(90 if letters else 3000)
    colours = max(pictures, key=lambda picture: len(picture.getcolors(1 << 20) or [])).quantize(128)
    first, *others = [each.quantize(palette=colours, dither=Image.Dither.NONE) for each in pictures]
    path = FOLDER / "notebook.gif"
    first.save(path, save_all=True, append_images=others, duration=milliseconds, loop=0)


if __name__ == "__main__":
    draw()

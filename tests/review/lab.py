"""JupyterLab in a browser: notebooks, code that their kernels run, and the table of `review()`."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Error, Locator, Page, expect, sync_playwright

from tests.review.browser import CHROMIUM

expect.set_options(timeout=20_000)  # milliseconds; without a kernel, the table waits for 4,000

_RUN = """async (code) => {
  const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
  const future = kernel.requestExecute({ code });
  const texts = [];
  future.onIOPub = ({ header, content }) => {
    if (header.msg_type === "stream") texts.push(content.text);
  };
  const { content } = await future.done;
  if (content.status !== "ok") throw new Error(content.traceback.join("\\n"));
  return texts.join("").trim();
}"""


class Notebook:
    """The notebook that is open in the page of JupyterLab."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.path = path
        self.table = page.locator(".bf-review")
        self.rows = self.table.locator(".bf-review-body [role=row]")
        self.status = self.table.locator(".bf-review-status")
        self.message = self.table.locator(".bf-review-message")
        self.changes = self.table.locator(".bf-review-changes")

    def run(self, code: str) -> str:
        """Run code in the kernel, after what the table has sent, and return what it prints."""
        printed: str = self.page.evaluate(_RUN, code)
        return printed

    def run_cell(self) -> None:
        """Run the cell, which shows the table."""
        self.command("notebook:run-cell")
        expect(self.rows.first).to_be_visible()

    def command(self, name: str, **arguments: Any) -> None:
        """Run a command of JupyterLab, and wait for its end."""
        self.page.evaluate(
            "([name, args]) => jupyterapp.commands.execute(name, args).then(() => null)",
            [name, arguments],
        )

    def cell(self, row: int, column: str) -> Locator:
        """The cell of a row of the table."""
        return self.table.locator(f'[data-row="{row}"] > .bf-review-{column}')

    def texts(self, column: str) -> list[str]:
        """The texts of a column, in the rows that are drawn."""
        return self.rows.locator(f".bf-review-{column}").all_text_contents()

    def button(self, name: str) -> Locator:
        """A button below the table."""
        return self.table.get_by_role("button", name=name, exact=True)

    def press(self, *keys: str) -> None:
        """Press keys where the focus is."""
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def cells(self) -> list[list[Any]]:
        """The kind, the text and the number of executions of each cell of the notebook."""
        found: list[list[Any]] = self.page.evaluate(
            "() => jupyterapp.shell.currentWidget.content.widgets.map(({ model }) => "
            "[model.type, model.sharedModel.source, model.executionCount ?? null])"
        )
        return found

    def save(self) -> str:
        """Save the notebook, and return the text of the file."""
        self.page.evaluate("() => jupyterapp.shell.currentWidget.context.save()")
        return self.path.read_text("utf-8")


class Lab:
    """JupyterLab in the page of a browser, with a folder of notebooks."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder

    def open(self, name: str, source: str) -> Notebook:
        """Open a new notebook with one cell, and start its kernel."""
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        cell: dict[str, Any] = {
            "cell_type": "code", "id": "cell", "execution_count": None, "metadata": {},
            "outputs": [], "source": source,
        }  # fmt: skip
        notebook = {
            "cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5,
        }  # fmt: skip
        path = self.folder / f"{name}.ipynb"
        path.write_text(json.dumps(notebook), "utf-8")
        return self.show(path)

    def show(self, path: Path) -> Notebook:
        """Open a notebook, and start its kernel."""
        self.page.evaluate(
            """async (path) => {
              const panel = await jupyterapp.commands.execute("docmanager:open", { path });
              await panel.context.ready;
              await panel.sessionContext.ready;
            }""",
            path.name,
        )
        return Notebook(self.page, path)

    def close(self) -> None:
        """Save and close the notebooks, and end their kernels."""
        self.page.evaluate(
            """async () => {
              for (const panel of [...jupyterapp.shell.widgets("main")]) {
                if (!panel.sessionContext) continue; // the launcher
                await panel.context.save();
                await panel.sessionContext.shutdown();
                panel.close();
              }
            }"""
        )


@contextmanager
def lab_in_browser(folder: Path, own: Path) -> Iterator[Lab]:
    """Start JupyterLab and the browser, with a folder for notebooks and one for its own files."""
    settings: dict[str, dict[str, Any]] = {
        # It asks about news, above the page.
        "labconfig/page_config.json": {
            "disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}
        },
        # A notebook is saved with what its widgets know. By default it is not.
        "@jupyter-widgets/jupyterlab-manager/plugin.jupyterlab-settings": {"saveState": True},
    }
    for name, content in settings.items():
        (own / name).parent.mkdir(parents=True)
        (own / name).write_text(json.dumps(content), "utf-8")
    folders = [
        *(f"JUPYTER_{name}_DIR" for name in ("CONFIG", "DATA", "RUNTIME")),
        *(f"JUPYTERLAB_{name}_DIR" for name in ("SETTINGS", "WORKSPACES")), "IPYTHONDIR",
    ]  # fmt: skip
    environment = {
        **os.environ,
        **dict.fromkeys(folders, str(own)),
        "PYTHONPATH": os.pathsep.join(sys.path),  # kernels import the package that is tested
    }
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1",
        "--port=0", f"--ServerApp.root_dir={folder}", "--LabApp.expose_app_in_browser=True",
    ]  # fmt: skip
    with (
        subprocess.Popen(  # noqa: S603 - the arguments are above
            command, env=environment, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        ) as server,
        sync_playwright() as playwright,
    ):
        try:
            browser = playwright.chromium.launch(executable_path=CHROMIUM)
            page = browser.new_page(viewport={"width": 1400, "height": 1000})
            _open(page, _address(server))
            page.wait_for_selector("#jp-main-dock-panel")
            page.evaluate("() => jupyterapp.restored.then(() => null)")
            yield Lab(page, folder)
            browser.close()
        finally:
            server.terminate()


def _address(server: subprocess.Popen[str]) -> str:
    """The address with the token, which the server prints."""
    assert server.stderr is not None
    lines = []
    for line in server.stderr:
        lines.append(line)
        if found := re.search(r"http://127\.0\.0\.1:\d+/lab\?token=\w+", line):
            return found[0]
    raise AssertionError("JupyterLab has ended: " + "".join(lines))


def _open(page: Page, address: str) -> None:
    """Open an address. The server prints it a moment before it listens."""
    for _ in range(100):
        try:
            page.goto(address)
        except Error:
            page.wait_for_timeout(100)
        else:
            return
    raise AssertionError(f"JupyterLab does not answer at {address}")

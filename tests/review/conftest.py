"""A JupyterLab in Chromium, for tests of the table of `review()` as a person sees it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.review.lab import CHROMIUM, Lab

collect_ignore = [] if CHROMIUM else ["test_lab.py"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a JupyterLab, and the folder of its notebooks."""
    folder, own = tmp_path_factory.mktemp("notebooks"), tmp_path_factory.mktemp("jupyter")
    plugins = {
        # It asks about news, above the page.
        "labconfig/page_config.json": {
            "disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}
        },
        # A notebook is saved with what its widgets know. By default it is not.
        "@jupyter-widgets/jupyterlab-manager/plugin.jupyterlab-settings": {"saveState": True},
    }
    for name, settings in plugins.items():
        (own / name).parent.mkdir(parents=True)
        (own / name).write_text(json.dumps(settings), "utf-8")
    folders = [
        *(f"JUPYTER_{name}_DIR" for name in ("CONFIG", "DATA", "RUNTIME")),
        *(f"JUPYTERLAB_{name}_DIR" for name in ("SETTINGS", "WORKSPACES")),
        "IPYTHONDIR",
    ]
    # The kernels import the package that the tests import.
    environment = {
        **os.environ, **dict.fromkeys(folders, str(own)), "PYTHONPATH": os.pathsep.join(sys.path),
    }  # fmt: skip
    options = [
        "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0", f"--ServerApp.root_dir={folder}",
        "--LabApp.expose_app_in_browser=True",
    ]  # fmt: skip
    command = [sys.executable, "-m", "jupyterlab", *options]
    with subprocess.Popen(  # noqa: S603 - the arguments are above
        command, env=environment, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        try:
            yield _address(process), folder
        finally:
            process.terminate()


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if found := re.search(r"http://127\.0\.0\.1:\d+/lab\?token=\w+", line):
            return found[0]
    pytest.fail("JupyterLab has ended: " + "".join(lines))


@pytest.fixture(scope="module")
def page_of_lab(server: tuple[str, Path]) -> Iterator[Lab]:
    """JupyterLab in a browser."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only with a browser

    address, folder = server
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.goto(address)
        page.wait_for_selector("#jp-main-dock-panel")
        page.evaluate("() => jupyterapp.restored.then(() => null)")
        yield Lab(page, folder)
        browser.close()


@pytest.fixture
def lab(page_of_lab: Lab) -> Iterator[Lab]:
    """JupyterLab without an open notebook."""
    yield page_of_lab
    page_of_lab.close()

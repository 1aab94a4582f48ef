"""Keep only the PNG of plots in the notebooks: ``python -m tests.docs.strip_pictures``.

A plot has its PNG and its HTML in the output of a cell. A notebook viewer can remove parts of the
HTML, and the HTML is larger. A user who runs the cell gets both. The output of a widget is only its
number, which no viewer can show: the screenshot of `review()` takes its place.
"""

import base64
import json
from typing import Any

from tests.docs.test_notebooks import FOLDER


def strip() -> None:
    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = json.loads(path.read_text("utf-8"))
        outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
        removed = [_remove(output.get("data", {})) for output in outputs]
        if any(removed):
            path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _remove(data: dict[str, Any]) -> bool:
    if data.pop("application/vnd.jupyter.widget-view+json", None):
        picture = FOLDER.parent / ".github" / "pictures" / "review.png"
        data["image/png"] = base64.b64encode(picture.read_bytes()).decode()
    return "image/png" in data and data.pop("text/html", None) is not None


if __name__ == "__main__":
    strip()

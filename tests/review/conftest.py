"""Without Chromium, the tests in JupyterLab are left out; the header of pytest says so."""

from tests.review.browser import CHROMIUM

collect_ignore = [] if CHROMIUM else ["test_lab.py"]

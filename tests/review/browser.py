"""The browser of the system; the tests download none."""

import shutil

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)

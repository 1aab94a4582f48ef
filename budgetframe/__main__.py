"""``python -m budgetframe``: the command."""

from __future__ import annotations

import sys

from budgetframe._cli.main import main

sys.exit(main())

"""``python -m budgetframe``: the command."""

import sys

from budgetframe._cli.main import main

sys.exit(main())

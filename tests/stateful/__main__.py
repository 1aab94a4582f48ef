"""The long run: ``python -m tests.stateful --steps 1000000 --jobs 2``."""

import sys

from .long_run import main

sys.exit(main())

"""The long run: ``python -m tests.trust --steps 1000000 --jobs 2``."""

import sys

from tests.trust.long_run import main

sys.exit(main())

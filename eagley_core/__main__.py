"""`python -m eagley_core COMMAND`."""

import sys

from eagley_core.cli import main

sys.exit(main())

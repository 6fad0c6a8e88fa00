"""`python -m sked`."""

import sys

from .commands import main

sys.exit(main())

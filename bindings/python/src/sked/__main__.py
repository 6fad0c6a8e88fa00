"""`python -m sked`."""

import signal
import sys

from .commands import main

# Whoever reads may go, as `head` does: end like the C programs, quietly.
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
sys.exit(main())

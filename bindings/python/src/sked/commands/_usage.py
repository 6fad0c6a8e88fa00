"""Command lines of commands."""

from __future__ import annotations

import argparse
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """One that says what is wrong in one line, as the C programs do."""

    def error(self, message: str) -> NoReturn:
        """Ends with status 2."""
        words = self.prog.split()[2:]  # behind "python -m"
        name = words[1] if len(words) > 1 else words[0].split(".")[-1]
        said = " ".join(message.split())
        self.exit(2, f"{name}: {said} (see --help)\n")

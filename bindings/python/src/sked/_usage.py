"""Command lines of commands."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from . import __version__


class Parser(argparse.ArgumentParser):
    """One that knows --version, and says what is wrong in one line, as the C
    programs do."""

    def __init__(self, **said: Any) -> None:
        super().__init__(**said)
        words = self.prog.split()[2:]  # behind "python -m"
        self.name = words[1] if len(words) > 1 else words[0].split(".")[-1]
        self.add_argument("--version", action="version",
                          version=f"{self.name} {__version__}")

    def error(self, message: str) -> NoReturn:
        """Ends with status 2."""
        said = " ".join(message.split())
        self.exit(2, f"{self.name}: {said} (see --help)\n")

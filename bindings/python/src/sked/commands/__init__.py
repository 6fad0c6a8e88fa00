"""python -m sked COMMAND: every module of this package is a command.

A module named `name` (no leading underscore) has `SUMMARY`, one line for the
list, and `run(words)`, which gets the words behind the command and returns the
exit status: 0 done, 1 a finding, 2 bad usage or bad input. A new command needs
no other entry. Helpers of several commands are in `_files` and `_program`."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from .. import __version__

HEAD = "usage: python -m sked COMMAND ...\n\n"
TAIL = """
`python -m sked COMMAND --help` says more. --version: the library's version.
"""


def names() -> list[str]:
    """The commands there are, by name."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__)
                  if not module.name.startswith("_"))


def usage() -> str:
    """The list of commands, one line each."""
    lines = [f"  {name:<12} {import_module('.' + name, __name__).SUMMARY}\n"
             for name in names()]
    return HEAD + "".join(lines) + TAIL


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command that `words` (default: this process's) name."""
    said = list(sys.argv[1:] if words is None else words)
    if not said:
        print(f"sked: needs a command: {', '.join(names())} (try --help)",
              file=sys.stderr)
        return 2
    if said[0] in ("-h", "--help"):
        print(usage(), end="")
        return 0
    if said[0] == "--version":
        print(f"sked {__version__}")
        return 0
    name = said[0].replace("-", "_")
    if name not in names():
        print(f"sked: no command {said[0]!r} (try --help)", file=sys.stderr)
        return 2
    run: Callable[[Sequence[str]], int] = import_module(
        "." + name, __name__).run
    return run(said[1:])

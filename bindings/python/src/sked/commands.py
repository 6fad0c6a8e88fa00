"""python -m sked: replay, percentile, explain, validate.

replay and percentile are the C programs themselves, brought along, so their
answers are the same bytes; what is added is that inputs may be gzipped."""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import (ConfigError, Error, Model, Severity, Tree, __version__,
               format_amount)

USAGE = """usage: python -m sked COMMAND ...

  replay       a day of a cluster in seconds: runs a recorded workload
  percentile   what covers a part of the time in which a queue is in use
  explain      why a queue of a tree has the share that it has
  validate     reads a configuration and lists every fault with its line

`python -m sked COMMAND --help` says more. --version: the library's version.
"""


class Input:
    """Command lines with gzipped files unpacked, in a folder that goes away."""

    def __init__(self, words: Sequence[str]) -> None:
        self.folder: str | None = None
        self.words = [self._plain(word) for word in words]

    def _plain(self, word: str) -> str:
        if not word.endswith(".gz") or not os.path.isfile(word):
            return word
        self.folder = self.folder or tempfile.mkdtemp(prefix="sked")
        plain = os.path.join(self.folder, os.path.basename(word)[:-3])
        with gzip.open(word, "rb") as packed, open(plain, "wb") as out:
            shutil.copyfileobj(packed, out)
        return plain

    def __enter__(self) -> list[str]:
        return self.words

    def __exit__(self, *exc: object) -> None:
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def program(name: str, words: Sequence[str]) -> int:
    """Runs a C program with this process's input and output."""
    path = Path(__file__).with_name("bin") / name
    if not path.exists():
        print(f"sked: this build has no {name}", file=sys.stderr)
        return 2
    try:
        with Input(words) as plain:
            return max(0, subprocess.call([str(path), *plain]))
    except (OSError, EOFError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def validate(words: Sequence[str]) -> int:
    """Lists every fault of a configuration with its line."""
    parser = argparse.ArgumentParser(
        prog="python -m sked validate",
        description="Reads a queue tree in the text form (docs/tree-text.md) "
        "and lists every fault with its line. Exit status: 0 none, 1 errors "
        "(or, with --strict, warnings), 2 it cannot be read.")
    parser.add_argument("config", metavar="CONFIG", nargs="+")
    parser.add_argument("--strict", action="store_true",
                        help="warnings count as errors")
    said = parser.parse_args(words)
    worst = 0
    for path in said.config:
        worst = max(worst, check_file(path, said.strict))
    return worst


def check_file(path: str, strict: bool) -> int:
    """One configuration: 0 good, 1 faults, 2 unreadable."""
    try:
        with Input([path]) as (plain,), open(plain, "rb") as file:
            text = file.read()
        tree = Tree(columns_of(text))
        tree.read(text, file=path)
        faults = tree.faults()
        bad = any(f.severity == Severity.ERROR for f in faults)
    except ConfigError as error:
        faults, bad = list(error.faults), True  # type: ignore[arg-type]
    except (OSError, Error, UnicodeDecodeError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2
    for fault in faults:
        print(fault)
    if not faults:
        print(f"{path}: {len(tree.copy())} queues, no faults")
    return int(bad or bool(strict and faults))


def columns_of(text: bytes) -> str:
    """The kinds of a text; one of cores and bytes where it does not say."""
    from .errors import NotFoundError
    from .schema import Schema
    try:
        return str(Schema.from_tree_text(text))
    except NotFoundError:
        return "cpu=m memory=B gpu=m"


def explain(words: Sequence[str]) -> int:
    """Why a queue has its share."""
    parser = argparse.ArgumentParser(
        prog="python -m sked explain",
        description="Why a queue has the share that it has: for each kind the "
        "share, what binds it, and the level of its parent, from the root "
        "down. Demand and usage are said as PATH:VECTOR.")
    parser.add_argument("tree", metavar="TREE", help="queues in text form")
    parser.add_argument("queue", metavar="QUEUE", help="a path: root.ads")
    parser.add_argument("--capacity", required=True, metavar="VECTOR",
                        help="what there is: cpu=100,memory=400GiB")
    parser.add_argument("--demand", action="append", default=[],
                        metavar="PATH:VECTOR", help="what a leaf wants in all")
    parser.add_argument("--usage", action="append", default=[],
                        metavar="PATH:VECTOR", help="what a leaf has")
    parser.add_argument("--model", default="entitlement",
                        choices=[m.name.lower() for m in Model])
    said = parser.parse_args(words)
    try:
        print_share(said)
    except (OSError, Error, ValueError) as error:
        print(f"explain: {error}", file=sys.stderr)
        return 2
    return 0


def print_share(said: argparse.Namespace) -> None:
    """The chain from the root to the queue, kind by kind."""
    with Input([said.tree]) as (plain,):
        tree = Tree.from_file(plain, capacity=said.capacity)
    for name in ("demand", "usage"):
        for one in getattr(said, name):
            path, _, vec = one.rpartition(":")
            setattr(tree[path], name, vec)
    shares = tree.fair_shares(said.model)
    queue = tree[said.queue]
    chain = [queue]
    while (up := chain[-1].parent) is not None:
        chain.append(up)
    for kind, unit in zip(tree.schema.names, tree.schema.units):
        print(f"{kind}:")
        for one in reversed(chain):
            bound = shares.explain(one)[kind].name.lower()
            amount = format_amount(unit, shares[one][kind])
            level = ""
            if one.children:
                exact = shares.level(one, kind)
                level = f", its children at level {exact}" if exact is not None \
                    else ", its children have all they can take"
            print(f"  {one.path}: {amount}, bound by {bound}{level}")


PROGRAMS = ("replay", "percentile")
COMMANDS = {"validate": validate, "explain": explain}


def main(words: Sequence[str] | None = None) -> int:
    """The command."""
    said = list(sys.argv[1:] if words is None else words)
    if not said or said[0] in ("-h", "--help"):
        print(USAGE, end="", file=sys.stdout if said else sys.stderr)
        return 0 if said else 2
    if said[0] == "--version":
        print(f"sked {__version__}")
        return 0
    if said[0] in PROGRAMS:
        return program(said[0], said[1:])
    if said[0] in COMMANDS:
        return COMMANDS[said[0]](said[1:])
    print(f"sked: no command {said[0]!r} (try --help)", file=sys.stderr)
    return 2



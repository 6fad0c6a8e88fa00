"""python -m sked validate: every fault of a configuration, with its line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .. import ConfigError, Error, Severity, Tree
from ..errors import NotFoundError
from ..schema import Schema
from ._files import Input

SUMMARY = "reads a configuration and lists every fault with its line"


def run(words: Sequence[str]) -> int:
    """The command."""
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
    try:
        return str(Schema.from_tree_text(text))
    except NotFoundError:
        return "cpu=m memory=B gpu=m"

"""python -m sked validate: every fault of a configuration, with its line."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .. import ConfigError, Error, Severity, Tree
from ..errors import NotFoundError
from ..importers import Configuration, ImportFailed, read_config
from ..importers.configs.forms import FORMS, form_of
from ..importers.files import whole
from ..schema import Schema
from .._usage import Parser

SUMMARY = "reads a configuration and lists every fault with its line"
ABOUT = """Reads a configuration of any form and lists every fault with its
line. Forms: {}. Exit status: 0 none, 1 errors (or, with --strict, warnings),
2 it cannot be read."""


def run(words: Sequence[str]) -> int:
    """The command."""
    names = [form.name for form in FORMS]
    parser = Parser(
        prog="python -m sked validate",
        description=ABOUT.format(", ".join(names)))
    parser.add_argument("config", metavar="CONFIG", nargs="+",
                        help="a file; .gz and .xz are unpacked, - is standard "
                        "input")
    parser.add_argument("--form", choices=names,
                        help="what it is; by default it is looked at")
    parser.add_argument("--strict", action="store_true",
                        help="warnings count as errors")
    parser.add_argument("--together", action="store_true",
                        help="the files are one configuration, as objects of "
                        "Kubernetes often are")
    said = parser.parse_args(words)
    if said.together and len(said.config) > 1:
        return check_several(said.config, said.form, said.strict)
    worst = 0
    for path in said.config:
        worst = max(worst, check_file(path, said.form, said.strict))
    return worst


def check_file(path: str, form: str | None, strict: bool) -> int:
    """One configuration: 0 good, 1 faults, 2 unreadable."""
    try:
        data = whole(path)
        found = next((f for f in FORMS if f.name == form), None) or \
            form_of(path, data)
        if found.name == "text":
            return check_text(path, data, strict)
        config = found.read(path, data)
    except ImportFailed as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2
    return listed(path, config, strict)


def check_several(paths: list[str], form: str | None, strict: bool) -> int:
    """Files that are one configuration."""
    try:
        config = read_config(paths, form)
    except (ImportFailed, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return listed(" ".join(paths), config, strict)


def listed(path: str, config: Configuration, strict: bool) -> int:
    """Prints every finding."""
    for finding in config.findings:
        print(finding)
    bad = any(f.severity == Severity.ERROR for f in config.findings)
    if not config.findings:
        print(good(path, len(config.queues)))
    odd = any(f.severity > Severity.NOTE for f in config.findings)
    return int(bad or strict and odd)


def check_text(path: str, data: bytes, strict: bool) -> int:
    """The same of the text form, whose faults are the library's own."""
    try:
        tree = Tree(columns_of(data))
        tree.read(data, file=path)
        faults = tree.faults()
        bad = any(f.severity == Severity.ERROR for f in faults)
    except ConfigError as error:
        faults, bad = list(error.faults), True  # type: ignore[arg-type]
    except (Error, UnicodeDecodeError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2
    for fault in faults:
        print(fault)
    if not faults:
        print(good(path, len(tree.copy())))
    odd = any(f.severity > Severity.NOTE for f in faults)
    return int(bad or strict and odd)


def good(path: str, queues: int) -> str:
    """What is said of one without a fault.

    >>> good("a.xml", 1), good("b.xml", 2)
    ('a.xml: 1 queue, no faults', 'b.xml: 2 queues, no faults')
    """
    return f"{path}: {queues:,} queue{'s' * (queues != 1)}, no faults"


def columns_of(text: bytes) -> str:
    """The kinds of a text; one of cores and bytes where it does not say."""
    try:
        return str(Schema.from_tree_text(text))
    except NotFoundError:
        return "cpu=m memory=B gpu=m"

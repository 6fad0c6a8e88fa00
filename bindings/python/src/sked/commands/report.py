"""python -m sked report: one HTML page about a workload."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from fractions import Fraction

from .. import Error

SUMMARY = "one HTML page: who waited and why, what to change, how far it goes"
SECOND = 1_000_000_000
PREEMPT = ("off", "starvation", "imbalance", "entitlement")
POLICIES = ("drf", "fair", "utilisation", "priority", "fifo", "random",
            "deficit", "share")
APPS = ("fifo", "fair", "priority", "size", "user-fair")
ABOUT = """Reads a workload, replays it, plans for it, and writes one HTML file
that needs nothing else: no network, no script. WORKLOAD is any form that
sked.importers knows (common CSV, SWF, ...), or time units
(key,length_s,amount); .gz too. Jobs without starts are simulated; those with
starts show both. Exit status: 0 written, 2 bad usage or bad input (nothing is
written)."""


def positive(text: str) -> Fraction:
    """A number above 0."""
    value = Fraction(text)
    if value <= 0:
        raise ValueError("is not above 0")
    return value


def span(text: str) -> int:
    """Seconds as ns."""
    value = Fraction(text)
    if value < 0:
        raise ValueError("is negative")
    return round(value * SECOND)


def several(text: str) -> tuple[Fraction, ...]:
    """Multipliers."""
    return tuple(positive(word) for word in text.split(","))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m sked report",
                                   description=ABOUT)
    add = made.add_argument
    add("workload", metavar="WORKLOAD")
    add("-o", "--output", required=True, metavar="FILE.html")
    add("--title", default="", help="instead of the file's name")
    add("--tree", metavar="FILE", help="queues in text form")
    add("--queue-by", default="queue", metavar="FIELD",
        help="queue, group, user, or two joined by /")
    add("--tiers", metavar="FILE", help='CSV "queue,tier", 1 the most important')
    add("--nodes", action="append", default=[], metavar="SPEC",
        help='"N x cpu=48,memory=187GiB [@partition]"')
    add("--load", type=positive, metavar="F", help="nodes for this load; "
        "default 1.4, or what was recorded where starts are")
    add("--policy", choices=POLICIES, help="order of a parent's children")
    add("--apps", choices=APPS, help="order inside a leaf")
    add("--gang", action="store_true", help="all tasks of a job at once")
    add("--preempt", choices=PREEMPT, default="off")
    add("--heartbeat", type=span, default=SECOND, metavar="S")
    add("--multiplier", type=positive, default=Fraction(1), metavar="M")
    add("--sweep", type=several, metavar="M1,M2", help="multipliers of the "
        "forecast; default: towards the target until it is passed")
    add("--seed", type=int, default=0)
    add("--until", type=span, default=0, metavar="S")
    add("--default-run", type=span, metavar="S")
    add("--default-task", metavar="VECTOR")
    add("--kind", help="what the report is about; default: what jobs need most "
        "of; for time units gpu")
    add("--target", type=span, default=600 * SECOND, metavar="S",
        help="a job is late when it waits longer; default 600")
    return made


def run(words: Sequence[str]) -> int:
    """The command."""
    said = vars(parser().parse_args(words))
    output = said.pop("output")
    said["nodes"] = tuple(said["nodes"])
    try:
        from ..pictures.base import figure_class
        figure_class()
        from ..reporting import Wanted, report
        write(output, report(Wanted(**said)))
    except ImportError as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    except (OSError, Error, ValueError, EOFError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def write(path: str, text: str) -> None:
    """Writes a file beside its place and renames it, so that nobody ever sees
    half of one; "-" is standard output."""
    if path == "-":
        sys.stdout.buffer.write(text.encode())
        return
    folder = os.path.dirname(os.path.abspath(path))
    handle, beside = tempfile.mkstemp(dir=folder, prefix=".report")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
        os.chmod(beside, 0o666 & ~umask())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def umask() -> int:
    """What files are made with."""
    mask = os.umask(0)
    os.umask(mask)
    return mask

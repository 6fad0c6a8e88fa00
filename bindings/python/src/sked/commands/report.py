"""python -m sked report: one HTML page about a workload."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from fractions import Fraction
from shutil import get_terminal_size
from typing import Any

from .. import Error
from ..importers.files import beside
from .._usage import Parser

SUMMARY = "one HTML page: who waited and why, what to change, how far it goes"
SECOND = 1_000_000_000
LONGEST = 1 << 62
MOST_TIMES = 1000
PREEMPT = ("off", "starvation", "imbalance", "entitlement")
POLICIES = ("drf", "fair", "utilisation", "priority", "fifo", "random",
            "share")
APPS = ("fifo", "fair", "priority", "size", "user-fair")
ABOUT = """Reads a workload, replays it, plans for it, and writes one HTML file
that needs nothing else: no network, no script. WORKLOAD is any form that
sked.importers knows (common CSV, SWF, ...), or time units
(key,length_s,amount); .gz too. Jobs without starts are simulated; those with
starts show both. Exit status: 0 written, 2 bad usage or bad input (nothing is
written)."""


def number(text: str) -> Fraction:
    """What a text says, exactly."""
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def times(text: str) -> Fraction:
    """How often a workload comes: above 0, at most MOST_TIMES."""
    value = positive(text)
    if value > MOST_TIMES:
        raise argparse.ArgumentTypeError(
            f"{text!r} is more than {MOST_TIMES}")
    return value


def positive(text: str) -> Fraction:
    """A number above 0."""
    value = number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not above 0")
    return value


def prices(text: str) -> tuple[tuple[str, Fraction], ...]:
    """cpu=0.03,gpu=1.2 as kinds and prices."""
    made = {}
    for word in text.split(","):
        kind, equals, value = word.partition("=")
        if not equals or kind not in ("cpu", "memory", "gpu") or kind in made:
            raise argparse.ArgumentTypeError(
                f"{word!r} is not KIND=F, each of cpu, memory, gpu once")
        made[kind] = number(value)
        if made[kind] < 0:
            raise argparse.ArgumentTypeError(f"{word!r} is negative")
    return tuple(made.items())


def span(text: str) -> int:
    """Seconds as ns."""
    value = number(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is negative")
    if value * SECOND > LONGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is more than 2^62 ns")
    return round(value * SECOND)


def several(text: str) -> tuple[Fraction, ...]:
    """Multipliers."""
    return tuple(times(word) for word in text.split(","))


def parser() -> Parser:
    """The command line."""
    made = Parser(prog="python -m sked report", description=ABOUT)
    add = made.add_argument
    add("workload", metavar="WORKLOAD")
    add("-o", "--output", metavar="FILE.html", help="the page; - is standard "
        "output")
    add("--json", metavar="FILE", help="the page's facts as data")
    add("--interactive", metavar="FILE.html", help="the facts as a page with "
        "sort, filter, brush and hover; needs plotly, and no network")
    add("--metrics", metavar="FILE", help="the facts as metrics: .prom for "
        "Prometheus, otherwise OpenMetrics")
    add("--quiet", action="store_true", help="no progress, no warnings")
    add("--title", default="", help="instead of the file's name")
    add("--tree", metavar="FILE", help="queues in text form")
    add("--queue-by", default="queue", metavar="FIELD",
        help="queue, group, user, or two joined by /")
    add("--tiers", metavar="FILE", help='CSV "queue,tier", 1 the most important')
    add("--nodes", action="append", default=[], metavar="SPEC",
        help='"N x cpu=48,memory=187GiB [@partition]"')
    add("--capacity", metavar="VECTOR", help='what the cluster has, as one '
        'pool: "cpu=4000,memory=16TiB,gpu=856"')
    add("--load", type=positive, metavar="F", help="nodes for this load; "
        "default 1.4, or what was recorded where starts are")
    add("--policy", choices=POLICIES, help="order of a parent's children")
    add("--apps", choices=APPS, help="order inside a leaf")
    add("--gang", action="store_true", help="all tasks of a job at once")
    add("--preempt", choices=PREEMPT, default="off")
    add("--heartbeat", type=span, default=SECOND, metavar="S")
    add("--multiplier", type=times, default=Fraction(1), metavar="M")
    add("--sweep", type=several, metavar="M1,M2", help="multipliers of the "
        "forecast; default: towards the target until it is passed")
    add("--seed", type=int, default=0)
    add("--until", type=span, default=0, metavar="S")
    add("--default-run", type=span, metavar="S")
    add("--default-task", metavar="VECTOR")
    add("--from-starts", action="store_true", help="take starts as "
        "submissions where the file has none, and replay")
    add("--kind", help="what the report is about; default: what jobs need most "
        "of; for time units gpu")
    beside_options(made)
    add("--zone", default="UTC", metavar="NAME", help="time zone of dates on "
        "the page, as Europe/Stockholm")
    add("--growth", type=number, metavar="F", help="the workload grows by "
        "this part a year (0.4); default: as its weeks say")
    add("--targets", metavar="FILE", help='CSV "queue,target_s": queues with '
        "a target of their own")
    add("--price", type=prices, default=(), metavar="KIND=F,...",
        help="what an hour of one core, GPU or GiB costs: cpu=0.03,gpu=1.2")
    add("--currency", default="", metavar="NAME", help="of --price")
    add("--target", type=span, default=600 * SECOND, metavar="S",
        help="a job is late when it waits longer; default 600")
    return made


def beside_options(made: Parser) -> None:
    """Another cluster, and what it has."""
    add = made.add_argument
    add("--beside", metavar="WORKLOAD", help="another cluster: its numbers "
        "stand beside")
    add("--beside-nodes", action="append", default=[], metavar="SPEC",
        help="what the other cluster has")
    add("--beside-capacity", metavar="VECTOR")
    add("--beside-tree", metavar="FILE")


def beside_of(said: dict[str, Any]) -> dict[str, Any] | None:
    """What is told of the other cluster, taken out; None: there is none.
    ValueError if something is told of none."""
    path = said.pop("beside")
    own = {name: said.pop(f"beside_{name}")
           for name in ("nodes", "capacity", "tree")}
    for name, value in own.items():
        if value and not path:
            raise ValueError(f"--beside-{name}: needs --beside")
    if own["nodes"] and own["capacity"]:
        raise ValueError("--beside-capacity does not go with --beside-nodes")
    return None if not path else {
        **said, "workload": path, "nodes": tuple(own["nodes"]),
        "capacity": own["capacity"], "tree": own["tree"]}


def run(words: Sequence[str]) -> int:
    """The command."""
    made = parser()
    said = vars(made.parse_args(words))
    quiet = said.pop("quiet")
    outputs = {name: said.pop(name) for name in
               ("json", "metrics", "interactive", "output")}
    named = [path for path in outputs.values() if path]
    if not named:
        made.error("one of -o FILE.html, --interactive FILE.html, --json FILE "
                   "and --metrics FILE is needed")
    sizes = [name for name in ("nodes", "capacity", "load") if said[name]]
    if len(sizes) > 1:
        made.error(f"--{sizes[1]} does not go with --{sizes[0]}")
    for i, path in enumerate(named):
        if any(same(path, other) for other in named[:i]):
            made.error(f"{path} can be one output only")
        read = (said[name] for name in
                ("workload", "tree", "tiers", "targets", "beside"))
        if path != "-" and any(same(path, other) for other in read):
            made.error(f"{path} is read, too")
    said["nodes"] = tuple(said["nodes"])
    try:
        build(said, outputs, quiet)
    except ImportError as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    except EOFError as error:
        print(f"report: {said['workload']}: {error}", file=sys.stderr)
        return 2
    except (OSError, Error, ValueError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def same(a: str | None, b: str | None) -> bool:
    """Do both name one stream, or one file that is there or would be made?"""
    if not a or not b or a == b:
        return bool(a) and a == b
    if os.path.isfile(a) and os.path.isfile(b):
        return os.path.samefile(a, b)
    return "-" not in (a, b) and os.path.realpath(a) == os.path.realpath(b)


def build(said: dict[str, Any], outputs: dict[str, str | None],
          quiet: bool) -> None:
    """Makes what is wanted, and only then writes any of it."""
    from .. import reporting
    from ..pictures.base import figure_class
    from ..reporting import interactive, metrics, pair
    from ..reporting.data import text
    from ..reporting.html import templates
    if outputs["output"]:
        templates()
        figure_class()
    if outputs["interactive"]:
        templates()
        interactive.plotly_script()
    open_form = not str(outputs["metrics"]).endswith(".prom")
    forms: dict[str, Callable[[Any], str]] = {
        "json": text, "output": reporting.page,
        "interactive": interactive.page,
        "metrics": lambda facts: metrics.text(facts, open_form)}
    second = beside_of(said)
    if second is not None:
        second.update(tiers=None, targets=None, load=None)
    with Shown(quiet) as shown:
        facts = reporting.gather(reporting.Wanted(**said), shown.step)
        if second is not None:
            pair.check(facts)
            facts.other = reporting.gather(reporting.Wanted(**second),
                                           shown.step)
            pair.check(facts.other)
        written = [(path, forms[name](facts))
                   for name, path in outputs.items() if path]
    if not quiet:
        warn(facts)
    with ExitStack() as files:
        for path, made in written:
            files.enter_context(beside(path)).write(made.encode())


def warn(facts: Any) -> None:
    """Rows that were left out, on standard error."""
    left = sum(facts.given.skipped.values())
    if left:
        why = "; ".join(f"{reason} ({count:,})" for reason, count in
                        sorted(facts.given.skipped.items()))
        print(f"report: {left:,} of {facts.given.records:,} records left out: "
              f"{why}", file=sys.stderr)


class Shown:
    """What is being done: one line on a terminal, or a line now and then in a
    log, from the first second on."""

    #: Seconds after which a log has its first line, and between two lines.
    FIRST, EVERY = 1.0, 10.0

    def __init__(self, quiet: bool, program: str = "report") -> None:
        self.quiet, self.program = quiet, program
        self.terminal = not quiet and sys.stderr.isatty()
        self.begin = time.monotonic()
        self.due = self.begin + self.FIRST

    def __enter__(self) -> Shown:
        return self

    def step(self, part: float, what: str) -> None:
        """So much is done, and this comes."""
        # names of queues stand in it: nothing of them moves the cursor
        what = "".join(c if c.isprintable() else "?" for c in what)
        if self.terminal:
            line = f"{100 * part:3.0f} %  {what} ..."
            print(f"\r\x1b[K{line[:get_terminal_size().columns - 1]}", end="",
                  file=sys.stderr, flush=True)
            return
        now = time.monotonic()
        if not self.quiet and now >= self.due:
            print(f"{self.program}: after {now - self.begin:.0f} s, "
                  f"{100 * part:.0f} %: {what} ...", file=sys.stderr,
                  flush=True)
            self.due = now + self.EVERY

    def __exit__(self, *exc: object) -> None:
        if self.terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

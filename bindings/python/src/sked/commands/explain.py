"""python -m sked explain: why a job waits, why a task was a victim, why a
queue has the share that it has."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from .. import Error, Model, Tree, format_amount
from ..explain import (Answer, Log, State, Unexplained, pending, read_snapshot,
                       share, victim)
from ..importers import ImportFailed, read_workload
from ..preempt import Dialect
from ._files import Input
from ._program import captured
from .._usage import Parser

SUMMARY = "why a job waits, a task was a victim, a queue has its share"
SECOND = 1_000_000_000

TEXT = """\
python -m sked explain pending JOB   SOURCE [--at T]
python -m sked explain victim  JOB   SOURCE [--at T]
python -m sked explain share   QUEUE SOURCE [--at T] [--model M]
python -m sked explain TREE QUEUE --capacity VECTOR [--demand PATH:VECTOR] ...

SOURCE is one of
  WORKLOAD [OPTIONS]     a run of it: every option of `replay` counts
  --decisions LOG --results JSON [--tree FILE] [--workload FILE]
                         what `replay --decisions LOG --json JSON` wrote;
                         --tree as in that run; --workload says what the log
                         does not (users, jobs that wait to be admitted)
  --snapshot FILE        a state as JSON (docs/python.md): pending and share

The last form needs neither: a tree in text form, and what leaves have and want,
on the command line."""


FLAGS = ("--gang", "--quiet")  # options of replay without a value
OWN = ("--at", "--json", "--snapshot", "--decisions", "--results",
       "--workload", "--model", "--help", "-h", "--version")


def parser_of(name: str, what: str, why: str) -> Parser:
    """What the three questions share."""
    parser = Parser(
        prog=f"python -m sked explain {name}", description=why,
        usage=f"python -m sked explain {name} {what} SOURCE [--at T] [--json]",
        epilog="Every option of replay may be given too. Exit status: 0 "
        "answered, 1 it is not so (the job does not wait, was no victim), 2 "
        "bad usage or input.", allow_abbrev=False)
    parser.add_argument("what", metavar=what)
    parser.add_argument("source", metavar="WORKLOAD", nargs="?",
                        help="to be run now; the bundled one where no other "
                        "source is given")
    parser.add_argument("--at", metavar="T", type=time_of,
                        help="seconds on the workload's own clock; default: "
                        "after all that happened")
    parser.add_argument("--json", action="store_true",
                        help="sentences and numbers as one JSON object")
    parser.add_argument("--snapshot", metavar="FILE", help="a state as JSON")
    parser.add_argument("--decisions", metavar="LOG",
                        help="what replay wrote, with")
    parser.add_argument("--results", metavar="JSON",
                        help="what it wrote with --json")
    parser.add_argument("--workload", metavar="FILE",
                        help="says what the log does not")
    if name == "share":
        parser.add_argument("--model", default="entitlement",
                            choices=[m.name.lower() for m in Model])
    return parser


def parted(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our own words, and the options of replay with their values."""
    own: list[str] = []
    other: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if not word.startswith("--") or word.split("=")[0] in OWN:
            own.append(word)
            continue
        other.append(word)
        if "=" not in word and word not in FLAGS and left:
            other.append(left.pop(0))
    return own, other


def last_of(rest: Sequence[str], name: str) -> str | None:
    """The value of an option of replay; None: it was not given."""
    found = None
    for word, value in zip(rest, [*rest[1:], None]):
        if word == name:
            found = value
        elif word.startswith(name + "="):
            found = word[len(name) + 1:]
    return found


def time_of(text: str) -> int:
    """Seconds, as ns."""
    try:
        return round(Fraction(text) * SECOND)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


# ---- Where the state comes from ----


def told_of(path: str | None) -> Callable[[str], Any]:
    """What a workload says of a job by its name in the log."""
    if path is None:
        return lambda job: None
    found: dict[str, Any] = {}
    for line, job in enumerate(read_workload(path), 1):
        name = job.id.split(";")[0]
        if not name or name in found:
            name = str(job.line or line)
        submit = job.start if job.submit is None else job.submit
        if submit is not None:
            found[name] = (submit, job.user or "default", job.priority or 0,
                           job.tasks, job.partition)
    return lambda name: found.get(name) or found.get(name.rpartition("#")[0])


def tree_of(path: str | None, rest: list[str]) -> Tree | None:
    """The queues as the run had them, in the orders that its options set."""
    if path is None:
        return None
    with open(path, "rb") as file:
        return ordered(Tree.from_text(file.read(), file=path), rest)


def ordered(tree: Tree, rest: list[str]) -> Tree:
    """The orders that options of the run set."""
    policy, apps = last_of(rest, "--policy"), last_of(rest, "--apps")
    for queue in tree if policy or apps else ():
        if policy and queue.children:
            queue.set(order=policy)
        if apps and not queue.children:
            queue.set(apps=apps)
    tree.commit()
    return tree


@contextmanager
def log_of(said: argparse.Namespace, rest: list[str]) -> Iterator[Log]:
    """The decision log: the one given, or that of a run made here."""
    if not (said.decisions or said.results):
        with tempfile.TemporaryDirectory(prefix="sked") as folder:
            yield replayed(said, rest, folder)
        return
    if not (said.decisions and said.results) or said.source:
        raise Unexplained("--decisions goes with --results, and with no "
                          "workload to run")
    with Input([said.decisions, said.results]) as (log, results):
        made = Log(log, results, tree_of(last_of(rest, "--tree"), rest),
                   told_of(said.workload))
        ordered(made.tree, rest)
        yield made


def replayed(said: argparse.Namespace, rest: list[str], folder: str) -> Log:
    """Runs the workload, or the bundled one with its tree."""
    if last_of(rest, "--sweep"):
        raise Unexplained("--sweep is many runs: explain one of them")
    tree, source = last_of(rest, "--tree"), said.source
    if source is None:
        captured("replay", ["--example", folder])
        source = os.path.join(folder, "workload.csv")
        tree = tree or os.path.join(folder, "tree.txt")
    log, results = (os.path.join(folder, n) for n in ("log", "json"))
    words = [*rest, "--quiet", "--decisions", log, "--json", results]
    captured("replay", words + ([said.source] if said.source else []))
    with Input([source]) as (plain,):
        made = Log(log, results, tree_of(tree, rest), told_of(plain))
    ordered(made.tree, rest)
    return made


def options_of(rest: list[str]) -> dict[str, int]:
    """Targets as the run had them."""
    name = last_of(rest, "--preempt") or "imbalance"
    try:
        return {"dialect": int(Dialect[name.upper()])}
    except KeyError:
        raise Unexplained(f"--preempt {name}: no such name") from None


# ---- The command ----


def answer(said: argparse.Namespace, rest: list[str]) -> Answer:
    """The answer to one question."""
    if said.snapshot:
        if said.asks == "victim":
            raise Unexplained("a snapshot does not know what was told to whom: "
                              "needs a workload or a decision log")
        if rest or said.source or said.decisions:
            raise Unexplained("--snapshot goes with no other source")
        with Input([said.snapshot]) as (plain,):
            return of_state(said, read_snapshot(plain))
    with log_of(said, rest) as log:
        if said.asks == "victim":
            return victim(log, said.what, said.at, options_of(rest))
        time = (1 << 62) if said.at is None else said.at
        state = log.state(time)
        if said.at is None:
            state.time = max((row.time for row in log.rows()), default=0)
        if said.asks == "pending" and not any(
                row.job == said.what for row in log.rows()):
            raise Unexplained(f"the run knows no job {said.what}")
        return of_state(said, state)


def of_state(said: argparse.Namespace, state: State) -> Answer:
    """The questions that a state answers."""
    if said.asks == "share":
        return share(state, said.what, said.model)
    return pending(state, said.what)


WHAT = {"pending": ("JOB", "Why a job waits: what holds each of its tasks "
                    "back, with the numbers, and who comes first."),
        "victim": ("JOB", "Why tasks of a job were told to give way or "
                   "stopped: for whom, and what their queue had too much."),
        "share": ("QUEUE", "Why a queue has its fair share: what binds it and "
                  "each queue above, kind by kind.")}


def run(words: Sequence[str]) -> int:
    """The command."""
    if not words:
        print("explain: say what: pending, victim, share or a tree (see "
              "--help)", file=sys.stderr)
        return 2
    if words[0] in ("-h", "--help"):
        print("usage:\n" + TEXT)
        return 0
    try:
        if words[0] not in WHAT:
            return explain_tree(words)
        asks, (what, why) = words[0], WHAT[words[0]]
        own, rest = parted(words[1:])
        said = parser_of(asks, what, why).parse_args(own)
        said.asks = asks
        found = answer(said, rest)
    except (OSError, Error, ImportFailed, ValueError, EOFError) as error:
        print(f"explain: {one_line(error)}", file=sys.stderr)
        return 2
    print(json.dumps(found.as_json(), indent=1) if said.json else found)
    return 0 if found.holds else 1


def one_line(error: BaseException) -> str:
    """What an exception says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__


# ---- A tree alone ----


def explain_tree(words: Sequence[str]) -> int:
    """The share of a queue, of what is said on the command line."""
    parser = Parser(
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
    print_share(parser.parse_args(words))
    return 0


def print_share(said: argparse.Namespace) -> None:
    """The chain from the root to the queue, kind by kind."""
    from ..explain.share import chain
    with Input([said.tree]) as (plain,):
        tree = Tree.from_file(plain, capacity=said.capacity)
    for name in ("demand", "usage"):
        for one in getattr(said, name):
            path, _, vec = one.rpartition(":")
            setattr(tree[path], name, vec)
    shares = tree.fair_shares(said.model)
    found = chain(tree, shares, tree.ledger, tree[said.queue])
    for unit, (kind, line) in zip(tree.schema.units, found.items()):
        print(f"{kind}:")
        for one in line:
            level = ""
            if tree[one["queue"]].children:
                level = f", its children at level {one['level']}" \
                    if one["level"] else \
                    ", its children have all they can take"
            print(f"  {one['queue']}: {format_amount(unit, one['share'])}, "
                  f"bound by {one['bound']}{level}")

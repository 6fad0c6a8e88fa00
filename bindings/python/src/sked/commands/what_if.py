"""python -m sked what-if: a workload before and after a change."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .. import Error
from .._usage import Parser
from .report import Shown, beside_of, positive, span, times

SUMMARY = "a workload before and after a change: nodes, settings, growth, moves"
ABOUT = """Replays a workload twice, before and after a change, and compares the
waits queue by queue. Several changes count together. The range of late jobs is
that of the days of the workload drawn with repetition; with --multiplier, that
of three draws. Exit status: 0 done, 2 bad usage or bad input."""
SIZE = re.compile(r"[+-](\d+(?:\.\d+)?)%")


def setting(text: str) -> tuple[str, str, str]:
    """root.x.weight=2 as queue, name and value."""
    where, equals, value = text.partition("=")
    path, _, name = where.rpartition(".")
    if not (equals and path and name and value):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not QUEUE.SETTING=VALUE")
    return path, name, value


def move(text: str) -> tuple[str, str, str]:
    """W:A->B as user, queue and queue."""
    user, colon, rest = text.rpartition(":")
    source, arrow, target = rest.partition("->")
    if not (colon and arrow and user and source and target):
        raise argparse.ArgumentTypeError(f"{text!r} is not USER:FROM->TO")
    return user, source, target


def basics(made: Parser) -> None:
    """What says how a workload is replayed before any change."""
    add = made.add_argument
    add("--tree", metavar="FILE", help="queues in text form")
    add("--queue-by", default="queue", metavar="FIELD")
    add("--capacity", metavar="VECTOR", help="what there is now, as one pool")
    add("--load", type=positive, metavar="F", help="nodes for this load")
    add("--gang", action="store_true", help="all tasks of a job at once")
    add("--target", type=span, default=600 * 10**9, metavar="S",
        help="a job is late when it waits longer; default 600")
    add("--seed", type=int, default=0)


def parser() -> Parser:
    """The command line."""
    made = Parser(prog="python -m sked what_if", description=ABOUT)
    add = made.add_argument
    add("workload", metavar="WORKLOAD")
    add("--nodes", action="append", default=[], metavar="SPEC|+N%",
        help='a change in per cent ("+20%%"), or what there is now: '
        '"N x cpu=48,memory=187GiB [@partition]"')
    add("--set", action="append", default=[], type=setting, dest="settings",
        metavar="QUEUE.SETTING=VALUE", help="as root.x.weight=2")
    add("--multiplier", type=times, default=Fraction(1), metavar="M",
        help="the workload so many times")
    add("--move", action="append", default=[], type=move, dest="moves",
        metavar="USER:FROM->TO", help="a user's jobs go to another queue; the "
        "user * is all")
    basics(made)
    add("--beside", metavar="WORKLOAD", help="another cluster, to which --move "
        "takes jobs")
    add("--beside-nodes", action="append", default=[], metavar="SPEC",
        help="what the other cluster has")
    add("--beside-capacity", metavar="VECTOR")
    add("--beside-tree", metavar="FILE")
    add("--json", action="store_true", help="the answer as one object")
    add("--quiet", action="store_true", help="no progress")
    return made


def sizes(said: Sequence[str]) -> tuple[tuple[str, ...], Fraction]:
    """What there is, and so many times it. ValueError for a size that is none
    or said twice."""
    changes = [one for one in said if one.strip().endswith("%")]
    for one in changes:
        if not SIZE.fullmatch(one.strip()):
            raise ValueError(f"--nodes {one}: is not +N% or -N%")
    if len(changes) > 1:
        raise ValueError("--nodes: one change in per cent at most")
    size = Fraction(1)
    if changes:
        size += Fraction(changes[0].strip()[:-1]) / 100
    if size <= 0:
        raise ValueError(f"--nodes {changes[0]}: leaves nothing")
    return tuple(one for one in said if one not in changes), size


def print_across(found: Any, as_json: bool) -> None:
    """A move to another cluster."""
    print(json.dumps({
        "moved": found.moved, "misfits": found.misfits,
        "target_s": found.target_s, "notes": found.notes,
        "clusters": list(found.table.rows(named=True))},
        ensure_ascii=False, indent=1) if as_json else found)


def run(words: Sequence[str]) -> int:
    """The command."""
    said = vars(parser().parse_args(words))
    settings, moves = tuple(said.pop("settings")), tuple(said.pop("moves"))
    multiplier, as_json = said.pop("multiplier"), said.pop("json")
    quiet = said.pop("quiet")
    try:
        from ..reporting import Wanted
        from ..reporting.across import move_across
        from ..reporting.change import Change, what_if
        said["nodes"], size = sizes(said["nodes"])
        if size == 1 and multiplier == 1 and not settings and not moves:
            raise ValueError("no change: say --nodes, --set, --multiplier or "
                             "--move")
        second = beside_of(said)
        if second is not None:
            if size != 1 or multiplier != 1 or settings or not moves:
                raise ValueError("--beside: goes with --move alone")
            with Shown(quiet, "what-if") as shown:
                moved = move_across(Wanted(**said), Wanted(**second), moves,
                                    shown.step)
            print_across(moved, as_json)
            return 0
        with Shown(quiet, "what-if") as shown:
            found = what_if(Wanted(**said), Change(
                size, settings, multiplier, moves), shown.step)
    except (ImportError, OSError, Error, ValueError) as error:
        print(f"what-if: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(json.dumps({
        "late_fewer": found.fewer, "late_fewer_range": [found.low, found.high],
        "range_over": found.how, "nodes_before": found.nodes_before,
        "nodes_after": found.nodes_after, "target_s": found.target_s,
        "notes": found.notes, "queues": [
            dict(zip(found.table.names, row)) for row in found.table.rows()]},
        ensure_ascii=False, indent=1) if as_json else found)
    return 0

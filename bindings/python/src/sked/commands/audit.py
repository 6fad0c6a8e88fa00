"""python -m sked audit: stories of a history that are impossible or unfair."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from .. import Error
from ..audit import RULES, Anomaly, counts
from ..histories import KINDS, SECOND, read_history
from ..importers import ImportFailed
from .._usage import Parser

SUMMARY = "reads what a scheduler did and lists what is impossible or unfair"
ABOUT = """Reads the history of any scheduler and lists what is impossible or
unfair in it, each with at most ten rows that tell it. Forms: a CSV of rows, the
decision log of replay, YARN's audit log, Kubernetes events as JSON, and
workloads with starts and ends (sacct, SWF, the common CSV). docs/auditing.md
has the rules. Exit status: 0 nothing was found, 1 something was, 2 the file
cannot be read."""


def run(words: Sequence[str]) -> int:
    """The command."""
    parser = Parser(prog="python -m sked audit", description=ABOUT)
    parser.add_argument("history", metavar="FILE", nargs="+",
                        help="a file; .gz and .xz are unpacked, - is standard "
                        "input")
    parser.add_argument("--bound", metavar="RULE=SECONDS", action="append",
                        default=[], help="how long a rule waits, or off; rules: "
                        f"{', '.join(RULES)} (default: 300 each)")
    parser.add_argument("--capacity", metavar="KIND=AMOUNT,...",
                        help="of the cluster, for workloads: cpu and gpu in "
                        "whole ones, memory in bytes")
    parser.add_argument("--results", metavar="FILE.json",
                        help="what replay --json wrote, for its decision log: "
                        "it has the nodes")
    parser.add_argument("--preempts", action="store_true",
                        help="the scheduler kills for guarantees")
    parser.add_argument("--show", metavar="N", type=int, default=10,
                        help="stories to print of each name (default: 10)")
    parser.add_argument("--json", action="store_true",
                        help="one object a line")
    said = parser.parse_args(words)
    bounds: dict[str, int | None] = dict.fromkeys(RULES, 300 * SECOND)
    for pair in said.bound:
        rule, _, text = pair.partition("=")
        if rule not in RULES or not (text == "off" or number(text)):
            parser.error(f"--bound {pair}: RULE=SECONDS or RULE=off, rules are "
                         f"{', '.join(RULES)}")
        bounds[rule] = None if text == "off" else int(float(text) * SECOND)
    capacity = None
    if said.capacity is not None:
        pairs = [part.partition("=") for part in said.capacity.split(",")]
        if not all(k in KINDS and v.isdigit() for k, _, v in pairs):
            parser.error(f"--capacity {said.capacity}: KIND=AMOUNT, kinds are "
                         f"{', '.join(KINDS)}")
        capacity = {k: int(v) * (1 if k == "memory" else 1000)
                    for k, _, v in pairs}
    worst = 0
    for path in said.history:
        worst = max(worst, check(path, bounds, capacity, said))
    return worst


def number(text: str) -> bool:
    """Is that a number of seconds?

    >>> number("2.5"), number("-1"), number("x")
    (True, False, False)
    """
    try:
        return 0 <= float(text) <= 9e9
    except ValueError:
        return False


def check(path: str, bounds: dict[str, int | None],
          capacity: dict[str, int] | None, said: object) -> int:
    """One file: 0 clean, 1 something found, 2 unreadable."""
    try:
        history = read_history(
            path, capacity=capacity,
            results=said.results)  # type: ignore[attr-defined]
        found = history.judge(preempts=said.preempts,  # type: ignore[attr-defined]
                              **bounds)  # type: ignore[arg-type]
    except (ImportFailed, Error) as error:
        print(error if isinstance(error, ImportFailed) else f"{path}: {error}",
              file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2
    if said.json:  # type: ignore[attr-defined]
        for anomaly in found:
            print(json.dumps(as_json(path, anomaly)))
        return int(bool(found))
    sums = list(counts(found))
    print(f"{path}: {len(history):,} rows, " + (", ".join(
        f"{n:,} {name}" for name, n in sums) or "nothing found"))
    shown: dict[str, int] = {}
    for anomaly in found:
        shown[anomaly.name] = shown.get(anomaly.name, 0) + 1
        if shown[anomaly.name] <= said.show:  # type: ignore[attr-defined]
            print(anomaly)
    return int(bool(found))


def as_json(path: str, anomaly: Anomaly) -> dict[str, object]:
    """An anomaly as one object."""
    return {"file": path, "name": anomaly.name, "since_ns": anomaly.since,
            "at_ns": anomaly.at, "subject": str(anomaly.subject),
            "other": str(anomaly.other), "tasks": str(anomaly.tasks),
            "got": anomaly.got, "limit": anomaly.limit, "kind": anomaly.kind,
            "rows": list(anomaly.rows), "story": list(anomaly.story)}

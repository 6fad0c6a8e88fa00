"""python -m sked compare: the first difference of two schedulers."""

from __future__ import annotations

import csv
import json
import shlex
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from .. import Error
from ..enums import UNLIMITED
from ..importers import ImportFailed, read_workload
from ..testing import compare
from ..testing.engine_manager import EngineManager
from ..testing.host import BadDecision, ProcessManager, Restless
from ..testing.plain import PlainManager
from ..tree import Tree
from .._usage import Parser

SUMMARY = "runs two schedulers on one workload and tells the first difference"
ABOUT = """Runs two schedulers on one workload and tells the first difference,
with the reason of each task that waits. A scheduler is one of

  engine[:ATTRIBUTES]  the engine of this library; ATTRIBUTES of the root, as
                       engine:order=fifo
  plain                the plain manager of sked.testing
  run:COMMAND          a process that speaks JSON lines
  MODULE:NAME          a manager in Python
  log:FILE             recorded decisions, a CSV with the columns
                       time_s,decision,job,node,count: start or kill

The workload is any that convert reads. cpu and gpu are in thousandths, memory
in bytes, times in seconds. docs/testing-your-scheduler.md says more. Exit
status: 0 no difference, 1 a difference, 2 bad usage or bad input."""
KINDS = ["cpu", "memory", "gpu"]
SECOND = 1_000_000_000
MOST = 1 << 60  # a limit beside others that no cluster reaches
COLUMNS = ["time_s", "decision", "job", "node", "count"]
CARRIED = ("weight", "guarantee", "limit")


class Bad(ValueError):
    """Input that cannot be used, in words."""


def run(words: Sequence[str]) -> int:
    """The command."""
    parser = Parser(prog="python -m sked compare", description=ABOUT,
                    formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("first", metavar="FIRST", help="a scheduler")
    parser.add_argument("second", metavar="SECOND", help="a scheduler")
    parser.add_argument("workload", metavar="WORKLOAD", help="a file")
    parser.add_argument("--node", metavar="NAME:KIND=AMOUNT,...",
                        action="append", required=True, help="a node, as "
                        "n1:cpu=8,memory=34359738368; cpu and gpu whole ones")
    parser.add_argument("--tree", metavar="FILE", help="queues; unsaid: the "
                        "queues of the workload, alike. The engine takes every "
                        "attribute, others weight, guarantee and limit")
    parser.add_argument("--preempts", action="store_true", help="tasks may be "
                        "killed for guarantees")
    parser.add_argument("--json", action="store_true", help="one object")
    said = parser.parse_args(words)
    try:
        load = workload(said.workload, said.tree, said.node)
        load.preempts = said.preempts
        root = attributes_of(said.tree).pop("root", "") if said.tree else ""
        first, second = maker(said.first, root), maker(said.second, root)
        unknown = {pair.partition("=")[0] for pair in " ".join([root] + [
            q.get("attributes", "") for q in load.queues]).split()}
        for each in (said.first, said.second):
            if unknown and not each.startswith("engine") and \
                    not each.startswith("log:"):
                print(f"compare: {each} is told of weight, guarantee and limit,"
                      f" and may not know {', '.join(sorted(unknown))}",
                      file=sys.stderr)
        found = compare.on_workload(first, second, load)
    except (Bad, BadDecision, Restless, ImportFailed, Error, OSError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2
    if said.json:
        print(json.dumps(None if found is None else {
            "at_s": found.at / SECOND, "first": found.first,
            "second": found.second, "reasons": found.reasons}))
    elif found is None:
        print(f"no difference: {len(load.jobs):,} jobs on "
              f"{len(load.nodes):,} nodes")
    else:
        print(str(found).replace(f"is at {found.at}",
                                 f"is at {found.at / SECOND:g} s", 1))
    return int(found is not None)


def maker(text: str, root: str = "") -> compare.Make:
    """What makes the scheduler that the text names; `root` are attributes of
    the root of the tree."""
    how, _, what = text.partition(":")
    if text == "plain":
        return PlainManager
    if how == "engine":
        said = {pair.partition("=")[0] for pair in what.split()}
        kept = [pair for pair in root.split()
                if pair.partition("=")[0] not in said]
        return lambda: EngineManager(" ".join([*kept, what]).strip())
    if how == "run":
        command = shlex.split(what)
        return lambda: ProcessManager(command)
    if how == "log":
        rows = recorded(what)
        return lambda: compare.Recorded(rows)
    try:
        found: compare.Make = getattr(import_module(how), what)
    except (ImportError, AttributeError, ValueError) as error:
        raise Bad(f"{text}: no such scheduler: {error}") from None
    return found


def recorded(path: str) -> list[tuple[Any, ...]]:
    """Decisions of a CSV."""
    rows: list[tuple[Any, ...]] = []
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            where = f"{path}: line {len(rows) + 2}"
            if any(row.get(name) is None for name in COLUMNS):
                raise Bad(f"{where}: needs the columns {','.join(COLUMNS)}")
            if row["decision"] not in ("start", "kill"):
                raise Bad(f"{where}: decision {row['decision']!r}: start or "
                          "kill")
            try:
                rows.append((round(float(row["time_s"]) * SECOND),
                             row["decision"], row["job"] + ".t", row["node"],
                             int(row["count"])))
            except (ValueError, OverflowError):
                raise Bad(f"{where}: time_s and count are numbers") from None
    return rows


def workload(path: str, tree: str | None,
             nodes: Sequence[str]) -> compare.Workload:
    """The workload of a file, on these nodes."""
    queues = [] if tree is None else queues_of(tree)
    leaves = {q["name"] for q in queues} - {q["parent"] for q in queues}
    load = compare.Workload(KINDS, queues, dict(map(node_of, nodes)))
    seen: dict[str, int] = {}
    for job in read_workload(path):
        start, end = job.start, job.end
        seconds = job.run if job.run is not None or None in (start, end) \
            else max(0, (end or 0) - (start or 0))
        at = start if job.submit is None else job.submit
        if at is None or seconds is None:
            raise Bad(f"{path}: line {job.line}: a job needs a time and a run "
                      "time")
        queue = job.queue.rpartition(".")[2] or "default"
        if tree is None and queue not in leaves:
            leaves.add(queue)
            queues.append({"name": queue})
        if queue not in leaves:
            raise Bad(f"{path}: line {job.line}: no leaf {queue} in the tree")
        seen[job.id] = seen.get(job.id, 0) + 1
        again = f"#{seen[job.id]}" if seen[job.id] > 1 else ""
        load.jobs.append({
            "job": job.id + again, "at": at, "queue": queue,
            "count": job.tasks, "user": job.user or "u1",
            "amounts": [job.cpu or 0, job.memory or 0, job.gpu or 0],
            "priority": job.priority or 0, "seconds": seconds})
    users = {user: f"u{i}" for i, user in enumerate(
        dict.fromkeys(job["user"] for job in load.jobs), 1)}
    for each in load.jobs:  # EngineManager wants numbers of users
        each["user"] = users[each["user"]]
    return load


def attributes_of(path: str) -> dict[str, str]:
    """The attributes of each queue, by path, that the kit does not carry."""
    found: dict[str, str] = {}
    for line in Tree.from_file(path).text.splitlines():
        queue, *pairs = shlex.split(line)
        more = [f"{name}={shlex.quote(value)}" if " " not in value else
                f'{name}="{value}"'
                for name, _, value in (pair.partition("=") for pair in pairs)
                if name not in CARRIED]
        if queue != "kinds" and more:
            found[queue] = " ".join(more)
    return found


def queues_of(path: str) -> list[dict[str, Any]]:
    """The queues of a tree in text, below the root."""
    tree, more = Tree.from_file(path), attributes_of(path)
    found: list[dict[str, Any]] = []
    for q in tree:
        if q.parent is None:
            continue
        if any(q.name == other["name"] for other in found):
            raise Bad(f"{path}: two queues are called {q.name}")
        limit = {k: v for k, v in q.limit.items() if v != UNLIMITED}
        found.append({
            "name": q.name, "weight": q.weight,
            "parent": q.parent.name if q.parent.parent is not None else None,
            "guarantee": [q.guarantee.get(k, 0) for k in KINDS]
            if any(q.guarantee.values()) else None,
            "limit": [limit.get(k, MOST) for k in KINDS] if limit else None})
        if q.path in more:
            found[-1]["attributes"] = more[q.path]
    return found


def node_of(text: str) -> tuple[str, list[int]]:
    """A node of the command line.

    >>> node_of("n1:cpu=2,memory=100")
    ('n1', [2000, 100, 0])
    """
    name, _, rest = text.partition(":")
    pairs = [part.partition("=") for part in rest.split(",")]
    if not name or not all(k in KINDS and v.isdigit() for k, _, v in pairs):
        raise Bad(f"--node {text}: NAME:KIND=AMOUNT,..., kinds are "
                  f"{', '.join(KINDS)}")
    has = {k: int(v) * (1 if k == "memory" else 1000) for k, _, v in pairs}
    return name, [has.get(k, 0) for k in KINDS]

"""The decision log of `replay` with its results: what ran where, and when."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..enums import ANY_PARTITION
from ..schema import Schema
from ..tree import Tree
from .state import Open, Placed, State, StateNode, Unexplained
from .words import seconds, vector

HEADER = "seq,time_ns,kind,job,task,count,queue,node,amount,reason".split(",")


class Row(NamedTuple):
    """One decision, `n` tasks from `task` on; -1 where the log says nothing."""

    seq: int
    time: int
    kind: str
    job: str
    task: int
    n: int
    queue: str
    node: int
    amount: str
    reason: str


class Seen:
    """What a log says of one job up to an instant, and later."""

    def __init__(self, row: Row) -> None:
        self.queue = row.queue
        self.amount = row.amount
        self.admitted: int | None = None
        self.rejected: Row | None = None
        self.tasks = 0  # as far as is known
        self.done = 0
        self.started: int | None = None
        self.ended: int | None = None
        self.node = -1  # one where it ran, or will
        self.groups: list[list[int]] = []  # node, task, count, since


class Log:
    """A decision log, read anew for each question, a row at a time.

    `results` is the JSON of the same run (not of a sweep); `tree` the queues
    it had, where None: those of the results, with the defaults of `replay`.
    `told` says of a job what the log does not: (submitted, user, priority,
    tasks, partition), or None."""

    def __init__(self, path: str | os.PathLike[str],
                 results: str | os.PathLike[str], tree: Tree | None = None,
                 told: Callable[[str], Any] = lambda job: None) -> None:
        self.path = os.fspath(path)
        with open(results, encoding="utf-8") as file:
            said = json.load(file)
        try:
            self.tree = tree or plain_tree(said)
            self.partitions: dict[str, int] = {}
            self.nodes = nodes_of(said, self.tree.schema, self.partitions)
        except (KeyError, TypeError, AttributeError) as error:
            raise Unexplained(f"{os.fspath(results)}: not the results of one "
                              f"run: {error!r}") from None
        self.told = told
        self._vec: dict[str, tuple[int, ...]] = {}

    def rows(self) -> Iterator[Row]:
        """The rows, checked."""
        with open(self.path, encoding="utf-8", newline="") as file:
            reader = csv.reader(file)
            if next(reader, None) != HEADER:
                raise Unexplained(f"{self.path}:1: not a decision log")
            for words in reader:
                try:
                    seq, time, kind, job, task, count, queue, node, amount, \
                        reason = words
                    yield Row(int(seq), int(time), kind, job, int(task or -1),
                              int(count or -1), queue, int(node or -1), amount,
                              reason)
                except ValueError:
                    raise Unexplained(f"{self.path}:{reader.line_num}: not a "
                                      "row of a decision log") from None

    def vec(self, text: str) -> tuple[int, ...]:
        """An amount of the log as a vector."""
        if text not in self._vec:
            said = text.replace(";", ",")
            self._vec[text] = tuple(self.tree.schema.vec(said))
        return self._vec[text]

    def jobs(self, holds: Callable[[Row], bool]) -> dict[str, Seen]:
        """Every job, as it stands after the rows for which `holds`."""
        found: dict[str, Seen] = {}
        for row in self.rows():
            job = found.get(row.job)
            if job is None:
                job = found[row.job] = Seen(row)
            if row.kind == "allocate":
                job.tasks = max(job.tasks, row.task + row.n)
                job.node = row.node
            if holds(row):
                take(job, row)
        return found

    def state(self, time: int, before: int | None = None) -> State:
        """The cluster after all that happened up to `time` (ns); with
        `before`, only what stands before that row."""
        def holds(row: Row) -> bool:
            return row.time <= time and (before is None or row.seq < before)

        made = State(self.tree, self.nodes, time=time)
        for name, job in self.jobs(holds).items():
            self.put(made, name, job, time)
        return made

    def put(self, state: State, name: str, job: Seen, time: int) -> None:
        """One job's part of a state."""
        submitted, user, priority, tasks, where = self.told(name) or (
            job.admitted, "", 0, 0, None)
        amount = self.vec(job.amount)
        running = 0
        for node, _, count, since in job.groups:
            running += count
            state.placed.append(Placed(name, job.queue, node, count, amount,
                                       since, user, priority))
        left = max(tasks, job.tasks) - job.done - running
        there = submitted is not None and submitted <= time
        if job.rejected or not there or left <= 0:
            state.idle[name] = self.idle(job, submitted, there)
            return
        state.open.append(Open(
            name, job.queue, left, amount, submitted, user, priority,
            self.where(job, where), job.admitted is not None))

    def idle(self, job: Seen, submitted: int | None, there: bool) -> str:
        """Why a job of which nothing runs does not wait."""
        if job.rejected:
            return (f"it was rejected at {seconds(job.rejected.time)}: "
                    f"{job.rejected.reason} (a task needs "
                    f"{vector(self.tree.schema, self.vec(job.amount))})")
        if job.ended is not None:
            return f"its last task ended at {seconds(job.ended)}"
        if submitted is not None and not there:
            return f"it is submitted at {seconds(submitted)}"
        return "the log says nothing of it until then"

    def where(self, job: Seen, partition: str | None) -> int:
        """The partition a job's tasks may run in."""
        if set(self.partitions) <= {""}:
            return 0
        if partition is not None:
            beyond = len(self.partitions) if partition else ANY_PARTITION
            return self.partitions.get(partition, beyond)
        return self.nodes[job.node].partition if job.node >= 0 \
            else ANY_PARTITION


def take(job: Seen, row: Row) -> None:
    """What a row changes."""
    if row.kind == "admit":
        job.admitted = row.time
    elif row.kind == "reject":
        job.rejected = row
    elif row.kind == "allocate":
        job.groups.append([row.node, row.task, row.n, row.time])
        job.started = row.time if job.started is None else job.started
    elif row.kind in ("finish", "requeue", "lost"):
        drop(job, row)
        if row.kind == "finish":
            job.done += row.n
            job.ended = row.time


def drop(job: Seen, row: Row) -> None:
    """Takes tasks [task, task + count) off the node they run on."""
    first, end = row.task, row.task + row.n
    kept: list[list[int]] = []
    for node, task, count, since in job.groups:
        low, high = max(task, first), min(task + count, end)
        if node != row.node or low >= high:
            kept.append([node, task, count, since])
            continue
        if task < low:
            kept.append([node, task, low - task, since])
        if high < task + count:
            kept.append([node, high, task + count - high, since])
    job.groups = kept


def plain_tree(said: dict[str, Any]) -> Tree:
    """The queues of results, all alike: what `replay` makes without --tree."""
    kinds = " ".join(f"{kind}={unit_of(kind)}"
                     for kind in said["cluster"]["capacity"])
    lines = [f"kinds {kinds}", *(queue["path"] for queue in said["queues"])]
    return Tree.from_text("\n".join(lines) + "\n")


def unit_of(kind: str) -> str:
    """The units of the kinds that workloads have."""
    return "B" if kind == "memory" else "m"


def nodes_of(said: dict[str, Any], schema: Schema,
             partitions: dict[str, int]) -> list[StateNode]:
    """The nodes of results, counted through the specs."""
    found: list[StateNode] = []
    for spec in said["cluster"]["specs"]:
        at = partitions.setdefault(spec["partition"], len(partitions))
        vec = tuple(schema.vec(dict(spec["amount"])))
        found += [StateNode(vec, at)] * spec["count"]
    return found

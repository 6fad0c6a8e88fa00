"""Why a task is a victim: for whom it had to go, and what its queue had too
much when the round chose it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..preempt import Dialect, Target, TargetColumn, TargetFlag
from .log import Log, Row
from .state import State, Unexplained
from .words import Answer, amount, many, seconds

ROUND = ("notify", "kill", "withdraw", "reserve")
COLUMNS = {"share": TargetColumn.SHARE, "excess": TargetColumn.EXCESS,
           "keep": TargetColumn.KEEP, "take": TargetColumn.TAKE,
           "owed": TargetColumn.OWED}


class Round:
    """The rows of a log that say why tasks of a job were victims."""

    def __init__(self, log: Log, job: str, time: int | None) -> None:
        self.first: dict[int, int] = {}  # the first row of each round
        self.mine: list[Row] = []
        self.by_node: dict[int, Row] = {}
        self.known = False
        for row in log.rows():
            if time is not None and row.time > time:
                break
            self.known |= row.job == job
            if row.kind in ROUND:
                self.first.setdefault(row.time, row.seq)
            if row.job == job and row.kind in ("notify", "kill"):
                self.mine.append(row)
        if not self.known:
            raise Unexplained(f"the log knows no job {job}")
        self.claim(log)

    def claim(self, log: Log) -> None:
        """Whose reservations are where the last victims ran."""
        if not self.mine:
            return
        last = self.mine[-1]
        nodes = {r.node for r in self.mine if r.time == last.time}
        for row in log.rows():
            if row.time > last.time:
                break
            if row.kind == "reserve" and row.node in nodes:
                self.by_node[row.node] = row


def victim(log: Log, job: str, time: int | None = None,
           options: Mapping[str, int] | None = None) -> Answer:
    """Why tasks of `job` were told to give way, or stopped: the last time up
    to `time` (ns; None: at all). `options` are those of `Target` as the run
    had them. `holds` is False where none were. Unexplained where the log does
    not know the job."""
    seen = Round(log, job, time)
    question = f"why was job {job} a victim"
    if not seen.mine:
        return Answer(question, [f"No task of job {job} was a victim."],
                      {"job": job, "victims": 0}, False)
    last = seen.mine[-1]
    rows = [r for r in seen.mine if r.time == last.time]
    # What the round saw is what was there when it told them first.
    told = next(told_of(rows, seen.mine), rows[0])
    state = log.state(told.time, seen.first[told.time])
    where = state.nodes[last.node].partition
    books = targets(state, where, options or {})
    sentences = [what(rows, seen.mine), *whose(state, seen, rows, books, log)]
    sentences += held(state, last.queue, books, log.vec(last.amount))
    return Answer(question, sentences, {
        "job": job, "time_ns": last.time, "told_ns": told.time,
        "kind": last.kind, "victims": sum(r.n for r in rows),
        "queue": last.queue, "targets": books.get(last.queue),
        "for": [{"job": r.job, "queue": r.queue, "node": r.node,
                 "targets": books.get(r.queue)}
                for r in seen.by_node.values()]})


def told_of(rows: list[Row], mine: list[Row]) -> Iterator[Row]:
    """The notices of any of these tasks: what is stopped may be a part of
    what was told at once."""
    return (r for r in mine if r.kind == "notify" and any(
        r.node == x.node and r.task < x.task + x.n and
        x.task < r.task + r.n for x in rows))


def what(rows: list[Row], mine: list[Row]) -> str:
    """What happened to it."""
    last = rows[-1]
    n = sum(r.n for r in rows)
    count, was = many(n, "task"), "was" if n == 1 else "were"
    nodes = sorted({r.node for r in rows})
    at = f"on node{'s' if len(nodes) > 1 else ''} " + ", ".join(
        map(str, nodes))
    if last.kind == "notify":
        return (f"At {seconds(last.time)} {count} of job {last.job} {at} {was} "
                f"told to give way: {last.reason}.")
    told = list(told_of(rows, mine))
    since = f", having been told at {seconds(told[-1].time)}" if told else ""
    return (f"At {seconds(last.time)} {count} of job {last.job} {at} {was} "
            f"stopped{since}: {last.reason}.")


def whose(state: State, seen: Round, rows: list[Row], books: Any,
          log: Log) -> list[str]:
    """Whom it was for, and what they were short of."""
    said, schema = [], state.tree.schema
    queues: dict[str, list[str]] = {}
    for row in seen.by_node.values():
        names = queues.setdefault(row.queue, [])
        if row.job not in names:
            names.append(row.job)
    for path, jobs in queues.items():
        book = books[path]
        short = [f"{amount(schema, k, u)} of {amount(schema, k, s)}"
                 for k, (u, s) in enumerate(zip(book["usage"], book["share"]))
                 if u < s]
        has = f", which has {', '.join(short)} that it is entitled to" \
            if short else ""
        jobs_said = ", ".join(jobs[:5])
        said.append(f"It was for job{'s' if len(jobs) > 1 else ''} "
                    f"{jobs_said} in {path}{has}.")
    return said


def held(state: State, path: str, books: Any,
         task: tuple[int, ...]) -> list[str]:
    """What the victim's queue had too much."""
    book, schema = books[path], state.tree.schema
    over = [f"{amount(schema, k, u)}, {amount(schema, k, e)} above its "
            f"{amount(schema, k, s)}"
            for k, (u, s, e) in enumerate(zip(book["usage"], book["share"],
                                              book["excess"])) if e > 0]
    if not over:
        return [f"{path} itself was not above its entitlement: what it held "
                "was needed inside it."]
    return [f"{path} used {'; '.join(over)}."]


def targets(state: State, partition: int,
            options: Mapping[str, int]) -> dict[str, dict[str, list[int]]]:
    """What each queue keeps, gives and is owed in one partition, by path."""
    tree, n = state.tree, len(state.tree.schema)
    ledger = state.ledger(partition)
    dialect = options.get("dialect", Dialect.IMBALANCE)
    by_weight = TargetFlag.BY_WEIGHT if dialect == Dialect.IMBALANCE else 0
    other: dict[str, Any] = {k: v for k, v in options.items()
                             if k != "dialect"}
    target = Target(dialect, **{"flags": int(by_weight), **other})
    target.compute(tree, state.capacity(partition), state.time, ledger=ledger,
                   partition=0)
    found: dict[str, dict[str, list[int]]] = {}
    columns = {name: target.column(which).tolist()
               for name, which in COLUMNS.items()}
    for row, queue in enumerate(tree):
        found[queue.path] = {name: list(by_row[row]) if n > 1 or isinstance(
            by_row[row], list) else [by_row[row]]
            for name, by_row in columns.items()}
        used = ledger.get("usage", queue)
        found[queue.path]["usage"] = list(used.values())
    return found

"""A judge of the histories of any scheduler. <sched/audit.h>

A `History` collects rows with the host's own names; `judge()` returns the
stories that are impossible or unfair, each with its rows.

>>> h = History(["cpu"])
>>> h.node("n1", {"cpu": 4}, at=0)
>>> h.job("j", at=0)
>>> h.tasks("j.t", "j", {"cpu": 3}, count=2, at=0)
>>> h.start("j.t", "n1", count=2, at=5)
>>> [a.name for a in h.judge(idle=None)]
['node_over']
"""

from __future__ import annotations

import struct
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Union

from . import _core
from .columns import convert_column
from .enums import UNLIMITED
from .errors import Error, RangeError
from .handles import Owner
from .hooks import Hooks, host_of

__all__ = ["Anomaly", "Audit", "AuditCode", "AuditRow", "History", "RULES"]

#: The rules that wait, in the order of sked_audit_options.
RULES = ("guarantee", "inversion", "share", "kill", "gang", "reserve", "lost",
         "idle")
Name = Hashable
Amounts = Union[Mapping[str, int], Sequence[int]]


class AuditRow(IntEnum):
    """Types of rows: enum sked_audit_row_type."""

    NODE = 1
    NODE_DOWN = 2
    NODE_DRAIN = 3
    QUEUE = 4
    GUARANTEE = 5
    LIMIT = 6
    JOB = 7
    TASKS = 8
    START = 9
    DONE = 10
    KILL = 11
    LOST = 12
    CANCEL = 13
    RESERVE = 14
    JOB_END = 15


class AuditCode(IntEnum):
    """What is wrong: enum sked_audit_code."""

    NODE_OVER = 1
    QUEUE_OVER = 2
    USER_OVER = 3
    GANG_PART = 4
    GUARANTEE_UNSERVED = 5
    PRIORITY_INVERSION = 6
    ORDER_BROKEN = 7
    KILL_IN_VAIN = 8
    KILLS_IN_TURNS = 9
    SHARES_OFF = 10
    RESERVED_LATE = 11
    WORK_LOST = 12
    WORK_DOUBLED = 13
    WORK_UNKNOWN = 14
    NODE_UNFIT = 15
    NODE_IDLE = 16


_ROW = struct.Struct("=qiIQQQqqiI")
_CONSTRAINED, _FIFO = 1, 2
_COUNTED = {AuditRow.TASKS, AuditRow.START, AuditRow.DONE, AuditRow.KILL,
            AuditRow.LOST}
# The space of names of `key`, `of` and `on` by type.
_SPACES: dict[AuditRow, tuple[str, str, str]] = {
    AuditRow.NODE: ("node", "partition", ""),
    AuditRow.NODE_DOWN: ("node", "", ""),
    AuditRow.NODE_DRAIN: ("node", "", ""),
    AuditRow.QUEUE: ("queue", "queue", ""),
    AuditRow.GUARANTEE: ("queue", "", ""),
    AuditRow.LIMIT: ("queue", "", "user"),
    AuditRow.JOB: ("job", "queue", "user"),
    AuditRow.TASKS: ("tasks", "job", "partition"),
    AuditRow.START: ("tasks", "", "node"),
    AuditRow.DONE: ("tasks", "", "node"),
    AuditRow.KILL: ("tasks", "tasks", "node"),
    AuditRow.LOST: ("tasks", "", "node"),
    AuditRow.CANCEL: ("tasks", "", ""),
    AuditRow.RESERVE: ("tasks", "", "node"),
    AuditRow.JOB_END: ("job", "", ""),
}
# The spaces of `subject` and `other` by code.
_TOLD = {
    AuditCode.NODE_OVER: ("node", ""), AuditCode.QUEUE_OVER: ("queue", ""),
    AuditCode.USER_OVER: ("user", "queue"), AuditCode.GANG_PART: ("job", ""),
    AuditCode.GUARANTEE_UNSERVED: ("queue", "queue"),
    AuditCode.PRIORITY_INVERSION: ("tasks", "tasks"),
    AuditCode.ORDER_BROKEN: ("tasks", "tasks"),
    AuditCode.KILL_IN_VAIN: ("tasks", "node"),
    AuditCode.KILLS_IN_TURNS: ("tasks", "tasks"),
    AuditCode.SHARES_OFF: ("queue", "queue"),
    AuditCode.RESERVED_LATE: ("tasks", ""),
    AuditCode.WORK_LOST: ("tasks", ""),
    AuditCode.WORK_DOUBLED: ("tasks", "node"),
    AuditCode.WORK_UNKNOWN: ("tasks", "node"),
    AuditCode.NODE_UNFIT: ("node", ""), AuditCode.NODE_IDLE: ("node", ""),
}
_SENTENCES = {
    AuditCode.NODE_OVER: "node {subject} holds {got} of {limit}{kind}",
    AuditCode.QUEUE_OVER: "queue {subject} holds {got} of {limit}{kind}",
    AuditCode.USER_OVER: "user {subject} holds {got} of {limit}{kind} in queue "
                         "{other}",
    AuditCode.GANG_PART: "job {subject} runs {got} tasks of a gang of {limit}",
    AuditCode.GUARANTEE_UNSERVED:
        "queue {subject} has {got} of {limit} guaranteed{kind} for {time} and "
        "tasks {tasks} wait, while queue {other} has more",
    AuditCode.PRIORITY_INVERSION:
        "tasks {subject} of priority {limit} wait for {time} while tasks "
        "{other} of priority {got} start",
    AuditCode.ORDER_BROKEN: "tasks {subject} wait for {time} while tasks "
                            "{other} behind them start",
    AuditCode.KILL_IN_VAIN: "{got} of tasks {subject} were killed on node "
                            "{other} and nothing needed it",
    AuditCode.KILLS_IN_TURNS: "tasks {subject} and tasks {other} end each "
                              "other in {got} turns",
    AuditCode.SHARES_OFF:
        "queue {subject} holds {got} and its tasks {tasks} wait for {time}, "
        "while queue {other} with {limit}{kind} starts more",
    AuditCode.RESERVED_LATE: "tasks {subject} were to start by {limit} and are "
                             "{got} late",
    AuditCode.WORK_LOST: "{got} of tasks {subject} are lost with {other}",
    AuditCode.WORK_DOUBLED: "{got} of tasks {subject} start on node {other} "
                            "where {limit} wait",
    AuditCode.WORK_UNKNOWN: "{got} of tasks {subject} end on node {other} where "
                            "{limit} run",
    AuditCode.NODE_UNFIT: "tasks {tasks} run on node {subject}, which may not "
                          "run them",
    AuditCode.NODE_IDLE: "tasks {tasks} wait for {time} while they fit on node "
                         "{subject}",
}


@dataclass(frozen=True)
class Anomaly:
    """One story that is impossible or unfair. `rows` are numbers of rows,
    `story` the same as text."""

    code: AuditCode
    since: int
    at: int
    subject: Name
    other: Name
    tasks: Name
    got: int
    limit: int
    kind: str
    rows: tuple[int, ...]
    story: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The code as the C library names it."""
        return self.code.name.lower()

    def __str__(self) -> str:
        said = _SENTENCES[self.code].format(
            subject=self.subject, other=self.other, tasks=self.tasks,
            got=self.got, limit=self.limit, time=self.at - self.since,
            kind=f" of {self.kind}" if self.kind else "")
        lines = [f"{self.name} at {self.at}: {said}"]
        return "\n".join(lines + [f"    {line}" for line in self.story])


class Audit(Owner):
    """The judge itself, over records as C has them; `History` is easier.
    Bounds are in ns; None turns a rule off. Raises RangeError."""

    __slots__ = ("kinds",)

    def __init__(self, kinds: int, *, preempts: bool = False, turns: int = 0,
                 most: int = 0, hooks: Hooks | None = None,
                 **bounds: int | None) -> None:
        unknown = set(bounds) - set(RULES)
        if unknown:
            raise TypeError(f"no rule {', '.join(sorted(unknown))}: rules are "
                            f"{', '.join(RULES)}")
        waits = [bounds.get(rule, 0) for rule in RULES]
        self.kinds = kinds
        self._handle = _core.audit_new(
            host_of(hooks), kinds, int(preempts), turns, most,
            convert_column([UNLIMITED if w is None else w for w in waits]))

    def add(self, rows: bytes, amounts: Sequence[int] = ()) -> int:
        """Judges records; `amounts` has one number a kind for each vector.
        Returns how many there were. Raises RangeError, NotFoundError,
        ExistsError with the row; rows before it stand."""
        return _core.audit_add(self._handle, rows, convert_column(amounts),
                               self.kinds)

    def end(self, now: int) -> None:
        """The history ends. Raises StateError, RangeError."""
        _core.audit_end(self._handle, now)

    def count(self, code: int = 0) -> int:
        """Anomalies of a code, or all."""
        return _core.audit_count(self._handle, code)

    def rows(self) -> int:
        """Rows that stand."""
        return _core.audit_rows(self._handle)

    def get(self, i: int) -> tuple[Any, ...]:
        """The i-th anomaly as numbers. Raises RangeError."""
        return _core.audit_get(self._handle, i)

    def text(self, i: int) -> str:
        """The i-th anomaly as C writes it. Raises RangeError."""
        return _core.audit_format(self._handle, i)


class History:
    """Rows with names. Names may be anything that can be hashed; nodes,
    queues, users, jobs and tasks have their own spaces. `kinds` are the names
    of resources; amounts are dicts of them, or sequences. Times are whole
    numbers of any unit."""

    def __init__(self, kinds: Sequence[str] = ("cpu",)) -> None:
        self.kinds = list(kinds)
        self.lines: list[str] = []
        self._rows: list[tuple[int, ...]] = []
        self._amounts: list[int] = []
        self._vectors: dict[tuple[int, ...], int] = {}
        self._keys: dict[str, dict[Name, int]] = {}
        self._names: dict[str, list[Name]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    # ---- Rows ----

    def _key(self, space: str, name: Name) -> int:
        if name is None or not space:
            return 0
        keys = self._keys.setdefault(space, {})
        key = keys.get(name)
        if key is None:
            key = keys[name] = len(keys) + 1
            self._names.setdefault(space, []).append(name)
        return key

    def _vector(self, amounts: Amounts | None) -> int:
        if amounts is None:
            return -1
        if isinstance(amounts, Mapping):
            unknown = set(amounts) - set(self.kinds)
            if unknown:
                raise KeyError(f"no kind {', '.join(sorted(unknown))}")
            vector = tuple(int(amounts.get(k, 0)) for k in self.kinds)
        else:
            vector = tuple(map(int, amounts))
            if len(vector) != len(self.kinds):
                raise ValueError(f"{len(vector)} amounts for "
                                 f"{len(self.kinds)} kinds")
        at = self._vectors.get(vector)
        if at is None:
            at = self._vectors[vector] = len(self._vectors)
            self._amounts.extend(vector)
        return at

    def row(self, type_: AuditRow, key: Name, *, at: int, of: Name = None,
            on: Name = None, value: int = 0, count: int = 0, flags: int = 0,
            amounts: Amounts | None = None) -> None:
        """One row, as <sched/audit.h> describes its columns."""
        spaces = _SPACES[type_]
        self._rows.append((
            at, int(type_), flags, self._key(spaces[0], key),
            self._key(spaces[1], of), self._key(spaces[2], on), value, count,
            self._vector(amounts), 0))
        said = [f"{at}: {type_.name.lower()} {key}"]
        said += [f"of {of}"] if of is not None else []
        said += [f"on {on}"] if on is not None else []
        said += [f"x{count}"] if count else []
        said += [f"value {value}"] if value else []
        said += [str(dict(amounts)) if isinstance(amounts, Mapping)
                 else str(list(amounts))] if amounts is not None else []
        self.lines.append(" ".join(said))

    def node(self, node: Name, amounts: Amounts | None = None, *, at: int,
             partition: Name = None) -> None:
        """A node comes, comes back, or has another capacity."""
        self.row(AuditRow.NODE, node, at=at, of=partition, amounts=amounts)

    def down(self, node: Name, *, at: int) -> None:
        """A node stops."""
        self.row(AuditRow.NODE_DOWN, node, at=at)

    def drain(self, node: Name, *, at: int) -> None:
        """A node takes no new task."""
        self.row(AuditRow.NODE_DRAIN, node, at=at)

    def queue(self, queue: Name, parent: Name = None, *, at: int,
              weight: int = 0, fifo: bool = False,
              guarantee: Amounts | None = None,
              limit: Amounts | None = None) -> None:
        """A queue, its weight among its siblings (0: no rule), its bounds."""
        self.row(AuditRow.QUEUE, queue, at=at, of=parent, value=weight,
                 flags=_FIFO if fifo else 0)
        if guarantee is not None:
            self.row(AuditRow.GUARANTEE, queue, at=at, amounts=guarantee)
        if limit is not None:
            self.limit(queue, limit, at=at)

    def limit(self, queue: Name, amounts: Amounts, *, at: int,
              user: Name = None) -> None:
        """The most in a queue, or of a user in it; a kind that a dict does not
        name has no bound."""
        if isinstance(amounts, Mapping):
            amounts = {k: amounts.get(k, UNLIMITED) for k in self.kinds}
        self.row(AuditRow.LIMIT, queue, at=at, on=user, amounts=amounts)

    def job(self, job: Name, queue: Name = None, *, at: int,
            user: Name = None, gang: int = 0,
            constrained: bool = False) -> None:
        """A job; `gang`: so many of its tasks run, or none."""
        self.row(AuditRow.JOB, job, at=at, of=queue, on=user, count=gang,
                 flags=_CONSTRAINED if constrained else 0)

    def tasks(self, tasks: Name, job: Name, amounts: Amounts | None = None, *,
              at: int, count: int = 1, priority: int = 0,
              partition: Name = None, constrained: bool = False) -> None:
        """Identical tasks begin to wait."""
        self.row(AuditRow.TASKS, tasks, at=at, of=job, on=partition,
                 value=priority, count=count, amounts=amounts,
                 flags=_CONSTRAINED if constrained else 0)

    def start(self, tasks: Name, node: Name = None, *, at: int,
              count: int = 1) -> None:
        """Tasks start on a node."""
        self.row(AuditRow.START, tasks, at=at, on=node, count=count)

    def done(self, tasks: Name, node: Name = None, *, at: int,
             count: int = 1) -> None:
        """Tasks end by themselves."""
        self.row(AuditRow.DONE, tasks, at=at, on=node, count=count)

    def kill(self, tasks: Name, node: Name = None, *, at: int, count: int = 1,
             by: Name = None) -> None:
        """Tasks are stopped for others, and wait again."""
        self.row(AuditRow.KILL, tasks, at=at, of=by, on=node, count=count)

    def lost(self, tasks: Name, node: Name = None, *, at: int,
             count: int = 1) -> None:
        """Tasks failed, and wait again."""
        self.row(AuditRow.LOST, tasks, at=at, on=node, count=count)

    def cancel(self, tasks: Name, *, at: int, count: int = 0) -> None:
        """Waiting tasks (0: all) are withdrawn."""
        self.row(AuditRow.CANCEL, tasks, at=at, count=count)

    def reserve(self, tasks: Name, *, at: int, by: int,
                node: Name = None) -> None:
        """Tasks have the word that one starts by a time."""
        self.row(AuditRow.RESERVE, tasks, at=at, on=node, value=by)

    def over(self, job: Name, *, at: int) -> None:
        """A job is over."""
        self.row(AuditRow.JOB_END, job, at=at)

    # ---- Judging ----

    def records(self) -> bytes:
        """The rows as C has them, in order of time."""
        order = self._order()
        return b"".join(_ROW.pack(*self._rows[i]) for i in order)

    def _order(self) -> list[int]:
        return sorted(range(len(self._rows)), key=lambda i: self._rows[i][0])

    def _name(self, space: str, key: int) -> Name:
        names = self._names.get(space, [])
        return names[key - 1] if space and 0 < key <= len(names) else ""

    def judge(self, *, until: int | None = None, preempts: bool = False,
              turns: int = 0, most: int = 0,
              **bounds: int | None) -> list[Anomaly]:
        """All anomalies, in the order in which they became certain. A bound
        is how long a rule waits (0 unless said; None: the rule is off).
        Rows are sorted by time, equal times as they came. Raises RangeError,
        NotFoundError, ExistsError, with the row in words."""
        audit = Audit(len(self.kinds), preempts=preempts, turns=turns,
                      most=most, **bounds)  # type: ignore[arg-type]
        order = self._order()
        try:
            audit.add(self.records(), self._amounts or [0] * len(self.kinds))
        except Error as error:
            if 0 <= error.row < len(order):
                line = self.lines[order[error.row]]
                raise type(error)(f"{error} in row: {line}", error.code,
                                  got=error.got, limit=error.limit,
                                  row=error.row) from None
            raise
        last = self._rows[order[-1]][0] if order else 0
        audit.end(last if until is None else until)
        kept = audit.count()
        found: list[Anomaly] = []
        for i in range(kept):
            try:
                found.append(self._anomaly(audit.get(i), order))
            except RangeError:
                break  # counted, not kept
        return found

    def _anomaly(self, x: tuple[Any, ...], order: Sequence[int]) -> Anomaly:
        code = AuditCode(x[0])
        subject, other = _TOLD[code]
        if code == AuditCode.WORK_LOST:
            last = self._rows[order[x[9][-1]]][1]
            other = "job" if last == AuditRow.JOB_END else "node"
        rows = tuple(int(r) for r in x[9])
        return Anomaly(code, x[1], x[2], self._name(subject, x[3]),
                       self._name(other, x[4]), self._name("tasks", x[5]),
                       x[6], x[7], self.kinds[x[8]] if x[8] >= 0 else "",
                       rows, tuple(self.lines[order[r]] for r in rows))


def counts(found: Iterable[Anomaly]) -> Iterator[tuple[str, int]]:
    """How many there are of each name, most first."""
    sums: dict[str, int] = {}
    for anomaly in found:
        sums[anomaly.name] = sums.get(anomaly.name, 0) + 1
    yield from sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))

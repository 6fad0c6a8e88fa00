"""A cluster at one instant, and the engine in that state."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..engine import Engine
from ..events import Events
from ..enums import ANY_PARTITION, Decide
from ..errors import Error
from ..ledger import Ledger
from ..records import Record
from ..tree import Tree

#: What keeps running work from being where it is, and the default of each.
BOUNDS = ("limit", "borrow", "max_running", "user_limit", "user_factor",
          "am_share", "start_rate", "state")


class Unexplained(ValueError):
    """What was asked cannot be answered from what was given."""


@dataclass(frozen=True)
class StateNode:
    """One node: what it has in all, in the smallest units."""

    amount: tuple[int, ...]
    partition: int = 0


@dataclass(frozen=True)
class Placed:
    """Alike tasks of a job that run on one node (by its index) since `since`
    (ns; None: not known)."""

    job: str
    queue: str
    node: int
    count: int
    amount: tuple[int, ...]
    since: int | None = None
    user: str = ""
    priority: int = 0


@dataclass(frozen=True)
class Open:
    """Alike tasks of a job that wait; `since` (ns) the job was submitted.
    Not `admitted`: the job as a whole may not run yet."""

    job: str
    queue: str
    count: int
    amount: tuple[int, ...]
    since: int | None = None
    user: str = ""
    priority: int = 0
    partition: int = ANY_PARTITION
    admitted: bool = True


@dataclass
class State:
    """Queues, nodes, what runs and what waits at `time` (ns)."""

    tree: Tree
    nodes: list[StateNode]
    placed: list[Placed] = field(default_factory=list)
    open: list[Open] = field(default_factory=list)
    time: int = 0
    #: By name, in words, why a job neither waits nor runs, where that is known.
    idle: dict[str, str] = field(default_factory=dict)

    def capacity(self, partition: int | None = None) -> list[int]:
        """What there is in all, or in one partition, one amount a kind."""
        total = [0] * len(self.tree.schema)
        for node in self.nodes:
            if partition is None or node.partition == partition:
                total = [a + b for a, b in zip(total, node.amount)]
        return total

    def free(self, node: int) -> list[int]:
        """What is free on a node."""
        left = list(self.nodes[node].amount)
        for p in self.placed:
            if p.node == node:
                left = [a - p.count * b for a, b in zip(left, p.amount)]
        return left

    def ledger(self, partition: int | None = None) -> Ledger:
        """What queues use and want in all, or in one partition. There an open
        task that may go anywhere counts in each."""
        n = len(self.tree.schema)
        usage: dict[str, list[int]] = {}
        wanted: dict[str, list[int]] = {}
        running: dict[str, set[str]] = {}
        for p in self.placed:
            if partition in (None, self.nodes[p.node].partition):
                for books in (usage, wanted):
                    add(books.setdefault(p.queue, [0] * n), p.amount, p.count)
                running.setdefault(p.queue, set()).add(p.job)
        for o in self.open:
            if partition is None or o.partition in (partition, ANY_PARTITION):
                add(wanted.setdefault(o.queue, [0] * n), o.amount, o.count)
        made = Ledger(self.tree)
        for name, book in (("usage", usage), ("demand", wanted)):
            for path, vec in book.items():
                made.set(name, [self.tree[path].id], vec)
        for path, jobs in running.items():
            made.set("running", [self.tree[path].id], [len(jobs)])
        return made

    def check(self) -> None:
        """Unexplained where a queue or node is not there, or a node is over
        full."""
        leaves = {q.path for q in self.tree.leaves}
        both: list[Placed | Open] = [*self.placed, *self.open]
        for one in both:
            if one.queue not in leaves:
                raise Unexplained(f"job {one.job}: no leaf {one.queue}")
            if one.count < 1 or min(one.amount, default=0) < 0:
                raise Unexplained(f"job {one.job}: no such count or amount")
        left = [list(node.amount) for node in self.nodes]
        for p in self.placed:
            if not 0 <= p.node < len(self.nodes):
                raise Unexplained(f"job {p.job}: no node {p.node}")
            left[p.node] = [a - p.count * b
                            for a, b in zip(left[p.node], p.amount)]
            if min(left[p.node]) < 0:
                raise Unexplained(f"job {p.job}: node {p.node} is smaller "
                                  "than what runs there")

    def engine(self) -> Entry:
        """An engine in this state. What runs is put where it runs before any
        bound is there; then the tree is taken over as it is, and the rest
        waits by its rules."""
        self.check()
        free = self.tree.copy()
        for queue in free:
            free.set(queue, **dict.fromkeys(BOUNDS))
        free.commit()
        engine = Engine(free)
        entry = Entry(engine, free)
        try:
            entry.nodes(self.nodes)
            entry.run(self.placed)
            entry.admit([o for o in self.open if o.admitted])
            engine.commit(self.tree, 0)
            entry.admit([o for o in self.open if not o.admitted])
            entry.ask(self.open)
        except Error as error:
            raise Unexplained(f"this is no state that can be: {error}") \
                from error
        if engine.counts["running_tasks"] != sum(p.count for p in self.placed):
            raise Unexplained("this is no state that can be: what runs does "
                              "not fit")
        return entry


def add(to: list[int], vec: tuple[int, ...], times: int) -> None:
    """Adds so many times a vector."""
    for k, value in enumerate(vec):
        to[k] += value * times


class Entry:
    """Puts a state into an engine; everything happens at time 0. `jobs` has
    their keys by name, `rejected` the decision by key of what can never
    run."""

    def __init__(self, engine: Engine, tree: Tree) -> None:
        self.engine = engine
        self.tree = tree
        self.jobs: dict[str, int] = {}
        self.users: dict[str, int] = {}
        self.rejected: dict[int, Record] = {}
        self.asks = 0

    def nodes(self, nodes: list[StateNode]) -> None:
        events = Events(self.tree)
        for i, node in enumerate(nodes):
            events.node_up(0, i + 1, node.amount, partition=node.partition)
        self.engine.apply(events)
        self.where = [node.partition for node in nodes]

    def submit(self, events: Events, one: Placed | Open) -> int:
        """The key of a job, which is submitted when it is new."""
        if one.job not in self.jobs:
            self.jobs[one.job] = len(self.jobs) + 1
            user = self.users.setdefault(one.user, len(self.users) + 1)
            events.submit(0, self.jobs[one.job], self.tree[one.queue],
                          user=user, priority=one.priority)
            if one.user:
                self.engine.name_user(user, one.user)
        return self.jobs[one.job]

    def run(self, placed: list[Placed]) -> None:
        events = Events(self.tree)
        for p in sorted(placed, key=lambda p: p.since or 0):
            key = self.submit(events, p)
            self.asks += 1
            events.ask(0, self.asks, key, p.amount, p.count, strict=True,
                       partition=self.where[p.node], places=[p.node + 1])
        self.engine.apply(events)
        self.engine.run_pass(0)
        self.drain()

    def admit(self, waiting: list[Open]) -> None:
        events = Events(self.tree)
        for o in sorted(waiting, key=lambda o: o.since or 0):
            self.submit(events, o)
        self.engine.apply(events)
        self.drain()

    def ask(self, waiting: list[Open]) -> None:
        events = Events(self.tree)
        for o in waiting:
            self.asks += 1
            events.ask(0, self.asks, self.jobs[o.job], o.amount, o.count,
                       partition=o.partition)
        self.engine.apply(events)
        self.drain()

    def drain(self) -> None:
        while len(taken := self.engine.take()):
            self.rejected.update({d.job: d for d in taken
                                  if d.kind == Decide.REJECT})

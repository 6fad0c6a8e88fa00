"""A state machine that drives a scheduler as a cluster would: nodes come and
go, jobs ask, tasks end. Needs Hypothesis.

`EngineMachine` draws a tree of depth 1 to 4, with weights, guarantees that bind
and limits. The machine runs sked's engine beside a model of books kept in plain dicts,
and after every step asks that no node and no limit is exceeded, that the books
agree, that the engine's own check passes. Two rules ask for more: `settles`, that
whatever fits somewhere is placed when nodes have beaten often enough (liveness);
`queues_compete`, that queues which all want everything come within one task of
their fair shares (fairness).

To test a manager of yours, derive from it and override `make()`; what it returns
needs `apply(events)`, `take()`, `usage(queue)`, `free_on(node)` and `check()`.
`sked.testing.decode` reads events and writes decisions;
examples/plain_manager.py is one from the first line to the last. Several kinds,
users, priorities, partitions, gangs, refusals and restarts are drawn by
`sked.testing.managers`."""

from __future__ import annotations

from typing import Any

try:
    from hypothesis import strategies as st
    from hypothesis.stateful import (RuleBasedStateMachine, initialize,
                                     invariant, precondition, rule)
except ImportError as error:  # one clear message
    raise ImportError("sked.testing.machine needs Hypothesis: "
                      "pip install hypothesis") from error

from ..engine import Engine
from ..events import Events
from ..enums import Decide
from ..ledger import Ledger
from ..tree import Tree

#: Heartbeats of every node after which what fits must be placed.
BEATS = 40
TREE = """kinds cpu=1
root
root.a weight=2 limit="cpu=12"
root.b
root.b.c guarantee="cpu=2"
root.b.d limit="cpu=5"
"""


@st.composite
def trees(draw: Any) -> str:
    """A tree in text, of depth 1 to 4. Guarantees of children fit into the
    parent's limit and into a cluster of 15 cores."""
    paths, lines, left = ["root"], ["kinds cpu=1", "root"], 14
    limits = {"root": 99}
    for number in range(draw(st.integers(2, 7))):
        parent = draw(st.sampled_from([p for p in paths if p.count(".") < 4]))
        path = f"{parent}.q{number}"
        said = f"{path} weight={draw(st.integers(1, 4))}"
        limit = draw(st.sampled_from([99, 99, 99, 4, 7, 12]))
        limits[path] = min(limit, limits[parent])
        guarantee = draw(st.sampled_from([0, 0, 1, 2, 5]))
        guarantee = min(guarantee, left, limits[path])
        if guarantee and not guaranteed_above(lines, parent):
            left -= guarantee
            said += f' guarantee="cpu={guarantee}"'
        if limit < 99:
            said += f' limit="cpu={limit}"'
        paths.append(path)
        lines.append(said)
    return "\n".join([*lines, ""])


def guaranteed_above(lines: list[str], path: str) -> bool:
    """Has a queue of the path a guarantee?"""
    return any("guarantee=" in line and
               f"{path}.".startswith(line.split()[0] + ".") for line in lines)


class EngineMachine(RuleBasedStateMachine):
    """The engine against books of our own."""

    def make(self, tree: Tree) -> Any:
        """The scheduler under test."""
        return Engine(tree)

    @initialize(tree=trees())
    def begin(self, tree: str) -> None:
        """An empty cluster with that tree."""
        self.tree = Tree.from_text(tree)
        self.engine = self.make(self.tree)
        self.now = 0
        self.keys = 0
        self.nodes: dict[int, int] = {}
        self.jobs: dict[int, Any] = {}
        self.size: dict[int, int] = {}
        self.groups: dict[int, list[int]] = {}  # group: node, ask, count
        self.asks: dict[int, list[int]] = {}  # ask: job, open

    def key(self) -> int:
        """A name that nothing has yet."""
        self.keys += 1
        return self.keys

    def tell(self, events: Events) -> None:
        """Says what happened, and listens."""
        self.engine.apply(events)
        self.listen()

    def events(self) -> Events:
        """Events of the next instant."""
        self.now += 1
        return Events(self.tree)

    def listen(self) -> None:
        """Writes down what was decided."""
        for d in self.engine.take():
            self.book(d)
        self.groups = {g: v for g, v in self.groups.items() if v[2] > 0}

    def book(self, d: Any) -> None:
        """Writes down one decision."""
        if d.kind == Decide.ALLOCATE:
            self.groups[d.group] = [d.node, d.ask, d.count]
            self.asks[d.ask][1] -= d.count
        elif d.kind == Decide.LOST:
            assert d.group in self.groups, f"group {d.group} lost, not running"
            lost = self.groups[d.group]
            lost[2] -= d.count
            self.asks[lost[1]][1] += d.count
        elif d.kind == Decide.REJECT and d.ask:
            self.asks[d.ask][1] = 0

    def ended(self, group: int, count: int) -> None:
        """Tasks of a group ended."""
        self.groups[group][2] -= count

    @rule(cpu=st.integers(1, 8))
    def node_comes(self, cpu: int) -> None:
        """A node of that size."""
        node = self.key()
        self.nodes[node] = cpu
        self.tell(self.events().node_up(self.now, node, [cpu]))

    @precondition(lambda self: self.nodes)
    @rule(pick=st.randoms(use_true_random=False))
    def node_goes(self, pick: Any) -> None:
        """A node is lost."""
        node = pick.choice(sorted(self.nodes))
        del self.nodes[node]
        self.tell(self.events().node_down(self.now, node))

    @rule(leaf=st.integers(0, 99), cpu=st.integers(1, 4),
          count=st.integers(1, 6))
    def job_of_a_leaf_comes(self, leaf: int, cpu: int, count: int) -> None:
        """A job that asks for tasks, of one of the leaves."""
        leaves = list(self.tree.leaves)
        self.job_comes(leaves[leaf % len(leaves)].path, cpu, count)

    def job_comes(self, leaf: str, cpu: int, count: int) -> None:
        """A job that asks for tasks."""
        job, ask = self.key(), self.key()
        self.jobs[job] = self.tree[leaf]
        self.asks[ask] = [job, count]
        self.size[ask] = cpu
        self.tell(self.events().submit(self.now, job, self.jobs[job])
                  .ask(self.now, ask, job, [cpu], count))

    @precondition(lambda self: self.nodes)
    @rule(pick=st.randoms(use_true_random=False))
    def node_beats(self, pick: Any) -> None:
        """A node asks for work."""
        node = pick.choice(sorted(self.nodes))
        self.tell(self.events().heartbeat(self.now, node))

    @precondition(lambda self: self.groups)
    @rule(pick=st.randoms(use_true_random=False))
    def tasks_end(self, pick: Any) -> None:
        """Tasks of a group are done."""
        group = pick.choice(sorted(self.groups))
        count = pick.randint(1, self.groups[group][2])
        self.ended(group, count)
        self.tell(self.events().finish(self.now, group, count))

    def beat_often(self) -> None:
        """Every node asks for work until nothing more comes of it."""
        for _ in range(BEATS):
            before = sum(count for _, count in self.asks.values())
            for node in sorted(self.nodes):
                self.tell(self.events().heartbeat(self.now, node))
            if sum(count for _, count in self.asks.values()) == before:
                return

    def settled(self) -> bool:
        """May everything that fits be placed? Not while something is kept for
        others."""
        return True

    @precondition(lambda self: self.nodes)
    @rule()
    def settles(self) -> None:
        """Whatever fits a node and its queue's limits is placed in the end."""
        self.beat_often()
        if not self.settled():
            return
        free = {n: self.engine.free_on(n)["cpu"] for n in self.nodes}
        for ask, (job, count) in self.asks.items():
            node = next((n for n in free if count and
                         free[n] >= self.size[ask]), 0)
            assert not node or not self.within(self.jobs[job],
                                               self.size[ask]), (
                f"a task of ask {ask} fits node {node} and its queue's limits, "
                "and waits")

    def within(self, queue: Any, cpu: int) -> bool:
        """Do the limits on the path allow so much more?"""
        while queue is not None:
            if self.engine.usage(queue)["cpu"] + cpu > queue.get(
                    "limit")["cpu"]:
                return False
            queue = queue.parent
        return True

    @rule(cpu=st.integers(15, 24))
    def queues_compete(self, cpu: int) -> None:
        """On an empty cluster of one node every queue wants more than there
        is, in tasks of one core: each comes within one of its fair share."""
        self.clear()
        node = self.key()
        self.nodes[node] = cpu
        self.tell(self.events().node_up(self.now, node, [cpu]))
        for leaf in self.tree.leaves:
            self.job_comes(leaf.path, 1, 2 * cpu)
        self.beat_often()
        ledger = Ledger(self.tree)
        ledger.set("demand", {q: [2 * cpu] for q in self.tree.leaves})
        due = self.tree.fair_shares("instantaneous", capacity=[cpu],
                                    ledger=ledger)
        for queue in self.tree.leaves:
            has, share = self.engine.usage(queue)["cpu"], due[queue]["cpu"]
            assert abs(has - share) <= 1, (
                f"{queue} holds {has} of {cpu} where its fair share is {share}")
        self.clear()

    def clear(self) -> None:
        """No job, no task, no node."""
        for ask in [a for a, (_, count) in self.asks.items() if count]:
            self.asks[ask][1] = 0
            self.tell(self.events().withdraw(self.now, ask))
        for group, (_, _, count) in list(self.groups.items()):
            self.ended(group, count)
            self.tell(self.events().finish(self.now, group, count))
        for node in list(self.nodes):
            del self.nodes[node]
            self.tell(self.events().node_down(self.now, node))
        self.jobs.clear()
        self.asks.clear()
        self.size.clear()

    @invariant()
    def books_agree(self) -> None:
        """Nodes and queues hold what the books say, within their bounds."""
        if not hasattr(self, "engine"):
            return
        used = dict.fromkeys(self.nodes, 0)
        held: dict[int, int] = {}
        for node, ask, count in self.groups.values():
            cpu = self.size[ask] * count
            used[node] += cpu
            queue = self.jobs[self.asks[ask][0]]
            held[queue.id] = held.get(queue.id, 0) + cpu
        for node, cpu in used.items():
            assert cpu <= self.nodes[node], f"node {node} holds {cpu}"
            assert self.engine.free_on(node) == {"cpu": self.nodes[node] - cpu}
        for queue in self.tree.leaves:
            mine = held.get(queue.id, 0)
            assert self.engine.usage(queue) == {"cpu": mine}
        for queue in self.tree:
            mine = sum(cpu for leaf in self.tree.leaves
                       if f"{leaf.path}.".startswith(f"{queue.path}.")
                       for cpu in [held.get(leaf.id, 0)])
            assert mine <= queue.get("limit")["cpu"], f"{queue} holds {mine}"

    @invariant()
    def open_work_waits_for_a_reason(self) -> None:
        """Nothing is served more often than asked for."""
        for ask, (job, count) in getattr(self, "asks", {}).items():
            assert count >= 0, f"ask {ask} of job {job} was served too often"

    @invariant()
    def sound(self) -> None:
        """The engine's own check passes."""
        if hasattr(self, "engine"):
            self.engine.check()

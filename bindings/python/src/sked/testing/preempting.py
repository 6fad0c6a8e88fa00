"""EngineMachine with preemption: rounds come, and the engine tells tasks to end.
Needs Hypothesis.

The host ends tasks only on a kill order. The machine keeps the notices and kill
orders beside the books of `machine.EngineMachine`. It asserts that each kill
follows a notice and its grace, that no kill names more tasks than run, and that
ended tasks are pending again."""

from __future__ import annotations

from typing import Any

from .machine import TREE, EngineMachine  # says what is missing

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from ..engine import Engine
from ..enums import Decide
from ..preempt import Preemption
from ..tree import Tree

GRACE = 3  # in steps, each of which takes one ns


def take(notices: list[list[int]], count: int) -> None:
    """Takes so many tasks off the first notices; more than there are, all."""
    while count and notices:
        n = min(count, notices[0][1])
        notices[0][1] -= n
        count -= n
        if not notices[0][1]:
            notices.pop(0)


class PreemptingMachine(EngineMachine):
    """The engine, with rounds, against books of our own. The object that
    `make()` returns needs the methods that `EngineMachine` lists, and events of
    rounds and kills."""

    def make(self, tree: Tree) -> Any:
        """The scheduler under test."""
        engine = Engine(tree)
        engine.preempt(Preemption(
            targets={"per_round": -1, "factor": 1_000_000},
            rounds={"grace": GRACE}))
        return engine

    @initialize(tree=st.just(TREE))
    def begin(self, tree: str) -> None:
        """One queue has all there is, another one wants what it is due."""
        self.told: dict[int, list[list[int]]] = {}  # group: deadline, count
        self.kills: dict[int, int] = {}
        super().begin(tree)
        events, node = self.events(), self.key()
        self.nodes[node] = 8
        self.tell(events.node_up(self.now, node, [8]))
        self.job_comes("root.a", 1, 12)
        self.tell(self.events().heartbeat(self.now, node))
        self.job_comes("root.b.c", 2, 2)

    def book(self, d: Any) -> None:
        """Writes down one decision."""
        super().book(d)
        if d.kind == Decide.NOTIFY:
            self.told.setdefault(d.group, []).append([d.detail, d.count])
            assert d.detail >= d.time + GRACE, "a grace that is too short"
            assert self.marked(d.group) <= self.groups[d.group][2], \
                f"more tasks of group {d.group} told than there are"
        elif d.kind == Decide.KILL:
            due = sum(n for end, n in self.told.get(d.group, ())
                      if end <= d.time)
            assert d.count <= due, f"group {d.group} stopped before its time"
            take(self.told[d.group], d.count)
            self.kills[d.group] = self.kills.get(d.group, 0) + d.count
        elif d.kind == Decide.WITHDRAW and d.group:
            notices = self.told[d.group][::-1]
            assert d.count <= sum(n for _, n in notices), "never told"
            take(notices, d.count)
            self.told[d.group] = notices[::-1]
        elif d.kind == Decide.REQUEUE:
            self.groups[d.group][2] -= d.count
            self.asks[self.groups[d.group][1]][1] += d.count
        elif d.kind == Decide.LOST:
            self.gone(d.group, d.count)

    def settled(self) -> bool:
        """No group has a kill order, thus no amounts are kept for a claim."""
        return not any(self.marked(group) for group in self.groups)

    def queues_compete(self, cpu: int) -> None:
        """Does nothing: the rule of the base class empties queues, and
        preemption needs them full. The tests of `regressions` ask if queues
        reach their shares by preemption."""

    def marked(self, group: int) -> int:
        """How many tasks of a group were told and are not yet stopped."""
        return sum(n for _, n in self.told.get(group, ())) + \
            self.kills.get(group, 0)

    def gone(self, group: int, count: int) -> None:
        """Tasks ended in some other way: who is to be stopped first, then who
        was told first."""
        stopped = min(count, self.kills.get(group, 0))
        self.kills[group] = self.kills.get(group, 0) - stopped
        take(self.told.get(group, []), count - stopped)

    def ended(self, group: int, count: int) -> None:
        """Tasks ended as they do."""
        super().ended(group, count)
        self.gone(group, count)

    @rule(steps=st.integers(1, 2 * GRACE))
    def round_comes(self, steps: int) -> None:
        """Time passes, and there is a round."""
        self.now += steps
        self.tell(self.events().round(self.now))

    @precondition(lambda self: any(getattr(self, "kills", {}).values()))
    @rule(pick=st.randoms(use_true_random=False))
    def host_stops_tasks(self, pick: Any) -> None:
        """The host does as it was told, for some of the tasks."""
        group = pick.choice(sorted(g for g, n in self.kills.items() if n))
        count = pick.randint(1, self.kills[group])
        self.kills[group] -= count
        before = self.groups[group][2]
        self.tell(self.events().killed(self.now, group, count))
        assert self.groups.get(group, [0, 0, 0])[2] == before - count, \
            "what was stopped does not wait again"

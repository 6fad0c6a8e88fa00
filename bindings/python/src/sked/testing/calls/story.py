"""Stories of preemption: events of an engine whose host does as it is told, and
what is looked at in between (tests/vectors/yarn_lazy.py has the words)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import sked
from sked import preempt
from sked.enums import Decide

from .judging import Calls, Failed, Fields, given, judge, number

RUN, ASK, WANT, EDIT, BEAT, SEE = range(1, 7)
OFFERED, TOLD, KILLED, LIVE, KEPT = range(1, 6)
WIDTH, SECOND, OWN_ASKS, NOWHERE = 8, 10 ** 9, 10_000, 1000


class Story:
    """An engine and its host."""

    def __init__(self, f: Fields) -> None:
        self.tree = sked.Tree(sked.Schema({"memory": "1"}))
        self.queues = []
        for i, (part, limit) in enumerate(zip(given(f, "part"),
                                              given(f, "limit"))):
            self.queues.append(self.tree.root.add(
                f"q{i}", guarantee=f"{part // 10_000}.{part % 10_000:04}%",
                limit={"memory": limit}))
        self.tree.commit()
        self.engine = sked.Engine(self.tree, node_misses=number(f, "misses"))
        self.engine.preempt(preempt.Preemption(
            keep_for=1 << 50,
            targets={"ignored": -1, "factor": 10 ** 6, "per_round": -1},
            rounds={"flags": preempt.RoundOption.LAZY, "grace": 1}))
        self.now, self.killed = 0, 0
        self.running: Counter[int] = Counter()
        self.known: set[int] = set()
        self.seen: set[int] = set()
        for i, size in enumerate(given(f, "nodes")):
            self.engine.apply(self.said().node_up(0, i + 1, [size]))

    def said(self) -> sked.Events:
        return sked.Events(self.tree)

    def beat(self, node: int) -> None:
        """A heartbeat; again where something ended."""
        ended = True
        while ended:
            self.engine.apply(self.said().heartbeat(self.now, node))
            ended = False
            for d in self.engine.take():
                if d.kind == Decide.ALLOCATE:
                    self.running[d.job - 1] += d.count
                if d.kind != Decide.KILL:
                    continue
                ended = True
                self.killed += d.count
                self.running[d.job - 1] -= d.count
                self.engine.apply(
                    self.said().withdraw(self.now, d.ask)
                    .killed(self.now, d.group, d.count))

    def ask(self, job: int, queue: int, node: int, size: int, count: int,
            strict: int, key: int, master: int = 0) -> None:
        events = self.said()
        if job not in self.known:
            self.known.add(job)
            events.submit(self.now, job + 1, self.queues[queue])
        places = [] if node == -1 else [node + 1 if node >= 0 else NOWHERE]
        events.ask(self.now, key, job + 1, [size], count=count, places=places,
                   strict=bool(strict), master=bool(master))
        self.engine.apply(events)

    def run(self, job: int, queue: int, node: int, size: int,
            master: int) -> None:
        before = self.running[job]
        self.ask(job, queue, node, size, 1, 1, OWN_ASKS + self.now, master)
        self.beat(node + 1)
        if self.running[job] != before + 1:
            raise Failed(f"no task of job {job} on node {node}")

    def notices(self) -> list[Any]:
        return [n for job in sorted(self.known)
                for n in self.engine.contract(job + 1)[1]]

    def see(self, what: int, job: int) -> int:
        groups = {n.group for n in self.notices() if n.flags}
        tasks: int = sum(n.count for n in self.notices() if n.flags)
        if what == OFFERED:
            self.seen = groups
            return tasks
        if what == TOLD:
            told: int = sum(n.count for n in self.notices() if not n.flags)
            return told
        if what == KILLED:
            return self.killed
        if what == LIVE:
            return int(self.running[job])
        return int(self.seen <= groups)


def story(f: Fields, rule: str | None) -> int:
    """Plays the rows; what is seen is the answer."""
    s, rows, got = Story(f), given(f, "rows"), []
    for at in range(0, len(rows), WIDTH):
        op, a, b, node, size, count, flag, key = rows[at:at + WIDTH]
        s.now += SECOND
        if op == RUN:
            s.run(a, b, node, size, flag)
        elif op == ASK:
            s.ask(a, b, node, size, count, flag, key)
        elif op == WANT:
            s.engine.apply(s.said().change_ask(s.now, key, count))
        elif op == EDIT:
            s.engine.apply(s.said().round(s.now))
        elif op == BEAT:
            s.beat(node + 1)
        else:
            got.append(s.see(a, b))
        s.engine.check()
    return judge(f, "want", got, rule)


CALLS: Calls = {"story": story}

"""Runs two managers on one workload and tells the first difference.

    from sked.testing import compare
    from sked.testing.engine_manager import EngineManager

    jobs = [{"job": "a", "at": 0, "queue": "q1", "count": 3, "amounts": [2],
             "seconds": 50}, ...]
    load = compare.Workload(["cpu"], queues, nodes, jobs)
    print(compare.on_workload(MyManager, EngineManager, load))

A manager is one of `sked.testing.managers`. The two may be two schedulers, two
configurations of one, or a manager and `Recorded` decisions of a real system.
`search` draws worlds until two managers differ, and makes the world short. A
manager with `why(task)` gives the reason of a task that waits."""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .host import Host, Step, World
from .managers import (Rules, _fewer_queues, _fewer_steps, _smaller, draw)

__all__ = ["Difference", "Recorded", "Workload", "in_world", "on_workload",
           "search"]

Make = Callable[[], Any]
Decided = Counter[tuple[Any, ...]]


@dataclass
class Workload:
    """Queues as `World.queues` has them (only `name` must be there), nodes as
    amounts by name, and jobs: `job`, `at`, `queue`, `count`, `amounts`,
    `seconds`, and if wanted `user`, `priority`, `gang`, `partition`. Times are
    whole numbers of any unit. `attributes` of a queue, such as "order=fifo",
    are for managers that know them. With `preempts` the managers may kill."""

    kinds: list[str]
    queues: list[dict[str, Any]]
    nodes: dict[str, list[int]]
    jobs: list[dict[str, Any]] = field(default_factory=list)
    preempts: bool = False

    def world(self) -> World:
        """The cluster without steps."""
        plain: dict[str, Any] = {"parent": None, "guarantee": None, "weight": 1,
                                 "limit": None, "users": {}}
        return World(self.kinds, [{**plain, **q} for q in self.queues],
                     preempts=self.preempts)


class Recorded:
    """Decisions of a real system as a manager: (time, "start", task, node,
    count) and (time, "kill", task, node, count, for)."""

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self.rows = sorted(rows, key=lambda row: int(row[0]), reverse=True)

    def begin(self, *_: Any) -> None:
        """Nothing to do: what happens is known."""

    node = submit = end = begin

    def due(self) -> int | None:
        """When the next decision was made."""
        return int(self.rows[-1][0]) if self.rows else None

    def decide(self, now: int) -> list[tuple[Any, ...]]:
        """What was decided by that time."""
        said = []
        while self.rows and self.rows[-1][0] <= now:
            said.append(tuple(self.rows.pop()[1:]))
        return said


@dataclass
class Difference:
    """The first time at which two managers decide otherwise."""

    at: int
    first: list[tuple[Any, ...]]  # decisions of the first manager alone
    second: list[tuple[Any, ...]]
    reasons: dict[str, list[str]]  # by task: why it waits where it does
    world: World | None = None

    def __str__(self) -> str:
        lines = [f"the first difference is at {self.at}"]
        for name, alone in (("first", self.first), ("second", self.second)):
            lines += [f"    only the {name}: {_words(d)}" for d in alone]
        for task, reasons in self.reasons.items():
            lines += [f"    {task} waits: {reason}" for reason in reasons]
        if self.world is not None:
            lines += ["the queues:"] + [f"    {q}" for q in self.world.queues]
            lines += ["the steps:"]
            lines += [f"    {i}. {s}" for i, s in enumerate(self.world.steps, 1)]
        return "\n".join(lines)


def _words(decision: tuple[Any, ...]) -> str:
    what, task, node, by, count = decision
    return f"{what} {count} of {task} on {node}" + (f" for {by}" if by else "")


class _Stop(Exception):
    """The time of interest is over."""


class _Watched(Host):
    """A host that counts what is decided at each time."""

    def __init__(self, make: Make, world: World, until: int | None) -> None:
        super().__init__(make, world)
        self.until = until
        self.decided: dict[int, Decided] = {}

    def take(self, decision: Sequence[Any]) -> None:
        super().take(decision)
        what, task, node, count = decision[:4]
        by = decision[4] if len(decision) > 4 else None
        self.decided.setdefault(self.now, Counter())[
            what, task, node, by] += count

    def decide(self) -> None:
        at = self.now
        super().decide()
        if at == self.until:
            raise _Stop


class _Timed(_Watched):
    """A host in which tasks end by themselves when their time is over."""

    def __init__(self, make: Make, load: Workload, until: int | None,
                 others: Iterable[int] = ()) -> None:
        super().__init__(make, load.world(), until)
        self.load = load
        self.others = sorted(others)  # times at which the other one decides
        self.ends: list[tuple[int, int, str, str, int]] = []
        self.seconds = {f"{j['job']}.t": j["seconds"] for j in load.jobs}

    def run(self) -> None:
        """All jobs, to the last end that a decision leads to."""
        self.begin()
        steps: list[Step] = [{"op": "node", "node": name, "amounts": amounts}
                             for name, amounts in self.load.nodes.items()]
        for step in steps:
            self.do_node(step)
        plain = {"user": "u1", "priority": 0, "gang": 0, "partition": None}
        jobs = sorted(self.load.jobs, key=lambda job: job["at"])
        at, due = 0, getattr(self.manager, "due", None)
        while True:
            times = [j["at"] for j in jobs[at:at + 1]] + \
                [end[0] for end in self.ends[:1]] + \
                [time for time in self.others[:1] + [due and due()]
                 if time is not None]
            if not times:
                return
            self.now = max(self.now, min(times))
            self.others = [t for t in self.others if t > self.now]
            while self.ends and self.ends[0][0] <= self.now:
                self._end(*heapq.heappop(self.ends)[2:])
            while at < len(jobs) and jobs[at]["at"] <= self.now:
                self.do_submit({**plain, **jobs[at]})
                at += 1
            self.decide()

    def take(self, decision: Sequence[Any]) -> None:
        super().take(decision)
        what, task, node, count = decision[:4]
        if what == "start":
            heapq.heappush(self.ends, (self.now + self.seconds[task],
                                       len(self.ends), task, node, count))

    def _end(self, task: str, node: str, count: int) -> None:
        count = min(count, self.running.get((task, node), 0))
        if count:  # else it was killed
            self.running[task, node] -= count
            self.manager.end(self.now, task, node, count, "done")


def _compare(first: Callable[[int | None], _Watched],
             second: Callable[[int | None], _Watched]) -> Difference | None:
    """Runs both, and again up to where they differ, for the reasons."""
    hosts = [first(None), second(None)]
    for host in hosts:
        _run(host)
    at = next((time for time in sorted({*hosts[0].decided, *hosts[1].decided})
               if hosts[0].decided.get(time) != hosts[1].decided.get(time)),
              None)
    if at is None:
        return None
    one, two = (host.decided.get(at, Counter()) for host in hosts)
    alone = [(*key, n) for key, n in (one - two).items()], \
        [(*key, n) for key, n in (two - one).items()]
    reasons: dict[str, list[str]] = {}
    for make, others in ((first, alone[1]), (second, alone[0])):
        host = make(at)
        _run(host)
        why = getattr(host.manager, "why", None)
        for task in dict.fromkeys(d[1] for d in others if d[0] == "start"):
            if why and host.waiting.get(task):
                reasons.setdefault(task, []).extend(why(task))
    return Difference(at, *alone, reasons)


def _run(host: _Watched) -> None:
    try:
        host.run()
    except _Stop:
        pass


def on_workload(first: Make, second: Make,
                load: Workload) -> Difference | None:
    """The first difference of two managers on a workload, or None. Both are
    asked for decisions when jobs come, when tasks end, and when a decision was
    recorded."""
    times = {int(row[0]) for make in (first, second)
             for row in getattr(make(), "rows", ())}
    return _compare(lambda until: _Timed(first, load, until, times),
                    lambda until: _Timed(second, load, until, times))


def in_world(first: Make, second: Make, world: World) -> Difference | None:
    """The same in a world that was drawn."""
    found = _compare(lambda until: _Watched(first, world, until),
                     lambda until: _Watched(second, world, until))
    if found is not None:
        found.world = world
    return found


def search(first: Make, second: Make, *, runs: int = 10_000, seed: int = 0,
           rules: Rules | None = None) -> Difference | None:
    """Draws worlds until two managers differ: the difference in the shortest
    such world, or None."""
    for number in range(runs):
        rng = random.Random(seed * 1_000_003 + number)
        world = draw(rng, rules, rng.choice([6, 12, 24]))
        found = in_world(first, second, world)
        if found is None:
            continue
        best = [found]

        def differs(tried: World, best: list[Difference] = best) -> bool:
            got = in_world(first, second, tried)
            if got is not None:
                best[0] = got
            return got is not None

        def now(best: list[Difference] = best) -> World:
            assert best[0].world is not None
            return best[0].world

        changed = True
        while changed:
            changed = _fewer_steps(now, differs)
            changed |= _fewer_queues(now, differs)
            changed |= _smaller(now, differs)
        return best[0]
    return None

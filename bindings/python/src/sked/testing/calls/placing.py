"""Which nodes an ask takes: what a rule says, what an engine starts where."""

from __future__ import annotations

import sked
from sked import rule as rules
from sked.enums import Decide, PlaceMode

from .judging import Calls, Fields, given, judge, number, numbers


def _pairs(f: Fields, name: str) -> dict[int, list[int]]:
    flat = numbers(f, name) or []
    found: dict[int, list[int]] = {}
    for key, value in zip(flat[::2], flat[1::2]):
        found.setdefault(key, []).append(value)
    return found


def _rule(f: Fields) -> rules.Rule:
    flat = numbers(f, "terms") or []
    return rules.Rule(tuple(rules.Term(*flat[i:i + 5])
                            for i in range(0, len(flat), 5)))


def rule(f: Fields, by: str | None) -> int:
    flags = number(f, "flags")
    work = {tag: counts[0] for tag, counts in _pairs(f, "work").items()}
    said = rules.judge(_rule(f), node=_pairs(f, "node") if flags & 1 else None,
                       work=work if flags & 2 else None)
    return judge(f, "want", [int(said)], by)


class Scene:
    """An engine with one job, and hosts that are its nodes."""

    def __init__(self, kinds: int) -> None:
        self.tree = sked.Tree(sked.Schema(
            {name: "1" for name in "abcdefgh"[:kinds]}))
        queue = self.tree.root.add("q")
        self.tree.commit()
        self.engine = sked.Engine(self.tree)
        self.engine.apply(self.said().submit(0, 1, queue))
        self.engine.take()

    def said(self) -> sked.Events:
        return sked.Events(self.tree)

    def ask(self, task: list[int], count: int = 1) -> None:
        self.engine.apply(self.said().ask(0, 1, 1, task, count, keep=True,
                                          wait=True))

    def visit(self, node: int) -> list[int]:
        """The tasks that a host's event starts."""
        self.engine.apply(self.said().heartbeat(0, node))
        return [d.task + i for d in self.engine.take()
                if d.kind == Decide.ALLOCATE for i in range(d.count)]

    def why_not(self) -> int:
        return next((int(b.reason) for b in self.engine.explain(1) if b.binds), 0)


def host(f: Fields, by: str | None) -> int:
    """One task and one host: does it start there, and if not, why?"""
    have = given(f, "capacity")
    scene = Scene(len(have))
    scene.engine.apply(scene.said().node_up(0, 1, have))
    scene.ask(given(f, "task"))
    said = scene.said().attributes(0, 1, _pairs(f, "node"))
    said.rule(0, 1, _rule(f))
    scene.engine.apply(said.node_drain(0, 1) if number(f, "busy") else said)
    started = len(scene.visit(1))
    return judge(f, "want", [started, 0 if started else scene.why_not()], by)


def hosts(f: Fields, by: str | None) -> int:
    """Alike tasks and hosts in order: the host of each, -1: none."""
    task, have = given(f, "task"), given(f, "capacity")
    count, kinds = number(f, "count"), len(task)
    scene, where = Scene(kinds), [-1] * count
    scene.ask(task, count)
    rows = [have[i:i + kinds] for i in range(0, len(have), kinds)]
    for i, row in enumerate(rows):
        scene.engine.apply(scene.said().node_up(0, i + 1, row))
    for i in range(len(rows)):
        for t in scene.visit(i + 1):
            where[t] = i
    return judge(f, "want", where, by)


def visits(f: Fields, by: str | None) -> int:
    """One task that would like nodes 1 and 2 and their rack: by hosts that ask
    one after the other, which gets it?"""
    scene = Scene(1)
    for node in range(1, 5):
        scene.engine.apply(scene.said().node_up(0, node, [1],
                                                rack=9 if node < 4 else 0))
    scene.ask([1])
    scene.engine.apply(scene.said().would_like(0, 1, [1, 2]).would_like_racks(0, 1, [9]))
    return judge(f, "want", [len(scene.visit(n)) for n in given(f, "order")], by)


def place_by_score(scene: Scene, scores: list[int]) -> list[int]:
    """The host of each task that is given one, in the order of decisions."""
    scene.engine.place(0, PlaceMode.SCORE,
                       scores={i + 1: s for i, s in enumerate(scores)})
    return [d.node - 1 for d in scene.engine.take()
            if d.kind == Decide.ALLOCATE for _ in range(d.count)]


def scored_host(f: Fields, by: str | None) -> int:
    """One task, and hosts with scores: which is it given, -1: none?"""
    task, have = given(f, "task"), given(f, "capacity")
    scene = Scene(len(task))
    for i in range(0, len(have), len(task)):
        scene.engine.apply(scene.said().node_up(0, i // len(task) + 1,
                                                have[i:i + len(task)]))
    scene.ask(task)
    found = place_by_score(scene, given(f, "score"))
    return judge(f, "want", found or [-1], by)


def host_order(f: Fields, by: str | None) -> int:
    """A task for each host that takes work: the scores of hosts in the order in
    which they are given one."""
    scores = given(f, "score")
    scene = Scene(1)
    for i, drains in enumerate(given(f, "drained")):
        said = scene.said().node_up(0, i + 1, [1])
        scene.engine.apply(said.node_drain(0, i + 1) if drains else said)
    scene.ask([1], len(scores))
    found = place_by_score(scene, scores)
    return judge(f, "want", [scores[host] for host in found], by)


CALLS: Calls = {"rule": rule, "host": host, "hosts": hosts, "visits": visits,
                "scored_host": scored_host, "host_order": host_order}

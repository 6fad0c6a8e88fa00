"""The engine of this library as a manager for `sked.testing.managers`.

    from sked.testing import managers
    from sked.testing.engine_manager import RULES, EngineManager

    bug = managers.search(EngineManager, rules=RULES)

Limits of users are a second tree of limits, which has a copy of the queues for
each user. Partitions of nodes are an attribute, so that tasks may run in any.
`EngineManager("order=fair fair_kind=cpu")` sets attributes of the root, which
makes two configurations for `sked.testing.compare`. The engine also takes the
`attributes` of a queue."""

from __future__ import annotations

from typing import Any

from ..engine import Engine
from ..enums import Decide
from ..events import Events
from ..preempt import Preemption
from ..rule import equal
from ..tree import Queue, Tree
from .managers import Rules

__all__ = ["EngineManager", "RULES"]

#: The capacity behind the engine's preemption includes drained nodes, and the
#: judge's does not. With preemption the two may differ on such nodes.
RULES = Rules(preempts=False)
_PARTITION = 1


class EngineManager:
    """Five calls, told to an engine as events."""

    def __init__(self, attributes: str = "") -> None:
        self.attributes = attributes

    def begin(self, kinds: list[str], queues: list[dict[str, Any]],
              preempts: bool = False) -> None:
        """An empty cluster with these queues."""
        self.kinds = kinds
        paths: dict[Any, str] = {None: "root"}
        for q in queues:
            paths[q["name"]] = f"{paths[q['parent']]}.{q['name']}"
        head = "kinds " + " ".join(f"{k}=1" for k in kinds)
        lines = [head, f"root {self.attributes}".strip()]
        for q in queues:
            said = f"{paths[q['name']]} weight={q['weight']}"
            for key in ("guarantee", "limit"):
                said += self._amounts(key, q[key])
            more = q.get("attributes", "")
            if q["name"] not in {other["parent"] for other in queues} and \
                    "apps=" not in more:
                said += " apps=priority"
            lines.append(f"{said} {more}".strip())
        self.tree = Tree.from_text("\n".join(lines) + "\n")
        self.engine = Engine(self.tree)
        self.preempts = preempts
        if preempts:
            self.engine.preempt(Preemption(
                targets={"per_round": -1, "factor": 1_000_000,
                         "ignored": -1},
                rounds={"grace": 1}))
        self.clock = 0
        self.limits = self._limits_of_users(head, queues, paths)
        if self.limits is not None:
            self.engine.commit_limits(1, self.limits, 0)
        self.leaf = {q["name"]: self.tree[paths[q["name"]]] for q in queues}
        self.paths = paths
        self.keys: dict[Any, int] = {}
        self.names: dict[int, str] = {}
        self.up: dict[str, str] = {}
        self.amounts: dict[str, list[int]] = {}
        self.groups: dict[int, list[Any]] = {}  # group: task, node, count
        self.gangs: set[str] = set()
        self.open: dict[str, int] = {}  # waiting tasks
        self.kills: list[tuple[int, int]] = []
        self.out: list[tuple[Any, ...]] = []

    def _amounts(self, key: str, amounts: list[int] | None) -> str:
        if amounts is None:
            return ""
        said = ",".join(f"{k}={v}" for k, v in zip(self.kinds, amounts)
                        if v or key == "limit")
        return f' {key}="{said}"'

    def _limits_of_users(self, head: str, queues: list[dict[str, Any]],
                         paths: dict[Any, str]) -> Tree | None:
        users = sorted({user for q in queues for user in q["users"]})
        if not users:
            return None
        lines = [head, "root"]
        for user in users:
            lines.append(f"root.{user}")
            lines += [f"root.{user}{paths[q['name']][4:]}" +
                      self._amounts("limit", q["users"].get(user))
                      for q in queues]
        return Tree.from_text("\n".join(lines) + "\n")

    def key(self, name: Any) -> int:
        """The number of a node or of a job's tasks."""
        number = self.keys.setdefault(name, len(self.keys) + 1)
        self.names[number] = name
        return number

    def at(self, now: int) -> int:
        """Times of the engine are finer, since a grace passes within a step."""
        self.clock = max(self.clock, now * 1_000_000)
        return self.clock

    def events(self) -> Events:
        """An empty batch."""
        return Events(self.tree)

    def tell(self, events: Events) -> None:
        """Says what happened, and listens."""
        self.engine.apply(events)
        self.listen()

    def listen(self) -> None:
        """Notes what was decided."""
        for d in self.engine.take():
            if d.kind == Decide.ALLOCATE:
                task, node = self.names[d.ask], self.names[d.node]
                self.groups.setdefault(d.group, [task, node, 0])[2] += d.count
                self.open[task] -= d.count
                self.out.append(("start", task, node, d.count))
            elif d.kind == Decide.KILL:
                task, node, _ = self.groups[d.group]
                self.groups[d.group][2] -= d.count
                self.open[task] += d.count
                self.out.append(("kill", task, node, d.count, None))
                self.kills.append((d.group, d.count))

    def node(self, now: int, name: str, state: str, amounts: list[int],
             partition: Any) -> None:
        """See `PlainManager`."""
        now = self.at(now)
        before, key = self.up.get(name), self.key(name)
        events = self.events()
        if state != "down" and before in (None, "down"):
            events.node_up(now, key, amounts)
            if partition is not None:
                events.attributes(now, key, {_PARTITION: ord(partition)})
        if state == "up" and before == "drain":
            events.node_resume(now, key)
        if state == "up" and before in ("up", "drain") and \
                amounts != self.amounts[name]:
            events.node_change(now, key, amounts)
        if state == "drain" and before != "drain":
            events.node_drain(now, key)
        if state == "down" and before in ("up", "drain"):
            events.node_down(now, key)
        self.up[name], self.amounts[name] = state, list(amounts)
        self.tell(events)

    def submit(self, now: int, job: dict[str, Any]) -> None:
        """See `PlainManager`."""
        now = self.at(now)
        events = self.events()
        for t in job["tasks"]:
            key = self.key(t["name"])
            charged = self._charged(job["queue"], job["user"])
            events.submit(now, key, self.leaf[job["queue"]],
                          user=int(str(job["user"])[1:]),
                          priority=t["priority"], charged=(charged, None))
            if job["gang"] > 1:
                self.gangs.add(t["name"])
            running = sum(count for _, count in t.get("running", ()))
            self.open[t["name"]] = t["count"] + running
            events.ask(now, key, key, t["amounts"], t["count"] + running,
                       priority=t["priority"], gang=job["gang"] > 1,
                       spread=job["gang"] > 1, keep=True, wait=True)
            if t["partition"] is not None:
                events.rule(now, key, equal(_PARTITION, ord(t["partition"])))
            for node, count in t.get("running", ()):
                events.running(now, self.key(node), key, count)
        self.tell(events)
        self._adopt(job)

    def _adopt(self, job: dict[str, Any]) -> None:
        """What ran before a restart is no decision of now."""
        for t in job["tasks"]:
            for node, count in t.get("running", ()):
                start = ("start", t["name"], node, count)
                if start in self.out:
                    self.out.remove(start)

    def _charged(self, queue: str, user: Any) -> Queue | None:
        if self.limits is None:
            return None
        path = f"root.{user}{self.paths[queue][4:]}"
        return next((q for q in self.limits if q.path == path), None)

    def end(self, now: int, task: str, node: Any, count: int, how: str) -> None:
        """See `PlainManager`."""
        now = self.at(now)
        events = self.events()
        if how == "cancel":
            key = self.key(task)
            self.open[task] -= count
            self.tell(events.withdraw(now, key) if task in self.gangs else
                      events.change_ask(now, key, self.open[task]))
            return
        for group, (name, place, some) in list(self.groups.items()):
            part = min(count, some)
            if name != task or place != node or part <= 0:
                continue
            count -= part
            self.groups[group][2] -= part
            if how == "lost":
                self.open[task] += part
            if how == "done":
                events.finish(now, group, part)
            elif self.up.get(node) != "down":  # else the engine knows
                events.lost(now, group, part)
        self.tell(events)

    def decide(self, now: int) -> list[tuple[Any, ...]]:
        """See `PlainManager`."""
        now = self.at(now)
        # A round may leave a kill to the next one: "A kill that waits once"
        # of docs/preemption.md.
        quiet, most = 0, 2 if self.preempts else 1
        while quiet < most:
            before = len(self.out)
            while self.engine.run_pass(now):
                self.listen()
            self.listen()
            if self.preempts:  # notices, and kills when the grace is over
                for _ in range(2):
                    self.clock += 2
                    self.tell(self.events().round(self.clock))
                    self._confirm(self.clock)
                now = self.clock
            quiet = 0 if before != len(self.out) else quiet + 1
        said, self.out = self.out, []
        return said

    def _confirm(self, now: int) -> None:
        """Tasks that are to be killed are killed at once."""
        events = self.events()
        for group, count in self.kills:
            events.killed(now, group, count)
        self.kills = []
        self.tell(events)

    def why(self, task: str) -> list[str]:
        """Why tasks wait, in the engine's words."""
        return self.engine.why(self.key(task))

    def close(self) -> None:
        """Nothing to close; the engine is freed with the object."""

"""A manager that is simple and right, for `sked.testing.managers`: the model
of a manager of yours, and the one that the planted bugs are made from.

Guarantees come first, then the queue with least for its weight, then higher
priority, then the earlier one; a task starts on the first node that fits. With
`preempts` a queue below its guarantee takes a task from one beyond its own. A
start at a later time is reserved where a node has room now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Vector = list[int]
Decision = tuple[Any, ...]
#: Decisions of one call, so that a wrong manager ends too.
MOST = 150


class PlainManager:
    """Five calls, a sixth for reasons, and methods that a wrong one
    overrides."""

    def begin(self, kinds: list[str], queues: list[dict[str, Any]],
              preempts: bool = False) -> None:
        """An empty cluster with these queues, parents first."""
        self.kinds = range(len(kinds))
        self.preempts = preempts
        self.queues = {q["name"]: q for q in queues}
        self.children: dict[Any, list[str]] = {None: []}
        for q in queues:
            self.children[q["name"]] = []
            self.children[q["parent"]].append(q["name"])
        self.paths = {name: list(self.path_of(name)) for name in self.queues}
        zero = [0] * len(kinds)
        self.used = {name: list(zero) for name in self.queues}
        self.by_user: dict[tuple[str, Any], Vector] = {}
        self.nodes: dict[str, dict[str, Any]] = {}
        self.tasks: dict[str, dict[str, Any]] = {}
        self.running: dict[tuple[str, str], int] = {}
        self.reserved: dict[str, str] = {}  # tasks: node
        self.asked: set[str] = set()  # tasks whose reservation was tried
        self.now = self.seq = 0

    def node(self, now: int, name: str, state: str, amounts: Vector,
             partition: Any) -> None:
        """A node is up, drained or down, with so much in all. A reservation
        ends when its node stops or becomes smaller."""
        node = self.nodes.setdefault(name, {
            "used": [0 for _ in self.kinds], "amounts": [0 for _ in self.kinds],
            "held": [0 for _ in self.kinds]})
        if state != "up" or any(a < b for a, b in zip(amounts,
                                                      node["amounts"])):
            for task, place in list(self.reserved.items()):
                if place == name:
                    self.hold(task, -1)
        node.update(name=name, state=state, amounts=list(amounts),
                    partition=partition)

    def submit(self, now: int, job: dict[str, Any]) -> None:
        """A job comes: all of its tasks wait, but for those that run already
        (after a restart)."""
        for t in job["tasks"]:
            self.seq += 1
            self.tasks[t["name"]] = {
                **t, "queue": job["queue"], "user": job["user"],
                "gang": job["gang"], "priority": t["priority"],
                "waiting": t["count"], "seq": self.seq, "since": now}
            for node, count in t.get("running", ()):
                self.charge(t["name"], node, count)
            if t.get("reserved"):
                self.asked.add(t["name"])
                self.reserved[t["name"]] = t["reserved"][0]
                self.hold(t["name"], 1)

    def end(self, now: int, task: str, node: Any, count: int, how: str) -> None:
        """Tasks are done or lost on a node, or waiting ones are cancelled.
        What is lost waits again."""
        t = self.tasks[task]
        if how == "cancel":
            t["waiting"] -= count
            if task in self.reserved:
                self.hold(task, -1)
            return
        self.charge(task, node, -count)
        if how == "lost":
            t["waiting"] += count

    def decide(self, now: int) -> list[Decision]:
        """What starts and what is killed, in order, as ("start", task, node,
        count) and ("kill", task, node, count, for), and what is reserved as
        ("reserve", task, node, latest start). What is decided counts as done;
        killed tasks wait again."""
        self.now = now
        out: list[Decision] = self.start_reserved(now)
        while len(out) < MOST:
            task = self.next_task()
            if task is not None:
                for node, count in self.places(task):
                    self.charge(task, node, count)
                    self.tasks[task]["waiting"] -= count
                    out.append(("start", task, node, count))
                continue
            claim = self.next_claim() if self.preempts else None
            if claim is None:
                return out + self.reserve(now)
            task, victim, node = claim
            self.charge(victim, node, -1)
            self.tasks[victim]["waiting"] += 1
            out.append(("kill", victim, node, 1, task))
            self.charge(task, node, 1)
            self.tasks[task]["waiting"] -= 1
            out.append(("start", task, node, 1))
        return out

    def reason(self, now: int, task: str) -> str | None:
        """Why no further task starts: "limit" of a queue, "user_limit", or
        "no_node" that fits. None: no answer."""
        t = self.tasks[task]
        need = self.need(t)
        if not all(self.below_limit(q, t, need) for q in self.paths[t["queue"]]):
            return "limit"
        if not self.within(task, need):
            return "user_limit"
        return None if self.places(task) else "no_node"

    # ---- Reservations ----

    def hold(self, task: str, sign: int) -> None:
        """Holds room for a reserved start, or gives it back."""
        held = self.nodes[self.reserved[task]]["held"]
        for k in self.kinds:
            held[k] += sign * self.tasks[task]["amounts"][k]
        if sign < 0:
            del self.reserved[task]

    def has_limit(self, t: dict[str, Any]) -> bool:
        """May a limit be in the way of a task some time?"""
        return any(self.queues[q]["limit"] is not None or
                   t["user"] in self.queues[q]["users"]
                   for q in self.paths[t["queue"]])

    def reserve(self, now: int) -> list[Decision]:
        """Reserves the start of tasks that begin later."""
        out: list[Decision] = []
        for task, t in self.tasks.items():
            if t.get("begin", 0) <= now or not t["waiting"] or \
                    task in self.asked:
                continue
            self.asked.add(task)
            node = None if self.has_limit(t) else next(
                (n for n in self.nodes if self.fits(task, n)), None)
            if node is not None:
                self.reserved[task] = node
                self.hold(task, 1)
                out.append(("reserve", task, node, t["begin"]))
        return out

    def start_reserved(self, now: int) -> list[Decision]:
        """Starts what is reserved for now."""
        out: list[Decision] = []
        for task, node in list(self.reserved.items()):
            if self.tasks[task]["begin"] <= now:
                self.hold(task, -1)
                self.charge(task, node, 1)
                self.tasks[task]["waiting"] -= 1
                out.append(("start", task, node, 1))
        return out

    # ---- Books ----

    def path_of(self, queue: Any) -> Iterator[str]:
        """A queue and those above it."""
        while queue is not None:
            yield queue
            queue = self.queues[queue]["parent"]

    def charge(self, task: str, node: str, count: int) -> None:
        """So many more run there."""
        t = self.tasks[task]
        places = [self.nodes[node]["used"]]
        for queue in self.paths[t["queue"]]:
            places.append(self.used[queue])
            places.append(self.by_user.setdefault(
                (queue, t["user"]), [0 for _ in self.kinds]))
        for used in places:
            for k in self.kinds:
                used[k] += t["amounts"][k] * count
        self.running[task, node] = self.running.get((task, node), 0) + count

    # ---- Bounds ----

    def fits(self, task: str, node: str, extra: int = 0) -> bool:
        """May one more run there, beside `extra` that are planned?"""
        t, n = self.tasks[task], self.nodes[node]
        return self.may_use(t, n) and all(
            self.has_room(n, k, t["amounts"][k] * (1 + extra))
            for k in self.kinds)

    def has_room(self, n: dict[str, Any], k: int, want: int) -> bool:
        """Has a node so much beside what runs and what is reserved?"""
        return bool(n["used"][k] + n["held"][k] + want <= n["amounts"][k])

    def may_use(self, t: dict[str, Any], n: dict[str, Any]) -> bool:
        """Is the node up, and of the right partition?"""
        return n["state"] == "up" and t["partition"] in (None, n["partition"])

    def within(self, task: str, count: int) -> bool:
        """Do limits of queues and users allow so many more?"""
        t = self.tasks[task]
        return all(self.below_limit(q, t, count) and
                   self.below_user_limit(q, t, count)
                   for q in self.paths[t["queue"]])

    def below_limit(self, queue: str, t: dict[str, Any], count: int) -> bool:
        """May a queue of the path hold so many more?"""
        limit, used = self.queues[queue]["limit"], self.used[queue]
        return limit is None or all(
            not t["amounts"][k] or used[k] + t["amounts"][k] * count <= limit[k]
            for k in self.kinds)

    def below_user_limit(self, queue: str, t: dict[str, Any],
                         count: int) -> bool:
        """The same of the task's user in it."""
        limit = self.queues[queue]["users"].get(t["user"])
        used = self.by_user.get((queue, t["user"]), [0 for _ in self.kinds])
        return limit is None or all(
            not t["amounts"][k] or used[k] + t["amounts"][k] * count <= limit[k]
            for k in self.kinds)

    # ---- Order ----

    def places(self, task: str) -> list[tuple[str, int]]:
        """Where tasks would start now: one, or a whole gang; or nowhere."""
        t = self.tasks[task]
        need = self.need(t)
        if t["waiting"] < need or not need or not self.within(task, need):
            return []
        found: list[tuple[str, int]] = []
        for node in self.nodes:
            count = 0
            while need and self.fits(task, node, count):
                count, need = count + 1, need - 1
            if count:
                found.append((node, count))
            if not need:
                return found
        return []

    def need(self, t: dict[str, Any]) -> int:
        """How many start at once."""
        whole = t["gang"] > 1 and not any(
            n for (name, _), n in self.running.items() if name == t["name"])
        return t["gang"] if whole else 1

    def best_of(self, queue: str) -> str | None:
        """The first task of a queue that can start."""
        best = None
        for name, t in self.tasks.items():
            if t["queue"] != queue or not t["waiting"] or not self.may_start(t):
                continue
            if best is not None and not self.precedes(t, self.tasks[best]):
                continue
            if self.places(name):
                best = name
        return best

    def may_start(self, t: dict[str, Any]) -> bool:
        """Has its time come, and is no start reserved?"""
        return t.get("begin", 0) <= self.now and t["name"] not in self.reserved

    def precedes(self, t: dict[str, Any], u: dict[str, Any]) -> bool:
        """Does one task go before another of its queue?"""
        return (-t["priority"], t["seq"]) < (-u["priority"], u["seq"])

    def standing(self, queue: str) -> float:
        """What a queue has for its weight, as a part of the cluster."""
        totals = [sum(n["amounts"][k] for n in self.nodes.values()
                      if n["state"] == "up") for k in self.kinds]
        parts = [self.used[queue][k] / totals[k]
                 for k in self.kinds if totals[k]]
        weight = self.queues[queue]["weight"]
        return float(max(parts, default=0) / weight)

    def next_task(self) -> str | None:
        """What starts next."""
        best = {q: self.best_of(q) for q in self.queues
                if not self.children[q]}
        return self.guaranteed(best) or self.fair(None, best)

    def guaranteed(self, best: dict[str, str | None]) -> str | None:
        """A task that fits what some queue is guaranteed."""
        for queue, q in self.queues.items():
            if q["guarantee"] is None:
                continue
            leaves = [leaf for leaf in best if queue in self.paths[leaf]]
            for leaf in sorted(leaves, key=self.standing):
                task = best[leaf]
                if task and self.fits_guarantee(queue, task):
                    return task
        return None

    def fits_guarantee(self, queue: str, task: str) -> bool:
        """Is what starts within the queue's guarantee?"""
        t, some = self.tasks[task], False
        for k in self.kinds:
            guarantee = self.queues[queue]["guarantee"][k]
            if not guarantee or not t["amounts"][k]:
                continue
            some = True
            if self.used[queue][k] + t["amounts"][k] * self.need(t) > guarantee:
                return False
        return some

    def fair(self, queue: str | None,
             best: dict[str, str | None]) -> str | None:
        """The next of a queue: of the child that has least for its weight."""
        if queue is not None and not self.children[queue]:
            return best[queue]
        for child in sorted(self.children[queue], key=self.standing):
            task = self.fair(child, best)
            if task is not None:
                return task
        return None

    # ---- Claims ----

    def next_claim(self) -> tuple[str, str, str] | None:
        """A task below its queue's guarantee, and whom it replaces where."""
        for queue, q in self.queues.items():
            if q["guarantee"] is None:
                continue
            waiting = sorted((t for t in self.tasks.values() if t["waiting"] and
                              queue in self.paths[t["queue"]] and t["gang"] <= 1),
                             key=lambda t: (-t["priority"], t["seq"]))
            for t in waiting:
                if not self.fits_guarantee(queue, t["name"]) or \
                        not self.within(t["name"], 1):
                    continue
                for victim, node in self.victims(queue, t):
                    return t["name"], victim, node
        return None

    def victims(self, queue: str, t: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Tasks of queues beyond their guarantees, as large as `t`."""
        for (victim, node), count in list(self.running.items()):
            v = self.tasks[victim]
            if count and queue not in self.paths[v["queue"]] and \
                    v["gang"] <= 1 and self.is_beyond(v) and \
                    self.may_use(t, self.nodes[node]) and \
                    all(v["amounts"][k] >= t["amounts"][k] for k in self.kinds):
                yield victim, node

    def is_beyond(self, v: dict[str, Any]) -> bool:
        """Does every queue of the path keep its guarantee without the task?"""
        for queue in self.paths[v["queue"]]:
            guarantee = self.queues[queue]["guarantee"]
            for k in self.kinds:
                if guarantee is not None and v["amounts"][k] and \
                        self.used[queue][k] - v["amounts"][k] < guarantee[k]:
                    return False
        return True

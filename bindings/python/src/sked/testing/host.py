"""The cluster that `sked.testing.managers` puts a manager into: plain worlds,
the host that runs one and writes the history, managers that are processes."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from ..audit import History

Step = dict[str, Any]
#: How much a manager may decide within one step, one call or many.
DECISIONS = 300


class BadDecision(Exception):
    """A decision that names no such thing, or is of no known form."""


class Restless(Exception):
    """A manager that never stops deciding."""


class TooEarly(Exception):
    """A start before the time at which the job begins."""


def job_of(task: str) -> str:
    """The job of a task: both may have dots in their names."""
    return task.rpartition(".")[0]


@dataclass
class World:
    """A cluster and what happens to it, in plain values."""

    kinds: list[str] = field(default_factory=lambda: ["cpu"])
    queues: list[dict[str, Any]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    preempts: bool = False
    fifo: bool = False
    shares: bool = True
    reasons: bool = False

    @property
    def leaves(self) -> list[str]:
        """Queues without children."""
        parents = {q["parent"] for q in self.queues}
        return [q["name"] for q in self.queues if q["name"] not in parents]


class Host:
    """The cluster: drives a manager through a world, and writes the history."""

    def __init__(self, make: Callable[[], Any], world: World) -> None:
        self.make = make
        self.world = world
        self.now = 0
        self.history = History(world.kinds)
        self.nodes: dict[str, dict[str, Any]] = {}
        self.jobs: dict[str, dict[str, Any]] = {}
        self.waiting: dict[str, int] = {}
        self.running: dict[tuple[str, str], int] = {}
        self.refuse: int | None = None
        self.failed: list[tuple[str, str, int]] = []  # starts of this step
        self.reserved: dict[str, tuple[str, int]] = {}  # node, latest start
        self.begins: dict[str, int] = {}  # tasks with a time
        self.lie: str | None = None  # the first reason that is not true
        self.picked: dict[int, Any] = {}  # what each step drew, by identity
        self.manager: Any = None

    def run(self) -> None:
        """All steps; what is wrong is raised or stands in the history."""
        for q in self.world.queues:
            self.history.queue(
                q["name"], q["parent"], at=0, guarantee=q["guarantee"],
                limit=q["limit"], fifo=self.world.fifo,
                weight=q["weight"] if self.world.shares else 0)
            for user, limit in q["users"].items():
                self.history.limit(q["name"], limit, at=0, user=user)
        self.begin()
        for step in self.world.steps:
            self.now += 1
            getattr(self, "do_" + step["op"])(step)
            self.decide()
            if self.world.reasons and self.lie is None:
                self.check_reasons()
        self.now += 1

    def begin(self) -> None:
        """A manager that knows the queues."""
        close = getattr(self.manager, "close", None)
        if close:
            close()
        self.manager = self.make()
        self.manager.begin(
            list(self.world.kinds),
            [{**q, "users": dict(q["users"])} for q in self.world.queues],
            self.world.preempts)

    def decide(self) -> None:
        """Takes decisions until there are none. The manager learns of failed
        starts when it rests, an instant later."""
        many = 0
        while True:
            decisions = list(self.manager.decide(self.now))
            many += len(decisions)
            if many > DECISIONS:
                raise Restless(f"decides more than {DECISIONS} things in a "
                               "step")
            for decision in decisions:
                self.take(decision)
            if decisions:
                continue
            failed, self.failed = self.failed, []
            if not failed:
                return
            self.now += 1
            for task, node, count in failed:
                left = min(count, self.running.get((task, node), 0))
                if left:
                    self.lose(task, node, left)

    def take(self, decision: Sequence[Any]) -> None:
        """Carries one decision out, as far as it can be."""
        if not isinstance(decision, (list, tuple)) or \
                len(decision) not in (4, 5) or \
                decision[0] not in ("start", "kill", "reserve"):
            raise BadDecision(f"no known decision: {decision!r}")
        what, task, node, count = decision[:4]
        if not all(isinstance(name, str) for name in (task, node)) or \
                task not in self.waiting or node not in self.nodes or \
                not isinstance(count, Integral) or \
                not 1 <= int(count) < 1 << 31:
            raise BadDecision(f"names what is not there: {decision!r}")
        count = int(count)
        if what == "reserve":
            self.history.reserve(task, by=count, at=self.now, node=node)
            self.reserved[task] = node, count
            return
        if what == "start":
            if self.now < self.begins.get(task, 0):
                raise TooEarly(f"{task} starts before {self.begins[task]}")
            self.reserved.pop(task, None)
            self.history.start(task, node, at=self.now, count=count)
            some = min(count, self.waiting[task])
            self.waiting[task] -= some
            self.running[task, node] = self.running.get((task, node), 0) + count
            if self.refuse is not None:
                self.refuse = None
                self.failed.append((task, node, count))
            return
        by = decision[4] if len(decision) > 4 else None
        if by is not None and (not isinstance(by, str) or
                               by not in self.waiting):
            raise BadDecision(f"names what is not there: {decision!r}")
        self.history.kill(task, node, at=self.now, count=count, by=by)
        some = min(count, self.running.get((task, node), 0))
        self.running[task, node] = self.running.get((task, node), 0) - some
        self.waiting[task] += some

    def lose(self, task: str, node: str, count: int) -> None:
        """Tasks fail; a gang fails as a whole."""
        job = self.jobs[job_of(task)]
        lost = [(t, n, c) for (t, n), c in self.running.items()
                if c and t == task] if job["gang"] > 1 \
            else [(task, node, count)]
        for name, place, some in lost:
            self.history.lost(name, place, at=self.now, count=some)
            self.running[name, place] -= some
            self.waiting[name] += some
            self.manager.end(self.now, name, place, some, "lost")

    # ---- Reasons ----

    def check_reasons(self) -> None:
        """Holds what the manager says of waiting tasks to the cluster."""
        for step in self.jobs.values():
            task = step["job"] + ".t"
            need = step["gang"] if step["gang"] > 1 and not any(
                c for (t, _), c in self.running.items() if t == task) else 1
            if self.waiting[task] < need or \
                    self.begins.get(task, 0) > self.now:
                continue
            reason = self.manager.reason(self.now, task)
            if not self.is_true(reason, step, need):
                self.lie = (f"at step {self.now}: reason() answers {reason!r} "
                            f"for {task}")
                return

    def is_true(self, reason: Any, step: Step, need: int) -> bool:
        """Is that why no further task of the job starts? None: no answer."""
        if reason is None:
            return True
        if reason in ("limit", "user_limit"):
            return self.is_limited(step, need, reason == "user_limit")
        if reason != "no_node":
            return False
        fit = 0
        for name, node in self.nodes.items():
            if node["state"] != "up" or \
                    step["partition"] not in (None, node["partition"]):
                continue
            held = [self.jobs[job_of(task)]["amounts"] for task, (place, _)
                    in self.reserved.items() if place == name]
            used = [sum(each) for each in zip(self.used({name}, self.jobs),
                                              *held)]
            if any(u > has for u, has in zip(used, node["amounts"])):
                continue  # it has become smaller
            fit += max(0, min([need] + [
                (has - u) // each for has, u, each in zip(
                    node["amounts"], used, step["amounts"]) if each]))
        return fit < need

    def is_limited(self, step: Step, need: int, of_user: bool) -> bool:
        """Is a limit of the path in the way: of queues, or of the user?"""
        parents = {q["name"]: q["parent"] for q in self.world.queues}

        def below(queue: Any, above: str) -> bool:
            while queue is not None and queue != above:
                queue = parents[queue]
            return queue is not None

        for q in self.world.queues:
            limit = q["users"].get(step["user"]) if of_user else q["limit"]
            if limit is None or not below(step["queue"], q["name"]):
                continue
            used = self.used(self.nodes, [
                name for name, job in self.jobs.items()
                if below(job["queue"], q["name"]) and
                (not of_user or job["user"] == step["user"])])
            if any(each and u + each * need > most for u, each, most in zip(
                    used, step["amounts"], limit)):
                return True
        return False

    def used(self, nodes: Collection[str], jobs: Collection[str]) -> list[int]:
        """The sum of what runs, of these jobs on these nodes."""
        sums = [0 for _ in self.world.kinds]
        for (task, node), count in self.running.items():
            job = job_of(task)
            if count and job in jobs and node in nodes:
                sums = [s + a * count for s, a in zip(
                    sums, self.jobs[job]["amounts"])]
        return sums

    # ---- Steps ----

    def tell_node(self, name: str) -> None:
        """Says what a node is now."""
        n = self.nodes[name]
        self.manager.node(self.now, name, n["state"], list(n["amounts"]),
                          n["partition"])

    def do_node(self, step: Step) -> None:
        """A node comes, or several alike at once."""
        for i in range(step.get("count", 1)):
            name = step["node"] + (f".{i}" if i else "")
            self.nodes[name] = {
                "state": "up", "amounts": list(step["amounts"]),
                "partition": step.get("partition")}
            self.history.node(name, step["amounts"], at=self.now,
                              partition=step.get("partition"))
            self.tell_node(name)

    def pick(self, step: Step, of: Sequence[Any]) -> Any:
        """One of them, or None. `which` names it; else `pick` draws it."""
        if "which" in step:
            which = step["which"]
            which = tuple(which) if isinstance(which, list) else which
            return which if which in of else None
        which = of[step["pick"] % len(of)] if of else None
        self.picked[id(step)] = which
        return which

    def with_state(self, *states: str) -> list[str]:
        """Nodes of these states."""
        return [n for n, node in self.nodes.items() if node["state"] in states]

    def do_down(self, step: Step) -> None:
        """A node stops, and its tasks are lost."""
        name = self.pick(step, self.with_state("up", "drain"))
        if name is None:
            return
        self.end_reservations(name)
        self.nodes[name]["state"] = "down"
        self.history.down(name, at=self.now)
        self.tell_node(name)
        for (task, node), count in list(self.running.items()):
            if node == name and count:
                self.lose(task, node, self.running[task, node] or count)

    def do_back(self, step: Step) -> None:
        """A node comes back."""
        name = self.pick(step, self.with_state("down", "drain"))
        if name is not None:
            node = self.nodes[name]
            node["state"] = "up"
            self.resize(name, step.get("amounts") or node["amounts"])
            self.history.node(name, node["amounts"], at=self.now,
                              partition=node["partition"])
            self.tell_node(name)

    def do_drain(self, step: Step) -> None:
        """A node takes no new task."""
        name = self.pick(step, self.with_state("up"))
        if name is not None:
            self.end_reservations(name)
            self.nodes[name]["state"] = "drain"
            self.history.drain(name, at=self.now)
            self.tell_node(name)

    def do_resize(self, step: Step) -> None:
        """A node has another capacity."""
        name = self.pick(step, self.with_state("up"))
        if name is not None:
            node = self.nodes[name]
            self.resize(name, step["amounts"])
            self.history.node(name, node["amounts"], at=self.now,
                              partition=node["partition"])
            self.tell_node(name)

    def end_reservations(self, node: str) -> None:
        """A reservation ends when its node stops or becomes smaller."""
        self.reserved = {task: at for task, at in self.reserved.items()
                         if at[0] != node}

    def resize(self, name: str, amounts: Sequence[int]) -> None:
        """A node has so much from now on."""
        node = self.nodes[name]
        if any(new < old for new, old in zip(amounts, node["amounts"])):
            self.end_reservations(name)
        node["amounts"] = list(amounts)

    def do_submit(self, step: Step) -> None:
        """A job comes."""
        job, name = step["job"], step["job"] + ".t"
        self.jobs[job] = step
        self.waiting[name] = step["count"]
        if step.get("begin"):
            self.begins[name] = self.now + step["begin"]
        self.history.job(job, step["queue"], at=self.now, user=step["user"],
                         gang=step["gang"])
        # No rule judges the wait of a job that has a time.
        self.history.tasks(name, job, step["amounts"], at=self.now,
                           count=step["count"], priority=step["priority"],
                           partition=step["partition"],
                           constrained=name in self.begins)
        self.manager.submit(self.now, self.as_job(step, step["count"], []))

    def as_job(self, step: Step, count: int,
               running: list[tuple[str, int]]) -> dict[str, Any]:
        """A job as the manager is told of it."""
        name = step["job"] + ".t"
        told = {"name": name, "count": count, "amounts": list(step["amounts"]),
                "priority": step["priority"],
                "partition": step["partition"], "running": running}
        if name in self.begins:
            told["begin"] = self.begins[name]
            told["reserved"] = self.reserved.get(name)
        return {"name": step["job"], "queue": step["queue"],
                "user": step["user"], "gang": step["gang"], "tasks": [told]}

    def do_done(self, step: Step) -> None:
        """Tasks end by themselves."""
        place = self.pick(step, [p for p, c in self.running.items() if c])
        if place is None:
            return
        count = min(step["count"], self.running[place])
        self.running[place] -= count
        self.history.done(*place, at=self.now, count=count)
        self.manager.end(self.now, *place, count, "done")

    def do_cancel(self, step: Step) -> None:
        """Waiting tasks are withdrawn."""
        task = self.pick(step, [t for t, c in self.waiting.items() if c])
        if task is None:
            return
        count = self.waiting[task]
        if step.get("count") and self.jobs[job_of(task)]["gang"] <= 1:
            count = min(count, step["count"])  # a gang leaves as a whole
        self.waiting[task] -= count
        if not self.waiting[task]:
            self.reserved.pop(task, None)
        self.history.cancel(task, at=self.now, count=count)
        self.manager.end(self.now, task, None, count, "cancel")

    def do_refuse(self, step: Step) -> None:
        """The next start fails."""
        self.refuse = 1

    def do_tick(self, step: Step) -> None:
        """Time passes."""

    def do_restart(self, step: Step) -> None:
        """The manager starts anew and is told what there is."""
        self.begin()
        for name in self.nodes:
            self.tell_node(name)
        for step_ in self.jobs.values():
            name = step_["job"] + ".t"
            running = [(n, c) for (t, n), c in self.running.items()
                       if t == name and c]
            if running or self.waiting[name]:
                self.manager.submit(self.now, self.as_job(
                    step_, self.waiting[name], running))


class ProcessManager:
    """A manager that reads one JSON object a line and answers each `decide`
    with one JSON list a line: {"call": "begin", "kinds": [...], "queues":
    [...], "preempts": false}, {"call": "node", "now": 3, "name": "n1",
    "state": "up", "amounts": [4], "partition": null}, {"call": "submit",
    "now": 3, "job": {...}}, {"call": "end", "now": 4, "task": "j1.t", "node":
    "n1", "count": 1, "how": "done"}, {"call": "decide", "now": 4}. With rules
    that judge reasons {"call": "reason", "now": 4, "task": "j1.t"} is answered
    with one JSON string, or null. A process that does not answer within `seconds` is
    killed.

    `managers.search(lambda: ProcessManager(["./mine"]))`"""

    def __init__(self, command: Sequence[str], seconds: float = 30) -> None:
        self.seconds = seconds
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, encoding="utf-8")

    def _say(self, **said: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(said) + "\n")
        self.process.stdin.flush()

    def begin(self, kinds: list[str], queues: list[dict[str, Any]],
              preempts: bool = False) -> None:
        """See `PlainManager`."""
        self._say(call="begin", kinds=kinds, queues=queues, preempts=preempts)

    def node(self, now: int, name: str, state: str, amounts: list[int],
             partition: Any) -> None:
        """See `PlainManager`."""
        self._say(call="node", now=now, name=name, state=state,
                  amounts=amounts, partition=partition)

    def submit(self, now: int, job: dict[str, Any]) -> None:
        """See `PlainManager`."""
        self._say(call="submit", now=now, job=job)

    def end(self, now: int, task: str, node: Any, count: int, how: str) -> None:
        """See `PlainManager`."""
        self._say(call="end", now=now, task=task, node=node, count=count,
                  how=how)

    def decide(self, now: int) -> list[Any]:
        """See `PlainManager`."""
        self._say(call="decide", now=now)
        answer = self._answer()
        if not isinstance(answer, list):
            raise BadDecision(f"not a list: {answer!r}")
        return answer

    def _answer(self) -> Any:
        """One line of the process. A process that is silent for too long is
        ended."""
        assert self.process.stdout is not None
        guard = threading.Timer(self.seconds, self.process.kill)
        guard.start()
        line = self.process.stdout.readline()
        guard.cancel()
        if not line:
            raise BadDecision("the process ended, or was silent for "
                              f"{self.seconds:g} s")
        try:
            return json.loads(line)
        except ValueError:
            raise BadDecision(f"not JSON: {line.strip()!r}") from None

    def reason(self, now: int, task: str) -> Any:
        """See `PlainManager`; None is no answer."""
        self._say(call="reason", now=now, task=task)
        return self._answer()

    def close(self) -> None:
        """Ends the process."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.close()
        except OSError:
            pass  # it has ended, with lines unread
        self.process.stdout.close()
        try:
            self.process.wait(self.seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def serve(manager: Any, lines: Any, write: Callable[[str], Any]) -> None:
    """The other side: hands JSON lines to a manager in Python."""
    for line in lines:
        said = json.loads(line)
        call = said.pop("call")
        answer = getattr(manager, call)(**said)
        if call in ("decide", "reason"):
            write(json.dumps(answer) + "\n")

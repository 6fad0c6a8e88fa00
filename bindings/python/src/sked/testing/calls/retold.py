"""Stories that the engine retells: applications that come and go, heartbeats
and what each starts, waits for places."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sked
from sked.importers.configs.fair import resources as fair_values

from .judging import PASSED, Calls, Failed, Fields

Story = dict[str, Any]


def told(f: Fields) -> tuple[Story, Any]:
    """The story, and how it is to be told."""
    return json.loads(f["story"]), json.loads(f["told"])


def agree(got: Any, want: Any) -> int:
    """PASSED, or where the two part."""
    if got == want:
        return PASSED
    for i, (g, w) in enumerate(zip(got, want)):
        if g != w:
            raise Failed(f"[{i}] is {g}, not {w}")
    raise Failed(f"{len(got)} steps, not {len(want)}")


class Run:
    """An engine over queues by path, and the keys of its jobs."""

    def __init__(self, kinds: int, queues: list[Story], **options: Any) -> None:
        self.tree = sked.Tree({f"k{i}": "1" for i in range(kinds)})
        for queue in sorted(queues, key=lambda q: q["path"].split(".")):
            self.add(queue["path"], **queue.get("settings", {}))
        self.tree.commit()
        self.engine = sked.Engine(self.tree, **options)
        self.keys: dict[Any, int] = {}

    def add(self, path: str, **settings: Any) -> None:
        up, _, name = path.rpartition(".")
        if not up:
            self.tree.root.set(**settings)
            return
        self.tree.commit()
        if up not in self.tree:
            self.add(up)
            self.tree.commit()
        self.tree[up].add(name, **settings)

    def happen(self, events: sked.Events) -> list[Any]:
        """What is decided when that happens."""
        self.engine.apply(events)
        return list(self.engine.take())

    def events(self) -> sked.Events:
        return sked.Events(self.tree)

    def key(self, name: Any) -> int:
        return self.keys.setdefault(name, len(self.keys) + 1)

    def name(self, key: int) -> Any:
        return {v: k for k, v in self.keys.items()}[key]


def bound_users(run: Run, limits: dict[str, int | None]) -> dict[str, sked.Queue]:
    """A queue for each user that may run so many applications at once, in a tree
    of limits."""
    tree = sked.Tree(run.tree.schema)
    queues = {user: tree.root.add(f"user{i}", **(
        {} if most is None else {"max_running": most}))
        for i, (user, most) in enumerate(limits.items())}
    tree.commit()
    run.engine.commit_limits(1, tree, 0)
    return queues


def py_apps(f: Fields, rule: str | None) -> int:
    """Who may run when applications come and go."""
    story, want = told(f)
    queues = [{"path": path, "settings": {} if most is None else {
        "max_running": most}} for path, most in story["queue_limits"].items()]
    run = Run(1, queues)
    bounded = bound_users(run, story["user_limits"])
    users: dict[str, int] = {}
    got: list[Story] = []
    for time, op in enumerate(story["ops"]):
        key = run.key(op["id"])
        if op["op"] == "add":
            user = users.setdefault(op["user"], len(users) + 1)
            decided = run.happen(run.events().submit(
                time, key, run.tree[op["queue"]], user=user,
                charged=(bounded.get(op["user"]), None)))
            may = any(d.kind == sked.Decide.ADMIT for d in decided)
            got.append({"add": op["id"], "runnable": may})
        else:
            decided = run.happen(run.events().finish_job(time, key))
            enabled = [run.name(d.job) for d in decided
                       if d.kind == sked.Decide.ADMIT]
            got.append({"remove": op["id"], "enabled": enabled})
    return agree(got, want)


def settings_of(queue: Story, unit: int, leaf: bool) -> Story:
    """A queue of the fair scheduler as one of ours."""
    policy = queue.get("policy", "fair")
    made: Story = {"weight": int(Fraction(str(queue.get("weight", 1))) * unit)}
    if "max" in queue:
        made["limit"] = [min(v, sked.AMOUNT_MAX) for v in queue["max"]]
    if leaf:
        made["apps"] = "fifo" if policy == "fifo" else "fair"
    else:
        made["order"] = policy
    return made


def most_started(options: Story) -> int:
    """How many tasks a heartbeat starts; 0: as many as there is room for."""
    return max(0, options.get("max_assign", 0)) if options.get(
        "multiple") else 1


def py_heartbeats(f: Fields, rule: str | None) -> int:
    """What each heartbeat starts."""
    story, want = told(f)
    queues = story["queues"]
    paths = [q["path"] for q in queues]
    unit = math.lcm(*(Fraction(str(q.get("weight", 1))).denominator
                      for q in queues))
    said = story.get("options", {})
    turns = [most_started(o) for o in said] if isinstance(said, list) else \
        [1] * len(story["heartbeats"])
    # Where the bound changes, heartbeats start a task each, one or several.
    options = {} if isinstance(said, list) else said
    run = Run(len(story["cluster"]), [
        {"path": q["path"], "settings": settings_of(q, unit, not any(
            p.startswith(q["path"] + ".") for p in paths))} for q in queues],
        max_per_pass=most_started(options))
    events = run.events()
    nodes: dict[str, int] = {}
    for name, amount in story["nodes"].items():
        nodes[name] = len(nodes) + 1
        events.node_up(0, nodes[name], amount)
    ask = 0
    for app in sorted(story["apps"], key=lambda a: (a["start"], a["id"])):
        events.submit(0, run.key(app["id"]), run.tree[app["queue"]])
        for one in app["asks"]:
            ask += 1
            events.ask(0, ask, run.key(app["id"]), one["capability"],
                       one["count"])
    run.happen(events)
    got = []
    for time, (name, most) in enumerate(zip(story["heartbeats"], turns), 1):
        started: list[Any] = []
        while True:
            decided = run.happen(run.events().heartbeat(time, nodes[name]))
            new = [run.name(d.job) for d in decided
                   if d.kind == sked.Decide.ALLOCATE for _ in range(d.count)]
            started += new
            most -= 1
            if not new or most == 0:
                break
        got.append(started)
    return agree(got, want["allocated"])


HERE, NEAR, FAR = 1, 2, 3  # the node asked for, one of its rack, any other


def waiting(**waits: Any) -> tuple[sked.Engine, sked.Tree]:
    """An engine with one queue, whose asks wait so long for their node."""
    tree = sked.Tree("cpu=1")
    tree.root.add("q")
    tree.commit()
    return sked.Engine(tree, **waits), tree


def level(taken: Callable[[int], bool]) -> str:
    """How far it goes, by which nodes would be taken."""
    return "off" if taken(FAR) else "rack" if taken(NEAR) else "node"


MS = 1_000_000


def waits_on(engine: sked.Engine, tree: sked.Tree, passed: int,
             node: int) -> bool:
    """Does an ask that waits for so long (ms) take a node?"""
    events = sked.Events(tree)
    for key, rack in ((HERE, 7), (NEAR, 7), (FAR, 8)):
        events.node_up(0, key, [1], rack=rack).node_drain(0, key)
    events.submit(0, 1, tree["root.q"]).ask(0, 1, 1, [1], 2, places=[HERE])
    engine.apply(events.node_resume(passed * MS, node))
    engine.run_pass(passed * MS)
    return any(d.kind == sked.Decide.ALLOCATE and d.node == node
               for d in engine.take())


def py_waits(f: Fields, rule: str | None) -> int:
    """How far from its node an ask may go as time passes; what begins the
    wait anew is a task started, so each wait is told from its beginning."""
    story, want = told(f)
    waits = {"node_delay": story["node_delay_ms"] * MS,
             "rack_delay": story["rack_delay_ms"] * MS}
    got, passed = [], 0
    for op in story["ops"]:
        passed = 0 if op == "reset" else passed + op
        got.append(level(lambda at: waits_on(*waiting(**waits), passed, at)))
    return agree(got, want)


def resource_of(story: Story) -> list[int]:
    """A text of fair-scheduler.xml as the numbers of its file: mebibytes,
    cores, pieces. BadResource, or KeyError for a kind that is not there."""
    said = fair_values.resource(story["text"])
    kinds = ["memory", "cpu", *story["types"][2:]]
    for kind in (*said.amounts, *said.parts):
        kinds.index(kind)
    parts = said.parts or {k: said.every for k in kinds
                           if said.every is not None}
    if parts:
        return [math.floor(whole * (1 if (part := parts.get(kind)) is None
                                    else part))
                for kind, whole in zip(kinds, story["cluster"])]
    missing = (1 << 63) - 1 if story.get("missing_value") == "max" else 0
    return [missing if (much := said.amounts.get(kind)) is None
            else much // fair_values.amount(kind, 1) for kind in kinds]


def py_resource(f: Fields, rule: str | None) -> int:
    """A text of another system as amounts, or that it is refused."""
    story, want = told(f)
    try:
        got = resource_of(story)
    except ValueError as error:
        if isinstance(want, dict) and "error" in want:
            return PASSED
        raise Failed(f"refused: {error}") from None
    return agree(got, want)


CALLS: Calls = {"py_apps": py_apps, "py_heartbeats": py_heartbeats,
                "py_resource": py_resource,
                "py_waits": py_waits}

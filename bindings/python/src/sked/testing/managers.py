"""Finds bugs in a manager: draws trees and clusters, drives the manager
through them, and lets `sked.audit` judge what it did.

    from sked.testing import managers

    bug = managers.search(MyManager)
    if bug: print(bug)            # the invariant, a story, a program

A manager has five calls: `begin`, `node`, `submit`, `end`, `decide`;
`sked.testing.plain.PlainManager` is one from the first line to the last, and
`ProcessManager` one that is a process and speaks JSON lines. Nothing here knows
the engine, and nothing needs Hypothesis. A failing run is made as short as can
be, and the same seed gives the same run."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..audit import Anomaly
from ..errors import RangeError
from .host import (BadDecision, Host, ProcessManager, Restless, Step, TooEarly,
                   World, serve)

__all__ = ["BadDecision", "Bug", "Host", "ProcessManager", "Restless", "Rules",
           "Step", "World", "draw", "run", "search", "serve", "shortest"]

#: Runs that a bug has to show itself in again.
AGAIN = 8
#: CPU seconds that making a world shorter may take.
SHRINKING = 20.0


@dataclass
class Rules:
    """What the manager promises; a rule that is off is neither drawn nor
    judged. `fifo`: equal priorities of a queue go in order of submission."""

    guarantees: bool = True
    shares: bool = True
    limits: bool = True
    users: bool = True
    priorities: bool = True
    fifo: bool = True
    gangs: bool = True
    partitions: bool = True
    preempts: bool = True
    restarts: bool = True
    reasons: bool = False  # `reason(now, task)` is true
    reservations: bool = False  # jobs that begin later
    vectors: bool = True  # two or three kinds
    trees: bool = True  # queues below queues


@dataclass
class Bug:
    """A run that breaks an invariant: its name, the anomaly or the error, and
    the shortest world that shows it."""

    invariant: str
    words: str
    world: World
    seed: int
    runs: int
    seconds: float

    def __str__(self) -> str:
        lines = [f"broken invariant: {self.invariant} (run {self.runs}, seed "
                 f"{self.seed})", self.words, "", "the cluster:"]
        lines += [f"    queue {_queue(q)}" for q in self.world.queues]
        lines += ["the steps:"]
        lines += [f"    {i}. {_step(s)}"
                  for i, s in enumerate(self.world.steps, 1)]
        return "\n".join([*lines, "", "to run it again:", self.program()])

    def program(self) -> str:
        """Python that runs the world again."""
        return ("    from sked.testing import managers\n"
                f"    world = managers.{self.world!r}\n"
                "    print(managers.run(MyManager, world))")


def _queue(q: dict[str, Any]) -> str:
    said = [q["name"], f"weight {q['weight']}"]
    said += [f"below {q['parent']}"] if q["parent"] else []
    said += [f"{key} {q[key]}" for key in ("guarantee", "limit")
             if q[key] is not None]
    said += [f"user {u} at most {v}" for u, v in q["users"].items()]
    return ", ".join(said)


def _step(s: Step) -> str:
    return str(s["op"]) + " " + ", ".join(
        f"{key}={value}" for key, value in s.items()
        if key != "op" and value not in (None, 0))


# ---- Drawing ----

#: Scales of amounts and of weights: numbers that 32 bits and doubles lose.
_SCALES = (3_000_000_019, 2**53 + 1)
_WEIGHTS = (1, 1, 1, 100, 40_000)
_PRIORITIES = (0, 0, 0, 0, 1, 1, 2, 2, -1, 200, 40_000)


def draw(rng: random.Random, rules: Rules | None = None, steps: int = 24,
         busy: bool = False) -> World:
    """A world of these rules; `busy`: few nodes, and much work at once."""
    rules = rules or Rules()
    preempts = rules.preempts and rules.guarantees and rng.random() < 0.25
    kinds = ["cpu"] if preempts or rng.random() < 0.5 or not rules.vectors \
        else ["cpu", "memory", "gpu"][:rng.choice([2, 2, 3])]
    world = World(kinds, preempts=preempts, reasons=rules.reasons,
                  fifo=rules.fifo and rng.random() < 0.5, shares=rules.shares)
    size = rng.randint(2, 5)  # what a node has, about
    nodes = rng.randint(0, 1) if busy else rng.randint(1, 4)
    many = rng.choice([10, 20]) if rng.random() < 0.08 else 1
    if many > 1:  # many small nodes come at once
        size, nodes = 2, 1
    size *= rng.randint(2, 4) if busy else 1
    scale = rng.choice(_SCALES) if rng.random() < 0.12 else 1
    _draw_queues(rng, world, rules, size * max(1, nodes) * many)
    split = rules.partitions and not preempts and rng.random() < 0.15
    # Few leaves have jobs, so that these compete.
    hot = rng.sample(world.leaves, min(len(world.leaves),
                                       rng.choice([2, 3, 3, 4, 99])))

    def amounts(least: int, more: int) -> list[int]:
        """What a node has: of large amounts a unit less, at times."""
        lacks = scale > 1 and not preempts and rng.random() < 0.3
        return [(least + rng.randint(1, 2 * size + more)) * scale - lacks
                for _ in kinds]

    def node() -> Step:
        return {"op": "node", "node": f"n{nodes}", "amounts": amounts(1, 0),
                "partition": rng.choice(["x", "y"]) if split else None}

    # The sum of all nodes stays below 2^62.
    most = 12 if scale > 1 and size > 8 else 64
    first, nodes = nodes, 0
    for _ in range(first):
        nodes += 1
        world.steps.append({**node(), "count": many} if many > 1 else node())
    kinds_of_steps = ["submit"] * 6 + ["done"] * 5 + ["cancel"] + \
        ["down", "back", "drain", "refuse", "tick", "node"] + \
        (["restart"] * (3 if rules.reservations else 1) if rules.restarts
         else []) + \
        ([] if preempts else ["resize"])  # a full node frees nothing
    for i in range(steps):
        op = rng.choice(["submit", "submit", "submit", "node"]) if busy else \
            "submit" if i < 3 else rng.choice(kinds_of_steps)
        if op == "node":
            nodes += 1
            world.steps.append(node() if nodes <= most else {"op": "tick"})
            continue
        step: Step = {"op": op}
        if op in ("done", "cancel", "down", "back", "drain", "resize"):
            step["pick"] = rng.randrange(1 << 16)
        if op == "submit":
            _draw_job(rng, world, rules, step, i, split)
            step["queue"] = rng.choice(hot)
            step["count"] *= 2 if busy and not step["gang"] and \
                "begin" not in step else 1
        elif op == "done":
            step["count"] = rng.randint(1, 3)
        elif op == "cancel":
            step["count"] = rng.choice([0, 1, 2])  # 0: all
        elif op == "resize" or op == "back" and not preempts and \
                rng.random() < 0.3:
            step["amounts"] = amounts(0, 0)
        world.steps.append(step)
    _scale(world, scale)
    return world


def _scale(world: World, scale: int) -> None:
    """Bounds and tasks in the scale of the nodes."""
    def larger(amounts: list[int] | None) -> list[int] | None:
        return amounts and [a * scale for a in amounts]

    for q in world.queues:
        q["guarantee"], q["limit"] = larger(q["guarantee"]), larger(q["limit"])
        q["users"] = {u: larger(v) for u, v in q["users"].items()}
    for step in world.steps:
        if step["op"] == "submit":
            step["amounts"] = larger(step["amounts"])


def _draw_queues(rng: random.Random, world: World, rules: Rules,
                 total: int) -> None:
    """A tree of depth 1 to 4, with bounds that bind."""
    depth = rng.choice([1, 1, 1, 2, 2, 3, 4]) if rules.trees else 1
    level: list[str | None] = [None]
    left = total  # guarantees add up to no more
    weighted = rng.choice(_WEIGHTS) if rng.random() < 0.7 else 0
    for d in range(depth):
        nxt: list[str | None] = []
        for parent in level:
            for _ in range(rng.randint(2, 3) if d == 0 else rng.choice(
                    [0, 1, 2, 2])):
                name = f"q{len(world.queues) + 1}"
                guarantee = None
                if rules.guarantees and left > 1 and \
                        rng.random() < (0.4 if len(world.kinds) == 1 else 0.6):
                    some = rng.choice([rng.randint(1, max(1, left // 2)),
                                       left // 2])
                    left -= some
                    guarantee = _guarantee(rng, some, len(world.kinds))
                limit = [_limit(rng, max(2, total)) for _ in world.kinds] \
                    if rules.limits and rng.random() < 0.3 else None
                if limit and guarantee:
                    limit = [max(a, b) for a, b in zip(limit, guarantee)]
                users = {u: [_limit(rng, max(2, total // 2))
                             for _ in world.kinds]
                         for u in ("u1", "u2") if rules.users
                         and rng.random() < 0.12}
                world.queues.append({
                    "name": name, "parent": parent, "guarantee": guarantee,
                    "weight": rng.randint(1, 4) * weighted or 1,
                    "limit": limit, "users": users})
                nxt.append(name)
        level = nxt or level
        if not nxt or len(world.queues) > 8:
            break


def _limit(rng: random.Random, most: int) -> int:
    """A limit; 0 is one too."""
    return 0 if rng.random() < 0.06 else rng.randint(1, most)


def _guarantee(rng: random.Random, some: int, kinds: int) -> list[int]:
    """Of some kinds, and of one at least."""
    found = [some if rng.random() < 0.3 else 0 for _ in range(kinds)]
    found[rng.randrange(kinds)] = some
    return found


def _draw_job(rng: random.Random, world: World, rules: Rules, step: Step,
              number: int, split: bool) -> None:
    unit = world.preempts
    count = rng.choice([1, 1, 2, 2, 3, 3, 5, 5, 8, 8, 25])
    gang = rules.gangs and not unit and rng.random() < 0.15
    count = rng.choice([2, 2, 3, 3, 5]) if gang else count
    amounts = [1 if unit else rng.choice([1, 1, 2, 3]) for _ in world.kinds]
    if len(amounts) > 1 and rng.random() < 0.25:
        amounts[rng.randrange(len(amounts))] = 0
    step.update(
        job=f"j{number + 1}",
        user=rng.choice(["u1", "u2", "u3"]) if rules.users else "u1",
        gang=count if gang else 0,
        priority=rng.choice(_PRIORITIES) if rules.priorities else 0,
        count=count, amounts=amounts,
        partition=rng.choice(["x", "y"]) if split and rng.random() < 0.6
        else None)
    if rules.reservations and not unit and not gang and rng.random() < 0.25:
        step.update(count=1, begin=rng.randint(1, 4))


#: The bounds of the judge: nothing may outlast its step.
BOUNDS: dict[str, int | None] = {}


def run(make: Callable[[], Any], world: World) -> tuple[str, str] | None:
    """Runs a world: None, or the invariant that breaks and words about it."""
    host = Host(make, world)
    error: tuple[str, str] | None = None
    try:
        host.run()
    except BadDecision as bad:
        error = ("decisions_are_known", f"at step {host.now}: {bad}")
    except Restless as restless:
        error = ("comes_to_rest", f"at step {host.now}: {restless}")
    except TooEarly as early:
        error = ("starts_too_early", f"at step {host.now}: {early}")
    except Exception as raised:  # pylint: disable=broad-except
        error = ("manager_runs", f"at step {host.now}: "
                 f"{type(raised).__name__}: {raised}")
    finally:
        close = getattr(host.manager, "close", None)
        if close:
            close()
    try:
        found = host.history.judge(until=host.now, preempts=world.preempts,
                                   **BOUNDS)  # type: ignore[arg-type]
    except RangeError as raised:  # of a sum: no cluster has so much
        return "node_over", f"more runs than can be counted: {raised}"
    first = min(found, key=_weight, default=None)
    if first is not None and (error is None or first.at < host.now):
        return first.name, str(first)
    if error is None and host.lie is not None:
        return "reasons_are_true", host.lie
    return error


# What is told first where several things are wrong at once: the cause.
_CAUSES = ("work_unknown", "node_unfit", "work_doubled", "node_over",
           "user_over", "queue_over", "gang_part", "work_lost")


def _weight(anomaly: Anomaly) -> tuple[int, int]:
    first = _CAUSES.index(anomaly.name) if anomaly.name in _CAUSES else 99
    return anomaly.at, first


# ---- Searching ----

def search(make: Callable[[], Any], *, runs: int = 10_000, seed: int = 0,
           seconds: float | None = None, rules: Rules | None = None,
           shorten: bool = True) -> Bug | None:
    """Runs worlds until one breaks an invariant: that bug, as short as can
    be, or None. `seconds`: of CPU, at most."""
    began = time.process_time()
    for number in range(1, runs + 1):
        if seconds is not None and time.process_time() - began > seconds:
            return None
        rng = random.Random(seed * 1_000_003 + number)
        # Short worlds first, and often: they are quick, and easy to read.
        world = draw(rng, rules, rng.choice([8, 12, 16, 24, 40]),
                     rng.random() < 0.15)
        found = run(make, world)
        if found is None:
            continue
        took = time.process_time() - began
        if not any((run(make, world) or ("",))[0] == found[0]
                   for _ in range(AGAIN)):
            found = ("same_again", f"{found[0]} once: {found[1]}\nand not in "
                     f"{AGAIN} more runs of the same world")
        elif shorten:
            world, found = shortest(make, world, found)
            if len(world.steps) > SHORT:
                world, found = _another(make, world, found, rules, seed)
        return Bug(found[0], found[1], world, seed, number, took)
    return None


#: Steps that a person reads at once; longer worlds are looked for anew.
SHORT = 8


def _another(make: Callable[[], Any], world: World, found: tuple[str, str],
             rules: Rules | None, seed: int) -> tuple[World, tuple[str, str]]:
    """A shorter world that breaks the same invariant, among short ones that
    are drawn anew; else a short one that breaks another; or the same."""
    spare: World | None = None
    until = time.process_time() + SHRINKING
    for number in range(1500):
        if time.process_time() > until:
            break
        rng = random.Random(-1 - seed * 1_000_003 - number)
        short = draw(rng, rules, rng.choice([2, 3, 4, 5, 6, 8, 12, 16]),
                     number % 2 == 0)
        got = run(make, short)
        if got is None:
            continue
        if got[0] != found[0]:
            spare = spare or short
            continue
        short, got = shortest(make, short, got)
        if len(short.steps) < len(world.steps):
            world, found = short, got
        if len(world.steps) <= SHORT:
            break
    other = run(make, spare) if spare is not None else None
    if len(world.steps) > SHORT and spare is not None and other is not None:
        short, got = shortest(make, spare, other)
        if len(short.steps) < len(world.steps):
            world, found = short, got
    return world, found


def shortest(make: Callable[[], Any], world: World,
             found: tuple[str, str]) -> tuple[World, tuple[str, str]]:
    """The shortest world that breaks the same invariant, as far as removing
    steps and queues, and making numbers smaller, leads."""
    best, words = world, found
    until = time.process_time() + SHRINKING
    named = _with_names(make, world)
    if (run(make, named) or ("",))[0] == found[0]:
        best = named

    def fails(tried: World) -> bool:
        nonlocal best, words
        if time.process_time() > until:
            return False
        got = run(make, tried)
        if got is None or got[0] != found[0]:
            return False
        best, words = tried, got
        return True

    changed = True
    while changed:
        changed = _fewer_steps(lambda: best, fails)
        changed |= _fewer_queues(lambda: best, fails)
        changed |= _smaller(lambda: best, fails)
        if not changed and SHORT < len(best.steps) <= 2 * SHORT:
            changed = _two_fewer(lambda: best, fails)
    return best, words


def _with_names(make: Callable[[], Any], world: World) -> World:
    """The world with names for what its steps draw, so that each step means
    the same when others are gone."""
    host = Host(make, world)
    try:
        host.run()
    except Exception:  # pylint: disable=broad-except
        pass  # what was drawn until then is known
    finally:
        close = getattr(host.manager, "close", None)
        if close:
            close()
    steps: list[Step] = []
    for step in world.steps:
        which = host.picked.get(id(step))
        if "pick" in step and which is not None:
            step = {**step, "which": which}
            del step["pick"]
        steps.append(step)
    return _with(world, steps=steps)


def _with(world: World, **changes: Any) -> World:
    return World(**{**world.__dict__, **changes})


def _fewer_steps(best: Callable[[], World],
                 fails: Callable[[World], bool]) -> bool:
    any_ = False
    size = max(1, len(best().steps) // 2)
    while True:
        at = 0
        while at < len(best().steps):
            steps = best().steps
            if fails(_with(best(), steps=steps[:at] + steps[at + size:])):
                any_ = True
            else:
                at += size
        if size == 1:
            return any_
        size //= 2


def _two_fewer(best: Callable[[], World],
               fails: Callable[[World], bool]) -> bool:
    """Leaves out two steps that may be far apart, as a job and its end."""
    steps = best().steps
    return any(fails(_with(best(), steps=[
        s for k, s in enumerate(steps) if k not in (i, j)]))
        for i in range(len(steps)) for j in range(i))


def _fewer_queues(best: Callable[[], World],
                  fails: Callable[[World], bool]) -> bool:
    any_ = False
    for name in [q["name"] for q in best().queues]:
        world = best()
        used = {s.get("queue") for s in world.steps} | \
            {q["parent"] for q in world.queues}
        if name not in used:
            any_ |= fails(_with(world, queues=[
                q for q in world.queues if q["name"] != name]))
    for i in range(len(best().queues)):
        for key, plain in (("guarantee", None), ("limit", None), ("users", {}),
                           ("weight", 1)):
            world = best()
            if i < len(world.queues) and world.queues[i][key] != plain:
                queues = [{**q, key: plain} if j == i else q
                          for j, q in enumerate(world.queues)]
                any_ |= fails(_with(world, queues=queues))
    return any_


def _smaller(best: Callable[[], World],
             fails: Callable[[World], bool]) -> bool:
    any_ = False
    for i in range(len(best().steps)):
        for key, plain in (("gang", 0), ("priority", 0), ("user", "u1"),
                           ("partition", None), ("count", 1), ("begin", 0)):
            step = best().steps[i]
            if key in step and step[key] != plain:
                any_ |= _try_step(best, fails, i, {key: plain})
        step = best().steps[i]
        if step["op"] == "back" and "amounts" in step:
            any_ |= _try_step(best, fails, i, {"amounts": None})
        step = best().steps[i]
        if step.get("count", 0) > 2:
            any_ |= _try_step(best, fails, i, {"count": 2})
    return any_


def _try_step(best: Callable[[], World], fails: Callable[[World], bool],
              i: int, change: Step) -> bool:
    steps = [{**s, **change} if j == i else s
             for j, s in enumerate(best().steps)]
    return fails(_with(best(), steps=steps))

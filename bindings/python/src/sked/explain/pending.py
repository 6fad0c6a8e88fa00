"""Why a job waits: the bounds that the engine says hold it back, in words."""

from __future__ import annotations

from typing import Any

from ..engine import Engine, reason_text
from ..enums import ANY_PARTITION, Reason
from ..tree import Queue
from .share import shares_of
from .state import Open, State
from .words import Answer, amount, many, part, seconds, vector

MOST_NAMES = 5


def pending(state: State, job: str) -> Answer:
    """Why `job` waits in `state`: what binds each of its open asks, first
    from the root down, and what would come first. `holds` is False where it
    does not wait. Unexplained where the state cannot be."""
    question = f"why is job {job} pending at {seconds(state.time)}"
    asked = [o for o in state.open if o.job == job]
    running = sum(p.count for p in state.placed if p.job == job)
    if not asked:
        why = f": {state.idle[job]}" if job in state.idle else ""
        said = f"job {job} does not wait: {many(running, 'task')} of it run" \
            if running else f"job {job} neither waits nor runs{why}"
        return Answer(question, [f"At {seconds(state.time)} {said}."],
                      {"job": job, "running": running, "open": 0}, False)
    entry = state.engine()
    engine, key = entry.engine, entry.jobs[job]
    sentences = [intro(state, o, running) for o in asked]
    bounds = [bound_of(engine, b) for b in engine.explain(key)]
    if key in entry.rejected:
        bounds.append(never(engine, asked[0], entry.rejected[key]))
    binding = [b for b in bounds if b["binds"]]
    sentences += [sentence(state, asked[0], b) for b in binding]
    if any(b["reason"] == "BEHIND" for b in binding) or not binding:
        sentences += first_served(engine, entry.jobs, job)
    sentences += standing(state, state.tree[asked[0].queue])
    return Answer(question, sentences, {
        "job": job, "queue": asked[0].queue, "running": running,
        "open": sum(o.count for o in asked), "bounds": bounds})


def intro(state: State, o: Open, running: int) -> str:
    """Who waits for what, and for how long."""
    task = vector(state.tree.schema, o.amount)
    since = "" if o.since is None else \
        f" for {seconds(state.time - o.since)}, since {seconds(o.since)}"
    also = f"; {many(running, 'task')} of it run" if running else ""
    wait = "waits" if o.count == 1 else "wait"
    return (f"{many(o.count, 'task')} of job {o.job} {wait} in {o.queue}"
            f"{since}: each needs {task}{also}.")


def bound_of(engine: Engine, b: Any) -> dict[str, Any]:
    """A bound as facts."""
    path = Queue(engine.tree, b.queue).path if b.queue else None
    return {"reason": Reason(b.reason).name, "kind": b.kind, "queue": path,
            "need": b.need, "bound": b.bound, "partition": b.partition,
            "binds": bool(b.binds)}


def never(engine: Engine, o: Open, d: Any) -> dict[str, Any]:
    """A rejection as facts: a bound that no waiting lifts."""
    queue = Queue(engine.tree, d.queue) if d.queue else None
    kind, bound = d.kind_at, d.detail
    if queue and d.reason == Reason.NEVER_LIMIT:
        limits = list(queue.get("limit").values())
        kind = next((k for k, (a, most) in enumerate(zip(o.amount, limits))
                     if a > most), -1)
        bound = limits[kind] if kind >= 0 else 0
    return {"reason": Reason(d.reason).name, "kind": kind,
            "queue": queue.path if queue else None,
            "need": o.amount[kind] if kind >= 0 else 0, "bound": bound,
            "partition": o.partition, "binds": True}


def sentence(state: State, o: Open, b: dict[str, Any]) -> str:
    """What a bound means."""
    name, path, kind = b["reason"], b["queue"], b["kind"]
    schema = state.tree.schema
    if name == "NEVER_LIMIT" and kind >= 0:
        return (f"{path} may use {amount(schema, kind, b['bound'])} at most, "
                f"and one task needs {amount(schema, kind, b['need'])}: it "
                "can never run.")
    if name == "QUEUE_LIMIT" and kind >= 0:
        return (f"{path} may use {amount(schema, kind, b['bound'])} at most; "
                f"with one task more it would use "
                f"{amount(schema, kind, b['need'])}.")
    if name == "USER_LIMIT":
        return (f"Its user may use {amount(schema, kind, b['bound'])} of "
                f"{path}, and uses as much.")
    if name == "MAX_RUNNING":
        return (f"{path} may run {many(b['bound'], 'application')} at once; "
                f"this would be number {b['need']}.")
    if name == "USER_RUNNING":
        return (f"Its user may run {many(b['bound'], 'application')} at once; "
                f"this would be number {b['need']}.")
    if name == "CLASS" and kind >= 0:
        return (f"Jobs of its class may have {amount(schema, kind, b['bound'])} "
                f"in {path}; with it they would have "
                f"{amount(schema, kind, b['need'])}.")
    if name == "RATE":
        return (f"{path} may start {many(b['bound'], 'task')} in a second, "
                "and did.")
    if name == "DRAINING" and not path:
        verb = "drains" if b["bound"] == 1 else "drain"
        return f"{many(b['bound'], 'node')} would hold it, but {verb}."
    if name in ("NO_NODE", "NEVER_NODE"):
        return no_node(state, o, name == "NEVER_NODE", b["partition"])
    if name == "BEHIND":
        return "It fits on a node, and no limit is in its way: others " \
               "come first."
    where = f" ({path})" if path else ""
    return f"{reason_text(Reason[name]).capitalize()}{where}."


def no_node(state: State, o: Open, never: bool, partition: int) -> str:
    """The node that lacks least, and what it lacks."""
    schema = state.tree.schema
    here = [i for i, n in enumerate(state.nodes)
            if partition in (n.partition, ANY_PARTITION)]
    if not here:
        return "Its partition has no node."
    holds = [list(state.nodes[i].amount) if never else state.free(i)
             for i in here]
    best = min(range(len(here)), key=lambda i: (
        sum(max(0, w - r) / w for w, r in zip(o.amount, holds[i]) if w), i))
    lacks = [f"{amount(schema, k, w)} of which {amount(schema, k, r)} "
             f"{'is there' if never else 'is free'}"
             for k, (w, r) in enumerate(zip(o.amount, holds[best])) if w > r]
    what = "is large enough" if never else "has enough free"
    return (f"No node of {len(here)} {what}: node {here[best]} comes nearest, "
            f"where it needs {' and '.join(lacks)}.")


def first_served(engine: Engine, keys: dict[str, int], job: str) -> list[str]:
    """What a look at every node would start, until this job has its turn."""
    names = {key: name for name, key in keys.items()}
    engine.run_pass(0)
    before: dict[str, int] = {}
    for d in engine.take():
        name = names.get(d.job, "")
        if name == job:
            break
        before[name] = before.get(name, 0) + d.count
    if not before:
        return ["It is the next to be served: the next heartbeat of a node "
                "on which it fits starts it."]
    said = [f"{name} ({many(n, 'task')})" for name, n in
            list(before.items())[:MOST_NAMES]]
    more = len(before) - len(said)
    rest = f" and {many(more, 'job')} more" if more > 0 else ""
    return [f"Before it by order come: {', '.join(said)}{rest}."]


def standing(state: State, queue: Queue) -> list[str]:
    """What its queue has, and its fair share."""
    shares, ledger = shares_of(state)
    used, fair = ledger.get("usage", queue), shares[queue]
    whole = state.capacity()
    said = []
    for k, name in enumerate(state.tree.schema.names):
        if used[name] or fair[name]:
            said.append(f"{amount(state.tree.schema, k, used[name])}"
                        f"{part(used[name], whole[k])}, fair share "
                        f"{amount(state.tree.schema, k, fair[name])}")
    return [f"{queue.path} uses {'; '.join(said)}."] if said else []

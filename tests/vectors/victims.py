"""Victims of other systems as calls: who goes when so much is to be taken.

They all walk a list of tasks and take what frees anything that is wanted until
enough is. The library does so with SKED_PREEMPT_PLAIN; its answer is held to
`walk`, written from the words of <sched/preempt.h>, and the runner lets it plan
the same again without the flag: that plan must verify and take no more tasks.
"""

import exact
from peloton import UNIT, units
from yarn_float import f32, to_long

PLAIN = 4


def walk(queues, tasks, budget):
    """Rows that go. Each task: queue, amounts, whether it may go at all."""
    kinds = range(len(budget))
    need = [sum(q[k] for q in queues) for k in kinds]
    taken = [[0] * len(budget) for _ in queues]
    left, got = list(budget), []

    def open_part(q):
        return [max(queues[q][k] - taken[q][k], 0) for k in kinds]

    for row, (q, amounts, may) in enumerate(tasks):
        if not any(sum(open_part(p)[k] for p in range(len(queues)))
                   for k in kinds):
            break
        holds = any(amounts[k] for k in kinds if need[k])
        fits = all(a <= b for a, b in zip(amounts, left))
        if not (may and holds and fits and any(open_part(q))):
            continue
        got.append(row)
        for k in kinds:
            taken[q][k] += amounts[k]
            left[k] -= amounts[k]
    return got


def fields_of(queues, tasks, budget):
    """A queue uses what its tasks hold and keeps nothing: its take decides."""
    kinds = len(budget)
    usage = [[0] * kinds for _ in queues]
    for q, amounts, _ in tasks:
        for k in range(kinds):
            usage[q][k] += amounts[k]
    return {"kinds": kinds, "flags": PLAIN, "usage": sum(usage, []),
            "take": sum(queues, []),
            "need": [sum(q[k] for q in queues) for k in range(kinds)],
            "budget": budget, "queue": [q for q, _, _ in tasks],
            "amount": sum((a for _, a, _ in tasks), []),
            "fixed": [int(not may) for _, _, may in tasks]}


def rows_call(queues, tasks, want):
    budget = [exact.UNLIMITED] * len(queues[0])
    return "victims", None, dict(
        fields_of(queues, tasks, budget), want=want,
        exact=walk(queues, tasks, budget))


# ---- Peloton ----

def preempt_filter(case):
    x = case["in"]
    tasks = [(0, units(t["resource"]), True) for t in x["ordered"]]
    names = [t["id"] for t in x["ordered"]]
    yield rows_call([units(x["to_free"])], tasks,
                    [names.index(n) for n in case["expect"]])


# ---- Fair scheduler ----

def fs_am_preempt(case):
    """A master goes only where masters may."""
    x = case["input"]
    may = x["am_preemption_enabled"] or not x["am_container"]
    want = [0] if case["expect"]["preemptable"] else []
    yield rows_call([[UNIT]], [(0, [UNIT], may)], want)


# ---- Capacity scheduler ----

class Task:
    def __init__(self, app, group, number, partition):
        self.app, self.number = app["id"], number
        self.urgency = group.get("priority", 0)
        self.amounts, self.node = group["resource"], group["node"]
        self.reserved, self.partition = group.get("reserved", False), partition
        marks = app.get("am", "first")
        self.master = number == 1 if marks == "first" else number in marks


def tasks_of(x, app):
    part = {n["id"]: n["partition"] for n in x["nodes"]}
    number = app.get("first_container_id", 1)
    for group in app["containers"]:
        for _ in range(group["count"]):
            yield Task(app, group, number, part[group["node"]])
            number += 1


def in_turn(x, path, keep):
    """A leaf's tasks in the order in which they go, and whether they may: of
    the least application first, masters last and down to what they may hold."""
    apps = [a for a in x["apps"]
            if path in (a["queue"], "root." + a["queue"]) or
            path.rpartition(".")[2] == a["queue"]]
    apps.sort(key=lambda a: (-a.get("priority", 0), a["id"]))
    got, masters = [], []
    for app in reversed(apps):
        tasks = list(tasks_of(x, app))
        got += [(t, True) for t in tasks if t.reserved]
        live = sorted((t for t in tasks if not t.reserved),
                      key=lambda t: (-t.urgency, -t.number))
        got += [(t, True) for t in live if not t.master]
        masters += [t for t in live if t.master]
    held = sum(t.amounts[0] for t in masters)
    for t in masters:
        got.append((t, held > keep))
        held -= t.amounts[0]
    return got


def seen(entry, tasks, rows):
    return sum(tasks[r].app == entry["app"] and
               entry.get("node", tasks[r].node) == tasks[r].node for r in rows)


SELECTORS = (("underutilized_priority_preemption", "victims-for-priority"),
             ("select_based_on_reserved", "victims-for-reservations"),
             ("preemption_to_balance", "victims-of-two-passes"),
             ("intra_queue_enabled", "victims-inside-leaves"))


def rule_of(x, many, cut):
    """Who else chose victims in the same round, or who came first where the
    budget is not enough for all."""
    for setting, rule in SELECTORS:
        if x["config"].get(setting):
            return rule
    if len(x["partitions"]) > 1:
        return "victims-on-borrowed-nodes"
    if cut:
        return "victims-by-turn-of-leaves"
    return "victims-by-one-comparison" if many else None


def cs_victims(case):
    """The first round, by what the monitor wanted of each leaf."""
    x, rounds = case["input"], case.get("derived", {}).get("rounds")
    entries = [e for e in case["expect"]["after_round"][0]
               if "marked" in e and e.get("type", "mark") == "mark"]
    if not rounds or not entries:
        yield "-", "lacks:exact-answer", {}
        return
    kinds = 1 if x["calculator"] == "default" else len(x["resource_types"])
    parents = {q["path"].rpartition(".")[0] for q in x["queues"]}
    queues, tasks, found = [], [], []
    for q in x["queues"]:
        if q["path"] in parents or q.get("parent_type"):
            continue
        first = len(queues)
        for name in x["partitions"]:
            told = rounds[0]["queues"].get(f"{q['path']}|{name}", {})
            want = told.get("selected_target", [0] * kinds)[:kinds]
            queues.append([max(v, 0) for v in want])
        names = list(x["partitions"])
        keep = to_long(q.get("guaranteed", {}).get("", [0])[0] *
                       f32(q.get("max_am_percent", 0.0)))
        for task, may in in_turn(x, q["path"], keep):
            row = first + names.index(task.partition)
            tasks.append((row, task.amounts[:kinds], may))
            found.append(task)
    whole = x.get("cluster") or [sum(p["resource"][k] for p in
                                     x["partitions"].values())
                                 for k in range(kinds)]
    part = f32(x["config"].get("total_preemption_per_round", 0.1))
    budget = [to_long(v * part) for v in whole[:kinds]]
    rows = walk(queues, tasks, budget)
    got = [seen(e, found, rows) for e in entries]
    want = [e["marked"] for e in entries]
    nodes = sorted({t.node for t in found})
    cut = any(b < sum(q[k] for q in queues) for k, b in enumerate(budget))
    rule = None if got == want else rule_of(x, kinds > 1, cut)
    yield "victims", rule, dict(
        fields_of(queues, tasks, budget), want=want, exact=got,
        app=[t.app for t in found], node=[nodes.index(t.node) for t in found],
        entry_app=[e["app"] for e in entries],
        entry_node=[nodes.index(e["node"]) if e.get("node") in nodes else -1
                    for e in entries])

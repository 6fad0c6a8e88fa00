"""Who is let into a pool of Peloton's, as calls: a call for each time its lines
are walked. `Pool` does it with lists, from the words of <sched/admit.h>."""

import exact
from peloton import KINDS, number, units

LINES = ("pending", "nonpreemptible", "controller", "revocable")
ALL, OWN, CONTROLLER, REVOCABLE = range(4)
SUMS = ("total", "nonpreemptible", "controller", "slack")
IN, FULL, MOVED, LAST, GONE = range(1, 6)
RESULTS = {"admitted": IN, "pool_full": FULL, "skip_controller": MOVED,
           "skip_nonpreemptible": MOVED, "skip_revocable": MOVED}
ZERO = [0] * len(KINDS)


class Gang:
    """Tasks that come together, without those that were given up."""

    def __init__(self, tasks, line, invalid):
        left = [t for t in tasks if t["id"] not in invalid]
        first = tasks[0]
        self.names = [t["id"] for t in left]
        self.need = [sum(v) for v in zip(ZERO, *(units(t["resource"])
                                                 for t in left))]
        self.tasks, self.line = len(left), line
        self.priority = first["priority"]
        self.kind = (not first["preemptible"]) + 2 * first["controller"] + (
            4 * first["revocable"])
        self.state = 0 if len(left) == len(tasks) else 1 if left else 2


class Pool:
    def __init__(self, x):
        own = units({k: v[0] for k, v in x["res"].items()})
        part = x.get("controller_limit_pct")
        self.preempts = x.get("preemption_enabled", False)
        self.entitlement = units(x.get("nonslack_entitlement", {}))
        self.slack = units(x.get("slack_entitlement", {}))
        self.reservation = (units(x["reservation_override"])
                            if "reservation_override" in x else own)
        self.controllers = [exact.UNLIMITED] * len(KINDS)
        if part is not None:
            self.controllers = [int(v * number(part) / 100) for v in own]
        if "controller_limit_override" in x:
            self.controllers = units(x["controller_limit_override"])
        held = x.get("alloc", {})
        self.held = [units(held.get(s, {})) for s in SUMS]
        self.waiting = []

    def fields(self, most):
        """The pool as it is handed over."""
        g = self.waiting
        return {"kinds": len(KINDS), "flags": int(self.preempts), "most": most,
                "n": len(g), "entitlement": self.entitlement,
                "slack": self.slack, "reservation": self.reservation,
                "controllers": self.controllers, "held": sum(self.held, []),
                "need": sum((w.need for w in g), []),
                "tasks": [w.tasks for w in g],
                "priority": [w.priority for w in g],
                "kind": [w.kind for w in g], "line": [w.line for w in g],
                "state": [w.state for w in g]}

    def enters(self, gang):
        def within(held, bound):
            return all(h + v <= b for h, v, b in zip(held, gang.need, bound))

        if gang.kind & 4:
            return within(self.held[3], self.slack)
        own = [max(a - b, 0) for a, b in zip(self.held[0], self.held[3])]
        single = gang.kind & 2 and gang.tasks == 1
        fixed = gang.kind & 1 and self.preempts
        return within(own, self.entitlement) and (
            not single or within(self.held[2], self.controllers)) and (
            not fixed or within(self.held[1], self.reservation))

    def walk(self, most):
        """One time; what became of each, in the order of arrival."""
        outcome = {id(g): 0 for g in self.waiting}
        rows = list(self.waiting)
        for line in (OWN, CONTROLLER, REVOCABLE, ALL):
            while most > 0:
                here = [g for g in self.waiting if g.line == line]
                if not here:
                    break
                gang = max(here, key=lambda g: g.priority)
                said = self.look(gang, line)
                outcome[id(gang)] = said
                if said == FULL:
                    break
                most -= 1
        return [outcome[id(g)] for g in rows]

    def look(self, gang, line):
        if gang.state or self.enters(gang):
            self.waiting.remove(gang)
        if gang.state == 2:
            return GONE
        if gang.state == 1:
            gang.state = 0
            self.waiting.append(gang)
            return LAST
        if gang not in self.waiting:
            for i, counts in enumerate((True, gang.kind & 1, gang.kind & 2,
                                        gang.kind & 4)):
                if counts:
                    self.held[i] = [h + v for h, v in zip(self.held[i],
                                                          gang.need)]
            return IN
        own = (OWN if gang.kind & 1 and self.preempts else
               CONTROLLER if gang.kind & 2 else
               REVOCABLE if gang.kind & 4 else ALL)
        if line != ALL or own == ALL:
            return FULL
        self.waiting.remove(gang)
        gang.line = own
        self.waiting.append(gang)
        return MOVED

    def step(self, most, said):
        """A call: what is told of its answer, and all of it."""
        fields, rows = self.fields(most), list(self.waiting)
        outcome = self.walk(most)
        demand = [sum(v) for v in zip(ZERO, *(g.need for g in self.waiting))]
        got = [outcome.count(IN)] + [
            sum(g.line == i for g in self.waiting) for i in range(4)]
        got += sum(self.held, []) + demand + outcome
        want = ["?"] * len(got)
        told = {"admitted": 0, **{n: 1 + i for i, n in enumerate(LINES)}}
        for name, value in {**said, **said.get("queues", {})}.items():
            if name in told:
                want[told[name]] = value
        for i, name in enumerate(SUMS):
            if name in said.get("alloc", {}):
                want[5 + 4 * i:9 + 4 * i] = units(said["alloc"][name])
        if "demand" in said:
            want[21:25] = units(said["demand"])
        if "ids" in said:
            want[0] = len(said["ids"])
            for i, gang in enumerate(rows):
                if set(gang.names) & set(said["ids"]):
                    want[25 + i] = IN
        if said.get("result") in RESULTS:
            want[25] = RESULTS[said["result"]]
        return "admit", None, dict(fields, want=want, exact=got)


def admit_one(case):
    """One gang that stands first in a line."""
    x = case["in"]
    pool = Pool(x["pool"])
    pool.waiting = [Gang(x["gang"], LINES.index(x["queue"]),
                         x["pool"].get("invalid", []))]
    yield pool.step(1, case["expect"])


def dequeue(case):
    """Time after time; everything begins in the line of all."""
    x = case["in"]
    pool = Pool(x["pool"])
    for entry in x["enqueue"]:
        tasks = entry.get("gang") or [entry["task"]]
        pool.waiting += [Gang(tasks, ALL, [])
                         for _ in range(entry.get("repeat", 1))]
    for step, said in zip(x["steps"], case["expect"]):
        if "enqueue" in step:
            pool.waiting.append(Gang([step["enqueue"]], ALL, []))
        if "set_nonslack_entitlement" in step:
            pool.entitlement = units(step["set_nonslack_entitlement"])
        if "set_slack_entitlement" in step:
            pool.slack = units(step["set_slack_entitlement"])
        yield pool.step(step["limit"], said)


def task_allocation(case):
    """What a task is counted under, once it is let in; what is not fixed or
    not revocable is the rest of all."""
    x, given = case["in"], case["expect"]
    pool = Pool({"res": {}})
    pool.entitlement = pool.slack = [exact.UNLIMITED] * len(KINDS)
    task = {"id": "t", "priority": 0, **x}
    pool.waiting = [Gang([task], ALL, [])]
    whole = units(given["total"])
    for part, rest in (("preemptible", "nonpreemptible"),
                       ("nonslack", "slack")):
        if part in given and units(given[part]) != [
                a - b for a, b in zip(whole, units(given[rest]))]:
            yield "-", "lacks:classes-of-tasks", {}
            return
    yield pool.step(1, {"admitted": 1, "alloc": given})


CALLS = {"task_allocation": task_allocation, "admit_one": admit_one, "dequeue": dequeue}

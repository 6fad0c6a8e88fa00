"""Preemption of Peloton as calls: who is over its entitlement for long enough,
what the guide's pools give back, in which order tasks go, what is queued."""

from fractions import Fraction

import exact
import victims
from peloton import KINDS, UNIT, near, number, units

STATES = {"READY": 0, "PLACING": 1, "RUNNING": 2}
UNSET = -2 ** 63
GROUP_KEYS = [1, 3, 4]  # state, priority, run time


def both(row, name):
    """An amount for ordinary work, then one for revocable work."""
    slack = row.get("slack_" + name, row.get(name + "_slack", {}))
    plain = row.get(name, row.get(name + "_nonslack", {}))
    return units(plain) + units(slack)


def preempt_eligible(case):
    """Round by round; entitlements are handed over as limits of a queue that
    wants what it has, so that its share is the lesser of the two."""
    x, given = case["in"], case["expect"]
    count = close = 0
    alloc, ent = [], []
    for cycle in x["cycles"]:
        a, e = both(cycle, "alloc"), both(cycle, "ent")
        count = count + 1 if any(p > q for p, q in zip(a, e)) else 0
        over = any(p > q and not near(p, q) for p, q in zip(a, e))
        close = close + 1 if over else 0
        alloc += a
        ent += e
    want = [int(given["eligible"]), given["count"]]
    mine = [int(count >= x["threshold"]), count]
    theirs = [int(close >= x["threshold"]), close]
    rule = "epsilon" if want != mine and want == theirs else None
    yield "over_rounds", rule, {"alloc": alloc, "ent": ent,
                                "cycles": x["threshold"],
                                "kinds": 2 * len(KINDS), "want": want,
                                "exact": mine}


def give_back(case):
    """Entitlements, and what is above them, in thousandths of a thousandth."""
    x, given = case["in"], case["expect"]
    names = list(x["pools"])
    parent = [-1] + [0] * len(names)
    rows = [{"guarantee": 0, "limit": exact.UNLIMITED, "weight": 1, "want": 0}]
    used = [0]
    for name in names:
        q = x["pools"][name]
        rows.append({"guarantee": round(number(q["reservation"]) * UNIT),
                     "limit": round(number(q["limit"]) * UNIT),
                     "weight": round(number(q["share"]) * 1000),
                     "want": round(number(q["demand_total"]) * UNIT)})
        used.append(round(number(q["alloc"]) * UNIT))
    capacity = round(number(x["capacity"]) * UNIT)
    got = [q.share for q in exact.tree(parent, rows, capacity,
                                       exact.ENTITLEMENT, False,
                                       exact.fill_webster)]
    over = [max(u - s, 0) for u, s in zip(used, got)]
    fields = {"dialect": 2, "kinds": 1, "parent": parent, "cycles": 1,
              "weight": [r["weight"] for r in rows], "capacity": [capacity],
              "guarantee": [r["guarantee"] for r in rows],
              "limit": [r["limit"] for r in rows], "usage": used,
              "demand": [r["want"] for r in rows]}

    def wanted(mine, said):
        """Their rational, where ours is it to a thousandth."""
        want = ["?"]
        for name, m in zip(names, mine[1:]):
            value = Fraction(said[name]) * UNIT if name in said else m
            want.append(m if abs(value - m) <= UNIT // 1000 else round(value))
        return want

    yield "target_share", None, dict(
        fields, want=wanted(got, given["entitlement"]), exact=got)
    yield "target_take", None, dict(
        fields, want=wanted(over, given["to_free"]), exact=over)
    prints = given.get("guide_prints", {})
    if "taken_for_reservation" in prints:
        first = round(number(prints["taken_for_reservation"]) * UNIT)
        yield "target_first", None, dict(
            fields, want=["?"] + [first if o else 0 for o in over[1:]])


# ---- Order ----

def key_of(task):
    """Only what runs has a run time."""
    running = task["state"] == "RUNNING"
    start = -number(task.get("start", 0)) if running else 0
    return STATES[task["state"]], task["priority"], start


def walk(tasks, limit):
    """Tasks in order until nothing is missing; who frees none of the kinds that
    were wanted is passed over."""
    left, taken = list(limit), []
    wanted = [k for k, v in enumerate(limit) if v]
    for task in tasks:
        if not any(left):
            break
        frees = units(task["resource"])
        if any(frees[k] for k in wanted):
            taken.append(task)
            left = [max(v - f, 0) for v, f in zip(left, frees)]
    return taken


def preempt_rank(case):
    """Revocable tasks, then the others; of each as many as the walk takes,
    from a library that ranks all that free something."""
    x, want = case["in"], list(case["expect"])
    for revocable, limit in ((True, "slack_to_free"),
                             (False, "nonslack_to_free")):
        goal = units(x.get(limit, {}))
        tasks = [t for t in x["tasks"] if t["preemptible"] and
                 t["state"] in STATES and bool(t.get("revocable")) == revocable
                 and any(f for f, g in zip(units(t["resource"]), goal) if g)]
        taken = walk(sorted(tasks, key=key_of), goal)
        names = [t["id"] for t in tasks]
        said, want = want[:len(taken)], want[len(taken):]
        mine = [names.index(t["id"]) for t in taken]
        theirs = [names.index(n) if n in names else -1 for n in said]
        rule = None
        if theirs != mine and -1 not in theirs and [
                key_of(tasks[i]) for i in theirs] == [
                key_of(tasks[i]) for i in mine]:
            rule = "ties-by-position"  # their sort is not stable
        if tasks or not revocable:
            yield "rank", rule, {
                "n": len(tasks), "keys": GROUP_KEYS,
                "state": [STATES[t["state"]] for t in tasks],
                "priority": [t["priority"] for t in tasks],
                "started": [round(number(t["start"]) * 1000)
                            if t["state"] == "RUNNING" and "start" in t
                            else UNSET for t in tasks],
                "top": len(taken), "want": theirs, "exact": mine}
    if want:
        yield "unreadable", None, {"error": "more victims than are wanted"}


# ---- What becomes of victims ----

def preempt_process(case):
    """What runs is told, each once however often it is wanted; what does not
    run yet goes at once."""
    x, given = case["in"], case["expect"]
    times = x.get("times", 1)
    runs = [i for i, v in enumerate(x["victims"]) if v["state"] == "RUNNING"]
    waits = [i for i, v in enumerate(x["victims"])
             if v["state"] in ("READY", "PLACING")]
    yield "told", None, {"keys": [i + 1 for i in runs], "n": len(runs),
                         "times": times, "grace": 0,
                         "want": given["preemption_queue"], "exact": len(runs)}
    if "requeued" in given:
        yield "told", None, {"keys": [i + 1 for i in waits], "n": len(waits),
                             "times": times, "grace": -1,
                             "want": given["requeued"], "exact": len(waits)}


CALLS = {"preempt_eligible": preempt_eligible, "give_back": give_back,
         "preempt_rank": preempt_rank,
         "preempt_filter": victims.preempt_filter, "preempt_process": preempt_process}

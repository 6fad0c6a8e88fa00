"""Targets of YARN's preemption as calls: what the capacity scheduler would
take from each queue, who starves under the fair scheduler, and what
applications are told. Victims are chosen elsewhere."""

from fractions import Fraction

import exact
import yarn_ideal
from victims import SELECTORS, tasks_of
from yarn_float import f32, to_long
from yarn_res import are_amounts
from yarn_share import parents_of, paths_with_root

IMBALANCE, STARVATION = 0, 1
BALANCE, PPM = 1, 10 ** 6


# ---- In our own terms ----

def in_force(parent, rows, capacity):
    """Guarantees lifted by children's, then cut in one ratio."""
    lift = [0] * len(rows)
    for i in reversed(range(len(rows))):
        below = sum(lift[k] for k in range(len(rows)) if parent[k] == i)
        lift[i] = min(rows[i]["limit"], max(rows[i]["guarantee"], below))
    got = [capacity] + lift[1:]
    for i in range(1, len(rows)):
        whole = got[parent[i]]
        total = sum(lift[k] for k in range(1, len(rows))
                    if parent[k] == parent[i])
        if total > whole:
            got[i] = lift[i] * whole // total
    return got


class Kind:
    """One kind: rows as they are handed over, and what the library is to say,
    worked out from the words of <sched/target.h>."""

    def __init__(self, parent, queues, capacity, balance):
        self.leaf = [i not in parent for i in range(len(queues))]
        rows = [{"guarantee": q["guarantee"], "limit": q["limit"],
                 "weight": 1, "usage": q["usage"],
                 "demand": max(q["usage"], q["demand"])} for q in queues]
        self.force = in_force(parent, rows, capacity)
        for i, r in enumerate(rows):
            free = balance and not queues[i]["disabled"]
            r["want"] = r["demand"] if free else min(
                r["demand"], max(r["usage"], self.force[i]))
            r["held"] = r["usage"] if queues[i]["disabled"] else 0
        self.rows = rows
        held = [dict(r, guarantee=g) for r, g in zip(rows, self.force)]
        self.tree = exact.tree(parent, held, capacity, exact.CAPACITY, False,
                               exact.fill_webster)
        self.share = [q.share for q in self.tree]
        self.excess = [max(r["usage"] - s, 0) if leaf else 0 for r, s, leaf in
                       zip(rows, self.share, self.leaf)]


def takes(kinds, queues, dead, factor):
    """ceil(excess * factor) of who is above its dead zone in some kind."""
    got = []
    for i in range(len(queues)):
        gives = not queues[i]["disabled"] and any(
            k.excess[i] and k.rows[i]["usage"] > k.force[i] * (1 + dead)
            for k in kinds)
        got += [-(-k.excess[i] * factor.numerator // factor.denominator)
                if gives else 0 for k in kinds]
    return got


def flat(kinds, values):
    return [v for row in zip(*(values(k) for k in kinds)) for v in row]


# ---- Capacity scheduler ----

def decimal(x):
    return Fraction(repr(x)) if isinstance(x, float) else Fraction(x)


def parts_of(x):
    """In parts per million, exactly, or None."""
    ppm = decimal(x) * PPM
    return int(ppm) if ppm.denominator == 1 else None


def rule_of_share(ideal, kinds, paths, theirs, near):
    """Why YARN's ideals are others; as for ideal allocations, except that who
    may not be preempted is heeded here."""
    if yarn_ideal.without(ideal.given, "priority", 0) != theirs:
        return "ideal-by-priority"
    if any(yarn_ideal.is_bound(ideal, p, i, q) for i, k in enumerate(kinds)
           for p, q in zip(paths, k.tree)):
        return "children-bound-parent"
    if any(sum(c.floor for c in q.children) > q.share
           for k in kinds for q in k.tree):
        return "guarantees-scaled"
    if any(k.force[i] < k.rows[i]["guarantee"] for k in kinds
           for i in range(len(paths))):
        return "guarantees-scaled"
    return "shares-exact" if near else "ideal-by-kind"


def queues_of(ideal, paths, k):
    got = []
    for path in paths:
        q = ideal.queues[path]
        pending = q.pending if ideal.reserved else q.open
        got.append({"guarantee": q.guarantee[k], "limit": q.limit[k],
                    "usage": max(q.used[k], 0),
                    "demand": max(q.used[k] + pending[k], 0),
                    "disabled": q.disabled and not q.children})
    return got


def fields_of(kinds, parent, queues, capacity, balance, dead, factor):
    return {"dialect": IMBALANCE, "flags": BALANCE * balance,
            "kinds": len(kinds), "parent": parent, "capacity": capacity,
            "guarantee": flat(kinds, lambda k: [r["guarantee"]
                                                for r in k.rows]),
            "limit": flat(kinds, lambda k: [r["limit"] for r in k.rows]),
            "usage": flat(kinds, lambda k: [r["usage"] for r in k.rows]),
            "demand": flat(kinds, lambda k: [r["demand"] for r in k.rows]),
            "from": [int(not q["disabled"]) for q in queues],
            "ignored": dead or -1, "factor": factor, "per_round": -1}


def with_root_open(values, kinds):
    """The root's ideal is its guarantee, whatever its queues can take."""
    return ["?"] * kinds + values[kinds:]


def judge_targets(x, answer, spent=((),)):
    """Calls for one partition: shares, what is above them, what is taken.
    `spent`: what of the budget may have been used up before."""
    kinds = 1 if x["calculator"] == "default" else len(x["cluster"])
    ideal = yarn_ideal.Ideal(x, len(x["cluster"]))
    paths = paths_with_root(list(ideal.queues))
    parent = parents_of(paths)
    dead = parts_of(x["max_ignored_over_capacity"])
    factor = parts_of(x["natural_termination_factor"])
    capacity = ideal.queues["root"].guarantee[:kinds]
    queues = [queues_of(ideal, paths, k) for k in range(kinds)]
    mine = [Kind(parent, q, c, x["balance_mode"])
            for q, c in zip(queues, capacity)]
    if dead is None or factor is None:
        yield "-", "lacks:exact-answer", {}
        return
    fields = fields_of(mine, parent, queues[0], capacity, x["balance_mode"],
                       dead, factor)
    said = ideal.run()
    whole = x["total_preemption_allowed"]
    bids = [ideal.to_preempt([b - s for b, s in zip(whole, used)] or whole)
            for used in spent]

    def column(name):
        return [v for p in paths for v in answer[p][name][:kinds]]

    share = flat(mine, lambda k: k.share)
    want = with_root_open(column("ideal"), kinds)
    agree = all(said[p] == answer[p]["ideal"] for p in paths) and any(
        all(bid[p] == answer[p]["to_preempt"] for p in paths) for bid in bids)
    rule = None
    if agree and share[kinds:] != want[kinds:]:
        near = all(abs(a - b) <= len(paths)
                   for a, b in zip(share[kinds:], want[kinds:]))
        rule = rule_of_share(ideal, mine, paths, said, near)
    yield "target_share", rule, dict(fields, want=want, exact=share)
    yield excess_call(ideal, mine, paths, fields, column("to_preempt"),
                      rule, agree)
    yield take_call(mine, queues[0], paths, fields, column, x, agree,
                    rule)


def open_parents(mine, values):
    """Amounts of parents are not compared: ours speak of leaves."""
    kinds = len(mine)
    return [v if mine[0].leaf[i // kinds] else "?"
            for i, v in enumerate(values)]


def differ(a, b):
    return any(w != "?" and g != w for g, w in zip(a, b))


def excess_call(ideal, mine, paths, fields, given, share_rule, agree):
    excess = flat(mine, lambda k: k.excess)
    want, rule = open_parents(mine, given), None
    if agree and differ(excess, want):
        huge = [exact.MOST] * ideal.kinds
        rule = share_rule or "ideal-by-kind"
        whole = open_parents(mine, [
            v for p in paths for v in ideal.to_preempt(huge)[p][:len(mine)]])
        if not differ(excess, whole):
            rule = "budget-cuts-takes"
    return "target_excess", rule, dict(fields, want=want, exact=excess)


def take_call(mine, queues, paths, fields, column, x, agree, share_rule):
    """Their amounts are eased, and none within the dead zone."""
    got = takes(mine, queues, Fraction(fields["ignored"], PPM)
                if fields["ignored"] > 0 else 0,
                Fraction(fields["factor"], PPM))
    want, rule = open_parents(mine, column("selected_target")), None
    if agree and differ(got, want):
        excess = flat(mine, lambda k: k.excess)
        told = open_parents(mine, column("to_preempt"))
        rule = share_rule or "budget-cuts-takes"
        if not differ(excess, told):
            rule = "gives-by-kind"
    return "target_take", rule, dict(fields, want=want, exact=got)


def oracle_targets(case):
    x = case["input"]
    for q in x["queues"]:
        if not are_amounts(q["used"], q["pending"], q["guaranteed"], q["max"]):
            yield "-", "lacks:amounts-below-0", {}
            return
    yield from judge_targets(x, case["expect"])


def partition_of(x, name, balance, reserved):
    """One partition of a monitor's case in the form of an allocation's."""
    config, kinds = x["config"], len(x["resource_types"])
    whole = x.get("cluster") or [sum(p["resource"][k] for p in
                                     x["partitions"].values())
                                 for k in range(kinds)]
    part, zero = x["partitions"][name], [0] * kinds
    by_path = {q["path"]: q for q in x["queues"]}
    budget = f32(config.get("total_preemption_per_round", 0.1))

    def row(q):
        up = by_path.get(q["path"].rpartition(".")[0], {})
        heeds = up.get("respect_priority", True)
        return {"path": q["path"],
                "used": q.get("used", {}).get(name, zero),
                "pending": q.get("pending", {}).get(name, zero),
                "reserved": q.get("reserved", {}).get(name, zero),
                "guaranteed": q.get("guaranteed", {}).get(name, zero),
                "max": q.get("max", {}).get(name, zero),
                "abs_capacity": q.get("abs_capacity", {}).get(name, 0.0),
                "abs_max": q.get("abs_max", {}).get(name, 0.0)
                if part.get("exclusive", True) else 1.0,
                "priority": q.get("priority", 0) if heeds else 0,
                "preemption_disabled": q.get("preemption_disabled", False),
                "parent_type": q.get("parent_type", False)}

    return {"calculator": x["calculator"], "cluster": part["resource"],
            "total_preemption_allowed": [to_long(v * budget) for v in whole],
            "count_reserved_as_pending": reserved, "balance_mode": balance,
            "max_ignored_over_capacity":
                config.get("max_ignored_over_capacity", 0.1),
            "natural_termination_factor":
                config.get("natural_termination_factor", 0.2),
            "queues": [row(q) for q in x["queues"]]}


def spent_before(x, events):
    """What containers marked earlier in the round may have used up of its
    budget, where more than one pass chooses them: one after the other."""
    spent = [[0] * len(x["resource_types"])]
    if any(x["config"].get(name) for name, _ in SELECTORS):
        size = {(app["id"], t.number): t.amounts for app in x["apps"]
                for t in tasks_of(x, app)}
        for _, app, number, *_ in (e for e in events if e[0] == "mark"):
            spent.append([a + b for a, b in zip(spent[-1],
                                                size[app, number])])
    return spent


def cs_targets(case):
    """The first round of each partition, by the pass that left its ideals
    (whether reserved amounts count as pending, and whether it balances)."""
    x = case["input"]
    rounds = case.get("derived", {}).get("rounds")
    if not rounds:
        yield "-", "lacks:exact-answer", {}
        return
    for name in x["partitions"]:
        zero = [0] * len(x["resource_types"])
        answer = {q["path"]: rounds[0]["queues"].get(
            f"{q['path']}|{name}", dict.fromkeys(
                ("ideal", "to_preempt", "selected_target"), zero))
            for q in x["queues"]}  # those that have nothing are left out
        for mode in range(4):
            given = partition_of(x, name, bool(mode & 1), bool(mode & 2))
            said = yarn_ideal.Ideal(given, len(given["cluster"])).run()
            if all(said[p] == v["ideal"] for p, v in answer.items()):
                yield from judge_targets(given, answer, spent_before(
                    x, rounds[0].get("events", ())))
                break
        else:
            yield "-", "lacks:order-of-siblings", {}


# ---- Fair scheduler ----

def fs_starvation(case):
    """Queues under the root, one of them with all there is; who of the others
    may preempt at once."""
    x = case["input"]
    if "nodes" not in x:
        yield "-", "lacks:other-case", {}
        return
    capacity = [sum(n[k] for n in x["nodes"]) for k in range(2)]
    hog, ask = x["hog"], x["each_queue_asks"]
    names, parent = ["root"], [-1]
    for path in [hog["queue"].removeprefix("root.")] + list(x["queues"]):
        up = 0
        for i, _ in enumerate(path.split(".")):
            name = ".".join(path.split(".")[:i + 1])
            if name not in names:
                names.append(name)
                parent.append(up)
            up = names.index(name)
    rows = len(names)
    held = [[0, 0] for _ in names]
    want = [[0, 0] for _ in names]
    at = names.index(hog["queue"].removeprefix("root."))
    held[at] = [v * hog["containers"] for v in hog["resource"]]
    want[at] = list(held[at])
    guarantee, threshold = [[0, 0] for _ in names], [PPM // 2] * rows
    min_time, fair_time = [exact.UNLIMITED] * rows, [exact.UNLIMITED] * rows
    for path, q in x["queues"].items():
        i = names.index(path)
        want[i] = [v * ask["count"] for v in ask["resource"]]
        guarantee[i] = q.get("min", [0, 0])
        threshold[i] = parts_of(q.get("threshold", 0.5))
        min_time[i] = q.get("min_timeout_ms", exact.UNLIMITED)
        fair_time[i] = q.get("fair_timeout_ms", exact.UNLIMITED)
    gate = parts_of(x["utilization_threshold"])
    starved = case["expect"].get("starved_queues")
    fields = {"dialect": STARVATION, "kinds": 2, "parent": parent,
              "capacity": capacity, "guarantee": sum(guarantee, []),
              "usage": sum(held, []), "demand": sum(want, []),
              "min_timeout": min_time, "fair_timeout": fair_time,
              "threshold": threshold, "utilisation": gate or -1}
    if starved is not None:
        yield "target_claims", None, dict(
            fields, want=[int(n in starved) for n in names])
    yield "target_starved", None, dict(fields,
                                       want=case["expect"]["starved_apps"])


# ---- What applications are told ----

def preemption_message(case):
    """Containers in one contract, each told once; the number of least
    containers is what their sum holds."""
    x, given = case["input"], case["expect"]
    rows = x["to_preempt_not_yet_reported"]
    if x["scheduler"] != "capacity":
        yield "-", "lacks:operation", {}
        return
    kinds = 1 if x["calculator"] == "default" else len(x["min_alloc"])
    contract = given["contract"]
    least = x["min_alloc"][:kinds]
    total = [sum(r[k] for r in rows) for k in range(kinds)]
    count = max(-(-t // m) for t, m in zip(total, least))
    yield "contract", None, {
        "kinds": kinds, "amount": [v for r in rows for v in r[:kinds]],
        "rows": len(rows), "least": least,
        "want": [contract["containers"], contract["requests"][0]["count"],
                 0 if given.get("strict") is None else len(given["strict"])],
        "exact": [len(rows), count, 0]}

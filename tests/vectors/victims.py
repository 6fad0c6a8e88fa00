"""Victims of other systems as calls: who goes when so much is to be taken.

They all walk a list of tasks and take what frees anything that is wanted until
enough is. The library does so with SKED_PREEMPT_FLAG_PLAIN; its answer is held to
`walk`, written from the words of <sched/preempt.h>, and the runner lets it plan
the same again without the flag: that plan must verify and take no more tasks.
"""

import exact
from peloton import UNIT, units
from yarn_compare import weights
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
            if x["config"].get("observe_only"):  # nothing is marked then
                want = [0] * kinds
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


# ---- Fair scheduler: on nodes ----

class Apps:
    """Applications as leaves below their queues, with their fair shares: of
    memory alone where the policy knows no other."""

    def __init__(self, x):
        self.x, self.kinds = x, len(x["resource_types"])
        rows = [q["path"] for q in x["queues"]]
        self.parent = [rows.index(p.rpartition(".")[0]) if "." in p else -1
                       for p in rows]
        self.apps = x["apps"]
        self.first = len(rows)
        self.parent += [rows.index(a["queue"]) for a in self.apps]
        self.queues = {q["path"]: q for q in x["queues"]}
        self.rows = rows
        self.active = set()
        for a in self.apps:
            up = a["queue"]
            while up:
                self.active.add(up)
                up = up.rpartition(".")[0]
        self.used = [[0] * self.kinds for _ in self.apps]
        for r in x["running"]:
            at = self.index(r["app"])
            for k in range(self.kinds):
                self.used[at][k] += r["resource"][k] * r.get("count", 1)
        self.fair = [[q.share for q in self.shares(k)[self.first:]]
                     for k in range(self.kinds)]

    def index(self, name):
        return [a["id"] for a in self.apps].index(name)

    def shares(self, k):
        heavy = weights([f32(self.queues[p].get("weight", 1))
                         for p in self.rows])
        rows = [{"guarantee": self.queues[p].get("min", [0] * self.kinds)[k]
                 if p in self.active else 0, "weight": w,
                 "limit": exact.UNLIMITED,
                 "want": MOST if p in self.active else 0}
                for p, w in zip(self.rows, heavy)]
        rows += [{"guarantee": 0, "weight": 1, "limit": exact.UNLIMITED,
                  "want": MOST} for _ in self.apps]
        return exact.tree(self.parent, rows, self.x["cluster"][k],
                          exact.INSTANTANEOUS)

    def setting(self, path, name, missing):
        while path:
            if name in self.queues[path]:
                return self.queues[path][name]
            path = path.rpartition(".")[0]
        return missing

    def may_give(self, path):
        while path:
            if self.queues[path].get("allow_preemption_from") is False:
                return False
            path = path.rpartition(".")[0]
        return True

    def counts(self, at, k):
        """Does the application's policy look at the kind?"""
        return k == 0 or self.queues[self.apps[at]["queue"]][
            "policy"] == "drf"

    def keep(self, at):
        """Of a kind that its policy does not look at, all that it holds: no
        task is protected or surplus because of it."""
        if not self.may_give(self.apps[at]["queue"]):
            return [exact.UNLIMITED] * self.kinds
        return [self.fair[k][at] if self.counts(at, k) else self.used[at][k]
                for k in range(self.kinds)]

    def owed(self, at):
        """Up to its fair share's part and its queue's minimum, where their
        time-outs have passed; what its policy does not look at it may have."""
        app, got = self.apps[at], []
        path = app["queue"]
        part = f32(self.setting(path, "fair_threshold", 0.5))
        fair = self.setting(path, "fair_timeout_passed", False)
        least = self.setting(path, "min_timeout_passed", False)
        held = [i for i, a in enumerate(self.apps) if a["queue"] == path]
        for k in range(self.kinds):
            want = self.used[at][k] + sum(
                r["capability"][k] * r["count"] for r in app["asks"])
            goal = min(to_long(self.fair[k][at] * part), want) if fair else 0
            floor = self.queues[path].get("min", [0] * self.kinds)[k]
            used = sum(self.used[i][k] for i in held)
            claim = max(goal - self.used[at][k], 0)
            if least:
                claim = max(claim, min(floor, want) - used)
            got.append(claim if self.counts(at, k) else exact.MOST)
        return got


MOST = 2 ** 62
MASTER = 1000


def choices(tasks, lack, room):
    """The cheapest set of a node's tasks that frees what is lacking."""
    best = None
    for bits in range(1 << len(tasks)):
        chosen = [t for i, t in enumerate(tasks) if bits >> i & 1]
        if any(sum(t[1][k] for t in chosen) < v for k, v in enumerate(lack)):
            continue
        if any(sum(t[1][k] for t in chosen) > v for k, v in enumerate(room)):
            continue
        cost = sum(t[2] for t in chosen)
        if best is None or cost < best[0]:
            best = (cost, chosen)
    return best


def fs_preempt(case):
    """Applications that starve ask for tasks on nodes; masters cost a thousand
    others. Room is made where that costs least, and of equals on the node that
    comes first."""
    x, given = case["input"], case["expect"]
    apps = Apps(x)
    kinds, nodes = apps.kinds, [n["id"] for n in x["nodes"]]
    free = [list(n["total"]) for n in x["nodes"]]
    tasks = []
    for r in x["running"]:
        at, node = apps.index(r["app"]), nodes.index(r["node"])
        for i in range(r.get("count", 1)):
            master = i < r.get("am_count", 0)
            fixed = master and not x.get("am_preemption", True)
            tasks.append((at, node, r["resource"], MASTER if master else 1,
                          fixed))
            for k in range(kinds):
                free[node][k] -= r["resource"][k]
    asks = asks_of(x)
    named = any("resource_name" in r for a in x["apps"] for r in a["asks"])
    greedy = [at for at, a in enumerate(x["apps"]) if not a["asks"]]
    if len(greedy) != 1:
        yield "-", "lacks:several-that-give", {}
        return
    places = [places_of(x, r) for _, r in asks]
    owed = [apps.owed(at) for at in range(len(x["apps"]))]
    share = [[min(u + o, MOST) for u, o in zip(apps.used[at], owed[at])]
             for at in range(len(x["apps"]))]
    short = [k for k in range(kinds) if any(
        r["capability"][k] * r["count"] > sum(f[k] for f in free)
        for _, r in asks)]
    per_node, served = exact_victims(apps, tasks, free, list(zip(
        asks, places)), share, short, greedy[0])
    left = sum(t[0] == greedy[0] for t in tasks) - sum(per_node)
    got = per_node + [left, served]
    want = [given["victims_per_node"].get(n, 0) for n in nodes] + [
        given["greedy_left"], "?" if named else
        given.get("starved_gets_after_kill", "?")]  # what asks by name get is not told
    same = all(w in ("?", g) for w, g in zip(want, got))
    yield "placements", None if same else rule_on_nodes(
        got, want) or rule_of_more(x, apps, free, got, want), {
        "kinds": kinds, "usage": sum(apps.used, []), "share": sum(share, []),
        "keep": sum((apps.keep(at) for at in range(len(x["apps"]))), []),
        "need": [int(k in short) for k in range(kinds)],
        "free": sum(free, []), "queue": [t[0] for t in tasks],
        "node": [t[1] for t in tasks],
        "amount": sum((t[2] for t in tasks), []),
        "cost": [t[3] for t in tasks], "fixed": [int(t[4]) for t in tasks],
        "request_queue": [at for at, _ in asks], "greedy": greedy[0],
        "request_amount": sum((r["capability"] for _, r in asks), []),
        "request_count": [r["count"] for _, r in asks],
        "place": sum(places, []),
        "place_offset": [sum(map(len, places[:i]))
                         for i in range(len(places) + 1)],
        "want": want, "exact": got}


def rule_of_more(x, apps, free, got, want):
    """Why room is made for more tasks than there."""
    if got[-2] >= want[-2]:
        return None
    hungry = [a["queue"] for a in x["apps"] if a["asks"]]
    if any(apps.setting(q, "min_timeout_passed", False) and
           any(apps.queues[q].get("min", ())) for q in hungry):
        return "min-share-less-what-is-open"
    if any("resource_name" in r for a in x["apps"] for r in a["asks"]):
        return "victims-elsewhere"
    if any(map(any, free)):
        return "free-space-once"
    drf = any(q.get("policy") == "drf" for q in x["queues"])
    return "victims-by-one-comparison" if drf else None


def exact_victims(apps, tasks, free, asks, share, short, greedy):
    """Victims on each node, and tasks that get in."""
    free, left = [list(f) for f in free], list(tasks)
    used, keep = [list(u) for u in apps.used], apps.keep(greedy)
    gives = exact.UNLIMITED not in keep
    per_node, served = [0] * len(free), 0
    for (at, r), places in asks:
        size = r["capability"]
        for _ in range(r["count"]):
            if any(s and used[at][k] + s > share[at][k]
                   for k, s in enumerate(size)):
                break
            room = [max(used[greedy][k] - keep[k], 0)
                    if k in short and apps.counts(greedy, k) else MOST
                    for k in range(len(size))]
            found = None
            for node in places:
                lack = [max(s - v, 0) for s, v in zip(size, free[node])]
                here = [(t, t[2], t[3]) for t in left
                        if gives and t[1] == node and t[0] == greedy and
                        not t[4]]
                best = choices(here, lack, room)
                if best and (found is None or best[0] < found[1][0]):
                    found = (node, best)
            if found is None:
                break
            node, (_, chosen) = found
            for t, amounts, _ in chosen:
                left.remove(t)
                per_node[node] += 1
                for k, v in enumerate(amounts):
                    used[greedy][k] -= v
                    free[node][k] += v
            for k, s in enumerate(size):
                free[node][k] -= s
                used[at][k] += s
            served += 1
    return per_node, served


def nodes_named(x, ask):
    name = ask.get("resource_name", "*")
    return [i for i, n in enumerate(x["nodes"])
            if name in ("*", n["id"], n.get("rack", "/r"))]


def asks_of(x):
    """An ask on nodes that an earlier one of the same application names too
    is the same ask at another level."""
    got = []
    for at, app in enumerate(x["apps"]):
        seen = set()
        for ask in app["asks"]:
            nodes = set(nodes_named(x, ask))
            if not nodes & seen:
                got.append((at, ask))
            seen |= nodes
    return got


def places_of(x, ask):
    """The nodes it names, then (unless it insists) the others."""
    first = nodes_named(x, ask)
    rest = [i for i in range(len(x["nodes"])) if i not in first]
    return first + (rest if ask.get("relax_locality", True) else [])


def rule_on_nodes(got, want):
    """The same tasks in number, elsewhere; or fewer, since whole tasks only
    count that the share holds."""
    if sum(got[:-2]) == sum(want[:-2]) and got[-2] == want[-2]:
        return "victims-where-cheapest"
    return "victims-for-whole-tasks" if got[-2] > want[-2] else None

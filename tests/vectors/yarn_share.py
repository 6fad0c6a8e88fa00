"""Shares and capacities of YARN as calls."""

from fractions import Fraction
from math import floor

import exact
from yarn_float import CALCULATORS, LONG_MAX, f32, fair_shares
from yarn_compare import weights
from yarn_res import MOST, ratio_of

BY_DEMAND = 8


def amount(x):
    return exact.UNLIMITED if x > MOST else max(x, 0)


# ---- One family of the fair scheduler ----

def is_near(got, given, levels=1):
    """Within what 25 halvings, cutting and whole units can come to."""
    return abs(got - given) <= levels * (2 + got / 2 ** 23)


def family_rule(rows, got, given, theirs):
    """`rows` as they were handed over; why the answers are not the same."""
    if got == given or theirs != given:
        return None
    if any(r["weight"] == 0 and r["least"] > r["most"] for r in rows):
        return "limit-beats-guarantee"
    if sum(min(r["guarantee"], r["limit"]) for r in rows) > sum(got):
        return "guarantees-scaled"
    return "shares-exact" if all(map(is_near, got, given)) else None


def family(items, total, kind, steady, given):
    rows, plain = [], []
    heavy = weights([f32(q["weight"]) for q in items])
    for q, w in zip(items, heavy):
        least, most = q["min"][kind], q["max"][kind]
        counts = steady or not q.get("queue") or q.get("active", True)
        plain.append((f32(q["weight"]), least, most, counts))
        rows.append({"least": least if counts else 0, "most": most,
                     "guarantee": min(max(least, 0), MOST), "weight": w,
                     "limit": amount(most) if counts else 0})
    bound = [min(r["limit"], MOST) for r in rows]
    got = exact.fill(min(max(total, 0), MOST), [r["guarantee"] for r in rows],
                     bound, [r["weight"] for r in rows])
    rule = family_rule(rows, got, given, fair_shares(plain, total, steady))
    return "fill", rule, {
        "total": min(max(total, 0), MOST), "form": 0, "rounding": exact.LARGEST,
        "guarantee": [r["guarantee"] for r in rows],
        "limit": [r["limit"] for r in rows], "weight": heavy, "share": given,
        "exact": got}


def fair_share(case):
    x = case["input"]
    kind = x["types"].index(x["type"]) if "types" in x else x["type"]
    yield family(x["items"], x["total"][kind], kind, x.get("steady", False),
                 case["expect"])


# ---- A tree of the fair scheduler ----

def parents_of(paths):
    return [paths.index(p.rpartition(".")[0]) if "." in p else -1
            for p in paths]


class FairTree:
    def __init__(self, given):
        self.kinds = len(given["resource_types"])
        self.cluster = given["cluster"]
        queues = [q for q in given["queues"] if q["path"] != "root"]
        root = [q for q in given["queues"] if q["path"] == "root"]
        self.queues = (root or [{"path": "root"}]) + sorted(
            queues, key=lambda q: q["path"].count("."))
        self.paths = [q["path"] for q in self.queues]
        self.parent = parents_of(self.paths)
        none, all_of = [0] * self.kinds, [LONG_MAX] * self.kinds
        self.least = [q.get("min", none) for q in self.queues]
        self.most = [[max(a, b) for a, b in zip(q.get("max", all_of), lo)]
                     for q, lo in zip(self.queues, self.least)]
        self.running = [0] * len(self.paths)
        self.demand = [list(none) for _ in self.paths]
        for app in given.get("apps", ()):
            at = self.paths.index(app["queue"])
            self.running[at] += 1
            for ask in app.get("asks", ()):
                self.demand[at] = [d + c * ask["count"] for d, c in zip(
                    self.demand[at], ask["capability"])]
        self.heavy = weights([f32(q.get("weight", 1)) for q in self.queues])

    def children(self, i):
        return [k for k, up in enumerate(self.parent) if up == i]

    def active(self, i):
        kids = self.children(i)
        return any(map(self.active, kids)) if kids else self.running[i] > 0

    def is_shared(self, i, kind):
        """Policy `fair` knows memory alone."""
        return i < 0 or kind == 0 or self.queues[i].get("policy") == "drf"

    def theirs(self, steady):
        share = [list(self.cluster)] + [[0] * self.kinds for _ in self.paths]
        for i in range(len(self.paths)):
            kids = self.children(i)
            for k in range(self.kinds if kids else 0):
                if not self.is_shared(i, k):
                    continue
                rows = [(f32(self.queues[c].get("weight", 1)),
                         self.least[c][k], self.most[c][k], self.active(c))
                        for c in kids]
                for c, s in zip(kids, fair_shares(rows, share[i][k], steady)):
                    share[c][k] = s
        return share

    def rows(self, kind, steady):
        out = []
        for i in range(len(self.paths)):
            wants = MOST if steady or self.active(i) else 0
            out.append({"guarantee": amount(self.least[i][kind]) if i else 0,
                        "limit": amount(self.most[i][kind]),
                        "weight": self.heavy[i] if i else 1, "want": wants})
        return out

    def rule(self, steady, want, got):
        """Is a parent kept from its own bounds by its children's? Are there
        more guarantees than there is to share? Or is it rounding?"""
        for k in range(self.kinds):
            queues = exact.tree(self.parent, self.rows(k, steady),
                                self.cluster[k], exact.INSTANTANEOUS)
            for i, q in enumerate(queues):
                if i and q.children and (
                        q.ceiling < min(self.most[i][k], MOST) or
                        q.floor > self.least[i][k]):
                    return "children-bound-parent"
                if sum(c.floor for c in q.children) > q.share:
                    return "guarantees-scaled"
        levels = max(p.count(".") for p in self.paths)
        near = all(w == "?" or is_near(g, w, levels) for w, g in zip(want, got))
        return "shares-exact" if near else None


def share_of(tree, steady, given):
    """The call for one flavour of shares; `given` by path, None: unknown."""
    model = exact.STEADY if steady else exact.INSTANTANEOUS
    kinds = [tree.rows(k, steady) for k in range(tree.kinds)]
    fields, got = exact.call(tree.parent, kinds, tree.cluster, model)
    theirs = tree.theirs(steady)
    want, same = [], True
    for i, path in enumerate(tree.paths):
        for k in range(tree.kinds):
            said = given.get((path, k), "?")
            if not tree.is_shared(tree.parent[i], k):
                said = "?"
            want.append(said)
            same = same and said in ("?", theirs[i][k])
    rule = None
    if same and any(w not in ("?", g) for w, g in zip(want, got)):
        rule = tree.rule(steady, want, got)
    fields.update({"running": tree.running, "demand": sum(tree.demand, [])})
    return "share", rule, dict(fields, share=want, exact=got)


def fair_share_tree(case):
    tree = FairTree(case["input"])
    wanted = {"fair": {}, "steady": {}, "demand": {}}
    for path, values in case["expect"].items():
        for name, value in values.items():
            flavour = name.split("_")[0]
            for k, v in enumerate(value if isinstance(value, list)
                                  else [value]):
                wanted[flavour][path, k] = v
    for flavour in ("fair", "steady"):
        if wanted[flavour]:
            yield share_of(tree, flavour == "steady", wanted[flavour])
    for (path, k), v in wanted["demand"].items():
        yield demand_of(tree, path, k, v)


def demand_of(tree, path, kind, given):
    """The sum of the children's, at most the limit: one queue, whose children
    have said theirs."""
    def demand(i):
        kids = tree.children(i)
        whole = sum(map(demand, kids)) if kids else tree.demand[i][kind]
        return min(whole, tree.most[i][kind])

    at = tree.paths.index(path)
    below = [demand(k) for k in tree.children(at)] or [tree.demand[at][kind]]
    return "sum_least", None, {"rows": below,
                               "limit": [amount(tree.most[at][kind])],
                               "want": [given], "exact": [demand(at)]}


# ---- Capacities of the capacity scheduler ----

def paths_with_root(paths):
    return ["root"] + sorted((p for p in paths if p != "root"),
                             key=lambda p: p.count("."))


def capacity_call(paths, rows, cluster, given, rule_of):
    """Shares by configuration alone; `rows` by path, one dict of columns."""
    parent = parents_of(paths)
    n = len(cluster)
    kinds = [[rows(p, k) for p in paths] for k in range(n)]
    fields, got = exact.call(parent, kinds, cluster, exact.STEADY)
    want = [given[p][k] if p in given else "?" for p in paths for k in range(n)]
    differs = any(w not in ("?", g) for w, g in zip(want, got))
    return "share", rule_of(got) if differs else None, dict(
        fields, share=want, exact=got)


def capacity_weight(case):
    x, given = case["input"], case["expect"]["effective_min"]
    paths = paths_with_root(x["weights"])
    heavy = dict(zip(x["weights"], weights([float(w) for w in
                                            x["weights"].values()])))

    def row(path, kind):
        return {"guarantee": 0, "limit": exact.UNLIMITED, "want": MOST,
                "weight": heavy.get(path, 1)}

    def part(path):
        if path == "root":
            return Fraction(1)
        up = path.rpartition(".")[0]
        return part(up) * Fraction(heavy[path], sum(
            w for p, w in heavy.items() if p.rpartition(".")[0] == up))

    theirs = {p: [floor(c * part(p) + Fraction(1, 2)) for c in x["cluster"]]
              for p in paths}
    same = all(theirs[p] == v for p, v in given.items())
    yield capacity_call(paths, row, x["cluster"], given,
                        lambda got: "shares-exact" if same else None)


def capacity_percent(case):
    """Parts of the parent's guarantee, in parts per million."""
    x, given = case["input"], case["expect"]["effective_min"]
    paths = paths_with_root(x["percent"])
    parent = parents_of(paths)
    parts = [round(ratio_of(float(x["percent"].get(p, 100))) * 10 ** 4)
             for p in paths]
    if max(parts) > 10 ** 6:
        yield "-", "lacks:parts-above-the-whole", {}
        return
    for k, whole in enumerate(x["cluster"]):
        got, real = [whole], [Fraction(whole)]
        for i in range(1, len(paths)):
            got.append(got[parent[i]] * parts[i] // 10 ** 6)
            real.append(real[parent[i]] * parts[i] / 10 ** 6)
        want = [given[p][k] if p in given else "?" for p in paths]
        near = all(w in ("?", floor(r)) for w, r in zip(want, real))
        differs = any(w not in ("?", g) for w, g in zip(want, got))
        yield "parts", "parts-of-parent" if differs and near else None, {
            "parent": parent, "parts": parts, "capacity": [whole],
            "want": want, "exact": got}


def absolute_theirs(paths, queues, cluster, calculator):
    """Scaled by single-precision ratios where the children's sum is above the
    parent's, which the default calculator asks of memory alone."""
    got = {"root": list(cluster)}
    for up in paths:
        kids = [p for p in paths if p.rpartition(".")[0] == up and p != up]
        total = [sum(queues[p]["min"][k] for p in kids)
                 for k in range(len(cluster))]
        top = got[up]
        above = calculator.compare(cluster, total, top) > 0
        use = top if above else total
        for p in kids:
            got[p] = [int(f32(m * f32(f32(u) / f32(t)))) if t else 0
                      for m, u, t in zip(queues[p]["min"], use, total)]
    return got


def capacity_absolute(case):
    x, want = case["input"], case["expect"]
    cluster = x["cluster"]
    queues = {q["path"]: q for q in x["queues"]}
    paths = paths_with_root(queues)

    def row(path, kind):
        if path == "root":
            return {"guarantee": cluster[kind], "limit": exact.UNLIMITED,
                    "want": MOST, "weight": 1}
        return {"guarantee": queues[path]["min"][kind], "want": MOST,
                "limit": exact.UNLIMITED, "weight": 0}

    theirs = absolute_theirs(paths, queues, cluster,
                             CALCULATORS[x["calculator"]])
    given = want["effective_min"]
    same = all(theirs[p] == v for p, v in given.items())
    yield capacity_call(paths, row, cluster, given,
                        lambda got: "guarantees-scaled" if same else None)
    for path, most in want.get("effective_max", {}).items():
        yield limit_of(queues, path, cluster, most, x["calculator"])


def limit_of(queues, path, cluster, given, name):
    """Its own limit, within its parent's."""
    def top(p):
        if p == "root":
            return cluster
        own = queues[p].get("max") or [LONG_MAX]
        if not any(own) or own == [LONG_MAX]:
            return top(p.rpartition(".")[0])
        return [min(a, b) for a, b in zip(own, top(p.rpartition(".")[0]))]

    own = queues[path].get("max") or top(path)
    own = own if any(own) else top(path)
    above = top(path.rpartition(".")[0])
    got = [min(a, b) for a, b in zip(own, above)]
    whole = given in (own, above)  # the calculator takes one or the other
    return "least", "limits-by-kind" if whole and got != given else None, {
        "a": own, "b": above, "want": given, "exact": got}

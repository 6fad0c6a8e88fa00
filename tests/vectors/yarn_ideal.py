"""YARN's ideal allocation (the first step of its preemption) as calls of the
capacity model, and the same in YARN's own steps, floats and heap included: by
this a rule knows what comes from them."""

import exact
from yarn_float import CALCULATORS, f32, to_long
from yarn_res import are_amounts
from yarn_share import paths_with_root, parents_of

INT_MAX = float(2 ** 31 - 1)


def plus(a, b):
    return [x + y for x, y in zip(a, b)]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def least(a, b):
    return [min(x, y) for x, y in zip(a, b)]


def most(a, b):
    return [max(x, y) for x, y in zip(a, b)]


class Heap:
    """java.util.PriorityQueue: which of equal ones comes first is its own."""

    def __init__(self, compare):
        self.items, self.compare = [], compare

    def add(self, item):
        items, at = self.items, len(self.items)
        items.append(item)
        while at and self.compare(item, items[(at - 1) // 2]) < 0:
            items[at] = items[(at - 1) // 2]
            at = (at - 1) // 2
        items[at] = item

    def pop(self):
        items, at = self.items, 0
        first, item = items[0], items.pop()
        while items and at < len(items) // 2:
            child = 2 * at + 1
            if child + 1 < len(items) and self.compare(
                    items[child], items[child + 1]) > 0:
                child += 1
            if self.compare(item, items[child]) <= 0:
                break
            items[at] = items[child]
            at = child
        if items:
            items[at] = item
        return first


class Queue:
    def __init__(self, row, cluster):
        self.path, self.used = row["path"], row["used"]
        self.pending, self.open = row["pending"], minus(row["pending"],
                                                        row["reserved"])
        whole = [to_long(c * row["abs_capacity"]) for c in cluster]
        top = [to_long(c * row["abs_max"]) for c in cluster]
        self.guarantee = row["guaranteed"] if any(row["guaranteed"]) else whole
        self.limit = row["max"] if any(row["max"]) else top
        self.part, self.priority = row["abs_capacity"], row["priority"]
        self.disabled, self.children = row["preemption_disabled"], []
        self.leaf = not row.get("parent_type", False)
        self.ideal = [0] * len(cluster)


class Ideal:
    def __init__(self, given, kinds):
        self.calc = CALCULATORS[given["calculator"]]
        self.given, self.kinds, self.zero = given, kinds, [0] * kinds
        self.balance = given["balance_mode"]
        self.reserved = given["count_reserved_as_pending"]
        self.total, self.queues = given["cluster"], {}
        for row in given["queues"]:
            q = Queue(row, given["cluster"])
            self.queues[q.path] = q
            up = q.path.rpartition(".")[0]
            if up:
                self.queues[up].children.append(q)
        for q in sorted(self.queues.values(), key=lambda q: -q.path.count(".")):
            if q.children:
                q.pending = [sum(v) for v in zip(*(c.pending
                                                   for c in q.children))]
                q.open = [sum(v) for v in zip(*(c.open for c in q.children))]

    def compare(self, a, b):
        """By shares of what is being divided."""
        return self.calc.compare(self.total, a, b)

    def lesser(self, a, b):
        return a if self.compare(a, b) <= 0 else b

    def greater(self, a, b):
        return a if self.compare(a, b) >= 0 else b

    def extras(self, q):
        for c in q.children:
            self.extras(c)
        extra = minus(q.used, q.guarantee)
        if self.compare(extra, self.zero) < 0:
            extra = self.zero
        if not q.children:
            q.kept, q.loose = ((extra, self.zero) if q.disabled
                               else (self.zero, extra))
            return
        loose = [sum(v) for v in zip(*(c.loose for c in q.children))]
        q.kept = self.zero if self.compare(loose, extra) >= 0 else minus(
            extra, loose)
        q.loose = self.lesser(loose, extra)

    def order(self, total):
        def key(q):
            if self.compare(q.guarantee, self.zero) <= 0:
                return INT_MAX
            return float(self.calc.divide(total, q.ideal, q.guarantee))

        def compare(a, b):
            x, y = key(a), key(b)
            sign = (x > y) - (x < y)
            if a.priority == b.priority or (x < 1) != (y < 1):
                return sign
            return (b.priority > a.priority) - (b.priority < a.priority)
        return compare

    def parts(self, queues, even):
        """What part of the rest each queue in the heap is offered."""
        whole = [sum(v) for v in zip(*(q.guarantee for q in queues))]
        share = 0.0
        for q in queues:
            share = f32(share + q.part)
            q.norm = [f32(1.0 / len(queues))] * self.kinds
        for i in range(0 if even else self.kinds):
            by_part = flat = False
            for q in queues:
                if q.guarantee[i] == 0 and q.part and whole[i]:
                    by_part = True
                    break
                flat = flat or whole[i] == 0
            flat = flat or share == 0
            for q in queues:
                if by_part:
                    if share:
                        q.norm[i] = f32(q.part / share)
                elif not flat:
                    q.norm[i] = f32(f32(q.guarantee[i]) / f32(whole[i]))

    def offer(self, q, avail):
        """What is left of the offer."""
        pending = q.pending if self.reserved else q.open
        take = least(most(minus(q.limit, q.ideal), self.zero), self.lesser(
            avail, minus(plus(q.used, pending), q.ideal)))
        if q.leaf and not self.balance:
            take = self.lesser(take, self.greater(minus(self.greater(
                q.used, q.guarantee), q.ideal), self.zero))
        take = least(most(take, self.zero), avail)
        q.ideal = plus(q.ideal, take)
        return minus(avail, take)

    def fixpoint(self, total, queues, rest, even):
        """`rest` is the caller's until it is clamped for the first time."""
        heap = Heap(self.order(total))
        for q in queues:
            above = self.compare(q.used, q.guarantee) > 0
            q.ideal = (plus(least(q.guarantee, q.used), q.kept) if above
                       else list(q.used))
            rest[:] = minus(rest, q.ideal)
            if self.compare(q.ideal, plus(q.used, q.pending)) < 0:
                heap.add(q)
        while heap.items and self.compare(rest, self.zero) > 0:
            self.parts(heap.items, even)
            group = [heap.pop()]
            while heap.items and heap.compare(group[-1], heap.items[0]) >= 0:
                group.append(heap.pop())
            snapshot = list(rest)
            for q in group:
                if not self.any(rest):
                    break
                avail = least(self.part_of(snapshot, q.norm), rest)
                done = minus(avail, self.offer(q, avail))
                if self.compare(done, self.zero) > 0:
                    heap.add(q)
                rest[:] = minus(rest, done)
                rest = most(rest, self.zero)

    def part_of(self, amounts, parts):
        """Results of the default calculator have one core for any memory."""
        got = self.calc.times_up(amounts, parts, [1] * self.kinds)
        if len(got) == self.kinds:
            return got
        return (got + [int(got[0] > 0)] + self.zero)[:self.kinds]

    def any(self, rest):
        shown = rest[:1] if self.given["calculator"] == "default" else rest
        return any(v > 0 for v in shown)

    def distribute(self, q):
        rest, self.total = list(q.ideal), list(q.ideal)
        have = [c for c in q.children
                if self.compare(c.guarantee, self.zero) > 0]
        self.fixpoint(self.total, have, rest, False)
        none = [c for c in q.children if c not in have]
        if none and self.compare(rest, self.zero) > 0:
            self.fixpoint(self.total, none, rest, True)
        for c in q.children:
            if c.children:
                self.distribute(c)

    def to_preempt(self, allowed):
        """What is to be preempted of each queue, once ideals are known."""
        got = {"root": [0] * self.kinds}
        for q in self.queues.values():
            self.total = q.ideal
            need = self.zero
            for c in q.children:
                if self.compare(c.used, c.ideal) > 0:
                    need = plus(need, minus(c.used, c.ideal))
            scale = (self.calc.divide(self.total, allowed, need)
                     if self.compare(need, allowed) > 0 else 1.0)
            for c in q.children:
                least_kept = self.greater(self.lesser(plus(
                    c.used, c.pending), c.guarantee), c.ideal)
                above = self.compare(c.used, least_kept) > 0
                got[c.path] = [to_long(v * scale) if above else 0
                               for v in minus(c.used, least_kept)]
        return got

    def run(self):
        root = self.queues["root"]
        self.extras(root)
        root.ideal = list(root.guarantee)
        if root.children:
            self.distribute(root)
        return {p: q.ideal for p, q in self.queues.items()}


# ---- The same for the capacity model ----

def row_of(ideal, path, kind):
    """A leaf takes no more than its guarantee, or what it has, unless queues
    are balanced; it may want what it uses and what is pending."""
    q = ideal.queues[path]
    pending = q.pending if ideal.reserved else q.open
    want = max(q.used[kind] + pending[kind], 0)
    if not ideal.balance:
        want = min(want, max(q.used[kind], q.guarantee[kind]))
    if path == "root":
        want = exact.MOST
    return {"guarantee": q.guarantee[kind], "limit": q.limit[kind],
            "want": want, "usage": q.used[kind], "weight": 1}


def without(given, name, value):
    """YARN's answer if no queue had this setting."""
    queues = [dict(q, **{name: value}) for q in given["queues"]]
    return Ideal(dict(given, queues=queues), len(given["cluster"])).run()


def is_bound(ideal, path, kind, queue):
    """Can a parent's children take less than it asks for itself?"""
    q = ideal.queues[path]
    pending = q.pending if ideal.reserved else q.open
    return path != "root" and q.children and queue.ceiling < min(
        q.limit[kind], q.used[kind] + pending[kind])


def rule_of(ideal, said, trees, paths, near):
    """Why a family is divided otherwise; `trees` has our queues by kind."""
    if without(ideal.given, "preemption_disabled", False) != said:
        return "untouchable"
    if without(ideal.given, "priority", 0) != said:
        return "ideal-by-priority"
    if any(is_bound(ideal, p, k, q) for k, tree in enumerate(trees)
           for p, q in zip(paths, tree)):
        return "children-bound-parent"
    if any(sum(c.floor for c in q.children) > q.share
           for tree in trees for q in tree):
        return "guarantees-scaled"
    return "shares-exact" if near else "ideal-by-kind"


def ideal_allocation(case):
    x = case["input"]
    kinds = len(x["cluster"])
    for q in x["queues"]:
        if not are_amounts(q["used"], q["pending"], q["guaranteed"], q["max"]):
            yield "-", "lacks:amounts-below-0", {}
            return
    ideal = Ideal(x, kinds)
    paths = paths_with_root(list(ideal.queues))
    parent = parents_of(paths)
    rows = [[row_of(ideal, p, k) for p in paths] for k in range(kinds)]
    fields, got = exact.call(parent, rows, ideal.queues["root"].guarantee,
                             exact.CAPACITY)
    given = {p: case["expect"][p]["ideal"] for p in paths}
    # What the root has is the capacity here, whatever its queues can take.
    want = ["?"] * kinds + [v for p in paths[1:] for v in given[p]]
    said, rule = ideal.run(), None
    pairs = [(g, w) for g, w in zip(got, want) if w != "?"]
    if said == given and any(g != w for g, w in pairs):
        trees = [exact.tree(parent, r, c, exact.CAPACITY) for r, c in zip(
            rows, ideal.queues["root"].guarantee)]
        near = all(abs(g - w) <= len(paths) for g, w in pairs)
        rule = rule_of(ideal, said, trees, paths, near)
    yield "share", rule, dict(fields, share=want, exact=got)

"""Shares by progressive filling of a whole tree, in exact fractions.

The rules are those of docs/design/shares.md; no line comes from the library.
`Tree` resolves what follows from tree, capacity and wants; `Filling` is one filling;
`Shares` repeats fillings until E and contended kinds stay.
"""
from fractions import Fraction as F

NEAR = F(1, 1 << 16)  # below a unit by at most this: the unit
FILLINGS = 4  # one, repeated three times at most


class Queue:
    def __init__(self, path, up, weight=1):
        self.path, self.up, self.weight, self.kids = path, up, weight, []
        self.order, self.fair_kind = "drf", 0
        self.guarantee = self.limit = self.borrow = self.lend = None
        self.profiles = []  # of a leaf: [amounts of one task, tasks wanted]
        if up:
            up.kids.append(self)


def rows_of(root):
    """All queues, parents first."""
    rows = [root]
    for q in rows:
        rows += q.kids
    return rows


def least(a, b):
    return b if a is None else a if b is None else min(a, b)


def by_weight(total, low, high, weight):
    """weight * r within low and high, at the level r that uses the total, in
    whole units. A child of weight 0 gets its low."""
    top = [h if w else l for l, h, w in zip(low, high, weight)]
    if sum(top) <= total:
        return top

    def at(r):
        return [min(max(w * r, l), h) if w else l
                for l, h, w in zip(low, high, weight)]
    turns = {F(x, w) for row in (low, high) for x, w in zip(row, weight) if w}
    r = max([t for t in turns if sum(at(t)) <= total], default=F(0))
    rises = sum(w for l, h, w in zip(low, high, weight) if l <= w * r < h)
    if rises:
        r += (total - sum(at(r))) / F(rises)
    return [int(x) for x in at(r)]


def cut(amounts, total):
    """Amounts that are too many, in one ratio."""
    have = sum(amounts)
    return [x * total // have for x in amounts] if have > total else amounts


class Tree:
    """What follows from tree, capacity and wants: bounds, guarantees, demand."""

    def __init__(self, root, capacity):
        self.root, self.C, self.z = root, capacity, range(len(capacity))
        self.rows = rows_of(root)
        self.cap, self.G, self.kept = {}, {}, {}
        self.bounds()
        self.wants()

    def said(self, q, k):
        if q is self.root:
            return self.C[k]
        return q.guarantee[k] if q.guarantee else 0

    def bounds(self):
        z = self.z
        for q in self.rows:
            cap = list(q.limit) if q.limit else [None] * len(self.C)
            if q is self.root:
                cap = [least(c, l) for c, l in zip(self.C, cap)]
            elif q.borrow:
                cap = [least(c, self.said(q, k) + q.borrow[k])
                       for k, c in enumerate(cap)]
            self.cap[q] = cap
        for q in reversed(self.rows):
            self.G[q] = [least(self.cap[q][k], max(
                self.said(q, k), sum(self.G[c][k] for c in q.kids))) for k in z]
        lifted = {q: list(g) for q, g in self.G.items()}
        self.cut_down(self.G)
        lends = any(q.lend for q in self.rows)
        for q in reversed(self.rows):
            own = [0] * len(self.C)
            if lends and q is not self.root and q.lend:
                own = [max(0, least(self.cap[q][k], self.said(q, k)) - q.lend[k])
                       for k in z]
            self.kept[q] = [least(least(self.cap[q][k], self.G[q][k]), max(
                own[k], sum(self.kept[c][k] for c in q.kids))) for k in z]
        self.cut_down(self.kept)
        for q in self.rows[1:]:  # weight 0: the guarantee, or nothing
            if not q.weight:
                self.cap[q] = [
                    least(c, g) if said > 0 or not any(lifted[q]) else c
                    for c, g, said in zip(self.cap[q], self.G[q], lifted[q])]

    def cut_down(self, column):
        for q in self.rows:
            for k in self.z:
                parts = cut([column[c][k] for c in q.kids], column[q][k])
                for c, x in zip(q.kids, parts):
                    column[c][k] = x

    def wants(self):
        """Joint demand: hi, and top with what is kept."""
        self.hi, self.top, path = {}, {}, {}
        for q in self.rows:
            up = path.get(q.up, [None] * len(self.C))
            path[q] = [least(a, b) for a, b in zip(self.cap[q], up)]
        for q in reversed(self.rows):
            if q.kids:
                hi = [least(self.cap[q][k], sum(self.top[c][k] for c in q.kids))
                      for k in self.z]
            else:
                hi = self.leaf_wants(q, path[q])
            self.hi[q] = hi
            self.top[q] = [max(a, b) for a, b in zip(hi, self.kept[q])]

    def leaf_wants(self, q, cap):
        all_of = [sum(n * d[k] for d, n in q.profiles) for k in self.z]
        hi = []
        for k in self.z:
            most = min(all_of[k], cap[k])
            for j in self.z:
                if j != k and all_of[j] > cap[j]:
                    free = sum(n * d[k] for d, n in q.profiles if not d[j])
                    most = min(most, free + max(
                        cap[j] * d[k] // d[j] for d, n in q.profiles if d[j]))
            hi.append(most)
        return hi

    def parts(self, S):
        """E and contended kinds of each family, from S. S is None: each parent
        has its part E in contended kinds, and else what it wants."""
        E, hot, has = {}, {}, {self.root: self.hi[self.root]}
        for q in self.rows:
            cs = q.kids
            if not cs:
                continue
            of = S[q] if S and q is not self.root else has[q]
            hot[q] = {k for k in self.z
                      if sum(self.top[c][k] for c in cs) > of[k]}
            for c in cs:
                E[c] = [0] * len(self.C)
            for k in self.z:
                low = cut([max(min(self.G[c][k], self.hi[c][k]),
                               self.kept[c][k]) for c in cs], of[k])
                for c, x in zip(cs, by_weight(
                        of[k], low, [self.top[c][k] for c in cs],
                        [c.weight for c in cs])):
                    E[c][k] = x
            for c in cs:
                has[c] = [E[c][k] if k in hot[q] else self.top[c][k]
                          for k in self.z]
        return E, hot


class Direction:
    """How a queue rises: tasks a time of profiles below it, amounts of tasks,
    and amounts with what is kept counted."""

    def __init__(self, tasks, use, held):
        self.tasks, self.use, self.held = tasks, use, held


class Filling:
    """One filling, with E and contended kinds given. `twist` changes what the
    definition leaves open; `odd` says that it left something open."""

    def __init__(self, tree, E, hot, twist=0):
        self.t, self.E, self.hot, self.twist = tree, E, hot, twist
        self.odd = set()
        n = len(tree.C)
        self.done = {(q, i): F(0) for q in tree.rows
                     for i in range(len(q.profiles))}
        self.use = {q: [F(0)] * n for q in tree.rows}
        self.sum_held()
        self.steps = 0
        while self.step():
            self.steps += 1
            if self.steps > 20000:
                raise RuntimeError("a filling without an end")

    def sum_held(self):
        self.held = {}
        for q in reversed(self.t.rows):
            self.held[q] = [F(sum(max(self.held[c][k], self.t.kept[c][k])
                                  for c in q.kids)) for k in self.t.z] \
                if q.kids else self.use[q]

    # ---- where a child comes ----

    def base(self, q):
        """Of the key of a child: kinds, what amounts are divided by, weight."""
        t, order, hot = self.t, q.up.order, self.hot[q.up]
        if order == "fair":
            return [q.up.fair_kind], [1] * len(t.C), q.weight
        if order == "utilisation" and any(t.G[q][k] for k in hot):
            return [k for k in hot if t.G[q][k]], t.G[q], 1
        if order in ("share", "utilisation") and hot:
            return list(hot), self.E[q], 1
        return list(t.z), t.C, q.weight

    def below(self, q, d):
        """The contended kinds in which it is below its guarantee (without a
        weight: any kinds); none unless it is within its part of each contended
        kind in which it rises."""
        rises = [k for k in self.hot[q.up] if d.use[k] > 0]
        if any(self.held[q][k] >= self.E[q][k] for k in rises):
            return []
        if not q.weight:
            rises = [k for k in self.t.z if d.use[k] > 0]
        return [k for k in rises if self.held[q][k] < self.t.G[q][k]]

    def place(self, q, d):
        """(stage, value) of a child that rises so, and how fast its value
        grows; None: it does not rise."""
        G, held = self.t.G[q], self.held[q]
        below = self.below(q, d)
        if below:
            part = min(held[k] / F(G[k]) for k in below)
            return (0, part), min(d.held[k] / G[k] for k in below
                                  if held[k] / F(G[k]) == part)
        if not q.weight:
            return None
        kinds, by, weight = self.base(q)
        a, r = (self.held[q], d.held) if self.twist & 2 else (self.use[q], d.use)
        if a is self.held[q] and held != self.use[q]:
            self.odd.add("kept")
        need = [k for k in kinds if a[k] > 0 or r[k] > 0]
        if any(not by[k] for k in need):  # of nothing any amount is too much
            return (2, F(0)), F(0)
        v = max([a[k] / by[k] for k in need], default=F(0))
        return (1, v / weight), max([r[k] / by[k] for k in need
                                     if a[k] / by[k] == v], default=F(0)) / weight

    # ---- who rises ----

    def blocked(self):
        t, block = self.t, {None: set()}
        for q in t.rows:
            out = {k for k in t.z if t.cap[q][k] is not None
                   and self.held[q][k] >= t.cap[q][k]}
            block[q] = out | {k for k in block[q.up]
                              if self.held[q][k] >= t.kept[q][k]}
        return block

    def dominant(self, d):
        return max(F(x, c) for x, c in zip(d, self.t.C) if x)

    def leaf_direction(self, q, block):
        live = [i for i, (d, n) in enumerate(q.profiles) if self.done[q, i] < n
                and not any(d[k] for k in block)]
        if not live:
            return None
        at = {i: self.done[q, i] * self.dominant(q.profiles[i][0]) for i in live}
        first = min(at.values())
        self.ahead += [(q, at[i] - first) for i in live if at[i] > first]
        tasks = {(q, i): 1 / self.dominant(q.profiles[i][0])
                 for i in live if at[i] == first}
        use = [sum(v * q.profiles[i][0][k] for (_, i), v in tasks.items())
               for k in self.t.z]
        return Direction(tasks, use, use)

    def family_direction(self, q, dirs):
        can = []
        for c in q.kids:
            at = dirs[c] and self.place(c, dirs[c])
            if at:
                can.append((c, at[0], at[1]))
        if not can:
            return None
        first = min(at for _, at, _ in can)
        go = [(c, r) for c, at, r in can if at == first]
        still = [(c, r) for c, r in go if r == 0]
        if len(still) > 1:
            self.odd.add("still")
        go = still or go
        self.ahead += [(q, at[1] - first[1]) for c, at, _ in can
                       if at[0] == first[0] and at > first and not still]
        tasks, use, held = {}, [F(0)] * len(self.t.C), [F(0)] * len(self.t.C)
        for i, (c, r) in enumerate(go):
            d = dirs[c]
            f = 1 / r if r else 1 / max(
                x / self.t.C[k] for k, x in enumerate(d.use) if x)
            if not r and self.twist & 1:
                f *= (i + 1) ** 3
            for p, v in d.tasks.items():
                tasks[p] = v * f
            for k in self.t.z:
                use[k] += d.use[k] * f
                if self.held[c][k] >= self.t.kept[c][k]:
                    held[k] += d.held[k] * f
            self.scale.append((q, c, f))
        return Direction(tasks, use, held)

    def step(self):
        t, block = self.t, self.blocked()
        dirs, self.ahead, self.scale = {}, [], []
        for q in reversed(t.rows):
            dirs[q] = self.family_direction(q, dirs) if q.kids else \
                self.leaf_direction(q, block[q])
        if not dirs[t.root]:
            return False
        speed = {t.root: F(1)}
        for up, c, f in reversed(self.scale):
            if up in speed:
                speed[c] = speed[up] * f
        time = min(self.events(dirs, speed))
        for (q, i), v in dirs[t.root].tasks.items():
            self.done[q, i] += v * time
            at = q
            while at:
                for k in t.z:
                    self.use[at][k] += v * time * q.profiles[i][0][k]
                at = at.up
        self.sum_held()
        return True

    # ---- how long ----

    def events(self, dirs, speed):
        t = self.t
        for (q, i), v in dirs[t.root].tasks.items():
            yield (q.profiles[i][1] - self.done[q, i]) / v
        for q, way in self.ahead:
            if q in speed:
                yield way / speed[q]
        for q, s in speed.items():
            d = dirs[q]
            for k in t.z:
                r = d.held[k] * s
                marks = [t.cap[q][k], t.kept[q][k], t.G[q][k]]
                marks += [self.E[q][k]] if q.up else []
                for m in marks if r else ():
                    if m is not None and m > self.held[q][k]:
                        yield (m - self.held[q][k]) / r
            if q.up:
                kinds, by, _ = self.base(q)
                yield from self.kinks(self.use[q], d.use, s, kinds, by)
                yield from self.kinks(self.held[q], d.held, s, kinds, by)
                yield from self.kinks(self.held[q], d.held, s, t.z, t.G[q])

    @staticmethod
    def kinks(amount, rate, speed, kinds, by):
        """Where another kind becomes the largest or the least."""
        at = [(amount[k] / by[k], rate[k] * speed / by[k])
              for k in kinds if by[k]]
        for a, r in at:
            for b, x in at:
                if a < b and r > x:
                    yield (b - a) / (r - x)


def whole(x):
    return int((x + NEAR) // 1)


def siblings(q):
    """Units that rounding may cost a queue: one a sibling, at each level."""
    n = 0
    while q.up:
        n, q = n + len(q.up.kids), q.up
    return n


def moved(t, S, other):
    """How far amounts are from other amounts, in parts of the capacity."""
    return max(F(abs(S[q][k] - other[q][k]), t.C[k])
               for q in t.rows[1:] for k in t.z)


def differ(t, S, other, free):
    """Is an amount another, beyond what is no fault?"""
    return any(abs(S[q][k] - other[q][k]) > max(siblings(q), free * t.C[k])
               for q in t.rows[1:] for k in t.z)


class Shares:
    """S of each queue; fillings repeat until E and contended kinds stay."""

    def __init__(self, tree, twist=0):
        self.t = t = tree
        self.S, self.settled = None, False
        E, hot = t.parts(None)
        if twist & 4:  # the other beginning: all kinds of all families
            hot = {q: set(t.z) for q in hot}
        for self.fillings in range(1, FILLINGS + 1):
            self.E, self.hot, before = E, hot, self.S
            self.f = Filling(t, E, hot, twist)
            self.S = {t.root: t.hi[t.root]}
            for q in t.rows[1:]:
                self.S[q] = [max(whole(self.f.use[q][k]), t.kept[q][k],
                                 whole(self.f.held[q][k]))
                             if k in hot[q.up] else t.top[q][k] for k in t.z]
            E, hot = t.parts(self.S)
            self.settled = (E, hot) == (self.E, self.hot)
            if self.settled:
                break
        self.moves = 0 if self.settled else moved(t, self.S, before)

    def out_above(self, q):
        """Kinds that have run out above a queue."""
        out, up = set(), q.up
        while up:
            out |= {k for k in self.t.z if self.t.cap[up][k] is not None
                    and self.f.held[up][k] >= self.t.cap[up][k]}
            up = up.up
        return out

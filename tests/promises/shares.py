"""What follows from tree, capacity and demand: bounds, what is kept, S, and
what may be claimed of it (C) and is kept from others (K)."""
import collections
import itertools
from dataclasses import dataclass, field
from fractions import Fraction

import filling

INF, ONE = 10 ** 9, 1 << 62
ORDERS = ("drf", "fair", "utilisation", "share", "fifo", "priority", "random")


@dataclass
class Queue:
    parent: int            # -1: the root
    guarantee: list
    limit: list            # INF: none
    borrow: list
    lend: list             # INF: all of the guarantee
    weight: int = 1
    order: str = "drf"
    fair_kind: int = 0
    priority: int = 0
    give: bool = True      # preempt_from
    amount: bool = True    # bounds are amounts: they hold over all partitions too
    user_limit: int = 100  # percent
    am_share: int = 0      # percent, 0: none
    by_priority: bool = False  # the leaf's line goes by priority


@dataclass
class Class:
    leaf: int
    user: int
    priority: int
    fixed: bool
    master: bool
    step: list
    want: int              # steps that run or wait, constant
    partition: int = -1    # -1: any


@dataclass
class World:
    nodes: list            # (partition, amounts)
    queues: list           # parents first
    classes: list
    early: list            # classes that were there before the others
    dialect: str = "imbalance"
    balance: bool = False
    ignored: int = 10      # percent
    threshold: int = 0     # percent of S after the fair time-out; 0: none
    by_user: bool = False
    by_priority: bool = False
    grace: int = 0         # rounds from notice to kill
    budget: int = INF      # plans made in a round
    tags: set = field(default_factory=set)

    def text(self):
        rows = [str(self.nodes)]
        rows += ["  %d %s" % r for r in enumerate(self.queues)]
        rows += ["  %s" % c for c in self.classes]
        rest = {k: v for k, v in vars(self).items()
                if k not in ("nodes", "queues", "classes")}
        return "\n".join(rows + [str(rest)])


def fill(total, low, high, weight):
    """clamp(weight * r, low, high), rounded down, at the level r that uses the
    total; all of it if everything fits. Without weight: low."""
    if sum(high) <= total:
        return [b if w else a for a, b, w in zip(low, high, weight)]
    def at(r):
        return [min(max(w * r, a), b) if w else a
                for a, b, w in zip(low, high, weight)]
    turns = [Fraction(x, w) for row in (low, high) for x, w in zip(row, weight) if w]
    r = max([x for x in turns if sum(at(x)) <= total], default=Fraction(0))
    rises = sum(w for a, b, w in zip(low, high, weight) if a <= w * r < b)
    if rises:
        r += (total - sum(at(r))) / Fraction(rises)
    return [int(x) for x in at(r)]


def cut(rows, total):
    """Floors that are too many, in one ratio."""
    have = sum(rows)
    return [x * total // have for x in rows] if have > total else list(rows)


class Shares:
    """What follows from tree, capacity and demand in one partition."""

    def __init__(self, w, partition):
        self.w, self.p, q = w, partition, w.queues
        self.kinds = z = range(len(q[0].guarantee))
        self.rows = down = range(len(q))
        self.total = [sum(n[k] for p, n in w.nodes if p == partition) for k in z]
        self.children = [[c for c in down if q[c].parent == p] for p in down]
        self.static()
        self.demand()
        self.fill_tree()
        self.claims()

    def static(self):
        q, z, T = self.w.queues, self.kinds, self.total
        up, sums = self.rows[::-1], lambda col, p, k: sum(
            col[c][k] for c in self.children[p])
        self.cap = [[min(q[p].limit[k], q[p].guarantee[k] + q[p].borrow[k])
                     for k in z] for p in self.rows]
        self.cap[0] = [min(a, b) for a, b in zip(q[0].limit, T)]
        G = self.G = [None] * len(q)
        for p in up:
            G[p] = [min(self.cap[p][k], max(q[p].guarantee[k], sums(G, p, k)))
                    for k in z]
        lifted = [list(g) for g in G]
        G[0] = list(self.cap[0])
        def cut_down(col):
            for p, k in itertools.product(self.rows, z):
                parts = cut([col[c][k] for c in self.children[p]], col[p][k])
                for c, x in zip(self.children[p], parts):
                    col[c][k] = x
        cut_down(G)
        lend = any(x < INF for r in q for x in r.lend)
        kept = self.kept = [None] * len(q)
        for p in up:  # never above the guarantee in force
            own = [max(0, min(g, c) - x) if p and lend else 0 for g, c, x in
                   zip(q[p].guarantee, self.cap[p], q[p].lend)]
            kept[p] = [min(self.cap[p][k], G[p][k], max(own[k], sums(kept, p, k)))
                       for k in z]
        cut_down(kept)
        for p in self.rows[1:]:
            if q[p].weight == 0:
                self.cap[p] = [min(c, g) if said or not any(lifted[p]) else c
                               for c, g, said in zip(self.cap[p], G[p], lifted[p])]

    def path(self, q):
        return [q] + self.path(self.w.queues[q].parent) if q >= 0 else []

    def beside(self, rows, k, j, bound):
        """The most of kind k that goes with so much of kind j, for steps (count,
        amounts): what needs none of j, and the shape with the most of k for it."""
        most = max((Fraction(v[k], v[j]) for _, v in rows if v[j]), default=0)
        return int(bound * most) + sum(n * v[k] for n, v in rows if not v[j])

    def could(self, rows, bound):
        """What steps can use of each kind within the bounds."""
        sums = [sum(n * v[k] for n, v in rows) for k in self.kinds]
        return [min([sums[k], bound[k]] + [
            self.beside(rows, k, j, bound[j]) for j in self.kinds
            if j != k and sums[j] > bound[j]]) for k in self.kinds]

    def asked(self, leaf, user=None):
        return [(c.want, c.step) for c in self.w.classes if c.leaf == leaf and
                c.partition in (-1, self.p) and user in (None, c.user)]

    def demand(self):
        q, z = self.w.queues, self.kinds
        self.hi, self.top = ([None] * len(q) for _ in range(2))
        for p in self.rows[::-1]:
            bound = [min(self.cap[a][k] for a in self.path(p)) for k in z]
            if self.children[p]:
                self.hi[p] = [min(self.cap[p][k], sum(
                    self.top[c][k] for c in self.children[p])) for k in z]
            else:
                self.hi[p] = self.could(self.asked(p), bound)
            self.top[p] = [max(x) for x in zip(self.hi[p], self.kept[p])]

    def fill_tree(self):
        """S, E and contended kinds: progressive filling of the whole tree."""
        at = []
        for row in self.rows:
            q = self.w.queues[row]
            x = filling.Queue(str(row), at[q.parent] if row else None, q.weight)
            x.order, x.fair_kind = q.order, q.fair_kind
            tasks = collections.Counter()
            for n, step in [] if self.children[row] else self.asked(row):
                tasks[tuple(step)] += n
            x.profiles = [[d, n] for d, n in tasks.items() if any(d)]
            at.append(x)
        tree = filling.Tree.__new__(filling.Tree)
        tree.root, tree.C, tree.z, tree.rows = at[0], self.total, self.kinds, at
        for name in ("cap", "G", "kept", "hi", "top"):
            setattr(tree, name, dict(zip(at, getattr(self, name))))
        self.exact = x = filling.Shares(tree)
        self.S = [x.S[q] for q in at]
        self.E = [x.E.get(q) for q in at]
        self.hot = [sum(1 << k for k in x.hot[q]) if q.kids else None for q in at]

    def left(self, q):
        """What a queue could have besides its S."""
        own = [a - b for a, b in zip(self.cap[q], self.S[q])]
        up = self.w.queues[q].parent
        if up < 0:
            return own
        return [min(own[k], x + self.S[up][k] - sum(
            self.S[c][k] for c in self.children[up]))
            for k, x in enumerate(self.left(up))]

    def claims(self):
        """Gamma; and by owner (leaf, user or None): C and K, fair C."""
        w, q, z = self.w, self.w.queues, self.kinds
        gamma = self.gamma = [[0] * len(z) for _ in q]
        self.named = [set() for _ in q]
        gamma[0], self.named[0] = list(self.S[0]), set()
        for p in self.rows:
            cs = self.children[p]
            for k in z if cs else ():
                low = [min(self.G[c][k], self.S[c][k]) for c in cs]
                part = low if p == 0 else fill(
                    gamma[p][k], cut(low, gamma[p][k]),
                    [self.S[c][k] for c in cs], [q[c].weight for c in cs])
                guaranteed = any(self.G[c][k] for c in cs)
                for c, x in zip(cs, part):
                    gamma[c][k] = x
                    if self.G[c][k] or p and not guaranteed and k in self.named[p]:
                        self.named[c].add(k)
            for c in cs:
                for k in z if p == 0 and any(self.G[c]) else ():
                    gamma[c][k] = gamma[c][k] if self.G[c][k] else self.S[c][k]
        self.C, self.fair, self.K = {}, {}, {}
        leaves = [p for p in self.rows if not self.children[p]]
        for leaf in leaves:
            C, S, G = gamma[leaf], self.S[leaf], self.G[leaf]
            up = q[leaf].parent
            plain = any(q[a].order in ("fifo", "random", "priority")
                        for a in self.path(leaf)[1:])
            fair = list(C)
            if not plain:
                if w.dialect == "entitlement" or w.dialect == "imbalance" and w.balance:
                    C = fair = S
                if w.dialect == "starvation" and w.threshold:
                    fair = [max(a, w.threshold * b // 100) for a, b in zip(C, S)]
            grown = [-(-x * (100 + w.ignored) // 100) for x in G] \
                if w.dialect == "imbalance" else [
                    x * (100 + w.ignored) // 100 for x in S]
            K = [max(a, b) for a, b in zip(S, grown)]
            users = sorted({c.user for c in w.classes if c.leaf == leaf})
            self.C[leaf, None], self.K[leaf, None] = C, K
            self.fair[leaf, None] = fair
            his = [self.could(self.asked(leaf, u), self.cap[leaf]) for u in users]
            for col, total in ((self.K, K), (self.C, C), (self.fair, fair)):
                parts = [fill(total[k], [0] * len(users), [
                    max(h[k], 0) for h in his], [1] * len(users)) for k in z]
                for i, u in enumerate(users):
                    col[leaf, u] = [parts[k][i] for k in z]
            for u in users:  # what nobody of the leaf uses protects nobody else
                self.C[leaf, u] = [min(a, b) for a, b in zip(
                    self.C[leaf, u], self.K[leaf, u])]
            self.user_share = getattr(self, "user_share", {})
            parts = [fill(S[k], [0] * len(users), [h[k] for h in his],
                          [1] * len(users)) for k in z]
            for i, u in enumerate(users):
                self.user_share[leaf, u] = [parts[k][i] for k in z]

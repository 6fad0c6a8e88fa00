"""What runs where, books, placement, rounds of preemption."""
import collections
import itertools
from dataclasses import dataclass
from fractions import Fraction

from shares import INF, ONE, Shares


class Books:
    """Usage, what is booked (what is kept counts), what users and masters hold,
    in one partition."""

    def __init__(self, s):
        self.s, n = s, len(s.w.queues)
        self.use = [[0] * len(s.kinds) for _ in range(n)]
        self.book = [[0] * len(s.kinds) for _ in range(n)]
        self.user = collections.Counter()
        self.master, self.masters = collections.Counter(), collections.Counter()
        for c in range(n - 1, 0, -1):
            for k in s.kinds:
                self.book[s.w.queues[c].parent][k] += max(
                    self.book[c][k], s.kept[c][k])

    def walk(self, leaf, step, sign):
        for k, d in enumerate(step):
            delta = sign * d
            for q in self.s.path(leaf) if d else ():
                new, keep = self.book[q][k] + delta, self.s.kept[q][k]
                yield q, k, new
                delta = max(new, keep) - max(new - delta, keep)

    def reserve(self, leaf, step, sign):
        for q, k, new in list(self.walk(leaf, step, sign)):
            self.book[q][k] = new

    def add(self, c, sign):
        self.reserve(c.leaf, c.step, sign)
        for k, d in enumerate(c.step):
            for q in self.s.path(c.leaf):
                self.use[q][k] += sign * d
            self.user[c.leaf, c.user, k] += sign * d
            self.master[c.leaf, k] += sign * d if c.master else 0
        self.masters[c.leaf] += sign if c.master else 0


@dataclass
class Plan:
    claim: int
    node: int
    victims: collections.Counter
    why: str               # claim, user, priority
    told: dict             # class -> round of the newest notice


class State:
    def __init__(self, w, rng):
        self.w, self.rng = w, rng
        parts = sorted({p for p, _ in w.nodes})
        self.shares = {p: Shares(w, p) for p in parts}
        self.kinds = self.shares[parts[0]].kinds
        self.leaves = sorted({c.leaf for c in w.classes})
        self.want = [c.want for c in w.classes]
        self.clear()

    def clear(self):
        w = self.w
        self.books = {p: Books(s) for p, s in self.shares.items()}
        self.run = [[0] * len(w.nodes) for _ in w.classes]
        self.n = [0] * len(w.classes)
        self.free = [list(v) for _, v in w.nodes]
        self.room = [[0] * len(self.kinds) for _ in w.nodes]
        self.plans = []
        self.below, self.over = collections.Counter(), collections.Counter()

    # ---- books ----

    def move(self, i, node, sign):
        c = self.w.classes[i]
        self.run[i][node] += sign
        self.n[i] += sign
        self.free[node] = [f - sign * d for f, d in zip(self.free[node], c.step)]
        self.books[self.w.nodes[node][0]].add(c, sign)

    def reserve(self, plan, sign):
        c = self.w.classes[plan.claim]
        self.room[plan.node] = [r + sign * d for r, d in
                                zip(self.room[plan.node], c.step)]
        self.books[self.w.nodes[plan.node][0]].reserve(c.leaf, c.step, sign)

    def carry_out(self, plan, sign=1):
        for j, n in plan.victims.items():
            for _ in range(n):
                self.move(j, plan.node, -sign)
        self.move(plan.claim, plan.node, sign)

    # ---- may a step start ----

    def waits(self, i):
        return self.n[i] < self.want[i]

    def user_may(self, c, b, q):
        if q.user_limit >= 100:
            return True
        part, use = self.shares[b.s.p], b.use[c.leaf]
        lead = max(self.kinds, key=lambda k: (Fraction(use[k], max(
            1, part.total[k])), -k))
        base = max(use[lead] + 1, q.guarantee[lead])
        users = len({d.user for i, d in enumerate(self.w.classes) if
                     d.leaf == c.leaf and self.waits(i) and
                     d.partition in (-1, b.s.p)} | {c.user})
        least = max(-(-base // users), -(-base * q.user_limit // 100))
        return b.user[c.leaf, c.user, lead] < least

    def master_may(self, c, b, q):
        if not c.master or not q.am_share or not b.masters[c.leaf]:
            return True
        for k, d in enumerate(c.step):
            base = max(b.s.S[c.leaf][k] + b.s.left(c.leaf)[k], 0)
            if d and b.master[c.leaf, k] + d > -(-base * q.am_share // 100):
                return False
        return True

    def bounds(self, i, p):
        c, b = self.w.classes[i], self.books[p]
        for q, k, new in b.walk(c.leaf, c.step, 1):
            if new > b.s.cap[q][k]:
                return False
        for q, (k, d) in itertools.product(b.s.path(c.leaf), enumerate(c.step)):
            row = self.w.queues[q]
            most = min(row.limit[k], row.guarantee[k] + row.borrow[k])
            if d and q and row.amount and d + sum(
                    x.use[q][k] + self.kept_for(q, k, x) for x in
                    self.books.values()) > most:
                return False
        row = self.w.queues[c.leaf]
        return self.user_may(c, b, row) and self.master_may(c, b, row)

    def kept_for(self, q, k, b):
        return sum(self.w.classes[x.claim].step[k] for x in self.plans
                   if self.reserved and self.books[self.w.nodes[x.node][0]] is b
                   and q in b.s.path(self.w.classes[x.claim].leaf))

    reserved = True

    def starts(self, i, node):
        c, p = self.w.classes[i], self.w.nodes[node][0]
        return c.partition in (-1, p) and all(
            not d or d <= f - r for d, f, r in
            zip(c.step, self.free[node], self.room[node])) and self.bounds(i, p)

    # ---- placement ----

    def stage0(self, q, i, b):
        """Does a step put a child of a family into stage 0?"""
        c, hot, s = self.w.classes[i], b.s.hot[self.w.queues[q].parent], b.s
        below = False
        for k, d in enumerate(c.step):
            if d and hot >> k & 1:
                if b.book[q][k] + d > s.S[q][k]:
                    return False
                below |= s.G[q][k] > 0 and b.book[q][k] < min(s.G[q][k], s.S[q][k])
        return below

    def key0(self, q, b):
        s, hot = b.s, b.s.hot[self.w.queues[q].parent]
        return min((ONE * b.book[q][k] // min(s.G[q][k], s.S[q][k])
                    for k in self.kinds if hot >> k & 1 and s.G[q][k] and s.S[q][k]),
                   default=INF * ONE)

    def key(self, q, b):
        row, s, use = self.w.queues[q], b.s, b.use[q]
        up = self.w.queues[row.parent]
        hot = [k for k in self.kinds if s.hot[row.parent] >> k & 1]
        part = lambda by, of: max((Fraction(use[k], by[k]) if by[k] else
                                   Fraction(INF) for k in of), default=0)
        if up.order == "fifo":
            return (q,)
        if up.order == "priority":
            return (-row.priority, q)
        if up.order == "random":
            return (self.rng.random(),)
        if not row.weight:
            return (INF * INF, q)
        if up.order == "fair":
            return (Fraction(use[up.fair_kind], row.weight), q)
        if up.order == "utilisation" and any(s.G[q][k] for k in hot):
            return (part(s.G[q], [k for k in hot if s.G[q][k]]), q)
        if up.order in ("share", "utilisation") and hot:
            return (part(s.E[q], hot), q)
        return (part(s.total, self.kinds) / row.weight, q)

    def pick(self, rows, b):
        q = 0
        while b.s.children[q]:
            groups = {}
            for i in rows:
                for c in b.s.path(self.w.classes[i].leaf):
                    if self.w.queues[c].parent == q:
                        groups.setdefault(c, []).append(i)
            if self.w.queues[q].order == "priority":
                top = max(self.w.queues[c].priority for c in groups)
                groups = {c: g for c, g in groups.items()
                          if self.w.queues[c].priority == top}
            first = {c: [i for i in g if self.stage0(c, i, b)]
                     for c, g in groups.items()}
            if any(first.values()):
                c = min((c for c in first if first[c]),
                        key=lambda c: (self.key0(c, b), c))
                rows = first[c]
            else:
                c = min(groups, key=lambda c: self.key(c, b))
                rows = groups[c]
            q = c
        line = self.w.queues[q].by_priority
        return min(rows, key=lambda i: (-self.w.classes[i].priority if line
                                        else 0, i))

    def place(self):
        """A pass over all nodes."""
        started = 0
        for plan in list(self.plans):
            if not plan.victims:
                started += self.serve(plan)
        for node in range(len(self.w.nodes)):
            b = self.books[self.w.nodes[node][0]]
            rows = range(len(self.w.classes))
            while rows := [i for i in rows if self.waits(i) and
                           self.starts(i, node)]:
                self.move(self.pick(rows, b), node, 1)
                started += 1
        return started

    # ---- rounds ----

    def owner(self, i):
        c = self.w.classes[i]
        return c.leaf, c.user if self.w.by_user else None

    def owned(self, own):
        """Classes of an owner in the order of protection."""
        rows = [i for i in range(len(self.w.classes)) if self.owner(i) == own]
        return sorted(rows, key=lambda i: (
            not self.w.classes[i].fixed, -self.w.classes[i].priority,
            self.w.classes[i].step, i))

    def running(self, i, p):
        return sum(n for n, (at, _) in zip(self.run[i], self.w.nodes) if at == p)

    def protected(self, own, p):
        left, m = list(self.shares[p].K[own]), []
        for i in self.owned(own):
            c, n = self.w.classes[i], self.running(i, p)
            m.append(n if c.fixed else max(0, min([n] + [
                x // d for x, d in zip(left, c.step) if d])))
            left = [x - d * m[-1] for x, d in zip(left, c.step)]
        return m

    def surplus(self, p):
        return {i: self.running(i, p) - m for own in self.owners()
                for i, m in zip(self.owned(own), self.protected(own, p))}

    def owners(self):
        return sorted({self.owner(i) for i in range(len(self.w.classes))}, key=str)

    def usage(self, own, p):
        return [sum(self.running(i, p) * self.w.classes[i].step[k]
                    for i in self.owned(own)) for k in self.kinds]

    def is_claim(self, i, p, C=None):
        c, own, s = self.w.classes[i], self.owner(i), self.shares[p]
        C = C or (s.fair[own] if self.below[own, p] >= 4 else s.C[own])
        return c.partition in (-1, p) and all(
            not d or u + d <= x for d, u, x in zip(c.step, self.usage(own, p), C)
        ) and any(c.step[k] for k in s.named[c.leaf])

    def due(self, i, p):
        return self.w.dialect != "starvation" or self.below[self.owner(i), p] >= 2

    def gives(self, i, p):
        c = self.w.classes[i]
        return not c.fixed and all(
            self.w.queues[q].give for q in self.shares[p].path(c.leaf)) and (
            self.w.dialect != "entitlement" or self.over[self.owner(i), p] >= 2)

    def may_go(self, i, j, why, spare, p, protected=False):
        c, d = self.w.classes[i], self.w.classes[j]
        if not self.gives(j, p) or not any(a and b for a, b in zip(c.step, d.step)):
            return False
        if why == "claim":
            return self.owner(i) != self.owner(j) and spare[j] > 0
        if why == "user":
            return c.leaf == d.leaf and c.user != d.user and spare[j] > 0
        return self.owner(i) == self.owner(j) and c.priority > d.priority and (
            protected or spare[j] > 0)

    def find(self, i, node, why, only=None):
        """Victims on a node for a class, or None; leaves all as it was. Run
        where all plans have been carried out."""
        p, gone = self.w.nodes[node][0], []
        spare, before = self.surplus(p), self.protected(self.owner(i), p)
        for protected in (False, True) if why == "priority" else (False,):
            for j in sorted(range(len(self.w.classes)), key=lambda j: (
                    self.w.classes[j].priority, -j)):
                while self.run[j][node] and not self.starts(i, node) and (
                        only is None or gone.count(j) < only[j]) and \
                        self.may_go(i, j, why, spare, p, protected):
                    self.move(j, node, -1)
                    spare[j] -= 1
                    gone.append(j)
        good = self.starts(i, node)
        for j in list(gone) if good else ():
            self.move(j, node, 1)
            if self.starts(i, node):
                gone.remove(j)
            else:
                self.move(j, node, -1)
        if good and why == "priority":
            self.move(i, node, 1)
            good = self.protected(self.owner(i), p) >= before
            self.move(i, node, -1)
        for j in gone:
            self.move(j, node, 1)
        return collections.Counter(gone) if good else None

    def reasons(self, i, p):
        own, s = self.owner(i), self.shares[p]
        if self.is_claim(i, p) and self.due(i, p):
            yield "claim"
        if self.w.by_user and self.is_claim(i, p, s.user_share[
                self.w.classes[i].leaf, self.w.classes[i].user]):
            yield "user"
        if self.w.by_priority:
            yield "priority"

    def clocks(self):
        for own, p in itertools.product(self.owners(), self.shares):
            s, use = self.shares[p], self.usage(own, p)
            below = any(self.waits(i) and self.is_claim(i, p, s.fair[own])
                        for i in self.owned(own))
            above = any(u > k for u, k in zip(use, s.K[own]))
            self.below[own, p] = min(self.below[own, p] + 1, 9) if below else 0
            self.over[own, p] = min(self.over[own, p] + 1, 9) if above else 0

    def serve(self, plan):
        """Kills and starts, if the step starts in what runs now."""
        for x in self.plans:
            self.reserve(x, -1)
        self.reserved = False
        for j, n in plan.victims.items():
            for _ in range(n):
                self.move(j, plan.node, -1)
        good = self.starts(plan.claim, plan.node)
        for j, n in plan.victims.items() if not good else ():
            for _ in range(n):
                self.move(j, plan.node, 1)
        if good:
            self.plans.remove(plan)
            self.move(plan.claim, plan.node, 1)
        self.reserved = True
        for x in self.plans + [plan] * good:
            self.reserve(x, 1)
        if good:
            self.reserve(plan, -1)
        return good

    def virtual(self, sign):
        """All plans carried out, or taken back."""
        for x in self.plans[::sign]:
            if sign > 0:
                self.reserve(x, -1)
                self.carry_out(x)
            else:
                self.carry_out(x, -1)
                self.reserve(x, 1)
        self.reserved = sign < 0

    def round(self, at, note):
        """Looks at every plan again, kills what is due, plans anew."""
        old, self.plans = self.plans, []
        for x in old:
            self.reserve(x, -1)
        self.reserved = False
        for x in old:
            p = self.w.nodes[x.node][0]
            v = None
            if self.waits(x.claim) and x.why in self.reasons(x.claim, p):
                v = self.find(x.claim, x.node, x.why, x.victims)
            note["withdrawn"] += v is None
            if v is not None:
                x.victims = v
                self.plans.append(x)
                self.carry_out(x)
        self.virtual_end()
        self.kill(at, note)
        if self.w.grace == 0:
            while self.plan(at, note, 1):
                self.kill(at, note)
                if note["planned"] >= self.w.budget:
                    break
        else:
            self.plan(at, note, self.w.budget)
        note["planned"] = 0

    def virtual_end(self):
        for x in self.plans[::-1]:
            self.carry_out(x, -1)
            self.reserve(x, 1)
        self.reserved = True

    def kill(self, at, note):
        for x in list(self.plans):
            if at >= max(x.told.values(), default=at) + (
                    self.w.grace if x.victims else 0):
                pot = self.potential()
                if self.serve(x):
                    note["kills"] += sum(x.victims.values())
                    note["claims" if x.why == "claim" else "inside"] += 1
                    note["spared"] += any(not self.gives(j, self.w.nodes[x.node][0])
                                          for j in x.victims)
                    now = self.potential()
                    note["falls"] += any(a < b for a, b in zip(now, pot))
                else:
                    note["late"] += 1

    def potential(self):
        return [self.protected(own, p) for own in self.owners() for p in self.shares]

    def plan(self, at, note, most):
        """New plans; how many."""
        made = 0
        self.virtual(1)
        for why in ("claim", "user", "priority"):
            again = True
            while again and made < most:
                again = False
                for i in range(len(self.w.classes)):
                    best = None
                    for node, (p, _) in enumerate(self.w.nodes):
                        if self.waits(i) and why in self.reasons(i, p):
                            v = self.find(i, node, why)
                            if v is not None and (best is None or
                                                  sum(v.values()) < best[0]):
                                best = sum(v.values()), node, v
                    if best and best[0] and made < most:
                        x = Plan(i, best[1], best[2], why, {j: at for j in best[2]})
                        note["not minimal"] += not self.minimal(x)
                        self.plans.append(x)
                        self.carry_out(x)
                        made += 1
                        again = True
        self.virtual_end()
        note["planned"] += made
        return made

    def minimal(self, x):
        """Without any one victim the step would not start."""
        good = True
        for gone in x.victims:
            rest = x.victims - collections.Counter([gone])
            for j in rest.elements():
                self.move(j, x.node, -1)
            good &= not self.starts(x.claim, x.node)
            for j in rest.elements():
                self.move(j, x.node, 1)
        return good

    # ---- what is promised ----

    def within(self):
        """P3, from nothing but what runs."""
        for p, s in self.shares.items():
            use = [[0] * len(self.kinds) for _ in self.w.queues]
            for q in s.rows[::-1]:
                for k in self.kinds:
                    use[q][k] = sum(
                        self.running(i, p) * c.step[k] for i, c in
                        enumerate(self.w.classes) if c.leaf == q) + sum(
                        max(use[c][k], s.kept[c][k]) for c in s.children[q])
                    if use[q][k] > s.cap[q][k] and use[q][k] > sum(
                            s.kept[c][k] for c in s.children[q]):
                        return False
        return True

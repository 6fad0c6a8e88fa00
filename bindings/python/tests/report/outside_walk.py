"""What queues were doing between any two events of a run, computed anew from
the log of `replay` by the words of docs/report.md and of <sched/share.h>, with
whole numbers and fractions and nothing of the package."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

CAUSES = ("limit", "below_share", "cluster_full", "does_not_fit", "order")
PATIENCE = 900 * 1_000_000_000


def level(amount, low, high, weight):
    """The parts of `amount` between their bounds, weight times one level."""
    points = sorted({Fraction(b, w) for lo, hi, w in zip(low, high, weight)
                     for b in (lo, hi)})

    def at(r):
        return [min(max(w * r, lo), hi)
                for lo, hi, w in zip(low, high, weight)]

    below = Fraction(0)
    for point in points:
        if sum(at(point)) >= amount:
            one, two = sum(at(below)), sum(at(point))
            if two > one:
                below += (point - below) * Fraction(amount - one, two - one)
            return at(below)
        below = point
    return at(below)


def whole(amount, low, high, weight):
    """Whole units: each next one to whom it stands for the least of its
    weight, the first of equals."""
    if sum(low) > amount:
        return whole(amount, [0] * len(low), low, [max(1, x) for x in low])
    amount = min(amount, sum(high))
    exact = level(amount, low, high, weight)
    made = [max(lo, math.floor(x) - len(low)) for lo, x in zip(low, exact)]
    left = amount - sum(made)
    while left > 0:
        i = min((i for i, a in enumerate(made) if a < high[i]),
                key=lambda i: (Fraction(2 * made[i] + 1, weight[i]), i))
        made[i] += 1
        left -= 1
    return made


class Shares:
    """Shares of queues that have or want something, by guarantee, limit and
    weight."""

    def __init__(self, capacity, queues):
        self.capacity, self.queues, self.known = capacity, queues, {}

    def of(self, active):
        """By queue and kind."""
        if active not in self.known:
            self.known[active] = list(zip(*(
                self.kind(active, k) for k in range(3))))
        return self.known[active]

    def kind(self, active, k):
        """Of one kind."""
        has = self.capacity[k]
        high = [has if q.limit is None else math.floor(q.limit * has)
                for q in self.queues]
        high = [h if i in active else 0 for i, h in enumerate(high)]
        low = [min(h, math.floor(q.guarantee * has))
               for h, q in zip(high, self.queues)]
        return whole(has, low, high, [q.weight for q in self.queues])


@dataclass
class Going:
    """A stretch below a share that goes on."""

    kind: int
    since: int
    lack: int
    over: list


@dataclass
class Walk:
    """A run, event by event. Found: `causes` by queue (jobs times ns),
    `stretches` (queue, from, to, kind, lack, who had most beyond its share),
    `held` by queue and kind (amount times ns up to the last submission)."""

    jobs: list
    queues: list
    nodes: list
    gang: bool
    causes: list = field(default_factory=list)
    stretches: list = field(default_factory=list)
    held: list = field(default_factory=list)
    shortfall: list = field(default_factory=list)

    def __post_init__(self):
        n = len(self.queues)
        at = {q.name: i for i, q in enumerate(self.queues)}
        self.leaf = [at[job.queue] for job in self.jobs]
        self.free = [list(one.amount) for one in self.nodes
                     for _ in range(one.count)]
        self.part = [one.part for one in self.nodes for _ in range(one.count)]
        self.all = [sum(f[k] for f in self.free) for k in range(3)]
        self.has = {part: [sum(f[k] for f, p in zip(self.free, self.part)
                               if p == part) for k in range(3)]
                    for part in set(self.part)}
        self.room = {part: list(has) for part, has in self.has.items()}
        self.usage = [[0] * 3 for _ in range(n)]
        self.open = [[0] * 3 for _ in range(n)]
        self.alive = [0] * n
        self.line = [[] for _ in range(n)]
        self.head = [0] * n
        self.waiting = [0] * n
        self.started = [False] * len(self.jobs)
        self.going = [None] * n
        self.over = [[0] * 3 for _ in range(n)]
        self.shortfall = [[0, 0] for _ in range(n)]
        self.causes = [[0] * len(CAUSES) for _ in range(n)]
        self.held = [[0] * 3 for _ in range(n)]
        self.shares = Shares(self.all, self.queues)
        self.fits = [0] * n

    # ---- events ----

    def submit(self, row):
        """A job comes."""
        q, job = self.leaf[row], self.jobs[row]
        for k in range(3):
            self.open[q][k] += job.amount[k] * job.tasks
        self.alive[q] += job.tasks
        self.line[q].append(row)
        self.waiting[q] += 1

    def leave(self, row):
        """A job waits no longer."""
        if not self.started[row]:
            self.started[row] = True
            self.waiting[self.leaf[row]] -= 1

    def event(self, kind, row, count, node):
        """A record of the log."""
        q, job = self.leaf[row], self.jobs[row]
        if kind == "reject":
            self.leave(row)
            self.alive[q] -= job.tasks
            for k in range(3):
                self.open[q][k] -= job.amount[k] * job.tasks
            return
        sign = count if kind == "allocate" else -count
        if kind == "allocate":
            self.leave(row)
        if kind == "finish":
            self.alive[q] -= count
        for k in range(3):
            amount = sign * job.amount[k]
            self.usage[q][k] += amount
            if kind != "finish":
                self.open[q][k] -= amount
            self.free[node][k] -= amount
            assert self.free[node][k] >= 0
            self.room[self.part[node]][k] -= amount

    # ---- between two instants ----

    def leading(self, q):
        """The kind of which a queue has, or else wants, the largest part."""
        for amounts in (self.usage[q], [u + o for u, o in zip(
                self.usage[q], self.open[q])]):
            parts = [Fraction(a, c) if c else Fraction(0)
                     for a, c in zip(amounts, self.all)]
            if any(parts):
                return parts.index(max(parts))
        return 0

    def below(self, q, k, share):
        """Has it less than its share of a kind, and wants more?"""
        return self.open[q][k] > 0 and self.usage[q][k] < share[q][k]

    def end(self, q, now):
        """A stretch ends."""
        going, self.going[q] = self.going[q], None
        if now - going.since > PATIENCE:
            more = [over[going.kind] - was
                    for over, was in zip(self.over, going.over)]
            most = max(range(len(more)), key=lambda i: (more[i], -i))
            self.stretches.append((
                self.queues[q].name, going.since, now, going.kind, going.lack,
                self.queues[most].name if more[most] > 0 else None))

    def stretch(self, q, now, share):
        """Is it below its share of what it holds most of?"""
        if not self.open[q][0] and not any(self.open[q]):
            if self.going[q]:
                self.end(q, now)
            return
        k = self.leading(q)
        below = self.below(q, k, share)
        if self.going[q] and (not below or self.going[q].kind != k):
            self.end(q, now)
        if below:
            if not self.going[q]:
                self.going[q] = Going(k, now, 0, [o[k] for o in self.over])
            self.going[q].lack = max(self.going[q].lack, min(
                share[q][k] - self.usage[q][k], self.open[q][k]))

    def cause(self, q, share):
        """What holds the oldest job of a queue that waits."""
        line = self.line[q]
        while self.started[line[self.head[q]]]:
            self.head[q] += 1
        job = self.jobs[line[self.head[q]]]
        need = [a * (job.tasks if self.gang else 1) for a in job.amount]
        limit = self.queues[q].limit
        if limit is not None and any(
                u + n > math.floor(limit * c) for u, n, c in zip(
                    self.usage[q], need, self.all)):
            return 0
        short = [k for k in range(3) if need[k] and (
            self.room[job.part][k] < need[k] or
            20 * self.room[job.part][k] <= self.has[job.part][k])]
        if short:
            others = any(self.below(q, k, share) and any(
                u[k] > s[k] for u, s in zip(self.usage, share)) for k in short)
            return 1 if others else 2
        return 4 if self.place(q, need, job.part) else 3

    def place(self, q, need, part):
        """Has some node room for it? The one that had it last is asked
        first."""
        for node in (self.fits[q], *range(len(self.free))):
            free = self.free[node]
            if part == self.part[node] and need[0] <= free[0] and \
                    need[1] <= free[1] and need[2] <= free[2]:
                self.fits[q] = node
                return True
        return False

    def in_pieces(self, q, cause, share):
        """Is a kind that its oldest job is short of free for it, and no
        queue beyond its share of it; or is enough free, on no one node?"""
        job = self.jobs[self.line[q][self.head[q]]]
        need = [a * (job.tasks if self.gang else 1) for a in job.amount]
        own = [k for k in range(3) if need[k] and self.below(q, k, share) and (
            self.room[job.part][k] < need[k] or
            20 * self.room[job.part][k] <= self.has[job.part][k])]
        return cause == 3 or cause == 2 and bool(own)

    def pass_time(self, now, to):
        """Nothing happens from now on until then."""
        share = self.shares.of(frozenset(
            i for i, n in enumerate(self.alive) if n))
        for q in range(len(self.queues)):
            self.stretch(q, now, share)
        counts = max(0, min(to, self.jobs[-1].submit) - now)
        for q, usage in enumerate(self.usage):
            for k in range(3):
                self.held[q][k] += usage[k] * counts
                if usage[k] > share[q][k]:
                    self.over[q][k] += (usage[k] - share[q][k]) * (to - now)
        for q, n in enumerate(self.waiting):
            cause = self.cause(q, share) if n else 0
            if n:
                self.causes[q][cause] += n * (to - now)
            if self.going[q]:
                self.shortfall[q][0] += to - now
                if n and self.in_pieces(q, cause, share):
                    self.shortfall[q][1] += to - now

    def go(self, log):
        """All of it."""
        events = sorted([(job.submit, 0, row) for row, job in
                         enumerate(self.jobs)] +
                        [(record[0], 1, i) for i, record in enumerate(log)])
        i = 0
        while i < len(events):
            now = events[i][0]
            while i < len(events) and events[i][0] == now:
                _, logged, at = events[i]
                if logged:
                    self.event(*log[at][1:])
                else:
                    self.submit(at)
                i += 1
            self.pass_time(now, events[i][0] if i < len(events) else now)
        for q, going in enumerate(self.going):
            if going:
                self.end(q, events[-1][0])
        self.stretches.sort(key=lambda s: (s[1] - s[2], s[0], s[1]))
        return self

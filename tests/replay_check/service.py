"""Is a queue below its guarantee served within what the settings promise?

The promise (docs/design/promises.md): from the first round at which

  a queue is below its guarantee, and its first open task stays within it, and
  no node has free what that task holds, and
  somebody surely gives: a task that runs on a node where this one would fit in
  its place, of a queue that is over its share without it, whatever the shares

and that is due (starvation: the queue was below for its time-out; entitlement:
the giver was over for so many rounds), while all this is so, it is no longer
than

  grace, rounded up to whole periods  +  a period  +  a heartbeat

until a task of a queue below its guarantee starts, or one for which victims
freed resources. Nothing is asked of the library's shares: a queue's share is no more
than what is left when each other has its guarantee, as far as it wants it, and
no less than that itself.

Judged are leaves in the order fifo without limits of users, and jobs that may run
in one partition; not runs with gangs, with rules inside queues, or with
guarantees that do not fit into one another.
"""
import heapq
import re

PPM = 10 ** 6
NANOSECONDS = {"ns": 1, "us": 10 ** 3, "ms": 10 ** 6, "s": 10 ** 9,
               "m": 60 * 10 ** 9, "h": 3600 * 10 ** 9}


def rounded_up(x, step):
    return -(-x // step) * step


class Service:
    """Of one partition."""

    def __init__(self, check, part, owed, said):
        o, self.c = check.o, check
        self.part, self.owed = part, owed
        self.leaves = [q for q in check.tree.order if not q.children]
        self.judged = ("," not in o.preempt and  # one policy
                       not o.gang and o.gang_over is None and o.preempt_inside == "no" and
                       o.heartbeat <= o.preempt_keep and owed == said and
                       not any(job.needs for job in check.jobs))
        self.line = {q.index for q in self.leaves
                     if q.apps == "fifo" and not q.by_user}
        self.every, self.dialect = o.preempt_every, o.preempt
        self.base = check.jobs[0].submit if check.jobs else 0
        self.within = (rounded_up(o.preempt_grace, self.every) + self.every +
                       o.heartbeat)
        self.open = {}      # by leaf: a heap of (order, job) with open tasks
        self.pending = {}   # by leaf: amounts that are open
        self.running = {}   # by leaf: allocations
        self.moved = {i for i, p in enumerate(check.partition) if p == part}
        self.loose = set()
        self.below, self.over, self.since = {}, {}, {}
        self.witness = {}
        self.longest, self.rounds = 0, 0
        self.progress = self.allocated = None
        kinds = range(len(check.tree.kinds))
        self.kinds = kinds
        for q in self.leaves:
            self.open[q.index] = []
            self.pending[q.index] = [0 for _ in kinds]
            self.running[q.index] = set()
        if self.judged:
            self.budget = [-(-x * (o.preempt_part or PPM) // PPM)
                           for x in check.capacity[self.part]]
            self.timeouts = {q.index: self.timeout_of(q) for q in self.leaves}
            self.allowed = [q for q in self.leaves if self.may_give(q)]

    @staticmethod
    def may_give(q):
        while q and q.attributes.get("preempt_from", "yes") != "no":
            q = q.parent
        return q is None

    def timeout_of(self, q):
        """Of its guarantee: its own, its parent's, or the option's; None: it
        never is."""
        while q:
            said = q.attributes.get("preempt_min_timeout")
            if said:
                got = re.fullmatch(r"(\d+)(ns|us|ms|s|m|h)", said)
                return int(got[1]) * NANOSECONDS[got[2]] if got else None
            q = q.parent
        return self.c.o.preempt_timeout

    def note(self):
        if not self.judged:
            return "service not judged"
        return ("%s%d rounds with somebody to serve, within %.3f of %.3f s" %
                (self.part and self.part + ": ", self.rounds,
                 self.longest / 1e9, self.within / 1e9))

    # -- what happens --

    def opens(self, job, tasks):
        """So many tasks more are open, or fewer."""
        if not self.judged or self.part not in job.partitions:
            return
        at = self.pending[job.leaf.index]
        for k in self.kinds:
            at[k] += job.amount[k] * tasks
        if tasks > 0:
            heapq.heappush(self.open[job.leaf.index], (job.order, job.name))

    def starts(self, job, task, count, node, held, now):
        self.opens(job, -count)
        if not self.judged or self.c.partition[node] != self.part:
            return
        if held or self.is_below(job.leaf):
            self.progress = now
        self.allocated = now
        self.running[job.leaf.index].add((job.name, task))
        self.moved.add(node)

    def becomes(self, job, node, old, new, left):
        if not self.judged or self.c.partition[node] != self.part:
            return
        mine = self.running[job.leaf.index]
        mine.discard((job.name, old))
        if left:
            mine.add((job.name, new))
        self.moved.add(node)

    # -- what is surely so --

    def is_below(self, q):
        used, owed = q.used[self.part], self.owed[q.index]
        return any(u < g for u, g in zip(used, owed))

    def wants(self, q, k):
        return q.used[self.part][k] + self.pending[q.index][k]

    def first(self, q):
        """The job whose task is first in line."""
        line = self.open[q.index]
        while line:
            job = self.c.by_name[line[0][1]]
            again = self.c.preemption.again.get(job.name, ())
            if job.tasks - job.next + len(again) > 0:
                return job
            heapq.heappop(line)
        return None

    def claims(self, q):
        """Its first open task, if that stays within its guarantee and fits
        nowhere as it is."""
        if q.index not in self.line or not self.is_below(q):
            return None
        job = self.first(q)
        if job is None or job.partitions != (self.part,):
            return None
        used, owed = q.used[self.part], self.owed[q.index]
        if any(a and u + a > g for a, u, g in zip(job.amount, used, owed)):
            return None
        if not self.c.has_room(q, self.part, job.amount):
            return None
        return job

    def fits_free(self, job):
        free = self.c.free
        for node in self.moved:
            if any(x > 0 for x in free[node]):
                self.loose.add(node)
            else:
                self.loose.discard(node)
        self.moved.clear()
        return any(all(a <= f for a, f in zip(job.amount, free[node]))
                   for node in self.loose)

    def share_at_most(self, q):
        """By kind: no share of the queue is more."""
        out = []
        for k in self.kinds:
            rest = self.c.capacity[self.part][k]
            for other in self.leaves:
                if other is not q:
                    rest -= min(self.owed[other.index][k],
                                self.wants(other, k))
            out.append(rest)
        return out

    def left_over(self, k):
        root = self.c.tree.order[0]
        return self.c.capacity[self.part][k] - root.used[self.part][k]

    def is_short(self, q, k):
        """Surely: what this queue alone is owed is more than is free."""
        owed = min(self.owed[q.index][k], self.wants(q, k))
        return owed - q.used[self.part][k] > self.left_over(k)

    def is_plenty(self, k):
        """Surely: there is enough for all that anybody wants."""
        return sum(self.pending[q.index][k]
                   for q in self.leaves) <= self.left_over(k)

    def is_beyond(self, q, k, share):
        """Outside the dead zone, and over in this kind."""
        used = q.used[self.part][k]
        base = self.owed[q.index][k] if self.dialect == "imbalance" else share
        return (used > share and
                used * PPM > base * (PPM + self.c.o.preempt_ignored))

    def is_witness(self, q, job, share, held, short, plenty):
        """May this allocation's last task go for a task of the job?"""
        name, first = held
        running = self.c.running.get(held)
        if running is None:
            return False
        victim = self.c.by_name[name]
        _, node, _ = running
        gives, used = False, q.used[self.part]
        for k in self.kinds:
            v, a = victim.amount[k], job.amount[k]
            if a > self.c.free[node][k] + v or v > self.budget[k]:
                return False
            if v and not plenty[k] and used[k] - v < share[k]:
                return False
            gives |= (v > 0 and short[k] and a > self.c.free[node][k] and
                      used[k] - v >= share[k] and
                      self.is_beyond(q, k, share[k]))
        return gives

    def giver(self, q, job, givers):
        """A queue that surely gives for the job, with its share at most."""
        short = [self.is_short(q, k) for k in self.kinds]
        plenty = [self.is_plenty(k) for k in self.kinds]
        if not any(short):
            return None
        was = self.witness.get(q.index)
        for other, share in givers:
            if other is q:
                continue
            mine = self.running[other.index]
            if was in mine and self.is_witness(other, job, share, was, short,
                                               plenty):
                return other
            for held in mine:
                if self.is_witness(other, job, share, held, short, plenty):
                    self.witness[q.index] = held
                    return other
        return None

    # -- round by round --

    def time_goes_on(self, now, until):
        """Nothing happens from now on until then."""
        if not self.judged:
            return
        if self.progress is not None:
            self.since.clear()
            self.progress = None
        first = self.base + rounded_up(now - self.base, self.every)
        last = self.base + (until - 1 - self.base) // self.every * self.every
        if self.allocated == first == now:
            self.since.clear()
            first += self.every
        if first <= last:
            self.look(first, last)

    def is_due_after(self, q, giver, first):
        """From which round on."""
        if self.dialect == "starvation":
            return self.below[q.index] + self.timeouts[q.index]
        if self.dialect == "entitlement":
            return (self.over[giver.index] +
                    (self.c.o.preempt_cycles - 1) * self.every)
        return first

    def look(self, first, last):
        """At the rounds from one to another, between which nothing moves."""
        claims = [(q, self.claims(q)) for q in self.leaves]
        waits = any(any(p) for p in self.pending.values())
        givers = []
        if waits:
            givers = [(q, self.share_at_most(q)) for q in self.allowed]
            givers = [(q, s) for q, s in givers
                      if any(self.is_beyond(q, k, s[k]) for k in self.kinds)]
        self.keep(self.over, [q for q, _ in givers], first)
        self.keep(self.below, [q for q, job in claims if job], first)
        idle = self.dialect == "starvation" and not any(
            u * PPM > c * self.c.o.preempt_used for u, c in
            zip(self.c.tree.order[0].used[self.part],
                self.c.capacity[self.part]))
        for q, job in claims:
            giver = None
            if self.dialect == "starvation" and self.timeouts[q.index] is None:
                job = None
            if job and givers and not idle and not self.fits_free(job):
                giver = self.giver(q, job, givers)
            if giver is None:
                self.since.pop(q.index, None)
                continue
            due = self.is_due_after(q, giver, first)
            if due > last:
                self.since.pop(q.index, None)
                continue
            since = self.since.setdefault(q.index, max(first, due))
            self.rounds += (last - max(since, first)) // self.every + 1
            self.longest = max(self.longest, last - since)
            if last - since > self.within:
                raise self.c.fault(
                    "%s is below its guarantee, %s could give to it, and "
                    "nothing came of it from %d to %d ns; promised are %d ns"
                    % (".".join(q.parts), ".".join(giver.parts), since, last,
                       self.within))

    @staticmethod
    def keep(since, queues, now):
        there = {q.index for q in queues}
        for index in [i for i in since if i not in there]:
            del since[index]
        for index in there:
            since.setdefault(index, now)

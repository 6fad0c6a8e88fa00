"""No job waits while a place is free for it."""
from collections import deque

from .fault import Fault


class Waiting:
    """Open tasks of one shape, leaf and partition."""

    def __init__(self, leaf, parts, step, needs):
        self.leaf, self.parts, self.step = leaf, parts, step
        self.needs = needs
        self.open, self.since = 0, None


class Idle:
    def __init__(self, check, period):
        self.c, self.period = check, period
        n = len(check.free)
        self.changed, self.stale = [None] * n, [False] * n
        self.node_due, self.wait_due = deque(), deque()
        self.ripe, self.groups, self.limited = set(), {}, {}

    def group(self, job):
        key = (job.leaf.index, job.partitions, job.step, job.needs)
        if key not in self.groups:
            g = self.groups[key] = Waiting(job.leaf, job.partitions, job.step,
                                           job.needs)
            g.priority = 0
            at = job.leaf
            while at:
                self.limited.setdefault(at.index, []).append(g)
                at = at.parent
        return self.groups[key]

    def allowed(self, g):
        return any(self.c.has_room(g.leaf, p, g.step) for p in g.parts)

    def set_since(self, g, now):
        if g.open > 0 and self.allowed(g):
            if g.since is None:
                g.since = now
                self.wait_due.append((now, g))
        else:
            g.since = None
            self.ripe.discard(g)

    def opens(self, job, n, now):
        if job.leaf.by_user:
            return
        g = self.group(job)
        g.open += n
        self.set_since(g, now)

    def usage_moved(self, leaf, now):
        at = leaf
        while at:
            if at.has_limit:
                for g in self.limited.get(at.index, ()):
                    if g.open:
                        self.set_since(g, now)
            at = at.parent

    def touch(self, node, now):
        self.changed[node], self.stale[node] = now, False
        self.node_due.append((now, node))

    def fits(self, g, node):
        c = self.c
        p = c.partition[node]
        return (p in g.parts and c.takes(g.needs, node) and
                all(a <= b for a, b in zip(g.step, c.free[node])) and
                c.has_room(g.leaf, p, g.step))

    def complain(self, g, node, now):
        raise Fault("idle: at %d ns node %d is free for a task of %r that has "
                    "waited since %d in %s (node unchanged since %s)" %
                    (now, node, g.step, g.since, ".".join(g.leaf.parts),
                     self.changed[node]))

    def advance(self, now):
        """Time goes on to `now`: who has been waiting for too long?"""
        due = now - self.period
        while self.node_due and self.node_due[0][0] < due:
            at, node = self.node_due.popleft()
            if self.changed[node] != at or self.stale[node]:
                continue
            self.stale[node] = True
            for g in self.ripe:
                if self.fits(g, node):
                    self.complain(g, node, now)
        while self.wait_due and self.wait_due[0][0] < due:
            at, g = self.wait_due.popleft()
            if g.since != at or g in self.ripe:
                continue
            self.ripe.add(g)
            for node, stale in enumerate(self.stale):
                if stale and self.fits(g, node):
                    self.complain(g, node, now)

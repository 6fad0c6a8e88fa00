"""The order of jobs in a leaf, and of leaves."""
from collections import deque

from .fault import Fault, need


class Orders:
    # -- fifo --

    def fifo_setup(self):
        self.lines, self.below = {}, {}

    def fifo_opens(self, job):
        leaf = self.lines.setdefault((job.leaf.index, job.partitions), {})
        key = (job.size, job.priority, job.needs)
        if key not in leaf:
            for other in leaf:
                for a, b in ((key, other), (other, key)):
                    if (a[1] == b[1] and a[2] in ("", b[2]) and
                            all(x <= y for x, y in zip(a[0], b[0]))):
                        self.below.setdefault(
                            (job.leaf.index, job.partitions, b), []).append(a)
            self.below.setdefault((job.leaf.index, job.partitions, key), []).append(key)
            leaf[key] = deque()
        line = leaf[key]
        need(not line or line[-1].order < job.order or
             job.leaf.max_running is not None or self.any_max,
             "fifo: %s is admitted after a later job", job.name)
        line.append(job)

    def fifo_starts(self, job, now):
        leaf = self.lines[(job.leaf.index, job.partitions)]
        key = (job.size, job.priority, job.needs)
        for other in self.below[(job.leaf.index, job.partitions, key)]:
            line = leaf[other]
            while line and line[0].next >= line[0].tasks:
                line.popleft()
            if line and line[0].order < job.order:
                raise Fault("fifo: at %d ns %s starts before %s, which is "
                            "earlier and no larger" %
                            (now, job.name, line[0].name))

    # -- drf --

    def drf_setup(self):
        root = self.tree.order[0]
        policy = self.o.policy or root.attributes.get("order", "drf")
        leaves = root.children
        self.drf = (policy == "drf" and 1 < len(leaves) <= 40 and
                    not self.preemption.on and not self.gangs and
                    not any(q.children or q.weight == 0 or
                            "guarantee" in q.attributes for q in leaves))
        if self.preemption.on:
            self.notes.append("idle, fifo and drf not judged")
        elif not self.drf:
            self.notes.append("drf not judged")

    def drf_key(self, queue, partition, extra=(), times=0):
        capacity, used = self.capacity[partition], queue.used[partition]
        best = 0
        for k, c in enumerate(capacity):
            u = used[k] + (extra[k] * times if times else 0)
            if c:
                best = max(best, (u << 62) // (c * queue.weight))
        return best

    def drf_starts(self, job, node, count, now):
        part, free = self.partition[node], self.free[node]
        last = 0 if self.o.gang else count - 1
        own = (self.drf_key(job.leaf, part, job.step, last), job.leaf.position)
        for g in self.idle.groups.values():
            if g.open <= 0 or g.leaf is job.leaf or part not in g.parts:
                continue
            if any(a > f - s * last
                   for a, f, s in zip(g.step, free, job.step)):
                continue
            if not self.takes(g.needs, node):
                continue
            if not self.has_room(g.leaf, part, g.step):
                continue
            other = (self.drf_key(g.leaf, part), g.leaf.position)
            if other < own:
                raise Fault("drf: at %d ns %s of %s starts on node %d before "
                            "%s, which has less" %
                            (now, job.name, ".".join(job.leaf.parts), node,
                             ".".join(g.leaf.parts)))

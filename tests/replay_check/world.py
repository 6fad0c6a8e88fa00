"""What is known before the log begins: jobs, tree, nodes, limits."""
import re
from collections import Counter

from .amounts import UNLIMITED
from .cluster import derived_nodes, said_nodes
from .fault import need
from .queues import Tree
from .rules import Rules
from .words import RULE
from .workload import csv_jobs, swf_jobs


class World:
    def read(self):
        o = self.o
        swf = re.search(r"\.swf(\.gz)?$", o.workload)
        self.jobs, self.skipped = (swf_jobs if swf else csv_jobs)(o.workload, o)
        self.jobs.sort(key=lambda j: (j.submit, j.line))
        self.tree = Tree()
        if o.tree:
            with open(o.tree, encoding="utf-8") as file:
                self.tree.read(file.read())
        levels = o.queue_by.split("/")
        root = self.tree.order[0].parts if self.tree.order else ("root",)
        for job in self.jobs:
            parts = root + tuple(job.words[w] for w in levels)
            if o.tree:
                need(parts in self.tree.queues, "no queue %r", parts)
                job.leaf = self.tree.queues[parts]
            else:
                job.leaf = self.tree.ensure(parts)
        if not self.tree.order:
            self.tree.add(root)
        self.remap_kinds()
        span = self.jobs[-1].submit - self.jobs[0].submit if self.jobs else 0
        if o.nodes:
            specs, self.attributes = said_nodes(o.nodes, self.tree.kinds)
        else:
            specs = derived_nodes(self.jobs, span, o.load, self.tree.kinds)
            self.attributes = [[]]
        self.rules = Rules(self.attributes)
        self.lay_out(specs)
        self.set_up_queues()

    def remap_kinds(self):
        names = [k for k, _ in Tree.KINDS]
        if [k for k, _ in self.tree.kinds] == names:
            return
        for job in self.jobs:
            job.amount = tuple(job.amount[names.index(k)] if k in names else 0
                               for k, _ in self.tree.kinds)

    def lay_out(self, specs):
        self.specs = specs
        self.free, self.partition, self.top = [], [], {}
        self.spec = []
        for i, (count, partition, amounts) in enumerate(specs):
            self.spec += [i] * count
            self.free += [list(amounts) for _ in range(count)]
            self.partition += [partition] * count
            self.top.setdefault(partition, set()).add((amounts, i))
        self.capacity, self.parts = {}, sorted(self.top)
        zero = (0,) * len(self.tree.kinds)
        for count, partition, amounts in specs:
            old = self.capacity.get(partition, zero)
            self.capacity[partition] = tuple(
                a + b * count for a, b in zip(old, amounts))
        self.size = [tuple(f) for f in self.free]
        self.sizes = Counter(zip(self.partition, self.size, self.spec))
        self.named = any(p for p in self.parts)

    def set_up_queues(self):
        n = len(self.tree.kinds)
        for q in self.tree.order:
            q.limits = {p: self.tree.limit(q, c)
                        for p, c in self.capacity.items()}
            # amounts bound all partitions together, parts each by itself
            absolute = "=" in q.attributes.get("limit", "")
            q.ceiling = (UNLIMITED,) * n
            if absolute or "=" in q.attributes.get("borrow", ""):
                q.ceiling = self.tree.limit(q, (UNLIMITED,) * n)
            q.has_limit = any(x < UNLIMITED for v in q.limits.values()
                              for x in v)
            said = q.attributes.get("max_running", "unlimited")
            q.max_running = None if said == "unlimited" else int(said)
            q.used = {p: [0] * n for p in self.parts}
            q.all_used, q.peak = [0] * n, [0] * n
            q.since, q.wanted, q.demand = 0, 0, 0
            apps = self.o.apps or q.attributes.get("apps", "fifo")
            q.apps = apps
            limit, at = None, q
            while at is not None and limit is None:
                limit, at = at.attributes.get("user_limit"), at.parent
            q.by_user = bool(limit and limit not in ("100%", "1", "1.0")) or \
                "user_factor" in q.attributes
            q.weight = int(q.attributes.get("weight", "1"))
        for job in self.jobs:
            job.next = job.ended = 0
            job.first = None
            job.state = "ahead"
            job.step = job.amount
            if self.o.gang or self.gangs:
                job.step = tuple(a * job.tasks for a in job.amount)
            # of two jobs, what takes no more in any of these fits where the
            # other does
            job.size = job.amount + (job.tasks,) if self.gangs else job.step
            job.partitions = self.partitions_of(job)

    def partitions_of(self, job):
        """The partitions in which a job may run."""
        if not self.named:
            return tuple(self.parts)
        if job.partition in self.top:
            return (job.partition,)
        return tuple(self.parts) if not job.partition else ()

    def nodes_hold(self, job, part, needs):
        if self.gangs:
            return not self.gangs.never_fits(job, part, needs)
        return any(all(a <= b for a, b in zip(job.step, node)) and
                   self.rules.takes(needs, spec)
                   for node, spec in self.top[part])

    def takes(self, needs, node):
        return not needs or self.rules.takes(needs, self.spec[node])

    def never(self, job):
        """Why a job can never run, or None."""
        fits = [p for p in job.partitions if self.nodes_hold(job, p, job.needs)]
        if not fits:
            large = any(self.nodes_hold(job, p, "") for p in job.partitions)
            return RULE if large else "no node is large enough"
        at = job.leaf
        while at:
            if not any(all(a == 0 or a <= b
                           for a, b in zip(job.step, at.limits[p]))
                       for p in fits):
                return "larger than the limit of a queue"
            at = at.parent
        return None

    def has_room(self, leaf, partition, step):
        at = leaf
        while at:
            if at.has_limit:
                used, limit = at.used[partition], at.limits[partition]
                for k, a in enumerate(step):
                    if a and (used[k] + a > limit[k] or
                              at.all_used[k] + a > at.ceiling[k]):
                        return False
            at = at.parent
        return True

"""--gang-over: the tasks of a job start together over nodes, or not at all; of
--gang-exact each node takes as many of them."""
from collections import Counter

from .fault import Fault, need


def times(task, amounts, most):
    """How many tasks amounts hold, `most` at most."""
    return min([most] + [f // a for f, a in zip(amounts, task) if a])


class Shape:
    """Tasks of one size in one partition: how many each node takes."""

    def __init__(self, check, part, task, gangs, needs):
        self.task, self.gangs = task, gangs
        self.on = {node: gangs.takes(task, free)
                   for node, free in enumerate(check.free)
                   if check.partition[node] == part and
                   check.takes(needs, node)}
        self.sum = sum(self.on.values())

    def touch(self, node, free):
        if node not in self.on:
            return
        now = self.gangs.takes(self.task, free)
        self.sum += now - self.on[node]
        self.on[node] = now


class Gangs:
    """A gang that starts has rows that follow each other, at one instant, until
    all its tasks run; on no node more than it may. When nothing has happened for
    longer than a heartbeat, no gang waits that nodes and limits would hold."""

    def __init__(self, check, most, exact):
        self.c, self.most, self.exact = check, most, exact
        self.forming, self.since, self.on = None, None, Counter()
        self.shapes, self.waiting = {}, {}

    def takes(self, task, amounts):
        """How many tasks start on a node that has these amounts free."""
        most = times(task, amounts, self.most or 1 << 62)
        return 0 if self.exact and most < self.most else most

    # -- together --

    def row(self, kind, job, now):
        """Before any row."""
        if self.forming is None:
            return
        need(kind == "allocate" and job is self.forming and now == self.since,
             "%s has started in part", self.forming.name)

    def starts(self, job, count, node, now, reason):
        need(reason == "all of a gang over nodes at once", "the reason")
        if self.forming is None:
            self.forming, self.since = job, now
            self.part = self.c.partition[node]
            self.waits(job, -1)
        need(self.c.partition[node] == self.part, "a gang in two partitions")
        self.on[node] += count
        need(not self.most or self.on[node] <= self.most,
             "%d of its tasks on node %d", self.on[node], node)
        if job.next == job.tasks:
            need(not self.exact or set(self.on.values()) == {self.most},
                 "nodes with another number of its tasks")
            self.forming = None
            self.on.clear()

    # -- idle --

    def waits(self, job, by):
        if job.leaf.by_user:
            return
        key = (job.leaf.index, job.partitions, job.amount, job.needs)
        if key not in self.waiting:
            self.waiting[key] = (job.leaf, Counter())
        sizes = self.waiting[key][1]
        sizes[job.tasks] += by
        if not sizes[job.tasks]:
            del sizes[job.tasks]

    def touch(self, node):
        for shape in self.shapes.values():
            shape.touch(node, self.c.free[node])

    def holds(self, part, task, tasks, needs):
        shape = self.shapes.get((part, task, needs))
        if shape is None:
            shape = Shape(self.c, part, task, self, needs)
            self.shapes[part, task, needs] = shape
        return shape.sum >= tasks

    def quiet(self, since, until):
        """Nothing happened from one instant to another."""
        if until - since <= self.c.o.heartbeat:
            return
        for (_, parts, task, needs), (leaf, sizes) in self.waiting.items():
            if not sizes:
                continue
            tasks = min(sizes)
            step = tuple(a * tasks for a in task)
            for part in parts:
                if (self.holds(part, task, tasks, needs) and
                        self.c.has_room(leaf, part, step)):
                    raise Fault("idle: from %d to %d ns nodes are free for %d "
                                "tasks of %r that wait in %s" %
                                (since, until, tasks, task,
                                 ".".join(leaf.parts)))

    # -- never --

    def never_fits(self, job, part, needs):
        """No empty nodes of a partition hold all of it."""
        return sum(min(self.takes(job.amount, size), job.tasks) * count for
                   (where, size, spec), count in self.c.sizes.items()
                   if where == part and
                   self.c.rules.takes(needs, spec)) < job.tasks

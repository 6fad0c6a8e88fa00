"""Notices, kills, reservations, and who may be told."""
from .amounts import units, vector
from .fault import Fault, need
from .service import Service
from .words import HELD


class Guarantees:
    """What each queue is guaranteed in one partition: children's lift their
    parent's as far as its limit goes; where they add up to more, each is cut in
    one ratio."""

    def __init__(self, tree, partition, capacity, several, by_weight):
        self.tree, self.partition, self.capacity = tree, partition, capacity
        self.several, self.by_weight = several, by_weight
        root = tree.order[0]
        self.own = {root.index: list(capacity)}
        for queue in tree.order:
            self.read(queue)
        self.force = {}
        for queue in reversed(self.from_above(root)):
            self.lift(queue)
        self.force[root.index] = list(capacity)
        for queue in self.from_above(root):
            self.cut(queue)

    def from_above(self, root):
        line = [root]
        for queue in line:
            line += queue.children
        return line

    def said(self, queue):
        text = queue.attributes.get("guarantee", "")
        if not text:
            return [0] * len(self.capacity)
        if "=" in text:
            got = vector(text, self.tree.kinds)
            return [0 if self.several else x for x in got]
        ppm = units(text.rstrip("%"), 4 if text.endswith("%") else 6, False)
        return [x * ppm // 10 ** 6 for x in self.own[queue.parent.index]]

    def read(self, parent):
        """Of the children: what is said, or by weight."""
        for child in parent.children:
            self.own[child.index] = self.said(child)
        weights = sum(c.weight for c in parent.children)
        for k, whole in enumerate(self.own[parent.index]):
            mine = [self.own[c.index] for c in parent.children]
            if not self.by_weight or not weights or any(x[k] for x in mine):
                continue
            upto = 0
            for child in parent.children:
                before = whole * upto // weights
                upto += child.weight
                self.own[child.index][k] = whole * upto // weights - before

    def lift(self, queue):
        below = [sum(self.force[c.index][k] for c in queue.children)
                 for k in range(len(self.capacity))]
        limit = queue.limits[self.partition]
        self.force[queue.index] = [
            min(bound, max(own, more)) for bound, own, more in
            zip(limit, self.own[queue.index], below)]

    def cut(self, parent):
        for k, whole in enumerate(self.force[parent.index]):
            mine = [self.force[c.index] for c in parent.children]
            total = sum(x[k] for x in mine)
            for x in mine:
                if total > whole:
                    x[k] = x[k] * whole // total


class Preemption:
    """Notices, kill orders and reservations, as the log tells them."""

    def __init__(self, check):
        o = check.o
        self.c, self.on = check, o.preempt != "off"
        self.every, self.grace = o.preempt_every, o.preempt_grace
        self.inside = o.preempt_inside != "no"
        self.base = check.jobs[0].submit if check.jobs else 0
        self.notified = self.killed = self.withdrawn = 0
        self.lost = [0] * len(check.tree.kinds)
        self.firsts = {}  # of (job, node): first tasks of allocations
        self.marks = {}   # of an allocation: when each was told, from its
                          # last task on; None: let off in this round
        self.again = {}   # of a job: tasks that were killed
        self.reserved = {}   # of (job, node): so many tasks at most
        self.dying, self.back = {}, {}
        self.owed, self.services = {}, []
        if self.on:
            for part, capacity in check.capacity.items():
                all_ = Guarantees(check.tree, part, capacity,
                                  len(check.capacity) > 1,
                                  "imbalance" in o.preempt.split(","))
                self.owed[part] = all_.force
                self.services.append(Service(check, part, all_.force,
                                             all_.own))

    def time_goes_on(self, now, until):
        need(not self.dying, "of what was killed %s is not open again",
             next(iter(self.dying), None))
        self.back = {}
        need(not any(None in marks for marks in self.marks.values()),
             "what was told first is let off, and not what was told later")
        if now is not None:
            for service in self.services:
                service.time_goes_on(now, until)

    # -- allocations --

    def opens(self, job, tasks):
        for service in self.services:
            service.opens(job, tasks)

    def starts(self, job, task, count, node, reason):
        again = self.again.get(job.name, ())
        fresh = count
        for n in range(task, task + count):
            if n in again:
                again.remove(n)
                fresh -= 1
        if fresh:
            need(task + count == job.next + fresh, "tasks go on from %d",
                 job.next)
        job.next += fresh
        self.firsts.setdefault((job.name, node), set()).add(task)
        for service in self.services:
            service.starts(job, task, count, node, reason == HELD, self.c.now)
        if reason == HELD:
            had = self.reserved.get((job.name, node), 0)
            need(had >= count, "nodes were reserved for %d of its tasks", had)
            self.reserved[job.name, node] = had - count

    def becomes(self, job, node, old, new, left, ended):
        """An allocation has `left` tasks, from `new` on; those that ended were
        its last ones."""
        firsts = self.firsts[job.name, node]
        firsts.discard(old)
        for service in self.services:
            service.becomes(job, node, old, new, left)
        marks = self.marks.pop((job.name, old), [])[ended:]
        if left:
            firsts.add(new)
            if marks:
                self.marks[job.name, new] = marks

    def holding(self, job, task, count, node):
        """The allocation on a node that has these tasks, and how many stand
        behind them."""
        for first in self.firsts.get((job.name, node), ()):
            behind = first + self.c.running[job.name, first][0] - task - count
            if count > 0 and first <= task and behind >= 0:
                return first, behind
        raise Fault("these are not tasks of one allocation")

    def in_round(self, now):
        need((now - self.base) % self.every == 0, "there is no round now")

    # -- rows --

    def victim(self, job, node):
        """May this queue be told, as far as we judge it?"""
        if self.inside:
            return
        at, part = job.leaf, self.c.partition[node]
        back = self.back.get((at.index, part), [0] * len(self.lost))
        owed = self.owed[part][at.index]
        need(any(u + b > g for u, b, g in zip(at.used[part], back, owed)),
             "its queue has %r and is guaranteed %r", at.used[part], owed)
        while at:
            need(at.attributes.get("preempt_from", "yes") != "no",
                 "%s is not preempted from", ".".join(at.parts))
            at = at.parent

    def notify(self, job, task, count, node, now):
        first, behind = self.holding(job, task, count, node)
        self.in_round(now)
        need(self.grace > 0, "there is no grace")
        self.victim(job, node)
        marks = self.marks.setdefault((job.name, first), [])
        need(behind == len(marks), "%d tasks stand behind them, %d are told",
             behind, len(marks))
        marks.extend([now] * count)
        self.notified += count

    def kill(self, job, task, count, node, now):
        (first, behind), c = self.holding(job, task, count, node), self.c
        need(behind == 0, "these are not the last tasks of an allocation")
        self.in_round(now)
        if self.grace:
            due = [told for told in self.marks.get((job.name, first), [])
                   if told is not None and told + self.grace <= now]
            need(len(due) >= count, "%d of its tasks were told long enough ago",
                 len(due))
        else:
            self.victim(job, node)
        need(not c.o.gang or count == job.tasks, "not the whole gang")
        n, _, since = c.running.pop((job.name, first))
        if count < n:
            c.running[job.name, first] = (n - count, node, since)
        self.becomes(job, node, first, first, n - count, count)
        part, taken = c.partition[node], [a * count for a in job.amount]
        for k, a in enumerate(taken):
            c.free[node][k] += a
            self.lost[k] += a * (now - since)
        c.use(job.leaf, part, taken, -1)
        back = self.back.setdefault((job.leaf.index, part),
                                    [0] * len(taken))
        for k, a in enumerate(taken):
            back[k] += a
        self.killed += count
        self.dying[job.name, task, count, node] = now

    def requeue(self, job, task, count, node):
        need(self.dying.pop((job.name, task, count, node), None) is not None,
             "they were not killed now")
        self.again.setdefault(job.name, set()).update(range(task, task + count))
        self.opens(job, count)

    def reservation(self, kind, job, count, node):
        """Rows that name no task: a reservation on a node is made, or given up."""
        if kind == "withdraw":
            had = self.reserved.pop((job.name, node), 0)
            need(0 < count <= had, "nodes were reserved for %d of its tasks", had)
            return
        need(job.state == "admitted", "it is %s", job.state)
        need(self.c.partition[node] in job.partitions, "it may not run there")
        open_ = job.tasks - job.next + len(self.again.get(job.name, ()))
        need(0 < count <= open_, "%d of its tasks are open", open_)
        self.reserved[job.name, node] = count

    def let_off(self, job, task, count, node):
        first, behind = self.holding(job, task, count, node)
        marks = self.marks.get((job.name, first), [])
        told = [m for m in marks[behind:behind + count] if m is not None]
        need(len(told) == count, "%d of its tasks are told", len(told))
        marks[behind:behind + count] = [None] * count
        while marks and marks[-1] is None:
            marks.pop()
        self.withdrawn += count

    def close(self, said):
        c = self.c
        need(not self.dying, "what was killed is not open again")
        c.equal("notified", said["notified"], self.notified)
        c.equal("killed", said["killed"], self.killed)
        c.equal("withdrawn", said["withdrawn"], self.withdrawn)
        c.equal("lost_work", said["lost_work"],
                {name: str(x) for (name, _), x in
                 zip(c.tree.kinds, self.lost)})
        if self.on:
            c.notes.append("%d told, %d killed" % (self.notified, self.killed))
            c.notes += [service.note() for service in self.services]
